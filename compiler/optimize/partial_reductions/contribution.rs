//! What is added to a total, in the form that is cheapest to add.
//!
//! ```text
//! mul a, b         both of 16 bits                dot2 (trunc a), (trunc b)        half as many lanes
//! x                of 16 bits                     dot2 (trunc x), 1
//! zext (x: i8)                                    sad x, 0                         an eighth, of 64 bits, or twice as many of 32, every second 0
//! abs (sub (zext a: i8), (zext b: i8))            sad a, b
//! mul (splat u + c), x    c constant, x narrow    u · (what x makes) + (what c · x makes)
//! zext m, select m, 1, 0                          popcnt (maskbits m)              a scalar
//! ```
//! A number is of 16 bits if its [`range`] says so. Masks are those of lanes that count; the others have the identity.
//!
//! A weight that grows by as much from lane to lane, as in `sum += (n - i) * a[i]`, may be any number, so that its product with a byte needs
//! 32 bits. Taken apart, a scalar multiplies sums of bytes (`sad x, 0`), and the constants are bytes too (`dot4 x, c`): modulo 2³², where
//! that is the same.

use super::{identity, operation};
use crate::machine::Machine;
use crate::optimize::memory_access::{Forms, Linear};
use crate::optimize::ranges::range;
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// So many operations are looked through.
const DEPTH: u32 = 6;

/// Lanes of a mask that are on, or off.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    pub mask: Value,
    pub is_on: bool,
}

/// The form of what is added.
#[derive(Clone)]
enum Form {
    /// A number that is no reduction, for a total that is one.
    Scalar,
    /// Lanes as they are.
    Lanes,
    /// As many ones as there are lanes on.
    Count,
    /// Sums of two products each.
    Products(Value, Value),
    /// Sums of two numbers each.
    Pairs(Value),
    /// Sums of eight distances of bytes.
    Distances(Value, Option<Value>),
    /// Sums of four products each, of bytes without a sign and constant bytes with one.
    Quads(Value, Vec<u64>),
    /// Sums of two products each, of numbers and constants.
    Weights(Value, Vec<u64>),
    /// A scalar times what the first form makes of lanes, and what the second one makes.
    Weighted(Linear, Box<[Form; 2]>),
}

/// What is added, in the lanes of all its masks.
pub(super) struct Contribution {
    form: Form,
    /// How it was written.
    lanes: Value,
    /// The length and element of that.
    ty: Type,
    masks: Vec<Mask>,
}

impl Contribution {
    /// That of a value that comes to a total in the lanes of a mask.
    pub(super) fn of(function: &Function, value: Value, mask: Option<Mask>, op: ReduceOp) -> Contribution {
        let ty = function.ty(value);
        let lanes = match function.definition(value) {
            Some(Op::Reduce(reduce, lanes)) if *reduce == op && ty.length == 1 => *lanes,
            _ if ty.length == 1 => {
                return Contribution { form: Form::Scalar, lanes: value, ty, masks: Vec::new() };
            }
            _ => value,
        };
        let (mut masks, mut form) = (Vec::from_iter(mask), lanes);
        let ty = function.ty(lanes);
        if op != ReduceOp::Add {
            return Contribution { form: Form::Lanes, lanes, ty, masks };
        }
        while let Some(&Op::Select(mask, a, b)) = function.definition(form)
            && function.ty(mask).length > 1
        {
            let (inner, is_on) = match (is_constant(function, a, 0), is_constant(function, b, 0)) {
                (_, true) => (a, true),
                (true, false) => (b, false),
                (false, false) => break,
            };
            masks.push(Mask { mask, is_on });
            form = inner;
        }
        let (form, ones) = form_of(function, form, &masks);
        masks.extend(ones);
        Contribution { form, lanes, ty, masks }
    }

    /// Is there a cheaper form than the lanes as they are?
    pub(super) fn has_form(&self) -> bool {
        !matches!(self.form, Form::Scalar | Form::Lanes)
    }

    /// Adds it to a partial value.
    pub(super) fn add_to(&self, writer: &mut Writer<'_>, op: ReduceOp, from: Value) -> Value {
        let partial = writer.function.ty(from);
        if op == ReduceOp::Add && self.form.result(self.ty) == Some(partial) && self.has_form() {
            return self.add_form(writer, &self.form, from);
        }
        let added = self.write(writer, op, partial);
        writer.emit(Op::Binary(operation(op).expect("an operation of integers"), from, added), partial)
    }

    /// Adds what a form makes to as many lanes. Products that are added to begin with are one instruction.
    fn add_form(&self, writer: &mut Writer<'_>, form: &Form, from: Value) -> Value {
        let (from, added) = match form {
            Form::Quads(bytes, factors) => return self.quads(writer, *bytes, factors, from),
            Form::Weighted(weight, forms) => {
                let [numbers, constants] = &**forms;
                (self.add_form(writer, constants, from), self.scaled(writer, weight, numbers))
            }
            form => (from, self.formed(writer, form)),
        };
        let ty = writer.function.ty(from);
        writer.emit(Op::Binary(BinaryOp::Add, from, added), ty)
    }

    /// Writes it as a partial value of this type.
    pub(super) fn write(&self, writer: &mut Writer<'_>, op: ReduceOp, partial: Type) -> Value {
        let lanes = match &self.form {
            Form::Scalar => self.lanes,
            form if self.has_form() && form.fits(self.ty, partial) => self.formed(writer, form),
            // Masks that are in the lanes already do no harm.
            _ => self.masked(writer, self.lanes, identity(op, self.ty.element)),
        };
        fold(writer, lanes, op, partial)
    }

    /// The lanes that a form makes.
    fn formed(&self, writer: &mut Writer<'_>, form: &Form) -> Value {
        let ty = self.ty;
        match form {
            Form::Scalar | Form::Lanes => self.lanes,
            Form::Count => {
                let mask = all(writer, &self.masks, ty.mask());
                let bits = writer.emit(Op::MaskBits(mask), Type::scalar(Element::I64));
                let count = writer.emit(Op::Unary(UnaryOp::Popcnt, bits), Type::scalar(Element::I64));
                resized(writer, count, ty.element)
            }
            &Form::Products(a, b) => {
                let [a, b] = [a, b].map(|value| self.shorts(writer, value));
                self.pairs(writer, a, b)
            }
            &Form::Pairs(value) => {
                let numbers = self.shorts(writer, value);
                let ones = writer.emit(Op::Const(vec![1]), ty.with_element(Element::I16));
                self.pairs(writer, numbers, ones)
            }
            Form::Weights(value, factors) => {
                let numbers = self.shorts(writer, *value);
                let factors = factors.iter().map(|factor| factor & 0xffff).collect();
                let factors = writer.emit(Op::Const(factors), ty.with_element(Element::I16));
                self.pairs(writer, numbers, factors)
            }
            Form::Quads(bytes, factors) => {
                let nothing = writer.emit(Op::Const(vec![0]), ty.with_length(ty.length / 4));
                self.quads(writer, *bytes, factors, nothing)
            }
            &Form::Distances(a, b) => {
                let b = match b {
                    Some(b) => self.masked(writer, b, 0),
                    None => writer.emit(Op::Const(vec![0]), ty.with_element(Element::I8)),
                };
                let a = self.masked(writer, a, 0);
                // Eight bytes are half of a register; the others are no distance from each other.
                let [a, b] = [a, b].map(|bytes| match ty.length {
                    8 => writer.shuffle([bytes, bytes], (0..16).map(|lane| if lane < 8 { lane } else { -1 }).collect()),
                    _ => bytes,
                });
                let distances = writer.emit(Op::Sad(a, b), Type::new(Element::I64, ty.length.max(16) / 8));
                match form.result(ty) {
                    Some(words) if words.element == Element::I32 => writer.emit(Op::Reinterpret(distances), words),
                    _ => distances,
                }
            }
            Form::Weighted(weight, forms) => {
                let [numbers, constants] = &**forms;
                let scaled = self.scaled(writer, weight, numbers);
                let others = self.formed(writer, constants);
                let of_lanes = writer.function.ty(scaled);
                writer.emit(Op::Binary(BinaryOp::Add, others, scaled), of_lanes)
            }
        }
    }

    /// A scalar times what a form makes, of 32 bits.
    fn scaled(&self, writer: &mut Writer<'_>, weight: &Linear, form: &Form) -> Value {
        let lanes = self.formed(writer, form);
        let ty = writer.function.ty(lanes);
        let weight = writer.scalar(&weight.uniform);
        let weight = writer.emit(Op::Splat(weight), ty);
        writer.emit(Op::Binary(BinaryOp::Mul, lanes, weight), ty)
    }

    /// Numbers that fit, as such of 16 bits.
    fn shorts(&self, writer: &mut Writer<'_>, value: Value) -> Value {
        writer.emit(Op::Convert(ConvertOp::Trunc, value), self.ty.with_element(Element::I16))
    }

    /// Sums of two products each, in the lanes that count.
    fn pairs(&self, writer: &mut Writer<'_>, a: Value, b: Value) -> Value {
        let a = self.masked(writer, a, 0);
        writer.emit(Op::Dot2(a, b), self.ty.with_length(self.ty.length / 2))
    }

    /// Sums of four products each, in the lanes that count, and of what is there before.
    fn quads(&self, writer: &mut Writer<'_>, bytes: Value, factors: &[u64], sum: Value) -> Value {
        let a = self.masked(writer, bytes, 0);
        let factors = factors.iter().map(|factor| factor & 0xff).collect();
        let b = writer.emit(Op::Const(factors), self.ty.with_element(Element::I8));
        writer.emit(Op::Dot4 { a, b, sum, signed: [false, true] }, self.ty.with_length(self.ty.length / 4))
    }

    /// The lanes of a value that count, and others for the rest.
    fn masked(&self, writer: &mut Writer<'_>, value: Value, other: u64) -> Value {
        if self.masks.is_empty() {
            return value;
        }
        let ty = writer.function.ty(value);
        let mask = all(writer, &self.masks, ty.mask());
        let other = writer.emit(Op::Const(vec![other]), ty);
        writer.emit(Op::Select(mask, value, other), ty)
    }
}

impl Form {
    /// Lanes, of numbers of this type, that it makes; `None` where it goes by no lanes.
    fn result(&self, ty: Type) -> Option<Type> {
        match self {
            Form::Scalar | Form::Count => None,
            Form::Lanes => Some(ty),
            Form::Products(..) | Form::Pairs(_) | Form::Weights(..) => Some(ty.with_length(ty.length / 2)),
            Form::Quads(..) => Some(ty.with_length(ty.length / 4)),
            // Of 32 bits where the total is, so that what else is made of the same sums can share them.
            Form::Distances(..) if ty.element == Element::I32 => Some(ty.with_length(ty.length.max(16) / 4)),
            Form::Distances(..) => Some(Type::new(Element::I64, ty.length.max(16) / 8)),
            Form::Weighted(_, forms) => forms[1].result(ty),
        }
    }

    /// May what it makes be folded to partial values of this type?
    fn fits(&self, ty: Type, partial: Type) -> bool {
        self.result(ty).is_none_or(|result| result.element == partial.element && partial.length <= result.length)
    }
}

/// A product of narrow numbers and weights of which each is a scalar and a constant.
fn weighted(function: &Function, product: Value) -> Option<Form> {
    let ty = function.ty(product);
    let Some(&Op::Binary(BinaryOp::Mul, a, b)) = function.definition(product) else { return None };
    if ty.element != Element::I32 || ty.length < 8 {
        return None;
    }
    let (weights, numbers) = [(a, b), (b, a)].into_iter().find_map(|(weights, numbers)| {
        let weights = Forms::default().of_number(function, weights).filter(|weights| weights.stride != 0)?;
        Some((weights, numbers))
    })?;
    let (form, _) = form_of(function, numbers, &[]);
    let factors: Vec<u64> = (0..i64::from(ty.length)).map(|lane| (lane.wrapping_mul(weights.stride)) as u64).collect();
    let greatest = weights.stride.checked_mul(i64::from(ty.length) - 1)?.unsigned_abs();
    match form {
        Form::Distances(bytes, None) if greatest <= i8::MAX as u64 => {
            Some(Form::Weighted(weights, Box::new([form, Form::Quads(bytes, factors)])))
        }
        Form::Pairs(_) if greatest <= i16::MAX as u64 => {
            Some(Form::Weighted(weights, Box::new([form, Form::Weights(numbers, factors)])))
        }
        _ => None,
    }
}

/// The form of lanes that are added, and a mask that it has beside.
fn form_of(function: &Function, lanes: Value, masks: &[Mask]) -> (Form, Option<Mask>) {
    let ty = function.ty(lanes);
    let is_byte = |value: &Value| match function.definition(*value) {
        Some(Op::Convert(ConvertOp::ZExt, byte)) if function.ty(*byte).element == Element::I8 => Some(*byte),
        _ => None,
    };
    let is_short = |value: Value| {
        let (low, high) = range(function, value);
        low >= i16::MIN.into() && high <= i16::MAX.into()
    };
    // A count takes the lanes of a register at a time; masks as wide as the total do so without it.
    let is_narrow = |mask: Value| mask_bits(function, mask) < ty.element.bits();
    match function.definition(lanes) {
        Some(&Op::Convert(ConvertOp::ZExt, mask)) if function.ty(mask).element == Element::Bool && is_narrow(mask) => {
            return (Form::Count, Some(Mask { mask, is_on: true }));
        }
        Some(Op::Const(_))
            if is_constant(function, lanes, 1) && !masks.is_empty() && masks.iter().all(|mask| is_narrow(mask.mask)) =>
        {
            return (Form::Count, None);
        }
        _ => {}
    }
    let form = if ty.length >= 16 && ty.element == Element::I8 {
        Form::Distances(lanes, None)
    } else if ty.length >= 16
        && let Some(byte) = is_byte(&lanes)
    {
        Form::Distances(byte, None)
    } else if ty.length >= 8
        && let Some(&Op::Unary(UnaryOp::Abs, difference)) = function.definition(lanes)
        && let Some(Op::Binary(BinaryOp::Sub, a, b)) = function.definition(difference)
        && let (Some(a), Some(b)) = (is_byte(a), is_byte(b))
    {
        Form::Distances(a, Some(b))
    } else if ty.length < 8 || ty.element != Element::I32 {
        Form::Lanes
    } else if let Some(&Op::Binary(BinaryOp::Mul, a, b)) = function.definition(lanes)
        && is_short(a)
        && is_short(b)
    {
        Form::Products(a, b)
    } else if is_short(lanes) && is_made_narrow(function, lanes, DEPTH) {
        Form::Pairs(lanes)
    } else {
        weighted(function, lanes).unwrap_or(Form::Lanes)
    };
    (form, None)
}

/// Are lanes of 32 bits made of such as are narrow in registers? Others would have to be packed before two of them are added at once, as what is chosen by
/// masks of 32 bits.
fn is_made_narrow(function: &Function, lanes: Value, depth: u32) -> bool {
    let is_narrow = |value: Value| depth > 0 && is_made_narrow(function, value, depth - 1);
    match function.definition(lanes) {
        Some(&Op::Convert(ConvertOp::ZExt | ConvertOp::SExt, from)) => {
            let element = function.ty(from).element;
            if element == Element::Bool { mask_bits(function, from) < 32 } else { element.bits() < 32 }
        }
        Some(&Op::Select(mask, a, b)) => is_narrow(a) || is_narrow(b) || mask_bits(function, mask) < 32,
        Some(&Op::Binary(_, a, b)) => is_narrow(a) || is_narrow(b),
        Some(&Op::Unary(_, a)) => is_narrow(a),
        _ => false,
    }
}

/// The bits of what a mask was compared from, where masks are vectors.
fn mask_bits(function: &Function, mask: Value) -> u32 {
    match function.definition(mask) {
        Some(Op::Compare(_, a, _)) => function.ty(*a).element.bits(),
        Some(Op::Unary(_, a)) => mask_bits(function, *a),
        Some(Op::Binary(_, a, b)) => mask_bits(function, *a).min(mask_bits(function, *b)),
        _ => 64,
    }
}

fn is_constant(function: &Function, value: Value, number: u64) -> bool {
    matches!(function.definition(value), Some(Op::Const(bits)) if bits.iter().all(|b| *b == number))
}

/// What holds the partial values of a total whose loops make these contributions; `None` if it is better left as it is.
pub(super) fn partial(ty: Type, contributions: &[Contribution], machine: &Machine) -> Option<Type> {
    let forms = || contributions.iter().filter(|contribution| !matches!(contribution.form, Form::Scalar));
    forms().next()?;
    let results = || forms().filter_map(|contribution| contribution.form.result(contribution.ty));
    let least = results().map(|result| result.length).min();
    let has_lanes = forms().any(|contribution| matches!(contribution.form, Form::Lanes));
    let partial = match least {
        None => ty.with_length(1),
        Some(least) if !has_lanes && results().all(|result| result.element == Element::I64) => Type::new(Element::I64, least),
        Some(_) => {
            let most = 2 * machine.lanes(ty.element.size());
            let lengths = forms().map(|contribution| match contribution.form.result(contribution.ty) {
                Some(result) if result.element == Element::I32 => result.length,
                _ => contribution.ty.length,
            });
            ty.with_length(lengths.min()?.min(most))
        }
    };
    (ty.length == 1 || partial.length < ty.length).then_some(partial)
}

/// Other lanes with the same reduction: as many as the partial values of a total have.
pub(super) fn fold(writer: &mut Writer<'_>, value: Value, op: ReduceOp, partial: Type) -> Value {
    let ty = writer.function.ty(value);
    let nothing = identity(op, partial.element);
    if is_constant(writer.function, value, identity(op, ty.element)) {
        return writer.emit(Op::Const(vec![nothing]), partial);
    }
    if ty.element != partial.element || partial.length == 1 {
        let number = reduced(writer, value, op, partial.element);
        if partial.length == 1 {
            return number;
        }
        let nothing = writer.emit(Op::Const(vec![nothing]), partial);
        let first = writer.emit(Op::Const(vec![0]), Type::scalar(Element::I32));
        return writer.emit(Op::Insert(nothing, number, first), partial);
    }
    let mut value = value;
    let mut length = i16::from(ty.length);
    if length == 1 {
        let nothing = writer.emit(Op::Const(vec![nothing]), partial);
        let first = writer.emit(Op::Const(vec![0]), Type::scalar(Element::I32));
        return writer.emit(Op::Insert(nothing, value, first), partial);
    }
    while length > i16::from(partial.length) {
        length /= 2;
        let half = ty.with_length(length as u8);
        let [low, high] = [0, length].map(|first| (first..first + length).collect());
        let [low, high] = [low, high].map(|lanes| writer.emit(Op::Shuffle(value, value, lanes), half));
        value = writer.emit(Op::Binary(operation(op).expect("an operation of integers"), low, high), half);
    }
    if length < i16::from(partial.length) {
        let nothing = writer.emit(Op::Const(vec![nothing]), ty.with_length(length as u8));
        let lanes = (0..i16::from(partial.length)).map(|lane| lane.min(length)).collect();
        value = writer.emit(Op::Shuffle(value, nothing, lanes), partial);
    }
    value
}

/// What all lanes are together, as a number of this type.
pub(super) fn reduced(writer: &mut Writer<'_>, value: Value, op: ReduceOp, element: Element) -> Value {
    let ty = writer.function.ty(value);
    let number = if ty.length == 1 { value } else { writer.emit(Op::Reduce(op, value), ty.with_length(1)) };
    resized(writer, number, element)
}

/// An integer modulo 2ⁿ; one that becomes wider has no sign.
fn resized(writer: &mut Writer<'_>, number: Value, element: Element) -> Value {
    let op = match writer.function.ty(number).element.bits().cmp(&element.bits()) {
        std::cmp::Ordering::Equal => return number,
        std::cmp::Ordering::Less => ConvertOp::ZExt,
        std::cmp::Ordering::Greater => ConvertOp::Trunc,
    };
    writer.emit(Op::Convert(op, number), Type::scalar(element))
}

/// The lanes of all of these masks.
fn all(writer: &mut Writer<'_>, masks: &[Mask], ty: Type) -> Value {
    let mut lanes =
        masks.iter().map(|&Mask { mask, is_on }| if is_on { mask } else { writer.emit(Op::Unary(UnaryOp::Not, mask), ty) });
    let lanes: Vec<Value> = lanes.by_ref().collect();
    lanes.into_iter().reduce(|a, b| writer.emit(Op::Binary(BinaryOp::And, a, b), ty)).expect("a mask")
}
