//! Maps and sets of page numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map keyed by page number (from 1).
pub type Pages<V> = HashMap<u32, V, BuildHasherDefault<Mix>>;

/// A multiplicative hash of one word. Page numbers come from the store, but a store that makes them collide only
/// slows down the reading of itself, and the index is bounded by the frames that are really there.
#[derive(Default)]
pub struct Mix(u64);

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(ODD);
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (u64::from(number) ^ self.0).wrapping_mul(ODD);
        self.0 = mixed ^ (mixed >> 29);
    }
}

/// A sparse set of page numbers: a bitmap in blocks of 4096 pages, made where a page was seen.
#[derive(Default)]
pub struct PageSet {
    blocks: Pages<Box<[u64; 64]>>,
    highest: u32,
}

impl PageSet {
    /// Adds a page.
    pub fn insert(&mut self, page: u32) {
        let block = self.blocks.entry(page >> 12).or_insert_with(|| Box::new([0; 64]));
        let bit = 1u64 << (page & 63);
        if let Some(word) = block.get_mut((page >> 6) as usize & 63).filter(|word| **word & bit == 0) {
            *word |= bit;
            self.highest = self.highest.max(page);
        }
    }

    /// Is the page in the set?
    pub fn contains(&self, page: u32) -> bool {
        let word = self.blocks.get(&(page >> 12)).and_then(|block| block.get((page >> 6) as usize & 63));
        word.is_some_and(|word| word & (1 << (page & 63)) != 0)
    }

    /// The highest page number in the set, 0 when it is empty.
    pub fn highest(&self) -> u32 {
        self.highest
    }

    /// All pages, in no order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|(block, words)| {
            (0u32..).zip(words.iter()).flat_map(move |(index, word)| {
                (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| block << 12 | index << 6 | bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_set_holds_what_was_put_in() {
        let mut set = PageSet::default();
        let pages = [1, 63, 64, 4095, 4096, 4097, 0x3fff_ffff, u32::MAX];
        for page in pages.iter().chain(&pages) {
            set.insert(*page);
        }
        let mut listed: Vec<u32> = set.iter().collect();
        listed.sort_unstable();
        assert_eq!(listed, pages);
        assert_eq!(set.highest(), u32::MAX);
        assert!(set.contains(4096) && !set.contains(2) && !set.contains(0));
    }
}
