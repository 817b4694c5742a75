//! What a connection keeps of what it read, within a budget of bytes.
//!
//! A part is kept under the state that its store had *before* it was read, and given only while the store is in that
//! state: nothing stale is ever given.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What can be kept of a record.
pub trait Part {
    /// The memory that it keeps.
    fn bytes(&self) -> usize;
    /// Is `old`, of the same record in the same state, of no use beside this?
    fn replaces(&self, old: &Self) -> bool;
    /// Where room is short: does it go before all that does not?
    fn goes_first(&self) -> bool {
        false
    }
}

/// Parts of records `K` that were read in states `S`. Where room is short, what was not used for longest goes.
pub struct Kept<K, S, P>(Mutex<Inner<K, S, P>>);

struct Inner<K, S, P> {
    records: HashMap<K, Vec<Entry<S, P>>>,
    bytes: usize,
    clock: u64,
}

struct Entry<S, P> {
    state: S,
    part: P,
    bytes: usize,
    used: u64,
}

impl<K, S, P> Default for Kept<K, S, P> {
    fn default() -> Self {
        Self(Mutex::new(Inner { records: HashMap::new(), bytes: 0, clock: 0 }))
    }
}

impl<K: Eq + Hash, S: PartialEq, P: Part> Kept<K, S, P> {
    /// What `pick` takes of a record's parts, if its store is still in this state.
    pub fn find<T>(&self, key: &K, state: &S, pick: impl Fn(&P) -> Option<T>) -> Option<T> {
        let mut inner = self.lock();
        inner.clock += 1;
        let clock = inner.clock;
        let mut current = inner.records.get_mut(key)?.iter_mut().filter(|entry| entry.state == *state);
        let (entry, found) = current.find_map(|entry| pick(&entry.part).map(|found| (entry, found)))?;
        entry.used = clock;
        Some(found)
    }

    /// Keeps a part of a record that was read after its store was seen in this state.
    pub fn put(&self, key: K, state: S, part: P, budget: usize) {
        let bytes = part.bytes() + size_of::<(K, Entry<S, P>)>();
        // One record must not push out all others.
        if bytes > budget / 2 {
            return;
        }
        let mut inner = self.lock();
        inner.clock += 1;
        let used = inner.clock;
        let entries = inner.records.entry(key).or_default();
        let is_useless = |old: &mut Entry<S, P>| old.state != state || part.replaces(&old.part);
        let gone: usize = entries.extract_if(.., is_useless).map(|old| old.bytes).sum();
        entries.push(Entry { state, part, bytes, used });
        inner.bytes += bytes;
        inner.bytes -= gone;
        while inner.bytes > budget && inner.drop_one() {}
    }

    fn lock(&self) -> MutexGuard<'_, Inner<K, S, P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, S, P: Part> Inner<K, S, P> {
    /// Drops what is least worth keeping; false when nothing is kept.
    fn drop_one(&mut self) -> bool {
        let rank = |entry: &Entry<S, P>| (!entry.part.goes_first(), entry.used);
        let Some((_, used)) = self.records.values().flatten().map(rank).min() else { return false };
        let bytes = &mut self.bytes;
        self.records.retain(|_, entries| {
            entries.retain(|entry| {
                *bytes -= if entry.used == used { entry.bytes } else { 0 };
                entry.used != used
            });
            !entries.is_empty()
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many bytes of a kind: those of a kind replace each other, those of kind 0 go first.
    #[derive(Clone, Debug, PartialEq)]
    struct Bytes(u8, usize);

    impl Part for Bytes {
        fn bytes(&self) -> usize {
            self.1
        }
        fn replaces(&self, old: &Self) -> bool {
            self.0 == old.0
        }
        fn goes_first(&self) -> bool {
            self.0 == 0
        }
    }

    fn of_kind(kind: u8) -> impl Fn(&Bytes) -> Option<usize> {
        move |part| (part.0 == kind).then_some(part.1)
    }

    #[test]
    fn a_part_is_given_in_its_state_until_it_is_replaced() {
        let kept = Kept::default();
        kept.put("a", 1, Bytes(0, 10), 1 << 20);
        kept.put("a", 1, Bytes(1, 11), 1 << 20);
        assert_eq!((kept.find(&"a", &1, of_kind(0)), kept.find(&"a", &1, of_kind(1))), (Some(10), Some(11)));
        assert_eq!((kept.find(&"a", &2, of_kind(0)), kept.find(&"b", &1, of_kind(0))), (None, None));
        kept.put("a", 1, Bytes(1, 12), 1 << 20);
        assert_eq!((kept.find(&"a", &1, of_kind(0)), kept.find(&"a", &1, of_kind(1))), (Some(10), Some(12)));
        kept.put("a", 2, Bytes(1, 13), 1 << 20);
        assert_eq!((kept.find(&"a", &1, of_kind(0)), kept.find(&"a", &2, of_kind(1))), (None, Some(13)));
        assert!(kept.lock().bytes < 300);
    }

    #[test]
    fn what_was_not_used_for_longest_goes_and_before_it_what_goes_first() {
        let kept = Kept::default();
        let is_kept = |key, kind| kept.find(&key, &0, of_kind(kind)).is_some();
        for key in 0..8 {
            kept.put(key, 0, Bytes(u8::from(key % 2 == 1), 1_000), 10_000);
        }
        assert!(is_kept(0, 0) && is_kept(1, 1) && is_kept(2, 0));
        kept.put(8, 0, Bytes(1, 2_500), 10_000);
        assert_eq!(
            (0..9).filter(|key| is_kept(*key, u8::from(key % 2 == 1 || *key == 8))).collect::<Vec<_>>(),
            [0, 1, 2, 3, 5, 6, 7, 8]
        );
        kept.put(9, 0, Bytes(1, 4_900), 10_000);
        assert_eq!((0..10).filter(|key| is_kept(*key, 1)).collect::<Vec<_>>(), [5, 7, 8, 9]);
        assert!(!is_kept(0, 0) && !is_kept(2, 0));
        kept.put(10, 0, Bytes(1, 5_001), 10_000);
        assert!(!is_kept(10, 1) && is_kept(9, 1), "one must not push out all others");
    }
}
