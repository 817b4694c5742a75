//! The index of a value: one entry a token, in document order.

use super::Kind;

/// What a scan reports: a tape for a captured value, nothing for a skipped one.
pub(super) trait Sink {
    /// A string, number or literal from `at` to `end` (a string with its quotes).
    fn leaf(&mut self, kind: Kind, at: usize, end: usize, escaped: bool);
    /// An array or object that opens at `at`.
    fn open(&mut self, kind: Kind, at: usize);
    /// The innermost open array or object ends before `end`.
    fn close(&mut self, end: usize);
}

/// Skipping remembers nothing.
pub(super) struct Nothing;

impl Sink for Nothing {
    #[inline(always)]
    fn leaf(&mut self, _: Kind, _: usize, _: usize, _: bool) {}
    fn open(&mut self, _: Kind, _: usize) {}
    fn close(&mut self, _: usize) {}
}

/// One token: its bytes, its kind, and the token after everything inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    at: u32,
    end: u32,
    /// kind (3 bits), escaped (1 bit), next (28 bits)
    meta: u32,
}

const NEXT_BITS: u32 = 28;
const NEXT_MASK: u32 = (1 << NEXT_BITS) - 1;
const ESCAPED: u32 = 1 << NEXT_BITS;

impl Token {
    /// Stands where no token is: a null of no bytes.
    const NONE: Self = Self { at: 0, end: 0, meta: 0 };

    fn new(kind: Kind, at: usize, end: usize, escaped: bool, next: usize) -> Self {
        let meta = (kind as u32) << (NEXT_BITS + 1) | if escaped { ESCAPED } else { 0 } | (next as u32 & NEXT_MASK);
        Self { at: at as u32, end: end as u32, meta }
    }

    pub(super) fn kind(self) -> Kind {
        match self.meta >> (NEXT_BITS + 1) {
            0 => Kind::Null,
            1 => Kind::Bool,
            2 => Kind::Number,
            3 => Kind::String,
            4 => Kind::Array,
            _ => Kind::Object,
        }
    }

    /// Whether a string holds a backslash.
    pub(super) fn is_escaped(self) -> bool {
        self.meta & ESCAPED != 0
    }

    /// The first byte.
    pub(super) fn at(self) -> usize {
        self.at as usize
    }

    /// The byte after the last.
    pub(super) fn end(self) -> usize {
        self.end as usize
    }

    /// The number of the token behind this one and all that is inside it.
    pub(super) fn next(self) -> usize {
        (self.meta & NEXT_MASK) as usize
    }
}

/// The tokens of one value.
#[derive(Debug, Default)]
pub(super) struct Tape {
    tokens: Vec<Token>,
    open: Vec<u32>,
    most: usize,
    is_full: bool,
}

impl Tape {
    /// Makes ready for another value of at most `most` tokens; the memory is kept.
    pub(super) fn reset(&mut self, most: usize) {
        self.tokens.clear();
        self.open.clear();
        self.most = most;
        self.is_full = false;
    }

    /// Whether the value had more tokens than allowed.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.tokens.capacity() * size_of::<Token>()
    }

    pub(super) fn get(&self, token: usize) -> Token {
        self.tokens.get(token).copied().unwrap_or(Token::NONE)
    }

    #[inline(always)]
    fn push(&mut self, token: Token) {
        if self.tokens.len() < self.most {
            self.tokens.push(token);
        } else {
            self.is_full = true;
        }
    }
}

impl Sink for Tape {
    #[inline(always)]
    fn leaf(&mut self, kind: Kind, at: usize, end: usize, escaped: bool) {
        self.push(Token::new(kind, at, end, escaped, self.tokens.len() + 1));
    }

    fn open(&mut self, kind: Kind, at: usize) {
        self.open.push(self.tokens.len() as u32);
        self.push(Token::new(kind, at, at, false, 0));
    }

    fn close(&mut self, end: usize) {
        let next = self.tokens.len();
        let Some(open) = self.open.pop() else { return };
        if let Some(token) = self.tokens.get_mut(open as usize) {
            *token = Token::new(token.kind(), token.at(), end, false, next);
        }
    }
}
