//! The scanner: one pass that finds the end of a value, checks it and reports its tokens.
//!
//! It works on a window of the text and can stop at the end of it anywhere, so the same code captures a value, skips
//! one that is larger than memory, and parses a whole text.

use std::ops::Range;

use super::Kind;
use super::fault::Fault;
use super::number::Number;
use super::string::{self, Ended, Met};
use super::tape::Sink;

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ItemOrEnd,
    KeyOrEnd,
    Key,
    Colon,
    CommaOrEnd,
    InString {
        is_key: bool,
    },
    InNumber(Number),
    /// A number or literal on the top level must be followed by a delimiter.
    Boundary,
    Done,
}

/// What a run of the scanner came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The value is complete; it ends before [`Scanner::position`].
    Done,
    /// The window is used up.
    More,
}

/// A scan of one value. Positions count from the start of the slice that [`Scanner::run`] gets.
#[derive(Debug)]
pub(super) struct Scanner {
    expect: Expect,
    /// For each open array or object: whether it is an object.
    stack: Vec<bool>,
    position: usize,
    /// Where the string or number that is being read begins.
    token: usize,
    met: Met,
    /// From the first to the last string with bytes that are not ASCII: only there can UTF-8 be broken.
    wide: Range<usize>,
    max_depth: usize,
}

impl Scanner {
    pub(super) fn new() -> Self {
        Self {
            expect: Expect::Done,
            stack: Vec::new(),
            position: 0,
            token: 0,
            met: Met::default(),
            wide: 0..0,
            max_depth: 0,
        }
    }

    /// Makes ready for a value that starts (after white space) at 0.
    pub(super) fn reset(&mut self, max_depth: usize) {
        self.expect = Expect::Value;
        self.stack.clear();
        self.position = 0;
        self.wide = 0..0;
        self.max_depth = max_depth;
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Checks that what was read is UTF-8. Gives how many bytes are whole characters, or where the first bad one is;
    /// a character that is cut off at the end is bad when `is_end`.
    pub(super) fn check_utf8(&self, text: &[u8], is_end: bool) -> Result<usize, usize> {
        let wide = text.get(self.wide.clone()).unwrap_or_default();
        match simdutf8::compat::from_utf8(wide) {
            Ok(_) => Ok(self.position),
            Err(error) if error.error_len().is_none() && !is_end => Ok(self.wide.start + error.valid_up_to()),
            Err(error) => Err(self.wide.start + error.valid_up_to()),
        }
    }

    /// Whether the scan stopped inside a string.
    pub(super) fn is_in_string(&self) -> bool {
        matches!(self.expect, Expect::InString { .. })
    }

    /// The open arrays and objects: whether each is an object.
    pub(super) fn stack(&self) -> &[bool] {
        &self.stack
    }

    /// The first `count` bytes of the slice are gone.
    pub(super) fn forget(&mut self, count: usize) {
        self.position = self.position.saturating_sub(count);
        self.token = self.token.saturating_sub(count);
        self.wide = self.wide.start.saturating_sub(count)..self.wide.end.saturating_sub(count);
    }

    /// Reads on. `is_last`: nothing follows `text`.
    pub(super) fn run(&mut self, text: &[u8], is_last: bool, sink: &mut impl Sink) -> Result<Step, Fault> {
        loop {
            let go_on = match self.expect {
                Expect::InString { is_key } => self.string(text, is_key, sink)?,
                Expect::InNumber(number) => self.number(text, number, is_last, sink)?,
                Expect::Done => return Ok(Step::Done),
                expect => self.structure(text, expect, is_last, sink)?,
            };
            if !go_on {
                return if is_last { Err(Fault::End) } else { Ok(Step::More) };
            }
        }
    }

    /// Reads what stands between strings and numbers; false when the window is used up.
    fn structure(&mut self, text: &[u8], expect: Expect, is_last: bool, sink: &mut impl Sink) -> Result<bool, Fault> {
        let rest = text.get(self.position..).unwrap_or_default();
        if expect == Expect::Boundary {
            return self.boundary(rest.first().copied(), is_last);
        }
        let Some(skipped) = rest.iter().position(|byte| !is_space(*byte)) else {
            self.position = text.len();
            return Ok(false);
        };
        self.position += skipped;
        let byte = rest.get(skipped).copied().unwrap_or_default();
        match (expect, byte) {
            (Expect::ItemOrEnd, b']') | (Expect::KeyOrEnd, b'}') => self.close(sink),
            (Expect::Value | Expect::ItemOrEnd, _) => return self.value(text, byte, is_last, sink),
            (Expect::KeyOrEnd | Expect::Key, b'"') => self.begin_string(true),
            (Expect::KeyOrEnd, _) => return Err(Fault::Expected("a key or `}`")),
            (Expect::Key, _) => return Err(Fault::Expected("a key")),
            (Expect::Colon, b':') => self.take(Expect::Value),
            (Expect::Colon, _) => return Err(Fault::Expected("`:`")),
            (_, byte) => self.after_value(byte, sink)?,
        }
        Ok(true)
    }

    fn after_value(&mut self, byte: u8, sink: &mut impl Sink) -> Result<(), Fault> {
        let is_object = self.stack.last().copied().unwrap_or(false);
        match byte {
            b',' if is_object => self.take(Expect::Key),
            b',' => self.take(Expect::Value),
            b'}' if is_object => self.close(sink),
            b']' if !is_object => self.close(sink),
            _ if is_object => return Err(Fault::Expected("`,` or `}`")),
            _ => return Err(Fault::Expected("`,` or `]`")),
        }
        Ok(())
    }

    fn boundary(&mut self, next: Option<u8>, is_last: bool) -> Result<bool, Fault> {
        match next {
            None if !is_last => return Ok(false),
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}') => self.expect = Expect::Done,
            Some(_) => return Err(Fault::Expected("the end of the value")),
        }
        Ok(true)
    }

    fn value(&mut self, text: &[u8], byte: u8, is_last: bool, sink: &mut impl Sink) -> Result<bool, Fault> {
        match byte {
            b'"' => self.begin_string(false),
            b'{' => self.open(Kind::Object, sink)?,
            b'[' => self.open(Kind::Array, sink)?,
            b't' => return self.literal(text, b"true", Kind::Bool, is_last, sink),
            b'f' => return self.literal(text, b"false", Kind::Bool, is_last, sink),
            b'n' => return self.literal(text, b"null", Kind::Null, is_last, sink),
            _ => self.begin_number(Number::first(byte).ok_or(Fault::Expected("a value"))?),
        }
        Ok(true)
    }

    fn literal(
        &mut self,
        text: &[u8],
        word: &[u8],
        kind: Kind,
        is_last: bool,
        sink: &mut impl Sink,
    ) -> Result<bool, Fault> {
        let rest = text.get(self.position..).unwrap_or_default();
        if rest.starts_with(word) {
            let at = self.position;
            self.position += word.len();
            sink.leaf(kind, at, self.position, false);
            self.finish_value(true);
            return Ok(true);
        }
        if !is_last && word.starts_with(rest) { Ok(false) } else { Err(Fault::Expected("a value")) }
    }

    fn string(&mut self, text: &[u8], is_key: bool, sink: &mut impl Sink) -> Result<bool, Fault> {
        let ended = string::end(text, self.position, &mut self.met);
        if self.met.wide {
            let start = if self.wide.is_empty() { self.token } else { self.wide.start };
            let (Ended::Quote(end) | Ended::More(end) | Ended::Control(end) | Ended::Escape(end)) = ended;
            self.wide = start..end;
        }
        match ended {
            Ended::Quote(at) => {
                self.position = at + 1;
                sink.leaf(Kind::String, self.token, self.position, self.met.escape);
                if is_key {
                    self.expect = Expect::Colon
                } else {
                    self.finish_value(false)
                }
                Ok(true)
            }
            Ended::More(at) => {
                self.position = at;
                Ok(false)
            }
            Ended::Control(at) => {
                self.position = at;
                Err(Fault::Control)
            }
            Ended::Escape(at) => {
                self.position = at;
                Err(Fault::Escape)
            }
        }
    }

    fn number(&mut self, text: &[u8], mut number: Number, is_last: bool, sink: &mut impl Sink) -> Result<bool, Fault> {
        for byte in text.get(self.position..).unwrap_or_default() {
            match number.step(*byte) {
                Some(next) => number = next,
                None if number.is_complete() => return Ok(self.end_number(sink)),
                None => return Err(Fault::Expected("a digit")),
            }
            self.position += 1;
        }
        self.expect = Expect::InNumber(number);
        if is_last && number.is_complete() { Ok(self.end_number(sink)) } else { Ok(false) }
    }

    fn end_number(&mut self, sink: &mut impl Sink) -> bool {
        sink.leaf(Kind::Number, self.token, self.position, false);
        self.finish_value(true);
        true
    }

    fn begin_string(&mut self, is_key: bool) {
        self.token = self.position;
        self.met = Met::default();
        self.take(Expect::InString { is_key });
    }

    fn begin_number(&mut self, number: Number) {
        self.token = self.position;
        self.take(Expect::InNumber(number));
    }

    fn open(&mut self, kind: Kind, sink: &mut impl Sink) -> Result<(), Fault> {
        if self.stack.len() >= self.max_depth {
            return Err(Fault::Depth);
        }
        sink.open(kind, self.position);
        self.stack.push(kind == Kind::Object);
        self.take(if kind == Kind::Object { Expect::KeyOrEnd } else { Expect::ItemOrEnd });
        Ok(())
    }

    fn close(&mut self, sink: &mut impl Sink) {
        self.stack.pop();
        sink.close(self.position + 1);
        self.position += 1;
        self.finish_value(false);
    }

    fn take(&mut self, expect: Expect) {
        self.position += 1;
        self.expect = expect;
    }

    fn finish_value(&mut self, needs_boundary: bool) {
        self.expect = match (self.stack.is_empty(), needs_boundary) {
            (false, _) => Expect::CommaOrEnd,
            (true, true) => Expect::Boundary,
            (true, false) => Expect::Done,
        };
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
