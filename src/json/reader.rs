//! The pull reader: values out of a stream, one after the other.

use std::ops::Range;
use std::sync::Arc;

use super::damage::Broken;
use super::document::{Document, Inner};
use super::fault::{Fault, trailing};
use super::scan::{Scanner, is_space};
use super::window::{BOM, Source, Whole, Window};
use super::{Kind, Limits};
use crate::error::{Error, Result};

/// Reads a JSON text value by value through a window.
///
/// Containers are entered with [`begin_object`](Self::begin_object) and [`begin_array`](Self::begin_array) and walked
/// with [`next_key`](Self::next_key) and [`next_item`](Self::next_item); the value that is due is captured with
/// [`value`](Self::value), passed over with [`skip`](Self::skip) or entered in turn. A value that nobody read is skipped
/// by the next step. After an error every step gives that error again until [`recover`](Self::recover) has found
/// the end of the damaged element.
#[derive(Debug)]
pub struct Reader<S> {
    pub(super) window: Window<S>,
    pub(super) limits: Limits,
    frames: Vec<Frame>,
    pub(super) scanner: Scanner,
    /// The last document given out: its memory serves the next one if nobody kept it.
    pub(super) last: Arc<Inner>,
    pub(super) span: Range<u64>,
    pub(super) broken: Option<Broken>,
    pub(super) damaged: Option<Vec<u8>>,
    is_started: bool,
}

/// An open container, or the top of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    kind: Option<Kind>,
    due: Due,
}

/// What a frame waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// The first item or key, or the closing bracket.
    First,
    /// A value.
    Value,
    /// A comma or the closing bracket.
    Rest,
}

impl Reader<Whole> {
    /// Reads a text that is in memory; captured documents share it.
    pub fn from_bytes(bytes: impl Into<Arc<Vec<u8>>>) -> Self {
        Self::on(Window::whole(bytes.into()))
    }
}

impl<S: Source> Reader<Option<S>> {
    /// Reads `bytes`, and behind them what `rest` gives. Documents captured in `bytes` share them.
    pub fn starting_with(bytes: impl Into<Arc<Vec<u8>>>, rest: Option<S>) -> Self {
        let is_complete = rest.is_none();
        Self::on(Window::starting_with(bytes.into(), rest, is_complete))
    }
}

impl<S: Source> Reader<S> {
    /// Reads what `source` gives.
    pub fn new(source: S) -> Self {
        Self::on(Window::new(source))
    }

    fn on(window: Window<S>) -> Self {
        Self {
            window,
            limits: Limits::default(),
            frames: vec![Frame { kind: None, due: Due::Value }],
            scanner: Scanner::new(),
            last: Arc::default(),
            span: 0..0,
            broken: None,
            damaged: None,
            is_started: false,
        }
    }

    /// The same reader with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same reader over a source that begins `offset` bytes inside a text: positions, spans and errors count from
    /// the start of that text.
    pub fn starting_at(mut self, offset: u64) -> Self {
        self.window.start_at(offset);
        self.is_started = offset > 0;
        self
    }

    /// The same reader, which takes what it reads for an element of a container that was opened before: damage ends
    /// where that element ends.
    pub fn inside(mut self, container: Kind) -> Self {
        self.set_due(Due::Rest);
        self.frames.push(Frame { kind: Some(container), due: Due::Value });
        self
    }

    /// The offset of the next unread byte.
    pub fn position(&self) -> u64 {
        self.window.offset()
    }

    /// Where the last value stands that was captured, skipped or recovered from.
    pub fn span(&self) -> Range<u64> {
        self.span.clone()
    }

    /// What the value is that is due; nothing is read. A first byte that begins no value is an error.
    pub fn kind(&mut self) -> Result<Kind> {
        self.at_value()?;
        match self.peek()? {
            Some(byte) => match Kind::of_first(byte) {
                Some(kind) => Ok(kind),
                None => self.fail_here(Fault::Expected("a value")),
            },
            None => self.fail_here(Fault::End),
        }
    }

    /// Enters the object that is due. Another kind of value is an error of kind `shape`, and stays due.
    pub fn begin_object(&mut self) -> Result<()> {
        self.begin(Kind::Object)
    }

    /// Enters the array that is due. Another kind of value is an error of kind `shape`, and stays due.
    pub fn begin_array(&mut self) -> Result<()> {
        self.begin(Kind::Array)
    }

    /// The name of the next member, whose value is then due; `None` when the object has ended and is left.
    pub fn next_key(&mut self) -> Result<Option<String>> {
        if !self.next_element(Kind::Object)? {
            return Ok(None);
        }
        if self.peek()? != Some(b'"') {
            let fault = if self.window.bytes().is_empty() { Fault::End } else { Fault::Expected("a key") };
            return self.fail_here(fault);
        }
        let key = self.capture(0)?;
        let key = key.root().as_str().unwrap_or_default().into_owned();
        self.set_due(Due::Value);
        match self.peek()? {
            Some(b':') => self.window.consume(1),
            Some(_) => return self.fail_here(Fault::Expected("`:`")),
            None => return self.fail_here(Fault::End),
        }
        Ok(Some(key))
    }

    /// Whether there is another item, which is then due; `false` when the array has ended and is left.
    pub fn next_item(&mut self) -> Result<bool> {
        let is_item = self.next_element(Kind::Array)?;
        if is_item {
            self.set_due(Due::Value);
        }
        Ok(is_item)
    }

    /// Captures the value that is due.
    pub fn value(&mut self) -> Result<Document> {
        self.at_value()?;
        let document = self.capture(self.depth_left())?;
        self.set_due(Due::Rest);
        Ok(document)
    }

    /// Only white space may follow the value that was read.
    pub fn finish(&mut self) -> Result<()> {
        self.sound()?;
        if self.frames.len() > 1 || self.due() != Due::Rest {
            return Err(Error::json(format!("a value is not read to its end at byte {}", self.position())));
        }
        match self.peek()? {
            None => Ok(()),
            found => {
                let error = trailing(self.position(), found);
                self.break_off(error)
            }
        }
    }

    /// Passes over what is left of the innermost container, and leaves it.
    pub fn leave(&mut self) -> Result<()> {
        match self.container() {
            Some(Kind::Object) => while self.next_key()?.is_some() {},
            Some(_) => while self.next_item()? {},
            None => return Err(Error::json(format!("no container is open at byte {}", self.position()))),
        }
        Ok(())
    }

    fn begin(&mut self, wanted: Kind) -> Result<()> {
        let kind = self.kind()?;
        if kind != wanted {
            return Err(Error::shape(format!("expected {}, found {}", wanted.described(), kind.described())));
        }
        if self.depth_left() == 0 {
            return self.fail_here(Fault::Depth);
        }
        self.window.consume(1);
        self.set_due(Due::Rest);
        self.frames.push(Frame { kind: Some(wanted), due: Due::First });
        Ok(())
    }

    /// Goes to the next element of the innermost container; leaves it when there is none.
    fn next_element(&mut self, container: Kind) -> Result<bool> {
        self.sound()?;
        if self.container() != Some(container) {
            return Err(Error::json(format!("no {} is open at byte {}", container.described(), self.position())));
        }
        if self.due() == Due::Value {
            self.skip()?;
        }
        let is_object = container == Kind::Object;
        let byte = self.peek()?;
        match byte {
            None => self.fail_here(Fault::End),
            Some(b']') if !is_object => Ok(self.left()),
            Some(b'}') if is_object => Ok(self.left()),
            Some(b',') if self.due() == Due::Rest => {
                self.window.consume(1);
                Ok(true)
            }
            Some(_) if self.due() == Due::First => Ok(true),
            Some(_) => self.fail_here(Fault::Expected(if is_object { "`,` or `}`" } else { "`,` or `]`" })),
        }
    }

    fn left(&mut self) -> bool {
        self.window.consume(1);
        self.frames.pop();
        false
    }

    /// Skips white space and gives the byte behind it.
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            if !self.is_started && !self.window.is_complete() && self.window.bytes().len() < BOM.len() {
                self.more()?;
                continue;
            }
            if !std::mem::replace(&mut self.is_started, true) && self.window.bytes().starts_with(BOM) {
                self.window.consume(BOM.len());
            }
            let bytes = self.window.bytes();
            let spaces = bytes.iter().take_while(|byte| is_space(**byte)).count();
            let found = bytes.get(spaces).copied();
            self.window.consume(spaces);
            if found.is_some() || self.window.is_complete() {
                return Ok(found);
            }
            self.more()?;
        }
    }

    pub(super) fn more(&mut self) -> Result<()> {
        if let Some(unused) = Arc::get_mut(&mut self.last) {
            unused.bytes = Arc::default();
        }
        match self.window.more() {
            Ok(()) => Ok(()),
            Err(error) => self.break_off(error),
        }
    }

    /// Refuses to go on after an error, and where no value is due.
    pub(super) fn at_value(&mut self) -> Result<()> {
        self.sound()?;
        if self.due() == Due::Value {
            return Ok(());
        }
        Err(Error::json(format!("no value is due at byte {}", self.position())))
    }

    fn sound(&self) -> Result<()> {
        match &self.broken {
            Some(broken) => Err(broken.error.clone()),
            None => Ok(()),
        }
    }

    pub(super) fn depth_left(&self) -> usize {
        (self.limits.max_depth + 1).saturating_sub(self.frames.len())
    }

    /// What the innermost container is; `None` at the top.
    pub(super) fn container(&self) -> Option<Kind> {
        self.frames.last().and_then(|frame| frame.kind)
    }

    pub(super) fn due(&self) -> Due {
        self.frames.last().map_or(Due::Rest, |frame| frame.due)
    }

    pub(super) fn set_due(&mut self, due: Due) {
        if let Some(frame) = self.frames.last_mut() {
            frame.due = due;
        }
    }
}

#[cfg(test)]
mod tests;
