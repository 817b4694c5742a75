//! The value of a setting, as rows show it.

use crate::table::Pointer;
use crate::text::Text;
use serde_json::Value;

/// The value, or each entry of a list, with its place: a list gives a row an entry, and an empty one none.
pub fn entries(value: Value, pointer: Pointer) -> impl Iterator<Item = (Pointer, Text)> {
    let (list, single) = match value {
        Value::Array(entries) => (entries, None),
        value => (Vec::new(), Some((pointer.clone(), text(value)))),
    };
    let listed = list.into_iter().enumerate().map(move |(index, entry)| (pointer.join(index), text(entry)));
    single.into_iter().chain(listed)
}

/// Plain text where it is a string, `true` or `false`; else compact JSON.
pub fn text(value: Value) -> Text {
    match value {
        Value::String(text) => text.into(),
        value => value.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_gives_its_entries() {
        for (value, want) in [
            (json!("a \"b\""), "/k a \"b\""),
            (json!(false), "/k false"),
            (json!({"pattern": "^ls", "n": 1}), r#"/k {"pattern":"^ls","n":1}"#),
            (json!(["x", true, ["y"]]), r#"/k/0 x,/k/1 true,/k/2 ["y"]"#),
            (json!([]), ""),
        ] {
            let at = Pointer::record().join("k");
            let found: Vec<String> = entries(value, at).map(|(at, text)| format!("{at} {text}")).collect();
            assert_eq!(found.join(","), want);
        }
    }
}
