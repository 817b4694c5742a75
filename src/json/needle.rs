//! A text to look for in JSON that nobody has decoded: whether it is worth decoding.

use super::simd::{Bytes, Found, Lanes, with_lanes};

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

    /// Looks for the needle's two rarest bytes at their distance, 64 places at a time, and compares where both are; and
    /// for `\u`, of which terminal output has one every few words.
    #[inline(always)]
    fn may_be_in(&self, lanes: impl Lanes, text: &[u8]) -> bool {
        let [first, second] = self.rare.map(|place| (place, self.bytes.get(place).copied().unwrap_or_default()));
        let mut at = 0;
        while let (Some(here), Some(one), Some(other)) =
            (block(text, at), block(text, at + first.0), block(text, at + second.0))
        {
            let mut starts = self.places(lanes, one, first.1) & self.places(lanes, other, second.1);
            while starts != 0 {
                if self.is_at(text, at + starts.trailing_zeros() as usize) {
                    return true;
                }
                starts &= starts - 1;
            }
            let bytes = lanes.load(here);
            let is_next = u64::from(text.get(at + 64) == Some(&b'u'));
            let mut escapes = bytes.equal(b'\\').bits() & (bytes.equal(b'u').bits() >> 1 | is_next << 63);
            while escapes != 0 {
                if self.has(text, at + escapes.trailing_zeros() as usize) {
                    return true;
                }
                escapes &= escapes - 1;
            }
            at += 64;
        }
        let tail = text.get(at..).unwrap_or_default();
        (at..text.len()).any(|at| self.is_at(text, at))
            || memchr::memmem::find_iter(tail, b"\\u").any(|escape| self.has(text, at + escape))
    }

    /// Where a byte of the needle stands in a block, in either case where that does not matter.
    #[inline(always)]
    fn places(&self, lanes: impl Lanes, block: &[u8; 64], byte: u8) -> u64 {
        let case = self.case_bit(byte);
        lanes.load(block).with_bits(case).equal(byte | case).bits()
    }

    fn is_at(&self, text: &[u8], at: usize) -> bool {
        let Some(found) = text.get(at..at + self.bytes.len()) else { return false };
        if self.is_folded { found.eq_ignore_ascii_case(&self.bytes) } else { found == self.bytes }
    }

    /// The bit in which a letter's two cases differ.
    fn case_bit(&self, byte: u8) -> u8 {
        if self.is_folded && byte.is_ascii_alphabetic() { 0x20 } else { 0 }
    }

    /// Whether the character of the escape at `at` may be one of the needle's.
    #[inline(always)]
    fn has(&self, text: &[u8], at: usize) -> bool {
        let digits = text.get(at + 2..).unwrap_or_default().first_chunk();
        // A needle has no control characters, and those are what is escaped like this nearly always.
        !matches!(digits, Some([b'0', b'0', b'0' | b'1', last]) if last.is_ascii_hexdigit()) && self.has_code(digits)
    }

    fn has_code(&self, digits: Option<&[u8; 4]>) -> bool {
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
    with_lanes!(lanes => needle.may_be_in(lanes, raw))
        || needle.bytes.contains(&b'/') && memchr::memmem::find(raw, b"\\/").is_some()
}

#[cfg(test)]
mod tests {
    use super::super::simd::with_all_lanes;
    use super::*;

    /// With every kind of lanes.
    fn may_contain(raw: &[u8], needle: &Needle) -> bool {
        let may = super::may_contain(raw, needle);
        let is_spelled = needle.bytes.contains(&b'/') && may;
        let all = with_all_lanes!(lanes => needle.may_be_in(lanes, raw));
        assert!(is_spelled || all.iter().all(|one| *one == may), "{all:?} {}", String::from_utf8_lossy(raw));
        may
    }

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
    fn finds_an_escape_at_every_place() {
        let needle = Needle::of_like("%Needle%").unwrap();
        for length in 6..200 {
            for at in 0..=length - 6 {
                let mut text = vec![b'e'; length];
                text[at..at + 6].copy_from_slice(br"\u004E");
                assert!(may_contain(&text, &needle), "{length} {at}");
                text[at..at + 6].copy_from_slice(br"\u001b");
                assert!(!may_contain(&text, &needle), "{length} {at}");
                text[at..at + 6].copy_from_slice(br"\u00g1");
                assert!(may_contain(&text, &needle), "{length} {at}");
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
