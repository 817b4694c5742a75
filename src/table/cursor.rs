//! A scan in progress, and the memory of its rows: a join asks the same again and again.

use super::column::Cell;
use super::layout::Layout;
use super::plan::Op;
use super::row::{Row, Source};
use super::scan::Scan;
use super::session::Setting;
use super::{Cursor, Rows};
use std::borrow::Cow;

/// Rows of a lookup are remembered up to so many bytes.
const MOST_BYTES: usize = 4 << 20;

/// Adds up what rows keep in memory. A document that several rows share counts once where they follow each other.
#[derive(Debug, Default)]
pub struct Held {
    bytes: usize,
    last: usize,
}

impl Held {
    /// So many bytes of the row's own.
    pub fn add(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// So many bytes at a place that others may share.
    pub fn add_shared<T>(&mut self, place: *const T, bytes: usize) {
        if std::mem::replace(&mut self.last, place as usize) != place as usize {
            self.add(bytes);
        }
    }
}

/// A scan over rows of one kind.
pub struct TypedCursor<R: 'static> {
    rows: Rows<R>,
    current: Option<R>,
    /// Which of the rows it is that the current one stands for, where it stands for some.
    inside: usize,
    layout: Layout,
    memory: Option<Memory<R>>,
}

/// The rows of a lookup so far.
struct Memory<R> {
    rows: Vec<R>,
    held: Held,
    most: usize,
    is_complete: bool,
    /// How many rows were given again; `None` the first time.
    again: Option<usize>,
}

impl<R: Row> TypedCursor<R> {
    /// Stands before the first row. The rows of a lookup by key are remembered; those of a scan would only take room.
    pub fn new(rows: Rows<R>, layout: Layout, scan: &Scan) -> Self {
        let is_lookup = scan.constraints.iter().any(|one| matches!(one.op, Op::Eq | Op::In));
        let most = usize::try_from(scan.session.setting(Setting::CacheBytes)).unwrap_or(0).min(MOST_BYTES);
        let memory = Memory { rows: Vec::new(), held: Held::default(), most, is_complete: false, again: None };
        Self { rows, current: None, inside: 0, layout, memory: (is_lookup && most > 0).then_some(memory) }
    }

    fn row(&self) -> Option<&R> {
        match &self.memory {
            Some(Memory { rows, again: Some(given), .. }) => rows.get(given.checked_sub(1)?),
            _ => self.current.as_ref(),
        }
    }

    /// Puts the current row where it may be seen again, or lets it go.
    fn remember(&mut self) {
        let (Some(row), Some(memory)) = (self.current.take(), &mut self.memory) else { return };
        row.hold(&mut memory.held);
        memory.rows.push(row);
        if memory.held.bytes > memory.most {
            self.memory = None;
        }
    }
}

impl<R: Row> TypedCursor<R> {
    /// Goes to the next row that the scan gave, or gave before.
    fn next(&mut self) -> bool {
        if let Some(Memory { rows, again: Some(given), .. }) = &mut self.memory {
            *given = given.saturating_add(1).min(rows.len() + 1);
            return *given <= rows.len();
        }
        // The row goes before the next is made: unless it is remembered, its buffer can be used again.
        self.remember();
        self.current = None;
        self.current = self.rows.next();
        if let (None, Some(memory)) = (&self.current, &mut self.memory) {
            memory.is_complete = true;
        }
        self.current.is_some()
    }
}

impl<R: Row> Cursor for TypedCursor<R> {
    fn advance(&mut self) -> bool {
        self.inside += 1;
        if self.row().and_then(|row| row.source().heads.as_ref()).is_some_and(|heads| self.inside < heads.rows()) {
            return true;
        }
        self.inside = 0;
        self.next()
    }

    fn cell(&self, index: usize) -> Cell<'_> {
        let Some(row) = self.row() else { return Cell::Null };
        match &row.source().heads {
            None => self.layout.cell(row, index),
            Some(heads) => self.layout.head(row, heads, self.inside, index),
        }
    }

    fn source(&self) -> Option<Cow<'_, Source>> {
        let source = self.row()?.source();
        Some(match &source.heads {
            None => Cow::Borrowed(source),
            Some(heads) => Cow::Owned(heads.source(self.inside, source)),
        })
    }

    fn rewind(&mut self) -> bool {
        match &mut self.memory {
            Some(memory) if memory.is_complete => {
                memory.again = Some(0);
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Constraint, Value};

    crate::record! {
        /// A number.
        pub struct Number {
            /// It.
            number: i64,
            /// Its spelling.
            text: String,
        }
    }

    fn cursor(count: i64, bytes: usize, op: Option<Op>) -> TypedCursor<Number> {
        let mut scan = Scan::all(std::sync::Arc::default(), None);
        let constraint = |op| Constraint { column: "number".into(), op, values: vec![Value::Integer(1)] };
        scan.constraints = op.map(constraint).into_iter().collect();
        let row = move |number| Number { number, text: "x".repeat(bytes), source: Source::default() };
        TypedCursor::new(Box::new((0..count).map(row)), Layout::of(Number::columns()), &scan)
    }

    fn numbers(cursor: &mut TypedCursor<Number>) -> Vec<Cell<'static>> {
        let mut cells = Vec::new();
        while cursor.advance() {
            let Cell::Integer(number) = cursor.cell(0) else { panic!() };
            assert!(cursor.source().is_some());
            cells.push(Cell::Integer(number));
        }
        assert!(!cursor.advance() && cursor.source().is_none() && cursor.cell(0) == Cell::Null);
        cells
    }

    #[test]
    fn a_lookup_gives_its_rows_again() {
        for count in [0, 1, 5] {
            let mut cursor = cursor(count, 1, Some(Op::Eq));
            let first = numbers(&mut cursor);
            assert_eq!(first.len() as i64, count);
            for _ in 0..3 {
                assert!(cursor.rewind());
                assert_eq!(numbers(&mut cursor), first);
            }
        }
    }

    #[test]
    fn what_was_not_read_to_its_end_or_is_large_or_no_lookup_is_not_remembered() {
        let mut begun = cursor(5, 1, Some(Op::Eq));
        assert!(begun.advance() && !begun.rewind());
        for (bytes, op) in [(MOST_BYTES / 4, Some(Op::In)), (1, None), (1, Some(Op::Ge))] {
            let mut cursor = cursor(5, bytes, op);
            assert_eq!(numbers(&mut cursor).len(), 5);
            assert!(!cursor.rewind());
        }
    }
}
