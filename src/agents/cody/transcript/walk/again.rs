//! Where the next chat stands behind damage whose end cannot be told by counting brackets.
//!
//! One bracket too many, and an element seems to reach to the end of the text. But a chat begins with its own key as
//! its id, `"K":{"id":"K"`, and such bytes stand in no text of a message: quotes inside of strings are escaped.

use super::super::super::value::Bytes;
use crate::json::Document;
use memchr::memmem;
use std::ops::Range;
use std::sync::Arc;

/// A chat that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// Its key.
    pub key: Arc<str>,
    /// The account that begins between the damage and the chat.
    pub account: Option<Arc<str>>,
    /// The offset of its key.
    pub start: u64,
    /// The offset of its value.
    pub value: u64,
}

/// Bytes that are searched at once.
const WINDOW: u64 = 1 << 20;
/// No key is longer. So much of two windows overlaps on either side.
const LONGEST: usize = 1 << 10;

/// The first chat that begins in a range.
pub fn next_chat(bytes: &Bytes, range: Range<u64>) -> Option<Again> {
    let (mut from, mut account) = (range.start, None);
    loop {
        let to = from.saturating_add(WINDOW).min(range.end);
        let window = bytes.read(from..to.saturating_add(LONGEST as u64).min(range.end)).ok()?;
        for at in memmem::find_iter(&window, b"\":{\"").filter(|at| from + *at as u64 <= to) {
            let Some(start) = key_start(&window, at) else { continue };
            let (Some(key), Some(value)) = (window.get(start..=at), window.get(at + 2..)) else { continue };
            if value.starts_with(b"{\"chat\":{") {
                account = text(key);
            } else if value.strip_prefix(b"{\"id\":").is_some_and(|id| id.starts_with(key)) {
                let (start, value) = (from + start as u64, from + at as u64 + 2);
                return Some(Again { key: text(key)?, account, start, value });
            }
        }
        if to >= range.end || (window.len() as u64) < WINDOW {
            return None;
        }
        from = to - LONGEST as u64;
    }
}

/// The chat whose key, or whose account's, is the string that stands in a span: what a walk that is lost takes for an
/// element of something else.
pub fn chat_at(bytes: &Bytes, span: &Range<u64>) -> Option<Again> {
    let again = next_chat(bytes, span.start..span.end + LONGEST as u64)?;
    (again.start == span.start || again.account.is_some()).then_some(again)
}

/// Where the string begins whose closing quote is at `end`.
fn key_start(window: &[u8], end: usize) -> Option<usize> {
    let front = window.get(end.saturating_sub(LONGEST)..end)?;
    let start = front.iter().rposition(|byte| *byte == b'"')?;
    Some(end - front.len() + start)
}

/// A string as it stands in JSON, quotes included.
fn text(quoted: &[u8]) -> Option<Arc<str>> {
    Some(Document::parse(quoted.to_vec()).ok()?.root().as_str()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, from: u64) -> Option<(String, Option<String>, u64, u64)> {
        let bytes = Bytes::text(text.into(), &Arc::default());
        let Again { key, account, start, value } = next_chat(&bytes, from..u64::MAX)?;
        Some((key.to_string(), account.map(|account| account.to_string()), start, value))
    }

    #[test]
    fn a_chat_begins_with_its_key() {
        let two = r#"{"b":{"chat":{"c \u00e9":{"id":"c \u00e9","x":{"id":"y"}},"d":{"id":"d"}}}}"#;
        assert_eq!(found(two, 0), Some(("c \u{e9}".to_owned(), Some("b".to_owned()), 14, 25)));
        assert_eq!(found(two, 15), Some(("d".to_owned(), None, 58, 62)));
        assert_eq!(found(two, 59), None);
        assert_eq!(found(r#"{"text":"\"c\":{\"id\":\"c\"","tool_call":{"id":"t"}}"#, 0), None, "inside of a text");
    }

    #[test]
    fn windows_overlap() {
        for before in [WINDOW - 3, WINDOW - LONGEST as u64, WINDOW + 5, 2 * WINDOW] {
            let text = format!("{}{}", "x".repeat(usize::try_from(before).unwrap()), r#""c":{"id":"c"}"#);
            assert_eq!(found(&text, 0), Some(("c".to_owned(), None, before, before + 4)), "{before}");
        }
    }
}
