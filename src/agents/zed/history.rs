//! The threads of a scan, wherever they are kept, in the order that the statement asks for.

use super::stores::{StoreKind, stores};
use super::threads_db::{Asked, Thread, is_inside, threads};
use crate::error::Result;
use crate::store::file;
use crate::store::find::Found;
use crate::table::{Rows, Scan, Source};
use crate::time::Time;

/// What a scan reads, one thread each.
pub enum Unit {
    /// A row of `threads.db`.
    Thread(Thread),
    /// A file of an old text thread, and when it was last changed.
    TextThread(Found<StoreKind>, Option<Time>),
    /// A store, or a part of one, that cannot be read.
    Failed(Source),
}

impl Unit {
    fn time(&self) -> Option<Time> {
        match self {
            Self::Thread(thread) => thread.head.updated_at,
            Self::TextThread(_, time) => *time,
            Self::Failed(_) => None,
        }
    }
}

/// The threads that the scan asks for. Stores are opened as they are reached, unless the order goes over all of them:
/// then their rows are read, without documents, and sorted.
pub fn units(scan: &Scan, asked: Asked, kinds: &'static [StoreKind]) -> Result<Rows<Unit>> {
    if scan.keys("agent").is_some_and(|agents| !agents.iter().any(|agent| agent == super::NAME)) {
        return Ok(Box::new(std::iter::empty()));
    }
    let found = stores(scan, kinds)?;
    let order = scan.order.clone().filter(|order| order.column == asked.time);
    let scan = scan.clone();
    let units = found.flat_map(move |found| of_store(found, &scan, &asked));
    let Some(order) = order else { return Ok(Box::new(units)) };
    let mut units: Vec<Unit> = units.collect();
    units.sort_by_cached_key(Unit::time);
    let units = units.into_iter();
    Ok(if order.descending { Box::new(units.rev()) } else { Box::new(units) })
}

fn of_store(found: Found<StoreKind>, scan: &Scan, asked: &Asked) -> Rows<Unit> {
    let source = Source::new(&found.place, None);
    if found.kind == StoreKind::TextThread {
        let time = file::modified(&found.path);
        let is_asked = scan.admits_record(&found.place.path, None) && is_inside(&scan.range(asked.time), time);
        return Box::new(is_asked.then_some(Unit::TextThread(found, time)).into_iter());
    }
    match threads(&found, scan, asked) {
        Ok(listed) => Box::new(listed.map(move |thread| match thread {
            Ok(thread) => Unit::Thread(thread),
            Err(error) => Unit::Failed(source.clone().failed(error)),
        })),
        Err(error) => Box::new(std::iter::once(Unit::Failed(source.failed(error)))),
    }
}
