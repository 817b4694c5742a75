//! A document without damage, taken apart in one scan.

use super::fields::Fields;
use crate::json::{Document, Kind, Limits};
use std::sync::Arc;

/// The messages of a document and the members around them, all of which share one text and one index.
#[derive(Debug)]
pub struct Sound {
    /// The elements of `messages[]`.
    pub messages: Vec<Document>,
    /// The members that were asked for.
    pub fields: Fields,
    /// What it takes in memory.
    pub heap_bytes: usize,
}

impl Sound {
    /// Takes a text apart. `None` where anything is odd: a [`ThreadReader`](super::document::ThreadReader) tells what.
    pub fn of(text: &Arc<Vec<u8>>, limits: &Limits, wanted: &'static [&'static str]) -> Option<Self> {
        let document = Document::parse_within(Arc::clone(text), limits).ok()?;
        let root = document.root();
        if root.kind() != Kind::Object {
            return None;
        }
        let mut fields = Fields::default();
        let mut messages = None;
        for (key, value) in root.all_members() {
            if key == "messages" {
                let is_list = matches!(value.kind(), Kind::Array | Kind::Null);
                if !is_list || messages.replace(value).is_some() {
                    return None;
                }
            } else if let Some(name) = wanted.iter().find(|name| key == **name) {
                fields.put(name, value.to_document());
            }
        }
        let messages: Vec<Document> =
            messages.into_iter().flat_map(|list| list.items()).map(|message| message.to_document()).collect();
        Some(Self { messages, fields, heap_bytes: document.heap_bytes() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::ThreadReader;
    use super::*;
    use crate::json::Reader;

    /// Whatever it takes apart, the reader takes apart in the same way; what the reader finds damaged, it leaves alone.
    #[test]
    fn it_says_what_the_reader_says() {
        const WANTED: &[&str] = &["title", "version"];
        for (text, is_taken) in [
            (r#"{"title":"t","messages":[1,{"a":"é\n"},"Resume"],"version":"0.3.0"}"#, true),
            (r#"{"messages":[],"title":"first","title":"last"}"#, true),
            ("\u{feff}{\"messages\":null}", true),
            (r#"{"title":"t"}"#, true),
            (r#"{"ti\u0074le":"t","messages":[[1]]}"#, true),
            (r#"{"messages":[1],"messages":[2]}"#, false),
            (r#"{"messages":{"a":1}}"#, false),
            (r#"{"messages":[1,]}"#, false),
            (r#"{"messages":[1]} x"#, false),
            (r#"{"messages":[1"#, false),
            ("[1]", false),
            ("", false),
        ] {
            let bytes = Arc::new(text.as_bytes().to_vec());
            let sound = Sound::of(&bytes, &Limits::default(), WANTED);
            assert_eq!(sound.is_some(), is_taken, "{text}");
            let Some(sound) = sound else { continue };
            let mut reader = ThreadReader::new(Reader::from_bytes(bytes), WANTED);
            let read: Vec<String> =
                std::iter::from_fn(|| reader.next_message()).map(|step| step.unwrap().1.root().raw().into()).collect();
            let messages: Vec<&str> = sound.messages.iter().map(|message| message.root().raw()).collect();
            assert_eq!(messages, read, "{text}");
            let title = |fields: &Fields| fields.get("title").map(|title| title.raw().to_owned());
            assert_eq!(title(&sound.fields), title(reader.fields()), "{text}");
        }
    }
}
