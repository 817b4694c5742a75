//! The scanner: one pass that finds the end of a value, checks it and reports its tokens.
//!
//! It works on a window of the text and can stop at the end of it anywhere, so the same code captures a value, skips
//! one that is larger than memory, and parses a whole text.

mod run;

use std::ops::Range;

use self::run::Run;
use super::fault::Fault;
use super::number::Number;
use super::simd::with_lanes;
use super::string::{Met, Strings, Unusual};
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

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
