//! The scanner: one pass that finds the end of a value, checks it and reports its tokens.
//!
//! It works on a window of the text and can stop at the end of it anywhere, so the same code captures a value, skips
//! one that is larger than memory, and parses a whole text.

use std::ops::Range;

use super::Kind;
use super::fault::Fault;
use super::number::Number;
use super::simd::{Lanes, with_lanes};
use super::string::{Ended, Met, Strings, Unusual};
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

/// What stands between strings came to.
enum Next {
    /// A string, which is to be read.
    String { is_key: bool },
    /// Something else, which is read.
    Token,
    /// The end of the window.
    More,
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
    place: Place,
    /// For each open array or object: whether it is an object.
    stack: Vec<bool>,
    /// The string that the scan stopped in, where it has bytes that are not ASCII: only there can UTF-8 be broken.
    wide: Range<usize>,
    /// Where the first byte stands that is not UTF-8, in a string that is read to its end.
    not_utf8: Option<usize>,
    max_depth: usize,
}

/// How far a scan has come. A run works on a copy, which the processor keeps in registers.
#[derive(Debug, Clone, Copy)]
struct Place {
    expect: Expect,
    position: usize,
    /// Where the string or number that is being read begins.
    token: usize,
    met: Met,
    /// Is the innermost of what is open an object?
    in_object: bool,
}

impl Scanner {
    pub(super) fn new() -> Self {
        let place = Place { expect: Expect::Done, position: 0, token: 0, met: Met::default(), in_object: false };
        Self { place, stack: Vec::new(), wide: 0..0, not_utf8: None, max_depth: 0 }
    }

    /// Makes ready for a value that starts (after white space) at 0.
    pub(super) fn reset(&mut self, max_depth: usize) {
        self.place = Place { expect: Expect::Value, position: 0, in_object: false, ..self.place };
        self.stack.clear();
        self.wide = 0..0;
        self.not_utf8 = None;
        self.max_depth = max_depth;
    }

    pub(super) fn position(&self) -> usize {
        self.place.position
    }

    /// Checks that what was read is UTF-8. Gives how many bytes are whole characters, or where the first bad one is;
    /// a character that is cut off at the end is bad when `is_end`.
    pub(super) fn check_utf8(&self, text: &[u8], is_end: bool) -> Result<usize, usize> {
        if let Some(at) = self.not_utf8 {
            return Err(at);
        }
        let wide = text.get(self.wide.clone()).unwrap_or_default();
        match simdutf8::compat::from_utf8(wide) {
            Ok(_) => Ok(self.position()),
            Err(error) if error.error_len().is_none() && !is_end => Ok(self.wide.start + error.valid_up_to()),
            Err(error) => Err(self.wide.start + error.valid_up_to()),
        }
    }

    /// Checks a string that has bytes that are not ASCII, or keeps for later that it is to be checked.
    fn see_wide(&mut self, text: &[u8], string: Range<usize>, is_whole: bool) {
        if is_whole {
            let bytes = text.get(string.clone()).unwrap_or_default();
            let broken = simdutf8::compat::from_utf8(bytes).err().map(|error| string.start + error.valid_up_to());
            self.not_utf8 = self.not_utf8.or(broken);
        }
        self.wide = if is_whole { 0..0 } else { string };
    }

    /// Whether the scan stopped inside a string.
    pub(super) fn is_in_string(&self) -> bool {
        matches!(self.place.expect, Expect::InString { .. })
    }

    /// The open arrays and objects: whether each is an object.
    pub(super) fn stack(&self) -> &[bool] {
        &self.stack
    }

    /// The first `count` bytes of the slice are gone.
    pub(super) fn forget(&mut self, count: usize) {
        let Place { position, token, .. } = &mut self.place;
        for place in [position, token, &mut self.wide.start, &mut self.wide.end] {
            *place = place.saturating_sub(count);
        }
    }

    /// Reads on. `is_last`: nothing follows `text`.
    pub(super) fn run(&mut self, text: &[u8], is_last: bool, sink: &mut impl Sink) -> Result<Step, Fault> {
        with_lanes!(lanes => {
            let mut unusual = Unusual::default();
            let strings = Strings::new(lanes, text, self.place.position, &mut unusual);
            let mut run = Run { place: self.place, scanner: self, text, is_last, strings, sink };
            let step = run.run();
            run.scanner.place = run.place;
            step
        })
    }
}

/// A run of a scanner. All of it is compiled into one loop, for the lanes that it has and the sink that it feeds.
struct Run<'a, 't, L, S> {
    place: Place,
    scanner: &'a mut Scanner,
    text: &'t [u8],
    is_last: bool,
    strings: Strings<'t, L>,
    sink: &'a mut S,
}

impl<L: Lanes, S: Sink> Run<'_, '_, L, S> {
    #[inline(always)]
    fn run(&mut self) -> Result<Step, Fault> {
        loop {
            let next = match self.place.expect {
                Expect::InString { is_key } => Next::String { is_key },
                Expect::InNumber(number) => self.number(number)?,
                Expect::Boundary => self.boundary()?,
                Expect::Done => return Ok(Step::Done),
                expect => self.structure(expect)?,
            };
            let is_at_end = match next {
                Next::String { is_key } => self.string(is_key)?,
                Next::Token => false,
                Next::More => true,
            };
            if is_at_end {
                return if self.is_last { Err(Fault::End) } else { Ok(Step::More) };
            }
        }
    }

    /// Reads what stands between strings and numbers.
    #[inline(always)]
    fn structure(&mut self, expect: Expect) -> Result<Next, Fault> {
        let byte = loop {
            match self.text.get(self.place.position) {
                Some(byte) if is_space(*byte) => self.place.position += 1,
                Some(byte) => break *byte,
                None => return Ok(Next::More),
            }
        };
        match (expect, byte) {
            (Expect::KeyOrEnd | Expect::Key, b'"') => return Ok(self.begin_string(true)),
            (Expect::Colon, b':') => self.take(Expect::Value),
            (Expect::Colon, _) => return Err(Fault::Expected("`:`")),
            (Expect::ItemOrEnd, b']') | (Expect::KeyOrEnd, b'}') => self.close(),
            (Expect::Value | Expect::ItemOrEnd, _) => return self.value(byte),
            (Expect::KeyOrEnd, _) => return Err(Fault::Expected("a key or `}`")),
            (Expect::Key, _) => return Err(Fault::Expected("a key")),
            (_, byte) => self.after_value(byte)?,
        }
        Ok(Next::Token)
    }

    #[inline(always)]
    fn after_value(&mut self, byte: u8) -> Result<(), Fault> {
        let is_object = self.place.in_object;
        match byte {
            b',' if is_object => self.take(Expect::Key),
            b',' => self.take(Expect::Value),
            b'}' if is_object => self.close(),
            b']' if !is_object => self.close(),
            _ if is_object => return Err(Fault::Expected("`,` or `}`")),
            _ => return Err(Fault::Expected("`,` or `]`")),
        }
        Ok(())
    }

    #[inline(always)]
    fn boundary(&mut self) -> Result<Next, Fault> {
        match self.text.get(self.place.position) {
            None if !self.is_last => return Ok(Next::More),
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}') => self.place.expect = Expect::Done,
            Some(_) => return Err(Fault::Expected("the end of the value")),
        }
        Ok(Next::Token)
    }

    #[inline(always)]
    fn value(&mut self, byte: u8) -> Result<Next, Fault> {
        match byte {
            b'"' => return Ok(self.begin_string(false)),
            b'{' => self.open(Kind::Object)?,
            b'[' => self.open(Kind::Array)?,
            b't' => return self.literal(b"true", Kind::Bool),
            b'f' => return self.literal(b"false", Kind::Bool),
            b'n' => return self.literal(b"null", Kind::Null),
            _ => {
                self.place.token = self.place.position;
                self.take(Expect::InNumber(Number::first(byte).ok_or(Fault::Expected("a value"))?));
            }
        }
        Ok(Next::Token)
    }

    #[inline(always)]
    fn literal(&mut self, word: &[u8], kind: Kind) -> Result<Next, Fault> {
        let at = self.place.position;
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.place.position += word.len();
            self.sink.leaf(kind, at, self.place.position, false);
            self.finish_value(true);
            return Ok(Next::Token);
        }
        if !self.is_last && word.starts_with(rest) { Ok(Next::More) } else { Err(Fault::Expected("a value")) }
    }

    /// Reads a string; true when the window is used up before its end.
    #[inline(always)]
    fn string(&mut self, is_key: bool) -> Result<bool, Fault> {
        let ended = self.strings.end(self.place.position, &mut self.place.met);
        let (Ended::Quote(end) | Ended::More(end) | Ended::Control(end) | Ended::Escape(end)) = ended;
        self.place.position = end;
        if self.place.met.wide {
            self.scanner.see_wide(self.text, self.place.token..end, matches!(ended, Ended::Quote(_)));
        }
        match ended {
            Ended::Quote(_) => {
                self.place.position += 1;
                self.sink.leaf(Kind::String, self.place.token, self.place.position, self.place.met.escape);
                if is_key {
                    self.place.expect = Expect::Colon;
                    if self.text.get(self.place.position) == Some(&b':') {
                        self.take(Expect::Value);
                    }
                } else {
                    self.finish_value(false);
                }
                Ok(false)
            }
            Ended::More(_) => Ok(true),
            Ended::Control(_) => Err(Fault::Control),
            Ended::Escape(_) => Err(Fault::Escape),
        }
    }

    #[inline(always)]
    fn number(&mut self, number: Number) -> Result<Next, Fault> {
        let (number, end) = number.run(self.text, self.place.position);
        self.place.position = end;
        let is_end = end == self.text.len();
        if number.is_complete() && (self.is_last || !is_end) {
            self.sink.leaf(Kind::Number, self.place.token, end, false);
            self.finish_value(true);
            return Ok(Next::Token);
        }
        self.place.expect = Expect::InNumber(number);
        if is_end { Ok(Next::More) } else { Err(Fault::Expected("a digit")) }
    }

    #[inline(always)]
    fn begin_string(&mut self, is_key: bool) -> Next {
        self.place.token = self.place.position;
        self.place.met = Met::default();
        self.take(Expect::InString { is_key });
        Next::String { is_key }
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind) -> Result<(), Fault> {
        if self.scanner.stack.len() >= self.scanner.max_depth {
            return Err(Fault::Depth);
        }
        self.sink.open(kind, self.place.position);
        self.place.in_object = kind == Kind::Object;
        self.scanner.stack.push(self.place.in_object);
        self.take(if self.place.in_object { Expect::KeyOrEnd } else { Expect::ItemOrEnd });
        Ok(())
    }

    #[inline(always)]
    fn close(&mut self) {
        self.scanner.stack.pop();
        self.place.in_object = self.scanner.stack.last().copied().unwrap_or(false);
        self.place.position += 1;
        self.sink.close(self.place.position);
        self.finish_value(false);
    }

    #[inline(always)]
    fn take(&mut self, expect: Expect) {
        self.place.position += 1;
        self.place.expect = expect;
    }

    #[inline(always)]
    fn finish_value(&mut self, needs_boundary: bool) {
        self.place.expect = match (self.scanner.stack.is_empty(), needs_boundary) {
            (false, _) => Expect::CommaOrEnd,
            (true, true) => Expect::Boundary,
            (true, false) => Expect::Done,
        };
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
