//! Tool calls as Cody's chats record them: pure functions from messages to rows.
//!
//! The agentic chat writes a call into the answer and its result into the next prompt, which nobody typed; the tool's
//! own record stands in the context of both. Deep Cody writes the tools that it ran as steps of the prompt.

mod arguments;
pub mod edit;
mod outcome;
mod pairing;
mod part;
mod state;
mod step;
mod tool;

#[cfg(test)]
mod tests;

pub use arguments::Arguments;
pub use pairing::{Call, Pairing};
pub use step::{Confirmation, ProcessStep};
