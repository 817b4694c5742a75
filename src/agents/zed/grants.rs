//! What the user allowed for the rest of one thread, for `zed_permissions`: the profile, and the sandbox's grants.
//!
//! They stand in the document as of its last save; when each was given is not recorded.

use super::context::Context;
use super::thread::fields::Fields;
use crate::json::{Kind, Value};
use crate::model::{Permission, PermissionKind};
use crate::table::{Pointer, Step};
use crate::text::Text;
use std::sync::Arc;

/// The members that hold grants.
const PROFILE: &str = "profile";
const SANDBOX: &str = "sandbox_grants";

/// The grants of a thread: list values one row an entry, flags only where they are set.
pub fn rows(thread: &Context, fields: &Fields) -> Vec<Permission> {
    let mut rows = Vec::new();
    if let Some(profile) = fields.text(PROFILE) {
        rows.push(row(thread, PROFILE, Pointer::from([Step::Name(PROFILE)]), profile));
    }
    let grants = fields.get(SANDBOX);
    for (name, value) in grants.iter().flat_map(|grants| grants.entries()) {
        let name = name.as_str();
        let key = format!("{SANDBOX}.{name}");
        let pointer = Pointer::from([Step::Name(SANDBOX), Step::Key(Arc::from(name))]);
        if value.as_bool() == Some(true) {
            rows.push(row(thread, &key, pointer.clone(), Text::Static("true")));
        }
        rows.extend(value.items().enumerate().map(|(at, entry)| row(thread, &key, pointer.join(at), plain(entry))));
    }
    rows
}

fn plain(entry: Value<'_>) -> Text {
    entry.text().filter(|_| entry.kind() == Kind::String).unwrap_or_else(|| entry.compact())
}

fn row(thread: &Context, key: &str, pointer: Pointer, value: Text) -> Permission {
    Permission {
        agent: super::NAME,
        kind: Some(PermissionKind::Grant),
        scope: Some("thread"),
        key: Some(key.into()),
        value: Some(value),
        session_id: thread.session_id.clone(),
        project_path: thread.project.clone(),
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        source: thread.source.at(pointer),
        ..Permission::default()
    }
}
