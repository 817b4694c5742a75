//! The URI of a context item, in the forms in which VS Code stored it.

use crate::json::{Kind, Value};
use crate::store::{paths, uri};
use std::borrow::Cow;

/// A URI as stored: an object of its parts, or one string.
#[derive(Debug, Clone, Copy)]
pub struct Uri<'t>(Value<'t>);

impl<'t> Uri<'t> {
    /// The URI in `value`; `None` where it is neither an object nor a string.
    pub fn of(value: Value<'t>) -> Option<Self> {
        matches!(value.kind(), Kind::Object | Kind::String).then_some(Self(value))
    }

    fn part(&self, name: &str) -> Cow<'t, str> {
        self.0.get(name).and_then(|part| part.as_str()).unwrap_or_default()
    }

    /// `file`, `https`, `cody`, …; empty for a text that is no URI.
    pub fn scheme(&self) -> Cow<'t, str> {
        match self.0.as_str() {
            None => self.part("scheme"),
            // A letter in front of the colon is a drive.
            Some(text) => match text.split_once(':') {
                Some((scheme, _)) if scheme.len() > 1 => scheme.to_owned().into(),
                _ => Cow::Borrowed(""),
            },
        }
    }

    /// The path of a file, as the machine that holds it spells it; `None` for what names no file.
    pub fn path(&self) -> Option<String> {
        match self.0.as_str() {
            // The cached path stands alone where somebody else than VS Code wrote the object.
            None if self.0.get("path").is_none() => self.0.get("fsPath")?.as_str().map(Cow::into_owned),
            None => self.parts(|parts| parts.file_path()),
            Some(text) if self.scheme().is_empty() => Some(text.into_owned()),
            Some(text) => uri::path_of_file_uri(&text),
        }
    }

    /// The URI in one string; a string is kept as it is, and a text that is no URI is none.
    pub fn text(&self) -> Option<String> {
        match self.0.as_str() {
            None if self.0.get("path").is_none() => None,
            None => self.parts(|parts| Some(parts.to_uri())),
            Some(_) if self.scheme().is_empty() => None,
            Some(text) => Some(text.into_owned()),
        }
    }

    fn parts(&self, ask: impl FnOnce(&uri::UriParts<'_>) -> Option<String>) -> Option<String> {
        let [scheme, authority, path, query, fragment] =
            ["scheme", "authority", "path", "query", "fragment"].map(|name| self.part(name));
        let (scheme, authority, path) = (&*scheme, &*authority, &*path);
        ask(&uri::UriParts { scheme, authority, path, query: &query, fragment: &fragment })
    }

    /// The path of a file that can stand in a project: absolute, and more than the root, which stands for no URI at
    /// all.
    pub fn project_path(&self) -> Option<String> {
        self.path().filter(|path| paths::is_absolute(path) && path != "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    /// K26, and the other forms.
    #[test]
    fn every_form_names_its_file() {
        for (json, path, text) in [
            (
                r#"{"$mid":1,"path":"/c:/Users/Ana/app/a.ts","scheme":"file"}"#,
                Some("c:\\Users\\Ana\\app\\a.ts"),
                Some("file:///c%3A/Users/Ana/app/a.ts"),
            ),
            (
                r#""file:///c%3A/Users/Ana/app/lib/b.ts""#,
                Some("c:\\Users\\Ana\\app\\lib\\b.ts"),
                Some("file:///c%3A/Users/Ana/app/lib/b.ts"),
            ),
            (
                r#"{"scheme":"file","authority":"","path":"/x","query":"","fragment":"","_formatted":null,"_fsPath":null}"#,
                Some("/x"),
                Some("file:///x"),
            ),
            (r#"{"$mid":1,"path":"/","scheme":"file"}"#, Some("/"), Some("file:///")),
            (
                r#"{"$mid":1,"path":"/tools/search/a b","scheme":"cody"}"#,
                None,
                Some("cody:/tools/search/a%20b"),
            ),
            (r#"{"$mid":1,"fsPath":"/home/ana/p/x.go","scheme":"file"}"#, Some("/home/ana/p/x.go"), None),
            (r#"{"$mid":1,"scheme":"file"}"#, None, None),
            (r#""src/a.ts""#, Some("src/a.ts"), None),
            (r#""C:\\a.ts""#, Some("C:\\a.ts"), None),
        ] {
            let document = Document::parse(json.as_bytes().to_vec()).unwrap();
            let uri = Uri::of(document.root()).unwrap();
            assert_eq!((uri.path().as_deref(), uri.text().as_deref()), (path, text), "{json}");
        }
        assert!(Uri::of(Document::parse(b"null".to_vec()).unwrap().root()).is_none());
    }
}
