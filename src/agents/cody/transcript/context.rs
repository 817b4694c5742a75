//! What was attached to a message: files, symbols, terminal output, search results.

use super::uri::Uri;
use super::{Said, Turn};
use crate::json::{Kind, Value};
use crate::store::paths;
use crate::table::Pointer;

crate::words! {
    /// Where in a message (or beside it) an attachment stands.
    pub enum Where {
        /// On the message.
        ContextFiles = "contextFiles",
        /// On the interaction, before v1.8.1.
        UsedContextFiles = "usedContextFiles",
        /// In a step of an agentic run.
        Process = "process",
        /// A result of a search.
        Search = "search",
    }
}

/// Something that was attached.
#[derive(Debug, Clone)]
pub struct Attached<'t> {
    /// The message.
    pub index: i64,
    /// Where.
    pub place: Where,
    /// As stored: an object, or a bare file name of 2023-03.
    pub value: Value<'t>,
    /// Where it stands in the file or row.
    pub pointer: Pointer,
}

/// Everything that was attached in a turn, in document order of each message; what stands beside the messages belongs
/// to the prompt.
pub fn of_turn(turn: &Turn) -> Vec<Attached<'_>> {
    let mut out = Vec::new();
    for said in turn.messages() {
        of_message(&said, turn, &mut out);
    }
    if let Some(used) = turn.document.root().get("usedContextFiles") {
        let pointer = turn.pointer.join("usedContextFiles");
        push(&mut out, turn.first_index(), Where::UsedContextFiles, used, &pointer);
    }
    out.sort_by_key(|attached| attached.index);
    out
}

fn of_message<'t>(said: &Said<'t>, turn: &Turn, out: &mut Vec<Attached<'t>>) {
    let Said { value: message, index, .. } = *said;
    let pointer = said.pointer(turn);
    if let Some(files) = message.get("contextFiles") {
        push(out, index, Where::ContextFiles, files, &pointer.join("contextFiles"));
    }
    let steps = message.get("processes").into_iter().flat_map(|steps| steps.items()).enumerate();
    for (step, items) in steps.filter_map(|(position, step)| Some((position, step.get("items")?))) {
        let pointer = pointer.join("processes").join(step).join("items");
        push(out, index, Where::Process, items, &pointer);
    }
    let path = ["search", "response", "results", "results"];
    let mut results = Some(message);
    let mut place = pointer;
    for key in path {
        results = results.and_then(|value| value.get(key));
        place = place.join(key);
    }
    if let Some(results) = results {
        push(out, index, Where::Search, results, &place);
    }
}

fn push<'t>(out: &mut Vec<Attached<'t>>, index: i64, place: Where, list: Value<'t>, pointer: &Pointer) {
    let items = list.items().enumerate().filter(|(_, value)| !value.is_null());
    out.extend(items.map(|(position, value)| Attached { index, place, value, pointer: pointer.join(position) }));
}

impl<'t> Attached<'t> {
    /// A member of the item.
    pub fn get(&self, key: &str) -> Option<Value<'t>> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    /// What the model got: a text, of media base64.
    pub fn content(&self) -> Option<Value<'t>> {
        self.get("content").or_else(|| self.get("data"))
    }

    /// What kind of thing it is. Items of before 2023-11 name none: they are files, as are search results.
    pub fn kind(&self) -> Option<Value<'t>> {
        self.get("type").or_else(|| self.get("__typename").filter(|name| !name.is_str("FileMatch")))
    }

    fn uri_of(&self) -> Option<Uri<'t>> {
        match self.value.kind() {
            Kind::String => Uri::of(self.value),
            _ => self.get("uri").and_then(Uri::of),
        }
    }

    /// The URI in one string. A search result has a URL on the instance.
    pub fn uri(&self) -> Option<String> {
        let url = || Some(self.get("file")?.get("url")?.as_str()?.into_owned());
        self.uri_of().map_or_else(url, |uri| uri.text())
    }

    /// The name that was shown, or by which the thing goes: of a symbol, a folder, a link, a picture.
    pub fn title(&self) -> Option<Value<'t>> {
        title(self.value)
    }

    /// The path of the file: out of the URI, else the name that stands in its place (of symbols the symbol's).
    pub fn path(&self) -> Option<String> {
        let named = |value: Option<Value<'t>>| Some(value?.as_str()?.into_owned());
        match self.uri_of() {
            Some(uri) => uri.path(),
            None => named(self.get("path").and_then(|path| path.get("relative")))
                .or_else(|| named(self.get("fileName")))
                .or_else(|| named(self.get("file")?.get("path"))),
        }
    }

    /// The repository.
    pub fn repo(&self) -> Option<Value<'t>> {
        let plain = self.get("repoName").or_else(|| self.get("remoteRepositoryName"));
        plain.or_else(|| self.get("repository")?.get("name"))
    }

    /// First and last line as stored: from 0, the last one not included. Two forms were written: an object, and the
    /// array that VS Code's ranges become.
    pub fn lines(&self) -> Option<(Option<i64>, Option<i64>)> {
        let range = self.get("range")?;
        let (mut ends, line) = (range.items(), |value: Option<Value<'t>>| value?.get("line")?.as_i64());
        Some(match range.kind() {
            Kind::Array => (line(ends.next()), line(ends.next())),
            _ => (line(range.get("start")), line(range.get("end"))),
        })
    }
}

/// The name of an item: see [`Attached::title`].
pub fn title(item: Value<'_>) -> Option<Value<'_>> {
    let mut names = ["title", "symbolName", "name", "filename"].into_iter();
    names.find_map(|name| item.get(name).filter(|name| name.kind() == Kind::String))
}

/// The folder that the files of a chat share, as they come.
#[derive(Debug, Clone, Default)]
pub struct CommonFolder {
    folder: Option<String>,
    is_none: bool,
}

impl CommonFolder {
    /// Takes the context files of a turn into account: files, symbols, folders of workspaces, files that a tool showed
    /// or changed. Terminal output, other tools' results, web pages and search results name no place in a project.
    pub fn add(&mut self, turn: &Turn) {
        let root = turn.document.root();
        let used = root.get("usedContextFiles").into_iter();
        let on_messages = turn.messages().filter_map(|said| said.value.get("contextFiles"));
        for item in used.chain(on_messages).flat_map(|list| list.items()) {
            if let Some(file) = project_file(item) {
                self.add_file(&file);
            }
        }
    }

    fn add_file(&mut self, file: &str) {
        if self.is_none {
            return;
        }
        let separator = if paths::is_windows(file) { '\\' } else { '/' };
        let known = self.folder.as_ref().map(|folder| format!("{}{separator}x", folder.trim_end_matches(separator)));
        self.folder = paths::common_folder(known.as_deref().into_iter().chain([file]));
        self.is_none = self.folder.is_none();
    }

    /// The folder; `None` without files, and where they share no more than the root.
    pub fn path(&self) -> Option<&str> {
        self.folder.as_deref()
    }
}

/// The path by which an item tells of a project; a folder with something in it, so that it counts as a folder.
fn project_file(item: Value<'_>) -> Option<String> {
    let kind = item.get("type").and_then(|kind| kind.as_str());
    let is_terminal = item.get("source").is_some_and(|source| source.is_str("terminal"));
    let path = item.get("uri").and_then(Uri::of)?.project_path().filter(|_| !is_terminal)?;
    match kind.as_deref() {
        None | Some("file" | "symbol" | "current-file" | "current-selection") => Some(path),
        Some("tool-state") if is_file_tool(item) => Some(path),
        Some("tree" | "current-directory") => {
            let separator = if paths::is_windows(&path) { '\\' } else { '/' };
            Some(format!("{}{separator}x", path.trim_end_matches(separator)))
        }
        _ => None,
    }
}

/// The outputs whose URI is a file of the project.
fn is_file_tool(item: Value<'_>) -> bool {
    item.get("outputType").is_some_and(|output| output.is_str("file-diff") || output.is_str("file-view"))
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;
    use crate::json::Document;

    fn turn(json: &str) -> Turn {
        let document = Document::parse(json.as_bytes().to_vec()).unwrap();
        Turn { form: Form::Pair, position: 0, document, pointer: Pointer::record() }
    }

    /// K03, and where else attachments stand.
    #[test]
    fn attachments_of_every_place() {
        let turn = turn(
            r#"{"humanMessage":{"contextFiles":[{"type":"file","uri":{"path":"/p/a.py","scheme":"file"},"range":[{"line":0,"character":0},{"line":9,"character":0}]},"a.ts",null],
                "processes":[{"id":"x"},{"items":[{"type":"file","uri":"file:///p/b.py","range":{"start":{"line":2},"end":{"line":5}},"repoName":"o/r"}]}]},
               "assistantMessage":{"search":{"query":"q","response":{"results":{"results":[{"__typename":"FileMatch","repository":{"id":"1","name":"github.com/o/r"},"file":{"url":"/u","path":"c.go"}},{"__typename":"unknown"}]}}}},
               "usedContextFiles":[{"fileName":"d.py"},{"fileName":"e.py","path":{"basename":"e.py","dirname":"/p/src","relative":"src/e.py"}}]}"#,
        );
        let rows: Vec<_> = of_turn(&turn)
            .iter()
            .map(|item| {
                let text = |value: Option<Value<'_>>| value.map(|value| value.as_str().unwrap().into_owned());
                (item.pointer.to_string(), text(item.kind()), item.path(), text(item.repo()), item.lines())
            })
            .collect();
        let own = |text: &str| Some(text.to_owned());
        let results = "/assistantMessage/search/response/results/results";
        assert_eq!(
            rows,
            [
                ("/humanMessage/contextFiles/0".into(), own("file"), own("/p/a.py"), None, Some((Some(0), Some(9)))),
                ("/humanMessage/contextFiles/1".into(), None, own("a.ts"), None, None),
                (
                    "/humanMessage/processes/1/items/0".into(),
                    own("file"),
                    own("/p/b.py"),
                    own("o/r"),
                    Some((Some(2), Some(5)))
                ),
                ("/usedContextFiles/0".into(), None, own("d.py"), None, None),
                ("/usedContextFiles/1".into(), None, own("src/e.py"), None, None),
                (format!("{results}/0"), None, own("c.go"), own("github.com/o/r"), None),
                (format!("{results}/1"), own("unknown"), None, None, None),
            ]
        );
        assert_eq!(of_turn(&turn)[5].uri(), own("/u"));
    }

    #[test]
    fn files_of_a_chat_share_a_folder() {
        let file = |path: &str| format!(r#"{{"type":"file","uri":{{"path":"{path}","scheme":"file"}}}}"#);
        let folder = |items: &[String]| {
            let mut common = CommonFolder::default();
            for item in items {
                common.add(&turn(&format!(r#"{{"humanMessage":{{"contextFiles":[{item}]}}}}"#)));
            }
            common.path().map(str::to_owned)
        };
        let pseudo = [
            file("/"),
            r#"{"type":"file","source":"terminal","uri":{"path":"/git log","scheme":"file"}}"#.to_owned(),
            r#"{"type":"tool-state","uri":{"path":"/tmp/x","scheme":"file"}}"#.to_owned(),
            r#"{"type":"file","uri":{"path":"/github.com/o","scheme":"https"}}"#.to_owned(),
        ];
        assert_eq!(folder(&pseudo), None);
        let own = |path: &str| Some(path.to_owned());
        assert_eq!(folder(&[file("/home/ana/p/src/x.py")]), own("/home/ana/p/src"));
        let mut files = vec![file("/home/ana/p/src/x.py"), file("/home/ana/p/src/y.py")];
        assert_eq!(folder(&files), own("/home/ana/p/src"));
        files.push(r#"{"type":"tree","isWorkspaceRoot":true,"uri":{"path":"/home/ana/p","scheme":"file"}}"#.into());
        files.extend(pseudo);
        assert_eq!(folder(&files), own("/home/ana/p"));
        files.push(file("/usr/lib/z.py"));
        files.push(file("/home/ana/p/a.py"));
        assert_eq!(folder(&files), None, "once there is no common folder, there is none");
        let windows = [file("/c:/Users/Ana/app/a.ts"), file("/c:/Users/Ana/app/lib/b.ts")];
        assert_eq!(folder(&windows), own("c:\\Users\\Ana\\app"));
    }
}
