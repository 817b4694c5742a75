//! Reads of the main file, ahead of the question where pages are asked for in order.
//!
//! SQLite reads a page at a time; a scan, or one large value, is thousands of system calls. Bytes read ahead belong to
//! the state as those read on demand do: they were read after the state was found, and the proof comes later than
//! both. They go with the state.

use super::bytes::ReadAt;
use std::io;

/// What is read at once. SQLite's VFS is made for reads up to 64 KiB.
const AHEAD_BYTES: usize = 64 << 10;
/// After so many pages in order.
const ORDERLY: u32 = 3;

/// The bytes read ahead.
#[derive(Default)]
pub struct Ahead {
    buffer: Vec<u8>,
    start: u64,
    filled: usize,
    expected: u64,
    in_order: u32,
}

impl Ahead {
    /// Fills `out` from `offset` of the file; false where the file ends before.
    pub fn read(&mut self, file: &impl ReadAt, out: &mut [u8], offset: u64) -> io::Result<bool> {
        self.in_order = if offset == self.expected { self.in_order.saturating_add(1) } else { 0 };
        self.expected = offset + out.len() as u64;
        if self.take(out, offset) {
            return Ok(true);
        }
        if self.in_order < ORDERLY || out.len() >= AHEAD_BYTES {
            return Ok(file.read_at(out, offset)? == out.len());
        }
        self.buffer.resize(AHEAD_BYTES, 0);
        self.filled = 0;
        self.filled = file.read_at(&mut self.buffer, offset)?;
        self.start = offset;
        Ok(self.take(out, offset))
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
}
