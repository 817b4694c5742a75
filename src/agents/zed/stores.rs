//! Where Zed keeps its stores, on every platform that it runs on.
//!
//! All release channels share one data folder; only `db/0-<channel>` tells them apart. `*` in the Flatpak id stands for
//! the channel as well (`dev.zed.ZedPreview`).

use crate::error::Result;
use crate::store::find::{Found, Pattern, Places, find};
use crate::table::Scan;

/// What a store of Zed's is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreKind {
    /// `threads.db`: the threads of the native agent, one row each.
    ThreadsDb,
    /// `db.sqlite` of a release channel: sidebar, drafts, worktrees, trust.
    Db,
    /// `settings.json`, JSON with comments.
    Settings,
    /// `global_settings.json`, JSON with comments.
    GlobalSettings,
    /// `<title> - <n>.zed.json`: a text thread of 2023 to 2026.
    TextThread,
    /// A folder of the LMDB store that held threads until June 2025. Known, not read.
    LmdbThreads,
    /// A folder of the LMDB store that holds the user's prompts and rules. Known, not read.
    PromptLibrary,
    /// `agent-navigation-history.json`: the last threads that were opened, 2025. Known, not read.
    NavigationHistory,
    /// A user's folder of DeltaDB, the store of Zed's Delta. Known, not read.
    DeltaDb,
}

impl StoreKind {
    /// Every kind. Stores come in the order of [`PLACES`], whatever is asked for.
    pub const ALL: &[Self] = &[
        Self::ThreadsDb,
        Self::TextThread,
        Self::Db,
        Self::Settings,
        Self::GlobalSettings,
        Self::LmdbThreads,
        Self::PromptLibrary,
        Self::NavigationHistory,
        Self::DeltaDb,
    ];

    /// The word in `agent_sources`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ThreadsDb => "threads",
            Self::Db => "db",
            Self::Settings => "settings",
            Self::GlobalSettings => "global_settings",
            Self::TextThread => "text_thread",
            Self::LmdbThreads => "lmdb_threads",
            Self::PromptLibrary => "prompt_library",
            Self::NavigationHistory => "navigation_history",
            Self::DeltaDb => "delta_db",
        }
    }
}

/// `Kind "file" below "folder" "folder"…;` becomes one pattern a folder.
macro_rules! patterns {
    ($($kind:ident $file:literal below $($folder:literal)+;)+) => {
        &[ $( $( Pattern { kind: StoreKind::$kind, path: concat!($folder, $file) }, )+ )+ ]
    };
}

/// Everywhere.
pub static PLACES: Places<StoreKind> = Places {
    home: patterns! {
        ThreadsDb "/threads/threads.db" below "$FLATPAK_XDG_DATA_HOME/zed" "$XDG_DATA_HOME/zed" ".local/share/zed"
            ".var/app/dev.zed.Zed*/data/zed" "Library/Application Support/Zed" "$LOCALAPPDATA/Zed" "AppData/Local/Zed";
        TextThread "/conversations/*.zed.json" below "$FLATPAK_XDG_DATA_HOME/zed" "$XDG_DATA_HOME/zed" ".local/share/zed"
            ".var/app/dev.zed.Zed*/data/zed" "Library/Application Support/Zed" "$LOCALAPPDATA/Zed" "AppData/Local/Zed"
            // macOS keeps them with the configuration, and so did Linux until April 2024.
            "$FLATPAK_XDG_CONFIG_HOME/zed" "$XDG_CONFIG_HOME/zed" ".config/zed" ".var/app/dev.zed.Zed*/config/zed"
            // Since February 2026, where no older folder is.
            "$FLATPAK_XDG_STATE_HOME/zed" "$XDG_STATE_HOME/zed" ".local/state/zed" ".local/state/Zed"
            ".var/app/dev.zed.Zed*/.local/state/zed";
        Db "/db/0-*/db.sqlite" below "$FLATPAK_XDG_DATA_HOME/zed" "$XDG_DATA_HOME/zed" ".local/share/zed"
            ".var/app/dev.zed.Zed*/data/zed" "Library/Application Support/Zed" "$LOCALAPPDATA/Zed" "AppData/Local/Zed";
        Settings "/settings.json" below "$FLATPAK_XDG_CONFIG_HOME/zed" "$XDG_CONFIG_HOME/zed" ".config/zed"
            ".var/app/dev.zed.Zed*/config/zed" "$APPDATA/Zed" "AppData/Roaming/Zed";
        GlobalSettings "/global_settings.json" below "$FLATPAK_XDG_CONFIG_HOME/zed" "$XDG_CONFIG_HOME/zed" ".config/zed"
            ".var/app/dev.zed.Zed*/config/zed" "$APPDATA/Zed" "AppData/Roaming/Zed";
        LmdbThreads "/threads/threads-db.*.mdb" below "$FLATPAK_XDG_DATA_HOME/zed" "$XDG_DATA_HOME/zed"
            ".local/share/zed" ".var/app/dev.zed.Zed*/data/zed" "Library/Application Support/Zed" "$LOCALAPPDATA/Zed"
            "AppData/Local/Zed";
        PromptLibrary "/prompts/prompts-library-db.*.mdb" below "$FLATPAK_XDG_DATA_HOME/zed" "$XDG_DATA_HOME/zed"
            ".local/share/zed" ".var/app/dev.zed.Zed*/data/zed" "$LOCALAPPDATA/Zed" "AppData/Local/Zed"
            // macOS.
            ".config/zed";
        NavigationHistory "/agent-navigation-history.json" below "$FLATPAK_XDG_DATA_HOME/zed" "$XDG_DATA_HOME/zed"
            ".local/share/zed" ".var/app/dev.zed.Zed*/data/zed" "Library/Application Support/Zed" "$LOCALAPPDATA/Zed"
            "AppData/Local/Zed";
        // As it was seen by others: Delta documents no place.
        DeltaDb "" below "$DELTA_DATABASE_DIR/." ".local/share/delta/user_*" "Library/Application Support/delta/user_*";
    },
    // A data folder (of a fork, or of `--user-data-dir`, which holds its configuration too), one of its folders, or a
    // folder that simply holds such files.
    folder: patterns! {
        ThreadsDb "threads.db" below "threads/" "";
        // Under `config` on macOS, as below a home.
        TextThread "*.zed.json" below "conversations/" "config/conversations/" "";
        Db "db.sqlite" below "db/0-*/" "0-*/" "";
        Settings "settings.json" below "config/" "";
        GlobalSettings "global_settings.json" below "config/" "";
        LmdbThreads "threads-db.*.mdb" below "threads/" "";
        PromptLibrary "prompts-library-db.*.mdb" below "prompts/" "config/prompts/" "";
        NavigationHistory "agent-navigation-history.json" below "";
    },
};

/// The stores of some kinds below the scan's root, in the order of [`PLACES`], found as they are asked for.
pub fn stores(scan: &Scan, kinds: &'static [StoreKind]) -> Result<impl Iterator<Item = Found<StoreKind>> + use<>> {
    Ok(find(scan.root.as_ref(), &PLACES)?.of(kinds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    fn found(root: &Path) -> Vec<(StoreKind, String)> {
        let scan = Scan::all(Arc::default(), Some(Arc::from(root.to_str().unwrap())));
        let below = |path: &Path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        stores(&scan, StoreKind::ALL).unwrap().map(|store| (store.kind, below(&store.path))).collect()
    }

    /// A folder with these empty files.
    fn folder(name: &str, files: &[(StoreKind, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("agent-history-zed-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for (_, file) in files {
            fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
            fs::write(folder.join(file), "").unwrap();
        }
        folder.canonicalize().unwrap()
    }

    fn names(files: &[(StoreKind, &str)]) -> Vec<(StoreKind, String)> {
        files.iter().map(|(kind, file)| (*kind, file.trim_end_matches("/data.mdb").to_owned())).collect()
    }

    /// `--user-data-dir D` makes D the data folder, and `D/config` that of the configuration, on every platform.
    #[test]
    fn a_folder_of_the_users_choice_is_found() {
        let files = [
            (StoreKind::ThreadsDb, "threads/threads.db"),
            (StoreKind::TextThread, "conversations/Old - 1.zed.json"),
            (StoreKind::TextThread, "config/conversations/Mac - 1.zed.json"),
            (StoreKind::Db, "db/0-nightly/db.sqlite"),
            (StoreKind::Db, "db/0-stable/db.sqlite"),
            (StoreKind::Settings, "config/settings.json"),
            (StoreKind::GlobalSettings, "config/global_settings.json"),
            (StoreKind::LmdbThreads, "threads/threads-db.1.mdb/data.mdb"),
            (StoreKind::PromptLibrary, "prompts/prompts-library-db.0.mdb/data.mdb"),
            (StoreKind::PromptLibrary, "config/prompts/prompts-library-db.0.mdb/data.mdb"),
            (StoreKind::NavigationHistory, "agent-navigation-history.json"),
        ];
        assert_eq!(found(&folder("chosen", &files)), names(&files));
    }

    /// Z38: the layouts of every platform are found on any.
    #[test]
    fn every_layout_is_found() {
        let files = [
            (StoreKind::ThreadsDb, ".local/share/zed/threads/threads.db"),
            (StoreKind::ThreadsDb, ".var/app/dev.zed.Zed/data/zed/threads/threads.db"),
            (StoreKind::ThreadsDb, ".var/app/dev.zed.ZedPreview/data/zed/threads/threads.db"),
            (StoreKind::ThreadsDb, "Library/Application Support/Zed/threads/threads.db"),
            (StoreKind::ThreadsDb, "AppData/Local/Zed/threads/threads.db"),
            (StoreKind::TextThread, ".local/share/zed/conversations/Old - 1.zed.json"),
            (StoreKind::TextThread, ".config/zed/conversations/Old - 1.zed.json"),
            (StoreKind::TextThread, ".local/state/zed/conversations/Old - 1.zed.json"),
            (StoreKind::Db, ".local/share/zed/db/0-preview/db.sqlite"),
            (StoreKind::Db, ".local/share/zed/db/0-stable/db.sqlite"),
            (StoreKind::Settings, ".config/zed/settings.json"),
            (StoreKind::Settings, "AppData/Roaming/Zed/settings.json"),
            (StoreKind::GlobalSettings, ".config/zed/global_settings.json"),
            (StoreKind::LmdbThreads, ".local/share/zed/threads/threads-db.1.mdb/data.mdb"),
            (StoreKind::PromptLibrary, ".config/zed/prompts/prompts-library-db.0.mdb/data.mdb"),
        ];
        let home = folder("places", &files);
        assert_eq!(found(&home), names(&files));
        assert_eq!(found(&home.join(".local/share/zed")).len(), 5, "a data folder");
        assert_eq!(found(&home.join(".local/share/zed/threads")).len(), 2, "a folder that holds threads.db");
        assert_eq!(found(&home.join(".config/zed")).len(), 4, "a configuration folder");
        let db = home.join(".local/share/zed/db/0-stable/db.sqlite");
        assert_eq!(found(&db), [(StoreKind::Db, String::new())]);
    }
}
