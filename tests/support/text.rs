//! Small pure functions over text: compact JSON, hex, time stamps, a line diff.

use super::Result;
use std::time::{Duration, SystemTime};

/// JSON text without the white space between its tokens; strings and numbers keep their spelling. Not checked: fixtures
/// may hold damaged JSON.
pub fn compact_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        if in_string || !matches!(c, ' ' | '\t' | '\r' | '\n') {
            out.push(c);
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_string,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    out
}

/// The bytes of a hex dump: pairs of digits, `PP*count` repeats one or more bytes, `#` starts a comment.
pub fn parse_hex(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for word in text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace()) {
        let (digits, times) = match word.split_once('*') {
            Some((digits, times)) => (digits, times.parse::<usize>().map_err(|e| format!("{word}: {e}"))?),
            None => (word, 1),
        };
        if digits.len() % 2 != 0 || !digits.is_ascii() {
            return Err(format!("{word}: not pairs of hex digits").into());
        }
        let bytes = (0..digits.len() / 2)
            .map(|i| u8::from_str_radix(digits.get(2 * i..2 * i + 2).unwrap_or_default(), 16))
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|e| format!("{word}: {e}"))?;
        out.extend(bytes.repeat(times));
    }
    Ok(out)
}

/// The moment that an RFC 3339 time stamp names.
pub fn parse_time(stamp: &str) -> Result<SystemTime> {
    let time = chrono::DateTime::parse_from_rfc3339(stamp).map_err(|e| format!("{stamp}: {e}"))?;
    let seconds = u64::try_from(time.timestamp()).map_err(|_| format!("{stamp}: before 1970"))?;
    Ok(SystemTime::UNIX_EPOCH + Duration::new(seconds, time.timestamp_subsec_nanos()))
}

/// The lines in which two texts differ, in the form of a unified diff; `None` when they are the same.
pub fn diff(want: &str, got: &str) -> Option<String> {
    const CONTEXT: usize = 2;
    if want == got {
        return None;
    }
    let lines = edits(&want.lines().collect::<Vec<_>>(), &got.lines().collect::<Vec<_>>());
    let near = |at: usize| {
        let around = lines.get(at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len()));
        around.is_some_and(|around| around.iter().any(|(sign, _)| *sign != ' '))
    };
    let (mut out, mut number, mut was_near) = (String::new(), 0, false);
    for (at, (sign, line)) in lines.iter().enumerate() {
        number += usize::from(*sign != '+');
        let is_near = near(at);
        if is_near && !was_near {
            out.push_str(&format!("@@ line {} @@\n", number.max(1)));
        }
        if is_near {
            out.push_str(&format!("{sign} {line}\n"));
        }
        was_near = is_near;
    }
    Some(out)
}

/// How the first lines become the second: kept (` `), taken away (`-`), put in (`+`), with as many kept as can be.
fn edits<'a>(from: &[&'a str], to: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = to.len() + 1;
    // kept[i * width + j]: how many lines of from[i..] and to[j..] can be kept.
    let mut kept = vec![0_u32; (from.len() + 1) * width];
    let at = |kept: &[u32], i: usize, j: usize| kept.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in from.iter().enumerate().rev() {
        for (j, b) in to.iter().enumerate().rev() {
            let best = if a == b { at(&kept, i + 1, j + 1) + 1 } else { at(&kept, i + 1, j).max(at(&kept, i, j + 1)) };
            if let Some(cell) = kept.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    loop {
        match (from.get(i), to.get(j)) {
            (Some(a), Some(b)) if a == b => {
                out.push((' ', *a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none() || at(&kept, i + 1, j) >= at(&kept, i, j + 1) => {
                out.push(('-', *a));
                i += 1;
            }
            (_, Some(b)) => {
                out.push(('+', *b));
                j += 1;
            }
            _ => return out,
        }
    }
}
