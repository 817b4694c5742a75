//! Vector instructions of x86-64.
#![expect(unsafe_code, reason = "vector instructions, which the compiler cannot see to be there")]

mod avx2;
mod avx512;
mod squeeze;
mod sse2;

pub(in crate::json) use avx2::Avx2;
pub(in crate::json) use avx512::Avx512;
pub(in crate::json) use sse2::Sse2;
