//! What a tool returned, as the model read it.

use crate::json::{Kind, Value};
use crate::text::Text;

const IMAGE: Text = Text::Static("[image]");

/// A result's `content` in any of its shapes as one text: the text items joined by newlines, an image as `[image]`, an
/// empty list as `''`. A part of no known shape is its JSON. `None` for null.
pub fn content_text(content: Value<'_>) -> Option<Text> {
    match content.kind() {
        Kind::Null => None,
        Kind::Array => Some(Text::lines(content.items().map(part).collect())),
        _ => Some(part(content)),
    }
}

fn part(part: Value<'_>) -> Text {
    match part.kind() {
        Kind::String => part.text(),
        Kind::Object => object(part),
        _ => None,
    }
    .unwrap_or_else(|| part.compact())
}

/// `{"Text":…}` and `{"Image":…}` in any case, `{"type":"text","text":…}`, or an image without a name around it.
fn object(part: Value<'_>) -> Option<Text> {
    let mut entries = part.entries();
    if let (Some((key, value)), None) = (entries.next(), entries.next()) {
        let key = key.as_str();
        if key.eq_ignore_ascii_case("text") {
            return value.text();
        }
        if key.eq_ignore_ascii_case("image") {
            return Some(IMAGE);
        }
    }
    if part.get("type").is_some_and(|kind| kind.is_str("text")) {
        return part.get("text")?.text();
    }
    part.get("source").filter(|source| source.kind() == Kind::String).map(|_| IMAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn every_shape_is_text() {
        for (content, expected) in [
            (r#""plain string""#, Some("plain string")),
            (r#"{"Text":"object text"}"#, Some("object text")),
            (r#"{"text":"lower case"}"#, Some("lower case")),
            (r#"{"type":"text","text":"tagged"}"#, Some("tagged")),
            (r#"{"Image":{"source":"AAAA"}}"#, Some("[image]")),
            (r#"{"image":{"source":"","size":null}}"#, Some("[image]")),
            (r#"{"source":"AAAA","size":{"width":1,"height":1}}"#, Some("[image]")),
            (r#"{"source":"AAAA"}"#, Some("[image]")),
            (r#"[{"Text":"array text"}]"#, Some("array text")),
            (r#"[{"Text":"see"},{"Image":{"source":"AAAA"}},{"Text":"end"}]"#, Some("see\n[image]\nend")),
            (r#"["a",{"text":"b\u0000"},7]"#, Some("a\nb\0\n7")),
            ("[]", Some("")),
            (r#""""#, Some("")),
            (r#"{"Video": {"u": 1}}"#, Some(r#"{"Video":{"u":1}}"#)),
            (r#"{"Text":7}"#, Some(r#"{"Text":7}"#)),
            (r#"{"type":"text"}"#, Some(r#"{"type":"text"}"#)),
            ("null", None),
        ] {
            let document = Document::parse(content.as_bytes().to_vec()).unwrap();
            let text = content_text(document.root());
            assert_eq!(text.as_ref().map(Text::to_str).as_deref(), expected, "{content}");
        }
    }
}
