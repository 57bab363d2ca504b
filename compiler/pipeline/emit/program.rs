//! What of the program's own text stands in a printed file: the functions that its pipelines call, with all that these mention.

use crate::source::{SourceMap, Span};
use crate::syntax::ast::{File, Item, ItemKind};
use crate::typed::builtins;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A function that is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Called {
    /// Its name where it is defined.
    pub name: Rc<str>,
    /// Is it one of the standard library?
    pub is_library: bool,
    /// Is it an instance of the library whose products and sums may be contracted?
    pub is_contracted: bool,
}

/// The files of a program, and their text.
pub struct Program<'p> {
    /// Their trees, imports before those who import.
    pub files: &'p [File],
    /// Those of the library.
    pub library: &'p [File],
    /// The text.
    pub sources: &'p SourceMap,
}

impl<'p> Program<'p> {
    fn all(&self) -> impl Iterator<Item = &'p Item> {
        self.files.iter().flat_map(|file| &file.items)
    }

    /// The names by which something may be called in a printed file, which no local variable takes.
    pub fn callable(&self) -> FxHashSet<Rc<str>> {
        let library = self.library.iter().flat_map(|file| &file.items);
        let functions = self.all().chain(library.clone()).flat_map(names);
        let copies = library.flat_map(names).flat_map(|name| {
            let copy = |is_contracted| Called { name: name.clone(), is_library: true, is_contracted };
            [copy(false), copy(true)]
                .into_iter()
                .filter(|called| self.is_copied(called))
                .map(|called| self.name_of(&called).into())
        });
        functions.chain(copies.collect::<Vec<_>>()).chain(builtins::NAMES.iter().map(|name| name.text.into())).collect()
    }

    /// Does a printed file have a copy of it? No program can call what the library has for itself, or what the program hides.
    fn is_copied(&self, called: &Called) -> bool {
        called.is_library && (called.name.starts_with("__") || self.all().flat_map(names).any(|name| name == called.name))
    }

    /// The name by which a printed file calls a function.
    pub(super) fn name_of(&self, called: &Called) -> String {
        if !self.is_copied(called) {
            return called.name.to_string();
        }
        let mode = if called.is_contracted { "_contracted" } else { "" };
        let mut name = format!("library_{}{mode}", called.name.trim_start_matches('_'));
        while self.all().flat_map(names).any(|known| *known == *name) {
            name.push('_');
        }
        name
    }

    /// The text of the copies of functions of the library that are called, and of what these mention and no program can call.
    fn copies(&self, called: &[Called]) -> String {
        let items: Vec<&Item> = self.library.iter().flat_map(|file| &file.items).collect();
        let mut wanted: BTreeSet<Called> = called.iter().filter(|called| self.is_copied(called)).cloned().collect();
        let mut waiting: Vec<Called> = wanted.iter().cloned().collect();
        let mut made: Vec<(Span, bool, String)> = Vec::new();
        while let Some(Called { name, is_contracted, .. }) = waiting.pop() {
            for item in items.iter().filter(|item| names(item).contains(&name)) {
                if made.iter().any(|(span, mode, _)| (*span, *mode) == (item.span, is_contracted)) {
                    continue;
                }
                let mut text = String::new();
                for (word, is_name) in in_words(self.sources.text(item.span).trim()) {
                    let mentioned = Called { name: word.into(), is_library: true, is_contracted };
                    let is_item = is_name && items.iter().any(|item| names(item).contains(&mentioned.name));
                    if !is_item || !self.is_copied(&mentioned) {
                        text += word;
                        continue;
                    }
                    text += &self.name_of(&mentioned);
                    if wanted.insert(mentioned.clone()) {
                        waiting.push(mentioned);
                    }
                }
                let is_function = matches!(item.kind, ItemKind::Function(_));
                let mode = if is_contracted && is_function { "[[fp(contract)]]\n" } else { "" };
                made.push((item.span, is_contracted, format!("{mode}{text}\n")));
            }
        }
        made.sort_by_key(|(span, is_contracted, _)| (span.file, span.start, *is_contracted));
        made.into_iter().map(|(.., text)| text).collect()
    }

    /// The text of functions and of what they mention. A name of the program that is that of a built-in would be meant where the printed
    /// loops mean the built-in.
    pub(super) fn items(&self, called: &[Called]) -> Result<String, String> {
        let of_program = called.iter().filter(|called| !called.is_library);
        let mut wanted: BTreeSet<Rc<str>> = of_program.map(|called| called.name.clone()).collect();
        let mut taken: Vec<Span> = Vec::new();
        loop {
            let is_new = |item: &&Item| !taken.contains(&item.span) && names(item).iter().any(|name| wanted.contains(name));
            let new: Vec<&Item> = self.all().filter(is_new).collect();
            if new.is_empty() {
                break;
            }
            for item in new {
                taken.push(item.span);
                let hides = |name: &Rc<str>| builtins::named(name).is_some() || &**name == "floor_div" || &**name == "floor_mod";
                if let Some(name) = names(item).into_iter().find(hides) {
                    return Err(format!("`{name}` hides what printed loops call by this name: give it another one"));
                }
                wanted.extend(words(self.sources.text(item.span)));
            }
        }
        let is_taken = |item: &&Item| taken.contains(&item.span);
        let text: Vec<String> =
            self.all().filter(is_taken).map(|item| format!("{}\n", self.sources.text(item.span).trim())).collect();
        let copies = self.copies(called);
        let between = if text.is_empty() || copies.is_empty() { "" } else { "\n" };
        Ok(format!("{}{between}{copies}", text.join("\n")))
    }
}

/// The identifiers in a text; those in comments do no harm.
fn words(text: &str) -> impl Iterator<Item = Rc<str>> {
    in_words(text).filter(|(_, is_name)| *is_name).map(|(word, _)| word.into())
}

/// A text, taken apart: identifiers, and what is between them.
fn in_words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let kind = is_name(rest.chars().next()?);
        let (word, behind) = rest.split_at(rest.find(|c| is_name(c) != kind).unwrap_or(rest.len()));
        rest = behind;
        Some((word, kind))
    })
}

/// The names that an item declares, but for pipelines and schedules.
fn names(item: &Item) -> Vec<Rc<str>> {
    match &item.kind {
        ItemKind::Struct { name, .. } => vec![name.text.clone()],
        ItemKind::Enum { name, variants, .. } => {
            std::iter::once(name.text.clone()).chain(variants.iter().map(|(name, _)| name.text.clone())).collect()
        }
        ItemKind::Typedef { variable } => vec![variable.name.text.clone()],
        ItemKind::Global(declaration) => declaration.variables.iter().map(|variable| variable.name.text.clone()).collect(),
        ItemKind::Function(function) => vec![function.name.text.clone()],
        ItemKind::Import { .. }
        | ItemKind::Pipeline(_)
        | ItemKind::Schedule(_)
        | ItemKind::Definition(_)
        | ItemKind::Def(_)
        | ItemKind::Export(_)
        | ItemKind::StaticAssert(_)
        | ItemKind::Error => Vec::new(),
    }
}
