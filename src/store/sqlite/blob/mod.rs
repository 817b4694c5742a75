//! One value, read piece by piece.
//!
//! A value of up to 8 MiB is read whole and proven at once. A larger one has a connection of its own, and each piece
//! of it is proven before it is given out. When the store moves in between, the value is opened in the new state: if
//! it has the length it had, and the bytes that were given out are still what they were, then these bytes are the
//! beginning of the new value, and reading goes on in it. So what comes out is always one committed value, whole. The
//! same holds where only the beginning was asked for, and more is read of it in the end. Where that is allowed, another
//! thread reads the pieces of a value that is read in order.

mod background;
mod beginning;
mod digest;
mod handle;
mod large;
mod pieces;

use super::connection::Connection;
use super::database::Database;
use super::state::Proof;
use crate::error::Result;
use beginning::Beginning;
use handle::{Column, Handle};
use large::Large;
use pieces::{PIECE_BYTES, Pieces};

/// Up to this many bytes a value is read whole.
const WHOLE_BYTES: u64 = 8 << 20;

/// A TEXT or BLOB value of a store: its bytes in order, or from any position.
pub struct Blob {
    source: Source,
    position: u64,
}

enum Source {
    Whole(Vec<u8>),
    Beginning(Box<Beginning>),
    Large(Box<Large>),
}

/// How much of several values is read at once, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Amount {
    /// Of each. Where it has more, [`Blob::with_rest`] says where that comes from.
    pub each: u64,
    /// Of all of them together, about.
    pub all: u64,
}

impl Amount {
    /// One value, whole.
    pub const WHOLE: Self = Self { each: u64::MAX, all: 0 };
}

impl Blob {
    pub(super) fn open(database: &mut Database, table: &str, column: &str, rowid: i64) -> Result<Self> {
        let blobs = Self::open_all(database, table, column, &[rowid], Amount::WHOLE)?;
        blobs.into_iter().next().ok_or_else(handle::gone)
    }

    /// The values at the first of these rows, as far as the amount holds them, but one at least; all of one state.
    /// What is wrong with the first is the error; with a later one it ends them, so that it will be the first.
    pub(super) fn open_all(
        database: &mut Database,
        table: &str,
        column: &str,
        rowids: &[i64],
        amount: Amount,
    ) -> Result<Vec<Self>> {
        let column = Column::new(table, column)?;
        let stored = database.prove(|connection| stored(connection, &column, rowids, amount))?;
        let opened = stored.into_iter().zip(rowids).map(|(stored, rowid)| match stored {
            Stored::Whole(bytes) => Source::Whole(bytes),
            Stored::Beginning(bytes, len) => Source::Beginning(Box::new(Beginning::new(bytes, len))),
            Stored::Large(len) => {
                Source::Large(Box::new(Large::new(Pieces::new(database, column.clone(), *rowid, len))))
            }
        });
        Ok(opened.map(|source| Self { source, position: 0 }).collect())
    }

    /// Reads the value again, whole, with `rest`, should more be asked for than the beginning that is there.
    #[must_use]
    pub fn with_rest(mut self, rest: impl Fn() -> Result<Self> + Send + 'static) -> Self {
        if let Source::Beginning(beginning) = &mut self.source {
            beginning.rest = Some(Box::new(rest));
        }
        self
    }

    /// Lets another thread read a large value ahead where it is read in order. Whoever stops before its end says so
    /// with [`Self::stop_ahead`].
    #[must_use]
    pub fn reading_ahead(mut self, may_read_ahead: bool) -> Self {
        if let Source::Large(large) = &mut self.source {
            large.may_read_ahead = may_read_ahead;
        }
        self
    }

    /// Ends such a thread, until much is read in order again.
    pub fn stop_ahead(&mut self) {
        if let Source::Large(large) = &mut self.source {
            large.stop_ahead();
        }
    }

    /// Bytes of the value.
    pub fn len(&self) -> u64 {
        match &self.source {
            Source::Whole(bytes) => bytes.len() as u64,
            Source::Beginning(beginning) => beginning.len,
            Source::Large(large) => large.len,
        }
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is as much of it in memory as was asked for? Otherwise it is read piece by piece.
    pub fn is_in_memory(&self) -> bool {
        !matches!(self.source, Source::Large(_))
    }

    /// Was only its beginning read?
    pub fn is_beginning(&self) -> bool {
        matches!(self.source, Source::Beginning(_))
    }

    /// Where the next [`Self::fill`] begins.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Goes to a position; one behind the end reads nothing.
    pub fn seek(&mut self, position: u64) {
        self.position = position;
    }

    /// Fills `out` from the position on, and goes on behind; the number of bytes, 0 only at the end.
    ///
    /// # Errors
    /// [`Kind::Busy`](crate::error::Kind::Busy) when the value changed after a part of it was given out, or the store
    /// kept changing; otherwise as [`Database::query`].
    pub fn fill(&mut self, out: &mut [u8]) -> Result<usize> {
        if let Source::Beginning(beginning) = &self.source
            && beginning.ends_before(self.position)
        {
            self.source = beginning.whole()?.source;
        }
        let position = usize::try_from(self.position).unwrap_or(usize::MAX);
        let available = match &mut self.source {
            Source::Whole(bytes) => bytes.get(position..),
            Source::Beginning(beginning) => beginning.bytes.get(position..),
            Source::Large(large) => {
                let count = large.fill(self.position, out)?;
                self.position += count as u64;
                return Ok(count);
            }
        };
        let mut available = available.unwrap_or_default();
        let count = crate::json::Source::fill(&mut available, out)?;
        self.position += count as u64;
        Ok(count)
    }

    /// The whole value, for those who want it so.
    ///
    /// # Errors
    /// As [`Self::fill`].
    pub fn into_bytes(mut self) -> Result<Vec<u8>> {
        if let Source::Whole(bytes) = self.source {
            return Ok(bytes);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.len()).unwrap_or(0));
        self.position = 0;
        let mut piece = vec![0; PIECE_BYTES as usize];
        loop {
            match self.fill(&mut piece)? {
                0 => return Ok(bytes),
                count => bytes.extend(piece.iter().take(count)),
            }
        }
    }
}

/// A value that is in memory.
impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        Self { source: Source::Whole(bytes), position: 0 }
    }
}

impl crate::json::Source for Blob {
    fn fill(&mut self, out: &mut [u8]) -> Result<usize> {
        self.fill(out)
    }

    fn burst(&self) -> usize {
        if self.is_in_memory() { 0 } else { PIECE_BYTES as usize }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        match &self.source {
            Source::Whole(bytes) => bytes.get(usize::try_from(self.position).ok()?..),
            Source::Beginning(_) | Source::Large(_) => None,
        }
    }
}

impl std::io::Read for Blob {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.fill(out).map_err(std::io::Error::other)
    }
}

/// A value that was looked at.
enum Stored {
    Whole(Vec<u8>),
    /// Its first bytes, and its length.
    Beginning(Vec<u8>, u64),
    /// To be read piece by piece; its length.
    Large(u64),
}

/// Reads values in one read transaction. Nothing is proven yet.
fn stored(connection: &mut Connection, column: &Column, rowids: &[i64], amount: Amount) -> Proof<Vec<Stored>> {
    let Some((first, others)) = rowids.split_first() else { return Ok(Vec::new()) };
    let mut handle = Handle::open(connection, column, *first)?;
    let is_utf16 = connection.is_utf16()?;
    let mut bytes = handle.len.min(amount.each);
    let mut all = Vec::with_capacity(rowids.len());
    let read = |connection: &mut Connection, handle: &Handle, rowid: i64| match is_utf16 {
        // The stored bytes are not what anybody wants; SQLite converts text, but only as a whole.
        true => column.select(connection, rowid).map(Stored::Whole),
        false => read(connection, handle, amount.each),
    };
    all.push(read(connection, &handle, *first)?);
    for rowid in others {
        if bytes >= amount.all {
            break;
        }
        let next = handle.go_to(connection, *rowid);
        let Ok(stored) = next.and_then(|()| read(connection, &handle, *rowid)) else { break };
        bytes += handle.len.min(amount.each);
        all.push(stored);
    }
    Ok(all)
}

/// Reads at most so many bytes of a value.
fn read(connection: &mut Connection, handle: &Handle, most: u64) -> Result<Stored> {
    let count = handle.len.min(most);
    if count > WHOLE_BYTES {
        return Ok(Stored::Large(handle.len));
    }
    connection.overlay()?.expect(count);
    let bytes = handle.read_first(count)?;
    Ok(if count < handle.len { Stored::Beginning(bytes, handle.len) } else { Stored::Whole(bytes) })
}
