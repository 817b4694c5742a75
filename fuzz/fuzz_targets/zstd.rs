//! Frames: cut, damaged, several, skippable, bombs. Memory is bounded by the limit.
#![no_main]

use agent_history::store::zstd::decode_all;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = decode_all(bytes, 1 << 20) {
        assert!(text.len() <= 1 << 20);
    }
});
