//! Zed's rows of `agent_sources`: every store that was found, and what it answers.

use super::stores::{StoreKind, stores};
use crate::error::{Error, Kind, Result};
use crate::model::{Store, StoreStatus};
use crate::store::find::Found;
use crate::table::{Rows, Scan, Source};
use crate::time::Time;
use std::fs::Metadata;

const ALL: &[StoreKind] = &[
    StoreKind::ThreadsDb,
    StoreKind::TextThread,
    StoreKind::Db,
    StoreKind::Settings,
    StoreKind::GlobalSettings,
    StoreKind::LmdbThreads,
    StoreKind::PromptLibrary,
];

/// One row per store.
pub fn rows(scan: &Scan) -> Result<Rows<Store>> {
    Ok(Box::new(stores(scan, ALL)?.map(|found| row(&found))))
}

fn row(found: &Found<StoreKind>) -> Store {
    let metadata = std::fs::metadata(&found.path);
    let problem = found.problem.clone().or_else(|| metadata.as_ref().err().map(|error| Error::new(Kind::Io, error.to_string())));
    let metadata = metadata.ok();
    let source = Source::new(&found.place, None);
    Store {
        agent: super::NAME,
        kind: Some(found.kind.word()),
        path: found.place.path.clone(),
        status: Some(if problem.is_some() { StoreStatus::Unreadable } else { status(found.kind, metadata.as_ref()) }),
        bytes: metadata.as_ref().filter(|m| m.is_file()).and_then(|m| i64::try_from(m.len()).ok()),
        modified_at: metadata.and_then(|m| m.modified().ok()).and_then(Time::from_system_time),
        source: match problem {
            Some(error) => source.failed(error),
            None => source,
        },
        ..Store::default()
    }
}

fn status(kind: StoreKind, metadata: Option<&Metadata>) -> StoreStatus {
    match kind {
        StoreKind::LmdbThreads | StoreKind::PromptLibrary => StoreStatus::Unsupported,
        _ if metadata.is_some_and(|m| m.len() == 0) => StoreStatus::Empty,
        _ => StoreStatus::Ok,
    }
}
