//! One value, read piece by piece.
//!
//! A value of up to 8 MiB is read whole and proven at once. A larger one has a connection of its own, and each piece
//! of it is proven before it is given out. When the store moves in between, the value is opened in the new state: if
//! it has the length it had, and the bytes that were given out are still what they were, then these bytes are the
//! beginning of the new value, and reading goes on in it. So what comes out is always one committed value, whole.
#![allow(unsafe_code, reason = "SQLite's blob handle and its connection live and move together")]

use super::connection::{self, Connection};
use super::database::{Database, Options, Retry, quoted};
use super::state::{Proof, Refusal};
use crate::error::{Error, Kind, Result};
use rusqlite::ffi;
use std::ffi::{CString, c_int};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::ptr::{self, NonNull};

/// Up to this many bytes a value is read whole.
const WHOLE_BYTES: u64 = 8 << 20;
/// A larger one is read in pieces of this size.
const PIECE_BYTES: u64 = 256 << 10;

/// A TEXT or BLOB value of a store: its bytes in order, or from any position.
pub struct Blob {
    source: Source,
    position: u64,
}

enum Source {
    Whole(Vec<u8>),
    Pieces(Box<Pieces>),
}

impl Blob {
    pub(super) fn open(database: &mut Database, table: &str, column: &str, rowid: i64) -> Result<Self> {
        let place = Address::new(table, column, rowid)?;
        let whole = database.prove(|connection| {
            if connection.is_utf16()? {
                // The stored bytes are not what anybody wants; SQLite converts text, but only as a whole.
                return Ok(Ok(place.select(connection)?));
            }
            let handle = Handle::open(connection, &place)?;
            if handle.len > WHOLE_BYTES {
                return Ok(Err(handle.len));
            }
            let mut bytes = vec![0; handle.len as usize];
            handle.read(&mut bytes, 0)?;
            Ok(Ok(bytes))
        })?;
        let source = match whole {
            Ok(bytes) => Source::Whole(bytes),
            Err(len) => Source::Pieces(Box::new(Pieces {
                path: database.path().to_owned(),
                options: database.options().clone(),
                place,
                len,
                open: None,
                given: Vec::new(),
                hashing: RandomState::new(),
                piece: Vec::new(),
                piece_start: 0,
            })),
        };
        Ok(Self { source, position: 0 })
    }

    /// Bytes of the value.
    pub fn len(&self) -> u64 {
        match &self.source {
            Source::Whole(bytes) => bytes.len() as u64,
            Source::Pieces(pieces) => pieces.len,
        }
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    /// [`Kind::Busy`] when the value changed after a part of it was given out, or the store kept changing; otherwise
    /// as [`Database::query`].
    pub fn fill(&mut self, out: &mut [u8]) -> Result<usize> {
        let available = match &mut self.source {
            Source::Whole(bytes) => bytes.get(usize::try_from(self.position).unwrap_or(usize::MAX)..),
            Source::Pieces(pieces) => pieces.at(self.position)?,
        };
        let available = available.unwrap_or_default();
        let count = out.iter_mut().zip(available).map(|(to, from)| *to = *from).count();
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

impl std::io::Read for Blob {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.fill(out).map_err(std::io::Error::other)
    }
}

/// A large value.
struct Pieces {
    path: PathBuf,
    options: Options,
    place: Address,
    len: u64,
    open: Option<OpenBlob>,
    /// The runs of bytes that were given out.
    given: Vec<Run>,
    hashing: RandomState,
    piece: Vec<u8>,
    piece_start: u64,
}

/// A run of bytes that was given out, and what is remembered of it.
struct Run {
    start: u64,
    len: u64,
    digest: <RandomState as BuildHasher>::Hasher,
}

impl Pieces {
    /// The bytes that there are from `position` on, as far as one piece holds them; `None` at the end.
    fn at(&mut self, position: u64) -> Result<Option<&[u8]>> {
        if position >= self.len {
            return Ok(None);
        }
        if !(self.piece_start..self.piece_start + self.piece.len() as u64).contains(&position) {
            self.load(position)?;
        }
        Ok(self.piece.get(usize::try_from(position - self.piece_start).unwrap_or(usize::MAX)..))
    }

    fn load(&mut self, position: u64) -> Result<()> {
        let mut retry = Retry::new(self.options.interrupt.clone());
        let mut piece = std::mem::take(&mut self.piece);
        piece.resize(PIECE_BYTES.min(self.len - position) as usize, 0);
        loop {
            match self.read_proven(position, &mut piece) {
                Ok(()) => break,
                Err(Refusal::Moved(how)) => retry.again(how),
                Err(Refusal::Failed(error)) => Err(error),
            }
            .inspect_err(|_| self.open = None)
            .map_err(|error| error.in_file(self.path.display().to_string()))?;
            self.open = None;
        }
        self.remember(position, &piece);
        (self.piece, self.piece_start) = (piece, position);
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
                let len = open.start(&self.place)?;
                if len != self.len || !open.has_all(&self.given, &self.hashing)? {
                    return Err(changed().into());
                }
                open
            }
        };
        open.read(out, position)
    }

    fn remember(&mut self, position: u64, piece: &[u8]) {
        let is_next = self.given.last().is_some_and(|run| run.start + run.len == position);
        if !is_next {
            self.given.push(Run { start: position, len: 0, digest: self.hashing.build_hasher() });
        }
        if let Some(run) = self.given.last_mut() {
            run.digest.write(piece);
            run.len += piece.len() as u64;
        }
    }
}

fn changed() -> Error {
    Error::new(Kind::Busy, "the record changed while it was read")
}

/// Which value.
struct Address {
    table: String,
    column: String,
    c_table: CString,
    c_column: CString,
    rowid: i64,
}

impl Address {
    fn new(table: &str, column: &str, rowid: i64) -> Result<Self> {
        let name = |name: &str| CString::new(name).map_err(|_| Error::shape("a name with a NUL in it"));
        let (c_table, c_column) = (name(table)?, name(column)?);
        Ok(Self { table: table.to_owned(), column: column.to_owned(), c_table, c_column, rowid })
    }

    /// The value as SQLite converts it.
    fn select(&self, connection: &Connection) -> Result<Vec<u8>> {
        let sql = format!("SELECT {} FROM main.{} WHERE rowid = ?1", quoted(&self.column), quoted(&self.table));
        let rows = connection.ask(&sql, &[self.rowid.into()], |row| Ok(row.bytes(0).map(<[u8]>::to_vec)))?;
        let row = rows.into_iter().next().ok_or_else(gone)?;
        row.ok_or_else(|| Error::shape("expected text or a blob, found another type"))
    }
}

fn gone() -> Error {
    Error::new(Kind::Busy, "the record is gone")
}

/// An open blob and the connection that it needs.
struct OpenBlob {
    // Dropped before the connection.
    handle: Option<Handle>,
    connection: Connection,
}

// SAFETY: handle and connection move together, and `&mut self` keeps their use to one thread at a time.
unsafe impl Send for OpenBlob {}

impl OpenBlob {
    fn new(connection: Connection) -> Self {
        Self { handle: None, connection }
    }

    fn start(&mut self, place: &Address) -> Result<u64> {
        let handle = Handle::open(&self.connection, place)?;
        Ok(self.handle.insert(handle).len)
    }

    fn read(&self, out: &mut [u8], offset: u64) -> Proof {
        let handle = self.handle.as_ref().ok_or(Refusal::Moved("the value is not open"))?;
        Ok(handle.read(out, offset)?)
    }

    /// Are the bytes that were given out still there?
    fn has_all(&self, given: &[Run], hashing: &RandomState) -> Proof<bool> {
        let mut piece = vec![0; PIECE_BYTES as usize];
        for run in given {
            let mut digest = hashing.build_hasher();
            let mut done = 0;
            while done < run.len {
                let room = PIECE_BYTES.min(run.len - done) as usize;
                let part = piece.get_mut(..room).unwrap_or_default();
                self.read(part, run.start + done)?;
                digest.write(part);
                done += room as u64;
            }
            if digest.finish() != run.digest.finish() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// SQLite's handle on one value. While it is open, so is a read transaction: all pieces come from one state.
struct Handle {
    raw: NonNull<ffi::sqlite3_blob>,
    len: u64,
}

impl Handle {
    /// The handle must not outlive the connection.
    fn open(connection: &Connection, place: &Address) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open; the names are C strings; the handle comes back in `raw`.
        let code = unsafe {
            let (table, column) = (place.c_table.as_ptr(), place.c_column.as_ptr());
            let handle = connection.sqlite().handle();
            ffi::sqlite3_blob_open(handle, c"main".as_ptr(), table, column, place.rowid, 0, &raw mut raw)
        };
        let Some(raw) = NonNull::new(raw).filter(|_| code == ffi::SQLITE_OK) else {
            return Err(refusal(connection.last_error(code)));
        };
        // SAFETY: an open handle.
        let len = unsafe { ffi::sqlite3_blob_bytes(raw.as_ptr()) };
        Ok(Self { raw, len: u64::try_from(len).unwrap_or(0) })
    }

    fn read(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let too_far = |_| Error::new(Kind::Limit, "a value is larger than SQLite can read");
        let len = c_int::try_from(out.len()).map_err(too_far)?;
        let offset = c_int::try_from(offset).map_err(too_far)?;
        // SAFETY: an open handle and a buffer of `len` bytes.
        let code = unsafe { ffi::sqlite3_blob_read(self.raw.as_ptr(), out.as_mut_ptr().cast(), len, offset) };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(connection::failure(code, None)) }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: an open handle, not used afterwards.
        unsafe { ffi::sqlite3_blob_close(self.raw.as_ptr()) };
    }
}

/// SQLite tells a missing row and a value of another type by the text alone.
fn refusal(error: Error) -> Error {
    match error.what() {
        what if what.starts_with("no such rowid") => gone(),
        what => match what.strip_prefix("cannot open value of type ") {
            Some(kind) => Error::shape(format!("expected text or a blob, found {kind}")),
            None => error,
        },
    }
}
