//! The changes of one call of one tool, by the shape that its era gave it.

use super::blocks::{Block, blocks};
use super::edits::{At, Change};
use super::fields::Fields;
use super::tool;
use crate::agents::zed::thread::item::ToolResult;
use crate::json::{Kind, Value};
use crate::lines;
use crate::model::{EditStatus, Operation};
use crate::table::Step;
use crate::text::Text;

/// One call of one tool, with what is known of it.
pub(super) struct Edit<'a, 'd> {
    /// The tool, with underscores.
    pub tool: &'a str,
    /// The arguments.
    pub fields: &'a Fields<'d>,
    /// The result that is this call's alone.
    pub result: Option<&'a ToolResult<'d>>,
    /// How the call ended.
    pub status: EditStatus,
    /// From the call to its input.
    pub steps: Vec<Step>,
}

impl Edit<'_, '_> {
    /// The changes; none for a tool that changes no file.
    pub fn changes(&self) -> Vec<Change> {
        match self.tool {
            "edit_file" | "streaming_edit_file" | "write_file" | "create_file" | "find_replace_file" => self.file_changes(),
            "edit_files" => self.replaced(),
            "delete_path" => vec![self.bare(Operation::Delete)],
            "create_directory" => vec![self.bare(Operation::Mkdir)],
            "move_path" => vec![self.to_destination(Operation::Move)],
            "copy_path" => vec![self.to_destination(Operation::Copy)],
            "rename" => vec![self.bare(Operation::Edit)],
            "rename_symbol" | "apply_code_action" => self.listed(),
            "code_action" | "code_actions" if self.is_action() => vec![self.bare(Operation::Edit)],
            _ => Vec::new(),
        }
    }

    /// What the model read.
    fn text(&self) -> Option<Text> {
        self.result?.text().0
    }

    /// A change of which only the path is known.
    fn bare(&self, operation: Operation) -> Change {
        Change {
            path: tool::path(self.tool, self.fields),
            destination: None,
            operation,
            old_text: None,
            new_text: None,
            diff: None,
            status: self.status,
            basis: "input",
            at: At::Call,
        }
    }

    fn to_destination(&self, operation: Operation) -> Change {
        Change { destination: self.fields.text("destination_path"), ..self.bare(operation) }
    }

    /// The language server's changes: the result lists the files, `- path` a line.
    fn listed(&self) -> Vec<Change> {
        let text = self.text().map(|text| text.to_string()).unwrap_or_default();
        let files: Vec<&str> = match self.status {
            EditStatus::Applied => text.lines().filter_map(|line| line.strip_prefix("- ")).collect(),
            _ => Vec::new(),
        };
        if files.is_empty() {
            // "No changes were made. …", "Code action '…' was applied but made no changes."
            let is_unchanged = self.status == EditStatus::Applied
                && (text.starts_with("No changes were made.") || text.ends_with(" was applied but made no changes."));
            let status = if is_unchanged { EditStatus::Unchanged } else { self.status };
            return vec![Change { status, ..self.bare(Operation::Edit) }];
        }
        let of_file = |(index, file): (usize, &str)| Change {
            path: Some(file.into()),
            basis: "output",
            at: At::Part(index),
            ..self.bare(Operation::Edit)
        };
        files.into_iter().enumerate().map(of_file).collect()
    }

    /// A tool of spring 2025 that without an action, or with this one, only listed what could be done.
    fn is_action(&self) -> bool {
        self.fields.get("action").is_some_and(|action| !action.is_null() && !action.is_str("list_available"))
    }

    /// What the result lists in SEARCH/REPLACE blocks. In an error those stand that were saved before it.
    fn replaced(&self) -> Vec<Change> {
        let text = self.text().map(|text| text.to_string()).unwrap_or_default();
        let blocks = blocks(&text);
        let status = if self.status == EditStatus::Failed { EditStatus::Partial } else { self.status };
        let of_block = |(index, block): (usize, &Block<'_>)| Change {
            path: Some(block.path.into()),
            operation: if block.old.is_empty() { Operation::Create } else { Operation::Edit },
            old_text: Some(block.old.into()),
            new_text: Some(block.new.into()),
            status,
            basis: "diff_fence",
            at: if blocks.len() == 1 { At::Call } else { At::Part(index) },
            ..self.bare(Operation::Edit)
        };
        if blocks.is_empty() { self.file_changes() } else { blocks.iter().enumerate().map(of_block).collect() }
    }

    fn file_changes(&self) -> Vec<Change> {
        let output = self.result.and_then(|result| result.output);
        if let Some(change) = output.and_then(|output| self.whole_texts(output).or_else(|| self.partial(output))) {
            return vec![change];
        }
        let hunks = self.hunks();
        if self.status == EditStatus::Failed {
            return if hunks.len() == 1 { hunks } else { vec![self.bare(self.operation(None))] };
        }
        self.with_fence(hunks)
    }

    /// Rule 1: the output holds the whole file before and after.
    fn whole_texts(&self, output: Value<'_>) -> Option<Change> {
        let (old, new) = (string(output, "old_text")?, string(output, "new_text")?);
        let diff = string(output, "diff");
        let is_diff_empty = diff.is_none_or(|diff| diff.is_str(""));
        let is_unchanged = is_diff_empty && (old.raw() == new.raw() || old.as_str() == new.as_str());
        let status = match self.status {
            EditStatus::Applied if is_unchanged => EditStatus::Unchanged,
            status => status,
        };
        Some(Change {
            path: self.path(output),
            old_text: old.text(),
            new_text: new.text(),
            diff: diff.and_then(|diff| diff.text()).or_else(|| self.fence()),
            status,
            basis: "output",
            ..self.bare(self.operation(Some(old)))
        })
    }

    /// Rule 3: an error, after some of the edits were saved.
    fn partial(&self, output: Value<'_>) -> Option<Change> {
        string(output, "error")?;
        let diff = string(output, "diff").filter(|diff| !diff.is_str(""))?;
        Some(Change {
            path: self.path(output),
            diff: diff.text(),
            status: EditStatus::Partial,
            basis: "output",
            ..self.bare(self.operation(None))
        })
    }

    /// `original_path`, of the first agent's documents, leaves out the folder's name, which the input has.
    fn path(&self, output: Value<'_>) -> Option<Text> {
        let named = string(output, "input_path").and_then(|path| path.text());
        named.or_else(|| self.fields.text("path")).or_else(|| string(output, "original_path")?.text())
    }

    /// What the input says of old and new text: a change for each of `edits`, or one.
    fn hunks(&self) -> Vec<Change> {
        let edits = Fields::of(self.fields.get("edits"));
        let is_stored = !self.fields.is_decoded() && !edits.is_decoded();
        let edits: Vec<Value<'_>> = edits.value().map(|edits| edits.items().collect()).unwrap_or_default();
        if !edits.is_empty() {
            let of_edit = |(index, edit): (usize, &Value<'_>)| self.hunk(index, &Fields::of(Some(*edit)), is_stored);
            let mut hunks: Vec<Change> = edits.iter().enumerate().map(of_edit).collect();
            if let [only] = hunks.as_mut_slice() {
                only.at = At::Call;
            }
            return hunks;
        }
        let pairs = [("old_text", "new_text"), ("old_string", "new_string"), ("find", "replace")];
        let pair = pairs.iter().find(|(old, new)| self.fields.get(old).is_some() || self.fields.get(new).is_some());
        let whole = self.fields.text("content").or_else(|| self.fields.text("contents"));
        match (pair, whole) {
            (Some((old, new)), _) => vec![Change {
                old_text: self.fields.text(old),
                new_text: self.fields.text(new),
                ..self.bare(self.operation(None))
            }],
            (None, Some(whole)) => vec![Change { new_text: Some(whole), ..self.bare(self.operation(None)) }],
            (None, None) => Vec::new(),
        }
    }

    fn hunk(&self, index: usize, edit: &Fields<'_>, is_stored: bool) -> Change {
        let steps = self.steps.iter().cloned().chain([Step::Name("edits"), Step::Index(index)]);
        Change {
            old_text: edit.text("old_text").or_else(|| edit.text("old_string")),
            new_text: edit.text("new_text").or_else(|| edit.text("new_string")),
            at: if is_stored { At::Inside(steps.collect()) } else { At::Part(index) },
            ..self.bare(Operation::Edit)
        }
    }

    /// The diff that the model read: until mid 2025 the only one, until mid 2026 a second one.
    fn fence(&self) -> Option<Text> {
        lines::fenced_diff(&self.text()?.to_str()).filter(|diff| !diff.is_empty()).map(Text::from)
    }

    /// Adds the diff that the model read. It belongs to all edits of a call, so with several it belongs to none.
    fn with_fence(&self, mut hunks: Vec<Change>) -> Vec<Change> {
        let fence = self.fence();
        let is_nothing_done = || self.text().is_some_and(|text| text == "No edits were made.");
        if self.status == EditStatus::Applied && fence.is_none() && is_nothing_done() {
            hunks.iter_mut().for_each(|hunk| hunk.status = EditStatus::Unchanged);
            let status = EditStatus::Unchanged;
            return if hunks.is_empty() { vec![Change { status, ..self.bare(self.operation(None)) }] } else { hunks };
        }
        match hunks.as_mut_slice() {
            [] => {
                let basis = if fence.is_some() { "diff_fence" } else { "input" };
                hunks.push(Change { diff: fence, basis, ..self.bare(self.operation(None)) });
            }
            [only] => only.diff = fence,
            _ => {}
        }
        hunks
    }

    /// What a call of an edit tool does, known the file before or not.
    fn operation(&self, old: Option<Value<'_>>) -> Operation {
        // Models send the word as JSON inside the string, too.
        let mode = self.fields.text("mode").map(|mode| mode.to_str().trim_matches('"').to_owned());
        let flag = self.fields.get("create_or_overwrite").and_then(|flag| flag.as_bool());
        let is_whole = matches!(self.tool, "write_file" | "create_file")
            || matches!(mode.as_deref(), Some("overwrite" | "write"))
            || flag == Some(true)
            || (mode.is_none() && self.fields.text("content").is_some() && self.fields.get("edits").is_none());
        if mode.as_deref() == Some("create") {
            return Operation::Create;
        }
        match old {
            _ if !is_whole => Operation::Edit,
            Some(old) if old.is_str("") => Operation::Create,
            None if self.tool == "create_file" => Operation::Create,
            _ => Operation::Overwrite,
        }
    }
}

fn string<'d>(object: Value<'d>, key: &str) -> Option<Value<'d>> {
    object.get(key).filter(|value| value.kind() == Kind::String)
}
