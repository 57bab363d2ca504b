//! What is added to a total, in the form that is cheapest to add.
//!
//! ```text
//! mul a, b         both of 16 bits                dot2 (trunc a), (trunc b)        half as many lanes
//! x                of 16 bits                     dot2 (trunc x), 1
//! zext (x: i8)                                    sad x, 0                         an eighth, of 64 bits
//! abs (sub (zext a: i8), (zext b: i8))            sad a, b
//! zext m, select m, 1, 0                          popcnt (maskbits m)              a scalar
//! ```
//! A number is of 16 bits if its [`range`] says so. Masks are those of lanes that count; the others have the identity.

use super::{identity, operation};
use crate::machine::Machine;
use crate::optimize::memory_access::Writer;
use crate::optimize::ranges::range;
use crate::vector::ir::*;

/// Lanes of a mask that are on, or off.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    pub mask: Value,
    pub is_on: bool,
}

/// The form of what is added.
#[derive(Clone, Copy)]
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
            _ if ty.length == 1 => return Contribution { form: Form::Scalar, lanes: value, ty, masks: Vec::new() },
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

    /// Writes it as a partial value of this type.
    pub(super) fn write(&self, writer: &mut Writer<'_>, op: ReduceOp, partial: Type) -> Value {
        let ty = self.ty;
        let is_wide = partial.element != ty.element;
        let lanes = match self.form {
            Form::Scalar => self.lanes,
            Form::Count => {
                let mask = all(writer, &self.masks, ty.mask());
                let bits = writer.emit(Op::MaskBits(mask), Type::scalar(Element::I64));
                let count = writer.emit(Op::Unary(UnaryOp::Popcnt, bits), Type::scalar(Element::I64));
                resized(writer, count, ty.element)
            }
            Form::Products(a, b) if !is_wide => {
                let narrow = ty.with_element(Element::I16);
                let [a, b] = [a, b].map(|value| writer.emit(Op::Convert(ConvertOp::Trunc, value), narrow));
                let a = self.masked(writer, a, 0);
                writer.emit(Op::Dot2(a, b), ty.with_length(ty.length / 2))
            }
            Form::Pairs(value) if !is_wide => {
                let narrow = ty.with_element(Element::I16);
                let numbers = writer.emit(Op::Convert(ConvertOp::Trunc, value), narrow);
                let numbers = self.masked(writer, numbers, 0);
                let ones = writer.emit(Op::Const(vec![1]), narrow);
                writer.emit(Op::Dot2(numbers, ones), ty.with_length(ty.length / 2))
            }
            Form::Distances(a, b) if partial.element == Element::I64 && partial.length <= ty.length / 8 => {
                let b = match b {
                    Some(b) => self.masked(writer, b, 0),
                    None => writer.emit(Op::Const(vec![0]), ty.with_element(Element::I8)),
                };
                let a = self.masked(writer, a, 0);
                writer.emit(Op::Sad(a, b), Type::new(Element::I64, ty.length / 8))
            }
            Form::Lanes | Form::Products(..) | Form::Pairs(_) | Form::Distances(..) => {
                // Masks that are in the lanes already do no harm.
                self.masked(writer, self.lanes, identity(op, ty.element))
            }
        };
        fold(writer, lanes, op, partial)
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
    } else if ty.length >= 16
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
    } else if is_short(lanes) {
        Form::Pairs(lanes)
    } else {
        Form::Lanes
    };
    (form, None)
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
    let lengths = |length: fn(&Contribution) -> Option<u8>| forms().map(length).collect::<Option<Vec<u8>>>();
    let least = |lengths: Vec<u8>| lengths.into_iter().filter(|length| *length > 0).min();
    forms().next()?;
    let partial = if forms().all(|contribution| matches!(contribution.form, Form::Count)) {
        ty.with_length(1)
    } else if let Some(lengths) = lengths(|contribution| match contribution.form {
        Form::Distances(..) => Some(contribution.ty.length / 8),
        Form::Count => Some(0),
        _ => None,
    }) {
        Type::new(Element::I64, least(lengths)?)
    } else {
        let most = 2 * machine.lanes(ty.element.size());
        let lengths = forms().map(|contribution| match contribution.form {
            Form::Products(..) | Form::Pairs(_) => contribution.ty.length / 2,
            _ => contribution.ty.length,
        });
        ty.with_length(least(lengths.collect())?.min(most))
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
