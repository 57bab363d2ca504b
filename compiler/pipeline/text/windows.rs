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
//! int scalar __p__auto__windows_are_near_1(…, int64 scalar *scalar windows) { … if (f_0_x_len_64 > 1073741824l | …) … return 0; }
//! ```
//! So are the start checks. What comes behind defines those windows that it mentions.

use super::super::algorithm::Parameter;
use super::super::bounds::fill::{StartCheck, Subject, start_checks};
use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::limits::FAR;
use super::super::loops::ir::{Binder, End, Hole};
use super::Writer;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// From so many parts on, the windows have functions of their own.
const LARGE: u32 = 4000;
/// The parts of such a function.
const PIECE: u32 = 500;
/// So many start checks are in a function.
const CHECKS: usize = 32;

/// What is left to do behind the windows of the root block.
pub(super) struct RootWindows {
    /// The start checks that mention them.
    pub checks: Vec<StartCheck>,
    /// The variables that were defined in 64 bits, and their names in 32.
    pub names: Vec<(Variable, String)>,
}

/// The windows of a func that must not be far from 0 in a dimension.
struct FarWindow {
    func: FuncId,
    dimension: usize,
    /// Minimum and length of each.
    windows: Vec<[Variable; 2]>,
}

/// Ranges of definitions of about the same size.
fn pieces(definitions: &[(Variable, Expr)]) -> Vec<Range<usize>> {
    let (mut pieces, mut begin, mut size) = (Vec::new(), 0, 0);
    for (k, (_, value)) in definitions.iter().enumerate() {
        size += value.size();
        if size >= PIECE || k + 1 == definitions.len() {
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
        first.into_iter().for_each(|check| self.check(check));
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
        let names =
            if size < LARGE && !self.is_long() { self.define_wide(&definitions) } else { self.call_for_windows(&definitions) };
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
        self.far_windows_of(definitions).into_iter().for_each(|far| self.refuse_far(far));
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
        let memory = self.names.fresh("windows");
        let (parameters, arguments) = self.with_what_is_known(&memory);
        let narrow = self.named(definitions);
        self.line(&format!("scratch int64 scalar {memory}[{}];", definitions.len()));
        for (number, piece) in pieces(definitions).into_iter().enumerate() {
            let name = format!("{}__windows_{}", self.schedule_function, number + 1);
            self.line(&format!("{name}({arguments});"));
            // The function that gives the windows of the inputs calls them, too.
            if self.function_name == self.schedule_function {
                self.cold_function(&format!("void {name}({parameters})"), |this| {
                    this.write_piece(definitions, piece, &narrow, &memory);
                });
            }
        }
        for (variable, name) in &narrow {
            self.names.rename(*variable, format!("{name}_64"));
        }
        self.in_memory = Some(memory);
        let far = self.far_windows_of(definitions);
        self.start_checks(&self.schedule_function.clone(), "windows_are_near", far, Self::refuse_far);
        narrow
    }

    /// Start checks; where the windows are in memory, in functions of their own, some in each, which are written with the function
    /// that owns them.
    pub(super) fn start_checks<T>(&mut self, owner: &str, what: &str, checks: Vec<T>, write: impl Fn(&mut Self, T)) {
        let Some(memory) = self.in_memory.clone() else {
            checks.into_iter().for_each(|check| write(self, check));
            return;
        };
        let (parameters, arguments) = self.with_what_is_known(&memory);
        let functions = checks.len().div_ceil(CHECKS);
        let mut checks = checks.into_iter();
        for number in 1..=functions {
            let name = format!("{owner}__{what}_{number}");
            let failed = self.names.fresh("failed");
            self.line(&format!("int scalar {failed} = {name}({arguments});"));
            self.line(&format!("if ({failed} != 0) return {failed};"));
            let some: Vec<T> = checks.by_ref().take(CHECKS).collect();
            if owner == self.function_name {
                self.cold_function(&format!("int scalar {name}({parameters})"), |this| {
                    this.behind_windows(|this| some.into_iter().for_each(|check| write(this, check)));
                    this.line("return 0;");
                });
            }
        }
    }

    /// The parameters and the arguments of a function of the windows: what these are made of, and where they are.
    fn with_what_is_known(&mut self, memory: &str) -> (String, String) {
        let known = self.known_at_the_beginning();
        let parameters: String = known.iter().map(|(ty, name)| format!("{ty} scalar {name}, ")).collect();
        let arguments: String = known.iter().map(|(_, name)| format!("{name}, ")).collect();
        (format!("{parameters}int64 scalar *scalar {memory}"), arguments + memory)
    }

    /// Text behind the definitions of the windows of the root block that it mentions, where they are in memory.
    pub(super) fn behind_windows(&mut self, work: impl FnOnce(&mut Self)) {
        let Some(memory) = self.in_memory.clone() else { return work(self) };
        let outer = self.names.watch();
        let text = self.apart(work);
        let mentioned = self.names.watched(outer);
        let windows = self.windows;
        for (k, (variable, _)) in windows.definitions.get(&None).into_iter().flatten().enumerate() {
            if mentioned.contains(variable) {
                let name = self.names.of(self.nest, *variable);
                self.line(&match self.wide {
                    true => format!("int64 scalar {name} = {memory}[{k}];"),
                    false => format!("int scalar {name} = (int) {memory}[{k}];"),
                });
            }
        }
        self.append(text);
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

    /// Where the windows of the root block, whose names are those of their wide values, are such that coordinates leave `int`: one
    /// condition for a dimension of a func, however many of its stages and stores have windows of their own.
    fn far_windows_of(&self, definitions: &[(Variable, Expr)]) -> Vec<FarWindow> {
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
        let mut far: BTreeMap<(FuncId, usize), Vec<[Variable; 2]>> = BTreeMap::new();
        for (&hole, &(min, min_value)) in windows.iter().filter(|(hole, _)| hole.end == End::Min) {
            let (length, length_value) = windows[&Hole { end: End::Length, ..hole }];
            if is_copy([min_value, length_value]) {
                continue;
            }
            far.entry((hole.func, hole.dimension)).or_default().push([min, length]);
        }
        far.into_iter().map(|((func, dimension), windows)| FarWindow { func, dimension, windows }).collect()
    }

    fn refuse_far(&mut self, FarWindow { func, dimension, windows }: FarWindow) {
        let nest = self.nest;
        let is_far = |this: &mut Self, window: [Variable; 2]| {
            let [min, length] = window.map(|variable| this.names.of(nest, variable));
            // Nobody looks at where an empty window begins.
            format!("{length} > {FAR}l | {length} > 0l & ({min} <= -{FAR}l | {min} > {FAR}l)")
        };
        let parts: Vec<String> = windows.into_iter().map(|window| is_far(self, window)).collect();
        self.span = nest.pipeline.func(func).span;
        self.refuse_if(&parts.join(" | "), Subject::Range(func, dimension));
    }
}
