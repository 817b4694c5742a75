//! Readers beside a writer that never rests: how often is an answer wrong, and how often is the writer held up?
//!
//! `cargo test` runs each row for a moment. `cargo test --test stress -- --seconds 60` (`make stress`) takes its time;
//! a word picks the rows whose names hold it; `--compare` adds the usual ways to open a store, for contrast.
//!
//! It fails when an answer is wrong, a sound store is called damaged, or the writer meets a BUSY of our making.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here fails the test"
)]

mod reader;
mod writer;

use reader::{Ask, CASES, Case, Way};
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use writer::Writer;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, manner, path] = arguments.as_slice()
        && word == "writer"
    {
        writer::run(manner, Path::new(path));
        return ExitCode::SUCCESS;
    }
    let value_of = |name: &str| arguments.iter().skip_while(|it| *it != name).nth(1);
    let seconds = value_of("--seconds").and_then(|it| it.parse().ok()).unwrap_or(0.3);
    let words: Vec<&String> =
        arguments.iter().filter(|it| !it.starts_with('-') && it.parse::<f64>().is_err()).collect();
    let is_compared = arguments.iter().any(|it| it == "--compare");
    let is_asked = |case: &&Case| {
        let name = case.name();
        (is_compared || case.way == Way::Overlay) && (words.is_empty() || words.iter().any(|word| name.contains(*word)))
    };
    let cases: Vec<&Case> = CASES.iter().filter(is_asked).collect();
    if !cases.is_empty() {
        println!("{HEADER}");
    }
    let is_good =
        cases.into_iter().map(|case| measure(case, Duration::from_secs_f64(seconds))).fold(true, |a, b| a & b);
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const HEADER: &str = "\
| journal and question                   |  reads | wrong | errors | gave up | commits | BUSY |  p50 ms |  p99 ms |  max ms |
|----------------------------------------|-------:|------:|-------:|--------:|--------:|-----:|--------:|--------:|--------:|";

/// Runs one row and prints it; was it good?
fn measure(case: &Case, time: Duration) -> bool {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stress");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("store.db");
    let writer = Writer::start(&path, case.manner);
    let mut ask = Ask::new(case, &path);
    let (mut wrong, mut errors, mut gave_up) = (0, 0, 0);
    let (mut said, mut latencies) = (HashSet::new(), Vec::new());
    let end = Instant::now() + time;
    while Instant::now() < end {
        let start = Instant::now();
        match ask.once() {
            Ok(true) => {}
            Ok(false) => wrong += 1,
            Err(error) if error.contains("busy: ") => gave_up += 1,
            Err(error) => {
                errors += 1;
                if said.insert(error.clone()) {
                    eprintln!("{}: {error}", case.name());
                }
            }
        }
        latencies.push(start.elapsed());
    }
    let count = writer.stop();
    let _ = std::fs::remove_dir_all(&folder);
    latencies.sort_unstable();
    let at = |part: f64| latencies[((latencies.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "| {:<38} | {:>6} | {wrong:>5} | {errors:>6} | {gave_up:>7} | {:>7} | {:>4} | {:>7.2} | {:>7.2} | {:>7.1} |",
        case.name(),
        latencies.len(),
        count.commits,
        count.busy,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    case.way != Way::Overlay || wrong + errors + count.busy == 0
}
