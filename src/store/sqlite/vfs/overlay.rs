//! What stands behind an open file: the state that is being read, and what became of it.

use crate::error::{Error, Kind};
use crate::store::sqlite::host::HostFile;
use crate::store::sqlite::state::pages::Pages;
use crate::store::sqlite::state::{Clock, Files, Freshness, Identity, Proof, Refusal, State, io_error};
use rusqlite::ffi;
use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Kept pages may take this many bytes.
const KEPT_BYTES: u64 = 256 << 20;
/// Attempts at a state before the store counts as moving too fast.
const ATTEMPTS: u32 = 40;

/// A store as SQLite sees it through this VFS.
pub struct Overlay {
    files: Files,
    main: HostFile,
    clock: Clock,
    state: Option<State>,
    /// Stands in for the file's change counter: new with each state, so that the pager drops its cache.
    generation: u32,
    is_locked: bool,
    /// Were pages served since the last proof?
    has_unproven: bool,
    /// Proof 9: prepare and step are two read transactions. If the state was replaced between them and what the
    /// first one read was not proven, the schema may be torn: the connection must go.
    is_tainted: bool,
    /// Pages read in one burst and proven at once, for a store that moves faster than a question can be answered.
    kept: Option<Pages<Box<[u8]>>>,
    failure: Option<Error>,
    moved: Option<&'static str>,
}

impl Overlay {
    /// An overlay over a file that the host's VFS opened; `path` is the name that it was opened by.
    pub fn new(path: PathBuf, main: HostFile) -> Self {
        let clock = Clock::of(&path);
        Self {
            files: Files::of(path),
            main,
            clock,
            state: None,
            generation: 0,
            is_locked: false,
            has_unproven: false,
            is_tainted: false,
            kept: None,
            failure: None,
            moved: None,
        }
    }

    /// Builds a new state in which `pages` are read at once and proven together. Later reads stay on that state, and
    /// a page beyond these is proven by itself, as it is read. To be called before the first read.
    pub fn keep(&mut self, pages: &[u32]) {
        self.renew(pages);
    }

    /// Start of a read transaction: brings the state up to date, or says that it cannot be had.
    ///
    /// Never `SQLITE_BUSY`: a busy handler (rusqlite sets one of 5 s) would ask again and again.
    pub fn begin(&mut self) -> c_int {
        if self.is_locked {
            return ffi::SQLITE_OK;
        }
        if self.failure.is_none() && self.refresh() {
            self.is_locked = true;
            return ffi::SQLITE_OK;
        }
        ffi::SQLITE_IOERR_LOCK
    }

    /// End of a read transaction.
    pub fn end(&mut self) {
        self.is_locked = false;
    }

    /// Is the state the newest now? False: it cannot be had.
    fn refresh(&mut self) -> bool {
        if self.kept.is_some() {
            return true; // proven page by page: stay on it
        }
        let Some(state) = &mut self.state else { return self.renew(&[]) };
        let freshness = match state.freshness(&self.files) {
            Ok(Freshness::Same) => return true,
            Ok(freshness) => freshness,
            Err(error) => return self.fail(error),
        };
        self.is_tainted |= self.has_unproven && state.check(&self.files).is_err();
        if freshness == Freshness::Grown && !self.is_tainted {
            match state.extend() {
                Ok(has_more) => {
                    if has_more {
                        self.generation = next_generation();
                    }
                    return true;
                }
                Err(Refusal::Failed(error)) => return self.fail(error),
                Err(Refusal::Moved(_)) => {}
            }
        }
        self.renew(&[])
    }

    /// Puts a new state in the old one's place; with `pages` to keep, they are read and proven at once.
    fn renew(&mut self, pages: &[u32]) -> bool {
        self.state = None;
        self.kept = None;
        self.generation = next_generation();
        for attempt in 0..ATTEMPTS {
            match self.attempt(pages) {
                Ok(()) => {
                    self.moved = None;
                    return true;
                }
                Err(Refusal::Moved(how)) => self.moved = Some(how),
                Err(Refusal::Failed(error)) => return self.fail(error),
            }
            // The moments in which a store cannot be read are shorter than a millisecond, or a clock tick of 4 ms.
            if attempt > 2 {
                std::thread::sleep(Duration::from_micros(if attempt < 20 { 150 } else { 2000 }));
            }
        }
        false
    }

    fn attempt(&mut self, pages: &[u32]) -> Proof {
        let mut state = State::build(&self.files, &self.main, self.clock)?;
        let mut kept = Pages::default();
        let page_size = state.page_size();
        if page_size > 0 {
            let (within, room) = (1..=state.pages(), (KEPT_BYTES / u64::from(page_size)) as usize);
            for page in pages.iter().filter(|page| within.contains(page)).take(room) {
                let mut bytes = vec![0; page_size as usize].into_boxed_slice();
                let is_there = state.read_page(&self.main, *page, &mut bytes);
                if is_there.map_err(|error| io_error(&self.files.main, &error))? {
                    kept.insert(*page, bytes);
                }
            }
            if !kept.is_empty() {
                state.check(&self.files)?;
                self.kept = Some(kept);
            }
        }
        self.state = Some(state);
        Ok(())
    }

    fn fail(&mut self, error: Error) -> bool {
        self.failure = Some(error);
        false
    }

    /// After a statement: may what it gave be given out?
    pub fn prove(&mut self) -> Proof {
        if let Some(error) = &self.failure {
            return Err(Refusal::Failed(error.clone()));
        }
        if let Some(how) = self.moved {
            return Err(Refusal::Moved(how));
        }
        if self.is_tainted {
            return Err(Refusal::Moved("the schema was read while it changed"));
        }
        if let Some(state) = self.state.as_ref().filter(|_| self.kept.is_none()) {
            state.check(&self.files)?;
            self.has_unproven = false;
        }
        Ok(())
    }

    /// Brings the state up to date outside a read, and says which one it is.
    pub fn newest(&mut self) -> Proof<Identity> {
        if !self.is_locked && !self.refresh() {
            self.prove()?;
        }
        self.identity()?.ok_or(Refusal::Moved("nothing could be read"))
    }

    /// Which state was read last; `None` before the first read.
    pub fn identity(&self) -> Proof<Option<Identity>> {
        Ok(self.state.as_ref().map(|state| state.identity(&self.files)).transpose()?)
    }

    /// The state that is being read.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Does it hold kept pages? They are one old state: not for the next question.
    pub fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Every page that was asked for.
    pub fn pages_read(&self) -> Vec<u32> {
        let read = self.state.iter().flat_map(State::pages_read);
        read.chain(self.kept.iter().flat_map(|kept| kept.keys().copied())).collect()
    }

    /// Bytes of the database.
    pub fn len(&self) -> u64 {
        self.state.as_ref().map_or(0, State::len)
    }

    /// Fills `out` from `offset` of the database; a SQLite result code.
    pub fn read(&mut self, out: &mut [u8], offset: u64) -> c_int {
        // The pager peeks at the header when a connection opens, under no lock and so under no proof. Zeros and
        // "short read" mean a new, empty file to it; under the lock it looks again.
        if !self.is_locked {
            out.fill(0);
            return ffi::SQLITE_IOERR_SHORT_READ;
        }
        self.has_unproven = true;
        let Some(state) = &mut self.state else { return ffi::SQLITE_IOERR_READ };
        let page_size = state.page_size() as usize;
        let available = usize::try_from(state.len().saturating_sub(offset)).unwrap_or(usize::MAX).min(out.len());
        let (wanted, beyond) = out.split_at_mut(available);
        beyond.fill(0);
        let code = match page_size {
            0 => self.read_bare(wanted, offset),
            _ => self.read_pages(wanted, offset, page_size as u64),
        };
        match code {
            ffi::SQLITE_OK if !beyond.is_empty() => ffi::SQLITE_IOERR_SHORT_READ,
            code => code,
        }
    }

    /// No database that we understand: SQLite sees the bytes as they are and says what is wrong.
    fn read_bare(&mut self, out: &mut [u8], offset: u64) -> c_int {
        use crate::store::sqlite::state::bytes::ReadAt;
        match self.main.read_at(out, offset) {
            Ok(got) if got == out.len() => ffi::SQLITE_OK,
            Ok(_) => ffi::SQLITE_IOERR_SHORT_READ,
            Err(_) => ffi::SQLITE_IOERR_READ,
        }
    }

    fn read_pages(&mut self, mut out: &mut [u8], mut offset: u64, page_size: u64) -> c_int {
        while !out.is_empty() {
            let within = offset % page_size;
            let page = u32::try_from(offset / page_size + 1).unwrap_or(u32::MAX);
            let room = usize::try_from(page_size - within).unwrap_or(usize::MAX).min(out.len());
            let (part, rest) = std::mem::take(&mut out).split_at_mut(room);
            let code = if part.len() as u64 == page_size {
                self.read_page(page, part)
            } else {
                let mut whole = vec![0; page_size as usize];
                let code = self.read_page(page, &mut whole);
                let start = usize::try_from(within).unwrap_or(usize::MAX);
                whole.iter().skip(start).zip(part.iter_mut()).for_each(|(from, to)| *to = *from);
                code
            };
            if code != ffi::SQLITE_OK {
                return code;
            }
            self.mask_header(part, offset);
            offset += room as u64;
            out = rest;
        }
        ffi::SQLITE_OK
    }

    fn read_page(&mut self, page: u32, out: &mut [u8]) -> c_int {
        if let Some(bytes) = self.kept.as_ref().and_then(|kept| kept.get(&page)).filter(|it| it.len() == out.len()) {
            out.copy_from_slice(bytes);
            return ffi::SQLITE_OK;
        }
        let Some(state) = &mut self.state else { return ffi::SQLITE_IOERR_READ };
        let is_there = state.read_page(&self.main, page, out);
        if self.kept.is_some() {
            // A page that is not there, too, must be proven to be the store's own fault.
            match state.check_page(&self.files, page) {
                Ok(()) => {}
                Err(Refusal::Moved(how)) => {
                    self.moved = Some(how);
                    return ffi::SQLITE_IOERR_READ;
                }
                Err(Refusal::Failed(error)) => {
                    self.failure = Some(error);
                    return ffi::SQLITE_IOERR_READ;
                }
            }
        }
        match is_there {
            Ok(true) => ffi::SQLITE_OK,
            Ok(false) => ffi::SQLITE_CORRUPT,
            Err(error) => {
                let text = Error::new(Kind::Io, error.to_string()).in_file(self.files.main.display().to_string());
                self.failure = Some(text);
                ffi::SQLITE_IOERR_READ
            }
        }
    }

    /// Three fields of the header are ours, wherever in it a read begins: no write-ahead log (18, 19), and a change
    /// counter (24 and, where the size in the header counts, the same again at 92) that is new with each state.
    fn mask_header(&self, out: &mut [u8], offset: u64) {
        if offset >= 100 {
            return;
        }
        let counter = self.generation.to_be_bytes();
        let is_unequal = self.state.as_ref().is_some_and(State::has_unequal_counters);
        let second = if is_unequal { self.generation.wrapping_add(1).to_be_bytes() } else { counter };
        let fields: [(u64, &[u8]); 3] = [(18, &[1, 1]), (24, &counter), (92, &second)];
        for (start, bytes) in fields {
            for (position, byte) in (start..).zip(bytes) {
                let slot = position.checked_sub(offset).and_then(|index| out.get_mut(usize::try_from(index).ok()?));
                if let Some(slot) = slot {
                    *slot = *byte;
                }
            }
        }
    }
}

fn next_generation() -> u32 {
    static GENERATION: AtomicU32 = AtomicU32::new(1);
    GENERATION.fetch_add(1, Relaxed)
}
