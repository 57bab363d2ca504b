//! Names of the generated text: those of the pipeline where they are free, with a number where they are not.

use super::super::expr::Variable;
use super::super::loops::ir::Nest;
use crate::syntax;
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

/// The names of a function.
pub struct Names {
    taken: HashSet<String>,
    variables: HashMap<Variable, String>,
}

impl Names {
    /// `functions` are called by the text and keep their names; `main` is the entry of a program.
    pub fn new(functions: impl Iterator<Item = String>) -> Names {
        let taken = functions.chain(["main".to_owned()]).collect();
        Names { taken, variables: HashMap::new() }
    }

    /// A name that is still free, like this one.
    pub fn fresh(&mut self, like: &str) -> String {
        let mut plain: String = like.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while plain.ends_with('_') {
            plain.pop();
        }
        let mut name = plain.clone();
        let mut number = 2;
        while syntax::is_reserved(&name) || !self.taken.insert(name.clone()) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        name
    }

    /// The name of a variable.
    pub fn of(&mut self, nest: &Nest, variable: Variable) -> String {
        if let Some(name) = self.variables.get(&variable) {
            return name.clone();
        }
        let name = self.fresh(nest.name(variable));
        self.variables.insert(variable, name.clone());
        name
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

/// The name of the function of a schedule.
pub fn function_name(pipeline: &str, schedule: &str) -> String {
    format!("__{pipeline}__{schedule}")
}
