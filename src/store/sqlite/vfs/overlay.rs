//! What stands behind an open file: the state that is being read, and what became of it.

use crate::error::Error;
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
    pub(super) files: Files,
    pub(super) main: HostFile,
    pub(super) clock: Clock,
    pub(super) state: Option<State>,
    /// Stands in for the file's change counter: new with each state, so that the pager drops its cache.
    pub(super) generation: u32,
    pub(super) is_locked: bool,
    /// Were pages served since the last proof?
    pub(super) has_unproven: bool,
    /// Proof 9: prepare and step are two read transactions. If the state was replaced between them and what the
    /// first one read was not proven, the schema may be torn: the connection must go.
    pub(super) is_tainted: bool,
    /// Pages read in one burst and proven at once, for a store that moves faster than a question can be answered.
    pub(super) kept: Option<Pages<Box<[u8]>>>,
    /// Room for a page of which a part is asked for.
    pub(super) scratch: Vec<u8>,
    pub(super) failure: Option<Error>,
    pub(super) moved: Option<&'static str>,
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
            scratch: Vec::new(),
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

    /// A value of so many bytes is read next.
    pub fn expect(&mut self, bytes: u64) {
        if let Some(state) = &mut self.state {
            state.expect(bytes);
        }
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
            match state.extend(&self.files) {
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
}

fn next_generation() -> u32 {
    static GENERATION: AtomicU32 = AtomicU32::new(1);
    GENERATION.fetch_add(1, Relaxed)
}
