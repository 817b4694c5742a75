//! No vector instructions: eight bytes in a word.

use super::{Bytes, Found, Lanes};

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW_BITS: u64 = 0x7f * ONES;
const TOP_BITS: u64 = 0x80 * ONES;

#[derive(Debug, Clone, Copy)]
pub(in crate::json) struct Words;

#[derive(Clone, Copy)]
pub(in crate::json) struct By8([u64; 8]);

impl Lanes for Words {
    type Bytes = By8;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> By8 {
        let mut all = [0; 8];
        for (word, chunk) in all.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*chunk);
        }
        By8(all)
    }
}

impl Bytes for By8 {
    type Found = Self;

    #[inline(always)]
    fn with_bits(self, bits: u8) -> Self {
        By8(self.0.map(|word| word | (ONES * u64::from(bits))))
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> Self {
        By8(self.0.map(|word| zeros(word ^ (ONES * u64::from(byte)))))
    }

    #[inline(always)]
    fn control_or_wide(self) -> Self {
        By8(self.0.map(|word| zeros(word & (0xe0 * ONES))))
    }

    #[inline(always)]
    fn wide(self) -> u64 {
        self.bits()
    }
}

impl Found for By8 {
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let mut all = self.0;
        for (word, other) in all.iter_mut().zip(other.0) {
            *word |= other;
        }
        By8(all)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        // the multiplication puts the top bits of eight bytes in a row
        let gather = |word: u64| ((word & TOP_BITS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        self.0.iter().rev().fold(0, |bits, word| bits << 8 | gather(*word))
    }
}

/// The top bit of each byte that is 0; no other bit of use.
#[inline(always)]
fn zeros(word: u64) -> u64 {
    !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS)
}
