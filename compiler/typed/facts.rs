//! What is known of the variables and results of a program, for editors: type, and why it has the length that it has.
//!
//! ```text
//! {"reason":"type","name":"prime","kind":"local","file":"a.ivl","line":2,"column":10,…,"type":"bool block[4]",
//!  "because":[{"message":"`prime` is one per lane (length 4): it is assigned here, …","file":"a.ivl","line":3,…},…],
//!  "instance":"bool block[4] is_prime(int block[4] n)"}
//! ```

use super::ir::{Function, Program, Reason};
use crate::source::{SourceMap, Span};
use crate::types::{Type, TypeKind, as_written};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One object a line for each parameter, local and result of each instance of the program's own functions, in the order of the text;
/// of what nothing calls, of the instance that was checked for its errors.
/// What was refused, and so has no type, is left out.
pub fn json_lines(program: &Program, sources: &SourceMap) -> String {
    let mut lines: Vec<(Span, String)> = Vec::new();
    let own = program.functions.iter().filter(|f| !f.is_library && !f.is_scheduled && f.body.is_some());
    for function in own.chain(&program.samples) {
        let found = of_function(function, sources);
        let known = found.into_iter().filter(|fact| !program.types.is_error(fact.ty));
        lines.extend(known.map(|fact| (fact.span, fact.json(program, function, sources).to_string())));
    }
    lines.sort_by_key(|(span, _)| *span);
    lines.dedup();
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

/// What is known of a variable or result.
struct Fact<'p> {
    name: &'p str,
    kind: &'static str,
    /// Where it is declared.
    span: Span,
    ty: Type,
    because: &'p [Reason],
}

fn of_function<'p>(function: &'p Function, sources: &SourceMap) -> Vec<Fact<'p>> {
    let result =
        Fact { name: &function.name, kind: "result", span: function.span, ty: function.result, because: &function.reasons };
    // A parameter that is assigned something longer than its argument has a variable of its name, which is what the text means.
    let mut variables: BTreeMap<Span, Fact> = BTreeMap::new();
    for (at, local) in function.locals.iter().enumerate() {
        // What the compiler made has no name in the text.
        if sources.text(local.span) == local.name {
            let kind = if at < function.parameters { "parameter" } else { "local" };
            let kind = variables.get(&local.span).map_or(kind, |known| known.kind);
            variables
                .insert(local.span, Fact { name: &local.name, kind, span: local.span, ty: local.ty, because: &local.reasons });
        }
    }
    std::iter::once(result).chain(variables.into_values()).collect()
}

impl Fact<'_> {
    fn json(&self, program: &Program, function: &Function, sources: &SourceMap) -> Value {
        let mut object = json!({
            "reason": "type",
            "name": self.name,
            "kind": self.kind,
            "type": match program.types.kind(self.ty) {
                TypeKind::Void => "void".to_owned(),
                _ => as_written(&program.types.display(self.ty)),
            },
            "because": self.because.iter().map(|reason| {
                let mut link = json!({ "message": reason.text });
                place(&mut link, reason.span, sources);
                link
            }).collect::<Vec<Value>>(),
            "instance": as_written(&function.signature),
        });
        place(&mut object, self.span, sources);
        object
    }
}

/// Adds where something is, as diagnostics have it.
fn place(object: &mut Value, span: Span, sources: &SourceMap) {
    let file = sources.file(span.file);
    let ((line, column), (end_line, end_column)) = (file.line_column(span.start), file.line_column(span.end));
    object["file"] = json!(file.name);
    for (name, number) in [("line", line), ("column", column), ("end_line", end_line), ("end_column", end_column)] {
        object[name] = json!(number);
    }
}
