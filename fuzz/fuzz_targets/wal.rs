//! A write-ahead log that lies over a sound store. Checksums and salts are mended, so that what it says is believed; a
//! frame that begins with 0xff ends the mending.
#![no_main]

#[path = "../support/stores.rs"]
mod stores;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use stores::{Stores, put, word};

const PAGE: usize = 512;

static STORES: OnceLock<Stores> = OnceLock::new();

/// The running checksum of a log in big-endian words.
fn sum(bytes: &[u8], (mut a, mut b): (u32, u32)) -> (u32, u32) {
    for pair in (0..bytes.len() / 8 * 8).step_by(8) {
        a = a.wrapping_add(word(bytes, pair)).wrapping_add(b);
        b = b.wrapping_add(word(bytes, pair + 4)).wrapping_add(a);
    }
    (a, b)
}

fn mend(log: &mut [u8]) {
    if log.len() < 32 {
        return;
    }
    put(log, 0, 0x377f_0683);
    put(log, 4, 3_007_000);
    put(log, 8, PAGE as u32);
    let mut sums = sum(&log[..24], (0, 0));
    put(log, 24, sums.0);
    put(log, 28, sums.1);
    let mut frame = 32;
    while frame + 24 + PAGE <= log.len() && log[frame] != 0xff {
        log.copy_within(16..24, frame + 8);
        sums = sum(&log[frame..frame + 8], sums);
        sums = sum(&log[frame + 24..frame + 24 + PAGE], sums);
        put(log, frame + 16, sums.0);
        put(log, frame + 20, sums.1);
        frame += 24 + PAGE;
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((is_raw, rest)) = bytes.split_first() else { return };
    let mut log = rest.to_vec();
    if is_raw % 8 != 7 {
        mend(&mut log);
    }
    STORES.get_or_init(|| Stores::new("wal", "wal")).compare(|_| {}, Some(("-wal", &log)));
});
