//! The chats of one store, each with what must be known of it before its first turn.
//!
//! Some of that stands behind the turns, or in all of them (the folder that the context files share). Then the chat is
//! read ahead: a small one is kept until its turns are given, a large one is read a second time. So memory does not grow
//! with the chat, and a chat that needs no look ahead gives its first turn at once.

use super::accounts::Account;
use super::chat::{Chat, Head};
use super::events::{Events, Filter};
use super::members;
use super::open;
use super::origin::StoreFile;
use super::reading::{Failure, Needs, Prompt};
use super::transcript::Turn;
use super::transcript::context::CommonFolder;
use super::transcript::event::{ChatEnd, ChatStart, Damage, Event, Want};
use super::transcript::walk::Walk;
use super::value::Bytes;
use crate::error::Result;
use crate::table::{Record, Session};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// A chat whose turns take more is read twice.
const KEPT_BYTES: usize = 4 << 20;

/// What a scan of a store gives.
pub enum Met {
    /// A turn of a chat.
    Turn(Arc<Chat>, Turn),
    /// A chat's end.
    End(Arc<Chat>, Head, ChatEnd),
    /// A prompt of an old prompt history.
    Input(Prompt),
    /// Something does not read.
    Failure(Failure),
}

/// See the module.
pub struct StoreScan {
    store: Arc<StoreFile>,
    filter: Arc<Filter>,
    needs: Needs,
    bytes: Bytes,
    events: Events,
    /// Read ahead, and not given yet.
    ahead: VecDeque<Event>,
    /// A chat that is read a second time.
    again: Option<Walk>,
    chat: Option<Arc<Chat>>,
    head: Head,
    accounts: HashMap<Option<Arc<str>>, Arc<Account>>,
}

impl StoreScan {
    /// Opens a store; `None` where it holds no chats.
    ///
    /// # Errors
    /// It does not read.
    pub fn open(store: &Arc<StoreFile>, filter: &Arc<Filter>, needs: Needs) -> Result<Option<Self>> {
        let session: &Arc<Session> = &filter.scan.session;
        let Some(opened) = open::open(store, session)? else { return Ok(None) };
        let want = Want {
            chats: !needs.inputs,
            fields: !needs.inputs,
            turns: needs.turns,
            inputs: needs.inputs,
            members: false,
        };
        let bytes = opened.bytes.clone();
        let events = Events::new(opened, store, filter, want)?;
        Ok(Some(Self {
            store: Arc::clone(store),
            filter: Arc::clone(filter),
            needs,
            bytes,
            events,
            ahead: VecDeque::new(),
            again: None,
            chat: None,
            head: Head::default(),
            accounts: HashMap::new(),
        }))
    }

    /// The store.
    pub fn file(&self) -> &Arc<StoreFile> {
        &self.store
    }

    fn event(&mut self) -> Option<Event> {
        if let Some(event) = self.ahead.pop_front() {
            return Some(event);
        }
        if let Some(event) = self.again.as_mut().and_then(Iterator::next) {
            return Some(event);
        }
        self.again = None;
        self.events.next()
    }

    fn account(&mut self, key: Option<Arc<str>>) -> Arc<Account> {
        let (store, bytes) = (&self.store, &self.bytes);
        let split = |key: &Option<Arc<str>>| {
            let account = key.clone().map(|key| Account::split(key, || members::endpoints(store, bytes)));
            Arc::new(account.unwrap_or_default())
        };
        let account = self.accounts.entry(key).or_insert_with_key(split);
        Arc::clone(account)
    }

    /// A chat begins: finds out what must be known of it, or passes over it.
    fn begin(&mut self, start: ChatStart) {
        self.head = Head::default();
        let is_asked = |scan: &Self, id: &Option<Arc<str>>| {
            scan.filter.admits(&scan.store, id.as_deref(), start.record(id.clone()).as_deref())
        };
        if start.key.is_some() && !is_asked(self, &start.key) {
            return self.pass_over(false);
        }
        let (common, is_through) = self.look_ahead(&start);
        let id = self.head.id(&start);
        if !is_asked(self, &id) {
            return self.pass_over(is_through);
        }
        self.chat = Some(Arc::new(Chat {
            store: Arc::clone(&self.store),
            account: self.account(start.account.clone()),
            created: self.head.created(id.as_deref()),
            record: Record::new(&self.store.place, start.record(id.clone())),
            id,
            pointer: start.pointer,
            bytes: start.bytes,
            project_path: common.path().map(Arc::from),
        }));
    }

    /// Leaves out the chat that began, which may have been read ahead through its end.
    fn pass_over(&mut self, is_through: bool) {
        self.ahead.clear();
        self.again = None;
        if !is_through {
            self.events.want_turns(None);
            while self.events.next().is_some_and(|event| !matches!(event, Event::End(_))) {}
            self.events.want_turns(self.needs.turns);
        }
    }

    /// Reads on until what must be known is known; says whether that was the chat's end.
    fn look_ahead(&mut self, start: &ChatStart) -> (CommonFolder, bool) {
        let mut common = CommonFolder::default();
        let mut is_whole = self.needs.project;
        if is_whole {
            self.events.want_turns(Some((0, i64::MAX)));
        }
        let (mut bytes, mut end) = (0, None);
        while let Some(event) = self.events.next() {
            match &event {
                Event::Field(field, document) => {
                    self.head.set(*field, document);
                    continue;
                }
                Event::Turn(turn) => {
                    if self.needs.project {
                        common.add(turn);
                    }
                    bytes += turn.document.root().bytes().len();
                }
                // Where a damaged chat ends, only what follows it tells.
                Event::End(chat) => end = Some(if chat.error.is_some() { u64::MAX } else { chat.range.end }),
                _ => {}
            }
            self.ahead.push_back(event);
            is_whole = is_whole || self.is_head_missing(start);
            // What was read is given as it is, however large, unless the chat is to be read a second time.
            if end.is_some() || !is_whole {
                break;
            }
            if bytes > KEPT_BYTES {
                self.ahead.clear();
            }
        }
        if let Some(end) = end.filter(|_| bytes > KEPT_BYTES) {
            self.ahead.clear();
            let want = Want { chats: true, fields: true, turns: self.needs.turns, ..Want::default() };
            self.again = Some(Walk::chat(start, end, self.store.is_state(), want));
        }
        self.events.want_turns(self.needs.turns);
        (common, end.is_some())
    }

    /// Must the fields behind the turns be known before them?
    fn is_head_missing(&self, start: &ChatStart) -> bool {
        let id = self.head.id(start);
        id.is_none() || (self.needs.time && self.head.created(id.as_deref()).is_none())
    }

    fn failure(&mut self, damage: Damage) -> Failure {
        let Damage { error, pointer, account, index, part, raw } = damage;
        let chat = self.chat.clone();
        let source = chat.as_ref().map_or_else(|| self.store.source(pointer.clone()), |chat| chat.source(pointer.clone()));
        let account = chat.as_ref().map_or_else(|| self.account(account), |chat| Arc::clone(&chat.account));
        Failure {
            store: Arc::clone(&self.store),
            chat,
            account,
            index,
            source: source.part(part).failed(error),
            raw,
        }
    }

    /// Is the turn asked for, or was it only read for what it tells of the chat?
    fn is_inside(&self, turn: &Turn) -> bool {
        let first = turn.first_index();
        self.needs.turns.is_some_and(|(low, high)| low < first.saturating_add(turn.form.width()) && first <= high)
    }
}

impl Iterator for StoreScan {
    type Item = Met;

    fn next(&mut self) -> Option<Met> {
        loop {
            match (self.event()?, &self.chat) {
                (Event::Chat(start), _) => self.begin(start),
                (Event::Field(field, document), _) => self.head.set(field, &document),
                (Event::Turn(turn), Some(chat)) if self.is_inside(&turn) => {
                    return Some(Met::Turn(Arc::clone(chat), turn));
                }
                (Event::End(end), Some(_)) => {
                    let chat = self.chat.take()?;
                    return Some(Met::End(chat, std::mem::take(&mut self.head), end));
                }
                (Event::Input(account, document, pointer), _) => {
                    let account = self.account(account);
                    return Some(Met::Input(Prompt { store: Arc::clone(&self.store), account, document, pointer }));
                }
                (Event::Damage(damage), _) => return Some(Met::Failure(self.failure(damage))),
                _ => {}
            }
        }
    }
}
