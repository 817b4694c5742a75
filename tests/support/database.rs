//! Builds a SQLite file from a reviewable SQL script, in the state that a store can be found in.
//!
//! Lines `-- build: …` in the script say what SQL cannot:
//!
//! | line | effect |
//! |---|---|
//! | `-- build: wal` | what follows is committed, but stands only in `X-wal`; there is no `X-shm` |
//! | `-- build: hot-journal` | what follows is half done: in the file, with the pages before it in a hot `X-journal` |
//! | `-- build: overwrite page 7 with DEAD` | page 7 of the finished file is these bytes, repeated |
//! | `-- build: truncate 5000` | the finished file is cut to 5000 bytes |

use super::{Result, functions, text};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

const DIRECTIVE: &str = "-- build:";

/// How the script's second part is left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// In the file, as a program that ended well leaves it.
    Committed,
    /// In the write-ahead log only.
    Wal,
    /// In the file, with a journal that a reader must roll back.
    HotJournal,
}

#[derive(Debug, PartialEq, Eq)]
enum Damage {
    Overwrite { page: usize, with: Vec<u8> },
    Truncate { length: usize },
}

struct Plan {
    before: String,
    ending: Ending,
    after: String,
    damage: Vec<Damage>,
}

fn parse(script: &str) -> Result<Plan> {
    let mut plan = Plan { before: String::new(), ending: Ending::Committed, after: String::new(), damage: Vec::new() };
    for line in script.lines() {
        let Some(directive) = line.strip_prefix(DIRECTIVE) else {
            let part = if plan.ending == Ending::Committed { &mut plan.before } else { &mut plan.after };
            part.push_str(line);
            part.push('\n');
            continue;
        };
        match directive.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["wal"] => plan.ending = Ending::Wal,
            ["hot-journal"] => plan.ending = Ending::HotJournal,
            ["truncate", length] => plan.damage.push(Damage::Truncate { length: length.parse()? }),
            ["overwrite", "page", page, "with", bytes] => {
                plan.damage.push(Damage::Overwrite { page: page.parse()?, with: text::parse_hex(bytes)? });
            }
            _ => return Err(format!("unknown line `{line}`").into()),
        }
    }
    Ok(plan)
}

/// Runs `script` into a new database at `target`; its files are read below `folder`.
pub fn build(script: &str, folder: &Path, target: &Path) -> Result<()> {
    let plan = parse(script)?;
    let db = Connection::open(target)?;
    functions::register(&db, folder)?;
    // The file is new and built aside: nobody is served by waiting for the disk.
    db.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF")?;
    db.execute_batch(&plan.before)?;
    match plan.ending {
        Ending::Committed => close(db)?,
        Ending::Wal => leave_wal(db, &plan.after, target)?,
        Ending::HotJournal => leave_hot_journal(db, &plan.after, target)?,
    }
    damage(&plan.damage, target)
}

fn close(db: Connection) -> Result<()> {
    db.close().map_err(|(_, error)| error.into())
}

/// The path of a database's companion: `-wal`, `-journal`, `-shm`.
fn beside(target: &Path, suffix: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn leave_wal(db: Connection, after: &str, target: &Path) -> Result<()> {
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")?;
    db.execute_batch(after)?;
    // Closing moves the log into the file and deletes it, so both are taken before and put back after.
    let wal = beside(target, "-wal");
    let (file, log) = (std::fs::read(target)?, std::fs::read(&wal)?);
    close(db)?;
    std::fs::write(target, file)?;
    std::fs::write(wal, with_fixed_salts(log)?)?;
    Ok(())
}

/// The log with salts that are not random, and the checksums that follow from them (the format's section 4.2).
fn with_fixed_salts(mut log: Vec<u8>) -> Result<Vec<u8>> {
    const SALTS: [u8; 8] = *b"fixtures";
    let header = log.get(..32).ok_or("an empty -wal: nothing follows `-- build: wal`")?;
    let is_big_endian = be32(header, 0)? & 1 == 1;
    let page_size = be32(header, 8)? as usize;
    let mut sum = (0, 0);
    put(&mut log, 16, &SALTS)?;
    sum = checksum(sum, log.get(..24).unwrap_or_default(), is_big_endian);
    put(&mut log, 24, &to_bytes(sum))?;
    for frame in (32..log.len()).step_by(24 + page_size) {
        put(&mut log, frame + 8, &SALTS)?;
        sum = checksum(sum, log.get(frame..frame + 8).unwrap_or_default(), is_big_endian);
        sum = checksum(sum, log.get(frame + 24..frame + 24 + page_size).ok_or("a cut -wal frame")?, is_big_endian);
        put(&mut log, frame + 16, &to_bytes(sum))?;
    }
    Ok(log)
}

fn checksum((mut s0, mut s1): (u32, u32), bytes: &[u8], is_big_endian: bool) -> (u32, u32) {
    let word = |w: &[u8]| {
        let w = w.try_into().unwrap_or_default();
        if is_big_endian { u32::from_be_bytes(w) } else { u32::from_le_bytes(w) }
    };
    for pair in bytes.chunks_exact(8) {
        let (first, second) = pair.split_at(4);
        s0 = s0.wrapping_add(word(first)).wrapping_add(s1);
        s1 = s1.wrapping_add(word(second)).wrapping_add(s0);
    }
    (s0, s1)
}

fn to_bytes((s0, s1): (u32, u32)) -> [u8; 8] {
    (u64::from(s0) << 32 | u64::from(s1)).to_be_bytes()
}

fn leave_hot_journal(db: Connection, after: &str, target: &Path) -> Result<()> {
    let page_size = db.query_row("PRAGMA page_size", [], |row| row.get::<_, u32>(0))? as usize;
    let old = std::fs::read(target)?;
    db.execute_batch(after)?;
    close(db)?;
    let new = std::fs::read(target)?;
    std::fs::write(beside(target, "-journal"), journal(&old, &new, page_size)?)?;
    Ok(())
}

/// A rollback journal that turns `new` back into `old` (the format's section 3), as SQLite would have written it.
fn journal(old: &[u8], new: &[u8], page_size: usize) -> Result<Vec<u8>> {
    const NONCE: u32 = 0x5EED_5EED;
    const SECTOR: usize = 512;
    let changed: Vec<(usize, &[u8])> = old
        .chunks(page_size)
        .enumerate()
        .filter(|(i, page)| new.get(i * page_size..(i + 1) * page_size) != Some(*page))
        .map(|(i, page)| (i + 1, page))
        .collect();
    if changed.is_empty() {
        return Err("nothing changes a page after `-- build: hot-journal`".into());
    }
    let mut out = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7".to_vec();
    for number in [changed.len(), NONCE as usize, old.len() / page_size, SECTOR, page_size] {
        out.extend(u32::try_from(number)?.to_be_bytes());
    }
    out.resize(SECTOR, 0);
    for (number, page) in changed {
        // Every 200th byte counted from the page's end, the first of them 200 before it.
        let samples = (1..page_size.div_ceil(200)).filter_map(|i| page.get(page_size - 200 * i));
        let sum = samples.fold(NONCE, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        out.extend(u32::try_from(number)?.to_be_bytes());
        out.extend(page);
        out.extend(sum.to_be_bytes());
    }
    Ok(out)
}

fn damage(damage: &[Damage], target: &Path) -> Result<()> {
    let mut bytes = std::fs::read(target)?;
    for one in damage {
        match one {
            Damage::Truncate { length } => bytes.truncate(*length),
            Damage::Overwrite { page, with } => {
                let size = match be32(&bytes, 16)? >> 16 {
                    1 => 65536,
                    size => size as usize,
                };
                let start = page.saturating_sub(1) * size;
                let filler: Vec<u8> = with.iter().copied().cycle().take(size).collect();
                put(&mut bytes, start, &filler).map_err(|_| format!("the file has no page {page}"))?;
            }
        }
    }
    if !damage.is_empty() {
        std::fs::write(target, bytes)?;
    }
    Ok(())
}

fn be32(bytes: &[u8], at: usize) -> Result<u32> {
    let word = bytes.get(at..at + 4).ok_or("too short for a header")?;
    Ok(u32::from_be_bytes(word.try_into()?))
}

fn put(bytes: &mut [u8], at: usize, with: &[u8]) -> Result<()> {
    bytes.get_mut(at..at + with.len()).ok_or("beyond the end")?.copy_from_slice(with);
    Ok(())
}
