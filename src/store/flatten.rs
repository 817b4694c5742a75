//! Settings as flat, dotted keys, however their file nests them.
//!
//! `{"tool": {"chat": {"x": 1}}}`, `{"tool.chat.x": 1}` and `{"tool": {"chat.x": 1}}` all say `tool.chat.x`.

use serde_json::{Value, map};

/// No setting has a longer key. It bounds the work: all leaves below one huge key would each carry it.
const MAX_KEY_BYTES: usize = 1024;

/// The leaves of `root` with their keys, joined by dots, in document order. Lists and empty objects are leaves, and so
/// is an object whose own key is longer than 1,024 bytes. A root that is no object has none.
pub fn flatten(root: &Value) -> Flatten<'_> {
    Flatten { open: root.as_object().map(|root| (0, root.iter())).into_iter().collect(), key: String::new() }
}

/// Iterator over the leaves: [`flatten`].
pub struct Flatten<'a> {
    /// The objects on the way down: the length of the key that leads there, and what is left of them.
    open: Vec<(usize, map::Iter<'a>)>,
    key: String,
}

impl<'a> Iterator for Flatten<'a> {
    type Item = (String, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let is_inner = self.open.len() > 1;
            let (length, entries) = self.open.last_mut()?;
            let Some((name, value)) = entries.next() else {
                self.open.pop();
                continue;
            };
            self.key.truncate(*length);
            if is_inner {
                self.key.push('.');
            }
            self.key.push_str(name);
            match value {
                Value::Object(inner) if !inner.is_empty() && self.key.len() <= MAX_KEY_BYTES => {
                    self.open.push((self.key.len(), inner.iter()));
                }
                _ => return Some((self.key.clone(), value)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_dotted_and_mixed_keys_are_one_key() {
        for (root, expected) in [
            (json!({"tool": {"chat": {"x": 1}}}), vec![("tool.chat.x", json!(1))]),
            (json!({"tool.chat.x": 1}), vec![("tool.chat.x", json!(1))]),
            (json!({"tool": {"chat.x": 1}}), vec![("tool.chat.x", json!(1))]),
            (
                json!({"b": {"y": [{"z": 1}], "x": {}}, "a": null, "b.y": "text"}),
                vec![("b.y", json!([{"z": 1}])), ("b.x", json!({})), ("a", json!(null)), ("b.y", json!("text"))],
            ),
            (json!({"": {"": 1}}), vec![(".", json!(1))]),
            (json!({}), vec![]),
            (json!(["agent"]), vec![]),
            (json!(null), vec![]),
        ] {
            let expected: Vec<(String, &Value)> =
                expected.iter().map(|(key, value)| (key.to_string(), value)).collect();
            assert_eq!(flatten(&root).collect::<Vec<_>>(), expected, "{root}");
        }
    }

    #[test]
    fn a_huge_key_is_not_repeated() {
        let long = "k".repeat(MAX_KEY_BYTES + 1);
        let root = json!({long.clone(): {"a": 1, "b": 2}});
        assert_eq!(flatten(&root).collect::<Vec<_>>(), vec![(long, &json!({"a": 1, "b": 2}))]);
    }
}
