//! Vector instructions of x86-64.
#![expect(unsafe_code, reason = "vector instructions, which the compiler cannot see to be there")]

mod avx2;
mod avx512;
mod squeeze;
mod sse2;

pub(in crate::json) use avx2::Avx2;
pub(in crate::json) use avx512::Avx512;
pub(in crate::json) use sse2::Sse2;

/// `n`, `r`, `t` and the backslash, each where its lower half byte says: one look finds the only one that a byte can be.
const LETTERS: [u8; 16] = by_half_byte(0xff, [b'n', b'r', b't', b'\\']);
/// And what they stand for in an escape.
const MEANINGS: [u8; 16] = by_half_byte(0, [b'\n', b'\r', b'\t', b'\\']);

#[expect(clippy::indexing_slicing, reason = "runs while compiling, where a panic is an error")]
const fn by_half_byte(other: u8, [n, r, t, backslash]: [u8; 4]) -> [u8; 16] {
    let mut table = [other; 16];
    table[(b'n' & 15) as usize] = n;
    table[(b'r' & 15) as usize] = r;
    table[(b't' & 15) as usize] = t;
    table[(b'\\' & 15) as usize] = backslash;
    table
}
