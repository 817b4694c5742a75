//! A rollback journal that lies over a sound store. Header and checksums are mended, so that what it says is believed;
//! a record that begins with 0xff ends the mending.
#![no_main]

#[path = "../support/stores.rs"]
mod stores;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use stores::{Stores, put, word};

const PAGE: usize = 512;
const SECTOR: usize = 512;
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

static STORES: OnceLock<Stores> = OnceLock::new();

fn mend(journal: &mut [u8]) {
    if journal.len() < SECTOR {
        return;
    }
    journal[..8].copy_from_slice(&MAGIC);
    // SQLite would stretch the store to the size that the header names.
    put(journal, 16, word(journal, 16) % 200 + 1);
    put(journal, 20, SECTOR as u32);
    put(journal, 24, PAGE as u32);
    let nonce = word(journal, 12);
    let mut record = SECTOR;
    while record + PAGE + 8 <= journal.len() && journal[record] != 0xff {
        let page = &journal[record + 4..record + 4 + PAGE];
        let sum = (1..=PAGE / 200).fold(nonce, |sum, step| sum.wrapping_add(u32::from(page[PAGE - 200 * step])));
        put(journal, record + 4 + PAGE, sum);
        record += PAGE + 8;
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((is_raw, rest)) = bytes.split_first() else { return };
    let mut journal = rest.to_vec();
    if is_raw % 8 != 7 {
        mend(&mut journal);
    }
    STORES.get_or_init(|| Stores::new("journal", "delete")).compare(|_| {}, Some(("-journal", &journal)));
});
