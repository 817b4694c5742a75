//! A large value of which another thread reads the next pieces while the last one is used.
//!
//! That thread owns the value's connection for as long as it runs, which SQLite allows in every threading mode in which
//! a store is opened at all. Pieces come proven and in order, few of them ahead, and count as given out as soon as they
//! are read. To read from another position the thread is ended, and gives back what it read with.

use super::pieces::Pieces;
use crate::error::{Error, Kind, Result};
use crate::interrupt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// So many pieces wait, beside the one that is read and the one that is used.
const WAITING: usize = 2;
/// So often is asked whether a piece is still wanted.
const PATIENCE: Duration = Duration::from_millis(20);

/// A piece, what is wrong with it, or a panic for the thread that asks.
type Read = std::thread::Result<Result<Vec<u8>>>;

/// See the module.
pub struct Background {
    piece: Vec<u8>,
    start: u64,
    worker: Option<Worker>,
    /// The process that has the thread: a fork has none.
    process: u32,
    /// Ends a read that is waiting for the store to rest.
    is_unwanted: Arc<AtomicBool>,
}

/// The thread, and what goes to and fro.
struct Worker {
    thread: JoinHandle<Option<Box<Pieces>>>,
    coming: Receiver<Read>,
    /// Pieces that were used: their memory serves the next ones.
    used: Sender<Vec<u8>>,
}

impl Background {
    /// Reads on from `start`; what it was given where the system has no thread for it.
    pub fn begin(pieces: Box<Pieces>, start: u64) -> std::result::Result<Self, Box<Pieces>> {
        let is_unwanted = Arc::clone(&pieces.is_unwanted);
        let (to_us, coming) = sync_channel(WAITING);
        let (used, returned) = channel();
        // Handed over once the thread is there: it would be lost with one that cannot be had.
        let (give, given) = channel::<Box<Pieces>>();
        let work = move || given.recv().ok().map(|pieces| read_on(pieces, start, &to_us, &returned));
        let Ok(thread) = Builder::new().name("agent-history".into()).spawn(work) else { return Err(pieces) };
        give.send(pieces).map_err(|unsent| unsent.0)?;
        let worker = Some(Worker { thread, coming, used });
        Ok(Self { piece: Vec::new(), start, worker, process: std::process::id(), is_unwanted })
    }

    /// Where the next piece begins.
    fn end(&self) -> u64 {
        self.start + self.piece.len() as u64
    }

    /// Is the byte at `position` in its piece, or the first of the next one?
    pub fn reaches(&self, position: u64) -> bool {
        (self.start..=self.end()).contains(&position)
    }

    /// The bytes of its piece from `position` on.
    pub fn at(&self, position: u64) -> Option<&[u8]> {
        self.piece.get(usize::try_from(position.checked_sub(self.start)?).ok()?..)
    }

    /// Goes on until the byte at `position`, which it [reaches](Self::reaches), is in its piece.
    ///
    /// # Errors
    /// As reading; behind an error nothing comes any more.
    ///
    /// # Panics
    /// Where the thread did.
    pub fn go_to(&mut self, position: u64) -> Result<()> {
        if position < self.end() {
            return Ok(());
        }
        let worker = self.worker.as_ref().filter(|_| self.process == std::process::id()).ok_or_else(gone)?;
        self.start += self.piece.len() as u64;
        // Where the thread has ended nobody takes it, and none is needed.
        let _ = worker.used.send(std::mem::take(&mut self.piece));
        loop {
            self.piece = match worker.coming.recv_timeout(PATIENCE) {
                Ok(Ok(read)) => read?,
                Ok(Err(panic)) => resume_unwind(panic),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                // A store that keeps changing takes long, and only here it is known that nobody wants to wait.
                Err(RecvTimeoutError::Timeout) => {
                    interrupt::check().inspect_err(|_| self.is_unwanted.store(true, Ordering::Relaxed))?;
                    continue;
                }
            };
            return Ok(());
        }
    }

    /// Ends the thread once it has read what it is at; what it read with, `None` where that is in another process.
    pub fn end_thread(&mut self) -> Option<Box<Pieces>> {
        let worker = self.worker.take()?;
        if self.process != std::process::id() {
            // Whatever the thread held when the process was forked, nobody lets go.
            std::mem::forget(worker);
            return None;
        }
        let Worker { thread, coming, used } = worker;
        drop((coming, used));
        let pieces = thread.join().ok()?;
        self.is_unwanted.store(false, Ordering::Relaxed);
        pieces
    }
}

/// A fork has no threads but one.
pub fn gone() -> Error {
    Error::new(Kind::Busy, "the thread that read the record is in another process")
}

impl Drop for Background {
    fn drop(&mut self) {
        self.is_unwanted.store(self.worker.is_some(), Ordering::Relaxed);
        self.end_thread();
    }
}

/// Reads piece after piece until nobody takes them, or one does not read.
fn read_on(mut pieces: Box<Pieces>, start: u64, to: &SyncSender<Read>, returned: &Receiver<Vec<u8>>) -> Box<Pieces> {
    let mut position = start;
    while position < pieces.len {
        let mut piece = returned.try_recv().unwrap_or_default();
        let read = catch_unwind(AssertUnwindSafe(|| pieces.read_piece(position, &mut piece)));
        position += piece.len() as u64;
        let is_last = !matches!(read, Ok(Ok(())));
        if to.send(read.map(|read| read.map(|()| piece))).is_err() || is_last {
            break;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::{Ask, within};

    /// A reader whose thread does as it is told.
    fn with(work: impl FnOnce(SyncSender<Read>, &AtomicBool) + Send + 'static) -> Background {
        let is_unwanted = Arc::new(AtomicBool::new(false));
        let (to_us, coming) = sync_channel(WAITING);
        let (used, _) = channel();
        let flag = Arc::clone(&is_unwanted);
        let thread = std::thread::spawn(move || {
            work(to_us, &flag);
            None
        });
        let worker = Some(Worker { thread, coming, used });
        Background { piece: Vec::new(), start: 0, worker, process: std::process::id(), is_unwanted }
    }

    #[test]
    fn who_waits_can_be_interrupted() {
        let mut background = with(|_to_us, is_unwanted| {
            while !is_unwanted.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let ask: Ask = Arc::new(|| true);
        let error = within(&ask, || background.go_to(0)).unwrap_err();
        assert_eq!(error.to_string(), "busy: interrupted");
        assert!(background.end_thread().is_none());
        assert!(!background.is_unwanted.load(Ordering::Relaxed), "what reads next is wanted");
    }

    #[test]
    fn a_panic_reaches_the_thread_that_asks() {
        let mut background = with(|to_us, _| {
            to_us.send(Ok(Ok(vec![1, 2]))).unwrap();
            to_us.send(catch_unwind(|| panic!("unlucky"))).unwrap();
        });
        background.go_to(0).unwrap();
        assert_eq!((background.at(1), background.reaches(2), background.reaches(3)), (Some(&[2][..]), true, false));
        let panic = catch_unwind(AssertUnwindSafe(|| background.go_to(2))).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"unlucky"));
        assert_eq!(background.go_to(2).unwrap_err().kind(), Kind::Busy, "nothing comes any more");
    }

    #[test]
    fn a_fork_waits_for_nobody() {
        let mut background = with(|to_us, _| drop(to_us.send(Ok(Ok(vec![1])))));
        background.process += 1;
        assert_eq!(background.go_to(0).unwrap_err().what(), "the thread that read the record is in another process");
        assert!(background.end_thread().is_none());
    }
}
