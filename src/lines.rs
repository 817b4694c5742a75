//! Lines added and removed: counted in a recorded diff, or between two texts.

use imara_diff::{Algorithm, Diff, InternedInput};

/// Lines added and lines removed.
pub type Counts = (i64, i64);

/// Texts of more bytes, both together, are not compared: it would take seconds.
const MOST_BYTES: usize = 32 << 20;

/// Counts the lines of a diff's hunks. What stands in front of the first hunk, file headers and prose, is none.
pub fn in_diff(diff: &str) -> Counts {
    let mut counts = (0, 0);
    for line in diff.lines().skip_while(|line| !line.starts_with("@@")) {
        match line.as_bytes().first() {
            Some(b'+') => counts.0 += 1,
            Some(b'-') => counts.1 += 1,
            _ => {}
        }
    }
    counts
}

/// Counts the lines that differ, as `git diff --numstat` does: a last line without its newline is another line.
/// `None` for texts that are too large to compare.
pub fn between(old: &str, new: &str) -> Option<Counts> {
    if old == new {
        return Some((0, 0));
    }
    if old.len() + new.len() > MOST_BYTES {
        return None;
    }
    let diff = Diff::compute(Algorithm::Myers, &InternedInput::new(old, new));
    Some((diff.count_additions().into(), diff.count_removals().into()))
}

/// The hunks in a fenced block of language `diff`; the prose around it is not part of it. `None` where there is none.
pub fn fenced_diff(text: &str) -> Option<&str> {
    const OPENING: &str = "```diff\n";
    let start = text.match_indices(OPENING).map(|(at, _)| at).find(|at| is_line_start(text, *at))?;
    let body = text.get(start + OPENING.len()..)?;
    // A line of a hunk begins with its sign, so that a fence in the file's own text does not close this one.
    let end = match body.starts_with("```") {
        true => 0,
        false => body.find("\n```")?,
    };
    body.get(..end)
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_diff() {
        for (diff, expected) in [
            ("@@ -1,1 +1,1 @@\n-1\n+2\n", (1, 1)),
            ("@@ -1,2 +1,3 @@\n a\n+++ b\n+\n--- c\n@@ -9 +9 @@\n-x", (2, 2)),
            ("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file", (1, 0)),
            ("", (0, 0)),
            ("+no hunk", (0, 0)),
        ] {
            assert_eq!(in_diff(diff), expected, "{diff}");
        }
    }

    #[test]
    fn lines_that_differ() {
        for (old, new, expected) in [
            ("", "", (0, 0)),
            ("a\nb\n", "a\nb\n", (0, 0)),
            ("", "a\nb\n", (2, 0)),
            ("a\nb\n", "", (0, 2)),
            ("a\nb\nc\n", "a\nB\nc\nd\n", (2, 1)),
            ("1", "1\n", (1, 1)),
            ("x\na\n", "a\nx\n", (1, 1)),
            ("a\r\n", "a\n", (1, 1)),
        ] {
            assert_eq!(between(old, new), Some(expected), "{old:?} {new:?}");
        }
        assert_eq!(between(&"a".repeat(MOST_BYTES), "b"), None);
    }

    #[test]
    fn a_diff_stands_in_a_fence() {
        for (text, expected) in [
            ("Edited api/a.rs:\n\n```diff\n@@ -1 +1 @@\n-a\n+b\n```", Some("@@ -1 +1 @@\n-a\n+b")),
            ("```diff\n@@ -1 +1 @@\n ```\n+b\n\n```\n\nMore.", Some("@@ -1 +1 @@\n ```\n+b\n")),
            ("Edited a:\n\n```diff\n```", Some("")),
            ("Edited a:\n\n```diff\n@@ cut", None),
            ("Edited a successfully", None),
            ("see ```diff\nx\n```", None),
        ] {
            assert_eq!(fenced_diff(text), expected, "{text}");
        }
    }

    /// Bounded time for texts without a line in common, and for texts of one repeated line.
    #[test]
    fn large_texts_are_compared_at_once() {
        let numbered = |from: u32| (from..from + 100_000).map(|n| format!("{n}\n")).collect::<String>();
        assert_eq!(between(&numbered(0), &numbered(500_000)), Some((100_000, 100_000)));
        assert_eq!(between(&"x\n".repeat(100_000), &"x\n".repeat(150_000)), Some((50_000, 0)));
    }
}
