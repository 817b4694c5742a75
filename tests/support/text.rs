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
    if want == got {
        return None;
    }
    let (want, got): (Vec<&str>, Vec<&str>) = (want.lines().collect(), got.lines().collect());
    let start = want.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let shorter = want.len().min(got.len()) - start;
    let end = want.iter().rev().zip(got.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let mut out = format!("@@ line {} @@\n", start + 1);
    let context = want.get(start.saturating_sub(2)..start).unwrap_or_default();
    let changed = |lines: &[&str]| lines.get(start..lines.len() - end).unwrap_or_default().join("\n");
    for (sign, lines) in [(' ', context.join("\n")), ('-', changed(&want)), ('+', changed(&got))] {
        for line in lines.lines() {
            out.push_str(&format!("{sign} {line}\n"));
        }
    }
    Some(out)
}
