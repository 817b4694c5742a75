//! The stores that are asked, made once for a size and a seed.

use super::random::Random;
use super::texts::Texts;
use super::{Result, cody, zed};
use std::path::{Path, PathBuf};

/// Raised when the texts change, so that old stores are made anew.
const EDITION: u32 = 1;
const SEED: u64 = 7;

/// How large the stores are.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Threads of the usual store.
    pub threads: usize,
    /// Its decoded JSON, in MB.
    pub megabytes: usize,
    /// The giant thread, and the Cody value, in MB.
    pub giant: usize,
}

/// Where the stores are.
pub struct Stores {
    /// Many threads of usual sizes.
    pub usual: PathBuf,
    /// Four times as many.
    pub grown: PathBuf,
    /// As many threads as the usual one, with a tenth of the bytes.
    pub light: PathBuf,
    /// A tenth of the usual one, for joins without a cache.
    pub joined: PathBuf,
    /// Twenty small threads, and a giant one in front of which nothing is asked.
    pub giant: PathBuf,
    /// A Cody history.
    pub cody: PathBuf,
    /// The giant thread's session.
    pub giant_id: String,
    /// Threads of the usual store.
    pub threads: usize,
}

impl Stores {
    /// Makes those that are not there yet, below `folder`.
    pub fn make(folder: &Path, sizes: Sizes) -> Result<Self> {
        let Sizes { threads, megabytes, giant } = sizes;
        let folder = folder.join(format!("{EDITION}-{SEED}-{threads}-{megabytes}-{giant}"));
        std::fs::create_dir_all(&folder)?;
        let mut random = Random::new(SEED);
        let texts = Texts::new(&mut random);
        let usual = |path: &Path, random: &mut Random, times: usize| {
            zed::write(path, &texts, random, threads * times, (megabytes * times) << 20, 0)
        };
        let stores = Self {
            usual: made(&folder.join("usual/threads.db"), |path, random| usual(path, random, 1))?,
            grown: made(&folder.join("grown/threads.db"), |path, random| usual(path, random, 4))?,
            light: made(&folder.join("light/threads.db"), |path, random| {
                zed::write(path, &texts, random, threads, (megabytes << 20) / 10, 0)
            })?,
            joined: made(&folder.join("joined/threads.db"), |path, random| {
                zed::write(path, &texts, random, (threads / 10).max(1), (megabytes << 20) / 10, 0)
            })?,
            giant: made(&folder.join("giant/threads.db"), |path, random| {
                zed::write(path, &texts, random, 21, 20 << 20, giant << 20)
            })?,
            cody: made(&folder.join("cody/state.vscdb"), |path, random| {
                cody::write(path, &texts, random, giant << 20)
            })?,
            giant_id: String::new(),
            threads,
        };
        let db = rusqlite::Connection::open(&stores.giant)?;
        let giant_id =
            db.query_row("SELECT id FROM threads ORDER BY length(data) DESC LIMIT 1", [], |row| row.get(0))?;
        Ok(Self { giant_id, ..stores })
    }
}

/// A store that is whole, or not there.
fn made(path: &Path, write: impl FnOnce(&Path, &mut Random) -> Result<()>) -> Result<PathBuf> {
    if !path.exists() {
        let half = path.with_extension("half");
        std::fs::create_dir_all(path.parent().ok_or("a store in no folder")?)?;
        let _ = std::fs::remove_file(&half);
        eprintln!("making {}", path.display());
        write(&half, &mut Random::new(SEED))?;
        std::fs::rename(&half, path)?;
    }
    Ok(path.to_owned())
}
