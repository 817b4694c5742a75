//! Our notion of JSON against `serde_json`'s, on texts that are nearly right.

use serde::de::IgnoredAny;

use super::simd::with_all_lanes;
use super::string::{Ended, Met, Strings, Unusual};
use super::*;
use crate::error::Result;

/// A small generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const SPACES: &[&str] = &["", "", "", " ", "\n\t", "  \r\n"];
const NUMBERS: &[&str] = &["0", "-0", "7", "-12", "3.25", "1e5", "2E-3", "9007199254740993", "1e400", "0.10"];
const PIECES: &[&str] = &[
    "a",
    "plain words ",
    "\\n",
    "\\\"",
    "\\\\",
    "\\\\\\\\",
    "\\/",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\u00e9",
    "é",
    "日本",
    "😀",
    "\\b\\f\\r\\t",
    "\u{7f}",
    "{[,:]}",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

fn string(random: &mut Random, out: &mut String) {
    out.push('"');
    for _ in 0..random.below(9) {
        out.push_str(random.pick(PIECES));
    }
    out.push('"');
}

fn value(random: &mut Random, depth: usize, out: &mut String) {
    out.push_str(random.pick(SPACES));
    match random.below(if depth == 0 { 4 } else { 7 }) {
        0 => out.push_str(random.pick(NUMBERS)),
        1 => out.push_str(random.pick(&["true", "false", "null"])),
        2 | 3 => string(random, out),
        4 => list(random, depth, ['[', ']'], out),
        _ => list(random, depth, ['{', '}'], out),
    }
    out.push_str(random.pick(SPACES));
}

fn list(random: &mut Random, depth: usize, [open, close]: [char; 2], out: &mut String) {
    out.push(open);
    for index in 0..random.below(5) {
        if index > 0 {
            out.push(',');
        }
        if open == '{' {
            out.push_str(random.pick(SPACES));
            string(random, out);
            out.push_str(random.pick(SPACES));
            out.push(':');
        }
        value(random, depth - 1, out);
    }
    out.push_str(random.pick(SPACES));
    out.push(close);
}

/// Changes a few bytes to others that mean something.
fn damage(random: &mut Random, text: &mut Vec<u8>) {
    const BYTES: &[u8] = b"\"\\{}[],: 0-.eEutn\n\x00\x1f\x80\xc3\xff/aD8";
    for _ in 0..=random.below(2) {
        let at = random.below(text.len());
        let byte = BYTES[random.below(BYTES.len())];
        match random.below(4) {
            0 => text.insert(at, byte),
            1 if text.len() > 1 => drop(text.remove(at)),
            2 if text.len() > 1 => text.truncate(at.max(1)),
            _ => text[at] = byte,
        }
    }
}

/// Gives random small pieces.
struct Pieces<'a>(&'a [u8], Random);

impl Source for Pieces<'_> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        let count = buf.len().min(1 + self.1.below(7));
        self.0.fill(&mut buf[..count])
    }
}

fn in_pieces(text: &[u8], seed: u64, keep: bool) -> Result<Option<Document>> {
    let mut reader = Reader::new(Pieces(text, Random(seed)));
    let document = if keep { Some(reader.value()?) } else { reader.skip().map(|()| None)? };
    reader.finish()?;
    Ok(document)
}

/// The value as `serde_json` would build it, numbers by their spelling.
/// Gives much at once, and asks for the room.
struct Bursts<'a>(&'a [u8], usize);

impl Source for Bursts<'_> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        assert!(buf.len() >= self.burst(), "{} bytes of room", buf.len());
        self.0.fill(buf)
    }

    fn burst(&self) -> usize {
        if self.0.len() < self.1 { 0 } else { self.1 }
    }
}

#[test]
fn a_source_gets_the_room_that_it_asks_for() {
    let sizes = [0, 10, 1_000, 60_000, 70_000, 300_000, 5, 1 << 20, 20 << 20, 60_000, 1_000, 5];
    let items: Vec<String> = sizes.iter().map(|size| format!("\"{}\"", "x".repeat(*size))).collect();
    let text = format!("[{}]", items.join(","));
    for burst in [1_000, 256 << 10, 3 << 20] {
        for keep in [0, 2] {
            let mut reader = Reader::new(Bursts(text.as_bytes(), burst));
            let mut kept = std::collections::VecDeque::new();
            reader.begin_array().unwrap();
            for item in &items {
                assert!(reader.next_item().unwrap());
                kept.push_back((reader.value().unwrap(), item));
                let given = kept.len().saturating_sub(keep);
                assert!(kept.drain(..given).all(|(document, item)| document.root().raw() == item));
            }
            assert!(kept.into_iter().all(|(document, item)| document.root().raw() == item));
            assert!(!reader.next_item().unwrap());
            reader.finish().unwrap();
        }
    }
}

fn built(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::String => value.as_str().unwrap().into_owned().into(),
        Kind::Array => value.items().map(built).collect(),
        Kind::Object => value.entries().map(|(key, value)| (key.as_str().into_owned(), built(value))).collect(),
        _ => serde_json::from_str(value.raw()).unwrap(),
    }
}

fn is_referee_content(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

#[test]
fn accepts_what_serde_json_accepts() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut accepted = [0; 2];
    for round in 0..1_200_u64 {
        let mut text = String::new();
        value(&mut random, 4, &mut text);
        let mut text = text.into_bytes();
        let is_damaged = round % 4 != 0;
        if is_damaged {
            damage(&mut random, &mut text);
        }
        let shown = String::from_utf8_lossy(&text);
        let parsed = Document::parse(text.clone());
        assert_eq!(parsed.is_ok(), is_referee_content(&text), "{shown} {parsed:?}");
        accepted[usize::from(is_damaged)] += u32::from(parsed.is_ok());
        let said = |result: Result<Option<Document>>| result.map(drop).map_err(|error| error.to_string());
        let expected = said(parsed.clone().map(Some));
        assert_eq!(said(in_pieces(&text, round + 1, true)), expected, "{shown}");
        assert_eq!(said(in_pieces(&text, round + 1, false)), expected, "{shown}");
        // `serde_json` builds no number beyond f64 and no lone surrogate
        if let (Ok(document), Ok(referee)) = (parsed, serde_json::from_slice::<serde_json::Value>(&text)) {
            assert_eq!(built(document.root()), referee, "{shown}");
            let compact = document.root().compact().to_string();
            assert_eq!(serde_json::from_str::<serde_json::Value>(&compact).unwrap(), referee);
            let pieces = in_pieces(&text, round + 1, true).unwrap().unwrap();
            assert_eq!(pieces.root().raw(), document.root().raw());
        }
    }
    assert!(accepted[0] == 300 && accepted[1] > 80, "{accepted:?}");
}

/// The rule for strings, byte by byte.
fn plain_end(text: &[u8], from: usize) -> (Ended, bool) {
    let mut at = from;
    let mut escape = false;
    loop {
        let rest = &text[at.min(text.len())..];
        let ended = match rest {
            [] => Ended::More(at),
            [b'"', ..] => Ended::Quote(at),
            [0..=0x1f, ..] => Ended::Control(at),
            [b'\\', ..] => {
                let digits = rest.iter().skip(2).take(4);
                let len = match rest.get(1) {
                    None => Err(Ended::More(at)),
                    Some(b'u') if !digits.clone().all(u8::is_ascii_hexdigit) => Err(Ended::Escape(at)),
                    Some(b'u') if digits.len() < 4 => Err(Ended::More(at)),
                    Some(b'u') => Ok(6),
                    Some(letter) if b"\"\\/bfnrt".contains(letter) => Ok(2),
                    Some(_) => Err(Ended::Escape(at)),
                };
                match len {
                    Ok(len) => {
                        escape = true;
                        at += len;
                        continue;
                    }
                    Err(ended) => ended,
                }
            }
            _ => {
                at += 1;
                continue;
            }
        };
        return (ended, escape);
    }
}

#[test]
fn strings_end_where_a_plain_search_ends_them() {
    const DENSE: &[&str] = &["\\", "\\", "\"", "n", "u", "00", "aF", "/", "q", "\u{1f}", "é", "x"];
    const SPARSE: &[&str] = &["abcdefghij", "\\n", "\\\\", "\\u001b", "\\\"", "é", "0123456789abcdef0123456789abcdef"];
    let mut random = Random(88_172_645_463_325_252);
    for round in 0..6_000 {
        let mut text = String::new();
        let choices = if round % 2 == 0 { DENSE } else { SPARSE };
        for _ in 0..random.below(if round % 3 == 0 { 200 } else { 20 }) {
            text.push_str(random.pick(choices));
        }
        text.push_str(random.pick(&["\"", "\"", "", "\\"]));
        let from = random.below(3).min(text.len());
        let (expected, escape) = plain_end(text.as_bytes(), from);
        let mut answers = with_all_lanes!(lanes => {
            let mut met = Met::default();
            (Strings::new(lanes, text.as_bytes(), from, &mut Unusual::default()).end(from, &mut met), met)
        });
        let (ended, met) = answers.swap_remove(0);
        assert_eq!(ended, expected, "{text} from {from}");
        assert!(answers.iter().all(|answer| *answer == (ended, met)), "{text} from {from}");
        if let Ended::Quote(end) = ended {
            assert_eq!(met.escape, escape, "{text} from {from}");
            let inside = &text.as_bytes()[from..end];
            assert!(met.wide || inside.is_ascii(), "{text} from {from}");
            let mut unescaped = b"before".to_vec();
            unescape::unescape(inside, &mut unescaped);
            let literal = [b"\"", inside, b"\""].concat();
            if let Ok(referee) = serde_json::from_slice::<String>(&literal) {
                assert_eq!(unescaped, format!("before{referee}").into_bytes(), "{text} from {from}");
            }
        }
    }
}

#[test]
fn half_a_surrogate_pair_is_one_replacement_character() {
    for (literal, said) in [
        (r#""a\u0000b""#, "a\0b"),
        (r#""x\ud83dy""#, "x\u{fffd}y"),
        (r#""tail \ud83d\ude00""#, "tail 😀"),
        (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud83d\n\ud83d\u0041""#, "\u{fffd}\n\u{fffd}A"),
        (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
    ] {
        let document = Document::parse(literal.as_bytes().to_vec()).unwrap();
        assert_eq!(document.root().as_str().unwrap(), said, "{literal}");
    }
}

#[test]
fn errors_name_the_place() {
    for (text, said) in [
        ("", "json: the text ends at byte 0, inside a value"),
        ("[1,]", "json: expected a value at byte 3, found `]`"),
        ("[1 2]", "json: expected `,` or `]` at byte 3, found `2`"),
        ("{\"a\" 1}", "json: expected `:` at byte 5, found `1`"),
        ("{\"a\":1,}", "json: expected a key at byte 7, found `}`"),
        ("{a:1}", "json: expected a key or `}` at byte 1, found `a`"),
        ("[01]", "json: expected `,` or `]` at byte 2, found `1`"),
        ("[1.]", "json: expected a digit at byte 3, found `]`"),
        ("[nul]", "json: expected a value at byte 1, found `n`"),
        ("\"a\nb\"", "json: raw control character in a string at byte 2"),
        ("\"a\\x\"", "json: invalid escape in a string at byte 2"),
        ("[\"é", "json: the text ends at byte 4, inside a value"),
        ("1 x", "json: expected the end of the text at byte 2, found `x`"),
        ("\u{feff}[}", "json: expected a value at byte 4, found `}`"),
    ] {
        assert_eq!(Document::parse(text.as_bytes().to_vec()).unwrap_err().to_string(), said, "{text}");
    }
    let error = Document::parse(b"[\"ab\xffc\"]".to_vec()).unwrap_err();
    assert_eq!(error.to_string(), "utf8: invalid UTF-8 at byte 4");
}

#[test]
fn a_needle_is_never_missed() {
    const WORDS: &[&str] = &["ab", "aB", "/", "c d", "\\n", "\\u0061", "\\u0042", "\\/", "é", "\\u00e9", "e", "\\\""];
    let mut random = Random(424_242);
    let mut missing = 0;
    for _ in 0..20_000 {
        let mut raw = String::new();
        for _ in 0..1 + random.below(8) {
            raw.push_str(random.pick(WORDS));
        }
        let document = Document::parse(format!("\"{raw}\"").into_bytes()).unwrap();
        let text = document.root().as_str().unwrap();
        let wanted: String = (0..2).map(|_| random.pick(&["ab", "AB", "/c", "c d", "bé", "e"])).collect();
        let is_in = |needle: Option<Needle>| needle.is_none_or(|needle| may_contain(raw.as_bytes(), &needle));
        let exact = is_in(Needle::of_text(&wanted));
        let like = is_in(Needle::of_like(&format!("%{wanted}%")));
        assert!(exact || !text.contains(&wanted), "{raw} {wanted}");
        assert!(like || !text.to_ascii_lowercase().contains(&wanted.to_ascii_lowercase()), "{raw} {wanted}");
        missing += usize::from(!exact) + usize::from(!like);
    }
    assert!(missing > 10_000, "{missing}");
}

/// What a reader makes of the elements of a damaged array: each as stored, and the place of each damage.
fn salvaged(mut reader: Reader<impl Source>, most: usize) -> Vec<String> {
    let mut seen = Vec::new();
    if reader.begin_array().is_err() {
        return seen;
    }
    loop {
        assert!(seen.len() <= most, "no progress: {seen:?}");
        let item = reader.next_item().and_then(|is_item| if is_item { reader.value().map(Some) } else { Ok(None) });
        match item {
            Ok(Some(item)) => seen.push(item.root().raw().to_owned()),
            Ok(None) => return seen,
            Err(error) => match reader.recover() {
                Ok(place) => seen.push(format!("{error} {place:?}")),
                Err(lost) => {
                    seen.push(format!("lost: {lost}"));
                    return seen;
                }
            },
        }
    }
}

#[test]
fn damage_costs_nothing_before_it_and_is_the_same_in_pieces() {
    let mut random = Random(7_777_777);
    for round in 1..1_000 {
        let mut items = Vec::new();
        for _ in 0..6 {
            let mut item = String::new();
            value(&mut random, 3, &mut item);
            items.push(item.trim().to_owned());
        }
        let sound = items[..3].join(",");
        let mut rest = items[3..].join(",").into_bytes();
        damage(&mut random, &mut rest);
        let text = [b"[", sound.as_bytes(), b",", &rest, b"]"].concat();
        let shown = String::from_utf8_lossy(&text);
        let whole = salvaged(Reader::from_bytes(text.clone()), text.len());
        assert_eq!(whole.get(..3), items.get(..3), "{shown}");
        assert_eq!(salvaged(Reader::new(Pieces(&text, Random(round))), text.len()), whole, "{shown}");
    }
}

#[test]
fn a_large_damaged_element_is_passed_over_in_little_memory() {
    let large = "x, ".repeat(2 << 20);
    let text = format!("[1,{{\"a\":nope,\"b\":\"{large}\"}},2]").into_bytes();
    let place = 3..3 + 17 + large.len() as u64;
    let said = format!("json: expected a value at byte 8, found `n` {place:?}");
    assert_eq!(salvaged(Reader::new(&text[..]), 9), ["1", &said, "2"]);
    let mut reader = Reader::new(&text[..]);
    reader.begin_array().unwrap();
    reader.next_item().unwrap();
    reader.next_item().unwrap();
    reader.value().unwrap_err();
    reader.recover().unwrap();
    assert!(reader.take_damaged().is_none());
}

#[test]
fn limits_hold_and_can_be_recovered_from() {
    let limits = Limits { max_value_bytes: 1000, max_depth: 3 };
    let text = format!("[[[1]],[[[1]]],\"{}\",{},2]", "x".repeat(200_000), "[0,".repeat(60_000) + &"]".repeat(60_000));
    let mut reader = Reader::new(text.as_bytes()).with_limits(limits);
    reader.begin_array().unwrap();
    let mut seen = Vec::new();
    while reader.next_item().unwrap() {
        match reader.value() {
            Ok(item) => seen.push(item.root().raw().to_owned()),
            Err(error) => {
                seen.push(error.to_string());
                reader.recover().unwrap();
            }
        }
    }
    assert_eq!(
        seen,
        [
            "[[1]]",
            "limit: nesting is deeper than 3 at byte 9",
            "limit: a JSON value is larger than 1000 bytes; agent_history_config('max_value_bytes', …) raises it",
            "limit: nesting is deeper than 3 at byte 200024",
            "2"
        ]
    );
    reader.finish().unwrap();
}
