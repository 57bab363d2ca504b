//! Indices: what an index leads to is an element of the array, row, slice, `scratch` array or window that the source names there,
//! and not just some byte of the same object.

use super::arithmetic::{self, integer};
use super::{FaultKind, Interpreter, Lane, Result, Value};
use crate::source::Span;
use crate::typed::ir::{Constant, Expr, ExprKind, Function, LocalId, Place, PlaceKind, Window, out_of_bounds};
use crate::types::{Element, Type, TypeKind};
use std::collections::HashMap;

impl Interpreter<'_> {
    /// The index of a dimension of a view: min ≤ index < min + extent.
    pub(super) fn within(&mut self, index: &Expr, window: &Window) -> Result<Value> {
        let value = self.expression(index)?;
        let min = self.scalar_integer(&window.min)?;
        let extent = self.scalar_integer(&window.extent)?;
        let outside = self.outside(&value, min, extent);
        if let Some((number, lane)) = outside {
            let message = window.message(&number.to_string(), &extent.to_string(), &min.to_string());
            return self.fault(FaultKind::Memory, message, index.span, lane);
        }
        Ok(value)
    }

    /// An index of an array place: 0 ≤ index < its number of elements.
    pub(super) fn in_array(&mut self, array: &Place, index: &Value, span: Span) -> Result<()> {
        let TypeKind::Array { element: _, count } = *self.program.types.kind(array.object) else { return Ok(()) };
        let name = self.program.place_name(self.frame.function, array);
        self.inside(name, index, i128::from(count), span)
    }

    /// The value of a pointer that is followed. Where it is an array, a slice or a `scratch` array with an index, that is inside.
    pub(super) fn pointer(&mut self, pointer: &Expr, span: Span) -> Result<Value> {
        let ExprKind::PointerOffset(base, index) = &pointer.kind else {
            let value = self.expression(pointer)?;
            if let Some((name, extent)) = self.slice(pointer, &value) {
                self.elements(name, &value, 0, extent, span)?;
            }
            return Ok(value);
        };
        let (base_value, number) = (self.expression(base)?, self.expression(index)?);
        let direct = if let ExprKind::Broadcast(inner) = &base.kind { inner } else { base };
        match &direct.kind {
            ExprKind::AddressOf(Place { kind: PlaceKind::Element(array, first), .. })
                if matches!(first.kind, ExprKind::Constant(Constant::Int(0))) =>
            {
                self.in_array(array, &number, span)?;
            }
            _ => {
                if let Some((name, extent)) = self.slice(direct, &base_value) {
                    self.inside(Some(&name), &number, extent, span)?;
                }
            }
        }
        Ok(self.moved_pointer(&base_value, &number, self.scale(base.ty), pointer.ty))
    }

    /// p + i in elements of `scale` bytes.
    pub(super) fn moved_pointer(&self, p: &Value, i: &Value, scale: u64, ty: Type) -> Value {
        let (p_leaf, i_leaf) = (self.layouts.leaf(p.ty), self.layouts.leaf(i.ty));
        let element = i_leaf.element.expect("an index is a number");
        self.layouts.vector(ty, |lane| {
            let (p, i) = (p.lane(&p_leaf, p_leaf.clamp(lane)), i.lane(&i_leaf, i_leaf.clamp(lane)));
            p.with(i, |p, i| p.wrapping_add((integer(element, i) as u64).wrapping_mul(scale)))
        })
    }

    /// The parameters with a number of elements, of a call with these arguments.
    pub(super) fn slices(&self, function: &Function, arguments: &[Value]) -> HashMap<LocalId, (u64, i128)> {
        let mut slices = HashMap::new();
        for (i, argument) in arguments.iter().enumerate() {
            let number = |bound: usize| self.number(&arguments[bound]);
            let extent = function.locals[i].extent().and_then(|bound| bound.value(&number));
            let address = argument.lane(&self.layouts.leaf(argument.ty), 0);
            if let (Some(extent), false) = (extent, address.is_unset) {
                slices.insert(LocalId(i as u32), (address.bits, extent));
            }
        }
        slices
    }

    /// A scalar integer that is set.
    fn number(&self, value: &Value) -> Option<i128> {
        let leaf = self.layouts.leaf(value.ty);
        let lane = value.lane(&leaf, 0);
        let element = leaf.element.filter(|element| element.is_integer() && leaf.length == 1 && !lane.is_unset)?;
        Some(arithmetic::integer(element, lane.bits))
    }

    /// The name and the number of elements of a slice or `scratch` array that a pointer is as a whole.
    fn slice(&self, pointer: &Expr, value: &Value) -> Option<(String, i128)> {
        let pointer = if let ExprKind::Broadcast(inner) = &pointer.kind { inner } else { pointer };
        let ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) = pointer.kind else { return None };
        let function = &self.program.functions[self.frame.function.0 as usize];
        let of = &function.locals[local.0 as usize];
        let name = of.name.clone();
        if (local.0 as usize) < function.parameters {
            // One that has moved on is another pointer.
            let &(address, extent) = self.frame.slices.get(&local)?;
            let now = value.lane(&self.layouts.leaf(value.ty), 0);
            return (!now.is_unset && now.bits == address).then_some((name, extent));
        }
        let number = |bound: usize| {
            let ty = function.locals[bound].ty;
            let size = self.program.types.size(ty) as usize;
            let count = self.memory.read(self.frame.addresses[bound]?, ty, size).ok()?;
            self.number(&count)
        };
        Some((name, of.extent()?.value(&number)?))
    }

    /// 0 ≤ index < extent in the active lanes.
    fn inside(&self, name: Option<&str>, index: &Value, extent: i128, span: Span) -> Result<()> {
        match self.outside(index, 0, extent) {
            Some((number, lane)) => {
                let message = out_of_bounds(name, &number.to_string(), &extent.to_string());
                self.fault(FaultKind::Memory, message, span, lane)
            }
            None => Ok(()),
        }
    }

    /// Element `number` of `extent`.
    fn elements(&self, name: String, pointer: &Value, number: i128, extent: i128, span: Span) -> Result<()> {
        if number < extent || self.layouts.leaf(pointer.ty).length > 1 {
            return Ok(());
        }
        let message = out_of_bounds(Some(&name), &number.to_string(), &extent.to_string());
        self.fault(FaultKind::Memory, message, span, None)
    }

    /// The first active lane of an index that is not in min .. min + extent. What is unset is found when it is used.
    fn outside(&self, index: &Value, min: i128, extent: i128) -> Option<(i128, Option<u8>)> {
        let leaf = self.layouts.leaf(index.ty);
        let element: Element = leaf.element.expect("an index is a number");
        for lane in (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane)) {
            let at: Lane = index.lane(&leaf, lane);
            let number = integer(element, at.bits);
            if !at.is_unset && !(min..min + extent.max(0)).contains(&number) {
                return Some((number, Some(lane).filter(|_| leaf.length > 1)));
            }
        }
        None
    }
}
