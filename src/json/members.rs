//! Walking arrays and objects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::Kind;
use super::value::Value;
use crate::text::Text;

/// A member's name.
#[derive(Clone, Copy)]
pub struct Key<'d>(Value<'d>);

impl<'d> Key<'d> {
    /// The name.
    pub fn as_str(&self) -> Cow<'d, str> {
        self.0.said()
    }

    /// The name's bytes: to tell it from others takes no check that it is text.
    #[inline(always)]
    pub fn bytes(&self) -> Cow<'d, [u8]> {
        self.0.said_bytes()
    }

    /// The name as a cell.
    pub fn text(&self) -> Text {
        Text::Unescaped(self.0.span())
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.says_as(&other.0)
    }
}

impl PartialEq<str> for Key<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.0.says(other)
    }
}

impl PartialEq<&str> for Key<'_> {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_str(), f)
    }
}

/// The items of an array.
#[derive(Clone)]
pub struct Items<'d> {
    value: Value<'d>,
    end: usize,
}

impl<'d> Items<'d> {
    pub(super) fn of(value: Value<'d>) -> Self {
        let end = if value.kind() == Kind::Array { value.next_place() } else { 0 };
        Self { value: value.other(value.place() + 1), end }
    }
}

impl<'d> Iterator for Items<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        let value = self.value;
        if value.place() >= self.end {
            return None;
        }
        self.value = value.other(value.next_place());
        Some(value)
    }
}

/// The members of an object, duplicates included.
#[derive(Clone)]
pub(super) struct Members<'d> {
    value: Value<'d>,
    end: usize,
}

impl<'d> Members<'d> {
    pub(super) fn of(value: Value<'d>) -> Self {
        let end = if value.kind() == Kind::Object { value.next_place() } else { 0 };
        Self { value: value.other(value.place() + 1), end }
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = (Key<'d>, Value<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.value;
        if key.place() >= self.end {
            return None;
        }
        let value = key.other(key.place() + 1);
        self.value = key.other(value.next_place());
        Some((Key(key), value))
    }
}

/// The members of an object, the last of duplicates only.
#[derive(Clone)]
pub struct Entries<'d> {
    members: Members<'d>,
    /// For a large object: where each key stands for the last time.
    last: Option<Arc<HashMap<Cow<'d, str>, usize>>>,
}

impl<'d> Entries<'d> {
    /// Up to here the later keys are compared one by one.
    const FEW: usize = 16;

    pub(super) fn of(members: Members<'d>) -> Self {
        let is_large = members.clone().nth(Self::FEW).is_some();
        let last = is_large.then(|| Arc::new(members.clone().map(|(key, _)| (key.as_str(), key.0.place())).collect()));
        Self { members, last }
    }

    fn is_last(&self, key: &Key<'d>) -> bool {
        match &self.last {
            Some(last) => last.get(&key.as_str()) == Some(&key.0.place()),
            None => !self.members.clone().any(|(other, _)| other == *key),
        }
    }
}

impl<'d> Iterator for Entries<'d> {
    type Item = (Key<'d>, Value<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (key, value) = self.members.next()?;
            if self.is_last(&key) {
                return Some((key, value));
            }
        }
    }
}
