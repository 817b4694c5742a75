//! What tool calls and their results say, in every shape that Zed has stored: pure functions over JSON values.
//!
//! A call and its result are read leniently: models send numbers as strings, arrays as JSON text, and leave fields
//! out, and all of it is stored as sent. Nothing here fails; what is not there is `None`.

mod blocks;
mod edit;
mod edits;
mod fields;
mod outcome;
mod pairs;
mod refusal;
mod terminal;
#[cfg(test)]
mod tests;
pub mod tool;

pub use edits::{At, Change, changes};
pub use fields::Fields;
pub use outcome::{child_session, outcome};
pub use pairs::{Pair, pairs};
pub use refusal::{Decision, refusal};
