//! A `tool-state` item: what a tool put into `contextFiles` when it returned, in the answer and again in the next prompt.

use super::part::string;
use crate::agents::cody::transcript::uri::Uri;
use crate::json::Value;
use crate::text::Text;

/// What is known of a call beside its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolState {
    /// The call's id.
    pub id: Text,
    /// The tool's name.
    pub name: Option<Text>,
    /// `pending`, `done`, `error`, `canceled`, `idle` or `info`. `done` says no more than that the tool returned.
    pub status: Option<Text>,
    /// What the tool returned, or the error that it threw; in a `pending` item the call's arguments.
    pub content: Option<Text>,
    /// Two texts beside it: of the editor tool the whole file before and after.
    pub files: Option<(Text, Text)>,
    /// The file that the tool was about, where the item names one.
    pub file: Option<Text>,
    /// The item, compact.
    pub item: Text,
}

impl ToolState {
    /// Reads a context item of type `tool-state` that names its call; `None` for every other.
    pub fn of(item: Value<'_>) -> Option<Self> {
        if !item.get("type")?.is_str("tool-state") {
            return None;
        }
        let mut texts = item.get("metadata").into_iter().flat_map(|metadata| metadata.items());
        let files = match (texts.next(), texts.next(), texts.next()) {
            (Some(old), Some(new), None) => old.text().zip(new.text()),
            _ => None,
        };
        Some(Self {
            id: string(item, "toolId")?,
            name: string(item, "toolName"),
            status: string(item, "status"),
            content: string(item, "content"),
            files,
            file: item.get("uri").and_then(Uri::of).and_then(|uri| uri.project_path()).map(Text::from),
            item: item.compact(),
        })
    }

    /// Every one among the context of a message, with its position there.
    pub fn all_of(message: Value<'_>) -> impl Iterator<Item = (usize, Self)> {
        let items = message.get("contextFiles").into_iter().flat_map(|items| items.items()).enumerate();
        items.filter_map(|(position, item)| Some((position, Self::of(item)?)))
    }

    /// Has the tool returned?
    pub fn is_over(&self) -> bool {
        self.status.as_ref().is_none_or(|status| *status != "pending")
    }

    /// Whether the stored word is this.
    pub fn is(&self, status: &str) -> bool {
        self.status.as_ref().is_some_and(|word| *word == status)
    }
}
