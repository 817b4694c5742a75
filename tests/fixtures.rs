//! The fixtures' builder: that text becomes the stores it says, in the states it says.

mod support;

use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::{Path, PathBuf};
use support::{Result, database, fixtures, functions, text};

/// A folder for one test, emptied.
fn folder(name: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures-test").join(name);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    Ok(support::files_below(folder)?.iter().map(|path| path.display().to_string()).collect())
}

/// What SQLite reads in a copy of the store, its journals beside it.
fn numbers(folder: &Path) -> Result<Vec<i64>> {
    let db = Connection::open(folder.join("x.db"))?;
    let mut statement = db.prepare("SELECT n FROM t ORDER BY n")?;
    let numbers = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(numbers)
}

const TABLE: &str = "CREATE TABLE t(n INTEGER, filler TEXT);\n\
     WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500) INSERT INTO t SELECT n, repeated('x', 90) FROM c;\n";

#[test]
fn every_fixture_builds_and_is_built_anew_when_somebody_wrote_into_it() -> Result<()> {
    let cases = fixtures::cases()?;
    assert!(cases.contains(&"zed/seed".to_owned()) && cases.contains(&"cody/seed".to_owned()), "{cases:?}");
    for case in cases {
        let home = fixtures::home(&case).map_err(|e| format!("{case}: {e}"))?;
        assert!(home.ends_with(&case));
        assert_eq!(names(&home)?.iter().find(|name| name.ends_with(".sql") || name.contains(".doc.")), None, "{case}");
    }
    let sidecar = fixtures::home("demo/home")?.join("web").join("left-behind");
    fs::write(&sidecar, "")?;
    assert!(fixtures::home("demo/home")?.is_dir() && !sidecar.exists());
    Ok(())
}

#[test]
fn the_seed_of_zed_is_a_store_as_zed_writes_it() -> Result<()> {
    let home = fixtures::home("zed/seed")?;
    let data = home.join(".local/share/zed");
    let db = Connection::open_with_flags(data.join("threads/threads.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let blob: Vec<u8> = db.query_row("SELECT data FROM threads WHERE id LIKE '%-000000000001'", [], |r| r.get(0))?;
    assert_eq!(blob.get(..6), Some(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58][..]), "no content size, no checksum");
    let document = String::from_utf8(zstd::stream::decode_all(blob.as_slice())?)?;
    let source = fixtures::sources().join("zed/seed/.local/share/zed/threads/fix-flaky-test.doc.json");
    let want: serde_json::Value = serde_json::from_str(&fs::read_to_string(source)?)?;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&document)?, want);
    assert!(document.starts_with(r#"{"version":"0.3.0","title":"Fix flaky test","#), "{document}");
    let sidebar = fs::read(data.join("db/0-stable/db.sqlite"))?;
    assert_eq!(sidebar.get(18..20), Some(&[2, 2][..]), "WAL mode");
    assert_eq!(names(&data)?, ["db/0-stable/db.sqlite", "threads/threads.db"]);
    Ok(())
}

#[test]
fn built_files_carry_the_pinned_time() -> Result<()> {
    let home = fixtures::home("zed/seed")?;
    for file in support::files_below(&home)? {
        let want = text::parse_time("2026-03-02T00:00:00Z")?;
        assert_eq!(fs::metadata(home.join(&file))?.modified()?, want, "{}", file.display());
    }
    Ok(())
}

#[test]
fn a_fixture_says_what_it_includes_and_when() -> Result<()> {
    let (source, home) = (folder("settings-source")?, folder("settings-home")?);
    fs::write(source.join("fixture.txt"), "# later\nmtime 2025-01-02T03:04:05.678Z a b.json\n\ninclude zed/seed\n")?;
    fs::write(source.join("a b.json.pretty.json"), "{ \"a b\": [ 1.0, \"\\\" \" ] }\n")?;
    fs::write(source.join("raw.hex"), "00*3 ff # three zeros\nDEAD*2")?;
    fs::create_dir(source.join("empty"))?;
    fs::write(source.join("empty/.gitkeep"), "")?;
    support::home::build(&source, &home)?;
    assert_eq!(support::home::Settings::read(&source)?.includes, ["zed/seed"]);
    assert_eq!(names(&home)?, ["a b.json", "raw"]);
    assert_eq!(fs::read_to_string(home.join("a b.json"))?, r#"{"a b":[1.0,"\" "]}"#);
    assert_eq!(fs::metadata(home.join("a b.json"))?.modified()?, text::parse_time("2025-01-02T03:04:05.678Z")?);
    assert_eq!(fs::read(home.join("raw"))?, [0, 0, 0, 0xff, 0xde, 0xad, 0xde, 0xad]);
    assert!(home.join("empty").is_dir());
    fs::write(source.join("fixture.txt"), "mtime 2025-01-02T03:04:05Z gone\n")?;
    let refused = support::home::build(&source, &home).map_err(|e| e.to_string());
    assert!(refused.is_err_and(|e| e.ends_with("fixture.txt names gone")));
    Ok(())
}

#[test]
fn wal_holds_what_follows_the_line() -> Result<()> {
    let folder = folder("wal")?;
    let script = format!("{TABLE}-- build: wal\nINSERT INTO t(n) VALUES (1000);\nDELETE FROM t WHERE n < 500;\n");
    database::build(&script, &folder, &folder.join("x.db"))?;
    assert_eq!(names(&folder)?, ["x.db", "x.db-wal"]);
    let again = folder.join("again");
    fs::create_dir(&again)?;
    database::build(&script, &folder, &again.join("x.db"))?;
    for name in ["x.db", "x.db-wal"] {
        assert!(fs::read(folder.join(name))? == fs::read(again.join(name))?, "{name} differs between two builds");
    }
    assert_eq!(numbers(&folder)?, [500, 1000], "SQLite takes the log, so its checksums are right");
    fs::remove_file(again.join("x.db-wal"))?;
    assert_eq!(numbers(&again)?.len(), 500, "the file alone is the state before");
    Ok(())
}

#[test]
fn a_hot_journal_takes_back_what_follows_the_line() -> Result<()> {
    let folder = folder("hot-journal")?;
    let script = format!("{TABLE}-- build: hot-journal\nUPDATE t SET n = n + 7000; INSERT INTO t SELECT * FROM t;\n");
    database::build(&script, &folder, &folder.join("x.db"))?;
    assert_eq!(names(&folder)?, ["x.db", "x.db-journal"]);
    let half_done = folder.join("half-done");
    fs::create_dir(&half_done)?;
    fs::copy(folder.join("x.db"), half_done.join("x.db"))?;
    assert_eq!(numbers(&half_done)?.len(), 1000);
    assert_eq!(numbers(&folder)?, (1..=500).collect::<Vec<i64>>(), "SQLite rolls back");
    assert_eq!(names(&folder)?, ["half-done/x.db", "x.db"]);
    Ok(())
}

#[test]
fn damage_is_done_to_the_finished_file() -> Result<()> {
    let folder = folder("damage")?;
    let script = format!("{TABLE}-- build: overwrite page 3 with DEAD\n-- build: truncate 12288\n");
    database::build(&script, &folder, &folder.join("x.db"))?;
    let bytes = fs::read(folder.join("x.db"))?;
    assert_eq!(bytes.len(), 12288);
    assert_eq!(bytes.get(8190..8194).map(<[u8]>::to_vec).map(|b| b[2..] == [0xde, 0xad]), Some(true));
    assert!(bytes.get(8192..).is_some_and(|page| page.chunks(2).all(|pair| pair == [0xde, 0xad])));
    for (wrong, why) in [
        ("-- build: overwrite page 9 with 00\n", "the file has no page 9"),
        ("-- build: vacuum\n", "unknown line `-- build: vacuum`"),
        ("-- build: wal\n", "an empty -wal: nothing follows `-- build: wal`"),
        ("-- build: hot-journal\nSELECT 1;\n", "nothing changes a page after `-- build: hot-journal`"),
    ] {
        let target = folder.join("wrong.db");
        fs::remove_file(&target).ok();
        let said = database::build(&format!("CREATE TABLE t(n);\n{wrong}"), &folder, &target);
        assert_eq!(said.map_err(|e| e.to_string()), Err(why.to_owned()));
    }
    Ok(())
}

#[test]
fn functions_make_frames() -> Result<()> {
    let folder = folder("functions")?;
    fs::write(folder.join("a.json"), "{ \"a\": 1 }\n")?;
    let db = Connection::open_in_memory()?;
    functions::register(&db, &folder)?;
    let bytes = |sql: &str| db.query_row(&format!("SELECT {sql}"), [], |row| row.get::<_, Vec<u8>>(0));
    let plain = bytes("zstd_file('a.json')")?;
    assert_eq!(zstd::stream::decode_all(plain.as_slice())?, b"{\"a\":1}");
    assert_eq!(bytes("zstd('{\"a\":1}', 3)")?, plain);
    assert_eq!(bytes("zstd(json_file('a.json'))")?, plain);
    assert_eq!(bytes("CAST(text_file('a.json') AS BLOB)")?, bytes("blob_file('a.json')")?);
    // RFC 8878: bit 2 of the descriptor is the checksum, bit 5 (single segment) comes with a content size.
    assert_eq!(plain.get(4).map(|d| d & 0b1110_0100), Some(0));
    let sized = bytes("zstd_sized('{\"a\":1}')")?;
    assert_eq!((sized.get(4).map(|d| d & 0b0010_0100), sized.get(5)), (Some(0b0010_0100), Some(&7)));
    let framed = bytes("joined(skippable(x'0102'), zstd('a'), zstd('b'))")?;
    assert_eq!(framed.get(..10), Some(&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2][..]));
    assert_eq!(zstd::stream::decode_all(framed.as_slice())?, b"ab");
    assert_eq!(bytes("truncated(x'010203', 1)")?, [1]);
    assert_eq!(bytes("truncated(x'010203', -1)")?, [1, 2]);
    assert_eq!(bytes("CAST(repeated('[', 3) AS BLOB)")?, b"[[[");
    let outside = bytes("blob_file('../a.json')").map_err(|e| e.to_string());
    assert!(outside.is_err_and(|e| e.contains("stands below its script")));
    Ok(())
}

#[test]
fn a_diff_shows_the_lines_that_differ() {
    assert_eq!(text::diff("a\nb\n", "a\nb\n"), None);
    let shown = text::diff("a\nb\nc\nd\ne\n", "a\nb\nX\nY\nd\ne\n");
    assert_eq!(shown.as_deref(), Some("@@ line 1 @@\n  a\n  b\n- c\n+ X\n+ Y\n  d\n  e\n"));
    let shown = text::diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    assert_eq!(shown.as_deref(), Some("@@ line 1 @@\n- 1\n  2\n  3\n@@ line 8 @@\n  8\n  9\n+ 10\n"));
    assert_eq!(text::diff("a\na\n", "a\n").as_deref(), Some("@@ line 1 @@\n  a\n- a\n"));
    assert_eq!(text::diff("", "a\n").as_deref(), Some("@@ line 1 @@\n+ a\n"));
}
