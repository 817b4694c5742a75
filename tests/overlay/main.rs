//! Reading live stores through the overlay: right answers, nothing disturbed.

mod answers;
mod blobs;
mod states;
mod support;
