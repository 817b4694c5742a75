//! Where kept rows stand in their record, and what was wrong with them.

use super::texts::{Texts, exact};
use crate::error::Error;
use crate::table::few::{Few, Form};
use crate::table::{Pointer, Source, Step};
use std::sync::Arc;

/// A pointer is the number of its shape, and what it has of its own: positions, a key. Of none of the shapes that are
/// known it is this number and its steps, each a number of its kind.
const NO_SHAPE: u64 = 0;
const INDEX: u64 = 0;
const NAME: u64 = 1;
const KEY: u64 = 2;
const KINDS: u64 = 3;

/// How many keys are looked at before one is written again.
const RECENT: u32 = 4;

/// A format has a few shapes. A record with more names in its pointers than a format has is not kept.
const MOST_SHAPES: usize = 16;
const MOST_NAMES: usize = 64;

/// What the pointers of many rows have in common.
#[derive(Debug, Clone, PartialEq)]
struct Shape {
    front: Option<Arc<Vec<Step>>>,
    form: Form,
    names: [&'static str; 3],
}

impl Shape {
    /// Is it the pointer's? Equal names that stand elsewhere are taken for others.
    fn is_of(&self, pointer: &Pointer) -> bool {
        let is_front = match (&self.front, &pointer.front) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        let mut names = self.names.iter().zip(&pointer.few.names);
        is_front && self.form == pointer.few.form && names.all(|(one, other)| std::ptr::eq(*one, *other))
    }
}

/// The places of some rows. What few rows have stands with the row's number, ascending.
#[derive(Debug, Default, PartialEq)]
pub struct Places {
    shapes: Vec<Shape>,
    /// All pointers, in as few bytes as their numbers take, and where each ends.
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
        if self.write(&source.pointer).is_none() {
            return false;
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

    /// Writes a pointer; `None` where it has too much of its own.
    fn write(&mut self, pointer: &Pointer) -> Option<()> {
        let Some(shape) = self.shape(pointer) else {
            write(NO_SHAPE, &mut self.steps);
            for step in pointer.steps() {
                let (kind, number) = self.numbered(&step)?;
                write(number.checked_mul(KINDS)?.checked_add(kind)?, &mut self.steps);
            }
            return Some(());
        };
        write(shape, &mut self.steps);
        for number in pointer.few.numbers.iter().take(pointer.few.form.numbers()) {
            write((*number).into(), &mut self.steps);
        }
        if let Some(key) = &pointer.few.key {
            let number = self.key(key)?;
            write(number.into(), &mut self.steps);
        }
        Some(())
    }

    /// The number of a pointer's shape, from 1; `None` where there are too many.
    fn shape(&mut self, pointer: &Pointer) -> Option<u64> {
        let known = self.shapes.iter().position(|shape| shape.is_of(pointer));
        if known.is_none() && self.shapes.len() < MOST_SHAPES {
            let few = &pointer.few;
            self.shapes.push(Shape { front: pointer.front.clone(), form: few.form, names: few.names });
            return Some(self.shapes.len() as u64);
        }
        known.map(|known| known as u64 + 1)
    }

    /// The next pointer in these bytes.
    fn pointer(&self, mut bytes: &[u8]) -> Option<Pointer> {
        let Some(shape) = read(&mut bytes)?.checked_sub(1) else {
            return Some(std::iter::from_fn(|| read(&mut bytes)).filter_map(|code| self.step(code)).collect());
        };
        let Shape { front, form, names } = self.shapes.get(usize::try_from(shape).ok()?)?.clone();
        let mut numbers = [0; 2];
        for number in numbers.iter_mut().take(form.numbers()) {
            *number = u32::try_from(read(&mut bytes)?).ok()?;
        }
        let key = form.has_key().then(|| read(&mut bytes)).flatten();
        let key = key.and_then(|number| Some(self.keys.get(u32::try_from(number).ok()?).into()));
        Some(Pointer { front, few: Few { form, names, numbers, key } })
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
        recent.find(|number| self.keys.is(*number, key)).or_else(|| self.keys.push(key))
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
        let pointer = self.pointer(self.steps.get(start..end_of(row)).unwrap_or_default()).unwrap_or_default();
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
            shapes: exact(&mut self.shapes),
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
        let shapes = self.shapes.capacity() * size_of::<Shape>();
        let numbers = self.ends.capacity() + 2 * self.parts.capacity();
        shapes + pointers + numbers * size_of::<u32>() + self.said
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
