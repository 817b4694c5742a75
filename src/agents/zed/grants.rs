//! What the user allowed for the rest of one thread, for `zed_permissions`: the profile, and the sandbox's grants.
//!
//! They stand in the document as of its last save; when each was given is not recorded.

use super::context::Context;
use super::thread::fields::Fields;
use crate::error::Error;
use crate::json::{Kind, Value};
use crate::model::{Permission, PermissionKind};
use crate::table::{Pointer, Step};
use crate::text::Text;
use std::sync::Arc;

/// The members that hold grants.
const PROFILE: &str = "profile";
const SANDBOX: &str = "sandbox_grants";

/// The grants of a thread: list values one row an entry, flags only where they are set. What is of another type than
/// Zed writes is shown as stored.
pub fn rows(thread: &Context, fields: &Fields) -> Vec<Permission> {
    let mut rows = Vec::new();
    if let Some(profile) = fields.text(PROFILE) {
        rows.push(row(thread, PROFILE, Pointer::from([Step::Name(PROFILE)]), profile));
    }
    let Some(grants) = fields.get(SANDBOX).filter(|grants| !grants.is_null()) else { return rows };
    if grants.kind() != Kind::Object {
        let error = Error::shape(format!("expected an object, found {}", grants.kind().described()));
        let row = row(thread, SANDBOX, Pointer::from([Step::Name(SANDBOX)]), grants.compact());
        rows.push(Permission { source: row.source.clone().failed(error), ..row });
    }
    for (name, value) in grants.entries() {
        let name = name.as_str();
        let key = format!("{SANDBOX}.{name}");
        let pointer = Pointer::from([Step::Name(SANDBOX), Step::Key(Arc::from(name))]);
        match value.kind() {
            Kind::Null => {}
            Kind::Bool if value.as_bool() == Some(false) => {}
            Kind::Array => {
                let entries = value.items().enumerate();
                rows.extend(entries.map(|(at, entry)| row(thread, &key, pointer.join(at), plain(entry))));
            }
            _ => rows.push(row(thread, &key, pointer, plain(value))),
        }
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
