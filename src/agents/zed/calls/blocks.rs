//! SEARCH/REPLACE blocks, in which `edit_files`, an edit tool of March and April 2025, told what it had changed.
//!
//! The file's path stands alone on a line, then a fence with what was found and what took its place.

const SEARCH: &str = "<<<<<<< SEARCH\n";
const DIVIDER: &str = "=======\n";
const REPLACE: &str = ">>>>>>> REPLACE";

/// One replaced part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block<'t> {
    /// The file, its project's name in front.
    pub path: &'t str,
    /// What was replaced; empty where the whole file was written.
    pub old: &'t str,
    /// What stands there now.
    pub new: &'t str,
}

/// The blocks of a result, in order. The tool lists those that were applied, and of the others only what was searched.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut end = 0;
    for (at, _) in text.match_indices(SEARCH) {
        let Some(path) = text.get(end..at).and_then(path_before) else { continue };
        let Some(rest) = text.get(at + SEARCH.len()..) else { break };
        // A block that does not end takes the rest of the text.
        let Some((old, rest)) = part(rest, DIVIDER) else { break };
        let Some((new, rest)) = part(rest, REPLACE) else { break };
        blocks.push(Block { path, old, new });
        end = text.len() - rest.len();
    }
    blocks
}

/// The path above the fence that a block opens with.
fn path_before(text: &str) -> Option<&str> {
    let mut lines = text.strip_suffix('\n')?.rsplit('\n');
    lines.next().filter(|fence| fence.starts_with("```"))?;
    lines.next().map(str::trim).filter(|path| !path.is_empty())
}

/// The lines up to a marker that is a line's beginning, without their last line end, and what follows the marker.
fn part<'t>(text: &'t str, marker: &str) -> Option<(&'t str, &'t str)> {
    match text.strip_prefix(marker) {
        Some(rest) => Some(("", rest)),
        None => text.match_indices('\n').find_map(|(at, _)| Some((text.get(..at)?, text.get(at + 1..)?.strip_prefix(marker)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_where_they_are_whole() {
        let block = |path, old, new| Block { path, old, new };
        let two = "Successfully applied! Here's a list of applied edits:\n\napi/a.rs\n```rust\n<<<<<<< SEARCH\nfn a() {}\n\n=======\n\
                   fn b() {}\n>>>>>>> REPLACE\n```\n\n\napi/new file.rs\n```\n<<<<<<< SEARCH\n=======\nfn c() {}\n>>>>>>> REPLACE\n```";
        assert_eq!(
            blocks(two),
            [block("api/a.rs", "fn a() {}\n", "fn b() {}"), block("api/new file.rs", "", "fn c() {}")]
        );
        let removed = "a\n```\n<<<<<<< SEARCH\nx\n ======= \n=======\n>>>>>>> REPLACE\n```";
        assert_eq!(blocks(removed), [block("a", "x\n ======= ", "")]);
        let failed = "1 errors occurred! No edits were applied.\n\n\n## 1 SEARCH/REPLACE block(s) failed to match:\n\n\
                      ### No exact match in: `api/a.rs`\n```\nfn a() {}\n```\n";
        for text in [
            failed,
            "",
            "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
            "a\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
            "\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
            "a\n```\n<<<<<<< SEARCH\na\n======= \nb\n>>>>>>> REPLACE",
            "a\n```\n<<<<<<< SEARCH\na\n=======\nb\n",
        ] {
            assert_eq!(blocks(text), [], "{text}");
        }
    }
}
