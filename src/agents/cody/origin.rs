//! Which store, program and account a row comes from: the columns behind the shared ones of every Cody table.

use super::accounts::Account;
use super::stores::StoreKind;
use super::value::ROW_KEY;
use crate::error::Error;
use crate::store::file;
use crate::store::find::Found;
use crate::table::{Place, Pointer, Source};
use crate::time::Time;
use std::path::PathBuf;
use std::sync::Arc;

crate::record! {
    /// Where a Cody row comes from.
    pub extra struct Origin {
        /// The account as stored, `<endpoint>-<user name>`; in the legacy XML the account's id. NULL for chats of before 2023-12, in exports and in settings.
        account_key: Option<Arc<str>>,
        /// The Sourcegraph instance in the account key, as spelled there. NULL where the key does not tell.
        endpoint: Option<Arc<str>>,
        /// The user name in the account key. NULL where the key does not tell.
        username: Option<Arc<str>>,
        /// The program that wrote the store, told from its path: `Code`, `Cursor`, `JetBrains`, `VisualStudio`, …. NULL for exports.
        product: Option<Arc<str>>,
        /// The kind of store: `vscdb`, `vscdb_backup` (older, and may hold chats deleted since), `global_state`, `export` or `legacy_xml`; for a settings file `settings` (an editor's), `cody_settings` or `cody_xml` (JetBrains).
        store: Option<&'static str>,
        /// 1 on a row of the legacy JetBrains XML whose copy the agent store also holds; 0 otherwise.
        is_secondary: Option<bool>,
    }
}

/// A store that was found.
#[derive(Debug)]
pub struct StoreFile {
    /// The file, as rows name it.
    pub place: Arc<Place>,
    /// The file, as it is opened.
    pub path: PathBuf,
    /// What it is.
    pub kind: StoreKind,
    /// The program that wrote it.
    pub product: Option<Arc<str>>,
}

impl StoreFile {
    /// The part of a file's rows that are Cody's, where the file may be another agent's store too.
    pub const PART: u32 = 1;

    /// The store that `found` says.
    pub fn new(found: &Found<StoreKind>) -> Arc<Self> {
        let product = found.kind.product(&found.path);
        Arc::new(Self { place: Arc::clone(&found.place), path: found.path.clone(), kind: found.kind, product })
    }

    /// The origin of rows of an account.
    pub fn origin(&self, account: &Account) -> Origin {
        let account = account.clone();
        Origin {
            account_key: account.key,
            endpoint: account.endpoint,
            username: account.username,
            product: self.product.clone(),
            store: Some(self.kind.word()),
            is_secondary: Some(false),
        }
    }

    /// Does the value hold other things than chats?
    pub fn is_state(&self) -> bool {
        matches!(self.kind, StoreKind::Vscdb | StoreKind::VscdbBackup)
    }

    /// The record of rows that belong to no chat: the row's key, where the file is not the record.
    pub fn record(&self) -> Option<Arc<str>> {
        self.is_state().then(|| Arc::from(ROW_KEY))
    }

    /// Something in the store, outside of any chat.
    pub fn source(&self, pointer: Pointer) -> Source {
        Source::new(&self.place, self.record()).at(pointer)
    }

    /// The store itself does not read.
    pub fn failed(&self, error: Error) -> Source {
        Source::new(&self.place, None).failed(error)
    }

    /// When the file was last written.
    pub fn modified(&self) -> Option<Time> {
        file::modified(&self.path)
    }
}
