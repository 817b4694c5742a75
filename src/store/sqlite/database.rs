//! A store and the questions that can be put to it.

use super::blob::{Amount, Blob};
use super::columns::KnownTables;
use super::connection::{self, Connection};
use super::row::{Param, Row};
use super::state::{Identity, Proof, Refusal, State, platform};
use crate::error::{Error, Kind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Asked often while SQLite works: true ends the question with the error `busy: interrupted`.
pub type Interrupt = Arc<dyn Fn() -> bool + Send + Sync>;

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// Largest value (text or blob) in bytes that SQLite hands out; its own default is 1,000,000,000.
    pub max_value_bytes: i32,
    /// Asked often while SQLite works.
    pub interrupt: Option<Interrupt>,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_value_bytes: 1_000_000_000, interrupt: None }
    }
}

/// The committed state of a store: two equal stamps mean equal contents (but not the other way round: a checkpoint
/// changes the stamp and no row).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stamp(Identity);

/// A question is given up when the store has kept changing for this long.
const PATIENCE: Duration = Duration::from_secs(3);
/// Attempts at a question, and the attempt from which pages are kept, or the whole of a small store.
const ATTEMPTS: u32 = 40;
const KEEP_FROM: u32 = 1;
const KEEP_ALL_FROM: u32 = 5;
const KEEP_ALL_BYTES: u64 = 32 << 20;
/// Room for pages, enough to check a small store whole beside a busy writer.
const KEPT_KIB: u32 = 1024;

/// Another program's database, open for questions.
///
/// Nothing is locked and nothing is held between questions but an open file, so a `Database` may be kept for as long
/// as one likes: each question sees the newest committed state. Answers are given out once they are proven to come
/// from one committed state; a question is asked again when the store moved meanwhile.
pub struct Database {
    path: PathBuf,
    options: Options,
    connection: Option<Connection>,
    /// State that the last answer came from.
    proven: Option<Stamp>,
    pub(super) tables: KnownTables,
}

impl Database {
    /// Opens the store at `path` with default [`Options`].
    ///
    /// Links are resolved first, since log and journal lie beside their target. An empty file is a database without
    /// tables.
    ///
    /// # Errors
    /// [`Kind::Io`] when it cannot be read or is no regular file (nothing blocks on a FIFO or a device),
    /// [`Kind::Sqlite`] when it is no database, [`Kind::Busy`] when it kept changing while it was read.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Options::default())
    }

    /// Opens the store at `path`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(path: &Path, options: Options) -> Result<Self> {
        let shown = || path.display().to_string();
        let resolved = resolve(path).map_err(|error| error.in_file(shown()))?;
        if let Some(kind) = platform::remote_kind(&resolved) {
            let what = format!("{kind} hides what others write: copy the store and its -wal, or mount it read-only");
            return Err(Error::new(Kind::Io, what).in_file(shown()));
        }
        let mut database =
            Self { path: resolved, options, connection: None, proven: None, tables: KnownTables::default() };
        // The schema is parsed here, so that whatever is wrong with the file is said now.
        database.query("SELECT 1 FROM sqlite_master LIMIT 1", &[], |_| Ok(()))?;
        Ok(database)
    }

    /// The store's file, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets or removes the interrupt hook.
    pub fn set_interrupt(&mut self, interrupt: Option<Interrupt>) {
        self.options.interrupt = interrupt;
        self.connection = None;
    }

    /// Asks `sql` and gives what `read` makes of its rows, all of them from one committed state.
    ///
    /// The whole answer is kept in memory until it is proven: for many or large rows use [`Batches`](super::Batches)
    /// or [`Self::blob`]. When the store moved the question is asked again, so `read` may see a row several times; what
    /// it returned before is thrown away. Its own error ends the question, and is proven like any answer.
    ///
    /// # Errors
    /// [`Kind::Sqlite`] for what SQLite says about the question or the store, [`Kind::Io`], and [`Kind::Busy`] when
    /// the store kept changing or the interrupt hook said stop.
    pub fn query<T>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.prove(|connection| Ok(connection.ask(sql, params, &mut read)?))
    }

    /// A reader for one TEXT or BLOB value, however large.
    ///
    /// # Errors
    /// [`Kind::Shape`] when the value is neither, [`Kind::Busy`] when the row is gone. Otherwise as [`Self::query`].
    pub fn blob(&mut self, table: &str, column: &str, rowid: i64) -> Result<Blob> {
        Blob::open(self, table, column, rowid)
    }

    /// Readers for the values at the first of these rows: as many as the amount holds, but one at least, all of one
    /// committed state and proven together, which costs a fraction of asking for each.
    ///
    /// # Errors
    /// As [`Self::blob`], of the first row. A row further on that cannot be read ends the answer in front of it.
    pub fn blobs(&mut self, table: &str, column: &str, rowids: &[i64], amount: Amount) -> Result<Vec<Blob>> {
        Blob::open_all(self, table, column, rowids, amount)
    }

    /// The newest committed state, found without asking SQLite. Equal stamps mean equal contents.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn stamp(&mut self) -> Result<Stamp> {
        self.prove(|connection| connection.overlay()?.newest().map(Stamp))
    }

    /// The state that the last answer came from: what a cache that keeps this answer compares with [`Self::stamp`].
    pub fn proven(&self) -> Option<&Stamp> {
        self.proven.as_ref()
    }

    /// How the store's writers keep it sound: `wal`, `delete`, `truncate` or `persist`.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn journal(&mut self) -> Result<&'static str> {
        self.prove(|connection| {
            let overlay = connection.overlay()?;
            overlay.newest()?;
            Ok(overlay.state().map_or("delete", State::journal_mode))
        })
    }

    /// The options it was opened with.
    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    /// Runs until what came out, be it an error, is proven to come from one committed state.
    pub(super) fn prove<T>(&mut self, mut run: impl FnMut(&mut Connection) -> Proof<T>) -> Result<T> {
        let mut retry = Retry::new(self.options.interrupt.clone());
        let mut keep = Vec::new();
        loop {
            match self.attempt(&keep, &mut run) {
                Ok(answer) => return Ok(answer),
                Err(Refusal::Moved(how)) => {
                    // The connection's schema may be torn: it goes, but what it asked for is asked for again.
                    let asked = self.connection.take().map(|it| retry.pages_to_keep(it)).transpose()?;
                    keep.extend(asked.into_iter().flatten());
                    keep.sort_unstable();
                    keep.dedup();
                    retry.again(how)
                }
                Err(Refusal::Failed(error)) => Err(error),
            }
            .map_err(|error| error.in_file(self.path.display().to_string()))
            .inspect_err(|_| self.connection = None)?;
        }
    }

    fn attempt<T>(&mut self, keep: &[u32], run: &mut impl FnMut(&mut Connection) -> Proof<T>) -> Proof<T> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            empty => {
                let mut connection = Connection::open(&self.path, &self.options)?;
                if !keep.is_empty() {
                    connection.overlay()?.keep(keep);
                }
                connection.keep_few_pages(KEPT_KIB);
                empty.insert(connection)
            }
        };
        let answer = run(connection);
        // An error is an answer too: it may come from torn bytes.
        let overlay = connection.overlay()?;
        overlay.prove()?;
        self.proven = overlay.identity()?.map(Stamp);
        // Kept pages are one old state: not for the next question.
        if overlay.is_kept() || answer.is_err() {
            self.connection = None;
        }
        answer
    }
}

/// When to ask again, and when to give up.
pub(super) struct Retry {
    end: Instant,
    attempt: u32,
    interrupt: Option<Interrupt>,
}

impl Retry {
    /// The clock starts now.
    pub fn new(interrupt: Option<Interrupt>) -> Self {
        Self { end: Instant::now() + PATIENCE, attempt: 0, interrupt }
    }

    /// Waits a little before the next attempt, or says why there is none.
    pub fn again(&mut self, how: &'static str) -> Result<()> {
        self.attempt += 1;
        if self.interrupt.as_ref().is_some_and(|hook| hook()) {
            return Err(connection::interrupted());
        }
        if self.attempt >= ATTEMPTS || Instant::now() > self.end {
            return Err(Error::new(Kind::Busy, format!("kept changing while it was read ({how})")));
        }
        if self.attempt > 8 {
            std::thread::sleep(Duration::from_millis(u64::from(self.attempt / 4)));
        }
        Ok(())
    }

    /// A store that moved twice during a question is asked with the pages of the first attempts read in one burst;
    /// if it names other pages faster than they can be kept, the whole of a small store is.
    fn pages_to_keep(&self, mut connection: Connection) -> Result<Vec<u32>> {
        let overlay = connection.overlay()?;
        let is_small = |state: &&State| state.len() <= KEEP_ALL_BYTES;
        Ok(match overlay.state().filter(is_small) {
            _ if self.attempt < KEEP_FROM => Vec::new(),
            Some(state) if self.attempt >= KEEP_ALL_FROM => (1..=state.pages()).collect(),
            _ => overlay.pages_read(),
        })
    }
}

/// The file itself: links resolved, and a regular file.
pub(super) fn resolve(path: &Path) -> Result<PathBuf> {
    let resolved = std::fs::canonicalize(path)?;
    let kind = std::fs::metadata(&resolved)?.file_type();
    if kind.is_dir() {
        return Err(Error::new(Kind::Io, "a directory, not a file"));
    }
    if !kind.is_file() {
        return Err(Error::new(Kind::Io, "not a regular file"));
    }
    Ok(resolved)
}

/// An SQL name in quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
