//! The thread document: what stands in the `data` of a `threads` row once it is inflated. Pure; no store, no rows.
//!
//! Four generations mix in one table, since Zed rewrites a thread only when it is saved again, and the `version` key
//! stands behind the messages. So nothing here asks for the version first: each message tells its generation by its
//! shape.
//!
//! - [`document::ThreadReader`] walks the document: [`next_message`](document::ThreadReader::next_message) gives
//!   `(N, Ok(Document))` for each well-formed element of `messages[]`, `(N, Err(Damage))` for one that is none; after
//!   the last one [`fields`](document::ThreadReader::fields) holds the top-level members that were asked for.
//! - [`message::read`] turns one element into a [`Message`](message::Message): its id, who speaks, and its
//!   [`Item`](item::Item)s in the order of rows: content, then calls (old generations), then results. Everything is
//!   borrowed from the element's [`Document`](crate::json::Document); nothing is unescaped until somebody looks.
//! - A [`Call`](item::Call) gives its arguments as the era's wrapper leaves them
//!   ([`arguments`](item::Call::arguments), [`input`](item::Call::input)), a [`ToolResult`](item::ToolResult) its
//!   content and `output` as [`Value`](crate::json::Value)s and its text ([`text`](item::ToolResult::text)). They pair
//!   by id inside one message only; in 0.1.0 the results stand in the *next* message (`Message::is_carrier`), and
//!   `message::read` is given the message before so that they know their tool's name.
//! - [`Fields`](fields::Fields) reads the members around the messages: model, snapshot, usage, grants, ….

pub mod document;
pub mod fields;
pub mod item;
mod legacy;
pub mod mention;
pub mod message;
pub mod sound;

#[cfg(test)]
mod tests;
