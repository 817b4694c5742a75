//! The walk through a thread document.

use super::fields::Fields;
use super::message;
use crate::error::{Error, Result};
use crate::json::{Document, Kind, Reader, Source};
use crate::table::{Pointer, Step};
use std::ops::Range;
use std::sync::Arc;

/// A part of the document that could not be read.
#[derive(Debug, Clone)]
pub struct Damage {
    /// What is wrong.
    pub error: Error,
    /// The part: an element of `messages[]`, a top-level member, or the document.
    pub pointer: Pointer,
    /// Where the part stands in the inflated document. `None` when nothing behind it can be read.
    pub span: Option<Range<u64>>,
}

impl Damage {
    /// Damage that nothing behind can be read past.
    pub fn whole(error: Error) -> Self {
        Self { error, pointer: Pointer::record(), span: None }
    }
}

/// Walks a thread document: its messages in order, and the top-level members that were asked for.
#[derive(Debug)]
pub struct ThreadReader<S> {
    reader: Reader<S>,
    wanted: &'static [&'static str],
    /// The first and the last message that are asked for.
    asked: Option<(usize, usize)>,
    /// Is nothing behind the last of them asked for?
    is_stopping: bool,
    state: State,
    next: usize,
    is_object: bool,
    has_list: bool,
    fields: Fields,
    /// What is damaged in the message that was given last, as far as it was whole.
    pending: Option<Damage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Members,
    Messages,
    End,
}

fn element(index: usize) -> Pointer {
    Pointer::from([Step::Name("messages"), Step::Index(index)])
}

impl<S: Source> ThreadReader<S> {
    /// Reads messages and the members `wanted`.
    pub fn new(reader: Reader<S>, wanted: &'static [&'static str]) -> Self {
        Self {
            reader,
            wanted,
            asked: Some((0, usize::MAX)),
            is_stopping: false,
            state: State::Start,
            next: 0,
            is_object: false,
            has_list: false,
            fields: Fields::default(),
            pending: None,
        }
    }

    /// Passes over the messages, one by one, so that damage among them is told as ever: the members alone.
    pub fn without_messages(self) -> Self {
        Self { asked: None, ..self }
    }

    /// Gives no messages outside of these bounds. `is_stopping` ends the walk behind the last.
    pub fn between(mut self, first: usize, last: usize, is_stopping: bool) -> Self {
        self.asked = Some((first, last));
        self.is_stopping = is_stopping && last < usize::MAX;
        self
    }

    /// The next message with its position in `messages[]`, or what stands in its place. `None` at the end. Of a damaged
    /// message the items in front of the damage are given as a message, then the damage.
    pub fn next_message(&mut self) -> Option<Result<(usize, Document), Damage>> {
        if let Some(damage) = self.pending.take() {
            return Some(Err(damage));
        }
        loop {
            let step = match self.state {
                State::Start => self.start(),
                State::Members => self.member(),
                State::Messages => match self.message() {
                    Ok(Some(message)) => return Some(Ok(message)),
                    other => other.map(|_| ()),
                },
                State::End => return None,
            };
            if let Err(damage) = step {
                return Some(Err(*damage));
            }
        }
    }

    /// The members read so far: all of them, once [`next_message`](Self::next_message) has given `None`.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// How many elements of `messages[]` were passed, damaged ones too. `None` where the document is no object.
    pub fn elements(&self) -> Option<usize> {
        self.is_object.then_some(self.next)
    }

    fn start(&mut self) -> Result<(), Box<Damage>> {
        self.state = State::End;
        match self.reader.begin_object() {
            Ok(()) => {
                self.state = State::Members;
                self.is_object = true;
                Ok(())
            }
            Err(error) => Err(Box::new(Damage::whole(error))),
        }
    }

    fn member(&mut self) -> Result<(), Box<Damage>> {
        let name = match self.reader.next_key() {
            Ok(Some(name)) => name,
            Ok(None) => {
                self.state = State::End;
                return self.reader.finish().map_err(|error| Box::new(Damage::whole(error)));
            }
            Err(error) => return Err(self.damaged(error, Pointer::record())),
        };
        let read = if name == "messages" {
            self.begin_messages()
        } else if let Some(name) = self.wanted.iter().find(|wanted| **wanted == name) {
            self.reader.value().map(|value| self.fields.put(name, value))
        } else {
            self.reader.skip()
        };
        read.map_err(|error| self.damaged(error, Pointer::from([Step::Key(Arc::from(name))])))
    }

    fn begin_messages(&mut self) -> Result<()> {
        let kind = self.reader.kind()?;
        if kind == Kind::Array && !self.has_list {
            self.reader.begin_array()?;
            self.state = State::Messages;
            self.has_list = true;
            return Ok(());
        }
        self.reader.skip()?;
        if kind == Kind::Array {
            // Of duplicate keys the last counts, but the rows of the first are given out already.
            return Err(Error::shape("a second list of messages"));
        }
        if kind == Kind::Null {
            return Ok(());
        }
        Err(Error::shape(format!("expected an array, found {}", kind.described())))
    }

    fn message(&mut self) -> Result<Option<(usize, Document)>, Box<Damage>> {
        let index = self.next;
        let value = match self.reader.next_item() {
            Ok(false) => {
                self.state = State::Members;
                return Ok(None);
            }
            Ok(true) if self.is_stopping && self.asked.is_some_and(|(_, last)| index > last) => {
                self.state = State::End;
                return Ok(None);
            }
            Ok(true) if !self.asked.is_some_and(|(first, last)| (first..=last).contains(&index)) => {
                self.next += 1;
                return self.reader.skip().map(|()| None).map_err(|error| self.damaged(error, element(index)));
            }
            Ok(true) => self.reader.value(),
            Err(error) => {
                self.next += 1;
                return Err(self.damaged(error, element(index)));
            }
        };
        self.next += 1;
        let error = match value {
            Ok(value) => return Ok(Some((index, value))),
            Err(error) => error,
        };
        let items = self.whole_items();
        let damage = self.damaged(error, element(index));
        let Some(items) = items else { return Err(damage) };
        self.pending = Some(*damage);
        Ok(Some((index, items)))
    }

    /// The damaged message without what is not whole: items are elements of the third container of a message, in old
    /// ones of the second. `None` where it has no such items.
    fn whole_items(&self) -> Option<Document> {
        let part = self.reader.whole_part(3)?;
        let variant = part.root().entries().next().map(|(key, inner)| (key.as_str().into_owned(), inner));
        let is_variant = variant.as_ref().is_some_and(|(key, _)| key == "User" || key == "Agent");
        let has_items = variant.is_some_and(|(_, inner)| inner.get("content").is_some());
        let part = if is_variant { has_items.then_some(part) } else { self.reader.whole_part(2) }?;
        let is_message = is_variant || part.root().get("role").is_some();
        (is_message && !message::read(part.root(), None).items.is_empty()).then_some(part)
    }

    /// Finds the way behind a damaged part, or ends.
    fn damaged(&mut self, error: Error, pointer: Pointer) -> Box<Damage> {
        let span = self.reader.recover().ok();
        match &span {
            None => self.state = State::End,
            // Only a comma is missing: the message that stands there is still to come.
            Some(span) if span.is_empty() && self.state == State::Messages => self.next -= 1,
            Some(_) => {}
        }
        Box::new(Damage { error, pointer, span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Vec<String>, Option<String>) {
        let mut reader = ThreadReader::new(Reader::from_bytes(text.as_bytes().to_vec()), &["title"]);
        let mut lines = Vec::new();
        while let Some(message) = reader.next_message() {
            lines.push(match message {
                Ok((index, value)) => format!("{index} {}", value.root().raw()),
                Err(damage) => format!("{} {}", damage.pointer, damage.error),
            });
            assert!(lines.len() < 20, "{lines:?}");
        }
        (lines, reader.fields().get("title").map(|title| title.raw().to_owned()))
    }

    #[test]
    fn messages_then_members() {
        let (lines, title) = told(r#"{"x":1,"messages":[1,{"a":2}],"title":"first","title":"last"}"#);
        assert_eq!(lines, ["0 1", r#"1 {"a":2}"#]);
        assert_eq!(title.as_deref(), Some(r#""last""#), "the last of duplicate keys");
    }

    #[test]
    fn messages_between_bounds() {
        let walk = |first, last, is_stopping| {
            let text = br#"{"messages":[0,1,2,3,4],"title":"t"}"#.to_vec();
            let mut reader = ThreadReader::new(Reader::from_bytes(text), &["title"]).between(first, last, is_stopping);
            let given: Vec<usize> = std::iter::from_fn(|| reader.next_message()).map(|step| step.unwrap().0).collect();
            (given, reader.fields().get("title").is_some())
        };
        assert_eq!(walk(0, usize::MAX, true), (vec![0, 1, 2, 3, 4], true));
        assert_eq!(walk(2, 3, false), (vec![2, 3], true));
        assert_eq!(walk(2, 3, true), (vec![2, 3], false));
    }

    /// The items in front of the damage stand, of every generation.
    #[test]
    fn a_damaged_message_keeps_its_whole_items() {
        let content = r#"{"Agent":{"content":[{"Text":"a"},{"Text":"b"}"#;
        let results = r#"{"Agent":{"content":[{"Text":"a"}],"tool_results":{"x":{"content":"r"}"#;
        let old = r#"{"id":1,"role":"user","segments":[{"type":"text","text":"a"}"#;
        for (message, kept) in [
            (format!(r#"{content},{{"Text":nope}}]}}}}"#), Some(format!("{content}]}}}}"))),
            (format!(r#"{content} {{"Text":"c"}}]}}}}"#), Some(format!("{content}]}}}}"))),
            (format!(r#"{results},"y":{{"content":nope}}}}}}}}"#), Some(format!("{results}}}}}}}"))),
            (format!(r#"{old},{{"type":"text","text":nope}}]}}"#), Some(format!("{old}]}}"))),
            (r#"{"id":1,"role":"user","text":"a","x":nope}"#.into(), Some(r#"{"id":1,"role":"user","text":"a"}"#.into())),
            (r#"{"User":{"id":"u","content":[{"Text":nope}]}}"#.into(), None),
            (r#"{"User":{"id":"u","x":[1],"content":[nope]}}"#.into(), None),
            (r#"{"id":1,"role":"user","segments":[nope]}"#.into(), None),
            (r#"{"Compaction":{"Summary":"a","x":nope}}"#.into(), None),
            (r#"[1,nope]"#.into(), None),
        ] {
            let (lines, title) = told(&format!(r#"{{"messages":["Resume",{message},"Resume"],"title":"t"}}"#));
            let kept: Vec<String> = kept.iter().map(|kept| format!("1 {kept}")).collect();
            let (kept_lines, rest) = lines[1..].split_at(kept.len());
            assert_eq!(kept_lines, kept, "{message}");
            assert!(rest[0].starts_with("/messages/1 json: "), "{message}: {rest:?}");
            assert_eq!((&rest[1..], title.as_deref()), (&[r#"2 "Resume""#.to_owned()][..], Some(r#""t""#)), "{message}");
            let cut = format!(r#"{{"messages":["Resume",{}"#, message.split("nope").next().unwrap());
            assert_eq!(told(&cut).0[1..lines.len() - 2], kept, "{cut}");
        }
    }

    /// Z13: what is damaged costs itself; a cut costs what is behind it.
    #[test]
    fn damage_costs_itself() {
        for (text, want, title) in [
            (
                r#"{"messages":[1,{"a":nope},3],"title":"t"}"#,
                &["0 1", "/messages/1 json: expected a value at byte 20, found `n`", "2 3"][..],
                true,
            ),
            (r#"{"messages":[1,2"#, &["0 1", "1 2", "/messages/2 json: the text ends at byte 16, inside a value"], false),
            (r#"{"title":"t","messages":[1,{"a":"#, &["0 1", "/messages/1 json: the text ends at byte 32, inside a value"], true),
            (r#"[1]"#, &[" shape: expected an object, found an array"], false),
            (r#"{"messages":{"a":1},"title":"t"}"#, &["/messages shape: expected an array, found an object"], true),
            (r#"{"messages":null,"title":"t"}"#, &[], true),
            (r#"{"title":"t"}"#, &[], true),
            (r#"{"messages":[1}],"title":"t"}"#, &["0 1", "/messages/1 json: expected `,` or `]` at byte 14, found `}`"], true),
            (
                r#"{"messages":[1 {"a":2},3],"title":"t"}"#,
                &["0 1", "/messages/1 json: expected `,` or `]` at byte 15, found `{`", r#"1 {"a":2}"#, "2 3"],
                true,
            ),
            (
                r#"{"messages":[1,],"title":"t"}"#,
                &["0 1", "/messages/1 json: expected a value at byte 15, found `]`"],
                true,
            ),
            (r#"{"messages":[1],"messages":[2],"title":"t"}"#, &["0 1", "/messages shape: a second list of messages"], true),
            (r#"{"title":"t"} x"#, &[" json: expected the end of the text at byte 14, found `x`"], true),
            ("", &[" json: the text ends at byte 0, inside a value"], false),
        ] {
            let (lines, found) = told(text);
            assert_eq!(lines, want, "{text}");
            assert_eq!(found.is_some(), title, "{text}");
        }
    }
}
