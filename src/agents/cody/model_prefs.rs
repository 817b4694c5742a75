//! `cody_model_prefs`: which model was selected, or was the server's default, for what.

use super::members::{Member, Read, members};
use super::origin::StoreFile;
use crate::error::{Error, Result};
use crate::json::{Kind, Value};
use crate::table::{Pointer, Rows, Scan, Source, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// Who chose a model.
    pub enum PrefOrigin {
        /// The user; in 2025 also two experiments.
        Selected = "selected",
        /// The server.
        Defaults = "defaults",
        /// One of the plain keys of before v1.28, which say no more.
        Legacy = "legacy",
    }
}

crate::record! {
    /// One preferred model.
    pub struct ModelPref {
        /// The Sourcegraph instance. Two spellings, with and without a slash at the end, are two. NULL for the plain keys of before v1.28, which hold for all.
        endpoint: Option<Text>,
        /// What the model is for: `chat`, `edit`, `autocomplete` or `unlimitedChat`.
        usage: Option<Text>,
        /// One of `selected` (by the user, or in 2025 by one of two experiments), `defaults` (the server's, as last seen) or `legacy` (a plain key of before v1.28).
        origin: Option<PrefOrigin>,
        /// The model's id as stored.
        model: Option<Text>,
        /// The id's provider: what stands in front of the first `::` or `/`. NULL where the id names none.
        provider: Option<Text>,
        /// The model's name without provider and API version.
        model_name: Option<Text>,
        /// Which generation wrote it: `plain` (v1.0.4 to about v1.26), `plain-2024-07` (ten days of that month), `string` (v1.28 to v1.34: JSON in a string), `object` (since v1.36), `fork` (the key of a community build).
        era: Option<&'static str>,
        /// UTC, fixed width: when the file was last written. The preference itself has no time.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `file_mtime`.
        timestamp_basis: Option<&'static str>,
        /// The program that wrote the store, told from its path: `Code`, `Cursor`, `JetBrains`, ….
        product: Option<Arc<str>>,
        /// The kind of store: `vscdb`, `vscdb_backup` or `global_state`.
        store: Option<&'static str>,
    }
}

impl ModelPref {
    /// Does it tell of a whole database that does not read, and not of a preference?
    pub fn is_of_store(&self) -> bool {
        let is_row = matches!(self.store, Some("vscdb" | "vscdb_backup"));
        is_row && self.source.error.is_some() && self.source.pointer.is_empty()
    }
}

/// The table.
pub static TABLE: Table<ModelPref> = Table {
    name: "cody_model_prefs",
    doc: "One row per endpoint, usage and origin of Cody's model preferences, every generation of them. What is selected holds before what is default. No time is recorded; a model chosen for one chat stands on its messages only.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<ModelPref>> {
    Ok(Box::new(members(scan, |key| era(key).is_some())?.flat_map(of_member)))
}

/// The generation that wrote a key, and for a plain one the usage that it stands for.
fn era(key: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match key {
        "cody-model-preferences" => ("object", None),
        "model-preferences" => ("string", None),
        "model" => ("plain", Some("chat")),
        "editModel" => ("plain", Some("edit")),
        "chat" | "defaultChatModel" => ("plain-2024-07", Some("chat")),
        "defaultEditModel" => ("plain-2024-07", Some("edit")),
        "autocomplete" | "defaultAutocompleteModel" => ("plain-2024-07", Some("autocomplete")),
        "cody-remembered-chat-model" => ("fork", Some("chat")),
        _ => return None,
    })
}

fn of_member(read: Read) -> Vec<ModelPref> {
    let member = match read {
        Ok(member) => member,
        Err(unread) => return vec![row(&unread.store, unread.source)],
    };
    let Some((era, plain)) = era(&member.key) else { return Vec::new() };
    let root = member.document.root();
    let rows = match plain {
        Some(usage) => vec![pref(&member, &member.pointer, Text::Static(usage), PrefOrigin::Legacy, root)],
        None => by_endpoint(&member),
    };
    rows.into_iter().map(|row| ModelPref { era: Some(era), ..row }).collect()
}

/// `{endpoint: {defaults: {usage: model}, selected: {usage: model}}}`; selected first, as it holds first.
fn by_endpoint(member: &Member) -> Vec<ModelPref> {
    let root = member.document.root();
    if root.kind() != Kind::Object {
        let error = Error::shape(format!("{} is {}", member.key, root.kind().described()));
        return vec![row(&member.store, member.source(member.pointer.clone()).failed(error))];
    }
    let mut rows = Vec::new();
    for (endpoint, prefs) in root.entries() {
        let pointer = member.pointer.join(Arc::<str>::from(endpoint.as_str()));
        let found = of_endpoint(member, &pointer, prefs);
        rows.extend(found.into_iter().map(|row| ModelPref { endpoint: Some(endpoint.text()), ..row }));
    }
    rows
}

fn of_endpoint(member: &Member, pointer: &Pointer, prefs: Value<'_>) -> Vec<ModelPref> {
    let odd = |value: Value<'_>, pointer: &Pointer| {
        let error = Error::shape(format!("expected an object, found {}", value.kind().described()));
        row(&member.store, member.source(pointer.clone()).failed(error))
    };
    if !matches!(prefs.kind(), Kind::Object | Kind::Null) {
        return vec![odd(prefs, pointer)];
    }
    let mut rows = Vec::new();
    for (key, origin) in [("selected", PrefOrigin::Selected), ("defaults", PrefOrigin::Defaults)] {
        let Some(models) = prefs.get(key).filter(|models| !models.is_null()) else { continue };
        let pointer = pointer.join(key);
        if models.kind() != Kind::Object {
            rows.push(ModelPref { origin: Some(origin), ..odd(models, &pointer) });
        }
        for (usage, model) in models.entries().filter(|(_, model)| !model.is_null()) {
            let pointer = pointer.join(Arc::<str>::from(usage.as_str()));
            rows.push(pref(member, &pointer, usage.text(), origin, model));
        }
    }
    rows
}

fn pref(member: &Member, pointer: &Pointer, usage: Text, origin: PrefOrigin, model: Value<'_>) -> ModelPref {
    let source = member.source(pointer.clone());
    let source = match model.kind() {
        Kind::String | Kind::Null => source,
        kind => source.failed(Error::shape(format!("expected a model id, found {}", kind.described()))),
    };
    let id = model.as_str();
    let (provider, name) = id.as_deref().map(split).unwrap_or_default();
    ModelPref {
        usage: Some(usage),
        origin: Some(origin),
        model: model.text(),
        provider: provider.map(Text::from),
        model_name: name.map(Text::from),
        ..row(&member.store, source)
    }
}

fn row(store: &StoreFile, source: Source) -> ModelPref {
    let time = store.modified();
    ModelPref {
        timestamp_utc: time,
        timestamp_basis: time.map(|_| "file_mtime"),
        product: store.product.clone(),
        store: Some(store.kind.word()),
        source,
        ..ModelPref::default()
    }
}

/// Provider and name: `provider::version::name` since 2024, `provider/name` before.
pub fn split(id: &str) -> (Option<&str>, Option<&str>) {
    match (id.split_once("::"), id.split_once('/')) {
        (Some((provider, rest)), _) => (Some(provider), Some(rest.split_once("::").map_or(rest, |(_, name)| name))),
        (None, Some((provider, name))) => (Some(provider), Some(name)),
        (None, None) => (None, Some(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_id_names_its_provider() {
        for (id, want) in [
            ("openai::2024-02-01::gpt-4o", (Some("openai"), Some("gpt-4o"))),
            ("anthropic/claude-2.0", (Some("anthropic"), Some("claude-2.0"))),
            (
                "fireworks/accounts/fireworks/models/mixtral-8x7b-instruct",
                (Some("fireworks"), Some("accounts/fireworks/models/mixtral-8x7b-instruct")),
            ),
            ("a::m1", (Some("a"), Some("m1"))),
            ("unknown", (None, Some("unknown"))),
        ] {
            assert_eq!(split(id), want, "{id}");
        }
    }
}
