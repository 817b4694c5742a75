//! `cody_permissions`: what was allowed, and what was refused.

use super::accounts::Account;
use super::decisions;
use super::origin::{Origin, StoreFile};
use super::settings::Setting;
use super::standing::{Standing, standing};
use crate::error::Result;
use crate::model::{Permission, PermissionKind};
use crate::table::{Rows, Scan, Table, Weight, With};
use std::sync::Arc;

/// The table.
pub static TABLE: Table<With<Permission, Origin>> = Table {
    name: "cody_permissions",
    doc: "One row per command that Deep Cody asked for in a chat, with the answer as far as it left a trace, and one per standing setting of an editor's or a JetBrains project's settings file. The agentic chat asks nothing.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// The rows: decisions, then settings.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<With<Permission, Origin>>> {
    // Settings belong to no session.
    let is_wanted = scan.keys("session_id").is_none();
    let files = standing(scan)?.filter(move |_| is_wanted);
    Ok(Box::new(decisions::scan(scan)?.chain(files.flat_map(setting_rows))))
}

/// The settings of one file, a row an entry; one row with the error where it cannot be read.
fn setting_rows(standing: Standing) -> Rows<With<Permission, Origin>> {
    let origin = StoreFile::new(&standing.found).origin(&Account::default());
    let rows = permission_rows(standing);
    Box::new(rows.map(move |base| With { base, extra: origin.clone() }))
}

fn permission_rows(standing: Standing) -> Rows<Permission> {
    let row = Permission {
        agent: super::NAME,
        kind: Some(PermissionKind::Setting),
        scope: Some(standing.scope),
        source: standing.source(),
        project_path: standing.project,
        timestamp_utc: standing.modified,
        timestamp_basis: Some("file_mtime"),
        ..Permission::default()
    };
    match standing.settings {
        Ok(settings) => Box::new(settings.into_iter().flat_map(move |setting| entry_rows(setting, &row))),
        Err(error) => {
            let source = row.source.clone().failed(error);
            Box::new(std::iter::once(Permission { source, ..row }))
        }
    }
}

fn entry_rows(setting: Setting, row: &Permission) -> impl Iterator<Item = Permission> + use<> {
    let row = Permission { layer: setting.layer.clone(), key: Some(Arc::clone(&setting.key)), ..row.clone() };
    setting.entries().map(move |(pointer, value)| Permission {
        value: Some(value),
        source: row.source.at(pointer),
        ..row.clone()
    })
}
