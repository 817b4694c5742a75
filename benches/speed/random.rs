//! Numbers that are the same on every run.

/// SplitMix64: a seed gives one sequence, for ever.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, of_hundred: usize) -> bool {
        self.below(100) < of_hundred
    }

    /// An element.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Around `median`, sometimes far above: the exponential of a sum of uniform numbers. `spread` 1.0 gives a tenth of
    /// the values above 3.6 times the median.
    pub fn lognormal(&mut self, median: usize, spread: f64) -> usize {
        let sum: f64 = (0..12).map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20)).sum();
        (median as f64 * ((sum - 6.0) * spread).exp()) as usize
    }

    /// A UUID's spelling.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.bits(), self.bits());
        let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xfff);
        format!("{a:08x}-{b:04x}-4{c:03x}-a{:03x}-{:012x}", low >> 52, low & 0xffff_ffff_ffff)
    }
}
