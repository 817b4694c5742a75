//! What is remembered of bytes that were given out: 64 bits under a key that nobody outside knows.
//!
//! The standard library's hash takes as long as reading the bytes does. This one multiplies 16 bytes at a time to 128
//! bits and folds the halves, as wyhash does, in four lanes that do not wait for each other: as fast as memory.

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

/// So many bytes are taken in at a time.
pub const BLOCK_BYTES: usize = 64;

/// A digest in the making. Pieces count as one run of bytes as long as all but the last hold whole blocks.
#[derive(Clone, Copy)]
pub struct Digest {
    key: Key,
    lanes: [u64; 4],
    len: u64,
}

impl Digest {
    /// The digest of nothing.
    pub fn new(key: Key) -> Self {
        Self { key, lanes: [key.0; 4], len: 0 }
    }

    /// Adds a piece.
    pub fn write(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
        let mut lanes = self.lanes;
        for block in blocks {
            lanes = self.key.mix_all(lanes, block);
        }
        if !rest.is_empty() {
            let mut block = [0; BLOCK_BYTES];
            block.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            lanes = self.key.mix_all(lanes, &block);
        }
        self.lanes = lanes;
        self.len += bytes.len() as u64;
    }

    /// Its value.
    pub fn finish(self) -> u64 {
        let [first, rest @ ..] = self.lanes;
        let state = rest.into_iter().fold(first, |state, lane| self.key.mix(state, u128::from(lane)));
        self.key.mix(state, u128::from(self.len) << 64 | u128::from(self.key.0))
    }
}

impl Key {
    fn mix_all(self, lanes: [u64; 4], block: &[u8; BLOCK_BYTES]) -> [u64; 4] {
        let ([a, b, c, d], (parts, _)) = (lanes, block.as_chunks::<16>());
        let &[w, x, y, z] = parts else { return lanes };
        let word = u128::from_le_bytes;
        [self.mix(a, word(w)), self.mix(b, word(x)), self.mix(c, word(y)), self.mix(d, word(z))]
    }

    fn mix(self, state: u64, block: u128) -> u64 {
        let (low, high) = (block as u64, (block >> 64) as u64);
        let product = u128::from(low ^ state) * u128::from(high ^ self.1);
        // The state goes in once more, so that a product of zero does not forget what came before.
        (product as u64) ^ ((product >> 64) as u64) ^ state.rotate_left(23)
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
        let mut bytes: Vec<u8> = (0..200).collect();
        let mut seen = std::collections::HashSet::from([digest(&bytes)]);
        for bit in 0..1600 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(digest(&bytes)), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for len in 0..200 {
            assert!(seen.insert(digest(&bytes[..len])), "{len} bytes");
            assert!(seen.insert(digest(&vec![1; len + 1])), "{len} ones and another");
        }
        let mut parts = Digest::new(key);
        bytes.chunks(BLOCK_BYTES).for_each(|part| parts.write(part));
        assert_eq!(parts.finish(), digest(&bytes));
    }
}
