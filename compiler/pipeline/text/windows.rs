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
use super::super::expr::{Expr, Variable};
use super::super::loops::check::{Check, Subject};
use super::super::loops::ir::Statement;
use super::Writer;
use std::collections::HashSet;
use std::ops::Range;

/// From so many parts on, the windows have functions of their own.
const LARGE: u32 = 4000;
/// The parts of such a function.
const PIECE: u32 = 500;
/// So many start checks are in a function.
const CHECKS: usize = 32;

/// What stands in front of the work, as `passes::widen` leaves it.
pub(super) struct Root<'n> {
    /// The checks of startup expressions.
    early: Vec<&'n Check>,
    /// There is nothing to do where this holds.
    is_empty: Option<&'n Expr>,
    /// The windows in 64 bits.
    pub wide: Vec<(Variable, &'n Expr)>,
    /// Are the windows near?
    near: Vec<&'n Check>,
    /// The checks of windows.
    pub checks: Vec<&'n Check>,
    /// The windows as `int`s, in the same order.
    pub narrow: Vec<Variable>,
    /// What is behind all that.
    pub work: &'n Statement,
}

impl<'n> Root<'n> {
    pub fn of(body: &'n Statement) -> Root<'n> {
        let (early, mut behind) = body.checks();
        let mut is_empty = None;
        if let Statement::Either(condition, sides) = behind {
            is_empty = Some(condition);
            behind = &sides[1];
        }
        let (wide, behind) = behind.definitions();
        let (later, behind) = behind.checks();
        let (narrow, work) = behind.definitions();
        let narrow = narrow.into_iter().map(|(variable, _)| variable).collect();
        let (near, checks) = later.into_iter().partition(|check| matches!(check.subject, Subject::Range(..)));
        Root { early, is_empty, wide, near, checks, narrow, work }
    }
}

impl Writer<'_> {
    /// The windows of the root block in 64 bits, once it is known that they can be computed. `empty` is what happens where the
    /// window of the only output has no point.
    pub(super) fn root_windows(&mut self, root: &Root<'_>, empty: impl FnOnce(&mut Self)) {
        root.early.iter().for_each(|check| self.check(check));
        if let Some(condition) = root.is_empty {
            let condition = self.bare(condition);
            self.line(&format!("if ({condition}) {{"));
            self.nested(empty);
        }
        let size: u32 = self.sizes().iter().sum();
        if size >= LARGE || self.is_long(root.work) {
            return self.call_for_windows(root);
        }
        for (variable, value) in &root.wide {
            let (name, value) = (self.names.of(self.nest, *variable), self.bare(value));
            self.line(&format!("int64 scalar {name} = {value};"));
        }
        root.near.iter().for_each(|check| self.check(check));
    }

    /// The sizes of the definitions, as they are in ℤ.
    fn sizes(&self) -> Vec<u32> {
        self.windows.definitions.get(&None).into_iter().flatten().map(|(_, value)| value.size()).collect()
    }

    /// Ranges of definitions of about the same size.
    fn ranges(&self) -> Vec<Range<usize>> {
        let (mut pieces, mut begin, mut size) = (Vec::new(), 0, 0);
        let sizes = self.sizes();
        for (k, own) in sizes.iter().enumerate() {
            size += own;
            if size >= PIECE || k + 1 == sizes.len() {
                pieces.push(begin..k + 1);
                (begin, size) = (k + 1, 0);
            }
        }
        pieces
    }

    /// The same by calls of functions that write them to memory.
    fn call_for_windows(&mut self, root: &Root<'_>) {
        let memory = self.names.fresh("windows");
        let (parameters, arguments) = self.with_what_is_known(&memory);
        self.line(&format!("scratch int64 scalar {memory}[{}];", root.wide.len()));
        for (number, piece) in self.ranges().into_iter().enumerate() {
            let name = format!("{}__windows_{}", self.schedule_function, number + 1);
            self.line(&format!("{name}({arguments});"));
            // The function that gives the windows of the inputs calls them, too.
            if self.function_name == self.schedule_function {
                self.cold_function(&format!("void {name}({parameters})"), |this| {
                    this.write_piece(&root.wide, piece, &memory);
                });
            }
        }
        let windows = root.wide.iter().zip(&root.narrow).map(|((wide, _), narrow)| [*wide, *narrow]);
        self.in_memory = Some((memory, windows.collect()));
        self.start_checks(&self.schedule_function.clone(), "windows_are_near", root.near.clone(), Self::check);
    }

    /// Start checks; where the windows are in memory, in functions of their own, some in each, which are written with the function
    /// that owns them.
    pub(super) fn start_checks<T>(&mut self, owner: &str, what: &str, checks: Vec<T>, write: impl Fn(&mut Self, T)) {
        let Some((memory, _)) = self.in_memory.clone() else {
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
        let Some((memory, windows)) = self.in_memory.clone() else { return work(self) };
        let outer = self.names.watch();
        let text = self.apart(work);
        let mentioned = self.names.watched(outer);
        for (k, [wide, narrow]) in windows.into_iter().enumerate() {
            if mentioned.contains(&wide) {
                let name = self.names.of(self.nest, wide);
                self.line(&format!("int64 scalar {name} = {memory}[{k}];"));
            }
            if mentioned.contains(&narrow) {
                let name = self.names.of(self.nest, narrow);
                self.line(&format!("int scalar {name} = (int) {memory}[{k}];"));
            }
        }
        self.append(text);
    }

    /// Some of the definitions, behind what they mention of those in front of them.
    fn write_piece(&mut self, all: &[(Variable, &Expr)], piece: Range<usize>, memory: &str) {
        let mentioned: HashSet<Variable> =
            all[piece.clone()].iter().flat_map(|(_, value)| value.free_variables().iter().copied()).collect();
        for (k, (variable, _)) in all[..piece.start].iter().enumerate().filter(|(_, (variable, _))| mentioned.contains(variable))
        {
            let name = self.names.of(self.nest, *variable);
            self.line(&format!("int64 scalar {name} = {memory}[{k}];"));
        }
        for k in piece {
            let (name, value) = (self.names.of(self.nest, all[k].0), self.bare(all[k].1));
            self.line(&format!("int64 scalar {name} = {value};"));
            self.line(&format!("{memory}[{k}] = {name};"));
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
}
