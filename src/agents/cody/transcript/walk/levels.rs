//! One step on each level of a walk.

use super::super::event::{ChatStart, Damage, Event, Field, Shape};
use super::super::keys::{self, KeyRole};
use super::super::{Form, Turn};
use super::{LevelKind, Met, Open, Walk, again};
use crate::error::{Error, Kind as ErrorKind, Result};
use crate::json::{Document, Kind};
use crate::table::Pointer;
use std::sync::Arc;

impl Walk {
    pub(super) fn in_state(&mut self) -> Met {
        let Some(key) = self.reader.next_key()? else { return Ok(self.leave()) };
        match keys::role(&key) {
            KeyRole::History if self.want.chats || self.want.inputs => self.enter_history(self.below(Arc::<str>::from(key))),
            KeyRole::Member if self.want.members => {
                let document = self.reader.value()?;
                Ok(Some(Event::Member(key, document)))
            }
            _ => self.pass_unseen(),
        }
    }

    /// Passes over a member that is not read. Not even its damage may quote it.
    fn pass_unseen(&mut self) -> Met {
        let place = self.reader.position();
        self.reader.skip().map_err(|error| {
            Error::new(error.kind(), format!("a member that is not read is damaged or cut; it begins at byte {place}"))
        })?;
        Ok(None)
    }

    pub(super) fn enter_history(&mut self, pointer: Pointer) -> Met {
        match self.reader.kind()? {
            Kind::Object => {
                self.reader.begin_object()?;
                self.push(LevelKind::History, pointer, None);
            }
            Kind::String => {
                let text = self.reader.value()?.root().as_str().unwrap_or_default().into_owned();
                let bytes = self.bytes.beside(text.into_bytes());
                self.inner = Some(Box::new(Self::placed(&bytes, Shape::History, pointer, self.want)?));
            }
            kind => self.pass_null("the history", kind)?,
        }
        Ok(None)
    }

    /// Passes over a value that says that there is nothing; any other is of the wrong shape.
    fn pass_null(&mut self, what: &str, kind: Kind) -> Result<()> {
        self.reader.skip()?;
        if kind == Kind::Null { Ok(()) } else { Err(Error::shape(format!("{what} is {}", kind.described()))) }
    }

    pub(super) fn in_history(&mut self, is_account: bool) -> Met {
        let Some(key) = self.reader.next_key()? else { return Ok(self.leave()) };
        match key.as_str() {
            "chat" => self.enter(LevelKind::Chats, "chat", self.want.chats, "the list of chats"),
            "input" => self.enter(LevelKind::Inputs, "input", self.want.inputs, "the list of prompts"),
            _ if is_account => {
                self.reader.skip()?;
                Ok(None)
            }
            _ => self.enter_account(LevelKind::Account, key.into()),
        }
    }

    pub(super) fn in_import(&mut self) -> Met {
        let Some(key) = self.reader.next_key()? else { return Ok(self.leave()) };
        self.enter_account(LevelKind::Chats, key.into())
    }

    fn enter_account(&mut self, kind: LevelKind, account: Arc<str>) -> Met {
        match self.reader.kind()? {
            Kind::Object => {
                let pointer = self.below(Arc::clone(&account));
                self.reader.begin_object()?;
                self.push(kind, pointer, Some(account));
            }
            kind => self.pass_null("an account", kind)?,
        }
        Ok(None)
    }

    fn enter(&mut self, kind: LevelKind, key: &'static str, is_wanted: bool, what: &str) -> Met {
        let (pointer, account) = (self.below(key), self.account());
        match (self.reader.kind()?, kind) {
            _ if !is_wanted => self.reader.skip()?,
            (Kind::Object, LevelKind::Chats) => {
                self.reader.begin_object()?;
                self.push(kind, pointer, account);
            }
            (Kind::Array, LevelKind::Inputs | LevelKind::Turns(_)) => {
                self.reader.begin_array()?;
                self.push(kind, pointer, account);
            }
            (found, _) => self.pass_null(what, found)?,
        }
        Ok(None)
    }

    pub(super) fn in_chats(&mut self) -> Met {
        let Some(key) = self.reader.next_key()? else { return Ok(self.leave()) };
        let key: Arc<str> = key.into();
        self.begin_chat(self.below(Arc::clone(&key)), self.account(), Some(key))
    }

    pub(super) fn in_list(&mut self) -> Met {
        if !self.reader.next_item()? {
            return Ok(self.leave());
        }
        let position = self.count();
        self.begin_chat(self.below(position), None, None)
    }

    pub(super) fn in_single(&mut self) -> Met {
        if self.count() > 0 {
            return Ok(self.leave());
        }
        self.begin_chat(Pointer::record(), None, None)
    }

    /// Enters the chat that is due. `null` is none, and no news; anything else that is no chat is opened all the same,
    /// since its key is known.
    pub(super) fn begin_chat(&mut self, pointer: Pointer, account: Option<Arc<str>>, key: Option<Arc<str>>) -> Met {
        let (depth, due, pointer) = (self.levels.len(), self.reader.kind(), pointer.shared());
        let start = self.reader.position();
        let kind = match due {
            Ok(Kind::Null) => match self.reader.skip() {
                Ok(()) => return Ok(None),
                // It only begins as `null` does.
                Err(error) => Err(error),
            },
            Ok(Kind::Object) => self.reader.begin_object().map(|()| LevelKind::Chat),
            Ok(Kind::Array) if key.is_some() => self.reader.begin_array().map(|()| LevelKind::Turns(Form::Lone)),
            Ok(kind) => Err(Error::shape(format!("expected a chat, found {}", kind.described()))),
            Err(error) => Err(error),
        };
        let kind = kind.unwrap_or_else(|error| {
            self.no_chat = Some(error);
            LevelKind::NoChat
        });
        let form = if kind == LevelKind::Turns(Form::Lone) { Form::Lone } else { Form::Pair };
        self.push(kind, pointer.clone(), account.clone());
        self.chat = Some(Open { depth, start, elements: 0, form, has_list: false, error: None, is_chat: kind != LevelKind::NoChat });
        let (bytes, is_torn, nth) = (self.bytes.clone(), self.is_torn, self.nth(&pointer));
        Ok(Some(Event::Chat(ChatStart { account, key, pointer, bytes, start, is_torn, nth })))
    }

    pub(super) fn in_no_chat(&mut self) -> Met {
        let Some(error) = self.no_chat.take() else { return Ok(self.leave()) };
        if error.kind() == ErrorKind::Shape {
            self.reader.skip()?;
        }
        Err(error)
    }

    pub(super) fn in_chat(&mut self) -> Met {
        let Some(key) = self.reader.next_key()? else { return Ok(self.leave()) };
        let has_list = self.chat.as_ref().is_some_and(|chat| chat.has_list);
        match (key.as_str(), Field::of(&key)) {
            (_, Some(field)) if self.want.fields => Ok(Some(Event::Field(field, self.reader.value()?))),
            ("interactions", _) if has_list => Err(Error::shape("a second list of interactions in one chat")),
            ("interactions", _) => {
                self.chat.iter_mut().for_each(|chat| chat.has_list = true);
                self.enter(LevelKind::Turns(Form::Pair), "interactions", true, "the list of interactions")
            }
            ("transcript", _) if self.reader.kind()? == Kind::Object => {
                let (pointer, account) = (self.below("transcript"), self.account());
                self.reader.begin_object()?;
                self.push(LevelKind::Chat, pointer, account);
                Ok(None)
            }
            _ => {
                self.reader.skip()?;
                Ok(None)
            }
        }
    }

    pub(super) fn in_turns(&mut self, form: Form) -> Met {
        let more = self.reader.next_item();
        if more == Ok(false) {
            return Ok(self.leave());
        }
        let position = self.count();
        more?;
        let is_lost = self.is_torn && self.reader.kind()? == Kind::String;
        let first = form.first_index(position);
        let is_inside = |(low, high): (i64, i64)| low < first.saturating_add(form.width()) && first <= high;
        let document = match self.want.turns.is_some_and(is_inside) {
            true => Some(self.reader.value()?),
            false => self.reader.skip().map(|()| None)?,
        };
        if is_lost && let Some(again) = again::chat_at(&self.bytes, &self.reader.span()) {
            // The end of the list was lost with the damage that was told of.
            self.uncount();
            self.found(again);
            return Ok(None);
        }
        let Some(document) = document else { return Ok(None) };
        Ok(Some(match fault(form, &document) {
            None => Event::Turn(Turn { form, position, document, pointer: self.below(position) }),
            Some(error) => {
                let is_safe = !(self.is_state && self.is_torn);
                Event::Damage(Damage { raw: is_safe.then(|| document.root().verbatim()), ..self.described(error) })
            }
        }))
    }

    pub(super) fn in_inputs(&mut self) -> Met {
        if !self.reader.next_item()? {
            return Ok(self.leave());
        }
        let position = self.count();
        let document = self.reader.value()?;
        Ok(Some(Event::Input(self.account(), document, self.below(position))))
    }
}

/// Why an element is no turn.
fn fault(form: Form, document: &Document) -> Option<Error> {
    let root = document.root();
    if root.kind() != Kind::Object {
        return Some(Error::shape(format!("expected an object, found {}", root.kind().described())));
    }
    let has = |key| root.get(key).is_some();
    let is_empty = form == Form::Pair && !has("humanMessage") && !has("assistantMessage");
    is_empty.then(|| Error::shape("an interaction without messages"))
}
