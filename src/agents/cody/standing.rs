//! Settings files: which settings each one holds, how far they reach, since when.

use super::origin::StoreFile;
use super::settings::{self, Setting};
use super::stores::{StoreKind, stores};
use crate::error::Result;
use crate::store::find::Found;
use crate::store::{encoding, file};
use crate::table::{Scan, Source};
use crate::time::Time;
use std::path::Path;
use std::sync::Arc;

/// The files that hold settings.
const KINDS: &[StoreKind] = &[
    StoreKind::EditorSettings,
    StoreKind::WorkspaceSettings,
    StoreKind::ProjectSettings,
    StoreKind::FallbackSettings,
    StoreKind::IdeSettings,
];

/// A settings file is written by hand: real ones have some kilobytes.
const MAX_SETTINGS_BYTES: u64 = 16 << 20;

/// A settings file with what it says.
#[derive(Debug)]
pub struct Standing {
    /// The file.
    pub found: Found<StoreKind>,
    /// `user`, `project`, or `project_fallback` for JetBrains projects that have no folder.
    pub scope: &'static str,
    /// The project that it stands in.
    pub project: Option<Arc<str>>,
    /// When it was last changed.
    pub modified: Option<Time>,
    /// Its settings, or why it has none.
    pub settings: Result<Vec<Setting>>,
}

impl Standing {
    /// The file. A root may be a settings file that other agents look into as well: their rows are others.
    pub fn source(&self) -> Source {
        Source::new(&self.found.place, None).part(StoreFile::PART)
    }
}

/// The settings files below the scan's root that have to do with Cody: those with a setting of Cody's, and broken ones
/// that name one.
pub fn standing(scan: &Scan) -> Result<impl Iterator<Item = Standing> + use<>> {
    Ok(stores(scan, KINDS)?.filter_map(read))
}

/// What one file says; `None` where it has nothing to do with Cody.
pub fn read(found: Found<StoreKind>) -> Option<Standing> {
    let settings = match &found.problem {
        Some(problem) => Err(problem.clone()),
        None => match file::read(&found.path, MAX_SETTINGS_BYTES) {
            Ok(bytes) => settings_in(found.kind, &found.path, &bytes)?,
            // Most editors' settings say nothing about Cody, and nobody knows whether these do.
            Err(_) if is_editors(found.kind) => return None,
            Err(error) => Err(error),
        },
    };
    let (scope, project) = reach(found.kind, &found.path);
    Some(Standing { scope, project, modified: file::modified(&found.path), settings, found })
}

fn is_editors(kind: StoreKind) -> bool {
    matches!(kind, StoreKind::EditorSettings | StoreKind::WorkspaceSettings)
}

/// `None` for an editor's file that is broken and does not name a key of Cody's: it is somebody else's. So is a
/// workspace's without such a key, of which a home may have hundreds.
fn settings_in(kind: StoreKind, path: &Path, bytes: &[u8]) -> Option<Result<Vec<Setting>>> {
    let settings = encoding::decode(bytes).and_then(|text| match kind {
        _ if path.extension().is_some_and(|extension| extension == "code-workspace") => settings::of_workspace(&text),
        StoreKind::EditorSettings | StoreKind::WorkspaceSettings => settings::of_jsonc(&text),
        StoreKind::IdeSettings => settings::of_xml(&text),
        _ => settings::of_hocon(&text),
    });
    let names_a_key = || memchr::memmem::find(bytes, b"cody.").is_some();
    match settings {
        Err(_) if is_editors(kind) && !names_a_key() => None,
        Ok(settings) if kind == StoreKind::WorkspaceSettings && settings.is_empty() => None,
        settings => Some(settings),
    }
}

/// How far a file's settings reach, told by where it stands, and the project that it stands in.
fn reach(kind: StoreKind, path: &Path) -> (&'static str, Option<Arc<str>>) {
    let folder = path.parent();
    let is = |folder: Option<&Path>, name: &str| folder.and_then(Path::file_name).is_some_and(|found| found == name);
    let outer = folder.and_then(Path::parent);
    let spelled = |project: Option<&Path>| project.map(|project| project.to_string_lossy().into());
    match kind {
        StoreKind::WorkspaceSettings if !is(folder, ".vscode") => ("project", spelled(folder)),
        StoreKind::EditorSettings | StoreKind::WorkspaceSettings if is(folder, ".vscode") => ("project", spelled(outer)),
        StoreKind::EditorSettings | StoreKind::WorkspaceSettings | StoreKind::IdeSettings => ("user", None),
        _ if is(outer, ".idea") => ("project", spelled(outer.and_then(Path::parent))),
        _ => ("project_fallback", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_tells_how_far_a_file_reaches() {
        use StoreKind::{EditorSettings, FallbackSettings, IdeSettings, ProjectSettings, WorkspaceSettings};
        for (kind, path, scope, project) in [
            (EditorSettings, "/h/.config/Code/User/settings.json", "user", None),
            (EditorSettings, "/h/p/.vscode/settings.json", "project", Some("/h/p")),
            (WorkspaceSettings, "/h/p/.vscode/settings.json", "project", Some("/h/p")),
            (WorkspaceSettings, "/h/src/all.code-workspace", "project", Some("/h/src")),
            (ProjectSettings, "/h/p/.idea/.sourcegraph/cody_settings.json", "project", Some("/h/p")),
            (FallbackSettings, "/h/.sourcegraph/cody_settings.json", "project_fallback", None),
            (ProjectSettings, "/tmp/cody_settings.json", "project_fallback", None),
            (IdeSettings, "/h/.config/JetBrains/IdeaIC2024.1/options/cody.xml", "user", None),
        ] {
            assert_eq!(reach(kind, Path::new(path)), (scope, project.map(Into::into)), "{path}");
        }
    }

    #[test]
    fn a_broken_file_that_is_not_ours_says_nothing() {
        for (kind, text, is_ours) in [
            (StoreKind::EditorSettings, "{\"editor.fontSize\": ", false),
            (StoreKind::EditorSettings, "[1]", false),
            (StoreKind::EditorSettings, "\"\u{1}\"", false),
            (StoreKind::EditorSettings, "{\"cody.chat.agenticContext\": ", true),
            (StoreKind::WorkspaceSettings, "{\"editor.fontSize\": ", false),
            (StoreKind::WorkspaceSettings, "{\"cody.chat.agenticContext\": ", true),
            (StoreKind::ProjectSettings, "{\"a\": ", true),
            (StoreKind::IdeSettings, "<application>", true),
        ] {
            let settings = settings_in(kind, Path::new("x"), text.as_bytes());
            assert_eq!(settings.is_some_and(|settings| settings.is_err()), is_ours, "{text}");
        }
        assert!(settings_in(StoreKind::EditorSettings, Path::new("x"), b"{\"a\": \"\xFF\"}").is_none());
        assert!(settings_in(StoreKind::WorkspaceSettings, Path::new("x"), b"{\"editor.fontSize\": 12}").is_none());
    }
}
