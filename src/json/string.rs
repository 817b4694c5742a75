//! Where string literals end, and whether they are sound.
//!
//! Stores keep prose, code and logs, so nearly all bytes stand in strings, with an escape every 20 to 40 bytes. That is
//! why 64 bytes are looked at together, and why the search does not start anew behind each escape.

use super::simd::{Lanes, Masks, usual_escapes, with_lanes};

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

/// Finds the closing quote from `from`, a place inside a string and not between a backslash and its letter.
pub(super) fn end(text: &[u8], from: usize, met: &mut Met) -> Ended {
    with_lanes!(lanes => end_with(lanes, text, from, met))
}

/// [`end`] with these lanes.
#[inline(always)]
pub(super) fn end_with(lanes: impl Lanes, text: &[u8], from: usize, met: &mut Met) -> Ended {
    let mut search = Search { text, lanes, parity: Parity::default(), escapes: 0, wide: 0 };
    let (blocks, tail) = text.get(from..).unwrap_or_default().as_chunks::<64>();
    let mut at = from;
    let mut ended = None;
    for block in blocks {
        ended = search.block(at, block);
        if ended.is_some() {
            break;
        }
        at += 64;
    }
    if ended.is_none() {
        ended = search.block(at, &padded(tail));
    }
    met.escape |= search.escapes != 0;
    met.wide |= search.wide != 0;
    ended.unwrap_or(Ended::More(text.len()))
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
#[derive(Default)]
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

/// A search of a string in blocks of 64 bytes.
struct Search<'a, L> {
    text: &'a [u8],
    lanes: L,
    parity: Parity,
    /// Not 0 once a backslash was seen.
    escapes: u64,
    /// Not 0 once a byte was seen that is not ASCII.
    wide: u64,
}

impl<L: Lanes> Search<'_, L> {
    #[inline(always)]
    fn block(&mut self, at: usize, block: &[u8; 64]) -> Option<Ended> {
        let Masks { mut stop, backslash, wide } = Masks::of(self.lanes, block);
        self.wide |= wide;
        if backslash != 0 || self.parity.is_next_escaped {
            let letters = self.parity.escaped(backslash);
            stop &= !letters;
            self.escapes |= backslash & below(stop);
            let odd = letters & !usual_escapes(self.lanes, block);
            if odd != 0
                && let Some(ended) = self.check(at, odd & below(stop))
            {
                return Some(ended);
            }
        }
        (stop != 0).then(|| stopped(self.text, at + stop.trailing_zeros() as usize))
    }

    /// Checks the escapes whose letters are given.
    fn check(&self, at: usize, mut letters: u64) -> Option<Ended> {
        while letters != 0 {
            let letter = at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            match self.text.get(letter) {
                Some(b'/' | b'b' | b'f' | b'n' | b't' | b'r' | b'"' | b'\\') => {}
                Some(b'u') => {
                    if let Some(ended) = self.check_digits(letter) {
                        return Some(ended);
                    }
                }
                Some(_) => return Some(Ended::Escape(letter - 1)),
                None => return Some(Ended::More(letter - 1)),
            }
        }
        None
    }

    fn check_digits(&self, letter: usize) -> Option<Ended> {
        let rest = self.text.get(letter + 1..).unwrap_or_default();
        let digits = rest.get(..4).unwrap_or(rest);
        match digits.iter().all(u8::is_ascii_hexdigit) {
            false => Some(Ended::Escape(letter - 1)),
            true if digits.len() < 4 => Some(Ended::More(letter - 1)),
            true => None,
        }
    }
}
