//! Which files of the compiler import from which: by their `use` lines, and by paths from `crate`, `super` and `self`. A name counts
//! for the file that defines it, wherever it is exported again. What a folder's `mod.rs` calls by `child::name` is no import, and a
//! method needs none.

use crate::code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The path of a module from the root of the crate.
type Module = Vec<String>;

/// A name that a file sees, and whence; `*` for all.
struct Import {
    name: String,
    path: Vec<String>,
}

/// The files of a crate.
pub struct Files {
    paths: BTreeMap<Module, PathBuf>,
    imports: BTreeMap<Module, Vec<Import>>,
}

impl Files {
    /// Of texts by their paths below `root`.
    pub fn new(root: &Path, texts: impl Iterator<Item = (PathBuf, String)>) -> Files {
        let (mut paths, mut imports) = (BTreeMap::new(), BTreeMap::new());
        for (path, text) in texts {
            let inside = path.strip_prefix(root).expect("a file below the root").with_extension("");
            let mut module: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            module.pop_if(|last| last == "mod" || last == "lib");
            imports.insert(module.clone(), imports_of(&code::of(&text)));
            paths.insert(module, path);
        }
        Files { paths, imports }
    }

    /// The files that each file imports from.
    pub fn edges(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let of = |module: &Module, imports: &[Import]| -> BTreeSet<&Path> {
            let found = imports.iter().filter_map(|import| self.definition(module, &import.path, 0));
            found.filter(|found| found != module).filter_map(|found| Some(&**self.paths.get(&found)?)).collect()
        };
        self.imports.iter().map(|(module, imports)| (&*self.paths[module], of(module, imports))).collect()
    }

    /// The module in which a path ends, or whose file defines what it ends in.
    fn definition(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Module::new(), &path[1..]),
            "self" | "super" => (from.clone(), path),
            // A child, or another crate.
            first => {
                let child = [&from[..], &[first.to_owned()]].concat();
                self.paths.contains_key(&child).then(|| (from.clone(), path))?
            }
        };
        while let Some((name, behind)) = rest.split_first() {
            let child = [&at[..], std::slice::from_ref(name)].concat();
            if name == "super" {
                at.pop();
            } else if self.paths.contains_key(&child) {
                at = child;
            } else if name != "self" && name != "*" {
                let exported = self.imports.get(&at)?.iter().filter(|import| import.name == *name && depth < 8);
                return exported.filter_map(|import| self.definition(&at, &import.path, depth + 1)).next().or(Some(at));
            }
            rest = behind;
        }
        Some(at)
    }
}

/// Files each of which leads to each other one; those by themselves are left out.
pub fn circles<'p>(edges: &BTreeMap<&'p Path, BTreeSet<&'p Path>>) -> BTreeSet<BTreeSet<&'p Path>> {
    let reached = |from: &'p Path| {
        let (mut reached, mut work) = (BTreeSet::new(), vec![from]);
        while let Some(file) = work.pop() {
            work.extend(edges[file].iter().filter(|next| reached.insert(**next)));
        }
        reached
    };
    let reached: BTreeMap<&Path, BTreeSet<&Path>> = edges.keys().map(|file| (*file, reached(file))).collect();
    let circle = |file: &&'p Path| reached[file].iter().copied().filter(|other| reached[other].contains(file)).collect();
    edges.keys().map(circle).filter(|circle: &BTreeSet<&Path>| circle.len() > 1).collect()
}

fn imports_of(code: &str) -> Vec<Import> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let begins = |at: usize| !code[..at].ends_with(is_part);
    let mut found = Vec::new();
    let mut declared = Vec::new();
    for (at, _) in code.match_indices("use ").filter(|(at, _)| begins(*at)) {
        let end = at + code[at..].find(';').expect("an import ends");
        leaves(&code[at + "use ".len()..end], &[], &mut found);
        declared.push(at..end);
    }
    for start in ["crate::", "super::", "self::"] {
        // `pub(in super::super)` says who sees something.
        let is_written =
            |at: usize| begins(at) && !code[..at].ends_with("in ") && declared.iter().all(|range| !range.contains(&at));
        for (at, _) in code.match_indices(start).filter(|(at, _)| is_written(*at)) {
            let path = code[at..].split(|c| !is_part(c)).next().unwrap_or("");
            let path = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            found.push(Import { name: String::new(), path });
        }
    }
    found
}

/// The names of an import, without those in front of its brackets.
fn leaves(tree: &str, before: &[String], found: &mut Vec<Import>) {
    let tree = tree.trim();
    let names = |path: &str| path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if let Some((path, list)) = tree.strip_suffix('}').and_then(|tree| tree.split_once('{')) {
        let before = [before, &Vec::<String>::from_iter::<Vec<_>>(names(path))].concat();
        let mut at = 0;
        while at < list.len() {
            let end = code::outside(list, at, |rest| rest.starts_with(','));
            leaves(&list[at..end], &before, found);
            at = end + 1;
        }
    } else if !tree.is_empty() {
        let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path = [before, &Vec::<String>::from_iter::<Vec<_>>(names(path))].concat();
        path.pop_if(|last| last == "self");
        let name = if alias.is_empty() { path.last().cloned().unwrap_or_default() } else { alias.trim().to_owned() };
        found.push(Import { name, path });
    }
}

#[test]
fn circles_are_found_through_other_names() {
    let texts = [
        ("a/lib.rs", "pub mod x; pub mod y;"),
        ("a/x/mod.rs", "mod one; mod two; pub use one::One as Uno; use crate::y::{self, Y};"),
        ("a/x/one.rs", "use super::two::{Two}; // use crate::y::Y;\npub struct One;"),
        ("a/x/two.rs", "fn f() { super::three() }\n#[cfg(test)]\nmod tests { use crate::y::Y; }"),
        ("a/y.rs", "use std::fmt; use crate::x::Uno; pub(in super::super) struct Y;"),
    ];
    let files = Files::new(Path::new("a"), texts.into_iter().map(|(path, text)| (path.into(), text.to_owned())));
    let edges = files.edges();
    let list = |names: &[&'static str]| names.iter().map(|name| Path::new(*name)).collect::<BTreeSet<&Path>>();
    assert_eq!(edges[Path::new("a/x/mod.rs")], list(&["a/x/one.rs", "a/y.rs"]));
    assert_eq!(edges[Path::new("a/y.rs")], list(&["a/x/one.rs"]));
    assert_eq!(circles(&edges), BTreeSet::from([list(&["a/x/mod.rs", "a/x/one.rs", "a/x/two.rs", "a/y.rs"])]));
}
