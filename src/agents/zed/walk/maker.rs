//! What a table says to the walk.

use super::pack::Packing;
use crate::agents::zed::context::Context;
use crate::agents::zed::stores::StoreKind;
use crate::agents::zed::thread::fields::Fields;
use crate::json::Document;
use crate::store::find::Found;
use crate::table::{Row, Source};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;

/// How a table makes its rows of a thread's messages. One value sees all threads of a scan, one after the other.
pub trait MessageRows: 'static {
    /// The row kind.
    type Row: Row;
    /// May a scan's reader be given rows that stand for kept ones? Not where somebody looks at the rows before it.
    const HAS_HEADS: bool = false;
    /// Is [`pack`](Self::pack) there? For tables that make rows of messages alone: such a thread has no begin and no end.
    const PACKS: bool = false;
    /// The members around the messages that [`end`](Self::end) needs; the walk itself needs `version`.
    const FIELDS: &'static [&'static str] = &["version"];
    /// Those, and what the shared columns need where a statement asks for them.
    const ALL_FIELDS: &'static [&'static str] = &["version", "model", "initial_project_snapshot", "subagent_context"];

    /// Columns whose text stands in one string of the document, or is its JSON.
    const SEARCHED: &'static [&'static str] = &[];

    /// How many messages behind the last that is asked for are needed to tell its rows.
    const AHEAD: usize = 0;

    /// Are the messages needed at all?
    fn wants_messages(&self) -> bool {
        true
    }

    /// A thread begins whose members around the messages have been read, since a shared column needs them.
    fn begin(&mut self, _thread: &Context, _fields: &Fields, _out: &mut VecDeque<Self::Row>) {}

    /// The rows of one message. `before` is the message in front of it, where that is an old one with calls.
    fn message(&mut self, thread: &Context, index: usize, message: &Document, before: Option<&Document>, out: &mut VecDeque<Self::Row>);

    /// Packs the rows of one message as [`message`](Self::message) gives them, with no more than one row at a time:
    /// `row` is the thread's, and was the row before. False where one of them cannot be kept.
    fn pack(
        &mut self,
        _row: &mut Self::Row,
        _index: usize,
        _message: &Document,
        _before: Option<&Document>,
        _packing: &mut Packing,
    ) -> bool {
        false
    }

    /// The thread has ended: rows that waited for another message, or for the members behind the messages. Those are
    /// not all there where the scan stopped at the last message that it asks for.
    fn end(&mut self, _thread: &Context, _fields: &Fields, _out: &mut VecDeque<Self::Row>) {}

    /// What comes next cannot be read: rows that waited for it.
    fn interrupted(&mut self, _thread: &Context, _out: &mut VecDeque<Self::Row>) {}

    /// A part that cannot be read: the error stands in `source`, which replaces the thread's own. `raw` is the part as
    /// stored, where the scan asks for it.
    fn failed(&mut self, thread: &Context, source: Source, raw: Option<Text>) -> Self::Row;

    /// The rows of an old text thread, for tables that have any.
    fn text_thread(&mut self, _found: &Found<StoreKind>, _time: Option<Time>, _out: &mut VecDeque<Self::Row>) {}
}
