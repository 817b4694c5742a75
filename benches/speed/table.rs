//! One table of ratios with the targets.

use super::Result;
use super::ask::Question;
use super::clock::Took;
use super::jobs::{self, Expected, Job, SESSIONS};
use super::memory;
use super::python;
use super::stores::Stores;
use std::collections::HashMap;
use std::time::Duration;

struct Times(HashMap<&'static str, Took>);

impl Times {
    fn cpu(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|took| took.cpu.as_secs_f64())
    }

    fn wall(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|took| took.wall.as_secs_f64())
    }

    /// Processor time of one job over another's.
    fn ratio(&self, name: &str, of: &str) -> Option<f64> {
        Some(self.cpu(name)? / self.cpu(of)?)
    }
}

/// A number that is to be at most, or at least, another.
struct Line {
    name: &'static str,
    value: Option<f64>,
    unit: &'static str,
    target: f64,
    is_most: bool,
}

fn most(name: &'static str, value: Option<f64>, unit: &'static str, target: f64) -> Line {
    Line { name, value, unit, target, is_most: true }
}

fn least(name: &'static str, value: Option<f64>, unit: &'static str, target: f64) -> Line {
    Line { name, value, unit, target, is_most: false }
}

/// Jobs shorter than this are repeated so often in each round.
const SHORT: Duration = Duration::from_millis(20);
const REPEATS: usize = 5;

/// Measures and prints.
pub fn print(stores: &Stores, rounds: usize, only: &str) -> Result<()> {
    let expected = Expected::of(stores)?;
    let all = jobs::all(stores, &expected);
    let times = measure(&all, rounds, only)?;
    for (name, _) in &all {
        if let Some(Took { wall, cpu }) = times.0.get(name) {
            let ms = |time: &Duration| time.as_secs_f64() * 1e3;
            println!("{name:24}{:10.2} ms of processors {:10.2} ms by the clock", ms(cpu), ms(wall));
        }
    }
    println!("\n{:58}{:>10}{:>14}", "", "measured", "target");
    let peaks = if only.is_empty() { peaks(stores)? } else { Vec::new() };
    for Line { name, value, unit, target, is_most } in lines(stores, &times).into_iter().chain(peaks) {
        let Some(value) = value else { continue };
        let (sign, is_met) = if is_most { ("<=", value <= target) } else { (">=", value >= target) };
        let verdict = if is_met { "" } else { "  MISSED" };
        println!("{name:54}{value:10.2} {unit:4}  {sign} {target:6.2}{verdict}");
    }
    if !python::is_there() {
        println!("\nPython with zstandard and orjson: not measured, this one has them not (PYTHON names another)");
    }
    Ok(())
}

fn measure(all: &[Job<'_>], rounds: usize, only: &str) -> Result<Times> {
    let mut times = Times(HashMap::new());
    for round in 0..rounds {
        for (name, job) in all {
            // What takes seconds is not worth a second look.
            let is_slow = times.cpu(name).is_some_and(|seconds| seconds > 3.0);
            let is_asked = name.contains(only) || name.ends_with("floor");
            if is_asked && !(is_slow && round > 0) {
                let run = || job().map_err(|error| format!("{name}: {error}"));
                let mut took = run()?;
                // What takes milliseconds would else tell how cold the processor is after what ran before.
                if took.wall < SHORT {
                    for _ in 1..REPEATS {
                        took = took.least(run()?);
                    }
                }
                let least = times.0.get(name).map_or(took, |before| before.least(took));
                times.0.insert(name, least.least(Took::MOST));
            }
        }
    }
    Ok(times)
}

fn lines(stores: &Stores, times: &Times) -> Vec<Line> {
    let floor = |name| times.ratio(name, "floor");
    let clock = |name, of| Some(times.wall(name)? / times.wall(of)?);
    let by_clock = |name| clock(name, "floor");
    let each = |name, count: usize| Some(times.cpu(name)? / count as f64);
    let over = |name, each: Option<f64>| Some(times.cpu(name)? / each?);
    let faster = |name| clock(name, "count, 2 threads");
    let cody = |name| times.ratio(name, "Cody count, 1 thread");
    let cody_faster = |name| clock(name, "Cody count, 2 threads");
    let ms = |name| Some(times.cpu(name)? * 1e3);
    let growth = || Some(times.ratio("grown count, 1 thread", "grown floor")? / floor("count, 1 thread")?);
    vec![
        most("count by turn_type, one thread", floor("count, 1 thread"), "F", 1.30),
        most("count by turn_type, two threads", by_clock("count, 2 threads"), "F", 0.85),
        most("all columns but raw, one thread", floor("columns, 1 thread"), "F", 1.75),
        most("all columns but raw, two threads", by_clock("columns, 2 threads"), "F", 1.15),
        most("text LIKE '%absent%', one thread", floor("absent, 1 thread"), "F", 1.20),
        least(
            "the same LIKE in a form that no scan hears of",
            times.ratio("absent, unheard", "absent, 1 thread"),
            "x",
            1.4,
        ),
        least(
            "one session by id: the scan takes so many times longer",
            over("count, 1 thread", each("one session", SESSIONS)),
            "x",
            400.0,
        ),
        most("session list, cheap columns, a thread", each("session list", stores.threads).map(|s| s * 1e6), "us", 2.0),
        most(
            "the list, of a store with a tenth of the bytes",
            times.ratio("session list", "session list, light"),
            "x",
            1.2,
        ),
        least("newest 10 sessions' messages: against the scan", over("count, 1 thread", each("newest", 1)), "x", 65.0),
        most("first message of every thread", floor("first messages"), "F", 0.45),
        most("first row of the giant thread", ms("first row, giant"), "ms", 2.0),
        most("first row of the Cody value", ms("first row, Cody"), "ms", 2.0),
        most("Cody count by turn_type, of the bare read", times.ratio("Cody count, 1 thread", "Cody floor"), "x", 2.5),
        most("the same by two threads", clock("Cody count, 2 threads", "Cody floor"), "x", 2.5),
        most("the same count again, of the first", times.ratio("count again", "count, 1 thread"), "x", 0.12),
        least("self-join of calls and results: without a cache", times.ratio("join, no cache", "join"), "x", 7.0),
        most("four times the store: cost a byte", growth(), "x", 1.1),
        least("json_each over a zstd function, by one thread", times.ratio("json_each", "count, 1 thread"), "x", 13.0),
        least("json_each over a zstd function, by two threads", faster("json_each"), "x", 20.0),
        least("Python with json, by one thread", times.ratio("Python, json", "count, 1 thread"), "x", 5.0),
        least("Python with orjson, by one thread", times.ratio("Python, orjson", "count, 1 thread"), "x", 2.4),
        least("Python with orjson, by two threads", faster("Python, orjson"), "x", 3.5),
        least("Cody: Python with json, by one thread", cody("Python, json, Cody"), "x", 12.0),
        least("Cody: Python with json, by two threads", cody_faster("Python, json, Cody"), "x", 12.0),
        least("Cody: Python with orjson, by one thread", cody("Python, orjson, Cody"), "x", 12.0),
        least("Cody: Python with orjson, by two threads", cody_faster("Python, orjson, Cody"), "x", 12.0),
    ]
}

fn peaks(stores: &Stores) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut peak = |name, sql, store: &std::path::Path, threads, target| -> Result<()> {
        let parameter = store.to_str().unwrap_or_default();
        lines.push(most(name, memory::above_host(Question { sql, parameter }, threads)?, "MB", target));
        Ok(())
    };
    peak("memory: count, one thread", jobs::COUNT, &stores.usual, 0, 16.0)?;
    peak("memory: all columns, one thread", jobs::COLUMNS, &stores.usual, 0, 16.0)?;
    peak("memory: all columns, two threads", jobs::COLUMNS, &stores.usual, 1, 64.0)?;
    peak("memory: the giant thread's text, one thread", jobs::GIANT, &stores.giant, 0, 16.0)?;
    peak("memory: the giant thread's text, two threads", jobs::GIANT, &stores.giant, 1, 64.0)?;
    peak("memory: the giant thread, all columns", jobs::COLUMNS, &stores.giant, 0, 16.0)?;
    peak("memory: Cody count, one thread", jobs::CODY_COUNT, &stores.cody, 0, 16.0)?;
    peak("memory: Cody count, two threads", jobs::CODY_COUNT, &stores.cody, 1, 16.0)?;
    Ok(lines)
}
