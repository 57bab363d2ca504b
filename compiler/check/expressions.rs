//! Expressions: one function per kind, and the assignments.

use super::context::Checker;
use super::infer::{Leaf, Value, Why};
use super::operand::{Operand, Untyped};
use super::operators::arithmetic;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::typed::ir::{BinaryOp, Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{Element, Type, TypeKind};

impl<'a> Checker<'a> {
    /// Checks an expression. `want` is the type that its context asks for, where literals look for theirs.
    pub fn expression(&mut self, e: &'a ast::Expr, want: Option<Type>) -> Operand {
        let span = e.span;
        if !self.replacements.is_empty()
            && let Some(made) = self.replacements.get(&std::ptr::from_ref(e))
        {
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
            Ast::Character(c) => Operand::Untyped(Untyped::Int(i128::from(*c)), span),
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
                if self.items.pipelines.contains(&name.text) {
                    return self.run_pipeline(name, None, arguments, span);
                }
                if !self.items.overloads.contains_key(&name.text)
                    && let Some(operand) = self.builtin(name, arguments, span, want)
                {
                    return operand;
                }
                self.call(name, template_arguments, arguments, span)
            }
            Ast::TypeQuery(name, ty) => self.type_query(name, ty, span),
            Ast::New(ty, count) => self.new_memory(ty, count, span),
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
            Ast::Range(..) => {
                self.error(&codes::PIPELINE_ONLY, span, "a range stands in boundary conditions of pipelines only");
                Operand::Error(span)
            }
            Ast::Method(of, name, arguments) => {
                if let Ast::Name(pipeline) = &of.kind
                    && self.items.pipelines.contains(&pipeline.text)
                    && !self.body.scopes.iter().any(|scope| scope.contains_key(&pipeline.text))
                {
                    return self.run_pipeline(pipeline, Some(name), arguments, span);
                }
                if let Ast::Member(pipeline, schedule) = &of.kind
                    && let Ast::Name(pipeline) = &pipeline.kind
                    && &*name.text == "required"
                    && self.items.pipelines.contains(&pipeline.text)
                    && !self.body.scopes.iter().any(|scope| scope.contains_key(&pipeline.text))
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
            Ast::Parenthesized(inner) => self.expression(inner, want).at(span),
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
            Operand::Untyped(..) | Operand::Value(_) | Operand::Place(_) | Operand::Error(_) => None,
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
        let Some((lanes, element, _)) = self.meet_numbers(operands, want, span) else { return Operand::Error(span) };
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

    /// T-ASSIGN, T-BROADCAST
    fn assign(&mut self, place: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Operand {
        let Some(to) = self.writable(place) else {
            if !matches!(value.kind, Ast::Aggregate(_)) {
                let _ = self.expression(value, None);
            }
            return Operand::Error(span);
        };
        let value_expr = match &value.kind {
            Ast::Aggregate(parts) => {
                let length = self.aggregate_length(parts);
                let parts = Value { length, is_callers: self.is_aggregate_callers(parts), ..Value::default() };
                if !self.assigns(&to, &parts, Why::Assigned(Leaf::default()), span) {
                    return Operand::Error(span);
                }
                self.initializer(value, to.ty)
            }
            _ => {
                let operand = self.expression(value, Some(to.ty));
                let assigned = self.assigned_value(&operand);
                self.adopt_pointee(&to, &operand);
                if !self.assigns(&to, &assigned, Why::Assigned(assigned.leaf.clone()), span) {
                    return Operand::Error(span);
                }
                let mark = self.diagnostics.len();
                let value = self.coerce(operand, to.ty, value.span);
                self.show_declaration(&to, mark);
                value
            }
        };
        if self.is_error(value_expr.ty) {
            return Operand::Error(span);
        }
        self.keep_const_at(&value_expr, &to, value.span);
        self.warn_shared(&to, span);
        let ty = to.ty;
        Operand::Value(Expr { kind: ExprKind::Assign { place: to, value: Box::new(value_expr) }, ty, span })
    }

    /// `place op= value`
    fn compound(&mut self, op: ast::BinaryOp, place: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Operand {
        let to = self.writable(place);
        let operand = self.expression(value, to.as_ref().map(|p| p.ty));
        let written_op = op;
        let (Some(to), Some(op)) = (to, arithmetic(op)) else { return Operand::Error(span) };
        if operand.is_error() {
            return Operand::Error(span);
        }
        let mut assigned = self.assigned_value(&operand);
        // `x op= v` assigns x op v.
        assigned.is_cross_lane |= self.is_place_cross_lane(&to);
        if !self.assigns(&to, &assigned, Why::Assigned(assigned.leaf.clone()), span) {
            return Operand::Error(span);
        }
        let length = self.length(to.ty);
        let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        if self.program.types.pointee(to.ty).is_some() {
            let index = self.value(operand, None);
            let is_offset = matches!(op, BinaryOp::Add | BinaryOp::Subtract);
            let is_integer = self.program.types.element(index.ty).is_some_and(Element::is_integer);
            if !is_offset || !is_integer {
                if !self.is_error(index.ty) {
                    self.error(&codes::TYPE_MISMATCH, span, "a pointer moves by `+=` and `-=` an integer");
                }
                return Operand::Error(span);
            }
            let int64 = self.program.types.vector(Element::Int64, length);
            let own = self.length(index.ty);
            let wide = self.program.types.vector(Element::Int64, own);
            let index = self.converted(index, wide);
            let index = self.coerce(Operand::Value(index), int64, value.span);
            return self.compound_of(to.clone(), op, index, to.ty, false, span);
        }
        let Some(element) = self.program.types.element(to.ty) else {
            let message = format!("`{}` has no arithmetic", self.display(to.ty));
            self.error(&codes::TYPE_MISMATCH, place.span, message);
            return Operand::Error(span);
        };
        let value_expr = match operand {
            Operand::Untyped(untyped, at) if !untyped.is_float() || element.is_float() => {
                if element == Element::Bool {
                    self.error(&codes::TYPE_MISMATCH, at, "a number where a `bool` is asked for");
                    return Operand::Error(span);
                }
                self.constant(&untyped, element, at)
            }
            other => self.value(other, Some(to.ty)),
        };
        if self.is_error(value_expr.ty) {
            return Operand::Error(span);
        }
        let Some(other) = self.program.types.element(value_expr.ty) else {
            let message = format!("`{}` where a number is asked for", self.display(value_expr.ty));
            self.error(&codes::TYPE_MISMATCH, value.span, message);
            return Operand::Error(span);
        };
        let bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        let met = if shift { element } else { super::conversions::meet(element, other) };
        let fits = match (element, other) {
            (Element::Bool, Element::Bool) => bitwise,
            (Element::Bool, _) => false,
            _ => !(met.is_float() && (bitwise || shift)) && !(shift && other.is_float()),
        };
        if !fits {
            let message = format!("`{}` and `{}` do not go with this operator", self.display(to.ty), self.display(value_expr.ty));
            self.error(&codes::TYPE_MISMATCH, span, message);
            return Operand::Error(span);
        }
        if met != element && !super::conversions::is_implicit(met, element) {
            let message = format!("the result, `{}`, does not become `{}` by itself", met.name(), element.name());
            let (name, text) = (element.name(), crate::syntax::print::expression(place));
            let written = |operand: &str| format!("{text} = ({name}) ({text} {} {operand})", written_op.symbol());
            let help = format!("write the assignment out with a cast: `{}`", written("…"));
            let operand = format!("({})", crate::syntax::print::expression(value));
            let edit = Edit::replace(span, format!("({})", written(&operand)));
            self.diagnostics.push(Diagnostic::error(&codes::NEEDS_CAST, span, message).with_fix(help, vec![edit]));
            return Operand::Error(span);
        }
        let own = self.length(value_expr.ty);
        let middle = self.program.types.vector(met, own);
        let value_expr = self.converted(value_expr, middle);
        let compute_as = self.program.types.vector(met, length);
        let mark = self.diagnostics.len();
        let value_expr = self.coerce(Operand::Value(value_expr), compute_as, value.span);
        self.show_declaration(&to, mark);
        self.compound_of(to, op, value_expr, compute_as, false, span)
    }

    fn compound_of(&mut self, place: Place, op: BinaryOp, value: Expr, compute_as: Type, old_value: bool, span: Span) -> Operand {
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        self.warn_shared(&place, span);
        if place.addresses > 1 && self.may_collide(&place) {
            let warning =
                Diagnostic::warning(&codes::CONFLICTING_LANES, span, "lanes may change the same element one after another");
            let warning =
                warning.with_note("each lane reads, computes and writes in turn, and `foreach_unique` visits each element once");
            self.diagnostics.push(match atomic_addition(&place, op, &value, span) {
                Some(edits) => warning.with_fix("`atomic_add(&…, …)` adds for each lane", edits),
                None => warning,
            });
        }
        let ty = place.ty;
        Operand::Value(Expr { kind: ExprKind::Compound { place, op, value: Box::new(value), compute_as, old_value }, ty, span })
    }

    /// Could two lanes have one address? Not if the index is the one of a `foreach`, give or take a scalar.
    fn may_collide(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Member(of, _) => self.may_collide(of),
            PlaceKind::Element(of, index) => self.may_collide(of) && !self.is_distinct(index),
            PlaceKind::Dereference(pointer) => match &pointer.kind {
                ExprKind::PointerOffset(_, index) => {
                    let own = self.program.types.pointee(pointer.ty).map_or(1, |ty| self.length(ty));
                    own == 1 && !self.is_distinct(index)
                }
                _ => self.program.types.pointee(pointer.ty).is_none_or(|ty| self.length(ty) == 1),
            },
            PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temporary(_) => false,
        }
    }

    fn is_distinct(&self, index: &Expr) -> bool {
        match &index.kind {
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.body.infos[local.0 as usize].is_const,
            ExprKind::LaneIndex => true,
            ExprKind::Lanes(lanes) => {
                let numbers: Vec<_> = lanes.iter().map(|lane| self.evaluate(lane)).collect();
                numbers.iter().enumerate().all(|(i, n)| n.is_some() && !numbers[..i].contains(n))
            }
            ExprKind::Convert(a) => self.is_distinct(a),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                let scalar = |e: &Expr| matches!(e.kind, ExprKind::Broadcast(_));
                self.is_distinct(a) && scalar(b) || self.is_distinct(b) && scalar(a)
            }
            _ => false,
        }
    }

    /// `++e`, `e--`
    fn increment(&mut self, delta: i8, prefix: bool, place: &'a ast::Expr, span: Span) -> Operand {
        let Some(to) = self.writable(place) else { return Operand::Error(span) };
        let one = Value { length: 1, is_cross_lane: self.is_place_cross_lane(&to), ..Value::default() };
        if !self.assigns(&to, &one, Why::Assigned(Leaf::default()), span) {
            return Operand::Error(span);
        }
        let op = if delta > 0 { BinaryOp::Add } else { BinaryOp::Subtract };
        let element = match *self.program.types.kind(to.ty) {
            TypeKind::Vector { element, .. } if element != Element::Bool => element,
            TypeKind::Pointer { .. } => Element::Int64,
            _ => {
                let message = format!("`{}` is not counted", self.display(to.ty));
                self.error(&codes::TYPE_MISMATCH, place.span, message);
                return Operand::Error(span);
            }
        };
        let one = self.int_constant(1, element, span);
        let length = self.length(to.ty);
        let one = self.at_length(one, length);
        let compute_as = to.ty;
        self.compound_of(to, op, one, compute_as, !prefix, span)
    }

    /// Errors about what is assigned show the declaration that fixed the length of the place.
    fn show_declaration(&mut self, place: &Place, mark: usize) {
        let Some((name, span)) = self.declaration_of(place) else { return };
        for diagnostic in self.diagnostics.after_mut(mark) {
            if diagnostic.code == &codes::VECTOR_TO_SCALAR || diagnostic.code == &codes::LENGTH_MISMATCH {
                let text = format!("`{name}` is declared here, with the length {}", self.program.types.length(place.ty));
                diagnostic.labels.push((span, text));
            }
        }
    }

    fn declaration_of(&self, place: &Place) -> Option<(String, Span)> {
        match &place.kind {
            PlaceKind::Local(local) => {
                let local = &self.body.locals[local.0 as usize];
                Some((local.name.clone(), local.span))
            }
            PlaceKind::Global(global) => {
                let global = &self.program.globals[global.0 as usize];
                Some((global.name.clone(), global.span))
            }
            PlaceKind::Member(of, _) | PlaceKind::Element(of, _) => self.declaration_of(of),
            PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => None,
        }
    }

    /// A variable that the rounds of a parallel loop share: all of them write to the same place.
    fn warn_shared(&mut self, place: &Place, span: Span) {
        let Some(parallel) = self.body.targets.iter().rev().find_map(|target| target.parallel) else { return };
        let mut root = place;
        while let PlaceKind::Member(base, _) = &root.kind {
            root = base;
        }
        let (name, at) = match root.kind {
            PlaceKind::Local(local) if (local.0 as usize) < parallel.locals => {
                let local = &self.body.locals[local.0 as usize];
                (&local.name, local.span)
            }
            PlaceKind::Global(global) => {
                let global = &self.program.globals[global.0 as usize];
                (&global.name, global.span)
            }
            PlaceKind::Local(_)
            | PlaceKind::Dereference(_)
            | PlaceKind::Member(..)
            | PlaceKind::Element(..)
            | PlaceKind::Temporary(_) => return,
        };
        let message = format!("the rounds of a parallel loop change one variable, `{name}`");
        let help =
            "declare it inside of the loop, so that each round has its own, or collect with `atomic_add(&…, …)` and its like";
        let warning =
            Diagnostic::warning(&codes::SHARED_VARIABLE, span, message).with_secondary(at, "declared outside of the loop");
        self.diagnostics.push(warning.with_help(help));
    }
}

/// `place += value` in one step for each lane, where it is written so.
fn atomic_addition(place: &Place, op: BinaryOp, value: &Expr, span: Span) -> Option<Vec<Edit>> {
    let is_written = place.span.end < value.span.start && place.span.start == span.start && value.span.end == span.end;
    let sign = Span { start: place.span.end, end: value.span.start, ..span };
    (op == BinaryOp::Add && is_written)
        .then(|| vec![Edit::before(span, "atomic_add(&"), Edit::replace(sign, ", "), Edit::behind(span, ")")])
}
