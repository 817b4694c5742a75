//! What recent ones have: all 64 bytes at a time, and bits as the answer.

use super::super::{Bytes, Found, Lanes, SQUEEZED};
use super::{LETTERS, MEANINGS};
use std::arch::x86_64::*;

/// Made by [`Avx512::detect`] only. VBMI2 compresses bytes, and no processor that has it slows down for the rest.
#[derive(Debug, Clone, Copy)]
pub(in crate::json) struct Avx512(());

impl Avx512 {
    #[inline(always)]
    pub(in crate::json) fn detect() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        is_there.then_some(Self(()))
    }

    /// Runs `job` as code that is compiled for these instructions, without which each would be a call.
    #[inline(always)]
    pub(in crate::json) fn run<T>(self, job: impl FnOnce(Self) -> T) -> T {
        #[target_feature(enable = "avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
        fn compiled<T>(lanes: Avx512, job: impl FnOnce(Avx512) -> T) -> T {
            job(lanes)
        }
        // SAFETY: `self` is the proof.
        unsafe { compiled(self, job) }
    }
}

#[derive(Clone, Copy)]
pub(in crate::json) struct By64(__m512i);

impl Lanes for Avx512 {
    type Bytes = By64;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> By64 {
        // SAFETY: `self` is the proof that AVX-512 is there, and 64 bytes are read.
        By64(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn said(self, block: &[u8; 64], letters: u64) -> Option<([u8; 64], u64)> {
        let bytes = self.load(block);
        let usual = bytes.usual_letters();
        let mut said = [0; 64];
        // SAFETY: `self` is the proof, and 64 bytes are written.
        unsafe {
            let all = _mm512_mask_shuffle_epi8(bytes.0, letters & usual, four_times(&MEANINGS), bytes.0);
            _mm512_storeu_si512(said.as_mut_ptr().cast(), all);
        }
        Some((said, letters & !(usual | bytes.equal(b'"'))))
    }

    #[inline(always)]
    fn squeeze(self, block: &[u8; 64], keep: u64, out: &mut [u8; SQUEEZED]) -> usize {
        // SAFETY: `self` is the proof, and 64 bytes are written.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(keep, self.load(block).0)) };
        keep.count_ones() as usize
    }
}

impl Bytes for By64 {
    type Found = u64;

    #[inline(always)]
    fn with_bits(self, bits: u8) -> Self {
        // SAFETY: only `Avx512` makes such bytes.
        Self(unsafe { _mm512_or_si512(self.0, _mm512_set1_epi8(bits as i8)) })
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: only `Avx512` makes such bytes.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn control_or_wide(self) -> u64 {
        // SAFETY: only `Avx512` makes such bytes.
        unsafe { _mm512_cmplt_epu8_mask(self.0, _mm512_set1_epi8(0x20)) }
    }

    #[inline(always)]
    fn wide(self) -> u64 {
        // SAFETY: only `Avx512` makes such bytes.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn usual_letters(self) -> u64 {
        // SAFETY: only `Avx512` makes such bytes.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_shuffle_epi8(four_times(&LETTERS), self.0)) }
    }
}

/// A table for each quarter.
#[inline(always)]
unsafe fn four_times(table: &[u8; 16]) -> __m512i {
    // SAFETY: AVX-512 is there, and sixteen bytes are read.
    unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast())) }
}

impl Found for u64 {
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}
