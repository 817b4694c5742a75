//! What the pager gets when it reads.

use super::Overlay;
use crate::error::{Error, Kind};
use crate::store::sqlite::state::bytes::ReadAt;
use crate::store::sqlite::state::{Refusal, State};
use rusqlite::ffi;
use std::ffi::c_int;

impl Overlay {
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
                self.read_part(page, within as usize, page_size as usize, part)
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

    /// A part of a page. The whole of it is read: one that is cut off is damaged, whichever part is asked for.
    fn read_part(&mut self, page: u32, within: usize, page_size: usize, out: &mut [u8]) -> c_int {
        let mut whole = std::mem::take(&mut self.scratch);
        whole.resize(page_size, 0);
        let code = self.read_page(page, &mut whole);
        if let Some(part) = whole.get(within..within.saturating_add(out.len())) {
            out.copy_from_slice(part);
        }
        self.scratch = whole;
        code
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
