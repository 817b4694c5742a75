use super::*;
use crate::table::{Cell, Field, Pointer, Rows, Source, Table, Type, Weight};
use rusqlite::Row;

crate::record! {
    /// A numbered row.
    pub struct Numbered {
        /// Its letter.
        [key] letter: String,
        /// Its number.
        [range] number: i64,
        /// Its text.
        [search] text: Option<String>,
        /// A secret.
        [hidden] whole: String,
    }
}

fn letters(scan: &Scan) -> crate::error::Result<Rows<Numbered>> {
    if scan.root.as_deref() == Some("/nowhere") {
        return Err(crate::error::Error::new(crate::error::Kind::Io, "/nowhere: no such file or directory"));
    }
    let place = Arc::new(crate::table::Place { root: scan.root.clone(), path: "letters".into() });
    let keys = scan.keys("letter");
    let mut rows: Vec<Numbered> = ('a'..='e')
        .zip(0..)
        .filter(|(letter, _)| keys.as_ref().is_none_or(|keys| keys.contains(&letter.to_string())))
        .map(|(letter, number)| Numbered {
            letter: letter.into(),
            number,
            text: (number != 1).then(|| format!("text {letter}")),
            whole: "w".into(),
            source: Source::new(&place, None).at(Pointer::record().join(number as usize)),
        })
        .collect();
    if scan.order.as_ref().is_some_and(|order| order.descending) {
        rows.reverse();
    }
    Ok(Box::new(rows.into_iter().inspect(|row| assert!(row.number < 4 || row.letter == "e", "unreachable"))))
}

static LETTERS: Table<Numbered> =
    Table { name: "letters", doc: "Letters.", weight: Weight::Metadata, orders: &["number"], scan: letters };
/// A cell that cannot be made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unmade;

impl Field for Unmade {
    const TYPE: Type = Type::Text;
    fn cell(&self) -> Cell<'_> {
        panic!("in column")
    }
}

crate::record! {
    /// A row that is only good for being counted.
    pub struct Blank {
        /// Not there.
        empty: Option<i64>,
        /// Its cell.
        cell: Unmade,
    }
}

static BLANK: Table<Blank> = Table {
    name: "blank",
    doc: "Blank.",
    weight: Weight::Metadata,
    orders: &[],
    scan: |_| Ok(Box::new(std::iter::once(Blank::default()))),
};
static PANICS: Table<Numbered> = Table {
    name: "panics",
    doc: "Panics.",
    weight: Weight::Metadata,
    orders: &[],
    scan: |scan| match scan.keys("letter") {
        Some(_) => panic!("in filter"),
        None => Ok(Box::new((0..2).map(|n| if n == 0 { Numbered::default() } else { panic!("in next") }))),
    },
};

fn db() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    let session = Arc::default();
    register(&db, &LETTERS, &session).unwrap();
    register(&db, &PANICS, &session).unwrap();
    register(&db, &BLANK, &session).unwrap();
    functions::register(&db, &session).unwrap();
    db
}

fn text(row: &Row<'_>) -> Result<String> {
    row.get(0)
}

fn all(db: &Connection, sql: &str) -> String {
    let mut statement = db.prepare(sql).unwrap();
    let rows: Result<Vec<String>> = statement.query_map([], text).unwrap().collect();
    rows.unwrap().join(" ")
}

fn failure(db: &Connection, sql: &str) -> String {
    match db.prepare(sql).and_then(|mut s| s.query_map([], text)?.collect::<Result<Vec<_>>>()) {
        Ok(rows) => panic!("{sql} gave {rows:?}"),
        Err(error) => error.to_string(),
    }
}

fn plan(db: &Connection, sql: &str) -> String {
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let rows: Result<Vec<String>> = statement.query_map([], |row| row.get(3)).unwrap().collect();
    rows.unwrap().join("; ")
}

#[test]
fn keys_reach_the_scan() {
    let db = db();
    assert_eq!(
        plan(&db, "SELECT text FROM letters WHERE letter='b'"),
        "SCAN letters VIRTUAL TABLE INDEX 0:letter=? -> letter,text"
    );
    assert_eq!(
        plan(&db, "SELECT number FROM letters WHERE letter IN ('b','d') AND number >= 2"),
        "SCAN letters VIRTUAL TABLE INDEX 0:letter IN(?) AND number>=? -> letter,number"
    );
    assert_eq!(all(&db, "SELECT letter FROM letters WHERE letter IN ('d', 'b', NULL)"), "b d");
    assert_eq!(all(&db, "SELECT letter FROM letters WHERE letter = 'b' OR letter = 'd'"), "b d");
    assert_eq!(all(&db, "SELECT letter FROM letters WHERE letter = NULL"), "");
    assert_eq!(all(&db, "SELECT letter FROM letters WHERE letter = 'B' COLLATE NOCASE"), "b");
    assert_eq!(all(&db, "SELECT letter FROM letters WHERE text LIKE '%T c%'"), "c");
}

#[test]
fn a_limit_counts_only_rows_that_every_filter_keeps() {
    let db = db();
    assert_eq!(all(&db, "SELECT letter FROM letters WHERE letter > 'a' AND number <> 2 LIMIT 2 OFFSET 1"), "d e");
    assert_eq!(all(&db, "SELECT letter FROM letters ORDER BY number DESC LIMIT 2"), "e d");
    assert_eq!(
        plan(&db, "SELECT letter FROM letters ORDER BY number DESC LIMIT 2"),
        "SCAN letters VIRTUAL TABLE INDEX 0:ORDER BY number DESC -> letter,number"
    );
}

#[test]
fn root_is_an_argument_and_echoes() {
    let db = db();
    assert_eq!(all(&db, "SELECT root FROM letters('/a//b/') WHERE letter='a'"), "/a//b/");
    assert_eq!(all(&db, "SELECT count(*)||'' FROM letters WHERE root='/x'"), "5");
    assert_eq!(failure(&db, "SELECT root FROM letters('/nowhere')"), "io: /nowhere: no such file or directory");
    db.execute_batch("CREATE VIRTUAL TABLE temp.mine USING letters(root='/m')").unwrap();
    assert_eq!(
        all(&db, "SELECT name FROM pragma_table_xinfo('mine')"),
        "letter number text source_path source_record source_pointer error"
    );
    assert_eq!(all(&db, "SELECT name FROM pragma_table_xinfo('letters') WHERE hidden"), "root whole");
    let join = "SELECT l.letter FROM (SELECT '/a' AS p UNION ALL SELECT '/b') r JOIN letters(r.p) l WHERE l.letter='a'";
    assert_eq!(all(&db, join), "a a");
}

#[test]
fn a_rowid_finds_its_row() {
    let db = db();
    let sql = "SELECT letter FROM letters WHERE rowid = (SELECT CAST(rowid AS TEXT) FROM letters WHERE letter='c')";
    assert_eq!(all(&db, sql), "c");
    assert_eq!(all(&db, "SELECT count(DISTINCT rowid)||'' FROM letters"), "5");
    let list = "SELECT letter FROM letters WHERE rowid IN (SELECT rowid FROM letters WHERE number > 2) ORDER BY letter";
    assert_eq!(all(&db, list), "d e");
}

#[test]
fn a_panic_is_an_sql_error() {
    let db = db();
    let report = "internal error, please report it: ";
    assert_eq!(failure(&db, "SELECT letter FROM panics WHERE letter='x'"), format!("{report}in filter"));
    assert_eq!(failure(&db, "SELECT letter FROM panics"), format!("{report}in next"));
    assert_eq!(failure(&db, "SELECT cell FROM blank"), format!("{report}in column"));
    assert_eq!(failure(&db, "SELECT 'a' FROM blank WHERE empty IS cell"), format!("{report}in column"));
    assert_eq!(all(&db, "SELECT 'alive ' || count(*) FROM blank WHERE empty IS NULL"), "alive 1");
}

#[test]
fn views_and_writes_are_refused() {
    let db = db();
    db.execute_batch("CREATE VIEW v AS SELECT letter FROM letters; CREATE TEMP VIEW tv AS SELECT letter FROM letters")
        .unwrap();
    assert_eq!(failure(&db, "SELECT * FROM v"), "unsafe use of virtual table \"letters\"");
    assert_eq!(all(&db, "SELECT letter FROM tv LIMIT 1"), "a");
    let refused = db.execute("INSERT INTO letters(letter) VALUES ('z')", []).unwrap_err().to_string();
    assert!(refused.contains("table letters may not be modified"), "{refused}");
}

#[test]
fn settings_are_read_and_changed() {
    let db = db();
    assert_eq!(all(&db, "SELECT agent_history_config('threads')||''"), "1");
    assert_eq!(all(&db, "SELECT agent_history_config('threads', 0)||''"), "1");
    assert_eq!(all(&db, "SELECT agent_history_config('threads')||''"), "0");
    assert!(
        failure(&db, "SELECT agent_history_config('thread')")
            .starts_with("no setting thread; there are max_document_bytes")
    );
    assert_eq!(all(&db, "SELECT agent_history_version()"), env!("CARGO_PKG_VERSION"));
}
