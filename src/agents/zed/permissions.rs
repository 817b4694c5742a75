//! `zed_permissions`: what was allowed, and what was refused.

use super::decisions;
use super::panel::trust;
use super::settings;
use super::stores::{StoreKind, stores};
use crate::error::Result;
use crate::model::{Permission, PermissionKind};
use crate::store::find::Found;
use crate::store::{encoding, file, jsonc};
use crate::table::{Rows, Scan, Source, Table, Weight};
use std::sync::Arc;

pub static TABLE: Table<Permission> = Table {
    name: "zed_permissions",
    doc: "One row per trusted project, one per standing rule of a settings file, in every override block and profile, one per call that was refused, and one per grant of a thread: its profile, and what its sandbox was allowed. Which tools an agent profile offers to a model is no rule, and is not here.",
    weight: Weight::Documents,
    orders: &[],
    scan: rows,
};

/// A settings file is written by hand: real ones have some kilobytes.
const MAX_SETTINGS_BYTES: u64 = 16 << 20;

/// Every row of Zed's.
pub fn rows(scan: &Scan) -> Result<Rows<Permission>> {
    let files = stores(scan, &[StoreKind::Settings, StoreKind::GlobalSettings])?;
    let kinds = scan.keys("kind");
    let is_asked =
        |kind: PermissionKind| kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|asked| asked == kind.as_str()));
    let mut rows: Rows<Permission> = Box::new(std::iter::empty());
    let with_decisions = is_asked(PermissionKind::Decision);
    if with_decisions || is_asked(PermissionKind::Grant) {
        rows = Box::new(decisions::rows(scan, with_decisions)?);
    }
    // Trust and rules belong to no session.
    let is_standing = scan.keys("session_id").is_none();
    if is_standing && is_asked(PermissionKind::Trust) {
        rows = Box::new(rows.chain(trust::rows(scan)?));
    }
    if is_standing && is_asked(PermissionKind::Setting) {
        rows = Box::new(rows.chain(files.flat_map(|found| settings_rows(&found))));
    }
    Ok(rows)
}

/// The rules of one settings file; one row with the error where it cannot be read.
pub fn settings_rows(found: &Found<StoreKind>) -> Rows<Permission> {
    let scope = if found.kind == StoreKind::GlobalSettings { "global" } else { "user" };
    let row = Permission {
        agent: super::NAME,
        kind: Some(PermissionKind::Setting),
        scope: Some(scope),
        timestamp_utc: file::modified(&found.path),
        timestamp_basis: Some("file_mtime"),
        source: Source::new(&found.place, None),
        ..Permission::default()
    };
    match settings_rules(found) {
        Ok(rules) => Box::new(rules.into_iter().flat_map(move |rule| rule_rows(rule, &row))),
        Err(error) => {
            let source = row.source.clone().failed(error);
            Box::new(std::iter::once(Permission { source, ..row }))
        }
    }
}

/// The rules of one settings file; none where it says nothing.
///
/// # Errors
/// It cannot be read, or is no JSON object.
pub fn settings_rules(found: &Found<StoreKind>) -> Result<Vec<settings::Rule>> {
    if let Some(problem) = &found.problem {
        return Err(problem.clone());
    }
    let bytes = file::read(&found.path, MAX_SETTINGS_BYTES)?;
    match jsonc::parse(&encoding::decode(&bytes)?)? {
        Some(value) => settings::rules(value),
        None => Ok(Vec::new()),
    }
}

fn rule_rows(rule: settings::Rule, row: &Permission) -> impl Iterator<Item = Permission> + use<> {
    let row = Permission {
        layer: rule.layer.clone(),
        key: Some(Arc::clone(&rule.key)),
        tool_name: rule.tool.as_deref().map(Into::into),
        ..row.clone()
    };
    rule.entries().map(move |(pointer, value)| Permission {
        value: Some(value),
        source: row.source.at(pointer),
        ..row.clone()
    })
}
