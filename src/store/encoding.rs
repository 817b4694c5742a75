//! From a file's bytes to text: UTF-8 with or without a byte order mark, and UTF-16.
//!
//! The programs whose stores we read write plain UTF-8. Editors and shells that touched a settings file or an export
//! later may have saved it as UTF-16 or put a mark in front.

use std::borrow::Cow;

use crate::error::{Error, Kind, Result};

/// The text in `bytes`, without its byte order mark. Borrowed unless it had to be re-encoded.
///
/// UTF-16 is known by its mark, or by a first character in ASCII. A lone surrogate in it becomes U+FFFD.
///
/// # Errors
/// [`Kind::Utf8`]: names the first byte that is wrong, or the encoding that is not read.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, 3),
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
            Err(Error::new(Kind::Utf8, "UTF-32 is not read: save the file as UTF-8"))
        }
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [1..=0x7F, 0, ..] => utf16(bytes, u16::from_le_bytes),
        [0, 1..=0x7F, ..] => utf16(bytes, u16::from_be_bytes),
        _ => utf8(bytes, 0),
    }
}

fn utf8(bytes: &[u8], skipped: usize) -> Result<Cow<'_, str>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => Err(Error::new(Kind::Utf8, format!("byte {} is not UTF-8", error.valid_up_to() + skipped))),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::new(Kind::Utf8, "UTF-16 that ends in half a character"));
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_utf8_and_utf16_with_or_without_a_mark() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"{}", "{}"),
            ("\u{1F512} \u{e9}".as_bytes(), "\u{1F512} \u{e9}"),
            (b"\xEF\xBB\xBF{}", "{}"),
            (b"\xEF\xBB\xBF", ""),
            (b"\xFF\xFE{\0}\0", "{}"),
            (b"\xFE\xFF\0{\0}", "{}"),
            (b"\xFF\xFE", ""),
            (b"{\0}\0", "{}"),
            (b"\0{\0}", "{}"),
            (b"\xFF\xFE\x3D\xD8\x12\xDD", "\u{1F512}"),
            (b"\xFF\xFE\x3D\xD8{\0", "\u{FFFD}{"),
        ] {
            assert_eq!(decode(bytes).map(Cow::into_owned), Ok(expected.to_owned()), "{bytes:?}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (bytes, expected) in [
            (&b"{\"a\":\xC3\x28}"[..], "utf8: byte 5 is not UTF-8"),
            (b"\xEF\xBB\xBF\xFF", "utf8: byte 3 is not UTF-8"),
            (b"\xFF\xFE{\0}", "utf8: UTF-16 that ends in half a character"),
            (b"\xFF\xFE\0\0{\0\0\0", "utf8: UTF-32 is not read: save the file as UTF-8"),
        ] {
            assert_eq!(decode(bytes).map_err(|error| error.to_string()), Err(expected.to_owned()), "{bytes:?}");
        }
    }
}
