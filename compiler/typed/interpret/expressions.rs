//! Expressions: each gives a value 𝓥(m, τ). Operands are evaluated from left to right.

use super::arithmetic;
use super::places::Addresses;
use super::{FaultKind, Interpreter, Lane, Lanes, Result, Value};
use crate::source::Span;
use crate::typed::ir::{BinaryOp, Constant, Expr, ExprKind, FunctionId, Place, PlaceKind};
use crate::types::{Element, Type, TypeKind};

/// V_τ(c): the bits of a constant as an element, `None` for pointers.
pub(super) fn constant_bits(element: Option<Element>, constant: Constant) -> u64 {
    match (constant, element) {
        (Constant::Bool(value), _) => value.into(),
        (Constant::Int(bits), _) => bits,
        (Constant::Float(value), Some(Element::Double)) => value.to_bits(),
        (Constant::Float(value), Some(Element::Float16)) => ivl::Float16::from_f64(value).to_bits().into(),
        (Constant::Float(value), _) => (value as f32).to_bits().into(),
        (Constant::Null, _) => 0,
    }
}

impl Interpreter<'_> {
    /// Evaluates an expression under P. Soundness: the value has the expression's type.
    pub(super) fn expression(&mut self, e: &Expr) -> Result<Value> {
        let value = self.kind(e)?;
        self.sound(value.ty == e.ty, e.span, || {
            let types = &self.program.types;
            format!("a value of type {} where {} is meant", types.display(value.ty), types.display(e.ty))
        })?;
        Ok(value)
    }

    fn kind(&mut self, e: &Expr) -> Result<Value> {
        match &e.kind {
            ExprKind::Constant(constant) => Ok(self.e_const(*constant, e.ty)),
            ExprKind::Lanes(lanes) => {
                let values = lanes.iter().map(|lane| self.expression(lane)).collect::<Result<Vec<_>>>()?;
                Ok(self.layouts.vector(e.ty, |lane| {
                    let value = &values[usize::from(lane)];
                    value.lane(&self.layouts.leaf(value.ty), 0)
                }))
            }
            ExprKind::Aggregate(parts) => self.e_aggregate(parts, e.ty),
            ExprKind::Load(place) => {
                let lvalue = self.place(place)?;
                self.e_toval(place, &lvalue)
            }
            ExprKind::AddressOf(place) => self.e_addr(e, place),
            ExprKind::Unary(op, a) => {
                let a = self.expression(a)?;
                let leaf = self.layouts.leaf(a.ty);
                let element = leaf.element.expect("an operand with elements");
                Ok(self.layouts.vector(e.ty, |i| a.lane(&leaf, i).map(|bits| arithmetic::unary(*op, element, bits))))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expression(a)?, self.expression(b)?);
                let leaf = self.layouts.leaf(a.ty);
                let element = leaf.element.expect("an operand with elements");
                let apply = |x, y| arithmetic::binary(*op, element, x, y);
                Ok(self.layouts.vector(e.ty, |i| a.lane(&leaf, i).with(b.lane(&leaf, i), apply)))
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.expression(a)?, self.expression(b)?);
                let leaf = self.layouts.leaf(a.ty);
                let apply = |x, y| u64::from(arithmetic::compare(*op, leaf.element, x, y));
                Ok(self.layouts.vector(e.ty, |i| a.lane(&leaf, i).with(b.lane(&leaf, i), apply)))
            }
            ExprKind::And(a, b) => self.e_and_or(true, a, b),
            ExprKind::Or(a, b) => self.e_and_or(false, a, b),
            ExprKind::Conditional(c, a, b) => self.e_cond(c, a, b, e.ty),
            ExprKind::Blend(a, b) => self.e_blend(a, b),
            ExprKind::CurrentMask => {
                let mask = self.frame.shown.unwrap_or(self.frame.mask);
                let length = self.layouts.leaf(e.ty).length;
                Ok(self.layouts.vector(e.ty, |i| Lane::set(mask.governs(length, i).into())))
            }
            ExprKind::LaneIndex => Ok(self.layouts.vector(e.ty, |i| Lane::set(i.into()))),
            ExprKind::Convert(a) => self.e_convert(a, e.ty),
            ExprKind::Broadcast(a) => self.e_broadcast(a, e.ty),
            ExprKind::Assign { place, value: from } => {
                let lvalue = self.place(place)?;
                let value = self.expression(from)?;
                self.sound(value.ty == place.ty, e.span, || "a value that is assigned has another type".into())?;
                self.e_assign(place, &lvalue, &value)?;
                if let PlaceKind::Local(local) = place.kind {
                    self.remember_origin(local, from, &value)?;
                }
                Ok(value)
            }
            ExprKind::Compound { place, op, value, compute_as, old_value } => {
                self.e_compound(place, *op, value, *compute_as, *old_value)
            }
            ExprKind::Call { function, arguments } => self.e_invoke(*function, arguments, e.span),
            ExprKind::Builtin(builtin, operands) => self.builtin(*builtin, operands, e),
            ExprKind::SetLane { place, value, index } => {
                self.e_set(place, value, index)?;
                Ok(Value::void(e.ty))
            }
            ExprKind::Member(a, index) => self.e_rproj(a, *index, e.ty),
            ExprKind::Within(index, window) => self.within(index, window),
            ExprKind::PointerOffset(pointer, index) => {
                let (p, i) = (self.expression(pointer)?, self.expression(index)?);
                Ok(self.moved_pointer(&p, &i, self.scale(pointer.ty), e.ty))
            }
            ExprKind::PointerDifference(p, q) => {
                let scale = self.scale(p.ty).max(1) as i64;
                let (p, q) = (self.expression(p)?, self.expression(q)?);
                let (p_leaf, q_leaf) = (self.layouts.leaf(p.ty), self.layouts.leaf(q.ty));
                Ok(self.layouts.vector(e.ty, |lane| {
                    let (p, q) = (p.lane(&p_leaf, p_leaf.clamp(lane)), q.lane(&q_leaf, q_leaf.clamp(lane)));
                    p.with(q, |p, q| (p.wrapping_sub(q) as i64 / scale) as u64)
                }))
            }
            ExprKind::New(memory, counts) => self.e_new(*memory, counts, e.ty, e.span),
            ExprKind::Print(channel, pieces) => {
                self.e_print(*channel, pieces, e.span)?;
                Ok(Value::void(e.ty))
            }
            ExprKind::Assert(condition, text) => {
                let value = self.expression(condition)?;
                self.must_hold(&value, e.span, &format!("assertion failed: {text}"))?;
                Ok(Value::void(e.ty))
            }
        }
    }

    /// E-CONST: c → 𝓥(V(c), τ)
    fn e_const(&self, constant: Constant, ty: Type) -> Value {
        let bits = constant_bits(self.layouts.leaf(ty).element, constant);
        self.layouts.vector(ty, |_| Lane::set(bits))
    }

    /// E-BROADCAST: m⁺, the same in all lanes; shallow in records (B.3).
    fn e_broadcast(&mut self, a: &Expr, ty: Type) -> Result<Value> {
        let a = self.expression(a)?;
        let mut value = self.layouts.unset(ty);
        for (from, to) in self.layouts.leaves(a.ty).iter().zip(self.layouts.leaves(ty).iter()) {
            for lane in 0..to.length {
                value.set_lane(to, lane, a.lane(from, from.clamp(lane)));
            }
        }
        Ok(value)
    }

    /// E-RPROJ: 𝓥(m, ρ).i → 𝓥(m⟨offset_ρ(i), |τᵢ|⟩, τᵢ)
    fn e_rproj(&mut self, a: &Expr, index: usize, ty: Type) -> Result<Value> {
        let offset = self.program.types.offset(a.ty, index) as usize;
        let size = self.program.types.size(ty) as usize;
        let a = self.expression(a)?;
        let range = offset..offset + size;
        Ok(Value { ty, bytes: a.bytes[range.clone()].to_vec(), unset: a.unset[range].to_vec() })
    }

    /// A condition that holds in all active lanes.
    pub(super) fn must_hold(&self, value: &Value, span: Span, message: &str) -> Result<()> {
        let leaf = self.layouts.leaf(value.ty);
        for lane in (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane)) {
            let number = Some(lane).filter(|_| leaf.length > 1);
            if self.decided(value.lane(&leaf, lane), span, number)? == 0 {
                return self.fault(FaultKind::Assertion, message, span, number);
            }
        }
        Ok(())
    }

    fn e_aggregate(&mut self, parts: &[Expr], ty: Type) -> Result<Value> {
        let mut value = self.layouts.unset(ty);
        for (i, part) in parts.iter().enumerate() {
            let part = self.expression(part)?;
            let offset = match *self.program.types.kind(ty) {
                TypeKind::Array { element, .. } => i * self.program.types.size(element) as usize,
                TypeKind::Record { .. } => self.program.types.offset(ty, i) as usize,
                TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } => {
                    unreachable!("an aggregate is a record or an array")
                }
            };
            value.bytes[offset..][..part.bytes.len()].copy_from_slice(&part.bytes);
            value.unset[offset..][..part.unset.len()].copy_from_slice(&part.unset);
        }
        Ok(value)
    }

    fn e_convert(&mut self, a: &Expr, ty: Type) -> Result<Value> {
        let a = self.expression(a)?;
        let mut value = self.layouts.unset(ty);
        for (from, to) in self.layouts.leaves(a.ty).iter().zip(self.layouts.leaves(ty).iter()) {
            for lane in 0..to.length {
                let converted = a.lane(from, from.clamp(lane)).map(|bits| arithmetic::convert(from.element, to.element, bits));
                value.set_lane(to, lane, converted);
            }
        }
        Ok(value)
    }

    /// A scalar integer that decides.
    pub(super) fn scalar_integer(&mut self, e: &Expr) -> Result<i128> {
        let value = self.expression(e)?;
        let leaf = self.layouts.leaf(value.ty);
        let bits = self.decided(value.lane(&leaf, 0), e.span, None)?;
        Ok(arithmetic::integer(leaf.element.expect("an integer"), bits))
    }

    /// |τ| for a pointer τ∗; `void *` counts bytes.
    pub(super) fn scale(&self, pointer: Type) -> u64 {
        let pointee = self.program.types.pointee(pointer).expect("a pointer");
        let is_void = matches!(self.program.types.kind(pointee), TypeKind::Void);
        if is_void { 1 } else { self.program.types.size(pointee) }
    }

    // ---- Evaluation under narrower masks --------------------------------------------------------------------------

    /// Evaluates under another mask; `None` where it has no lane.
    fn under(&mut self, mask: Lanes, e: &Expr) -> Result<Option<Value>> {
        if mask.is_none() {
            return Ok(None);
        }
        let saved = std::mem::replace(&mut self.frame.mask, mask);
        let value = self.expression(e);
        self.frame.mask = saved;
        value.map(Some)
    }

    /// The lanes that an operator with operands of this length works on: P, or in context 1 all of them.
    fn active(&self, length: u8) -> Lanes {
        if self.frame.mask.length() == length { self.frame.mask } else { Lanes::all(length) }
    }

    /// `a && b` (`is_and`), `a || b`: b under P and a (P and not a).
    fn e_and_or(&mut self, is_and: bool, a: &Expr, b: &Expr) -> Result<Value> {
        let left = self.expression(a)?;
        if let Some(holds) = self.scalar_condition(&left, a.span)? {
            return if holds == is_and { self.expression(b) } else { Ok(left) };
        }
        let leaf = self.layouts.leaf(left.ty);
        let active = self.active(leaf.length);
        let holds = self.lanes_where(&left, a.span)?;
        let rest = if is_and { holds } else { active.without(holds) };
        let right = self.under(rest, b)?;
        Ok(self.layouts.vector(left.ty, |lane| match &right {
            _ if !active.has(lane) => Lane::UNSET,
            Some(right) if rest.has(lane) => right.lane(&leaf, lane),
            Some(_) | None => left.lane(&leaf, lane),
        }))
    }

    /// `c ? a : b`: a under P and c, b under P and not c.
    fn e_cond(&mut self, c: &Expr, a: &Expr, b: &Expr, ty: Type) -> Result<Value> {
        let condition = self.expression(c)?;
        if let Some(holds) = self.scalar_condition(&condition, c.span)? {
            return self.expression(if holds { a } else { b });
        }
        let holds = self.lanes_where(&condition, c.span)?;
        let rest = self.active(holds.length()).without(holds);
        let (a, b) = (self.under(holds, a)?, self.under(rest, b)?);
        Ok(self.merged(ty, (holds, a), (rest, b)))
    }

    /// `[a, b]`: a in the lanes of P, b in all others. In context 1 every lane is active.
    fn e_blend(&mut self, a: &Expr, b: &Expr) -> Result<Value> {
        let first = self.expression(a)?;
        let mask = self.frame.mask;
        if mask.is_all() {
            return Ok(first);
        }
        let others = Lanes::all(mask.length()).without(mask);
        let shown = self.frame.shown.replace(mask);
        let second = self.under(others, b)?;
        self.frame.shown = shown;
        Ok(self.merged(first.ty, (mask, Some(first)), (others, second)))
    }

    /// One value from two that were evaluated under masks of their own. A scalar part is that of the first, if any lane asked
    /// for it. Lanes in neither are unset.
    fn merged(&self, ty: Type, first: (Lanes, Option<Value>), second: (Lanes, Option<Value>)) -> Value {
        let mut value = self.layouts.unset(ty);
        for leaf in self.layouts.leaves(ty).iter() {
            for lane in 0..leaf.length {
                for (mask, part) in [&second, &first] {
                    if let Some(part) = part.as_ref().filter(|_| mask.governs(leaf.length, lane)) {
                        value.set_lane(leaf, lane, part.lane(leaf, lane));
                    }
                }
            }
        }
        value
    }

    // ---- Calls ----------------------------------------------------------------------------------------------------

    /// E-INVOKE: the instance runs in the context of the call.
    fn e_invoke(&mut self, function: FunctionId, arguments: &[Expr], span: Span) -> Result<Value> {
        let values = arguments.iter().map(|argument| self.expression(argument)).collect::<Result<Vec<_>>>()?;
        let callee = &self.program.functions[function.0 as usize];
        let mask = self.active(callee.context);
        // The library's function reads as many elements as lanes are on.
        if let ("packed_load", [pointer, into], true) = (&*callee.name, arguments, callee.is_library) {
            let object = self.program.types.pointee(into.ty).expect("what is loaded is given by its address");
            let length = self.program.types.length(object);
            let on = (0..length).filter(|&lane| self.frame.mask.governs(length, lane)).count();
            self.run_inside(pointer, &values[0], on as i128, span)?;
        }
        self.call(function, values, mask, span).map_err(|mut fault| {
            let callee = &self.program.functions[function.0 as usize];
            // What the library or a pipeline does wrong with what it is given is the caller's, and that a pipeline does not start.
            let is_callers = match fault.kind {
                FaultKind::Memory => callee.is_library || callee.is_scheduled,
                FaultKind::Refused => callee.is_scheduled,
                FaultKind::Assertion | FaultKind::Unset | FaultKind::Limit | FaultKind::External | FaultKind::Stuck => false,
            };
            if is_callers {
                fault.span = span;
            }
            fault
        })
    }

    // ---- Compound assignments -------------------------------------------------------------------------------------

    /// `place op= value`: the place is evaluated once; with an address per lane, each active lane in ascending order reads,
    /// computes and writes.
    fn e_compound(&mut self, place: &Place, op: BinaryOp, value: &Expr, compute_as: Type, old_value: bool) -> Result<Value> {
        let lvalue = self.place(place)?;
        let value = self.expression(value)?;
        let leaf = self.layouts.leaf(place.ty);
        let right = self.layouts.leaf(value.ty);
        let to = self.layouts.leaf(compute_as).element;
        let scale = if to.is_none() { self.scale(compute_as) } else { 0 };
        let update = |old: Lane, by: Lane| {
            old.with(by, |old, by| match to {
                None => {
                    let by = if op == BinaryOp::Subtract {
                        arithmetic::integer(right.element.expect("a number"), by).wrapping_neg() as u64
                    } else {
                        arithmetic::integer(right.element.expect("a number"), by) as u64
                    };
                    old.wrapping_add(by.wrapping_mul(scale))
                }
                Some(element) => {
                    let wide = arithmetic::convert(leaf.element, to, old);
                    arithmetic::convert(to, leaf.element, arithmetic::binary(op, element, wide, by))
                }
            })
        };
        if let Addresses::Lanes(addresses) = &lvalue.addresses {
            let object = self.layouts.leaf(place.object);
            let mut result = self.layouts.unset(place.ty);
            for lane in self.active(leaf.length).iter() {
                let address = self.decided(addresses[usize::from(lane)], place.span, Some(lane))?;
                let at = address.wrapping_add(object.at(object.clamp(lane)) as u64);
                let old = self.memory.read_lane(at, leaf.size).or_else(|m| self.misuse(m, place.span, Some(lane)))?;
                let new = update(old, value.lane(&right, right.clamp(lane)));
                self.memory.write_lane(at, leaf.size, new).or_else(|m| self.misuse(m, place.span, Some(lane)))?;
                result.set_lane(&leaf, lane, if old_value { old } else { new });
            }
            return Ok(result);
        }
        let old = self.e_toval(place, &lvalue)?;
        let new = self.layouts.vector(place.ty, |i| update(old.lane(&leaf, i), value.lane(&right, right.clamp(i))));
        self.e_assign(place, &lvalue, &new)?;
        Ok(if old_value { old } else { new })
    }
}
