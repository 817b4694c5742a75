//! `threads.db`: the rows of its table, read without their documents.
//!
//! SQLite keeps a row's columns in the order in which they were added, and walks through the whole document to reach
//! those behind it. `id`, `summary`, `updated_at`, `data_type` stand in front; what came later is read only when asked
//! for. Columns are asked for by name: which are there, and in which order, differs from file to file.

use crate::error::{Error, Kind, Result};
use crate::store::find::Found;
use crate::store::sqlite::{Amount, Blob, Database, Param, Row, Stamp, pool};
use crate::table::{Place, Range, Scan, Session, Source};
use crate::time::Time;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

const TABLE: &str = "threads";
/// More keys than this are sought in a scan of all rows.
const MOST_KEYS: usize = 500;

/// Of a BLOB the length stands in front of the row; of text the characters would be counted.
const BYTES: &str = ", CASE typeof(data) WHEN 'blob' THEN length(data) ELSE length(CAST(data AS BLOB)) END";

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
    /// The thread that started this one.
    pub parent_id: Option<Arc<str>>,
    /// Is there a column for the parent? Files that an older Zed wrote have none.
    pub has_parent_column: bool,
    /// Sorted paths, one a line.
    pub folder_paths: Option<String>,
    /// The user's order of them.
    pub folder_paths_order: Option<String>,
    /// When it was first saved, where it is a time.
    pub created_at: Option<Time>,
}

/// A `threads.db`.
pub struct ThreadsDb {
    /// As provenance.
    pub place: Arc<Place>,
    /// The file's path. (As a [`Path`] its components would be hashed, one by one.)
    file: Arc<OsStr>,
    session: Arc<Session>,
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

    /// Its document as stored and those of other rows of its store, as far as the amount holds them.
    pub fn blobs(&self, others: &[i64], amount: Amount) -> Result<Vec<Blob>> {
        let rowids: Vec<i64> = std::iter::once(self.head.rowid).chain(others.iter().copied()).collect();
        let ask = |database: &mut Database| database.blobs(TABLE, "data", &rowids, amount);
        let blobs = pool::with(&self.store.session, self.store.path(), ask)?;
        let rest = |rowid| {
            let store = Arc::clone(&self.store);
            move || pool::with(&store.session, store.path(), |database| database.blob(TABLE, "data", rowid))
        };
        Ok(blobs.into_iter().zip(rowids).map(|(blob, rowid)| blob.with_rest(rest(rowid))).collect())
    }

    /// Its document as stored; `None` when it was deleted meanwhile.
    pub fn blob(&self) -> Result<Option<Blob>> {
        pool::with(&self.store.session, self.store.path(), |database| {
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
    let (mut heads, stamp) = pool::with(&scan.session, &found.path, |database| {
        let question = Question::new(database, scan, asked)?;
        let heads = question.map_or_else(Vec::new, |question| question.heads(database));
        Ok((heads, database.proven().cloned()))
    })?;
    let (place, file) = (Arc::clone(&found.place), found.path.as_os_str().into());
    let stored = heads.iter().flatten().filter_map(|head| usize::try_from(head.blob_bytes?).ok());
    let (stored_bytes, session) = (stored.sum(), Arc::clone(&scan.session));
    let store = Arc::new(ThreadsDb { place, file, session, stored_bytes, stamp });
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
}

/// The question for a store's rows.
struct Question {
    columns: String,
    wanted: Wanted,
    /// The last row's type: nearly all have the same.
    data_type: RefCell<Option<Arc<str>>>,
    has_parent_column: bool,
    keys: Option<Vec<String>>,
}

impl Question {
    /// `None` where the store has no threads at all: a file that Zed made and never filled.
    fn new(database: &mut Database, scan: &Scan, asked: &Asked) -> Result<Option<Self>> {
        let present = database.columns(TABLE)?;
        if present.is_empty() {
            return Ok(None);
        }
        let has = |name: &str| present.iter().any(|column| column.eq_ignore_ascii_case(name));
        if let Some(missing) = ["id", "data"].into_iter().find(|name| !has(name)) {
            return Err(Error::shape(format!("the table {TABLE} has no column {missing}")));
        }
        let wanted = asked.wanted;
        let mut columns = String::from("rowid, id");
        for (name, is_wanted) in [
            ("updated_at", true),
            ("data_type", true),
            ("summary", wanted.title),
            ("parent_id", wanted.parent),
            ("folder_paths", wanted.folders),
            ("folder_paths_order", wanted.folders),
            ("created_at", wanted.created),
        ] {
            let _ = write!(columns, ", {}", if is_wanted && has(name) { name } else { "NULL" });
        }
        columns.push_str(if wanted.bytes { BYTES } else { ", NULL" });
        let keys = scan.keys("session_id");
        let (has_parent_column, data_type) = (has("parent_id"), RefCell::default());
        Ok(Some(Self { columns, wanted, data_type, has_parent_column, keys }))
    }

    fn heads(&self, database: &mut Database) -> Vec<Result<Head>> {
        let all = match &self.keys {
            Some(keys) if keys.len() <= MOST_KEYS => self.keyed(database, keys),
            _ => self.ask(database, "ORDER BY rowid", &[]),
        };
        match all {
            Ok(heads) => heads.into_iter().filter(|head| self.is_asked(head)).map(Ok).collect(),
            Err(error) if error.kind() == Kind::Sqlite => self.salvaged(database, error),
            Err(error) => vec![Err(error)],
        }
    }

    fn is_asked(&self, head: &Head) -> bool {
        let is_key = |id: &Arc<str>, keys: &Vec<String>| keys.iter().any(|key| **key == **id);
        self.keys.as_ref().is_none_or(|keys| head.session_id.as_ref().is_some_and(|id| is_key(id, keys)))
    }

    /// By the table's own index. A key stored as bytes equals no text, so both are asked for.
    fn keyed(&self, database: &mut Database, keys: &[String]) -> Result<Vec<Head>> {
        let places = vec!["?, ?"; keys.len()].join(", ");
        let params: Vec<Param<'_>> =
            keys.iter().flat_map(|key| [Param::Text(key), Param::Blob(key.as_bytes())]).collect();
        self.ask(database, &format!("WHERE id IN ({places}) ORDER BY rowid"), &params)
    }

    fn ask(&self, database: &mut Database, rest: &str, params: &[Param<'_>]) -> Result<Vec<Head>> {
        let sql = format!("SELECT {} FROM {TABLE} {rest}", self.columns);
        database.query(&sql, params, |row| Ok(self.head(row)))
    }

    /// Row by row from both ends, for a store with a damaged page: what is left, and the error between.
    fn salvaged(&self, database: &mut Database, error: Error) -> Vec<Result<Head>> {
        let mut front = Vec::new();
        let mut last = i64::MIN;
        while let Ok(heads) = self.ask(database, "WHERE rowid > ?1 ORDER BY rowid LIMIT 1", &[last.into()]) {
            let Some(head) = heads.into_iter().next() else { break };
            last = head.rowid;
            front.push(head);
        }
        let mut back = Vec::new();
        let mut first = i64::MAX;
        while let Ok(heads) = self.ask(
            database,
            "WHERE rowid > ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT 1",
            &[last.into(), first.into()],
        ) {
            let Some(head) = heads.into_iter().next() else { break };
            first = head.rowid;
            back.push(head);
        }
        let asked = |heads: Vec<Head>| heads.into_iter().filter(|head| self.is_asked(head)).map(Ok);
        let missing = std::iter::once(Err(error));
        asked(front).chain(missing).chain(asked(back.into_iter().rev().collect())).collect()
    }

    fn head(&self, row: &Row<'_>) -> Head {
        // What was not asked for is NULL: not worth a look.
        let text = |column, is_wanted: bool| if is_wanted { row.text(column) } else { None };
        let owned = |column, is_wanted| text(column, is_wanted).map(Cow::into_owned);
        let shared = |column, is_wanted| text(column, is_wanted).map(Arc::<str>::from);
        let time = |column, is_wanted| text(column, is_wanted).and_then(|text| Time::parse_rfc3339(&text));
        let wanted = self.wanted;
        Head {
            rowid: row.integer(0).unwrap_or_default(),
            session_id: shared(1, true),
            updated_at: time(2, true),
            data_type: row.text(3).map(|text| self.data_type(&text)),
            title: shared(4, wanted.title),
            parent_id: shared(5, wanted.parent),
            has_parent_column: self.has_parent_column,
            folder_paths: owned(6, wanted.folders),
            folder_paths_order: owned(7, wanted.folders),
            created_at: time(8, wanted.created),
            blob_bytes: row.integer(9),
        }
    }

    fn data_type(&self, text: &str) -> Arc<str> {
        let mut last = self.data_type.borrow_mut();
        match &*last {
            Some(last) if **last == *text => Arc::clone(last),
            _ => Arc::clone(last.insert(text.into())),
        }
    }
}
