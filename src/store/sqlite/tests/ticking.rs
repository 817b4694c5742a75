//! Where the kernel's file times advance in ticks: the same answers, a little later.

use super::{Scene, fill};
use crate::store::sqlite::Database;
use crate::store::sqlite::state::stamp::IS_TICKING;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[test]
fn answers_are_right_beside_a_writer() {
    IS_TICKING.store(true, Relaxed);
    for journal in ["wal", "delete"] {
        let scene = Scene::new(&format!("ticking-{journal}"));
        let db = scene.writer(&format!("PRAGMA journal_mode={journal}; PRAGMA wal_autocheckpoint=10"));
        fill(&db, 500);
        db.execute_batch("PRAGMA synchronous=off; PRAGMA cache_size=5; ALTER TABLE t ADD n DEFAULT 100").unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let writer = std::thread::spawn(move || {
            let mut commits = 0;
            while !seen.load(Relaxed) {
                db.execute_batch(
                    "BEGIN IMMEDIATE; UPDATE t SET n = n - 1 WHERE id % 7 = 3; UPDATE t SET n = n + 1 WHERE id % 7 = 3;
                     UPDATE t SET n = n - 5 WHERE id = abs(random() % 500) + 1; UPDATE t SET n = 50000 - (SELECT sum(n)
                     FROM t WHERE id > 1) WHERE id = 1; COMMIT",
                )
                .unwrap();
                commits += 1;
                std::thread::sleep(Duration::from_millis(3));
            }
            commits
        });
        let mut database = Database::open(&scene.path).unwrap();
        let (mut reads, end) = (0, Instant::now() + Duration::from_millis(1500));
        while Instant::now() < end {
            let sum = database.query("SELECT count(*), sum(n) FROM t", &[], |row| Ok((row.integer(0), row.integer(1))));
            assert_eq!(sum.unwrap(), [(Some(500), Some(50_000))]);
            reads += 1;
        }
        stop.store(true, Relaxed);
        let commits = writer.join().unwrap();
        assert!(reads > 10 && commits > 10, "{journal}: {reads} reads, {commits} commits");
    }
    IS_TICKING.store(false, Relaxed);
}
