//! Zed's rows of `agent_models`: a thread's document names the one model that it last used.

use super::threads::{self, ThreadRow};
use crate::error::Result;
use crate::model::{ModelEvent, ModelUse};
use crate::table::{Rows, Scan};
use crate::text::Text;
use std::sync::Arc;

/// One row per thread that names a model, and per thread that cannot be read.
pub fn rows(scan: &Scan) -> Result<Rows<ModelUse>> {
    let columns = ["session_id", "provider", "model", "snapshot_at", "updated_at", "updated_at_basis", "project_path"];
    let is_key = |column: &str| column == "session_id" || column == "agent";
    let threads = Scan {
        constraints: scan.constraints.iter().filter(|on| is_key(&on.column)).cloned().collect(),
        columns: Some(columns.map(str::to_owned).into()),
        ..Scan::all(Arc::clone(&scan.session), scan.root.clone())
    };
    Ok(Box::new(threads::rows(&threads)?.filter_map(row)))
}

fn row(thread: ThreadRow) -> Option<ModelUse> {
    if thread.model.is_none() && thread.source.error.is_none() {
        return None;
    }
    // A session's start is its snapshot's time.
    let (timestamp_utc, timestamp_basis) = match thread.snapshot_at {
        Some(time) => (Some(time), Some("snapshot")),
        None => (thread.updated_at, thread.updated_at_basis),
    };
    let provider: Option<Arc<str>> = thread.provider.as_ref().map(|provider| provider.to_str().into());
    let named = |model: &Text| match &provider {
        Some(provider) => format!("{provider}/{model}").into(),
        None => model.to_str().into(),
    };
    Some(ModelUse {
        agent: super::NAME,
        session_id: thread.session_id,
        event: thread.model.as_ref().map(|_| ModelEvent::Used),
        model: thread.model.as_ref().map(named),
        provider,
        timestamp_utc,
        timestamp_basis,
        project_path: thread.project_path,
        source: thread.source,
        ..ModelUse::default()
    })
}
