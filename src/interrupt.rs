//! Whether the one who asked wants no answer any more: for work that lies deep below the statement.
//!
//! A thread that works for a statement says how to find out; whatever it calls asks here, every few hundred
//! microseconds of work. Once the answer was yes it stays so until that piece of work ends: all on the way up see the
//! same.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::error::{Error, Kind, Result};

/// Finds out.
pub type Ask = Arc<dyn Fn() -> bool + Send + Sync>;

thread_local! {
    static ASK: RefCell<Option<Ask>> = const { RefCell::new(None) };
    static IS_ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Puts back what was, whatever happens.
struct Before {
    ask: Option<Ask>,
    is_asked: bool,
}

impl Drop for Before {
    fn drop(&mut self) {
        ASK.set(self.ask.take());
        IS_ASKED.set(self.is_asked);
    }
}

/// Does a piece of work during which `ask` says whether it is still wanted.
pub fn within<T>(ask: &Ask, work: impl FnOnce() -> T) -> T {
    let _before = Before { ask: ASK.replace(Some(Arc::clone(ask))), is_asked: IS_ASKED.replace(false) };
    work()
}

/// Is this thread in such a piece of work?
pub fn is_within() -> bool {
    ASK.with_borrow(Option::is_some)
}

/// Is the work that this thread does no longer wanted?
pub fn is_asked() -> bool {
    if IS_ASKED.get() {
        return true;
    }
    let ask = ASK.with_borrow(Clone::clone);
    let is_asked = ask.is_some_and(|ask| ask());
    IS_ASKED.set(is_asked);
    is_asked
}

/// Was the answer yes when this piece of work asked last?
pub fn was_asked() -> bool {
    IS_ASKED.get()
}

/// [`is_asked`] as an error that ends the work.
///
/// # Errors
/// [`Kind::Busy`]: `interrupted`.
pub fn check() -> Result<()> {
    if is_asked() { Err(Error::new(Kind::Busy, "interrupted")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn yes_holds_until_the_work_ends() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let ask: Ask = Arc::new(move || count.fetch_add(1, Relaxed) == 1);
        assert!(!is_within() && !is_asked() && check().is_ok());
        within(&ask, || {
            assert!(!is_asked() && !was_asked());
            assert!(is_asked() && is_asked() && was_asked(), "the second time, and then for good");
            assert_eq!(check().unwrap_err().to_string(), "busy: interrupted");
            let never: Ask = Arc::new(|| false);
            within(&never, || assert!(!is_asked(), "a piece of work of its own"));
            assert!(is_asked());
        });
        assert_eq!(asked.load(Relaxed), 2);
        assert!(!is_within() && !is_asked() && !was_asked());
    }

    #[test]
    fn a_panic_leaves_nothing_behind() {
        let work = || within(&(Arc::new(|| true) as Ask), || assert!(!is_asked(), "on purpose"));
        assert!(std::panic::catch_unwind(work).is_err());
        assert!(!is_within() && !is_asked());
    }
}
