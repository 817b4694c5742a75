//! Finding the end of a damaged element, so that its neighbours stand.
//!
//! An element ends at the comma or the closing bracket of its container. Both are looked for outside strings, at the
//! element's own nesting, from the place of the fault on: what stands before it was sound, so it is known which
//! brackets are open there and whether a string is. But a fault is often a quote too many or too few, and then what
//! follows is inside out. So two lanes run side by side, one that believes the scanner about being in a string and
//! one that does not, and each watches whether what it passes can be JSON: words outside strings are literals or
//! numbers, brackets match, no token follows one that it cannot follow, no later string has a raw control character.
//! The fault itself is forgiven: the bytes up to the next bracket, comma, colon, quote or white space, or the string
//! that it stands in.
//!
//! - The believing lane's end counts if it met nothing doubtful.
//! - Otherwise, if the fault stands right behind a string, this string may have lost its closing quote and run on into
//!   the next element: the first comma or closing bracket in its last bytes counts from which all up to the fault is
//!   without doubt and in which the element ends.
//! - Otherwise the disbelieving lane's end counts if that met nothing doubtful.
//! - Otherwise the believing lane's end, then the other's. A lane in doubt goes on by counting brackets; a closing one
//!   without its partner closes down to the next partner in the element, or nothing.
//! - A text that ends before any of them is lost from here.
//!
//! Where brackets and quotes are not in question, because a limit was reached or only UTF-8 is broken, there is no
//! disbelieving lane.

use memchr::memchr2;

use super::number::Number;
use super::scan::{Scanner, is_space};

/// The two lanes and how far they have come.
#[derive(Debug, Clone)]
pub(super) struct Recovery {
    believing: Lane,
    disbelieving: Option<Lane>,
    /// Where the element ends if a string in it lost its closing quote.
    early: Option<usize>,
    /// Up to here both have read.
    at: usize,
}

impl Recovery {
    /// From where the scan of an element of `text` stopped at a fault. `in_object`: what the element's container is.
    pub(super) fn after(scanner: &Scanner, text: &[u8], in_object: bool) -> Self {
        let mut recovery = Self::certain(scanner, in_object);
        let lane = |in_string| Lane::new(scanner.stack().to_vec(), in_string, in_object);
        recovery.disbelieving = Some(lane(!scanner.is_in_string()));
        if !scanner.is_in_string() {
            recovery.early = early_end(&lane(false), text.get(..recovery.at).unwrap_or_default());
        }
        recovery
    }

    /// From where the scan of an element stopped, without a fault that could deceive it.
    pub(super) fn certain(scanner: &Scanner, in_object: bool) -> Self {
        let believing = Lane::new(scanner.stack().to_vec(), scanner.is_in_string(), in_object);
        Self { believing, disbelieving: None, early: None, at: scanner.position() }
    }

    /// From a place between elements.
    pub(super) fn between(in_object: bool) -> Self {
        let lane = |in_string| Lane::new(Vec::new(), in_string, in_object);
        Self { believing: lane(false), disbelieving: Some(lane(true)), early: None, at: 0 }
    }

    /// Reads on to the end of `text`. Gives the element's end once it is known; the lanes are not waited for when
    /// `is_last`.
    pub(super) fn run(&mut self, text: &[u8], is_last: bool) -> Option<usize> {
        self.believing.run(text, self.at);
        if let Some(lane) = &mut self.disbelieving {
            lane.run(text, self.at);
        }
        self.at = self.at.max(text.len());
        self.verdict(is_last)
    }

    fn verdict(&self, is_last: bool) -> Option<usize> {
        let first = &self.believing;
        let (second, is_second_doubtful) =
            self.disbelieving.as_ref().map_or((None, true), |lane| (lane.end, lane.is_doubtful));
        match (first.end, second) {
            (Some(end), _) if !first.is_doubtful => Some(end),
            _ if self.early.is_some() && (first.is_doubtful || is_last) => self.early,
            (_, Some(end)) if !is_second_doubtful && (first.is_doubtful || is_last) => Some(end),
            (Some(end), _) if is_second_doubtful || is_last => Some(end),
            (None, end) if is_last => end,
            _ => None,
        }
    }

    /// How many bytes of the text are not needed any more.
    pub(super) fn is_done_with(&self) -> usize {
        let second = self.disbelieving.as_ref().and_then(|lane| lane.end);
        [self.early, self.believing.end, second].into_iter().flatten().min().unwrap_or(self.at)
    }

    /// The first `count` bytes of the text are gone.
    pub(super) fn forget(&mut self, count: usize) {
        self.at -= count;
        let second = self.disbelieving.as_mut().map(|lane| &mut lane.end);
        for end in [&mut self.early, &mut self.believing.end].into_iter().chain(second).flatten() {
            *end -= count;
        }
    }
}

/// So many bytes before its end a string is searched for its lost closing quote: what stands there between two elements
/// is brackets, commas and white space.
const EARLY: usize = 256;

/// Where the element ends if the string at the end of `text` should have ended earlier. `lane` is at the fault.
fn early_end(lane: &Lane, text: &[u8]) -> Option<usize> {
    let end = text.iter().rposition(|byte| !is_space(*byte))?;
    let inside = text.get(..end).filter(|_| text.get(end) == Some(&b'"'))?;
    let start =
        inside.iter().rposition(|byte| *byte == b'"').map_or(0, |quote| quote + 1).max(end.saturating_sub(EARLY));
    (start..end).filter(|at| matches!(text.get(*at), Some(b',' | b']' | b'}'))).find_map(|at| lane.early_end(text, at))
}

/// The token before, as far as it says what may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Fault,
    String,
    Scalar,
    /// A comma, a colon or `[`.
    Opening,
    OpenObject,
    Closed,
}

/// A run of bytes outside strings that are no brackets, commas, colons, quotes or white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    None,
    /// The fault itself, or a word that is none.
    Any,
    /// What is left of `true`, `false` or `null`.
    Literal(&'static [u8]),
    Number(Number),
}

#[derive(Debug, Clone)]
struct Lane {
    /// Open arrays and objects of the element: whether each is an object.
    stack: Vec<bool>,
    /// How many more are open than `stack` keeps.
    deeper: u64,
    in_object: bool,
    in_string: bool,
    after_backslash: bool,
    /// The string that the fault stands in may hold anything.
    is_forgiven: bool,
    before: Before,
    word: Word,
    is_doubtful: bool,
    end: Option<usize>,
}

impl Lane {
    /// Deeper than this, brackets are counted but not told apart.
    const DEEPEST: usize = 4096;

    fn new(stack: Vec<bool>, in_string: bool, in_object: bool) -> Self {
        Self {
            stack,
            deeper: 0,
            in_object,
            in_string,
            after_backslash: false,
            is_forgiven: true,
            before: Before::Fault,
            word: if in_string { Word::None } else { Word::Any },
            is_doubtful: false,
            end: None,
        }
    }

    /// Reads `text` from `at` on, up to the element's end.
    fn run(&mut self, text: &[u8], mut at: usize) {
        while self.end.is_none()
            && let Some(rest @ [byte, ..]) = text.get(at..)
        {
            let plain = if self.in_string { memchr2(b'"', b'\\', rest).unwrap_or(rest.len()) } else { 0 };
            if plain > 0 && !self.after_backslash {
                self.is_doubtful |= !self.is_forgiven && rest.iter().take(plain).any(|byte| *byte < 0x20);
                at += plain;
            } else {
                self.step(*byte, at);
                at += 1;
            }
        }
    }

    /// Where the element ends if a string of it ends at `start`, and all from there to the end of `text` is sound.
    fn early_end(&self, text: &[u8], start: usize) -> Option<usize> {
        let mut lane = Self { before: Before::String, word: Word::None, is_forgiven: false, ..self.clone() };
        for (at, byte) in text.iter().enumerate().skip(start) {
            lane.step(*byte, at);
        }
        if lane.is_doubtful || !lane.in_string { None } else { lane.end }
    }

    /// Reads a byte. Behind the end it goes on, in the container and whatever that is in.
    fn step(&mut self, byte: u8, at: usize) {
        if self.in_string {
            return self.inside(byte);
        }
        let is_sign = matches!(byte, b'"' | b'[' | b'{' | b']' | b'}' | b',' | b':');
        if !is_sign && !is_space(byte) {
            return self.letter(byte);
        }
        self.end_word();
        match byte {
            b'"' => {
                self.follow(Before::String, &[Before::Opening, Before::OpenObject]);
                self.in_string = true;
            }
            b'[' | b'{' => self.open(byte == b'{'),
            b']' | b'}' => self.close(byte == b'}', at),
            b':' => self.follow(Before::Opening, &[Before::String]),
            b',' if self.is_at_top() => {
                self.end.get_or_insert(at);
                self.before = Before::Opening;
            }
            b',' => self.follow(Before::Opening, &[Before::String, Before::Scalar, Before::Closed]),
            _ => {}
        }
    }

    fn inside(&mut self, byte: u8) {
        match byte {
            _ if self.after_backslash => self.after_backslash = false,
            b'\\' => self.after_backslash = true,
            b'"' => {
                self.in_string = false;
                self.is_forgiven = false;
                self.before = Before::String;
            }
            0..=0x1f => self.is_doubtful |= !self.is_forgiven,
            _ => {}
        }
    }

    fn letter(&mut self, byte: u8) {
        let next = match self.word {
            Word::Any => Some(Word::Any),
            Word::None => {
                self.follow(Before::Scalar, &[Before::Opening]);
                first_letter(byte)
            }
            Word::Literal([first, rest @ ..]) => (*first == byte).then_some(Word::Literal(rest)),
            Word::Literal([]) => None,
            Word::Number(number) => number.step(byte).map(Word::Number),
        };
        self.is_doubtful |= next.is_none();
        self.word = next.unwrap_or(Word::Any);
    }

    fn end_word(&mut self) {
        self.is_doubtful |= match self.word {
            Word::None | Word::Any => false,
            Word::Literal(rest) => !rest.is_empty(),
            Word::Number(number) => !number.is_complete(),
        };
        self.word = Word::None;
    }

    /// A token that may follow some others, and the fault.
    fn follow(&mut self, token: Before, others: &[Before]) {
        self.is_doubtful |= self.before != Before::Fault && !others.contains(&self.before);
        self.is_forgiven = false;
        self.before = token;
    }

    fn open(&mut self, is_object: bool) {
        self.follow(if is_object { Before::OpenObject } else { Before::Opening }, &[Before::Opening]);
        if self.stack.len() < Self::DEEPEST { self.stack.push(is_object) } else { self.deeper += 1 }
    }

    fn close(&mut self, is_object: bool, at: usize) {
        if self.is_at_top() && (is_object == self.in_object || self.end.is_some()) {
            self.end.get_or_insert(at);
            self.before = Before::Closed;
            return;
        }
        let is_forgiven = self.before == Before::Fault;
        self.before = Before::Closed;
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let partner = self.stack.iter().rposition(|kind| *kind == is_object);
        let is_matched = partner.is_some_and(|partner| partner + 1 == self.stack.len());
        self.is_doubtful |= !is_matched && !is_forgiven;
        self.stack.truncate(partner.unwrap_or(self.stack.len()));
    }

    fn is_at_top(&self) -> bool {
        self.stack.is_empty() && self.deeper == 0
    }
}

fn first_letter(byte: u8) -> Option<Word> {
    match byte {
        b't' => Some(Word::Literal(b"rue")),
        b'f' => Some(Word::Literal(b"alse")),
        b'n' => Some(Word::Literal(b"ull")),
        _ => Number::first(byte).map(Word::Number),
    }
}
