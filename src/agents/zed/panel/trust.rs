//! The projects that the user trusts, as permission rows.

use super::listing::PanelTable;
use super::record::Record;
use super::{Panel, panels};
use crate::agents::zed;
use crate::error::Result;
use crate::model::{Permission, PermissionKind};
use crate::table::{Rows, Scan, Source};
use crate::text::Text;
use std::sync::Arc;

/// Rewritten whole on each change, so the ids tell nothing.
pub static TRUSTED: PanelTable = PanelTable {
    name: "trusted_worktrees",
    columns: &["absolute_path", "user_name", "host_name"],
    only: None,
    part: 8,
};

/// One row per trusted project of every release channel.
pub fn rows(scan: &Scan) -> Result<Rows<Permission>> {
    Ok(Box::new(panels(scan)?.flat_map(|panel| rows_of(&panel))))
}

/// Those of one release channel.
pub fn rows_of(panel: &Panel) -> Vec<Permission> {
    let failed = |source| Permission { source, ..trust(panel) };
    panel.rows(&TRUSTED, |record, source| Some(row(panel, record, source)), failed)
}

fn trust(panel: &Panel) -> Permission {
    Permission {
        agent: zed::NAME,
        kind: Some(PermissionKind::Trust),
        scope: Some("project"),
        timestamp_utc: panel.modified(),
        timestamp_basis: Some("file_mtime"),
        ..Permission::default()
    }
}

fn row(panel: &Panel, record: &Record, source: Source) -> Permission {
    let path = record.text("absolute_path");
    let host = record.text("host_name").map(|host| match record.text("user_name") {
        Some(user) => Arc::from(format!("{user}@{host}")),
        None => host,
    });
    let key = path.as_ref().map_or_else(|| "trusted_worktrees".to_owned(), |path| format!("trusted_worktrees.{path}"));
    Permission {
        key: Some(key.into()),
        value: Some(Text::Static("true")),
        project_path: path,
        host,
        source,
        ..trust(panel)
    }
}
