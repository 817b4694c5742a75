//! XML of IDE settings and of the old history: events and trees, bounded and in step with each other.
#![no_main]

use agent_history::store::{encoding, xml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = encoding::decode(bytes) else { return };
    let mut reader = xml::Reader::new(&text);
    let mut events = 0;
    while let Ok(Some(event)) = reader.read() {
        events += 1;
        assert!(events <= text.len() + 1, "more events than bytes");
        if let xml::Event::Open(element) = event {
            if events % 3 == 0 {
                let depth = reader.depth();
                if reader.tree(element).is_err() {
                    break;
                }
                assert_eq!(reader.depth() + 1, depth, "a tree ends with its element");
            }
        }
        let _ = reader.path();
    }
    let mut whole = xml::Reader::new(&text);
    if let Ok(Some(xml::Event::Open(root))) = whole.read() {
        let _ = whole.tree(root);
    }
});
