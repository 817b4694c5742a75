//! The sound beginning of a damaged value.

use memchr::memchr2;

/// Ends a value behind its last whole element: `text` is one up to a fault, or up to where it is cut off. An element
/// counts as whole in containers that are nested at most `levels` deep; what is deeper belongs to one. `None` where no
/// element is whole.
pub fn whole_elements(text: &[u8], levels: usize) -> Option<Vec<u8>> {
    let mut open: Vec<u8> = Vec::new();
    // Where the last whole element ends, and what is open there.
    let mut end: Option<(usize, Vec<u8>)> = None;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let here = at;
        at += 1;
        match byte {
            b'"' => at = behind_string(text, at)?.min(text.len()),
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                open.pop();
                if (1..=levels).contains(&open.len()) {
                    end = Some((at, open.clone()));
                }
            }
            b',' if open.len() <= levels => end = Some((here, open.clone())),
            _ => {}
        }
        if at >= text.len() {
            break;
        }
    }
    let (end, open) = end?;
    Some([text.get(..end)?, &open.into_iter().rev().collect::<Vec<u8>>()].concat())
}

/// The place behind a string that begins before `at`; the end of the text where it is cut off.
fn behind_string(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        match memchr2(b'"', b'\\', rest) {
            None => return Some(text.len()),
            Some(found) if rest.get(found) == Some(&b'"') => return Some(at + found + 1),
            Some(found) => at = (at + found + 2).min(text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_behind_its_last_whole_element() {
        for (text, levels, want) in [
            (r#"{"a":[1,2,"#, 2, Some(r#"{"a":[1,2]}"#)),
            (r#"{"a":[1,2"#, 2, Some(r#"{"a":[1]}"#)),
            (r#"{"a":[{"b":1,"c""#, 2, None),
            (r#"{"a":[{"b":1,"c""#, 3, Some(r#"{"a":[{"b":1}]}"#)),
            (r#"{"a":[{"b":1},{"b":[2,"#, 2, Some(r#"{"a":[{"b":1}]}"#)),
            (r#"{"a":[{"b":1}"#, 2, Some(r#"{"a":[{"b":1}]}"#)),
            (r#"{"a":["],}\",\\","b"#, 2, Some(r#"{"a":["],}\",\\"]}"#)),
            (r#"{"a":[1],"b":{"c":1,"#, 2, Some(r#"{"a":[1],"b":{"c":1}}"#)),
            (r#"{"a":[1],"b":{"c":"#, 2, Some(r#"{"a":[1]}"#)),
            (r#"{"a":"cut \"#, 2, None),
            (r#"{"a""#, 2, None),
            ("[", 2, None),
            ("", 2, None),
        ] {
            let found = whole_elements(text.as_bytes(), levels).map(|found| String::from_utf8(found).unwrap());
            assert_eq!(found.as_deref(), want, "{text}");
        }
    }
}
