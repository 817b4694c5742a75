//! Scans over the calls of threads: what the tables of calls, edits and decisions have in common.

use super::calls::{Pair, pairs};
use super::context::Context;
use super::stores::StoreKind;
use super::thread::fields::Fields;
use super::thread::message;
use super::walk::{self, MessageRows};
use crate::error::Result;
use crate::json::Document;
use crate::table::{Row, Rows, Scan, Source};
use crate::text::Text;
use std::collections::VecDeque;

/// A pair and its place in the thread.
#[derive(Debug)]
pub struct Found<'m, 'd> {
    /// The pair.
    pub pair: Pair<'m, 'd>,
    /// The position of its message.
    pub message_index: usize,
    /// Does it stand in the document's last message?
    pub is_last: bool,
}

impl Found<'_, '_> {
    /// The provenance of the pair, with the error where it did not decode.
    pub fn source(&self, thread: &Context) -> Source {
        let source = thread.source.at(self.pair.item.place.pointer(self.message_index));
        match self.pair.error {
            Some(error) => source.failed(error.clone()),
            None => source,
        }
    }

    /// Its positions as cells: message, item.
    pub fn position(&self) -> (Option<i64>, Option<i64>) {
        (i64::try_from(self.message_index).ok(), i64::try_from(self.pair.index).ok())
    }
}

/// How a table makes its rows of calls.
pub trait CallRows: 'static {
    /// The row kind.
    type Row: Row;
    /// As in [`MessageRows`].
    const FIELDS: &'static [&'static str] = &["version"];
    /// As in [`MessageRows`].
    const SEARCHED: &'static [&'static str] = &[];
    /// As in [`MessageRows`].
    const ALL_FIELDS: &'static [&'static str] = &["version", "model", "initial_project_snapshot", "subagent_context"];

    /// Are the calls needed at all?
    fn wants_calls(&self) -> bool {
        true
    }

    /// The rows of one call, of its result, of both.
    fn found(&mut self, thread: &Context, found: &Found<'_, '_>, out: &mut VecDeque<Self::Row>);

    /// The rows of what stands around the messages.
    fn end(&mut self, _thread: &Context, _fields: &Fields, _out: &mut VecDeque<Self::Row>) {}

    /// A part of the store that cannot be read.
    fn failed(&mut self, thread: &Context, source: Source) -> Self::Row;
}

/// The rows of every call that the scan asks for.
pub fn rows<C: CallRows>(scan: &Scan, maker: C) -> Result<Rows<C::Row>> {
    walk::rows(scan, "timestamp_utc", &[StoreKind::ThreadsDb], OneAhead { held: None, maker })
}

/// Gives the calls of a message when the message behind it is known: that may hold their results, and tells that the
/// document goes on.
struct OneAhead<C> {
    held: Option<Held>,
    maker: C,
}

struct Held {
    index: usize,
    message: Document,
    before: Option<Document>,
}

/// What stands behind a message.
#[derive(Clone, Copy)]
enum Behind<'a> {
    /// A message, with its position.
    Message(usize, &'a Document),
    /// What cannot be read, and may well be another message.
    Damage,
    /// The end of the document.
    Nothing,
}

impl<C: CallRows> OneAhead<C> {
    fn release(&mut self, thread: &Context, behind: Behind<'_>, out: &mut VecDeque<C::Row>) {
        let Some(held) = self.held.take() else { return };
        let before = held.before.as_ref().map(Document::root);
        let own = message::read(held.message.root(), before);
        let before = before.map(|before| message::read(before, None));
        let after = match behind {
            Behind::Message(index, after) if index == held.index + 1 && after.root().get("tool_results").is_some() => {
                Some(message::read(after.root(), Some(held.message.root())))
            }
            _ => None,
        };
        let is_last = matches!(behind, Behind::Nothing);
        for pair in pairs(&own, before.as_ref(), after.as_ref()) {
            let found = Found { pair, message_index: held.index, is_last };
            self.maker.found(thread, &found, out);
        }
    }
}

impl<C: CallRows> MessageRows for OneAhead<C> {
    type Row = C::Row;
    const HAS_HEADS: bool = true;
    const FIELDS: &'static [&'static str] = C::FIELDS;
    const SEARCHED: &'static [&'static str] = C::SEARCHED;
    const ALL_FIELDS: &'static [&'static str] = C::ALL_FIELDS;
    const AHEAD: usize = 1;

    fn wants_messages(&self) -> bool {
        self.maker.wants_calls()
    }

    fn message(
        &mut self,
        thread: &Context,
        index: usize,
        message: &Document,
        before: Option<&Document>,
        out: &mut VecDeque<C::Row>,
    ) {
        self.release(thread, Behind::Message(index, message), out);
        self.held = Some(Held { index, message: message.clone(), before: before.cloned() });
    }

    fn end(&mut self, thread: &Context, fields: &Fields, out: &mut VecDeque<C::Row>) {
        self.release(thread, Behind::Nothing, out);
        self.maker.end(thread, fields, out);
    }

    fn interrupted(&mut self, thread: &Context, out: &mut VecDeque<C::Row>) {
        self.release(thread, Behind::Damage, out);
    }

    fn failed(&mut self, thread: &Context, source: Source, _: Option<Text>) -> C::Row {
        self.maker.failed(thread, source)
    }
}
