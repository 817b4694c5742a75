//! One value, piece by piece.

use crate::support::Folder;
use agent_history::error::Kind;
use agent_history::store::sqlite::{Amount, Database};
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::{Duration, Instant};

const LARGE: usize = (8 << 20) + (3 << 19);
const ALL: Amount = Amount { each: u64::MAX, all: u64::MAX };

fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] ^ seed).collect()
}

fn store(path: &Path, is_wal: bool) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(if is_wal { "PRAGMA journal_mode=wal" } else { "PRAGMA journal_mode=delete" }).unwrap();
    db.execute_batch("CREATE TABLE b(id INTEGER PRIMARY KEY, v, n)").unwrap();
    db
}

/// With a write-ahead log or a journal, by this thread alone or by one that reads ahead.
const WAYS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

#[test]
fn small_and_large_values_come_out_whole() {
    for (is_wal, is_ahead) in WAYS {
        let folder = Folder::new(&format!("blob-{is_wal}-{is_ahead}"));
        let path = folder.path("a.db");
        let db = store(&path, is_wal);
        for (id, len) in [(1, 0), (2, 1000), (3, 3 << 20), (4, LARGE)] {
            db.execute("INSERT INTO b VALUES(?1, ?2, 0)", params![id, bytes(len, 7)]).unwrap();
        }
        db.execute_batch("INSERT INTO b VALUES(5, 'text é', 0), (6, 42, 0), (7, NULL, 0)").unwrap();
        let mut database = Database::open(&path).unwrap();
        for (id, len) in [(1, 0), (2, 1000), (3, 3 << 20), (4, LARGE)] {
            let mut blob = database.blob("b", "v", id).unwrap().reading_ahead(is_ahead);
            assert_eq!(blob.len(), len as u64);
            assert!(blob.into_bytes().unwrap() == bytes(len, 7));
            blob = database.blob("b", "v", id).unwrap().reading_ahead(is_ahead);
            blob.seek(len as u64 / 2);
            let mut some = [0; 100];
            let got = blob.fill(&mut some).unwrap();
            assert_eq!(some[..got], bytes(len, 7)[len / 2..][..got]);
            blob.seek(len as u64);
            assert_eq!(blob.fill(&mut some).unwrap(), 0);
        }
        assert_eq!(database.blob("b", "v", 5).unwrap().into_bytes().unwrap(), "text é".as_bytes());
        for (id, kind, what) in [
            (6, Kind::Shape, "expected text or a blob, found integer"),
            (7, Kind::Shape, "expected text or a blob, found null"),
            (8, Kind::Busy, "the record is gone"),
        ] {
            let error = database.blob("b", "v", id).map(drop).unwrap_err();
            assert_eq!((error.kind(), error.what()), (kind, what));
        }
    }
}

#[test]
fn a_store_that_moves_in_the_middle() {
    for (is_wal, is_ahead) in WAYS {
        let folder = Folder::new(&format!("blob-moves-{is_wal}-{is_ahead}"));
        let path = folder.path("a.db");
        let db = store(&path, is_wal);
        db.execute("INSERT INTO b VALUES(1, ?1, 0)", [bytes(LARGE, 7)]).unwrap();
        let mut database = Database::open(&path).unwrap();
        let mut blob = database.blob("b", "v", 1).unwrap().reading_ahead(is_ahead);
        let mut out = vec![0; LARGE];
        let mut done = 0;
        while done < LARGE {
            let end = LARGE.min(done + (3 << 20));
            done += blob.fill(&mut out[done..end]).unwrap();
            db.execute("INSERT INTO b VALUES(NULL, zeroblob(5000), 0)", []).unwrap();
            db.execute("UPDATE b SET n = n + 1 WHERE id > 1", []).unwrap();
        }
        assert!(out == bytes(LARGE, 7), "other rows do not matter");
        let mut blob = database.blob("b", "v", 1).unwrap().reading_ahead(is_ahead);
        blob.fill(&mut out[..1 << 20]).unwrap();
        db.execute("UPDATE b SET v = ?1 WHERE id = 1", [bytes(LARGE, 8)]).unwrap();
        if is_wal {
            db.execute_batch("PRAGMA wal_checkpoint(truncate)").unwrap();
        }
        for room in [LARGE, 1000] {
            out.fill(1);
            let error = (0..1000).find_map(|_| blob.fill(&mut out[..room]).err()).expect("the record changed");
            assert_eq!((error.kind(), error.what()), (Kind::Busy, "the record changed while it was read"));
            assert!(room < LARGE || out.iter().all(|byte| *byte < 2), "bytes that are not proven");
        }
    }
}

/// A large room is filled at once, a small one out of a piece that is kept.
#[test]
fn rooms_of_every_size_get_the_same_bytes() {
    for is_wal in [false, true] {
        let folder = Folder::new(if is_wal { "blob-rooms-wal" } else { "blob-rooms" });
        let db = store(&folder.path("a.db"), is_wal);
        let want = bytes(LARGE, 7);
        db.execute("INSERT INTO b VALUES(1, ?1, 0)", [&want]).unwrap();
        let mut blob = Database::open(&folder.path("a.db")).unwrap().blob("b", "v", 1).unwrap();
        let mut out = vec![0; 1 << 20];
        let rooms = [1, 1000, 64 << 10, (256 << 10) - 1, 256 << 10, (256 << 10) + 77, 1 << 20];
        for (round, room) in rooms.iter().cycle().take(20 * rooms.len()).enumerate() {
            // On where the last one ended, or anywhere.
            if round % 5 == 0 {
                blob.seek((round * 1_234_577 % (LARGE + 1)) as u64);
            }
            let at = blob.position() as usize;
            let count = blob.fill(&mut out[..*room]).unwrap();
            assert!(out[..count] == want[at..][..count], "{room} bytes at {at}");
            assert_eq!((count > 0, blob.position()), (at < LARGE, (at + count) as u64));
            // What was given out is compared with the value in the new state.
            if round % 9 == 0 {
                db.execute("INSERT INTO b VALUES(NULL, zeroblob(5000), 0)", []).unwrap();
            }
        }
        let rest = (300 << 10) + 13;
        blob.seek((LARGE - rest) as u64);
        assert_eq!((blob.fill(&mut out).unwrap(), blob.fill(&mut out).unwrap()), (rest, 0));
    }
}

#[test]
fn several_at_once_as_far_as_they_can_be_read() {
    for is_wal in [false, true] {
        let folder = Folder::new(if is_wal { "blobs-wal" } else { "blobs" });
        let path = folder.path("a.db");
        let db = store(&path, is_wal);
        for (id, len) in [(1, 0), (2, 100_000), (3, 20_000), (5, LARGE), (6, 3)] {
            db.execute("INSERT INTO b VALUES(?1, ?2, 0)", params![id, bytes(len, id)]).unwrap();
        }
        db.execute_batch("INSERT INTO b VALUES(7, 42, 0)").unwrap();
        let mut database = Database::open(&path).unwrap();
        for (rowids, most, want) in [
            (&[][..], 0, &[][..]),
            (&[1], 0, &[0]),
            (&[3, 2, 1, 6], u64::MAX, &[20_000, 100_000, 0, 3]),
            (&[6, 2, 3], 0, &[3]),
            (&[6, 2, 3], 4, &[3, 100_000]),
            (&[1, 2, 4, 3], u64::MAX, &[0, 100_000]),
            (&[3, 7, 2], u64::MAX, &[20_000]),
            (&[3, 5, 6], u64::MAX, &[20_000, LARGE, 3]),
        ] {
            let blobs = database.blobs("b", "v", rowids, Amount { all: most, ..ALL }).unwrap();
            let read = blobs.into_iter().map(|blob| blob.into_bytes().unwrap());
            let all: Vec<Vec<u8>> = rowids.iter().zip(want).map(|(id, len)| bytes(*len, *id as u8)).collect();
            assert!(read.eq(all), "{rowids:?}");
        }
        let error = database.blobs("b", "v", &[7, 1], ALL).map(drop).unwrap_err();
        assert_eq!((error.kind(), error.what()), (Kind::Shape, "expected text or a blob, found integer"));
        assert_eq!(database.blobs("b", "v", &[4, 1], ALL).map(drop).unwrap_err().what(), "the record is gone");
    }
}

/// Of a value of which the beginning was asked for the rest is there too, of the same value or not at all.
#[test]
fn a_beginning_goes_on_in_its_value() {
    for is_wal in [false, true] {
        let folder = Folder::new(if is_wal { "beginning-wal" } else { "beginning" });
        let path = folder.path("a.db");
        let db = store(&path, is_wal);
        let lens = [(1, 100_000), (2, 10_000), (3, LARGE), (4, 32_768)];
        for (id, len) in lens {
            db.execute("INSERT INTO b VALUES(?1, ?2, 0)", params![id, bytes(len, id)]).unwrap();
        }
        let mut database = Database::open(&path).unwrap();
        let amount = Amount { each: 32 << 10, ..ALL };
        let whole = |id| {
            let path = path.clone();
            move || Database::open(&path)?.blob("b", "v", id)
        };
        let blobs = database.blobs("b", "v", &[1, 2, 3, 4], amount).unwrap();
        assert!(blobs.iter().map(|blob| blob.is_beginning()).eq([true, false, true, false]));
        for (blob, (id, len)) in blobs.into_iter().zip(lens) {
            assert_eq!((blob.len(), blob.is_in_memory()), (len as u64, true));
            assert!(blob.with_rest(whole(i64::from(id))).into_bytes().unwrap() == bytes(len, id));
        }
        let begun = |database: &mut Database| {
            let mut blob = database.blobs("b", "v", &[1], amount).unwrap().remove(0).with_rest(whole(1));
            let mut some = [0; 1000];
            assert_eq!(blob.fill(&mut some).unwrap(), 1000);
            assert!(some[..] == bytes(100_000, 1)[..1000]);
            blob
        };
        let mut changed = bytes(100_000, 1);
        changed[40_000..].fill(9);
        for (new, what) in [
            (Some(changed.clone()), None),
            (Some(bytes(100_000, 2)), Some("the record changed while it was read")),
            (Some(bytes(100_001, 1)), Some("the record changed while it was read")),
            (None, Some("the record is gone")),
        ] {
            db.execute("INSERT OR REPLACE INTO b VALUES(1, ?1, 0)", [bytes(100_000, 1)]).unwrap();
            let mut blob = begun(&mut database);
            match &new {
                Some(new) => db.execute("UPDATE b SET v = ?1 WHERE id = 1", [new]).unwrap(),
                None => db.execute("DELETE FROM b WHERE id = 1", []).unwrap(),
            };
            blob.seek(0);
            match (blob.into_bytes(), what) {
                (Ok(read), None) => assert!(new.as_ref() == Some(&read), "what was given out still begins it"),
                (read, what) => {
                    let error = read.map(drop).unwrap_err();
                    assert_eq!((error.kind(), Some(error.what())), (Kind::Busy, what));
                }
            }
        }
        let alone = database.blobs("b", "v", &[3], amount).unwrap().remove(0);
        assert_eq!(alone.into_bytes().unwrap_err().what(), "only the beginning of the value was read");
    }
}

/// Every commit writes all rows anew, each over several pages: a mixture would show.
#[test]
fn several_at_once_are_of_one_state() {
    for is_wal in [false, true] {
        let folder = Folder::new(if is_wal { "blobs-move-wal" } else { "blobs-move" });
        let path = folder.path("a.db");
        let db = store(&path, is_wal);
        db.execute_batch("PRAGMA synchronous=off; PRAGMA wal_autocheckpoint=20").unwrap();
        let rowids: Vec<i64> = (1..=10).collect();
        for id in &rowids {
            db.execute("INSERT INTO b VALUES(?1, ?2, 0)", params![id, vec![0_u8; 9000]]).unwrap();
        }
        let end = Instant::now() + Duration::from_millis(400);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for round in (0..=u8::MAX).cycle().take_while(|_| Instant::now() < end) {
                    let len = 9000 + usize::from(round) * 20;
                    db.execute("UPDATE b SET v = ?1", [vec![round; len]]).unwrap();
                    std::thread::sleep(Duration::from_micros(u64::from(round % 8) * 150));
                }
            });
            let mut database = Database::open(&path).unwrap();
            let mut answers = 0;
            while Instant::now() < end {
                match database.blobs("b", "v", &rowids, ALL) {
                    Ok(blobs) => {
                        let all: Vec<Vec<u8>> = blobs.into_iter().map(|blob| blob.into_bytes().unwrap()).collect();
                        assert_eq!(all.len(), rowids.len());
                        assert!(all.iter().all(|value| *value == all[0]), "of several states");
                        assert!(all[0].iter().all(|byte| *byte == all[0][0]), "torn");
                        answers += 1;
                    }
                    Err(error) => assert_eq!(error.kind(), Kind::Busy, "{error}"),
                }
            }
            assert!(answers > 20, "{answers}");
        });
    }
}
