//! Gathers and scatters whose addresses are known to be regular become plain accesses.
//!
//! ```text
//! i = ramp b, 1                          i = ramp b, 1
//! p = ptrindex a, i, scale 4             q = ptrindex a, b, scale 4          (scalar)
//! v = gather p, mask m            ──►    v = load q, mask m
//! ```
//! An address vector is *linear* if lane k holds u + k·stride for a scalar u and a constant stride. With the size of the
//! element as stride the access is a load or store of consecutive elements, with its negation one in reverse, with 0 one
//! element for all lanes; other small strides make a `stridedload`, in reverse where they are negative. Of a greater
//! one each lane is loaded by itself. The first n lanes in reverse are the first n elements from the last lane on.
//!
//! It is *halved* if lane k holds u + ((b + k) >> 1)·stride: neighbours share their element in pairs, which begin at lane 0
//! where b is even and at lane 1 where it is odd. Half as many elements are loaded, the last of them for the last lane, so that
//! none is loaded which no lane reads; lane 0 of an odd b has one of its own:
//!
//! ```text
//! j = ashr (ramp b, 1), 1                w = load q, N / 2 elements;  x = load of lane 0's;  o = b & 1
//! v = gather (ptrindex a, j)      ──►    v = select (splat o), (x, w₀, w₀, w₁, w₁, …), (w₀, w₀, w₁, w₁, …)
//! ```
//!
//! It is *shared* if lane k holds u + (k >> n)·stride: 2ⁿ neighbours have one element, from lane 0 on. So it is of (b + k) >> n and of
//! (b + k) & −2ⁿ and of (b + k) | (2ⁿ − 1) where b is a multiple of the N lanes; no lane of such a sum is 0 or wraps unless lane 0 does. The elements are loaded as N >> n
//! lanes are, the first ones under a mask of the first ones, and each is put where its lanes are.
//!
//! Where b is a multiple of the N lanes and N one of 2ⁿ or less, b and all lanes have the same higher bits: (b + k) >> n is b >> n in all
//! of them, and (b + k) & (2ⁿ − 1) is (b & (2ⁿ − 1)) + k. Numbers in blocks of 2ⁿ are neighbours there.
//!
//! It is *paced* if lane k holds u + k·(stride + s) for a scalar s, as numbers of its type: a column of a picture. Each lane is loaded by itself, which
//! takes no more than a gather, whose addresses would have to be put into a register first, and less where processors must not look
//! ahead in gathers. A stride that is no small one is a pace that is known:
//!
//! ```text
//! v = gather (ptrindex a, (ramp b, 1) · splat s)      ──►     v = <load q, load q + s, load q + 2 s, load q + 3 s>
//! ```
//!
//! # Integers wrap
//! All forms hold modulo 2ⁿ, for integers of n bits. An extension to more bits keeps the form of
//! * a *signed index of 32 bits*: indices that are inside of an object of at most 2³¹ elements are less than 2³¹ apart, so that the
//!   distance of neighbours is the only number of 32 bits that it can be. For a stride that is the stride, since it is small. A pace is
//!   added up and multiplied in 32 bits and extended then: with s = 2³¹ + 1, lane k of `2 * x * s` holds 2·k.
//! * an *unsigned index of 32 bits*: of lanes that wrap from one to the next those near 0 are in the object, and the others are off, as lane 0 of
//!   `if (x > 0) … a[x - 1]` is. So it is the greatest lane that is extended, and the others lie below it: lane 0 is at −1.
//! * a ramp that its author knows to be exact, and constants.
//!
//! It does not of other narrow indices: behind index 127 of an `int8` comes −128, which lies in the same object if a pointer
//! leads into its middle.

use super::multiples::Multiples;
use crate::source::Span;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The greatest stride, in elements, that a strided load covers.
const MAX_STRIDE: i64 = 8;
/// The greatest stride, in bytes, by which lanes are loaded one by one: indices of 32 bits have it, too.
const MAX_STEP: u64 = 1 << 30;

/// A scalar that is computed in front of the access, if it is needed.
pub(super) enum Scalar {
    Value(Value),
    Const(u64, Type),
    Unary(UnaryOp, Rc<Scalar>, Type),
    Binary(BinaryOp, Rc<Scalar>, Rc<Scalar>, Type),
    Convert(ConvertOp, Rc<Scalar>, Type),
    PtrIndex(Rc<Scalar>, Rc<Scalar>, u64, i64),
    PtrOffset(Rc<Scalar>, i64),
}

/// Lane k is `uniform` + k·`stride`; in elements for integers, in bytes for pointers. With `halved` b it is
/// `uniform` + (((b & 1) + k) >> 1)·`stride`, with `shared` n it is `uniform` + (k >> n)·`stride`, with `pace` s it is `uniform` + k·(`stride` + s);
/// with one of them at most. The pace is of the type of the lanes; in pointers of 64 bits.
#[derive(Clone)]
pub(super) struct Linear {
    pub(super) uniform: Rc<Scalar>,
    pub(super) stride: i64,
    pub(super) halved: Option<Rc<Scalar>>,
    pub(super) shared: u32,
    pub(super) pace: Option<Rc<Scalar>>,
}

impl Linear {
    /// Do neighbours share a number?
    pub(super) fn is_grouped(&self) -> bool {
        self.halved.is_some() || self.shared > 0
    }

    /// Is each lane a stride behind the one before it, and nothing else?
    pub(super) fn is_plain(&self) -> bool {
        !self.is_grouped() && self.pace.is_none()
    }

    /// How many neighbours share a lane's number, as a power of two, in a sum of both; `None` if that is not regular.
    fn shared_with(&self, other: &Linear) -> Option<u32> {
        match (self.stride, other.stride) {
            (_, 0) => Some(self.shared),
            (0, _) => Some(other.shared),
            _ => (self.shared == other.shared).then_some(self.shared),
        }
    }

    /// What a sum of both is halved by; `None` if it is neither linear nor halved.
    fn halved_with(&self, other: &Linear) -> Option<Option<Rc<Scalar>>> {
        match (&self.halved, &other.halved) {
            (None, None) => Some(None),
            (Some(b), None) if other.stride == 0 => Some(Some(b.clone())),
            (None, Some(b)) if self.stride == 0 => Some(Some(b.clone())),
            (Some(_), _) | (_, Some(_)) => None,
        }
    }
}

/// The first one of so many lanes without a sign, in more bits, where the greatest one has not wrapped. Lanes that may wrap twice are not regular.
fn without_wrap(lanes: &Linear, length: u8, from: Type, to: Type) -> Option<Scalar> {
    let ahead = i64::from(length - 1).checked_mul(lanes.stride).filter(|ahead| ahead.unsigned_abs() < 1 << 31)?;
    if ahead < 0 {
        return Some(Scalar::Convert(ConvertOp::ZExt, lanes.uniform.clone(), to));
    }
    let number = |ty: Type| Rc::new(Scalar::Const(ahead as u64 & (u64::MAX >> (64 - ty.element.bits())), ty));
    let greatest = Rc::new(Scalar::Binary(BinaryOp::Add, lanes.uniform.clone(), number(from), from));
    let extended = Rc::new(Scalar::Convert(ConvertOp::ZExt, greatest, to));
    Some(Scalar::Binary(BinaryOp::Sub, extended, number(to), to))
}

/// Rewrites all regular accesses of a function.
pub fn memory_access(function: &mut Function) {
    let mut forms = Forms::default();
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            drop_whole_mask(function, inst);
            let (pointers, element) = match &function.insts[inst.0 as usize] {
                InstData { op: Op::Gather { pointers, .. }, results, .. } => {
                    (*pointers, function.values[results[0].0 as usize].ty)
                }
                InstData { op: Op::Scatter { pointers, value, .. }, .. } => (*pointers, function.values[value.0 as usize].ty),
                _ => {
                    out.push(inst);
                    continue;
                }
            };
            if let Some(address) = forms.of(function, pointers) {
                let mut writer = Writer { function, out: &mut out, span: Span::default() };
                writer.rewrite(inst, &address, element);
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// A function that is inlined where all lanes are on has a mask that says so: that is none.
fn drop_whole_mask(function: &mut Function, inst: Inst) {
    let is_whole = |mask: Value| function.constant(mask).is_some_and(|lanes| lanes.iter().all(|lane| *lane != 0));
    if let Op::Gather { mask: Some(mask), .. } | Op::Scatter { mask: Some(mask), .. } = function.insts[inst.0 as usize].op
        && is_whole(mask)
        && let Op::Gather { mask, .. } | Op::Scatter { mask, .. } = &mut function.insts[inst.0 as usize].op
    {
        *mask = None;
    }
}

/// The linear forms of values, as far as they were asked for.
#[derive(Default)]
pub(super) struct Forms {
    known: FxHashMap<Value, Option<Linear>>,
    multiples: Multiples,
}

impl Forms {
    pub(super) fn of(&mut self, function: &Function, value: Value) -> Option<Linear> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let form = self.compute(function, value);
        self.known.insert(value, form.clone());
        form
    }

    /// That of an integer which is no address: it holds for all lanes, modulo 2ⁿ. Neither halved, shared nor paced.
    pub(super) fn of_number(&mut self, function: &Function, value: Value) -> Option<Linear> {
        let form = self.plain(function, value).filter(|form| !form.is_grouped())?;
        is_known_to_wrap(function, value, 0).then_some(form)
    }

    /// From here on the value has this form.
    pub(super) fn assume(&mut self, value: Value, form: Linear) {
        self.known.insert(value, Some(form));
    }

    fn compute(&mut self, function: &Function, value: Value) -> Option<Linear> {
        let ty = function.values[value.0 as usize].ty;
        if ty.length == 1 {
            return Some(Linear { uniform: Rc::new(Scalar::Value(value)), stride: 0, halved: None, shared: 0, pace: None });
        }
        let ValueDef::Result(inst, _) = function.values[value.0 as usize].def else { return None };
        let scalar = ty.with_length(1);
        let form =
            |s: Scalar, stride: i64, halved, shared| Some(Linear { uniform: Rc::new(s), stride, halved, shared, pace: None });
        let uniform = |s: Scalar, stride: i64| form(s, stride, None, 0);
        if let Some(paced) = self.paced(function, &function.insts[inst.0 as usize].op, scalar) {
            return Some(paced);
        }
        match &function.insts[inst.0 as usize].op {
            Op::Splat(a) => uniform(Scalar::Value(*a), 0),
            Op::Ramp { base, step, exact: _ } => uniform(Scalar::Value(*base), *step),
            Op::Const(bits) if ty.element.is_int() => {
                let signed = |b: u64| (b << (64 - ty.element.bits())) as i64 >> (64 - ty.element.bits());
                let stride = if bits.len() > 1 { signed(bits[1]).wrapping_sub(signed(bits[0])) } else { 0 };
                let regular = bits.windows(2).all(|w| signed(w[1]).wrapping_sub(signed(w[0])) == stride);
                if regular { uniform(Scalar::Const(bits[0], scalar), stride) } else { None }
            }
            Op::Const(bits) if bits.len() == 1 => uniform(Scalar::Const(bits[0], scalar), 0),
            Op::Unary(op @ (UnaryOp::Neg | UnaryOp::Not), a) if ty.element.is_int() => {
                let a = self.plain(function, *a)?;
                let stride = if *op == UnaryOp::Neg { a.stride.checked_neg()? } else { a.stride };
                if *op == UnaryOp::Not && stride != 0 {
                    return None;
                }
                form(Scalar::Unary(*op, a.uniform, scalar), stride, a.halved, a.shared)
            }
            Op::Binary(op, a, b) if ty.element.is_int() => {
                let (a, b) = (self.plain(function, *a)?, self.plain(function, *b)?);
                let constant = |l: &Linear| constant(function, &l.uniform).filter(|_| l.stride == 0);
                let by = a.halved_with(&b)?;
                let mut shared = a.shared_with(&b)?;
                let is_index = a.stride == 1 && by.is_none() && shared == 0;
                let stride = match op {
                    BinaryOp::AShr | BinaryOp::LShr | BinaryOp::And
                        if is_index
                            && constant(&b).is_some_and(|b| self.is_in_one_block(function, &a.uniform, *op, b, ty.length)) =>
                    {
                        i64::from(*op == BinaryOp::And)
                    }
                    BinaryOp::AShr | BinaryOp::LShr | BinaryOp::And | BinaryOp::Or
                        if is_index
                            && let Some(bits) = constant(&b).and_then(|b| shared_bits(*op, b))
                            && 1 << bits < ty.length
                            && self.zeros(function, &a.uniform) >= ty.length.trailing_zeros() =>
                    {
                        shared = bits;
                        if matches!(op, BinaryOp::And | BinaryOp::Or) { 1 << bits } else { 1 }
                    }
                    BinaryOp::AShr if is_index && constant(&b) == Some(1) => {
                        let first = a.uniform.clone();
                        return form(Scalar::Binary(*op, a.uniform, b.uniform, scalar), 1, Some(first), 0);
                    }
                    BinaryOp::Add => a.stride.checked_add(b.stride)?,
                    BinaryOp::Sub => a.stride.checked_sub(b.stride)?,
                    _ if a.stride == 0 && b.stride == 0 => 0,
                    BinaryOp::Mul => match (constant(&a), constant(&b)) {
                        (Some(factor), _) => b.stride.checked_mul(factor)?,
                        (_, Some(factor)) => a.stride.checked_mul(factor)?,
                        (None, None) => return None,
                    },
                    BinaryOp::Shl => a.stride.checked_mul(1i64.checked_shl(u32::try_from(constant(&b)?).ok()?)?)?,
                    _ => return None,
                };
                let (by, shared) = if stride == 0 { (None, 0) } else { (by, shared) };
                form(Scalar::Binary(*op, a.uniform, b.uniform, scalar), stride, by, shared)
            }
            Op::Convert(op, a) => {
                let (exact, from) = (self.is_exact(function, *a), function.ty(*a));
                let a = self.plain(function, *a)?;
                let regular = match op {
                    ConvertOp::Trunc => true,
                    ConvertOp::SExt => exact || a.stride == 0 || is_index(from),
                    ConvertOp::ZExt if !exact && a.stride != 0 && is_index(from) && a.is_plain() => {
                        let first = without_wrap(&a, ty.length, from.with_length(1), scalar)?;
                        return form(first, a.stride, None, 0);
                    }
                    ConvertOp::ZExt => exact || a.stride == 0,
                    ConvertOp::FToS
                    | ConvertOp::FToU
                    | ConvertOp::SToF
                    | ConvertOp::UToF
                    | ConvertOp::FToF
                    | ConvertOp::HToF
                    | ConvertOp::FToH
                    | ConvertOp::PtrToInt
                    | ConvertOp::IntToPtr
                    | ConvertOp::Bits => a.stride == 0,
                };
                if regular { form(Scalar::Convert(*op, a.uniform, scalar), a.stride, a.halved, a.shared) } else { None }
            }
            Op::PtrIndex { base, index, scale, offset } => {
                let is_wide = is_index(function.ty(*index));
                let (base, index) = (self.plain(function, *base)?, self.plain(function, *index)?);
                if !is_wide && index.stride != 0 {
                    return None;
                }
                let step = index.stride.checked_mul(i64::try_from(*scale).ok()?)?;
                let stride = base.stride.checked_add(step)?;
                let (by, shared) = (base.halved_with(&index)?, base.shared_with(&index)?);
                form(Scalar::PtrIndex(base.uniform, index.uniform, *scale, *offset), stride, by, shared)
            }
            Op::PtrOffset(base, offset) => {
                let base = self.plain(function, *base)?;
                form(Scalar::PtrOffset(base.uniform, *offset), base.stride, base.halved, base.shared)
            }
            _ => None,
        }
    }

    /// Does an operation with a constant see neighbours from `first` on, one for each of so many lanes, in one block of 2ⁿ: a shift
    /// by n, a mask of n bits?
    fn is_in_one_block(&mut self, function: &Function, first: &Scalar, op: BinaryOp, constant: i64, lanes: u8) -> bool {
        let size = match op {
            BinaryOp::And => constant.checked_add(1),
            _ => u32::try_from(constant).ok().and_then(|by| 1i64.checked_shl(by)),
        };
        let is_block = size.is_some_and(|size| size >= i64::from(lanes) && size & (size - 1) == 0);
        is_block && self.zeros(function, first) >= lanes.trailing_zeros()
    }

    /// How many low bits of a scalar are 0.
    fn zeros(&mut self, function: &Function, scalar: &Scalar) -> u32 {
        match scalar {
            Scalar::Value(value) => self.multiples.zeros(function, *value),
            Scalar::Const(bits, _) => bits.trailing_zeros(),
            Scalar::Binary(BinaryOp::Add | BinaryOp::Sub, a, b, _) => self.zeros(function, a).min(self.zeros(function, b)),
            Scalar::Binary(BinaryOp::Mul, a, b, _) => self.zeros(function, a) + self.zeros(function, b),
            Scalar::Convert(ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc, a, _) => self.zeros(function, a),
            Scalar::Binary(..) | Scalar::Unary(..) | Scalar::Convert(..) | Scalar::PtrIndex(..) | Scalar::PtrOffset(..) => 0,
        }
    }

    /// The form of a value that is not paced.
    fn plain(&mut self, function: &Function, value: Value) -> Option<Linear> {
        self.of(function, value).filter(|form| form.pace.is_none())
    }

    /// An operation whose result is paced, or `None` if it is not.
    fn paced(&mut self, function: &Function, op: &Op, scalar: Type) -> Option<Linear> {
        let paced = |s: Scalar, stride: i64, pace| {
            Some(Linear { uniform: Rc::new(s), stride, halved: None, shared: 0, pace: Some(pace) })
        };
        match op {
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) if scalar.element.is_int() => {
                let (a, b) = (self.of(function, *a)?, self.of(function, *b)?);
                let (stride, pace) = match (op, &a.pace, &b.pace) {
                    _ if a.is_grouped() || b.is_grouped() => return None,
                    (BinaryOp::Add, Some(pace), None) => (a.stride.checked_add(b.stride)?, pace.clone()),
                    (BinaryOp::Add, None, Some(pace)) => (a.stride.checked_add(b.stride)?, pace.clone()),
                    (BinaryOp::Sub, Some(pace), None) => (a.stride.checked_sub(b.stride)?, pace.clone()),
                    // (u + k·(stride + s))·f = u·f + k·(stride·f + s·f)
                    (BinaryOp::Mul, _, None) if b.stride == 0 && (a.stride != 0 || a.pace.is_some()) => {
                        (0, product(function, &a, &b.uniform, scalar)?)
                    }
                    (BinaryOp::Mul, None, _) if a.stride == 0 && (b.stride != 0 || b.pace.is_some()) => {
                        (0, product(function, &b, &a.uniform, scalar)?)
                    }
                    _ => return None,
                };
                paced(Scalar::Binary(*op, a.uniform, b.uniform, scalar), stride, pace)
            }
            Op::Convert(op @ ConvertOp::SExt, a) => {
                let from = function.ty(*a).with_length(1);
                let a = self.of(function, *a)?;
                let pace = wide_pace(&a, from, scalar)?;
                paced(Scalar::Convert(*op, a.uniform, scalar), 0, pace)
            }
            Op::PtrIndex { base, index, scale, offset } => {
                let from = function.ty(*index).with_length(1);
                let (base, index) = (self.of(function, *base)?, self.of(function, *index)?);
                let size = i64::try_from(*scale).ok()?;
                let bytes = |pace| Scalar::Binary(BinaryOp::Mul, pace, Rc::new(Scalar::Const(*scale, PACE)), PACE);
                let (stride, pace) = match (&base.pace, &index.pace) {
                    _ if base.is_grouped() || index.is_grouped() => return None,
                    (Some(_), None) if index.stride != 0 && !is_index(from) => return None,
                    (Some(pace), None) => (base.stride.checked_add(index.stride.checked_mul(size)?)?, pace.clone()),
                    (None, Some(_)) => (base.stride, Rc::new(bytes(wide_pace(&index, from, PACE)?))),
                    _ => return None,
                };
                paced(Scalar::PtrIndex(base.uniform, index.uniform, *scale, *offset), stride, pace)
            }
            Op::PtrOffset(base, offset) => {
                let base = self.of(function, *base)?;
                paced(Scalar::PtrOffset(base.uniform, *offset), base.stride, base.pace?)
            }
            _ => None,
        }
    }

    /// Does it certainly not wrap from lane to lane?
    fn is_exact(&self, function: &Function, value: Value) -> bool {
        matches!(function.definition(value), Some(Op::Ramp { exact: true, .. } | Op::Const(_)))
    }
}

/// The type of a pace in bytes.
const PACE: Type = Type::scalar(Element::I64);

/// Is an integer wide enough for neighbours inside of an object to be as far apart as their form says?
fn is_index(ty: Type) -> bool {
    ty.element.bits() >= 32
}

/// stride + pace of an integer.
fn step(l: &Linear, ty: Type) -> Rc<Scalar> {
    let bits = l.stride as u64 & (u64::MAX >> (64 - ty.element.bits()));
    match &l.pace {
        None => Rc::new(Scalar::Const(bits, ty)),
        Some(pace) if bits == 0 => pace.clone(),
        Some(pace) => Rc::new(Scalar::Binary(BinaryOp::Add, pace.clone(), Rc::new(Scalar::Const(bits, ty)), ty)),
    }
}

/// (stride + pace) · factor, as a pace: the factor is no constant, or there is a pace.
fn product(function: &Function, l: &Linear, factor: &Rc<Scalar>, ty: Type) -> Option<Rc<Scalar>> {
    if l.pace.is_none() && constant(function, factor).is_some() {
        return None;
    }
    Some(Rc::new(Scalar::Binary(BinaryOp::Mul, step(l, ty), factor.clone(), ty)))
}

/// The pace of a paced integer of type `from`, the stride included, as a signed number of type `to`.
fn wide_pace(l: &Linear, from: Type, to: Type) -> Option<Rc<Scalar>> {
    l.pace.as_ref()?;
    let step = step(l, from);
    match is_index(from) {
        true if from == to => Some(step),
        true => Some(Rc::new(Scalar::Convert(ConvertOp::SExt, step, to))),
        false => None,
    }
}

/// Is the form of a value that of all its lanes, and not only of those that are inside of an object? A number of few bits that is
/// extended wraps before that, unless it is said to be exact.
fn is_known_to_wrap(function: &Function, value: Value, depth: u32) -> bool {
    if function.ty(value).length == 1 {
        return true;
    }
    match function.definition(value) {
        Some(Op::Ramp { .. } | Op::Const(_) | Op::Splat(_)) => true,
        Some(op @ (Op::Unary(..) | Op::Binary(..) | Op::Convert(ConvertOp::Trunc, _))) if depth < 8 => {
            let mut known = true;
            op.for_each(|operand| known &= is_known_to_wrap(function, operand, depth + 1));
            known
        }
        Some(Op::Convert(ConvertOp::SExt, a)) => matches!(function.definition(*a), Some(Op::Ramp { exact: true, .. })),
        _ => false,
    }
}

/// How many low bits an operation with a constant takes from its operand, or sets in it; what is left of the others has the same distances, shifted or not.
fn shared_bits(op: BinaryOp, constant: i64) -> Option<u32> {
    let bits = match op {
        BinaryOp::And => constant.trailing_zeros(),
        BinaryOp::Or => constant.trailing_ones(),
        _ => u32::try_from(constant).ok()?,
    };
    let is_whole = bits < 8
        && match op {
            BinaryOp::And => constant == -1 << bits,
            BinaryOp::Or => constant == (1 << bits) - 1,
            _ => true,
        };
    (bits > 0 && is_whole).then_some(bits)
}

/// The value of a scalar that is constant.
fn constant(function: &Function, scalar: &Scalar) -> Option<i64> {
    let signed = |bits: u64, ty: Type| (bits << (64 - ty.element.bits())) as i64 >> (64 - ty.element.bits());
    match scalar {
        Scalar::Const(bits, ty) => Some(signed(*bits, *ty)),
        Scalar::Value(v) => match function.values[v.0 as usize] {
            ValueData { ty, def: ValueDef::Result(inst, _) } => match &function.insts[inst.0 as usize].op {
                Op::Const(bits) if ty.element.is_int() => Some(signed(bits[0], ty)),
                _ => None,
            },
            ValueData { ty: _, def: ValueDef::Parameter(..) } => None,
        },
        Scalar::Convert(ConvertOp::SExt, a, _) => constant(function, a),
        Scalar::Unary(..) | Scalar::Binary(..) | Scalar::Convert(..) | Scalar::PtrIndex(..) | Scalar::PtrOffset(..) => None,
    }
}

impl Writer<'_> {
    pub(super) fn scalar(&mut self, scalar: &Scalar) -> Value {
        let pointer = Type::scalar(Element::Ptr);
        match scalar {
            Scalar::Value(value) => *value,
            Scalar::Const(bits, ty) => self.emit(Op::Const(vec![*bits]), *ty),
            Scalar::Unary(op, a, ty) => {
                let a = self.scalar(a);
                self.emit(Op::Unary(*op, a), *ty)
            }
            Scalar::Binary(op, a, b, ty) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit(Op::Binary(*op, a, b), *ty)
            }
            Scalar::Convert(op, a, ty) => {
                let a = self.scalar(a);
                self.emit(Op::Convert(*op, a), *ty)
            }
            Scalar::PtrIndex(base, index, scale, offset) => {
                let (base, index) = (self.scalar(base), self.scalar(index));
                self.emit(Op::PtrIndex { base, index, scale: *scale, offset: *offset }, pointer)
            }
            Scalar::PtrOffset(base, offset) => {
                let base = self.scalar(base);
                self.emit(Op::PtrOffset(base, *offset), pointer)
            }
        }
    }

    /// A load of `ty` from a halved address: that of lane 0, and b.
    fn halved(&mut self, first: &Scalar, b: &Scalar, ty: Type) -> Op {
        let (length, half) = (i16::from(ty.length), ty.with_length(ty.length / 2));
        let (pointer, b) = (self.scalar(first), self.scalar(b));
        let index = Type::scalar(self.function.values[b.0 as usize].ty.element);
        let one = self.emit(Op::Const(vec![1]), index);
        let is_odd = self.emit(Op::Binary(BinaryOp::And, b, one), index);
        let from = Op::PtrIndex { base: pointer, index: is_odd, scale: ty.element.size(), offset: 0 };
        let from = self.emit(from, Type::scalar(Element::Ptr));
        let pairs = self.emit(Op::Load { pointer: from, mask: None }, half);
        let alone = self.emit(Op::Load { pointer, mask: None }, ty.with_length(1));
        let even = self.emit(Op::Shuffle(pairs, pairs, (0..length).map(|k| k / 2).collect()), ty);
        let odd = self.emit(Op::Shuffle(pairs, pairs, (0..length).map(|k| (k - 1).max(0) / 2).collect()), ty);
        let zero = self.emit(Op::Const(vec![0]), Type::scalar(Element::I32));
        let odd = self.emit(Op::Insert(odd, alone, zero), ty);
        let none = self.emit(Op::Const(vec![0]), index);
        let is_odd = self.emit(Op::Compare(CompareOp::Ne, is_odd, none), Type::scalar(Element::Bool));
        let mask = self.emit(Op::Splat(is_odd), ty.mask());
        Op::Select(mask, odd, even)
    }

    /// A load of `ty` from an address that 2ⁿ neighbours share, of all lanes or of the first ones.
    fn shared(&mut self, address: &Linear, ty: Type, mask: Option<(Value, Value)>, object: Option<Object>) -> Op {
        let few = ty.with_length(ty.length >> address.shared);
        let number = Type::scalar(Element::I32);
        let few_mask = mask.map(|(_, count)| {
            let [length, more, bits] = [u64::from(ty.length), (1 << address.shared) - 1, address.shared.into()]
                .map(|constant| self.emit(Op::Const(vec![constant]), number));
            let lanes = self.emit(Op::Binary(BinaryOp::UMin, count, length), number);
            let lanes = self.emit(Op::Binary(BinaryOp::Add, lanes, more), number);
            let lanes = self.emit(Op::Binary(BinaryOp::LShr, lanes, bits), number);
            self.emit(Op::FirstLanes(lanes), few.mask())
        });
        let pointer = self.scalar(&address.uniform);
        let loaded = match address.stride == ty.element.size() as i64 {
            true => Op::Load { pointer, mask: few_mask },
            false => Op::StridedLoad { pointer, stride: address.stride, mask: few_mask, object },
        };
        let loaded = self.emit(loaded, few);
        let spread = Op::Shuffle(loaded, loaded, (0..i16::from(ty.length)).map(|k| k >> address.shared).collect());
        let Some((mask, _)) = mask else { return spread };
        let (spread, zero) = (self.emit(spread, ty), self.emit(Op::Const(vec![0]), ty));
        Op::Select(mask, spread, zero)
    }

    /// One load for each lane, from first + k · (stride + pace) bytes.
    fn one_by_one(&mut self, address: &Linear, ty: Type) -> Op {
        let mut vector = self.emit(Op::Const(vec![0]), ty);
        for (lane, pointer) in (0..).zip(self.places(address, ty.length)) {
            let loaded = self.emit(Op::Load { pointer, mask: None }, ty.with_length(1));
            let at = self.emit(Op::Const(vec![lane]), Type::scalar(Element::I32));
            if lane + 1 == u64::from(ty.length) {
                return Op::Insert(vector, loaded, at);
            }
            vector = self.emit(Op::Insert(vector, loaded, at), ty);
        }
        unreachable!("a vector has a lane")
    }

    /// The address of each lane, first + k · (stride + pace) bytes. Four at a time lie at multiples that are part of an address.
    pub(super) fn places(&mut self, address: &Linear, lanes: u8) -> Vec<Value> {
        let pointer_type = Type::scalar(Element::Ptr);
        let mut pointer = self.scalar(&address.uniform);
        let Some(pace) = &address.pace else {
            return (0..i64::from(lanes)).map(|lane| self.offset(pointer, address.stride * lane)).collect();
        };
        let pace = self.scalar(pace);
        let stride = self.emit(Op::Const(vec![address.stride as u64]), PACE);
        let step = self.emit(Op::Binary(BinaryOp::Add, pace, stride), PACE);
        let mut multiples = vec![step];
        for _ in 1..4 {
            multiples.push(self.emit(Op::Binary(BinaryOp::Add, multiples[multiples.len() - 1], step), PACE));
        }
        let mut places = vec![pointer];
        for lane in 1..usize::from(lanes) {
            let by = multiples[(lane + 3) % 4];
            let place = self.emit(Op::PtrIndex { base: pointer, index: by, scale: 1, offset: 0 }, pointer_type);
            if lane % 4 == 0 {
                pointer = place;
            }
            places.push(place);
        }
        places
    }

    /// The number of lanes of a mask of the first ones.
    pub(super) fn first_lanes(&self, mask: Option<Value>) -> Option<Value> {
        match self.function.definition(mask?) {
            Some(&Op::FirstLanes(count)) => Some(count),
            _ => None,
        }
    }

    /// Of the first `count` lanes in descending order, the address of the last one, from which on they are as many in ascending order, and
    /// the places that the lanes have there; those of other lanes are behind them.
    fn in_reverse(&mut self, first: &Scalar, stride: i64, count: Value, ty: Type) -> (Value, Value) {
        let number = Type::scalar(Element::I32);
        let base = self.scalar(first);
        let length = self.emit(Op::Const(vec![ty.length.into()]), number);
        let one = self.emit(Op::Const(vec![1]), number);
        let lanes = self.emit(Op::Binary(BinaryOp::UMin, count, length), number);
        let last = self.emit(Op::Binary(BinaryOp::Sub, lanes, one), number);
        let index = self.emit(Op::Unary(UnaryOp::Neg, last), number);
        let pointer = Op::PtrIndex { base, index, scale: stride.unsigned_abs(), offset: 0 };
        let pointer = self.emit(pointer, Type::scalar(Element::Ptr));
        let (element, conversion) = match ty.element.size() {
            1 => (Element::I8, Some(ConvertOp::Trunc)),
            2 => (Element::I16, Some(ConvertOp::Trunc)),
            4 => (Element::I32, None),
            _ => (Element::I64, Some(ConvertOp::SExt)),
        };
        let last = conversion.map_or(last, |conversion| self.emit(Op::Convert(conversion, last), Type::scalar(element)));
        let places = ty.with_element(element);
        let last = self.emit(Op::Splat(last), places);
        let lanes = self.emit(Op::Const((0..u64::from(ty.length)).collect()), places);
        (pointer, self.emit(Op::Binary(BinaryOp::Sub, last, lanes), places))
    }

    /// Changes the access `inst` of type `ty` at the linear address, if its stride is one of those that help.
    fn rewrite(&mut self, inst: Inst, address: &Linear, ty: Type) {
        let size = ty.element.size() as i64;
        let op = self.function.insts[inst.0 as usize].op.clone();
        self.span = self.function.insts[inst.0 as usize].span;
        let stride = address.stride;
        let is_back = stride % size == 0 && (-MAX_STRIDE..0).contains(&(stride / size)) && ty.element != Element::Ptr;
        let lowest = |this: &mut Self| {
            let first = this.scalar(&address.uniform);
            let back = stride.wrapping_mul(i64::from(ty.length) - 1);
            this.emit(Op::PtrOffset(first, back), Type::scalar(Element::Ptr))
        };
        let new = match op {
            Op::Gather { mask: None, .. } if address.pace.is_some() => self.one_by_one(address, ty),
            Op::Gather { .. } | Op::Scatter { .. } if address.pace.is_some() => return,
            Op::Gather { mask: None, .. } if address.halved.is_some() => {
                let b = address.halved.as_ref().expect("a halved address");
                let is_pairs = stride == size && ty.length >= 4 && ty.element != Element::Bool;
                if !is_pairs {
                    return;
                }
                self.halved(&address.uniform, b, ty)
            }
            Op::Gather { mask, object, .. } if address.shared > 0 => {
                let is_few = stride > 0 && stride % size == 0 && stride / size <= MAX_STRIDE && ty.element != Element::Bool;
                let first = mask.and_then(|mask| Some((mask, self.first_lanes(Some(mask))?)));
                if !is_few || mask.is_some() != first.is_some() {
                    return;
                }
                self.shared(address, ty, first, object)
            }
            Op::Gather { .. } | Op::Scatter { .. } if address.is_grouped() => return,
            Op::Gather { pointers: _, mask, object } => {
                if stride == size {
                    let pointer = self.scalar(&address.uniform);
                    Op::Load { pointer, mask }
                } else if is_back && let Some(count) = self.first_lanes(mask) {
                    let (pointer, order) = self.in_reverse(&address.uniform, stride, count, ty);
                    let op = match stride == -size {
                        true => Op::Load { pointer, mask },
                        false => Op::StridedLoad { pointer, stride: -stride, mask, object },
                    };
                    Op::Permute(self.emit(op, ty), order)
                } else if stride == -size {
                    let pointer = lowest(self);
                    let mask = mask.map(|m| self.reversed(m));
                    let loaded = self.emit(Op::Load { pointer, mask }, ty);
                    Op::Shuffle(loaded, loaded, (0..i16::from(ty.length)).rev().collect())
                } else if stride == 0 {
                    let pointer = self.scalar(&address.uniform);
                    match mask {
                        None => Op::Splat(self.emit(Op::Load { pointer, mask }, ty.with_length(1))),
                        Some(mask) => {
                            let any = self.emit(Op::Any(mask), Type::scalar(Element::Bool));
                            let loaded = self.emit(Op::Load { pointer, mask: Some(any) }, ty.with_length(1));
                            // Lanes that are off stay zero, until `demanded_lanes` sees that nobody minds.
                            let (all, zero) = (self.emit(Op::Splat(loaded), ty), self.emit(Op::Const(vec![0]), ty));
                            Op::Select(mask, all, zero)
                        }
                    }
                } else if stride > 0 && stride % size == 0 && stride / size <= MAX_STRIDE {
                    let pointer = self.scalar(&address.uniform);
                    Op::StridedLoad { pointer, stride, mask, object }
                } else if mask.is_none() && is_back {
                    let pointer = lowest(self);
                    let loaded = self.emit(Op::StridedLoad { pointer, stride: -stride, mask, object }, ty);
                    Op::Shuffle(loaded, loaded, (0..i16::from(ty.length)).rev().collect())
                } else if mask.is_none() && stride.unsigned_abs() <= MAX_STEP {
                    self.one_by_one(address, ty)
                } else {
                    return;
                }
            }
            Op::Scatter { pointers: _, value, mask } => {
                if stride == size {
                    let pointer = self.scalar(&address.uniform);
                    Op::Store { pointer, value, mask, streaming: false }
                } else if stride == -size
                    && is_back
                    && let Some(count) = self.first_lanes(mask)
                {
                    let (pointer, order) = self.in_reverse(&address.uniform, stride, count, ty);
                    let value = self.emit(Op::Permute(value, order), ty);
                    Op::Store { pointer, value, mask, streaming: false }
                } else if stride == -size {
                    let pointer = lowest(self);
                    let mask = mask.map(|m| self.reversed(m));
                    let value = self.reversed(value);
                    Op::Store { pointer, value, mask, streaming: false }
                } else {
                    return;
                }
            }
            other => panic!("{other:?} is neither a gather nor a scatter"),
        };
        self.function.insts[inst.0 as usize].op = new;
    }
}
