//! The lengths of unbound variables and results: each takes the least one that fits all that is assigned to it.
//!
//! ```text
//! bool prime = true;                                     bool block[4] prime = true;        n is a block[4]
//! for (int d = 2; d * d <= n; ++d)              ──►      for (int scalar d = 2; d * d <= n; ++d)
//!     if (n % d == 0) prime = false;                         if (n % d == 0) prime = false;
//! ```
//! A local or parameter whose outermost type has no qualifier has, in each instance, the least length that is at least
//!
//! 1. that of its initializer or argument and of every value assigned to it, its members or elements; Λ of its declaration where
//!    nothing is assigned to it;
//! 2. that of every index on the way to a member or element that is assigned. A variable declared in context 1 is the exception for
//!    an index whose lanes are the function's *own* (`leaves`): such lanes share it, and the assignment is a scatter;
//! 3. that of every narrowing (`narrowing`) that contains the assignment and not the declaration, unless the value comes from an
//!    operation across lanes, which is the same for all of them.
//!
//! An assignment through a local reference is one to what it names; a call is one to each argument whose reference parameter the
//! callee assigns. The result is a variable that each `return` assigns.
//!
//! **The law** that this makes true: lane i of f(v) is f of lane i of v, for functions that do not look across lanes.
//! *Why.* A lane that reads x sees its own last assignment if it took part in each assignment between, or x has a place for each
//! lane. Lanes that do not take part are those outside of a narrowing; of these the ones that are inside of the same narrowing as
//! the declaration meet x no more. So either no narrowing parts the lanes between declaration and assignment, or x is as long as it.
//!
//! **Least fixpoint.** All lengths begin at 1 and only grow, kept in [`Learnt`] from one round of an instance to the next. A round
//! that made something grow is repeated from the start; what it said is forgotten (`instantiate`). What a variable is assigned
//! grows with what it is computed from at once (`flows`), so that a chain of assignments against the order needs no round each.
//!
//! # Invariants
//! 1. What a round finds out depends on lengths only in the direction of growth, so that the order of rounds does not matter.
//! 2. In the last round of an instance nothing grows: every demand is met by the types that its body was checked with.

mod causes;
mod flows;
mod leaves;
mod narrowing;
mod planted;
mod state;

pub(super) use leaves::Value;
pub(super) use planted::leaves_out;
pub use planted::{Mistake, plant};
use state::Root;
pub(super) use state::{Cause, Facts, Flows, Leaf, Learnt, Named, Narrowing, Node, Opened, Parting, Position, Variable, Why};

use super::declared::{Base, Declared, Qualifier};
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, LocalId, Place, PlaceKind};
use crate::types::{Type, TypeKind};

impl<'a> Checker<'a> {
    /// What is known of a variable so far.
    pub fn facts(&self, variable: Variable) -> Option<&Facts> {
        self.body.learnt.variables.get(&variable)
    }

    /// The length of a variable so far.
    pub fn learnt_length(&self, variable: Variable) -> u8 {
        self.facts(variable).and_then(|facts| facts.cause.as_ref()).map_or(1, |cause| cause.length)
    }

    /// Changes what is known of a variable; `change` says whether it did.
    fn learn(&mut self, variable: Variable, change: impl FnOnce(&mut Facts) -> bool) {
        let facts = self.body.learnt.variables.entry(variable).or_default();
        self.body.learnt.grew |= change(facts);
    }

    fn raise(flag: &mut bool, value: bool) -> bool {
        let raises = value && !*flag;
        *flag |= value;
        raises
    }

    /// A variable is at least as long as `cause` says. False if it is of another length above 1, which is reported.
    pub fn grow(&mut self, variable: Variable, cause: Cause, is_callers: bool) -> bool {
        let mut other = None;
        self.learn(variable, |facts| {
            let grows = match &facts.cause {
                None => true,
                Some(known) => {
                    other = (known.length != cause.length).then(|| known.clone());
                    false
                }
            };
            if grows {
                facts.cause = Some(cause.clone());
            }
            grows | Self::raise(&mut facts.is_callers, is_callers)
        });
        self.spread(variable);
        if let Some(other) = other {
            let message = match variable {
                Variable::Result => format!("this function returns values of lengths {} and {}", other.length, cause.length),
                Variable::Parameter(_) | Variable::Local(_) => {
                    format!("a variable is to have the lengths {} and {}", other.length, cause.length)
                }
            };
            let error = Diagnostic::error(&codes::LENGTH_MISMATCH, cause.place, message);
            self.diagnostics.push(error.with_secondary(other.place, format!("here the length is {}", other.length)));
            return false;
        }
        true
    }

    /// Notes what a variable begins as. Its declaration stands in front of all that reads it, so that no round has to be repeated.
    pub fn initialized_by(&mut self, variable: Variable, value: &Value, is_unbound: bool, why: Why, span: Span) {
        let facts = self.body.learnt.variables.entry(variable).or_default();
        facts.is_plain |= !value.is_cross_lane;
        facts.is_callers |= value.is_callers;
        let cause = Cause { length: value.length, place: span, why };
        if is_unbound && value.length > 1 {
            facts.cause.get_or_insert_with(|| cause.clone());
            self.grow(variable, cause, value.is_callers);
        } else if is_unbound {
            self.flows(variable, value, &cause.why, span);
        }
    }

    /// An assignment of `value` to `place`: rules 1 to 3. False if the variable's type is not yet what the rules ask for; then the
    /// round is repeated, or an error has been reported.
    pub fn assigns(&mut self, place: &Place, value: &Value, by: Why, span: Span) -> bool {
        let Some(root) = self.root_of(place) else { return true };
        let info = self.body.infos[root.local.0 as usize].clone();
        let Some(variable) = info.variable else { return true };
        let before = std::mem::replace(&mut self.body.learnt.grew, false);
        let exempted = self.body.learnt.exempted;
        self.learn(variable, |facts| {
            facts.is_assigned = true;
            let is_plainer = Self::raise(&mut facts.is_plain, !value.is_cross_lane) && exempted;
            Self::raise(&mut facts.is_callers, value.is_callers) | is_plainer
        });
        let mut fits = true;
        if info.unbound.is_some() {
            if matches!(place.kind, PlaceKind::Local(_)) && value.length == 1 && !leaves_out(Mistake::Value) {
                self.flows(variable, value, &by, span);
            }
            fits = self.demands(&root, &info, variable, value, by, span);
            self.lengthen_local(root.local, variable);
        }
        let grew = self.body.learnt.grew;
        self.body.learnt.grew |= before;
        fits && !grew
    }

    fn demands(
        &mut self,
        root: &Root,
        info: &super::state::LocalInfo,
        variable: Variable,
        value: &Value,
        by: Why,
        span: Span,
    ) -> bool {
        if let Some(&(_, _, at)) = root.indices.iter().find(|(_, is_callers, _)| info.context == 1 && !is_callers) {
            self.learn(variable, |facts| {
                let is_new = facts.scatter.is_none();
                facts.scatter.get_or_insert(at);
                is_new
            });
            return self.shares_or_widens(variable);
        }
        let mut fits = true;
        if value.length > 1 && !root.is_bound && !leaves_out(Mistake::Value) {
            let cause = Cause { length: value.length, place: span, why: by };
            fits &= self.grow(variable, cause, value.is_callers);
        }
        for &(length, is_callers, at) in root.indices.iter().filter(|_| !leaves_out(Mistake::Index)) {
            fits &= self.grow(variable, Cause { length, place: at, why: Why::Index }, is_callers);
        }
        if root.is_bound {
            return fits && self.shares_or_widens(variable);
        }
        // What the caller sees of the function ends with it.
        let sees_returns = self.is_reference_parameter(root.local);
        if let Some(narrowing) = self.narrowing_since(info.position, sees_returns).cloned() {
            if value.is_cross_lane {
                self.body.learnt.exempted = true;
                return fits && self.shares_or_widens(variable);
            }
            let cause = Cause { length: narrowing.length, place: span, why: Why::Narrowed(narrowing.parting.clone()) };
            fits &= self.grow(variable, cause, narrowing.is_callers);
        }
        fits && self.shares_or_widens(variable)
    }

    /// An array that one store scatters into and another one widens has no meaning for all lanes.
    fn shares_or_widens(&mut self, variable: Variable) -> bool {
        let Some(facts) = self.facts(variable) else { return true };
        let (Some(scatter), Some(cause)) = (facts.scatter, facts.cause.clone()) else { return true };
        let message = "lanes of this function share an array of which each lane has its own elsewhere";
        let error = Diagnostic::error(&codes::LENGTH_MISMATCH, scatter, message)
            .with_secondary(cause.place, format!("here each of {} lanes gets its own", cause.length));
        self.diagnostics.push(error.with_help("declare it with its length: `scalar` to share it, `block[N]` for one per lane"));
        false
    }

    /// Notes what is returned. False if the result is not yet what the rules ask for.
    pub fn returns(&mut self, value: &Value, is_unbound: bool, span: Span) {
        let exempted = self.body.learnt.exempted;
        self.learn(Variable::Result, |facts| {
            facts.is_assigned = true;
            Self::raise(&mut facts.is_callers, value.is_callers)
                | (Self::raise(&mut facts.is_plain, !value.is_cross_lane) && exempted)
        });
        if !is_unbound {
            return;
        }
        if value.length > 1 {
            let cause = Cause { length: value.length, place: span, why: Why::Returned(value.leaf.clone()) };
            self.grow(Variable::Result, cause, value.is_callers);
        }
        let narrowing = self.narrowing_since(Position::default(), true).cloned();
        if let Some(narrowing) = narrowing.filter(|_| !leaves_out(Mistake::Result)) {
            if value.is_cross_lane {
                self.body.learnt.exempted = true;
                return;
            }
            let cause = Cause { length: narrowing.length, place: span, why: Why::Narrowed(narrowing.parting.clone()) };
            self.grow(Variable::Result, cause, narrowing.is_callers);
        }
    }

    /// Is it a parameter that names something of the caller?
    pub fn is_reference_parameter(&self, local: LocalId) -> bool {
        let info = &self.body.infos[local.0 as usize];
        matches!(info.variable, Some(Variable::Parameter(_))) && info.is_reference
    }

    /// The variable at the root of a place. `None` for what is global or behind a pointer.
    fn root_of(&self, place: &Place) -> Option<Root> {
        let mut root = Root { local: LocalId(0), indices: Vec::new(), is_bound: false };
        self.find_root(place, &mut root).then_some(root)
    }

    fn find_root(&self, place: &Place, root: &mut Root) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => {
                root.local = *local;
                true
            }
            PlaceKind::Member(of, index) => {
                root.is_bound |= self.is_bound_member(of.object, *index);
                self.find_root(of, root)
            }
            PlaceKind::Element(of, index) => {
                self.note_index(index, root);
                self.find_root(of, root)
            }
            PlaceKind::Dereference(pointer) => self.find_root_behind(pointer, root),
            PlaceKind::Global(_) | PlaceKind::Temporary(_) => false,
        }
    }

    /// What a pointer that was made of a variable in the same expression points to.
    fn find_root_behind(&self, pointer: &Expr, root: &mut Root) -> bool {
        match &pointer.kind {
            ExprKind::AddressOf(place) => self.find_root(place, root),
            ExprKind::Broadcast(pointer) => self.find_root_behind(pointer, root),
            ExprKind::PointerOffset(base, index) => {
                self.note_index(index, root);
                matches!(base.kind, ExprKind::AddressOf(_)) && self.find_root_behind(base, root)
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => {
                let info = &self.body.infos[local.0 as usize];
                match &info.names {
                    Some(_) if leaves_out(Mistake::LocalReference) => false,
                    Some(named) => named.root.as_ref().is_some_and(|of| {
                        root.local = of.local;
                        root.is_bound |= of.is_bound;
                        of.indices.iter().for_each(|&index| root.push_index(index));
                        true
                    }),
                    None => {
                        root.local = *local;
                        info.is_reference
                    }
                }
            }
            _ => false,
        }
    }

    /// What a reference to a place names.
    pub fn meant_by(&self, place: &Place) -> Named {
        Named { root: self.root_of(place), is_callers: self.is_place_callers(place) }
    }

    fn is_bound_member(&self, record: Type, index: usize) -> bool {
        let TypeKind::Record { record, .. } = *self.program.types.kind(record) else { return false };
        let members = self.items.records.get(record.0 as usize).map(|item| &item.resolved);
        let Some((_, declared)) = members.and_then(|members| members.get(index)) else { return false };
        let mut declared = declared;
        while let Base::Array(inner, _) = &declared.base {
            declared = inner;
        }
        declared.qualifier != Qualifier::Unbound
    }

    fn note_index(&self, index: &Expr, root: &mut Root) {
        let length = self.length(index.ty);
        if length > 1 {
            root.push_index((length, self.is_callers(index), index.span));
        }
    }

    /// Is the length of a variable of this type to be inferred? It is if its outermost type has no qualifier; what is shown by a view
    /// or owned by an image is shared by all lanes.
    pub fn is_unbound(&self, declared: &Declared, ty: Type) -> bool {
        if self.view_shape(ty).is_some() {
            return false;
        }
        match &declared.base {
            Base::Array(inner, _) => self.is_unbound(inner, ty),
            Base::Element(_) | Base::Record(_) | Base::Pointer(_) => declared.qualifier == Qualifier::Unbound,
            Base::Error | Base::Void | Base::Reference(_) => false,
        }
    }

    /// The type of a variable at a greater length: of its outermost constructor, and of unbound members.
    pub fn lengthened(&mut self, declared: &Declared, ty: Type, length: u8) -> Type {
        if length == 1 || declared.qualifier != Qualifier::Unbound {
            return ty;
        }
        match (&declared.base, self.program.types.kind(ty).clone()) {
            (Base::Array(inner, _), TypeKind::Array { element, count }) => {
                let element = self.lengthened(inner, element, length);
                self.program.types.array(element, count)
            }
            (_, TypeKind::Vector { element, .. }) => self.program.types.vector(element, length),
            (_, TypeKind::Pointer { pointee, .. }) => self.program.types.pointer(pointee, length),
            (_, TypeKind::Record { record, context, .. }) => self.record(record, length, context),
            (_, TypeKind::Error | TypeKind::Void | TypeKind::Array { .. }) => ty,
        }
    }

    /// A variable that has grown has its new type for the rest of the round, so that what depends on it grows, too.
    fn lengthen_local(&mut self, local: LocalId, variable: Variable) {
        let length = self.learnt_length(variable);
        let Some(declared) = self.body.infos[local.0 as usize].unbound.clone() else { return };
        if self.is_reference_parameter(local) {
            return;
        }
        let ty = self.body.locals[local.0 as usize].ty;
        self.body.locals[local.0 as usize].ty = self.lengthened(&declared, ty, length);
    }

    /// A pointer without initializer points to what the first pointer that is assigned to it points to.
    pub fn adopt_pointee(&mut self, place: &Place, operand: &Operand) {
        let PlaceKind::Local(local) = place.kind else { return };
        let (ty, info) = (self.operand_type(operand), &self.body.infos[local.0 as usize]);
        let Some(variable @ Variable::Local(_)) = info.variable.filter(|_| info.unbound.is_some()) else { return };
        let (Some(own), Some(pointee)) = (self.program.types.pointee(place.ty), self.program.types.pointee(ty)) else { return };
        let is_void = matches!(self.program.types.kind(pointee), TypeKind::Void);
        let is_null = matches!(operand, Operand::Untyped(..));
        if own != pointee && !is_void && !is_null && !info.is_initialized {
            self.learn(variable, |facts| facts.pointee.replace(pointee).is_none());
        }
    }

    // ---- Loops and the body of the function -----------------------------------------------------------------------

    /// The context that a jump or its condition opens for the body of a loop.
    pub fn target_context(&self, id: Node) -> Option<Opened> {
        self.body.learnt.targets.get(&id).and_then(|facts| facts.context)
    }

    /// The body of a loop has context `length`.
    pub fn open_target(&mut self, id: Node, opened: Opened) {
        let facts = self.body.learnt.targets.entry(id).or_default();
        let message = |other| format!("jumps in contexts of lengths {other} and {} leave one loop or `switch`", opened.length);
        let error = Self::opens(&mut facts.context, opened, &mut self.body.learnt.grew, message);
        error.into_iter().for_each(|error| self.diagnostics.push(error));
    }

    /// The body of the function has context `length`: lanes return one by one.
    pub fn open_function(&mut self, opened: Opened) {
        let message = |other| format!("`return` in contexts of lengths {other} and {}", opened.length);
        let error = Self::opens(&mut self.body.learnt.context, opened, &mut self.body.learnt.grew, message);
        error.into_iter().for_each(|error| self.diagnostics.push(error));
    }

    fn opens(
        known: &mut Option<Opened>,
        opened: Opened,
        grew: &mut bool,
        message: impl FnOnce(u8) -> String,
    ) -> Option<Diagnostic> {
        match known {
            None => {
                *known = Some(opened);
                *grew = true;
                None
            }
            Some(known) if known.length != opened.length => {
                let error = Diagnostic::error(&codes::LENGTH_MISMATCH, opened.span, message(known.length));
                Some(error.with_secondary(known.span, format!("this one has length {}", known.length)))
            }
            Some(known) => {
                *grew |= Self::raise(&mut known.is_callers, opened.is_callers);
                None
            }
        }
    }

    /// What a loop is as a narrowing, and what narrows the function for its caller inside of it.
    pub fn target_narrowings(&self, id: Node) -> (Option<Narrowing>, Option<Narrowing>) {
        self.body.learnt.targets.get(&id).map_or((None, None), |facts| (facts.narrowing.clone(), facts.returned.clone()))
    }

    /// (b): lanes leave the loop one by one.
    pub fn target_narrows(&mut self, id: Node, narrowing: Narrowing) {
        let facts = self.body.learnt.targets.entry(id).or_default();
        self.body.learnt.grew |= Self::narrows(&mut facts.narrowing, narrowing);
    }

    /// (e): lanes leave the function one by one, from inside of the loop.
    pub fn target_returns(&mut self, id: Node, narrowing: Narrowing) {
        let facts = self.body.learnt.targets.entry(id).or_default();
        self.body.learnt.grew |= Self::narrows(&mut facts.returned, narrowing);
    }

    fn narrows(known: &mut Option<Narrowing>, narrowing: Narrowing) -> bool {
        match known {
            None => {
                *known = Some(narrowing);
                true
            }
            Some(known) => Self::raise(&mut known.is_callers, narrowing.is_callers),
        }
    }
}
