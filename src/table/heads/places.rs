//! Where kept rows stand in their record, and what was wrong with them.

use super::texts::{Texts, exact};
use crate::error::Error;
use crate::table::{Pointer, Source, Step};

/// A step is a number of its kind, in as few bytes as it takes.
const INDEX: u64 = 0;
const NAME: u64 = 1;
const KEY: u64 = 2;
const KINDS: u64 = 3;

/// How many keys are looked at before one is written again.
const RECENT: u32 = 4;

/// A record with more names in its pointers than a format has is not kept.
const MOST_NAMES: usize = 64;

/// The places of some rows. What few rows have stands with the row's number, ascending.
#[derive(Debug, Default, PartialEq)]
pub struct Places {
    /// The steps of all pointers, and where each pointer ends.
    steps: Vec<u8>,
    ends: Vec<u32>,
    names: Vec<&'static str>,
    keys: Texts,
    parts: Vec<(u32, u32)>,
    errors: Vec<(u32, Error)>,
    /// Bytes of the errors, about.
    said: usize,
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
            let Some((kind, number)) = self.numbered(step) else { return false };
            let Some(code) = number.checked_mul(KINDS).and_then(|code| code.checked_add(kind)) else { return false };
            write(code, &mut self.steps);
        }
        let Ok(end) = u32::try_from(self.steps.len()) else { return false };
        self.ends.push(end);
        if source.part > 0 {
            self.parts.push((row, source.part));
        }
        if let Some(error) = &source.error {
            self.said += 256 + error.what().len();
            self.errors.push((row, error.clone()));
        }
        true
    }

    fn numbered(&mut self, step: &Step) -> Option<(u64, u64)> {
        Some(match step {
            Step::Index(index) => (INDEX, *index as u64),
            Step::Name(name) => (NAME, self.name(name)? as u64),
            Step::Key(key) => (KEY, self.key(key)?.into()),
        })
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
    fn key(&mut self, key: &str) -> Option<u32> {
        let next = self.keys.len();
        let mut recent = (next.saturating_sub(RECENT)..next).rev();
        recent.find(|number| self.keys.get(*number) == key).or_else(|| self.keys.push(key))
    }

    fn step(&self, code: u64) -> Option<Step> {
        let number = usize::try_from(code / KINDS).ok()?;
        match code % KINDS {
            INDEX => Some(Step::Index(number)),
            NAME => self.names.get(number).map(|name| Step::Name(name)),
            _ => Some(Step::Key(self.keys.get(u32::try_from(number).ok()?).into())),
        }
    }

    /// The provenance of a row of the record `source`.
    pub fn source(&self, row: usize, source: &Source) -> Source {
        let end_of = |row: usize| self.ends.get(row).map_or(0, |end| *end as usize);
        let start = row.checked_sub(1).map_or(0, end_of);
        let mut steps = self.steps.get(start..end_of(row)).unwrap_or_default();
        let pointer: Pointer = std::iter::from_fn(|| read(&mut steps)).filter_map(|code| self.step(code)).collect();
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        Source {
            part: of_row(&self.parts, row).copied().unwrap_or(0),
            error: of_row(&self.errors, row).cloned(),
            ..source.at(pointer)
        }
    }

    /// The places so far, in no more memory than they need; the room that they grew in is for the next ones.
    pub fn take(&mut self) -> Self {
        Self {
            steps: exact(&mut self.steps),
            ends: exact(&mut self.ends),
            names: exact(&mut self.names),
            keys: self.keys.take(),
            parts: exact(&mut self.parts),
            errors: exact(&mut self.errors),
            said: std::mem::take(&mut self.said),
        }
    }

    /// The memory behind them, about.
    pub fn bytes(&self) -> usize {
        let pointers = self.steps.capacity() + self.keys.bytes() + self.names.capacity() * size_of::<&str>();
        let numbers = self.ends.capacity() + 2 * self.parts.capacity();
        pointers + numbers * size_of::<u32>() + self.said
    }
}

/// Writes a number, seven bits a byte, the lowest first; all bytes but the last have the highest bit.
fn write(number: u64, out: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// The number at the front; `None` at the end.
fn read(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

fn of_row<T>(some: &[(u32, T)], row: u32) -> Option<&T> {
    let at = some.binary_search_by_key(&row, |(row, _)| *row).ok()?;
    some.get(at).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| write(*number, &mut bytes));
        assert_eq!(bytes.len(), 1 + 1 + 1 + 2 + 2 + 3 + 5 + 10);
        let mut rest = &bytes[..];
        let back: Vec<u64> = std::iter::from_fn(|| read(&mut rest)).collect();
        assert_eq!(back, numbers);
    }
}
