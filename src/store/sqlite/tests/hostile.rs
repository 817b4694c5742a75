//! Both indexes over bytes that nobody meant well: no panic, no offset outside the file, one step as good as two.

use crate::store::sqlite::state::journal::{Journal, MAGIC};
use crate::store::sqlite::state::wal::Wal;

/// The same numbers every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Random bytes, mostly small ones, in runs.
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let byte = if self.below(3) == 0 { self.next() as u8 } else { self.below(4) as u8 };
            let run = 1 + self.below(40);
            bytes.extend(std::iter::repeat_n(byte, run));
        }
        bytes.truncate(len);
        bytes
    }
}

fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    bytes[offset..offset + value.len()].copy_from_slice(value);
}

fn sum(bytes: &[u8], is_big_endian: bool, (mut a, mut b): (u32, u32)) -> (u32, u32) {
    let word = |it: &[u8]| {
        let it: [u8; 4] = it.try_into().unwrap();
        if is_big_endian { u32::from_be_bytes(it) } else { u32::from_le_bytes(it) }
    };
    for pair in bytes.chunks_exact(8) {
        a = a.wrapping_add(word(&pair[..4])).wrapping_add(b);
        b = b.wrapping_add(word(&pair[4..])).wrapping_add(a);
    }
    (a, b)
}

/// Mends a log's checksums, so that frames pass; a first byte of 0xff breaks the chain there.
fn mend_log(bytes: &mut [u8], is_big_endian: bool, page_size: usize) {
    put(bytes, 0, &(0x377f_0682u32 | u32::from(is_big_endian)).to_be_bytes());
    put(bytes, 4, &3_007_000u32.to_be_bytes());
    put(bytes, 8, &(page_size as u32).to_be_bytes());
    let mut sums = sum(&bytes[..24], is_big_endian, (0, 0));
    put(bytes, 24, &sums.0.to_be_bytes());
    put(bytes, 28, &sums.1.to_be_bytes());
    let salts = bytes[16..24].to_vec();
    let mut frame = 32;
    while frame + 24 + page_size <= bytes.len() && bytes[frame] != 0xff {
        put(bytes, frame + 8, &salts);
        sums = sum(&bytes[frame..frame + 8], is_big_endian, sums);
        sums = sum(&bytes[frame + 24..frame + 24 + page_size], is_big_endian, sums);
        put(bytes, frame + 16, &sums.0.to_be_bytes());
        put(bytes, frame + 20, &sums.1.to_be_bytes());
        frame += 24 + page_size;
    }
}

#[test]
fn any_log() {
    let mut numbers = Numbers(1);
    let mut commits = 0;
    for round in 0..3000 {
        let len = 32 + numbers.below(8000);
        let mut bytes = numbers.bytes(len);
        if round % 8 != 0 {
            mend_log(&mut bytes, round % 2 == 0, if round % 4 < 2 { 512 } else { 1024 });
        }
        let Ok(Some(mut whole)) = Wal::open(&bytes[..]) else { continue };
        let mut steps = Wal::open(&bytes[..]).unwrap().unwrap();
        let cut = numbers.below(bytes.len() + 1);
        steps.extend(&bytes[..cut]).unwrap();
        steps.extend(&bytes[..]).unwrap();
        whole.extend(&bytes[..]).unwrap();
        assert_eq!(whole.identity(), steps.identity());
        assert_eq!(whole.size(), steps.size());
        assert!(whole.is_same(&bytes[..]).unwrap());
        assert!(!whole.extend(&bytes[..]).unwrap(), "nothing new in the same bytes");
        for page in (0..600).chain([0x0101_0101, u32::MAX]) {
            let offset = whole.offset(page);
            assert_eq!(offset, steps.offset(page));
            assert!(offset.is_none_or(|at| page != 0 && at + u64::from(whole.page_size()) <= bytes.len() as u64));
        }
        if whole.frames() > 0 {
            commits += 1;
            let at = 32 + (whole.frames() as usize - 1) * (24 + whole.page_size() as usize) + 16 + numbers.below(8);
            bytes[at] ^= 1;
            assert!(!whole.is_same(&bytes[..]).unwrap(), "the last commit's checksum counts");
        }
    }
    assert!(commits > 500, "{commits}");
}

#[test]
fn any_journal() {
    let mut numbers = Numbers(2);
    let mut found = 0;
    for _ in 0..3000 {
        let len = 28 + numbers.below(8000);
        let mut bytes = numbers.bytes(len);
        put(&mut bytes, 0, &MAGIC);
        put(&mut bytes, 8, &[0xff; 4]);
        put(&mut bytes, 20, &512u32.to_be_bytes());
        put(&mut bytes, 24, &512u32.to_be_bytes());
        let nonce = u32::from_be_bytes(bytes[12..16].try_into().unwrap());
        // Records that pass, up to the first that begins with 0xff.
        let mut record = 512;
        while record + 520 <= bytes.len() && bytes[record] != 0xff {
            let samples = u32::from(bytes[record + 4 + 112]) + u32::from(bytes[record + 4 + 312]);
            let sum = nonce.wrapping_add(samples);
            put(&mut bytes, record + 516, &sum.to_be_bytes());
            record += 520;
        }
        let Some(journal) = Journal::open(&bytes[..], bytes.len() as u64, 512).unwrap() else { continue };
        assert!(journal.is_same(&bytes[..]).unwrap());
        for page in (0..600).chain([0x0101_0101, u32::MAX]) {
            let Some(offset) = journal.offset(page) else { continue };
            found += 1;
            assert!(page != 0 && page <= journal.size());
            assert!(offset + u64::from(journal.page_size()) <= bytes.len() as u64);
        }
    }
    assert!(found > 100, "{found}");
}
