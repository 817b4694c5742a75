//! Cells in four bytes each, and what does not fit there beside them.

use crate::table::Cell;

/// A longer text is no short one.
const LONGEST_TEXT: usize = 4 << 10;

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
    /// The texts one behind the other, and where each ends.
    text: String,
    ends: Vec<u32>,
    large: Vec<i64>,
    /// The codes of each column's last texts, the oldest of them next in turn.
    recent: Vec<([u32; RECENT], usize)>,
}

impl Cells {
    /// Rows of so many cells.
    pub fn new(columns: usize) -> Self {
        let recent = vec![([NULL; RECENT], 0); columns];
        Self { codes: Vec::new(), text: String::new(), ends: Vec::new(), large: Vec::new(), recent }
    }

    /// Adds the next cell, one of the column `slot`; false where there is no room for it.
    pub fn add(&mut self, slot: usize, cell: &Cell<'_>) -> bool {
        let code = match cell {
            Cell::Null => Some(NULL),
            Cell::Integer(number) => self.number(*number),
            Cell::Text(text) => self.text(slot, text),
            Cell::Decoded(text) => self.text(slot, &text.to_str()),
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
        let known = |code: &u32| *code != NULL && self.text_at(*code) == text;
        if let Some(code) = self.recent.get(slot)?.0.iter().find(|code| known(code)) {
            return Some(*code);
        }
        let place = u32::try_from(self.ends.len()).ok().filter(|place| place & KIND == 0)?;
        let end = u32::try_from(self.text.len() + text.len()).ok().filter(|_| text.len() <= LONGEST_TEXT)?;
        self.text.push_str(text);
        self.ends.push(end);
        let (codes, next) = self.recent.get_mut(slot)?;
        *codes.get_mut(*next)? = TEXT | place;
        *next = (*next + 1) % RECENT;
        Some(TEXT | place)
    }

    fn text_at(&self, code: u32) -> &str {
        let place = (code & !KIND) as usize;
        let end_of = |place: usize| self.ends.get(place).map_or(0, |end| *end as usize);
        let start = place.checked_sub(1).map_or(0, end_of);
        self.text.get(start..end_of(place)).unwrap_or_default()
    }

    /// A cell, counted from the first row's first.
    pub fn get(&self, at: usize) -> Cell<'_> {
        let Some(code) = self.codes.get(at).copied() else { return Cell::Null };
        let value = code & !KIND;
        match code & KIND {
            NUMBER => Cell::Integer(i64::from(value)),
            LARGE => self.large.get(value as usize).map_or(Cell::Null, |number| Cell::Integer(*number)),
            TEXT => Cell::Text(self.text_at(code).into()),
            _ => Cell::Null,
        }
    }

    /// No more cells come.
    pub fn shrink(&mut self) {
        self.recent = Vec::new();
        self.codes.shrink_to_fit();
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.large.shrink_to_fit();
    }

    /// The memory behind them.
    pub fn bytes(&self) -> usize {
        let codes = (self.codes.capacity() + self.ends.capacity()) * size_of::<u32>();
        codes + self.text.capacity() + self.large.capacity() * size_of::<i64>()
    }
}
