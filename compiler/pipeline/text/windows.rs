//! The windows of the root block: in 64 bits, since they may leave `int`, which is a start error.
//!
//! ```text
//! int64 scalar blur_x_0_x_min_64 = …;
//! int64 scalar blur_x_0_x_len_64 = …;
//! if (blur_x_0_x_len_64 > 1073741824l | …) return __p__auto__refused(3, 0l, 0l, 0l, 0l);
//! ```
//! Those of a large pipeline are more text than its loops, and LLVM would be busy with them for most of its time, although they
//! are computed once in a run. So they are computed in functions that are `[[cold]]`, each with a piece of them, which the function of
//! the schedule calls, and the one that gives the windows of the inputs:
//! ```text
//! [[cold]]
//! void __p__auto__windows_2(int scalar out_min_0, …, int64 scalar *scalar windows) {
//!     int64 scalar blur_x_0_x_min_64 = windows[0];            what it needs of the pieces in front of it
//!     int64 scalar in_low_0_64 = …;
//!     windows[70] = in_low_0_64;
//!     …
//! }
//! [[cold]]
//! int scalar __p__auto__windows_are_near(int64 scalar *scalar windows) { if (windows[1] > 1073741824l | …) … return 0; }
//! ```

use super::super::algorithm::Parameter;
use super::super::bounds::fill::{StartCheck, Subject, start_checks};
use super::super::bounds::infer::FAR;
use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::loops::ir::{Binder, End, Hole};
use super::Writer;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// From so many parts on, the windows have functions of their own, each of about this size.
const LARGE: u32 = 4000;

/// What is left to do behind the windows of the root block.
pub(super) struct RootWindows {
    /// The start checks that mention them.
    pub checks: Vec<StartCheck>,
    /// The variables that were defined in 64 bits, and their names in 32.
    pub names: Vec<(Variable, String)>,
}

/// Ranges of definitions of about the same size.
fn pieces(definitions: &[(Variable, Expr)]) -> Vec<Range<usize>> {
    let (mut pieces, mut begin, mut size) = (Vec::new(), 0, 0);
    for (k, (_, value)) in definitions.iter().enumerate() {
        size += value.size();
        if size >= LARGE || k + 1 == definitions.len() {
            pieces.push(begin..k + 1);
            (begin, size) = (k + 1, 0);
        }
    }
    pieces
}

impl Writer<'_> {
    /// The windows of the root block in 64 bits, once it is known that they can be computed. `empty` is what happens where the
    /// window of the only output has no point.
    pub(super) fn root_windows(&mut self, empty: impl FnOnce(&mut Self)) -> RootWindows {
        let nest = self.nest;
        let definitions = self.windows.definitions.get(&None).cloned().unwrap_or_default();
        let early: Vec<StartCheck> = start_checks(self.windows);
        let (first, later): (Vec<_>, Vec<_>) = early.into_iter().partition(|check| check.subject.is_early());
        first.iter().for_each(|check| self.check(check));
        if let [output] = &self.windows.outputs[..] {
            let is_empty: Vec<String> =
                output.window.iter().map(|&[_, extent]| format!("{} == 0", self.names.of(nest, extent))).collect();
            if !is_empty.is_empty() {
                self.line(&format!("if ({}) {{", is_empty.join(" | ")));
                self.nested(empty);
            }
        }
        self.wide = true;
        let size: u32 = definitions.iter().map(|(_, value)| value.size()).sum();
        let names = if size < LARGE { self.define_wide(&definitions) } else { self.call_for_windows(&definitions) };
        self.span = nest.pipeline.span;
        RootWindows { checks: later, names }
    }

    /// The definitions, and the check that they are not far. The expressions behind read the wide values.
    fn define_wide(&mut self, definitions: &[(Variable, Expr)]) -> Vec<(Variable, String)> {
        let narrow = self.named(definitions);
        for (of, (_, value)) in narrow.iter().zip(definitions) {
            let value = self.bare(value);
            self.define_in_64(of, &value);
        }
        self.windows_are_near(definitions);
        narrow
    }

    fn named(&mut self, definitions: &[(Variable, Expr)]) -> Vec<(Variable, String)> {
        definitions.iter().map(|(variable, _)| (*variable, self.names.of(self.nest, *variable))).collect()
    }

    /// What is written behind this reads the wide value.
    fn define_in_64(&mut self, (variable, name): &(Variable, String), value: &str) {
        self.line(&format!("int64 scalar {name}_64 = {value};"));
        self.names.rename(*variable, format!("{name}_64"));
    }

    /// The same by calls of functions that write them to memory.
    fn call_for_windows(&mut self, definitions: &[(Variable, Expr)]) -> Vec<(Variable, String)> {
        let known = self.known_at_the_beginning();
        let memory = self.names.fresh("windows");
        let failed = self.names.fresh("failed");
        let arguments: String = known.iter().map(|(_, name)| format!("{name}, ")).collect();
        let parameters: String = known.iter().map(|(ty, name)| format!("{ty} scalar {name}, ")).collect();
        let narrow = self.named(definitions);
        self.line(&format!("int64 scalar {memory}[{}];", definitions.len()));
        for (number, piece) in pieces(definitions).into_iter().enumerate() {
            let name = format!("{}__windows_{}", self.schedule_function, number + 1);
            self.line(&format!("{name}({arguments}{memory});"));
            self.function_of_both(&format!("void {name}({parameters}int64 scalar *scalar {memory})"), |this| {
                this.write_piece(definitions, piece, &narrow, &memory);
            });
        }
        let name = format!("{}__windows_are_near", self.schedule_function);
        self.function_of_both(&format!("int scalar {name}(int64 scalar *scalar {memory})"), |this| {
            for (k, (variable, _)) in narrow.iter().enumerate() {
                this.names.rename(*variable, format!("{memory}[{k}]"));
            }
            this.windows_are_near(definitions);
            this.line("return 0;");
        });
        for (k, of) in narrow.iter().enumerate() {
            self.define_in_64(of, &format!("{memory}[{k}]"));
        }
        self.line(&format!("int scalar {failed} = {name}({memory});"));
        self.line(&format!("if ({failed} != 0) return {failed};"));
        narrow
    }

    /// A function that the one of the schedule calls, with which it is written, and the one that gives the windows of the inputs.
    fn function_of_both(&mut self, header: &str, body: impl FnOnce(&mut Self)) {
        if self.function_name == self.schedule_function {
            self.cold_function(header, body);
        }
    }

    /// Some of the definitions, behind what they mention of those in front of them.
    fn write_piece(&mut self, all: &[(Variable, Expr)], piece: Range<usize>, narrow: &[(Variable, String)], memory: &str) {
        let mentioned: HashSet<Variable> =
            all[piece.clone()].iter().flat_map(|(_, value)| value.free_variables().iter().copied()).collect();
        for (k, of) in narrow[..piece.start].iter().enumerate().filter(|(_, (variable, _))| mentioned.contains(variable)) {
            self.define_in_64(of, &format!("{memory}[{k}]"));
        }
        for k in piece {
            let value = self.bare(&all[k].1);
            self.define_in_64(&narrow[k], &value);
            self.line(&format!("{memory}[{k}] = {}_64;", narrow[k].1));
        }
    }

    /// Types and names of what windows are made of: windows of the caller's memory, scalar parameters, and `let`s.
    fn known_at_the_beginning(&mut self) -> Vec<(&'static str, String)> {
        let nest = self.nest;
        let pipeline = &nest.pipeline;
        let mut variables: Vec<Variable> = self.windows.outputs.iter().flat_map(|o| o.window.iter().flatten().copied()).collect();
        for parameter in &pipeline.parameters {
            match parameter {
                Parameter::Input(id) => variables.extend(pipeline.input(*id).dimensions.iter().flat_map(|d| [d.min, d.extent])),
                Parameter::Scalar(variable) => variables.push(*variable),
            }
        }
        variables.extend(pipeline.lets.iter().map(|(variable, _)| *variable));
        variables.into_iter().map(|v| (nest.element(v).name(), self.names.of(nest, v))).collect()
    }

    /// The windows of the root block, whose names are those of their wide values, are where coordinates do not leave `int`: one
    /// check for a dimension of a func, however many of its stages and stores have windows of their own.
    fn windows_are_near(&mut self, definitions: &[(Variable, Expr)]) {
        let nest = self.nest;
        let windows: BTreeMap<Hole, (Variable, &Expr)> = definitions
            .iter()
            .filter_map(|(variable, value)| match nest.binder(*variable) {
                Some(Binder::Hole(hole)) => Some((hole, (*variable, value))),
                _ => None,
            })
            .collect();
        let is_copy = |ends: [&Expr; 2]| {
            let [min, length] = ends.map(|value| match value.kind() {
                ExprKind::Variable(variable) => nest.binder(*variable),
                _ => None,
            });
            let Some(Binder::Hole(min)) = min else { return false };
            min.end == End::Min && length == Some(Binder::Hole(Hole { end: End::Length, ..min }))
        };
        let mut far: BTreeMap<(FuncId, usize), Vec<String>> = BTreeMap::new();
        for (&hole, &(min, min_value)) in windows.iter().filter(|(hole, _)| hole.end == End::Min) {
            let (length, length_value) = windows[&Hole { end: End::Length, ..hole }];
            if is_copy([min_value, length_value]) {
                continue;
            }
            let [min, length] = [min, length].map(|variable| self.names.of(nest, variable));
            // Nobody looks at where an empty window begins.
            let is_far = format!("{length} > {FAR}l | {length} > 0l & ({min} <= -{FAR}l | {min} > {FAR}l)");
            far.entry((hole.func, hole.dimension)).or_default().push(is_far);
        }
        for ((func, dimension), parts) in far {
            self.span = nest.pipeline.func(func).span;
            self.refuse_if(&parts.join(" | "), Subject::Range(func, dimension));
        }
    }
}
