//! Short texts, one behind the other.

use std::ops::Range;

/// A longer text is no short one.
const LONGEST: usize = 4 << 10;

/// Texts in one buffer, by number.
#[derive(Debug, Default, PartialEq)]
pub struct Texts {
    text: String,
    ends: Vec<u32>,
}

impl Texts {
    /// Adds a text; its number, or `None` where it is long or there is no room.
    pub fn push(&mut self, text: &str) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok()?;
        let end = u32::try_from(self.text.len() + text.len()).ok().filter(|_| text.len() <= LONGEST)?;
        self.text.push_str(text);
        self.ends.push(end);
        Some(number)
    }

    /// How many there are; their numbers begin with 0.
    pub fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// The text of a number.
    pub fn get(&self, number: u32) -> &str {
        self.text.get(self.range(number)).unwrap_or_default()
    }

    /// Whether it is this text.
    pub fn is(&self, number: u32, text: &str) -> bool {
        let range = self.range(number);
        range.len() == text.len() && self.text.as_bytes().get(range) == Some(text.as_bytes())
    }

    fn range(&self, number: u32) -> Range<usize> {
        let end_of = |number: u32| self.ends.get(number as usize).map_or(0, |end| *end as usize);
        number.checked_sub(1).map_or(0, end_of)..end_of(number)
    }

    /// The texts so far, in no more memory than they need; the room that they grew in is for the next ones.
    pub fn take(&mut self) -> Self {
        let text = self.text.as_str().to_owned();
        self.text.clear();
        Self { text, ends: exact(&mut self.ends) }
    }

    /// The memory behind them.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// What a list holds, in a list of that size; the first one keeps its memory.
pub fn exact<T>(list: &mut Vec<T>) -> Vec<T> {
    let mut taken = Vec::with_capacity(list.len());
    taken.append(list);
    taken
}
