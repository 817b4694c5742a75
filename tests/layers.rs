//! The shape of the source, as tests: who may use whom, where `unsafe` may stand, how long a file may be, which words
//! a name may not hold. All are computed over the tree, so a new file is covered without a line here.

mod support;

use std::fs;
use support::{Result, files_below, repository};

/// The top-level modules from the bottom up: a module uses its own row and the rows before it. The root (`lib.rs`)
/// puts them together and may use all.
const LAYERS: &[&[&str]] = &[
    &["error", "time", "text", "interrupt", "json", "lines"],
    &["table"],
    &["store"],
    &["model"],
    &["agents"],
    &["vtab"],
    &["extension"],
];

/// Crates that only these places may name.
const CRATES: &[(&str, &[&str])] = &[
    ("rusqlite", &["lib.rs", "vtab/", "extension.rs", "store/sqlite/"]),
    ("libc", &["extension.rs", "store/sqlite/"]),
];

/// Where `unsafe` may stand.
const UNSAFE: &[&str] = &["vtab/", "extension.rs", "store/sqlite/", "json/simd/"];

/// Lines before the tests: about 300 is the guide, and this is where "about" ends. Longer files are named with the
/// reason.
const LONGEST: usize = 350;
const LONGER: &[(&str, &str)] = &[];

/// Words that say nothing about what a thing is.
const EMPTY_WORDS: [&str; 6] = ["manager", "handler", "helper", "util", "processor", "engine"];

/// One source file.
struct Source {
    /// Relative to `src`, with `/`.
    path: String,
    /// The path of its module: `agents::zed::messages`.
    module: Vec<String>,
    /// Its lines without comments, up to its tests.
    code: Vec<String>,
    /// All its lines.
    lines: Vec<String>,
}

fn sources() -> Result<Vec<Source>> {
    let root = repository().join("src");
    let files = files_below(&root)?;
    files.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")).map(|file| read(&root, file)).collect()
}

fn read(root: &std::path::Path, file: &std::path::Path) -> Result<Source> {
    let path = file.to_string_lossy().replace('\\', "/");
    let mut module: Vec<String> = path.trim_end_matches(".rs").split('/').map(ToOwned::to_owned).collect();
    if module.last().is_some_and(|name| name == "mod" || name == "lib") {
        module.pop();
    }
    let lines: Vec<String> = fs::read_to_string(root.join(file))?.lines().map(ToOwned::to_owned).collect();
    let is_tests = |at: usize| {
        let next = lines.iter().skip(at + 1).find(|line| !line.starts_with("#["));
        lines.get(at).is_some_and(|line| line == "#[cfg(test)]") && next.is_some_and(|line| line.starts_with("mod "))
    };
    let end = (0..lines.len()).find(|at| is_tests(*at)).unwrap_or(lines.len());
    let is_test_file = module.iter().any(|name| name == "tests");
    let code = lines.iter().take(if is_test_file { 0 } else { end }).map(|line| without_comment(line)).collect();
    Ok(Source { path, module, code, lines })
}

/// A line up to a `//` that stands outside a string.
fn without_comment(line: &str) -> String {
    let mut in_string = false;
    let mut before = '\0';
    for (at, c) in line.char_indices() {
        match c {
            '"' if before != '\\' && before != '\'' => in_string = !in_string,
            '/' if before == '/' && !in_string => return line.get(..at - 1).unwrap_or_default().to_owned(),
            _ => {}
        }
        // An escaped backslash escapes nothing.
        before = if c == '\\' && before == '\\' { '\0' } else { c };
    }
    line.to_owned()
}

fn is_below(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| path == *place || (place.ends_with('/') && path.starts_with(place)))
}

/// The words of a line: what stands between anything that no identifier holds.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The top-level modules that the code names, by `crate::…` or by enough `super::`, with the line of each.
fn uses(source: &Source) -> Vec<(usize, String)> {
    let text = source.code.join("\n");
    let mut found = Vec::new();
    for keyword in ["crate::", "super::"] {
        for (at, _) in text.match_indices(keyword) {
            let (before, after) = text.split_at(at);
            // `$crate` and the later links of a chain of `super`s are not the start of a path.
            if before.ends_with("super::") || before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let path = after.trim_start_matches("super::");
            let ups = (after.len() - path.len()) / "super::".len();
            let path = path.trim_start_matches("crate::");
            if keyword == "super::" && ups < source.module.len() {
                continue;
            }
            let line = before.lines().count();
            found.extend(heads(path).into_iter().map(|head| (line, head)));
        }
    }
    found
}

/// The first words of the paths that follow: one, or those of a `{…}` group.
fn heads(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else {
        return words(path).next().map(ToOwned::to_owned).into_iter().collect();
    };
    let (mut depth, mut heads, mut item) = (0, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => heads.extend(words(&std::mem::take(&mut item)).next().map(ToOwned::to_owned)),
            _ => {}
        }
        if c == '}' && depth == 0 && item.is_empty() {
            break;
        }
        if depth == 0 && c != ',' {
            item.push(c);
        }
    }
    heads
}

fn check(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn modules_use_only_the_layers_below() -> Result<()> {
    let layer = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let mut problems = Vec::new();
    for source in sources()? {
        let Some(top) = source.module.first() else { continue };
        let own = layer(top).ok_or_else(|| format!("src/{}: `{top}` has no place in LAYERS", source.path))?;
        for (line, used) in uses(&source) {
            if layer(&used).is_some_and(|used| used > own) {
                problems.push(format!("src/{}:{line}: `{top}` stands below `{used}` and may not use it", source.path));
            }
        }
        for (number, line) in source.code.iter().enumerate() {
            for (name, places) in CRATES {
                if words(line).any(|word| word == *name) && !is_below(&source.path, places) {
                    problems.push(format!("src/{}:{}: `{name}` is named only in {places:?}", source.path, number + 1));
                }
            }
        }
    }
    check(&problems);
    Ok(())
}

#[test]
fn only_an_agent_and_the_registration_name_it() -> Result<()> {
    let folders = fs::read_dir(repository().join("src/agents"))?;
    let agents: Vec<String> = folders
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name != "shared")
        .collect();
    assert!(agents.len() > 1, "{agents:?}");
    let mut problems = Vec::new();
    for source in sources()? {
        let own = source.path.strip_prefix("agents/").and_then(|path| path.split('/').next()).unwrap_or_default();
        if source.path == "agents/mod.rs" {
            continue;
        }
        for (number, line) in source.code.iter().enumerate() {
            let parts = words(line).flat_map(|word| word.split('_')).map(str::to_lowercase);
            for named in parts.filter(|part| agents.contains(part) && part != own) {
                problems.push(format!("src/{}:{}: names the agent `{named}`", source.path, number + 1));
            }
        }
    }
    check(&problems);
    Ok(())
}

#[test]
fn unsafe_stands_in_few_places_and_says_why_it_is_sound() -> Result<()> {
    let mut problems = Vec::new();
    for source in sources()? {
        for (number, line) in source.lines.iter().enumerate() {
            let code = without_comment(line);
            if !words(&code).any(|word| word == "unsafe" || word == "unsafe_code") || code.contains("deny(") {
                continue;
            }
            if !is_below(&source.path, UNSAFE) {
                problems.push(format!("src/{}:{}: `unsafe` stands only in {UNSAFE:?}", source.path, number + 1));
            }
            let above = source.lines.get(number.saturating_sub(8)..=number).unwrap_or_default();
            let is_block = code.contains("unsafe {") || code.contains("unsafe impl");
            if is_block && !above.iter().any(|line| line.contains("// SAFETY")) {
                problems.push(format!("src/{}:{}: no SAFETY comment says why", source.path, number + 1));
            }
        }
    }
    check(&problems);
    Ok(())
}

#[test]
fn files_are_short_and_say_what_they_are() -> Result<()> {
    let mut problems = Vec::new();
    for source in sources()? {
        let exception = LONGER.iter().find(|(path, _)| *path == source.path);
        match (source.code.len() > LONGEST, exception) {
            (true, None) => {
                problems.push(format!("src/{}: {} lines, more than {LONGEST}", source.path, source.code.len()));
            }
            (false, Some(_)) => problems.push(format!("src/{}: is short now, strike it from LONGER", source.path)),
            _ => {}
        }
        let is_test_file = source.code.is_empty();
        if !is_test_file && !source.lines.first().is_some_and(|line| line.starts_with("//! ")) {
            problems.push(format!("src/{}: begins without a `//!` line", source.path));
        }
    }
    check(&problems);
    Ok(())
}

#[test]
fn names_say_what_a_thing_is() -> Result<()> {
    let declares = ["struct", "enum", "trait", "fn", "mod", "type", "const", "static"];
    let mut problems = Vec::new();
    for source in sources()? {
        for (number, line) in source.code.iter().enumerate() {
            let names = words(line).zip(words(line).skip(1)).filter(|(keyword, _)| declares.contains(keyword));
            for (_, name) in names {
                let lower = name.to_lowercase();
                if EMPTY_WORDS
                    .iter()
                    .any(|word| lower.split('_').any(|part| part.trim_end_matches('s').ends_with(word)))
                {
                    problems.push(format!("src/{}:{}: `{name}` is an empty word", source.path, number + 1));
                }
            }
        }
    }
    check(&problems);
    Ok(())
}

#[test]
fn the_reading_of_source_is_right() {
    assert_eq!(without_comment(r#"let a = "x // y"; // z"#), r#"let a = "x // y"; "#);
    assert_eq!(without_comment(r#"let a = '"'; // z"#), r#"let a = '"'; "#);
    assert_eq!(without_comment("/// doc"), "");
    let source = |module: &[&str], code: &str| Source {
        path: String::new(),
        module: module.iter().map(|name| (*name).to_owned()).collect(),
        code: code.lines().map(ToOwned::to_owned).collect(),
        lines: Vec::new(),
    };
    let used = |module: &[&str], code: &str| -> Vec<String> {
        uses(&source(module, code)).into_iter().map(|(_, name)| name).collect()
    };
    assert_eq!(used(&["a"], "use crate::b::C;"), ["b"]);
    assert_eq!(used(&["a"], "use crate::{b::{C, D}, e, f::G};\nx::y();"), ["b", "e", "f"]);
    assert_eq!(used(&["a"], "use super::b;"), ["b"]);
    assert_eq!(used(&["a", "b"], "use super::c;"), [""; 0]);
    assert_eq!(used(&["a", "b"], "use super::super::c;\ncrate::d!()"), ["d", "c"]);
    assert_eq!(used(&["a"], "$crate::b::new()"), ["b"]);
}
