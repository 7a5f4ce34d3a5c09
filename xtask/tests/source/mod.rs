//! What the files of a crate say of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of a crate.
pub(crate) struct Source {
    files: BTreeMap<String, File>,
    /// Where a module has a name from that it re-exports.
    reexports: BTreeMap<(String, String), String>,
}

/// A module's file.
pub(crate) struct File {
    /// Its path from the crate's root, `map::lower::xla`.
    pub(crate) module: String,
    /// The text without comments, texts in quotes, and unit tests.
    code: String,
    uses: Vec<Use>,
}

/// One name of a `use` declaration, or a path in code: absolute from the crate's root.
struct Use {
    path: String,
    /// The name that is made known, where it is a re-export.
    reexported: Option<String>,
}

impl Source {
    /// The source of a crate, by the name of its folder.
    pub(crate) fn of(name: &str) -> Self {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let root = workspace.join("crates").join(name).join("src");
        let mut paths = Vec::new();
        collect(&root, &mut paths);
        let modules: BTreeSet<String> = paths.iter().map(|path| module_of(&root, path)).collect();
        let mut files = BTreeMap::new();
        let mut reexports = BTreeMap::new();
        for path in paths {
            let module = module_of(&root, &path);
            let file = File::read(&path, module.clone(), &modules);
            for reexport in &file.uses {
                if let Some(name) = &reexport.reexported {
                    reexports.insert((module.clone(), name.clone()), reexport.path.clone());
                }
            }
            files.insert(module, file);
        }
        Source { files, reexports }
    }

    /// All but the crate's root, which only lists the others.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values().filter(|file| !file.module.is_empty())
    }

    /// The modules that a file uses.
    pub(crate) fn arrows(&self, file: &File) -> BTreeSet<String> {
        let used = file.uses.iter().filter(|used| !file.only_lists(used));
        let targets = used.map(|used| self.home(&used.path));
        targets.filter(|target| *target != file.module && !target.is_empty()).collect()
    }

    /// The module that has the item at a path, re-exports followed.
    fn home(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let (module, rest) = self.split(&path);
            let Some((name, after)) = rest.first().map(|name| (*name, &rest[1..])) else {
                return module;
            };
            match self.reexports.get(&(module.clone(), name.to_owned())) {
                Some(target) => path = [&[target.as_str()], after].concat().join("::"),
                None => return module,
            }
        }
        panic!("{path} is re-exported in circles")
    }

    /// The longest module that a path leads through, and what comes after.
    fn split<'p>(&self, path: &'p str) -> (String, Vec<&'p str>) {
        let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
        let is_module = |&len: &usize| self.files.contains_key(&parts[..len].join("::"));
        let len = (0..=parts.len()).rev().find(is_module).unwrap_or(0);
        (parts[..len].join("::"), parts[len..].to_vec())
    }
}

impl File {
    fn read(path: &Path, module: String, modules: &BTreeSet<String>) -> Self {
        let code = code_of(&fs::read_to_string(path).unwrap());
        let mut uses = Vec::new();
        let mut rest = String::new();
        for statement in code.split_inclusive(';') {
            match declaration(statement) {
                Some((is_public, tree)) => {
                    for path in paths_of(tree) {
                        let name = path.rsplit("::").next().unwrap().to_owned();
                        if let Some(path) = absolute(&module, &path, modules) {
                            uses.push(Use { path, reexported: is_public.then_some(name) });
                        }
                    }
                }
                None => rest.push_str(statement),
            }
        }
        for path in paths_in(&rest) {
            uses.extend(
                absolute(&module, path, modules).map(|path| Use { path, reexported: None }),
            );
        }
        File { module, code: rest, uses }
    }

    /// Whether this is a re-export of what is inside of the module, of no use to the file itself.
    fn only_lists(&self, used: &Use) -> bool {
        let Some(name) = &used.reexported else { return false };
        let is_inside = used.path.starts_with(&format!("{}::", self.module));
        is_inside && !words(&self.code).any(|word| word == name)
    }

    /// The names of the functions that it has.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        let mut last = "";
        words(&self.code).filter(move |word| std::mem::replace(&mut last, word) == "fn")
    }

    /// The names of what it calls, as a method or with the type before it.
    pub(crate) fn calls(&self) -> BTreeSet<&str> {
        let before_parentheses = self.code.match_indices('(').map(|(at, _)| &self.code[..at]);
        let call = |before: &'_ str| {
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_')? + 1;
            let is_call = [".", "::"].iter().any(|mark| before[..start].ends_with(mark));
            is_call.then_some(start..before.len())
        };
        before_parentheses.filter_map(call).map(|name| &self.code[name]).collect()
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn module_of(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap().with_extension("");
    let parts = inside.iter().map(|part| part.to_str().unwrap());
    parts.filter(|part| !["lib", "mod"].contains(part)).collect::<Vec<_>>().join("::")
}

/// The text without comments, texts in quotes, and what comes after `#[cfg(test)]`.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        code.push_str(&rest[..at]);
        let from = &rest[at..];
        let len = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with('"') {
            quoted(from)
        } else if from.starts_with("'\"'") || from.starts_with("'/'") {
            3
        } else {
            code.push_str(&from[..1]);
            1
        };
        rest = &from[len..];
    }
    code + rest
}

/// The length of a text in quotes.
fn quoted(from: &str) -> usize {
    let mut escaped = false;
    let end = from[1..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(from.len(), |end| end + 2)
}

/// Whether a statement ends with `use …;`, whether that is public, and its tree.
fn declaration(statement: &str) -> Option<(bool, &str)> {
    let at = statement
        .rfind("use ")
        .filter(|&at| statement[..at].is_empty() || statement[..at].ends_with(['\n', ' ', '}']))?;
    let tree = statement[at + 4..].strip_suffix(';')?;
    let is_tree = tree.chars().all(|c| c.is_alphanumeric() || "_:{}, \n".contains(c));
    let line = statement[..at].rsplit('\n').next().unwrap();
    is_tree.then_some((line.contains("pub"), tree))
}

/// The paths of a tree `a::{b, c::{self, d}}`.
fn paths_of(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap().trim();
        return vec![path.trim_end_matches("::self").to_owned()];
    };
    let (start, inside) = (&tree[..open], tree[open + 1..].rsplit_once('}').unwrap().0);
    let mut depth = 0;
    let parts = inside.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths_of(&format!("{start}{}", part.trim()))).collect()
}

/// The paths that a code has outside of declarations.
fn paths_in(code: &str) -> impl Iterator<Item = &str> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(move |c| !is_path(c)).filter(|path| path.contains("::"))
}

/// A path from the crate's root; `None` if it is of another crate, or of an item at hand.
fn absolute(module: &str, path: &str, modules: &BTreeSet<String>) -> Option<String> {
    let mut at: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    let mut parts = path.split("::").peekable();
    match *parts.peek()? {
        "crate" => {
            at.clear();
            parts.next();
        }
        "self" => drop(parts.next()),
        "super" => {
            while parts.next_if_eq(&"super").is_some() {
                at.pop();
            }
        }
        child => {
            let child = [&at[..], &[child]].concat().join("::");
            modules.contains(&child).then_some(())?;
        }
    }
    at.extend(parts);
    Some(at.join("::"))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
