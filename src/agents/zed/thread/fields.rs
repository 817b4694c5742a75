//! The members of a document around its messages.

use crate::error::Error;
use crate::json::{Document, Value};
use crate::store::paths;
use crate::text::Text;

/// Every member that some table reads.
pub const NAMES: &[&str] = &[
    "version",
    "title",
    "summary",
    "updated_at",
    "model",
    "initial_project_snapshot",
    "subagent_context",
    "request_token_usage",
    "cumulative_token_usage",
    "profile",
    "sandbox_grants",
    "sandboxed_terminal_temp_dir",
    "draft_prompt",
    "completion_mode",
    "thinking_enabled",
    "thinking_effort",
    "speed",
    "imported",
    "detailed_summary",
    "detailed_summary_state",
];

/// Top-level members that were asked for; of duplicate keys the last.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(&'static str, Document)>);

/// The model that the thread last used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// `anthropic`
    pub provider: Option<String>,
    /// `claude-sonnet-4-5`
    pub model: Option<String>,
}

impl Model {
    /// `anthropic/claude-sonnet-4-5`
    pub fn path(&self) -> Option<String> {
        match (&self.provider, &self.model) {
            (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
            (None, Some(model)) => Some(model.clone()),
            (_, None) => None,
        }
    }
}

/// The git state of one folder when the thread began.
#[derive(Debug, Clone, Copy)]
pub struct Worktree<'d>(Value<'d>);

impl<'d> Worktree<'d> {
    /// The folder.
    pub fn path(&self) -> Option<String> {
        text(self.0, "worktree_path")
    }

    /// `remote_url`, `head_sha`, `current_branch`, `diff`.
    pub fn git(&self, name: &str) -> Option<Value<'d>> {
        self.0.get("git_state")?.get(name).filter(|value| !value.is_null())
    }
}

fn text(object: Value<'_>, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(std::borrow::Cow::into_owned)
}

impl Fields {
    pub(super) fn put(&mut self, name: &'static str, value: Document) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((name, value)),
        }
    }

    /// A member that was asked for and is not null.
    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        let (_, value) = self.0.iter().find(|(known, _)| *known == name)?;
        Some(value.root()).filter(|value| !value.is_null())
    }

    /// A member that is a string.
    pub fn text(&self, name: &str) -> Option<Text> {
        self.get(name)?.text()
    }

    /// What is wrong with `version`, if anything: documents of unknown versions are read by shape.
    pub fn version_error(&self) -> Option<Error> {
        let version = self.get("version")?;
        let is_known = ["0.3.0", "0.2.0", "0.1.0"].iter().any(|known| version.is_str(known));
        (!is_known).then(|| Error::shape(format!("unknown version {}", super::item::described(version))))
    }

    /// `model`.
    pub fn model(&self) -> Option<Model> {
        let value = self.get("model")?;
        Some(Model { provider: text(value, "provider"), model: text(value, "model") })
    }

    /// The folders of `initial_project_snapshot`.
    pub fn worktrees(&self) -> impl Iterator<Item = Worktree<'_>> {
        let snapshots = self.get("initial_project_snapshot").and_then(|snapshot| snapshot.get("worktree_snapshots"));
        snapshots.into_iter().flat_map(|list| list.items()).map(Worktree)
    }

    /// The folder of the snapshot that is the project, else its first.
    pub fn project_worktree(&self, project: Option<&str>) -> Option<Worktree<'_>> {
        let is_project = |tree: &Worktree<'_>| project.is_some() && tree.path().as_deref() == project;
        self.worktrees().find(is_project).or_else(|| self.worktrees().next())
    }

    /// `subagent_context`: the parent's id, and the depth.
    pub fn subagent(&self) -> Option<(Option<String>, Option<i64>)> {
        let context = self.get("subagent_context")?;
        Some((text(context, "parent_thread_id"), context.get("depth").and_then(|depth| depth.as_i64())))
    }
}

/// The folders of a `PathList` in the order in which the user named them.
pub fn folders<'a>(folder_paths: Option<&'a str>, order: Option<&str>) -> Vec<&'a str> {
    paths::user_order(folder_paths.unwrap_or_default(), order.unwrap_or_default())
}
