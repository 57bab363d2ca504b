//! Names of the generated text: those of the pipeline where they are free, with a number where they are not.

use super::super::expr::{Callee, Variable};
use super::super::loops::ir::Nest;
use crate::library::{OF_PROGRAM, has_word};
use crate::syntax;
use crate::typed::builtins::named;
use crate::types::{Element, view_name};
use std::collections::{HashMap, HashSet};

/// The built-ins that the text calls, and functions that stand beside it.
pub const BUILTINS: &[&str] = &[
    "min",
    "max",
    "select",
    "floor_div",
    "floor_mod",
    "intbits",
    "floatbits",
    "doublebits",
    "print",
    "get",
    "reduce_add",
    "reduce_mul",
    "reduce_and",
    "reduce_or",
    "reduce_xor",
    "reduce_min",
    "reduce_max",
    "atomic_add",
    "atomic_mul",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "atomic_min",
    "atomic_max",
    "low_end",
    "high_end",
    "otherwise_end",
    "best_end",
];

/// How the text calls a function: by its name, unless it is of the program and the text means something else by that.
pub fn call_name(callee: &Callee) -> String {
    let name = &callee.name;
    let means_another = callee.is_of_program && (named(name).is_some() || has_word(name));
    format!("{}{name}", if means_another { OF_PROGRAM } else { "" })
}

/// The names of a function.
pub struct Names {
    taken: HashSet<String>,
    variables: HashMap<Variable, String>,
    /// For names that were asked for again, the number to try next.
    numbers: HashMap<String, u32>,
    /// The variables whose names were asked for since [`Names::watch`].
    mentioned: HashSet<Variable>,
}

impl Names {
    /// `functions` are called by the text and keep their names; `main` is the entry of a program.
    pub fn new(functions: impl Iterator<Item = String>) -> Names {
        let taken = functions.chain(["main".to_owned()]).collect();
        Names { taken, variables: HashMap::new(), numbers: HashMap::new(), mentioned: HashSet::new() }
    }

    /// A name that is still free, like this one.
    pub fn fresh(&mut self, like: &str) -> String {
        let mut plain: String = like.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while plain.ends_with('_') {
            plain.pop();
        }
        if !syntax::is_reserved(&plain) && self.taken.insert(plain.clone()) {
            return plain;
        }
        let number = self.numbers.entry(plain.clone()).or_insert(2);
        loop {
            let name = format!("{plain}_{number}");
            *number += 1;
            if !syntax::is_reserved(&name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The name of a variable.
    pub fn of(&mut self, nest: &Nest, variable: Variable) -> String {
        self.mentioned.insert(variable);
        if let Some(name) = self.variables.get(&variable) {
            return name.clone();
        }
        let name = self.fresh(nest.name(variable));
        self.variables.insert(variable, name.clone());
        name
    }

    /// From now on, which variables are mentioned? The result is those that were before.
    pub fn watch(&mut self) -> HashSet<Variable> {
        std::mem::take(&mut self.mentioned)
    }

    /// Those that were mentioned since [`Names::watch`], whose result counts again.
    pub fn watched(&mut self, outer: HashSet<Variable>) -> HashSet<Variable> {
        std::mem::replace(&mut self.mentioned, outer)
    }

    /// From now on a variable has this name.
    pub fn rename(&mut self, variable: Variable, name: String) {
        self.variables.insert(variable, name);
    }
}

/// The declaration of a type of views.
pub fn view_declaration(element: Element, rank: usize) -> String {
    let (name, element) = (view_name(element, rank), element.name());
    if rank == 0 {
        return format!("struct {name} {{ {element} scalar *scalar data; }};\n");
    }
    format!(
        "struct {name} {{ {element} scalar *scalar data; int scalar min[{rank}]; int scalar extent[{rank}]; \
         int64 scalar stride[{rank}]; }};\n"
    )
}
