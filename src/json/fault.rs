//! What is wrong with a text, in words.

use super::Limits;
use crate::error::{Error, Kind};

/// Why a text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Something else was expected.
    Expected(&'static str),
    Control,
    Escape,
    /// The text ends too early.
    End,
    Depth,
}

impl Fault {
    /// The fault in words; `at` is its offset in the text, `found` the byte there.
    pub(super) fn error(self, at: u64, found: Option<u8>, limits: &Limits) -> Error {
        match self {
            Self::Expected(what) => Error::json(format!("expected {what} at byte {at}, found {}", described(found))),
            Self::Control => Error::json(format!("raw control character in a string at byte {at}")),
            Self::Escape => Error::json(format!("invalid escape in a string at byte {at}")),
            Self::End => Error::json(format!("the text ends at byte {at}, inside a value")),
            // No setting raises it.
            Self::Depth => Error::new(Kind::Limit, format!("nesting is deeper than {} at byte {at}", limits.max_depth)),
        }
    }
}

fn described(byte: Option<u8>) -> String {
    match byte {
        None => "the end".to_owned(),
        Some(byte @ 0x20..=0x7e) => format!("`{}`", char::from(byte)),
        Some(byte) => format!("byte 0x{byte:02x}"),
    }
}

pub(super) fn utf8_error(at: u64) -> Error {
    Error::new(Kind::Utf8, format!("invalid UTF-8 at byte {at}"))
}

pub(super) fn trailing(at: u64, found: Option<u8>) -> Error {
    Error::json(format!("expected the end of the text at byte {at}, found {}", described(found)))
}

pub(super) fn too_large(limits: &Limits) -> Error {
    Error::limit(format_args!("a JSON value is larger than {} bytes", limits.value_bytes()), "max_value_bytes")
}
