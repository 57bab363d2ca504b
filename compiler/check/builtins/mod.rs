//! Built-ins (language.md §7): their operands are checked here, their meaning under a mask is `typed::ir::Builtin`'s.

mod atomics;
mod format;
mod lanes;
mod math;
mod output;
mod rearrange;

use super::operand::{Operand, Untyped};
use super::state::Checker;
use crate::check::calls::takes_arguments;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::builtins::{Meaning, Name};
use crate::typed::ir::{Builtin, CrossOp, EffectOp, Expr, ExprKind, LaneOp};
use crate::types::{Element, Type};

impl<'a> Checker<'a> {
    /// A call of a built-in, which the source calls `name`, with the types in its angle brackets.
    pub fn builtin(
        &mut self,
        builtin: &Name,
        name: &'a ast::Name,
        types: &'a [ast::TemplateArgument],
        arguments: &'a [ast::Expr],
        span: Span,
        want: Option<Type>,
    ) -> Operand {
        let Name { text, operands, meaning } = *builtin;
        if !operands.is_empty() && !operands.contains(&arguments.len()) {
            arguments.iter().for_each(|e| drop(self.expression(e, None)));
            self.error(&codes::ARGUMENT_COUNT, span, takes_arguments(text, operands, arguments.len()));
            return Operand::Error(span);
        }
        match meaning {
            Meaning::Lengthof => self.lengthof(&arguments[0], span),
            Meaning::Sizeof => {
                self.body.looks_at_length = true;
                let ty = self.silent_type(&arguments[0]);
                let size = if self.is_error(ty) { 0 } else { self.program.types.size(ty) };
                Operand::Untyped(Untyped::Int(i128::from(size)), span)
            }
            Meaning::PreferredLengthof => {
                let _ = self.expression(&arguments[0], None);
                self.error(&codes::TYPE_MISMATCH, span, "`preferred_lengthof` takes a type: `preferred_lengthof(float)`");
                Operand::Error(span)
            }
            Meaning::Iota => self.iota(&arguments[0], span),
            Meaning::Set => self.set(arguments, span),
            Meaning::Clamp => self.clamp(text, arguments, span, want),
            Meaning::Bits(element) => self.bits(text, element, &arguments[0], span),
            Meaning::BitsAs => self.bits_as(types, &arguments[0], span),
            Meaning::Print => self.print(arguments, span),
            Meaning::PrintError => self.eprint(arguments, span),
            Meaning::Require => {
                let is_text = |e: &&ast::Expr| matches!(e.kind, ast::ExprKind::String(_));
                arguments.iter().filter(|e| !is_text(e)).for_each(|e| drop(self.expression(e, None)));
                self.error(&codes::TYPE_MISMATCH, span, "`require` is a statement, and has no value");
                Operand::Error(span)
            }
            Meaning::Assert => self.assertion(&arguments[0], span),
            Meaning::Operation(Builtin::Get) => self.get(arguments, span),
            Meaning::Operation(Builtin::Lane(LaneOp::SaturatingCast)) => self.saturating_cast(text, types, &arguments[0], span),
            Meaning::Operation(Builtin::Lane(op)) => self.lane_wise(op, name, arguments, span, want),
            Meaning::Operation(Builtin::Cross(CrossOp::ReduceEqual)) if arguments.len() == 2 => {
                self.reduce_equal_to(name, arguments, span)
            }
            Meaning::Operation(Builtin::Cross(op)) => self.cross_lane(op, text, arguments, span),
            Meaning::Operation(Builtin::Rearrange(op)) => self.rearrange(op, text, arguments, span),
            Meaning::Operation(Builtin::Effect(op)) => self.effect(op, text, arguments, span),
        }
    }

    /// A built-in with an effect.
    fn effect(&mut self, op: EffectOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let void = self.program.types.void();
        match op {
            EffectOp::Assume => {
                let e = self.condition(&arguments[0]);
                self.made(Builtin::Effect(op), vec![e], void, span)
            }
            EffectOp::Prefetch => {
                let pointer = self.pointer_argument(&arguments[0]);
                self.made(Builtin::Effect(op), vec![pointer], void, span)
            }
            EffectOp::PackedStore | EffectOp::StreamingStore => self.store_through(op, arguments, span),
            EffectOp::StreamingLoad => self.streaming_load(text, &arguments[0], span),
            EffectOp::Atomic(_) | EffectOp::AtomicSwap | EffectOp::AtomicCompareExchange => {
                self.atomic(op, text, arguments, span)
            }
        }
    }

    /// A built-in with checked operands; in error if one of them is.
    fn made(&mut self, builtin: Builtin, operands: Vec<Expr>, ty: Type, span: Span) -> Operand {
        if self.is_error(ty) || operands.iter().any(|e| self.is_error(e.ty)) {
            return Operand::Error(span);
        }
        Operand::Value(Expr { kind: ExprKind::Builtin(builtin, operands), ty, span })
    }

    /// The type of an expression that is not evaluated. Arrays stay arrays.
    fn silent_type(&mut self, e: &'a ast::Expr) -> Type {
        // Any length may be asked about, whatever the context.
        let context = std::mem::replace(&mut self.body.context, 1);
        let operand = self.expression(e, None);
        self.body.context = context;
        match &operand {
            Operand::Place(place) => place.ty,
            Operand::Untyped(..) | Operand::Value(_) | Operand::Element(_) | Operand::Error(_) => self.operand_type(&operand),
        }
    }

    fn lengthof(&mut self, e: &'a ast::Expr, span: Span) -> Operand {
        self.body.looks_at_length = true;
        let ty = self.silent_type(e);
        if self.is_error(ty) {
            return Operand::Error(span);
        }
        Operand::Untyped(Untyped::Int(i128::from(self.length(ty))), span)
    }

    /// `sizeof(T)`, `lengthof(T)`, `preferred_lengthof(T)`
    pub fn type_query(&mut self, name: &'a ast::Name, ty: &'a ast::Type, span: Span) -> Operand {
        let declared = self.resolve(ty);
        if !self.items.records_known && matches!(declared.base, super::declared::Base::Record(_)) {
            let message = format!("`{}` is asked for inside of a struct, where structs have no size yet", name.text);
            self.error(&codes::RECURSIVE_TYPE, span, message);
            return Operand::Error(span);
        }
        let ty = self.vec(&declared, 1, 1, ty.span);
        if self.is_error(ty) {
            return Operand::Error(span);
        }
        let n = match &*name.text {
            "sizeof" => self.program.types.size(ty),
            "lengthof" => u64::from(self.length(ty)),
            _ => {
                // Every part is aligned as its elements are wide.
                let widest = self.program.types.alignment(ty);
                (u64::from(self.options.register_bytes) / widest).clamp(1, 64)
            }
        };
        Operand::Untyped(Untyped::Int(i128::from(n)), span)
    }

    fn pointer_argument(&mut self, e: &'a ast::Expr) -> Expr {
        let operand = self.expression(e, None);
        let value = self.value(operand, None);
        if !self.is_error(value.ty) && self.program.types.pointee(value.ty).is_none() {
            let message = format!("`{}` where a pointer is asked for", self.display(value.ty));
            self.error(&codes::TYPE_MISMATCH, e.span, message);
            return self.error_expr(e.span);
        }
        value
    }

    /// `packed_store(p, v)`, `streaming_store(p, v)`
    fn store_through(&mut self, op: EffectOp, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let pointer = self.pointer_argument(&arguments[0]);
        let Some(pointee) = self.program.types.pointee(pointer.ty) else { return Operand::Error(span) };
        let packed = op == EffectOp::PackedStore;
        let operand = self.expression(&arguments[1], Some(pointee));
        if operand.is_error() {
            return Operand::Error(span);
        }
        let from = self.operand_type(&operand);
        let length = self.length(from);
        let (Some(element), true) = (self.program.types.element(pointee), self.length(pointer.ty) == 1) else {
            let message = format!("`{}` where a scalar pointer to numbers is asked for", self.display(pointer.ty));
            self.error(&codes::TYPE_MISMATCH, arguments[0].span, message);
            return Operand::Error(span);
        };
        if packed && self.length(pointee) != 1 {
            self.error(&codes::TYPE_MISMATCH, arguments[0].span, "`packed_store` writes scalars one after another");
            return Operand::Error(span);
        }
        let length = if packed { length.max(self.body.context) } else { length.max(self.length(pointee)) };
        let to = self.program.types.vector(element, length);
        let value = self.coerce(operand, to, arguments[1].span);
        let result = if packed { self.scalar(Element::Int32) } else { self.program.types.void() };
        self.made(Builtin::Effect(op), vec![pointer, value], result, span)
    }

    /// `streaming_load(p)`: what p points to.
    fn streaming_load(&mut self, text: &str, e: &'a ast::Expr, span: Span) -> Operand {
        let pointer = self.pointer_argument(e);
        let Some(pointee) = self.program.types.pointee(pointer.ty) else { return Operand::Error(span) };
        if self.program.types.element(pointee).is_none() || self.length(pointer.ty) != 1 {
            let message = format!("`{text}` of `{}` where a scalar pointer to numbers is asked for", self.display(pointer.ty));
            self.error(&codes::TYPE_MISMATCH, e.span, message);
            return Operand::Error(span);
        }
        self.made(Builtin::Effect(EffectOp::StreamingLoad), vec![pointer], pointee, span)
    }

    /// Reports that an operand has the wrong element.
    fn wrong_element(&mut self, text: &str, e: &Expr, help: &str) -> Operand {
        let message = format!("`{text}` of `{}`", self.display(e.ty));
        self.diagnostics.push(Diagnostic::error(&codes::TYPE_MISMATCH, e.span, message).with_help(help));
        Operand::Error(e.span)
    }
}
