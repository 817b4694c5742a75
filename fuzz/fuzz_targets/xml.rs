//! XML of IDE settings and of the old history: events and trees, bounded and in step with each other.
#![no_main]

use agent_history::store::{encoding, xml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = encoding::decode(bytes) else { return };
    let mut reader = xml::Reader::new(&text);
    let mut events = 0;
    loop {
        events += 1;
        assert!(events <= text.len() + 2, "more events than bytes");
        match reader.read() {
            Ok(None) => break,
            Ok(Some(xml::Event::Open(element))) if events % 3 == 0 => {
                let (depth, name) = (reader.depth(), element.name.clone());
                let tree = reader.tree(element);
                assert_eq!(tree.name, name);
                assert!(reader.depth() < depth || reader.read() == Ok(None), "a tree ends with its element, or the text");
            }
            // Behind damage reading goes on.
            Ok(Some(_)) | Err(_) => {}
        }
        let _ = reader.path();
    }
    let mut whole = xml::Reader::new(&text);
    if let Ok(Some(xml::Event::Open(root))) = whole.read() {
        let _ = whole.tree(root).first_error();
    }
});
