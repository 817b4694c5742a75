//! From the `data` of a `threads` row to the text of its document.
//!
//! `data_type` says `zstd`, or `json` in theory; the first bytes say what is really there, and they decide. A document
//! of usual size is inflated into memory that serves the next one too; of a larger one the beginning, and the rest
//! comes as it is read.

use crate::error::{Error, Kind, Result};
use crate::json::{Limits, Reader, Source};
use crate::store::zstd::{self, Decoder, Spare};
use crate::table::Function;
use std::sync::Arc;

/// Up to here a document is inflated in one go.
const WHOLE_BYTES: usize = 4 << 20;

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
const BEGINNING: usize = 16 << 10;

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
    rest: Option<Rest<S>>,
    bounds: Bounds,
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
    fn append(&mut self, out: &mut Vec<u8>) -> Result<usize> {
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
    fn new(mut source: S) -> Result<Self> {
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

    fn head(&self) -> &[u8] {
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

/// The memory in which documents are inflated, one after the other.
#[derive(Default)]
pub struct Inflater {
    spare: Spare,
    text: Arc<Vec<u8>>,
}

impl Inflater {
    /// Opens a document. An error is one of the whole blob: it is empty, no frame, of an unknown type.
    pub fn open<S: Source>(&mut self, blob: S, data_type: Option<&str>, bounds: Bounds) -> Result<Opened<S>> {
        let mut bounds = bounds;
        if let Some(bytes) = blob.in_memory() {
            // Rows that somebody kept share the text of the last document: then it stays theirs.
            let mut text = Arc::get_mut(&mut self.text).map(std::mem::take).unwrap_or_default();
            let whole = self.open_whole(bytes, data_type, bounds, &mut text);
            self.text = Arc::new(text);
            match whole? {
                Whole::Sound => return Ok(Opened::of(Arc::clone(&self.text), bounds)),
                Whole::Large => bounds = bounds.of_beginning(),
                Whole::Odd => {}
            }
        }
        // What is read as a stream has memory of its own, which goes with it.
        let mut text = Vec::with_capacity(BEGINNING);
        let blob = Peeked::new(blob)?;
        let rest = if is_zstd(blob.head(), data_type)? {
            begin(Decoder::reusing(&self.spare, blob, bounds.document_bytes)?, &mut text, bounds.whole_bytes)?
        } else {
            let mut rest = Rest::Plain(blob);
            while text.len() < bounds.whole_bytes && rest.append(&mut text)? > 0 {}
            (text.len() >= bounds.whole_bytes).then_some(rest)
        };
        Ok(Opened { text: Arc::new(text), rest, bounds })
    }

    /// Fills `text` with a whole document in one go, if its blob is sound and it is of usual size.
    fn open_whole(&mut self, blob: &[u8], data_type: Option<&str>, bounds: Bounds, text: &mut Vec<u8>) -> Result<Whole> {
        let most = bounds.whole_bytes.min(usize::try_from(bounds.document_bytes).unwrap_or(usize::MAX));
        text.clear();
        if is_zstd(blob, data_type)? {
            match zstd::bound(blob) {
                Some(bound) if bound > most as u64 => return Ok(Whole::Large),
                Some(bound) => {
                    let mut context = self.spare.take()?;
                    context.inflate_whole(blob, bound as usize, text);
                    self.spare.put(context);
                }
                None => {}
            }
        } else if blob.len() >= most {
            return Ok(Whole::Large);
        } else {
            text.extend_from_slice(blob);
        }
        Ok(if text.is_empty() { Whole::Odd } else { Whole::Sound })
    }
}

/// Inflates up to `most` bytes; gives the decoder when there is more. A frame that is cut or damaged gives what stands
/// before, and then, as a stream, its error.
fn begin<S: Source>(mut decoder: Decoder<Peeked<S>>, text: &mut Vec<u8>, most: usize) -> Result<Option<Rest<S>>> {
    while text.len() < most {
        if text.len() == text.capacity() {
            text.reserve(text.len());
        }
        match decoder.append(text) {
            Ok(0) if text.is_empty() => return Err(Error::new(Kind::Zstd, "the frame holds nothing")),
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if text.is_empty() => return Err(error),
            Err(error) => return Ok(Some(Rest::Failed(error))),
        }
    }
    Ok(Some(Rest::Zstd(decoder)))
}

/// How a document in one go comes out.
enum Whole {
    /// All of it.
    Sound,
    /// It may be too large for that.
    Large,
    /// There is nothing, or damage: a stream tells what.
    Odd,
}

/// Does a frame stand there, or a skippable one?
fn starts_frame(bytes: &[u8]) -> bool {
    matches!(bytes, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Is this zstd? Otherwise it is JSON, or at least called so.
fn is_zstd(head: &[u8], data_type: Option<&str>) -> Result<bool> {
    if head.is_empty() {
        return Err(Error::new(Kind::Zstd, "the blob is empty"));
    }
    let looks_like_json = matches!(head, [b'{' | b'[', ..] | [0xef, 0xbb, 0xbf, ..]);
    match data_type {
        _ if starts_frame(head) => Ok(true),
        Some("json") => Ok(false),
        _ if looks_like_json => Ok(false),
        Some("zstd") => Ok(true),
        _ => Err(unknown_type(data_type)),
    }
}

/// What is wrong with `data_type`, if anything. The document is read all the same where its first bytes tell what it is.
pub fn type_error(data_type: Option<&str>) -> Option<Error> {
    (!matches!(data_type, Some("zstd" | "json"))).then(|| unknown_type(data_type))
}

fn unknown_type(data_type: Option<&str>) -> Error {
    match data_type {
        Some(data_type) => Error::shape(format!("unknown data_type `{data_type}`")),
        None => Error::shape("no data_type"),
    }
}

/// `zed_document(data, data_type)`
pub const FUNCTIONS: &[Function] = &[Function {
    name: "zed_document",
    doc: "The JSON text of a thread's document, for those who attach a threads.db themselves: data and data_type of a row of its threads table. NULL where that is no JSON; zed_threads.error says why.",
    arguments: &["data", "data_type"],
    call: |arguments| match arguments {
        [data, data_type] => document_text(data.bytes()?, data_type.text()).ok(),
        _ => None,
    },
}];

/// The whole text of a document, which is JSON.
///
/// # Errors
/// Those of the blob; [`Kind::Utf8`] and [`Kind::Json`] where the text is none.
pub fn document_text(blob: &[u8], data_type: Option<&str>) -> Result<String> {
    let bytes = Arc::new(Inflater::default().open(blob, data_type, Bounds::default())?.into_bytes()?);
    let mut reader = Reader::from_bytes(Arc::clone(&bytes));
    reader.skip()?;
    reader.finish()?;
    drop(reader);
    String::from_utf8(Arc::unwrap_or_clone(bytes)).map_err(|error| {
        Error::new(Kind::Utf8, format!("invalid UTF-8 at byte {}", error.utf8_error().valid_up_to()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        ::zstd::encode_all(text.as_bytes(), 3).unwrap()
    }

    /// Z13: the first bytes say what a blob is; what is none says so.
    #[test]
    fn blobs_good_and_bad() {
        let text = r#"{"title":"t"}"#;
        let mut two = packed(r#"{"title""#);
        two.extend(packed(r#":"t"}"#));
        let mut skippable = vec![0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7];
        skippable.extend(packed(text));
        for (blob, data_type) in [
            (packed(text), Some("zstd")),
            (two, Some("zstd")),
            (skippable, Some("zstd")),
            (packed(text), Some("brotli")),
            (packed(text), Some("json")),
            (text.as_bytes().to_vec(), Some("json")),
            (text.as_bytes().to_vec(), Some("zstd")),
            (text.as_bytes().to_vec(), None),
        ] {
            assert_eq!(document_text(&blob, data_type).unwrap(), text, "{data_type:?} {blob:x?}");
        }
        let garbage = [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];
        let cut = packed(text)[..12].to_vec();
        for (blob, data_type, token) in [
            (&garbage[..], Some("zstd"), "zstd:"),
            (&cut, Some("zstd"), "zstd: the frame is cut off at compressed byte 12"),
            (&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58], Some("zstd"), "zstd: the frame is cut off at compressed byte 6"),
            (&[0x28], Some("zstd"), "zstd: the frame is cut off at compressed byte 1"),
            (&[], Some("zstd"), "zstd: the blob is empty"),
            (&packed(""), Some("zstd"), "zstd: the frame holds nothing"),
            (&garbage, Some("brotli"), "shape: unknown data_type `brotli`"),
            (&garbage, None, "shape: no data_type"),
            (b"{\"a\":\"\xff\"}", Some("json"), "utf8: invalid UTF-8 at byte 6"),
            (b"{\"a\":", Some("json"), "json: the text ends at byte 5, inside a value"),
        ] {
            let error = document_text(blob, data_type).unwrap_err().to_string();
            assert!(error.starts_with(token), "{error} {blob:x?}");
        }
    }

    #[test]
    fn a_large_document_is_not_inflated_whole() {
        let text = "x".repeat(3 * WHOLE_BYTES);
        let blob = packed(&text);
        let mut inflater = Inflater::default();
        let opened = inflater.open(blob.as_slice(), Some("zstd"), Bounds::default()).unwrap();
        assert!(!opened.is_whole() && opened.text.len() < 2 * WHOLE_BYTES);
        assert_eq!(opened.count_bytes().unwrap(), text.len() as u64);
        let opened = inflater.open(blob.as_slice(), Some("zstd"), Bounds::default()).unwrap();
        assert_eq!(opened.into_bytes().unwrap(), text.as_bytes());
    }
}
