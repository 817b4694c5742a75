//! What the fuzz targets start from, taken out of the fixtures: `make fuzz` lays it into `target/fuzz-seeds/<target>/`.

mod support;

use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use support::{Result, files_below, fixtures, repository};

/// What `make fuzz` reads at most (`-max_len`).
const MOST_BYTES: usize = 64 << 10;

/// Seeds of each target.
#[derive(Default)]
struct Seeds(BTreeMap<&'static str, BTreeSet<Vec<u8>>>);

impl Seeds {
    fn add(&mut self, target: &'static str, kind: Option<u8>, bytes: &[u8]) {
        let seed: Vec<u8> = kind.into_iter().chain(bytes.iter().copied()).collect();
        if seed.len() <= MOST_BYTES {
            self.0.entry(target).or_default().insert(seed);
        }
    }

    /// A file of a fixture's home, by its name. The kinds are those of the target's first byte.
    fn add_file(&mut self, path: &Path, bytes: &[u8]) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_below = |folder: &str| path.iter().any(|part| part == folder);
        match &*name {
            "cody-local-chatHistory-v2" => {
                self.add("cody", Some(0), bytes);
                self.add("json", None, bytes);
            }
            "cody_history.xml" => self.add("cody", Some(1), bytes),
            "settings.json" if is_below("zed") => self.add("settings", Some(1), bytes),
            "settings.json" => self.add("settings", Some(2), bytes),
            "cody_settings.json" => self.add("settings", Some(3), bytes),
            "cody.xml" => self.add("settings", Some(4), bytes),
            _ if name.starts_with("cody-chat-history") => self.add("cody", Some(3), bytes),
            _ if name.ends_with(".zed.json") => self.add("settings", Some(5), bytes),
            _ => {}
        }
        if name.ends_with(".xml") {
            self.add("xml", None, bytes);
        }
        if name.ends_with(".json") {
            self.add("settings", Some(0), bytes);
        }
        for (at, _) in String::from_utf8_lossy(bytes).match_indices("file://").take(20) {
            let rest = String::from_utf8_lossy(bytes.get(at..).unwrap_or_default()).into_owned();
            self.add("uris", None, rest.split(['"', '\\', ' ', '<']).next().unwrap_or_default().as_bytes());
        }
    }

    /// The documents of a Zed store, and the texts of a panel's; a damaged store gives what SQLite reads of it.
    fn add_store(&mut self, path: &Path) {
        let each = |sql: &str, take: &mut dyn FnMut(Vec<u8>)| {
            // Nothing may appear beside the fixture.
            let uri = format!("file:{}?immutable=1", path.display().to_string().replace(' ', "%20"));
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let Ok(db) = Connection::open_with_flags(uri, flags) else { return };
            let Ok(mut statement) = db.prepare(sql) else { return };
            let Ok(rows) = statement.query_map([], |row| row.get(0)) else { return };
            rows.flatten().for_each(take);
        };
        each("SELECT CAST(data AS BLOB) FROM threads", &mut |data| {
            self.add("thread", None, &data);
            self.add("zstd", None, &data);
            if let Ok(text) = zstd::decode_all(data.as_slice()) {
                self.add("json", None, &text);
            }
        });
        for (cell, column) in
            [(4, "folder_paths"), (5, "folder_paths_order"), (6, "remote_connection"), (2, "updated_at")]
        {
            let sql = format!("SELECT CAST({column} AS BLOB) FROM sidebar_threads WHERE {column} IS NOT NULL");
            each(&sql, &mut |text| {
                self.add("panel", Some(cell), &text);
                self.add("uris", None, &text);
            });
        }
        each("SELECT CAST(value AS BLOB) FROM scoped_kv_store", &mut |text| self.add("panel", Some(7), &text));
        each("SELECT CAST(key AS BLOB) FROM scoped_kv_store", &mut |text| self.add("panel", Some(8), &text));
        each("SELECT CAST(value AS BLOB) FROM ItemTable WHERE key LIKE 'sourcegraph%'", &mut |value| {
            self.add("json", None, &value);
        });
    }

    /// A log and a journal as SQLite writes them, of the store that the targets lay them over.
    fn add_sidecars(&mut self) -> Result<()> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("seeds");
        fs::create_dir_all(&folder)?;
        let script = fs::read_to_string(repository().join("fuzz/store.sql"))?;
        for (target, mode, suffix) in [("wal", "wal", "-wal"), ("journal", "delete", "-journal")] {
            let path = folder.join(target);
            fs::remove_file(&path).ok();
            let db = Connection::open(&path)?;
            db.execute_batch(&script)?;
            db.pragma_update(None, "journal_mode", mode)?;
            let many = "UPDATE t SET b = b || 'x' WHERE a > 20";
            for sql in
                ["PRAGMA cache_size = 1", "BEGIN", "DELETE FROM t WHERE a < 9", many, "INSERT INTO t SELECT * FROM t"]
            {
                db.execute_batch(sql)?;
                let sidecar = fs::read(path.with_file_name(format!("{target}{suffix}"))).unwrap_or_default();
                self.add(target, Some(0), &sidecar);
                self.add(target, Some(7), &sidecar);
                if sql != "BEGIN" && mode == "wal" {
                    db.execute_batch("COMMIT; BEGIN").ok();
                }
            }
        }
        self.add("database", None, &[0; 4096]);
        Ok(())
    }
}

fn seeds() -> Result<Seeds> {
    let mut seeds = Seeds::default();
    for home in fixtures::all()? {
        for file in files_below(&home)? {
            let path = home.join(file);
            seeds.add_file(&path, &fs::read(&path)?);
            seeds.add_store(&path);
        }
    }
    seeds.add_sidecars()?;
    for golden in files_below(&repository().join("tests/sql/plans"))? {
        let text = fs::read_to_string(repository().join("tests/sql/plans").join(golden))?;
        for line in text.lines() {
            let plan = line.split_once("VIRTUAL TABLE INDEX ").and_then(|(_, plan)| plan.split_once(':'));
            if let Some((_, plan)) = plan {
                seeds.add("plan", None, plan.split('\'').next().unwrap_or_default().as_bytes());
            }
        }
    }
    for time in
        ["2026-03-01T09:01:05.123+01:00", "Sun, 01 Mar 2026 09:01:05 GMT", "2026-03-01 09:01:05", "1772355665123"]
    {
        seeds.add("uris", None, time.as_bytes());
    }
    seeds.add("cody", Some(2), br#"{"https://sourcegraph.com/":{"defaults":{"chat":"a"},"selected":{"chat":"b"}}}"#);
    Ok(seeds)
}

#[test]
fn every_fuzz_target_has_seeds() -> Result<()> {
    let seeds = seeds()?;
    let manifest = fs::read_to_string(repository().join("fuzz/Cargo.toml"))?;
    let folder = repository().join("target/fuzz-seeds");
    fs::remove_dir_all(&folder).ok();
    for target in files_below(&repository().join("fuzz/fuzz_targets"))? {
        let target = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "fuzz/Cargo.toml lacks {target}");
        let of_target = seeds.0.get(target.as_str()).ok_or_else(|| format!("no seed for {target}"))?;
        fs::create_dir_all(folder.join(&target))?;
        for (number, seed) in of_target.iter().enumerate() {
            fs::write(folder.join(&target).join(format!("{number:04}")), seed)?;
        }
        println!("{target}: {} seeds", of_target.len());
    }
    Ok(())
}
