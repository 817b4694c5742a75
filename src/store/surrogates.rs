//! Escaped surrogates in the text of JSON and its relatives, before a strict parser sees them.
//!
//! `JSON.stringify` writes half a surrogate pair where a string was cut inside a character, and strict parsers refuse
//! the whole text for it.

use std::borrow::Cow;

/// Half pairs written over with `\ufffd`, which is as long, so that places in errors stay right.
pub fn replace_lone(text: &str) -> Cow<'_, str> {
    rewrite(text, false)
}

/// The same, and whole pairs become the character that they stand for: for a parser that knows no pairs.
pub fn replace_lone_and_join_pairs(text: &str) -> Cow<'_, str> {
    rewrite(text, true)
}

fn rewrite(text: &str, join_pairs: bool) -> Cow<'_, str> {
    let mut rewritten = String::new();
    let mut copied = 0;
    let mut at = 0;
    // Backslashes pair up even where they stand in a comment: its last character is never one.
    while let Some(found) = memchr::memchr(b'\\', text.as_bytes().get(at..).unwrap_or_default()) {
        let start = at + found;
        at = start + 2;
        let Some(unit @ 0xD800..=0xDFFF) = escaped_unit(text, start) else { continue };
        at = start + 6;
        let pair = [unit, escaped_unit(text, at).unwrap_or(0)];
        let joined = char::decode_utf16(pair).next().and_then(Result::ok);
        if joined.is_some() {
            at += 6;
        }
        if joined.is_some() && !join_pairs {
            continue;
        }
        rewritten.push_str(text.get(copied..start).unwrap_or_default());
        match joined {
            Some(character) => rewritten.push(character),
            None => rewritten.push_str("\\ufffd"),
        }
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    rewritten.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(rewritten)
}

/// The number in the escape `\u1234` at `start`.
fn escaped_unit(text: &str, start: usize) -> Option<u16> {
    let digits = text.get(start..start + 6)?.strip_prefix("\\u")?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_pairs_are_replaced_and_whole_ones_kept_or_joined() {
        for (text, replaced, joined) in [
            (r"a", r"a", "a"),
            (r"\u00e9\n", r"\u00e9\n", r"\u00e9\n"),
            (r"a\ud83d", r"a\ufffd", r"a\ufffd"),
            (r"\udd12 \ud83d", r"\ufffd \ufffd", r"\ufffd \ufffd"),
            (r"\ud83d\udd12", r"\ud83d\udd12", "\u{1F512}"),
            (r"\uD83D\uDD12.", r"\uD83D\uDD12.", "\u{1F512}."),
            (r"\ud83d\ud83d\udd12", r"\ufffd\ud83d\udd12", "\\ufffd\u{1F512}"),
            (r"\ud83d\n", r"\ufffd\n", r"\ufffd\n"),
            (r"\\ud83d", r"\\ud83d", r"\\ud83d"),
            (r"\\\ud83d", r"\\\ufffd", r"\\\ufffd"),
            ("// C:\\\n\"\\ud83d\"", "// C:\\\n\"\\ufffd\"", "// C:\\\n\"\\ufffd\""),
            ("/* \\*/\"\\ud83d\"", "/* \\*/\"\\ufffd\"", "/* \\*/\"\\ufffd\""),
            ("\\u12", "\\u12", "\\u12"),
            ("\\\u{1F512}\\ud83d", "\\\u{1F512}\\ufffd", "\\\u{1F512}\\ufffd"),
            ("\\", "\\", "\\"),
        ] {
            assert_eq!(replace_lone(text), replaced, "{text}");
            assert_eq!(replace_lone_and_join_pairs(text), joined, "{text}");
        }
    }
}
