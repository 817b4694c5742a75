//! What a connection keeps between scans: settings, and slots for what the stores want to keep.

use crate::interrupt::{self, Ask};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A setting of a connection: `agent_history_config(name, value)` changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Decoded size of one document, in bytes.
    MaxDocumentBytes,
    /// Size of one value inside a document (a message, an interaction), in bytes.
    MaxValueBytes,
    /// Threads beside the connection's own that decode or read ahead; 0 leaves all work to the connection's thread.
    Threads,
    /// Memory that each agent keeps of what was read, for the next scan, in bytes; 0 keeps none.
    CacheBytes,
}

impl Setting {
    /// Every setting, with its name, its default and what it does.
    pub const ALL: [(Self, &'static str, i64, &'static str); 4] = [
        (Self::MaxDocumentBytes, "max_document_bytes", 1 << 30, "Decoded size of one document, in bytes."),
        (Self::MaxValueBytes, "max_value_bytes", 64 << 20, "Size of one message or interaction, in bytes."),
        (Self::Threads, "threads", 1, "Threads beside the connection's own that decode or read ahead; 0 for none."),
        (
            Self::CacheBytes,
            "cache_bytes",
            64 << 20,
            "Memory that each agent keeps of what was read, for the next scan, in bytes; 0 keeps none.",
        ),
    ];

    /// The setting of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _, _)| *known == name).map(|(setting, ..)| *setting)
    }
}

/// State of one connection, shared by all its tables.
pub struct Session {
    settings: [AtomicI64; Setting::ALL.len()],
    slots: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    interrupted: Ask,
}

impl Session {
    /// A fresh session. `interrupted` is asked often while a scan works: true ends it.
    pub fn new(interrupted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            settings: Setting::ALL.map(|(_, _, default, _)| AtomicI64::new(default)),
            slots: Mutex::default(),
            interrupted: Arc::new(interrupted),
        }
    }

    /// The value of a setting.
    pub fn setting(&self, setting: Setting) -> i64 {
        self.settings.get(setting as usize).map_or(0, |value| value.load(Ordering::Relaxed))
    }

    /// Changes a setting; the value before.
    pub fn set(&self, setting: Setting, value: i64) -> i64 {
        self.settings.get(setting as usize).map_or(0, |slot| slot.swap(value, Ordering::Relaxed))
    }

    /// Threads that a scan may have beside the connection's own: as many as are set, and never more than there are
    /// processors besides.
    pub fn threads(&self) -> usize {
        // Asking the system takes longer than a lookup.
        static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
        let set = usize::try_from(self.setting(Setting::Threads)).unwrap_or(0);
        if set > 0 { set.min(*CORES - 1) } else { 0 }
    }

    /// Did the user interrupt the statement?
    pub fn is_interrupted(&self) -> bool {
        if interrupt::is_within() { interrupt::is_asked() } else { (self.interrupted)() }
    }

    /// What tells whether the user did, for a piece of the statement's work.
    pub fn ask(&self) -> Ask {
        Arc::clone(&self.interrupted)
    }

    /// The session's one `T`, made on first use: a cache, a pool of open stores.
    pub fn slot<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(slot).downcast().unwrap_or_default()
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(|| false)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_start_at_their_defaults() {
        let session = Session::default();
        for (setting, name, default, _) in Setting::ALL {
            assert_eq!(Setting::named(name), Some(setting));
            assert_eq!(session.setting(setting), default, "{name}");
        }
        assert_eq!(session.set(Setting::Threads, 0), 1);
        assert_eq!(session.setting(Setting::Threads), 0);
    }

    #[test]
    fn threads_are_as_set_and_no_more_than_processors() {
        let session = Session::default();
        let others = std::thread::available_parallelism().map_or(0, |count| count.get() - 1);
        for (set, most) in [(0, 0), (-1, 0), (1, 1), (1_000_000, others)] {
            session.set(Setting::Threads, set);
            assert_eq!(session.threads(), most.min(others), "{set}");
        }
    }

    #[test]
    fn a_slot_is_made_once() {
        let session = Session::default();
        session.slot::<Mutex<i32>>().lock().unwrap().clone_from(&7);
        assert_eq!(*session.slot::<Mutex<i32>>().lock().unwrap(), 7);
    }
}
