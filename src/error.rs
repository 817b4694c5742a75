//! What went wrong with a record, in one line that names the place.
//!
//! Below the tables everything returns [`Result`]. A table's scan turns a failed record into a row whose `error`
//! column is this error's [`Display`](fmt::Display) form: `<token>: <what> (<file>, record <key>, <pointer>)`.

use std::fmt;

/// The kind of failure: the token that every `error` cell starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The operating system refused: permission, a directory in a file's place, a device error.
    Io,
    /// The store kept changing, or is locked in a way that allows no sound read.
    Busy,
    /// SQLite could not read the store: no database, damaged pages, a table of another shape.
    Sqlite,
    /// Compressed bytes are no zstd frame, or a cut one.
    Zstd,
    /// Bytes that must be UTF-8 are not.
    Utf8,
    /// Text is not JSON (or JSONC, or HOCON).
    Json,
    /// Text is not XML.
    Xml,
    /// Well-formed, but not the shape that the store's format calls for.
    Shape,
    /// A limit of ours was reached; the text names the setting that raises it.
    Limit,
}

impl Kind {
    /// The token as it stands in front of the colon.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Busy => "busy",
            Self::Sqlite => "sqlite",
            Self::Zstd => "zstd",
            Self::Utf8 => "utf8",
            Self::Json => "json",
            Self::Xml => "xml",
            Self::Shape => "shape",
            Self::Limit => "limit",
        }
    }
}

/// A failure and its place: file, record, position inside the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: Kind,
    what: String,
    file: Option<String>,
    record: Option<String>,
    pointer: Option<String>,
}

/// [`std::result::Result`] with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure of `kind`; `what` says what was expected and what was found.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, what: what.into(), file: None, record: None, pointer: None }))
    }

    /// [`Kind::Shape`]: the store's format asks for something else.
    pub fn shape(what: impl Into<String>) -> Self {
        Self::new(Kind::Shape, what)
    }

    /// [`Kind::Json`]: not well-formed.
    pub fn json(what: impl Into<String>) -> Self {
        Self::new(Kind::Json, what)
    }

    /// [`Kind::Limit`]: `what` was reached; `setting` is the name that `agent_history_config` raises.
    pub fn limit(what: impl fmt::Display, setting: &str) -> Self {
        Self::new(Kind::Limit, format!("{what}; agent_history_config('{setting}', …) raises it"))
    }

    /// Names the file, unless an inner layer already did.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Names the record, unless an inner layer already did.
    pub fn in_record(mut self, record: impl Into<String>) -> Self {
        self.0.record.get_or_insert_with(|| record.into());
        self
    }

    /// Names the position inside the record, unless an inner layer already did.
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.0.pointer.get_or_insert_with(|| pointer.into());
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The failure without its place.
    pub fn what(&self) -> &str {
        &self.0.what
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, what, file, record, pointer } = &*self.0;
        write!(f, "{}: {what}", kind.token())?;
        let record = record.as_ref().map(|r| format!("record {r}"));
        let place: Vec<&str> = [file, &record, pointer].into_iter().filter_map(|p| p.as_deref()).collect();
        if place.is_empty() { Ok(()) } else { write!(f, " ({})", place.join(", ")) }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(Kind::Io, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_kind_and_place() {
        let bare = Error::shape("expected an object, found 42");
        assert_eq!(bare.to_string(), "shape: expected an object, found 42");
        let placed = bare.at("/messages/3").in_record("7").in_file("/h/threads.db").at("/ignored");
        assert_eq!(placed.to_string(), "shape: expected an object, found 42 (/h/threads.db, record 7, /messages/3)");
    }

    #[test]
    fn a_limit_names_its_setting() {
        let error = Error::limit("the document is larger than 1 MiB", "max_document_bytes");
        assert_eq!(
            error.to_string(),
            "limit: the document is larger than 1 MiB; agent_history_config('max_document_bytes', …) raises it"
        );
    }
}
