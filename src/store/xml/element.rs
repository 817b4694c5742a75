//! Elements and their attributes.

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use super::MAX_WORDS;
use crate::error::{Error, Kind};

/// Attributes of one element. Each is compared with all before it.
pub(super) const MAX_ATTRIBUTES: usize = 256;

/// An element: name, attributes in document order, and children once [`Reader::tree`](super::Reader::tree) has read them.
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

/// An element's attributes up to the first that does not read, and why that one does not.
pub(super) fn attributes(tag: &BytesStart, start: u64) -> (Vec<(String, String)>, Option<Error>) {
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
pub(super) fn malformed(error: quick_xml::Error, position: u64) -> Error {
    let mut words = error.to_string();
    if let Some((end, _)) = words.char_indices().nth(MAX_WORDS) {
        words.truncate(end);
        words.push('…');
    }
    Error::new(Kind::Xml, format!("{words} at byte {position}"))
}
