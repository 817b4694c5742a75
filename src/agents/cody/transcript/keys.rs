//! The keys of Cody's state that are read. All others are passed over unseen: one of them, `cody-config`, holds the
//! access token.

/// What is behind a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRole {
    /// Chats.
    History,
    /// A small value that a table reads whole: a preference, a list of endpoints, frequently used items.
    Member,
    /// Nothing that is read.
    Unread,
}

/// Decides by name.
pub fn role(key: &str) -> KeyRole {
    match key {
        "cody-local-chatHistory" | "cody-local-chatHistory-v2" => KeyRole::History,
        "cody-model-preferences"
        | "model-preferences"
        | "model"
        | "editModel"
        | "chat"
        | "autocomplete"
        | "defaultChatModel"
        | "defaultEditModel"
        | "defaultAutocompleteModel"
        | "cody-remembered-chat-model"
        | "SOURCEGRAPH_CODY_ENDPOINT"
        | "SOURCEGRAPH_CODY_ENDPOINT_HISTORY" => KeyRole::Member,
        _ if key.starts_with("cody-frequently-used-items:") => KeyRole::Member,
        _ => KeyRole::Unread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_keys_are_read() {
        for key in ["cody-config", "sourcegraphAnonymousUid", "cody-local-chatHistory-v3", "https://sourcegraph.com/", ""] {
            assert_eq!(role(key), KeyRole::Unread, "{key}");
        }
        assert_eq!(role("cody-local-chatHistory-v2"), KeyRole::History);
        assert_eq!(role("cody-frequently-used-items:https://sourcegraph.com/:ana:__HOME__"), KeyRole::Member);
    }
}
