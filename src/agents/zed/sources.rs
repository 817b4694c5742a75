//! Zed's rows of `agent_sources`: every store that was found, and what it answers.

use super::messages;
use super::panel::Panel;
use super::permissions::settings_rules;
use super::stores::{StoreKind, stores};
use super::text_threads;
use super::walk::bounds;
use crate::error::{Error, Kind, Result};
use crate::model::{Store, StoreStatus};
use crate::store::find::Found;
use crate::store::sqlite::{Database, pool};
use crate::table::{Rows, Scan, Source};
use crate::time::Time;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What is looked for, for somebody who has none of it.
pub const LOOKED_FOR: &str = "threads/threads.db, db/0-*/db.sqlite and conversations/*.zed.json in the data folders of every platform and channel, settings.json and global_settings.json in the configuration folders";

/// One row per store. A store is opened when its row is reached.
pub fn rows(scan: &Scan) -> Result<Rows<Store>> {
    let found = stores(scan, StoreKind::ALL)?;
    let scan = scan.clone();
    Ok(Box::new(found.map(move |found| row(&found, &scan))))
}

fn row(found: &Found<StoreKind>, scan: &Scan) -> Store {
    let metadata = std::fs::metadata(data_file(found)).ok();
    let told = match &found.problem {
        Some(problem) => Err(problem.clone()),
        None => answer(found, scan),
    };
    let source = Source::new(&found.place, None);
    let (told, source) = match told {
        Ok(answer) => (answer, source),
        Err(error) => (Answer::failed(found.kind, &error), source.failed(error)),
    };
    let count = |count: usize| i64::try_from(count).ok();
    Store {
        agent: super::NAME,
        kind: Some(found.kind.word()),
        path: found.place.path.clone(),
        status: Some(told.status),
        bytes: metadata.as_ref().filter(|data| data.is_file()).and_then(|data| i64::try_from(data.len()).ok()),
        modified_at: metadata.and_then(|data| data.modified().ok()).and_then(Time::from_system_time),
        journal: told.journal,
        format: told.format.map(Into::into),
        records: told.records.and_then(count),
        errors: told.errors.and_then(count),
        hint: told.hint.map(Into::into),
        source,
    }
}

/// The file itself, or what holds a folder's bytes.
fn data_file(found: &Found<StoreKind>) -> PathBuf {
    match found.kind {
        StoreKind::LmdbThreads | StoreKind::PromptLibrary => found.path.join("data.mdb"),
        _ => found.path.clone(),
    }
}

/// What a store says of itself.
struct Answer {
    status: StoreStatus,
    journal: Option<&'static str>,
    format: Option<String>,
    records: Option<usize>,
    errors: Option<usize>,
    hint: Option<&'static str>,
}

impl Answer {
    fn of(status: StoreStatus) -> Self {
        Self { status, journal: None, format: None, records: None, errors: None, hint: None }
    }

    fn holding(records: usize) -> Self {
        let status = if records == 0 { StoreStatus::Empty } else { StoreStatus::Ok };
        Self { records: Some(records), ..Self::of(status) }
    }

    /// Known by its place, and not read.
    fn unsupported(format: &str, hint: &'static str) -> Self {
        Self { format: Some(format.to_owned()), hint: Some(hint), ..Self::of(StoreStatus::Unsupported) }
    }

    fn failed(kind: StoreKind, error: &Error) -> Self {
        let is_database = matches!(kind, StoreKind::ThreadsDb | StoreKind::Db);
        let (status, hint) = match error.kind() {
            Kind::Io => (StoreStatus::Unreadable, "The operating system does not give it out: see the error."),
            Kind::Busy => (
                StoreStatus::Locked,
                "A program is writing it in a way that allows no sound read: ask again when that program is done.",
            ),
            _ if is_database => (
                StoreStatus::Corrupt,
                "Move it away and Zed makes a new one; `sqlite3 FILE .recover` may save rows of a damaged one.",
            ),
            _ => (StoreStatus::Corrupt, "See the error for the place."),
        };
        Self { hint: Some(hint), ..Self::of(status) }
    }
}

fn answer(found: &Found<StoreKind>, scan: &Scan) -> Result<Answer> {
    match found.kind {
        StoreKind::ThreadsDb => {
            let told = pool::with(&scan.session, &found.path, |database| threads_db(database, scan))?;
            let errors = scan.wants("errors").then(|| bad_threads(found, scan)).transpose()?;
            Ok(Answer { errors, ..told })
        }
        StoreKind::Db => panel(found, scan),
        StoreKind::Settings | StoreKind::GlobalSettings => {
            let records = settings_rules(found)?.len();
            Ok(Answer { format: Some("JSON with comments".to_owned()), errors: Some(0), ..Answer::holding(records) })
        }
        StoreKind::TextThread => text_thread(found, scan),
        StoreKind::LmdbThreads if found.place.path.ends_with("db.0.mdb") => Ok(Answer::unsupported(
            "LMDB threads of January to March 2025",
            "Zed has left these threads behind since version 0.178, and moved them nowhere.",
        )),
        StoreKind::LmdbThreads => Ok(Answer::unsupported(
            "LMDB threads of March to June 2025",
            "Zed 0.190 to 0.209 moved these threads into threads.db on its first start; later versions ignore them.",
        )),
        StoreKind::PromptLibrary => Ok(Answer::unsupported(
            "LMDB prompt library",
            "Prompts and rules, no history; since Zed 1.4 they are copied to ~/.agents/skills.",
        )),
        StoreKind::NavigationHistory => Ok(Answer::unsupported(
            "JSON list of 2025",
            "Names the last threads that were opened, and holds nothing of them.",
        )),
        StoreKind::DeltaDb => Ok(Answer::unsupported(
            "DeltaDB",
            "The threads of Zed's Delta. Its format is not public; the delta program shows and exports them.",
        )),
    }
}

/// Its messages are its records.
fn text_thread(found: &Found<StoreKind>, scan: &Scan) -> Result<Answer> {
    if std::fs::metadata(&found.path)?.len() == 0 {
        return Ok(Answer { errors: Some(0), ..Answer::holding(0) });
    }
    let most = bounds(&scan.session).document_bytes;
    let Some(thread) = text_threads::read(found, None, &scan.session, most)? else {
        return Ok(Answer::of(StoreStatus::Ok));
    };
    let version = thread.get("version").and_then(|version| version.as_str()).unwrap_or("of no version".into());
    let format = Some(format!("text thread {version}"));
    let errors = Some(thread.messages().filter(|message| message.parts.is_err()).count());
    Ok(Answer { format, errors, ..Answer::holding(thread.messages().count()) })
}

/// The version of Zed that added the newest column that is there.
const ERAS: [(&str, &str); 3] = [("created_at", "0.228"), ("folder_paths", "0.227"), ("parent_id", "0.224")];

fn threads_db(database: &mut Database, scan: &Scan) -> Result<Answer> {
    let journal = Some(database.journal()?);
    let columns = database.columns("threads")?;
    if columns.is_empty() {
        let format = Some("no threads table".to_owned());
        return Ok(Answer { journal, format, ..Answer::holding(0) });
    }
    let has = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    let era = ERAS.iter().find(|(name, _)| has(name)).map_or("0.190", |(_, version)| *version);
    let sql = if scan.wants("records") { "SELECT count(*) FROM threads" } else { "SELECT count(*) FROM (SELECT 1 FROM threads LIMIT 1)" };
    let count = database.query(sql, &[], |row| Ok(row.integer(0).unwrap_or_default()))?;
    let records = usize::try_from(count.first().copied().unwrap_or_default()).unwrap_or_default();
    Ok(Answer { journal, format: Some(format!("threads table of Zed {era}")), ..Answer::holding(records) })
}

/// How many threads of the store have anything that does not decode. It reads them all.
fn bad_threads(found: &Found<StoreKind>, scan: &Scan) -> Result<usize> {
    let root = Some(found.place.path.as_str().into());
    let alone = Scan { columns: Some(vec!["error".to_owned()]), ..Scan::all(Arc::clone(&scan.session), root) };
    let rows = messages::rows(&alone)?.map(|row| row.source).filter(|source| source.error.is_some());
    let of_store = rows.filter(|source| source.path() == found.place.path);
    Ok(of_store.map(|source| source.key().map(str::to_owned)).collect::<HashSet<_>>().len())
}

fn panel(found: &Found<StoreKind>, scan: &Scan) -> Result<Answer> {
    let (journal, step) = pool::with(&scan.session, &found.path, |database| {
        let journal = database.journal()?;
        let has_steps = !database.columns("migrations")?.is_empty();
        let sql = "SELECT max(step) FROM migrations WHERE domain = 'ThreadMetadataDb'";
        let steps = if has_steps { database.query(sql, &[], |row| Ok(row.integer(0)))? } else { Vec::new() };
        Ok((journal, steps.first().copied().flatten()))
    })?;
    let panel = Panel::new(Arc::clone(&scan.session), found.clone());
    let (records, errors) = panel.count()?;
    let format = match step {
        Some(step) => format!("agent panel, step {step} of its sidebar"),
        None => "agent panel".to_owned(),
    };
    Ok(Answer { journal: Some(journal), format: Some(format), errors: Some(errors), ..Answer::holding(records) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_tells_how_a_store_answers() {
        for (kind, status) in [
            (Kind::Io, StoreStatus::Unreadable),
            (Kind::Busy, StoreStatus::Locked),
            (Kind::Sqlite, StoreStatus::Corrupt),
            (Kind::Json, StoreStatus::Corrupt),
        ] {
            let answer = Answer::failed(StoreKind::Db, &Error::new(kind, "x"));
            assert_eq!((answer.status, answer.hint.is_some()), (status, true), "{kind:?}");
        }
    }
}
