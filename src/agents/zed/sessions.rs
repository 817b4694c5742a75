//! Zed's rows of `agent_sessions`: its threads, and the entries of the sidebar that have none.
//!
//! One `threads.db` faces the sidebars of up to four release channels, and either side has rows that the other has
//! not. What belongs together stands in one data folder.

use super::panel::sidebar::{self, SIDEBAR, SidebarThread};
use super::panel::{Panel, panels};
use super::threads::{self, ThreadRow};
use crate::error::Result;
use crate::model::Session;
use crate::store::sqlite::{Param, pool};
use crate::table::{Rows, Scan, Source};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every thread, then every entry of a sidebar without one: threads of external agents, lost threads. A draft has no
/// session yet.
pub fn rows(scan: &Scan) -> Result<Rows<Session>> {
    let mut threads = threads::rows(&threads_scan(scan))?;
    let sidebars = Sidebars::read(scan)?;
    let is_file = scan.root.as_deref().is_some_and(|root| Path::new(root).is_file());
    let wants_orphans = scan.wants("is_orphan");
    let session = Arc::clone(&scan.session);
    let mut reconciled = Reconciled { sidebars, session, is_file, wants_orphans, unread: HashSet::new() };
    let mut rest = None;
    Ok(Box::new(std::iter::from_fn(move || {
        let thread = if rest.is_none() { threads.next() } else { None };
        match thread {
            Some(thread) => Some(reconciled.thread(thread)),
            None => rest.get_or_insert_with(|| reconciled.rest().into_iter()).next(),
        }
    })))
}

/// What is asked of the threads. Bounds of time are not: an entry is lost only where no thread at all is there.
fn threads_scan(scan: &Scan) -> Scan {
    let mut columns: Vec<&str> = vec!["session_id", "title", "updated_at", "updated_at_basis", "store"];
    for (wanted, needed) in [
        ("parent_session_id", &["parent_session_id"][..]),
        ("is_orphan", &["parent_session_id"]),
        ("project_path", &["project_path"]),
        ("created_at", &["created_at", "created_at_basis"]),
        ("created_at_basis", &["created_at", "created_at_basis"]),
        ("model", &["provider", "model"]),
        ("message_count", &["message_count"]),
    ] {
        if scan.wants(wanted) {
            columns.extend(needed);
        }
    }
    let is_key = |column: &str| column == "session_id" || column == "agent";
    Scan {
        constraints: scan.constraints.iter().filter(|on| is_key(&on.column)).cloned().collect(),
        columns: Some(columns.into_iter().map(str::to_owned).collect()),
        ..Scan::all(Arc::clone(&scan.session), scan.root.clone())
    }
}

/// Where Zed's databases of one user lie: `<data>/threads/threads.db`, `<data>/db/0-stable/db.sqlite`, or both in a
/// folder that simply holds them.
fn data_folder(file: &str) -> PathBuf {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let is_named = |folder: &Path, is: fn(&str) -> bool| folder.file_name().and_then(|name| name.to_str()).is_some_and(is);
    let above = |folder: &Path, is| if is_named(folder, is) { folder.parent().unwrap_or(folder).to_owned() } else { folder.to_owned() };
    let folder = above(folder, |name| name == "threads" || name.starts_with("0-"));
    above(&folder, |name| name == "db")
}

/// An entry of a sidebar.
struct Entry {
    folder: PathBuf,
    entry: SidebarThread,
    /// Has its session been given?
    is_told: bool,
}

/// The sidebars of every channel.
#[derive(Default)]
struct Sidebars {
    entries: Vec<Entry>,
    /// The entries of a session in its data folder.
    by_session: HashMap<(PathBuf, Arc<str>), Vec<usize>>,
    /// Data folders with a sidebar that cannot be read, and why.
    failed: Vec<(PathBuf, Source)>,
}

impl Sidebars {
    fn read(scan: &Scan) -> Result<Self> {
        let keys = scan.keys("session_id");
        let mut sidebars = Self::default();
        for panel in panels(scan)? {
            sidebars.add(&panel, keys.as_deref());
        }
        Ok(sidebars)
    }

    fn add(&mut self, panel: &Panel, keys: Option<&[String]>) {
        let folder = data_folder(panel.source(&SIDEBAR, None).path());
        for entry in sidebar::rows(panel, keys, false) {
            if entry.source.key().is_none() {
                self.failed.push((folder.clone(), entry.source));
                continue;
            }
            if let Some(id) = &entry.session_id {
                let entries = self.by_session.entry((folder.clone(), Arc::clone(id))).or_default();
                entries.push(self.entries.len());
            }
            self.entries.push(Entry { folder: folder.clone(), entry, is_told: false });
        }
    }

    /// Takes the entries of a session, Zed's own or an external agent's; the newest stands for all of them.
    fn take(&mut self, folder: &Path, id: &Arc<str>, is_external: bool) -> Option<SidebarThread> {
        let listed = self.by_session.get(&(folder.to_owned(), Arc::clone(id)))?;
        let mut newest: Option<usize> = None;
        for index in listed {
            let time = newest.and_then(|newest| self.entries.get(newest)).and_then(|entry| entry.entry.updated_at);
            let Some(entry) = self.entries.get_mut(*index) else { continue };
            if entry.entry.agent_id.is_some() == is_external && !entry.is_told {
                entry.is_told = true;
                newest = newest.filter(|_| time >= entry.entry.updated_at).or(Some(*index));
            }
        }
        newest.and_then(|newest| self.entries.get(newest)).map(|entry| entry.entry.clone())
    }

    /// Can every sidebar of this data folder be read?
    fn is_whole(&self, folder: &Path) -> bool {
        !self.failed.iter().any(|(failed, _)| failed == folder)
    }
}

struct Reconciled {
    sidebars: Sidebars,
    session: Arc<crate::table::Session>,
    /// A root that is a store file shows one side only.
    is_file: bool,
    wants_orphans: bool,
    /// Data folders whose threads cannot all be listed.
    unread: HashSet<PathBuf>,
}

impl Reconciled {
    fn thread(&mut self, thread: ThreadRow) -> Session {
        let folder = data_folder(thread.source.path());
        if thread.source.key().is_none() && thread.source.error.is_some() {
            self.unread.insert(folder);
            return Session { agent: super::NAME, source: thread.source, ..Session::default() };
        }
        let entry = thread.session_id.as_ref().and_then(|id| self.sidebars.take(&folder, id, false));
        let is_orphan = if self.wants_orphans { self.is_orphan(&thread, &folder, entry.is_some()) } else { None };
        let model = match (&thread.provider, &thread.model) {
            (Some(provider), Some(model)) => Some(format!("{provider}/{model}").into()),
            (_, model) => model.as_ref().map(|model| model.to_str().into()),
        };
        let entry = entry.unwrap_or_default();
        Session {
            agent: super::NAME,
            session_id: thread.session_id,
            parent_session_id: thread.parent_session_id,
            title: entry.title_override.or(thread.title).or(entry.title),
            project_path: thread.project_path.or(entry.project_path),
            created_at: thread.created_at,
            created_at_basis: thread.created_at_basis,
            updated_at: thread.updated_at,
            updated_at_basis: thread.updated_at_basis,
            model,
            message_count: thread.message_count,
            is_archived: entry.archived,
            is_external: Some(false),
            is_orphan,
            source: thread.source,
        }
    }

    /// Does no sidebar lead to the thread? A subagent is reached through the thread that started it, and text threads
    /// were in no sidebar.
    fn is_orphan(&self, thread: &ThreadRow, folder: &Path, is_listed: bool) -> Option<bool> {
        if is_listed {
            return Some(false);
        }
        if let Some(parent) = &thread.parent_session_id {
            return self.is_there(thread.source.path(), parent).map(|is_there| !is_there);
        }
        let is_known = !self.is_file && self.sidebars.is_whole(folder) && thread.source.key().is_some();
        is_known.then_some(true)
    }

    /// Is the thread in this file? `None` where the file does not say.
    fn is_there(&self, file: &str, id: &str) -> Option<bool> {
        let sql = "SELECT 1 FROM threads WHERE id = ?1 LIMIT 1";
        let found = pool::with(&self.session, Path::new(file), |database| database.query(sql, &[Param::Text(id)], |_| Ok(())));
        found.ok().map(|rows| !rows.is_empty())
    }

    /// The entries that no thread has taken, and the sidebars that cannot be read.
    fn rest(&mut self) -> Vec<Session> {
        let mut rows = Vec::new();
        for index in 0..self.sidebars.entries.len() {
            let Some(entry) = self.sidebars.entries.get(index).filter(|entry| !entry.is_told) else { continue };
            let Some(id) = entry.entry.session_id.clone() else { continue };
            let (folder, is_external) = (entry.folder.clone(), entry.entry.agent_id.is_some());
            let entry = self.sidebars.take(&folder, &id, is_external);
            rows.extend(entry.map(|entry| self.entry(entry, &folder)));
        }
        let failed = std::mem::take(&mut self.sidebars.failed);
        rows.extend(failed.into_iter().map(|(_, source)| Session { agent: super::NAME, source, ..Session::default() }));
        rows
    }

    fn entry(&self, entry: SidebarThread, folder: &Path) -> Session {
        let is_external = entry.agent_id.is_some();
        // An external agent keeps its transcripts itself.
        let is_lost = || (!self.is_file && !self.unread.contains(folder)).then_some(true);
        let is_orphan = if is_external { Some(false) } else { is_lost() };
        Session {
            agent: super::NAME,
            session_id: entry.session_id,
            title: entry.title_override.or(entry.title),
            project_path: entry.project_path,
            created_at: entry.created_at,
            created_at_basis: entry.created_at_basis,
            updated_at: entry.updated_at,
            updated_at_basis: entry.updated_at_basis,
            is_archived: entry.archived,
            is_external: Some(is_external),
            is_orphan,
            source: entry.source,
            ..Session::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_together_lies_in_one_folder() {
        for (file, folder) in [
            ("/h/.local/share/zed/threads/threads.db", "/h/.local/share/zed"),
            ("/h/.local/share/zed/db/0-stable/db.sqlite", "/h/.local/share/zed"),
            ("/copy/threads.db", "/copy"),
            ("/copy/db.sqlite", "/copy"),
            ("/copy/0-preview/db.sqlite", "/copy"),
            ("threads.db", ""),
        ] {
            assert_eq!(data_folder(file), Path::new(folder), "{file}");
        }
    }
}
