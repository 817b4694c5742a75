//! HOCON, the format of Typesafe Config: JSON with unquoted keys and values, `=`, paths as keys, merged objects.
//!
//! `hocon-parser` turns the text into a syntax tree; the tree becomes a value here and not there. The library's own
//! next step reads the files that `include` names and puts the reader's environment in place of `${…}`, and has no
//! switch against it. A file that we look at must cause neither, so that step is never called: an `include` adds
//! nothing, a substitution stays as the text that it is written as, and no reference can point back at itself.

use std::borrow::Cow;

use hocon::lexer::{Segment, Token, TokenKind, tokenize};
use hocon::parser::{AstField, AstNode, Pos, parse_tokens};
use hocon::{ParseError, ScalarType, ScalarValue};
use serde_json::{Map, Number, Value};

use super::surrogates;
use crate::error::{Error, Kind, Result};

/// Objects and lists within each other, the steps of a path key counted.
const MAX_DEPTH: usize = 127;
/// A token takes some 150 bytes of memory, and can be one byte of text.
const MAX_BYTES: usize = 1 << 20;

/// The value in `text`; `None` when there is nothing but white space and comments.
///
/// Quoted text stays a string, so that `"true"` and `true` differ. Keys keep their order, objects under one key are
/// merged, otherwise the last value wins. `+=` adds to a list. `${…}` stays text, and where an optional one (`${?…}`)
/// is all that would replace an earlier value, the earlier value stands.
///
/// # Errors
/// [`Kind::Json`], naming line and column, where the text is not HOCON; [`Kind::Limit`] where it is too long or nests
/// too deep.
pub fn parse(text: &str) -> Result<Option<Value>> {
    if text.len() > MAX_BYTES {
        return Err(Error::new(Kind::Limit, format!("{} bytes of HOCON, more than {MAX_BYTES}", text.len())));
    }
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    // The library knows no surrogate pairs. In triple quotes a backslash is a backslash.
    let is_raw = text.contains("\"\"\"");
    let text = if is_raw { Cow::Borrowed(text) } else { surrogates::replace_lone_and_join_pairs(text) };
    let tokens = tokenize(&text).map_err(wording)?;
    if tokens.iter().all(|token| matches!(token.kind, TokenKind::Newline | TokenKind::Eof)) {
        return Ok(None);
    }
    check_depth(&tokens)?;
    value(parse_tokens(&tokens).map_err(wording)?, 0).map(Some)
}

/// Before the parser, which goes down as deep as the text does.
fn check_depth(tokens: &[Token]) -> Result<()> {
    let mut depth = 0usize;
    for token in tokens {
        match token.kind {
            TokenKind::LBrace | TokenKind::LBracket if depth == MAX_DEPTH => {
                return Err(too_deep(token.line, token.col));
            }
            TokenKind::LBrace | TokenKind::LBracket => depth += 1,
            TokenKind::RBrace | TokenKind::RBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn too_deep(line: usize, column: usize) -> Error {
    let what = format!("objects and lists nest deeper than {MAX_DEPTH} levels at line {line} column {column}");
    Error::new(Kind::Limit, what)
}

fn wording(error: ParseError) -> Error {
    syntax(&error.message, &Pos { line: error.line, col: error.col })
}

fn syntax(what: &str, place: &Pos) -> Error {
    Error::json(format!("{what} at line {} column {}", place.line, place.col))
}

fn value(node: AstNode, depth: usize) -> Result<Value> {
    match node {
        AstNode::Object { fields, .. } => object(fields, depth).map(Value::Object),
        AstNode::Array { items, .. } => {
            let items = items.into_iter().map(|item| value(item, depth + 1));
            items.collect::<Result<_>>().map(Value::Array)
        }
        AstNode::Scalar { value, .. } => Ok(scalar(value)),
        AstNode::Concat { nodes, .. } => concatenation(nodes, depth),
        AstNode::Substitution { segments, optional, list_suffix, .. } => {
            Ok(Value::String(substitution(&segments, optional, list_suffix)))
        }
        AstNode::Include { pos, .. } => Err(syntax("an include where a value belongs", &pos)),
    }
}

fn object(fields: Vec<AstField>, depth: usize) -> Result<Map<String, Value>> {
    let mut map = Map::new();
    for AstField { key, value: node, append, pos } in fields {
        if matches!(node, AstNode::Include { .. }) {
            continue;
        }
        let depth = depth + key.len();
        if depth > MAX_DEPTH {
            return Err(too_deep(pos.line, pos.col));
        }
        if matches!(node, AstNode::Substitution { optional: true, .. }) && is_set(&map, &key) {
            continue;
        }
        put(&mut map, &key, value(node, depth)?, append);
    }
    Ok(map)
}

fn is_set(map: &Map<String, Value>, path: &[String]) -> bool {
    match path {
        [] => false,
        [last] => map.contains_key(last),
        [first, rest @ ..] => map.get(first).and_then(Value::as_object).is_some_and(|inner| is_set(inner, rest)),
    }
}

/// Sets `value` under a path of keys, or adds it to the list there.
fn put(map: &mut Map<String, Value>, path: &[String], value: Value, append: bool) {
    let Some((first, rest)) = path.split_first() else { return };
    let slot = map.entry(first.as_str()).or_insert(Value::Null);
    if !rest.is_empty() {
        if !slot.is_object() {
            *slot = Value::Object(Map::new());
        }
        if let Value::Object(inner) = slot {
            put(inner, rest, value, append);
        }
        return;
    }
    match (slot, value) {
        (Value::Array(list), value) if append => list.push(value),
        (slot @ Value::Null, value) if append => *slot = Value::Array(vec![value]),
        // Not what HOCON allows, but what an unresolved `${list}` in front of the `+=` leaves.
        (slot, value) if append => *slot = Value::Array(vec![slot.take(), value]),
        (Value::Object(old), Value::Object(new)) => merge(old, new),
        (slot, value) => *slot = value,
    }
}

fn merge(old: &mut Map<String, Value>, new: Map<String, Value>) {
    for (key, value) in new {
        put(old, &[key], value, false);
    }
}

fn scalar(value: ScalarValue) -> Value {
    match value.value_type {
        ScalarType::Null => Value::Null,
        ScalarType::Boolean => Value::Bool(value.raw == "true"),
        // A spelling that JSON does not have, such as `007`, stays text.
        ScalarType::Number => match serde_json::from_str::<Number>(&value.raw) {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(value.raw),
        },
        _ => Value::String(value.raw),
    }
}

/// Values in a row: objects are merged, lists are joined, all else is one text.
fn concatenation(nodes: Vec<AstNode>, depth: usize) -> Result<Value> {
    if nodes.iter().any(|node| matches!(node, AstNode::Object { .. })) {
        return merged(nodes, depth);
    }
    if nodes.iter().any(|node| matches!(node, AstNode::Array { .. })) {
        return joined(nodes, depth);
    }
    let mut text = String::new();
    for node in nodes {
        match node {
            AstNode::Scalar { value, .. } => text.push_str(&value.raw),
            AstNode::Substitution { segments, optional, list_suffix, .. } => {
                text.push_str(&substitution(&segments, optional, list_suffix));
            }
            _ => {}
        }
    }
    Ok(Value::String(text))
}

/// An unresolved substitution beside an object has no key to stand under, and is left out.
fn merged(nodes: Vec<AstNode>, depth: usize) -> Result<Value> {
    let mut map = Map::new();
    for node in nodes {
        match node {
            AstNode::Object { fields, .. } => merge(&mut map, object(fields, depth)?),
            AstNode::Substitution { .. } | AstNode::Scalar { separator: true, .. } => {}
            AstNode::Array { pos, .. } | AstNode::Scalar { pos, .. } | AstNode::Concat { pos, .. } => {
                return Err(syntax("an object beside another kind of value", &pos));
            }
            AstNode::Include { pos, .. } => return Err(syntax("an include where a value belongs", &pos)),
        }
    }
    Ok(Value::Object(map))
}

/// An unresolved substitution beside a list is an item of it.
fn joined(nodes: Vec<AstNode>, depth: usize) -> Result<Value> {
    let mut list = Vec::new();
    for node in nodes {
        match value(node.clone(), depth)? {
            Value::Array(items) => list.extend(items),
            text => match node {
                AstNode::Scalar { separator: true, .. } => {}
                AstNode::Scalar { pos, .. } => return Err(syntax("a list beside another kind of value", &pos)),
                _ => list.push(text),
            },
        }
    }
    Ok(Value::Array(list))
}

/// As it is written: `${a.b}`, `${?a.b}`, `${a[]}`.
fn substitution(segments: &[Segment], optional: bool, list_suffix: bool) -> String {
    let path: Vec<&str> = segments.iter().map(|segment| segment.text.as_str()).collect();
    let (mark, suffix) = (if optional { "?" } else { "" }, if list_suffix { "[]" } else { "" });
    format!("${{{mark}{}{suffix}}}", path.join("."))
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
    fn reads_the_forms_of_a_settings_file() {
        for (text, expected) in [
            ("", "nothing"),
            ("\u{FEFF} \n# only\n// comments\n", "nothing"),
            ("{}", "{}"),
            ("{\n    \"tool\" : {\n        \"n\" : null, \"b\" : true\n    }\n}\n", r#"{"tool":{"n":null,"b":true}}"#),
            ("a = 1, b: 2 # c\nc { d = x } // e", r#"{"a":1,"b":2,"c":{"d":"x"}}"#),
            (r#""tool.chat.isOn" : "true""#, r#"{"tool.chat.isOn":"true"}"#),
            ("x = true\ny = \"true\"\nz = \"1\"", r#"{"x":true,"y":"true","z":"1"}"#),
            ("a.b.c = 1\na.b.d = 2\na { e = 3 }", r#"{"a":{"b":{"c":1,"d":2},"e":3}}"#),
            ("a.\"b.c\".d = 1", r#"{"a":{"b.c":{"d":1}}}"#),
            ("l = [\n 1\n two\n \"three\", [4,],\n]", r#"{"l":[1,"two","three",[4]]}"#),
            ("t = two words 3\nu = a\"b c\"", r#"{"t":"two words 3","u":"ab c"}"#),
            ("t = \"\"\"raw \\n \"q\"\nline\"\"\"", r#"{"t":"raw \\n \"q\"\nline"}"#),
            (r#"s = "a\n\u00e9 // no comment # none""#, "{\"s\":\"a\\n\u{e9} // no comment # none\"}"),
            (r#"s = ["\ud83d\udd12", "cut \ud83d"]"#, "{\"s\":[\"\u{1F512}\",\"cut \u{FFFD}\"]}"),
            ("n = [0, -1.50, 1e3, 007, 18446744073709551615]", r#"{"n":[0,-1.5,1000.0,"007",18446744073709551615]}"#),
            ("a = 1\na = 2", r#"{"a":2}"#),
            ("z = 1\na = 1\nz = 2", r#"{"z":2,"a":1}"#),
            ("a { b = 1 }\na = 2\na { c = 3 }", r#"{"a":{"c":3}}"#),
            ("a = { b = 1 } { c = 2 }\nl = [1] [2]", r#"{"a":{"b":1,"c":2},"l":[1,2]}"#),
            ("l = [1]\nl += 2\nm += x\nn = null\nn += 1", r#"{"l":[1,2],"m":["x"],"n":[1]}"#),
            ("[1, {a = 2}]", r#"[1,{"a":2}]"#),
            ("url = \"https://example.com/x\"", r#"{"url":"https://example.com/x"}"#),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn a_substitution_stays_text() {
        for (text, expected) in [
            ("a = ${HOME}", r#"{"a":"${HOME}"}"#),
            ("a = ${HOME}/bin ${?X}", r#"{"a":"${HOME}/bin ${?X}"}"#),
            ("a = \"${HOME}\"", r#"{"a":"${HOME}"}"#),
            ("a = 1\na = ${?HOME}\nb.c = ${?HOME}", r#"{"a":1,"b":{"c":"${?HOME}"}}"#),
            ("a.b = 1\na.b = ${?PATH}", r#"{"a":{"b":1}}"#),
            ("a = ${a}", r#"{"a":"${a}"}"#),
            ("a = ${b.c}\nb.c = ${a}", r#"{"a":"${b.c}","b":{"c":"${a}"}}"#),
            ("p = ${p} [\"x\"]\np += y", r#"{"p":["${p}","x","y"]}"#),
            ("p = ${base}\np += y", r#"{"p":["${base}","y"]}"#),
            ("o = ${base} { x = 1 }", r#"{"o":{"x":1}}"#),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn an_include_is_never_followed() {
        let file = std::env::temp_dir().join(format!("agent-history-hocon-{}.conf", std::process::id()));
        std::fs::write(&file, "leaked = yes").unwrap();
        let path = file.display();
        for form in [
            format!("include \"{path}\""),
            format!("include file(\"{path}\")"),
            format!("include required(file(\"{path}\"))"),
            format!("include url(\"file://{path}\")"),
            "include classpath(\"reference.conf\")".to_owned(),
        ] {
            let text = format!("before = 1\n{form}\nafter {{ {form} \n x = 2 }}");
            let found = compact(&text);
            assert!(!found.contains("leaked"), "{form}: {found}");
            assert!(found == r#"{"before":1,"after":{"x":2}}"# || found.starts_with("json: "), "{form}: {found}");
        }
        std::fs::remove_file(&file).unwrap();
        assert_eq!(compact("include \"x.conf\"\na = 1"), r#"{"a":1}"#);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, expected) in [
            ("a = {\n b = 1", "json: expected } at line 2 column 7"),
            ("a = [1", "json: expected ] at line 1 column 7"),
            ("a = { b = 1 } [2]", "json: an object beside another kind of value at line 1 column 16"),
            // On one line without commas, the next key is a text behind the object: Lightbend's own library refuses it too.
            ("c { a { x = [1] } b.t { y = 2 } }", "json: an object beside another kind of value at line 1 column 19"),
            ("a = [1] x", "json: a list beside another kind of value at line 1 column 9"),
        ] {
            assert_eq!(compact(text), expected, "{text}");
        }
    }

    #[test]
    fn size_and_nesting_are_bounded() {
        let deep = |depth: usize| format!("a = {}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(compact(&deep(126)).starts_with("{\"a\":[["));
        assert!(compact(&deep(128)).starts_with("limit: objects and lists nest deeper"));
        assert!(compact(&"a{".repeat(100_000)).starts_with("limit: "));
        assert!(compact(&"[".repeat(500_000)).starts_with("limit: "));
        let path = |steps: usize| format!("{} = 1", vec!["a"; steps].join("."));
        assert!(compact(&path(127)).starts_with("{\"a\":{\"a\""));
        assert_eq!(compact(&path(128)), "limit: objects and lists nest deeper than 127 levels at line 1 column 1");
        assert!(compact(&path(100_000)).starts_with("limit: "));
        let both = "a.b.c{".repeat(60) + &"}".repeat(60);
        assert!(compact(&both).starts_with("limit: "));
        assert_eq!(compact(&" ".repeat(MAX_BYTES + 1)), "limit: 1048577 bytes of HOCON, more than 1048576");
    }
}
