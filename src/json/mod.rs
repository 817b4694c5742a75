//! JSON as the stores hold it: read in one pass, kept as written, decoded only where somebody looks.
//!
//! [`Document`] is one well-formed text with an index of its tokens; [`Value`] walks it without scanning strings
//! again. [`Reader`] pulls values out of a stream through a sliding window, so that memory is bounded by the
//! largest single value that is captured, and finds its way again behind a damaged element.
//!
//! Well-formed means what `serde_json` means by it, with these differences:
//! - a lone surrogate escape is allowed; it reads as one U+FFFD,
//! - one UTF-8 byte order mark at the start is skipped,
//! - nesting is limited by [`Limits::max_depth`] and nothing here recurses,
//! - of duplicate keys the last wins.
//!
//! ```
//! # use agent_history::{error::Result, json::Reader};
//! # fn main() -> Result<()> {
//! let text = br#"{"version":1,"messages":[{"text":"one"},{"text":nope},{"text":"tw\u006f"}]}"#;
//! let mut reader = Reader::new(&text[..]);
//! let mut seen = Vec::new();
//! reader.begin_object()?;
//! while let Some(key) = reader.next_key()? {
//!     if key != "messages" {
//!         continue; // a value that nobody reads is skipped
//!     }
//!     reader.begin_array()?;
//!     while reader.next_item()? {
//!         match reader.value() {
//!             Ok(message) => seen.extend(message.root().get("text").and_then(|text| text.as_str().map(String::from))),
//!             Err(error) => {
//!                 seen.push(error.to_string());
//!                 reader.recover()?; // or the text is lost from here
//!             }
//!         }
//!     }
//! }
//! assert_eq!(seen, ["one", "json: expected a value at byte 48, found `n`", "two"]);
//! # Ok(())
//! # }
//! ```

mod capture;
mod damage;
mod document;
mod fault;
mod members;
mod needle;
mod number;
mod prefix;
mod reader;
mod recover;
mod scan;
mod simd;
mod span;
mod string;
mod tape;
#[cfg(test)]
mod tests;
mod unescape;
mod value;
mod window;

pub use document::Document;
pub use members::{Entries, Items, Key};
pub use needle::{Needle, may_contain};
pub use reader::Reader;
pub use span::{Scratch, Span};
pub use value::Value;
pub use window::{FromRead, Source, Whole};

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, however it is spelled.
    Number,
    /// A string.
    String,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

impl Kind {
    /// The kind with its article, for messages: "expected an object, found a number".
    pub const fn described(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }

    /// The kind of the value that starts with `byte`.
    fn of_first(byte: u8) -> Option<Self> {
        Some(match byte {
            b'n' => Self::Null,
            b't' | b'f' => Self::Bool,
            b'-' | b'0'..=b'9' => Self::Number,
            b'"' => Self::String,
            b'[' => Self::Array,
            b'{' => Self::Object,
            _ => return None,
        })
    }
}

/// How much of a hostile text is read before it is refused with an error of kind `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one captured value (default 256 MiB, which is also the most that counts). Skipping has no such limit.
    pub max_value_bytes: usize,
    /// Arrays and objects inside one another, counted from the top of the text (default 512).
    pub max_depth: usize,
}

impl Limits {
    /// Offsets and token numbers take 28 bits of the index.
    const MOST_BYTES: usize = 1 << 28;

    fn value_bytes(&self) -> usize {
        self.max_value_bytes.min(Self::MOST_BYTES)
    }

    /// A token takes 12 bytes of index, and a usual one more than 12 of text.
    fn tokens(&self) -> usize {
        self.value_bytes() / 8 + 64
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_value_bytes: Self::MOST_BYTES, max_depth: 512 }
    }
}
