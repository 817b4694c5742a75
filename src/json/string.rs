//! Where string literals end, and whether they are sound.
//!
//! Stores keep prose, code and logs, so nearly all bytes stand in strings, with an escape every 20 to 40 bytes. That is
//! why 64 bytes are looked at together, and why the search does not start anew behind each escape, nor branch at it.

use super::simd::{Lanes, Masks};

/// Where the search for a closing quote came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The closing quote.
    Quote(usize),
    /// The bytes ran out; go on from here with more of them.
    More(usize),
    /// A raw control character.
    Control(usize),
    /// A backslash with something after it that is no escape.
    Escape(usize),
}

/// What a search has met so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Met {
    /// A backslash.
    pub(super) escape: bool,
    /// A byte that is not ASCII, in the string or shortly behind it.
    pub(super) wide: bool,
}

/// Less than 64 bytes with spaces behind them, which stop nothing.
pub(super) fn padded(tail: &[u8]) -> [u8; 64] {
    let mut block = [b' '; 64];
    if let Some(start) = block.get_mut(..tail.len()) {
        start.copy_from_slice(tail);
    }
    block
}

/// What a quote or control character at `at` means.
fn stopped(text: &[u8], at: usize) -> Ended {
    if text.get(at) == Some(&b'"') { Ended::Quote(at) } else { Ended::Control(at) }
}

/// The bits below the lowest one of `mask`.
#[inline(always)]
fn below(mask: u64) -> u64 {
    !mask & mask.wrapping_sub(1)
}

/// Which bytes backslashes escape, block after block.
#[derive(Default, Clone, Copy)]
pub(super) struct Parity {
    /// The last byte of the block before was a backslash that escapes the first byte of this one.
    is_next_escaped: bool,
}

impl Parity {
    /// The bytes that an odd run of backslashes stands before. simdjson's way: adding a run's start to the run carries
    /// to the bit behind it, whose parity against the start's tells whether the run is odd.
    #[inline(always)]
    pub(super) fn escaped(&mut self, backslash: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let carried = u64::from(self.is_next_escaped);
        let backslash = backslash & !carried;
        let follows = backslash << 1 | carried;
        let odd_starts = backslash & !EVEN & !follows;
        let (even_runs, carry) = odd_starts.overflowing_add(backslash);
        self.is_next_escaped = carry;
        (EVEN ^ (even_runs << 1)) & follows
    }
}

/// The strings of a text, one after the other, in blocks of 64 bytes. What was seen in a block is kept for all strings
/// that begin and end in it: keys and short values cost no look of their own.
pub(super) struct Strings<'t, L> {
    text: &'t [u8],
    lanes: L,
    /// Where the block stands that is kept.
    at: usize,
    block: Block,
    parity: Parity,
    unusual: &'t mut Unusual,
}

/// What stands in 64 bytes. Bit i tells of byte i.
#[derive(Clone, Copy, Default)]
struct Block {
    /// Quotes that no backslash escapes, and control characters.
    stop: u64,
    backslash: u64,
    /// What backslashes escape, but for the usual letters.
    odd: u64,
    /// Bytes that are not ASCII.
    wide: u64,
}

/// Blocks with unusual escapes, and what is escaped there, before they are checked. Nearly all are sound, and where they
/// stand cannot be foretold: a branch at each would cost more than the rest of the search.
pub(super) type Unusual = [(usize, u64); 16];
/// From here on they are checked. One place is left for the block that comes next.
const MANY: usize = 15;

/// What a search has seen in a string.
#[derive(Default)]
struct Seen {
    /// Not 0 once a backslash was seen.
    escapes: u64,
    /// Not 0 once a byte was seen that is not ASCII.
    wide: u64,
    /// How many blocks wait to be checked.
    unusual: usize,
}

impl<'t, L: Lanes> Strings<'t, L> {
    /// The strings from `from` on, a place that does not stand between a backslash and its letter.
    #[inline(always)]
    pub(super) fn new(lanes: L, text: &'t [u8], from: usize, unusual: &'t mut Unusual) -> Self {
        Self { text, lanes, at: from.wrapping_sub(64), block: Block::default(), parity: Parity::default(), unusual }
    }

    /// Finds the closing quote from `from`, a place inside a string, not between a backslash and its letter, and not
    /// before an earlier one.
    #[inline(always)]
    pub(super) fn end(&mut self, mut from: usize, met: &mut Met) -> Ended {
        if from.wrapping_sub(self.at) >= 64 {
            // What was passed over is no string, so no backslash stands in front of the next block.
            self.parity = Parity::default();
        }
        let mut seen = Seen::default();
        let ended = loop {
            let stop = self.part(from, &mut seen);
            from = self.at + 64;
            if stop == 0 {
                from = self.pass(from, &mut seen);
            }
            let is_out = from > self.text.len();
            if stop != 0 || is_out || seen.unusual >= MANY {
                if seen.unusual > 0
                    && let Some(ended) = check(self.text, self.unusual, seen.unusual)
                {
                    break ended;
                }
                seen.unusual = 0;
                if stop != 0 {
                    break stopped(self.text, self.at + stop.trailing_zeros() as usize);
                }
                if is_out {
                    break Ended::More(self.text.len());
                }
            }
        };
        met.escape |= seen.escapes != 0;
        met.wide |= seen.wide != 0;
        ended
    }

    /// Looks at the block of `from`, from there on, and keeps it. Gives where the string ends in it.
    #[inline(always)]
    fn part(&mut self, from: usize, seen: &mut Seen) -> u64 {
        if from.wrapping_sub(self.at) >= 64 {
            self.at = from;
            self.block = look(self.lanes, self.text, from, &mut self.parity);
        }
        let inside = u64::MAX << (from - self.at);
        let stop = self.block.stop & inside;
        let before = inside & below(stop);
        seen.wide |= self.block.wide;
        seen.escapes |= self.block.backslash & before;
        self.note(self.at, self.block.odd & before, seen);
        stop
    }

    /// Passes over whole blocks in which the string does not end. None is kept: what two loops keep, the compiler would
    /// mix bit by bit.
    #[inline(always)]
    fn pass(&mut self, mut from: usize, seen: &mut Seen) -> usize {
        for block in self.text.get(from..).unwrap_or_default().as_chunks().0 {
            let mut parity = self.parity;
            let Masks { stop, backslash, wide, usual } = Masks::of(self.lanes, block);
            let letters = parity.escaped(backslash);
            if stop & !letters != 0 || seen.unusual >= MANY {
                break;
            }
            self.parity = parity;
            seen.wide |= wide;
            seen.escapes |= backslash;
            self.note(from, letters & !usual, seen);
            from += 64;
        }
        from
    }

    /// Notes what is escaped in a block, if anything unusual is, without a branch.
    #[inline(always)]
    fn note(&mut self, at: usize, odd: u64, seen: &mut Seen) {
        if let Some(next) = self.unusual.get_mut(seen.unusual) {
            *next = (at, odd);
        }
        seen.unusual += usize::from(odd != 0);
    }
}

/// Looks at the 64 bytes from `at` on, or what there is of them.
#[inline(always)]
fn look(lanes: impl Lanes, text: &[u8], at: usize, parity: &mut Parity) -> Block {
    let rest = text.get(at..).unwrap_or_default();
    let tail;
    let block = match rest.first_chunk() {
        Some(block) => block,
        None => {
            tail = padded(rest);
            &tail
        }
    };
    let Masks { stop, backslash, wide, usual } = Masks::of(lanes, block);
    let letters = parity.escaped(backslash);
    Block { stop: stop & !letters, backslash, odd: letters & !usual, wide }
}

/// Checks the first `count` blocks with unusual escapes.
fn check(text: &[u8], unusual: &Unusual, count: usize) -> Option<Ended> {
    for (at, letters) in unusual.iter().take(count) {
        let mut letters = *letters;
        while letters != 0 {
            let letter = *at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            let rest = text.get(letter..).unwrap_or_default();
            let is_unit = rest.first_chunk().is_some_and(|[u, digits @ ..]: &[u8; 5]| *u == b'u' && are_hex(*digits));
            if !is_unit && let Some(ended) = check_one(rest, letter) {
                return Some(ended);
            }
        }
    }
    None
}

/// Are all four hexadecimal digits? Without a branch at each.
fn are_hex(digits: [u8; 4]) -> bool {
    digits.iter().fold(true, |all, digit| all & digit.is_ascii_hexdigit())
}

/// Checks the escape with its letter in front of `rest`, which stands at `letter`.
fn check_one(rest: &[u8], letter: usize) -> Option<Ended> {
    match rest {
        [b'/' | b'b' | b'f' | b'n' | b't' | b'r' | b'"' | b'\\', ..] => None,
        [b'u', digits @ ..] if digits.len() < 4 && digits.iter().all(u8::is_ascii_hexdigit) => {
            Some(Ended::More(letter - 1))
        }
        [] => Some(Ended::More(letter - 1)),
        _ => Some(Ended::Escape(letter - 1)),
    }
}
