//! A value that is too large to be read whole.
//!
//! It is read piece by piece; where that is allowed, and much of it was read in order, by another thread, which is ended
//! as soon as another part of the value is asked for.

use super::background::{Background, gone};
use super::pieces::Pieces;
use crate::error::Result;
use crate::json::Source as _;

/// After so many bytes in order a thread is worth its start.
const PAYS: u64 = 1 << 20;

/// See the module.
pub struct Large {
    /// Bytes of the value.
    pub len: u64,
    /// May another thread read it?
    pub may_read_ahead: bool,
    /// What reads it, where no thread does.
    pieces: Option<Box<Pieces>>,
    background: Option<Background>,
    /// Where reading would go on, and how many bytes in front of that were read in order.
    next: u64,
    in_order: u64,
}

impl Large {
    /// A value that is read here for now.
    pub fn new(pieces: Pieces) -> Self {
        let len = pieces.len;
        Self { len, may_read_ahead: false, pieces: Some(Box::new(pieces)), background: None, next: 0, in_order: 0 }
    }

    /// Fills `out` from `position` on, as far as one read reaches; the number of bytes, 0 only at the end.
    pub fn fill(&mut self, position: u64, out: &mut [u8]) -> Result<usize> {
        if position >= self.len {
            return Ok(0);
        }
        if position != self.next {
            self.in_order = 0;
        }
        self.read_ahead(position)?;
        let count = match (&self.background, &mut self.pieces) {
            (Some(background), _) => background.at(position).unwrap_or_default().fill(out)?,
            (None, Some(pieces)) => pieces.fill(position, out)?,
            (None, None) => return Err(gone()),
        };
        self.next = position + count as u64;
        self.in_order += count as u64;
        Ok(count)
    }

    /// Starts a thread where it pays, takes from it what is due, and ends it where it reads something else.
    fn read_ahead(&mut self, position: u64) -> Result<()> {
        if self.may_read_ahead
            && self.in_order >= PAYS
            && let Some(pieces) = self.pieces.take_if(|pieces| !pieces.has(position))
        {
            match Background::begin(pieces, position) {
                Ok(background) => self.background = Some(background),
                Err(pieces) => self.pieces = Some(pieces),
            }
        }
        let Some(background) = &mut self.background else { return Ok(()) };
        if !background.reaches(position) {
            self.stop_ahead();
            return Ok(());
        }
        background.go_to(position).inspect_err(|_| self.stop_ahead())
    }

    /// Ends the thread. Another one is worth its start when as much was read in order again.
    pub fn stop_ahead(&mut self) {
        self.in_order = 0;
        if let Some(mut background) = self.background.take() {
            self.pieces = background.end_thread();
        }
    }
}

#[cfg(test)]
#[cfg(feature = "bundled")]
mod tests {
    use super::super::handle::Column;
    use super::*;
    use crate::error::Kind;
    use crate::store::sqlite::Database;
    use rusqlite::Connection;
    use std::path::PathBuf;
    use std::sync::Arc;

    const LEN: u64 = (9 << 20) + 12_345;

    fn bytes(seed: u8) -> Vec<u8> {
        (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[3] ^ seed).collect()
    }

    /// A store with one value, and a reader of it.
    fn store(name: &str) -> (PathBuf, Connection, Large) {
        let path = std::env::temp_dir().join(format!("agent-history-large-{name}-{}.db", std::process::id()));
        std::fs::remove_file(&path).ok();
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA synchronous=off; CREATE TABLE t(v)").unwrap();
        db.execute("INSERT INTO t VALUES(?1)", [bytes(7)]).unwrap();
        let database = Database::open(&path).unwrap();
        let large = Large::new(Pieces::new(&database, Column::new("t", "v").unwrap(), 1, LEN));
        (path, db, Large { may_read_ahead: true, ..large })
    }

    /// Reads from `start` to `end` in steps that are no part of a piece.
    fn read(large: &mut Large, start: u64, end: u64) -> Vec<u8> {
        let mut out = vec![0; (end - start) as usize];
        let mut done = 0;
        while done < out.len() {
            let room = out.len().min(done + 100_000);
            done += large.fill(start + done as u64, &mut out[done..room]).unwrap();
        }
        out
    }

    #[test]
    fn a_thread_reads_what_is_read_in_order() {
        let (path, _db, mut large) = store("order");
        let whole = bytes(7);
        let right = |large: &mut Large, start: u64, end: u64| {
            assert!(read(large, start, end) == whole[start as usize..end as usize], "{start} to {end}");
            large.background.is_some()
        };
        assert!(!right(&mut large, 0, PAYS));
        assert!(right(&mut large, PAYS, 3 << 20));
        assert!(!right(&mut large, 1 << 20, 2 << 20), "back");
        assert!(right(&mut large, 2 << 20, 4 << 20), "in order again");
        assert!(!right(&mut large, 17 << 19, LEN), "far ahead");
        assert!(right(&mut large, 0, LEN), "all of it");
        assert_eq!(large.fill(LEN, &mut [0; 10]), Ok(0));
        assert!(right(&mut large, LEN - 10, LEN), "still in the last piece");
        large.stop_ahead();
        assert!(!right(&mut large, LEN - 10, LEN));
        large.may_read_ahead = false;
        assert!(!right(&mut large, 0, LEN), "not allowed");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_thread_ends_with_its_reader() {
        let (path, _db, mut large) = store("end");
        // Whoever reads has it.
        let flag = Arc::downgrade(&large.pieces.as_ref().unwrap().is_unwanted);
        read(&mut large, 0, 2 << 20);
        assert!(large.background.is_some());
        drop(large);
        assert!(flag.upgrade().is_none());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_change_is_an_error_and_not_the_end() {
        let (path, db, mut large) = store("change");
        read(&mut large, 0, 2 << 20);
        assert!(large.background.is_some());
        db.execute("UPDATE t SET v = ?1", [bytes(8)]).unwrap();
        let mut position = 2 << 20;
        let error = loop {
            let mut out = vec![0; 100_000];
            match large.fill(position, &mut out) {
                Ok(got) => {
                    assert!(out[..got] == bytes(7)[position as usize..][..got], "of the old value");
                    position += got as u64;
                }
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind(), error.what()), (Kind::Busy, "the record changed while it was read"));
        assert!(large.background.is_none());
        db.execute("UPDATE t SET v = ?1", [bytes(7)]).unwrap();
        assert!(read(&mut large, position, LEN) == bytes(7)[position as usize..], "what it was, it is again");
        std::fs::remove_file(path).unwrap();
    }
}
