//! `scratch T a[e];`: an array of run-time length that lives in its scope.
//!
//! ```text
//! scratch float a[n];           float scalar *scalar a = scratch[elements];    …    release a;      elements = max(n, 0)
//! scratch float a[16];          float scalar a'[16];  float scalar *scalar a = &a'[0];
//! ```
//! Either way the name is that of a pointer to the first element, which is 64-byte aligned and that nothing else points to.
//! Small arrays of constant length are on the stack. All others are given back at the end of their scope, however it is left:
//! all lanes share them, so that a single lane does not leave it before the others.

use super::declared::Base;
use super::items::Binding;
use super::state::{Checker, LocalInfo};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Memory;
use crate::typed::ir::{
    Builtin, Constant, Expr, ExprKind, LaneOp, LocalId, Place, PlaceKind, SliceBound, Statement, StatementKind,
};
use crate::types::{Element, Type};

/// Bytes of the largest array on the stack.
const LARGEST_ON_STACK: u64 = 1 << 14;

/// Bytes.
const ALIGNMENT: u64 = 64;

impl<'a> Checker<'a> {
    /// `scratch T a[e];`
    pub fn scratch_declaration(&mut self, variable: &'a ast::Variable, out: &mut Vec<Statement>) {
        let (name, span) = (&variable.name, variable.span);
        let [Some(count)] = &variable.dimensions[..] else {
            self.error(&codes::TYPE_MISMATCH, span, "a `scratch` array has one dimension, with its length: `scratch T a[n];`");
            return;
        };
        if let Some(e) = &variable.initializer {
            self.error(&codes::UNSUPPORTED, e.span, "a `scratch` array has no initializer: set its elements");
        }
        let declared = self.resolve(&variable.ty);
        if matches!(declared.base, Base::Void | Base::Reference(_)) {
            self.error(
                &codes::TYPE_MISMATCH,
                variable.ty.span,
                "the elements of an array are values: no references and not `void`",
            );
            return;
        }
        let object = self.declared_type(&declared, None, variable.ty.span);
        let int64 = self.scalar(Element::Int64);
        let operand = self.expression(count, Some(int64));
        let count = self.coerce(operand, int64, count.span);
        if self.is_error(object) || self.is_error(count.ty) {
            let error = self.program.types.error();
            let local = self.fresh_local(&name.text, error, name.span);
            self.bind(name, Binding::Local(local));
            return;
        }
        let ty = self.program.types.pointer(object, 1);
        let constant = match self.evaluate(&count) {
            Some(Constant::Int(n)) => Some(n).filter(|&n| n.saturating_mul(self.program.types.size(object)) <= LARGEST_ON_STACK),
            _ => None,
        };
        let (value, elements) = match constant {
            Some(n) => (self.stack_array(&name.text, object, n, span, out), SliceBound::Constant(n)),
            None => {
                let zero = self.int_constant(0, Element::Int64, span);
                let count = Expr { kind: ExprKind::Builtin(Builtin::Lane(LaneOp::Max), vec![count, zero]), ty: int64, span };
                let elements = self.fresh_local("elements", int64, span);
                out.push(Statement { kind: StatementKind::Declare { local: elements, initializer: Some(count) }, span });
                let count = self.load_local(elements, span);
                (ExprKind::New(Memory::Scratch, vec![count]), SliceBound::Parameter(elements.0 as usize))
            }
        };
        let local = self.fresh_local(&name.text, ty, name.span);
        self.body.infos[local.0 as usize] =
            LocalInfo { is_const: true, pointee_scalar: true, ..self.body.infos[local.0 as usize].clone() };
        self.body.locals[local.0 as usize].elements = Some(elements);
        self.bind(name, Binding::Local(local));
        if constant.is_none() {
            self.body.owned.push((local, Memory::Scratch));
        }
        let initializer = Some(Expr { kind: value, ty, span });
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
    }

    /// An array on the stack; the address of its first element.
    fn stack_array(&mut self, name: &str, object: Type, count: u64, span: Span, out: &mut Vec<Statement>) -> ExprKind {
        let array = self.program.types.array(object, count.max(1));
        let LocalId(number) = self.fresh_local(name, array, span);
        self.body.locals[number as usize].alignment = ALIGNMENT;
        out.push(Statement { kind: StatementKind::Declare { local: LocalId(number), initializer: None }, span });
        let place = Place { kind: PlaceKind::Local(LocalId(number)), object: array, addresses: 1, ty: array, span };
        let zero = Box::new(self.int_constant(0, Element::Int32, span));
        let kind = PlaceKind::Element(Box::new(place), zero);
        ExprKind::AddressOf(Place { kind, object, addresses: 1, ty: object, span })
    }

    /// A jump leaves scopes, and gives back what was declared in them.
    pub fn leave_scopes(&mut self, since: usize, span: Span, out: &mut Vec<Statement>) {
        // Since it was declared, a condition has parted the lanes.
        let is_parted = |local: LocalId| self.narrowing_since(self.body.infos[local.0 as usize].position, false).is_some();
        let parted = self.body.owned[since..].iter().find(|(local, _)| self.body.context > 1 && is_parted(*local));
        if let Some(&(local, _)) = parted {
            let local = &self.body.locals[local.0 as usize];
            let message = format!("lanes leave the scope of `{}`, which all lanes share, before the others", local.name);
            let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, span, message);
            let error = error.with_secondary(local.span, "its memory is given back when its scope ends");
            self.diagnostics.push(error.with_help("declare it outside of what is left, or give it a constant length"));
        }
        self.give_back(since, span, out);
    }
}
