//! What string literals say.

use super::simd::{Lanes, SQUEEZED, backslashes, with_lanes};
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

/// How much room it takes: no escape is shorter than what it stands for, and whole blocks are copied.
pub(super) fn room(raw: &[u8]) -> usize {
    raw.len() + SQUEEZED
}

const CHUNK: usize = 32;

/// A copy of a literal that leaves the backslashes out.
struct Copy<'a> {
    raw: &'a [u8],
    out: &'a mut [u8],
    /// What stands before here in `raw` is done, and so is all in front of the block.
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
            self.block(lanes, &mut parity, 64 * index, block);
        }
        self.block(lanes, &mut parity, 64 * blocks.len(), &padded(tail));
        self.to
    }

    /// Copies what is left of a block.
    #[inline(always)]
    fn block(&mut self, lanes: impl Lanes, parity: &mut Parity, at: usize, block: &[u8; 64]) {
        let backslash = backslashes(lanes, block);
        let letters = parity.escaped(backslash);
        let inside = bits(self.from.saturating_sub(at), self.raw.len() - at);
        let letters = letters & inside;
        let keep = inside & !(backslash & !letters);
        if self.squeeze(lanes, at, block, letters, keep).is_none() {
            self.escapes(at, letters, keep);
        }
    }

    /// Copies what is left of the block at once; `None` where these lanes cannot, or an escape reaches beyond it.
    #[inline(always)]
    fn squeeze(&mut self, lanes: impl Lanes, at: usize, block: &[u8; 64], letters: u64, mut keep: u64) -> Option<()> {
        let (mut said, mut odd) = lanes.said(block, letters)?;
        while odd != 0 {
            let letter = odd.trailing_zeros() as usize;
            let (used, character) = meaning(self.raw.get(at + letter..).unwrap_or_default());
            let end = letter + used;
            // what a character takes is never more than its escape
            let said = said.get_mut(letter..end)?;
            keep &= !bits(letter + character.encode_utf8(said).len(), end);
            odd &= !bits(0, end);
        }
        let target = self.out.get_mut(self.to..)?.first_chunk_mut()?;
        self.to += lanes.squeeze(&said, keep, target);
        Some(())
    }

    /// Copies what is left of the block at `at` one escape after the other.
    fn escapes(&mut self, at: usize, mut letters: u64, keep: u64) {
        self.from = self.from.max(at);
        while letters != 0 {
            let letter = at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            // the second half of a surrogate pair is done already
            if letter >= self.from {
                self.plain((letter - 1).max(self.from));
                self.escape(letter);
            }
        }
        // a backslash at the end waits for its letter
        let end = at + 64 - keep.leading_zeros() as usize;
        if self.from < end {
            self.plain(end);
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
        let (used, character) = meaning(self.raw.get(letter..).unwrap_or_default());
        let mut encoded = [0; 4];
        let encoded = character.encode_utf8(&mut encoded).as_bytes();
        if let Some(target) = self.out.get_mut(self.to..self.to + encoded.len()) {
            target.copy_from_slice(encoded);
        }
        self.to += encoded.len();
        self.from = letter + used;
    }
}

/// The bits from `from` to `to`, of 64.
fn bits(from: usize, to: usize) -> u64 {
    let below = |count: usize| if count < 64 { (1 << count) - 1 } else { u64::MAX };
    below(to) & !below(from)
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

/// What the letter at the front stands for, and how much stands for it.
#[inline(always)]
fn meaning(escape: &[u8]) -> (usize, char) {
    match escape.first() {
        Some(b'u') => code_point(escape),
        Some(letter) => (1, char::from(MEANINGS.get(usize::from(*letter)).copied().unwrap_or_default())),
        None => (1, char::REPLACEMENT_CHARACTER),
    }
}

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
    // of a letter the lower half is 1 to 6, and bit 6 is set
    digits.iter().fold(0, |unit, digit| unit << 4 | u32::from((digit & 15) + 9 * (digit >> 6)))
}

#[cfg(test)]
mod tests {
    use super::super::simd::with_all_lanes;
    use super::*;

    /// A text with escapes of every kind and length; halves of pairs stand alone, too.
    fn text(mut random: u64) -> (String, String) {
        const PIECES: [(&str, &str); 16] = [
            ("\\\\", "\\"),
            ("\\\"", "\""),
            ("\\/", "/"),
            ("\\b", "\u{8}"),
            ("\\f", "\u{c}"),
            ("\\n", "\n"),
            ("\\r", "\r"),
            ("\\t", "\t"),
            ("\\u001b", "\u{1b}"),
            ("\\u20AC", "€"),
            ("\\ud83d\\ude00", "😀"),
            ("\\ud83d", "\u{fffd}"),
            ("n", "n"),
            ("u001bé", "u001bé"),
            ("twenty bytes or more", "twenty bytes or more"),
            ("a longer piece, for blocks without any escape: there are such as well", ""),
        ];
        let (mut raw, mut said) = (String::new(), String::new());
        let kinds = if random.is_multiple_of(3) { 7 } else { PIECES.len() as u64 };
        for _ in 0..random % 61 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let (spelled, meant) = PIECES[((random >> 40) % kinds) as usize];
            raw += spelled;
            said += if meant.is_empty() { spelled } else { meant };
        }
        (raw, said)
    }

    #[test]
    fn all_lanes_say_the_same() {
        for random in 0..20_000 {
            let (raw, said) = text(random);
            let raw = raw.as_bytes();
            let run = |lanes: &dyn Fn(Copy<'_>) -> usize| {
                let mut out = vec![0; room(raw)];
                let count = lanes(Copy { raw, out: &mut out, from: 0, to: 0 });
                out.truncate(count);
                String::from_utf8(out).unwrap()
            };
            for text in with_all_lanes!(lanes => run(&|copy| copy.run(lanes))) {
                assert_eq!(text, said, "{}", String::from_utf8_lossy(raw));
            }
        }
    }
}
