//! Tensor comprehensions as text, in the notation of the paper. What is printed reads back as what was printed.

use super::{expression, list};
use crate::syntax::ast::{Clause, Def, Size, TensorStatement, TensorType};

/// A definition, a line for each statement.
///
/// ```text
/// def mv(float(M, K) A, float(K) x) -> (C) {
///     C(i) +=! A(i, k) * x(k)
/// }
/// ```
pub fn def(def: &Def) -> String {
    let parameter = |p: &crate::syntax::ast::TensorParameter| {
        format!("{}{} {}", if p.inout.is_some() { "inout " } else { "" }, tensor(&p.ty), p.name.text)
    };
    let parameters: Vec<String> = def.parameters.iter().map(parameter).collect();
    let results: Vec<String> = def
        .results
        .iter()
        .map(|result| match &result.ty {
            Some(ty) => format!("{} {}", tensor(ty), result.name.text),
            None => result.name.text.to_string(),
        })
        .collect();
    let results = if results.is_empty() { String::new() } else { format!(" -> ({})", results.join(", ")) };
    let statements: String = def.statements.iter().map(|s| format!("    {}\n", statement(s))).collect();
    format!("def {}({}){results} {{\n{statements}}}\n", def.name.text, parameters.join(", "))
}

/// `float(M, 3)`
pub fn tensor(of: &TensorType) -> String {
    let size = |size: &Size| match size {
        Size::Variable(name) => name.text.to_string(),
        Size::Constant(value, _) => value.to_string(),
    };
    let sizes: Vec<String> = of.sizes.iter().map(size).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!("({})", sizes.join(", ")) };
    format!("{}{sizes}", of.word)
}

/// A statement.
pub fn statement(s: &TensorStatement) -> String {
    let targets: Vec<String> = s
        .targets
        .iter()
        .map(|target| match &target.indices {
            Some(indices) => format!("{}({})", target.name.text, list(indices)),
            None => target.name.text.to_string(),
        })
        .collect();
    let clauses: Vec<String> = s
        .clauses
        .iter()
        .map(|clause| match clause {
            Clause::Range { index, low, high } => format!("{} in {}:{}", index.text, expression(low), expression(high)),
            Clause::Exists(e) => format!("exists {}", expression(e)),
        })
        .collect();
    let clauses = if clauses.is_empty() { String::new() } else { format!(" where {}", clauses.join(", ")) };
    format!("{} {} {}{clauses}", targets.join(", "), s.op.symbol(), expression(&s.value))
}
