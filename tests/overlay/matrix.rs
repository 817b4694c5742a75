//! Every state that a store can be found in, with its writer in another process: what is read, and that the
//! directory stays byte for byte and second for second as it was. `make matrix` shows the table.

use crate::making::*;
use crate::other::Other;
use crate::support::{Folder, Listing, ROWS, count, one};
use agent_history::error::{Kind, Result};
use agent_history::store::sqlite::{Batches, Database};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Rows, or a failure of this kind whose words hold this.
type Want = std::result::Result<i64, (Kind, &'static str)>;

struct Case {
    name: &'static str,
    want: Want,
    /// Makes the store at the path; a writer that is to stay alive is given back.
    make: fn(&Path) -> Option<Other>,
    /// The store's file name.
    file: &'static [u8],
    /// What happens to the store when the reader has begun: a scan of it by batches is at its first rows.
    meanwhile: Option<fn(&Path)>,
    /// What root is given, whom no permission keeps out.
    as_root: Option<Want>,
}

const FOUND: Case = Case { name: "", want: Ok(0), make: |_| None, file: b"a.db", meanwhile: None, as_root: None };

const CASES: &[Case] = &[
    Case { name: "rollback, idle", want: Ok(50), make: |path| closed(path, false, 50), ..FOUND },
    Case { name: "wal, closed", want: Ok(50), make: |path| closed(path, true, 50), ..FOUND },
    Case { name: "wal, writer alive", want: Ok(51), make: |path| Some(with_frames(path)), ..FOUND },
    Case { name: "wal, writer died", want: Ok(51), make: died, ..FOUND },
    Case {
        name: "wal, copied without -shm",
        want: Ok(51),
        make: |path| died(path).or_else(|| remove(path, "-shm")),
        ..FOUND
    },
    Case {
        name: "wal, -shm is garbage",
        want: Ok(51),
        make: |path| died(path).or_else(|| write(path, "-shm", &[0xee; 32768])),
        ..FOUND
    },
    Case {
        name: "wal, its only transaction is torn",
        want: Ok(50),
        make: |path| died(path).or_else(|| tear(path)),
        ..FOUND
    },
    Case {
        name: "wal, its last transaction is torn",
        want: Ok(51),
        make: |path| {
            let sql = "INSERT INTO t(v) VALUES('fresh'); INSERT INTO t(v) VALUES('torn')";
            after(path, true, 50, sql)?.kill();
            tear(path)
        },
        ..FOUND
    },
    Case {
        name: "wal, closed, directory read-only",
        want: Ok(50),
        make: |path| closed(path, true, 50).or_else(|| read_only(path)),
        ..FOUND
    },
    Case {
        name: "wal, no -shm, directory read-only",
        want: Ok(51),
        make: |path| died(path).or_else(|| remove(path, "-shm")).or_else(|| read_only(path)),
        ..FOUND
    },
    Case { name: "wal, all read-only", want: Ok(51), make: |path| died(path).or_else(|| read_only(path)), ..FOUND },
    Case {
        name: "wal, locking_mode=exclusive",
        want: Ok(51),
        make: |path| after(path, true, 50, "PRAGMA locking_mode=exclusive; INSERT INTO t(v) VALUES('fresh')"),
        ..FOUND
    },
    Case {
        name: "wal, a transaction has spilled",
        want: Ok(2000),
        make: |path| after(path, true, 2000, "PRAGMA cache_size=2; BEGIN; UPDATE t SET v = 'dirty'"),
        ..FOUND
    },
    Case {
        name: "rollback, RESERVED",
        want: Ok(50),
        make: |path| after(path, false, 50, "BEGIN IMMEDIATE; UPDATE t SET v = 'dirty' WHERE id < 5"),
        ..FOUND
    },
    Case {
        name: "rollback, EXCLUSIVE",
        want: Ok(50),
        make: |path| after(path, false, 50, "BEGIN EXCLUSIVE; UPDATE t SET v = 'dirty' WHERE id < 5"),
        ..FOUND
    },
    Case {
        name: "rollback, EXCLUSIVE, nothing written",
        want: Err((Kind::Busy, "a writer holds it exclusively, with no journal on disk")),
        make: |path| after(path, false, 50, "BEGIN EXCLUSIVE"),
        ..FOUND
    },
    Case {
        name: "rollback, a transaction has spilled",
        want: Ok(2000),
        make: |path| Some(spilled(path, "delete")),
        ..FOUND
    },
    Case {
        name: "rollback, hot journal",
        want: Ok(2000),
        make: |path| {
            spilled(path, "delete").kill();
            None
        },
        ..FOUND
    },
    Case { name: "persistent journal", want: Ok(51), make: |path| journal(path, "persist"), ..FOUND },
    Case { name: "truncated journal", want: Ok(51), make: |path| journal(path, "truncate"), ..FOUND },
    Case { name: "persistent journal, spilled", want: Ok(2000), make: |path| Some(spilled(path, "persist")), ..FOUND },
    Case { name: "journal in memory, idle", want: Ok(51), make: |path| journal(path, "memory"), ..FOUND },
    Case {
        name: "journal in memory, RESERVED",
        want: Ok(50),
        make: |path| after(path, false, 50, "PRAGMA journal_mode=memory; BEGIN IMMEDIATE; UPDATE t SET v = 'dirty'"),
        ..FOUND
    },
    Case {
        name: "journal in memory, spilled",
        want: Err((Kind::Busy, "a writer holds it exclusively, with no journal on disk")),
        make: |path| Some(spilled(path, "memory")),
        ..FOUND
    },
    Case {
        name: "a damaged page",
        want: Err((Kind::Sqlite, "malformed")),
        make: |path| closed(path, false, 200).or_else(|| write_at(path, 4096, &[0xa5; 4096])),
        ..FOUND
    },
    Case {
        name: "cut",
        want: Err((Kind::Sqlite, "malformed")),
        make: |path| closed(path, false, 200).or_else(|| cut(path, 4096 * 3 + 100)),
        ..FOUND
    },
    Case {
        name: "not a database",
        want: Err((Kind::Sqlite, "not a database")),
        make: |path| write(path, "", "hello world ".repeat(1000).as_bytes()),
        ..FOUND
    },
    Case { name: "empty", want: Err((Kind::Sqlite, "no such table: t")), make: |path| write(path, "", b""), ..FOUND },
    Case { name: "missing", want: Err((Kind::Io, "No such file")), make: |_| None, ..FOUND },
    Case {
        name: "a FIFO for a log",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| closed(path, false, 50).or_else(|| fifo(path, "-wal")),
        ..FOUND
    },
    Case {
        name: "a FIFO for a journal",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| closed(path, false, 50).or_else(|| fifo(path, "-journal")),
        ..FOUND
    },
    Case {
        name: "an empty log",
        want: Ok(50),
        make: |path| closed(path, true, 50).or_else(|| write(path, "-wal", b"")),
        ..FOUND
    },
    Case {
        name: "a log of another store",
        want: Ok(50),
        make: |path| closed(path, true, 50).or_else(|| write(path, "-wal", &[0x37; 9000])),
        ..FOUND
    },
    Case {
        name: "a log that ends in 64 MB of nothing",
        want: Ok(51),
        make: |path| died(path).or_else(|| cut(&beside(path, "-wal"), 64 << 20)),
        ..FOUND
    },
    Case {
        name: "encrypted",
        want: Err((Kind::Sqlite, "not a database")),
        make: |path| write(path, "", &noise(8192)),
        ..FOUND
    },
    Case { name: "another program's database", want: Err((Kind::Sqlite, "no such table: t")), make: foreign, ..FOUND },
    Case {
        name: "a folder in its place",
        want: Err((Kind::Io, "a directory, not a file")),
        make: |path| {
            fs::create_dir(path).unwrap();
            None
        },
        ..FOUND
    },
    Case {
        name: "a FIFO in its place",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| fifo(path, ""),
        ..FOUND
    },
    Case {
        name: "a socket in its place",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| {
            let socket = std::os::unix::net::UnixListener::bind("matrix-socket").unwrap();
            fs::rename("matrix-socket", path).unwrap();
            drop(socket);
            None
        },
        ..FOUND
    },
    Case { name: "a link to a store with frames", want: Ok(51), make: |path| linked(path, died), ..FOUND },
    Case {
        name: "a link to a store that is gone",
        want: Err((Kind::Io, "No such file")),
        make: |path| linked(path, |_| None),
        ..FOUND
    },
    Case { name: "a link to itself", want: Err((Kind::Io, "symbolic links")), make: |path| link(path, path), ..FOUND },
    Case {
        name: "a link to a device",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| link(Path::new("/dev/zero"), path),
        ..FOUND
    },
    Case {
        name: "permission denied",
        want: Err((Kind::Io, "Permission denied")),
        as_root: Some(Ok(50)),
        make: |path| {
            closed(path, false, 50);
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            None
        },
        ..FOUND
    },
    Case {
        name: "a name with spaces and a quote",
        want: Ok(51),
        make: |path| Some(with_frames(path)),
        file: b"it's my store.db",
        ..FOUND
    },
    Case {
        name: "a name of ? # % and &",
        want: Ok(51),
        make: |path| Some(with_frames(path)),
        file: b"a?mode=rw&b#c%20%41.db",
        ..FOUND
    },
    Case { name: "a name like a URI", want: Ok(51), make: |path| Some(with_frames(path)), file: b"file:a.db", ..FOUND },
    Case {
        name: "a name that is no UTF-8",
        want: Ok(50),
        make: |path| closed(path, true, 50),
        file: b"caf\xe9 \xff.db",
        ..FOUND
    },
    Case {
        name: "replaced by another during a scan",
        want: Ok(50),
        make: |path| closed(path, false, 50),
        meanwhile: Some(|path| {
            closed(&path.with_file_name("b.db"), false, 50);
            fs::rename(path.with_file_name("b.db"), path).unwrap();
        }),
        ..FOUND
    },
    Case {
        name: "renamed during a scan",
        want: Err((Kind::Io, "o such file")),
        make: |path| closed(path, true, 50),
        meanwhile: Some(|path| fs::rename(path, path.with_file_name("b.db")).unwrap()),
        ..FOUND
    },
    Case {
        name: "deleted between listing and reading",
        want: Err((Kind::Io, "o such file")),
        make: |path| closed(path, false, 50),
        meanwhile: Some(|path| fs::remove_file(path).unwrap()),
        ..FOUND
    },
    Case {
        name: "read slowly while a writer goes on",
        want: Ok(50),
        make: |path| closed(path, true, 50),
        meanwhile: Some(|path| {
            let mut writer = Other::open(path);
            for _ in 0..5 {
                writer.must("UPDATE t SET v = v || 'x'");
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            writer.kill();
        }),
        ..FOUND
    },
];

#[test]
fn every_state_is_read_right_and_left_alone() {
    let mut failures = Vec::new();
    println!("| {:<38} | directory | right | answer", "state");
    println!("|{:-<40}|-----------|-------|-------", "");
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("matrix-{number}"));
        let path = folder.path("").join(OsStr::from_bytes(case.file));
        let writer = (case.make)(&path);
        let (got, before) = match case.meanwhile {
            None => {
                let before = folder.listing();
                (count(&path), before)
            }
            Some(meanwhile) => scan(&folder, &path, meanwhile),
        };
        // A second reader, and a second question: nothing may depend on being first.
        let twice = |mut it: Database| one(&mut it, ROWS).and_then(|_| one(&mut it, ROWS));
        let again = if got.is_ok() { Database::open(&path).and_then(twice) } else { got.clone() };
        let is_untouched = folder.listing() == before;
        let is_root = case.as_root.is_some() && fs::File::open(&path).is_ok();
        let want = case.as_root.as_ref().filter(|_| is_root).unwrap_or(&case.want);
        // The words may tell how far the first came.
        let is_same = got == again || matches!((&got, &again), (Err(one), Err(two)) if one.kind() == two.kind());
        let is_right = is_same
            && match (&got, want) {
                (Ok(got), Ok(want)) => got == want,
                (Err(error), Err((kind, words))) => error.kind() == *kind && error.to_string().contains(words),
                _ => false,
            };
        let shown = got.as_ref().map_or_else(ToString::to_string, |rows| format!("{rows} rows"));
        let shown =
            shown.replace(&*path.to_string_lossy(), "it") + if is_root { " (root may read everything)" } else { "" };
        let marks = (if is_untouched { "untouched" } else { "CHANGED" }, if is_right { "right" } else { "WRONG" });
        println!("| {:<38} | {:<9} | {:<5} | {shown}", case.name, marks.0, marks.1);
        if !is_right || !is_untouched {
            failures.push(format!("{}: want {want:?}, got {got:?}, again {again:?}", case.name));
        }
        drop(writer);
        writable(&folder.path("."));
    }
    println!(
        "Not here: file systems of a network, which answer slowly. Mounted for writing they are refused in words."
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Counts the rows batch by batch. `meanwhile` happens behind the first; the folder is listed behind that.
fn scan(folder: &Folder, path: &Path, meanwhile: fn(&Path)) -> (Result<i64>, Listing) {
    let mut before = None;
    let got = Database::open(path).and_then(|mut database| {
        let mut batches = Batches::new("SELECT id FROM t WHERE id >= ?1 ORDER BY id LIMIT ?2", 7);
        let mut rows = 0;
        while let Some(batch) = batches.next(&mut database, |_| Ok(()))? {
            rows += batch.len() as i64;
            before.get_or_insert_with(|| {
                meanwhile(path);
                folder.listing()
            });
        }
        Ok(rows)
    });
    (got, before.unwrap())
}
