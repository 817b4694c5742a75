//! The text of a document: all of it, or its beginning and what gives the rest.

use crate::error::{Error, Result};
use crate::json::{Limits, Reader, Source};
use crate::store::zstd::Decoder;
use std::sync::Arc;

/// Up to here a document is inflated in one go.
pub(super) const WHOLE_BYTES: usize = 4 << 20;

/// How much of a hostile document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Inflated bytes of the document.
    pub document_bytes: u64,
    /// Bytes of one message.
    pub value_bytes: usize,
    /// Up to here the document is inflated in one go.
    pub whole_bytes: usize,
}

/// Of a text that is stored as it is, so much is read at a time.
const PIECE: usize = 128 << 10;
/// Of a larger blob only the beginning is inflated at once: the document does not fit, or hardly.
const LARGE_BLOB: u64 = 1 << 20;
/// How much a beginning is.
pub(super) const BEGINNING: usize = 16 << 10;

impl Bounds {
    /// For a document of so many stored bytes.
    pub fn of_stored(self, bytes: u64) -> Self {
        if bytes > LARGE_BLOB { self.of_beginning() } else { self }
    }

    /// Only the beginning is inflated at once.
    pub fn of_beginning(self) -> Self {
        Self { whole_bytes: BEGINNING, ..self }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self { document_bytes: 1 << 30, value_bytes: 64 << 20, whole_bytes: WHOLE_BYTES }
    }
}

/// The text of a document, or its beginning and what gives the rest.
pub struct Opened<S> {
    /// The text, or its beginning.
    pub text: Arc<Vec<u8>>,
    pub(super) rest: Option<Rest<S>>,
    pub(super) bounds: Bounds,
}

impl<S: Source> Opened<S> {
    /// A text that is in memory.
    pub fn of(text: Arc<Vec<u8>>, bounds: Bounds) -> Self {
        Self { text, rest: None, bounds }
    }

    /// Is the whole text in memory?
    pub fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// Reads the text.
    pub fn into_reader(self) -> Reader<Option<Rest<S>>> {
        let limits = Limits { max_value_bytes: self.bounds.value_bytes, ..Limits::default() };
        Reader::starting_with(self.text, self.rest).with_limits(limits)
    }

    /// The whole text.
    pub fn into_bytes(self) -> Result<Vec<u8>> {
        let mut bytes = Arc::unwrap_or_clone(self.text);
        if let Some(mut rest) = self.rest {
            while rest.append(&mut bytes)? > 0 {}
        }
        Ok(bytes)
    }

    /// How long the whole text is; nothing of it is kept.
    pub fn count_bytes(self) -> Result<u64> {
        let mut count = self.text.len() as u64;
        let Some(mut rest) = self.rest else { return Ok(count) };
        let mut piece = Vec::with_capacity(128 << 10);
        loop {
            piece.clear();
            match rest.append(&mut piece)? {
                0 => return Ok(count),
                more => count += more as u64,
            }
        }
    }
}

/// What gives the text that is not in memory yet.
#[derive(Debug)]
pub enum Rest<S> {
    /// Frames.
    Zstd(Decoder<Peeked<S>>),
    /// The text itself.
    Plain(Peeked<S>),
    /// Nothing: a frame that is cut or damaged.
    Failed(Error),
}

impl<S: Source> Rest<S> {
    pub(super) fn append(&mut self, out: &mut Vec<u8>) -> Result<usize> {
        out.reserve(1);
        match self {
            Self::Zstd(decoder) => decoder.append(out),
            Self::Plain(source) => {
                let filled = out.len();
                out.resize(out.capacity().min(filled + PIECE), 0);
                let count = source.fill(out.get_mut(filled..).unwrap_or_default());
                out.truncate(filled + count.as_ref().copied().unwrap_or(0));
                count
            }
            Self::Failed(error) => Err(error.clone()),
        }
    }
}

impl<S: Source> Source for Rest<S> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        match self {
            Self::Zstd(decoder) => decoder.fill(buf),
            Self::Plain(source) => source.fill(buf),
            Self::Failed(error) => Err(error.clone()),
        }
    }
}

/// A source whose first bytes were looked at.
#[derive(Debug)]
pub struct Peeked<S> {
    head: [u8; 4],
    /// The bytes not yet given are `head[start..end]`.
    start: usize,
    end: usize,
    source: S,
}

impl<S: Source> Peeked<S> {
    pub(super) fn new(mut source: S) -> Result<Self> {
        let mut head = [0; 4];
        let mut end = 0;
        while let Some(room) = head.get_mut(end..).filter(|room| !room.is_empty()) {
            match source.fill(room)? {
                0 => break,
                count => end += count,
            }
        }
        Ok(Self { head, start: 0, end, source })
    }

    pub(super) fn head(&self) -> &[u8] {
        self.head.get(self.start..self.end).unwrap_or_default()
    }
}

impl<S: Source> Source for Peeked<S> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        let mut head = self.head();
        if head.is_empty() {
            return self.source.fill(buf);
        }
        let count = head.fill(buf)?;
        self.start += count;
        Ok(count)
    }
}
