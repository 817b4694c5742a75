//! One JSON value of a store as bytes that can be read from any offset: the value of a row, a file, a text in memory.
//!
//! Nothing is read ahead but a few pieces of a large row, so a value of 200 MB costs no more memory than a small one. All
//! parts of one [`Bytes`] come from one committed state of the store.

use crate::error::{Error, Kind, Result};
use crate::json::{FromRead, Reader, Source};
use crate::store::encoding;
use crate::store::sqlite::{Blob, Database, HostFile};
use crate::table::{Session, Setting};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The key of Cody's row in `ItemTable`: publisher and name of the extension.
pub const ROW_KEY: &str = "sourcegraph.cody-ai";

/// A row's value of up to this size is read whole, which it is at once in any case.
const WHOLE_BYTES: u64 = 8 << 20;

/// The bytes of one value. A clone shares them.
#[derive(Clone)]
pub struct Bytes {
    from: From,
    session: Arc<Session>,
}

#[derive(Clone)]
enum From {
    /// Opened through the host's VFS: whatever its name says, it may be a database.
    File(Arc<Mutex<HostFile>>),
    Row(Arc<Mutex<Blob>>),
    /// A value as stored, small enough to be read whole.
    Whole(Arc<Vec<u8>>),
    /// A text that was decoded.
    Text(Arc<Vec<u8>>),
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bytes").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Bytes {
    /// A text that stands nowhere but in memory.
    pub fn text(bytes: Vec<u8>, session: &Arc<Session>) -> Self {
        Self { from: From::Text(Arc::new(bytes)), session: Arc::clone(session) }
    }

    /// A value as stored, which was read whole before.
    pub fn whole(bytes: Arc<Vec<u8>>, session: &Arc<Session>) -> Self {
        Self { from: From::Whole(bytes), session: Arc::clone(session) }
    }

    /// The value of Cody's row in a `state.vscdb`; `None` where there is no such row, or no such table.
    ///
    /// VS Code binds texts, other writers may leave BLOBs: the storage class does not matter.
    ///
    /// # Errors
    /// As [`Database::query`] and [`Database::blob`].
    pub fn row(database: &mut Database, session: &Arc<Session>) -> Result<Option<Self>> {
        let columns = database.columns("ItemTable")?;
        let has = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
        if !has("key") || !has("value") {
            return Ok(None);
        }
        let question = "SELECT rowid FROM ItemTable WHERE key = ?1 AND value IS NOT NULL";
        let rowids = database.query(question, &[ROW_KEY.into()], |row| Ok(row.integer(0)))?;
        let Some(rowid) = rowids.into_iter().flatten().next() else { return Ok(None) };
        let blob = database.blob("ItemTable", "value", rowid)?;
        let from = match blob.len() {
            len if len <= WHOLE_BYTES => From::Whole(Arc::new(blob.into_bytes()?)),
            _ => From::Row(Arc::new(Mutex::new(blob.reading_ahead(session.threads() > 0)))),
        };
        Ok(Some(Self { from, session: Arc::clone(session) }))
    }

    /// The value, where it was read whole.
    pub fn as_whole(&self) -> Option<&Arc<Vec<u8>>> {
        match &self.from {
            From::Whole(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A file's content as UTF-8; `None` for an empty file.
    ///
    /// What Cody writes is UTF-8. An export that went through another program may be UTF-16: that is decoded as a
    /// whole, up to the size that `max_document_bytes` allows.
    ///
    /// # Errors
    /// [`Kind::Io`], and for UTF-16 [`Kind::Utf8`] and [`Kind::Limit`].
    pub fn file(path: &Path, session: &Arc<Session>) -> Result<Option<Self>> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(Error::new(Kind::Io, "not a regular file"));
        }
        let mut file = HostFile::open(path)?;
        let mut head = Vec::with_capacity(4);
        file.by_ref().take(4).read_to_end(&mut head)?;
        match head.as_slice() {
            [] => Ok(None),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [1..=0x7F, 0, ..] | [0, 1..=0x7F, ..] => {
                let most = session.setting(Setting::MaxDocumentBytes).unsigned_abs();
                if file.size()? > most {
                    return Err(Error::limit(format_args!("a UTF-16 file larger than {most} bytes"), "max_document_bytes"));
                }
                file.read_to_end(&mut head)?;
                let text = encoding::decode(&head)?;
                Ok(Some(Self::text(text.into_owned().into_bytes(), session)))
            }
            _ => Ok(Some(Self { from: From::File(Arc::new(Mutex::new(file))), session: Arc::clone(session) })),
        }
    }

    /// Another text in memory.
    pub fn beside(&self, bytes: Vec<u8>) -> Self {
        Self::text(bytes, &self.session)
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        match &self.from {
            From::File(file) => lock(file).size().unwrap_or(0),
            From::Row(blob) => lock(blob).len(),
            From::Whole(bytes) | From::Text(bytes) => bytes.len() as u64,
        }
    }

    /// Do the offsets mean the same whenever the store is opened again? Those of a decoded text do not: nothing but
    /// the text itself has them.
    pub fn is_stored(&self) -> bool {
        !matches!(self.from, From::Text(_))
    }

    /// A JSON reader of a range; its positions count from the start of the value.
    pub fn reader(&self, range: Range<u64>) -> Reader<Part> {
        let start = range.start;
        let part = Part { bytes: self.clone(), at: start, end: range.end };
        let max_value_bytes = usize::try_from(self.session.setting(Setting::MaxValueBytes)).unwrap_or(0);
        let limits = crate::json::Limits { max_value_bytes, ..crate::json::Limits::default() };
        Reader::new(part).with_limits(limits).starting_at(start)
    }

    /// The bytes of a range, as far as there are.
    ///
    /// # Errors
    /// [`Kind::Limit`] for a range larger than `max_document_bytes`; otherwise what reading gives.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let most = self.session.setting(Setting::MaxDocumentBytes).unsigned_abs();
        let mut out = Vec::new();
        let mut part = Part { bytes: self.clone(), at: range.start, end: range.end };
        let mut piece = vec![0; 64 << 10];
        loop {
            let count = part.fill(&mut piece)?;
            out.extend_from_slice(piece.get(..count).unwrap_or_default());
            if count == 0 {
                return Ok(out);
            }
            if out.len() as u64 > most {
                return Err(Error::limit(format_args!("a document larger than {most} bytes"), "max_document_bytes"));
            }
        }
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> Result<usize> {
        match &self.from {
            From::File(file) => {
                let mut file = lock(file);
                file.seek(SeekFrom::Start(at))?;
                FromRead(&mut *file).fill(out)
            }
            From::Row(blob) => {
                let mut blob = lock(blob);
                blob.seek(at);
                blob.fill(out)
            }
            From::Whole(bytes) | From::Text(bytes) => {
                let mut rest = bytes.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
                rest.fill(out)
            }
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A range of a value's bytes, in order.
pub struct Part {
    bytes: Bytes,
    at: u64,
    end: u64,
}

impl Drop for Part {
    fn drop(&mut self) {
        if let From::Row(blob) = &self.bytes.from {
            lock(blob).stop_ahead();
        }
    }
}

impl Source for Part {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        if self.bytes.session.is_interrupted() {
            return Err(Error::new(Kind::Busy, "interrupted"));
        }
        let room = buf.len().min(usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX));
        let count = self.bytes.read_at(buf.get_mut(..room).unwrap_or_default(), self.at)?;
        self.at += count as u64;
        Ok(count)
    }

    fn burst(&self) -> usize {
        let From::Row(blob) = &self.bytes.from else { return 0 };
        let blob = lock(blob);
        let (end, burst) = (self.end.min(blob.len()), blob.burst());
        if end.saturating_sub(self.at) < burst as u64 { 0 } else { burst }
    }
}
