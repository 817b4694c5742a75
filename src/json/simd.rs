//! Sixty-four bytes at a time: which of them are quotes, backslashes, control characters.
//!
//! SSE2 belongs to every x86-64, AVX2 and AVX-512 are asked for; elsewhere, and with the feature `portable`, 64-bit words
//! do the same. All are tested against each other. What lies below is the only unsafe code of the JSON core.

#[cfg(any(test, not(target_arch = "x86_64"), feature = "portable"))]
pub(super) mod words;
#[cfg(all(target_arch = "x86_64", any(test, not(feature = "portable"))))]
pub(super) mod x86;

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
    type Found: Found;
    /// `bits` set in every byte.
    fn with_bits(self, bits: u8) -> Self;
    /// Where `byte` stands.
    fn equal(self, byte: u8) -> Self::Found;
    /// Where bytes below 0x20 stand; of bytes above 0x7f it says anything.
    fn control_or_wide(self) -> Self::Found;
    /// Which bytes are above 0x7f: bit i is byte i's.
    fn wide(self) -> u64;
    /// Where `n`, `r`, `t` or a backslash stands.
    #[inline(always)]
    fn usual_letters(self) -> Self::Found {
        self.equal(b'n').or(self.equal(b't')).or(self.equal(b'r')).or(self.equal(b'\\'))
    }
}

/// Which of sixty-four bytes were found.
pub(super) trait Found: Copy {
    /// What either found.
    fn or(self, other: Self) -> Self;
    /// Bit i is byte i's.
    fn bits(self) -> u64;
}

/// Runs the expression with the best lanes there are.
macro_rules! with_lanes {
    ($lanes:ident => $job:expr) => {{
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        {
            use $crate::json::simd::x86::{Avx2, Avx512, Sse2};
            if let Some(avx512) = Avx512::detect() {
                avx512.run(
                    #[inline(always)]
                    |$lanes| $job,
                )
            } else if let Some(avx2) = Avx2::detect() {
                avx2.run(
                    #[inline(always)]
                    |$lanes| $job,
                )
            } else {
                let $lanes = Sse2;
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

/// Runs the expression with every kind of lanes that this processor has; a list of what comes out.
#[cfg(test)]
macro_rules! with_all_lanes {
    ($lanes:ident => $job:expr) => {{
        let mut all = Vec::new();
        {
            let $lanes = $crate::json::simd::words::Words;
            all.push($job);
        }
        #[cfg(target_arch = "x86_64")]
        {
            use $crate::json::simd::x86::{Avx2, Avx512, Sse2};
            {
                let $lanes = Sse2;
                all.push($job);
            }
            if let Some(avx2) = Avx2::detect() {
                all.push(avx2.run(|$lanes| $job));
            }
            if let Some(avx512) = Avx512::detect() {
                all.push(avx512.run(|$lanes| $job));
            }
        }
        all
    }};
}

#[cfg(test)]
pub(super) use with_all_lanes;

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
        let (quote, wide) = (bytes.equal(b'"'), bytes.wide());
        Self {
            stop: quote.or(bytes.control_or_wide()).bits() & !wide,
            backslash: bytes.equal(b'\\').bits(),
            wide,
            usual: quote.or(bytes.usual_letters()).bits(),
        }
    }
}

/// The backslashes.
#[inline(always)]
pub(super) fn backslashes(lanes: impl Lanes, bytes: &[u8; 64]) -> u64 {
    lanes.load(bytes).equal(b'\\').bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every question.
    fn answers(lanes: impl Lanes, bytes: &[u8; 64]) -> (Masks, [u64; 2]) {
        let letters = lanes.load(bytes).with_bits(0x20).equal(b'a').bits();
        (Masks::of(lanes, bytes), [backslashes(lanes, bytes), letters])
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
                    for answer in with_all_lanes!(lanes => answers(lanes, &bytes)) {
                        assert_eq!(answer, (masks, [masks.backslash, letters]));
                    }
                }
            }
        }
    }
}
