//! A large value, piece by proven piece.

use super::digest::{BLOCK_BYTES, Digest, Key};
use super::handle::{Column, OpenBlob};
use crate::error::{Error, Kind, Result};
use crate::store::sqlite::connection::Connection;
use crate::store::sqlite::database::{Database, Options, Retry};
use crate::store::sqlite::state::{Proof, Refusal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Size of a piece.
pub const PIECE_BYTES: u64 = 256 << 10;

/// The most that is read between two proofs: a store that is written to all the time must stand still for so long.
const MOST_BYTES: usize = 2 * PIECE_BYTES as usize;

/// Room for the pages that lead to a value, and for the two at the ends of what is read of it.
const KEPT_KIB: u32 = 256;

/// A large value.
pub struct Pieces {
    path: PathBuf,
    options: Options,
    column: Column,
    rowid: i64,
    /// Bytes of the value.
    pub len: u64,
    open: Option<OpenBlob>,
    /// The runs of bytes that were given out.
    given: Vec<Run>,
    key: Key,
    piece: Vec<u8>,
    piece_start: u64,
    /// Nobody waits for it any more: reading ends as if it were interrupted.
    pub is_unwanted: Arc<AtomicBool>,
}

/// A run of bytes that was given out, and what is remembered of it.
struct Run {
    start: u64,
    len: u64,
    digest: Digest,
}

impl Pieces {
    /// A value of `len` bytes.
    pub fn new(database: &Database, column: Column, rowid: i64, len: u64) -> Self {
        let is_unwanted = Arc::new(AtomicBool::new(false));
        let (flag, asked) = (Arc::clone(&is_unwanted), database.options().interrupt.clone());
        let should_end = move || flag.load(Ordering::Relaxed) || asked.as_ref().is_some_and(|asked| asked());
        Self {
            path: database.path().to_owned(),
            options: Options { interrupt: Some(Arc::new(should_end)), ..database.options().clone() },
            column,
            rowid,
            len,
            open: None,
            given: Vec::new(),
            key: Key::new(),
            piece: Vec::new(),
            piece_start: 0,
            is_unwanted,
        }
    }

    /// Fills `out` from `position` on, as far as one read reaches; the number of bytes, 0 only at the end.
    ///
    /// Where there is room for a piece the bytes are read to where they are wanted; otherwise a piece is kept for those
    /// who ask on.
    pub fn fill(&mut self, position: u64, out: &mut [u8]) -> Result<usize> {
        let rest = self.len.saturating_sub(position);
        if rest == 0 {
            return Ok(0);
        }
        if !self.has(position) {
            if out.len() as u64 >= PIECE_BYTES {
                return self.fill_at_once(position, out);
            }
            self.load(position)?;
        }
        let start = usize::try_from(position - self.piece_start).unwrap_or(usize::MAX);
        let mut available = self.piece.get(start..).unwrap_or_default();
        crate::json::Source::fill(&mut available, out)
    }

    fn fill_at_once(&mut self, position: u64, out: &mut [u8]) -> Result<usize> {
        let most = out.len().min(MOST_BYTES);
        let count = match usize::try_from(self.len - position) {
            Ok(rest) if rest <= most => rest,
            // What follows must go on with a whole block.
            _ => most - most % BLOCK_BYTES,
        };
        let part = out.get_mut(..count).unwrap_or_default();
        // Bytes that were not proven are nobody's.
        self.take(position, part).inspect_err(|_| part.fill(0))?;
        Ok(count)
    }

    fn load(&mut self, position: u64) -> Result<()> {
        let mut piece = std::mem::take(&mut self.piece);
        self.read_piece(position, &mut piece)?;
        (self.piece, self.piece_start) = (piece, position);
        Ok(())
    }

    /// Is the byte at `position` in the piece that is kept?
    pub fn has(&self, position: u64) -> bool {
        (self.piece_start..self.piece_start + self.piece.len() as u64).contains(&position)
    }

    /// Reads the piece that begins at `position`, which is in front of the end.
    pub fn read_piece(&mut self, position: u64, piece: &mut Vec<u8>) -> Result<()> {
        piece.resize(PIECE_BYTES.min(self.len.saturating_sub(position)) as usize, 0);
        self.take(position, piece)
    }

    /// Fills `out` with proven bytes, and remembers them.
    fn take(&mut self, position: u64, out: &mut [u8]) -> Result<()> {
        let mut retry = Retry::new(self.options.interrupt.clone());
        loop {
            match self.read_proven(position, out) {
                Ok(()) => break,
                Err(Refusal::Moved(how)) => retry.again(how),
                Err(Refusal::Failed(error)) => Err(error),
            }
            .inspect_err(|_| self.open = None)
            .map_err(|error| error.in_file(self.path.display().to_string()))?;
            self.open = None;
        }
        self.remember(position, out);
        Ok(())
    }

    fn read_proven(&mut self, position: u64, out: &mut [u8]) -> Proof {
        let answer = self.read(position, out);
        // Whatever went wrong may have gone wrong on torn bytes: proof first, words after.
        if let Some(open) = &mut self.open {
            open.connection.overlay()?.prove()?;
        }
        answer
    }

    fn read(&mut self, position: u64, out: &mut [u8]) -> Proof {
        let open = match &mut self.open {
            Some(open) => open,
            empty => {
                let open = empty.insert(OpenBlob::new(Connection::open(&self.path, &self.options)?));
                let len = open.start(&self.column, self.rowid)?;
                if len != self.len || !has_all(open, &self.given, self.key)? {
                    return Err(changed().into());
                }
                open.connection.keep_few_pages(KEPT_KIB);
                open
            }
        };
        open.read(out, position)
    }

    fn remember(&mut self, position: u64, piece: &[u8]) {
        let is_next = self.given.last().is_some_and(|run| run.start + run.len == position);
        if !is_next {
            self.given.push(Run { start: position, len: 0, digest: Digest::new(self.key) });
        }
        if let Some(run) = self.given.last_mut() {
            run.digest.write(piece);
            run.len += piece.len() as u64;
        }
    }
}

/// Are the bytes that were given out still there?
fn has_all(open: &OpenBlob, given: &[Run], key: Key) -> Proof<bool> {
    let mut piece = vec![0; PIECE_BYTES as usize];
    for run in given {
        let mut digest = Digest::new(key);
        let mut done = 0;
        while done < run.len {
            let room = PIECE_BYTES.min(run.len - done) as usize;
            let part = piece.get_mut(..room).unwrap_or_default();
            open.read(part, run.start + done)?;
            digest.write(part);
            done += room as u64;
        }
        if digest.finish() != run.digest.finish() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A part of it was given out, and it is another value now.
pub fn changed() -> Error {
    Error::new(Kind::Busy, "the record changed while it was read")
}
