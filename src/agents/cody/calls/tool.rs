//! What the names and arguments of Cody's tools mean.

use super::Arguments;
use crate::text::Text;

/// The terminal tool of the agentic chat.
pub const TERMINAL: &str = "run_terminal_command";
/// The tool that changes files.
pub const EDITOR: &str = "text_editor";
/// The id of the steps of Deep Cody's terminal tool; that of a confirmation goes on with `-` and a UUID.
pub const TERMINAL_STEP: &str = "TOOLCLI";
/// The id of the steps of Deep Cody's file tool.
pub const FILE_STEP: &str = "TOOLFILE";

/// What a call is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subject {
    /// The shell command.
    pub command: Option<Text>,
    /// The file or folder, as given.
    pub path: Option<Text>,
}

impl Subject {
    /// Of a call of the agentic chat.
    pub fn of_call(tool: &str, arguments: &Arguments) -> Self {
        match tool {
            TERMINAL => Self { command: arguments.string("command"), path: None },
            EDITOR => Self { command: None, path: arguments.string("path") },
            // The name `*` asks for the diagnostics of all files.
            "get_file" | "get_diagnostic" => {
                Self { command: None, path: arguments.string("name").filter(|name| *name != "*") }
            }
            "code_search" => Self { command: None, path: arguments.string("dir") },
            _ => Self::default(),
        }
    }

    /// Of a Deep Cody step: its content is what was asked for, several joined by `, `.
    pub fn of_step(id: &str, content: Option<Text>) -> Self {
        match id {
            TERMINAL_STEP => Self { command: content, path: None },
            FILE_STEP => Self { command: None, path: content.filter(|names| !names.to_str().contains(", ")) },
            _ => Self::default(),
        }
    }
}
