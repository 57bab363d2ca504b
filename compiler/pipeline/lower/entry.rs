//! Functions by which programs of other languages run pipelines, and call exports that take views.
//!
//! ```text
//! export int blur_tiled(__buffer *by, const __buffer *in) {
//!     if (by->rank != 2) { reason("…"); return -1; }        is it an image of the right kind?
//!     uint16[,] by_view;                                      as a view
//!     by_view.data = (uint16 *) by->data;
//!     by_view.min[0] = by->dim[0].min; …
//!     return blur.tiled(by_view, in_view);
//! }
//! export int blur_tiled_required(const __buffer *by, __buffer *in) { … }
//!
//! export void f(float v[,], int n)   ──►   export void f(__buffer *v, int n) { …  f(v_view, n); }
//! ```
//! For C a buffer is `ivl_buffer` (`header`), for Rust `ivl::Buffer`. A function returns 0; if the pipeline does not start,
//! it returns another number, has written nothing, and the reason is kept (`ivl_last_error`). So does an export whose result is an
//! `int` where a buffer is of another kind; others end the program.

use super::super::algorithm::Notation;
use super::super::bounds::checks::NO_PIXELS;
use super::super::signature::Signature;
use super::body::{Body, member, parameter};
use crate::check::schedules::{ParameterOf, Purpose, Refusal, Target, Wanted, new_function, new_local};
use crate::source::Span;
use crate::target::{FpMode, Inlining};
use crate::typed::ir::{self, CompareOp, ExprKind, FunctionId, Local, LocalId, Place, StatementKind};
use crate::types::{Element, Type};

/// The members of a buffer.
mod buffer {
    pub const DATA: usize = 0;
    pub const DIM: usize = 1;
    pub const RANK: usize = 2;
    pub const TYPE: usize = 3;
}

/// The members of a dimension of a buffer, with those of a view that are the same.
const DIMENSION: [(usize, usize); 3] = [(0, member::MIN), (1, member::EXTENT), (2, member::STRIDE)];

/// The number of a type of pixels in a buffer.
pub fn type_number(element: Element) -> usize {
    1 + Element::ALL.iter().position(|&e| e == element).expect("an element type")
}

/// The exported function `name` of a schedule.
pub fn entry(signature: &Signature, schedule: &str, name: &str, purpose: Purpose, target: &mut dyn Target) -> FunctionId {
    let wanted = Wanted { pipeline: signature.name.clone(), schedule: schedule.into(), purpose, refusal: Refusal::Status };
    let scheduled = target.scheduled(&wanted);
    let buffer = target.buffer();
    let (buffer, int) = (target.types().pointer(buffer, 1), target.types().scalar(Element::Int32));
    let passed = signature.passed();
    // What is filled where it is not run: the windows of the inputs.
    let is_filled = |kind| purpose == Purpose::Required && matches!(kind, ParameterOf::Input(_));
    let mut parameters: Vec<Local> = Vec::new();
    for each in &passed {
        let (ty, is_const) = match each.kind {
            ParameterOf::Scalar => (target.types().scalar(each.element), false),
            ParameterOf::Output(_) => (buffer, purpose == Purpose::Required),
            ParameterOf::Input(_) => (buffer, purpose == Purpose::Run),
        };
        let own = free_name(&each.name, name, &parameters);
        parameters.push(Local { pointee_is_const: is_const, ..new_local(&own, ty, signature.span) });
    }
    let what = match purpose {
        Purpose::Run => "Runs the pipeline over the windows of its outputs",
        Purpose::Required => "Fills the windows and strides that the inputs of the pipeline must have",
    };
    let of = &signature.name;
    let docs = vec![format!("{what}, by schedule `{schedule}` of `{of}`: 0, or another number if it does not start.")];
    let inlining = if purpose == Purpose::Required { Inlining::Cold } else { Inlining::Allowed };
    exported(ir::Function { docs, inlining, ..function(name, int, parameters, signature.span) }, target, |b| {
        let (mut arguments, mut filled) = (Vec::new(), Vec::new());
        for (k, each) in passed.iter().enumerate() {
            let (role, rank) = match each.kind {
                ParameterOf::Scalar => {
                    arguments.push(b.load(parameter(k)));
                    continue;
                }
                ParameterOf::Output(rank) => ("output", rank),
                ParameterOf::Input(rank) => ("input", rank),
            };
            let about = format!("pipeline `{of}`: {role} `{}`", each.name);
            let notation = signature.notation;
            let (name, element, buffer) = (&each.name, each.element, parameter(k));
            // The schedule itself asks for pixels, whoever calls it.
            let image = Image { name, element, rank, about, buffer, has_pixels: false, notation };
            let view = b.as_view(&image, Refusal::Status);
            if is_filled(each.kind) {
                filled.push((parameter(k), view, rank));
                arguments.push(b.address_of(view));
            } else {
                arguments.push(b.load(view));
            }
        }
        let status = b.named("status", b.call(scheduled, arguments));
        if !filled.is_empty() {
            b.when(b.compare(CompareOp::Equal, status.clone(), b.int(0)), || {
                for (buffer, view, rank) in filled {
                    for (d, (of_buffer, of_view)) in (0..rank).flat_map(|d| DIMENSION.map(|parts| (d, parts))) {
                        let of_buffer = b.of_dimension(buffer, signature.notation.axis(rank, d), of_buffer);
                        b.store(of_buffer, b.number_of_view(view, of_view, d));
                    }
                }
            });
        }
        b.give(status);
    })
}

/// The exported function `name`, which does what another one does.
pub fn alias(same: FunctionId, name: &str, target: &mut dyn Target) -> FunctionId {
    let of = target.function(same);
    let (result, span, docs) = (of.result, of.span, of.docs.clone());
    let own = of.locals[..of.parameters].to_vec();
    let parameters = own.into_iter().fold(Vec::new(), |others: Vec<Local>, local| {
        let own = free_name(&local.name, name, &others);
        [others, vec![Local { name: own, ..local }]].concat()
    });
    exported(ir::Function { docs, ..function(name, result, parameters, span) }, target, |b| {
        let arguments = (0..b.target().function(same).parameters).map(|k| b.load(parameter(k))).collect();
        b.give(b.call(same, arguments));
    })
}

/// A function that programs of other languages call, without its body.
fn function(name: &str, result: Type, parameters: Vec<Local>, span: Span) -> ir::Function {
    let made = new_function(name.to_owned(), FpMode::Strict, result, span);
    ir::Function { parameters: parameters.len(), locals: parameters, ..made }
}

/// Exports a function by its name, with the body that `work` makes.
fn exported(function: ir::Function, target: &mut dyn Target, work: impl FnOnce(&Body<'_>)) -> FunctionId {
    let (name, span) = (function.name.clone(), function.span);
    let id = target.add(function);
    let b = Body::new(target, span);
    b.body(id, || work(&b));
    b.target().export(id, &name, span);
    id
}

/// The exported function `name`, which calls a function of the program that takes views: callers pass buffers.
pub fn with_buffers(callee: FunctionId, name: &str, target: &mut dyn Target) -> FunctionId {
    let own = target.function(callee);
    let (result, span, docs) = (own.result, own.span, own.docs.clone());
    let mut parameters = own.locals[..own.parameters].to_vec();
    let buffer = target.buffer();
    let buffer = target.types().pointer(buffer, 1);
    let shown: Vec<_> = parameters.iter().map(|l| target.types().view(l.ty)).collect();
    for (local, view) in parameters.iter_mut().zip(&shown) {
        if let Some((element, rank)) = *view {
            let parameter = ir::ParameterKind::Buffer { element, rank };
            *local = Local { parameter, pointee_is_const: local.pointee_is_const, ..new_local(&local.name, buffer, local.span) };
        }
    }
    let (int, void) = (target.types().scalar(Element::Int32), target.types().void());
    let refusal = if result == int { Refusal::Status } else { Refusal::EndProgram };
    exported(ir::Function { docs, ..function(name, result, parameters.clone(), span) }, target, |b| {
        let mut arguments = Vec::new();
        for (k, (local, view)) in parameters.iter().zip(shown).enumerate() {
            arguments.push(b.load(match view {
                Some((element, rank)) => {
                    let about = format!("`{name}`: `{}`", local.name);
                    let (name, buffer, notation) = (&local.name, parameter(k), Notation::Pipeline);
                    b.as_view(&Image { name, element, rank, about, buffer, has_pixels: true, notation }, refusal)
                }
                None => parameter(k),
            }));
        }
        let called = b.call(callee, arguments);
        if result == void { b.run(called) } else { b.give(called) }
    })
}

/// An image that is passed as a buffer.
struct Image<'n> {
    name: &'n str,
    element: Element,
    rank: usize,
    /// What is said of it.
    about: String,
    /// The parameter.
    buffer: LocalId,
    /// Must its pixels be there?
    has_pixels: bool,
    /// The view has the dimensions in the order of pipelines.
    notation: Notation,
}

/// The exported function `name`, which calls the exported function `callee` of the same schedule and purpose with what the
/// elements of an array point to: for callers who do not know the signature when they are compiled.
pub fn array_entry(signature: &Signature, callee: FunctionId, name: &str, target: &mut dyn Target) -> FunctionId {
    let int = target.types().scalar(Element::Int32);
    let byte = target.types().scalar(Element::Uint8);
    let pointer = target.types().pointer(byte, 1);
    let array = target.types().pointer(pointer, 1);
    let parameters = vec![new_local("arguments", array, signature.span)];
    let called = target.function(callee);
    let types: Vec<_> = called.locals[..called.parameters].iter().map(|local| local.ty).collect();
    exported(function(name, int, parameters, signature.span), target, |b| {
        let mut arguments = Vec::new();
        for (k, ty) in types.into_iter().enumerate() {
            let given = b.pointed(b.offset(b.load(parameter(0)), b.int(k as i64)));
            let is_pointer = b.target().types().pointee(ty).is_some();
            arguments.push(if is_pointer { b.converted(given, ty) } else { b.pointed(b.converted(given, b.pointer(ty))) });
        }
        b.give(b.call(callee, arguments));
    })
}

/// A name for a parameter: its own, with a number where that is taken.
fn free_name(own: &str, function: &str, others: &[Local]) -> String {
    let is_free = |name: &str| name != function && others.iter().all(|other| other.name != name);
    let numbered = (2..).map(|number| format!("{own}_{number}"));
    std::iter::once(own.to_owned()).chain(numbered).find(|name| is_free(name)).expect("a number that is free")
}

impl Body<'_> {
    /// A member of a buffer.
    fn of_buffer(&self, buffer: LocalId, part: usize) -> Place {
        self.member(self.at(self.load(buffer)), part)
    }

    /// A member of a dimension of a buffer.
    fn of_dimension(&self, buffer: LocalId, d: usize, part: usize) -> Place {
        let dimensions = self.load_at(self.of_buffer(buffer, buffer::DIM));
        self.member(self.at(self.offset(dimensions, self.int(d as i64))), part)
    }

    /// A view of a buffer, once it is known to be one of its kind.
    fn as_view(&self, image: &Image<'_>, refusal: Refusal) -> LocalId {
        let Image { name, element, rank, ref about, buffer: of, has_pixels, notation } = *image;
        let refuse = |condition: ir::Expr, what: &str, numbers: Vec<ir::Expr>| {
            self.refuse(refusal, condition, &format!("{about} {what}"), numbers);
        };
        let is_null = |pointer: ir::Expr| self.compare(CompareOp::Equal, pointer.clone(), self.null(pointer.ty));
        let number = |part: usize| self.load_at(self.of_buffer(of, part));
        let is_not = |value: &ir::Expr, wanted: usize| self.compare(CompareOp::NotEqual, value.clone(), self.int(wanted as i64));
        refuse(is_null(self.load(of)), "is the null pointer", Vec::new());
        let given = number(buffer::RANK);
        let needed = if rank == 1 { "1 is".to_owned() } else { format!("{rank} are") };
        refuse(is_not(&given, rank), &format!("has % dimensions, {needed} needed"), vec![given]);
        if rank > 0 {
            refuse(is_null(number(buffer::DIM)), "has no dimensions: `dim` is the null pointer", Vec::new());
        }
        let (given, wanted) = (number(buffer::TYPE), type_number(element));
        let text = format!("has pixels of type %, `{}` ({wanted}) is needed", element.name());
        refuse(is_not(&given, wanted), &text, vec![given]);
        let data = number(buffer::DATA);
        if has_pixels {
            let has_points = |d| {
                let extent = self.load_at(self.of_dimension(of, d, DIMENSION[1].0));
                self.compare(CompareOp::Greater, extent, self.int(0))
            };
            let missing = (0..rank).fold(is_null(data.clone()), |all, d| self.lazy(ExprKind::And, all, has_points(d)));
            refuse(missing, NO_PIXELS, Vec::new());
        }
        let ty = self.target().view(element, rank);
        let view = self.local(&format!("{name}_view"), ty);
        self.push(StatementKind::Declare { local: view, initializer: None });
        let place = self.data_of_view(view);
        let ty = place.ty;
        self.store(place, self.converted(data, ty));
        for (d, (of_buffer, of_view)) in (0..rank).flat_map(|d| DIMENSION.map(|parts| (d, parts))) {
            let axis = notation.axis(rank, d);
            self.store(self.of_view(view, of_view, d), self.load_at(self.of_dimension(of, axis, of_buffer)));
        }
        view
    }
}
