//! `make bench`: how fast the tables answer, as multiples of what no reader can avoid.
//!
//! The floor F is reading every blob through SQLite and inflating it with zstd in one context, in this process. All is
//! run in turns, round by round, and the least of each counts: on a machine that others use, only ratios tell. What
//! takes milliseconds runs five times in each round.
//! One thread is measured in processor time, two by the clock. `--small` takes a tenth of the sizes, `--threads N`,
//! `--megabytes N` and `--giant N` take others, `--rounds N` more patience, `--only WORD` only such lines.
#![expect(clippy::indexing_slicing, reason = "a benchmark that cannot run may stop")]

mod ask;
mod clock;
mod cody;
mod functions;
mod host;
mod jobs;
mod memory;
mod python;
mod random;
mod stores;
mod table;
mod texts;
mod zed;

use std::path::Path;
use std::process::ExitCode;
use stores::{Sizes, Stores};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("speed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [memory::WORD, rest @ ..] = arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        return memory::child(&rest.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    }
    let mut sizes = Sizes { threads: 1_000, megabytes: 250, giant: 200 };
    let (mut rounds, mut only) = (5, String::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--small" {
            sizes = Sizes { threads: 100, megabytes: 25, giant: 20 };
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} takes a value"))?;
        match word.as_str() {
            "--threads" => sizes.threads = value.parse()?,
            "--megabytes" => sizes.megabytes = value.parse()?,
            "--giant" => sizes.giant = value.parse()?,
            "--rounds" => rounds = value.parse()?,
            "--only" => only.clone_from(value),
            _ => return Err(format!("unknown option {word}").into()),
        }
    }
    let stores = Stores::make(&Path::new(env!("CARGO_MANIFEST_DIR")).join("target/speed"), sizes)?;
    table::print(&stores, rounds, &only)
}
