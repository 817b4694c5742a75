//! What string literals say.

use super::simd::{Lanes, backslashes, with_lanes};
use super::string::{Parity, padded};

/// Appends what the inside of a sound string literal says. A surrogate without its partner becomes U+FFFD.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + room(raw), 0);
    let written = write(raw, out.get_mut(start..).unwrap_or_default());
    out.truncate(start + written);
}

/// [`unescape`] to the front of `out`, which has [`room`] for it; the number of bytes.
pub(super) fn write(raw: &[u8], out: &mut [u8]) -> usize {
    with_lanes!(lanes => Copy { raw, out, from: 0, to: 0 }.run(lanes))
}

/// How much room it takes: no escape is shorter than what it stands for, and whole chunks are copied.
pub(super) fn room(raw: &[u8]) -> usize {
    raw.len() + CHUNK
}

const CHUNK: usize = 32;

/// A copy of a literal that leaves the backslashes out.
struct Copy<'a> {
    raw: &'a [u8],
    out: &'a mut [u8],
    /// What stands before here in `raw` is done.
    from: usize,
    /// The end of what is written.
    to: usize,
}

impl Copy<'_> {
    /// Copies all and gives the length.
    #[inline(always)]
    fn run(mut self, lanes: impl Lanes) -> usize {
        let (blocks, tail) = self.raw.as_chunks::<64>();
        let mut parity = Parity::default();
        for (index, block) in blocks.iter().enumerate() {
            self.block(64 * index, parity.escaped(backslashes(lanes, block)));
        }
        self.block(64 * blocks.len(), parity.escaped(backslashes(lanes, &padded(tail))));
        self.plain(self.raw.len());
        self.to
    }

    /// Copies up to the last of the escapes whose letters are given.
    #[inline(always)]
    fn block(&mut self, at: usize, mut letters: u64) {
        while letters != 0 {
            let letter = at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            // the second half of a surrogate pair is done already
            if letter > self.from {
                self.plain(letter - 1);
                self.escape(letter);
            }
        }
    }

    /// Copies what stands before `end` as it is.
    #[inline(always)]
    fn plain(&mut self, end: usize) {
        let count = end - self.from;
        let target = self.out.get_mut(self.to..).unwrap_or_default();
        let source = self.raw.get(self.from..).unwrap_or_default();
        match (source.first_chunk::<CHUNK>(), target.first_chunk_mut::<CHUNK>()) {
            // more than is wanted is copied faster than exactly so much
            (Some(source), Some(target)) if count <= CHUNK => *target = *source,
            _ => {
                if let (Some(source), Some(target)) = (source.get(..count), target.get_mut(..count)) {
                    target.copy_from_slice(source);
                }
            }
        }
        self.from = end;
        self.to += count;
    }

    /// Writes what the escape with its letter at `letter` stands for.
    #[inline(always)]
    fn escape(&mut self, letter: usize) {
        let byte = self.raw.get(letter).copied().unwrap_or_default();
        if byte == b'u' {
            return self.escape_unit(letter);
        }
        if let Some(target) = self.out.get_mut(self.to) {
            *target = MEANINGS.get(usize::from(byte)).copied().unwrap_or_default();
        }
        self.to += 1;
        self.from = letter + 1;
    }

    fn escape_unit(&mut self, letter: usize) {
        let (used, character) = code_point(self.raw.get(letter..).unwrap_or_default());
        let mut encoded = [0; 4];
        let encoded = character.encode_utf8(&mut encoded).as_bytes();
        if let Some(target) = self.out.get_mut(self.to..self.to + encoded.len()) {
            target.copy_from_slice(encoded);
        }
        self.to += encoded.len();
        self.from = letter + used;
    }
}

/// What the letter of a short escape stands for.
#[expect(clippy::indexing_slicing, reason = "runs while compiling, where a panic is an error")]
const MEANINGS: [u8; 256] = {
    let mut meanings = [b'?'; 256];
    meanings[b'"' as usize] = b'"';
    meanings[b'\\' as usize] = b'\\';
    meanings[b'/' as usize] = b'/';
    meanings[b'b' as usize] = 8;
    meanings[b'f' as usize] = 12;
    meanings[b'n' as usize] = b'\n';
    meanings[b'r' as usize] = b'\r';
    meanings[b't' as usize] = b'\t';
    meanings
};

/// The character of `uXXXX` or `uXXXX\uXXXX` at the front, and how long that is.
fn code_point(escape: &[u8]) -> (usize, char) {
    let unit = code_unit(escape);
    if (0xd800..0xdc00).contains(&unit)
        && let Some([b'\\', second @ ..]) = escape.get(5..)
        && let low @ 0xdc00..0xe000 = code_unit(second)
    {
        let pair = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return (11, char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    (5, char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The number in `uXXXX`; 0 when there is none.
fn code_unit(escape: &[u8]) -> u32 {
    let Some([b'u', digits @ ..]) = escape.first_chunk::<5>() else { return 0 };
    digits.iter().fold(0, |unit, digit| unit << 4 | char::from(*digit).to_digit(16).unwrap_or(0))
}
