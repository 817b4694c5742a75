//! Rows: what a scan yields, where each row came from, and the `record!` macro that declares a row kind once.

use super::column::{Cell, Column};
use super::cursor::Held;
use super::heads::Heads;
use super::pointer::Pointer;
use crate::error::Error;
use std::sync::Arc;

/// A row kind. [`record!`](crate::record) implements it.
pub trait Row: Send + 'static {
    /// The columns of this kind, without provenance.
    const COLUMNS: &'static [Column];
    /// The cell of column `index` of [`COLUMNS`](Self::COLUMNS); NULL beyond the last.
    fn cell(&self, index: usize) -> Cell<'_>;
    /// Where the row came from.
    fn source(&self) -> &Source;
    /// Adds what the row keeps in memory.
    fn hold(&self, held: &mut Held);
    /// The columns as a list, for kinds that are put together at run time.
    fn columns() -> Vec<Column> {
        Self::COLUMNS.to_vec()
    }
}

/// The file a row came from, and the argument that led there. Shared by all rows of a store.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The `root` argument, byte for byte as it was given.
    pub root: Option<Arc<str>>,
    /// The file, as text; bytes that are not UTF-8 become U+FFFD.
    pub path: String,
}

/// A record of a file. Shared by all its rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// File and root.
    pub place: Arc<Place>,
    /// The record's own key in that file: a rowid, a chat id.
    pub key: Option<Arc<str>>,
}

impl Record {
    /// The record `key` in the file `place`.
    pub fn new(place: &Arc<Place>, key: Option<Arc<str>>) -> Arc<Self> {
        Arc::new(Self { place: Arc::clone(place), key })
    }
}

/// Where a row came from, and what was wrong with it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// File and record; `None` where it came from none.
    pub record: Option<Arc<Record>>,
    /// The position inside the record.
    pub pointer: Pointer,
    /// Tells rows apart that come from the same position: part of the rowid, and of nothing that is shown.
    pub part: u32,
    /// Why the row did not decode; `None` when it did.
    pub error: Option<Error>,
    /// Where the row stands for all rows of its record: their cells, as they were kept.
    pub heads: Option<Arc<Heads>>,
}

impl Source {
    /// The record `key` in the file `place`.
    pub fn new(place: &Arc<Place>, key: Option<Arc<str>>) -> Self {
        Self { record: Some(Record::new(place, key)), ..Self::default() }
    }

    /// A row of `record`, at `pointer`.
    pub fn of(record: &Arc<Record>, pointer: Pointer) -> Self {
        Self { record: Some(Arc::clone(record)), pointer, part: 0, error: None, heads: None }
    }

    /// The same record, at `pointer`.
    pub fn at(&self, pointer: Pointer) -> Self {
        Self { record: self.record.clone(), pointer, part: self.part, error: None, heads: None }
    }

    /// The file, as text; empty where there is none.
    pub fn path(&self) -> &str {
        self.record.as_ref().map_or("", |record| &record.place.path)
    }

    /// The record's own key in the file.
    pub fn key(&self) -> Option<&str> {
        self.record.as_ref()?.key.as_deref()
    }

    /// The `root` argument that led to the file.
    pub fn root(&self) -> Option<&str> {
        self.record.as_ref()?.place.root.as_deref()
    }

    /// The same position, as the `part`th row that comes from it.
    #[must_use]
    pub fn part(self, part: u32) -> Self {
        Self { part, ..self }
    }

    /// The same place, with the error that was found there; file, record and pointer are added to its words.
    pub fn failed(mut self, error: Error) -> Self {
        let mut error = error;
        if !self.pointer.is_empty() {
            error = error.at(self.pointer.to_string());
        }
        if let Some(key) = self.key() {
            error = error.in_record(key);
        }
        self.error = Some(error.in_file(self.path()));
        self
    }

    /// What it keeps in memory for this row alone, about.
    pub fn heap_bytes(&self) -> usize {
        let error = self.error.as_ref().map_or(0, |error| 256 + error.what().len());
        let heads = self.heads.as_ref().map_or(0, |heads| heads.bytes());
        self.pointer.heap_bytes() + error + heads
    }

    /// The row's identity: the same under every plan and in every connection. 23 bits tell the record, so that a
    /// lookup by rowid can pass over the others, and 40 bits the position in it.
    pub fn rowid(&self) -> i64 {
        let record = record_bits(self.path(), self.key());
        let mut pointer = fnv(FNV_START, self.key().unwrap_or_default().as_bytes());
        pointer = self.pointer.hash(fnv(pointer, self.path().as_bytes()));
        if self.part > 0 {
            pointer = fnv(fnv(pointer, b"+"), &self.part.to_le_bytes());
        }
        (record << POINTER_BITS) | (mix(pointer) & ((1 << POINTER_BITS) - 1)) as i64
    }
}

const POINTER_BITS: u32 = 40;
const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

pub(super) fn fnv(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// FNV's high bits are weak for short input; this is the 64-bit finaliser of MurmurHash3.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

fn record_bits(path: &str, record: Option<&str>) -> i64 {
    let hash = fnv(fnv(fnv(FNV_START, path.as_bytes()), &[0]), record.unwrap_or_default().as_bytes());
    (mix(hash) >> (64 - 23)) as i64
}

/// Can a row with this `rowid` be one of `record` in the file `path`?
pub fn rowid_is_of(rowid: i64, path: &str, record: Option<&str>) -> bool {
    rowid >> POINTER_BITS == record_bits(path, record)
}

/// A shared row kind with an agent's own columns behind it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct With<Base, Extra> {
    /// The shared kind; it holds the provenance.
    pub base: Base,
    /// The agent's own columns.
    pub extra: Extra,
}

/// Columns that stand behind a shared row kind. [`record!`](crate::record) implements it for kinds declared with
/// `extra struct`.
pub trait Extra: Send + 'static {
    /// The columns.
    const COLUMNS: &'static [Column];
    /// The cell of column `index`.
    fn cell(&self, index: usize) -> Cell<'_>;
    /// Adds what they keep in memory.
    fn hold(&self, held: &mut Held);
}

impl<Base: Row, More: Extra> Row for With<Base, More> {
    const COLUMNS: &'static [Column] = &[];
    fn cell(&self, index: usize) -> Cell<'_> {
        match index.checked_sub(Base::COLUMNS.len()) {
            None => self.base.cell(index),
            Some(index) => self.extra.cell(index),
        }
    }
    fn source(&self) -> &Source {
        self.base.source()
    }
    fn hold(&self, held: &mut Held) {
        self.base.hold(held);
        self.extra.hold(held);
    }
    fn columns() -> Vec<Column> {
        [Base::COLUMNS, More::COLUMNS].concat()
    }
}

/// Declares a row kind: the struct, its columns with type and documentation, and its cells, from one text.
///
/// `[key]`, `[range]`, `[search]` and `[hidden]` in front of a field give its [`Access`](crate::table::Access); `[short]`
/// says of a text that it is short.
/// `extra struct` declares columns that stand behind a shared kind in [`With`].
#[macro_export]
macro_rules! record {
    (@access) => { $crate::table::Access::Plain };
    (@access short) => { $crate::table::Access::Plain };
    (@access key) => { $crate::table::Access::Key };
    (@access range) => { $crate::table::Access::Range };
    (@access search) => { $crate::table::Access::Search };
    (@access hidden) => { $crate::table::Access::Hidden };
    (@is_short short) => { true };
    (@is_short $($access:ident)?) => { false };
    (@columns $( $(#[doc = $doc:literal])+ $([$access:ident])? $name:ident : $ty:ty, )+) => {
        &[ $( $crate::table::Column {
            name: $crate::table::column_name(stringify!($name)),
            ty: <$ty as $crate::table::Field>::TYPE,
            doc: concat!($($doc),+),
            access: $crate::record!(@access $($access)?),
            is_short: <$ty as $crate::table::Field>::IS_SHORT || $crate::record!(@is_short $($access)?),
        }, )+ ]
    };
    (@cell $row:ident, $index:ident, $( $name:ident )+) => {{
        let mut next = 0_usize;
        $(
            if $index == next { return $crate::table::Field::cell(&$row.$name); }
            next += 1;
        )+
        let _ = next;
        $crate::table::Cell::Null
    }};
    ($(#[doc = $kind_doc:literal])+ pub struct $Row:ident {
        $( $(#[doc = $doc:literal])+ $([$access:ident])? $name:ident : $ty:ty, )+
    }) => {
        $(#[doc = $kind_doc])+
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $Row {
            $( $(#[doc = $doc])+ pub $name: $ty, )+
            /// Where the row came from, and what was wrong with it.
            pub source: $crate::table::Source,
        }
        impl $crate::table::Row for $Row {
            const COLUMNS: &'static [$crate::table::Column] =
                $crate::record!(@columns $( $(#[doc = $doc])+ $([$access])? $name : $ty, )+);
            fn cell(&self, index: usize) -> $crate::table::Cell<'_> {
                $crate::record!(@cell self, index, $($name)+)
            }
            fn source(&self) -> &$crate::table::Source {
                &self.source
            }
            fn hold(&self, held: &mut $crate::table::Held) {
                held.add(size_of::<Self>() + self.source.heap_bytes());
                $( $crate::table::Field::hold(&self.$name, held); )+
            }
        }
    };
    ($(#[doc = $kind_doc:literal])+ pub extra struct $Row:ident {
        $( $(#[doc = $doc:literal])+ $([$access:ident])? $name:ident : $ty:ty, )+
    }) => {
        $(#[doc = $kind_doc])+
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $Row { $( $(#[doc = $doc])+ pub $name: $ty, )+ }
        impl $crate::table::Extra for $Row {
            const COLUMNS: &'static [$crate::table::Column] =
                $crate::record!(@columns $( $(#[doc = $doc])+ $([$access])? $name : $ty, )+);
            fn hold(&self, held: &mut $crate::table::Held) {
                held.add(size_of::<Self>());
                $( $crate::table::Field::hold(&self.$name, held); )+
            }
            fn cell(&self, index: usize) -> $crate::table::Cell<'_> {
                $crate::record!(@cell self, index, $($name)+)
            }
        }
    };
}

/// The column's name: a field's name without the `r#` that a Rust keyword needs, and without the `_` behind `source_`,
/// since the field `source` is the provenance.
pub const fn column_name(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        [.., b'_'] => field.split_at(field.len() - 1).0,
        _ => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Access, Type};

    record! {
        /// A thing.
        pub struct Thing {
            /// Its key.
            [key] id: Option<String>,
            /// Where it is.
            r#where: i64,
            /// Who says so.
            source_: Option<i64>,
        }
    }
    record! {
        /// More of it.
        pub extra struct More {
            /// Its colour.
            colour: Option<&'static str>,
        }
    }

    #[test]
    fn a_record_is_declared_once() {
        let names: Vec<_> = Thing::COLUMNS.iter().map(|c| (c.name, c.ty, c.access, c.doc)).collect();
        assert_eq!(
            names,
            [
                ("id", Type::Text, Access::Key, " Its key."),
                ("where", Type::Integer, Access::Plain, " Where it is."),
                ("source", Type::Integer, Access::Plain, " Who says so."),
            ]
        );
        let thing = Thing { id: Some("a".into()), r#where: 3, source_: None, source: Source::default() };
        assert_eq!(thing.cell(0), Cell::Text("a".into()));
        assert_eq!(thing.cell(1), Cell::Integer(3));
        assert_eq!(thing.cell(2), Cell::Null);
        let both = With { base: thing, extra: More { colour: Some("red") } };
        assert_eq!(both.cell(3), Cell::Text("red".into()));
        assert_eq!(With::<Thing, More>::columns().len(), 4);
    }

    #[test]
    fn a_rowid_tells_its_record() {
        let place = Arc::new(Place { root: None, path: "/h/threads.db".into() });
        let source = Source::new(&place, Some("7".into()));
        let first = source.at(Pointer::record().join("messages").join(0));
        let second = source.at(Pointer::record().join("messages").join(1));
        assert_ne!(first.rowid(), second.rowid());
        assert!(first.rowid() >= 0 && rowid_is_of(first.rowid(), "/h/threads.db", Some("7")));
        assert!(!rowid_is_of(first.rowid(), "/h/threads.db", Some("8")));
        let again = first.clone().part(1);
        assert_ne!(first.rowid(), again.rowid());
        assert!(rowid_is_of(again.rowid(), "/h/threads.db", Some("7")));
    }
}
