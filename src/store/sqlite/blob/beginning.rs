//! The beginning of a value: for those who hardly ever want more.

use super::Blob;
use super::pieces::{PIECE_BYTES, changed};
use crate::error::{Error, Kind, Result};

/// Reads the value again, whole.
type Rest = Box<dyn Fn() -> Result<Blob> + Send>;

/// The first bytes of a value, not all of them.
pub struct Beginning {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How many the value has.
    pub len: u64,
    /// Where all of them come from.
    pub rest: Option<Rest>,
}

impl Beginning {
    /// Nothing tells yet where the rest comes from.
    pub fn new(bytes: Vec<u8>, len: u64) -> Self {
        Self { bytes, len, rest: None }
    }

    /// Are there bytes behind it at this position?
    pub fn ends_before(&self, position: u64) -> bool {
        (self.bytes.len() as u64..self.len).contains(&position)
    }

    /// The value, which still begins with these bytes: some of them were given out.
    pub fn whole(&self) -> Result<Blob> {
        let missing = || Error::new(Kind::Sqlite, "only the beginning of the value was read");
        let mut whole = self.rest.as_ref().ok_or_else(missing)?()?;
        if whole.len() != self.len {
            return Err(changed());
        }
        let mut piece = vec![0; self.bytes.len().min(PIECE_BYTES as usize)];
        let mut expected = self.bytes.as_slice();
        while !expected.is_empty() {
            let room = piece.len().min(expected.len());
            let count = whole.fill(piece.get_mut(..room).unwrap_or_default())?;
            let (known, rest) = expected.split_at_checked(count).unwrap_or_default();
            if count == 0 || piece.get(..count) != Some(known) {
                return Err(changed());
            }
            expected = rest;
        }
        Ok(whole)
    }
}
