//! Cody's rows of `agent_sessions`: every chat once.
//!
//! A backup gives the chats that its store does not have, the old JetBrains plugin's file those that the agent's store
//! does not have.

use super::chat::{Chat, Head};
use super::legacy_rows::{damaged, time, told};
use super::legacy_store::{Found, LegacyFile, files};
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::context::CommonFolder;
use super::transcript::event::ChatEnd;
use super::transcript::{Role, Turn};
use super::twins::Twins;
use crate::error::Result;
use crate::model::Session;
use crate::table::{Rows, Scan, Source};
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<Session>> {
    let is_told_by_turns = ["message_count", "model", "project_path", "updated_at", "updated_at_basis"];
    let turns = scan.wants_any(&is_told_by_turns).then_some((0, i64::MAX));
    let chats = rows(scan, Needs { turns, ..Needs::default() }, Sessions::default())?;
    Ok(Box::new(chats.chain(files(scan, true)?.flat_map(|file| legacy_rows(&file)))))
}

#[derive(Default)]
struct Sessions {
    sums: Sums,
    twins: Twins,
}

/// What the turns of a chat say in sum.
#[derive(Default)]
struct Sums {
    messages: i64,
    model: Option<Arc<str>>,
    folder: CommonFolder,
    /// The time that the last turn with one records.
    last: Option<(Time, &'static str)>,
}

/// Cody has no archive, no sidebar, and drives no other agent.
fn row(source: Source) -> Session {
    Session {
        agent: super::NAME,
        is_archived: Some(false),
        is_external: Some(false),
        is_orphan: Some(false),
        source,
        ..Session::default()
    }
}

impl Reading for Sessions {
    type Row = Session;

    fn turn(&mut self, _: &Arc<Chat>, turn: &Turn, _: &mut VecDeque<Session>) {
        self.sums.folder.add(turn);
        for said in turn.messages() {
            self.sums.messages += 1;
            let model = said.value.get("model").filter(|_| said.role == Role::Assistant);
            self.sums.model = model.and_then(|model| model.as_str()).map(Arc::from).or(self.sums.model.take());
        }
        let own = turn.time().map(|(time, is_local)| (time, if is_local { "interaction_local" } else { "interaction" }));
        self.sums.last = own.or(self.sums.last);
    }

    fn end(&mut self, chat: &Arc<Chat>, head: &Head, end: &ChatEnd, rows: &mut VecDeque<Session>) {
        let sums = std::mem::take(&mut self.sums);
        let store = &chat.store;
        if !self.twins.is_news(store.kind.word(), &store.place.path, (&chat.account.key, &chat.id)) {
            return;
        }
        let created = head.created(chat.id.as_deref());
        let updated = sums.last.or(created);
        let source = chat.source(chat.pointer.clone());
        let is_light = head.first_prompt().is_some();
        rows.push_back(Session {
            session_id: chat.id.clone(),
            title: head.title(),
            project_path: sums.folder.path().map(Arc::from),
            created_at: created.map(|(time, _)| time),
            created_at_basis: created.map(|(_, basis)| basis),
            updated_at: updated.map(|(time, _)| time),
            updated_at_basis: updated.map(|(_, basis)| basis),
            model: sums.model.or_else(|| head.model().map(|model| model.to_str().into())),
            message_count: (!is_light).then_some(sums.messages),
            ..row(match end.error.clone() {
                Some(error) => source.failed(error),
                None => source,
            })
        });
    }

    /// Damage inside of a chat stands on the chat's own row.
    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<Session>) {
        if failure.chat.is_none() {
            rows.push_back(Session { agent: super::NAME, source: failure.source, ..Session::default() });
        }
    }
}

fn legacy_rows(file: &LegacyFile) -> Vec<Session> {
    let failed = |source| Session {
        agent: super::NAME,
        project_path: file.project.clone(),
        source,
        ..Session::default()
    };
    match &file.chats {
        Err(error) => vec![failed(file.store.failed(error.clone()))],
        Ok(chats) => {
            let told = chats.iter().filter(|chat| !chat.as_ref().is_ok_and(Found::is_copied));
            told.map(|chat| match chat {
                Ok(found) => legacy_row(found, file),
                Err(damage) => failed(damaged(file, damage)),
            })
            .collect()
        }
    }
}

fn legacy_row(found: &Found, file: &LegacyFile) -> Session {
    let chat = &found.chat;
    let time = time(chat);
    Session {
        session_id: chat.session_id(),
        project_path: file.project.clone(),
        created_at: time.map(|(time, _)| time),
        created_at_basis: time.map(|(_, basis)| basis),
        updated_at: time.map(|(time, _)| time),
        updated_at_basis: time.map(|(_, basis)| basis),
        model: chat.model.clone(),
        message_count: i64::try_from(chat.messages.len()).ok(),
        ..row(told(file, chat))
    }
}
