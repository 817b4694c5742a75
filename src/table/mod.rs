//! The vocabulary of tables: columns, rows, plans, scans. Pure: nothing here knows a store or SQLite's API.

mod column;
mod cursor;
mod few;
mod function;
mod heads;
mod layout;
mod plan;
mod pointer;
mod row;
mod scan;
mod session;
mod words;

pub use column::{Access, Cell, Column, Field, Type};
pub use cursor::Held;
pub use few::Form;
pub use function::{Argument, Function};
pub use heads::{HeadColumns, Heads, Packer};
pub use layout::Layout;
pub use plan::{Op, Order, Plan};
pub use pointer::{Pointer, Step};
pub use row::{Extra, Place, Record, Row, Source, With, column_name, rowid_is_of};
pub use scan::{Constraint, Range, Scan, Value};
pub use session::{Session, Setting};

use self::cursor::TypedCursor;
use crate::error::Result;
use std::borrow::Cow;
use std::sync::Arc;

/// The rows of a scan, made as they are asked for.
pub type Rows<R> = Box<dyn Iterator<Item = R>>;

/// How much a scan reads when no key narrows it: the planner puts cheap tables outside in a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Small files, or columns that stand in front of the documents.
    Metadata,
    /// Whole documents: decompressed and decoded.
    Documents,
}

/// A table: a name, a documentation, a scan. Its columns are its row kind's.
pub struct Table<R: 'static> {
    /// As SQL writes it.
    pub name: &'static str,
    /// One row is what; sentences.
    pub doc: &'static str,
    /// How much an unconstrained scan reads.
    pub weight: Weight,
    /// Columns by which the scan can order its rows.
    pub orders: &'static [&'static str],
    /// Starts a scan. An error is misuse (a root that does not exist), not a bad record.
    pub scan: fn(&Scan) -> Result<Rows<R>>,
}

/// A table whose row kind is forgotten: what registration, documentation and SQLite's callbacks use.
pub trait AnyTable: Sync {
    /// As SQL writes it.
    fn name(&self) -> &'static str;
    /// One row is what.
    fn doc(&self) -> &'static str;
    /// How much an unconstrained scan reads.
    fn weight(&self) -> Weight;
    /// Columns by which a scan can order its rows.
    fn orders(&self) -> &'static [&'static str];
    /// The columns in declared order.
    fn layout(&self) -> Layout;
    /// Starts a scan.
    fn open(&self, scan: &Scan) -> Result<Box<dyn Cursor>>;
}

/// A scan in progress. It stands before the first row until [`advance`](Self::advance).
pub trait Cursor {
    /// Goes to the next row; false when there is none.
    fn advance(&mut self) -> bool;
    /// A cell of the current row, by position in the [`Layout`].
    fn cell(&self, index: usize) -> Cell<'_>;
    /// The current row's provenance; `None` behind the last row.
    fn source(&self) -> Option<Cow<'_, Source>>;
    /// Goes back before the first row; false where the rows are not remembered, and a new scan is needed.
    fn rewind(&mut self) -> bool;
}

impl<R: Row> AnyTable for Table<R> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn doc(&self) -> &'static str {
        self.doc
    }
    fn weight(&self) -> Weight {
        self.weight
    }
    fn orders(&self) -> &'static [&'static str] {
        self.orders
    }
    fn layout(&self) -> Layout {
        Layout::of(R::columns())
    }
    fn open(&self, scan: &Scan) -> Result<Box<dyn Cursor>> {
        let layout = self.layout();
        let heads = scan.columns.as_ref().and_then(|names| HeadColumns::of::<R>(&layout, names)).map(Arc::new);
        let rows = (self.scan)(&Scan { heads, ..scan.clone() })?;
        Ok(Box::new(TypedCursor::new(rows, layout, scan)))
    }
}
