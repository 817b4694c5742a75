//! What could not be read, as it is stored.

use crate::agents::zed::thread::document::Damage;
use crate::agents::zed::threads_db::Thread;
use crate::text::Text;

/// A damaged part as it stands in the document; of a damaged document the stored bytes, as text where they are to be
/// text, else as hex.
pub fn raw(thread: &Thread, text: Option<&Vec<u8>>, damage: &Damage) -> Option<Text> {
    if let Some(span) = &damage.span {
        let span = usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?;
        return Some(String::from_utf8_lossy(text?.get(span)?).into());
    }
    let bytes = thread.blob().ok()??.into_bytes().ok()?;
    match (thread.head.data_type.as_deref(), std::str::from_utf8(&bytes)) {
        (Some("json"), Ok(text)) => Some(text.into()),
        _ => Some(hex(&bytes).into()),
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
