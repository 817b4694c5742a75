//! Account keys: endpoint and user name in one text, joined by a hyphen that may stand in both.

use std::sync::Arc;

/// An account key and what it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// As stored. NULL for chats of the time before accounts, and in exports.
    pub key: Option<Arc<str>>,
    /// The Sourcegraph instance, spelled as in the key.
    pub endpoint: Option<Arc<str>>,
    /// The user's name there; an e-mail address in a few builds of 2023.
    pub username: Option<Arc<str>>,
    /// How the key was split: `separator`, `known_endpoint` or `guessed`; `None` when it was not.
    pub basis: Option<&'static str>,
}

impl Account {
    /// Splits `key`. `endpoints` gives the endpoints that the same store names elsewhere, and is only asked for keys
    /// that do not tell on their own.
    ///
    /// Since v1.36 an endpoint ends in a slash and a user name never holds one, so the last `/-` parts them for sure.
    /// Older keys may lack the slash: then a known endpoint decides, else the first hyphen behind the host's last dot.
    pub fn split(key: Arc<str>, endpoints: impl FnOnce() -> Vec<String>) -> Self {
        let parts = match key.rfind("/-") {
            Some(at) => Some((at + 1, "separator")),
            None if key.contains("://") => {
                let known = behind_known(&key, &endpoints()).map(|at| (at, "known_endpoint"));
                known.or_else(|| guess(&key).map(|at| (at, "guessed")))
            }
            None => None,
        };
        let split = |(at, basis): (usize, &'static str)| {
            let (endpoint, rest) = key.split_at_checked(at)?;
            let username = rest.strip_prefix('-').filter(|username| !username.is_empty())?;
            Some(Self {
                key: Some(Arc::clone(&key)),
                endpoint: Some(endpoint.into()),
                username: Some(username.into()),
                basis: Some(basis),
            })
        };
        parts.and_then(split).unwrap_or_else(|| Self { key: Some(Arc::clone(&key)), ..Self::default() })
    }
}

/// The end of the longest known endpoint, with or without its slash, that a hyphen follows.
fn behind_known(key: &str, endpoints: &[String]) -> Option<usize> {
    let spellings = endpoints.iter().flat_map(|endpoint| [endpoint.as_str(), endpoint.trim_end_matches('/')]);
    let ends = spellings.filter(|endpoint| {
        !endpoint.is_empty() && key.strip_prefix(*endpoint).is_some_and(|rest| rest.starts_with('-'))
    });
    ends.map(str::len).max()
}

/// Hosts may hold hyphens, but the last label of one that holds a dot hardly does.
fn guess(key: &str) -> Option<usize> {
    let host = key.find("://")? + 3;
    let last_piece = key.rfind('/').map_or(host, |at| (at + 1).max(host));
    let piece = key.get(last_piece..)?;
    let mut label = piece.match_indices('.').map(|(at, _)| at + 1).filter(|at| {
        let label = piece.get(*at..).unwrap_or_default();
        label.split('.').next().is_some_and(|label| label.contains('-'))
    });
    let label = label.next_back().unwrap_or(0);
    Some(last_piece + label + piece.get(label..)?.find('-')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K20 and the forms of formats: normal, hyphens everywhere, no slash, not a URL.
    #[test]
    fn keys_are_split_where_they_tell() {
        let known = || vec!["https://cody.example-corp.com/".to_owned(), "https://sg.example/sub".to_owned()];
        for (key, endpoint, username, basis) in [
            ("https://sourcegraph.com/-alice", "https://sourcegraph.com/", "alice", "separator"),
            ("https://sourcegraph.com/-mary-jane-", "https://sourcegraph.com/", "mary-jane-", "separator"),
            ("https://sourcegraph.com/-a@b.example", "https://sourcegraph.com/", "a@b.example", "separator"),
            ("https://my-host.example/sub/-bo-b", "https://my-host.example/sub/", "bo-b", "separator"),
            ("https://cody.example-corp.com-ana", "https://cody.example-corp.com", "ana", "known_endpoint"),
            ("https://sg.example/sub-ana-b", "https://sg.example/sub", "ana-b", "known_endpoint"),
            ("https://sourcegraph.com-account1", "https://sourcegraph.com", "account1", "guessed"),
            ("https://my-host.example.com-a-b", "https://my-host.example.com", "a-b", "guessed"),
            ("http://localhost:3080-ana", "http://localhost:3080", "ana", "guessed"),
            ("https://other.example/sub-ana", "https://other.example/sub", "ana", "guessed"),
        ] {
            let account = Account::split(key.into(), known);
            assert_eq!(account.key.as_deref(), Some(key));
            assert_eq!(
                (account.endpoint.as_deref(), account.username.as_deref(), account.basis),
                (Some(endpoint), Some(username), Some(basis)),
                "{key}"
            );
        }
    }

    #[test]
    fn a_key_that_does_not_tell_is_kept() {
        for key in ["someOtherUser", "a-b", "https://sourcegraph.com/-", "https://sourcegraph.com/", "", "-x"] {
            let account = Account::split(key.into(), Vec::new);
            assert_eq!(account, Account { key: Some(key.into()), ..Account::default() }, "{key}");
        }
    }
}
