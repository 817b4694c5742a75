//! What is remembered of bytes that were given out: 64 bits under a key that nobody outside knows.
//!
//! The standard library's hash takes as long as reading the bytes does. This one multiplies 16 bytes at a time to 128
//! bits and folds the halves, as wyhash does: a tenth of that.

use std::hash::{BuildHasher, RandomState};

/// A key, drawn anew for each value that is read.
#[derive(Clone, Copy)]
pub struct Key(u64, u64);

impl Key {
    /// A random one.
    pub fn new() -> Self {
        let random = RandomState::new();
        Self(random.hash_one(0), random.hash_one(1))
    }
}

/// A digest in the making. Pieces count as one run of bytes as long as all but the last hold a multiple of 16.
#[derive(Clone, Copy)]
pub struct Digest {
    key: Key,
    state: u64,
    len: u64,
}

impl Digest {
    /// The digest of nothing.
    pub fn new(key: Key) -> Self {
        Self { key, state: key.0, len: 0 }
    }

    /// Adds a piece.
    pub fn write(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<16>();
        for block in blocks {
            self.mix(u128::from_le_bytes(*block));
        }
        if !rest.is_empty() {
            let mut block = [0; 16];
            block.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            self.mix(u128::from_le_bytes(block));
        }
        self.len += bytes.len() as u64;
    }

    fn mix(&mut self, block: u128) {
        let (low, high) = (block as u64, (block >> 64) as u64);
        let product = u128::from(low ^ self.state) * u128::from(high ^ self.key.1);
        // The state goes in once more, so that a product of zero does not forget what came before.
        self.state = (product as u64) ^ ((product >> 64) as u64) ^ self.state.rotate_left(23);
    }

    /// Its value.
    pub fn finish(mut self) -> u64 {
        self.mix(u128::from(self.len) << 64 | u128::from(self.key.0));
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_and_the_length_count() {
        let key = Key::new();
        let digest = |bytes: &[u8]| {
            let mut digest = Digest::new(key);
            digest.write(bytes);
            digest.finish()
        };
        let mut bytes: Vec<u8> = (0..100).collect();
        let mut seen = std::collections::HashSet::from([digest(&bytes)]);
        for bit in 0..800 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(digest(&bytes)), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for len in 0..100 {
            assert!(seen.insert(digest(&bytes[..len])), "{len} bytes");
            assert!(seen.insert(digest(&vec![1; len + 1])), "{len} ones and another");
        }
        let mut parts = Digest::new(key);
        bytes.chunks(48).for_each(|part| parts.write(part));
        assert_eq!(parts.finish(), digest(&bytes));
    }
}
