//! Settings, XML, URIs, path lists, times, plans: texts that must neither panic nor hang.
#![no_main]

use agent_history::store::{encoding, hocon, jsonc, paths, uri, xml};
use agent_history::table::Plan;
use agent_history::time::Time;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = encoding::decode(bytes) else { return };
    let _ = (jsonc::parse(&text), hocon::parse(&text));
    let mut reader = xml::Reader::new(&text);
    while let Ok(Some(event)) = reader.read() {
        if let xml::Event::Open(element) = event {
            let _ = reader.tree(element);
        }
    }
    if let Some(path) = uri::path_of_file_uri(&text) {
        let _ = uri::file_uri(&path, false);
    }
    let (left, right) = text.split_once('\0').unwrap_or((&text, ""));
    let folders = paths::user_order(left, right);
    let _ = paths::resolve(right, &folders);
    let _ = paths::common_folder(left.lines());
    if let Some((time, _)) = Time::parse_chat_id(&text) {
        assert_eq!(time.to_string().len(), 24);
    }
    if let Some(plan) = Plan::decode(&text) {
        assert_eq!(Plan::decode(&plan.to_string()), Some(plan));
    }
});
