//! Syntax tree to typed program: names, types, lengths and contexts are resolved, functions instantiated.
//!
//! ```text
//! float dot(vec3 a, vec3 b) {…}                 float block[4] dot(vec3 block[4] a, vec3 scalar b) {…}   Λ = 1
//! vec3 block[4] a; vec3 b;               ──►    …
//! float r = dot(a, b);                          float block[4] r = dot(a, b);
//! ```
//!
//! The rules are those of figure 14 of the paper, with the decisions of the language reference: each function of this
//! room that implements one names it. Type checking happens on demand (T-INVOKE): a function is checked once for each
//! (name, Λ, parameter types) that it is called with; one that nobody calls is checked at sample lengths, for its errors.
//!
//! In reading order:
//!
//! * `state`: what is known while a function is checked, with `declared`, `items`, `instance`; `context`: how that changes. `names`: what each
//!   name of the files means. `types`: vec_Λ. `generics`: structs with parameters.
//! * `exports`: where instantiation starts. `instantiate`: T-INVOKE, in rounds. `settle`: what the roots reach.
//! * `statements`, `loops`, `foreach`, `switch`, `static_parts` (with `static_mistakes`, which tests plant), `require`, `results`: statements, contexts, jumps, and the end of a body.
//! * `expressions`, `operand`, `operators`, `pointers`, `conditionals`, `assignments`, `collisions`: values.
//! * `conversions`: T-BROADCAST, and which elements become which. `constants`, `computed`: what is known now.
//! * `places`, `images`, `scratch`, `initializers`, `globals`, `bounds`: where values are. `constness`: what is not written.
//! * `calls`, `pipeline_calls`, `overloads`, `templates`, `builtins`: what is called. `attributes`, `foreign`: what stands in front, and what other languages say.
//! * `infer`: the lengths of what is declared without one, from what `uses` sees in the text. `warnings`: what is strange about
//!   bodies that are right.
//! * [`schedules`]: what pipelines are to the checker, which asks for a schedule as for an instance; `scheduled`: the functions that
//!   they become. `scalar_expressions`: the rules for those who build pipelines.
//!
//! # Invariants
//! 1. What comes out satisfies the invariants of `typed::ir` if no error was reported.
//! 2. An expression in error has the error type, and nothing more is said about it.
//! 3. Each argument of each call is checked once: overloads are chosen by the types of checked operands.
//! 4. An instance is checked in rounds: what one finds out of lengths and contexts is kept for the next, what it said is forgotten. The
//!    last round finds out nothing new.

mod assignments;
mod attributes;
mod bounds;
mod builtins;
mod calls;
mod collisions;
mod computed;
mod conditionals;
mod constants;
mod constness;
mod context;
mod conversions;
mod declared;
mod element_values;
mod elements;
mod exports;
mod expressions;
mod foreach;
mod foreign;
mod generics;
mod globals;
mod hsoa;
mod images;
mod infer;
mod initializers;
mod instance;
mod instantiate;
mod items;
mod lanes;
mod loops;
mod names;
mod operand;
mod operators;
mod overloads;
mod owned_elements;
mod pipeline_calls;
mod places;
mod pointers;
mod require;
mod results;
mod scalar_expressions;
mod scheduled;
pub mod schedules;
mod scratch;
mod settle;
mod state;
mod statements;
mod static_mistakes;
mod static_parts;
mod switch;
mod templates;
mod types;
mod uses;
mod visits;
mod warnings;

use crate::diagnostics::Diagnostics;
use crate::syntax::ast;
use crate::typed::ir;
pub(crate) use constants::fits;
pub use infer::{Mistake, plant};
pub(crate) use names::closest;
pub(crate) use operators::{arithmetic, comparison};
pub use scalar_expressions::{Runs, ScalarExpressions};
use schedules::Schedules;
use state::Checker;
pub use state::{Options, Reduced};
pub use static_mistakes::{StaticMistake, plant_static};
use std::rc::Rc;

/// Checks the files of one compilation (imports first) and instantiates what `main` and `export`s need. `library` has the files
/// of the standard library that they mention.
///
/// `schedules` makes what the program knows of its pipelines, in the scope of the files.
pub fn check<'a>(
    files: &'a [ast::File],
    library: &'a [ast::File],
    options: &Options,
    diagnostics: &'a mut Diagnostics,
    schedules: impl FnOnce(&mut ScalarExpressions<'a>) -> Rc<dyn Schedules>,
) -> ir::Program {
    let mut checker = Checker::new(*options, diagnostics);
    checker.collect(files, false);
    checker.collect(library, true);
    checker.records();
    checker.globals();
    checker.file_assertions();
    // What ran while compiling is checked again where the program calls it.
    checker.forget_since(ir::FunctionId(0));
    let mut scope = ScalarExpressions::of(checker);
    let schedules = schedules(&mut scope);
    let mut checker = scope.into_checker();
    checker.schedules = schedules;
    checker.roots();
    checker.uncalled();
    checker.say_rest();
    checker.allowances.apply(checker.diagnostics);
    checker.program
}
