//! What most have: 32 bytes at a time.

use super::super::{Bytes, Found, Lanes, SQUEEZED};
use super::{LETTERS, MEANINGS, squeeze};
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
        let bytes = self.load(block);
        let usual = bytes.usual_letters();
        let (By32([a, b]), By32([is_a, is_b])) = (bytes, usual);
        let mut said = [0; 64];
        let start: *mut __m256i = said.as_mut_ptr().cast();
        // SAFETY: `self` is the proof, and twice 32 bytes are the 64.
        unsafe {
            let meanings = twice(&MEANINGS);
            let (low, high) = (bytes_of(letters as u32), bytes_of((letters >> 32) as u32));
            let (low, high) = (_mm256_and_si256(is_a, low), _mm256_and_si256(is_b, high));
            _mm256_storeu_si256(start, _mm256_blendv_epi8(a, _mm256_shuffle_epi8(meanings, a), low));
            _mm256_storeu_si256(start.add(1), _mm256_blendv_epi8(b, _mm256_shuffle_epi8(meanings, b), high));
        }
        Some((said, letters & !usual.or(bytes.equal(b'"')).bits()))
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

    #[inline(always)]
    fn usual_letters(self) -> Self {
        let [a, b] = self.0;
        // SAFETY: only `Avx2` makes such bytes.
        unsafe {
            let table = twice(&LETTERS);
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

/// A table for each half.
#[inline(always)]
unsafe fn twice(table: &[u8; 16]) -> __m256i {
    // SAFETY: AVX2 is there, and sixteen bytes are read.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())) }
}

/// 0xff for each bit that is set.
#[inline(always)]
unsafe fn bytes_of(bits: u32) -> __m256i {
    // SAFETY: AVX2 is there.
    unsafe {
        let eight = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let places = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bits = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), places);
        _mm256_cmpeq_epi8(_mm256_and_si256(bits, eight), eight)
    }
}
