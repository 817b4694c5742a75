//! From the `data` of a `threads` row to the text of its document.
//!
//! `data_type` says `zstd`, or `json` in theory; the first bytes say what is really there, and they decide. A document
//! of usual size is inflated into memory that serves the next one too; of a larger one the beginning, and the rest
//! comes as it is read.

mod opened;

pub use self::opened::{Bounds, Opened, Rest};
use self::opened::{BEGINNING, Peeked};
use crate::error::{Error, Kind, Result};
use crate::json::{Reader, Source};
use crate::store::zstd::{self, Decoder, Spare};
use crate::table::Function;
use std::sync::Arc;

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
    use super::opened::WHOLE_BYTES;
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
