//! Positions inside a record.

use super::row::fnv;
use std::fmt;
use std::sync::Arc;

/// A JSON pointer (or XML path), kept as steps and written out only when asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pointer(Vec<Step>);

/// One step of a [`Pointer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A key that the format fixes.
    Name(&'static str),
    /// A key that the document holds.
    Key(Arc<str>),
    /// A position in an array, from 0.
    Index(usize),
}

impl From<&'static str> for Step {
    fn from(name: &'static str) -> Self {
        Self::Name(name)
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<Arc<str>> for Step {
    fn from(key: Arc<str>) -> Self {
        Self::Key(key)
    }
}

impl Pointer {
    /// The record itself.
    pub const fn record() -> Self {
        Self(Vec::new())
    }

    /// The pointer with one more step.
    #[must_use]
    pub fn join(&self, step: impl Into<Step>) -> Self {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step.into());
        Self(steps)
    }

    /// How many steps lead there.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Is this the record itself?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends the pointer's text.
    pub fn write_to(&self, out: &mut String) {
        for step in &self.0 {
            out.push('/');
            match step {
                Step::Name(name) => write_key(name, out),
                Step::Key(key) => write_key(key, out),
                Step::Index(index) => write_number(*index, out),
            }
        }
    }

    pub(super) fn hash(&self, start: u64) -> u64 {
        self.0.iter().fold(start, |hash, step| match step {
            Step::Name(name) => fnv(fnv(hash, b"/"), name.as_bytes()),
            Step::Key(key) => fnv(fnv(hash, b"/"), key.as_bytes()),
            Step::Index(index) => fnv(fnv(hash, b"#"), &(*index as u64).to_le_bytes()),
        })
    }
}

impl FromIterator<Step> for Pointer {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl<const N: usize> From<[Step; N]> for Pointer {
    fn from(steps: [Step; N]) -> Self {
        Self(steps.into())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_to(&mut text);
        f.write_str(&text)
    }
}

/// A key as a pointer spells it.
fn write_key(key: &str, out: &mut String) {
    if !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        return out.push_str(key);
    }
    for c in key.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            _ => out.push(c),
        }
    }
}

fn write_number(number: usize, out: &mut String) {
    if number > 9 {
        write_number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_a_json_pointer() {
        let pointer = Pointer::record().join("tool_results").join(Arc::<str>::from("a/b~c")).join(2);
        assert_eq!(pointer.to_string(), "/tool_results/a~1b~0c/2");
        let numbers = [0, 9, 10, 99, 100, 1_234_567_890, usize::MAX].map(Step::Index);
        let want: String = numbers
            .iter()
            .map(|step| if let Step::Index(n) = step { format!("/{n}") } else { String::new() })
            .collect();
        assert_eq!(Pointer::from(numbers).to_string(), want);
    }
}
