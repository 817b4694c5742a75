//! The files of the old JetBrains plugin below a root, and which of their messages the agent's store holds as well.

use super::legacy::{Damage, LegacyChat, chats};
use super::origin::StoreFile;
use super::reading::{Failure, Needs, Reading, rows_of};
use super::stores::{StoreKind, stores};
use super::transcript::Turn;
use super::chat::Chat;
use crate::error::Result;
use crate::store::{encoding, file};
use crate::table::{Constraint, Op, Scan, Setting, Value};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

/// A file with what is asked of it.
pub struct LegacyFile {
    /// The file.
    pub store: Arc<StoreFile>,
    /// The project that it stands in; `None` for the files of an IDE.
    pub project: Option<Arc<str>>,
    /// Its chats and its damage in order, or why it does not read at all.
    pub chats: Result<Vec<Result<Found, Damage>>>,
    /// How many chats read in whole, those included that are not asked for.
    pub count: usize,
}

/// A chat of a file.
pub struct Found {
    /// The chat.
    pub chat: LegacyChat,
    /// For each message: does the agent's store hold it? All no where that was not asked for.
    pub copied: Vec<bool>,
}

impl Found {
    /// Does the agent's store hold the chat? A chat is copied when a message of it is.
    pub fn is_copied(&self) -> bool {
        self.copied.contains(&true)
    }
}

/// The files below the scan's root, with the chats that the scan asks for. `compares`: are copies looked for?
///
/// # Errors
/// The root does not exist.
pub fn files(scan: &Scan, compares: bool) -> Result<impl Iterator<Item = LegacyFile> + use<>> {
    let scan = scan.clone();
    let found = stores(&scan, &[StoreKind::LegacyXml])?;
    Ok(found.map(move |found| {
        let store = StoreFile::new(&found);
        let text = found.problem.map_or(Ok(()), Err).and_then(|()| read(&store.path, &scan));
        let chats = text.map(|text| chats(&text));
        let count = chats.iter().flatten().flatten().filter(|chat| chat.damage().is_none()).count();
        let chats = chats.map(|chats| asked(chats, &store, &scan, compares));
        LegacyFile { project: project(&store.path), store, chats, count }
    }))
}

fn read(path: &Path, scan: &Scan) -> Result<String> {
    let most = scan.session.setting(Setting::MaxDocumentBytes).unsigned_abs();
    Ok(encoding::decode(&file::read(path, most)?)?.into_owned())
}

fn project(path: &Path) -> Option<Arc<str>> {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == ".idea"))?;
    Some(folder.parent()?.to_string_lossy().into())
}

/// The chats whose rows are asked for. Damage belongs to no session.
///
/// Chats of one id share what the agent's store holds under it, so they are compared before one is left out.
fn asked(
    chats: Vec<Result<LegacyChat, Damage>>,
    store: &StoreFile,
    scan: &Scan,
    compares: bool,
) -> Vec<Result<Found, Damage>> {
    let keys = scan.keys("session_id");
    let is_key = |id: Option<Arc<str>>| {
        keys.as_ref().is_none_or(|keys| id.is_some_and(|id| keys.iter().any(|key| *key == *id)))
    };
    let mut chats = chats;
    chats.retain(|chat| is_key(chat.as_ref().ok().and_then(LegacyChat::session_id)));
    let talks = chats.iter().flatten().filter(|chat| !chat.messages.is_empty());
    let ids: Vec<Value> = talks.filter_map(|chat| Some(Value::Text(chat.session_id()?.to_string()))).collect();
    let mut copies = if compares && !ids.is_empty() { Copies::of(ids, scan) } else { Copies::default() };
    let mut found = |chat: LegacyChat| Found { copied: copies.mark(&chat), chat };
    let mut found: Vec<_> = chats.into_iter().map(|chat| chat.map(&mut found)).collect();
    found.retain(|found| {
        let record = found.as_ref().ok().and_then(|found| found.chat.record());
        scan.admits_record(&store.place.path, record.as_deref())
    });
    found
}

/// The texts in the agent's store by chat, each with how often it is there.
#[derive(Default)]
struct Copies(HashMap<Arc<str>, HashMap<String, usize>>);

impl Copies {
    fn of(ids: Vec<Value>, scan: &Scan) -> Self {
        let mut asked = Scan::all(Arc::clone(&scan.session), scan.root.clone());
        asked.constraints.push(Constraint { column: "session_id".to_owned(), op: Op::In, values: ids });
        let needs = Needs { turns: Some((0, i64::MAX)), ..Needs::default() };
        let mut copies = Self::default();
        // The root exists, or there would be no file to compare.
        for (id, text) in rows_of(&[StoreKind::History], &asked, needs, Texts).into_iter().flatten() {
            *copies.0.entry(id).or_default().entry(text).or_default() += 1;
        }
        copies
    }

    /// Which messages of a chat are there: as many of one text as are there.
    fn mark(&mut self, chat: &LegacyChat) -> Vec<bool> {
        let Some(texts) = chat.session_id().and_then(|id| self.0.get_mut(&id)) else {
            return vec![false; chat.messages.len()];
        };
        let mut is_there = |text: &str| match texts.get_mut(text) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        chat.messages.iter().map(|message| message.text.as_deref().is_some_and(&mut is_there)).collect()
    }
}

/// The texts of chats.
struct Texts;

impl Reading for Texts {
    type Row = (Arc<str>, String);

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<Self::Row>) {
        let Some(id) = &chat.id else { return };
        let texts = turn.messages().filter_map(|said| said.value.get("text")?.as_str().map(|text| text.into_owned()));
        rows.extend(texts.map(|text| (Arc::clone(id), text)));
    }

    /// The table of the store itself tells.
    fn failed(&mut self, _: Failure, _: &mut VecDeque<Self::Row>) {}
}
