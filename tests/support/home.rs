//! Builds one fake home directory from the text files of a fixture.
//!
//! | in the fixture | in the home |
//! |---|---|
//! | `X.sql` | the SQLite file `X` (see [`super::database`]) |
//! | `X.pretty.json` | `X`, the JSON without white space, as programs write it |
//! | `X.hex` | `X`, the bytes of a hex dump |
//! | `*.doc.*` | nothing: a document that a script reads with `zstd_file` and its like |
//! | `.gitkeep` | its folder, empty |
//! | `fixture.txt` | nothing: see [`Settings`] |
//! | any other file | itself |

use super::{Result, database, files_below, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The time stamp of every built file that `fixture.txt` does not name.
pub const MODIFIED: &str = "2026-03-02T00:00:00Z";

/// What `fixture.txt` in a fixture's root says, a line each:
/// `include zed/seed` lays this fixture over that one, `mtime 2026-03-01T12:00:00Z .config/zed/settings.json` sets a
/// built file's time.
#[derive(Debug, Default)]
pub struct Settings {
    /// Fixtures that are built into the same home before this one.
    pub includes: Vec<String>,
    mtimes: Vec<(SystemTime, PathBuf)>,
}

impl Settings {
    /// The settings of the fixture in `source`; empty where there is no `fixture.txt`.
    pub fn read(source: &Path) -> Result<Self> {
        let path = source.join("fixture.txt");
        let mut settings = Self::default();
        if !path.exists() {
            return Ok(settings);
        }
        let lines = fs::read_to_string(&path)?;
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.splitn(3, ' ').collect::<Vec<_>>().as_slice() {
                ["include", case] => settings.includes.push((*case).to_owned()),
                ["mtime", stamp, file] => settings.mtimes.push((text::parse_time(stamp)?, file.into())),
                _ => return Err(format!("{}: unknown line `{line}`", path.display()).into()),
            }
        }
        Ok(settings)
    }
}

/// Builds the fixture in the folder `source` into the existing folder `home`.
pub fn build(source: &Path, home: &Path) -> Result<()> {
    let settings = Settings::read(source)?;
    for file in files_below(source)? {
        build_file(source, &file, home).map_err(|e| format!("{}: {e}", source.join(&file).display()))?;
    }
    for file in files_below(home)? {
        let named = settings.mtimes.iter().find(|(_, name)| *name == file);
        let time = named.map_or_else(|| text::parse_time(MODIFIED), |(time, _)| Ok(*time))?;
        fs::File::options().append(true).open(home.join(&file))?.set_modified(time)?;
    }
    match settings.mtimes.iter().find(|(_, file)| !home.join(file).exists()) {
        Some((_, file)) => Err(format!("{}: fixture.txt names {}", source.display(), file.display()).into()),
        None => Ok(()),
    }
}

fn build_file(source: &Path, file: &Path, home: &Path) -> Result<()> {
    let name = file.file_name().and_then(|name| name.to_str()).ok_or("a file name that is not UTF-8")?;
    if file == Path::new("fixture.txt") || name.contains(".doc.") {
        return Ok(());
    }
    let from = source.join(file);
    let target = |name: &str| home.join(file).with_file_name(name);
    fs::create_dir_all(target(name).parent().ok_or("a file without a folder")?)?;
    if name == ".gitkeep" {
        return Ok(());
    }
    if let Some(name) = name.strip_suffix(".sql") {
        let folder = from.parent().ok_or("a file without a folder")?;
        // An included fixture may have built this file already: the later one counts.
        fs::remove_file(target(name)).ok();
        return database::build(&fs::read_to_string(&from)?, folder, &target(name));
    }
    let (name, bytes) = if let Some(name) = name.strip_suffix(".pretty.json") {
        (name, text::compact_json(&fs::read_to_string(&from)?).into_bytes())
    } else if let Some(name) = name.strip_suffix(".hex") {
        (name, text::parse_hex(&fs::read_to_string(&from)?)?)
    } else {
        (name, fs::read(&from)?)
    };
    fs::write(target(name), bytes)?;
    Ok(())
}
