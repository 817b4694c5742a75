//! The window scanner against serde_json on the same bytes, and recovery after damage.
#![no_main]

use agent_history::json::{Document, Kind, Reader};
use libfuzzer_sys::fuzz_target;

/// A source that gives a few bytes at a time, so that every value crosses a window's edge.
struct Drip<'a>(&'a [u8]);

impl agent_history::json::Source for Drip<'_> {
    fn fill(&mut self, buf: &mut [u8]) -> agent_history::error::Result<usize> {
        let count = buf.len().min(7);
        let Some(room) = buf.get_mut(..count) else { return Ok(0) };
        self.0.fill(room)
    }
}

/// Reads everything that an array or object gives, going on after damage; the number of steps is bounded by the text.
fn walk(bytes: &[u8]) {
    let mut reader = Reader::new(Drip(bytes));
    let Ok(kind) = reader.kind() else { return };
    let is_object = match kind {
        Kind::Object => reader.begin_object().is_ok(),
        Kind::Array => {
            let _ = reader.begin_array();
            false
        }
        _ => return,
    };
    for _ in 0..=bytes.len() {
        let step = if is_object { reader.next_key().map(|key| key.is_some()) } else { reader.next_item() };
        let read = match step {
            Ok(false) => return,
            Ok(true) => reader.value().map(|_| ()),
            Err(error) => Err(error),
        };
        if read.is_err() && reader.recover().is_err() {
            return;
        }
    }
    panic!("more steps than bytes");
}

fuzz_target!(|bytes: &[u8]| {
    walk(bytes);
    let ours = Document::parse(bytes.to_vec());
    let theirs: Result<serde_json::Value, _> = serde_json::from_slice(bytes);
    match (&ours, theirs) {
        (Ok(document), Ok(value)) => {
            let compact = document.root().compact().to_str().into_owned();
            let again: serde_json::Value = serde_json::from_str(&compact).expect("compact JSON is JSON");
            assert_eq!(again, value);
        }
        // What serde_json refuses and we read: lone surrogates, a BOM, deeper nesting, numbers beyond its range.
        (Ok(_), Err(_)) => {}
        (Err(error), Ok(_)) => panic!("refused what serde_json reads: {error}"),
        (Err(_), Err(_)) => {}
    }
});
