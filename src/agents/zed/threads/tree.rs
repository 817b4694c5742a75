//! Who started whom: the way from a subagent's thread up to its root.

use crate::error::Result;
use crate::store::sqlite::{Param, pool};
use crate::table::Session;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Id = Arc<str>;

/// The parents of threads, asked for as they are needed and kept for the scan.
#[derive(Default)]
pub struct Tree {
    /// The store that they stand in.
    store: PathBuf,
    parents: HashMap<Id, Option<Id>>,
}

impl Tree {
    /// Steps up to the root and the root, for a thread with this parent; `None` in a circle. A parent that is gone is
    /// the root: nothing tells what was above it.
    pub fn above(&mut self, session: &Arc<Session>, store: &Path, id: &Id, parent: &Id) -> Result<Option<(i64, Id)>> {
        if self.store != store {
            *self = Self { store: store.to_owned(), parents: HashMap::new() };
        }
        let mut seen = HashSet::from([Arc::clone(id)]);
        let (mut depth, mut top) = (1, Arc::clone(parent));
        while seen.insert(Arc::clone(&top)) {
            match self.parent(session, &top)? {
                None => return Ok(Some((depth, top))),
                Some(next) => (depth, top) = (depth + 1, next),
            }
        }
        Ok(None)
    }

    fn parent(&mut self, session: &Arc<Session>, id: &Id) -> Result<Option<Id>> {
        if let Some(parent) = self.parents.get(id) {
            return Ok(parent.clone());
        }
        let sql = "SELECT parent_id FROM threads WHERE id = ?1";
        let found = pool::with(session, &self.store, |database| {
            database.query(sql, &[Param::Text(id)], |row| Ok(row.text(0).map(Id::from)))
        })?;
        let parent = found.into_iter().next().flatten();
        self.parents.insert(Arc::clone(id), parent.clone());
        Ok(parent)
    }
}
