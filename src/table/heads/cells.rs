//! Cells in four bytes each, and what does not fit there beside them.

use super::texts::{Texts, exact};
use crate::table::Cell;

/// The two upper bits of a code say what it is; the others are a number, or the place of a text or a large number.
const KIND: u32 = 3 << 30;
const NUMBER: u32 = 0;
const TEXT: u32 = 1 << 30;
const LARGE: u32 = 2 << 30;
const NULL: u32 = 3 << 30;

/// How many texts of a column are looked at before one is written again.
const RECENT: usize = 8;

/// The cells of some rows, row by row.
#[derive(Debug, PartialEq)]
pub struct Cells {
    codes: Vec<u32>,
    texts: Texts,
    large: Vec<i64>,
    /// The codes of each column's last texts, the oldest of them next in turn.
    recent: Vec<([u32; RECENT], usize)>,
}

impl Cells {
    /// Rows of so many cells.
    pub fn new(columns: usize) -> Self {
        let recent = vec![([NULL; RECENT], 0); columns];
        Self { codes: Vec::new(), texts: Texts::default(), large: Vec::new(), recent }
    }

    /// Adds the next cell, one of the column `slot`; false where there is no room for it.
    pub fn add(&mut self, slot: usize, cell: &Cell<'_>) -> bool {
        let code = match cell {
            Cell::Null => Some(NULL),
            Cell::Integer(number) => self.number(*number),
            Cell::Text(text) => self.text(slot, text),
            Cell::Decoded(text) => self.text(slot, &text.to_str()),
            Cell::Time(time) => self.text(slot, time.text().as_str()),
            Cell::Pointer(pointer) => self.text(slot, &pointer.to_string()),
        };
        self.codes.extend(code);
        code.is_some()
    }

    fn number(&mut self, number: i64) -> Option<u32> {
        if let Some(small) = u32::try_from(number).ok().filter(|small| small & KIND == 0) {
            return Some(NUMBER | small);
        }
        let place = u32::try_from(self.large.len()).ok().filter(|place| place & KIND == 0)?;
        self.large.push(number);
        Some(LARGE | place)
    }

    fn text(&mut self, slot: usize, text: &str) -> Option<u32> {
        let known = |code: &u32| *code != NULL && self.texts.is(code & !KIND, text);
        if let Some(code) = self.recent.get(slot)?.0.iter().find(|code| known(code)) {
            return Some(*code);
        }
        let code = TEXT | self.texts.push(text).filter(|number| number & KIND == 0)?;
        let (codes, next) = self.recent.get_mut(slot)?;
        *codes.get_mut(*next)? = code;
        *next = (*next + 1) % RECENT;
        Some(code)
    }

    /// A cell, counted from the first row's first.
    pub fn get(&self, at: usize) -> Cell<'_> {
        let Some(code) = self.codes.get(at).copied() else { return Cell::Null };
        let value = code & !KIND;
        match code & KIND {
            NUMBER => Cell::Integer(i64::from(value)),
            LARGE => self.large.get(value as usize).map_or(Cell::Null, |number| Cell::Integer(*number)),
            TEXT => Cell::Text(self.texts.get(value).into()),
            _ => Cell::Null,
        }
    }

    /// The cells so far, in no more memory than they need; the room that they grew in is for the next ones.
    pub fn take(&mut self) -> Self {
        self.recent.iter_mut().for_each(|recent| *recent = ([NULL; RECENT], 0));
        let (codes, texts, large) = (exact(&mut self.codes), self.texts.take(), exact(&mut self.large));
        Self { codes, texts, large, recent: Vec::new() }
    }

    /// The memory behind them.
    pub fn bytes(&self) -> usize {
        let numbers = self.codes.capacity() * size_of::<u32>() + self.large.capacity() * size_of::<i64>();
        numbers + self.texts.bytes()
    }
}
