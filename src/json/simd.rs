//! Sixty-four bytes at a time: which of them are quotes, backslashes, control characters.
//!
//! SSE2 belongs to every x86-64, AVX2 is asked for; elsewhere, and with the feature `portable`, 64-bit words do the same.
//! All are tested against each other. This and what lies below is the only unsafe code of the JSON core.

#[cfg(all(target_arch = "x86_64", any(test, not(feature = "portable"))))]
#[expect(unsafe_code, reason = "vector instructions, which the compiler cannot see to be there")]
mod squeeze;
#[cfg(any(test, not(target_arch = "x86_64"), feature = "portable"))]
pub(super) mod words;

/// Instructions that are known to be there. A value of this type is the proof.
///
/// All of it must be inlined into the function that is compiled for them, or each instruction becomes a call. So there
/// are no closures and no adapters on this way, whose inlining nobody can ask for.
pub(super) trait Lanes: Copy {
    type Bytes: Bytes;
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes;
    /// The block with what the `letters` of escapes stand for in their places, and those of them that are not of the
    /// usual ones. `None` where that and [`Lanes::squeeze`] are not to be had.
    #[inline(always)]
    fn said(self, _block: &[u8; 64], _letters: u64) -> Option<([u8; 64], u64)> {
        None
    }
    /// Copies the bytes of `keep`, one behind the other; how many.
    #[inline(always)]
    fn squeeze(self, _block: &[u8; 64], _keep: u64, _out: &mut [u8; SQUEEZED]) -> usize {
        0
    }
}

/// Room for a block that is squeezed, and for the last eight bytes of which some are not wanted.
pub(super) const SQUEEZED: usize = 72;

/// Sixty-four bytes to compare with others.
pub(super) trait Bytes: Copy {
    /// The bits of both.
    fn or(self, other: Self) -> Self;
    /// `bits` set in every byte.
    fn with_bits(self, bits: u8) -> Self;
    /// 0xff where `byte` stands, 0 elsewhere.
    fn equal(self, byte: u8) -> Self;
    /// 0xff where bytes below 0x20 stand, anything where bytes above 0x7f stand, 0 elsewhere.
    fn control_or_wide(self) -> Self;
    /// The top bits; bit i is byte i's.
    fn top_bits(self) -> u64;
    /// 0xff where `n`, `r`, `t` or a backslash stands, 0 elsewhere.
    #[inline(always)]
    fn usual_letters(self) -> Self {
        self.equal(b'n').or(self.equal(b't')).or(self.equal(b'r')).or(self.equal(b'\\'))
    }
}

/// Runs the expression with the best lanes there are.
macro_rules! with_lanes {
    ($lanes:ident => $job:expr) => {{
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        match $crate::json::simd::x86::Avx2::detect() {
            Some(avx2) => avx2.run(
                #[inline(always)]
                |$lanes| $job,
            ),
            None => {
                let $lanes = $crate::json::simd::x86::Sse2;
                $job
            }
        }
        #[cfg(any(not(target_arch = "x86_64"), feature = "portable"))]
        {
            let $lanes = $crate::json::simd::words::Words;
            $job
        }
    }};
}

pub(super) use with_lanes;

/// Bit i tells of byte i of 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Masks {
    /// Quotes, and bytes below 0x20.
    pub(super) stop: u64,
    pub(super) backslash: u64,
    /// Bytes that are not ASCII.
    pub(super) wide: u64,
    /// The letters of the usual escapes, and quotes and backslashes, wherever they stand.
    pub(super) usual: u64,
}

impl Masks {
    #[inline(always)]
    pub(super) fn of(lanes: impl Lanes, bytes: &[u8; 64]) -> Self {
        let bytes = lanes.load(bytes);
        let (quote, wide) = (bytes.equal(b'"'), bytes.top_bits());
        Self {
            stop: quote.or(bytes.control_or_wide()).top_bits() & !wide,
            backslash: bytes.equal(b'\\').top_bits(),
            wide,
            usual: quote.or(bytes.usual_letters()).top_bits(),
        }
    }
}

/// The backslashes.
#[inline(always)]
pub(super) fn backslashes(lanes: impl Lanes, bytes: &[u8; 64]) -> u64 {
    lanes.load(bytes).equal(b'\\').top_bits()
}

#[cfg(all(target_arch = "x86_64", any(test, not(feature = "portable"))))]
#[expect(unsafe_code, reason = "vector instructions, which the compiler cannot see to be there")]
pub(super) mod x86 {
    use super::{Bytes, Lanes, SQUEEZED, squeeze};
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
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
            // SAFETY: SSE2 belongs to every x86-64.
            unsafe { Self([_mm_or_si128(a, e), _mm_or_si128(b, f), _mm_or_si128(c, g), _mm_or_si128(d, h)]) }
        }

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
        fn top_bits(self) -> u64 {
            let [a, b, c, d] = self.0;
            // SAFETY: SSE2 belongs to every x86-64.
            let [a, b, c, d] =
                unsafe { [_mm_movemask_epi8(a), _mm_movemask_epi8(b), _mm_movemask_epi8(c), _mm_movemask_epi8(d)] };
            (u64::from(a as u16) | u64::from(b as u16) << 16) | (u64::from(c as u16) << 32 | u64::from(d as u16) << 48)
        }
    }

    /// What most have. Made by [`Avx2::detect`] only.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::json) struct Avx2(());

    impl Avx2 {
        #[inline(always)]
        pub(in crate::json) fn detect() -> Option<Self> {
            is_x86_feature_detected!("avx2").then_some(Self(()))
        }

        /// Runs `job` as code that is compiled for these instructions, without which each would be a call.
        #[inline(always)]
        pub(in crate::json) fn run<T>(self, job: impl FnOnce(Self) -> T) -> T {
            #[target_feature(enable = "avx2,bmi1,popcnt")]
            fn compiled<T>(lanes: Avx2, job: impl FnOnce(Avx2) -> T) -> T {
                job(lanes)
            }
            // SAFETY: `self` is the proof; every processor with AVX2 has BMI1 and POPCNT.
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
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (self.0, other.0);
            // SAFETY: only `Avx2` makes such bytes.
            unsafe { Self([_mm256_or_si256(a, c), _mm256_or_si256(b, d)]) }
        }

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
        fn top_bits(self) -> u64 {
            let [a, b] = self.0;
            // SAFETY: only `Avx2` makes such bytes.
            let [a, b] = unsafe { [_mm256_movemask_epi8(a), _mm256_movemask_epi8(b)] };
            u64::from(a as u32) | u64::from(b as u32) << 32
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every question answered by every kind of lanes.
    fn answers(bytes: &[u8; 64]) -> Vec<(Masks, [u64; 2])> {
        fn one(lanes: impl Lanes, bytes: &[u8; 64]) -> (Masks, [u64; 2]) {
            let letters = lanes.load(bytes).with_bits(0x20).equal(b'a').top_bits();
            (Masks::of(lanes, bytes), [backslashes(lanes, bytes), letters])
        }
        let mut all = vec![one(words::Words, bytes)];
        #[cfg(target_arch = "x86_64")]
        {
            all.push(one(x86::Sse2, bytes));
            all.extend(x86::Avx2::detect().map(|avx2| avx2.run(|lanes| one(lanes, bytes))));
        }
        all
    }

    #[test]
    fn every_byte_in_every_place() {
        for place in 0..64 {
            for byte in 0..=255_u8 {
                for around in [b'a', b'"', b'\\', 0xff] {
                    let mut bytes = [around; 64];
                    bytes[place] = byte;
                    let is = |test: &dyn Fn(u8) -> bool| (0..64).map(|i| u64::from(test(bytes[i])) << i).sum::<u64>();
                    let masks = Masks {
                        stop: is(&|b| b < 0x20 || b == b'"'),
                        backslash: is(&|b| b == b'\\'),
                        wide: is(&|b| b > 0x7f),
                        usual: is(&|b| b"ntr\"\\".contains(&b)),
                    };
                    let letters = is(&|b| b | 0x20 == b'a');
                    for answer in answers(&bytes) {
                        assert_eq!(answer, (masks, [masks.backslash, letters]));
                    }
                }
            }
        }
    }
}
