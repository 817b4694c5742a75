//! An unsent prompt: the blocks of the agent client protocol, as one text.

use crate::error::{Error, Result};
use crate::json::Value;
use crate::text::Text;

/// The blocks joined by newlines: text as written, links and attached files as `[mention] <uri>`, media as a marker. A
/// block of a kind that is not known is shown as JSON.
///
/// # Errors
/// It is no list of objects.
pub fn text(blocks: Value<'_>) -> Result<Text> {
    if blocks.kind() != crate::json::Kind::Array {
        return Err(Error::shape(format!("expected a list of blocks, found {}", blocks.kind().described())));
    }
    let parts: Vec<Text> = blocks.items().enumerate().map(|(at, block)| part(at, block)).collect::<Result<_>>()?;
    Ok(Text::lines(parts))
}

/// Was nothing written? What is no list is told as an error, not passed over.
pub fn is_nothing(blocks: Value<'_>) -> bool {
    blocks.is_null() || (blocks.kind() == crate::json::Kind::Array && blocks.is_empty())
}

fn part(at: usize, block: Value<'_>) -> Result<Text> {
    if block.kind() != crate::json::Kind::Object {
        return Err(Error::shape(format!("expected a block, found {}", block.kind().described())).at(format!("/{at}")));
    }
    let kind = block.get("type").and_then(|kind| kind.as_str());
    let mention = |uri: Option<Value<'_>>| uri.and_then(|uri| uri.as_str()).map(|uri| format!("[mention] {uri}").into());
    let read = match kind.as_deref() {
        Some("text") => block.get("text").and_then(|text| text.text()),
        Some("resource_link") => mention(block.get("uri")),
        Some("resource") => mention(block.get("resource").and_then(|resource| resource.get("uri"))),
        Some("image") => Some(Text::Static("[image]")),
        Some("audio") => Some(Text::Static("[audio]")),
        _ => None,
    };
    Ok(read.unwrap_or_else(|| block.compact()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn told(blocks: &str) -> String {
        let blocks = Document::parse(blocks.as_bytes().to_vec()).unwrap();
        text(blocks.root()).map_or_else(|error| error.to_string(), |text| text.to_string())
    }

    #[test]
    fn blocks_are_joined() {
        for (blocks, want) in [
            (r#"[{"type":"text","text":"and lint"}]"#, "and lint"),
            (
                r#"[{"type":"text","text":"see\u0000"},{"type":"image","data":"AA","mimeType":"image/png"},
                    {"type":"audio","data":"AA"},{"type":"resource_link","name":"a","uri":"file:///a.rs"},
                    {"type":"resource","resource":{"uri":"file:///b.rs","text":"b"}},{"type":"text","text":""}]"#,
                "see\0\n[image]\n[audio]\n[mention] file:///a.rs\n[mention] file:///b.rs\n",
            ),
            (r#"[{"type":"hologram", "x": 1}, {"type":"text"}]"#, "{\"type\":\"hologram\",\"x\":1}\n{\"type\":\"text\"}"),
            ("[]", ""),
            (r#"{"type":"text"}"#, "shape: expected a list of blocks, found an object"),
            (r#"["text"]"#, "shape: expected a block, found a string (/0)"),
        ] {
            assert_eq!(told(blocks), want, "{blocks}");
        }
    }
}
