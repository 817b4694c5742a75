//! `zed_worktrees`: git worktrees that Zed made for threads, and those that it archived.

use super::listing::PanelTable;
use super::record::Record;
use super::sidebar::SIDEBAR;
use super::{Listing, Panel, panels};
use crate::error::{Error, Result};
use crate::store::paths;
use crate::table::{Rows, Scan, Source, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use serde_json::Value;
use std::sync::Arc;

crate::words! {
    /// What happened to a worktree.
    pub enum WorktreeKind {
        /// Zed made it.
        Created = "created",
        /// Zed saved its state as commits and removed it.
        Archived = "archived",
    }
}

crate::record! {
    /// One worktree that Zed made, or one that it archived, a row per thread that it was archived with.
    pub struct Worktree {
        /// The release channel: `stable`, `preview`, `nightly`, `dev`. NULL where the folder does not say.
        channel: Option<Arc<str>>,
        /// `created` or `archived`.
        kind: Option<WorktreeKind>,
        /// The worktree's folder.
        worktree_path: Option<Arc<str>>,
        /// The repository that it is linked to. A created one does not record it: it is told by a thread in it, or by its archive; NULL when neither is there.
        main_repo_path: Option<Arc<str>>,
        /// Archived: the branch that was checked out. NULL when none was.
        branch: Option<Arc<str>>,
        /// Archived: the commit that holds what was staged.
        staged_commit: Option<Arc<str>>,
        /// Archived: the commit that holds what was not staged.
        unstaged_commit: Option<Arc<str>>,
        /// Archived: the commit that was checked out.
        original_commit: Option<Arc<str>>,
        /// Archived: the ref in the main repository that keeps the commits.
        git_ref: Option<Arc<str>>,
        /// The remote host. NULL for this machine.
        host: Option<Arc<str>>,
        /// The id of the thread's entry in `zed_sidebar_threads`. NULL when there is none.
        thread_id: Option<Arc<str>>,
        /// The thread: for an archived one the thread that it was archived with, for a created one the first whose folders hold it. NULL when there is none.
        [key] session_id: Option<Arc<str>>,
        /// UTC, fixed width; timestamp_basis says what it really is.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `record` (when it was created), or `file_mtime`: no archive records its time.
        timestamp_basis: Option<&'static str>,
        /// As stored: of a created one the value, of an archived one the row as a JSON object.
        raw: Option<Text>,
    }
}

pub static TABLE: Table<Worktree> = Table {
    name: "zed_worktrees",
    doc: "One row per git worktree that Zed made for a thread, and one per thread with which a worktree was archived.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

/// Those that Zed made, by host and folder.
pub static CREATED: PanelTable = PanelTable {
    name: "scoped_kv_store",
    columns: &["key", "value"],
    only: Some(("namespace", "created_git_worktrees")),
    part: 5,
};

/// Those that were archived, each once.
pub static ARCHIVED: PanelTable = PanelTable {
    name: "archived_git_worktrees",
    columns: &[
        "id",
        "worktree_path",
        "main_repo_path",
        "branch_name",
        "staged_commit_hash",
        "unstaged_commit_hash",
        "original_commit_hash",
    ],
    only: None,
    part: 6,
};

/// Which threads a worktree was archived with; by session for some days of April 2026.
static LINKS: PanelTable = PanelTable {
    name: "thread_archived_worktrees",
    columns: &["thread_id", "session_id", "archived_worktree_id"],
    only: None,
    part: 7,
};

fn scan(scan: &Scan) -> Result<Rows<Worktree>> {
    Ok(Box::new(panels(scan)?.flat_map(|panel| rows(&panel))))
}

/// The worktrees of one release channel.
pub fn rows(panel: &Panel) -> Vec<Worktree> {
    let all = Tables {
        panel,
        // What is wrong with the sidebar is told there.
        sidebar: panel.list(&SIDEBAR).unwrap_or_default(),
        archived: panel.list(&ARCHIVED).unwrap_or_default(),
        links: panel.list(&LINKS).unwrap_or_default(),
    };
    let failed = |source| all.worktree(source);
    let mut rows = panel.rows(&CREATED, |record, source| Some(all.created(record, source)), failed);
    let archived = panel.rows(&ARCHIVED, |record, source| all.archived(record, &source), failed);
    // A file that cannot be opened is told of once.
    let is_open = panel.list(&ARCHIVED).is_ok();
    rows.extend(archived.into_iter().filter(|_| is_open));
    rows
}

struct Tables<'p> {
    panel: &'p Panel,
    sidebar: Arc<Listing>,
    archived: Arc<Listing>,
    links: Arc<Listing>,
}

impl Tables<'_> {
    fn worktree(&self, source: Source) -> Worktree {
        Worktree { channel: self.panel.channel.clone(), source, ..Worktree::default() }
    }

    /// The key names host and folder, the value the time.
    fn created(&self, record: &Record, source: Source) -> Worktree {
        let key = record.text("key").unwrap_or_default();
        let (host, path) = key.split_once('\n').map_or((None, &*key), |(host, path)| (Some(host), path));
        let host = host.filter(|host| *host != "local" && !host.is_empty());
        let value = record.text("value").unwrap_or_default();
        let (time, error) = match created_at(&value) {
            Ok(time) => (time, None),
            Err(error) => (None, Some(error)),
        };
        let threads = || self.sidebar.records.iter().filter(|entry| is_in(entry, host, path));
        let thread = threads().find(|entry| entry.id("session_id").is_some());
        Worktree {
            kind: Some(WorktreeKind::Created),
            worktree_path: Some(path.into()),
            main_repo_path: threads().find_map(|entry| main_of(entry, path)).or_else(|| self.archive_of(path)),
            host: host.map(Into::into),
            thread_id: thread.and_then(|entry| entry.id("thread_id")),
            session_id: thread.and_then(|entry| entry.id("session_id")),
            timestamp_utc: time,
            timestamp_basis: time.map(|_| "record"),
            raw: Some(Text::Shared(value)),
            ..self.worktree(match error {
                None => source,
                Some(error) => source.failed(error),
            })
        }
    }

    fn archive_of(&self, path: &str) -> Option<Arc<str>> {
        let is_it = |archive: &&Record| archive.text("worktree_path").as_deref() == Some(path);
        self.archived.records.iter().find(is_it)?.text("main_repo_path")
    }

    fn archived(&self, record: &Record, source: &Source) -> Vec<Worktree> {
        let row = Worktree {
            kind: Some(WorktreeKind::Archived),
            worktree_path: record.text("worktree_path"),
            main_repo_path: record.text("main_repo_path"),
            branch: record.text("branch_name"),
            staged_commit: record.text("staged_commit_hash"),
            unstaged_commit: record.text("unstaged_commit_hash"),
            original_commit: record.text("original_commit_hash"),
            git_ref: Some(format!("refs/archived-worktrees/{}", record.rowid).into()),
            timestamp_utc: self.panel.modified(),
            timestamp_basis: Some("file_mtime"),
            raw: Some(record.raw()),
            ..self.worktree(source.clone())
        };
        let is_its = |link: &&Record| link.integer("archived_worktree_id") == Some(record.rowid);
        let linked = (1..).zip(self.links.records.iter().filter(is_its)).map(|(number, link)| {
            let thread_id = link.id("thread_id");
            let is_it = |entry: &&Record| thread_id.is_some() && entry.id("thread_id") == thread_id;
            let entry = self.sidebar.records.iter().find(is_it);
            Worktree {
                session_id: link.id("session_id").or_else(|| entry.and_then(|entry| entry.id("session_id"))),
                thread_id,
                source: source.clone().part(source.part + (number << 8)),
                ..row.clone()
            }
        });
        let mut rows: Vec<Worktree> = linked.collect();
        if rows.is_empty() {
            rows.push(row);
        }
        rows
    }
}

/// Does the thread run in this folder of this host?
fn is_in(entry: &Record, host: Option<&str>, path: &str) -> bool {
    entry.text("remote_connection").is_some() == host.is_some()
        && entry.folders("folder_paths", "folder_paths_order").iter().any(|folder| **folder == *path)
}

/// The main repository of a thread's worktree. Of several the one with the worktree's name: Zed keeps the project's.
fn main_of(entry: &Record, path: &str) -> Option<Arc<str>> {
    let mains = entry.folders("main_worktree_paths", "main_worktree_paths_order");
    let is_namesake = |main: &&Arc<str>| paths::name(main) == paths::name(path);
    mains.iter().find(is_namesake).or_else(|| mains.first()).cloned()
}

fn created_at(value: &str) -> Result<Option<Time>> {
    let name = |what: String| format!("created_git_worktrees: {what}");
    let value: Value = serde_json::from_str(value).map_err(|error| Error::json(name(error.to_string())))?;
    let seconds = value.get("created_at_seconds").and_then(Value::as_i64);
    let seconds = seconds.ok_or_else(|| Error::shape(name("expected created_at_seconds".to_owned())))?;
    let nanos = value.get("created_at_subsec_nanos").and_then(Value::as_i64).unwrap_or(0);
    let millis = seconds.checked_mul(1000).and_then(|millis| millis.checked_add(nanos.clamp(0, 999_999_999) / 1_000_000));
    Ok(millis.and_then(Time::from_millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_creation_time_has_two_parts() {
        let told = |value| created_at(value).map(|time| time.map(|time| time.to_string()));
        let value = r#"{"created_at_seconds":1772362800,"created_at_subsec_nanos":500999999}"#;
        assert_eq!(told(value), Ok(Some("2026-03-01T11:00:00.500Z".to_owned())));
        assert_eq!(told(r#"{"created_at_seconds":0}"#), Ok(Some("1970-01-01T00:00:00.000Z".to_owned())));
        assert_eq!(told(r#"{"created_at_seconds":9223372036854775807}"#), Ok(None));
        let error = told("{}").unwrap_err().to_string();
        assert_eq!(error, "shape: created_git_worktrees: expected created_at_seconds");
        assert_eq!(told("nope").unwrap_err().kind().token(), "json");
    }
}
