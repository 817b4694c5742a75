//! Finding one committed state: what stands beside the main file, and where each page's bytes are.

use super::REPLACED;
use super::ahead::Ahead;
use super::bytes::ReadAt;
use super::header::Header;
use super::journal::Journal;
use super::pages::PageSet;
use super::platform;
use super::sidecar::Sidecar;
use super::stamp::{Clock, Look, Stamp};
use super::wal::Wal;
use super::{Files, Proof, Refusal, damage, io_error};
use crate::error::{Error, Kind};
use crate::store::sqlite::host::HostFile;
use std::cell::Cell;

/// One committed state, and which of its pages were read.
pub struct State {
    /// The main file before anything else was looked at, and again before the index took in more.
    pub(super) look: Look,
    /// The log, if it is valid.
    pub(super) log: Option<Sidecar<Wal>>,
    /// The rollback journal, if it is valid.
    pub(super) journal: Option<Sidecar<Journal>>,
    /// What stood at the sidecars' places when they were not used.
    pub(super) unused_log: Option<Stamp>,
    pub(super) unused_journal: Option<Stamp>,
    /// Is the journal to be undone? (A journal whose super-journal is gone is dead.)
    pub(super) is_undone: bool,
    header: Header,
    /// Page size in bytes; 0: not a database that we understand, bytes pass as they are.
    pub(super) page_size: u32,
    /// Bytes of the committed database.
    pub(super) len: u64,
    pub(super) has_unequal_counters: bool,
    pub(super) clock: Clock,
    /// The log's stamp when it was last compared with the index.
    pub(super) confirmed: Cell<Option<Stamp>>,
    pub(super) ahead: Ahead,
    /// Pages read from the main file or the journal.
    pub(super) read: PageSet,
    /// Pages read from the log.
    pub(super) read_from_log: PageSet,
}

/// What tells a committed state from every other state of the same store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    stamp: Stamp,
    counter: [u8; 4],
    log: Option<([u8; 32], u64, (u32, u32))>,
    journal: Option<([u8; 28], bool)>,
}

impl State {
    /// One attempt at a consistent starting point.
    ///
    /// Proof 6, order matters: look at the main file, *then* at log and journal, read, look at the main file again.
    /// That no log and no journal is there at that moment says that the file is a whole committed state; equal
    /// stamps say that it stayed one. A write in flight at the first look is excluded by the second, or covered by
    /// the journal, which holds its page.
    pub fn build(files: &Files, main: &HostFile, clock: Clock) -> Proof<Self> {
        let missing = || Error::new(Kind::Io, "no such file").in_file(files.main.display().to_string());
        let look = clock.look(&files.main)?.ok_or_else(missing)?;
        if main.has_moved() {
            return Err(Refusal::Moved(REPLACED));
        }
        let header = main.array_at(0).map_err(|error| io_error(&files.main, &error))?;
        let header = header.map_or_else(Header::default, |bytes| Header::parse(&bytes));
        let mut state = Self::bare(look, header, main_len(files, main)?, clock);
        // An empty main file is an empty database: SQLite throws both sidecars away.
        if state.len > 0 {
            state.open_log(files)?;
            state.open_journal(files)?;
        }
        state.settle_size(files, main)?;
        state.confirm(files, main)?;
        state.note_counters(files, main)?;
        Ok(state)
    }

    fn bare(look: Look, header: Header, len: u64, clock: Clock) -> Self {
        Self {
            look,
            log: None,
            journal: None,
            unused_log: None,
            unused_journal: None,
            is_undone: false,
            header,
            page_size: header.page_size,
            len,
            has_unequal_counters: false,
            clock,
            confirmed: Cell::new(None),
            ahead: Ahead::default(),
            read: PageSet::default(),
            read_from_log: PageSet::default(),
        }
    }

    fn open_log(&mut self, files: &Files) -> Proof {
        let Some(file) = Sidecar::open(&files.log)? else { return Ok(()) };
        let failed = |what| damage(&files.log, what);
        match Wal::open(&file.file).map_err(failed)? {
            Some(mut index) => {
                index.extend(&file.file).map_err(failed)?;
                self.log = Some(file.with(index));
            }
            None => self.unused_log = Some(file.stamp),
        }
        Ok(())
    }

    fn open_journal(&mut self, files: &Files) -> Proof {
        let Some(file) = Sidecar::open(&files.journal)? else { return Ok(()) };
        let index = Journal::open(&file.file, file.stamp.len, self.page_size);
        match index.map_err(|what| damage(&files.journal, what))? {
            Some(index) => {
                self.is_undone = is_live(&index);
                self.journal = Some(file.with(index));
            }
            None => self.unused_journal = Some(file.stamp),
        }
        Ok(())
    }

    /// Page size and length: the log's last commit says them, else the journal, else the main file.
    fn settle_size(&mut self, files: &Files, main: &HostFile) -> Proof {
        if let Some(journal) = self.undone() {
            let (page_size, size) = (journal.index.page_size(), journal.index.size());
            // The first page of the main file may be half-written: the journal's word counts then.
            if self.page_size == 0 {
                self.page_size = page_size;
            }
            if page_size != self.page_size {
                return Err(Refusal::Moved("the journal has another page size"));
            }
            self.len = u64::from(size) * u64::from(page_size);
        }
        let Some(log) = &self.log else { return Ok(()) };
        if log.index.frames() > 0 {
            if self.page_size == 0 {
                self.page_size = log.index.page_size();
            }
            if self.page_size != log.index.page_size() {
                return Err(Refusal::Moved("the log has another page size"));
            }
            self.len = u64::from(log.index.size()) * u64::from(self.page_size);
        } else if self.journal.is_none() {
            // Proof 5: nothing is committed in this log yet, so the main file's length is the state's. It is taken
            // after the index; `confirm` then sees to it that there is still no commit.
            self.len = main_len(files, main)?;
        }
        Ok(())
    }

    /// Did the store hold still while the state was put together?
    fn confirm(&self, files: &Files, main: &HostFile) -> Proof {
        if let Some(log) = &self.log {
            let has_newer = log.index.has_newer(&log.file).map_err(|error| log.error(&error))?;
            if has_newer && log.index.frames() == 0 {
                return Err(Refusal::Moved("the log began to fill"));
            }
            self.confirm_log(log)?;
        } else {
            self.refuse_unseen_writer(main)?;
        }
        if self.rests_on_main() {
            if !self.look.is_settled {
                return Err(Refusal::Moved("it was written within this tick of the clock"));
            }
            self.confirm_main(files)?;
        }
        Ok(())
    }

    /// Proof 10: a writer that keeps its journal in memory, or keeps none, leaves one trace, its lock. RESERVED alone
    /// is harmless; EXCLUSIVE means that pages may be half-written with nothing on disk to undo them.
    fn refuse_unseen_writer(&self, main: &HostFile) -> Proof {
        let has_journal = self.journal.is_some() || self.unused_journal.is_some_and(|stamp| stamp.len > 0);
        let is_rollback = self.header.page_size != 0 && self.header.version == 1;
        let is_asked = platform::CAN_ASK_FOR_LOCKS && is_rollback && !has_journal;
        if is_asked && main.is_reserved() && !platform::is_only_reserved(&self.look.stamp) {
            return Err(Refusal::Moved("a writer holds it exclusively, with no journal on disk"));
        }
        Ok(())
    }

    /// A writer older than 3.7.0 leaves the two counters in the header different, and then the size in the header
    /// does not count. They are replaced by ours on reading: this remembers to keep them different.
    fn note_counters(&mut self, files: &Files, main: &HostFile) -> Proof {
        if self.page_size == 0 {
            return Ok(());
        }
        let mut page = vec![0; self.page_size as usize];
        if self.read_page(main, 1, &mut page).map_err(|error| io_error(&files.main, &error))? {
            self.has_unequal_counters = page.get(24..28) != page.get(92..96);
        }
        Ok(())
    }

    /// What tells this state from others. The main file's stamp is part of it even where the log alone decides, so
    /// that a store that was overwritten in place counts as another one.
    pub fn identity(&self, files: &Files) -> Result<Identity, Error> {
        let now = if self.rests_on_main() { None } else { Stamp::at(&files.main)? };
        Ok(Identity {
            stamp: now.unwrap_or(self.look.stamp),
            counter: self.header.counter,
            log: self.log.as_ref().map(|log| log.index.identity()),
            journal: self.journal.as_ref().map(|journal| (journal.index.identity(), self.is_undone)),
        })
    }

    /// How the store's writers keep it sound, as `PRAGMA journal_mode` would name it. What a journal in memory, or
    /// none, looks like from outside is `delete`.
    pub fn journal_mode(&self) -> &'static str {
        let is_log_in_use = self.log.as_ref().is_some_and(|log| log.index.frames() > 0);
        match (is_log_in_use || self.header.version == 2, self.unused_journal) {
            (true, _) => "wal",
            (false, Some(stamp)) if stamp.len == 0 => "truncate",
            (false, Some(_)) => "persist",
            (false, None) => "delete",
        }
    }

    /// Takes in what was committed to the log since; false: nothing was.
    pub fn extend(&mut self, files: &Files) -> Proof<bool> {
        let Some(log) = &mut self.log else { return Ok(false) };
        let look = self.clock.look(&files.main)?;
        let is_first = log.index.frames() == 0;
        if !log.index.extend(&log.file).map_err(|what| damage(&log.path, what))? {
            return Ok(false);
        }
        let (page_size, size) = (log.index.page_size(), log.index.size());
        if is_first && page_size != self.page_size {
            return Err(Refusal::Moved("the log has another page size"));
        }
        self.look = look.filter(|look| look.stamp.id == self.look.stamp.id).ok_or(Refusal::Moved(REPLACED))?;
        self.len = u64::from(size) * u64::from(page_size);
        self.read = PageSet::default();
        self.read_from_log = PageSet::default();
        if let Some(log) = &self.log {
            self.confirm_log(log)?;
        }
        Ok(true)
    }

    /// The journal, if it is to be undone.
    pub(super) fn undone(&self) -> Option<&Sidecar<Journal>> {
        self.journal.as_ref().filter(|_| self.is_undone)
    }
}

/// Proof 11: a journal that names a super-journal belongs to a transaction over several databases, and the removal of
/// the super-journal is what commits it: undo iff that file exists (to SQLite an empty file does not).
pub(super) fn is_live(journal: &Journal) -> bool {
    let Some(name) = journal.super_journal() else { return true };
    let metadata = platform::path_of(name).and_then(|path| std::fs::metadata(path).ok());
    metadata.is_some_and(|it| !it.is_file() || it.len() > 0)
}

fn main_len(files: &Files, main: &HostFile) -> Result<u64, Error> {
    main.size().map_err(|error| io_error(&files.main, &error))
}
