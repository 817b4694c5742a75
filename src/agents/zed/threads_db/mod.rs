//! `threads.db`: the rows of its table, read without their documents.
//!
//! SQLite keeps a row's columns in the order in which they were added, and walks through the whole document to reach
//! those behind it. `id`, `summary`, `updated_at`, `data_type` stand in front; what came later is read only when asked
//! for. Columns are asked for by name: which are there, and in which order, differs from file to file.

mod question;
mod trailing;

use self::question::Question;
pub use self::trailing::{Stored, Trailing};
use self::trailing::Late;
use crate::error::{Kind, Result};
use crate::store::find::Found;
use crate::store::sqlite::{Amount, Blob, Database, Param, Stamp, pool};
use crate::table::{Place, Range, Scan, Session, Source};
use crate::time::Time;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

const TABLE: &str = "threads";

/// What is asked of a row besides its key, its time and its type.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// `summary`
    pub title: bool,
    /// `length(data)`
    pub bytes: bool,
    /// `parent_id`
    pub parent: bool,
    /// `folder_paths`, `folder_paths_order`
    pub folders: bool,
    /// `created_at`
    pub created: bool,
}

impl Wanted {
    fn without_trailing(self) -> Self {
        Self { parent: false, folders: false, created: false, ..self }
    }
}

/// A row without its document. What was not asked for, or is no column of this file, is `None`.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// The row.
    pub rowid: i64,
    /// `id`; bytes that are stored in its place are read as text.
    pub session_id: Option<Arc<str>>,
    /// `updated_at`, where it is a time.
    pub updated_at: Option<Time>,
    /// `zstd`, `json`.
    pub data_type: Option<Arc<str>>,
    /// `summary`, as stored.
    pub title: Option<Arc<str>>,
    /// Stored bytes of the document.
    pub blob_bytes: Option<i64>,
    /// Is there a column for the parent? Files that an older Zed wrote have none.
    pub has_parent_column: bool,
    /// What stands behind the document.
    pub trailing: Trailing,
}

/// A `threads.db`.
pub struct ThreadsDb {
    /// As provenance.
    pub place: Arc<Place>,
    /// The file's path. (As a [`Path`] its components would be hashed, one by one.)
    file: Arc<OsStr>,
    session: Arc<Session>,
    /// What its rows do not hold yet: it comes with their documents.
    late: Option<Late>,
    /// Stored bytes of all documents that the scan asks for, where it asks for their lengths.
    pub stored_bytes: usize,
    /// The state in which its rows were read: before their documents, so that no document is older.
    pub stamp: Option<Stamp>,
}

impl ThreadsDb {
    /// The file.
    pub fn path(&self) -> &Path {
        Path::new(&*self.file)
    }
}

/// One thread of a store.
#[derive(Clone)]
pub struct Thread {
    /// Where it is kept.
    pub store: Arc<ThreadsDb>,
    /// Its row.
    pub head: Head,
}

impl Thread {
    /// The provenance of its rows.
    pub fn source(&self) -> Source {
        Source::new(&self.store.place, Some(self.head.rowid.to_string().into()))
    }

    /// What tells it from every other thread.
    pub fn key(&self) -> (Arc<OsStr>, i64) {
        (Arc::clone(&self.store.file), self.head.rowid)
    }

    /// Its document as stored and those of other rows of its store, as far as the amount holds them; `None` for one that
    /// must be read by itself.
    pub fn documents(&self, others: &[i64], amount: Amount) -> Result<Vec<(i64, Option<Stored>)>> {
        let rowids: Vec<i64> = std::iter::once(self.head.rowid).chain(others.iter().copied()).collect();
        if let Some(late) = &self.store.late {
            return self.with(|database| late.documents(database, &rowids));
        }
        let blobs = self.with(|database| database.blobs(TABLE, "data", &rowids, amount))?;
        let rest = |rowid| {
            let store = Arc::clone(&self.store);
            move || pool::with(&store.session, store.path(), |database| database.blob(TABLE, "data", rowid))
        };
        let stored = |rowid, blob: Blob| Stored { blob: blob.with_rest(rest(rowid)), trailing: None };
        Ok(rowids.into_iter().zip(blobs).map(|(rowid, blob)| (rowid, Some(stored(rowid, blob)))).collect())
    }

    /// Fills in what stands behind its document, where that was left for later.
    pub fn complete(&mut self) -> Result<()> {
        if let Some(late) = &self.store.late {
            let id = self.head.session_id.as_deref();
            self.head.trailing = self.with(|database| late.trailing(database, self.head.rowid, id))?;
        }
        Ok(())
    }

    fn with<T>(&self, ask: impl FnOnce(&mut Database) -> Result<T>) -> Result<T> {
        pool::with(&self.store.session, self.store.path(), ask)
    }

    /// Its document as stored; `None` when it was deleted meanwhile.
    pub fn blob(&self) -> Result<Option<Blob>> {
        self.with(|database| {
            match database.blob(TABLE, "data", self.head.rowid) {
                Err(error) if error.kind() == Kind::Busy => {}
                other => return other.map(Some),
            }
            // Until March 2026 a save replaced the row, so it may stand elsewhere by now.
            let Some(id) = &self.head.session_id else { return Ok(None) };
            let sql = "SELECT rowid FROM threads WHERE id = ?1";
            let rowid = database.query(sql, &[Param::Text(id)], |row| Ok(row.integer(0).unwrap_or_default()))?;
            rowid.first().map(|rowid| database.blob(TABLE, "data", *rowid)).transpose()
        })
    }
}

/// Opens a store and lists its threads as far as the scan asks for them, in the order of the store. A part of the table
/// that cannot be read is one error among them.
///
/// # Errors
/// When the store cannot be read at all, or its table is another one.
pub fn threads(
    found: &Found<super::stores::StoreKind>,
    scan: &Scan,
    asked: &Asked,
) -> Result<impl Iterator<Item = Result<Thread>> + use<>> {
    if let Some(problem) = &found.problem {
        return Err(problem.clone());
    }
    let mut late = None;
    let (mut heads, stamp) = pool::with(&scan.session, &found.path, |database| {
        let question = Question::new(database, scan, asked, &mut late)?;
        let heads = question.map_or_else(Vec::new, |question| question.heads(database));
        Ok((heads, database.proven().cloned()))
    })?;
    let (place, file) = (Arc::clone(&found.place), found.path.as_os_str().into());
    let stored = heads.iter().flatten().filter_map(|head| usize::try_from(head.blob_bytes?).ok());
    let (stored_bytes, session) = (stored.sum(), Arc::clone(&scan.session));
    let store = Arc::new(ThreadsDb { place, file, session, late, stored_bytes, stamp });
    let (range, is_by_rowid) = (scan.range(asked.time), scan.constraints.iter().any(|one| one.column == "rowid"));
    let is_admitted = |rowid: i64| scan.admits_record(&found.place.path, Some(&rowid.to_string()));
    let is_asked = |head: &Head| is_inside(&range, head.updated_at) && (!is_by_rowid || is_admitted(head.rowid));
    heads.retain(|head| head.as_ref().map_or(true, is_asked));
    Ok(heads.into_iter().map(move |head| head.map(|head| Thread { store: Arc::clone(&store), head })))
}

/// Is the time within the bounds? What is no time is not, once there are any.
pub fn is_inside(range: &Range, time: Option<Time>) -> bool {
    *range == Range::default() || range.admits(time.map(|time| time.to_string()).as_deref())
}

/// What a table asks of the rows.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The columns.
    pub wanted: Wanted,
    /// The table's column that shows `updated_at`: its bounds narrow the scan.
    pub time: &'static str,
    /// In a file of so many bytes what stands behind the documents is read with them; `None` where they may not be.
    pub late_from: Option<u64>,
}

impl Asked {
    fn is_late(&self, path: &Path) -> bool {
        let bytes = || path.metadata().map_or(0, |metadata| metadata.len());
        self.late_from.is_some_and(|from| bytes() >= from)
    }
}
