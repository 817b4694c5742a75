//! How a reader takes a value out of the window, or lets it pass.

use std::sync::Arc;

use super::document::{Document, Inner};
use super::fault::{too_large, utf8_error};
use super::reader::{Due, Reader};
use super::scan::Step;
use super::tape::Nothing;
use super::window::Source;
use crate::error::Result;

impl<S: Source> Reader<S> {
    /// Passes over the value that is due, checked but not kept.
    pub fn skip(&mut self) -> Result<()> {
        self.at_value()?;
        self.peek()?;
        let start = self.window.offset();
        self.scanner.reset(self.depth_left());
        loop {
            let step = self.scanner.run(self.window.bytes(), self.window.is_complete(), &mut Nothing);
            let used = self.scanner.position();
            let kept = self.checked(start, step != Ok(Step::More))?;
            match step {
                Err(fault) => return self.fail(start, fault),
                Ok(Step::Done) => {
                    self.window.consume(used);
                    break;
                }
                Ok(Step::More) => {
                    self.window.consume(kept);
                    self.scanner.forget(kept);
                    self.more()?;
                }
            }
        }
        self.span = start..self.window.offset();
        self.set_due(Due::Rest);
        Ok(())
    }

    /// Captures a value that starts here.
    pub(super) fn capture(&mut self, depth: usize) -> Result<Document> {
        self.peek()?;
        let start = self.window.offset();
        let mut tape = match Arc::get_mut(&mut self.last) {
            Some(inner) => std::mem::take(inner).tape,
            None => Default::default(),
        };
        tape.reset(self.limits.tokens());
        self.scanner.reset(depth);
        loop {
            let step = self.scanner.run(self.window.bytes(), self.window.is_complete(), &mut tape);
            let used = self.scanner.position();
            match step {
                _ if used > self.limits.value_bytes() || tape.is_full() => {
                    return self.refuse(start, too_large(&self.limits));
                }
                Err(fault) => {
                    self.checked(start, true)?;
                    return self.fail(start, fault);
                }
                Ok(Step::Done) => {
                    self.checked(start, true)?;
                    let (bytes, at) = self.window.shared();
                    self.window.consume(used);
                    self.span = start..self.window.offset();
                    self.last = Arc::new(Inner { bytes, start: at, tape });
                    return Ok(Document::of(Arc::clone(&self.last)));
                }
                Ok(Step::More) => self.more()?,
            }
        }
    }

    /// Checks that what the scanner read is UTF-8 and gives how many bytes of it are whole characters.
    fn checked(&mut self, start: u64, is_end: bool) -> Result<usize> {
        match self.scanner.check_utf8(self.window.bytes(), is_end) {
            Ok(whole) => Ok(whole),
            Err(at) => {
                let error = utf8_error(self.window.offset() + at as u64);
                self.refuse(start, error)
            }
        }
    }
}
