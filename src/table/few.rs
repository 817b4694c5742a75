//! The few steps that a [`Pointer`](super::Pointer) holds itself.

use super::pointer::{Step, write_index, write_key, write_name};
use std::sync::Arc;

/// Up to three names, two positions and one key of the document, in any order.
#[derive(Debug, Clone, Default)]
pub struct Few {
    /// Which steps, and in which order.
    pub form: Form,
    /// The names; behind the last empty ones.
    pub names: [&'static str; 3],
    /// The positions; behind the last zeros.
    pub numbers: [u32; 2],
    /// The key.
    pub key: Option<Arc<str>>,
}

/// The kinds of steps, two bits each, those of the first step lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Form(u16);

const NAME: u16 = 1;
const INDEX: u16 = 2;
const KEY: u16 = 3;

impl Form {
    /// No step.
    pub const NONE: Self = Self(0);

    /// And a name.
    #[must_use]
    pub const fn name(self) -> Self {
        self.with(NAME)
    }

    /// And a position.
    #[must_use]
    pub const fn index(self) -> Self {
        self.with(INDEX)
    }

    /// And a key.
    #[must_use]
    pub const fn key(self) -> Self {
        self.with(KEY)
    }

    /// How many steps.
    #[inline]
    pub(super) const fn len(self) -> usize {
        (u16::BITS - self.0.leading_zeros()).div_ceil(2) as usize
    }

    /// How many positions are among them.
    pub fn numbers(self) -> usize {
        self.count(INDEX)
    }

    /// Whether a key is.
    pub fn has_key(self) -> bool {
        self.count(KEY) > 0
    }

    #[inline]
    fn count(self, kind: u16) -> usize {
        const LOW: u16 = 0x5555;
        let (low, high) = (self.0 & LOW, (self.0 >> 1) & LOW);
        let of_kind = match kind {
            NAME => low & !high,
            INDEX => high & !low,
            _ => low & high,
        };
        of_kind.count_ones() as usize
    }

    fn kinds(self) -> impl Iterator<Item = u16> {
        (0..self.len()).map(move |at| (self.0 >> (2 * at)) & 3)
    }

    /// The steps of these names, positions and key.
    pub fn steps(
        self,
        names: [&'static str; 3],
        numbers: [usize; 2],
        key: Option<Arc<str>>,
    ) -> impl Iterator<Item = Step> {
        let (mut names, mut numbers, mut key) = (names.into_iter(), numbers.into_iter(), key.into_iter());
        self.kinds().filter_map(move |kind| match kind {
            NAME => names.next().map(Step::Name),
            INDEX => numbers.next().map(Step::Index),
            _ => key.next().map(Step::Key),
        })
    }

    const fn with(self, kind: u16) -> Self {
        Self(self.0 | (kind << (2 * self.len())))
    }
}

impl Few {
    /// No step.
    pub const NONE: Self = Self { form: Form::NONE, names: [""; 3], numbers: [0; 2], key: None };

    /// Adds a step, or gives it back where there is no room for it.
    #[inline]
    pub fn push(&mut self, step: Step) -> Result<(), Step> {
        let kind = match step {
            Step::Name(name) => {
                let Some(slot) = self.names.get_mut(self.form.count(NAME)) else { return Err(step) };
                *slot = name;
                NAME
            }
            Step::Index(index) => {
                let slot = self.numbers.get_mut(self.form.count(INDEX));
                let (Some(slot), Ok(index)) = (slot, u32::try_from(index)) else { return Err(step) };
                *slot = index;
                INDEX
            }
            Step::Key(key) if self.key.is_none() => {
                self.key = Some(key);
                KEY
            }
            Step::Key(_) => return Err(step),
        };
        self.form = self.form.with(kind);
        Ok(())
    }

    /// Appends the steps' text.
    pub fn write_to(&self, out: &mut String) {
        let (mut names, mut numbers) = (self.names.iter(), self.numbers.iter());
        for kind in self.form.kinds() {
            match kind {
                NAME => write_name(names.next().copied().unwrap_or_default(), out),
                INDEX => write_index(numbers.next().copied().unwrap_or_default() as usize, out),
                _ => write_key(self.key.as_deref().unwrap_or_default(), out),
            }
        }
    }

    /// The steps.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        self.form.steps(self.names, self.numbers.map(|number| number as usize), self.key.clone())
    }
}
