//! Zed's threads where a fixture cannot show them: stores that change while they are read, documents too large to
//! review, paths that no checkout may hold.

mod support;

use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::rows::{Cell, ask};
use support::{Result, fixtures, zed_store};

/// A new folder with an empty `threads.db`, and a connection that writes to it as Zed does.
fn store(name: &str) -> Result<(PathBuf, Connection)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zed").join(name);
    fs::remove_dir_all(&folder).ok();
    let db = zed_store::create(&folder)?;
    Ok((folder, db))
}

/// A document of one prompt a text.
fn prompts(texts: &[&str]) -> String {
    let message = |text: &&str| format!(r#"{{"User":{{"id":"u","content":[{{"Text":"{text}"}}]}}}}"#);
    let messages: Vec<String> = texts.iter().map(message).collect();
    format!(r#"{{"title":"T","messages":[{}],"version":"0.3.0"}}"#, messages.join(","))
}

fn open() -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    Ok(db)
}

/// The first column, as text.
fn column(db: &Connection, sql: &str) -> Vec<String> {
    let answer = ask(db, sql);
    assert_eq!(answer.error, None, "{sql}");
    answer.rows.iter().map(|row| row.first().map(Cell::to_string).unwrap_or_default()).collect()
}

/// S08: what another process commits between two statements is seen by the second, though the first kept the thread.
#[test]
fn a_kept_thread_is_never_stale() -> Result<()> {
    let (folder, writer) = store("kept")?;
    zed_store::save(&writer, "a", &prompts(&["one"]))?;
    zed_store::save(&writer, "b", &prompts(&["other"]))?;
    let db = open()?;
    let root = folder.display();
    let by_key = format!("SELECT text FROM zed_messages('{root}') WHERE session_id = 'a'");
    let all = format!("SELECT text FROM zed_messages('{root}')");
    for texts in [&["one"][..], &["one", "two"], &["three"]] {
        zed_store::save(&writer, "a", &prompts(texts))?;
        for _ in 0..3 {
            let want: Vec<String> = texts.iter().map(|text| format!("'{text}'")).collect();
            assert_eq!(column(&db, &by_key), want);
            assert_eq!(column(&db, &all), [want, vec!["'other'".to_owned()]].concat());
        }
    }
    writer.execute("DELETE FROM threads WHERE id = 'a'", [])?;
    assert_eq!(column(&db, &by_key), [""; 0]);
    Ok(())
}

/// S08: with a cursor half way through, a save without busy timeout succeeds, and the cursor reads on.
#[test]
fn a_reader_does_not_disturb_a_save() -> Result<()> {
    let (folder, writer) = store("half-way")?;
    for id in 0..50 {
        zed_store::save(&writer, &format!("t{id:02}"), &prompts(&["first", "second"]))?;
    }
    let db = open()?;
    let mut statement = db.prepare(&format!("SELECT text FROM zed_messages('{}')", folder.display()))?;
    let mut rows = statement.query([])?;
    for _ in 0..31 {
        assert!(rows.next()?.is_some());
    }
    zed_store::save(&writer, "t99", &prompts(&["new"]))?;
    let mut left = 0;
    while rows.next()?.is_some() {
        left += 1;
    }
    assert_eq!(left, 69, "what was there when the scan began");
    let names = support::files_below(&folder)?;
    assert_eq!(names, [PathBuf::from("threads.db")], "no sidecar is left");
    Ok(())
}

/// Z17: a bomb is an error in bounded time and memory, a giant text is read, and their neighbours are.
#[test]
fn a_bomb_and_a_giant() -> Result<()> {
    let (folder, writer) = store("bomb")?;
    zed_store::save(&writer, "before", &prompts(&["fine"]))?;
    let mut bomb = zstd::Encoder::new(Vec::new(), 3)?;
    let piece = vec![b'A'; 1 << 20];
    std::io::Write::write_all(&mut bomb, br#"{"messages":[{"User":{"id":"u","content":[{"Text":""#)?;
    for _ in 0..2048 {
        std::io::Write::write_all(&mut bomb, &piece)?;
    }
    let sql = "INSERT INTO threads VALUES ('bomb', '', '2026-07-01T08:00:00Z', 'zstd', ?1)";
    writer.execute(sql, [bomb.finish()?])?;
    zed_store::save(&writer, "giant", &prompts(&["first", &"x".repeat(40 << 20), "last"]))?;
    zed_store::save(&writer, "after", &prompts(&["fine"]))?;
    let db = open()?;
    let root = folder.display();
    let begin = Instant::now();
    let rows = column(
        &db,
        &format!("SELECT session_id || ' ' || coalesce(length(text), substr(error, 1, 6)) FROM zed_messages('{root}')"),
    );
    let want =
        ["'before 4'", "'bomb limit:'", "'giant 5'", "'giant 41943040'", "'giant 4'", "'after 4'"].map(str::to_owned);
    assert_eq!(rows, want);
    assert!(begin.elapsed().as_secs() < 120, "{:?}", begin.elapsed());
    Ok(())
}

/// Z39: a path that upsets URIs, file systems and SQL is a path like any other.
#[cfg(unix)]
#[test]
fn a_path_of_odd_characters() -> Result<()> {
    let (folder, writer) = store("we?ird #1 100%/héme dir'q [x]")?;
    zed_store::save(&writer, "a", &prompts(&["hello"]))?;
    let root = folder.display().to_string().replace('\'', "''");
    assert_eq!(column(&open()?, &format!("SELECT text FROM zed_messages('{root}')")), ["'hello'"]);
    Ok(())
}

/// A thread larger than what is inflated in one go gives its rows as they are read, and the same ones whatever columns
/// are asked for.
#[test]
fn a_large_thread_reads_the_same_in_every_way() -> Result<()> {
    let (folder, writer) = store("large")?;
    let texts: Vec<String> = (0..3000).map(|n| format!("{n} {}", "lorem ipsum ".repeat(200 + n % 7))).collect();
    let document = prompts(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let end = r#","model":{"provider":"p","model":"m"},"version":"0.3.0"}"#;
    zed_store::save(&writer, "large", &document.replace(r#","version":"0.3.0"}"#, end))?;
    let db = open()?;
    let root = folder.display();
    let ask = |sql: &str| column(&db, &sql.replace("$D", &root.to_string()));
    let length: usize = texts.iter().map(String::len).sum();
    assert_eq!(ask("SELECT sum(length(text)) FROM zed_messages('$D')"), [length.to_string()]);
    assert_eq!(ask("SELECT sum(length(text)) FROM zed_messages('$D') WHERE model = 'p/m'"), [length.to_string()]);
    assert_eq!(ask("SELECT count(*) FROM zed_messages('$D') WHERE session_id = 'large'"), ["3000"]);
    assert_eq!(ask("SELECT text LIKE '2999 %' FROM zed_messages('$D') WHERE message_index = 2999"), ["1"]);
    assert_eq!(ask("SELECT message_index FROM zed_messages('$D') WHERE text LIKE '2998 lorem%'"), ["2998"]);
    assert_eq!(ask("SELECT count(*) FROM zed_messages('$D') WHERE text LIKE '%no such words%'"), ["0"]);
    let threads = "SELECT document_bytes || ' ' || message_count || ' ' || length(document) FROM zed_threads('$D')";
    let bytes = document.len() + end.len() - r#","version":"0.3.0"}"#.len();
    assert_eq!(ask(threads), [format!("'{bytes} 3000 {bytes}'")]);
    Ok(())
}

/// Of a thread whose first messages alone are asked for the beginning is read, and what is behind it where that does not
/// hold them.
#[test]
fn first_messages_are_the_same_in_a_beginning() -> Result<()> {
    let (folder, writer) = store("beginnings")?;
    // Hex digits of a multiplicative hash: half of a character's bits are new, so that zstd saves half.
    let noise = |seed: u32, bytes: u32| -> String {
        let word = |n: u32| {
            format!("{:08x}", (seed + n).wrapping_mul(2_654_435_761).rotate_left(n % 32) ^ n.wrapping_mul(40_503))
        };
        (0..bytes / 8).map(word).collect()
    };
    for (id, lens) in
        [("short", [90, 80]), ("long", [300_000, 200_000]), ("second", [70, 400_000]), ("both", [70_000, 70_000])]
    {
        let texts = lens.map(|bytes| noise(bytes, bytes));
        zed_store::save(&writer, id, &prompts(&[&texts[0], &texts[1], "third"]))?;
        let plain = prompts(&[&texts[1], &texts[0], "third"]);
        let sql = "INSERT INTO threads VALUES (?1 || ' plain', '', '2026-07-01T08:00:00Z', 'json', ?2)";
        writer.execute(sql, (id, plain.as_bytes()))?;
    }
    let whole = open()?;
    let root = folder.display();
    let columns = "session_id || message_index || text || coalesce(error, '')";
    let rows = column(&whole, &format!("SELECT {columns} FROM zed_messages('{root}')"));
    assert_eq!(rows.len(), 24);
    for first in 0..3 {
        for threads in [0, 1] {
            let db = open()?;
            db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
            db.query_row("SELECT agent_history_config('threads', ?1)", [threads], |_| Ok(()))?;
            let asked =
                column(&db, &format!("SELECT {columns} FROM zed_messages('{root}') WHERE message_index = {first}"));
            assert!(asked.iter().eq(rows.iter().skip(first).step_by(3)), "message {first}");
        }
    }
    Ok(())
}

/// The columns that stand behind a document in its row.
const BEHIND: &str = "ALTER TABLE threads ADD COLUMN parent_id TEXT; ALTER TABLE threads ADD COLUMN folder_paths TEXT; \
                      ALTER TABLE threads ADD COLUMN folder_paths_order TEXT";

/// A scan that keeps no documents reads the columns behind them with them: the same cells for every kind of document.
#[test]
fn columns_behind_documents_are_the_same_with_them() -> Result<()> {
    let (folder, writer) = store("behind")?;
    writer.execute_batch(BEHIND)?;
    let mut seed = 1_u32;
    let noise: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        format!("{seed:08x}")
    })
    .take(90_000)
    .collect();
    for n in 0..40_u32 {
        let text = if n % 9 == 4 { noise.as_str() } else { "short" };
        let document = prompts(&[text, "second"]);
        let packed = zstd::encode_all(document.as_bytes(), 3)?;
        let id = format!("t{n}");
        let sql = "INSERT INTO threads VALUES (?1, '', '2026-07-01T08:00:00Z', ?2, ?3, ?4, ?5, '1,0')";
        let (parent, paths) = ((n % 3 == 0).then_some("t1"), format!("/a/{n}\n/b"));
        match n % 5 {
            0 => writer.execute(sql, (&id, "json", &document, parent, &paths))?,
            1 => writer.execute(sql, (&id, "json", document.as_bytes(), parent, &paths))?,
            2 => writer.execute(sql, (&id, "zstd", &packed, parent, None::<&str>))?,
            _ => writer.execute(sql, (&id, "zstd", &packed, parent, &paths))?,
        };
    }
    let columns = "session_id || ' ' || message_index || ' ' || coalesce(parent_session_id, '-') || ' ' || \
                   coalesce(project_path, '-') || ' ' || length(text) || coalesce(error, '')";
    for rest in ["", "LIMIT 7", "WHERE message_index = 1", "WHERE text LIKE '%second%'", "ORDER BY timestamp_utc DESC"]
    {
        let sql = format!("SELECT {columns} FROM zed_messages('{}') {rest}", folder.display());
        let before = column(&open()?, &sql);
        assert!(before.len() >= 7, "{sql}");
        let db = open()?;
        db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
        assert_eq!(column(&db, &sql), before, "{sql}");
    }
    Ok(())
}

/// Where a row holds no document at all, the row that tells so has what stands behind it, in whatever scan.
#[test]
fn a_row_without_a_document_tells_what_stands_behind_it() -> Result<()> {
    let (folder, writer) = store("behind-nothing")?;
    writer.execute_batch(BEHIND)?;
    let sql = "INSERT INTO threads VALUES (?1, '', '2026-07-01T08:00:00Z', 'zstd', ?2, 'p', '/a', '0')";
    for id in ["a", "b", "c"] {
        writer.execute(sql, (id, 5))?;
    }
    let told = "session_id || parent_session_id || project_path || (error LIKE 'shape: expected text or a blob, found integer %')";
    for cache_bytes in [64 << 20, 0] {
        let db = open()?;
        db.query_row("SELECT agent_history_config('cache_bytes', ?1)", [cache_bytes], |_| Ok(()))?;
        let rows = column(&db, &format!("SELECT {told} FROM zed_messages('{}')", folder.display()));
        assert_eq!(rows, ["'ap/a1'", "'bp/a1'", "'cp/a1'"], "{cache_bytes}");
    }
    Ok(())
}

/// The cells of a row are of one save, though its document was saved again after others were read with it.
#[test]
fn a_first_message_and_its_model_are_of_one_save() -> Result<()> {
    let (folder, writer) = store("one-save")?;
    let save = |id: &str, word: &str| -> Result<()> {
        let mut seed = 1_u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(word.len() as u64);
            format!("{seed:016x}")
        };
        let texts: Vec<String> =
            (0..1500).map(|_| word.repeat(150) + &[number(), number(), number()].concat()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let model = format!(r#","model":{{"provider":"p","model":"{word}"}}}}"#);
        let document = prompts(&texts);
        let document = document.strip_suffix('}').ok_or("no object")?.to_owned() + &model;
        zed_store::save(&writer, id, &document)
    };
    let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for id in ids {
        save(id, "old")?;
    }
    let db = open()?;
    db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
    let sql =
        "SELECT session_id || ' ' || substr(text, 1, 3) || ' ' || model FROM zed_messages(?1) WHERE message_index < 2";
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([folder.display().to_string()])?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        read.push(row.get::<_, Option<String>>(0)?.unwrap_or_default());
        if read.len() == 7 {
            for id in ids {
                save(id, "new")?;
            }
        }
    }
    let told = |id: &&str| {
        // Those up to `g` were read when `d` was.
        let word = if **id <= *"g" { "old" } else { "new" };
        vec![format!("{id} {word} p/{word}"); 2]
    };
    assert_eq!(read, ids.iter().flat_map(told).collect::<Vec<_>>());
    Ok(())
}

/// A column behind the documents that goes while a scan reads them takes its own cells with it, and no others.
#[test]
fn a_column_that_goes_takes_no_rows_with_it() -> Result<()> {
    let (folder, writer) = store("behind-gone")?;
    writer.execute_batch(BEHIND)?;
    let sql = "INSERT INTO threads VALUES (?1, '', '2026-07-01T08:00:00Z', 'json', ?2, 'p', '/a', '0')";
    for id in ["a", "b", "c", "d"] {
        writer.execute(sql, (id, prompts(&["text"]).as_bytes()))?;
    }
    let db = open()?;
    db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
    let sql = "SELECT session_id || coalesce(parent_session_id, '-') || project_path || coalesce(error, text) \
               FROM zed_messages(?1)";
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([folder.display().to_string()])?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        read.push(row.get::<_, String>(0)?);
        if read.len() == 1 {
            writer.execute_batch("ALTER TABLE threads DROP COLUMN parent_id")?;
        }
    }
    assert_eq!(read, ["ap/atext", "b-/atext", "c-/atext", "d-/atext"]);
    Ok(())
}

/// No message is lost of a document that is saved again between the reading of its beginning and of the rest.
#[test]
fn first_messages_are_all_there_though_the_document_is_saved() -> Result<()> {
    let (folder, writer) = store("saved-behind")?;
    let save = |id: &str, word: &str| -> Result<()> {
        let mut seed = word.len() as u64 + 1;
        let noise: String = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{seed:016x}")
        })
        .take(6000)
        .collect();
        zed_store::save(&writer, id, &prompts(&["short", &(word.repeat(60_000) + &noise), "third"]))?;
        zed_store::save(&writer, &format!("{id}-long"), &prompts(&[&(word.repeat(60_000) + &noise), "second"]))
    };
    let ids = ["a", "b", "c", "d", "e"];
    // Saved where documents behind this one were read with it.
    for (most, saved_at, want) in [(0, 5, 10), (2, 9, 25)] {
        ids.iter().try_for_each(|id| save(id, "old"))?;
        let db = open()?;
        db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
        let sql = "SELECT length(text) FROM zed_messages(?1) WHERE message_index <= ?2";
        let mut statement = db.prepare(sql)?;
        let mut rows = statement.query((folder.display().to_string(), most))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(row.get::<_, i64>(0)?);
            if read.len() == saved_at {
                ids.iter().try_for_each(|id| save(id, "new"))?;
            }
        }
        assert_eq!(read.len(), want, "{most}: {read:?}");
    }
    Ok(())
}

/// What was saved since a scan began comes with its own columns behind the document, though its row stands elsewhere.
#[test]
fn a_replaced_row_brings_its_own_columns() -> Result<()> {
    let (folder, writer) = store("behind-replaced")?;
    writer.execute_batch(BEHIND)?;
    let save = |id: &str, text: &str| -> Result<()> {
        let sql = "INSERT OR REPLACE INTO threads VALUES (?1, '', '2026-07-01T08:00:00Z', 'json', ?2, NULL, ?3, '0')";
        writer.execute(sql, (id, prompts(&[text]).as_bytes(), format!("/{text}")))?;
        Ok(())
    };
    for id in ["a", "b", "c", "d"] {
        save(id, "old")?;
    }
    let db = open()?;
    db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
    let sql = format!("SELECT session_id || project_path || ' ' || text FROM zed_messages('{}')", folder.display());
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        read.push(row.get::<_, String>(0)?);
        if read.len() == 1 {
            save("c", "new")?;
            writer.execute("DELETE FROM threads WHERE id = 'd'", [])?;
        }
    }
    assert_eq!(read, ["a/old old", "b/old old", "c/new new"]);
    Ok(())
}

/// A home that holds some of the seed's stores, each in its place.
fn part_of_the_seed(name: &str, stores: &[&str]) -> Result<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zed-parts").join(name);
    fs::remove_dir_all(&home).ok();
    fs::create_dir_all(&home)?;
    for store in stores {
        let file = home.join(store);
        fs::create_dir_all(file.parent().ok_or("a store without a folder")?)?;
        fs::copy(fixtures::home("zed/seed")?.join(store), file)?;
    }
    Ok(home)
}

/// Over an empty home, or one that holds one kind of store, every table gives rows or none, and never an error.
#[test]
fn a_home_may_hold_any_of_the_stores() -> Result<()> {
    const THREADS: &str = ".local/share/zed/threads/threads.db";
    const PANEL: &str = ".local/share/zed/db/0-stable/db.sqlite";
    const SETTINGS: &str = ".config/zed/settings.json";
    // The seed's threads count no tokens, and no call of theirs changes a file.
    let of_threads = "zed_drafts zed_messages zed_permissions zed_threads zed_tool_calls agent_messages agent_models \
                      agent_permissions agent_sessions agent_timeline agent_tool_calls";
    let of_panel = "zed_drafts zed_permissions zed_sidebar_threads zed_terminals zed_worktrees agent_permissions \
                    agent_sessions agent_timeline";
    let of_settings = "zed_permissions agent_permissions agent_timeline";
    let db = open()?;
    for (name, stores, with_rows) in [
        ("nothing", &[][..], ""),
        ("threads", &[THREADS], of_threads),
        ("panel", &[PANEL], of_panel),
        ("settings", &[SETTINGS], of_settings),
    ] {
        let root = part_of_the_seed(name, stores)?;
        for table in agent_history::agents::tables() {
            let from = format!("{}('{}')", table.name(), root.display());
            let columns: Vec<String> =
                table.layout().columns().iter().map(|column| format!("\"{}\"", column.name)).collect();
            let rows = column(&db, &format!("SELECT {} FROM {from}", columns.join(", "))).len();
            let has_rows = with_rows.split_whitespace().any(|name| name == table.name());
            let is_told = matches!(table.name(), "agent_columns" | "agent_sources");
            assert_eq!(rows > 0, has_rows || is_told, "{from}");
            assert_eq!(column(&db, &format!("SELECT error FROM {from} WHERE error IS NOT NULL")), [""; 0], "{from}");
        }
    }
    Ok(())
}
