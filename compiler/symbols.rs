//! What exports are called in objects.
//!
//! ```text
//! one target          prefix_f
//! several targets     prefix_f__sse4, prefix_f__avx2, …: the code for each      prefix_f: goes to the one that this processor runs best
//! ```
//! The prefix keeps the kernels of one library apart from those of another that is linked into the same program. `main` has none: the
//! system looks for it.

use crate::machine::Isa;
use crate::vector::ir::{Abi, Linkage, Module};
use rustc_hash::FxHashSet;

/// How exports are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// What stands in front of all names; nothing, or the beginning of an identifier.
    pub prefix: String,
    /// The targets that one object has code for, the best one last; empty where it is for one target and nothing is chosen.
    pub targets: Vec<Isa>,
}

/// A function that goes on to the code for the best target that the processor runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatcher {
    /// Its symbol.
    pub symbol: String,
    /// Its C signature, which the code has, too.
    pub abi: Abi,
    /// The symbols of the code, the best target last.
    pub code: Vec<(Isa, String)>,
}

impl Symbols {
    /// The symbol that callers of an export use.
    pub fn of(&self, export: &str) -> String {
        if export == "main" { export.to_owned() } else { format!("{}{export}", self.prefix) }
    }

    /// The symbol of the code of an export for one of the targets.
    pub fn code(&self, export: &str, isa: Isa) -> String {
        match self.targets.is_empty() {
            true => self.of(export),
            false => format!("{}__{}", self.of(export), isa.identifier()),
        }
    }

    /// Gives the exports of a module for a target their symbols, and says what chooses between them.
    ///
    /// # Errors
    /// The name of a symbol that would stand for two functions.
    pub fn apply(&self, module: &mut Module, isa: Isa) -> Result<Vec<Dispatcher>, String> {
        let mut dispatchers = Vec::new();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for function in &mut module.functions {
            match &function.linkage {
                Linkage::Export(abi) => {
                    let code = self.targets.iter().map(|&isa| (isa, self.code(&function.name, isa))).collect::<Vec<_>>();
                    let names: Vec<String> = code.iter().map(|(_, name)| name.clone()).chain([self.of(&function.name)]).collect();
                    if let Some(name) = names.into_iter().find(|name| !taken.insert(name.clone())) {
                        return Err(name);
                    }
                    if !code.is_empty() {
                        dispatchers.push(Dispatcher { symbol: self.of(&function.name), abi: abi.clone(), code });
                    }
                    function.name = self.code(&function.name, isa);
                }
                Linkage::Extern(_) | Linkage::Internal => {}
            }
        }
        let external = module.functions.iter().filter(|function| matches!(function.linkage, Linkage::Extern(_)));
        match external.into_iter().find(|function| taken.contains(&function.name)) {
            Some(function) => Err(function.name.clone()),
            None => Ok(dispatchers),
        }
    }
}

/// The symbol of an export, or of its code for a target, that returns whether it has failed. No export has such a name.
pub fn status(symbol: &str) -> String {
    format!("{symbol}.status")
}

/// A prefix from the command line.
///
/// # Errors
/// If names that begin with it are none.
pub fn prefix(text: &str) -> Result<String, String> {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let fits = text.chars().all(|c| is_letter(c) || c.is_ascii_digit()) && text.chars().next().is_none_or(is_letter);
    if fits { Ok(text.to_owned()) } else { Err("a prefix has letters, digits and `_`, and begins with no digit".into()) }
}
