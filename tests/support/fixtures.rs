//! The homes that `fixtures/<agent>/<case>/` describe, built when asked for into `target/fixtures/<agent>/<case>/`.
//!
//! A home is built aside and moved into place whole, and only when its sources (or this builder, or the home itself)
//! changed, so any number of test processes can ask at once and none sees half a home.

use super::{Result, files_below, home, repository};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A change of the builder rebuilds every home.
const BUILDER: [&str; 4] =
    [include_str!("home.rs"), include_str!("database.rs"), include_str!("functions.rs"), include_str!("text.rs")];

/// The folder of the fixtures' sources.
pub fn sources() -> PathBuf {
    repository().join("fixtures")
}

/// The folder of the built homes: what `$F` stands for in golden files.
pub fn built() -> PathBuf {
    repository().join("target").join("fixtures")
}

/// Every fixture, as `<agent>/<case>`, sorted.
pub fn cases() -> Result<Vec<String>> {
    let files = files_below(&sources())?;
    let cases: BTreeSet<String> = files
        .iter()
        .filter_map(|file| {
            let mut parts = file.iter().filter_map(|part| part.to_str());
            let case = (parts.next()?, parts.next()?);
            parts.next().map(|_| format!("{}/{}", case.0, case.1))
        })
        .collect();
    Ok(cases.into_iter().collect())
}

/// The built home of the fixture `<agent>/<case>`.
pub fn home(case: &str) -> Result<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let layers = layers(case)?;
    let target = built().join(case);
    let stamp = built().join(".stamps").join(case.replace('/', "-"));
    let sources = fingerprint(&layers)?;
    if target.is_dir() && fs::read_to_string(&stamp).is_ok_and(|then| then == format!("{sources}{}", listing(&target)))
    {
        return Ok(target);
    }
    let aside = built().join(format!(".building-{}", std::process::id()));
    fs::remove_dir_all(&aside).ok();
    fs::create_dir_all(&aside)?;
    for layer in &layers {
        home::build(layer, &aside)?;
    }
    replace(&aside, &target)?;
    fs::create_dir_all(built().join(".stamps"))?;
    fs::write(stamp, format!("{sources}{}", listing(&target)))?;
    Ok(target)
}

/// Builds every fixture, and removes homes whose fixture is gone: `$F/*` must not find them.
pub fn all() -> Result<Vec<PathBuf>> {
    let homes: Vec<PathBuf> = cases()?.iter().map(|case| home(case)).collect::<Result<_>>()?;
    for agent in folders(&built()) {
        for stale in folders(&agent).into_iter().filter(|home| !homes.contains(home)) {
            fs::remove_dir_all(stale)?;
        }
    }
    Ok(homes)
}

/// The folders in a folder, but for hidden ones.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let is_shown = |path: &PathBuf| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    entries.filter(|path| path.is_dir()).filter(is_shown).collect()
}

/// Names, sizes and times: what shows that somebody wrote into a home.
fn listing(home: &Path) -> String {
    let files = files_below(home).unwrap_or_default();
    let line = |file: PathBuf| {
        let metadata = fs::metadata(home.join(&file)).ok();
        let time = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        format!("{} {:?} {time:?}\n", file.display(), metadata.map(|metadata| metadata.len()))
    };
    files.into_iter().map(line).collect()
}

/// The folders that make up a home: what the fixture includes, then its own.
fn layers(case: &str) -> Result<Vec<PathBuf>> {
    let source = sources().join(case);
    if !source.is_dir() {
        return Err(format!("there is no fixture {case} in {}", sources().display()).into());
    }
    let mut layers = Vec::new();
    for included in home::Settings::read(&source)?.includes {
        layers.push(sources().join(included));
    }
    layers.push(source);
    Ok(layers)
}

fn fingerprint(layers: &[PathBuf]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    BUILDER.hash(&mut hasher);
    for layer in layers {
        for file in files_below(layer)? {
            fs::read(layer.join(&file)).map_err(|e| format!("{}: {e}", file.display()))?.hash(&mut hasher);
            file.hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

/// Moves `aside` to `target`. Another process may do the same at the same moment with the same content; either wins.
fn replace(aside: &Path, target: &Path) -> Result<()> {
    let old = aside.with_extension("old");
    fs::create_dir_all(target.parent().ok_or("a home without a parent")?)?;
    fs::rename(target, &old).ok();
    let moved = fs::rename(aside, target);
    fs::remove_dir_all(&old).ok();
    match moved {
        Err(_) if target.is_dir() => Ok(fs::remove_dir_all(aside)?),
        other => Ok(other?),
    }
}

/// A line for every file and folder of the homes, with its size, time and content: equal before and after a scan.
pub fn snapshot(homes: &[PathBuf]) -> Result<String> {
    let mut lines = String::new();
    for home in homes {
        for file in files_below(home)? {
            let path = home.join(file);
            let (bytes, metadata) = (fs::read(&path)?, fs::metadata(&path)?);
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let time = metadata.modified()?.duration_since(std::time::UNIX_EPOCH)?;
            lines.push_str(&format!("{} {} {time:?} {:016x}\n", path.display(), bytes.len(), hasher.finish()));
        }
    }
    Ok(lines)
}
