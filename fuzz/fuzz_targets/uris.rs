//! URIs, path lists in the user's order, times: texts that come from anywhere.
#![no_main]

use agent_history::store::{paths, uri};
use agent_history::time::Time;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // As editors write URIs, an escape in a path stays one and a server becomes a folder: on the way back these are
    // other paths.
    let is_plain = |path: &String| {
        paths::is_absolute(path) && !path.starts_with("//") && !path.starts_with("\\\\") && !path.contains('%')
    };
    if let Some(path) = uri::path_of_file_uri(text).filter(is_plain) {
        let again = uri::file_uri(&path, false);
        assert_eq!(uri::path_of_file_uri(&again).as_deref(), Some(&*path), "{again}");
    }
    let _ = (uri::percent_decode(text), uri::path_segment(text), uri::query_value(text));
    let (left, right) = text.split_once('\0').unwrap_or((text, ""));
    let folders = paths::user_order(left, right);
    assert_eq!(folders.len(), paths::user_order(left, "").len(), "an order loses nothing");
    let _ = paths::resolve(right, &folders);
    let _ = paths::common_folder(left.lines());
    let _ = (paths::name(text), paths::is_absolute(text));
    let times = [Time::parse_rfc3339(text), Time::parse_rfc1123(text), Time::parse_zoneless(text), Time::parse_epoch(text)];
    let times = times.into_iter().chain([Time::parse_chat_id(text).map(|(time, _)| time)]);
    for time in times.flatten() {
        assert_eq!(Time::parse_rfc3339(time.text().as_str()), Some(time), "{text}");
    }
});
