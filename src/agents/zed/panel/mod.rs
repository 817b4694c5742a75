//! `db.sqlite`: the agent panel's tables of one release channel.
//!
//! They grew with every version, so each column may be missing; it reads as NULL then. A table holds a row per thread
//! or worktree, so it is read whole, and what was read is kept for as long as the store stands still: sidebar,
//! drafts, worktrees and sessions all look into the same few tables.

pub mod drafts;
mod listing;
pub mod prompt;
mod record;
mod remote;
pub mod sidebar;
pub mod terminals;
pub mod trust;
pub mod worktrees;

pub use listing::{Listing, PanelTable};
pub use record::Record;

use super::stores::{StoreKind, stores};
use crate::error::Result;
use crate::store::file;
use crate::store::find::Found;
use crate::table::{AnyTable, Row, Scan, Session, Source};
use crate::time::Time;
use std::path::Path;
use std::sync::Arc;

/// The tables of this module.
pub fn tables() -> Vec<&'static dyn AnyTable> {
    vec![&sidebar::TABLE, &worktrees::TABLE, &terminals::TABLE]
}

/// The database of one release channel.
pub struct Panel {
    session: Arc<Session>,
    found: Found<StoreKind>,
    /// `stable`, `preview`, `nightly`, `dev`; `None` where the folder does not say.
    pub channel: Option<Arc<str>>,
}

/// The databases below the scan's root.
///
/// # Errors
/// The root does not exist.
pub fn panels(scan: &Scan) -> Result<impl Iterator<Item = Panel> + use<>> {
    let session = Arc::clone(&scan.session);
    Ok(stores(scan, &[StoreKind::Db])?.map(move |found| Panel::new(Arc::clone(&session), found)))
}

fn tables_of_records() -> [&'static PanelTable; 5] {
    [&sidebar::SIDEBAR, &terminals::TERMINALS, &worktrees::CREATED, &worktrees::ARCHIVED, &trust::TRUSTED]
}

fn bad<R: Row>(rows: &[R]) -> usize {
    rows.iter().filter(|row| row.source().error.is_some()).count()
}

/// Zed's folders are named `0-stable`, after the version of their layout.
fn channel(path: &Path) -> Option<Arc<str>> {
    Some(path.parent()?.file_name()?.to_str()?.strip_prefix("0-")?.into())
}

impl Panel {
    /// The database in this file.
    pub fn new(session: Arc<Session>, found: Found<StoreKind>) -> Self {
        let channel = channel(&found.path);
        Self { session, found, channel }
    }

    /// How many records its tables hold, and how many of them did not decode.
    ///
    /// # Errors
    /// The file is no database, or cannot be read.
    pub fn count(&self) -> Result<(usize, usize)> {
        // Of the windows' states only those with a draft are records.
        let drafts = drafts::rows(self);
        let mut records = drafts.len();
        for table in tables_of_records() {
            records += self.list(table)?.records.len();
        }
        let errors = bad(&drafts)
            + bad(&sidebar::rows(self, None, false))
            + bad(&terminals::rows(self, false))
            + bad(&worktrees::rows(self))
            + bad(&trust::rows_of(self));
        Ok((records, errors))
    }

    /// The rows of a table.
    ///
    /// # Errors
    /// The file is no database, or cannot be read.
    pub fn list(&self, table: &'static PanelTable) -> Result<Arc<Listing>> {
        match &self.found.problem {
            Some(problem) => Err(problem.clone()),
            None => listing::list(&self.session, &self.found.path, table),
        }
    }

    /// A row of `table`, by its rowid; `None` for the table itself.
    pub fn source(&self, table: &PanelTable, rowid: Option<i64>) -> Source {
        Source::new(&self.found.place, rowid.map(|rowid| rowid.to_string().into())).part(table.part)
    }

    /// When the file was last changed; what its log holds may be newer.
    pub fn modified(&self) -> Option<Time> {
        file::modified(&self.found.path)
    }

    /// The rows that `rows` makes of each record, then one for what could not be read.
    pub fn rows<R, I: IntoIterator<Item = R>>(
        &self,
        table: &'static PanelTable,
        rows: impl Fn(&Record, Source) -> I,
        failed: impl Fn(Source) -> R,
    ) -> Vec<R> {
        let listing = self.list(table).unwrap_or_else(|error| Arc::new(Listing::failed(error)));
        let made = listing.records.iter().flat_map(|record| rows(record, self.source(table, Some(record.rowid))));
        let error = listing.error.iter().map(|error| failed(self.source(table, None).failed(error.clone())));
        made.chain(error).collect()
    }
}
