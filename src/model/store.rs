//! A store that was looked for.

use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// How a store answers.
    pub enum StoreStatus {
        /// It reads; `errors` counts records that do not.
        Ok = "ok",
        /// It is there and holds no records, or nothing is there at all.
        Empty = "empty",
        /// Another program holds it in a way that allows no sound read.
        Locked = "locked",
        /// The store itself cannot be read.
        Corrupt = "corrupt",
        /// The operating system refuses.
        Unreadable = "unreadable",
        /// It is known, and not read.
        Unsupported = "unsupported",
    }
}

crate::record! {
    /// One store that was looked for and found, or an explanation why there is none.
    pub struct Store {
        /// The program whose store it is.
        [key] agent: &'static str,
        /// What the store is: `threads`, `db`, `settings`, `vscdb`, …. NULL where nothing was found.
        kind: Option<&'static str>,
        /// The file or folder; where nothing was found, the place that was searched.
        path: String,
        /// `ok`, `empty`, `locked`, `corrupt`, `unreadable` or `unsupported`.
        status: Option<StoreStatus>,
        /// Size of the file in bytes; of a folder, that of its data file.
        bytes: Option<i64>,
        /// UTC, fixed width: the file's modification time.
        modified_at: Option<Time>,
        /// SQLite stores: `wal`, `delete`, ….
        journal: Option<&'static str>,
        /// The format and its era, as far as it was told.
        format: Option<Arc<str>>,
        /// How many records it holds. Counted only when asked for.
        records: Option<i64>,
        /// How many of them did not decode. Counted only when asked for: it reads every record.
        errors: Option<i64>,
        /// What a user can do, or should know.
        hint: Option<Arc<str>>,
    }
}
