//! What every x86-64 has: sixteen bytes at a time.

use super::super::{Bytes, Found, Lanes};
use std::arch::x86_64::*;

/// What every x86-64 has.
#[derive(Debug, Clone, Copy)]
pub(in crate::json) struct Sse2;

#[derive(Clone, Copy)]
pub(in crate::json) struct By16([__m128i; 4]);

impl Lanes for Sse2 {
    type Bytes = By16;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> By16 {
        let start: *const __m128i = bytes.as_ptr().cast();
        // SAFETY: SSE2 belongs to every x86-64, and four times sixteen bytes are the 64.
        unsafe {
            By16([
                _mm_loadu_si128(start),
                _mm_loadu_si128(start.add(1)),
                _mm_loadu_si128(start.add(2)),
                _mm_loadu_si128(start.add(3)),
            ])
        }
    }
}

impl Bytes for By16 {
    type Found = Self;

    #[inline(always)]
    fn with_bits(self, bits: u8) -> Self {
        let [a, b, c, d] = self.0;
        // SAFETY: SSE2 belongs to every x86-64.
        unsafe {
            let e = _mm_set1_epi8(bits as i8);
            Self([_mm_or_si128(a, e), _mm_or_si128(b, e), _mm_or_si128(c, e), _mm_or_si128(d, e)])
        }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> Self {
        let [a, b, c, d] = self.0;
        // SAFETY: SSE2 belongs to every x86-64.
        unsafe {
            let e = _mm_set1_epi8(byte as i8);
            Self([_mm_cmpeq_epi8(a, e), _mm_cmpeq_epi8(b, e), _mm_cmpeq_epi8(c, e), _mm_cmpeq_epi8(d, e)])
        }
    }

    #[inline(always)]
    fn control_or_wide(self) -> Self {
        let [a, b, c, d] = self.0;
        // SAFETY: SSE2 belongs to every x86-64.
        unsafe {
            let space = _mm_set1_epi8(0x20);
            Self([
                _mm_cmpgt_epi8(space, a),
                _mm_cmpgt_epi8(space, b),
                _mm_cmpgt_epi8(space, c),
                _mm_cmpgt_epi8(space, d),
            ])
        }
    }

    #[inline(always)]
    fn wide(self) -> u64 {
        self.bits()
    }
}

impl Found for By16 {
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        // SAFETY: SSE2 belongs to every x86-64.
        unsafe { Self([_mm_or_si128(a, e), _mm_or_si128(b, f), _mm_or_si128(c, g), _mm_or_si128(d, h)]) }
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        let [a, b, c, d] = self.0;
        // SAFETY: SSE2 belongs to every x86-64.
        let [a, b, c, d] =
            unsafe { [_mm_movemask_epi8(a), _mm_movemask_epi8(b), _mm_movemask_epi8(c), _mm_movemask_epi8(d)] };
        (u64::from(a as u16) | u64::from(b as u16) << 16) | (u64::from(c as u16) << 32 | u64::from(d as u16) << 48)
    }
}
