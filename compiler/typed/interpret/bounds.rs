//! Indices: what an index leads to is an element of the array, row, slice, `scratch` array or window that the source names there,
//! and not just some byte of the same object.

use super::arithmetic::{self, integer};
use super::places::Addresses;
use super::{FaultKind, Interpreter, Lane, Result, Value};
use crate::source::Span;
use crate::typed::ir::{Constant, Expr, ExprKind, Function, LocalId, Place, PlaceKind, Window, out_of_bounds};
use crate::typed::origins::Origin;
use crate::types::{Element, Type, TypeKind};
use rustc_hash::FxHashMap;

/// Into what a pointer leads.
struct Known {
    origin: Origin,
    /// Where it begins.
    start: u64,
    /// How many elements it has.
    extent: i128,
}

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

    /// The value of a pointer through which an object of a type is accessed. Where it is known into what it leads, that is inside.
    pub(super) fn pointer(&mut self, pointer: &Expr, object: Type, span: Span) -> Result<Value> {
        let ExprKind::PointerOffset(base, index) = &pointer.kind else {
            let value = self.expression(pointer)?;
            self.inside_of_origin(pointer, &value, None, object, span)?;
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
            _ => self.inside_of_origin(base, &base_value, Some(&number), object, span)?,
        }
        Ok(self.moved_pointer(&base_value, &number, self.scale(base.ty), pointer.ty))
    }

    /// An access of `object` at an index behind a pointer, if it is known into what that leads.
    fn inside_of_origin(&mut self, base: &Expr, value: &Value, index: Option<&Value>, object: Type, span: Span) -> Result<()> {
        let Some(Known { origin, start, extent }) = self.known(base)? else { return Ok(()) };
        let at = value.lane(&self.layouts.leaf(value.ty), 0);
        if at.is_unset || at.bits == 0 {
            return Ok(());
        }
        let (first, element) = (i128::from(at.bits.wrapping_sub(start) as i64), i128::from(origin.element));
        let (size, place) = (i128::from(self.program.types.size(object)), i128::from(self.scale(base.ty)));
        let is_plain = size == element && place == size;
        // The element that is not there; of an object of another size the first one.
        let check = |number: i128| -> Option<i128> {
            if is_plain {
                let number = first.div_euclid(element) + number;
                return (!(0..extent.max(0)).contains(&number)).then_some(number);
            }
            let begin = first + number * place;
            let blamed = if begin >= 0 { (begin / element).max(extent) } else { begin / element };
            (begin < 0 || begin + size > extent * element).then_some(blamed)
        };
        let found = match index {
            None => check(0).map(|number| (number, None)),
            Some(index) => {
                let leaf = self.layouts.leaf(index.ty);
                let element = leaf.element.expect("an index is a number");
                let lanes = (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane));
                let of_lane = |lane: u8| {
                    let at: Lane = index.lane(&leaf, lane);
                    let bad = check(integer(element, at.bits)).filter(|_| !at.is_unset)?;
                    Some((bad, Some(lane).filter(|_| leaf.length > 1)))
                };
                lanes.into_iter().find_map(of_lane)
            }
        };
        match found {
            Some((number, lane)) => {
                let message = out_of_bounds(origin.name.as_deref(), &number.to_string(), &extent.to_string());
                self.fault(FaultKind::Memory, message, span, lane)
            }
            None => Ok(()),
        }
    }

    /// `count` elements behind a pointer, if it is known into what that leads: those of `packed_store` and `packed_load`.
    pub(super) fn run_inside(&mut self, pointer: &Expr, value: &Value, count: i128, span: Span) -> Result<()> {
        let Some(Known { origin, start, extent }) = self.known(pointer)? else { return Ok(()) };
        let at = value.lane(&self.layouts.leaf(value.ty), 0);
        if at.is_unset || at.bits == 0 || self.scale(pointer.ty) != origin.element {
            return Ok(());
        }
        let first = i128::from(at.bits.wrapping_sub(start) as i64).div_euclid(i128::from(origin.element));
        if count <= 0 || (first >= 0 && first + count <= extent) {
            return Ok(());
        }
        let blamed = if first >= 0 { first.max(extent) } else { first };
        let message = out_of_bounds(origin.name.as_deref(), &blamed.to_string(), &extent.to_string());
        self.fault(FaultKind::Memory, message, span, None)
    }

    /// Into what a pointer leads, which has just been evaluated.
    fn known(&mut self, pointer: &Expr) -> Result<Option<Known>> {
        let program = self.program;
        let Some(origin) = self.origins().pointer(program, pointer) else { return Ok(None) };
        Ok(self.extent_of(pointer)?.map(|(start, extent)| Known { origin, start, extent }))
    }

    /// Where what a pointer leads into begins, and how many elements it has.
    fn extent_of(&mut self, pointer: &Expr) -> Result<Option<(u64, i128)>> {
        match &pointer.kind {
            ExprKind::Broadcast(inner) | ExprKind::Convert(inner) | ExprKind::PointerOffset(inner, _) => self.extent_of(inner),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => Ok(self.extent_of_local(*local)),
            ExprKind::AddressOf(place) => match &place.kind {
                PlaceKind::Dereference(inner) => self.extent_of(inner),
                PlaceKind::Element(array, _) => {
                    let TypeKind::Array { element: _, count } = *self.program.types.kind(array.object) else { return Ok(None) };
                    Ok(self.address_of_variable(array)?.map(|start| (start, i128::from(count))))
                }
                _ => Ok(self.address_of_variable(place)?.map(|start| (start, 1))),
            },
            _ => Ok(None),
        }
    }

    fn address_of_variable(&mut self, place: &Place) -> Result<Option<u64>> {
        Ok(match self.place(place)?.addresses {
            Addresses::One(address) => Some(address),
            Addresses::Lanes(_) => None,
        })
    }

    fn extent_of_local(&self, local: LocalId) -> Option<(u64, i128)> {
        let of = &self.program.functions[self.frame.function.0 as usize];
        let origins = self.origins();
        if origins.local(local).is_some() {
            return self.frame.followed.get(&local).copied();
        }
        if (local.0 as usize) < of.parameters {
            return self.frame.slices.get(&local).copied();
        }
        let number = |bound: usize| {
            let ty = of.locals[bound].ty;
            let size = self.program.types.size(ty) as usize;
            let count = self.memory.read(self.frame.addresses[bound]?, ty, size).ok()?;
            self.number(&count)
        };
        let extent = of.locals[local.0 as usize].extent()?.value(&number)?;
        let ty = of.locals[local.0 as usize].ty;
        let size = self.program.types.size(ty) as usize;
        let start = self.memory.read(self.frame.addresses[local.0 as usize]?, ty, size).ok()?;
        Some((start.lane(&self.layouts.leaf(ty), 0).bits, extent))
    }

    /// Remembers into what a pointer leads that was just given a value.
    pub(super) fn remember_origin(&mut self, local: LocalId, value: &Expr, given: &Value) -> Result<()> {
        if self.origins().local(local).is_none() {
            return Ok(());
        }
        let found = match &value.kind {
            ExprKind::New(_, counts) => {
                let count = self.scalar_integer(&counts[0])?;
                let start = given.lane(&self.layouts.leaf(given.ty), 0);
                Some((start.bits, count))
            }
            _ => self.extent_of(value)?,
        };
        match found {
            Some(found) => self.frame.followed.insert(local, found),
            None => self.frame.followed.remove(&local),
        };
        Ok(())
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
    pub(super) fn slices(&self, function: &Function, arguments: &[Value]) -> FxHashMap<LocalId, (u64, i128)> {
        let mut slices = FxHashMap::default();
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
