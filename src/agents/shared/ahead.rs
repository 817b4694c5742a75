//! Work done ahead of its turn, by other threads and by the one that waits for it.
//!
//! Jobs are given out in the order in which they were put in. Whoever wants the next one does it himself if nobody has
//! begun it, and does a later one while another thread is at it: no thread waits while there is work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A job that any thread can do.
pub trait Job: Send + 'static {
    /// What each thread keeps from one job to the next.
    type Memory: Default + Send + 'static;
    /// What comes out.
    type Done: Send + 'static;
    /// Does it.
    fn run(self, memory: &mut Self::Memory) -> Self::Done;
}

/// Jobs in order, with the threads that do them ahead. Dropping it ends the threads.
pub struct Ahead<J: Job> {
    shared: Arc<Shared<J>>,
    workers: Vec<JoinHandle<()>>,
    /// The process that has the threads: a fork has none of them.
    process: u32,
    memory: J::Memory,
}

struct Shared<J: Job> {
    queue: Mutex<Queue<J>>,
    changed: Condvar,
}

struct Queue<J: Job> {
    slots: VecDeque<Slot<J>>,
    /// How many jobs were given out: the number of the first slot.
    first: u64,
    is_closed: bool,
}

enum Slot<J: Job> {
    Waiting(J),
    Running,
    /// The error is a panic, for the thread that asks.
    Done(std::thread::Result<J::Done>),
}

impl<J: Job> Default for Ahead<J> {
    fn default() -> Self {
        let queue = Mutex::new(Queue { slots: VecDeque::new(), first: 0, is_closed: false });
        let shared = Arc::new(Shared { queue, changed: Condvar::new() });
        Self { shared, workers: Vec::new(), process: 0, memory: J::Memory::default() }
    }
}

impl<J: Job> Ahead<J> {
    /// Starts threads, up to so many in all. What the system refuses is done without.
    pub fn start(&mut self, threads: usize) {
        self.process = std::process::id();
        while self.workers.len() < threads {
            let shared = Arc::clone(&self.shared);
            let Ok(worker) = std::thread::Builder::new().name("agent-history".into()).spawn(move || shared.work())
            else {
                return;
            };
            self.workers.push(worker);
        }
    }

    /// How many threads there are beside this one.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Puts a job behind the others.
    pub fn push(&mut self, job: J) {
        self.shared.lock().slots.push_back(Slot::Waiting(job));
        self.shared.changed.notify_one();
    }

    /// Does a job at once, in this thread.
    pub fn run(&mut self, job: J) -> J::Done {
        job.run(&mut self.memory)
    }

    /// What came of the job that is next in order; `None` when there is none.
    ///
    /// # Panics
    /// Where the job did.
    pub fn next(&mut self) -> Option<J::Done> {
        loop {
            match self.shared.take_first()? {
                Some(Ok(done)) => return Some(done),
                Some(Err(panic)) => resume_unwind(panic),
                None if self.shared.run_one(&mut self.memory) => {}
                None => self.shared.wait(),
            }
        }
    }
}

impl<J: Job> Drop for Ahead<J> {
    fn drop(&mut self) {
        if self.workers.is_empty() {
            return;
        }
        if self.process != std::process::id() {
            // A lock may be held by a thread that is not here, and nobody is there to be waited for.
            return std::mem::forget(std::mem::take(&mut self.workers));
        }
        {
            let mut queue = self.shared.lock();
            queue.is_closed = true;
            queue.slots.clear();
        }
        self.shared.changed.notify_all();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

impl<J: Job> Shared<J> {
    fn lock(&self) -> MutexGuard<'_, Queue<J>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does jobs until the queue is closed.
    fn work(&self) {
        let mut memory = J::Memory::default();
        loop {
            while self.run_one(&mut memory) {}
            let mut queue = self.lock();
            while !queue.is_closed && !queue.has_waiting() {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            if queue.is_closed {
                return;
            }
        }
    }

    /// Does the first job that nobody has begun; false when there is none.
    fn run_one(&self, memory: &mut J::Memory) -> bool {
        let Some((number, job)) = self.lock().begin() else { return false };
        let done = catch_unwind(AssertUnwindSafe(|| job.run(memory)));
        if done.is_err() {
            *memory = J::Memory::default();
        }
        self.lock().end(number, done);
        self.changed.notify_all();
        true
    }

    /// `None` where no job is left, `Some(None)` where the first is not done.
    #[expect(clippy::option_option, reason = "none left and none done are two things")]
    fn take_first(&self) -> Option<Option<std::thread::Result<J::Done>>> {
        let mut queue = self.lock();
        match queue.slots.pop_front()? {
            Slot::Done(done) => {
                queue.first += 1;
                Some(Some(done))
            }
            slot => {
                queue.slots.push_front(slot);
                Some(None)
            }
        }
    }

    /// Waits until the first job is done, or not begun.
    fn wait(&self) {
        let mut queue = self.lock();
        while matches!(queue.slots.front(), Some(Slot::Running)) {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<J: Job> Queue<J> {
    fn has_waiting(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot, Slot::Waiting(_)))
    }

    fn begin(&mut self) -> Option<(u64, J)> {
        let waiting = |slot: &Slot<J>| matches!(slot, Slot::Waiting(_));
        let place = self.slots.iter().position(waiting)?;
        match std::mem::replace(self.slots.get_mut(place)?, Slot::Running) {
            Slot::Waiting(job) => Some((self.first + place as u64, job)),
            _ => None,
        }
    }

    fn end(&mut self, number: u64, done: std::thread::Result<J::Done>) {
        // A closed queue is empty: nobody waits any more.
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        if let Some(slot) = place.and_then(|place| self.slots.get_mut(place)) {
            *slot = Slot::Done(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    struct Square(u64);

    impl Job for Square {
        type Memory = u64;
        type Done = u64;
        fn run(self, memory: &mut u64) -> u64 {
            *memory += 1;
            assert_ne!(self.0, 13, "unlucky");
            std::thread::sleep(Duration::from_micros(self.0 * 37 % 11 * 20));
            self.0 * self.0
        }
    }

    #[test]
    fn the_order_is_kept_with_any_number_of_threads() {
        for threads in [0, 1, 3] {
            let mut ahead = Ahead::default();
            ahead.start(threads);
            let mut given = Vec::new();
            for number in 20..120 {
                ahead.push(Square(number));
                if number % 7 == 0 {
                    given.extend(std::iter::from_fn(|| ahead.next()).take(5));
                }
            }
            given.extend(std::iter::from_fn(|| ahead.next()));
            assert_eq!(given, (20..120).map(|n| n * n).collect::<Vec<_>>(), "{threads}");
            assert_eq!(ahead.next(), None);
        }
    }

    #[test]
    fn a_panic_reaches_the_thread_that_asks_and_costs_no_other_job() {
        for threads in [0, 2] {
            let mut ahead = Ahead::default();
            ahead.start(threads);
            for number in 12..15 {
                ahead.push(Square(number));
            }
            assert_eq!(ahead.next(), Some(144));
            let panic = catch_unwind(AssertUnwindSafe(|| ahead.next())).unwrap_err();
            assert!(panic.downcast_ref::<String>().unwrap().contains("unlucky"));
            assert_eq!(ahead.next(), Some(196));
        }
    }

    #[test]
    fn dropping_it_ends_the_threads_amid_work() {
        let mut ahead = Ahead::default();
        ahead.start(2);
        (20..100).for_each(|number| ahead.push(Square(number)));
        let shared = Arc::downgrade(&ahead.shared);
        drop(ahead);
        assert!(shared.upgrade().is_none());
    }
}
