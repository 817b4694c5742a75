//! What a reader does about damage: it stops, and finds its way behind it when asked to.

use std::ops::Range;

use super::Kind;
use super::document::Document;
use super::fault::Fault;
use super::prefix::whole_elements;
use super::reader::{Due, Reader};
use super::recover::Recovery;
use super::window::Source;
use crate::error::{Error, Result};

#[derive(Debug, Clone)]
pub(super) struct Broken {
    pub(super) error: Error,
    /// Where the damaged element begins.
    start: u64,
    cure: Cure,
}

#[derive(Debug, Clone)]
enum Cure {
    /// The text has ended, or its source has failed.
    None,
    /// Only a comma is missing.
    Here,
    /// The element's end has to be found.
    Search(Box<Recovery>),
}

impl From<Option<Recovery>> for Cure {
    fn from(recovery: Option<Recovery>) -> Self {
        recovery.map_or(Self::None, |recovery| Self::Search(Box::new(recovery)))
    }
}

/// So many bytes of a damaged element are kept while its end is looked for.
const DAMAGE_KEPT: usize = 4 << 20;

impl<S: Source> Reader<S> {
    /// After an error: finds the end of the damaged element of the innermost container, so that the next one can be
    /// read, and gives its place. Gives the error again when there is none to be found: when the text ends inside the
    /// element or its source has failed, and at the top of the text.
    ///
    /// Where only a comma is missing the damage is empty, and what stands there is the next element. Otherwise it ends
    /// at the comma or closing bracket that the two lanes of `json::recover` agree on.
    pub fn recover(&mut self) -> Result<Range<u64>> {
        let Some(Broken { error, start, cure }) = self.broken.take() else { return Ok(self.span()) };
        match cure {
            Cure::None => return self.break_off(error),
            Cure::Here => {
                self.set_due(Due::First);
                self.span = start..start;
            }
            Cure::Search(mut recovery) => {
                let Some(end) = self.search(&mut recovery)? else { return self.break_off(error) };
                let is_kept = start == self.window.offset() && end <= DAMAGE_KEPT;
                self.damaged = is_kept.then(|| self.window.bytes().get(..end).unwrap_or_default().to_vec());
                self.window.consume(end);
                self.set_due(Due::Rest);
                self.span = start..self.window.offset();
            }
        }
        Ok(self.span())
    }

    /// The bytes of the element that was recovered from, once; `None` when it was being skipped or is too large.
    pub fn take_damaged(&mut self) -> Option<Vec<u8>> {
        self.damaged.take()
    }

    /// After an error of [`Reader::value`], as long as it is not recovered from: the value as if it ended behind its last
    /// whole element, `levels` containers deep. `None` where there is none, or where the value is too large.
    pub fn whole_part(&self, levels: usize) -> Option<Document> {
        let is_here = self.broken.as_ref().is_some_and(|broken| broken.start == self.window.offset());
        let bytes = self.window.bytes();
        let read = bytes.get(..self.scanner.position().min(bytes.len()))?;
        if !is_here || read.len() > DAMAGE_KEPT {
            return None;
        }
        let sound = match std::str::from_utf8(read) {
            Ok(_) => read,
            Err(error) => read.get(..error.valid_up_to())?,
        };
        Document::parse_within(whole_elements(sound, levels)?, &self.limits).ok()
    }

    /// Reads until the end of the damaged element is in the window; `None` when the text ends first.
    fn search(&mut self, recovery: &mut Recovery) -> Result<Option<usize>> {
        loop {
            let bytes = self.window.bytes();
            let is_large = bytes.len() > DAMAGE_KEPT;
            if let Some(end) = recovery.run(bytes, is_large || self.window.is_complete()) {
                return Ok(Some(end));
            }
            if self.window.is_complete() {
                return Ok(None);
            }
            if is_large {
                let count = recovery.is_done_with();
                recovery.forget(count);
                self.window.consume(count);
            }
            self.more()?;
        }
    }

    fn break_with<T>(&mut self, error: Error, start: u64, cure: Cure) -> Result<T> {
        self.damaged = None;
        self.broken = Some(Broken { error: error.clone(), start, cure });
        Err(error)
    }

    /// An error from which there is no recovery.
    pub(super) fn break_off<T>(&mut self, error: Error) -> Result<T> {
        let start = self.position();
        self.break_with(error, start, Cure::None)
    }

    /// What the scanner found wrong with a value.
    pub(super) fn fail<T>(&mut self, start: u64, fault: Fault) -> Result<T> {
        let error = self.worded(fault, self.scanner.position());
        match fault {
            Fault::End => self.break_off(error),
            Fault::Depth => self.refuse(start, error),
            _ => {
                let text = self.window.bytes();
                let recovery = self.container().map(|kind| Recovery::after(&self.scanner, text, kind == Kind::Object));
                self.break_with(error, start, Cure::from(recovery))
            }
        }
    }

    /// A value that cannot be had although the scanner knows where it is in it.
    pub(super) fn refuse<T>(&mut self, start: u64, error: Error) -> Result<T> {
        let recovery = self.container().map(|kind| Recovery::certain(&self.scanner, kind == Kind::Object));
        self.break_with(error, start, Cure::from(recovery))
    }

    /// A fault between values.
    pub(super) fn fail_here<T>(&mut self, fault: Fault) -> Result<T> {
        let error = self.worded(fault, 0);
        let start = self.position();
        let found = self.window.bytes().first().copied();
        let is_element =
            |kind| if kind == Kind::Object { found == Some(b'"') } else { found.is_some_and(begins_value) };
        let cure = match self.container() {
            _ if fault == Fault::End => Cure::None,
            None => Cure::None,
            Some(kind) if self.due() == Due::Rest && is_element(kind) => Cure::Here,
            Some(kind) => Cure::from(Some(Recovery::between(kind == Kind::Object))),
        };
        self.break_with(error, start, cure)
    }

    fn worded(&self, fault: Fault, used: usize) -> Error {
        let at = self.window.offset() + used as u64;
        fault.error(at, self.window.bytes().get(used).copied(), &self.limits)
    }
}

fn begins_value(byte: u8) -> bool {
    Kind::of_first(byte).is_some()
}
