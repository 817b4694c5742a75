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
