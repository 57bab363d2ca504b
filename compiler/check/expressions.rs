//! Expressions: one function per kind. Assignments are in `assignments`, operators in `operators`.

use super::items::Callee;
use super::operand::{Operand, Untyped};
use super::pipeline_calls::Named;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::syntax::words;
use crate::typed::ir::{Constant, Expr, ExprKind};
use crate::types::{Element, Type};

impl<'a> Checker<'a> {
    /// Checks an expression. `want` is the type that its context asks for, where literals look for theirs.
    pub fn expression(&mut self, e: &'a ast::Expr, want: Option<Type>) -> Operand {
        let span = e.span;
        if let Some(made) = self.replacements.get(&e.id) {
            return Operand::Value(made.clone());
        }
        match &e.kind {
            Ast::Integer { value, suffix: None } => Operand::Untyped(Untyped::Int(i128::from(*value)), span),
            Ast::Integer { value, suffix: Some(element) } => self.suffixed(i128::from(*value), *element, span),
            Ast::Float { text, suffix } => {
                let untyped = Untyped::Float(text.parse().unwrap_or(f64::NAN), text.parse().unwrap_or(f32::NAN));
                if let Untyped::Float(wide, _) = untyped
                    && wide.is_infinite()
                {
                    self.error(&codes::CONSTANT_OUT_OF_RANGE, span, "this number is above the range of `double`");
                    return Operand::Error(span);
                }
                match suffix {
                    None => Operand::Untyped(untyped, span),
                    Some(element) => {
                        let e = self.constant(&untyped, *element, span);
                        self.operand(e)
                    }
                }
            }
            Ast::Character(c) => {
                self.body.characters.insert(span);
                Operand::Untyped(Untyped::Int(i128::from(*c)), span)
            }
            Ast::Bool(b) => {
                let ty = self.scalar(Element::Bool);
                Operand::Value(Expr { kind: ExprKind::Constant(Constant::Bool(*b)), ty, span })
            }
            Ast::Null => Operand::Untyped(Untyped::Null, span),
            Ast::String(_) => {
                self.error(&codes::TYPE_MISMATCH, span, "a string is the format of `print`, and nothing else");
                Operand::Error(span)
            }
            Ast::Name(name) => self.variable(name),
            Ast::VectorLiteral(lanes) => self.vector_literal(lanes, want, span),
            Ast::Blend(a, b) => {
                let (a, b) = (self.expression(a, want), self.expression(b, want));
                self.blend(a, b, want, span)
            }
            Ast::Aggregate(_) => {
                self.error(&codes::TYPE_MISMATCH, span, "`{ … }` initializes a variable, and nothing else");
                Operand::Error(span)
            }
            Ast::CurrentMask => {
                let ty = self.program.types.vector(Element::Bool, self.body.context);
                let kind = if self.body.context == 1 { ExprKind::Constant(Constant::Bool(true)) } else { ExprKind::CurrentMask };
                Operand::Value(Expr { kind, ty, span })
            }
            Ast::LaneIndex => {
                let ty = self.program.types.vector(Element::Int32, self.body.context);
                let kind = if self.body.context == 1 { ExprKind::Constant(Constant::Int(0)) } else { ExprKind::LaneIndex };
                Operand::Value(Expr { kind, ty, span })
            }
            Ast::Unary(ast::UnaryOp::Dereference, inner) => {
                let pointer = self.expression(inner, None);
                if pointer.is_error() { Operand::Error(span) } else { self.dereference(pointer, span) }
            }
            Ast::Unary(ast::UnaryOp::AddressOf, inner) => self.address_of(inner, span),
            Ast::Unary(op, inner) => self.unary_operator(*op, inner, span, want),
            Ast::Increment { delta, prefix, place } => self.increment(*delta, *prefix, place, span),
            Ast::Binary(op, a, b, at) => self.binary_operator(*op, a, b, *at, span, want),
            Ast::Assign { op: None, place, value } => self.assign(place, value, span),
            Ast::Assign { op: Some(op), place, value } => self.compound(*op, place, value, span),
            Ast::Conditional(c, a, b) => self.conditional_operator(c, a, b, span, want),
            Ast::Cast(ty, inner) => self.cast(ty, inner, span),
            Ast::Call { name, template_arguments, arguments } => {
                if let Some(operand) = self.pixel(name, arguments, span) {
                    return operand;
                }
                if self.items.pipelines.contains_key(&name.text) {
                    let pipeline = Named { name, arguments: template_arguments };
                    return self.run_pipeline(pipeline, None, arguments, span);
                }
                let meaning = self.items.meaning_of(&name.text, self.body.home);
                let synonym = self.body.synonyms.iter().find(|(synonym, _)| *synonym == &*name.text).map(|(_, meant)| *meant);
                let other = || self.items.meaning_of(synonym?, self.body.home);
                match meaning.or_else(other) {
                    Some(Callee::Builtin(builtin)) => self.builtin(builtin, name, template_arguments, arguments, span, want),
                    Some(Callee::Functions(overloads)) => {
                        let overloads = overloads.to_vec();
                        self.call(name, &overloads, template_arguments, arguments, span)
                    }
                    None => match words::element(synonym.unwrap_or(&name.text)) {
                        Some(element) => self.conversion(name, element, arguments, span),
                        None => self.unknown_call(name, arguments, span),
                    },
                }
            }
            Ast::Instance(name, arguments) => self.instance_value(name, arguments, span),
            Ast::TypeQuery(name, ty) => self.type_query(name, ty, span),
            Ast::New(ast::NewForm::Array, ty, count) => self.new_memory(ty, count, span),
            Ast::New(ast::NewForm::Elements, ty, count) => self.new_elements(ty, count, span),
            Ast::Index(base, index) => self.index(base, index, span),
            Ast::Member(of, name) => {
                let of = self.expression(of, None);
                self.member(of, name, span)
            }
            Ast::Arrow(of, name) => {
                let pointer = self.expression(of, None);
                if pointer.is_error() {
                    return Operand::Error(span);
                }
                let place = self.dereference(pointer, span);
                self.member(place, name, span)
            }
            Ast::Reduction { name, .. } => {
                let message = format!("`{}(… for …)` stands in pipelines only", name.text);
                self.error(&codes::PIPELINE_ONLY, span, message);
                Operand::Error(span)
            }
            Ast::Component(..) => {
                self.error(&codes::PIPELINE_ONLY, span, "only funcs of pipelines have numbered components");
                Operand::Error(span)
            }
            Ast::Apply(..) => {
                self.error(
                    &codes::PIPELINE_ONLY,
                    span,
                    "members of families and definitions that take funcs stand in pipelines only",
                );
                Operand::Error(span)
            }
            Ast::Indices(..) => {
                let error = Diagnostic::error(&codes::TYPE_MISMATCH, span, "one index stands in brackets");
                self.diagnostics.push(error.with_help("write `a[i][j]` for arrays, and `a(i, j)` for images"));
                Operand::Error(span)
            }
            Ast::Rest => {
                self.error(&codes::PIPELINE_ONLY, span, "`...` stands in definitions that take funcs only");
                Operand::Error(span)
            }
            Ast::Range(..) => {
                self.error(&codes::PIPELINE_ONLY, span, "a range stands in boundary conditions of pipelines only");
                Operand::Error(span)
            }
            Ast::Method(of, name, arguments) => {
                if let Some(pipeline) = self.named_pipeline(of) {
                    return self.run_pipeline(pipeline, Some(name), arguments, span);
                }
                if let Ast::Member(pipeline, schedule) = &of.kind
                    && &*name.text == "required"
                    && let Some(pipeline) = self.named_pipeline(pipeline)
                {
                    return self.windows_of_pipeline(pipeline, schedule, arguments, span);
                }
                let of = self.expression(of, None);
                if of.is_error() {
                    return Operand::Error(span);
                }
                let ty = self.operand_type(&of);
                if let Some(operand) = self.view_method(of, name, arguments, span) {
                    return operand;
                }
                let message = format!("there is nothing to call as `.{}(…)`", name.text);
                let error = Diagnostic::error(&codes::UNKNOWN_NAME, name.span, message);
                let help = match self.program.types.pointee(ty) {
                    Some(_) => {
                        format!("`{}` has no window: views, `T v[,]`, and images have `min` and `extent`", self.display(ty))
                    }
                    None => "functions stand outside of structs: write `f(x)`".to_owned(),
                };
                self.diagnostics.push(error.with_help(help));
                Operand::Error(span)
            }
            Ast::Parenthesized(inner) => {
                let operand = self.expression(inner, want);
                if self.body.casts.contains(&operand.span()) {
                    self.body.casts.insert(span);
                }
                operand.at(span)
            }
            Ast::Error => Operand::Error(span),
        }
    }

    /// An integer whose suffix says its type, with its sign.
    pub fn suffixed(&mut self, n: i128, element: Element, span: Span) -> Operand {
        if !super::constants::fits(n, element) {
            let message = format!("{n} does not fit in `{}`, which its suffix asks for", element.name());
            self.error(&codes::CONSTANT_OUT_OF_RANGE, span, message);
            return Operand::Error(span);
        }
        let e = self.constant(&Untyped::Int(n), element, span);
        self.operand(e)
    }

    /// An expression as an operand; one in error says no more.
    pub fn operand(&self, e: Expr) -> Operand {
        if self.is_error(e.ty) { Operand::Error(e.span) } else { Operand::Value(e) }
    }

    /// `<a, b, c, d>`
    fn vector_literal(&mut self, lanes: &'a [ast::Expr], want: Option<Type>, span: Span) -> Operand {
        if !lanes.len().is_power_of_two() || lanes.len() > crate::types::MAX_LENGTH as usize {
            let error = Diagnostic::error(&codes::BAD_LENGTH, span, format!("{} is no vector length", lanes.len()));
            self.diagnostics.push(error.with_help("lengths are the powers of two from 1 to 64"));
            return Operand::Error(span);
        }
        let want = want.and_then(|w| self.program.types.element(w)).map(|element| self.scalar(element));
        let operands: Vec<Operand> = lanes.iter().map(|lane| self.expression(lane, want)).collect();
        let untyped = |o: &Operand| match o {
            Operand::Untyped(u @ (Untyped::Int(_) | Untyped::Float(..)), _) => Some(u.clone()),
            Operand::Untyped(..) | Operand::Value(_) | Operand::Place(_) | Operand::Element(_) | Operand::Error(_) => None,
        };
        if let Some(all) = operands.iter().map(untyped).collect::<Option<Vec<_>>>() {
            if let [one] = &*all {
                return Operand::Untyped(one.clone(), span);
            }
            return Operand::Untyped(Untyped::Lanes(all), span);
        }
        for operand in &operands {
            let ty = self.operand_type(operand);
            if self.length(ty) != 1 {
                self.error(&codes::VECTOR_TO_SCALAR, operand.span(), "a lane of a vector literal is a scalar");
                return Operand::Error(span);
            }
        }
        let all_pointers = operands.iter().all(|o| {
            let ty = self.operand_type(o);
            self.program.types.pointee(ty).is_some()
        });
        if all_pointers {
            let first = self.operand_type(&operands[0]);
            let lanes: Vec<Expr> = operands
                .into_iter()
                .map(|o| {
                    let at = o.span();
                    self.coerce(o, first, at)
                })
                .collect();
            if lanes.iter().any(|e| self.is_error(e.ty)) {
                return Operand::Error(span);
            }
            let pointee = self.program.types.pointee(first).expect("a pointer");
            let ty = self.program.types.pointer(pointee, lanes.len() as u8);
            return self.lanes(lanes, ty, span);
        }
        let Some((lanes, element, _)) = self.meet_moved(operands, want, span) else { return Operand::Error(span) };
        let ty = self.program.types.vector(element, lanes.len() as u8);
        self.lanes(lanes, ty, span)
    }

    fn lanes(&mut self, mut lanes: Vec<Expr>, ty: Type, span: Span) -> Operand {
        if lanes.len() == 1 {
            return Operand::Value(lanes.remove(0));
        }
        Operand::Value(Expr { kind: ExprKind::Lanes(lanes), ty, span })
    }

    /// `[a, b]`: a in context 1, where every lane is active.
    pub fn blend(&mut self, a: Operand, b: Operand, want: Option<Type>, span: Span) -> Operand {
        let context = self.body.context;
        let Some((a, b)) = self.meet_any(a, b, want, span) else { return Operand::Error(span) };
        if context == 1 {
            return Operand::Value(Expr { span, ..a });
        }
        let operands = [a, b];
        if self.meet_lengths(&operands, span).is_none() {
            return Operand::Error(span);
        }
        let [a, b] = operands.map(|e| Box::new(self.at_length(e, context)));
        let ty = a.ty;
        Operand::Value(Expr { kind: ExprKind::Blend(a, b), ty, span })
    }
}
