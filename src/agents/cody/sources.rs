//! Cody's rows of `agent_sources`: every store that was found, and what it answers.

use super::stores::{StoreKind, stores};
use crate::error::Error;
use crate::model::{Store, StoreStatus};
use crate::store::find::Found;
use crate::table::{Rows, Scan, Source};
use crate::time::Time;

const ALL: &[StoreKind] = &[
    StoreKind::Vscdb,
    StoreKind::VscdbBackup,
    StoreKind::History,
    StoreKind::LeftOver,
    StoreKind::Export,
    StoreKind::LegacyXml,
    StoreKind::EditorSettings,
    StoreKind::ProjectSettings,
    StoreKind::FallbackSettings,
    StoreKind::IdeSettings,
    StoreKind::EditInstructions,
    StoreKind::Browser,
];

/// One row per store.
pub fn rows(scan: &Scan) -> Result<Rows<Store>, Error> {
    Ok(Box::new(stores(scan, ALL)?.map(|found| row(&found))))
}

fn row(found: &Found<StoreKind>) -> Store {
    let metadata = std::fs::metadata(&found.path);
    let problem = found.problem.clone();
    let status = match (&metadata, &problem) {
        (_, Some(_)) | (Err(_), _) => StoreStatus::Unreadable,
        _ if matches!(found.kind, StoreKind::LeftOver | StoreKind::Browser) => StoreStatus::Unsupported,
        (Ok(metadata), _) if metadata.len() == 0 => StoreStatus::Empty,
        _ => StoreStatus::Ok,
    };
    let metadata = metadata.ok();
    let source = Source::new(&found.place, None);
    Store {
        agent: super::NAME,
        kind: Some(found.kind.word()),
        path: found.place.path.clone(),
        status: Some(status),
        bytes: metadata.as_ref().filter(|m| m.is_file()).and_then(|m| i64::try_from(m.len()).ok()),
        modified_at: metadata.and_then(|m| m.modified().ok()).and_then(Time::from_system_time),
        source: problem.map_or(source.clone(), |error| source.failed(error)),
        ..Store::default()
    }
}
