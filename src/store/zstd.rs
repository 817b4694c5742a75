//! zstd frames as a stream: bounded memory, bounded output, errors that say what and where.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use zstd::zstd_safe::{self, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, WriteBuf};

use crate::error::{Error, Kind, Result};
use crate::interrupt;
use crate::json::Source;

/// The largest window a frame may ask for, as a power of two (128 MiB). Zed's level 3 uses 21.
pub const WINDOW_LOG_MAX: u32 = 27;

/// How many bytes a blob may inflate to unless a caller says otherwise (1 GiB).
pub const MAX_DOCUMENT_BYTES: u64 = 1 << 30;

/// A context that grew larger than this for one frame is not kept for the next blob.
const CONTEXT_KEPT: usize = 16 << 20;

/// Bytes of compressed input that are held at a time: zstd puts aside what is no whole block, so a usual document
/// comes in one piece.
const INPUT: usize = 128 << 10;

/// A decoder's memory, which serves one blob after another.
pub struct Context {
    frames: DCtx<'static>,
    input: Vec<u8>,
}

impl Context {
    /// # Errors
    /// [`Kind::Zstd`] when there is no memory.
    pub fn new() -> Result<Self> {
        let frames = DCtx::try_create().ok_or_else(|| Error::new(Kind::Zstd, "no memory for a decoder"))?;
        Ok(Self { frames, input: vec![0; INPUT] })
    }

    /// Inflates a blob of any number of frames to at most `most` bytes in `out`, in one go: that spares zstd its
    /// window, so that no window is too large, and a copy. False where that is not possible, for want of room or
    /// because of damage; `out` is empty then, and a [`Decoder`] tells what is wrong.
    pub fn inflate_whole(&mut self, blob: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.reserve(most);
        let ready = self.frames.reset(ResetDirective::SessionAndParameters);
        let inflated = ready.and_then(|_| self.frames.decompress(out, blob));
        let is_inflated = inflated.is_ok_and(|bytes| bytes <= most);
        if !is_inflated {
            out.clear();
        }
        is_inflated
    }
}

/// Where a decoder leaves its memory for the next one: a new one costs as much as a small document.
#[derive(Clone, Default)]
pub struct Spare(Arc<Mutex<Option<Context>>>);

impl Spare {
    /// The memory that was left last, or new.
    ///
    /// # Errors
    /// Those of [`Context::new`].
    pub fn take(&self) -> Result<Context> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or_else(Context::new, Ok)
    }

    /// Leaves it, unless one frame made it large.
    pub fn put(&self, context: Context) {
        let kept = Some(context).filter(|context| context.frames.sizeof() <= CONTEXT_KEPT);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }
}

/// At most how many bytes a blob inflates to: its frames' sizes, or 128 KiB for each of their blocks. `None` where it
/// is no row of frames.
pub fn bound(blob: &[u8]) -> Option<u64> {
    zstd_safe::decompress_bound(blob).ok()
}

/// Inflates what a source of compressed bytes gives: any number of frames, skippable ones too.
///
/// No bytes at all inflate to no bytes; what that means is the caller's to say.
pub struct Decoder<S> {
    source: S,
    /// There while the decoder is.
    context: Option<Context>,
    spare: Spare,
    /// The compressed bytes not yet inflated are `input[start..filled]`.
    start: usize,
    filled: usize,
    /// The offset of `input[0]` in the compressed stream.
    base: u64,
    given: u64,
    most: u64,
    is_inside_frame: bool,
    is_source_at_end: bool,
}

impl<S: Source> Decoder<S> {
    /// Inflates at most [`MAX_DOCUMENT_BYTES`].
    pub fn new(source: S) -> Result<Self> {
        Self::within(source, MAX_DOCUMENT_BYTES)
    }

    /// Inflates at most `most` bytes; more is an error of kind `limit`.
    pub fn within(source: S, most: u64) -> Result<Self> {
        Self::reusing(&Spare::default(), source, most)
    }

    /// [`Decoder::within`] in the memory of an earlier one; dropping it leaves that for a later one.
    pub fn reusing(spare: &Spare, source: S, most: u64) -> Result<Self> {
        let mut context = spare.take()?;
        let frames = &mut context.frames;
        frames.reset(ResetDirective::SessionAndParameters).map_err(|code| failed(code, 0))?;
        frames.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).map_err(|code| failed(code, 0))?;
        Ok(Self {
            source,
            context: Some(context),
            spare: spare.clone(),
            start: 0,
            filled: 0,
            base: 0,
            given: 0,
            most,
            is_inside_frame: false,
            is_source_at_end: false,
        })
    }

    /// Writes the next bytes behind what `out` holds, as many as fit into its capacity; 0 is the end. `out` is not full.
    pub fn append(&mut self, out: &mut Vec<u8>) -> Result<usize> {
        let at = out.len();
        self.inflate(|decoder| {
            let mut buffer = OutBuffer::around_pos(&mut *out, at);
            decoder.step(&mut buffer)?;
            Ok(buffer.pos() - at)
        })
    }

    fn refill(&mut self) -> Result<()> {
        self.base += self.filled as u64;
        self.start = 0;
        self.filled = 0;
        self.filled = match &mut self.context {
            Some(context) => self.source.fill(&mut context.input)?,
            None => 0,
        };
        self.is_source_at_end = self.filled == 0;
        Ok(())
    }

    /// One step of the decoder.
    fn step<C: WriteBuf + ?Sized>(&mut self, output: &mut OutBuffer<'_, C>) -> Result<()> {
        let Some(context) = &mut self.context else { return Ok(()) };
        let mut input = InBuffer::around(context.input.get(self.start..self.filled).unwrap_or_default());
        let hint = context.frames.decompress_stream(output, &mut input);
        let used = input.pos();
        let offset = self.base + (self.start + used) as u64;
        let hint = hint.map_err(|code| failed(code, offset))?;
        self.start += used;
        self.is_inside_frame = hint != 0;
        Ok(())
    }

    /// Steps until bytes come out; `step` says how many.
    fn inflate(&mut self, mut step: impl FnMut(&mut Self) -> Result<usize>) -> Result<usize> {
        // A few bytes can hold gigabytes.
        interrupt::check()?;
        loop {
            if self.start == self.filled && !self.is_source_at_end {
                self.refill()?;
            }
            if self.is_source_at_end && !self.is_inside_frame {
                return Ok(0);
            }
            let written = step(self)?;
            self.given += written as u64;
            if self.given > self.most {
                let what = format!("the blob inflates to more than {} bytes", self.most);
                return Err(Error::limit(what, "max_document_bytes"));
            }
            if written > 0 {
                return Ok(written);
            }
            if self.is_source_at_end && self.is_inside_frame {
                let at = self.base + self.start as u64;
                return Err(Error::new(Kind::Zstd, format!("the frame is cut off at compressed byte {at}")));
            }
        }
    }
}

impl<S: Source> Source for Decoder<S> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        self.inflate(|decoder| {
            let mut buffer = OutBuffer::around(&mut *buf);
            decoder.step(&mut buffer)?;
            Ok(buffer.pos())
        })
    }
}

impl<S> Drop for Decoder<S> {
    fn drop(&mut self) {
        self.context.take().into_iter().for_each(|context| self.spare.put(context));
    }
}

impl<S> fmt::Debug for Decoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("given", &self.given).finish_non_exhaustive()
    }
}

/// Inflates a whole blob, at most `most` bytes of output.
pub fn decode_all(blob: &[u8], most: u64) -> Result<Vec<u8>> {
    let mut decoder = Decoder::within(blob, most)?;
    let mut out = Vec::new();
    loop {
        out.reserve(out.len().max(blob.len() * 4).max(1 << 10));
        if decoder.append(&mut out)? == 0 {
            return Ok(out);
        }
    }
}

/// zstd says how far it came only when all is well: `offset` is where the failed step began.
fn failed(code: zstd_safe::ErrorCode, offset: u64) -> Error {
    let what = zstd_safe::get_error_name(code).to_lowercase();
    Error::new(Kind::Zstd, format!("{what} at or after compressed byte {offset}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflates_frames_one_after_the_other() {
        let mut blob = zstd::encode_all(&b"hello "[..], 3).unwrap();
        blob.extend([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
        blob.extend(zstd::encode_all(&b"world"[..], 3).unwrap());
        assert_eq!(decode_all(&blob, 100).unwrap(), b"hello world");
        assert_eq!(decode_all(b"", 100).unwrap(), b"");
    }

    /// A frame with content size and checksum.
    fn sized(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.set_pledged_src_size(Some(text.len() as u64)).unwrap();
        std::io::Write::write_all(&mut encoder, text).unwrap();
        encoder.finish().unwrap()
    }

    /// Gives a byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Source for Drops<'_> {
        fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
            self.0.fill(&mut buf[..1])
        }
    }

    /// Inflates drop by drop into a buffer of `room` bytes.
    fn inflated(blob: &[u8], room: usize) -> Result<Vec<u8>> {
        let mut decoder = Decoder::new(Drops(blob))?;
        let (mut out, mut buf) = (Vec::new(), vec![0; room]);
        loop {
            match decoder.fill(&mut buf)? {
                0 => return Ok(out),
                count => out.extend(&buf[..count]),
            }
        }
    }

    #[test]
    fn inflates_the_same_in_any_pieces() {
        let text = "The same, and the same again. ".repeat(20);
        let mut blob = sized(text.as_bytes());
        blob.extend(zstd::encode_all(&b""[..], 3).unwrap());
        blob.extend(zstd::encode_all(text.as_bytes(), 19).unwrap());
        let twice = text.repeat(2).into_bytes();
        for room in [1, 2, 599, 600, 601, 4096] {
            assert_eq!(inflated(&blob, room).unwrap(), twice, "{room}");
        }
        assert_eq!(decode_all(&blob, 1200).unwrap(), twice);
    }

    /// One go gives what the stream gives, or leaves it to the stream.
    #[test]
    fn one_go_says_the_same_or_nothing() {
        let text = "The same, and the same again. ".repeat(20);
        let mut frames = sized(text.as_bytes());
        frames.extend([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
        frames.extend(zstd::encode_all(text.as_bytes(), 19).unwrap());
        let mut damaged = frames.clone();
        damaged.extend(*b"and more");
        let bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(b'A'), 64 << 20), 3).unwrap();
        let (mut context, mut out) = (Context::new().unwrap(), b"from before".to_vec());
        for (blob, most, is_inflated) in [
            (&frames[..], 256 << 10, true),
            (&frames[..frames.len() - 1], 256 << 10, false),
            (&damaged, 256 << 10, false),
            (&frames, 1199, false),
            (&bomb, 4 << 20, false),
            (&zstd::encode_all(&b""[..], 3).unwrap(), 256 << 10, true),
            (&frames, 256 << 10, true),
        ] {
            assert_eq!(context.inflate_whole(blob, most, &mut out), is_inflated);
            assert!(!is_inflated || bound(blob).unwrap() >= out.len() as u64);
            let said = if is_inflated { decode_all(blob, 1 << 20).unwrap() } else { Vec::new() };
            assert_eq!(out, said);
        }
    }

    #[test]
    fn every_cut_is_told_and_costs_nothing_before_it() {
        let blob = sized("0123456789".repeat(10).as_bytes());
        for cut in 1..blob.len() {
            let said = inflated(&blob[..cut], 7).unwrap_err().to_string();
            assert_eq!(said, format!("zstd: the frame is cut off at compressed byte {cut}"));
        }
    }

    #[test]
    fn damage_is_told_in_zstds_words() {
        let mut wrong = sized(b"a checksum stands at the end");
        *wrong.last_mut().unwrap() ^= 1;
        let length = wrong.len();
        // a frame that asks for a window of 2 GiB
        let window = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00];
        let mut garbage = sized(b"sound");
        let sound = garbage.len();
        garbage.extend(*b"and more");
        for (blob, said) in [
            (
                &wrong[..],
                format!("zstd: restored data doesn't match checksum at or after compressed byte {}", length - 1),
            ),
            (&window, "zstd: frame requires too much memory for decoding at or after compressed byte 5".to_owned()),
            (&garbage, format!("zstd: unknown frame descriptor at or after compressed byte {sound}")),
            (b"\x00\x11\x22\x33\x44\x55", "zstd: unknown frame descriptor at or after compressed byte 0".to_owned()),
        ] {
            assert_eq!(inflated(blob, 100).unwrap_err().to_string(), said);
        }
    }

    #[test]
    fn a_bomb_ends_at_the_limit_and_its_memory_is_not_kept() {
        let bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(b'A'), 64 << 20), 3).unwrap();
        assert!(bomb.len() < 8 << 10);
        let mut decoder = Decoder::within(&bomb[..], 1 << 20).unwrap();
        let mut buf = vec![0; 64 << 10];
        let mut given = 0;
        let error = loop {
            match decoder.fill(&mut buf) {
                Ok(count) => given += count,
                Err(error) => break error,
            }
        };
        assert!(given <= 1 << 20);
        let said = "limit: the blob inflates to more than 1048576 bytes";
        assert!(error.to_string().starts_with(said), "{error}");
        let mut wide = zstd::Encoder::new(Vec::new(), 3).unwrap();
        wide.window_log(26).unwrap();
        std::io::copy(&mut std::io::Read::take(std::io::repeat(b'A'), 1 << 20), &mut wide).unwrap();
        let wide = wide.finish().unwrap();
        let spare = Spare::default();
        let is_kept = || spare.0.lock().unwrap().is_some();
        let mut decoder = Decoder::reusing(&spare, &wide[..], 2 << 20).unwrap();
        while decoder.fill(&mut buf).unwrap() > 0 {}
        drop(decoder);
        assert!(!is_kept());
        drop(Decoder::reusing(&spare, &bomb[..], 1).unwrap());
        assert!(is_kept());
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let blob = zstd::encode_all(&b"hello hello hello"[..], 3).unwrap();
        let cut = decode_all(&blob[..blob.len() - 3], 100).unwrap_err();
        assert_eq!(cut.to_string(), format!("zstd: the frame is cut off at compressed byte {}", blob.len() - 3));
        assert_eq!(decode_all(&[0, 0x11, 0x22, 0x33, 0x44], 9).unwrap_err().kind(), Kind::Zstd);
        assert_eq!(decode_all(&blob, 16).unwrap_err().kind(), Kind::Limit);
    }
}
