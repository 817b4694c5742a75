//! An editor's `state.vscdb` and the backup that it writes when it closes: one history, told twice.
//!
//! The backup is older, and may hold what was deleted or rewritten since. Tables over all agents tell everything once:
//! of a backup they give what the store itself does not say.

use super::stores::StoreKind;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// What the stores said up to now, by its hash. Stores come before their backups.
#[derive(Debug, Default)]
pub struct Twins(HashSet<u64>);

impl Twins {
    /// Does a store tell something that its twin has not told? `path` is the store's file.
    pub fn is_news(&mut self, store: &str, path: &str, said: impl Hash) -> bool {
        if store == StoreKind::Vscdb.word() {
            self.0.insert(hash(path, said));
            return true;
        }
        let is_backup = store == StoreKind::VscdbBackup.word();
        match path.strip_suffix(".backup").filter(|_| is_backup) {
            Some(twin) => !self.0.contains(&hash(twin, said)),
            None => true,
        }
    }
}

fn hash(path: &str, said: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (path, said).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_tells_what_its_store_does_not() {
        let mut twins = Twins::default();
        assert!(twins.is_news("vscdb", "/a/state.vscdb", "x"));
        assert!(twins.is_news("vscdb", "/a/state.vscdb", "x"), "a store may say a thing twice");
        assert!(!twins.is_news("vscdb_backup", "/a/state.vscdb.backup", "x"));
        assert!(twins.is_news("vscdb_backup", "/a/state.vscdb.backup", "y"));
        assert!(twins.is_news("vscdb_backup", "/b/state.vscdb.backup", "x"));
        assert!(twins.is_news("global_state", "/a/state.vscdb", "x"));
    }
}
