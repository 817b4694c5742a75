//! XML as a stream of elements with attributes, over `quick-xml`.
//!
//! What the stores keep stands in attributes, so text between tags is passed over. A document type is passed over as
//! well: an entity that it declares is unknown here, nothing is ever expanded but characters and the five names that
//! XML itself has. A text that is cut gives out everything before the cut.

use std::collections::HashMap;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event as Token};

use crate::error::{Error, Kind, Result};

/// Elements within each other.
const MAX_DEPTH: usize = 128;
/// Attributes of one element. Each is compared with all before it.
const MAX_ATTRIBUTES: usize = 256;
/// Elements of one tree: about a hundred megabytes.
const MAX_TREE_ELEMENTS: usize = 1_000_000;
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

/// An element: name, attributes in document order, and children once [`Reader::tree`] has read them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Element {
    /// As spelled, prefix included.
    pub name: String,
    /// Names and exact values: references resolved, raw line ends and tabs turned into spaces.
    pub attributes: Vec<(String, String)>,
    /// The elements in it, in document order.
    pub children: Vec<Element>,
    /// In a tree: why attributes from some one on are missing, or (in the tree's root) why all is that stands behind
    /// some place in it.
    pub error: Option<Error>,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The first child of that name.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children_named(name).next()
    }

    /// All children of that name.
    pub fn children_named(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element of that name below this one, in document order.
    pub fn descendant(&self, name: &str) -> Option<&Self> {
        let mut ahead: Vec<&Self> = self.children.iter().rev().collect();
        while let Some(element) = ahead.pop() {
            if element.name == name {
                return Some(element);
            }
            ahead.extend(element.children.iter().rev());
        }
        None
    }

    /// The first error of this element and those in it, in document order.
    pub fn first_error(&self) -> Option<&Error> {
        let mut ahead = vec![self];
        while let Some(element) = ahead.pop() {
            if element.error.is_some() {
                return element.error.as_ref();
            }
            ahead.extend(element.children.iter().rev());
        }
        None
    }
}

/// Reads elements one after the other.
///
/// After an error about an element's attributes reading can go on: the element counts as open. After any other error,
/// and at the end, nothing follows.
pub struct Reader<'a> {
    source: quick_xml::Reader<&'a [u8]>,
    open: Vec<Frame>,
    roots: HashMap<String, usize>,
    is_over: bool,
    is_blank: bool,
}

/// An open element: its step in a path, and how many children it has had of each name.
struct Frame {
    step: String,
    seen: HashMap<String, usize>,
}

impl<'a> Reader<'a> {
    /// Reads `text` from its start.
    pub fn new(text: &'a str) -> Self {
        let mut source = quick_xml::Reader::from_str(text);
        let config = source.config_mut();
        config.expand_empty_elements = true;
        // Text between tags is none of ours.
        config.allow_dangling_amp = true;
        Self { source, open: Vec::new(), roots: HashMap::new(), is_over: false, is_blank: text.trim().is_empty() }
    }

    /// The next event, `None` at the end. A text of white space alone has none.
    ///
    /// # Errors
    /// [`Kind::Xml`], naming the byte, where the text is not well-formed or is cut; [`Kind::Limit`] where it nests too
    /// deep or an element has too many attributes.
    pub fn read(&mut self) -> Result<Option<Event>> {
        match self.next_event()? {
            Some(Event::Open(Element { error: Some(error), .. })) => Err(error),
            event => Ok(event),
        }
    }

    /// The next event. An element's attributes that do not read are its own error.
    fn next_event(&mut self) -> Result<Option<Event>> {
        while !self.is_over {
            let start = self.source.buffer_position();
            match self.source.read_event() {
                Ok(Token::Start(tag)) => return self.opened(&tag, start).map(Some),
                Ok(Token::End(_)) => {
                    self.open.pop();
                    return Ok(Some(Event::Close));
                }
                Ok(Token::Eof) => {
                    self.is_over = true;
                    return self.ended().map(|()| None);
                }
                Ok(_) => {}
                Err(error) => {
                    self.is_over = true;
                    return Err(malformed(error, self.source.error_position()));
                }
            }
        }
        Ok(None)
    }

    /// Reads on to the end of `element`, the one opened last, and returns it with all that is in it. Where the text is
    /// cut or is no XML any more, that is what stands before that place, and the element says so: [`Element::error`].
    pub fn tree(&mut self, element: Element) -> Element {
        let mut branch = vec![element];
        let (mut count, mut passed_over) = (1, 0_usize);
        let mut failure = None;
        let end = loop {
            match self.next_event() {
                Ok(Some(Event::Open(child))) if count < MAX_TREE_ELEMENTS => {
                    count += 1;
                    branch.push(child);
                }
                Ok(Some(Event::Open(_))) => {
                    passed_over += 1;
                    let limit =
                        || Error::new(Kind::Limit, format!("more than {MAX_TREE_ELEMENTS} elements in one tree"));
                    failure.get_or_insert_with(limit);
                }
                Ok(Some(Event::Close)) if passed_over > 0 => passed_over -= 1,
                Ok(Some(Event::Close)) if branch.len() > 1 => fold(&mut branch),
                Ok(Some(Event::Close)) => break None,
                Ok(None) => break Some(cut(self.source.buffer_position())),
                Err(error) => break Some(error),
            }
        };
        while branch.len() > 1 {
            fold(&mut branch);
        }
        let mut tree = branch.pop().unwrap_or_default();
        tree.error = tree.error.or(failure).or(end);
        tree
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
        self.open.push(Frame { step, seen: HashMap::new() });
        let (attributes, error) = attributes(tag, start);
        Ok(Event::Open(Element { name, attributes, children: Vec::new(), error }))
    }

    fn ended(&self) -> Result<()> {
        match self.open.last() {
            Some(_) => Err(cut(self.source.buffer_position())),
            None if self.roots.is_empty() && !self.is_blank => Err(Error::new(Kind::Xml, "there is no element in it")),
            None => Ok(()),
        }
    }
}

/// Puts the last element of a branch into the one before it.
fn fold(branch: &mut Vec<Element>) {
    let Some(done) = branch.pop() else { return };
    if let Some(parent) = branch.last_mut() {
        parent.children.push(done);
    }
}

/// An element's attributes up to the first that does not read, and why that one does not.
fn attributes(tag: &BytesStart, start: u64) -> (Vec<(String, String)>, Option<Error>) {
    let mut found = Vec::new();
    for attribute in tag.attributes() {
        if found.len() == MAX_ATTRIBUTES {
            let what = format!("more than {MAX_ATTRIBUTES} attributes in the element at byte {start}");
            return (found, Some(Error::new(Kind::Limit, what)));
        }
        let read = attribute.map_err(quick_xml::Error::from).and_then(|attribute| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
            Ok((attribute.key.as_ref().to_owned(), value.into_owned()))
        });
        match read {
            Ok(attribute) => found.push(attribute),
            Err(error) => return (found, Some(malformed(error, start))),
        }
    }
    (found, None)
}

/// The library's words quote the text, which may be long.
fn malformed(error: quick_xml::Error, position: u64) -> Error {
    let mut words = error.to_string();
    if let Some((end, _)) = words.char_indices().nth(MAX_WORDS) {
        words.truncate(end);
        words.push('…');
    }
    Error::new(Kind::Xml, format!("{words} at byte {position}"))
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
            ("<a><b></a>", vec!["a", "b", "xml: ill-formed document: expected `</b>`, but `</a>` was found at byte 6"]),
            ("not XML", vec!["xml: there is no element in it"]),
            ("{\"a\": 1}", vec!["xml: there is no element in it"]),
        ] {
            assert_eq!(events(text), expected, "{text}");
        }
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
