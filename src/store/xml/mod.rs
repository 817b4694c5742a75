//! XML as a stream of elements with attributes, over `quick-xml`.
//!
//! What the stores keep stands in attributes, so text between tags is passed over. A document type is passed over as
//! well: an entity that it declares is unknown here, nothing is ever expanded but characters and the five names that
//! XML itself has. A text that is cut gives out everything before the cut, and damage costs as little as it can: where
//! markup makes no sense, reading goes on at the next that may, and an end closes what it names.

mod element;
mod tree;

use std::collections::HashMap;

use quick_xml::events::{BytesStart, Event as Token};

pub use self::element::Element;
use self::element::{attributes, malformed};
use crate::error::{Error, Kind, Result};

/// Elements within each other.
const MAX_DEPTH: usize = 128;
/// Characters of an error.
const MAX_WORDS: usize = 200;

/// What the reader came upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An element begins. Its children are not read yet: they are the events up to its [`Event::Close`].
    Open(Element),
    /// The innermost open element ends.
    Close,
}

/// Reads elements one after the other.
///
/// After an error about an element's attributes the element counts as open. After an error in the markup reading goes
/// on behind it; where the text is cut, or nests too deep, nothing follows.
pub struct Reader<'a> {
    text: &'a str,
    source: quick_xml::Reader<&'a [u8]>,
    /// Where in the text the source began.
    offset: usize,
    /// How many bytes may be read again: markup that makes no sense may reach to the end of the text.
    budget: usize,
    open: Vec<Frame>,
    roots: HashMap<String, usize>,
    is_over: bool,
    is_blank: bool,
}

/// An open element: its name, its step in a path, and how many children it has had of each name.
struct Frame {
    name: String,
    step: String,
    seen: HashMap<String, usize>,
}

impl<'a> Reader<'a> {
    /// Reads `text` from its start.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            source: source(text),
            offset: 0,
            budget: text.len().saturating_mul(4).saturating_add(1 << 16),
            open: Vec::new(),
            roots: HashMap::new(),
            is_over: false,
            is_blank: text.trim().is_empty(),
        }
    }

    /// The next event, `None` at the end. A text of white space alone has none.
    ///
    /// # Errors
    /// [`Kind::Xml`], naming the byte, where the text is not well-formed or is cut; [`Kind::Limit`] where it nests too
    /// deep or an element has too many attributes. More may follow: only at the end there is `None`.
    pub fn read(&mut self) -> Result<Option<Event>> {
        match self.next_event()? {
            Some(Event::Open(Element { error: Some(error), .. })) => Err(error),
            event => Ok(event),
        }
    }

    /// The next event. An element's attributes that do not read are its own error.
    fn next_event(&mut self) -> Result<Option<Event>> {
        while !self.is_over {
            let start = self.position();
            match self.source.read_event() {
                Ok(Token::Start(tag)) if tag.contains('<') => return Err(self.torn(start)),
                Ok(Token::End(tag)) if tag.contains('<') => return Err(self.torn(start)),
                Ok(Token::Start(tag)) => return self.opened(&tag, start).map(Some),
                Ok(Token::End(tag)) => return self.closed(tag.name().as_ref(), start).map(Some),
                Ok(Token::Eof) => {
                    self.is_over = true;
                    return self.ended().map(|()| None);
                }
                Ok(_) => {}
                Err(error) => {
                    let position = self.offset as u64 + self.source.error_position();
                    return Err(self.resumed(start, malformed(error, position)));
                }
            }
        }
        Ok(None)
    }

    fn position(&self) -> u64 {
        self.offset as u64 + self.source.buffer_position()
    }

    fn torn(&mut self, start: u64) -> Error {
        self.resumed(start, Error::new(Kind::Xml, format!("a `<` in the tag at byte {start}")))
    }

    /// The error of the markup at `start`, behind which reading goes on at the next markup, if there is some.
    fn resumed(&mut self, start: u64, error: Error) -> Error {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let next = self.text.as_bytes().get(start..).and_then(|rest| {
            let mut pairs = rest.windows(2).enumerate().skip(1);
            pairs.find_map(|(at, pair)| is_markup(pair).then_some(start + at))
        });
        let read = usize::try_from(self.position()).unwrap_or(usize::MAX);
        match next
            .and_then(|next| Some((next, self.text.get(next..)?, self.budget.checked_sub(read.saturating_sub(next))?)))
        {
            Some((next, rest, budget)) => (self.offset, self.source, self.budget) = (next, source(rest), budget),
            None => self.is_over = true,
        }
        error
    }

    /// Where the reader stands: `/project/component/chats/list/chat[2]`, the elements that are open. The position
    /// among siblings of one name counts from 1 and is left out for the first.
    pub fn path(&self) -> String {
        self.open.iter().map(|frame| frame.step.as_str()).collect()
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    fn opened(&mut self, tag: &BytesStart, start: u64) -> Result<Event> {
        if self.open.len() == MAX_DEPTH {
            self.is_over = true;
            return Err(Error::new(
                Kind::Limit,
                format!("elements nest deeper than {MAX_DEPTH} levels at byte {start}"),
            ));
        }
        let name = tag.name().as_ref().to_owned();
        let siblings = self.open.last_mut().map_or(&mut self.roots, |parent| &mut parent.seen);
        let position = siblings.entry(name.clone()).or_insert(0);
        *position += 1;
        let step = if *position == 1 { format!("/{name}") } else { format!("/{name}[{position}]") };
        self.open.push(Frame { name: name.clone(), step, seen: HashMap::new() });
        let (attributes, error) = attributes(tag, start);
        Ok(Event::Open(Element { name, attributes, children: Vec::new(), error }))
    }

    /// Closes the innermost open element of that name, and what is open in it.
    fn closed(&mut self, name: &str, start: u64) -> Result<Event> {
        let wrong =
            |what: String| Err(Error::new(Kind::Xml, format!("{what}, found `</{}>` at byte {start}", short(name))));
        match self.open.iter().rposition(|frame| frame.name == name) {
            Some(at) if at + 1 == self.open.len() => {
                self.open.pop();
                Ok(Event::Close)
            }
            Some(at) => {
                let innermost = self.open.last().map(|frame| short(&frame.name).to_owned()).unwrap_or_default();
                self.open.truncate(at);
                wrong(format!("expected `</{innermost}>`"))
            }
            None => wrong("no such element is open".to_owned()),
        }
    }

    fn ended(&self) -> Result<()> {
        match self.open.last() {
            Some(_) => Err(cut(self.position())),
            None if self.roots.is_empty() && !self.is_blank => Err(Error::new(Kind::Xml, "there is no element in it")),
            None => Ok(()),
        }
    }
}

fn source(text: &str) -> quick_xml::Reader<&[u8]> {
    let mut source = quick_xml::Reader::from_str(text);
    let config = source.config_mut();
    config.expand_empty_elements = true;
    // Text between tags is none of ours, and which element an end closes is told here.
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    source
}

/// Do a `<` and the byte behind it begin a tag, an end, a comment or an instruction?
fn is_markup(pair: &[u8]) -> bool {
    matches!(pair, [b'<', b'/' | b'!' | b'?' | b'_' | b':' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..])
}

/// The front of a name, for words.
fn short(name: &str) -> &str {
    name.char_indices().nth(MAX_WORDS).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

fn cut(position: u64) -> Error {
    Error::new(Kind::Xml, format!("the text ends at byte {position} with elements open"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every event in a word, up to and with the first error that ends the reading.
    fn events(text: &str) -> Vec<String> {
        let mut reader = Reader::new(text);
        let mut found = Vec::new();
        loop {
            match reader.read() {
                Ok(Some(Event::Open(element))) => {
                    let attributes: Vec<_> = element.attributes.iter().map(|(k, v)| format!(" {k}={v:?}")).collect();
                    found.push(format!("{}{}", element.name, attributes.concat()));
                }
                Ok(Some(Event::Close)) => found.push("/".to_owned()),
                Ok(None) => return found,
                Err(error) => found.push(error.to_string()),
            }
        }
    }

    #[test]
    fn reads_elements_and_their_attributes() {
        for (text, expected) in [
            ("", vec![]),
            (" \n", vec![]),
            ("<a/>", vec!["a", "/"]),
            (
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c --><a x=\"1\" y='2'><b/>text &foo; & <![CDATA[<c>]]></a>",
                vec!["a x=\"1\" y=\"2\"", "b", "/", "/"],
            ),
            ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a></a >", vec!["a", "/"]),
            ("<n:a n:x=\"\" />", vec!["n:a n:x=\"\"", "/"]),
        ] {
            assert_eq!(events(text), expected, "{text}");
        }
    }

    #[test]
    fn attribute_text_is_exact() {
        for (written, expected) in [
            ("line one&#10;line &quot;two&quot; &lt;b&gt;&amp;", "line one\nline \"two\" <b>&"),
            ("&#13;&#9;&apos;&#x1F512;", "\r\t'\u{1F512}"),
            ("raw\nnew\r\nlines\tand tabs", "raw new lines and tabs"),
            ("&amp;lt;&amp;#10;", "&lt;&#10;"),
            ("\u{e9} > 'x'", "\u{e9} > 'x'"),
            ("", ""),
        ] {
            let text = format!("<text value=\"{written}\" />");
            let Ok(Some(Event::Open(element))) = Reader::new(&text).read() else { panic!("{text}") };
            assert_eq!(element.attribute("value"), Some(expected), "{text}");
            assert_eq!(element.attribute("other"), None);
        }
    }

    #[test]
    fn a_cut_text_gives_out_what_stands_before_the_cut() {
        for (text, expected) in [
            ("<a><b x=\"1\"/><c", vec!["a", "b x=\"1\"", "/"]),
            ("<a><b x=\"1\"/><c y=\"2", vec!["a", "b x=\"1\"", "/"]),
            ("<a><b x=\"1\"/>", vec!["a", "b x=\"1\"", "/"]),
            ("<a><b x=\"1\"/></a", vec!["a", "b x=\"1\"", "/"]),
        ] {
            let mut found = events(text);
            let last = found.pop().unwrap_or_default();
            assert_eq!(found, expected, "{text}");
            assert!(last.starts_with("xml: ") && last.contains(" at byte 1"), "{last}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (text, expected) in [
            ("<a><b></a>", vec!["a", "b", "xml: expected `</b>`, found `</a>` at byte 6"]),
            ("not XML", vec!["xml: there is no element in it"]),
            ("{\"a\": 1}", vec!["xml: there is no element in it"]),
        ] {
            assert_eq!(events(text), expected, "{text}");
        }
    }

    #[test]
    fn damage_costs_little() {
        for (text, expected) in [
            // What a merge of two versions leaves.
            (
                "<a>\n<<<<<<< HEAD\n<b x=\"1\"/>\n=======\n<b x=\"2\"/>\n>>>>>>> theirs\n<c/></a>",
                "a|xml: a `<` in the tag at byte 4|b x=\"1\"|/|b x=\"2\"|/|c|/|/",
            ),
            (
                "<a><b x=\"1></b><c y=\"2\"/></a>",
                "a|xml: syntax error: attribute value not closed: `\"` not found before end of input at byte 3|xml: no such element is open, found `</b>` at byte 11|c y=\"2\"|/|/",
            ),
            ("<a><b><c x=\"1\"/></a><d/>", "a|b|c x=\"1\"|/|xml: expected `</b>`, found `</a>` at byte 16|d|/"),
            ("<a><!oops><b/></a>", "a|xml: syntax error: unknown or missed symbol in markup at byte 3|b|/|/"),
            ("<a></b></a>", "a|xml: no such element is open, found `</b>` at byte 3|/"),
        ] {
            assert_eq!(events(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn reading_again_is_bounded() {
        let started = std::time::Instant::now();
        for torn in ["<a b=\"", "<!-- ", "<a b='\"", "<![CDATA[", "<!DOCTYPE a [", "</", "<<"] {
            let text = format!("<r>{}>", torn.repeat(200_000));
            let mut reader = Reader::new(&text);
            while !matches!(reader.read(), Ok(None)) {}
        }
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
    }

    #[test]
    fn bad_attributes_cost_their_element() {
        let text = "<r><a x=\"&unknown;\"/><a y=\"1\" y=\"2\"/><a z/><a w=\"&#xD800;\"/><a ok=\"1\"/></r>";
        let found = events(text);
        let kinds: Vec<&str> = found.iter().map(|event| event.get(..4).unwrap_or(event)).collect();
        assert_eq!(kinds, ["r", "xml:", "/", "xml:", "/", "xml:", "/", "xml:", "/", "a ok", "/", "/"], "{found:?}");
        assert!(found.iter().any(|event| event.contains("unknown") && event.ends_with("at byte 3")), "{found:?}");
    }

    #[test]
    fn entities_of_a_document_type_are_never_expanded() {
        let mut text = String::from("<!DOCTYPE lolz [<!ENTITY lol \"lol\">");
        for level in 1..10 {
            let inner = if level == 1 { "&lol;".repeat(10) } else { format!("&lol{};", level - 1).repeat(10) };
            text.push_str(&format!("<!ENTITY lol{level} \"{inner}\">"));
        }
        text.push_str("]><r><a x=\"&lol9;\"/><b x=\"1\"/></r>");
        let found = events(&text);
        assert_eq!(found.len(), 6, "{found:?}");
        assert!(found[1].starts_with("xml: ") && found[1].len() < 200, "{}", found[1]);
        assert_eq!(found[3], "b x=\"1\"");
        let long = events(&format!("<a x=\"&{};\"/>", "n".repeat(200_000)));
        assert!(long[0].len() < 250 && long[0].ends_with("… at byte 0"), "{}", long[0]);
    }

    #[test]
    fn builds_one_tree_at_a_time() {
        let text =
            "<list><chat><llm><llm><model value=\"m\"/></llm></llm><m i=\"1\"/><m i=\"2\"/></chat><chat/></list>";
        let mut reader = Reader::new(text);
        let Ok(Some(Event::Open(list))) = reader.read() else { panic!("no list") };
        assert_eq!((list.name.as_str(), reader.path().as_str(), reader.depth()), ("list", "/list", 1));
        let Ok(Some(Event::Open(chat))) = reader.read() else { panic!("no chat") };
        let chat = reader.tree(chat);
        assert_eq!(chat.first_error(), None);
        let numbers: Vec<_> = chat.children_named("m").filter_map(|m| m.attribute("i")).collect();
        assert_eq!(numbers, ["1", "2"]);
        assert_eq!(chat.descendant("model").and_then(|model| model.attribute("value")), Some("m"));
        assert_eq!(chat.child("llm").map(|llm| llm.children.len()), Some(1));
        assert_eq!((chat.child("x"), chat.descendant("x")), (None, None));
        let Ok(Some(Event::Open(second))) = reader.read() else { panic!("no second chat") };
        assert_eq!(reader.path(), "/list/chat[2]");
        assert_eq!(reader.tree(second).children, vec![]);
        assert_eq!(reader.read(), Ok(Some(Event::Close)));
        assert_eq!((reader.read(), reader.path()), (Ok(None), String::new()));
    }

    #[test]
    fn a_damaged_tree_leaves_the_next_one_readable() {
        let mut reader = Reader::new("<l><c><m x=\"&no;\"><n/></m></c><c><m x=\"1\"/></c></l>");
        reader.read().unwrap();
        let Ok(Some(Event::Open(first))) = reader.read() else { panic!("no first") };
        let first = reader.tree(first);
        assert_eq!((first.error.as_ref(), first.first_error().map(Error::kind)), (None, Some(Kind::Xml)));
        assert_eq!(first.child("m").map(|m| (m.attributes.len(), m.children.len())), Some((0, 1)));
        let Ok(Some(Event::Open(second))) = reader.read() else { panic!("no second") };
        assert_eq!(reader.path(), "/l/c[2]");
        assert_eq!(reader.tree(second).children.len(), 1);

        let mut cut = Reader::new("<l><c><m x=\"1\"/>");
        cut.read().unwrap();
        let Ok(Some(Event::Open(first))) = cut.read() else { panic!("no first") };
        let first = cut.tree(first);
        assert_eq!(first.children.len(), 1, "what stands before the cut");
        assert_eq!(first.error.unwrap().to_string(), "xml: the text ends at byte 16 with elements open");
        assert_eq!(cut.read(), Ok(None));
    }

    #[test]
    fn depth_and_attributes_are_bounded() {
        let found = events(&"<a>".repeat(100_000));
        assert_eq!(found.len(), MAX_DEPTH + 1);
        assert_eq!(found.last().unwrap(), "limit: elements nest deeper than 128 levels at byte 384");
        let many: String = (0..100_000).map(|i| format!(" a{i}=\"\"")).collect();
        let found = events(&format!("<r{many}/>"));
        assert_eq!(found, ["limit: more than 256 attributes in the element at byte 0", "/"]);
    }
}
