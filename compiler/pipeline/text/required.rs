//! The windows that a pipeline needs of its inputs, without running it.
//!
//! ```text
//! [[fp(strict)]]
//! int __blur__tiled__required(__view2_uint16 by_view, __view2_uint16 &in_view) {
//!     …                                       the windows of the root block, as in the function of the schedule
//!     in_view.min[0] = (int) in_low_0_64;     what is read of each input
//!     in_view.extent[0] = (int) (in_high_0_64 - in_low_0_64 + 1l);
//!     in_view.stride[0] = 1l;
//! }
//! ```
//! The parameters are those of a run. Of the views of the outputs only the windows count. Those of the inputs are set: their
//! windows, and strides as of an image that has nothing else. Where the algorithm asks for the window of an input — by
//! `in.extent(0)`, at an edge — the one that the view had counts.

use super::super::expr::{Source, Variable};
use super::super::limits::FAR;
use super::super::loops::check::Subject;
use super::Writer;
use super::windows::Root;

/// An input to be filled.
struct Filled {
    /// The name of its view.
    view: String,
    /// Its own name.
    name: String,
    /// Its ends, by dimension.
    ends: Vec<[Variable; 2]>,
}

impl Writer<'_> {
    /// The function that fills the views of the inputs.
    pub(super) fn required(&mut self) {
        let nest = self.nest;
        let pipeline = &nest.pipeline;
        let (parameters, views) = self.signature();
        let is_input = |name: &str| views.iter().any(|(view, source, ..)| view == name && matches!(source, Source::Input(_)));
        let declared: Vec<String> = parameters
            .iter()
            .map(|(ty, name)| if is_input(name) { format!("{ty} &{name}") } else { format!("{ty} {name}") })
            .collect();
        let name = self.function_name.clone();
        self.mode("");
        self.line(&format!("int scalar {name}({}) {{", declared.join(", ")));
        self.parameters = parameters;
        self.depth += 1;
        for (view, source, _, window) in &views {
            if matches!(source, Source::Func(_, component) if *component > 0) {
                continue;
            }
            for (d, &[min, extent]) in window.iter().enumerate() {
                let (min, extent) = (self.names.of(nest, min), self.names.of(nest, extent));
                self.line(&format!("int scalar {min} = {view}.min[{d}];"));
                self.line(&format!("int scalar {extent} = {view}.extent[{d}];"));
            }
        }
        for (variable, value) in &pipeline.lets {
            let (name, value, ty) = (self.names.of(nest, *variable), self.bare(value), value.element().name());
            self.line(&format!("{ty} scalar {name} = {value};"));
        }
        let root = Root::of(&nest.body);
        let mut inputs = Vec::new();
        for (view, source, ..) in &views {
            let Source::Input(id) = source else { continue };
            let wide = |v: Variable| {
                let at = root.narrow.iter().position(|narrow| *narrow == v).expect("a window of the root block");
                root.wide[at].0
            };
            let ends = self.windows.inputs[id.0 as usize].iter().map(|ends| ends.map(wide)).collect();
            inputs.push(Filled { view: view.clone(), name: pipeline.input(*id).name.to_string(), ends });
        }
        self.root_windows(&root, |writer| {
            for input in &inputs {
                for d in 0..input.ends.len() {
                    writer.fill(&input.view, d, "0", "0");
                }
            }
            writer.line("return 0;");
        });
        // What the schedule asserts has to hold whatever the inputs have, and windows are right where nothing leaves `int`.
        let is_needed =
            |subject| matches!(subject, Subject::Bound(_) | Subject::Reach(_) | Subject::DomainRange(..) | Subject::Operands(_));
        let checks = root.checks.iter().copied().filter(|check| is_needed(check.subject)).collect();
        self.start_checks(&name, "checks", checks, Self::check);
        self.behind_windows(|this| {
            for Filled { name, ends, .. } in &inputs {
                for (d, ends) in ends.iter().enumerate() {
                    let [low, high] = ends.map(|v| this.names.of(nest, v));
                    let is_near = format!("{low} > {high} | ({low} >= -{FAR}l & {high} < {FAR}l)");
                    let text = format!("pipeline `{}`: input `{name}` is read too far from 0 in dimension {d}", pipeline.name);
                    this.line(&format!("if (!({is_near})) {{ __reason(\"{text}\"); return -1; }}"));
                }
            }
            for Filled { view, ends, .. } in &inputs {
                for (d, ends) in ends.iter().enumerate() {
                    let [low, high] = ends.map(|v| this.names.of(nest, v));
                    let min = format!("{low} > {high} ? 0 : (int) {low}");
                    let extent = format!("{low} > {high} ? 0 : (int) ({high} - {low} + 1l)");
                    this.fill(view, d, &min, &extent);
                }
            }
        });
        self.line("return 0;");
        self.depth -= 1;
        self.line("}");
        self.write_refusals();
    }

    /// The window of a view in a dimension; its pixels lie side by side.
    fn fill(&mut self, view: &str, d: usize, min: &str, extent: &str) {
        self.line(&format!("{view}.min[{d}] = {min};"));
        self.line(&format!("{view}.extent[{d}] = {extent};"));
        let stride = match d {
            0 => "1l".to_owned(),
            _ => format!("{view}.stride[{0}] * {view}.extent[{0}]", d - 1),
        };
        self.line(&format!("{view}.stride[{d}] = {stride};"));
    }
}
