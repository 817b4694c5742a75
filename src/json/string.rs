//! Inside string literals: where one ends, whether it is sound, what it says.

/// Where the search for a closing quote came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The closing quote.
    Quote(usize),
    /// The bytes ran out; go on from here with more of them.
    More(usize),
    /// A raw control character.
    Control(usize),
    /// A backslash with something after it that is no escape.
    Escape(usize),
}

/// Finds the closing quote from `from`, a place inside a string and not between a backslash and its letter.
/// `escaped` is set when a backslash stands before the end.
pub(super) fn end(text: &[u8], from: usize, escaped: &mut bool) -> Ended {
    let mut at = from;
    loop {
        match text.get(at) {
            None => return Ended::More(at),
            Some(b'"') => return Ended::Quote(at),
            Some(b'\\') => {
                *escaped = true;
                match escape_len(text, at) {
                    Escape::Sound(len) => at += len,
                    Escape::Cut => return Ended::More(at),
                    Escape::Bad => return Ended::Escape(at),
                }
            }
            Some(0..=0x1f) => return Ended::Control(at),
            Some(_) => at += 1,
        }
    }
}

enum Escape {
    Sound(usize),
    Cut,
    Bad,
}

/// The length of the escape whose backslash is at `at`.
fn escape_len(text: &[u8], at: usize) -> Escape {
    match text.get(at + 1) {
        None => Escape::Cut,
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Escape::Sound(2),
        Some(b'u') => {
            let digits = text.get(at + 2..).unwrap_or_default();
            match digits.iter().take(4).position(|byte| !byte.is_ascii_hexdigit()) {
                Some(_) => Escape::Bad,
                None if digits.len() < 4 => Escape::Cut,
                None => Escape::Sound(6),
            }
        }
        Some(_) => Escape::Bad,
    }
}

/// Appends what the inside of a sound string literal says. A surrogate without its partner becomes U+FFFD.
pub(super) fn unescape(raw: &str, out: &mut String) {
    out.reserve(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('u') => {
                let (unit, tail) = code_unit(after);
                rest = push_unit(unit, tail, out);
                continue;
            }
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(same) => out.push(same),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}

/// Reads `uXXXX` off the front.
fn code_unit(text: &str) -> (u32, &str) {
    let unit = text.get(1..5).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0xfffd);
    (unit, text.get(5..).unwrap_or_default())
}

/// Appends the character that starts with code unit `unit`; gives what is left behind it.
fn push_unit<'a>(unit: u32, tail: &'a str, out: &mut String) -> &'a str {
    if (0xd800..0xdc00).contains(&unit) && tail.starts_with("\\u") {
        let (low, rest) = code_unit(tail.get(1..).unwrap_or_default());
        if (0xdc00..0xe000).contains(&low) {
            let pair = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            out.push(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
            return rest;
        }
    }
    out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    tail
}
