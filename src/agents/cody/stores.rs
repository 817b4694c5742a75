//! Where Cody's clients keep their stores, on every platform that they run on.
//!
//! The VS Code family is found by its layout, not by a list of names: whatever stands in front of
//! `User/globalStorage/state.vscdb` is the product, so a fork that nobody has heard of is read as well. The editor's
//! own environment variables count for the user's own home only.

use crate::error::Result;
use crate::store::find::{Found, Pattern, Places, find};
use crate::table::Scan;
use std::path::{Component, Path};
use std::sync::{Arc, LazyLock};

/// What a store of Cody's is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreKind {
    /// `state.vscdb` of an editor or of one of its profiles.
    Vscdb,
    /// `state.vscdb.backup`, which the editor writes when it closes: older, and it may hold chats deleted since.
    VscdbBackup,
    /// `cody-local-chatHistory-v2` or `cody-local-chatHistory` in the agent's `<client>-globalState` folder.
    History,
    /// Another file of that folder whose key is read: preferences, endpoints, frequently used items.
    Member,
    /// What an interrupted save left of a history file. Known, not read.
    LeftOver,
    /// A chat export, or any JSON file that may be one.
    Export,
    /// `cody_history.xml` of the JetBrains plugin before it ran the agent.
    LegacyXml,
    /// An editor's `settings.json`, JSON with comments.
    EditorSettings,
    /// The settings of a folder or workspace that an editor opens: `.vscode/settings.json`, or in a `*.code-workspace`.
    WorkspaceSettings,
    /// A JetBrains project's `.idea/.sourcegraph/cody_settings.json`, HOCON.
    ProjectSettings,
    /// `~/.sourcegraph/cody_settings.json`, for JetBrains projects without a folder.
    FallbackSettings,
    /// A JetBrains IDE's `options/cody.xml`, which holds HOCON.
    IdeSettings,
    /// `Cody.EditCode.History.json` of the Visual Studio client.
    EditInstructions,
    /// The data folder of an editor that runs in a browser, where the chats are. Known, not read.
    Browser,
    /// What Cody leaves on a machine whose editor runs elsewhere: a search index. Known, not read.
    Remote,
}

impl StoreKind {
    /// Every kind. Stores come in the order of [`PLACES`], whatever is asked for.
    pub const ALL: &[Self] = &[
        Self::Vscdb,
        Self::VscdbBackup,
        Self::History,
        Self::Member,
        Self::LeftOver,
        Self::Export,
        Self::LegacyXml,
        Self::EditorSettings,
        Self::WorkspaceSettings,
        Self::ProjectSettings,
        Self::FallbackSettings,
        Self::IdeSettings,
        Self::EditInstructions,
        Self::Browser,
        Self::Remote,
    ];

    /// The word in `agent_sources`, and in the `store` column of rows that come from such a store.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vscdb => "vscdb",
            Self::VscdbBackup => "vscdb_backup",
            Self::History | Self::Member => "global_state",
            Self::LeftOver => "left_over",
            Self::Export => "export",
            Self::LegacyXml => "legacy_xml",
            Self::EditorSettings | Self::WorkspaceSettings => "settings",
            Self::ProjectSettings | Self::FallbackSettings => "cody_settings",
            Self::IdeSettings => "cody_xml",
            Self::EditInstructions => "edit_history",
            Self::Browser => "browser",
            Self::Remote => "remote",
        }
    }

    /// The program that wrote the store, told from its path; `None` where the path does not tell.
    ///
    /// For the VS Code family it is the name of the data folder (`Code - Insiders`), for an agent client the name in
    /// front of `-globalState`.
    pub fn product(self, path: &Path) -> Option<Arc<str>> {
        let in_folder = || path.parent().is_some_and(|folder| folder.ends_with(".vscode"));
        match self {
            Self::EditorSettings if in_folder() => None,
            Self::Vscdb | Self::VscdbBackup | Self::EditorSettings => editor(path),
            Self::History | Self::Member | Self::LeftOver => {
                let folder = path.parent()?.file_name()?.to_str()?;
                folder.strip_suffix("-globalState").map(Arc::from)
            }
            Self::LegacyXml | Self::ProjectSettings | Self::FallbackSettings | Self::IdeSettings => {
                Some("JetBrains".into())
            }
            Self::EditInstructions => Some("VisualStudio".into()),
            Self::WorkspaceSettings | Self::Export | Self::Browser | Self::Remote => None,
        }
    }
}

/// The folder in front of `User`; for a portable installation (`<editor>/data/user-data/User`) the editor's own.
fn editor(path: &Path) -> Option<Arc<str>> {
    let names: Vec<&str> = path.components().filter_map(name_of).collect();
    let user = names.iter().rposition(|name| *name == "User" || *name == "Machine")?;
    let mut before = names.get(..user)?.iter().rev().filter(|name| !matches!(**name, "user-data" | "data"));
    match before.next()? {
        &"code-portable-data" => Some("Code".into()),
        name => Some(Arc::from(*name)),
    }
}

fn name_of(component: Component<'_>) -> Option<&str> {
    match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    }
}

/// `Kind "file" below "folder" "folder"…` is one pattern a folder.
macro_rules! patterns {
    ($($kind:ident $file:literal below $($folder:literal)+;)+) => {
        [ $( $( Pattern { kind: StoreKind::$kind, path: concat!($folder, $file) }, )+ )+ ].as_slice()
    };
}

/// Below every folder that holds the data of an editor of the VS Code family.
macro_rules! in_editors {
    ($($kind:ident $file:literal;)+) => {
        patterns! { $( $kind $file below
            "$VSCODE_PORTABLE/user-data/" "$VSCODE_APPDATA/*/" "$XDG_CONFIG_HOME/*/" ".config/*/"
            "Library/Application Support/*/" "$APPDATA/*/" "AppData/Roaming/*/"
            ".var/app/*/config/*/" "snap/*/common/.config/*/" "snap/*/current/.config/*/"
            "code-portable-data/user-data/" "*/code-portable-data/user-data/" "*/data/user-data/"
            "*/*/data/user-data/"; )+ }
    };
}

/// In every data folder of the agent, which `env-paths` places.
macro_rules! in_agents {
    ($($kind:ident $file:literal;)+) => {
        patterns! { $( $kind $file below
            "$XDG_DATA_HOME/Cody-nodejs/*-globalState/" ".local/share/Cody-nodejs/*-globalState/"
            ".var/app/*/data/Cody-nodejs/*-globalState/"
            "Library/Application Support/Cody-nodejs/*-globalState/"
            "$LOCALAPPDATA/Cody-nodejs/Data/*-globalState/" "AppData/Local/Cody-nodejs/Data/*-globalState/"; )+ }
    };
}

/// Where somebody's downloads end up.
macro_rules! in_downloads {
    ($($kind:ident $file:literal;)+) => {
        patterns! { $( $kind $file below "Downloads/" "Documents/" "Desktop/"; )+ }
    };
}

/// In the settings folder of every JetBrains IDE.
macro_rules! in_ides {
    ($($kind:ident $file:literal;)+) => {
        patterns! { $( $kind $file below
            "$XDG_CONFIG_HOME/JetBrains/*/options/" "$XDG_CONFIG_HOME/Google/*/options/"
            ".config/JetBrains/*/options/" ".config/Google/*/options/"
            "Library/Application Support/JetBrains/*/options/" "Library/Application Support/Google/*/options/"
            "$APPDATA/JetBrains/*/options/" "$APPDATA/Google/*/options/"
            "AppData/Roaming/JetBrains/*/options/" "AppData/Roaming/Google/*/options/"
            ".var/app/*/config/JetBrains/*/options/" ".var/app/*/config/Google/*/options/"; )+ }
    };
}

/// In the home's folders, and in theirs: projects that lie deeper are found by pointing `root` at them.
macro_rules! in_projects {
    ($($kind:ident $file:literal;)+) => {
        patterns! { $( $kind $file below "" "*/" "*/*/"; )+ }
    };
}

fn home() -> Vec<Pattern<StoreKind>> {
    [
        in_editors! {
            Vscdb "User/globalStorage/state.vscdb";
            Vscdb "User/profiles/*/globalStorage/state.vscdb";
            VscdbBackup "User/globalStorage/state.vscdb.backup";
            VscdbBackup "User/profiles/*/globalStorage/state.vscdb.backup";
        },
        in_agents! {
            History "cody-local-chatHistory-v2";
            History "cody-local-chatHistory";
            LeftOver "cody-local-chatHistory-v2.*";
            Member "cody-model-preferences";
            Member "model-preferences";
            Member "model";
            Member "chat";
            Member "editModel";
            Member "autocomplete";
            Member "default*Model";
            Member "cody-frequently-used-items%3A*";
        },
        in_downloads! {
            Export "cody-chat-history-*.json";
            Export "cody-all-chats-*.json";
        },
        in_ides! { LegacyXml "cody_history.xml"; },
        in_projects! { LegacyXml ".idea/cody_history.xml"; },
        in_editors! {
            EditorSettings "User/settings.json";
            EditorSettings "User/profiles/*/settings.json";
        },
        patterns! {
            EditorSettings "User/settings.json" below ".local/share/code-server/";
            EditorSettings "data/Machine/settings.json" below ".*-server/" ".*-server-*/";
            FallbackSettings "cody_settings.json" below ".sourcegraph/";
        },
        in_projects! {
            WorkspaceSettings ".vscode/settings.json";
            WorkspaceSettings "*.code-workspace";
        },
        in_projects! { ProjectSettings ".idea/.sourcegraph/cody_settings.json"; },
        in_ides! { IdeSettings "cody.xml"; },
        in_projects! { EditInstructions ".vs/Cody.EditCode.History.json"; },
        patterns! {
            Browser "User/globalStorage/sourcegraph.cody-ai" below ".local/share/code-server/";
            Remote "data/User/globalStorage/sourcegraph.cody-ai" below ".*-server/" ".*-server-*/";
        },
    ]
    .concat()
}

/// A folder that simply holds such files: a user-data folder, a `User` folder, a `-globalState` folder, a project.
fn folder() -> Vec<Pattern<StoreKind>> {
    [
        patterns! {
            Vscdb "state.vscdb" below "data/user-data/User/globalStorage/" "User/globalStorage/" "globalStorage/" "";
            Vscdb "globalStorage/state.vscdb" below "data/user-data/User/profiles/*/" "User/profiles/*/" "profiles/*/";
            VscdbBackup "state.vscdb.backup" below "data/user-data/User/globalStorage/" "User/globalStorage/"
                "globalStorage/" "";
            VscdbBackup "globalStorage/state.vscdb.backup" below "data/user-data/User/profiles/*/" "User/profiles/*/"
                "profiles/*/";
            Vscdb "*.vscdb" below "";
            VscdbBackup "*.vscdb.backup" below "";
        },
        patterns! {
            History "cody-local-chatHistory-v2" below "*-globalState/" "";
            History "cody-local-chatHistory" below "*-globalState/" "";
            LeftOver "cody-local-chatHistory-v2.*" below "*-globalState/" "";
            Member "cody-model-preferences" below "*-globalState/" "";
            Member "model-preferences" below "*-globalState/" "";
            Member "model" below "*-globalState/";
            Member "chat" below "*-globalState/";
            Member "editModel" below "*-globalState/" "";
            Member "autocomplete" below "*-globalState/";
            Member "default*Model" below "*-globalState/" "";
            Member "cody-frequently-used-items%3A*" below "*-globalState/" "";
        },
        patterns! {
            LegacyXml "cody_history.xml" below ".idea/" "options/" "";
            EditorSettings "settings.json" below "data/user-data/User/" "User/" "User/profiles/*/" "profiles/*/"
                "data/Machine/" "";
            WorkspaceSettings "settings.json" below ".vscode/";
            WorkspaceSettings "*.code-workspace" below "";
            ProjectSettings "cody_settings.json" below ".idea/.sourcegraph/" "";
            IdeSettings "cody.xml" below "options/" "";
            EditInstructions "Cody.EditCode.History.json" below ".vs/" "";
            Export "*.json" below "";
        },
    ]
    .concat()
}

/// Everywhere.
pub static PLACES: LazyLock<Places<StoreKind>> =
    LazyLock::new(|| Places { home: home().leak(), folder: folder().leak() });

/// The stores of some kinds below the scan's root, found as they are asked for.
///
/// # Errors
/// The root does not exist.
pub fn stores(scan: &Scan, kinds: &'static [StoreKind]) -> Result<Box<dyn Iterator<Item = Found<StoreKind>>>> {
    let finder = find(scan.root.as_ref(), &PLACES)?;
    if scan.root.as_deref().is_some_and(|root| Path::new(root).is_file()) {
        // Whoever names what a save left wants to read it.
        let named = |found: Found<StoreKind>| match found.kind {
            StoreKind::LeftOver => Found { kind: StoreKind::History, ..found },
            _ => found,
        };
        return Ok(Box::new(finder.map(named).filter(|found| kinds.contains(&found.kind))));
    }
    Ok(Box::new(finder.of(kinds).filter(|found| found.problem.is_none() || is_news(found))))
}

/// Most patterns look into folders that have nothing to do with Cody, and that one of these may not be entered says
/// nothing about Cody. It is told of the agent's own folders and of editors that are known.
fn is_news(found: &Found<StoreKind>) -> bool {
    const EDITORS: [&str; 10] =
        ["Code", "VSCodium", "Cursor", "Windsurf", "Devin", "Positron", "Trae", "Kiro", "PearAI", "Antigravity"];
    match found.kind {
        StoreKind::History | StoreKind::Member => true,
        StoreKind::Vscdb => {
            let product = found.kind.product(&found.path);
            product.is_some_and(|product| EDITORS.contains(&product.split(" - ").next().unwrap_or_default()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn made(name: &str, files: &[&str]) -> std::path::PathBuf {
        let home = std::env::temp_dir().join(format!("agent-history-cody-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        for file in files {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), "").unwrap();
        }
        home.canonicalize().unwrap()
    }

    fn found(root: &Path) -> Vec<(StoreKind, String, Option<String>)> {
        let scan = Scan::all(Arc::default(), Some(Arc::from(root.to_str().unwrap())));
        let row = |store: Found<StoreKind>| {
            let below = store.path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (store.kind, below, store.kind.product(&store.path).map(|product| product.to_string()))
        };
        stores(&scan, StoreKind::ALL).unwrap().map(row).collect()
    }

    /// K01, K07: the layouts of every platform are found on any, each with its product.
    #[test]
    fn every_layout_is_found() {
        use StoreKind::*;
        let want = [
            (Vscdb, ".config/Code - Insiders/User/globalStorage/state.vscdb", Some("Code - Insiders")),
            (Vscdb, ".config/Cursor/User/globalStorage/state.vscdb", Some("Cursor")),
            (Vscdb, "Library/Application Support/Code/User/globalStorage/state.vscdb", Some("Code")),
            (Vscdb, "AppData/Roaming/Code/User/globalStorage/state.vscdb", Some("Code")),
            (Vscdb, ".var/app/com.visualstudio.code/config/Code/User/globalStorage/state.vscdb", Some("Code")),
            (Vscdb, "snap/code/common/.config/Code/User/globalStorage/state.vscdb", Some("Code")),
            (Vscdb, "code-portable-data/user-data/User/globalStorage/state.vscdb", Some("Code")),
            (Vscdb, "VSCodium-x64/data/user-data/User/globalStorage/state.vscdb", Some("VSCodium-x64")),
            (Vscdb, ".config/Code - Insiders/User/profiles/2f/globalStorage/state.vscdb", Some("Code - Insiders")),
            (VscdbBackup, ".config/Cursor/User/globalStorage/state.vscdb.backup", Some("Cursor")),
            (History, ".local/share/Cody-nodejs/eclipse-globalState/cody-local-chatHistory-v2", Some("eclipse")),
            (
                History,
                "Library/Application Support/Cody-nodejs/JetBrains-globalState/cody-local-chatHistory-v2",
                Some("JetBrains"),
            ),
            (
                History,
                "AppData/Local/Cody-nodejs/Data/VisualStudio-globalState/cody-local-chatHistory-v2",
                Some("VisualStudio"),
            ),
            (LeftOver, ".local/share/Cody-nodejs/eclipse-globalState/cody-local-chatHistory-v2.28", Some("eclipse")),
            (Member, ".local/share/Cody-nodejs/eclipse-globalState/cody-model-preferences", Some("eclipse")),
            (
                Member,
                ".local/share/Cody-nodejs/eclipse-globalState/cody-frequently-used-items%3Ahttps",
                Some("eclipse"),
            ),
            (Export, "Downloads/cody-chat-history-2024-11-20T08-00-00.json", None),
            (LegacyXml, ".config/JetBrains/IdeaIC2024.1/options/cody_history.xml", Some("JetBrains")),
            (LegacyXml, "proj/.idea/cody_history.xml", Some("JetBrains")),
            (LegacyXml, "src/proj/.idea/cody_history.xml", Some("JetBrains")),
            (EditorSettings, ".config/Cursor/User/settings.json", Some("Cursor")),
            (EditorSettings, ".config/Cursor/User/profiles/2f/settings.json", Some("Cursor")),
            (EditorSettings, ".trae-server/data/Machine/settings.json", Some(".trae-server")),
            (EditorSettings, ".vscode-server-insiders/data/Machine/settings.json", Some(".vscode-server-insiders")),
            (FallbackSettings, ".sourcegraph/cody_settings.json", Some("JetBrains")),
            (WorkspaceSettings, "src/proj/.vscode/settings.json", None),
            (WorkspaceSettings, "src/all.code-workspace", None),
            (ProjectSettings, "src/proj/.idea/.sourcegraph/cody_settings.json", Some("JetBrains")),
            (IdeSettings, ".config/JetBrains/IdeaIC2024.1/options/cody.xml", Some("JetBrains")),
            (EditInstructions, "proj/.vs/Cody.EditCode.History.json", Some("VisualStudio")),
            (Browser, ".local/share/code-server/User/globalStorage/sourcegraph.cody-ai", None),
            (Remote, ".vscode-server/data/User/globalStorage/sourcegraph.cody-ai", None),
        ];
        let home = made("layouts", &want.map(|(_, file, _)| file));
        let want = want.map(|(kind, file, product)| (kind, file.to_owned(), product.map(str::to_owned)));
        assert_eq!(found(&home), want);
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_root_may_be_a_folder_or_a_file() {
        use StoreKind::*;
        let chats = "JetBrains-globalState/cody-local-chatHistory-v2";
        let home = made("roots", &[chats, "Code/User/globalStorage/state.vscdb", "old.json", "copy.vscdb",
            "p/.vscode/settings.json", "p/a.code-workspace"]);
        let kinds = |root: &str| found(&home.join(root)).into_iter().map(|(kind, ..)| kind).collect::<Vec<_>>();
        let want = [Vscdb, History, Export, WorkspaceSettings, WorkspaceSettings];
        assert_eq!(kinds(""), want, "copy.vscdb, the agent's folder, old.json, below p");
        assert_eq!(kinds("JetBrains-globalState"), [History]);
        assert_eq!(kinds(chats), [History]);
        assert_eq!(kinds("Code"), [Vscdb]);
        assert_eq!(kinds("Code/User"), [Vscdb]);
        assert_eq!(kinds("Code/User/globalStorage/state.vscdb"), [Vscdb]);
        assert_eq!(kinds("copy.vscdb"), [Vscdb]);
        assert_eq!(kinds("old.json"), [Export]);
        assert_eq!(kinds("p"), [WorkspaceSettings, WorkspaceSettings]);
        assert_eq!(kinds("p/.vscode/settings.json"), [EditorSettings]);
        assert_eq!(kinds("p/a.code-workspace"), [WorkspaceSettings]);
        fs::remove_dir_all(home).unwrap();
    }
}
