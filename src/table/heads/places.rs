//! Where kept rows stand in their record, and what was wrong with them.

use crate::error::Error;
use crate::table::{Pointer, Source, Step};
use std::sync::Arc;

/// The two upper bits of a code say what step it is; the others are the position, or the place of the name or key.
const KIND: u32 = 3 << 30;
const INDEX: u32 = 0;
const NAME: u32 = 1 << 30;
const KEY: u32 = 2 << 30;

/// How many keys are looked at before one is written again.
const RECENT: usize = 4;

/// A record with more names in its pointers than a format has is not kept.
const MOST_NAMES: usize = 64;

/// The places of some rows. What few rows have stands with the row's number, ascending.
#[derive(Debug, Default, PartialEq)]
pub struct Places {
    /// The steps of all pointers, and where each pointer ends.
    steps: Vec<u32>,
    ends: Vec<u32>,
    names: Vec<&'static str>,
    keys: Vec<Arc<str>>,
    parts: Vec<(u32, u32)>,
    errors: Vec<(u32, Error)>,
    /// Bytes of keys and errors, about.
    shared: usize,
}

impl Places {
    /// How many rows were added.
    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    /// Adds the next row's; false where there is no room for it.
    pub fn add(&mut self, source: &Source) -> bool {
        let Ok(row) = u32::try_from(self.ends.len()) else { return false };
        for step in source.pointer.steps() {
            let Some(code) = self.code(step) else { return false };
            self.steps.push(code);
        }
        let Ok(end) = u32::try_from(self.steps.len()) else { return false };
        self.ends.push(end);
        if source.part > 0 {
            self.parts.push((row, source.part));
        }
        if let Some(error) = &source.error {
            self.shared += 256 + error.what().len();
            self.errors.push((row, error.clone()));
        }
        true
    }

    fn code(&mut self, step: &Step) -> Option<u32> {
        let (kind, value) = match step {
            Step::Index(index) => (INDEX, *index),
            Step::Name(name) => (NAME, self.name(name)?),
            Step::Key(key) => (KEY, self.key(key)),
        };
        u32::try_from(value).ok().filter(|value| value & KIND == 0).map(|value| kind | value)
    }

    fn name(&mut self, name: &'static str) -> Option<usize> {
        let known = self.names.iter().position(|known| std::ptr::eq(*known, name) || *known == name);
        if known.is_none() && self.names.len() < MOST_NAMES {
            self.names.push(name);
            return Some(self.names.len() - 1);
        }
        known
    }

    /// The keys in front of a chat's turns are the same in all its rows.
    fn key(&mut self, key: &Arc<str>) -> usize {
        let recent = self.keys.iter().enumerate().rev().take(RECENT);
        if let Some((at, _)) = recent.into_iter().find(|(_, known)| Arc::ptr_eq(known, key)) {
            return at;
        }
        self.shared += 2 * size_of::<usize>() + key.len();
        self.keys.push(Arc::clone(key));
        self.keys.len() - 1
    }

    fn step(&self, code: u32) -> Option<Step> {
        let value = (code & !KIND) as usize;
        match code & KIND {
            INDEX => Some(Step::Index(value)),
            NAME => self.names.get(value).map(|name| Step::Name(name)),
            _ => self.keys.get(value).map(|key| Step::Key(Arc::clone(key))),
        }
    }

    /// The provenance of a row of the record `source`.
    pub fn source(&self, row: usize, source: &Source) -> Source {
        let end_of = |row: usize| self.ends.get(row).map_or(0, |end| *end as usize);
        let steps = self.steps.get(row.checked_sub(1).map_or(0, end_of)..end_of(row)).unwrap_or_default();
        let pointer: Pointer = steps.iter().filter_map(|code| self.step(*code)).collect();
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        Source {
            part: of_row(&self.parts, row).copied().unwrap_or(0),
            error: of_row(&self.errors, row).cloned(),
            ..source.at(pointer)
        }
    }

    /// No more rows come.
    pub fn shrink(&mut self) {
        self.steps.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.names.shrink_to_fit();
        self.keys.shrink_to_fit();
        self.parts.shrink_to_fit();
        self.errors.shrink_to_fit();
    }

    /// The memory behind them, about.
    pub fn bytes(&self) -> usize {
        let codes = (self.steps.capacity() + self.ends.capacity() + 2 * self.parts.capacity()) * size_of::<u32>();
        let words = self.names.capacity() + self.keys.capacity();
        codes + words * size_of::<&str>() + self.shared
    }
}

fn of_row<T>(some: &[(u32, T)], row: u32) -> Option<&T> {
    let at = some.binary_search_by_key(&row, |(row, _)| *row).ok()?;
    some.get(at).map(|(_, value)| value)
}
