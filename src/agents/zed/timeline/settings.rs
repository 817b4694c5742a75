//! The lines of a settings file: its standing rules.

use super::{file_name, line};
use crate::agents::zed::permissions::settings_rows;
use crate::agents::zed::stores::StoreKind;
use crate::error::Kind;
use crate::model::TimelineEntry;
use crate::store::find::Found;
use crate::text::Text;

/// A line per rule, or one that tells why there is none.
pub fn lines(found: &Found<StoreKind>) -> impl Iterator<Item = TimelineEntry> + use<> {
    settings_rows(found).map(|rule| {
        let file = file_name(&rule.source);
        let text = match &rule.source.error {
            Some(error) if error.kind() == Kind::Io => format!("parser: {}", error.what()),
            Some(_) => format!("parser: {file} is not a JSON object"),
            None => {
                let layer = rule.layer.as_ref().map(|layer| format!("{layer}.")).unwrap_or_default();
                let (key, value) = (rule.key.as_deref().unwrap_or_default(), rule.value.as_ref().map(Text::to_str));
                format!("permission setting: {layer}{key}={} (from {file}, file mtime)", value.unwrap_or_default())
            }
        };
        let time = rule.timestamp_utc.filter(|_| rule.source.error.is_none());
        TimelineEntry {
            timestamp_utc: time,
            timestamp_basis: time.map(|_| "file_mtime"),
            // The file is one value.
            source_line: Some(1),
            ..line(rule.source, text)
        }
    })
}
