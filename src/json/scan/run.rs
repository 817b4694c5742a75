//! The scanner's loop.

use super::{Expect, Place, Scanner, Step, is_space};
use crate::json::Kind;
use crate::json::fault::Fault;
use crate::json::number::Number;
use crate::json::simd::Lanes;
use crate::json::string::{Ended, Met, Strings};
use crate::json::tape::Sink;

/// What stands between strings came to.
enum Next {
    /// A string, which is to be read.
    String { is_key: bool },
    /// Something else, which is read.
    Token,
    /// The end of the window.
    More,
}

/// A run of a scanner. All of it is compiled into one loop, for the lanes that it has and the sink that it feeds.
pub(super) struct Run<'a, 't, L, S> {
    pub(super) place: Place,
    pub(super) scanner: &'a mut Scanner,
    pub(super) text: &'t [u8],
    pub(super) is_last: bool,
    pub(super) strings: Strings<'t, L>,
    pub(super) sink: &'a mut S,
}

impl<L: Lanes, S: Sink> Run<'_, '_, L, S> {
    #[inline(always)]
    pub(super) fn run(&mut self) -> Result<Step, Fault> {
        loop {
            let next = match self.place.expect {
                Expect::InString { is_key } => Next::String { is_key },
                Expect::InNumber(number) => self.number(number)?,
                Expect::Boundary => self.boundary()?,
                Expect::Done => return Ok(Step::Done),
                expect => self.structure(expect)?,
            };
            let is_at_end = match next {
                Next::String { is_key } => self.string(is_key)?,
                Next::Token => false,
                Next::More => true,
            };
            if is_at_end {
                return if self.is_last { Err(Fault::End) } else { Ok(Step::More) };
            }
        }
    }

    /// Reads what stands between strings and numbers.
    #[inline(always)]
    fn structure(&mut self, expect: Expect) -> Result<Next, Fault> {
        let byte = loop {
            match self.text.get(self.place.position) {
                Some(byte) if is_space(*byte) => self.place.position += 1,
                Some(byte) => break *byte,
                None => return Ok(Next::More),
            }
        };
        match (expect, byte) {
            (Expect::KeyOrEnd | Expect::Key, b'"') => return Ok(self.begin_string(true)),
            (Expect::Colon, b':') => self.take(Expect::Value),
            (Expect::Colon, _) => return Err(Fault::Expected("`:`")),
            (Expect::ItemOrEnd, b']') | (Expect::KeyOrEnd, b'}') => self.close(),
            (Expect::Value | Expect::ItemOrEnd, _) => return self.value(byte),
            (Expect::KeyOrEnd, _) => return Err(Fault::Expected("a key or `}`")),
            (Expect::Key, _) => return Err(Fault::Expected("a key")),
            (_, byte) => self.after_value(byte)?,
        }
        Ok(Next::Token)
    }

    #[inline(always)]
    fn after_value(&mut self, byte: u8) -> Result<(), Fault> {
        let is_object = self.place.in_object;
        match byte {
            b',' if is_object => self.take(Expect::Key),
            b',' => self.take(Expect::Value),
            b'}' if is_object => self.close(),
            b']' if !is_object => self.close(),
            _ if is_object => return Err(Fault::Expected("`,` or `}`")),
            _ => return Err(Fault::Expected("`,` or `]`")),
        }
        Ok(())
    }

    #[inline(always)]
    fn boundary(&mut self) -> Result<Next, Fault> {
        match self.text.get(self.place.position) {
            None if !self.is_last => return Ok(Next::More),
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}') => self.place.expect = Expect::Done,
            Some(_) => return Err(Fault::Expected("the end of the value")),
        }
        Ok(Next::Token)
    }

    #[inline(always)]
    fn value(&mut self, byte: u8) -> Result<Next, Fault> {
        match byte {
            b'"' => return Ok(self.begin_string(false)),
            b'{' => self.open(Kind::Object)?,
            b'[' => self.open(Kind::Array)?,
            b't' => return self.literal(b"true", Kind::Bool),
            b'f' => return self.literal(b"false", Kind::Bool),
            b'n' => return self.literal(b"null", Kind::Null),
            _ => {
                self.place.token = self.place.position;
                self.take(Expect::InNumber(Number::first(byte).ok_or(Fault::Expected("a value"))?));
            }
        }
        Ok(Next::Token)
    }

    #[inline(always)]
    fn literal(&mut self, word: &[u8], kind: Kind) -> Result<Next, Fault> {
        let at = self.place.position;
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.place.position += word.len();
            self.sink.leaf(kind, at, self.place.position, false);
            self.finish_value(true);
            return Ok(Next::Token);
        }
        if !self.is_last && word.starts_with(rest) { Ok(Next::More) } else { Err(Fault::Expected("a value")) }
    }

    /// Reads a string; true when the window is used up before its end.
    #[inline(always)]
    fn string(&mut self, is_key: bool) -> Result<bool, Fault> {
        let ended = self.strings.end(self.place.position, &mut self.place.met);
        let (Ended::Quote(end) | Ended::More(end) | Ended::Control(end) | Ended::Escape(end)) = ended;
        self.place.position = end;
        if self.place.met.wide {
            self.scanner.see_wide(self.text, self.place.token..end, matches!(ended, Ended::Quote(_)));
        }
        match ended {
            Ended::Quote(_) => {
                self.place.position += 1;
                self.sink.leaf(Kind::String, self.place.token, self.place.position, self.place.met.escape);
                if is_key {
                    self.place.expect = Expect::Colon;
                    if self.text.get(self.place.position) == Some(&b':') {
                        self.take(Expect::Value);
                    }
                } else {
                    self.finish_value(false);
                }
                Ok(false)
            }
            Ended::More(_) => Ok(true),
            Ended::Control(_) => Err(Fault::Control),
            Ended::Escape(_) => Err(Fault::Escape),
        }
    }

    #[inline(always)]
    fn number(&mut self, number: Number) -> Result<Next, Fault> {
        let (number, end) = number.run(self.text, self.place.position);
        self.place.position = end;
        let is_end = end == self.text.len();
        if number.is_complete() && (self.is_last || !is_end) {
            self.sink.leaf(Kind::Number, self.place.token, end, false);
            self.finish_value(true);
            return Ok(Next::Token);
        }
        self.place.expect = Expect::InNumber(number);
        if is_end { Ok(Next::More) } else { Err(Fault::Expected("a digit")) }
    }

    #[inline(always)]
    fn begin_string(&mut self, is_key: bool) -> Next {
        self.place.token = self.place.position;
        self.place.met = Met::default();
        self.take(Expect::InString { is_key });
        Next::String { is_key }
    }

    #[inline(always)]
    fn open(&mut self, kind: Kind) -> Result<(), Fault> {
        if self.scanner.stack.len() >= self.scanner.max_depth {
            return Err(Fault::Depth);
        }
        self.sink.open(kind, self.place.position);
        self.place.in_object = kind == Kind::Object;
        self.scanner.stack.push(self.place.in_object);
        self.take(if self.place.in_object { Expect::KeyOrEnd } else { Expect::ItemOrEnd });
        Ok(())
    }

    #[inline(always)]
    fn close(&mut self) {
        self.scanner.stack.pop();
        self.place.in_object = self.scanner.stack.last().copied().unwrap_or(false);
        self.place.position += 1;
        self.sink.close(self.place.position);
        self.finish_value(false);
    }

    #[inline(always)]
    fn take(&mut self, expect: Expect) {
        self.place.position += 1;
        self.place.expect = expect;
    }

    #[inline(always)]
    fn finish_value(&mut self, needs_boundary: bool) {
        self.place.expect = match (self.scanner.stack.is_empty(), needs_boundary) {
            (false, _) => Expect::CommaOrEnd,
            (true, true) => Expect::Boundary,
            (true, false) => Expect::Done,
        };
    }
}
