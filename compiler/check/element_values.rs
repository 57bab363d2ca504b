//! Elements of an `hsoa` as a whole: what is read or written are their numbers, and what is common to these is evaluated once.

use super::elements::{Element, MAX_NUMBERS, Once, Parts, Step, is_plain, numbers, within};
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{BinaryOp, Builtin, Expr, ExprKind, LaneOp, LocalId, Place, PlaceKind};
use crate::typed::walk;
use crate::types::{Element as Number, Type, TypeKind};

impl<'a> Checker<'a> {
    /// A new variable for what is evaluated once in an expression.
    fn temporary(&mut self, ty: Type, span: Span) -> LocalId {
        let local = self.fresh_local("once", ty, span);
        self.body.temporaries.push(local);
        local
    }

    /// What is used several times, evaluated at its first use if that matters.
    pub fn once(&mut self, e: Expr) -> Once {
        if is_plain(&e) { Once { first: None, again: e } } else { self.kept(e) }
    }

    /// What is used several times, kept at its first use.
    fn kept(&mut self, e: Expr) -> Once {
        let (ty, span) = (e.ty, e.span);
        let local = self.temporary(ty, span);
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span };
        let first = Expr { kind: ExprKind::Assign { place, value: Box::new(e) }, ty, span };
        Once { first: Some(first), again: self.load_local(local, span) }
    }

    /// What the numbers of an element share, where so many of them are accessed.
    pub fn parts_of(&mut self, element: &Element, numbers: u64) -> Parts {
        let stays = |e: &Expr| Once { first: None, again: e.clone() };
        let indices = element.steps.iter().filter_map(|step| match step {
            Step::At(index, _) => Some(index.clone()),
            Step::Member(_) => None,
        });
        let indices: Vec<Expr> = indices.collect();
        if numbers == 1 {
            let indices = indices.iter().map(stays).collect();
            return Parts { blocks: stays(&element.blocks), index: stays(&element.index), indices };
        }
        let blocks = self.once(element.blocks.clone());
        let indices = indices.into_iter().map(|index| self.once(index)).collect();
        Parts { blocks, index: self.once(element.index.clone()), indices }
    }

    /// The place of a number: `steps` into the block, ⟨α | 1⟩ of one element. There is none where its type is already an error.
    pub fn number_at(&mut self, element: &Element, steps: &[Step], object: Type, parts: &mut Parts) -> Option<Place> {
        if self.is_error(object) {
            return None;
        }
        let (span, length) = (element.span, element.hsoa.length);
        let blocks = parts.blocks.next();
        let size = self.program.types.size(object);
        let index = within(parts.index.next(), &element.window);
        let stride = self.program.types.size(element.hsoa.block) / size;
        let mut place = if stride == u64::from(length) {
            index
        } else {
            let index = self.wide(index);
            let ty = index.ty;
            let op = LaneOp::InBlocks { lanes: length, stride };
            Expr { kind: ExprKind::Builtin(Builtin::Lane(op), vec![index]), ty, span }
        };
        // Members lie at multiples of the size of their numbers.
        let (mut own, mut first) = (element.hsoa.block, 0);
        let mut indices = parts.indices.iter_mut();
        for step in steps {
            match (step, self.program.types.kind(own)) {
                (Step::Member(index), _) => {
                    first += self.program.types.offset(own, *index) / size;
                    own = self.program.types.members(own)[*index].ty;
                }
                (Step::At(_, window), &TypeKind::Array { element: of, .. }) => {
                    own = of;
                    let mut index = indices.next().expect("an index for each step").next();
                    if let Some(window) = window {
                        index = within(index, window);
                    }
                    let index = self.wide(index);
                    let stride = self.program.types.size(own) / size;
                    let index = self.number_op(BinaryOp::Multiply, index, stride as i64);
                    place = self.sum_of(place, index)?;
                }
                (Step::At(..), _) => unreachable!("an array has elements"),
            }
        }
        if length > 1 && own == object {
            let message = format!("`{}` is one for all elements of a block", self.display(object));
            let error = Diagnostic::error(&codes::LENGTH_MISMATCH, span, message);
            self.diagnostics.push(error.with_help("elements of an `hsoa` have members without `scalar` and `block`"));
            return None;
        }
        if first > 0 {
            place = self.number_op(BinaryOp::Add, place, first as i64);
        }
        let to = self.program.types.pointer(object, 1);
        let numbers = Expr { kind: ExprKind::Convert(Box::new(blocks)), ty: to, span };
        let lanes = self.length(place.ty);
        let ty = self.program.types.pointer(object, lanes);
        let pointer = Expr { kind: ExprKind::PointerOffset(Box::new(numbers), Box::new(place)), ty, span };
        match self.dereference(Operand::Value(pointer), span) {
            Operand::Place(place) => Some(place),
            Operand::Untyped(..) | Operand::Value(_) | Operand::Element(_) | Operand::Error(_) => None,
        }
    }

    /// The sum of two numbers of 64 bits, or of what becomes such.
    fn sum_of(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let span = a.span;
        let (a, b) = (self.wide(a), self.wide(b));
        let length = self.meet_lengths(&[a.clone(), b.clone()], span)?;
        let (a, b) = (self.at_length(a, length), self.at_length(b, length));
        let ty = a.ty;
        Some(Expr { kind: ExprKind::Binary(BinaryOp::Add, Box::new(a), Box::new(b)), ty, span })
    }

    /// An index as a signed number of 64 bits.
    pub fn wide(&mut self, index: Expr) -> Expr {
        let length = self.length(index.ty);
        let ty = self.program.types.vector(Number::Int64, length);
        self.converted(index, ty)
    }

    /// A component of a place that holds a value.
    fn component(&mut self, of: Place, step: &Step) -> Place {
        let span = of.span;
        let (kind, object) = match (step, self.program.types.kind(of.object)) {
            (Step::Member(index), _) => {
                let object = self.program.types.members(of.object)[*index].ty;
                (PlaceKind::Member(Box::new(of), *index), object)
            }
            (Step::At(index, _), &TypeKind::Array { element, .. }) => {
                (PlaceKind::Element(Box::new(of), Box::new(index.clone())), element)
            }
            (Step::At(..), _) => unreachable!("an array has elements"),
        };
        Place { kind, object, addresses: 1, ty: object, span }
    }

    /// The type of what is read: for many addresses one per lane.
    pub fn element_type(&mut self, element: &Element) -> Type {
        let lanes = element.steps.iter().map(|step| match step {
            Step::Member(_) => 1,
            Step::At(index, _) => self.length(index.ty),
        });
        let lanes = lanes.max().unwrap_or(1).max(self.length(element.index.ty));
        self.accessed(element.object, lanes, element.span).unwrap_or_else(|| self.program.types.error())
    }

    /// E-TOVAL of an element: its numbers.
    pub fn element_value(&mut self, element: Element) -> Expr {
        let ty = self.element_type(&element);
        let Some(numbers) = self.numbers_of(&element) else { return self.error_expr(element.span) };
        let mut parts = self.parts_of(&element, numbers);
        self.read(&element, &mut element.steps.clone(), (element.object, ty), &mut parts)
            .unwrap_or_else(|| self.error_expr(element.span))
    }

    /// How many numbers an element has; reports an array and one with too many.
    fn numbers_of(&mut self, element: &Element) -> Option<u64> {
        if let TypeKind::Array { .. } = self.program.types.kind(element.object) {
            let message = "an array in an element of an `hsoa` has no address: its numbers lie in blocks";
            let error = Diagnostic::error(&codes::NOT_A_PLACE, element.span, message);
            self.diagnostics.push(error.with_help("index it, or read the element as a whole into a variable first"));
            return None;
        }
        let numbers = numbers(&self.program.types, element.object);
        if numbers > MAX_NUMBERS {
            let message = format!("an element of {numbers} numbers is not accessed as a whole");
            let error = Diagnostic::error(&codes::TYPE_TOO_LARGE, element.span, message);
            self.diagnostics.push(error.with_help(format!("access its members; at most {MAX_NUMBERS} are accessed at once")));
            return None;
        }
        Some(numbers)
    }

    /// The value at `steps`: ⟨τ | 1⟩ of an element, as a value of type `of.1`.
    fn read(&mut self, element: &Element, steps: &mut Vec<Step>, of: (Type, Type), parts: &mut Parts) -> Option<Expr> {
        let (object, ty) = of;
        let span = element.span;
        let components = self.components(object, ty, span);
        let Some(components) = components else {
            let place = self.number_at(element, steps, object, parts)?;
            let value = self.load(place);
            return (!self.is_error(value.ty)).then_some(value);
        };
        let mut values = Vec::new();
        for (step, of) in components {
            if let Step::At(index, _) = &step {
                parts.indices.push(Once { first: None, again: index.clone() });
            }
            steps.push(step);
            let value = self.read(element, steps, of, parts)?;
            if let Some(Step::At(..)) = steps.pop() {
                parts.indices.pop();
            }
            values.push(value);
        }
        Some(Expr { kind: ExprKind::Aggregate(values), ty, span })
    }

    /// The steps to the components of an object, with their types; `None` for a number or pointer.
    fn components(&mut self, object: Type, ty: Type, span: Span) -> Option<Vec<(Step, (Type, Type))>> {
        match (self.program.types.kind(object).clone(), self.program.types.kind(ty).clone()) {
            (TypeKind::Record { .. }, TypeKind::Record { .. }) => {
                let members = [object, ty].map(|ty| self.program.types.members(ty).iter().map(|m| m.ty).collect::<Vec<_>>());
                let [of, to] = members;
                Some(of.into_iter().zip(to).enumerate().map(|(k, types)| (Step::Member(k), types)).collect())
            }
            (TypeKind::Array { element, count }, TypeKind::Array { element: to, .. }) => {
                let at = |this: &mut Self, k| Step::At(this.int_constant(k, Number::Int32, span), None);
                Some((0..count).map(|k| (at(self, k as i64), (element, to))).collect())
            }
            _ => None,
        }
    }

    /// `h[i] = v`: all of its numbers.
    pub fn assign_element(&mut self, element: Element, value: &'a ast::Expr, span: Span) -> Operand {
        let ty = self.element_type(&element);
        let value = match &value.kind {
            ast::ExprKind::Aggregate(_) => self.initializer(value, ty),
            _ => {
                let operand = self.expression(value, Some(ty));
                self.coerce(operand, ty, value.span)
            }
        };
        if self.is_error(value.ty) || self.is_error(ty) {
            return Operand::Error(span);
        }
        let Some(numbers) = self.numbers_of(&element) else { return Operand::Error(span) };
        if let Some(what) = self.leads_to_const(&element.blocks) {
            self.error(&codes::READ_ONLY, element.span, format!("{what} is `const`"));
            return Operand::Error(span);
        }
        let may_store = walk::may_store(&value);
        let local = self.temporary(ty, span);
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span };
        let first = Expr { kind: ExprKind::Assign { place: place.clone(), value: Box::new(value) }, ty, span };
        let mut first = Some(Place { kind: PlaceKind::Temporary(Box::new(first)), ..place.clone() });
        // What is assigned may change what the index is computed from.
        let mut parts = self.parts_of(&element, numbers.max(2));
        if may_store {
            for once in parts.indices.iter_mut().chain([&mut parts.blocks, &mut parts.index]) {
                self.keep_once(once);
            }
        }
        let written = self.write(&element, &mut element.steps.clone(), (element.object, ty), &mut parts, &place, &mut first);
        match written {
            Some(e) => Operand::Value(e),
            None => Operand::Error(span),
        }
    }

    /// What is evaluated once is kept, though it could be evaluated again at once.
    fn keep_once(&mut self, once: &mut Once) {
        if once.first.is_some() || matches!(once.again.kind, ExprKind::Constant(_)) {
            return;
        }
        *once = self.kept(once.again.clone());
    }

    /// Writes from a place to `steps` into an element; what is read first evaluates the value.
    fn write(
        &mut self,
        element: &Element,
        steps: &mut Vec<Step>,
        of: (Type, Type),
        parts: &mut Parts,
        from: &Place,
        first: &mut Option<Place>,
    ) -> Option<Expr> {
        let (object, ty) = of;
        let span = element.span;
        let Some(components) = self.components(object, ty, span) else {
            let place = self.number_at(element, steps, object, parts)?;
            if !self.access(place.ty, span) {
                return None;
            }
            // The first number evaluates the value.
            let from = first.take().unwrap_or_else(|| from.clone());
            let value = Expr { kind: ExprKind::Load(from), ty, span };
            self.warn_shared(&place, None, span);
            return Some(Expr { kind: ExprKind::Assign { place, value: Box::new(value) }, ty, span });
        };
        let mut values = Vec::new();
        for (step, of) in components {
            let from = self.component(from.clone(), &step);
            let mut inner_first = first.take().map(|place| self.component(place, &step));
            if let Step::At(index, _) = &step {
                parts.indices.push(Once { first: None, again: index.clone() });
            }
            steps.push(step);
            let value = self.write(element, steps, of, parts, &from, &mut inner_first)?;
            if let Some(Step::At(..)) = steps.pop() {
                parts.indices.pop();
            }
            values.push(value);
        }
        Some(Expr { kind: ExprKind::Aggregate(values), ty, span })
    }
}
