//! Reading live stores through the overlay: right answers, nothing disturbed.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here fails the test"
)]

mod answers;
mod blobs;
mod locks;
mod making;
mod matrix;
mod odd;
mod other;
mod states;
mod support;
