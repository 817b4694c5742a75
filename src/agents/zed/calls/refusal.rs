//! Calls that were refused: Zed keeps no decision, only the sentence that the model was told.

use crate::text::Text;

/// Who refused a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The user, when asked.
    Denied,
    /// A rule: a setting, or one that is built in.
    AutoDenied,
    /// The user, by stopping the turn before the call was done.
    Canceled,
}

impl Decision {
    /// The word in the `decision` columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::AutoDenied => "auto_denied",
            Self::Canceled => "canceled",
        }
    }
}

/// A refusal and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Who refused.
    pub decision: Decision,
    /// The sentence that names the rule; `None` where a person refused.
    pub reason: Option<Text>,
}

/// Longer texts are results: the longest sentence with the longest MCP name has less than half of that.
const LONGEST: usize = 1024;

/// Reads the whole text of an error result as a refusal. A text that only speaks of one is none.
pub fn refusal(text: &Text) -> Option<Refusal> {
    let words = text.to_str();
    let decision = if words.len() > LONGEST { None } else { decision(&words) }?;
    let reason = (decision == Decision::AutoDenied).then(|| text.clone());
    Some(Refusal { decision, reason })
}

fn decision(text: &str) -> Option<Decision> {
    match text {
        // The second until the first agent went, in autumn 2025.
        "Permission to run tool denied by user" | "Permission to run tool action denied by user" => {
            return Some(Decision::Denied);
        }
        "Tool canceled by user" => return Some(Decision::Canceled),
        _ if is_stopped(text) => return Some(Decision::Canceled),
        _ => {}
    }
    let is_rule = text == "Blocked by global default: deny"
        || text.starts_with("Blocked by built-in security rule")
        || text.starts_with("The terminal command could not be approved because ")
        || is_named(text, "Command blocked by security rule for ", " tool")
        || is_named(text, "", " tool is disabled")
        || is_bad_pattern(text)
        || is_bad_shell(text);
    is_rule.then_some(Decision::AutoDenied)
}

/// `Create directory cancelled by user`, `MCP tool cancelled by user`: what the tools say themselves since 2026.
fn is_stopped(text: &str) -> bool {
    let what = text.strip_suffix(" cancelled by user").unwrap_or_default();
    what.starts_with(|c: char| c.is_ascii_uppercase())
        && what.split(' ').count() <= 4
        && what.chars().all(|c| c.is_ascii_alphabetic() || c == ' ')
}

/// A sentence around a tool's name, which is one word.
fn is_named(text: &str, start: &str, end: &str) -> bool {
    let name = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    name.is_some_and(|name| !name.is_empty() && !name.contains(char::is_whitespace))
}

/// `The terminal tool cannot run because 2 regex patterns failed to compile. …`
fn is_bad_pattern(text: &str) -> bool {
    let rest = text.strip_prefix("The ").and_then(|rest| rest.split_once(" tool cannot run because "));
    let Some((_, rest)) = rest else { return false };
    let words = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    ["pattern", "patterns", "pattern(s)"].iter().any(|word| words.starts_with(&format!(" regex {word} failed to compile")))
}

/// `The nu shell does not support "always allow" patterns …`
fn is_bad_shell(text: &str) -> bool {
    let rest = text.strip_prefix("The ").and_then(|rest| rest.split_once(" shell does not support \"always allow\" "));
    rest.is_some_and(|(shell, rest)| !shell.contains('\n') && rest.starts_with("patterns"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_are_refusals() {
        use Decision::{AutoDenied, Canceled, Denied};
        for (text, expected) in [
            ("Permission to run tool denied by user", Some(Denied)),
            ("Permission to run tool action denied by user", Some(Denied)),
            ("Tool canceled by user", Some(Canceled)),
            ("Create directory cancelled by user", Some(Canceled)),
            ("MCP tool cancelled by user", Some(Canceled)),
            ("Blocked by global default: deny", Some(AutoDenied)),
            ("Command blocked by security rule for terminal tool", Some(AutoDenied)),
            ("Command blocked by security rule for mcp:github:create_issue tool", Some(AutoDenied)),
            ("terminal tool is disabled", Some(AutoDenied)),
            ("mcp:github:create_issue tool is disabled", Some(AutoDenied)),
            ("Blocked by built-in security rule", Some(AutoDenied)),
            (
                "Blocked by built-in security rule. This operation is considered too harmful to be allowed, and cannot be overridden by settings.",
                Some(AutoDenied),
            ),
            (
                "The terminal command could not be approved because terminal does not allow shell substitutions or interpolations in permission-protected commands.",
                Some(AutoDenied),
            ),
            (
                "The terminal tool cannot run because 1 regex pattern failed to compile. Please fix the invalid patterns in your tool_permissions settings.",
                Some(AutoDenied),
            ),
            ("The fetch tool cannot run because 2 regex patterns failed to compile. Please fix …", Some(AutoDenied)),
            ("The fetch tool cannot run because 2 regex pattern(s) failed to compile.", Some(AutoDenied)),
            (
                "The nu shell does not support \"always allow\" patterns for the terminal tool because Zed cannot parse its command chaining syntax.",
                Some(AutoDenied),
            ),
            ("grep: Permission to run tool denied by user was not found", None),
            ("Permission to run tool denied by user\n", None),
            ("Error: the terminal tool is disabled", None),
            ("log:\nterminal tool is disabled", None),
            (" tool is disabled", None),
            (" cancelled by user", None),
            ("log:\nFetch cancelled by user", None),
            ("In the end it was all cancelled by user", None),
            ("fetch cancelled by user", None),
            ("The tool cannot run because it is missing", None),
            ("The terminal tool cannot run because 2 regex patterns are old", None),
            ("workspace has become restricted", None),
            ("No tool named x exists", None),
            ("", None),
        ] {
            assert_eq!(refusal(&text.into()).map(|refusal| refusal.decision), expected, "{text}");
        }
    }

    #[test]
    fn a_rule_is_the_reason() {
        let refused = |text: &str| refusal(&text.into()).unwrap().reason.map(|reason| reason.to_string());
        assert_eq!(refused("Blocked by global default: deny").as_deref(), Some("Blocked by global default: deny"));
        assert_eq!(refused("Permission to run tool denied by user"), None);
        assert_eq!(refused("Tool canceled by user"), None);
    }
}
