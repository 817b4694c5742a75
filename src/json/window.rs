//! The sliding window: the part of a stream that is in memory.

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::interrupt;

/// Where a reader's bytes come from.
pub trait Source {
    /// Writes the next bytes to the front of `buf` and says how many; 0 is the end. `buf` is not empty.
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize>;

    /// So many bytes at once cost it little more than a few, and there are as many: it is given room for them.
    fn burst(&self) -> usize {
        0
    }

    /// All the bytes to come, where they are in memory already.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }
}

impl Source for &[u8] {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        let count = buf.len().min(self.len());
        let (now, later) = self.split_at(count);
        if let Some(target) = buf.get_mut(..count) {
            target.copy_from_slice(now);
        }
        *self = later;
        Ok(count)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl<S: Source + ?Sized> Source for &mut S {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        (**self).fill(buf)
    }

    fn burst(&self) -> usize {
        (**self).burst()
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        (**self).fill(buf)
    }

    fn burst(&self) -> usize {
        (**self).burst()
    }
}

/// A source that may be none.
impl<S: Source> Source for Option<S> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        self.as_mut().map_or(Ok(0), |source| source.fill(buf))
    }

    fn burst(&self) -> usize {
        self.as_ref().map_or(0, Source::burst)
    }
}

/// A [`Read`] as a source.
#[derive(Debug)]
pub struct FromRead<R>(pub R);

impl<R: Read> Source for FromRead<R> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        loop {
            match self.0.read(buf) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return done.map_err(Error::from),
            }
        }
    }
}

/// The source of a reader whose window is the whole text.
#[derive(Debug, Clone, Copy)]
pub struct Whole;

impl Source for Whole {
    fn fill(&mut self, _: &mut [u8]) -> Result<usize> {
        Ok(0)
    }
}

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Where a window starts, and returns to when a large value is through.
const USUAL: usize = 128 << 10;
const HALF: usize = USUAL / 2;
const LARGE: usize = 16 << 20;
/// So many buffers that documents share wait for their return, none of them larger than this.
const LENT: usize = 2;
const LENT_BYTES: usize = 4 * USUAL;

/// Unread bytes of a stream, in a buffer that documents may share.
#[derive(Debug)]
pub(super) struct Window<S> {
    source: S,
    buffer: Arc<Vec<u8>>,
    /// Earlier buffers. Once their documents are gone they serve again, which keeps the window in the processor's cache.
    lent: Vec<Arc<Vec<u8>>>,
    /// The unread bytes are `buffer[start..filled]`.
    start: usize,
    filled: usize,
    /// The offset of `buffer[0]` in the stream.
    base: u64,
    is_complete: bool,
}

impl<S: Source> Window<S> {
    pub(super) fn new(source: S) -> Self {
        Self { source, buffer: Arc::default(), lent: Vec::new(), start: 0, filled: 0, base: 0, is_complete: false }
    }

    /// Unread bytes that are there already, and what gives the rest.
    pub(super) fn starting_with(bytes: Arc<Vec<u8>>, source: S, is_complete: bool) -> Self {
        let filled = bytes.len();
        Self { source, buffer: bytes, lent: Vec::new(), start: 0, filled, base: 0, is_complete }
    }

    /// Says that the source begins at `offset`; before anything is read.
    pub(super) fn start_at(&mut self, offset: u64) {
        self.base = offset;
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.filled).unwrap_or_default()
    }

    /// The buffer, and where the unread bytes begin in it.
    pub(super) fn shared(&self) -> (Arc<Vec<u8>>, usize) {
        (Arc::clone(&self.buffer), self.start)
    }

    /// Whether the source has given its last byte.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The offset of the first unread byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.filled);
    }

    /// Gets more bytes behind the unread ones, or learns that there are none.
    pub(super) fn more(&mut self) -> Result<()> {
        if self.is_complete {
            return Ok(());
        }
        interrupt::check()?;
        self.make_room();
        let filled = self.filled;
        let Some(buffer) = Arc::get_mut(&mut self.buffer) else { return Ok(()) };
        let count = self.source.fill(buffer.get_mut(filled..).unwrap_or_default())?;
        self.filled += count;
        self.is_complete = count == 0;
        Ok(())
    }

    /// Makes the buffer ours alone, with room behind the unread bytes.
    fn make_room(&mut self) {
        let (unread, burst) = (self.filled - self.start, self.source.burst());
        let wanted = match unread {
            0..=HALF => USUAL.max(HALF + burst),
            // a value this large must not cost twice its size
            LARGE.. => unread + unread / 4,
            _ => unread + unread.max(burst),
        };
        let room = burst.max((wanted - unread) / 2);
        let is_oversized = self.buffer.len() > wanted.saturating_mul(4);
        match Arc::get_mut(&mut self.buffer) {
            Some(buffer) if !is_oversized => {
                if buffer.len() < wanted {
                    buffer.resize(wanted, 0);
                }
                if buffer.len() - self.filled < room {
                    buffer.copy_within(self.start..self.filled, 0);
                    self.moved(unread);
                }
            }
            _ => {
                let mut buffer = self.returned(wanted).unwrap_or_else(|| Arc::new(vec![0; wanted]));
                if let Some(room) = Arc::get_mut(&mut buffer).and_then(|buffer| buffer.get_mut(..unread)) {
                    room.copy_from_slice(self.bytes());
                }
                let shared = std::mem::replace(&mut self.buffer, buffer);
                if !is_oversized && shared.len() <= LENT_BYTES {
                    self.lent.truncate(LENT - 1);
                    self.lent.insert(0, shared);
                }
                self.moved(unread);
            }
        }
    }

    /// A buffer that no document shares any more, of about this length.
    fn returned(&mut self, wanted: usize) -> Option<Arc<Vec<u8>>> {
        let is_ours = |buffer: &mut Arc<Vec<u8>>| {
            (wanted..=wanted.saturating_mul(4)).contains(&buffer.len()) && Arc::get_mut(buffer).is_some()
        };
        let place = self.lent.iter_mut().position(is_ours)?;
        Some(self.lent.swap_remove(place))
    }

    fn moved(&mut self, unread: usize) {
        self.base += self.start as u64;
        self.start = 0;
        self.filled = unread;
    }
}

impl Window<Whole> {
    pub(super) fn whole(bytes: Arc<Vec<u8>>) -> Self {
        Self::starting_with(bytes, Whole, true)
    }
}
