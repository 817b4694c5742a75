//! The write-ahead log: which frame holds the newest committed bytes of a page.
//!
//! A log is one *generation* at a time: 32 header bytes with two salts, then frames of a 24-byte header and a page.
//! A frame belongs to the generation when it carries its salts and the running checksum fits. A transaction counts
//! once its last frame, which names the database's size, is there. Inside a generation committed frames never change.
//!
//! Memory grows with frames that are really there, never with a number that the file names.

use super::Damage;
use super::bytes::{ReadAt, be32, is_page_size};
use super::pages::Pages;
use crate::interrupt;
use std::io;

const HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;
/// Frames are read in bursts of about this many bytes.
const BURST_BYTES: u64 = 256 << 10;
/// The only version of the format there ever was.
const VERSION: u32 = 3_007_000;

type Salts = [u8; 8];
type StoredSum = [u8; 8];

/// An index over the committed frames of one generation.
pub struct Wal {
    header: [u8; HEADER_BYTES as usize],
    salts: Salts,
    is_big_endian: bool,
    page_size: u32,
    /// Running checksum after frame number `frames`.
    sum: Sum,
    frames: u64,
    size: u32,
    last: Transaction,
    /// Page number -> where its newest committed bytes stand in the log.
    offsets: Pages<u64>,
}

/// The frames of the last transaction: number of the first (from 1) and the checksums that they carry.
struct Transaction {
    first: u64,
    sums: Vec<StoredSum>,
}

/// Frames read but not yet known to be committed.
struct Pending {
    next: u64,
    sum: Sum,
    pages: Vec<(u32, u64)>,
    sums: Vec<StoredSum>,
}

impl Wal {
    /// Reads the header. `None`: no valid log, which SQLite itself would ignore.
    pub fn open(log: &(impl ReadAt + ?Sized)) -> Result<Option<Self>, Damage> {
        let Some(header) = log.array_at::<{ HEADER_BYTES as usize }>(0)? else { return Ok(None) };
        let magic = be32(&header, 0);
        let page_size = be32(&header, 8);
        if magic & !1 != 0x377f_0682 || !is_page_size(page_size) {
            return Ok(None);
        }
        let is_big_endian = magic & 1 == 1;
        let sum = Sum::default().add(header.first_chunk::<24>().map_or(&[], |head| head), is_big_endian);
        if sum != (Sum(be32(&header, 24), be32(&header, 28))) {
            return Ok(None);
        }
        if be32(&header, 4) != VERSION {
            return Err(Damage::Words("unknown version of the write-ahead log"));
        }
        let salts = header.get(16..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        let last = Transaction { first: 1, sums: Vec::new() };
        let offsets = Pages::default();
        Ok(Some(Self { header, salts, is_big_endian, page_size, sum, frames: 0, size: 0, last, offsets }))
    }

    /// Page size in bytes, as the log's header says.
    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Frames up to and with the last commit frame; 0 when nothing is committed in this generation.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The database's size in pages after the last indexed transaction; 0 while [`Self::frames`] is 0.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Where in the log the newest committed bytes of `page` are.
    pub fn offset(&self, page: u32) -> Option<u64> {
        self.offsets.get(&page).copied()
    }

    /// What tells this committed state from every other one: the generation's header, the number of frames, and the
    /// checksum over all of them.
    pub fn identity(&self) -> ([u8; 32], u64, (u32, u32)) {
        (self.header, self.frames, (self.sum.0, self.sum.1))
    }

    /// Indexes the transactions committed since; true when there were any.
    pub fn extend(&mut self, log: &(impl ReadAt + ?Sized)) -> Result<bool, Damage> {
        let before = self.frames;
        if self.frame_header(log, before + 1)?.is_none() {
            return Ok(false);
        }
        let frame_bytes = self.frame_bytes();
        let mut buffer = vec![0; ((BURST_BYTES / frame_bytes).max(1) * frame_bytes) as usize];
        let mut pending = Pending { next: before + 1, sum: self.sum, pages: Vec::new(), sums: Vec::new() };
        loop {
            // A log may be as large as the disk.
            interrupt::check()?;
            let got = log.read_at(&mut buffer, self.position(pending.next))?;
            let read = buffer.get(..got).unwrap_or_default();
            let mut frames = read.chunks_exact(frame_bytes as usize);
            let is_end = !frames.all(|frame| self.take(frame, &mut pending));
            if is_end || got < buffer.len() {
                return Ok(self.frames != before);
            }
        }
    }

    /// Takes in one frame; false where the generation's valid frames end.
    fn take(&mut self, frame: &[u8], pending: &mut Pending) -> bool {
        let Some((head, page_bytes)) = frame.split_first_chunk::<{ FRAME_HEADER_BYTES as usize }>() else {
            return false;
        };
        let head = FrameHeader::parse(head);
        let sum = pending.sum.add(&head.covered, self.is_big_endian).add(page_bytes, self.is_big_endian);
        if head.salts != self.salts || head.page == 0 || sum.stored() != head.sum {
            return false;
        }
        pending.pages.push((head.page, self.position(pending.next) + FRAME_HEADER_BYTES));
        pending.sums.push(head.sum);
        pending.sum = sum;
        if head.commit_size != 0 {
            self.offsets.extend(pending.pages.drain(..));
            let sums = std::mem::take(&mut pending.sums);
            self.last = Transaction { first: pending.next + 1 - sums.len() as u64, sums };
            (self.frames, self.sum, self.size) = (pending.next, sum, head.commit_size);
        }
        pending.next += 1;
        true
    }

    /// Is the log still of this generation, with the last indexed transaction as it was?
    ///
    /// All frames of that transaction are compared (proof 4): a commit frame that a writer wrote but never published,
    /// because it died before it touched the wal-index, is overwritten by the next writer, and a repeated
    /// transaction may begin with the very same frames.
    pub fn is_same(&self, log: &(impl ReadAt + ?Sized)) -> io::Result<bool> {
        if log.array_at(0)? != Some(self.header) {
            return Ok(false);
        }
        for (number, sum) in (self.last.first..).zip(&self.last.sums) {
            if self.frame_header(log, number)?.is_none_or(|head| head.sum != *sum) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Do all transactions committed behind the index leave alone the pages that `is_fine` refuses, and a database of
    /// at least `size` pages?
    ///
    /// Frames behind the last commit frame do not count: nobody copies them to the main file before they are
    /// committed. Frames in front of one do; their checksums are looked at only where they would count against us.
    pub fn spares(
        &self,
        log: &(impl ReadAt + ?Sized),
        mut is_fine: impl FnMut(u32) -> bool,
        size: u32,
    ) -> io::Result<bool> {
        let mut is_spared = true;
        let mut number = self.frames + 1;
        while let Some(head) = self.frame_header(log, number)? {
            is_spared &= is_fine(head.page);
            if head.commit_size != 0 && (!is_spared || head.commit_size < size) {
                return self.is_committed_behind(log).map(|is_committed| !is_committed);
            }
            number += 1;
        }
        Ok(true)
    }

    /// Does a whole transaction stand behind the index, its checksums right? What is published was whole before, so
    /// frames that are torn, by a machine that lost its power for example, are in no main file.
    fn is_committed_behind(&self, log: &(impl ReadAt + ?Sized)) -> io::Result<bool> {
        let mut frame = vec![0; self.frame_bytes() as usize];
        let (mut number, mut sum) = (self.frames + 1, self.sum);
        while log.read_at(&mut frame, self.position(number))? == frame.len() {
            let Some((head, page_bytes)) = frame.split_first_chunk::<{ FRAME_HEADER_BYTES as usize }>() else { break };
            let head = FrameHeader::parse(head);
            sum = sum.add(&head.covered, self.is_big_endian).add(page_bytes, self.is_big_endian);
            if head.salts != self.salts || head.page == 0 || sum.stored() != head.sum {
                break;
            }
            if head.commit_size != 0 {
                return Ok(true);
            }
            number += 1;
        }
        Ok(false)
    }

    /// Is there a commit frame behind the index?
    pub fn has_newer(&self, log: &(impl ReadAt + ?Sized)) -> io::Result<bool> {
        self.spares(log, |_| false, 0).map(|is_spared| !is_spared)
    }

    /// The header of a frame, if it carries this generation's salts.
    fn frame_header(&self, log: &(impl ReadAt + ?Sized), number: u64) -> io::Result<Option<FrameHeader>> {
        let head = log.array_at(self.position(number))?.map(|head| FrameHeader::parse(&head));
        Ok(head.filter(|head| head.salts == self.salts))
    }

    fn frame_bytes(&self) -> u64 {
        FRAME_HEADER_BYTES + u64::from(self.page_size)
    }

    /// Where frame `number` (from 1) starts. Numbers never run ahead of the file by more than one.
    fn position(&self, number: u64) -> u64 {
        HEADER_BYTES + (number - 1) * self.frame_bytes()
    }
}

struct FrameHeader {
    page: u32,
    commit_size: u32,
    salts: Salts,
    sum: StoredSum,
    /// The bytes that the checksum covers.
    covered: [u8; 8],
}

impl FrameHeader {
    fn parse(bytes: &[u8; FRAME_HEADER_BYTES as usize]) -> Self {
        let eight = |offset: usize| bytes.get(offset..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        Self { page: be32(bytes, 0), commit_size: be32(bytes, 4), salts: eight(8), sum: eight(16), covered: eight(0) }
    }
}

/// The log's running checksum: two sums over pairs of words, in the byte order that the header's magic names.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
struct Sum(u32, u32);

impl Sum {
    fn add(self, bytes: &[u8], is_big_endian: bool) -> Self {
        let pairs = bytes.as_chunks::<8>().0;
        if is_big_endian { self.fold(pairs, u32::from_be_bytes) } else { self.fold(pairs, u32::from_le_bytes) }
    }

    fn fold(mut self, pairs: &[[u8; 8]], word: impl Fn([u8; 4]) -> u32) -> Self {
        for [a, b, c, d, e, f, g, h] in pairs {
            self.0 = self.0.wrapping_add(word([*a, *b, *c, *d])).wrapping_add(self.1);
            self.1 = self.1.wrapping_add(word([*e, *f, *g, *h])).wrapping_add(self.0);
        }
        self
    }

    fn stored(self) -> StoredSum {
        (u64::from(self.0) << 32 | u64::from(self.1)).to_be_bytes()
    }
}
