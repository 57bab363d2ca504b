//! Where the lanes of a value come from: the caller, the function itself, an operation across lanes.
//!
//! The *leaves* of a value are what it is computed from: variables, calls, literals, loads. Lanes that come with an unbound parameter
//! or with the context of the call are the caller's; those of bound types, of vector literals and of `foreach` are the function's own.
//! One leaf of the caller's makes the value the caller's.

use super::super::operand::Operand;
use super::super::state::Checker;
use super::{Leaf, Mistake, Variable, leaves_out};
use crate::typed::ir::{Expr, ExprKind, LocalId, Place, PlaceKind};
use crate::typed::walk::{Part, parts_of_expr, parts_of_place};

/// What inference looks at in a value that is assigned.
#[derive(Clone, Default)]
pub(in super::super) struct Value {
    pub length: u8,
    /// Do its lanes come from the caller?
    pub is_callers: bool,
    /// Does it come from an operation across lanes, which is the same for all of them?
    pub is_cross_lane: bool,
    /// A leaf of its length.
    pub leaf: Leaf,
    /// Of a scalar: the variables that make it a vector as soon as they are.
    pub sources: Vec<Leaf>,
}

impl<'a> Checker<'a> {
    /// An operand as a value that is assigned.
    pub fn assigned_value(&mut self, operand: &Operand) -> Value {
        let ty = self.operand_type(operand);
        let length = self.length(ty);
        match operand {
            Operand::Value(e) => self.value_of(e),
            Operand::Place(place) => {
                let load = Expr { kind: ExprKind::Load(place.clone()), ty, span: place.span };
                self.value_of(&load)
            }
            Operand::Untyped(..) | Operand::Element(_) => Value { length, ..Value::default() },
            Operand::Error(_) => Value { length: 1, ..Value::default() },
        }
    }

    /// An expression as a value that is assigned.
    pub fn value_of(&self, e: &Expr) -> Value {
        let length = self.length(e.ty);
        let mut sources = Vec::new();
        if length == 1 {
            self.sources(e, &mut sources);
        }
        Value {
            length,
            sources,
            is_callers: self.is_argument_callers(e),
            is_cross_lane: self.is_cross_lane(e),
            leaf: self.leaf(e).unwrap_or_default(),
        }
    }

    /// Do lanes of the value come from the caller?
    pub fn is_callers(&self, e: &Expr) -> bool {
        if self.length(e.ty) == 1 {
            return false;
        }
        match &e.kind {
            ExprKind::CurrentMask | ExprKind::LaneIndex => return self.body.is_callers,
            ExprKind::Call { .. } if self.body.context > 1 && self.body.is_callers => return true,
            ExprKind::Call { arguments, .. } if !leaves_out(Mistake::CallOfReference) => {
                return arguments.iter().any(|argument| self.is_argument_callers(argument));
            }
            _ => {}
        }
        let mut found = false;
        parts_of_expr(e, &mut |part| found |= self.is_part_callers(part));
        found
    }

    /// Do lanes of what a call is given come from the caller? Of a reference or pointer, those of what it leads to.
    pub fn is_argument_callers(&self, e: &Expr) -> bool {
        if self.program.types.pointee(e.ty).is_none_or(|pointee| self.length(pointee) == 1) {
            return self.is_callers(e);
        }
        match &e.kind {
            ExprKind::AddressOf(place) => self.is_place_callers(place),
            ExprKind::Call { arguments, .. } => arguments.iter().any(|argument| self.is_argument_callers(argument)),
            ExprKind::PointerOffset(base, index) => self.is_argument_callers(base) || self.is_callers(index),
            _ => self.is_callers(e) || self.is_reference_of_caller(e),
        }
    }

    fn is_part_callers(&self, part: Part) -> bool {
        match part {
            Part::Expr(e) => self.is_callers(e),
            Part::Place(place) => self.is_place_callers(place),
            Part::Block(_) => false,
        }
    }

    pub(super) fn is_place_callers(&self, place: &Place) -> bool {
        if let PlaceKind::Local(local) = place.kind {
            return self.is_local_callers(local);
        }
        let mut found = false;
        parts_of_place(place, &mut |part| found |= self.is_part_callers(part));
        // What a reference of the caller's names has the caller's lanes.
        found || matches!(&place.kind, PlaceKind::Dereference(p) if self.is_argument_callers(p))
    }

    fn is_reference_of_caller(&self, pointer: &Expr) -> bool {
        let ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) = pointer.kind else { return false };
        match &self.body.infos[local.0 as usize].names {
            Some(named) => named.is_callers,
            None => self.is_local_callers(local),
        }
    }

    fn is_local_callers(&self, local: LocalId) -> bool {
        let info = &self.body.infos[local.0 as usize];
        match info.variable {
            Some(Variable::Parameter(_)) if info.unbound.is_some() => true,
            Some(variable) => self.facts(variable).is_some_and(|facts| facts.is_callers),
            None => false,
        }
    }

    /// Does the value contain the result of an operation across lanes, itself or through a variable all of whose assignments do?
    pub fn is_cross_lane(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Builtin(builtin, _) if builtin.is_one_for_all_lanes() => return true,
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => return self.is_local_cross_lane(*local),
            ExprKind::Call { function, .. } if self.made.get(function).is_some_and(|made| made.is_cross_lane) => return true,
            _ => {}
        }
        let mut found = false;
        parts_of_expr(e, &mut |part| found |= self.is_part_cross_lane(part));
        found
    }

    /// As long as nothing plain was seen, all that is assigned comes from operations across lanes.
    fn is_local_cross_lane(&self, local: LocalId) -> bool {
        self.body.infos[local.0 as usize].variable.is_some_and(|v| self.facts(v).is_none_or(|facts| !facts.is_plain))
    }

    /// Does what is at the place come from operations across lanes alone?
    pub fn is_place_cross_lane(&self, place: &Place) -> bool {
        matches!(place.kind, PlaceKind::Local(local) if self.is_local_cross_lane(local))
    }

    fn is_part_cross_lane(&self, part: Part) -> bool {
        match part {
            Part::Expr(e) => self.is_cross_lane(e),
            Part::Place(place) => {
                let mut found = false;
                parts_of_place(place, &mut |part| found |= self.is_part_cross_lane(part));
                found
            }
            Part::Block(_) => false,
        }
    }

    /// A leaf of a value that has its length, the first one in the text.
    pub fn leaf(&self, e: &Expr) -> Option<Leaf> {
        if self.length(e.ty) == 1 {
            return None;
        }
        match &e.kind {
            ExprKind::Load(place) => return self.leaf_of_place(place),
            ExprKind::Call { function, .. } => {
                let name = self.program.functions[function.0 as usize].name.clone();
                return Some(Leaf::Call(name));
            }
            ExprKind::Lanes(_) => return Some(Leaf::Value),
            ExprKind::CurrentMask | ExprKind::LaneIndex => return Some(Leaf::Context),
            _ => {}
        }
        let mut found = None;
        parts_of_expr(e, &mut |part| {
            if found.is_none() {
                found = match part {
                    Part::Expr(e) => self.leaf(e),
                    Part::Place(place) => self.leaf_of_place(place),
                    Part::Block(_) => None,
                };
            }
        });
        Some(found.unwrap_or_default())
    }

    pub(super) fn leaf_of_place(&self, place: &Place) -> Option<Leaf> {
        let mut root = place;
        while let PlaceKind::Member(of, _) | PlaceKind::Element(of, _) = &root.kind {
            root = of;
        }
        match &root.kind {
            PlaceKind::Local(local) => {
                let (declared, info) = (&self.body.locals[local.0 as usize], &self.body.infos[local.0 as usize]);
                Some(Leaf::Variable { name: declared.name.clone(), variable: info.variable, declared: declared.span })
            }
            PlaceKind::Dereference(pointer) if place.addresses > 1 => self.leaf(pointer),
            PlaceKind::Dereference(_) | PlaceKind::Global(_) | PlaceKind::Temporary(_) => Some(Leaf::Value),
            PlaceKind::Member(..) | PlaceKind::Element(..) => None,
        }
    }
}
