//! How a command ended, from the English text that is all that Zed keeps of it.

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this exit code.
    Exited(i64),
    /// Without one: timed out, or killed.
    Died,
    /// The user stopped it.
    Stopped,
}

/// Reads the text that a terminal tool returned. Its sentence counts only as the text's beginning and about this
/// very `command`, since the output behind it, and any other text, may say anything. `None` where no form fits.
pub fn ended(text: &str, command: Option<&str>) -> Option<Ended> {
    // The first agent cut results at a length of its own.
    let text = without_notice(text, "Tool result too long. The first ");
    if text == "Command executed successfully." {
        return Some(Ended::Exited(0));
    }
    if text.starts_with("The user stopped this command.") {
        return Some(Ended::Stopped);
    }
    if text.starts_with("Command terminated unexpectedly.") || text.starts_with("Command failed or was interrupted.") {
        return Some(Ended::Died);
    }
    // Until May 2025 the sentence did not name the command; the later of them named the shell.
    if let Some(rest) = text.strip_prefix("Command failed with exit code ") {
        let line = rest.lines().next()?;
        return line.split_once(" (shell: ").map_or(line, |(code, _)| code).parse().ok().map(Ended::Exited);
    }
    if let Some(rest) = text.strip_prefix("Command \"") {
        return command_ended(rest, command);
    }
    // Zed fences the output of a command that ended well, and of no other, from the first byte.
    is_fenced(without_notice(text, "Command output too long. The first ")).then_some(Ended::Exited(0))
}

/// `cargo test" failed with exit code 101.` or `cargo test" timed out.`
fn command_ended(text: &str, command: Option<&str>) -> Option<Ended> {
    const FAILED: &str = "\" failed with exit code ";
    const TIMED_OUT: &str = "\" timed out.";
    let sentence = match command {
        Some(command) => text.strip_prefix(command)?,
        // A result without its call: the first sentence that the text can be.
        None => {
            let ends = [FAILED, TIMED_OUT].iter().filter_map(|end| text.find(end));
            text.get(ends.min()?..)?
        }
    };
    if sentence.starts_with(TIMED_OUT) {
        return Some(Ended::Died);
    }
    let line = sentence.strip_prefix(FAILED)?.lines().next()?;
    // In WSL's sandbox a note may follow on the same line.
    let (code, _) = line.split_once('.').filter(|(_, note)| note.is_empty() || note.starts_with(' '))?;
    code.parse().ok().map(Ended::Exited)
}

/// What follows `notice`, a number of bytes and an empty line.
fn without_notice<'t>(text: &'t str, notice: &str) -> &'t str {
    let Some(rest) = text.strip_prefix(notice) else { return text };
    match rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(" bytes:\n\n") {
        Some(output) => output,
        None => text,
    }
}

fn is_fenced(text: &str) -> bool {
    text.strip_prefix("```").is_some_and(|rest| rest.starts_with('\n') && rest.contains("\n```"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_tells_how_the_command_ended() {
        use Ended::{Died, Exited, Stopped};
        for (command, text, expected) in [
            ("cargo test", "Command \"cargo test\" failed with exit code 101.\n\n```\nerror\n```", Some(Exited(101))),
            ("cargo test", "Command \"cargo test\" failed with exit code 101.", Some(Exited(101))),
            ("x", "Command \"x\" failed with exit code -1073741510.", Some(Exited(-1_073_741_510))),
            ("x", "Command \"x\" failed with exit code 126. The sandbox blocks Windows programs.\n\n```\nx\n```", Some(Exited(126))),
            (
                "echo \"a\" failed with exit code 7.\n",
                "Command \"echo \"a\" failed with exit code 7.\n\" failed with exit code 3.\n\n```\na\n```",
                Some(Exited(3)),
            ),
            ("true", "Command executed successfully.", Some(Exited(0))),
            ("a", "```\nCommand \"x\" failed with exit code 9.\n```", Some(Exited(0))),
            ("a", "```\n\n```", Some(Exited(0))),
            ("a", "Command output too long. The first 16334 bytes:\n\n```\nx\n```", Some(Exited(0))),
            (
                "a",
                "Command \"a\" failed with exit code 2.\n\nCommand output too long. The first 9 bytes:\n\n```\nx\n```",
                Some(Exited(2)),
            ),
            ("a", "Tool result too long. The first 99 bytes:\n\nCommand \"a\" failed with exit code 2.\n\n```\nx", Some(Exited(2))),
            ("sleep 9", "Command \"sleep 9\" timed out. No output was captured.", Some(Died)),
            ("sleep 9", "Command \"sleep 9\" timed out. Output captured before timeout:\n\n```\nx\n```", Some(Died)),
            ("a", "Command terminated unexpectedly. No output was captured.", Some(Died)),
            ("a", "Command failed or was interrupted.\nPartial output captured:\n\n```\nx\n```", Some(Died)),
            ("a", "The user stopped this command. No output was captured before stopping.\n\nSince …", Some(Stopped)),
            ("a", "Command failed with exit code 2\n\n```\nx\n```", Some(Exited(2))),
            ("a", "Command failed with exit code -1\nx", Some(Exited(-1))),
            ("a", "Command failed with exit code 42 (shell: /bin/zsh).\n\n```\nx\n```", Some(Exited(42))),
            ("a", "Command failed with exit code 4 2 (shell: /bin/zsh).", None),
            ("a", "Command \"x\" failed with exit code 9.", None),
            ("a", "Command \"a\" failed with exit code 9", None),
            ("a", "Command \"a\" failed with exit code 9.5.", None),
            ("a", "Command \"a\" failed with exit code .", None),
            ("a", "Command executed successfully. Or was it", None),
            ("a", "3 passed", None),
            ("a", "```", None),
            ("a", "```rust\nfn a() {}\n```", None),
            ("a", "", None),
        ] {
            assert_eq!(ended(text, Some(command)), expected, "{text}");
        }
    }

    #[test]
    fn without_its_call_the_first_sentence_counts() {
        for (text, expected) in [
            ("Command \"a b\" failed with exit code 4.\n\n```\nx\n```", Some(Ended::Exited(4))),
            ("Command \"a\" timed out. Output:\n\" failed with exit code 4.", Some(Ended::Died)),
            ("Command \"a\" went on", None),
        ] {
            assert_eq!(ended(text, None), expected, "{text}");
        }
    }
}
