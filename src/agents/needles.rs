//! What a LIKE or GLOB asks for, looked for in the text of whole documents and messages before they are taken apart.

use crate::json::{Needle, may_contain};
use crate::table::{Op, Scan};

/// Texts in rows that stand in no document.
const OURS: &[u8] = b"[image]";

/// What a row's text must contain.
#[derive(Debug, Default)]
pub struct Needles(Vec<Needle>);

impl Needles {
    /// Of the patterns on these columns.
    pub fn of(scan: &Scan, columns: &'static [&'static str]) -> Self {
        let patterns = columns.iter().flat_map(|column| scan.patterns(column));
        let needles = patterns.filter_map(|(op, pattern)| match op {
            Op::Glob => Needle::of_glob(pattern),
            _ => Needle::of_like(pattern),
        });
        Self(needles.filter(|needle| !may_contain(OURS, needle)).collect())
    }

    /// Is anything asked for?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// May a row of this JSON text match? False is certain.
    pub fn may_be_in(&self, text: &[u8]) -> bool {
        self.0.iter().all(|needle| may_contain(text, needle))
    }
}
