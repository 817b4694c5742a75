//! What the test binaries and the demo runner share: homes built from `fixtures/`, golden files, other SQLite hosts.
#![allow(dead_code, reason = "every binary that includes this module uses a part of it")]

#[cfg(not(feature = "bundled"))]
compile_error!(
    "tests and examples link a SQLite of their own: make test, or cargo test --no-default-features --features bundled"
);

pub mod database;
pub mod fixtures;
pub mod functions;
pub mod grid;
pub mod home;
pub mod hosts;
pub mod readme;
pub mod rows;
pub mod script;
pub mod text;
pub mod zed_store;

use std::path::{Path, PathBuf};

/// Failures carry words, not types: a test or the runner prints them and stops.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The repository's root.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder`, sorted by path, as paths relative to it; nothing when there is no such folder.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop().filter(|next| next.is_dir()) {
        for entry in std::fs::read_dir(&next).map_err(|e| format!("{}: {e}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder)?.to_path_buf());
            }
        }
    }
    found.sort();
    Ok(found)
}
