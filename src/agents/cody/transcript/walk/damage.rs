//! Damage that a walk meets: what is told of it, and where reading goes on.

use super::again::{self, Again};
use super::{Kind, LevelKind, Walk};
use crate::agents::cody::transcript::event::{Damage, Event};
use crate::error::{Error, Kind as ErrorKind};
use crate::text::Text;
use std::sync::Arc;

impl Walk {
    pub(super) fn damage(&mut self, error: Error) -> Event {
        let mut damage = self.described(error);
        match self.levels.last_mut().filter(|_| damage.index.is_none()) {
            Some(level) => (damage.part, level.faults) = (level.faults, level.faults + 1),
            // Behind everything, where the outermost level's damage stands as well.
            None => damage.part = if damage.index.is_some() { 0 } else { u32::MAX },
        }
        if damage.error.kind() != ErrorKind::Shape {
            // The element before which only a comma is missing has this place as well.
            damage.part |= u32::from(self.recover() && damage.index.is_some());
            let is_known = !self.is_state && self.again.is_none();
            damage.raw = self.reader.take_damaged().filter(|_| is_known).map(raw);
        }
        if let Some(chat) = &mut self.chat {
            chat.error.get_or_insert_with(|| damage.error.clone());
        }
        Event::Damage(damage)
    }

    /// Goes on behind the damage. Was nothing but a comma missing?
    fn recover(&mut self) -> bool {
        self.is_torn = true;
        let from = self.reader.position();
        let recovered = self.reader.recover();
        let end = match &recovered {
            Ok(span) if span.is_empty() => {
                self.uncount();
                return true;
            }
            Ok(span) => span.end,
            Err(_) => u64::MAX,
        };
        let may_look = (self.chat.is_some() || self.chats().is_some()) && self.read_again <= self.most_again();
        match may_look.then(|| again::next_chat(&self.bytes, from..end)).flatten() {
            Some(again) => {
                self.read_again += end.min(self.bytes.len()).saturating_sub(again.start);
                self.found(again);
            }
            None if recovered.is_err() => {
                (self.is_cut, self.is_done) = (true, true);
                self.levels.clear();
            }
            None => {}
        }
        false
    }

    /// Damage in every chat must not make the walk read the rest of the value as often as there are chats.
    fn most_again(&self) -> u64 {
        self.bytes.len().saturating_mul(4).saturating_add(1 << 20)
    }

    /// Which level holds the chats.
    fn chats(&self) -> Option<usize> {
        self.levels.iter().rposition(|level| level.kind == LevelKind::Chats)
    }

    pub(super) fn found(&mut self, again: Again) {
        self.levels.truncate(self.chats().map_or(0, |chats| chats + 1));
        self.again = Some(again);
    }

    /// Goes on at the chat that damage would have swallowed: first the damaged one ends.
    pub(super) fn go_on(&mut self) -> Option<Event> {
        if let Some(chat) = self.chat.take() {
            let end = self.end(chat);
            // Of a chat that is walked alone nothing follows.
            self.again.take_if(|_| self.levels.is_empty());
            return Some(end);
        }
        let Again { key, account, value, .. } = self.again.take()?;
        self.reader = self.levels.iter().fold(self.bytes.reader(value..u64::MAX), |reader, _| reader.inside(Kind::Object));
        if let (Some(name), [.., above, outer, chats]) = (account, self.levels.as_mut_slice())
            && outer.kind == LevelKind::Account
        {
            outer.pointer = above.pointer.join(Arc::clone(&name));
            chats.pointer = outer.pointer.join("chat");
            (outer.account, chats.account) = (Some(Arc::clone(&name)), Some(name));
        }
        self.begin_chat(self.below(Arc::clone(&key)), self.account(), Some(key)).ok()?
    }

    /// The error with its place, the innermost level's.
    pub(super) fn described(&self, error: Error) -> Damage {
        let error = match error.what().split_once(", found ") {
            // A found byte may be one of a secret.
            Some((what, _)) if self.is_state && error.kind() != ErrorKind::Shape => Error::new(error.kind(), what),
            _ => error,
        };
        let level = self.levels.last();
        let index = level.and_then(|level| match level.kind {
            LevelKind::Turns(form) => Some((form, level.count.checked_sub(1)?)),
            _ => None,
        });
        let pointer = level.map(|level| level.pointer.clone()).unwrap_or_default();
        Damage {
            error,
            pointer: index.map_or(pointer.clone(), |(_, position)| pointer.join(position)),
            account: level.and_then(|level| level.account.clone()),
            index: index.map(|(form, position)| form.first_index(position)),
            part: 0,
            raw: None,
        }
    }
}

/// Bytes as a cell.
fn raw(bytes: Vec<u8>) -> Text {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    String::from_utf8(bytes).unwrap_or_else(|error| hex(error.as_bytes())).into()
}
