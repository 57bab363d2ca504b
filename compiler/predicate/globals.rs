//! Global variables become bytes, in the byte order of the targets (little endian).

use super::layout::Layouts;
use super::memory::COPY_LEAVES;
use super::state::Predicator;
use crate::typed::ir::{self, Constant, Expr, ExprKind, GlobalId, Initializer, Place, PlaceKind, Program};
use crate::types::{Element, Type, TypeKind, Types};
use crate::vector::ir::{Global, Value};

/// The data of a global variable.
pub(super) fn global(layouts: &Layouts, global: &ir::Global) -> Global {
    let size = layouts.types.size(global.ty);
    let bytes = match global.initializer {
        Initializer::Zero => None,
        Initializer::Constant(_) | Initializer::List(_) => {
            let mut bytes = vec![0; size as usize];
            fill(layouts.types, global.ty, &global.initializer, &mut bytes);
            bytes.iter().any(|&byte| byte != 0).then_some(bytes)
        }
    };
    let (name, alignment) = (global.name.clone(), layouts.types.own_alignment(global.ty));
    Global { name, bytes, size, alignment, is_const: global.is_const }
}

/// Writes an initializer over an object of zeros.
fn fill(types: &Types, ty: Type, initializer: &Initializer, bytes: &mut [u8]) {
    match (types.kind(ty), initializer) {
        (TypeKind::Error | TypeKind::Void, _) | (_, Initializer::Zero) => {}
        (&TypeKind::Vector { element, length }, Initializer::Constant(constant)) => {
            for lane in 0..length {
                put(element.size(), lane, constant_bits(element, *constant), bytes);
            }
        }
        (&TypeKind::Vector { element, length }, Initializer::List(list)) => {
            for (lane, item) in (0..length).zip(list) {
                if let Initializer::Constant(constant) = item {
                    put(element.size(), lane, constant_bits(element, *constant), bytes);
                }
            }
        }
        // The only constant of a pointer is null.
        (TypeKind::Pointer { .. }, Initializer::Constant(_) | Initializer::List(_)) => {}
        (&TypeKind::Array { element, count }, Initializer::List(list)) => {
            let size = types.size(element) as usize;
            for (i, item) in (0..count as usize).zip(list) {
                fill(types, element, item, &mut bytes[i * size..]);
            }
        }
        (TypeKind::Record { .. }, Initializer::List(list)) => {
            for (i, (member, item)) in types.members(ty).iter().zip(list).enumerate() {
                fill(types, member.ty, item, &mut bytes[types.offset(ty, i) as usize..]);
            }
        }
        // A constant for a whole object fills each of its parts.
        (&TypeKind::Array { element, count }, Initializer::Constant(_)) => {
            let size = types.size(element) as usize;
            for i in 0..count as usize {
                fill(types, element, initializer, &mut bytes[i * size..]);
            }
        }
        (TypeKind::Record { .. }, Initializer::Constant(_)) => {
            for (i, member) in types.members(ty).iter().enumerate() {
                fill(types, member.ty, initializer, &mut bytes[types.offset(ty, i) as usize..]);
            }
        }
    }
}

/// Writes a constant expression over an object of zeros. False if it is none, or one that is made of parts.
pub(super) fn put_constant(types: &Types, e: &Expr, bytes: &mut [u8]) -> bool {
    let constant = |e: &Expr| match e.kind {
        ExprKind::Constant(constant) => Some(constant),
        _ => None,
    };
    let lanes: Option<Vec<Constant>> = match &e.kind {
        ExprKind::Lanes(list) => list.iter().map(constant).collect(),
        ExprKind::Broadcast(one) => constant(one).map(|one| vec![one]),
        _ => constant(e).map(|one| vec![one]),
    };
    match (types.kind(e.ty), lanes.as_deref()) {
        (&TypeKind::Vector { element, length }, Some(lanes)) => {
            for (lane, one) in (0..length).zip(lanes.iter().cycle()) {
                put(element.size(), lane, constant_bits(element, *one), bytes);
            }
            true
        }
        // The only constant of a pointer is null.
        (TypeKind::Pointer { .. }, Some(_)) => true,
        _ => false,
    }
}

fn put(size: u64, lane: u8, bits: u64, bytes: &mut [u8]) {
    let (size, lane) = (size as usize, lane as usize);
    bytes[lane * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}

/// The part of a `const` global that a place is in every run: the global, and the first of its bytes.
fn constant_part(program: &Program, place: &Place) -> Option<(GlobalId, u64)> {
    match &place.kind {
        PlaceKind::Global(global) => program.globals[global.0 as usize].is_const.then_some((*global, 0)),
        PlaceKind::Member(base, index) => {
            let (global, at) = constant_part(program, base)?;
            Some((global, at + program.types.offset(base.object, *index)))
        }
        PlaceKind::Element(base, index) => {
            let (ExprKind::Constant(Constant::Int(index)), &TypeKind::Array { element, count }) =
                (&index.kind, program.types.kind(base.object))
            else {
                return None;
            };
            let (global, at) = constant_part(program, base)?;
            (*index < count).then(|| (global, at + index * program.types.size(element)))
        }
        PlaceKind::Local(_) | PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => None,
    }
}

impl Predicator<'_> {
    /// What is read at a place of a `const` global, so that no pass has to know of globals to know a number by its name.
    pub fn constant_values(&mut self, place: &Place) -> Option<Vec<Value>> {
        let (global, at) = constant_part(self.shared.program, place)?;
        let leaves = self.leaves(place.object);
        if leaves.len() > COPY_LEAVES {
            return None;
        }
        let global = &self.shared.globals[global.0 as usize];
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in leaves.iter() {
            let size = leaf.ty.element.size();
            let lane = |lane: u64| global.bits(at + leaf.offset + lane * size, size);
            let lanes: Vec<u64> = (0..u64::from(leaf.ty.length)).map(lane).collect::<Option<_>>()?;
            values.push(self.b.constant(leaf.ty, &lanes));
        }
        Some(values)
    }
}

/// The bits of a constant as an element of a type.
pub(super) fn constant_bits(element: Element, constant: Constant) -> u64 {
    match constant {
        Constant::Bool(value) => u64::from(value),
        Constant::Int(bits) => bits,
        Constant::Float(value) if element == Element::Float16 => ivl::Float16::from_f64(value).to_bits().into(),
        Constant::Float(value) if element == Element::Float => u64::from((value as f32).to_bits()),
        Constant::Float(value) => value.to_bits(),
        Constant::Null => 0,
    }
}
