//! Times: what a clock on the wall says, and what the processors spent on this process.

use super::Result;
use std::time::{Duration, Instant};

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// By the clock.
    pub wall: Duration,
    /// Of processors, all threads together.
    pub cpu: Duration,
}

impl Took {
    /// Longer than anything.
    pub const MOST: Self = Self { wall: Duration::MAX, cpu: Duration::MAX };

    /// The lesser of each.
    pub fn least(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }
}

/// Measures.
pub fn time<T>(job: impl FnOnce() -> Result<T>) -> Result<Took> {
    timed(job).map(|(took, _)| took)
}

/// Measures, and gives what came of it.
pub fn timed<T>(job: impl FnOnce() -> Result<T>) -> Result<(Took, T)> {
    let (cpu, wall) = (spent(), Instant::now());
    let made = job()?;
    Ok((Took { wall: wall.elapsed(), cpu: spent().saturating_sub(cpu) }, made))
}

/// What the processors have spent on this process.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no clock of the process")]
fn spent() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the time.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere the wall clock must do.
#[cfg(not(unix))]
fn spent() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
