//! The rollback journal: the bytes that pages had before a transaction that is not committed (yet).
//!
//! A journal is segments of a sector-aligned header and records (page number, page, checksum). While a journal is
//! valid its transaction is not committed: the committed state is the main file with the journal's pages laid over
//! it, cut or stretched to the original size. That holds for a *hot* journal, left by a writer that died, and for
//! the journal of a writer at work alike. Checksums decide how far it counts: the first bad record ends everything.

use super::Damage;
use super::bytes::{ReadAt, be32, is_page_size};
use super::pages::Pages;
use std::io;

/// What every header starts with.
pub const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
const HEADER_BYTES: usize = 28;
/// Longest name of a super-journal that is believed.
const MAX_NAME_BYTES: u32 = 4096;

/// An index over the valid records of a journal.
pub struct Journal {
    header: [u8; HEADER_BYTES],
    page_size: u32,
    sector: u64,
    size: u32,
    super_journal: Option<Vec<u8>>,
    /// Page number -> where its original bytes stand in the journal.
    offsets: Pages<u64>,
}

impl Journal {
    /// Reads the journal of `len` bytes. `None`: nothing to undo. `page_size` is the main file's, for a journal that
    /// names none.
    pub fn open(journal: &(impl ReadAt + ?Sized), len: u64, page_size: u32) -> Result<Option<Self>, Damage> {
        let Some(header) = header_at(journal, 0)? else { return Ok(None) };
        let sector = be32(&header, 20);
        let page_size = match be32(&header, 24) {
            0 => page_size,
            named => named,
        };
        if !is_page_size(page_size) || !sector.is_power_of_two() || !(32..=65536).contains(&sector) {
            return Ok(None);
        }
        let mut index = Self {
            header,
            page_size,
            sector: u64::from(sector),
            size: be32(&header, 16),
            super_journal: super_journal(journal, len)?,
            offsets: Pages::default(),
        };
        index.read_segments(journal, len)?;
        Ok(Some(index))
    }

    /// Page size in bytes.
    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    /// The database's size in pages before the transaction.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The name of the super-journal, if the transaction spans several databases.
    pub fn super_journal(&self) -> Option<&[u8]> {
        self.super_journal.as_deref()
    }

    /// Where in the journal the original bytes of `page` are.
    pub fn offset(&self, page: u32) -> Option<u64> {
        self.offsets.get(&page).copied()
    }

    /// What tells this journal from another transaction's: its header without the count of records.
    pub fn identity(&self) -> [u8; HEADER_BYTES] {
        without_count(self.header)
    }

    /// Is it still the journal of the same transaction? Its records may have grown in number.
    pub fn is_same(&self, journal: &(impl ReadAt + ?Sized)) -> io::Result<bool> {
        Ok(header_at(journal, 0)?.is_some_and(|header| without_count(header) == self.identity()))
    }

    fn read_segments(&mut self, journal: &(impl ReadAt + ?Sized), len: u64) -> Result<(), Damage> {
        let record_bytes = u64::from(self.page_size) + 8;
        let mut record = vec![0; record_bytes as usize];
        let mut start = 0;
        while let Some(header) = header_at(journal, start)? {
            let mut offset = start + self.sector;
            let records = match be32(&header, 8) {
                // The writer does not sync: whatever is there counts. Only ever in the first header.
                u32::MAX => len.saturating_sub(offset) / record_bytes,
                count => u64::from(count),
            };
            for _ in 0..records {
                let got = journal.read_at(&mut record, offset)?;
                if got < record.len() || !self.take(&record, offset, be32(&header, 12)) {
                    return Ok(());
                }
                offset += record_bytes;
            }
            start = offset.next_multiple_of(self.sector);
        }
        Ok(())
    }

    /// Takes in one record; false where the valid records end. A page's first record is the original (later ones stem
    /// from savepoints), and only records that count are held against their checksum.
    fn take(&mut self, record: &[u8], offset: u64, nonce: u32) -> bool {
        let page = be32(record, 0);
        if page == 0 || page == lock_page(self.page_size) {
            return false;
        }
        if page > self.size || self.offsets.contains_key(&page) {
            return true;
        }
        let page_bytes = record.get(4..record.len() - 4).unwrap_or_default();
        // Every 200th byte, counted from the end.
        let samples = page_bytes.iter().rev().skip(199).step_by(200);
        let sum = samples.fold(nonce, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        let is_whole = sum == be32(record, record.len() - 4);
        if is_whole {
            self.offsets.insert(page, offset + 4);
        }
        is_whole
    }
}

/// The page that holds the bytes that SQLite locks (at 1 GiB): it never holds data.
pub fn lock_page(page_size: u32) -> u32 {
    0x4000_0000 / page_size.max(1) + 1
}

fn header_at(journal: &(impl ReadAt + ?Sized), offset: u64) -> io::Result<Option<[u8; HEADER_BYTES]>> {
    Ok(journal.array_at::<HEADER_BYTES>(offset)?.filter(|header| header.starts_with(&MAGIC)))
}

fn without_count(mut header: [u8; HEADER_BYTES]) -> [u8; HEADER_BYTES] {
    header.iter_mut().skip(8).take(4).for_each(|byte| *byte = 0);
    header
}

/// The name at the end of the journal: name, its length, its checksum, the magic again.
fn super_journal(journal: &(impl ReadAt + ?Sized), len: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(end) = len.checked_sub(16) else { return Ok(None) };
    let Some(tail) = journal.array_at::<16>(end)?.filter(|tail| tail.ends_with(&MAGIC)) else { return Ok(None) };
    let name_bytes = be32(&tail, 0);
    let start = end.checked_sub(u64::from(name_bytes));
    let Some(start) = start.filter(|_| (1..=MAX_NAME_BYTES).contains(&name_bytes)) else { return Ok(None) };
    let mut name = vec![0; name_bytes as usize];
    if journal.read_at(&mut name, start)? < name.len() {
        return Ok(None);
    }
    // SQLite adds the bytes up as `char`, which is signed on one machine and not on the next.
    let signed = name.iter().fold(0u32, |sum, byte| sum.wrapping_add(*byte as i8 as u32));
    let unsigned = name.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
    let is_whole = [signed, unsigned].contains(&be32(&tail, 4));
    Ok(Some(name).filter(|name| is_whole && is_super_name(name)))
}

/// SQLite makes these names: `-mj`, six hexadecimal digits, a 9, two more.
fn is_super_name(name: &[u8]) -> bool {
    let Some((_, [b'-', b'm', b'j', digits @ ..])) = name.split_last_chunk::<12>() else { return false };
    digits.iter().all(u8::is_ascii_hexdigit) && digits.get(6) == Some(&b'9')
}
