//! Finding the end of a damaged element.

/// Follows brackets and strings from the place of the damage.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    depth: u64,
    in_string: bool,
    after_backslash: bool,
}

impl Lane {
    pub(super) fn new(depth: usize, in_string: bool) -> Self {
        Self { depth: depth as u64, in_string, after_backslash: false }
    }

    /// Reads on; gives the offset of the comma or closing bracket that ends the element.
    pub(super) fn run(&mut self, text: &[u8]) -> Option<usize> {
        for (at, byte) in text.iter().enumerate() {
            if self.in_string {
                self.inside(*byte);
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' if self.depth == 0 => return Some(at),
                b']' | b'}' => self.depth -= 1,
                b',' if self.depth == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }

    fn inside(&mut self, byte: u8) {
        match byte {
            _ if self.after_backslash => self.after_backslash = false,
            b'\\' => self.after_backslash = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }
}
