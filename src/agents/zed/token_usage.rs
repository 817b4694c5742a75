//! `zed_token_usage`: what requests used, and what threads add up to.
//!
//! Zed files the usage of a turn's *last* request under the user message, so the sum of these rows is too small; the
//! running total exists since June 2026 only. Old documents have an array beside the messages, in which a value is
//! repeated until the next request.

use super::context::Context;
use super::stores::StoreKind;
use super::thread::fields::Fields;
use super::thread::message;
use super::walk::{self, MessageRows};
use crate::error::{Error, Result};
use crate::json::{Document, Kind, Value};
use crate::model::{TokenUsage, UsageBasis};
use crate::table::{Pointer, Rows, Scan, Source, Step, Table, Weight};
use crate::text::Text;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

pub static TABLE: Table<TokenUsage> = Table {
    name: "zed_token_usage",
    doc: "One row per recorded usage figure of a thread: the last request of each turn, and the running total. Sum the rows with is_best = 1 to count nothing twice.",
    weight: Weight::Documents,
    orders: &["timestamp_utc"],
    scan: rows,
};

const REQUESTS: &str = "request_token_usage";
const TOTAL: &str = "cumulative_token_usage";

/// Every figure that the scan asks for.
pub fn rows(scan: &Scan) -> Result<Rows<TokenUsage>> {
    let with_messages = scan.wants_any(&["message_index", "message_id"]);
    walk::rows(scan, "timestamp_utc", &[StoreKind::ThreadsDb], Usage { with_messages, ids: Vec::new() })
}

struct Usage {
    /// Are the places of messages asked for?
    with_messages: bool,
    /// The ids of the thread's messages, by position.
    ids: Vec<Option<String>>,
}

/// The four numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tokens {
    input: i64,
    output: i64,
    cache_creation: i64,
    cache_read: i64,
}

impl Tokens {
    /// Zed leaves out what is zero.
    fn of(usage: Value<'_>) -> Result<Self> {
        if usage.kind() != Kind::Object {
            return Err(Error::shape(format!("expected an object, found {}", usage.kind().described())));
        }
        Ok(Self {
            input: number(usage, "input_tokens")?,
            output: number(usage, "output_tokens")?,
            cache_creation: number(usage, "cache_creation_input_tokens")?,
            cache_read: number(usage, "cache_read_input_tokens")?,
        })
    }

    fn total(self) -> i64 {
        [self.output, self.cache_creation, self.cache_read].into_iter().fold(self.input, i64::saturating_add)
    }
}

/// A count; some writers spell it as a string.
fn number(usage: Value<'_>, name: &str) -> Result<i64> {
    let Some(value) = usage.get(name).filter(|value| !value.is_null()) else { return Ok(0) };
    let number = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number| *number >= 0);
    number.ok_or_else(|| Error::shape(format!("expected a count in {name}, found {}", value.raw())))
}

/// A figure of one request.
struct Request {
    id: Option<String>,
    index: Option<usize>,
    pointer: Pointer,
    tokens: Result<Tokens>,
}

impl Usage {
    fn requests(&self, fields: &Fields) -> Vec<Request> {
        let Some(usage) = fields.get(REQUESTS) else { return Vec::new() };
        let pointer = |step: Step| Pointer::from([Step::Name(REQUESTS), step]);
        let ids = self.ids.iter().enumerate();
        let places: HashMap<&str, usize> = ids.filter_map(|(at, id)| Some((id.as_deref()?, at))).collect();
        let by_message = usage.entries().map(|(key, value)| {
            let id = key.as_str().into_owned();
            let (index, pointer) = (places.get(&*id).copied(), pointer(Step::Key(Arc::from(&*id))));
            Request { id: Some(id), index, pointer, tokens: Tokens::of(value) }
        });
        let mut before = Tokens::default();
        let beside_messages = usage.items().enumerate().filter_map(|(at, value)| {
            let tokens = Tokens::of(value);
            let is_repeat = tokens.as_ref().is_ok_and(|tokens| std::mem::replace(&mut before, *tokens) == *tokens);
            let id = self.ids.get(at).cloned().flatten();
            (!is_repeat).then(|| Request { id, index: Some(at), pointer: pointer(Step::Index(at)), tokens })
        });
        by_message.chain(beside_messages).collect()
    }
}

impl MessageRows for Usage {
    type Row = TokenUsage;
    const HAS_HEADS: bool = true;
    const FIELDS: &'static [&'static str] = &["version", "model", REQUESTS, TOTAL];
    const ALL_FIELDS: &'static [&'static str] =
        &["version", "model", "initial_project_snapshot", "subagent_context", REQUESTS, TOTAL];

    fn wants_messages(&self) -> bool {
        self.with_messages
    }

    fn message(
        &mut self,
        _: &Context,
        index: usize,
        message: &Document,
        before: Option<&Document>,
        _: &mut VecDeque<TokenUsage>,
    ) {
        let message = message::read(message.root(), before.map(Document::root));
        self.ids.resize(index, None);
        self.ids.push(message.id_text().map(|id| id.to_string()));
    }

    fn end(&mut self, thread: &Context, fields: &Fields, out: &mut VecDeque<TokenUsage>) {
        let requests = self.requests(fields);
        self.ids.clear();
        let sum = requests.iter().filter_map(|request| request.tokens.as_ref().ok()).map(|tokens| tokens.total());
        let sum = sum.fold(0, i64::saturating_add);
        let total = fields.get(TOTAL).map(Tokens::of).filter(|total| *total != Ok(Tokens::default()));
        let is_total_best = total.as_ref().is_some_and(|total| total.as_ref().is_ok_and(|total| total.total() >= sum));
        let model = fields.model();
        let shared = TokenUsage {
            model: model.as_ref().and_then(|model| model.model.as_deref()).map(Arc::from),
            provider: model.as_ref().and_then(|model| model.provider.as_deref()).map(Arc::from),
            ..shared(thread, Source::default())
        };
        for Request { id, index, pointer, tokens } in requests {
            let row = TokenUsage {
                basis: Some(UsageBasis::Request),
                message_id: id.map(Text::from),
                message_index: index.and_then(|index| i64::try_from(index).ok()),
                ..shared.clone()
            };
            out.push_back(counted(row, thread.source.at(pointer), tokens, !is_total_best));
        }
        if let Some(total) = total {
            let row = TokenUsage { basis: Some(UsageBasis::Cumulative), ..shared };
            let pointer = Pointer::from([Step::Name(TOTAL)]);
            out.push_back(counted(row, thread.source.at(pointer), total, is_total_best));
        }
    }

    fn failed(&mut self, thread: &Context, source: Source, _: Option<Text>) -> TokenUsage {
        shared(thread, source)
    }
}

fn shared(thread: &Context, source: Source) -> TokenUsage {
    TokenUsage {
        agent: super::NAME,
        session_id: thread.session_id.clone(),
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        project_path: thread.project.clone(),
        source,
        ..TokenUsage::default()
    }
}

fn counted(row: TokenUsage, source: Source, tokens: Result<Tokens>, is_best: bool) -> TokenUsage {
    match tokens {
        Ok(tokens) => TokenUsage {
            input_tokens: Some(tokens.input),
            output_tokens: Some(tokens.output),
            cache_creation_input_tokens: Some(tokens.cache_creation),
            cache_read_input_tokens: Some(tokens.cache_read),
            total_tokens: Some(tokens.total()),
            is_best: Some(is_best),
            source,
            ..row
        },
        Err(error) => TokenUsage { source: source.failed(error), ..row },
    }
}
