//! Positions inside a record.

use super::few::{Few, Form};
use super::row::fnv;
use std::fmt;
use std::sync::Arc;

/// A JSON pointer (or XML path), kept as steps and written out only when asked for.
///
/// A scan makes one for every row, so the steps of a usual one stand in it and take no memory elsewhere.
#[derive(Clone, Default)]
pub struct Pointer {
    /// The steps in front, where there are more than the pointer holds itself.
    pub(super) front: Option<Arc<Vec<Step>>>,
    /// The steps behind them.
    pub(super) few: Few,
}

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
        Self { front: None, few: Few::NONE }
    }

    /// The pointer of a form: its names and its positions in order, and its key. What a scan makes for every row.
    #[inline]
    pub fn of(form: Form, names: [&'static str; 3], numbers: [usize; 2], key: Option<Arc<str>>) -> Self {
        let [Ok(first), Ok(second)] = numbers.map(u32::try_from) else {
            return Self::of_large(form, names, numbers, key);
        };
        Self { front: None, few: Few { form, names, numbers: [first, second], key } }
    }

    #[cold]
    fn of_large(form: Form, names: [&'static str; 3], numbers: [usize; 2], key: Option<Arc<str>>) -> Self {
        form.steps(names, numbers, key).collect()
    }

    /// The pointer with one more step.
    #[must_use]
    pub fn join(&self, step: impl Into<Step>) -> Self {
        let mut longer = self.clone();
        longer.push(step.into());
        longer
    }

    #[inline]
    fn push(&mut self, step: Step) {
        if let Err(step) = self.few.push(step) {
            self.make_room(step);
        }
    }

    #[cold]
    fn make_room(&mut self, step: Step) {
        let steps = self.steps().chain([step]).collect();
        *self = Self { front: Some(Arc::new(steps)), few: Few::NONE };
    }

    /// The same pointer, whose steps are shared by all that are joined to it.
    #[must_use]
    pub fn shared(&self) -> Self {
        Self { front: Some(Arc::new(self.steps().collect())), few: Few::NONE }
    }

    /// How many steps lead there.
    pub fn len(&self) -> usize {
        self.front.as_ref().map_or(0, |front| front.len()) + self.few.form.len()
    }

    /// The steps.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        let front = self.front.iter().flat_map(|front| front.iter().cloned());
        front.chain(self.few.steps())
    }

    /// Is this the record itself?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it keeps in memory beside itself, about; what others share counts in full.
    pub fn heap_bytes(&self) -> usize {
        let front = self.front.as_ref().map_or(0, |front| front.capacity() * size_of::<Step>());
        front + self.few.key.as_ref().map_or(0, |key| key.len())
    }

    /// Appends the pointer's text.
    pub fn write_to(&self, out: &mut String) {
        for step in self.front.iter().flat_map(|front| front.iter()) {
            match step {
                Step::Name(name) => write_name(name, out),
                Step::Key(key) => write_key(key, out),
                Step::Index(index) => write_index(*index, out),
            }
        }
        self.few.write_to(out);
    }

    pub(super) fn hash(&self, start: u64) -> u64 {
        self.steps().fold(start, |hash, step| match step {
            Step::Name(name) => fnv(fnv(hash, b"/"), name.as_bytes()),
            Step::Key(key) => fnv(fnv(hash, b"/"), key.as_bytes()),
            Step::Index(index) => fnv(fnv(hash, b"#"), &(index as u64).to_le_bytes()),
        })
    }
}

/// Pointers are equal when their steps are, wherever those stand.
impl PartialEq for Pointer {
    fn eq(&self, other: &Self) -> bool {
        self.steps().eq(other.steps())
    }
}

impl Eq for Pointer {}

impl fmt::Debug for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps()).finish()
    }
}

impl Extend<Step> for Pointer {
    #[inline]
    fn extend<I: IntoIterator<Item = Step>>(&mut self, steps: I) {
        steps.into_iter().for_each(|step| self.push(step));
    }
}

impl FromIterator<Step> for Pointer {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        let mut pointer = Self::record();
        pointer.extend(steps);
        pointer
    }
}

impl<const N: usize> From<[Step; N]> for Pointer {
    #[inline]
    fn from(steps: [Step; N]) -> Self {
        steps.into_iter().collect()
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_to(&mut text);
        f.write_str(&text)
    }
}

/// The step of a name. No format has one that must be spelled in another way.
pub(super) fn write_name(name: &str, out: &mut String) {
    debug_assert!(!name.contains(['~', '/']), "{name} would be a key");
    out.push('/');
    out.push_str(name);
}

/// The step of a key.
pub(super) fn write_key(key: &str, out: &mut String) {
    out.push('/');
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

/// The step of a position.
pub(super) fn write_index(index: usize, out: &mut String) {
    out.push('/');
    write_number(index, out);
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

    /// Whatever stands in the pointer itself and whatever in front of it, it is the same pointer.
    #[test]
    fn steps_of_any_number_and_kind_come_back() {
        let mut steps = Vec::new();
        let key = |at: usize| Step::Key(format!("k{at}").into());
        for at in 0..20 {
            steps.push(
                [Step::Name("a"), Step::Index(at), key(at), Step::Index(usize::MAX - at), Step::Name("b")][at % 5]
                    .clone(),
            );
            let pointer: Pointer = steps.iter().cloned().collect();
            let joined = steps.iter().cloned().fold(Pointer::record(), |pointer, step| pointer.join(step));
            let text: String = steps.iter().map(|step| Pointer::from([step.clone()]).to_string()).collect();
            for same in [&pointer, &joined, &pointer.shared()] {
                assert_eq!(same.steps().collect::<Vec<_>>(), steps);
                assert_eq!((same.len(), same.is_empty(), same.to_string()), (steps.len(), false, text.clone()));
                assert_eq!((same, same.hash(7)), (&pointer, pointer.hash(7)));
            }
            assert_ne!(pointer, pointer.join(0));
        }
    }

    #[test]
    fn a_pointer_of_a_form() {
        let form = Form::NONE.name().index().name().name().key();
        for index in [7, usize::MAX] {
            let pointer = Pointer::of(form, ["a", "b", "c"], [index, 0], Some("k".into()));
            let steps = [Step::Name("a"), index.into(), "b".into(), "c".into(), Step::Key("k".into())];
            assert_eq!(pointer, Pointer::from(steps));
        }
        assert_eq!(Pointer::of(Form::NONE, ["", "", ""], [0, 0], None), Pointer::record());
    }

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
