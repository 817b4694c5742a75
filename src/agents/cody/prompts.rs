//! `cody_prompts`: what was recorded of prompts outside of the chats.

use super::members::{Member, Read, members};
use super::origin::{Origin, StoreFile};
use super::reading::{Failure, Needs, Prompt, Reading, rows};
use super::stores::{StoreKind, stores};
use super::transcript::context::title;
use super::transcript::uri::Uri;
use crate::error::{Error, Result};
use crate::json::{Document, Kind, Value};
use crate::store::file;
use crate::store::find::Found;
use crate::table::{Pointer, Rows, Scan, Source, Table, Weight, With};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

crate::words! {
    /// What was recorded.
    pub enum PromptKind {
        /// An entry of the prompt history that chats had until v1.8.
        Input = "input",
        /// Something that is often mentioned in prompts.
        FrequentItem = "frequent_item",
        /// An instruction to edit code, in Visual Studio.
        EditInstruction = "edit_instruction",
    }
}

crate::record! {
    /// One use that was recorded outside of the chats.
    pub struct RecordedPrompt {
        /// One of `input` (prompt history of 2023-03 to v1.8), `frequent_item` (something often mentioned in prompts, since v1.82) or `edit_instruction` (Visual Studio).
        kind: Option<PromptKind>,
        /// The prompt, the instruction, or the item's title or (of a symbol) name. NULL where there is none.
        [search] text: Option<Text>,
        /// What was mentioned, for frequent_item rows. NULL for others.
        uri: Option<Text>,
        /// How often, for frequent_item rows. NULL for others.
        use_count: Option<i64>,
        /// The repository in which it was mentioned, for frequent_item rows; `__HOME__` outside of any. NULL for others.
        repo: Option<Text>,
        /// UTC, fixed width: when it was last used. NULL for prompts and instructions, which are recorded without a time, oldest first.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `record`.
        timestamp_basis: Option<&'static str>,
    }
}

/// A use that was recorded by Cody.
pub type CodyPrompt = With<RecordedPrompt, Origin>;

/// The table.
pub static TABLE: Table<CodyPrompt> = Table {
    name: "cody_prompts",
    doc: "One row per recorded use of Cody outside of its chats: old prompt histories, frequently mentioned items with their real times, Visual Studio's edit instructions.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// No edit history is larger: it has forty entries.
const MOST_BYTES: u64 = 16 << 20;
const FREQUENT: &str = "cody-frequently-used-items:";

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<CodyPrompt>> {
    const KINDS: &[StoreKind] = &[StoreKind::EditInstructions];
    let inputs = rows(scan, Needs { inputs: true, ..Needs::default() }, Inputs)?;
    let frequent = members(scan, |key| key.starts_with(FREQUENT))?.flat_map(of_member);
    let edits = stores(scan, KINDS)?.flat_map(|found| of_edits(&found));
    Ok(Box::new(inputs.chain(frequent).chain(edits)))
}

struct Inputs;

impl Reading for Inputs {
    type Row = CodyPrompt;

    /// A string, since v1.4 an object.
    fn input(&mut self, prompt: &Prompt, rows: &mut VecDeque<CodyPrompt>) {
        let Prompt { store, account, document, pointer } = prompt;
        let root = document.root();
        let text = root.text().or_else(|| root.get("inputText")?.text());
        let mut source = store.source(pointer.clone());
        if text.is_none() {
            source = source.failed(Error::shape(format!("a prompt is {} without text", root.kind().described())));
        }
        let base = RecordedPrompt { kind: Some(PromptKind::Input), text, source, ..RecordedPrompt::default() };
        rows.push_back(With { base, extra: store.origin(account) });
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<CodyPrompt>) {
        rows.push_back(row(&failure.store, PromptKind::Input, failure.source));
    }
}

fn row(store: &StoreFile, kind: PromptKind, source: Source) -> CodyPrompt {
    let base = RecordedPrompt { kind: Some(kind), source, ..RecordedPrompt::default() };
    With { base, extra: store.origin(&Default::default()) }
}

/// A list of `{item, useCount, lastUsed}`, under a key that names endpoint, user and repository.
fn of_member(read: Read) -> Vec<CodyPrompt> {
    let member = match read {
        Ok(member) => member,
        Err(unread) if unread.is_value => return vec![row(&unread.store, PromptKind::FrequentItem, unread.source)],
        // The prompt histories of the same store have told it.
        Err(_) => return Vec::new(),
    };
    let root = member.document.root();
    if root.kind() != Kind::Array {
        let error = Error::shape(format!("expected a list of items, found {}", root.kind().described()));
        return vec![row(&member.store, PromptKind::FrequentItem, member.source(member.pointer.clone()).failed(error))];
    }
    root.items().enumerate().map(|(position, item)| frequent(&member, item, position)).collect()
}

fn frequent(member: &Member, entry: Value<'_>, position: usize) -> CodyPrompt {
    let (endpoint, username, repo) = parts(&member.key);
    let source = member.source(member.pointer.join(position));
    let item = entry.get("item");
    let uri = item.and_then(|item| item.get("uri")).and_then(Uri::of);
    let time = entry.get("lastUsed").and_then(|time| time.as_i64()).and_then(Time::from_millis);
    let mut row = row(&member.store, PromptKind::FrequentItem, source);
    row.base.text = item.and_then(title).and_then(|title| title.text());
    row.base.uri = uri.and_then(|uri| uri.text().or_else(|| uri.path())).map(Text::from);
    row.base.use_count = entry.get("useCount").and_then(|count| count.as_i64());
    row.base.repo = repo.map(Text::from);
    (row.base.timestamp_utc, row.base.timestamp_basis) = (time, time.map(|_| "record"));
    (row.extra.endpoint, row.extra.username) = (endpoint.map(Arc::from), username.map(Arc::from));
    if item.is_none() {
        row.base.source = row.base.source.failed(Error::shape("a frequently used item without item"));
    }
    row
}

/// Endpoint, user name and repository of a key; the endpoint itself holds colons.
fn parts(key: &str) -> (Option<&str>, Option<&str>, Option<&str>) {
    let whole = key.strip_prefix(FREQUENT).unwrap_or_default();
    let split = match whole.split_once("/:") {
        Some((endpoint, rest)) => whole.get(..endpoint.len() + 1).zip(rest.split_once(':')),
        None => whole.rsplit_once(':').and_then(|(front, repo)| {
            let (endpoint, username) = front.rsplit_once(':')?;
            Some((endpoint, (username, repo)))
        }),
    };
    split.map_or((None, None, None), |(endpoint, (username, repo))| (Some(endpoint), Some(username), Some(repo)))
}

/// A list of strings, oldest first. Visual Studio writes it in one go, so it may be cut.
fn of_edits(found: &Found<StoreKind>) -> Vec<CodyPrompt> {
    let store = StoreFile::new(found);
    let read = found.problem.clone().map_or(Ok(()), Err).and_then(|()| file::read(&store.path, MOST_BYTES));
    let document = match read {
        Ok(bytes) if bytes.is_empty() => return Vec::new(),
        read => read.and_then(Document::parse),
    };
    let failed = |error| vec![row(&store, PromptKind::EditInstruction, store.failed(error))];
    let document = match document {
        Ok(document) => document,
        Err(error) => return failed(error),
    };
    let root = document.root();
    if root.kind() != Kind::Array {
        return failed(Error::shape(format!("expected a list of texts, found {}", root.kind().described())));
    }
    let instruction = |(position, item): (usize, Value<'_>)| {
        let source = store.source(Pointer::record().join(position));
        let mut row = row(&store, PromptKind::EditInstruction, source.clone());
        row.base.text = item.text();
        if row.base.text.is_none() {
            row.base.source = source.failed(Error::shape(format!("expected a text, found {}", item.kind().described())));
        }
        row
    };
    root.items().enumerate().map(instruction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_endpoint_user_and_repository() {
        for (key, want) in [
            (
                "cody-frequently-used-items:https://sourcegraph.com/:alice:github.com/o/r",
                (Some("https://sourcegraph.com/"), Some("alice"), Some("github.com/o/r")),
            ),
            (
                "cody-frequently-used-items:http://localhost:3080:ana:__HOME__",
                (Some("http://localhost:3080"), Some("ana"), Some("__HOME__")),
            ),
            ("cody-frequently-used-items:odd", (None, None, None)),
        ] {
            assert_eq!(parts(key), want, "{key}");
        }
    }
}
