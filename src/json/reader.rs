//! The pull reader: values out of a stream, one after the other.

use std::ops::Range;
use std::sync::Arc;

use super::document::{Document, Inner};
use super::recover::Lane;
use super::scan::{Fault, Scanner, Step, is_space};
use super::tape::Nothing;
use super::window::{BOM, Source, Whole, Window};
use super::{Kind, Limits, too_large, utf8_error};
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
    window: Window<S>,
    limits: Limits,
    frames: Vec<Frame>,
    scanner: Scanner,
    /// The last document given out: its memory serves the next one if nobody kept it.
    last: Arc<Inner>,
    span: Range<u64>,
    broken: Option<Broken>,
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
enum Due {
    /// The first item or key, or the closing bracket.
    First,
    /// A value.
    Value,
    /// A comma or the closing bracket.
    Rest,
}

#[derive(Debug, Clone)]
struct Broken {
    error: Error,
    /// How recovery goes on; `None` when it cannot.
    lane: Option<Lane>,
    start: u64,
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
            is_started: false,
        }
    }

    /// The same reader with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
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
                None => self.fail_here(Fault::Expected("a value"), 0),
            },
            None => self.fail_here(Fault::End, 0),
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
            return self.fail_here(fault, 0);
        }
        let key = self.capture(0)?;
        let key = key.root().as_str().unwrap_or_default().into_owned();
        match self.peek()? {
            Some(b':') => self.window.consume(1),
            Some(_) => return self.fail_here(Fault::Expected("`:`"), 0),
            None => return self.fail_here(Fault::End, 0),
        }
        self.set_due(Due::Value);
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
                Err(fault) => return self.fail(start, fault, used),
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

    /// Only white space may follow the value that was read.
    pub fn finish(&mut self) -> Result<()> {
        self.sound()?;
        if self.frames.len() > 1 || self.due() != Due::Rest {
            return Err(Error::json(format!("a value is not read to its end at byte {}", self.position())));
        }
        match self.peek()? {
            None => Ok(()),
            found => {
                let error = super::described_trailing(self.position(), found);
                self.break_off(error)
            }
        }
    }

    /// After an error: finds the end of the damaged element of the innermost container, so that the next one can be
    /// read, and gives its place. Gives the error again when the text ends before that.
    pub fn recover(&mut self) -> Result<Range<u64>> {
        let Some(mut broken) = self.broken.take() else { return Ok(self.span()) };
        let Some(lane) = &mut broken.lane else {
            self.broken = Some(broken.clone());
            return Err(broken.error);
        };
        loop {
            let bytes = self.window.bytes();
            if let Some(end) = lane.run(bytes) {
                self.window.consume(end);
                self.set_due(Due::Rest);
                self.span = broken.start..self.window.offset();
                return Ok(self.span());
            }
            let count = bytes.len();
            if self.window.is_complete() {
                return self.break_off(broken.error);
            }
            self.window.consume(count);
            self.more()?;
        }
    }

    fn begin(&mut self, wanted: Kind) -> Result<()> {
        let kind = self.kind()?;
        if kind != wanted {
            return Err(Error::shape(format!("expected {}, found {}", wanted.described(), kind.described())));
        }
        if self.depth_left() == 0 {
            return self.fail_here(Fault::Depth, 0);
        }
        self.window.consume(1);
        self.set_due(Due::Rest);
        self.frames.push(Frame { kind: Some(wanted), due: Due::First });
        Ok(())
    }

    /// Goes to the next element of the innermost container; leaves it when there is none.
    fn next_element(&mut self, container: Kind) -> Result<bool> {
        self.sound()?;
        if self.frames.last().and_then(|frame| frame.kind) != Some(container) {
            return Err(Error::json(format!("no {} is open at byte {}", container.described(), self.position())));
        }
        if self.due() == Due::Value {
            self.skip()?;
        }
        let is_object = container == Kind::Object;
        let byte = self.peek()?;
        match byte {
            None => self.fail_here(Fault::End, 0),
            Some(b']') if !is_object => Ok(self.leave()),
            Some(b'}') if is_object => Ok(self.leave()),
            Some(b',') if self.due() == Due::Rest => {
                self.window.consume(1);
                Ok(true)
            }
            Some(_) if self.due() == Due::First => Ok(true),
            Some(_) => self.fail_here(Fault::Expected(if is_object { "`,` or `}`" } else { "`,` or `]`" }), 0),
        }
    }

    fn leave(&mut self) -> bool {
        self.window.consume(1);
        self.frames.pop();
        false
    }

    /// Captures a value that starts here.
    fn capture(&mut self, depth: usize) -> Result<Document> {
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
                    return self.fail_with(start, too_large(&self.limits), used);
                }
                Err(fault) => {
                    self.checked(start, true)?;
                    return self.fail(start, fault, used);
                }
                Ok(Step::Done) => {
                    self.checked(start, true)?;
                    let (bytes, at) = self.window.shared();
                    self.window.consume(used);
                    self.span = start..self.window.offset();
                    self.last = Arc::new(Inner { bytes, start: at, tape });
                    return Ok(Document(Arc::clone(&self.last)));
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
                self.fail_with(start, error, self.scanner.position())
            }
        }
    }

    /// Skips white space and gives the byte behind it.
    fn peek(&mut self) -> Result<Option<u8>> {
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

    fn more(&mut self) -> Result<()> {
        if let Some(unused) = Arc::get_mut(&mut self.last) {
            unused.bytes = Arc::default();
        }
        match self.window.more() {
            Ok(()) => Ok(()),
            Err(error) => self.break_off(error),
        }
    }

    /// Refuses to go on after an error, and where no value is due.
    fn at_value(&mut self) -> Result<()> {
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

    /// An error from which there is no recovery.
    fn break_off<T>(&mut self, error: Error) -> Result<T> {
        self.broken = Some(Broken { error: error.clone(), lane: None, start: self.position() });
        Err(error)
    }

    /// An error `used` bytes from here in a value that the scanner was reading.
    fn fail<T>(&mut self, start: u64, fault: Fault, used: usize) -> Result<T> {
        let error = self.worded(fault, used);
        if fault == Fault::End { self.break_off(error) } else { self.fail_with(start, error, used) }
    }

    fn fail_with<T>(&mut self, start: u64, error: Error, used: usize) -> Result<T> {
        let lane = Lane::new(self.scanner.stack().len(), self.scanner.is_in_string());
        self.window.consume(used);
        self.broken = Some(Broken { error: error.clone(), lane: Some(lane), start });
        Err(error)
    }

    /// An error between values.
    fn fail_here<T>(&mut self, fault: Fault, used: usize) -> Result<T> {
        let error = self.worded(fault, used);
        if fault == Fault::End {
            return self.break_off(error);
        }
        let start = self.window.offset();
        self.broken = Some(Broken { error: error.clone(), lane: Some(Lane::new(0, false)), start });
        Err(error)
    }

    fn worded(&self, fault: Fault, used: usize) -> Error {
        let at = self.window.offset() + used as u64;
        fault.error(at, self.window.bytes().get(used).copied(), &self.limits)
    }

    fn depth_left(&self) -> usize {
        (self.limits.max_depth + 1).saturating_sub(self.frames.len())
    }

    fn due(&self) -> Due {
        self.frames.last().map_or(Due::Rest, |frame| frame.due)
    }

    fn set_due(&mut self, due: Due) {
        if let Some(frame) = self.frames.last_mut() {
            frame.due = due;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Dribble<'a>(&'a [u8], usize);

    impl Source for Dribble<'_> {
        fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
            let count = buf.len().min(self.1);
            self.0.fill(&mut buf[..count])
        }
    }

    #[test]
    fn walks_a_text_in_any_pieces() {
        let text = br#"{"title":"a\"b","messages":[{"x":1},[2,3],"s",-4.5e+3,true],"n":null} "#;
        for piece in 1..text.len() {
            let mut reader = Reader::new(Dribble(text, piece));
            reader.begin_object().unwrap();
            assert_eq!(reader.next_key().unwrap().as_deref(), Some("title"));
            assert_eq!(reader.value().unwrap().root().as_str().unwrap(), "a\"b");
            assert_eq!(reader.next_key().unwrap().as_deref(), Some("messages"));
            reader.begin_array().unwrap();
            let mut items = Vec::new();
            while reader.next_item().unwrap() {
                items.push(reader.value().unwrap().root().raw().to_owned());
            }
            assert_eq!(items, [r#"{"x":1}"#, "[2,3]", r#""s""#, "-4.5e+3", "true"]);
            assert_eq!(reader.next_key().unwrap().as_deref(), Some("n"));
            reader.skip().unwrap();
            assert_eq!(text[64..68], *b"null");
            assert_eq!(reader.span(), 64..68);
            assert_eq!(reader.next_key().unwrap(), None);
            reader.finish().unwrap();
        }
    }

    #[test]
    fn a_text_may_begin_in_memory() {
        let text = br#"["in memory",{"then":"a stream"}]"#;
        for cut in 0..text.len() {
            let (head, rest) = text.split_at(cut);
            let mut reader = Reader::starting_with(head.to_vec(), Some(Dribble(rest, 3)));
            assert_eq!(reader.value().unwrap().root().raw().as_bytes(), text);
            reader.finish().unwrap();
        }
        let mut whole = Reader::starting_with(text.to_vec(), None::<&[u8]>);
        assert_eq!(whole.value().unwrap().root().raw().as_bytes(), text);
    }

    #[test]
    fn one_damaged_item_costs_no_other() {
        for bad in [r#"nope"#, r#"{"a":tru}"#, "{\"a\":\"x\ny\"}", r#"{"a":"\q"}"#, r#"{"a":1 "b":2}"#] {
            let text = format!(r#"[{{"m":1}},{bad},{{"m":2}}]"#);
            let mut reader = Reader::from_bytes(text.into_bytes());
            reader.begin_array().unwrap();
            let mut seen = Vec::new();
            while reader.next_item().unwrap() {
                match reader.value() {
                    Ok(item) => seen.push(item.root().raw().to_owned()),
                    Err(_) => {
                        reader.recover().unwrap();
                        seen.push("bad".to_owned());
                    }
                }
            }
            assert_eq!(seen, [r#"{"m":1}"#, "bad", r#"{"m":2}"#], "{bad}");
            reader.finish().unwrap();
        }
    }
}
