//! A text to look for in JSON that nobody has decoded: whether it is worth decoding.

use super::simd::{Bytes, Lanes, with_lanes};

/// What every text that a pattern matches contains, as far as JSON cannot but spell it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    /// In lower case when `is_folded`.
    bytes: Vec<u8>,
    /// ASCII letters match in either case.
    is_folded: bool,
    /// The places of its two rarest bytes.
    rare: [usize; 2],
}

/// Shorter needles are everywhere.
const SHORTEST: usize = 3;

/// From the most frequent byte of prose and code on; others are rarer.
const FREQUENT: &[u8] = b" etaoinsrldcumpfghyb_v.w-k1x/0=()2;'";

impl Needle {
    /// The needle of a LIKE pattern (without ESCAPE), which ignores the case of ASCII letters. `None` when no part of
    /// it is long enough. Other letters are left out: hosts may fold them, or not.
    pub fn of_like(pattern: &str) -> Option<Self> {
        Self::longest(pattern.split(|c| matches!(c, '%' | '_') || !c.is_ascii()), true)
    }

    /// The needle of a GLOB pattern. `None` when no part of it is long enough.
    pub fn of_glob(pattern: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some((part, after)) = rest.split_once('[') {
            parts.push(part);
            let members = after.strip_prefix('^').unwrap_or(after);
            let members = members.strip_prefix(']').unwrap_or(members);
            rest = members.split_once(']').map_or("", |(_, after)| after);
        }
        parts.push(rest);
        Self::longest(parts.into_iter().flat_map(|part| part.split(['*', '?'])), false)
    }

    /// The needle of a text that must occur as it is. `None` when no part of it is long enough.
    pub fn of_text(text: &str) -> Option<Self> {
        Self::longest(std::iter::once(text), false)
    }

    /// The longest run of characters that no writer of JSON has to escape, and that stand inside one token.
    fn longest<'a>(parts: impl Iterator<Item = &'a str>, is_folded: bool) -> Option<Self> {
        let is_sign = |c: char| c.is_ascii_control() || matches!(c, '"' | '\\' | '{' | '}' | '[' | ']' | ':' | ',');
        let run = parts.flat_map(|part| part.split(is_sign)).max_by_key(|run| run.len())?;
        if run.len() < SHORTEST {
            return None;
        }
        let bytes = if is_folded { run.to_ascii_lowercase() } else { run.to_owned() }.into_bytes();
        let rarity = |byte: u8| FREQUENT.iter().position(|one| *one == byte.to_ascii_lowercase()).unwrap_or(usize::MAX);
        let mut places: Vec<(usize, u8)> = bytes.iter().copied().enumerate().collect();
        places.sort_by_key(|(_, byte)| std::cmp::Reverse(rarity(*byte)));
        let rare = [places.first()?.0, places.get(1)?.0];
        Some(Self { bytes, is_folded, rare })
    }

    /// Whether the text contains the needle as it is spelled.
    fn is_in(&self, text: &[u8]) -> bool {
        with_lanes!(lanes => self.find(lanes, text))
    }

    /// Looks for the two rarest bytes at their distance, 64 places at a time, and compares where both are.
    #[inline(always)]
    fn find(&self, lanes: impl Lanes, text: &[u8]) -> bool {
        let rare = self.rare.map(|place| (place, self.bytes.get(place).copied().unwrap_or_default()));
        let mut at = 0;
        while at + self.bytes.len() <= text.len() {
            let mut starts = u64::MAX;
            for (place, byte) in rare {
                let rest = text.get(at + place..).unwrap_or_default();
                let Some(block) = rest.first_chunk() else { return self.find_in_tail(text, at) };
                let case = self.case_bit(byte);
                starts &= lanes.load(block).with_bits(case).equal(byte | case).top_bits();
            }
            while starts != 0 {
                if self.is_at(text, at + starts.trailing_zeros() as usize) {
                    return true;
                }
                starts &= starts - 1;
            }
            at += 64;
        }
        false
    }

    fn find_in_tail(&self, text: &[u8], from: usize) -> bool {
        (from..text.len()).any(|at| self.is_at(text, at))
    }

    fn is_at(&self, text: &[u8], at: usize) -> bool {
        let Some(found) = text.get(at..at + self.bytes.len()) else { return false };
        if self.is_folded { found.eq_ignore_ascii_case(&self.bytes) } else { found == self.bytes }
    }

    /// The bit in which a letter's two cases differ.
    fn case_bit(&self, byte: u8) -> u8 {
        if self.is_folded && byte.is_ascii_alphabetic() { 0x20 } else { 0 }
    }

    /// Whether `text` spells a character of the needle as an escape.
    fn is_escaped_in(&self, text: &[u8]) -> bool {
        with_lanes!(lanes => self.find_escape(lanes, text))
            || self.bytes.contains(&b'/') && memchr::memmem::find(text, b"\\/").is_some()
    }

    /// Looks for `\u`, 64 places at a time: terminal output has one every few words.
    #[inline(always)]
    fn find_escape(&self, lanes: impl Lanes, text: &[u8]) -> bool {
        let mut at = 0;
        while at + 2 <= text.len() {
            let (Some(first), Some(second)) = (block(text, at), block(text, at + 1)) else { break };
            let mut starts = lanes.load(first).equal(b'\\').top_bits() & lanes.load(second).equal(b'u').top_bits();
            while starts != 0 {
                if self.has(text.get(at + starts.trailing_zeros() as usize + 2..).unwrap_or_default().first_chunk()) {
                    return true;
                }
                starts &= starts - 1;
            }
            at += 64;
        }
        let tail = text.get(at..).unwrap_or_default();
        memchr::memmem::find_iter(tail, b"\\u").any(|at| self.has(tail.get(at + 2..).unwrap_or_default().first_chunk()))
    }

    /// Whether the character of an escape may be one of the needle's.
    fn has(&self, digits: Option<&[u8; 4]>) -> bool {
        let code =
            digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|d| u32::from_str_radix(d, 16).ok());
        match code.map(u8::try_from) {
            Some(Ok(byte)) if byte.is_ascii() => {
                let byte = if self.is_folded { byte.to_ascii_lowercase() } else { byte };
                self.bytes.contains(&byte)
            }
            Some(_) => !self.bytes.is_ascii(),
            None => true,
        }
    }
}

#[inline(always)]
fn block(text: &[u8], at: usize) -> Option<&[u8; 64]> {
    text.get(at..)?.first_chunk()
}

/// Whether a string in the JSON text `raw` may contain what the needle stands for once it is decoded; also `raw` itself,
/// with or without the white space between its tokens. False is certain, true is not.
pub fn may_contain(raw: &[u8], needle: &Needle) -> bool {
    needle.is_in(raw) || needle.is_escaped_in(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needle(found: Option<Needle>) -> String {
        found.map(|needle| String::from_utf8(needle.bytes).unwrap()).unwrap_or_default()
    }

    #[test]
    fn a_pattern_needs_its_longest_plain_run() {
        for (pattern, run) in [
            ("%Panic at%", "panic at"),
            ("%say \"hello\" to%", "hello"),
            ("a%bc_def", "def"),
            ("%ошибка index%", " index"),
            ("%src/main.rs%", "src/main.rs"),
            ("%C:\\temp\\file%", "file"),
            ("%ab%", ""),
            ("", ""),
        ] {
            assert_eq!(needle(Needle::of_like(pattern)), run, "{pattern}");
        }
        for (pattern, run) in [
            ("*Panic at*", "Panic at"),
            ("*ошибка*", "ошибка"),
            ("abc[defghi]jklm", "jklm"),
            ("[]abcdef]ghi", "ghi"),
            ("[^]abcdef]ghi*", "ghi"),
            ("abc[defghi", "abc"),
            ("a?cde*", "cde"),
        ] {
            assert_eq!(needle(Needle::of_glob(pattern)), run, "{pattern}");
        }
        assert_eq!(needle(Needle::of_text("%a_b%")), "%a_b%");
    }

    #[test]
    fn finds_a_needle_at_every_place() {
        let like = Needle::of_like("%Needle%").unwrap();
        let exact = Needle::of_text("Needle").unwrap();
        for length in 0..200 {
            let mut text = vec![b'e'; length];
            assert!(!may_contain(&text, &like));
            if length >= 6 {
                for at in 0..=length - 6 {
                    text[at..at + 6].copy_from_slice(b"nEEDLE");
                    assert!(may_contain(&text, &like), "{length} {at}");
                    assert!(!may_contain(&text, &exact), "{length} {at}");
                    text[at..at + 6].copy_from_slice(b"Needle");
                    assert!(may_contain(&text, &exact), "{length} {at}");
                    text[at..at + 6].copy_from_slice(b"eeeeee");
                }
            }
        }
    }

    #[test]
    fn an_escape_may_hide_the_needle() {
        for (raw, pattern, may) in [
            (r#""a/b c""#, "%A/B%", true),
            (r#""a\/b c""#, "%A/B%", true),
            (r#""x\/y abc""#, "%abd%", false),
            (r#""\u0041bc""#, "%abc%", true),
            (r#""\u001b[0mabd\u0000""#, "%abc%", false),
            (r#""\u00e9\ud83d\ude00abd""#, "%abc%", false),
            (r#"{"a": 1234}"#, "%\"a\":1234%", true),
            (r#"{"a": 1234}"#, "%\"a\":1235%", false),
        ] {
            assert_eq!(may_contain(raw.as_bytes(), &Needle::of_like(pattern).unwrap()), may, "{raw} {pattern}");
        }
        let accent = Needle::of_glob("*\u{e9}t\u{e9}*").unwrap();
        assert!(may_contain(br#""\u00e9t\u00e9""#, &accent));
        assert!(!may_contain(br#""\u001bete""#, &accent));
    }
}
