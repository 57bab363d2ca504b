//! Calls of functions in their flat form, and masks on the way in and out.

use super::builder::{Builder, LlvmType, LlvmValue};
use super::masks::{from_boundary, to_boundary};
use super::options::Options;
use super::unit::{Unit, value_type};
use crate::vector::ir::{self, Element};

/// How to call a function in its flat form.
pub(super) struct Callee {
    pub(super) value: LlvmValue,
    pub(super) ty: LlvmType,
    /// The element of masks in parameters and results, where they are vectors.
    pub(super) mask_bits: u32,
    pub(super) results: Vec<ir::Type>,
    /// Has it a bit more for a result, which says whether it has failed?
    pub(super) may_fail: bool,
    /// Extension of (attribute index, attribute) at calls of C functions.
    pub(super) extensions: Vec<(u32, &'static str)>,
}

impl Callee {
    /// A parameter as it is used inside.
    pub(super) fn enter(&self, unit: &Unit<'_>, value: LlvmValue, ty: ir::Type) -> LlvmValue {
        if is_mask(ty) { from_boundary(&unit.builder, value, u32::from(ty.length)) } else { value }
    }

    /// A value as it is passed.
    fn pass(&self, unit: &Unit<'_>, value: LlvmValue, ty: ir::Type) -> LlvmValue {
        if is_mask(ty) { to_boundary(&unit.builder, value, boundary_type(unit, ty, self.mask_bits)) } else { value }
    }

    /// Returns values from the function.
    pub(super) fn leave(&self, unit: &Unit<'_>, values: impl Iterator<Item = (LlvmValue, ir::Type)>) {
        let values: Vec<_> = values.map(|(value, ty)| self.pass(unit, value, ty)).collect();
        self.leave_with(&unit.builder, values, false);
    }

    /// Returns without results: the function has failed.
    pub(super) fn fail(&self, unit: &Unit<'_>) {
        let b = &unit.builder;
        let values = self.results.iter().map(|&ty| b.zero(boundary_type(unit, ty, self.mask_bits))).collect();
        self.leave_with(b, values, true);
    }

    fn leave_with(&self, b: &Builder, mut values: Vec<LlvmValue>, has_failed: bool) {
        if self.may_fail {
            values.push(b.constant(b.int(1), u64::from(has_failed)));
        }
        match values[..] {
            [] => b.ret(None),
            [one] => b.ret(Some(one)),
            _ => {
                let types: Vec<_> = values.iter().map(|&value| b.type_of(value)).collect();
                let mut all = b.poison(b.structure(&types));
                for (index, &value) in values.iter().enumerate() {
                    all = b.insert_member(all, value, index as u32);
                }
                b.ret(Some(all));
            }
        }
    }

    /// Calls it with arguments as they are used inside; the results likewise.
    pub(super) fn call(&self, unit: &Unit<'_>, arguments: &[(LlvmValue, ir::Type)]) -> Returned {
        let b = &unit.builder;
        let arguments: Vec<_> = arguments.iter().map(|&(value, ty)| self.pass(unit, value, ty)).collect();
        let call = b.call(self.ty, self.value, &arguments);
        for &(index, extension) in &self.extensions {
            b.add_call_attribute(call, index, extension, 0);
        }
        let is_one = self.results.len() + usize::from(self.may_fail) == 1;
        let part = |index: usize| if is_one { call } else { b.extract_member(call, index as u32) };
        let results = self.results.iter().enumerate().map(|(index, &ty)| self.enter(unit, part(index), ty)).collect();
        Returned { results, has_failed: self.may_fail.then(|| part(self.results.len())) }
    }
}

/// What a call gives.
pub(super) struct Returned {
    /// As they are used inside.
    pub(super) results: Vec<LlvmValue>,
    /// A bit, of functions that may fail.
    pub(super) has_failed: Option<LlvmValue>,
}

fn is_mask(ty: ir::Type) -> bool {
    ty.element == Element::Bool && ty.length > 1
}

fn boundary_type(unit: &Unit<'_>, ty: ir::Type, mask_bits: u32) -> LlvmType {
    flat_type(&unit.builder, unit.options, ty, mask_bits)
}

pub(super) fn flat_type(b: &Builder, options: &Options<'_>, ty: ir::Type, mask_bits: u32) -> LlvmType {
    match (is_mask(ty), options.isa.machine().has_mask_registers()) {
        (true, true) => b.int(u32::from(ty.length)),
        (true, false) => b.vector(b.int(mask_bits), u32::from(ty.length)),
        (false, _) => value_type(b, ty),
    }
}
