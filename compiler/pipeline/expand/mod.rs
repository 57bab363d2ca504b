//! Stage zero of pipelines: what is decided, repeated and written once for many funcs, is gone behind it.
//!
//! ```text
//! fun half(f)(x, ...) = f(2 * x, ...) + f(2 * x + 1, ...);
//! fun g[0](x) = in(x);                                      ──►   fun g[0](x) = in(x);
//! fun g[k = 1 .. 3](x) = half(g[k - 1])(x) / 2;                   fun g[1](x) = (g[0](2 * x) + g[0](2 * x + 1)) / 2;
//!                                                                 fun g[2](x) = (g[1](2 * x) + g[1](2 * x + 1)) / 2;
//! ```
//! It goes from tree to tree: what comes out is what a person would have written by hand, so that no later stage knows of it. Constants are
//! evaluated by the checker, as everywhere.
//!
//! * `state`: what is known meanwhile. `environment`: what names stand for. `families`: which members there are. `constants`, `numbers`: what
//!   is known while compiling. `parts`: what stands in a pipeline for which indices, in two rounds: all members of families are known
//!   before bodies are read. `walk`: what texts are made of.
//! * `expressions`: the copy of an expression. `reads`: what is called: members of families, definitions. `definitions`: their bodies in
//!   the place of their uses. `own`: the funcs that they have.
//!   `edges`: boundary conditions as what is called. `reductions`: sums over members. `order`: members behind those that they read. `schedules`: directives.
//!
//! # Invariants
//! 1. Nothing of stage zero is left: see [`super::plain`].
//! 2. An expansion is hygienic. A name in a definition means what it means where the definition stands, a name in an argument what it
//!    means where that stands: what would be captured is renamed (`x'1`), or marked as one of the files (`::f`), or of the library (`::library::f`).
//! 3. No two nodes have the same id, however often a text is expanded.
//! 4. The size of what comes out bounds the time: nothing is expanded that is not put out.

mod constants;
mod definitions;
mod edges;
mod environment;
mod expressions;
mod families;
mod numbers;
mod order;
mod own;
mod parts;
mod reads;
mod reductions;
mod schedules;
mod state;
mod templates;
mod walk;

use super::plain::{Plain, Schedule};
use crate::check::schedules::Asked;
use crate::check::{self, Runs};
use crate::diagnostics::Diagnostics;
use crate::syntax::ast::{self, Name};
use constants::{Constants, Kept};
use environment::{Environment, Found, Level};
use rustc_hash::FxHashSet;
use state::Expander;
use std::rc::Rc;
use templates::Template;

/// Leaves nothing of stage zero in the pipelines and schedules of some files: of the instances whose parameters all have defaults, of
/// those that are exported, and of those that are asked for.
pub fn expand(
    files: &[ast::File],
    library: &[ast::File],
    options: &check::Options,
    asked: &[Asked],
    diagnostics: &mut Diagnostics,
) -> Plain {
    let (kept, mut said) = (Kept::default(), Diagnostics::new());
    let constants = Constants::new(files, library, options, &kept, &mut said);
    let items = || files.iter().flat_map(|file| &file.items);
    // What the program declares hides a definition of the library.
    let functions: FxHashSet<&str> = items()
        .filter_map(|item| if let ast::ItemKind::Function(function) = &item.kind { Some(&*function.name.text) } else { None })
        .collect();
    let mut expander = Expander::new(constants, functions, diagnostics);
    expander.runs.extend(items().filter_map(|item| match &item.kind {
        ast::ItemKind::Pipeline(pipeline) => Some((&*pipeline.name.text, Runs::Pipeline)),
        ast::ItemKind::Def(def) => Some((&*def.name.text, Runs::Definition)),
        _ => None,
    }));
    let of_library = library.iter().flat_map(|file| &file.items);
    for (item, is_library) in items().map(|item| (item, false)).chain(of_library.map(|item| (item, true))) {
        let ast::ItemKind::Definition(definition) = &item.kind else { continue };
        let (name, level) = (&definition.name.text, if is_library { Level::Library } else { Level::Files });
        let found = Found { definition, environment: Rc::new(Environment::outside(level)) };
        if is_library {
            expander.library.insert(name.clone(), found.clone());
        }
        if !(is_library && expander.functions.contains(&**name)) {
            expander.definitions.entry(name.clone()).or_insert(found);
        }
    }
    let schedules: Vec<&ast::Schedule> = items()
        .filter_map(|item| if let ast::ItemKind::Schedule(schedule) = &item.kind { Some(schedule) } else { None })
        .collect();
    let exports: Vec<&ast::Export> =
        items().filter_map(|item| if let ast::ItemKind::Export(export) = &item.kind { Some(export) } else { None }).collect();
    let mut plain = Plain::default();
    for item in items() {
        if let ast::ItemKind::Def(def) = &item.kind {
            // It has no stage zero, but its schedules have.
            plain.declared.insert(def.name.text.clone());
            for schedule in schedules.iter().filter(|schedule| schedule.pipeline.text == def.name.text) {
                plain.schedules.push(expander.schedule(schedule, &def.name, &Environment::outside(Level::Files)));
            }
        }
        let ast::ItemKind::Pipeline(pipeline) = &item.kind else { continue };
        plain.declared.insert(pipeline.name.text.clone());
        let template = Template { name: &pipeline.name, parameters: &item.template };
        // Which instances there are, by what their parameters stand for: each is made once, under its first name.
        let mut made: Vec<(String, Name)> = Vec::new();
        let mut instances = Vec::new();
        match expander.stands_for(template, &[], None) {
            Some(Some(environment)) => {
                made.push((template.text(&environment), pipeline.name.clone()));
                instances.push((pipeline.name.clone(), environment));
            }
            Some(None) => {}
            // What is wrong with a default is said once.
            None => continue,
        }
        for export in exports.iter().filter(|export| export.name.text == pipeline.name.text) {
            if let Some(values) = expander.written(template, export)
                && let Some(Some(environment)) = expander.stands_for(template, &values, Some(export.name.span))
            {
                instances.push((export.public.clone(), environment));
            }
        }
        for asked in asked.iter().filter(|asked| asked.pipeline == pipeline.name.text) {
            let environment = expander.stands_for(template, &asked.values, Some(asked.span)).flatten();
            let name = environment.map(|environment| {
                let text = template.text(&environment);
                if let Some((_, name)) = made.iter().find(|(known, _)| *known == text) {
                    return name.text.clone();
                }
                let name = Name { text: text.as_str().into(), span: pipeline.name.span };
                made.push((text, name.clone()));
                instances.push((name.clone(), environment));
                name.text
            });
            plain.instances.push((asked.clone(), name));
        }
        for (name, environment) in &instances {
            plain.pipelines.push(expander.instance(pipeline, name, &item.attributes, environment));
            for schedule in schedules.iter().filter(|schedule| schedule.pipeline.text == pipeline.name.text) {
                plain.schedules.push(expander.schedule(schedule, name, environment));
            }
        }
    }
    // Of a pipeline that there is not, `build` says so.
    for schedule in schedules.iter().filter(|schedule| !plain.declared.contains(&schedule.pipeline.text)) {
        let (pipeline, name) = (schedule.pipeline.clone(), schedule.name.clone());
        plain.schedules.push(Schedule { pipeline, name, chains: Vec::new(), is_refused: true });
    }
    plain
}
