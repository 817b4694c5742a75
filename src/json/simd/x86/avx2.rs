//! What most have: 32 bytes at a time.

use super::super::{Bytes, Found, Lanes, SQUEEZED};
use super::squeeze;
use std::arch::x86_64::*;

/// What most have. Made by [`Avx2::detect`] only.
#[derive(Debug, Clone, Copy)]
pub(in crate::json) struct Avx2(());

impl Avx2 {
    #[inline(always)]
    pub(in crate::json) fn detect() -> Option<Self> {
        let is_there =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt");
        is_there.then_some(Self(()))
    }

    /// Runs `job` as code that is compiled for these instructions, without which each would be a call.
    #[inline(always)]
    pub(in crate::json) fn run<T>(self, job: impl FnOnce(Self) -> T) -> T {
        #[target_feature(enable = "avx2,bmi1,popcnt")]
        fn compiled<T>(lanes: Avx2, job: impl FnOnce(Avx2) -> T) -> T {
            job(lanes)
        }
        // SAFETY: `self` is the proof.
        unsafe { compiled(self, job) }
    }
}

#[derive(Clone, Copy)]
pub(in crate::json) struct By32([__m256i; 2]);

impl Lanes for Avx2 {
    type Bytes = By32;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> By32 {
        let start: *const __m256i = bytes.as_ptr().cast();
        // SAFETY: `self` is the proof that AVX2 is there, and twice 32 bytes are the 64.
        unsafe { By32([_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))]) }
    }

    #[inline(always)]
    fn said(self, block: &[u8; 64], letters: u64) -> Option<([u8; 64], u64)> {
        // SAFETY: `self` is the proof.
        unsafe { squeeze::said(block, letters) }
    }

    #[inline(always)]
    fn squeeze(self, block: &[u8; 64], keep: u64, out: &mut [u8; SQUEEZED]) -> usize {
        // SAFETY: `self` is the proof.
        unsafe { squeeze::squeeze(block, keep, out) }
    }
}

impl Bytes for By32 {
    type Found = Self;

    #[inline(always)]
    fn with_bits(self, bits: u8) -> Self {
        let [a, b] = self.0;
        // SAFETY: only `Avx2` makes such bytes.
        unsafe {
            let bits = _mm256_set1_epi8(bits as i8);
            Self([_mm256_or_si256(a, bits), _mm256_or_si256(b, bits)])
        }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> Self {
        let [a, b] = self.0;
        // SAFETY: only `Avx2` makes such bytes.
        unsafe {
            let byte = _mm256_set1_epi8(byte as i8);
            Self([_mm256_cmpeq_epi8(a, byte), _mm256_cmpeq_epi8(b, byte)])
        }
    }

    #[inline(always)]
    fn control_or_wide(self) -> Self {
        let [a, b] = self.0;
        // SAFETY: only `Avx2` makes such bytes.
        unsafe {
            let space = _mm256_set1_epi8(0x20);
            Self([_mm256_cmpgt_epi8(space, a), _mm256_cmpgt_epi8(space, b)])
        }
    }

    #[inline(always)]
    fn wide(self) -> u64 {
        self.bits()
    }

    /// They end in different half bytes: one look into a table finds the only one that a byte can be.
    #[inline(always)]
    fn usual_letters(self) -> Self {
        const R: i8 = b'r' as i8;
        const T: i8 = b't' as i8;
        const N: i8 = b'n' as i8;
        const BACKSLASH: i8 = b'\\' as i8;
        let [a, b] = self.0;
        // SAFETY: only `Avx2` makes such bytes.
        unsafe {
            let half = _mm_setr_epi8(-1, -1, R, -1, T, -1, -1, -1, -1, -1, -1, -1, BACKSLASH, -1, N, -1);
            let table = _mm256_broadcastsi128_si256(half);
            Self([
                _mm256_cmpeq_epi8(a, _mm256_shuffle_epi8(table, a)),
                _mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(table, b)),
            ])
        }
    }
}

impl Found for By32 {
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: only `Avx2` makes such bytes.
        unsafe { Self([_mm256_or_si256(a, c), _mm256_or_si256(b, d)]) }
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        let [a, b] = self.0;
        // SAFETY: only `Avx2` makes such bytes.
        let [a, b] = unsafe { [_mm256_movemask_epi8(a), _mm256_movemask_epi8(b)] };
        u64::from(a as u32) | u64::from(b as u32) << 32
    }
}
