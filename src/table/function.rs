//! Scalar functions: for those who attach a store themselves.

/// An argument as the statement gave it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument<'a> {
    /// NULL.
    Null,
    /// A number, of which no function makes use.
    Number,
    /// Text, in the bytes that SQLite holds: UTF-8, or what somebody stored as it.
    Text(&'a [u8]),
    /// Bytes.
    Blob(&'a [u8]),
}

impl<'a> Argument<'a> {
    /// The bytes of a text or blob.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Text(bytes) | Self::Blob(bytes) => Some(bytes),
            Self::Null | Self::Number => None,
        }
    }

    /// A text, or a blob that holds one.
    pub fn text(self) -> Option<&'a str> {
        self.bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// A function that gives the same text for the same arguments.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// As SQL writes it.
    pub name: &'static str,
    /// What it gives; sentences.
    pub doc: &'static str,
    /// The names of its arguments.
    pub arguments: &'static [&'static str],
    /// The value; `None` is NULL. It never fails: what cannot be read is NULL, so that one bad record costs no other.
    pub call: fn(&[Argument<'_>]) -> Option<String>,
}
