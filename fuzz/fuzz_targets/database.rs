//! A store whose pages are damaged: the input is laid over it by exclusive or.
#![no_main]

#[path = "../support/stores.rs"]
#[allow(dead_code, reason = "this target mends nothing")]
mod stores;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use stores::Stores;

static STORES: OnceLock<Stores> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let damage = |main: &mut [u8]| main.iter_mut().zip(bytes).for_each(|(byte, change)| *byte ^= change);
    STORES.get_or_init(|| Stores::new("database", "delete")).compare(damage, None);
});
