//! Heads: the rows of a record without their long columns, small enough that those of a whole store are kept.
//!
//! Who reads a record for a scan that asks for short columns alone packs its rows, on their way out or instead of
//! giving them one by one. The next scan that asks for these columns or fewer is given one row that stands for all of
//! them ([`Source::heads`]); the cursor counts them out. Nothing is made anew: not the record, and not the rows.

mod cells;
mod places;
mod texts;

use self::cells::Cells;
use self::places::Places;
use super::column::Cell;
use super::layout::Layout;
use super::row::{Row, Source};
use crate::error::Kind;
use std::any::TypeId;
use std::sync::Arc;

/// The columns that a scan reads, all of them short.
#[derive(Debug, PartialEq, Eq)]
pub struct HeadColumns {
    kind: TypeId,
    /// Positions in the layout, ascending.
    positions: Vec<usize>,
    /// Those that are no provenance, with the row's own index of them.
    cells: Vec<(usize, usize)>,
}

impl HeadColumns {
    /// Of a table with rows of kind `R`; `None` where a long one is among them.
    pub fn of<R: Row>(layout: &Layout, names: &[String]) -> Option<Self> {
        let mut positions = names.iter().map(|name| layout.position(name)).collect::<Option<Vec<usize>>>()?;
        positions.sort_unstable();
        let is_short = |at: &usize| layout.columns().get(*at).is_some_and(|column| column.is_short);
        let cells = positions.iter().filter_map(|at| Some((*at, layout.index_in_row(*at)?))).collect();
        positions.iter().all(is_short).then_some(Self { kind: TypeId::of::<R>(), positions, cells })
    }

    /// Are they columns of this row kind?
    pub fn are_of<R: 'static>(&self) -> bool {
        self.kind == TypeId::of::<R>()
    }

    /// Are all of `others` among them?
    pub fn hold(&self, others: &Self) -> bool {
        self.kind == others.kind && others.positions.iter().all(|at| self.positions.binary_search(at).is_ok())
    }
}

/// The heads of all rows of one record, in order.
#[derive(Debug, PartialEq)]
pub struct Heads {
    columns: Arc<HeadColumns>,
    cells: Cells,
    places: Places,
}

impl Heads {
    /// The columns that are kept.
    pub fn columns(&self) -> &HeadColumns {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.places.rows()
    }

    /// A cell of a row, by its column's position in the layout; `None` for provenance.
    pub fn cell(&self, row: usize, position: usize) -> Option<Cell<'_>> {
        let cells = &self.columns.cells;
        let slot = cells.iter().position(|(at, _)| *at == position)?;
        Some(self.cells.get(row * cells.len() + slot))
    }

    /// Where a row came from: `source` tells file and record.
    pub fn source(&self, row: usize, source: &Source) -> Source {
        self.places.source(row, source)
    }

    /// The memory that they keep.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.cells.bytes() + self.places.bytes()
    }
}

/// Packs the rows of a record.
pub struct Packer(Heads);

impl Packer {
    /// No rows yet.
    pub fn new(columns: &Arc<HeadColumns>) -> Self {
        let cells = Cells::new(columns.cells.len());
        Self(Heads { columns: Arc::clone(columns), cells, places: Places::default() })
    }

    /// Adds a row. False where it cannot be kept: a cell is long after all, or the store may tell more next time.
    pub fn add(&mut self, row: &impl Row) -> bool {
        let Heads { columns, cells, places } = &mut self.0;
        let source = row.source();
        let is_passing = |kind| matches!(kind, Kind::Io | Kind::Busy | Kind::Sqlite);
        !source.error.as_ref().is_some_and(|error| is_passing(error.kind()))
            && columns.cells.iter().enumerate().all(|(slot, (_, index))| cells.add(slot, &row.cell(*index)))
            && places.add(source)
    }

    /// How many rows of the record were added.
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The memory so far.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// All rows of the record were added; those of the next one may follow.
    pub fn finish(&mut self) -> Heads {
        let Heads { columns, cells, places } = &mut self.0;
        Heads { columns: Arc::clone(columns), cells: cells.take(), places: places.take() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::table::{Pointer, Step};
    use crate::text::Text;

    crate::record! {
        /// A thing.
        pub struct Thing {
            /// A number.
            number: Option<i64>,
            /// A word.
            word: Option<&'static str>,
            /// A name.
            [short] name: Option<Text>,
            /// A long text.
            text: Option<Text>,
        }
    }

    fn columns(names: &[&str]) -> Option<HeadColumns> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        HeadColumns::of::<Thing>(&Layout::of(Thing::columns()), &names)
    }

    fn things() -> Vec<Thing> {
        let record = Source::new(&Arc::default(), Some("7".into()));
        // More shapes than are told apart, some with steps that do not fit into the pointer itself.
        let long = |at| {
            let steps =
                [Step::Name("a"), Step::Key(format!("k{at}").into()), Step::Key("k".into()), Step::Index(1 << 40)];
            steps.into_iter().cycle().take(at % 9).collect::<Pointer>()
        };
        let numbers = [None, Some(0), Some(-1), Some(i64::MAX), Some(i64::MIN), Some(1 << 29), Some(1 << 30)];
        let words = [Some("a"), None, Some(""), Some("b")];
        let thing = |at: usize| Thing {
            number: numbers[at % numbers.len()],
            word: words[at % words.len()],
            name: (!at.is_multiple_of(3)).then(|| format!("näme {at}").into()),
            text: Some("long".into()),
            source: match at % 5 {
                0 => record.clone(),
                1 => record.at([Step::Name("messages"), Step::Index(at)].into()),
                2 => record.at([Step::Name("results"), Step::Key(format!("k{at}").into())].into()).part(at as u32),
                3 => record.at([Step::Index(at)].into()).failed(Error::shape(format!("odd {at}"))),
                4 if at < 100 => record.at(long(at)),
                _ => record.at(Pointer::record()).failed(Error::json("cut")),
            },
        };
        (0..200).map(thing).collect()
    }

    #[test]
    fn rows_come_back_as_they_went_in() {
        let things = things();
        let asked = Arc::new(columns(&["name", "number", "word", "source_pointer", "error"]).unwrap());
        let mut packer = Packer::new(&asked);
        assert!(things.iter().all(|thing| packer.add(thing)));
        let heads = packer.finish();
        assert_eq!(heads.rows(), things.len());
        let record = Source::new(&Arc::default(), Some("7".into()));
        for (at, thing) in things.iter().enumerate() {
            for column in 0..3 {
                assert_eq!(heads.cell(at, column), Some(thing.cell(column).into_owned()), "{at} {column}");
            }
            assert_eq!(heads.cell(at, 3), None);
            let source = heads.source(at, &record);
            assert_eq!(source, thing.source);
            assert_eq!(source.rowid(), thing.source.rowid());
        }
    }

    /// What a store of a hundred thousand rows may take in memory hangs on this.
    #[test]
    fn a_row_takes_few_bytes() {
        let asked = Arc::new(columns(&["number", "word"]).unwrap());
        let mut packer = Packer::new(&asked);
        for at in 0..1_000 {
            let steps =
                [Step::Name("messages"), Step::Index(at), Step::Name("Agent"), Step::Name("content"), Step::Index(0)];
            let source = Source::default().at(steps.into());
            assert!(packer.add(&Thing { number: Some(at as i64), word: Some("user"), source, ..Thing::default() }));
        }
        assert!(packer.finish().bytes() < 21 * 1_000);
    }

    #[test]
    fn only_short_columns_are_kept_and_given_to_who_asks_for_no_others() {
        assert_eq!(columns(&["number", "text"]), None);
        let (three, two, none) = (columns(&["word", "error", "number"]), columns(&["number", "word"]), columns(&[]));
        let (three, two, none) = (three.unwrap(), two.unwrap(), none.unwrap());
        assert!(three.hold(&two) && three.hold(&none) && two.hold(&two) && none.hold(&none));
        assert!(!two.hold(&three) && !none.hold(&two));
        assert!(three.are_of::<Thing>() && !three.are_of::<i64>());
    }

    #[test]
    fn what_is_long_or_may_read_better_next_time_is_not_kept() {
        let asked = Arc::new(columns(&["name"]).unwrap());
        let named = |length: usize| Thing { name: Some("x".repeat(length).into()), ..Thing::default() };
        assert!(Packer::new(&asked).add(&named(1_000)));
        assert!(!Packer::new(&asked).add(&named(1 << 20)));
        let failed = |kind| Thing { source: Source::default().failed(Error::new(kind, "no")), ..Thing::default() };
        assert!(Packer::new(&asked).add(&failed(Kind::Zstd)));
        assert!(!Packer::new(&asked).add(&failed(Kind::Busy)));
    }
}
