//! `cody_chats`: one row per chat.

use super::chat::{Chat, Head};
use super::legacy_rows;
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::context::CommonFolder;
use super::transcript::event::ChatEnd;
use super::transcript::items::is_carrier;
use super::transcript::{Form, Role, Turn};
use crate::error::Result;
use crate::table::{Rows, Scan, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

crate::record! {
    /// One chat of Cody's.
    pub struct CodyChat {
        /// The account as stored, `<endpoint>-<user name>`; in the legacy XML the account's id. NULL for chats of before 2023-12 and in exports.
        account_key: Option<Arc<str>>,
        /// The Sourcegraph instance in the account key, as spelled there. NULL where the key does not tell.
        endpoint: Option<Arc<str>>,
        /// The user name in the account key; an e-mail address in a few builds of 2023. NULL where the key does not tell.
        username: Option<Arc<str>>,
        /// How the account key was split: `separator` (at the last `/-`), `known_endpoint` (the store names that endpoint elsewhere) or `guessed`. NULL where it was not.
        account_basis: Option<&'static str>,
        /// The chat's id. Unique within account_key and source_path only. `=` and `IN` read only those chats.
        [key] session_id: Option<Arc<str>>,
        /// The title, the user's or (since v1.74) a model's. NULL when there is none.
        [search] title: Option<Text>,
        /// UTC, fixed width: when the chat was started, to the second; in the legacy XML when it was last changed. NULL where neither field is a time.
        [range] created_at: Option<Time>,
        /// What created_at is: `chat_id`, `record` (the field lastInteractionTimestamp) or `updated_at` (legacy XML); `…_local` where the store names no zone and UTC is assumed.
        created_at_basis: Option<&'static str>,
        /// The field lastInteractionTimestamp as stored. Despite its name it is when the chat was started. Legacy XML: updatedAt as stored.
        last_interaction_raw: Option<Text>,
        /// Interactions, damaged ones included. NULL for the flat lists of 2023-03, for exports that leave them out and for what is no chat.
        interaction_count: Option<i64>,
        /// Messages, human and assistant, that are there. NULL for exports that leave them out and for what is no chat.
        message_count: Option<i64>,
        /// JSON array of the models that the messages name, in the order of their first use; the chat's own model where none does.
        models: Option<Text>,
        /// The folder that the context files share. NULL without files, and where they share no more than the root.
        project_path: Option<Arc<str>>,
        /// Size of the chat in the store, in bytes.
        bytes: Option<i64>,
        /// The first prompt that the user typed.
        [search] first_prompt: Option<Text>,
        /// Which generation wrote it, told by its shape: `messages` (2023-03), `interactions` (2023-04 to v1.8), `serialized` (since v1.8.1, 2024-03), `light` (exports of v1.84, without interactions), `legacy_xml` (the JetBrains plugin, 2024-02 to 2024-08). NULL for a chat without any.
        era: Option<&'static str>,
        /// The program that wrote the store, told from its path: `Code`, `Cursor`, `JetBrains`, …. NULL for exports.
        product: Option<Arc<str>>,
        /// The kind of store: `vscdb`, `vscdb_backup` (older, and may hold chats deleted since), `global_state`, `export` or `legacy_xml`.
        store: Option<&'static str>,
        /// 1 on a chat of the legacy JetBrains XML whose copy the agent store also holds; 0 otherwise.
        is_secondary: Option<bool>,
        /// The whole chat as stored, JSON text. NULL where it is damaged.
        [hidden] document: Option<Text>,
    }
}

/// The table.
pub static TABLE: Table<CodyChat> = Table {
    name: "cody_chats",
    doc: "One row per chat in Cody's history of every client, with what its turns say in sum. Titles, ids and times are cheap: they decode no turn.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<CodyChat>> {
    let turns = if scan.wants_any(&["message_count", "models", "project_path", "first_prompt"]) {
        Some((0, i64::MAX))
    } else {
        // One turn tells the era.
        scan.wants("era").then_some((0, 1))
    };
    let reading = Chats { wants_document: scan.wants("document"), sums: Sums::default() };
    let legacy = legacy_rows::chats(scan)?;
    Ok(Box::new(rows(scan, Needs { turns, ..Needs::default() }, reading)?.chain(legacy)))
}

struct Chats {
    wants_document: bool,
    sums: Sums,
}

/// What the turns of a chat say in sum.
#[derive(Default)]
struct Sums {
    messages: i64,
    models: Vec<String>,
    first_prompt: Option<Text>,
    folder: CommonFolder,
    form: Option<Form>,
    is_early: bool,
}

impl Sums {
    fn add(&mut self, turn: &Turn) {
        self.folder.add(turn);
        if self.form.is_none() {
            (self.form, self.is_early) = (Some(turn.form), turn.is_early());
        }
        for said in turn.messages() {
            self.messages += 1;
            if let Some(model) = said.value.get("model").and_then(|model| model.as_str())
                && !self.models.iter().any(|known| *known == model) {
                    self.models.push(model.into_owned());
                }
            if said.role == Role::Human && self.first_prompt.is_none() && !is_carrier(said.value) {
                let text = said.value.get("text").or_else(|| said.value.get("displayText"));
                self.first_prompt = text.and_then(|text| text.text()).filter(|text| *text != "");
            }
        }
    }

    fn era(&self, head: &Head) -> Option<&'static str> {
        match self.form {
            Some(Form::Lone) => Some("messages"),
            Some(Form::Pair) if self.is_early => Some("interactions"),
            Some(Form::Pair) => Some("serialized"),
            None => head.first_prompt().map(|_| "light"),
        }
    }

    /// The models as JSON, the chat's own where the messages name none.
    fn models(&mut self, head: &Head) -> Text {
        if self.models.is_empty() {
            self.models.extend(head.model().map(|model| model.to_str().into_owned()));
        }
        serde_json::Value::from(std::mem::take(&mut self.models)).to_string().into()
    }
}

impl Reading for Chats {
    type Row = CodyChat;

    fn turn(&mut self, _: &Arc<Chat>, turn: &Turn, _: &mut VecDeque<CodyChat>) {
        self.sums.add(turn);
    }

    fn end(&mut self, chat: &Arc<Chat>, head: &Head, end: &ChatEnd, rows: &mut VecDeque<CodyChat>) {
        let mut sums = std::mem::take(&mut self.sums);
        let has_turns = end.is_chat && head.first_prompt().is_none();
        let mut error = end.error.clone();
        let document = match error {
            None if self.wants_document => chat.document(end).map_err(|failed| error = Some(failed)).ok(),
            _ => None,
        };
        let source = chat.source(chat.pointer.clone());
        let elements = i64::try_from(end.elements).ok();
        rows.push_back(CodyChat {
            account_key: chat.account.key.clone(),
            endpoint: chat.account.endpoint.clone(),
            username: chat.account.username.clone(),
            account_basis: chat.account.basis,
            session_id: chat.id.clone(),
            title: head.title(),
            created_at: head.created(chat.id.as_deref()).map(|(time, _)| time),
            created_at_basis: head.created(chat.id.as_deref()).map(|(_, basis)| basis),
            last_interaction_raw: head.last_interaction(),
            interaction_count: elements.filter(|_| has_turns && end.form == Form::Pair),
            message_count: has_turns.then_some(sums.messages),
            project_path: sums.folder.path().map(Arc::from),
            bytes: i64::try_from(end.range.end.saturating_sub(end.range.start)).ok(),
            first_prompt: sums.first_prompt.take().or_else(|| head.first_prompt()),
            era: sums.era(head),
            models: end.is_chat.then(|| sums.models(head)),
            product: chat.store.product.clone(),
            store: Some(chat.store.kind.word()),
            is_secondary: Some(false),
            document,
            source: match error {
                Some(error) => source.failed(error),
                None => source,
            },
        });
    }

    /// What does not read outside of any chat. Damage inside of one stands on the chat's own row.
    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<CodyChat>) {
        let Failure { store, chat: None, account, source, .. } = failure else { return };
        rows.push_back(CodyChat {
            account_key: account.key.clone(),
            endpoint: account.endpoint.clone(),
            username: account.username.clone(),
            account_basis: account.basis,
            product: store.product.clone(),
            store: Some(store.kind.word()),
            is_secondary: Some(false),
            source,
            ..CodyChat::default()
        });
    }
}
