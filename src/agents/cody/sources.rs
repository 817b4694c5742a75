//! Cody's rows of `agent_sources`: every store that was found, and what it answers.

use super::events::Filter;
use super::legacy::{self, Damage, LegacyChat};
use super::model_prefs;
use super::open::open;
use super::origin::StoreFile;
use super::prompts;
use super::reading::Needs;
use super::standing;
use super::store_scan::{Met, StoreScan};
use super::stores::{StoreKind, stores};
use super::transcript::event::{Shape, Want};
use super::transcript::items::items;
use super::transcript::walk::Walk;
use crate::error::{Error, Kind, Result};
use crate::json::{self, Document};
use crate::model::{Store, StoreStatus};
use crate::store::find::Found;
use crate::store::sqlite::{Database, pool};
use crate::store::{encoding, file};
use crate::table::{Rows, Scan, Setting, Source};
use crate::time::Time;
use std::sync::Arc;

/// What is looked for, for somebody who has none of it.
pub const LOOKED_FOR: &str = "User/globalStorage/state.vscdb of every editor of the VS Code family, Cody-nodejs/*-globalState of the agent's clients, chat exports, .idea/cody_history.xml and settings files. Chats made in a browser (Cody Web, vscode.dev, code-server) are kept by the browser, those of the command line nowhere";

/// One row per store. A store is opened when its row is reached.
///
/// # Errors
/// The root does not exist.
pub fn rows(scan: &Scan) -> Result<Rows<Store>> {
    let found = stores(scan, StoreKind::ALL)?;
    let scan = scan.clone();
    Ok(Box::new(found.filter_map(move |found| row(&found, &scan))))
}

/// `None` for a JSON file that is none of Cody's.
fn row(found: &Found<StoreKind>, scan: &Scan) -> Option<Store> {
    let store = StoreFile::new(found);
    let told = match &found.problem {
        Some(problem) => Err(problem.clone()),
        None => answer(&store, scan),
    };
    let (answer, source) = match told {
        Ok(answer) => (answer?, Source::new(&found.place, None)),
        Err(error) => (Answer::failed(&error), store.failed(error)),
    };
    let source = source.part(StoreFile::PART);
    let metadata = std::fs::metadata(&found.path).ok();
    Some(Store {
        agent: super::NAME,
        kind: Some(found.kind.word()),
        path: found.place.path.clone(),
        status: Some(answer.status),
        bytes: metadata.as_ref().filter(|data| data.is_file()).and_then(|data| i64::try_from(data.len()).ok()),
        modified_at: metadata.and_then(|data| data.modified().ok()).and_then(Time::from_system_time),
        journal: answer.journal,
        format: answer.format.map(Arc::from),
        records: answer.records,
        errors: answer.errors,
        hint: answer.hint.map(Arc::from),
        source,
    })
}

/// What a store says of itself.
struct Answer {
    status: StoreStatus,
    journal: Option<&'static str>,
    format: Option<&'static str>,
    records: Option<i64>,
    errors: Option<i64>,
    hint: Option<&'static str>,
}

impl Answer {
    fn of(status: StoreStatus, format: Option<&'static str>) -> Self {
        Self { status, journal: None, format, records: None, errors: None, hint: None }
    }

    fn holding(format: &'static str, records: usize) -> Self {
        let status = if records == 0 { StoreStatus::Empty } else { StoreStatus::Ok };
        Self { records: i64::try_from(records).ok(), errors: Some(0), ..Self::of(status, Some(format)) }
    }

    fn failed(error: &Error) -> Self {
        let (status, hint) = match error.kind() {
            Kind::Io => (StoreStatus::Unreadable, "The operating system does not give it out: see the error."),
            Kind::Busy => (
                StoreStatus::Locked,
                "A program is writing it in a way that allows no sound read: ask again when that program is done.",
            ),
            _ => (StoreStatus::Corrupt, "See the error for the place."),
        };
        Self { hint: Some(hint), ..Self::of(status, None) }
    }
}

fn answer(store: &Arc<StoreFile>, scan: &Scan) -> Result<Option<Answer>> {
    let unsupported = |format, hint| Answer { hint: Some(hint), ..Answer::of(StoreStatus::Unsupported, Some(format)) };
    Ok(Some(match store.kind {
        StoreKind::Vscdb | StoreKind::VscdbBackup | StoreKind::History | StoreKind::Export => {
            return history(store, scan);
        }
        StoreKind::Member | StoreKind::EditInstructions => list(store, scan)?,
        StoreKind::LegacyXml => {
            let most = scan.session.setting(Setting::MaxDocumentBytes).unsigned_abs();
            let bytes = file::read(&store.path, most)?;
            of_chats(&legacy::chats(&encoding::decode(&bytes)?))?
        }
        StoreKind::EditorSettings
        | StoreKind::WorkspaceSettings
        | StoreKind::ProjectSettings
        | StoreKind::FallbackSettings
        | StoreKind::IdeSettings => return settings(store),
        StoreKind::LeftOver => unsupported(
            "part of a history file",
            "An interrupted save left it. Where the history beside it is damaged or missing, give this file as root.",
        ),
        StoreKind::Browser => unsupported(
            "IndexedDB of a browser",
            "This editor runs in a browser, which keeps Cody's chats (vscode-web-state-db-global). No file here holds them.",
        ),
        StoreKind::Remote => unsupported(
            "search index",
            "Cody ran on this machine for an editor elsewhere: its chats are in that machine's state.vscdb.",
        ),
    }))
}

/// The old plugin's file.
fn of_chats(chats: &[Result<LegacyChat, Damage>]) -> Result<Answer> {
    let records = chats.iter().flatten().count();
    let damaged = |chat: &Result<LegacyChat, Damage>| chat.as_ref().map_or_else(|damage| Some(damage.clone()), LegacyChat::damage);
    let mut damages = chats.iter().filter_map(damaged);
    match damages.next() {
        Some(damage) if records == 0 => Err(damage.error),
        first => {
            let errors = i64::try_from(damages.count() + usize::from(first.is_some())).ok();
            Ok(Answer { errors, ..Answer::holding("XML of the JetBrains plugin of 2024", records) })
        }
    }
}

/// A store that holds chats; `None` for a JSON file that is none.
fn history(store: &Arc<StoreFile>, scan: &Scan) -> Result<Option<Answer>> {
    let opened = open(store, &scan.session)?;
    let journal = match store.is_state() {
        true => Some(pool::with(&scan.session, &store.path, Database::journal)?),
        false => None,
    };
    let hint = match (store.kind, &opened) {
        (StoreKind::Export, None) => return Ok(None),
        (StoreKind::Vscdb | StoreKind::VscdbBackup, None) => Some("This editor has not run Cody."),
        (StoreKind::History, None) => Some("It holds no value: `undefined` and `null` are what clients of 2024 wrote."),
        (StoreKind::VscdbBackup, Some(_)) => {
            Some("What the editor copied when it last closed. It may hold chats that were deleted since.")
        }
        _ => None,
    };
    let Some(opened) = opened else {
        return Ok(Some(Answer { journal, hint, ..Answer::of(StoreStatus::Empty, None) }));
    };
    let format = match opened.shape {
        Shape::State => "state row",
        Shape::History | Shape::Import => "history by account",
        Shape::List => "list of chats",
        Shape::Chat => "one chat",
    };
    // A value that is none at all is told of, whatever is asked for.
    Walk::new(&opened.bytes, opened.shape, Want::default())?;
    let (records, errors) = match (scan.wants("records"), scan.wants("errors")) {
        (false, false) => (None, None),
        (_, wants_errors) => count(store, scan, wants_errors)?,
    };
    Ok(Some(Answer { journal, hint, records, errors, ..Answer::of(StoreStatus::Ok, Some(format)) }))
}

/// How many chats there are, and (which decodes all) how many of them do not read in whole.
fn count(store: &Arc<StoreFile>, scan: &Scan, wants_errors: bool) -> Result<(Option<i64>, Option<i64>)> {
    let filter = Arc::new(Filter::new(&Scan::all(Arc::clone(&scan.session), scan.root.clone())));
    let needs = Needs { turns: wants_errors.then_some((0, i64::MAX)), ..Needs::default() };
    let (mut records, mut errors, mut is_bad) = (0, 0, false);
    for met in StoreScan::open(store, &filter, needs)?.into_iter().flatten() {
        match met {
            Met::Turn(_, turn) => {
                is_bad = is_bad || turn.messages().flat_map(|said| items(&said)).any(|item| item.error.is_some());
            }
            Met::Failure(failure) if failure.chat.is_some() => is_bad = true,
            Met::Failure(_) => errors += 1,
            Met::End(..) => {
                records += 1;
                errors += i64::from(std::mem::take(&mut is_bad));
            }
            Met::Input(_) => {}
        }
    }
    Ok((Some(records), wants_errors.then_some(errors)))
}

/// A small JSON value: how many entries it has, and how many rows of its tables tell of a bad one.
fn list(store: &StoreFile, scan: &Scan) -> Result<Answer> {
    const MOST_BYTES: u64 = 16 << 20;
    let bytes = file::read(&store.path, MOST_BYTES)?;
    if matches!(bytes.trim_ascii(), b"" | b"null" | b"undefined") {
        return Ok(Answer::of(StoreStatus::Empty, None));
    }
    let document = Document::parse(bytes)?;
    let is_list = matches!(document.root().kind(), json::Kind::Array | json::Kind::Object);
    let records = if is_list { document.root().len() } else { 1 };
    let errors = if scan.wants("errors") { Some(bad_values(store, scan)?) } else { None };
    Ok(Answer { errors, ..Answer::holding("JSON value", records) })
}

fn bad_values(store: &StoreFile, scan: &Scan) -> Result<i64> {
    let file = Scan::all(Arc::clone(&scan.session), Some(store.place.path.as_str().into()));
    let prefs = model_prefs::scan(&file)?.filter(|row| row.source.error.is_some()).count();
    let prompts = prompts::scan(&file)?.filter(|row| row.base.source.error.is_some()).count();
    Ok(i64::try_from(prefs + prompts).unwrap_or(i64::MAX))
}

/// A settings file; `None` for a workspace's that says nothing about Cody.
fn settings(store: &StoreFile) -> Result<Option<Answer>> {
    let format = match store.kind {
        StoreKind::EditorSettings | StoreKind::WorkspaceSettings => "JSON with comments",
        StoreKind::IdeSettings => "HOCON in XML",
        _ => "HOCON",
    };
    let found = Found { kind: store.kind, path: store.path.clone(), place: Arc::clone(&store.place), problem: None };
    Ok(match standing::read(found) {
        None if store.kind == StoreKind::WorkspaceSettings => None,
        None => Some(Answer::holding(format, 0)),
        Some(standing) => Some(Answer::holding(format, standing.settings?.len())),
    })
}
