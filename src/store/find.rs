//! Finding stores below a root: a list of patterns, tried lazily.
//!
//! A root is a home directory (every platform's layout is tried below it), a folder that holds stores, or a store
//! file itself. Without one it is the user's own home, where environment variables count as they do for the programs.

use crate::error::{Error, Kind, Result};
use crate::table::Place;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where one kind of store may be. `*` stands for any run of characters inside a path component.
#[derive(Debug, Clone, Copy)]
pub struct Pattern<K: 'static> {
    /// What is found there.
    pub kind: K,
    /// Below a home: `.local/share/zed/threads/threads.db`. A first component `$NAME` is an environment variable,
    /// which counts for the user's own home only.
    pub path: &'static str,
}

/// Everywhere an agent's stores may be.
#[derive(Debug)]
pub struct Places<K: 'static> {
    /// Below a home directory.
    pub home: &'static [Pattern<K>],
    /// Below any folder that is given as root, in front of the home patterns; the last component also tells what a
    /// file is that is given as root.
    pub folder: &'static [Pattern<K>],
}

/// A store that is there.
#[derive(Debug, Clone)]
pub struct Found<K> {
    /// What it is.
    pub kind: K,
    /// The file or folder, links resolved.
    pub path: PathBuf,
    /// The same as provenance.
    pub place: Arc<Place>,
    /// Why it cannot even be listed: a folder on the way that may not be read.
    pub problem: Option<Error>,
}

/// The user's own home, or what `AGENT_HISTORY_ROOT` puts in its place.
fn default_root() -> Option<(PathBuf, bool)> {
    match std::env::var_os("AGENT_HISTORY_ROOT") {
        Some(root) if !root.is_empty() => Some((root.into(), false)),
        _ => std::env::home_dir().map(|home| (home, true)),
    }
}

/// The place that [`find`] looks below, as text.
pub fn searched(root: Option<&Arc<str>>) -> String {
    let default = || default_root().map_or_else(String::new, |(base, _)| base.to_string_lossy().into_owned());
    root.map_or_else(default, |root| root.to_string())
}

/// Starts to look. A root that does not exist is an error that names it.
pub fn find<K: Copy>(root: Option<&Arc<str>>, places: &'static Places<K>) -> Result<Finder<K>> {
    let (path, is_own_home) = match root {
        Some(root) => (PathBuf::from(&**root), false),
        None => default_root().ok_or_else(|| {
            Error::new(Kind::Io, "no home directory is known: set HOME or AGENT_HISTORY_ROOT, or name a root")
        })?,
    };
    let bases = if is_own_home { vec![path.clone()] } else { expand(&path) };
    if bases.is_empty() {
        return Err(Error::new(Kind::Io, format!("no such file or directory: {}", path.display())));
    }
    let steps = bases.into_iter().map(|base| Step { is_own_home, base }).collect();
    Ok(Finder {
        root: root.cloned(),
        places,
        kinds: None,
        listed: HashMap::new(),
        firsts: Vec::new(),
        steps,
        patterns: VecDeque::new(),
        ready: VecDeque::new(),
        seen: HashSet::new(),
    })
}

/// The paths that a root with `*` in its components stands for, in order.
fn expand(root: &Path) -> Vec<PathBuf> {
    let mut bases = vec![PathBuf::new()];
    for component in root.components() {
        let name = component.as_os_str();
        bases = match name.to_str().filter(|name| name.contains('*')) {
            None => bases.into_iter().map(|base| base.join(name)).collect(),
            Some(glob) => bases.iter().flat_map(|base| list(base, glob).unwrap_or_default()).collect(),
        };
    }
    bases.retain(|base| base.exists());
    bases
}

struct Step {
    is_own_home: bool,
    base: PathBuf,
}

/// Stores in the order of patterns, then of paths. Each file is given once.
pub struct Finder<K: 'static> {
    root: Option<Arc<str>>,
    places: &'static Places<K>,
    kinds: Option<&'static [K]>,
    /// What the front of a pattern, up to its last `*`, stands for below a base: many patterns share theirs.
    listed: HashMap<(PathBuf, &'static str), Vec<PathBuf>>,
    /// Is the first folder of a pattern absent below a base? Most are of other platforms, and many share theirs.
    firsts: Vec<(Arc<Path>, &'static str, bool)>,
    steps: VecDeque<Step>,
    patterns: VecDeque<(Arc<Path>, Pattern<K>)>,
    ready: VecDeque<Found<K>>,
    seen: HashSet<PathBuf>,
}

impl<K: Copy + PartialEq> Finder<K> {
    /// Looks for stores of these kinds only. A file that patterns of several kinds match is the first of *these*.
    pub fn of(mut self, kinds: &'static [K]) -> Self {
        self.kinds = Some(kinds);
        self
    }

    fn is_wanted(&self, kind: K) -> bool {
        self.kinds.is_none_or(|kinds| kinds.contains(&kind))
    }

    fn start(&mut self, step: Step) {
        let Step { is_own_home, base } = step;
        if !base.is_dir() {
            return self.start_file(&base);
        }
        let base: Arc<Path> = base.into();
        if !is_own_home {
            let wanted = self.places.folder.iter().filter(|pattern| self.is_wanted(pattern.kind));
            self.patterns.extend(wanted.map(|pattern| (Arc::clone(&base), *pattern)).collect::<Vec<_>>());
        }
        for pattern in self.places.home {
            if !self.is_wanted(pattern.kind) {
                continue;
            }
            match pattern.path.strip_prefix('$').and_then(|path| path.split_once('/')) {
                None => self.patterns.push_back((Arc::clone(&base), *pattern)),
                Some((name, path)) if is_own_home => {
                    if let Some(base) = std::env::var_os(name).filter(|base| !base.is_empty()) {
                        self.patterns.push_back((Path::new(&base).into(), Pattern { kind: pattern.kind, path }));
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// A file is what the first pattern says whose last component it matches.
    fn start_file(&mut self, file: &Path) {
        let Some(name) = file.file_name().and_then(OsStr::to_str) else { return };
        let mut patterns = self.places.folder.iter().chain(self.places.home);
        let last = |path: &'static str| path.rsplit('/').next().unwrap_or(path);
        if let Some(pattern) =
            patterns.find(|pattern| matches(last(pattern.path), name)).filter(|pattern| self.is_wanted(pattern.kind))
        {
            self.give(pattern.kind, file.to_owned(), None);
        }
    }

    /// Is there nothing below the base that the pattern could match?
    fn lacks_first(&mut self, base: &Arc<Path>, pattern: &'static str) -> bool {
        let Some((first, _)) = pattern.split_once('/').filter(|(first, _)| !first.contains('*')) else { return false };
        let known = self.firsts.iter().find(|(below, name, _)| Arc::ptr_eq(below, base) && *name == first);
        if let Some((.., is_lacking)) = known {
            return *is_lacking;
        }
        let is_lacking = std::fs::symlink_metadata(base.join(first)).is_err_and(|error| is_absent(&error));
        self.firsts.push((Arc::clone(base), first, is_lacking));
        is_lacking
    }

    /// Lists what matches one pattern.
    fn look(&mut self, base: &Arc<Path>, pattern: Pattern<K>) {
        if self.lacks_first(base, pattern.path) {
            return;
        }
        let (front, rest) = match pattern.path.rfind('*') {
            None => ("", pattern.path),
            Some(star) => {
                let end =
                    pattern.path.get(star..).and_then(|rest| rest.find('/')).map_or(pattern.path.len(), |at| star + at);
                pattern.path.split_at(end)
            }
        };
        let mut paths = self.expanded(base.to_path_buf(), front, pattern.kind);
        for component in rest.split('/').filter(|component| !component.is_empty()) {
            paths.iter_mut().for_each(|path| path.push(component));
        }
        for path in paths {
            match std::fs::symlink_metadata(&path) {
                Ok(_) => self.give(pattern.kind, path, None),
                Err(error) if is_absent(&error) => {}
                Err(error) => self.give(pattern.kind, path, Some(error.into())),
            }
        }
    }

    /// The paths that the front of a pattern stands for below `base`.
    fn expanded(&mut self, base: PathBuf, front: &'static str, kind: K) -> Vec<PathBuf> {
        if front.is_empty() {
            return vec![base];
        }
        let key = (base, front);
        if let Some(paths) = self.listed.get(&key) {
            return paths.clone();
        }
        let mut paths = vec![key.0.clone()];
        for component in front.split('/') {
            if !component.contains('*') {
                paths.iter_mut().for_each(|path| path.push(component));
                continue;
            }
            let mut next = Vec::new();
            for path in paths {
                match list(&path, component) {
                    Ok(mut listed) => next.append(&mut listed),
                    Err(error) => self.give(kind, path, Some(error)),
                }
            }
            paths = next;
        }
        self.listed.insert(key, paths.clone());
        paths
    }

    fn give(&mut self, kind: K, path: PathBuf, problem: Option<Error>) {
        // Sidecars lie beside the target of a link, and provenance shows what was really read.
        let path = path.canonicalize().unwrap_or(path);
        if self.seen.insert(path.clone()) {
            let place = Place { root: self.root.clone(), path: path.to_string_lossy().into_owned() };
            self.ready.push_back(Found { kind, path, place: Arc::new(place), problem });
        }
    }
}

impl<K: Copy + PartialEq> Iterator for Finder<K> {
    type Item = Found<K>;

    fn next(&mut self) -> Option<Found<K>> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(found);
            }
            if let Some((base, pattern)) = self.patterns.pop_front() {
                self.look(&base, pattern);
            } else {
                let step = self.steps.pop_front()?;
                self.start(step);
            }
        }
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// The entries of a folder whose names match, in order of name; none when the folder is not there.
fn list(folder: &Path, glob: &str) -> Result<Vec<PathBuf>> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(Error::from(error).in_file(folder.to_string_lossy())),
    };
    let names = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name()));
    let mut names: Vec<OsString> = names.filter(|name| matches(glob, &name.to_string_lossy())).collect();
    names.sort();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Does `name` match `glob`, in which `*` stands for any run of characters?
fn matches(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    static PLACES: Places<char> = Places {
        home: &[
            Pattern { kind: 'a', path: ".data/*/a.db" },
            Pattern { kind: 'b', path: ".data/b.db" },
            Pattern { kind: 'b', path: "$NO_SUCH_VARIABLE_HERE/b.db" },
        ],
        folder: &[Pattern { kind: 'c', path: "*.c.json" }],
    };

    fn home(name: &str) -> PathBuf {
        let home = std::env::temp_dir().join(format!("agent-history-find-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        for file in ["ana/.data/2/a.db", "ana/.data/1/a.db", "ana/.data/b.db", "bo/.data/b.db", "bo/x.c.json"] {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), file).unwrap();
        }
        home.canonicalize().unwrap()
    }

    fn found(root: &Path) -> Vec<(char, PathBuf)> {
        let root = Arc::from(root.to_str().unwrap());
        find(Some(&root), &PLACES).unwrap().map(|found| (found.kind, found.path)).collect()
    }

    #[test]
    fn stores_come_by_pattern_then_path() {
        let home = home("order");
        let ana = home.join("ana");
        let want = [('a', ana.join(".data/1/a.db")), ('a', ana.join(".data/2/a.db")), ('b', ana.join(".data/b.db"))];
        assert_eq!(found(&ana), want);
    }

    #[test]
    fn a_root_may_be_many_homes_a_folder_or_a_file() {
        let home = home("roots");
        assert_eq!(found(&home.join("*")).len(), 5);
        assert_eq!(found(&home.join("bo/x.c.json")), [('c', home.join("bo/x.c.json"))]);
        assert_eq!(found(&home.join("ana/.data/b.db")), [('b', home.join("ana/.data/b.db"))]);
        assert_eq!(found(&home.join("ana/.data")), []);
    }

    /// A folder that may not be searched is no folder that is not there, and a link counts as what it leads to.
    #[test]
    #[cfg(unix)]
    fn only_what_is_absent_is_passed_over() {
        let home = home("first");
        let (eve, fay) = (home.join("eve"), home.join("fay"));
        fs::create_dir_all(&eve).unwrap();
        std::os::unix::fs::symlink("../ana/.data", eve.join(".data")).unwrap();
        assert_eq!(found(&eve), found(&home.join("ana")));
        fs::create_dir_all(&fay).unwrap();
        fs::write(fay.join(".data"), "a file").unwrap();
        assert_eq!(found(&fay), []);
        fs::remove_file(eve.join(".data")).unwrap();
        std::os::unix::fs::symlink(".data", eve.join(".data")).unwrap();
        let root = Arc::from(eve.to_str().unwrap());
        let problems = find(Some(&root), &PLACES).unwrap().filter(|found| found.problem.is_some()).count();
        assert_eq!(problems, 2, "a link to itself is told for every pattern");
    }

    #[test]
    fn some_kinds_are_looked_for_alone() {
        let home = home("kinds");
        let of = |root: &Path, kinds| {
            let root = Arc::from(root.to_str().unwrap());
            find(Some(&root), &PLACES).unwrap().of(kinds).map(|found| found.path).collect::<Vec<_>>()
        };
        assert_eq!(of(&home.join("ana"), &['b']), [home.join("ana/.data/b.db")]);
        assert_eq!(of(&home.join("bo/x.c.json"), &['b']), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_link_is_resolved_and_given_once() {
        let home = home("links");
        #[cfg(unix)]
        std::os::unix::fs::symlink(home.join("ana/.data/1"), home.join("ana/.data/0")).unwrap();
        assert_eq!(found(&home.join("ana")).len(), 3);
    }

    #[test]
    fn a_root_that_is_not_there_is_named() {
        let error = find(Some(&Arc::from("/no/such/home")), &PLACES).err().unwrap();
        assert_eq!(error.to_string(), "io: no such file or directory: /no/such/home");
    }

    #[test]
    fn a_star_stands_for_any_run() {
        for (glob, name, does) in [
            ("0-*", "0-stable", true),
            ("*-globalState", "JetBrains-globalState", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("ab", "ab", true),
            ("ab", "abc", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(glob, name), does, "{glob} {name}");
        }
    }
}
