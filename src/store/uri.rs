//! URIs of files, as editors write them and as we write them.
//!
//! A store may come from another machine: whether a path is a Windows path is told by its drive letter or its
//! backslashes, never by the system we run on.

use std::fmt::Write as _;

use super::paths::{drive_length, is_windows};

/// The path that a `file:` URI names: `file:///c%3A/Users/x` is `c:\Users\x`, `file://server/share/x` is
/// `\\server\share\x`. Query and fragment do not count. `None` for every other scheme.
pub fn path_of_file_uri(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    native(&percent_decode(authority), &percent_decode(path))
}

/// A URI in the parts in which VS Code stores it. What is not stored is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UriParts<'a> {
    /// `file`, `vscode-remote`, `https`, …
    pub scheme: &'a str,
    /// A host, or what stands for one.
    pub authority: &'a str,
    /// Always with slashes: `/c:/Users/x/a.ts`.
    pub path: &'a str,
    /// Without the `?`.
    pub query: &'a str,
    /// Without the `#`.
    pub fragment: &'a str,
}

impl UriParts<'_> {
    /// The path on the machine that holds the file: of scheme `file`, and of `vscode-remote`, whose authority names
    /// that machine. `None` for every other scheme, which names no file.
    ///
    /// The cached `fsPath` beside the parts is not needed, and is often missing.
    pub fn file_path(&self) -> Option<String> {
        match self.scheme {
            "file" => native(self.authority, self.path),
            "vscode-remote" => native("", self.path),
            _ => None,
        }
    }

    /// The URI in one string, encoded as VS Code encodes it: `file:///c%3A/Users/x/a.ts`.
    pub fn to_uri(&self) -> String {
        let mut uri = format!("{}:", self.scheme);
        if !self.authority.is_empty() || self.scheme == "file" {
            uri.push_str("//");
            encode(&mut uri, &self.authority.to_lowercase(), |byte| is_unreserved(byte) || b"[]:@".contains(&byte));
        }
        let path = match drive_length(self.path.strip_prefix('/').unwrap_or_default()) {
            0 => self.path.to_owned(),
            _ => self.path.chars().enumerate().map(|(i, c)| if i == 1 { c.to_ascii_lowercase() } else { c }).collect(),
        };
        encode(&mut uri, &path, |byte| is_unreserved(byte) || byte == b'/');
        for (mark, part) in [('?', self.query), ('#', self.fragment)] {
            if !part.is_empty() {
                uri.push(mark);
                encode(&mut uri, part, is_unreserved);
            }
        }
        uri
    }
}

/// A `file:` URI of an absolute path: `C:\a b` is `file:///C:/a%20b`. That of a folder ends in a slash.
///
/// Encoded as the `url` crate encodes paths, since editors write theirs with it: a `%` stays as it is.
pub fn file_uri(path: &str, is_folder: bool) -> String {
    let path = if is_windows(path) { path.replace('\\', "/") } else { path.to_owned() };
    let mut uri = String::from("file:///");
    encode(&mut uri, path.trim_start_matches('/'), is_path_byte);
    if is_folder && !uri.ends_with('/') {
        uri.push('/');
    }
    uri
}

/// A text as a piece of a URI's path: what [`file_uri`] does to the pieces of a path.
pub fn path_segment(text: &str) -> String {
    let mut encoded = String::new();
    encode(&mut encoded, text, is_path_byte);
    encoded
}

/// A text as a name or value in a URI's query, form-encoded: a space is `+`. A slash stays, so that paths can be read.
pub fn query_value(text: &str) -> String {
    let mut encoded = String::new();
    encode(&mut encoded, text, |byte| byte.is_ascii_alphanumeric() || b"*-._/ ".contains(&byte));
    encoded.replace(' ', "+")
}

/// Undoes percent-encoding. What is no escape stays; bytes that are not UTF-8 become U+FFFD.
pub fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let escaped = match after {
            [high, low, ..] if first == b'%' => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        if escaped.is_some() {
            rest = after.get(2..).unwrap_or_default();
        }
        bytes.push(escaped.unwrap_or(first));
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// From a URI's decoded path, with slashes, to the path as its system spells it.
fn native(authority: &str, path: &str) -> Option<String> {
    if !path.starts_with('/') {
        return None;
    }
    if !authority.is_empty() && !authority.eq_ignore_ascii_case("localhost") {
        return Some(format!("\\\\{authority}{}", path.replace('/', "\\")));
    }
    match path.strip_prefix('/') {
        Some(drive) if drive_length(drive) > 0 => Some(drive.replace('/', "\\")),
        _ => Some(path.to_owned()),
    }
}

/// Appends `text`, its bytes escaped except the allowed ones.
fn encode(uri: &mut String, text: &str, is_allowed: fn(u8) -> bool) {
    for byte in text.bytes() {
        if is_allowed(byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#<>?`{}".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_uri_names_a_path() {
        for (uri, expected) in [
            ("file:///p/a.rs", Some("/p/a.rs")),
            ("file:///c%3A/Users/Ana/app/lib/b.ts", Some("c:\\Users\\Ana\\app\\lib\\b.ts")),
            ("file:///C:/a%20b/", Some("C:\\a b\\")),
            ("file:///c:", Some("c:")),
            ("file://localhost/p", Some("/p")),
            ("FILE:/p", Some("/p")),
            ("file://server/share/a%20b", Some("\\\\server\\share\\a b")),
            ("file:///p/a.rs?symbol=foo#L10:20", Some("/p/a.rs")),
            ("file:///p/%E2%82%AC%20%23%3F%25.rs", Some("/p/€ #?%.rs")),
            ("file:///p/100%/%zz/%4", Some("/p/100%/%zz/%4")),
            ("file:///p/%FF", Some("/p/\u{FFFD}")),
            ("file:///", Some("/")),
            ("file:///cc:/x", Some("/cc:/x")),
            ("file:///home/c:/x", Some("/home/c:/x")),
            ("file://", None),
            ("file:", None),
            ("file:relative", None),
            ("https://example.com/p", None),
            ("untitled:Untitled-1", None),
            ("/p/a.rs", None),
            ("c:\\x", None),
            ("", None),
        ] {
            assert_eq!(path_of_file_uri(uri).as_deref(), expected, "{uri}");
        }
    }

    #[test]
    fn parts_name_a_path_and_a_uri() {
        for (scheme, authority, path, expected, uri) in [
            (
                "file",
                "",
                "/c:/Users/Ana/app/a.ts",
                Some("c:\\Users\\Ana\\app\\a.ts"),
                "file:///c%3A/Users/Ana/app/a.ts",
            ),
            ("file", "", "/C:/x", Some("C:\\x"), "file:///c%3A/x"),
            ("file", "", "/home/ana/a b.ts", Some("/home/ana/a b.ts"), "file:///home/ana/a%20b.ts"),
            ("file", "server", "/share/x", Some("\\\\server\\share\\x"), "file://server/share/x"),
            ("file", "", "/", Some("/"), "file:///"),
            ("file", "", "", None, "file://"),
            ("vscode-remote", "wsl+Ubuntu", "/home/a", Some("/home/a"), "vscode-remote://wsl%2Bubuntu/home/a"),
            ("untitled", "", "Untitled-1", None, "untitled:Untitled-1"),
            (
                "https",
                "sourcegraph.com",
                "/github.com/o/r@abc/-/blob/a.go",
                None,
                "https://sourcegraph.com/github.com/o/r%40abc/-/blob/a.go",
            ),
        ] {
            let parts = UriParts { scheme, authority, path, ..UriParts::default() };
            assert_eq!(parts.file_path().as_deref(), expected, "{parts:?}");
            assert_eq!(parts.to_uri(), uri);
        }
        let parts = UriParts { scheme: "mcp", path: "/a", query: "x=1 2", fragment: "L1", ..UriParts::default() };
        assert_eq!(parts.to_uri(), "mcp:/a?x%3D1%202#L1");
    }

    #[test]
    fn a_path_becomes_a_uri() {
        for (path, is_folder, expected) in [
            ("/p/a.rs", false, "file:///p/a.rs"),
            ("/home/ana/api/src", true, "file:///home/ana/api/src/"),
            ("/home/ana/api/src/", true, "file:///home/ana/api/src/"),
            ("C:\\a", false, "file:///C:/a"),
            ("C:\\Users\\Ana\\a b", true, "file:///C:/Users/Ana/a%20b/"),
            ("C:\\src\\", true, "file:///C:/src/"),
            ("\\\\server\\share\\a.rs", false, "file:///server/share/a.rs"),
            ("/p/a b#c?d%e.rs", false, "file:///p/a%20b%23c%3Fd%e.rs"),
            ("/é/[1]{2}|^`\"<>", false, "file:///%C3%A9/[1]%7B2%7D|^%60%22%3C%3E"),
            ("/a;b=c&d,e:f@g!$'()*+~", false, "file:///a;b=c&d,e:f@g!$'()*+~"),
            ("/", true, "file:///"),
        ] {
            assert_eq!(file_uri(path, is_folder), expected, "{path}");
        }
    }

    #[test]
    fn queries_are_form_encoded() {
        for (text, expected) in [
            ("House", "House"),
            ("Fix the flaky test", "Fix+the+flaky+test"),
            ("src/a.rs", "src/a.rs"),
            ("a&b=c+d%e#f", "a%26b%3Dc%2Bd%25e%23f"),
            ("é~*-._\"'", "%C3%A9%7E*-._%22%27"),
            ("", ""),
        ] {
            assert_eq!(query_value(text), expected);
        }
        assert_eq!(path_segment("my id#1"), "my%20id%231");
    }
}
