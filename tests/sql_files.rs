//! The files of `sql/` do what their comments say: each example answers on the demo home with the output that
//! docs/cookbook.md shows, each view can be made and asked, a session exports, the copy keeps up.

mod support;

use rusqlite::{Connection, named_params};
use std::fs;
use std::path::{Path, PathBuf};
use support::{Result, files_below, fixtures, grid, repository, rows, script, text};

fn sql(file: impl AsRef<Path>) -> Result<String> {
    let path = repository().join("sql").join(file);
    Ok(fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?)
}

fn open(database: &Path) -> Result<Connection> {
    let db = Connection::open(database)?;
    agent_history::register(&db)?;
    Ok(db)
}

/// A connection that reads the demo home, built if it is not there.
fn memory() -> Result<Connection> {
    fixtures::home("demo/home")?;
    open(Path::new(":memory:"))
}

fn one<T: rusqlite::types::FromSql>(db: &Connection, sql: &str) -> Result<T> {
    Ok(db.query_row(sql, [], |row| row.get(0))?)
}

/// The page: every example's comment, its statement, its output.
fn cookbook() -> Result<String> {
    let db = memory()?;
    let home = fixtures::home("demo/home")?;
    let mut page = String::from(
        "# Cookbook\n\nQuestions that people ask of their agents' history, each with one statement that answers it and the \
         answer of the demo\nhome (`make demo`). The statements are the files of `sql/examples`. This page is written by \
         `make docs`.\n",
    );
    for file in files_below(&repository().join("sql/examples"))? {
        let text = sql(Path::new("examples").join(&file))?;
        let (comments, code): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("--"));
        let title = comments.iter().map(|line| line.trim_start_matches("--").trim()).collect::<Vec<_>>().join(" ");
        let found = script::statements(&text);
        assert_eq!(found.len(), 1, "{} holds one statement", file.display());
        let answer = grid::draw(&rows::ask(&db, &code.join("\n")), &[(&home.to_string_lossy(), "~")]);
        assert!(!answer.contains("error: no such"), "{}: {answer}", file.display());
        page += &format!("\n## {title}\n\n```sql\n{}\n```\n\n```text\n{answer}```\n", code.join("\n").trim());
    }
    Ok(page)
}

#[test]
fn the_cookbook_shows_what_the_examples_answer() -> Result<()> {
    let (page, path) = (cookbook()?, repository().join("docs/cookbook.md"));
    assert_eq!(page.matches("\n## ").count(), 30, "thirty questions");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(repository().join("docs"))?;
        return Ok(fs::write(path, page)?);
    }
    match text::diff(&fs::read_to_string(path).unwrap_or_default(), &page) {
        None => Ok(()),
        Some(diff) => Err(format!("docs/cookbook.md is out of date: make docs\n{diff}").into()),
    }
}

#[test]
fn every_view_is_made_and_asked() -> Result<()> {
    let db = memory()?;
    db.execute_batch(
        "CREATE TEMP TABLE model_prices(provider, model, input, output, cache_write, cache_read);
         INSERT INTO model_prices VALUES ('anthropic', 'claude-sonnet-4-5', 3, 15, 3.75, 0.3)",
    )?;
    let views = files_below(&repository().join("sql/views"))?;
    for view in &views {
        db.execute_batch(&sql(Path::new("views").join(view))?)?;
    }
    let count = |view: &PathBuf| -> Result<i64> {
        one(&db, &format!("SELECT count(*) FROM {}", view.file_stem().unwrap_or_default().to_string_lossy()))
    };
    let counts: Vec<(String, i64)> =
        views.iter().map(|view| Ok((view.display().to_string(), count(view)?))).collect::<Result<_>>()?;
    let want = [
        ("agent_conversation.sql", 32),
        ("commands_run.sql", 7),
        ("files_touched.sql", 4),
        ("lost_threads.sql", 3),
        ("permission_audit.sql", 5),
        ("token_cost.sql", 6),
        ("zed_thread_tree.sql", 7),
    ];
    assert_eq!(counts, want.map(|(view, rows)| (view.to_owned(), rows)));
    let usd: f64 = one(&db, "SELECT usd FROM token_cost WHERE session_id LIKE '%0001'")?;
    assert!((usd - 0.09045).abs() < 1e-9, "{usd}");
    let tree = "SELECT group_concat(title, '/') FROM zed_thread_tree WHERE root_session_id LIKE '%0001'";
    assert_eq!(one::<String>(&db, tree)?, "Fix login/  Find callers");
    Ok(())
}

#[test]
fn a_key_passes_through_the_conversation_view() -> Result<()> {
    let db = memory()?;
    db.execute_batch(&sql("views/agent_conversation.sql")?)?;
    let plan = rows::ask(&db, "EXPLAIN QUERY PLAN SELECT text FROM agent_conversation WHERE session_id = 'x'");
    let plan = format!("{:?}", plan.rows);
    assert!(plan.contains("VIRTUAL TABLE INDEX 0:session_id=? "), "{plan}");
    let conversation = "SELECT group_concat(text, '|') FROM agent_conversation WHERE session_id LIKE '%0002'";
    assert_eq!(one::<String>(&db, conversation)?, "Who calls is_name?|Only login() and the sign-up form.");
    Ok(())
}

#[test]
fn a_session_exports_as_markdown() -> Result<()> {
    let db = memory()?;
    let session = "b5a0c0de-0000-4000-8000-000000000002";
    let markdown: String =
        db.query_row(&sql("export_markdown.sql")?, named_params! { ":session_id": session }, |row| row.get(0))?;
    let want = "\
# Find callers

- Session: `b5a0c0de-0000-4000-8000-000000000002` (zed)
- Project: `/home/ana/api`
- Model: anthropic/claude-haiku-4-5
- Last saved: 2026-07-20T10:03:41.000Z

## User

Who calls is_name?

**grep**

```json
{\"regex\":\"is_name\\\\(\"}
```

*Result:*

```
api/src/login.rs:9
web/src/signup.rs:31
```

## Assistant

Only login() and the sign-up form.
";
    assert_eq!(markdown, want);
    // A result that holds a fence itself stands in a longer one.
    let first = "b5a0c0de-0000-4000-8000-000000000001";
    let markdown: String =
        db.query_row(&sql("export_markdown.sql")?, named_params! { ":session_id": first }, |row| row.get(0))?;
    assert!(markdown.contains("\n````\n```\ntest result: ok. 12 passed\n```\n````\n"), "{markdown}");
    Ok(())
}

/// Copies a home to change, since tests never write into a fixture.
fn copy_home(name: &str) -> Result<PathBuf> {
    let (from, to) = (fixtures::home("demo/home")?, PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name));
    let _ = fs::remove_dir_all(&to);
    for file in files_below(&from)? {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().unwrap_or(&to))?;
        fs::copy(from.join(&file), target)?;
    }
    Ok(to)
}

/// The statements of materialize.sql over another home than the environment names.
fn materialize(db: &Connection, home: &Path) -> Result<(i64, i64, i64, i64)> {
    let mut script = sql("materialize.sql")?;
    for table in ["zed_threads", "cody_chats", "agent_messages", "agent_tool_calls", "agent_edits", "agent_token_usage"]
    {
        let named = format!("{table}('{}')", home.display());
        script = script.replace(&format!("FROM {table}\n"), &format!("FROM {named}\n"));
        script = script.replace(&format!("JOIN {table} "), &format!("JOIN {named} "));
    }
    let (batch, last) = script.split_once("COMMIT;").ok_or("materialize.sql commits once")?;
    db.execute_batch(&format!("{batch}COMMIT;"))?;
    Ok(db.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?)
}

const CONTENTS: &str = "SELECT group_concat(m.id || m.session_id || coalesce(m.text, ''), char(10))
    FROM (SELECT * FROM messages ORDER BY id) AS m";

#[test]
fn the_copy_rewrites_only_what_changed() -> Result<()> {
    let home = copy_home("materialize")?;
    let db = memory()?;
    let (rewritten, sessions, missing, messages) = materialize(&db, &home)?;
    assert_eq!((rewritten, sessions, missing), (12, 12, 0));
    assert_eq!(one::<i64>(&db, "SELECT count(*) FROM messages_search WHERE messages_search MATCH 'dots'")?, 6);
    assert_eq!(materialize(&db, &home)?, (0, 12, 0, messages), "nothing changed, nothing is rewritten");

    // One thread is saved again a tenth of a second later, with the same bytes; another is deleted.
    let threads = Connection::open(home.join(".local/share/zed/threads/threads.db"))?;
    threads.execute_batch(
        "UPDATE threads SET updated_at = replace(updated_at, '09.250', '09.350'),
           data = (SELECT data FROM threads WHERE id LIKE '%0002') WHERE id LIKE '%0001';
         DELETE FROM threads WHERE id LIKE '%0004'",
    )?;
    drop(threads);
    let (rewritten, sessions, missing, _) = materialize(&db, &home)?;
    assert_eq!((rewritten, sessions, missing), (1, 12, 1), "one rewritten, the deleted one kept and reported");
    let lost: String = one(&db, "SELECT title FROM sessions WHERE missing_since IS NOT NULL")?;
    assert_eq!(lost, "Rename the config module");
    assert_eq!(one::<i64>(&db, "SELECT count(*) FROM messages_search WHERE messages_search MATCH 'dots'")?, 0);

    db.execute_batch("DELETE FROM messages WHERE session_id LIKE '%0004'")?;
    let fresh = memory()?;
    materialize(&fresh, &home)?;
    assert_eq!(one::<String>(&db, CONTENTS)?, one::<String>(&fresh, CONTENTS)?, "the same as a fresh copy");
    Ok(())
}

#[test]
fn an_interrupted_copy_leaves_the_state_before() -> Result<()> {
    let home = copy_home("materialize-killed")?;
    let database = home.join("history.db");
    materialize(&open(&database)?, &home)?;
    let threads = Connection::open(home.join(".local/share/zed/threads/threads.db"))?;
    threads.execute_batch("UPDATE threads SET updated_at = '2026-08-01T00:00:00+00:00'")?;
    drop(threads);
    let db = open(&database)?;
    let before: String = one(&db, CONTENTS)?;
    // A full disk stands for any end half-way: the copy is larger than the database may become.
    db.execute_batch("CREATE TRIGGER full BEFORE INSERT ON edits BEGIN SELECT RAISE(ABORT, 'no room'); END")?;
    assert!(materialize(&db, &home).is_err());
    drop(db);
    let db = open(&database)?;
    assert_eq!(one::<String>(&db, CONTENTS)?, before);
    db.execute_batch("DROP TRIGGER full")?;
    assert_eq!(materialize(&db, &home)?.0, 7, "the seven threads are still due");
    Ok(())
}
