//! Reading one page of a state: where its bytes are.

use super::bytes::ReadAt;
use super::journal::lock_page;
use super::snapshot::State;
use crate::store::sqlite::host::HostFile;
use std::io;

/// Where the committed bytes of a page are.
enum Place {
    Main,
    Log(u64),
    Journal(u64),
    /// The page that holds the lock bytes: never read, all zeros.
    Nowhere,
}

impl State {
    /// Page size in bytes; 0 when the file is no database.
    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Bytes of the committed database.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Pages of the committed database.
    pub fn pages(&self) -> u32 {
        u32::try_from(self.len.checked_div(u64::from(self.page_size)).unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// Do the header's two counters differ?
    pub fn has_unequal_counters(&self) -> bool {
        self.has_unequal_counters
    }

    /// A value of so many bytes is read next.
    pub fn expect(&mut self, bytes: u64) {
        self.ahead.expect(bytes);
    }

    /// Reads one whole page. False: the page ought to be there and is not (SQLite would take zeros for it; a cut
    /// store must fail loudly instead).
    pub fn read_page(&mut self, main: &HostFile, page: u32, out: &mut [u8]) -> io::Result<bool> {
        let place = self.place(page);
        match place {
            Place::Log(_) => self.read_from_log.insert(page),
            _ => self.read.insert(page),
        }
        let got = match (place, &self.log, &self.journal) {
            (Place::Main, ..) => {
                return self.ahead.read(main, out, u64::from(page - 1) * u64::from(self.page_size));
            }
            (Place::Log(offset), Some(log), _) => log.file.read_at(out, offset)?,
            (Place::Journal(offset), _, Some(journal)) => journal.file.read_at(out, offset)?,
            _ => {
                out.fill(0);
                out.len()
            }
        };
        Ok(got == out.len())
    }

    fn place(&self, page: u32) -> Place {
        let logged = self.log.as_ref().and_then(|log| log.index.offset(page));
        let journalled = || self.undone().and_then(|journal| journal.index.offset(page));
        match logged {
            Some(offset) => Place::Log(offset),
            None => match journalled() {
                Some(offset) => Place::Journal(offset),
                None if page == lock_page(self.page_size) => Place::Nowhere,
                None => Place::Main,
            },
        }
    }

    /// Every page read so far, in no order.
    pub fn pages_read(&self) -> impl Iterator<Item = u32> + '_ {
        self.read.iter().chain(self.read_from_log.iter())
    }
}
