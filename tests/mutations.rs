//! Stores in which bytes were changed at random: the host lives, memory stays bounded, every query ends soon, and the
//! other agent's rows are whole.
//!
//! `MUTATIONS=500 cargo test … --test mutations -- --nocapture` tries more and shows the slowest query and the most
//! memory; `SEED=7` tries others.

mod support;

use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::{Result, files_below, fixtures};

/// What may take so long, and so much.
const LONGEST: Duration = Duration::from_secs(10);
const MOST_MEMORY_KIB: u64 = 300 << 10;

/// xorshift64*: the same mutations on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Changes one byte, or a block of up to 64, anywhere in the file.
fn mutate(bytes: &mut [u8], random: &mut Random) {
    let start = random.below(bytes.len());
    let length = if random.below(2) == 0 { 1 } else { 1 + random.below(64) };
    let end = (start + length).min(bytes.len());
    let kind = random.below(3);
    for byte in bytes.iter_mut().take(end).skip(start) {
        *byte = match kind {
            0 => random.next() as u8,
            1 => 0,
            _ => !*byte,
        };
    }
}

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

/// Reads every cell of a table; gives how many rows there were. An SQL error would be misuse, or a fault of ours.
fn read(db: &Connection, table: &str, home: &Path, slowest: &mut Duration) -> Result<usize> {
    let start = Instant::now();
    let mut statement = db.prepare(&format!("SELECT * FROM {table}(?1)"))?;
    let mut rows = statement.query([home.to_string_lossy()])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        row.get_ref(0)?;
        count += 1;
    }
    *slowest = start.elapsed().max(*slowest);
    assert!(*slowest < LONGEST, "{table} took {slowest:?}");
    Ok(count)
}

fn peak_memory_kib() -> Result<Option<u64>> {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return Ok(None) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()))
}

/// Mutates `store` below a copy of the demo home and reads `tables`; `others` keep their rows.
fn survive(name: &str, store: &str, tables: &[&str], others: &[&str]) -> Result<()> {
    let home = copy_home(name)?;
    let path = home.join(store);
    let sound = fs::read(&path)?;
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    let mut slowest = Duration::ZERO;
    let whole: Vec<usize> = others.iter().map(|table| read(&db, table, &home, &mut slowest)).collect::<Result<_>>()?;
    let mut random = Random(number("SEED", 0x5eed) | 1);
    let rounds = number("MUTATIONS", 60);
    for round in 0..rounds {
        let mut bytes = sound.clone();
        mutate(&mut bytes, &mut random);
        fs::write(&path, &bytes)?;
        for table in tables {
            read(&db, table, &home, &mut slowest).map_err(|error| format!("round {round}, {table}: {error}"))?;
        }
        for (table, rows) in others.iter().zip(&whole) {
            assert_eq!(read(&db, table, &home, &mut slowest)?, *rows, "round {round}: {table} is another store's");
        }
        assert_eq!(fs::read(&path)?, bytes, "round {round}: the store was written");
    }
    let peak = peak_memory_kib()?;
    let shown = peak.map_or_else(|| "not known here".into(), |peak| format!("{} MiB", peak >> 10));
    println!(
        "| {name:<15} | {rounds:>4} mutations | slowest query {:>6.1} ms | peak memory {shown} |",
        slowest.as_secs_f64() * 1e3
    );
    if let Some(peak) = peak {
        assert!(peak < MOST_MEMORY_KIB, "{peak} KiB at the most");
    }
    Ok(())
}

#[test]
fn a_mutated_threads_db_costs_nothing_but_its_own_rows() -> Result<()> {
    let tables = ["zed_messages", "zed_threads", "zed_tool_calls", "zed_edits", "zed_token_usage", "zed_permissions"];
    survive(
        "mutated-threads",
        ".local/share/zed/threads/threads.db",
        &tables,
        &["cody_messages", "zed_sidebar_threads"],
    )
}

#[test]
fn a_mutated_state_vscdb_costs_nothing_but_its_own_rows() -> Result<()> {
    let tables = ["cody_messages", "cody_chats", "cody_context", "cody_tool_calls", "cody_model_prefs", "cody_prompts"];
    survive("mutated-vscdb", ".config/Code/User/globalStorage/state.vscdb", &tables, &["zed_messages"])
}
