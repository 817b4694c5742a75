//! Reads of the main file, ahead of the question where pages are asked for in order.
//!
//! SQLite reads a page at a time; a scan, or one large value, is thousands of system calls. So pages in order are read
//! in bursts, and those of a value at once, as far as it reaches: most values lie in pages that follow each other. Bytes
//! read ahead belong to the state as those read on demand do: they were read after the state was found, and the proof
//! comes later than both. They go with the state.

use super::bytes::ReadAt;
use std::io;

/// What is read at once. SQLite's VFS is made for reads up to 64 KiB.
const AHEAD_BYTES: usize = 64 << 10;
/// After so many pages in order.
const ORDERLY: u32 = 3;
/// No page stands there.
const ANYWHERE: u64 = u64::MAX;

/// The bytes read ahead.
#[derive(Default)]
pub struct Ahead {
    buffer: Vec<u8>,
    start: u64,
    filled: usize,
    expected: u64,
    in_order: u32,
    /// So many bytes of a value are still to come.
    coming: u64,
}

impl Ahead {
    /// A value of so many bytes is read next, wherever it begins. A jump ends it: its pages are not in order.
    pub fn expect(&mut self, bytes: u64) {
        (self.coming, self.expected) = (bytes, ANYWHERE);
    }

    /// Fills `out` from `offset` of the file; false where the file ends before.
    pub fn read(&mut self, file: &impl ReadAt, out: &mut [u8], offset: u64) -> io::Result<bool> {
        if offset == self.expected {
            self.in_order = self.in_order.saturating_add(1);
        } else {
            self.in_order = 0;
            self.coming = if self.expected == ANYWHERE { self.coming } else { 0 };
        }
        self.expected = offset + out.len() as u64;
        let room = self.room(out.len());
        self.coming = self.coming.saturating_sub(out.len() as u64);
        if self.take(out, offset) {
            return Ok(true);
        }
        if room <= out.len() {
            return Ok(file.read_at(out, offset)? == out.len());
        }
        self.buffer.resize(AHEAD_BYTES, 0);
        self.filled = 0;
        let Some(part) = self.buffer.get_mut(..room) else { return Ok(false) };
        self.filled = file.read_at(part, offset)?;
        self.start = offset;
        Ok(self.take(out, offset))
    }

    /// How much is worth reading at once, where a page is asked for: whole pages.
    fn room(&self, page: usize) -> usize {
        let rest = usize::try_from(self.coming).unwrap_or(usize::MAX);
        match rest {
            0 if self.in_order < ORDERLY => page,
            0 => AHEAD_BYTES,
            _ => rest.min(AHEAD_BYTES).checked_next_multiple_of(page).unwrap_or(page),
        }
    }

    fn take(&self, out: &mut [u8], offset: u64) -> bool {
        let start = offset.checked_sub(self.start).and_then(|start| usize::try_from(start).ok());
        let held = self.buffer.get(..self.filled).unwrap_or_default();
        let found = start.and_then(|start| held.get(start..start.checked_add(out.len())?));
        found.map(|bytes| out.copy_from_slice(bytes)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Counted(Vec<u8>, Cell<u32>);

    impl ReadAt for Counted {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.1.set(self.1.get() + 1);
            self.0.read_at(buffer, offset)
        }
    }

    #[test]
    fn pages_in_order_are_read_in_bursts() {
        let file = Counted((0..1_000_000u32).map(|i| (i / 1000) as u8).collect(), Cell::new(0));
        let mut ahead = Ahead::default();
        let mut page = [0; 4096];
        for number in 0..244 {
            assert!(ahead.read(&file, &mut page, number * 4096).unwrap());
            assert_eq!(page, file.0[number as usize * 4096..][..4096]);
        }
        assert!(file.1.get() < 24, "{} reads", file.1.get());
        assert!(!ahead.read(&file, &mut page, 244 * 4096).unwrap(), "the file ends in this page");
        for number in [7, 3, 200, 90] {
            assert!(ahead.read(&file, &mut page, number * 4096).unwrap());
            assert_eq!(page, file.0[number as usize * 4096..][..4096]);
        }
    }

    #[test]
    fn a_value_is_read_as_far_as_it_reaches() {
        let file = Counted((0..1_000_000u32).map(|i| (i / 1000) as u8).collect(), Cell::new(0));
        let mut ahead = Ahead::default();
        let mut page = [0; 4096];
        let mut read = |numbers: &mut dyn Iterator<Item = u64>, value: u64, ahead: &mut Ahead| {
            file.1.set(0);
            ahead.expect(value);
            for number in numbers {
                assert!(ahead.read(&file, &mut page, number * 4096).unwrap());
                assert_eq!(page, file.0[number as usize * 4096..][..4096]);
            }
            file.1.get()
        };
        assert_eq!(read(&mut (20..28), 32 << 10, &mut ahead), 1);
        assert_eq!(ahead.filled, 32 << 10, "no byte behind the value");
        assert_eq!(read(&mut (40..80), 160_000, &mut ahead), 3);
        assert_eq!(ahead.filled, 28_928usize.next_multiple_of(4096), "what is left of it");
        assert_eq!(read(&mut [100, 90, 95, 91].into_iter(), 32 << 10, &mut ahead), 4, "not in order");
        assert_eq!(ahead.filled, 32 << 10, "the first only was a burst");
        assert_eq!(read(&mut (241..244), 100_000, &mut ahead), 1, "the file ends first");
    }
}
