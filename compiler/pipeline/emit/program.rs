//! What of the program's own text stands in a printed file: the functions that its pipelines call, with all that these mention.

use crate::source::{SourceMap, Span};
use crate::syntax::ast::{File, Item, ItemKind};
use crate::typed::builtins;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

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
        let functions = self.all().chain(library).flat_map(names);
        functions.chain(builtins::NAMES.iter().map(|name| name.text.into())).collect()
    }

    /// The text of functions and of what they mention. A name of the program that is that of a built-in would be meant where the printed
    /// loops mean the built-in.
    pub fn items(&self, called: &[Rc<str>]) -> Result<String, String> {
        let mut wanted: BTreeSet<Rc<str>> = called.iter().cloned().collect();
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
        Ok(text.join("\n"))
    }
}

/// The identifiers in a text; those in comments do no harm.
fn words(text: &str) -> impl Iterator<Item = Rc<str>> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).map(Rc::from)
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
