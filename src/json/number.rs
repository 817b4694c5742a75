//! Numbers, byte by byte.

/// How far a number has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl Number {
    pub(super) fn first(byte: u8) -> Option<Self> {
        Some(match byte {
            b'-' => Self::Minus,
            b'0' => Self::Zero,
            b'1'..=b'9' => Self::Whole,
            _ => return None,
        })
    }

    pub(super) fn step(self, byte: u8) -> Option<Self> {
        use Number::*;
        Some(match (self, byte) {
            (Minus, b'0') => Zero,
            (Minus, b'1'..=b'9') | (Whole, b'0'..=b'9') => Whole,
            (Zero | Whole, b'.') => Point,
            (Point | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Whole | Fraction, b'e' | b'E') => E,
            (E, b'+' | b'-') => Sign,
            (E | Sign | Exponent, b'0'..=b'9') => Exponent,
            _ => return None,
        })
    }

    /// Reads on in `text` from `at`: how far it comes, and where the first byte stands that is not of it.
    pub(super) fn run(self, text: &[u8], mut at: usize) -> (Self, usize) {
        let mut number = self;
        while let Some(next) = text.get(at).and_then(|byte| number.step(*byte)) {
            number = next;
            at += 1;
        }
        (number, at)
    }

    pub(super) fn is_complete(self) -> bool {
        matches!(self, Self::Zero | Self::Whole | Self::Fraction | Self::Exponent)
    }
}
