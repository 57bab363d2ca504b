//! Names of the generated text: those of the pipeline where they are free, with a number where they are not.

use super::super::expr::Variable;
use super::super::loops::ir::Nest;
use std::collections::{HashMap, HashSet};

/// Words that the text must not use as names: those of the language, and what it calls.
const TAKEN: &[&str] = &[
    "if",
    "else",
    "while",
    "do",
    "for",
    "foreach",
    "foreach_active",
    "foreach_unique",
    "parallel",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "scalar",
    "block",
    "varying",
    "uniform",
    "struct",
    "enum",
    "typedef",
    "template",
    "typename",
    "export",
    "extern",
    "import",
    "const",
    "restrict",
    "true",
    "false",
    "null",
    "new",
    "delete",
    "scratch",
    "current_mask",
    "lane_index",
    "void",
    "sizeof",
    "lengthof",
    "preferred_lengthof",
    "bool",
    "int",
    "uint",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "float16",
    "double",
    "main",
];

/// The names of a function.
pub struct Names {
    taken: HashSet<String>,
    variables: HashMap<Variable, String>,
}

impl Names {
    /// `functions` are called by the text and keep their names.
    pub fn new(functions: impl Iterator<Item = String>) -> Names {
        let taken = TAKEN.iter().map(|word| (*word).to_owned()).chain(functions).collect();
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
        while !self.taken.insert(name.clone()) {
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
