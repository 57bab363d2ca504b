//! Built-ins (language.md §7): their operands are checked here, their meaning under a mask is `typed::ir::Builtin`'s.

mod atomics;
mod format;
mod lanes;
mod math;
mod output;

use super::context::Checker;
use super::operand::{Operand, Untyped};
use crate::check::calls::takes_arguments;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Channel;
use crate::typed::ir::{Builtin, Expr, ExprKind, ReduceOp};
use crate::types::{Element, Type};

/// The names of all built-ins of this version.
pub(super) const NAMES: &[&str] = &[
    "lengthof",
    "preferred_lengthof",
    "sizeof",
    "get",
    "set",
    "iota",
    "any",
    "all",
    "none",
    "popcount",
    "bitscan",
    "reduce_add",
    "reduce_mul",
    "reduce_min",
    "reduce_max",
    "reduce_and",
    "reduce_or",
    "reduce_xor",
    "scan_add",
    "scan_min",
    "scan_max",
    "whole_reg_shr",
    "whole_reg_shl",
    "rotate",
    "shuffle",
    "reverse",
    "broadcast",
    "packed_store",
    "select",
    "min",
    "max",
    "abs",
    "clamp",
    "fma",
    "sqrt",
    "rsqrt",
    "rcp",
    "floor",
    "ceil",
    "round",
    "trunc",
    "log2",
    "clz",
    "ctz",
    "popcnt",
    "bitreverse",
    "rotl",
    "rotr",
    "intbits",
    "floatbits",
    "doublebits",
    "prefetch",
    "streaming_store",
    "print",
    "assert",
    "assume",
    "atomic_add",
    "atomic_mul",
    "atomic_min",
    "atomic_max",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
];

impl<'a> Checker<'a> {
    /// A call of a built-in; `None` if there is none of this name.
    pub fn builtin(
        &mut self,
        name: &'a ast::Name,
        arguments: &'a [ast::Expr],
        span: Span,
        want: Option<Type>,
    ) -> Option<Operand> {
        let text = &*name.text;
        if !NAMES.contains(&text) && !matches!(text, "__reason" | "__end") {
            return None;
        }
        let counts: &[usize] = match text {
            "print" => return Some(self.print(Channel::Output, arguments, span)),
            // In the functions of pipelines.
            "__reason" => return Some(self.print(Channel::Reason, arguments, span)),
            "__end" => return Some(self.print(Channel::End, arguments, span)),
            "shuffle" => &[2, 3],
            "set" | "select" | "clamp" | "fma" => &[3],
            "get" | "bitscan" | "whole_reg_shr" | "whole_reg_shl" | "rotate" | "broadcast" | "packed_store" | "min" | "max"
            | "rotl" | "rotr" | "streaming_store" | "atomic_add" | "atomic_mul" | "atomic_min" | "atomic_max" | "atomic_and"
            | "atomic_or" | "atomic_xor" => &[2],
            _ => &[1],
        };
        if !counts.contains(&arguments.len()) {
            arguments.iter().for_each(|e| drop(self.expression(e, None)));
            self.error(&codes::ARGUMENT_COUNT, span, takes_arguments(text, counts, arguments.len()));
            return Some(Operand::Error(span));
        }
        Some(match text {
            "lengthof" => self.lengthof(&arguments[0], span),
            "sizeof" => {
                self.body.looks_at_length = true;
                let ty = self.silent_type(&arguments[0]);
                let size = if self.is_error(ty) { 0 } else { self.program.types.size(ty) };
                Operand::Untyped(Untyped::Int(i128::from(size)), span)
            }
            "preferred_lengthof" => {
                let _ = self.expression(&arguments[0], None);
                self.error(&codes::TYPE_MISMATCH, span, "`preferred_lengthof` takes a type: `preferred_lengthof(float)`");
                Operand::Error(span)
            }
            "set" => self.set(arguments, span),
            "assert" => self.assertion(&arguments[0], span),
            "assume" => {
                let e = self.condition(&arguments[0]);
                let void = self.program.types.void();
                self.made(Builtin::Assume, vec![e], void, span)
            }
            "iota" => self.iota(&arguments[0], span),
            "any" | "all" | "none" | "popcount" => {
                let e = self.condition(&arguments[0]);
                let (builtin, element) = match text {
                    "any" => (Builtin::Any, Element::Bool),
                    "all" => (Builtin::All, Element::Bool),
                    "none" => (Builtin::None, Element::Bool),
                    _ => (Builtin::PopcountMask, Element::Int32),
                };
                let ty = self.scalar(element);
                self.made(builtin, vec![e], ty, span)
            }
            "bitscan" => {
                let mask = self.condition(&arguments[0]);
                let start = self.expression(&arguments[1], None);
                let start = self.scalar_int(start);
                let ty = self.scalar(Element::Int32);
                self.made(Builtin::BitScan, vec![mask, start], ty, span)
            }
            "min" | "max" | "clamp" | "fma" | "select" => self.elementwise(text, arguments, span, want),
            "log2" => self.log2(name, &arguments[0], span, want),
            "abs" | "sqrt" | "rsqrt" | "rcp" | "floor" | "ceil" | "round" | "trunc" | "clz" | "ctz" | "popcnt" | "bitreverse" => {
                self.unary_math(text, &arguments[0], span, want)
            }
            "rotl" | "rotr" => self.rotation(text, arguments, span, want),
            "intbits" | "floatbits" | "doublebits" => self.bits(text, &arguments[0], span),
            "prefetch" => {
                let pointer = self.pointer_argument(&arguments[0]);
                let void = self.program.types.void();
                self.made(Builtin::Prefetch, vec![pointer], void, span)
            }
            "packed_store" | "streaming_store" => self.store_through(text, arguments, span),
            text if text.starts_with("atomic_") => self.atomic(text, arguments, span),
            _ => self.across_lanes(text, arguments, span),
        })
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
            Operand::Untyped(..) | Operand::Value(_) | Operand::Error(_) => self.operand_type(&operand),
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
        if !self.items.records_known && matches!(declared.base, super::types::Base::Record(_)) {
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
    fn store_through(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let pointer = self.pointer_argument(&arguments[0]);
        let Some(pointee) = self.program.types.pointee(pointer.ty) else { return Operand::Error(span) };
        let packed = text == "packed_store";
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
        let (builtin, result) = if packed {
            (Builtin::PackedStore, self.scalar(Element::Int32))
        } else {
            (Builtin::StreamingStore, self.program.types.void())
        };
        self.made(builtin, vec![pointer, value], result, span)
    }

    fn reduction(text: &str) -> Option<ReduceOp> {
        Some(match text.split_once('_')?.1 {
            "add" => ReduceOp::Add,
            "mul" => ReduceOp::Multiply,
            "min" => ReduceOp::Min,
            "max" => ReduceOp::Max,
            "and" => ReduceOp::And,
            "or" => ReduceOp::Or,
            "xor" => ReduceOp::Xor,
            _ => return None,
        })
    }

    /// Reports that an operand has the wrong element.
    fn wrong_element(&mut self, text: &str, e: &Expr, help: &str) -> Operand {
        let message = format!("`{text}` of `{}`", self.display(e.ty));
        self.diagnostics.push(Diagnostic::error(&codes::TYPE_MISMATCH, e.span, message).with_help(help));
        Operand::Error(e.span)
    }
}
