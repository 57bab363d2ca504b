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

use super::super::signature::Signature;
use super::body::Body;
use super::state::{member, parameter};
use crate::check::schedules::{ParameterOf, Purpose, Refusal, Target, Wanted, new_function, new_local};
use crate::target::{Channel, FpMode};
use crate::typed::ir::{self, CompareOp, ExprKind, FunctionId, Local, LocalId, Place, StatementKind};
use crate::types::{Element, TypeKind};

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
    let mut function = new_function(name.to_owned(), FpMode::Strict, int, signature.span);
    let what = match purpose {
        Purpose::Run => "Runs the pipeline over the windows of its outputs",
        Purpose::Required => "Fills the windows and strides that the inputs of the pipeline must have",
    };
    let of = &signature.name;
    function.docs = vec![format!("{what}, by schedule `{schedule}` of `{of}`: 0, or another number if it does not start.")];
    function.parameters = parameters.len();
    function.locals.clone_from(&parameters);
    let id = target.add(function);
    let mut b = Body::new(target, signature.span);
    let outer = b.begin(parameters, 1);
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
        let about = format!("pipeline `{}`: {role} `{}`", signature.name, each.name);
        let has_pixels = purpose == Purpose::Run;
        let image = Image { name: &each.name, element: each.element, rank, about, buffer: parameter(k), has_pixels };
        let view = b.as_view(&image, Refusal::Status);
        if is_filled(each.kind) {
            filled.push((k, view, rank));
            let (place, ty) = (b.place_of(view), b.type_of(view));
            let pointer = b.target.types().pointer(ty, 1);
            arguments.push(b.expr(ExprKind::AddressOf(place), pointer));
        } else {
            arguments.push(b.load(view));
        }
    }
    let status = b.call(scheduled, arguments);
    let status = b.named("status", status);
    let zero = b.int(0);
    let is_done = b.compare(CompareOp::Equal, status.clone(), zero);
    if !filled.is_empty() {
        b.when(is_done, |b| {
            for (k, view, rank) in filled {
                for (d, (of_buffer, of_view)) in (0..rank).flat_map(|d| DIMENSION.map(|parts| (d, parts))) {
                    let to = b.of_dimension(parameter(k), d, of_buffer);
                    let from = b.of_view(view, of_view, d);
                    let value = b.load_at(from);
                    b.store(to, value);
                }
            }
        });
    }
    b.push(StatementKind::Return(Some(status)));
    b.finish(id, outer);
    b.target.export(id, name, signature.span);
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
    let made = new_function(name.to_owned(), FpMode::Strict, result, span);
    let id = target.add(ir::Function { docs, parameters: parameters.len(), locals: parameters.clone(), ..made });
    let returns_int = result == target.types().scalar(Element::Int32);
    let refusal = if returns_int { Refusal::Status } else { Refusal::EndProgram };
    let mut b = Body::new(target, span);
    let outer = b.begin(parameters.clone(), 1);
    let mut arguments = Vec::new();
    for (k, (local, view)) in parameters.iter().zip(shown).enumerate() {
        let passed = match view {
            Some((element, rank)) => {
                let about = format!("`{name}`: `{}`", local.name);
                b.as_view(&Image { name: &local.name, element, rank, about, buffer: parameter(k), has_pixels: true }, refusal)
            }
            None => parameter(k),
        };
        arguments.push(b.load(passed));
    }
    let called = b.call(callee, arguments);
    if matches!(b.target.types().kind(result), TypeKind::Void) {
        b.run(called);
    } else {
        b.push(StatementKind::Return(Some(called)));
    }
    b.finish(id, outer);
    b.target.export(id, name, span);
    id
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
}

/// The exported function `name`, which calls the exported function `callee` of the same schedule and purpose with what the
/// elements of an array point to: for callers who do not know the signature when they are compiled.
pub fn array_entry(signature: &Signature, callee: FunctionId, name: &str, target: &mut dyn Target) -> FunctionId {
    let int = target.types().scalar(Element::Int32);
    let byte = target.types().scalar(Element::Uint8);
    let pointer = target.types().pointer(byte, 1);
    let array = target.types().pointer(pointer, 1);
    let mut function = new_function(name.to_owned(), FpMode::Strict, int, signature.span);
    let parameters = vec![new_local("arguments", array, signature.span)];
    function.parameters = 1;
    function.locals.clone_from(&parameters);
    let id = target.add(function);
    let types: Vec<_> = target.function(callee).locals[..target.function(callee).parameters].iter().map(|l| l.ty).collect();
    let mut b = Body::new(target, signature.span);
    let outer = b.begin(parameters, 1);
    let mut arguments = Vec::new();
    for (k, ty) in types.into_iter().enumerate() {
        let (array, by) = (b.load(parameter(0)), b.int(k as i64));
        let at = b.offset(array, by);
        let at = b.at(at);
        let given = b.load_at(at);
        let is_pointer = b.target.types().pointee(ty).is_some();
        let to = if is_pointer { ty } else { b.target.types().pointer(ty, 1) };
        let given = b.expr(ExprKind::Convert(Box::new(given)), to);
        arguments.push(if is_pointer {
            given
        } else {
            let place = b.at(given);
            b.load_at(place)
        });
    }
    let status = b.call(callee, arguments);
    b.push(StatementKind::Return(Some(status)));
    b.finish(id, outer);
    b.target.export(id, name, signature.span);
    id
}

/// A name for a parameter: its own, with a number where that is taken.
fn free_name(own: &str, function: &str, others: &[Local]) -> String {
    let is_free = |name: &str| name != function && others.iter().all(|other| other.name != name);
    let numbered = (2..).map(|number| format!("{own}_{number}"));
    std::iter::once(own.to_owned()).chain(numbered).find(|name| is_free(name)).expect("a number that is free")
}

impl Body<'_> {
    /// A member of a buffer.
    fn of_buffer(&mut self, buffer: LocalId, part: usize) -> Place {
        let pointer = self.load(buffer);
        let buffer = self.at(pointer);
        self.member(buffer, part)
    }

    /// A member of a dimension of a buffer.
    fn of_dimension(&mut self, buffer: LocalId, d: usize, part: usize) -> Place {
        let dimensions = self.of_buffer(buffer, buffer::DIM);
        let (dimensions, d) = (self.load_at(dimensions), self.int(d as i64));
        let pointer = self.offset(dimensions, d);
        let dimension = self.at(pointer);
        self.member(dimension, part)
    }

    /// Under this condition a buffer is not what is needed.
    fn refuse_buffer(&mut self, refusal: Refusal, condition: ir::Expr, text: &str, numbers: Vec<ir::Expr>) {
        self.when(condition, |b| match refusal {
            Refusal::EndProgram => b.say(Channel::End, text, numbers),
            Refusal::Status => {
                b.say(Channel::Reason, text, numbers);
                let refused = b.int(-1);
                b.push(StatementKind::Return(Some(refused)));
            }
        });
    }

    /// A view of a buffer, once it is known to be one of its kind.
    fn as_view(&mut self, image: &Image<'_>, refusal: Refusal) -> LocalId {
        let Image { name, element, rank, ref about, buffer: of, has_pixels } = *image;
        let is_null = |b: &mut Self, pointer: ir::Expr| {
            let null = b.expr(ExprKind::Constant(ir::Constant::Null), pointer.ty);
            b.compare(CompareOp::Equal, pointer, null)
        };
        let own = self.load(of);
        let missing = is_null(self, own);
        self.refuse_buffer(refusal, missing, &format!("{about} is the null pointer"), Vec::new());
        let number = |b: &mut Self, part: usize| {
            let place = b.of_buffer(of, part);
            b.load_at(place)
        };
        let is_not = |b: &mut Self, value: ir::Expr, wanted: usize| {
            let wanted = b.int(wanted as i64);
            b.compare(CompareOp::NotEqual, value, wanted)
        };
        let given = number(self, buffer::RANK);
        let differs = is_not(self, given.clone(), rank);
        let needed = if rank == 1 { "1 is".to_owned() } else { format!("{rank} are") };
        self.refuse_buffer(refusal, differs, &format!("{about} has % dimensions, {needed} needed"), vec![given]);
        if rank > 0 {
            let dimensions = number(self, buffer::DIM);
            let missing = is_null(self, dimensions);
            self.refuse_buffer(refusal, missing, &format!("{about} has no dimensions: `dim` is the null pointer"), Vec::new());
        }
        let given = number(self, buffer::TYPE);
        let wanted = type_number(element);
        let differs = is_not(self, given.clone(), wanted);
        let text = format!("{about} has pixels of type %, `{}` ({wanted}) is needed", element.name());
        self.refuse_buffer(refusal, differs, &text, vec![given]);
        let data = number(self, buffer::DATA);
        if has_pixels {
            let mut missing = is_null(self, data.clone());
            for d in 0..rank {
                let extent = self.of_dimension(of, d, DIMENSION[1].0);
                let (extent, zero) = (self.load_at(extent), self.int(0));
                let has_points = self.compare(CompareOp::Greater, extent, zero);
                missing = self.lazy(ExprKind::And, missing, has_points);
            }
            self.refuse_buffer(refusal, missing, &format!("{about} has no pixels: `data` is the null pointer"), Vec::new());
        }
        let ty = self.target.view(element, rank);
        let view = self.local(&format!("{name}_view"), ty);
        self.push(StatementKind::Declare { local: view, initializer: None });
        let place = self.place_of(view);
        let place = self.member(place, member::DATA);
        let data = self.expr(ExprKind::Convert(Box::new(data)), place.ty);
        self.store(place, data);
        for (d, (of_buffer, of_view)) in (0..rank).flat_map(|d| DIMENSION.map(|parts| (d, parts))) {
            let from = self.of_dimension(of, d, of_buffer);
            let value = self.load_at(from);
            let to = self.of_view(view, of_view, d);
            self.store(to, value);
        }
        view
    }
}
