//! A completed nest, behind the passes, as typed functions: one to one, by ids.
//!
//! ```text
//! produce f:                                  foreach (int scalar y = f_y_min .. f_y_min + f_y_len) {
//!   for y in ?cpu f_y                             foreach (int block[8] x = f_x_min .. f_x_min + f_x_len) {
//!     foreach x in … by 8              ──►            (f + (…))[x] = *(in + (…));
//!       f[x, y] = in[x, y]                        }
//!                                             }
//! ```
//! A function takes a view for each output and input and the scalar parameters; its result is 0, or the number of the start
//! check that does not hold. What this room knows of `check` is how it asks for instances of the functions that a pipeline calls
//! ([`Target`]): it sees no trees and looks for no names.
//!
//! * `body`: a typed function while it is made. `state`: what is known meanwhile.
//! * `expressions`, `places`, `statements`: values, addresses, and what is done.
//! * `start`: what comes in front of the work. `versions`: who does it, by the strides of inputs. `strided`: where the pixels of
//!   views do not lie side by side.
//! * `instances`: functions beside that of a schedule. `shared`: those that all schedules have in common. `required`: the windows of
//!   inputs.
//! * [`entry`]: functions for programs of other languages.

mod body;
pub mod entry;
mod expressions;
mod instances;
mod places;
mod required;
mod shared;
mod start;
mod state;
mod statements;
mod strided;
#[cfg(test)]
mod tests;
mod versions;

use super::algorithm::Notation;
use super::bounds::infer::Windows;
use super::expr::Variable;
use super::loops::ir::{Nest, Order, Statement};
use super::passes::strides;
use super::passes::{self, widen::Root};
use crate::check::schedules::{Target, Wanted};
use crate::target::{Channel, Inlining};
use crate::typed::ir::{CompareOp, FunctionId, LocalId, StatementKind};
use crate::types::Type;
use body::{Body, member, parameter};
use state::{Lowering, Passed};
use versions::Work;

/// Lowers the function that runs a schedule: what is the caller's is checked, and the work is done in a further function, of which
/// there is one for each version by the strides of inputs.
pub fn run(windows: &Windows, wanted: &Wanted, function: FunctionId, target: &mut dyn Target) {
    let versions = strides::versions(&windows.nest);
    let nests: Vec<Nest> = versions.iter().map(|version| passes::version(windows, version)).collect();
    let works = Work::of(versions, &nests, function, target);
    let checks = with(&nests[0], windows, wanted, function, target, |lowering| lowering.whole(function, &works));
    for (Work { function, version, used }, nest) in works.into_iter().zip(&nests) {
        with(nest, windows, wanted, function, target, |lowering| {
            lowering.name = lowering.b.target().function(function).name.clone();
            (lowering.checks, lowering.version) = (checks, version);
            lowering.receive_all(&used);
            lowering.work();
        });
        if !has_serial_loop(&nest.body) {
            target.function_mut(function).inlining = Inlining::Cold;
        }
    }
}

/// Lowers the function that gives the input windows of a schedule without running it.
pub fn required(windows: &Windows, wanted: &Wanted, function: FunctionId, target: &mut dyn Target) {
    with(&passes::start(windows), windows, wanted, function, target, |lowering| lowering.required());
    target.function_mut(function).inlining = Inlining::Cold;
}

/// The body of a function of a schedule that is refused, which nobody runs.
pub fn refused(function: FunctionId, target: &mut dyn Target) {
    let span = target.function(function).span;
    let b = Body::new(target, span);
    b.body(function, || b.give(b.int(-1)));
}

/// Lowers the function that runs another one and ends the program where that does not start. The program's views have their dimensions
/// in the order of the text, those of the other one in that of pipelines.
pub fn or_end(status: FunctionId, function: FunctionId, notation: Notation, target: &mut dyn Target) {
    let own = target.function(function);
    let (parameters, span) = (own.parameters, own.span);
    let types: Vec<Type> = own.locals[..parameters].iter().map(|local| local.ty).collect();
    let views: Vec<Option<(Type, usize)>> = types.iter().map(|&ty| transposed_view(ty, notation, target)).collect();
    let b = Body::new(target, span);
    b.body(function, || {
        let mut filled = Vec::new();
        let arguments = views.iter().enumerate().map(|(k, view)| {
            let Some((ty, rank)) = *view else { return b.load(parameter(k)) };
            let copy = b.local("in_order", ty);
            b.push(StatementKind::Declare { local: copy, initializer: None });
            let own = b.load_at(b.data_of_view(parameter(k)));
            b.store(b.data_of_view(copy), own);
            b.transpose(copy, parameter(k), rank);
            if ty == types[k] {
                return b.load(copy);
            }
            filled.push((k, copy, rank));
            b.address_of(copy)
        });
        let arguments = arguments.collect();
        let status = b.named("status", b.call(status, arguments));
        b.when(b.compare(CompareOp::NotEqual, status, b.int(0)), || b.say(Channel::End, "", Vec::new()));
        filled.into_iter().for_each(|(k, copy, rank)| b.transpose(parameter(k), copy, rank));
    });
}

/// The type and the rank of a view, by value or by reference, whose dimensions are in another order in pipelines.
fn transposed_view(ty: Type, notation: Notation, target: &mut dyn Target) -> Option<(Type, usize)> {
    let types = target.types();
    let view = types.pointee(ty).unwrap_or(ty);
    let (_, rank) = types.view(view)?;
    (notation == Notation::Tensors && rank > 1).then_some((view, rank))
}

impl Body<'_> {
    /// The numbers of a view with so many dimensions, in the reverse order, to another one.
    fn transpose(&self, to: LocalId, from: LocalId, rank: usize) {
        for (d, part) in (0..rank).flat_map(|d| [member::MIN, member::EXTENT, member::STRIDE].map(|part| (d, part))) {
            self.store(self.of_view(to, part, d), self.number_of_view(from, part, rank - 1 - d));
        }
    }
}

/// Makes the body of a function. The result is how many start checks there were.
fn with(
    nest: &Nest,
    windows: &Windows,
    wanted: &Wanted,
    function: FunctionId,
    target: &mut dyn Target,
    work: impl FnOnce(&mut Lowering<'_>),
) -> usize {
    target.function_mut(function).fp = nest.pipeline.fp;
    let b = Body::new(target, nest.pipeline.span);
    let mut lowering = Lowering::new(nest, windows, wanted, &b);
    b.body(function, || work(&mut lowering));
    lowering.finish_refusals();
    lowering.checks
}

/// Does a loop run by itself, outside of the parallel ones, whose work is elsewhere? Without such a loop a function is its start
/// checks and calls.
fn has_serial_loop(statement: &Statement) -> bool {
    if let Statement::For(l) = statement {
        return l.order != Order::Parallel;
    }
    if let Statement::Foreach(f) = statement {
        return !f.is_parallel;
    }
    statement.children().into_iter().any(has_serial_loop)
}

impl Lowering<'_> {
    /// The function that runs a schedule.
    fn whole(&mut self, function: FunctionId, works: &[Work]) {
        self.receive_all(&[]);
        self.memory_checks();
        self.leave_strided(function, works);
        self.b.give(self.work_on(works, &self.own_arguments()));
    }

    /// What a function is given: the parts of views, numbers, and of the strides those that it asks for.
    fn receive_all(&mut self, strides: &[Variable]) {
        let passed = self.passed();
        let first = passed.len();
        for (k, passed) in passed.into_iter().enumerate() {
            match passed {
                Passed::View(source, window) => self.view(k, source, window),
                Passed::InOut(both) => both.into_iter().for_each(|(source, window)| self.view(k, source, window)),
                Passed::Scalar(variable) => self.receive(variable, self.b.load(parameter(k))),
            }
        }
        strides.iter().enumerate().for_each(|(k, &stride)| self.receive(stride, self.b.load(parameter(first + k))));
    }

    /// The further start checks, and the loops.
    fn work(&mut self) {
        self.keep_apart();
        self.lets();
        let root = Root::of(&self.nest.body);
        root.early.into_iter().for_each(|check| self.check(check));
        if let Some(condition) = root.is_empty {
            self.b.when(self.value(condition), || self.b.give(self.b.int(0)));
        }
        root.wide.into_iter().for_each(|(variable, value)| self.define(variable, value));
        root.checks.into_iter().for_each(|check| self.check(check));
        root.narrow.into_iter().for_each(|(variable, value)| self.define(variable, value));
        // How the memory of funcs is read is known behind the work, and checked in front of it.
        let work = self.b.block(1, || self.statement(root.work));
        let narrow = std::mem::take(&mut self.narrow).into_iter().collect();
        self.elements_checks(narrow);
        self.b.extend(work.statements);
        self.b.give(self.b.int(0));
    }
}
