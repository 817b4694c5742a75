//! A Cody history of 200 MB in one row of `state.vscdb`: every question as a multiple of `the_bare_value`.
//!
//! `cargo bench --no-default-features --features bundled --bench cody`. Trust the ratios, not the numbers.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run may stop")]

use agent_history::store::sqlite::Database;
use divan::Bencher;
use divan::counter::BytesCount;
use rusqlite::Connection;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

const CHATS: usize = 3_000;
const VALUE_BYTES: usize = 200_000_000;

/// The home with the store, and the size of the value in it.
static STORE: LazyLock<(PathBuf, usize)> = LazyLock::new(|| {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cody-bench");
    let folder = home.join(".config/Code/User/globalStorage");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("state.vscdb");
    std::fs::remove_file(&path).ok();
    let db = Connection::open(path).expect("a store");
    db.execute_batch(
        "PRAGMA synchronous = OFF; CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    )
    .expect("a table");
    let value = value();
    db.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [&value]).expect("a row");
    (home, value.len())
});

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// The inside of a string literal, an escape every 25 bytes.
    fn words(&mut self, len: usize) -> String {
        const WORDS: [&str; 12] = [
            "pool",
            "worker",
            "lock",
            "\\\"queue\\\"",
            "retry",
            "deadline\\n",
            "index",
            "cursor",
            "page",
            "\\tframe",
            "é",
            "token",
        ];
        let mut out = String::with_capacity(len + 16);
        while out.len() < len {
            out.push_str(WORDS.get(self.below(WORDS.len())).copied().unwrap_or_default());
            out.push(' ');
        }
        out
    }
}

/// Chats of one to nine interactions with up to six attached files each, most of their bytes in these.
fn value() -> String {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut out = String::from(
        r#"{"cody-config":{"auth":{}},"cody-local-chatHistory-v2":{"https://sourcegraph.com/-ana":{"chat":{"#,
    );
    for chat in 0..CHATS {
        let comma = if chat == 0 { "" } else { "," };
        let _ = write!(out, r#"{comma}"chat {chat}":{{"id":"chat {chat}","chatTitle":"Title {chat}","interactions":["#);
        let turns = 1 + random.below(9);
        for turn in 0..turns {
            let comma = if turn == 0 { "" } else { "," };
            let _ = write!(out, r#"{comma}{{"humanMessage":{{"speaker":"human","contextFiles":["#);
            for file in 0..6 {
                let comma = if file == 0 { "" } else { "," };
                let content = random.words(VALUE_BYTES / CHATS / turns / 7);
                let _ = write!(
                    out,
                    r#"{comma}{{"type":"file","uri":{{"$mid":1,"path":"/home/ana/p/{file}.py","scheme":"file"}},"content":"{content}"}}"#
                );
            }
            let (question, answer) = (random.words(300), random.words(1_500));
            let _ = write!(
                out,
                r#"],"text":"{question}"}},"assistantMessage":{{"speaker":"assistant","model":"a::b::c","text":"{answer}"}}}}"#
            );
        }
        out.push_str("]}");
    }
    out.push_str("}}}}");
    out
}

/// Runs a statement to its end; `$H` is the home.
fn ask(bencher: Bencher<'_, '_>, sql: &str) {
    let (home, len) = &*STORE;
    let db = Connection::open_in_memory().expect("SQLite");
    agent_history::register(&db).expect("the tables");
    let mut statement = db.prepare(&sql.replace("$H", &format!("'{}'", home.display()))).expect(sql);
    let width = statement.column_count();
    bencher.counter(BytesCount::new(*len)).bench_local(|| {
        let mut rows = statement.query([]).expect(sql);
        while let Some(row) = rows.next().expect(sql) {
            for column in 0..width {
                black_box(row.get_ref(column).expect(sql));
            }
        }
    });
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn the_bare_value(bencher: Bencher<'_, '_>) {
    let (home, len) = &*STORE;
    let path = home.join(".config/Code/User/globalStorage/state.vscdb");
    bencher.counter(BytesCount::new(*len)).bench_local(|| {
        let mut blob = Database::open(&path).and_then(|mut db| db.blob("ItemTable", "value", 1)).expect("the value");
        let mut piece = vec![0; 256 << 10];
        while black_box(blob.fill(&mut piece).expect("a piece")) > 0 {}
    });
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn count_by_kind(bencher: Bencher<'_, '_>) {
    ask(bencher, "SELECT kind, count(*) FROM cody_messages($H) GROUP BY kind");
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn every_column(bencher: Bencher<'_, '_>) {
    ask(bencher, "SELECT * FROM cody_messages($H)");
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn titles(bencher: Bencher<'_, '_>) {
    ask(bencher, "SELECT title FROM cody_chats($H)");
}

#[divan::bench(sample_count = 7, sample_size = 1)]
fn first_row(bencher: Bencher<'_, '_>) {
    ask(bencher, "SELECT text FROM cody_messages($H) LIMIT 1");
}

/// The first run makes the index, the others use it.
#[divan::bench(sample_count = 7, sample_size = 1)]
fn one_chat_by_key(bencher: Bencher<'_, '_>) {
    ask(bencher, "SELECT text FROM cody_messages($H) WHERE session_id = 'chat 2718'");
}
