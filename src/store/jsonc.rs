//! JSON as people write it in settings files: with comments, trailing commas, a byte order mark.
//!
//! The grammar is that of the `json5` crate, of which JSON with comments is a part. What this module adds is what a
//! reader of other people's files needs: a bound on nesting, an empty file that is no error, a lone surrogate that
//! costs one character only, and no numbers that JSON does not have.

use std::fmt;

use json5::{Deserializer, ErrorCode};
use serde::Deserialize;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::surrogates;
use crate::error::{Error, Kind, Result};

/// Objects and arrays within each other; `serde_json` stops at the same depth.
const MAX_DEPTH: usize = 127;
const TOO_DEEP: &str = "objects and arrays nest deeper than 127 levels";

/// The value in `text`; `None` when there is nothing but white space and comments.
///
/// Keys keep their order. Of equal keys the last value wins, in the place of the first.
///
/// # Errors
/// [`Kind::Json`], naming line and column, where the text is not well-formed; [`Kind::Limit`] where it nests too deep.
pub fn parse(text: &str) -> Result<Option<Value>> {
    let text = surrogates::replace_lone(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    if is_blank(&text)? {
        return Ok(None);
    }
    let mut source = Deserializer::from_str(&text);
    let value = Nested { depth: 0 }.deserialize(&mut source).map_err(wording)?;
    match rest(&mut source) {
        Rest::Blank => Ok(Some(value)),
        Rest::Broken(error) => Err(wording(error)),
        Rest::More(place) => Err(Error::json(format!("more text after the value{place}"))),
    }
}

fn is_blank(text: &str) -> Result<bool> {
    match rest(&mut Deserializer::from_str(text)) {
        Rest::Blank => Ok(true),
        Rest::Broken(error) => Err(wording(error)),
        Rest::More(_) => Ok(false),
    }
}

/// What stands before the end of the text.
enum Rest {
    /// White space and comments.
    Blank,
    /// A comment without an end.
    Broken(json5::Error),
    /// Something else, at a place.
    More(String),
}

/// Asks for a `null`, the one value that the parser reads without looking into what it finds.
fn rest(source: &mut Deserializer) -> Rest {
    match <()>::deserialize(source) {
        Ok(()) => Rest::More(String::new()),
        Err(error) => match error.code() {
            Some(ErrorCode::EofParsingNull) => Rest::Blank,
            Some(ErrorCode::EofParsingComment | ErrorCode::ExpectedComment) => Rest::Broken(error),
            _ => Rest::More(error.position().map(|place| format!(" at {place}")).unwrap_or_default()),
        },
    }
}

fn wording(error: json5::Error) -> Error {
    let text = error.to_string();
    if text.starts_with(TOO_DEEP) {
        return Error::new(Kind::Limit, text);
    }
    // Where the text ends too early the place is that of the list or object left open, or there is none.
    let place = if error.position().is_none() { " at the end of the text" } else { "" };
    Error::json(format!("{text}{place}"))
}

/// Builds a value, counting how deep it is.
struct Nested {
    depth: usize,
}

impl Nested {
    fn inner<E: serde::de::Error>(&self) -> Result<Self, E> {
        if self.depth < MAX_DEPTH { Ok(Self { depth: self.depth + 1 }) } else { Err(E::custom(TOO_DEEP)) }
    }
}

impl<'de> DeserializeSeed<'de> for Nested {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    // Integers beyond 64 bits are the nearest double, as everywhere in JSON.
    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        u64::try_from(value).map_or_else(|_| self.visit_f64(value as f64), |value| Ok(Value::from(value)))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        i64::try_from(value).map_or_else(|_| self.visit_f64(value as f64), |value| Ok(Value::from(value)))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that JSON does not have"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            match items.next_element_seed(self.inner()?)? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self.inner()?)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(text: &str) -> String {
        match parse(text) {
            Ok(value) => value.map_or_else(|| "nothing".to_owned(), |value| value.to_string()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn reads_what_people_write() {
        for (text, expected) in [
            ("", "nothing"),
            (" \n\t", "nothing"),
            ("\u{FEFF}", "nothing"),
            ("// only a comment", "nothing"),
            ("/* one */ // two\n/* three */\n", "nothing"),
            ("{}", "{}"),
            ("null", "null"),
            ("[\"agent\"]", r#"["agent"]"#),
            ("\u{FEFF}{ // user settings\n \"a\" /* key */ : /* value */ 1, /* last */ }", r#"{"a":1}"#),
            ("{\"z\": [1, 2,], \"a\": {\"b\": true,},}", r#"{"z":[1,2],"a":{"b":true}}"#),
            (
                r#"{"p": "rm\\s+-rf // no comment", "q": "/* no */"}"#,
                r#"{"p":"rm\\s+-rf // no comment","q":"/* no */"}"#,
            ),
            (r#"{"url": "https://sourcegraph.com/"} // end"#, r#"{"url":"https://sourcegraph.com/"}"#),
            (r#"{"a": 1, "b": 2, "a": {"c": 3}}"#, r#"{"a":{"c":3},"b":2}"#),
            ("{\"a\": \"tab\there\"}\r\n", r#"{"a":"tab\there"}"#),
            (r#"{"a": "\u0000\u00e9\ud83d\udd12\/"}"#, "{\"a\":\"\\u0000\u{e9}\u{1F512}/\"}"),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_json() {
        for (text, expected) in [
            ("0", "0"),
            ("-7", "-7"),
            ("1.50", "1.5"),
            ("1759485600000", "1759485600000"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551616", "1.8446744073709552e+19"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
            ("NaN", "json: a number that JSON does not have at line 1 column 1"),
            ("[Infinity]", "json: a number that JSON does not have at line 1 column 2"),
            ("1e999", "json: a number that JSON does not have at line 1 column 1"),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn a_lone_surrogate_costs_one_character() {
        for (text, expected) in [
            (r#"["a\ud83d"]"#, "[\"a\u{FFFD}\"]"),
            (r#"["\udd12\ud83d\udd12\ud83d"]"#, "[\"\u{FFFD}\u{1F512}\u{FFFD}\"]"),
            (r#"["\ud83d\ud83d\udd12"]"#, "[\"\u{FFFD}\u{1F512}\"]"),
            (r#"["\\ud83d"]"#, r#"["\\ud83d"]"#),
            ("[ // C:\\\n \"\\ud83d\" ]", "[\"\u{FFFD}\"]"),
            ("[ /* \\*/ \"\\ud83d\" ]", "[\"\u{FFFD}\"]"),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, expected) in [
            ("{\n  \"a\": oops\n}", "json: expected value at line 2 column 8"),
            ("{\"a\": 1 \"b\": 2}", "json: expected comma at line 1 column 9"),
            ("{\"a\": 1} {\"b\": 2}", "json: more text after the value at line 1 column 10"),
            ("{\"a\": 1} null", "json: more text after the value"),
            ("{\"a\": [1,", "json: EOF parsing value at line 1 column 7"),
            ("{\"a", "json: EOF parsing string at line 1 column 1"),
            ("{} /* no end", "json: EOF parsing comment at the end of the text"),
            ("/* no end", "json: EOF parsing comment at the end of the text"),
            ("{\"a\": \"one\ntwo\"}", "json: line terminator in string at line 1 column 11"),
            ("{\"a\": \"\\u12\"}", "json: invalid escape sequence at line 1 column 8"),
            ("undefined", "json: expected value at line 1 column 1"),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(compact(&nested(127)), nested(127));
        assert_eq!(compact(&nested(128)), "limit: objects and arrays nest deeper than 127 levels at line 1 column 128");
        let objects = "{\"a\":".repeat(200_000);
        assert!(compact(&objects).starts_with("limit: "));
        assert!(compact(&"[".repeat(1_000_000)).starts_with("limit: "));
        assert_eq!(
            compact(&("{}".to_owned() + &"[".repeat(1_000_000))),
            "json: more text after the value at line 1 column 3"
        );
    }
}
