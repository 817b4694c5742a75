//! The lines of what stands in files: model preferences and settings, at the file's time.

use super::{file_name, line, unreadable};
use crate::agents::cody::model_prefs::{self, ModelPref};
use crate::agents::cody::standing::{Standing, standing};
use crate::agents::cody::stores::StoreKind;
use crate::agents::cody::twins::Twins;
use crate::error::{Error, Kind, Result};
use crate::model::TimelineEntry;
use crate::table::{Rows, Scan};
use crate::text::Text;

/// A line a preferred model.
///
/// # Errors
/// The root does not exist.
pub fn preferences(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    let mut twins = Twins::default();
    Ok(Box::new(model_prefs::scan(scan)?.filter_map(move |pref| preference(pref, &mut twins))))
}

fn preference(pref: ModelPref, twins: &mut Twins) -> Option<TimelineEntry> {
    if pref.is_of_store() {
        // The lines of the store's chats tell of it.
        return None;
    }
    let is_row = matches!(pref.store, Some("vscdb" | "vscdb_backup"));
    // `None` where a file is the value.
    let key = pref.source.pointer.to_string().split('/').nth(1).map(ToOwned::to_owned).filter(|_| is_row);
    if let Some(error) = &pref.source.error {
        let name = key.as_deref().unwrap_or_else(|| file_name(&pref.source));
        let is_whole = pref.source.pointer.len() == usize::from(is_row);
        let text = if is_whole { not_an_object(error, &format!("{name} is not a JSON object")) } else { unreadable(error) };
        return Some(line(pref.source, text));
    }
    let model = pref.model.as_ref()?;
    let shown = |text: &Option<Text>| text.as_ref().map(ToString::to_string).unwrap_or_default();
    let endpoint = pref.endpoint.as_ref().map(|endpoint| format!(" endpoint={endpoint}")).unwrap_or_default();
    let from = key.map_or_else(String::new, |key| format!(" {key}"));
    let text = format!(
        "model setting: {}.{}={model}{endpoint} (from {}{from}, file mtime)",
        pref.origin?.as_str(),
        shown(&pref.usage),
        file_name(&pref.source),
    );
    let said = (shown(&pref.endpoint), shown(&pref.usage), pref.origin?.as_str(), shown(&pref.model));
    if !twins.is_news(pref.store.unwrap_or_default(), pref.source.path(), said) {
        return None;
    }
    Some(TimelineEntry {
        timestamp_utc: pref.timestamp_utc,
        timestamp_basis: pref.timestamp_basis,
        model: Some(model.to_str().into()),
        ..line(pref.source, text)
    })
}

/// A line a setting, a list in one.
///
/// # Errors
/// The root does not exist.
pub fn settings(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    Ok(Box::new(standing(scan)?.flat_map(setting_lines)))
}

fn setting_lines(standing: Standing) -> Vec<TimelineEntry> {
    let source = standing.source();
    let file = file_name(&source);
    let shared = TimelineEntry { project_path: standing.project.clone(), ..TimelineEntry::default() };
    match &standing.settings {
        Ok(settings) => {
            let lines = settings.iter().map(|setting| {
                let layer = setting.layer.as_ref().map(|layer| format!("{layer}.")).unwrap_or_default();
                let (key, value) = (&setting.key, setting.text());
                let text = format!("permission setting: {layer}{key}={value} (from {file}, file mtime)");
                TimelineEntry {
                    timestamp_utc: standing.modified,
                    timestamp_basis: standing.modified.map(|_| "file_mtime"),
                    project_path: shared.project_path.clone(),
                    ..line(source.at(setting.pointer.clone()), text)
                }
            });
            lines.collect()
        }
        Err(error) => {
            let what = match standing.found.kind {
                StoreKind::EditorSettings | StoreKind::WorkspaceSettings => format!("{file} is not a JSON object"),
                _ => format!("{file} did not parse ({})", error.what()),
            };
            let text = not_an_object(error, &what);
            vec![TimelineEntry { project_path: shared.project_path, ..line(source.failed(error.clone()), text) }]
        }
    }
}

fn not_an_object(error: &Error, what: &str) -> String {
    if error.kind() == Kind::Io { unreadable(error) } else { format!("parser: {what}") }
}
