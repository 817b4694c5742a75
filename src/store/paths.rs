//! Paths as other machines spelled them: texts with slashes or backslashes, told apart by the spelling alone.

use std::cmp::Ordering;

/// The length of a drive such as `c:` in front of a path, or 0.
pub(super) fn drive_length(path: &str) -> usize {
    match path.as_bytes() {
        [letter, b':'] | [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    }
}

/// Whether the path is one of Windows: it begins with a drive or with two backslashes.
pub fn is_windows(path: &str) -> bool {
    drive_length(path) > 0 || path.starts_with("\\\\")
}

/// Whether the path says on its own where it leads.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

/// The last component: the name that a folder or file shows. `None` for a root.
pub fn name(path: &str) -> Option<&str> {
    let name = components(path, is_windows(path)).last()?;
    (drive_length(name) == 0).then_some(name)
}

fn components(path: &str, is_windows: bool) -> impl Iterator<Item = &str> {
    let is_separator = move |c| c == '/' || (is_windows && c == '\\');
    path.split(is_separator).filter(|component| !matches!(*component, "" | "."))
}

/// A list of folders in the order in which the user named them.
///
/// `paths` holds one path a line, sorted by component; `order` holds, comma-separated, each one's position in the
/// user's list. An order that does not fit (another count, no number, paths that are not sorted) does not count: then
/// the paths are sorted.
pub fn user_order<'a>(paths: &'a str, order: &str) -> Vec<&'a str> {
    if paths.is_empty() {
        return Vec::new();
    }
    let mut paths: Vec<&str> = paths.split('\n').collect();
    let positions: Option<Vec<usize>> = order.split(',').map(|position| position.parse().ok()).collect();
    match positions.filter(|positions| positions.len() == paths.len()) {
        Some(positions) if paths.is_sorted_by(|a, b| by_component(a, b).is_le()) => {
            let mut placed: Vec<(usize, &str)> = positions.into_iter().zip(paths).collect();
            placed.sort_by_key(|(position, _)| *position);
            placed.into_iter().map(|(_, path)| path).collect()
        }
        _ => {
            paths.sort_by(|a, b| by_component(a, b));
            paths
        }
    }
}

/// As Rust's `Path` compares: `/w/a/x` stands before `/w/a b`, which a comparison of bytes turns round.
fn by_component(a: &str, b: &str) -> Ordering {
    let key = |path| (!is_absolute(path), drive_of(path));
    let of = |path| components(path, is_windows(path)).skip(usize::from(drive_length(path) > 0));
    key(a).cmp(&key(b)).then_with(|| of(a).cmp(of(b)))
}

/// Drives differ by letter, not by case.
fn drive_of(path: &str) -> Option<u8> {
    let letter = path.bytes().next()?;
    (drive_length(path) > 0).then(|| letter.to_ascii_uppercase())
}

/// The deepest folder that holds all these files, spelled as the first of them. `None` without files, with a relative
/// one, and where they share no more than the root.
pub fn common_folder<'a>(files: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut shared: Option<(bool, Vec<&str>)> = None;
    for file in files {
        if !is_absolute(file) {
            return None;
        }
        let is_windows = is_windows(file);
        let mut folders: Vec<&str> = components(file, is_windows).collect();
        folders.pop();
        let Some((style, common)) = &mut shared else {
            shared = Some((is_windows, folders));
            continue;
        };
        let same = |(a, b): &(&&str, &&str)| a == b || (drive_length(a) > 0 && a.eq_ignore_ascii_case(b));
        let length = common.iter().zip(&folders).take_while(same).count();
        common.truncate(if *style == is_windows { length } else { 0 });
    }
    let (is_windows, common) = shared?;
    match common.as_slice() {
        [] => None,
        [drive] if drive_length(drive) > 0 => Some(format!("{drive}\\")),
        [drive, ..] if drive_length(drive) > 0 => Some(common.join("\\")),
        _ if is_windows => Some(format!("\\\\{}", common.join("\\"))),
        _ => Some(format!("/{}", common.join("/"))),
    }
}

/// Where a path leads that a session gave relative to its folders: `api/src/x.rs` with the folder `/home/ana/api` is
/// `/home/ana/api/src/x.rs`.
///
/// The first component is usually the name of a folder. Where no folder has that name, the path is relative to the
/// folder itself, which only a single folder tells. An absolute path stays as it is; `None` where nothing fits, and
/// for `~`, whose home is not known.
pub fn resolve(path: &str, folders: &[&str]) -> Option<String> {
    if is_absolute(path) {
        return Some(path.to_owned());
    }
    let first_of = |folder: &str| components(path, is_windows(folder)).next();
    let is_named = |folder: &&&str| match (name(folder), first_of(folder)) {
        (Some(name), Some(first)) => name == first || (is_windows(folder) && name.eq_ignore_ascii_case(first)),
        _ => false,
    };
    if let Some(folder) = folders.iter().find(is_named) {
        return join(folder, components(path, is_windows(folder)).skip(1));
    }
    match folders {
        [folder] if first_of(folder) != Some("~") => join(folder, components(path, is_windows(folder))),
        _ => None,
    }
}

/// `..` is taken out of the text, as nobody can ask the disk what it meant. `None` where it leads above the root.
fn join<'a>(folder: &'a str, path: impl Iterator<Item = &'a str>) -> Option<String> {
    let is_windows = is_windows(folder);
    let mut whole: Vec<&str> = components(folder, is_windows).collect();
    for component in path {
        if component != ".." {
            whole.push(component);
        } else if drive_length(whole.pop()?) > 0 {
            return None;
        }
    }
    let separator = if is_windows { "\\" } else { "/" };
    let root = match folder {
        _ if drive_length(folder) > 0 => "",
        _ if is_windows => "\\\\",
        _ => "/",
    };
    Some(format!("{root}{}", whole.join(separator)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spelling_tells_the_system() {
        for (path, windows, absolute, last) in [
            ("/w/a", false, true, Some("a")),
            ("/w/a/", false, true, Some("a")),
            ("/", false, true, None),
            ("C:\\w\\a", true, true, Some("a")),
            ("c:/w", true, true, Some("w")),
            ("c:\\", true, true, None),
            ("c:", true, true, None),
            ("\\\\server\\share", true, true, Some("share")),
            ("c:w", false, false, Some("c:w")),
            ("w\\a", false, false, Some("w\\a")),
            ("w/a", false, false, Some("a")),
            ("", false, false, None),
        ] {
            assert_eq!((is_windows(path), is_absolute(path), name(path)), (windows, absolute, last), "{path}");
        }
    }

    #[test]
    fn folders_come_in_the_order_of_the_user() {
        for (paths, order, expected) in [
            ("/w/a\n/w/b\n/w/c", "2,0,1", &["/w/b", "/w/c", "/w/a"][..]),
            ("api\nweb", "1,0", &["web", "api"]),
            ("/w/a\n/w/b\n/w/c", "", &["/w/a", "/w/b", "/w/c"]),
            ("/w/a\n/w/b\n/w/c", "1,0", &["/w/a", "/w/b", "/w/c"]),
            ("/w/a\n/w/b\n/w/c", "x,0,1", &["/w/a", "/w/b", "/w/c"]),
            ("/w/a\n/w/b", "1,0,", &["/w/a", "/w/b"]),
            ("/w/a\n/w/b", "-1,0", &["/w/a", "/w/b"]),
            ("/w/a\n/w/b", "7,3", &["/w/b", "/w/a"]),
            ("/w/a\n/w/b", "0,0", &["/w/a", "/w/b"]),
            ("/w/c\n/w/a", "1,0", &["/w/a", "/w/c"]),
            ("/w/a", "0", &["/w/a"]),
            ("", "", &[]),
            ("", "0", &[]),
            // Sorted by component, though not by byte: a space stands before a slash.
            ("/w/a/x\n/w/a b", "1,0", &["/w/a b", "/w/a/x"]),
            ("/w/a b\n/w/a/x", "1,0", &["/w/a/x", "/w/a b"]),
            ("C:\\w\\a\\x\nC:\\w\\a b\nd:\\a", "2,1,0", &["d:\\a", "C:\\w\\a b", "C:\\w\\a\\x"]),
            ("c:\\b\nC:\\a", "0,1", &["C:\\a", "c:\\b"]),
        ] {
            assert_eq!(user_order(paths, order), expected, "{paths:?} {order}");
        }
    }

    #[test]
    fn files_share_a_folder() {
        for (files, expected) in [
            (&["/home/ana/api/src/a.ts"][..], Some("/home/ana/api/src")),
            (&["/home/ana/api/src/a.ts", "/home/ana/api/lib/b.ts"], Some("/home/ana/api")),
            (&["/home/ana/api/a.ts", "/home/ana/api2/b.ts"], Some("/home/ana")),
            (&["/home/ana/api/src/a.ts", "/home/ana/api/src"], Some("/home/ana/api")),
            (&["c:\\Users\\Ana\\app\\a.ts", "C:\\Users\\Ana\\app\\lib\\b.ts"], Some("c:\\Users\\Ana\\app")),
            (&["c:/Users/Ana/app/a.ts", "c:\\Users\\Ana\\b.ts"], Some("c:\\Users\\Ana")),
            (&["c:\\x\\a", "c:\\y\\a"], Some("c:\\")),
            (&["\\\\server\\share\\p\\a", "\\\\server\\share\\q"], Some("\\\\server\\share")),
            (&["c:\\x\\a", "d:\\x\\a"], None),
            (&["c:\\x\\a", "/c:/x/a"], None),
            (&["/a/x", "/b/x"], None),
            (&["/a"], None),
            (&["/a/b", "c"], None),
            (&[], None),
        ] {
            assert_eq!(common_folder(files.iter().copied()).as_deref(), expected, "{files:?}");
        }
    }

    #[test]
    fn relative_paths_lead_somewhere() {
        let two = &["/home/ana/api", "/home/ana/web"][..];
        let one = &["/home/ana/api"][..];
        let windows = &["C:\\Users\\Ana\\App", "C:\\Users\\Ana\\lib"][..];
        for (path, folders, expected) in [
            ("api/src/x.rs", two, Some("/home/ana/api/src/x.rs")),
            ("web", two, Some("/home/ana/web")),
            ("./web/./a//b", two, Some("/home/ana/web/a/b")),
            ("src/x.rs", two, None),
            ("src/x.rs", one, Some("/home/ana/api/src/x.rs")),
            ("api/../x", one, Some("/home/ana/x")),
            ("../../../../x", one, None),
            ("", one, Some("/home/ana/api")),
            ("a\\b", one, Some("/home/ana/api/a\\b")),
            ("~/.agents/skills", one, None),
            ("/etc/hosts", two, Some("/etc/hosts")),
            ("C:\\x", two, Some("C:\\x")),
            ("app\\src/x.rs", windows, Some("C:\\Users\\Ana\\App\\src\\x.rs")),
            ("lib\\..\\..\\..\\..\\x", windows, None),
            ("share\\x", &["\\\\server\\share"], Some("\\\\server\\share\\x")),
            ("x", &["/"], Some("/x")),
            ("x", &["c:\\"], Some("c:\\x")),
            ("src/x.rs", &[], None),
        ] {
            assert_eq!(resolve(path, folders).as_deref(), expected, "{path}");
        }
    }
}
