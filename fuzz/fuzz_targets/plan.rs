//! The text in which a plan passes through SQLite (`idxStr`): what is read is written the same.
#![no_main]

use agent_history::table::Plan;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(plan) = Plan::decode(text) {
        assert_eq!(Plan::decode(&plan.to_string()), Some(plan));
    }
});
