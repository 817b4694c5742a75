//! The backslashes out of a block: eight bytes at a time, shuffled by a table of what is to stay.
//!
//! An escape stands every 20 bytes in code and logs. To look for each of them and to copy what stands between costs
//! more than to shuffle every byte.

use super::super::SQUEEZED;
use std::arch::x86_64::*;

/// For each choice of eight bytes, where they stand.
#[expect(clippy::indexing_slicing, reason = "runs while compiling, where a panic is an error")]
const PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut keep = 0;
    while keep < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if keep >> place & 1 == 1 {
                places[keep][count] = place as u8;
                count += 1;
            }
            place += 1;
        }
        keep += 1;
    }
    places
};

/// [`Lanes::squeeze`](super::super::Lanes::squeeze) with AVX2.
///
/// # Safety
/// AVX2 is there.
#[inline(always)]
pub(super) unsafe fn squeeze(block: &[u8; 64], keep: u64, out: &mut [u8; SQUEEZED]) -> usize {
    let mut count = 0;
    for (group, keep) in block.as_chunks::<8>().0.iter().zip(keep.to_le_bytes()) {
        // Both are always there.
        let (Some(places), Some(target)) = (PLACES.get(usize::from(keep)), out.get_mut(count..)) else { break };
        let Some(target) = target.first_chunk_mut::<8>() else { break };
        // SAFETY: eight bytes are read of each and written; what shuffles them is older than AVX2.
        unsafe {
            let (group, places) = (_mm_loadl_epi64(group.as_ptr().cast()), _mm_loadl_epi64(places.as_ptr().cast()));
            _mm_storel_epi64(target.as_mut_ptr().cast(), _mm_shuffle_epi8(group, places));
        }
        count += keep.count_ones() as usize;
    }
    count
}

/// [`Lanes::said`](super::super::Lanes::said) with AVX2; it is never `None`.
///
/// # Safety
/// AVX2 is there.
#[inline(always)]
pub(super) unsafe fn said(block: &[u8; 64], letters: u64) -> Option<([u8; 64], u64)> {
    let mut said = [0; 64];
    let ([low, high], [low_said, high_said]) = (block.as_chunks().0, said.as_chunks_mut().0) else { return None };
    // SAFETY: the caller's promise.
    let (low, high) = unsafe { (half(low, letters as u32, low_said), half(high, (letters >> 32) as u32, high_said)) };
    let usual = u64::from(low) | u64::from(high) << 32;
    Some((said, letters & !usual))
}

/// Half of it; which bytes are the letter of a usual escape, if one they are.
#[inline(always)]
unsafe fn half(bytes: &[u8; 32], letters: u32, said: &mut [u8; 32]) -> u32 {
    const N: i8 = b'n' as i8;
    const R: i8 = b'r' as i8;
    const T: i8 = b't' as i8;
    // SAFETY: AVX2 is there, and 32 bytes are read and written.
    unsafe {
        // The three letters end in different half bytes: one look into a table finds the only one that a byte can be,
        // and another what it stands for.
        let table = _mm_setr_epi8(-1, -1, R, -1, T, -1, -1, -1, -1, -1, -1, -1, -1, -1, N, -1);
        let meanings = _mm_setr_epi8(0, 0, b'\r' as i8, 0, b'\t' as i8, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'\n' as i8, 0);
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let is_letter = _mm256_cmpeq_epi8(bytes, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), bytes));
        let meaning = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(meanings), bytes);
        let is_quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'"' as i8));
        let is_backslash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'\\' as i8));
        let all = _mm256_blendv_epi8(bytes, meaning, _mm256_and_si256(is_letter, bytes_of(letters)));
        _mm256_storeu_si256(said.as_mut_ptr().cast(), all);
        _mm256_movemask_epi8(_mm256_or_si256(is_letter, _mm256_or_si256(is_quote, is_backslash))) as u32
    }
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
