//! `hsoa<T, N>`, the hybrid structure of arrays of section 7 of the paper: a struct of the library whose elements lie in blocks.
//!
//! ```text
//! h[i].x                       ((float*) h.blocks)[⌊i / N⌋ · S + i mod N + X]      a block is S floats, its x begin at the X-th
//! h[i], h[i] = v               the same for each number in T, i and h evaluated once
//! h[ii]                        h.blocks[ii.at]                                             ii: a block_index
//! foreach (T &v : h) s         foreach (int block[N] i = 0 .. h.length) { T block[N] &v = h.blocks[get(i, 0) >> log N]; s }
//! hsoa<T> h(n);                blocks for n elements, which the end of the scope gives back; new hsoa<T>(n), delete h
//! ```
//! What the paper calls `ref` — a pointer to a block and a lane — is an [`Element`]. It lives while an expression is checked: its
//! members are places like others, it is read by reading them and written by writing them. It has no address, since its members lie
//! apart. An index is inside of 0 … length, which `--check` and the interpreter see to.

use super::declared::{Argument, Base, Declared, Qualifier};
use super::infer::{Narrowing, Opened, Parting};
use super::items::{Binding, Home};
use super::loops::Leaving;
use super::operand::Operand;
use super::state::{Checker, LocalInfo, Parallel};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::target::Memory;
use crate::typed::ir::{
    BinaryOp, Builtin, CompareOp, Expr, ExprKind, ForeachIndex, LaneOp, LocalId, Place, PlaceKind, Statement, StatementKind,
    Window,
};
use crate::typed::walk;
use crate::types::{self, Element as Number, Type, TypeKind};
use std::rc::Rc;

/// The members of an `hsoa`.
const BLOCKS: usize = 0;
const LENGTH: usize = 1;

/// As many numbers an element may have that is read or written as a whole.
const MAX_NUMBERS: u64 = 256;

/// A type `hsoa<T, N>`.
#[derive(Clone)]
pub(super) struct Hsoa {
    /// T
    element: Declared,
    /// N
    length: u8,
    /// ⟨T | N⟩
    block: Type,
}

/// `h[i]`, or a member of it that is a record or an array.
#[derive(Clone)]
pub(super) struct Element {
    /// The pointer to the first block, a scalar.
    blocks: Expr,
    hsoa: Hsoa,
    /// From the block to what is meant in it.
    steps: Vec<Step>,
    /// Which element: an integer, scalar or one per lane.
    index: Expr,
    /// Which there are.
    window: Window,
    /// ⟨τ | 1⟩: what is meant of one element.
    pub object: Type,
    /// Its text.
    pub span: Span,
}

/// A step into an object.
#[derive(Clone)]
enum Step {
    Member(usize),
    /// With what the array has, where that is not certain.
    At(Expr, Option<Box<Window>>),
}

/// An expression that is used several times and evaluated the first time.
struct Once {
    first: Option<Expr>,
    again: Expr,
}

impl Once {
    fn next(&mut self) -> Expr {
        self.first.take().unwrap_or_else(|| self.again.clone())
    }
}

/// What the numbers of an element are made of.
struct Parts {
    blocks: Once,
    index: Once,
    indices: Vec<Once>,
}

/// The variable of a `foreach` over elements.
#[derive(Clone, Copy)]
pub(super) struct Visited<'a> {
    pub ty: &'a ast::Type,
    pub name: &'a Name,
    pub value: &'a ast::Expr,
}

impl<'a> Checker<'a> {
    /// The arguments of a type `hsoa<T, N>`.
    pub fn hsoa(&mut self, ty: Type) -> Option<Hsoa> {
        if !self.is_hsoa(ty) {
            return None;
        }
        let TypeKind::Record { record, .. } = *self.program.types.kind(ty) else { return None };
        let instance = self.items.records[record.0 as usize].generic.as_ref()?;
        let [Argument::Type(element), Argument::Value(n, _)] = &instance.arguments[..] else { return None };
        let (element, length) = (element.clone(), u8::try_from(*n).ok()?);
        let block = self.program.types.pointee(self.program.types.members(ty)[BLOCKS].ty)?;
        Some(Hsoa { element, length, block })
    }

    /// Is it an instance of the library's `hsoa`?
    pub fn is_hsoa(&self, ty: Type) -> bool {
        self.program.types.is_hsoa(ty)
    }

    /// Does a value of this type show elements that are elsewhere, and which its `const` protects: a view, an `hsoa`?
    pub fn is_view(&self, ty: Type) -> bool {
        self.view_shape(ty).is_some() || self.is_hsoa(ty)
    }

    /// A new variable for what is evaluated once in an expression.
    fn temporary(&mut self, ty: Type, span: Span) -> LocalId {
        let local = self.fresh_local("once", ty, span);
        self.body.temporaries.push(local);
        local
    }

    fn once(&mut self, e: Expr) -> Once {
        if is_plain(&e) { Once { first: None, again: e } } else { self.kept(e) }
    }

    fn kept(&mut self, e: Expr) -> Once {
        let (ty, span) = (e.ty, e.span);
        let local = self.temporary(ty, span);
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span };
        let first = Expr { kind: ExprKind::Assign { place, value: Box::new(e) }, ty, span };
        Once { first: Some(first), again: self.load_local(local, span) }
    }

    /// A member of an `hsoa` that is evaluated.
    fn hsoa_member(&mut self, h: &Expr, member: usize) -> Expr {
        let (ty, span) = (self.program.types.members(h.ty)[member].ty, h.span);
        let kind = match &h.kind {
            ExprKind::Load(place) => {
                let kind = PlaceKind::Member(Box::new(place.clone()), member);
                ExprKind::Load(Place { kind, object: ty, addresses: 1, ty, span })
            }
            _ => ExprKind::Member(Box::new(h.clone()), member),
        };
        Expr { kind, ty, span }
    }

    /// `h[i]`, `h[ii]`
    pub fn hsoa_index(&mut self, base: Operand, index: Operand, hsoa: Hsoa, span: Span) -> Operand {
        let name = self.name_of(&base);
        let h = self.value(base, None);
        let index_type = self.operand_type(&index);
        let at = index.span();
        let is_block = self.is_block_index(index_type);
        let mut index = self.value(index, None);
        if self.is_error(h.ty) || self.is_error(index.ty) {
            return Operand::Error(span);
        }
        if is_block {
            index = self.hsoa_member(&index, 0);
        } else if !self.program.types.element(index.ty).is_some_and(Number::is_integer) {
            self.error(&codes::TYPE_MISMATCH, at, format!("an index of type `{}`", self.display(index.ty)));
            return Operand::Error(span);
        }
        if matches!(&h.kind, ExprKind::Load(place) if place.addresses > 1) {
            let message = "which `hsoa` this is differs from lane to lane";
            let error = Diagnostic::error(&codes::LENGTH_MISMATCH, span, message);
            self.diagnostics.push(error.with_help("visit each active lane with `foreach_active (int k)`"));
            return Operand::Error(span);
        }
        let mut h = self.once(h);
        let h_first = h.next();
        let blocks = self.hsoa_member(&h_first, BLOCKS);
        let h_again = h.next();
        let mut extent = self.hsoa_member(&h_again, LENGTH);
        if is_block {
            // ⌈length / N⌉ in whole blocks.
            let (less, shift) = (i64::from(hsoa.length) - 1, hsoa.length.trailing_zeros());
            extent = self.number_op(BinaryOp::Add, extent, less);
            extent = self.number_op(BinaryOp::ShiftRight, extent, i64::from(shift));
        }
        let window = Window { name, dimension: None, min: self.int_constant(0, Number::Int32, span), extent };
        if is_block {
            let index = within(index, &window);
            let (ty, length) = (self.program.types.members(h_first.ty)[BLOCKS].ty, self.length(index.ty));
            let ty = if length == 1 { ty } else { self.program.types.pointer(hsoa.block, length) };
            let pointer = Expr { kind: ExprKind::PointerOffset(Box::new(blocks), Box::new(index)), ty, span };
            return self.dereference(Operand::Value(pointer), span);
        }
        let object = self.vec(&hsoa.element.clone(), 1, 1, span);
        self.element_operand(Element { blocks, hsoa, steps: Vec::new(), index, window, object, span })
    }

    fn is_block_index(&self, ty: Type) -> bool {
        let TypeKind::Record { record, .. } = *self.program.types.kind(ty) else { return false };
        let Some(item) = self.items.records.get(record.0 as usize) else { return false };
        item.generic.is_none() && &*item.name == "block_index" && item.home == Home::Library
    }

    /// What messages call it.
    fn name_of(&self, base: &Operand) -> String {
        match base {
            Operand::Place(Place { kind: PlaceKind::Local(local), .. }) => self.body.locals[local.0 as usize].name.clone(),
            Operand::Place(Place { kind: PlaceKind::Global(global), .. }) => self.program.globals[global.0 as usize].name.clone(),
            _ => "hsoa".to_owned(),
        }
    }

    /// e ∘ n
    fn number_op(&mut self, op: BinaryOp, e: Expr, n: i64) -> Expr {
        let (ty, span) = (e.ty, e.span);
        let element = self.program.types.element(ty).expect("a number");
        let n = self.int_constant(n, element, span);
        let length = self.length(ty);
        let n = self.at_length(n, length);
        Expr { kind: ExprKind::Binary(op, Box::new(e), Box::new(n)), ty, span }
    }

    /// What is meant, if it is a number or pointer, is a place like others.
    fn element_operand(&mut self, element: Element) -> Operand {
        if self.is_error(element.object) {
            return Operand::Error(element.span);
        }
        match self.program.types.kind(element.object) {
            TypeKind::Record { .. } | TypeKind::Array { .. } => Operand::Element(Box::new(element)),
            TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } => {
                let mut parts = self.parts_of(&element, 1);
                match self.number_at(&element, &element.steps.clone(), element.object, &mut parts) {
                    Some(place) => Operand::Place(place),
                    None => Operand::Error(element.span),
                }
            }
        }
    }

    /// What the numbers of an element share, where so many of them are accessed.
    fn parts_of(&mut self, element: &Element, numbers: u64) -> Parts {
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

    /// The place of a number: `steps` into the block, ⟨α | 1⟩ of one element.
    fn number_at(&mut self, element: &Element, steps: &[Step], object: Type, parts: &mut Parts) -> Option<Place> {
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
    fn wide(&mut self, index: Expr) -> Expr {
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

    /// `h[i].name`
    pub fn element_member(&mut self, element: Element, name: &Name, span: Span) -> Operand {
        let Some(index) = self.member_index(element.object, name, element.span) else { return Operand::Error(span) };
        let object = self.program.types.members(element.object)[index].ty;
        let mut steps = element.steps;
        steps.push(Step::Member(index));
        self.element_operand(Element { steps, object, span, ..element })
    }

    /// `h[i].a[k]`
    pub fn element_at_index(&mut self, of: Element, index: Operand, span: Span) -> Operand {
        let TypeKind::Array { element, count } = *self.program.types.kind(of.object) else {
            self.error(&codes::NOT_INDEXABLE, of.span, format!("`{}` is not indexed", self.display(of.object)));
            return Operand::Error(span);
        };
        let at = index.span();
        let index = self.value(index, None);
        if self.is_error(index.ty) {
            return Operand::Error(span);
        }
        if !self.program.types.element(index.ty).is_some_and(Number::is_integer) {
            self.error(&codes::TYPE_MISMATCH, at, format!("an index of type `{}`", self.display(index.ty)));
            return Operand::Error(span);
        }
        let extent = self.int_constant(count as i64, Number::Int32, at);
        let min = self.int_constant(0, Number::Int32, at);
        let window = Window { name: self.name_of_step(&of), dimension: None, min, extent };
        let mut steps = of.steps;
        steps.push(Step::At(index, Some(Box::new(window))));
        self.element_operand(Element { steps, object: element, span, ..of })
    }

    fn name_of_step(&self, element: &Element) -> String {
        let mut object = element.hsoa.block;
        let mut name = "the array".to_owned();
        for step in &element.steps {
            match (step, self.program.types.kind(object)) {
                (Step::Member(index), _) => {
                    let member = &self.program.types.members(object)[*index];
                    (name, object) = (member.name.to_string(), member.ty);
                }
                (Step::At(..), &TypeKind::Array { element, .. }) => object = element,
                (Step::At(..), _) => {}
            }
        }
        name
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

    /// An element as what has an address, which it has not.
    pub fn element_without_address(&mut self, element: &Element, what: &str) {
        let message = format!("{what}, and an element of an `hsoa` has no address: its members lie in blocks");
        let error = Diagnostic::error(&codes::NOT_A_PLACE, element.span, message);
        self.diagnostics
            .push(error.with_help("copy it and write it back, take a member, or visit all with `foreach (T &v : h)`"));
    }

    // ---- Memory -----------------------------------------------------------------------------------------------------

    /// `new hsoa<T>(n)`
    pub fn new_elements(&mut self, ty: &'a ast::Type, count: &'a ast::Expr, span: Span) -> Operand {
        let declared = self.resolve(ty);
        let of = self.vec(&declared, 1, 1, ty.span);
        let int = self.scalar(Number::Int32);
        let operand = self.expression(count, Some(int));
        if self.is_error(of) || operand.is_error() {
            return Operand::Error(span);
        }
        let Some(hsoa) = self.hsoa(of) else {
            self.not_counted(of, ty.span);
            return Operand::Error(span);
        };
        let count = self.coerce(operand, int, count.span);
        if self.is_error(count.ty) {
            return Operand::Error(span);
        }
        let mut count = self.once(count);
        let first = count.next();
        let blocks = self.blocks_for(first, &mut count, &hsoa, span);
        let ty = self.program.types.members(of)[BLOCKS].ty;
        let blocks = Expr { kind: ExprKind::New(Memory::Heap, vec![blocks]), ty, span };
        Operand::Value(Expr { kind: ExprKind::Aggregate(vec![blocks, count.next()]), ty: of, span })
    }

    fn not_counted(&mut self, ty: Type, span: Span) {
        let message = format!("`{}` has no number of elements", self.display(ty));
        let error = Diagnostic::error(&codes::TYPE_MISMATCH, span, message);
        self.diagnostics
            .push(error.with_help("`new T[n]` is an array, `T x = …;` a variable; `(n)` is the length of an `hsoa<T>`"));
    }

    /// How many blocks n elements are, 64 bits; negative where n is.
    fn blocks_for(&mut self, n: Expr, again: &mut Once, hsoa: &Hsoa, span: Span) -> Expr {
        let (int64, bool) = (self.scalar(Number::Int64), self.scalar(Number::Bool));
        let wide = self.wide(n);
        let zero = self.int_constant(0, Number::Int64, span);
        let is_negative = Expr { kind: ExprKind::Compare(CompareOp::Less, Box::new(wide), Box::new(zero)), ty: bool, span };
        let (negative, some) = (again.next(), again.next());
        let (negative, some) = (self.wide(negative), self.wide(some));
        let blocks = self.number_op(BinaryOp::Add, some, i64::from(hsoa.length) - 1);
        let blocks = self.number_op(BinaryOp::ShiftRight, blocks, i64::from(hsoa.length.trailing_zeros()));
        let kind = ExprKind::Conditional(Box::new(is_negative), Box::new(negative), Box::new(blocks));
        Expr { kind, ty: int64, span }
    }

    /// `hsoa<T> h(n);`: it owns its elements.
    pub fn hsoa_declaration(&mut self, variable: &'a ast::Variable, count: &'a ast::Expr, out: &mut Vec<Statement>) {
        let span = variable.span;
        let declared = self.resolve(&variable.ty);
        let ty = self.vec(&declared, 1, 1, variable.ty.span);
        let int = self.scalar(Number::Int32);
        let operand = self.expression(count, Some(int));
        let count = self.coerce(operand, int, count.span);
        let hsoa = self.hsoa(ty);
        if hsoa.is_none() && !self.is_error(ty) {
            self.not_counted(ty, variable.ty.span);
        }
        if self.body.context > 1 {
            let message = format!("an `hsoa` that owns its elements is declared in a context of length {}", self.body.context);
            let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, variable.name.span, message);
            self.push_with_opener(error.with_help("declare it outside, or inside of a scalar block"));
        }
        let local = self.fresh_local(&variable.name.text, ty, variable.name.span);
        let id = super::infer::Variable::Local(self.node(variable.id));
        let info = &mut self.body.infos[local.0 as usize];
        *info = LocalInfo { variable: Some(id), is_initialized: true, is_const: declared.is_const, ..info.clone() };
        self.bind(&variable.name, Binding::Local(local));
        let (Some(hsoa), false) = (hsoa, self.is_error(count.ty) || self.body.context > 1) else {
            self.body.locals[local.0 as usize].ty = self.program.types.error();
            return;
        };
        // A negative length is none.
        let zero = self.int_constant(0, Number::Int32, span);
        let length = Expr { kind: ExprKind::Builtin(Builtin::Lane(LaneOp::Max), vec![count, zero]), ty: int, span };
        let length = self.declared("length", length, out);
        let mut again = Once { first: None, again: length.clone() };
        let blocks = self.blocks_for(length.clone(), &mut again, &hsoa, span);
        let pointer = self.program.types.members(ty)[BLOCKS].ty;
        let blocks = self.declared("blocks", Expr { kind: ExprKind::New(Memory::Scratch, vec![blocks]), ty: pointer, span }, out);
        let ExprKind::Load(Place { kind: PlaceKind::Local(owned), .. }) = blocks.kind else { unreachable!("a local") };
        self.body.owned.push((owned, Memory::Scratch));
        let initializer = Some(Expr { kind: ExprKind::Aggregate(vec![blocks, length]), ty, span });
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
    }

    /// A new variable with a value, and what is in it.
    fn declared(&mut self, name: &str, value: Expr, out: &mut Vec<Statement>) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let local = self.fresh_local(name, ty, span);
        out.push(Statement { kind: StatementKind::Declare { local, initializer: Some(value) }, span });
        self.load_local(local, span)
    }

    /// What `delete` gives back of an `hsoa`.
    pub fn hsoa_blocks(&mut self, h: &Expr) -> Expr {
        self.hsoa_member(h, BLOCKS)
    }

    // ---- foreach ----------------------------------------------------------------------------------------------------

    /// `foreach (T &v : h) body`: v is a whole block in each round, and in the last one those lanes are active that are elements.
    pub fn foreach_element(
        &mut self,
        node: &'a ast::Statement,
        parallel: Option<Span>,
        visited: Visited<'a>,
        body: &'a ast::Statement,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let span = node.span;
        let declared = self.resolve(visited.ty);
        let operand = self.expression(visited.value, None);
        let ty = self.operand_type(&operand);
        if operand.is_error() || self.is_error(ty) || declared.base == Base::Error {
            return None;
        }
        let Some(hsoa) = self.hsoa(ty) else {
            let message = format!("`{}` has no elements to visit", self.display(ty));
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, visited.value.span, message);
            self.diagnostics
                .push(error.with_help("`foreach (T &v : h)` visits an `hsoa<T>`; ranges are `foreach (int i = 0 .. n)`"));
            return None;
        };
        let (is_reference, own) = match &declared.base {
            Base::Reference(inner) => (true, (**inner).clone()),
            _ => (false, declared.clone()),
        };
        let is_its = own.base == hsoa.element.base && matches!(own.qualifier, Qualifier::Unbound | Qualifier::Block);
        let is_its = is_its || own.base == hsoa.element.base && own.qualifier == Qualifier::Of(hsoa.length);
        if !is_its {
            let element = self.text_of(&hsoa.element);
            let message = format!("the elements are `{element}`");
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, visited.ty.span, message);
            self.diagnostics.push(error.with_help(format!("write `{element} &{}`", visited.name.text)));
            return None;
        }
        let outer = self.body.context;
        if !self.may_open_blocks(span, parallel, hsoa.length) {
            return None;
        }
        let is_protected = match &operand {
            Operand::Place(place) => self.holds_const(place).is_some(),
            _ => false,
        };
        let h = self.value(operand, None);
        if self.is_error(h.ty) {
            return None;
        }
        let h = self.declared("elements", h, out);
        let [blocks, high] = [BLOCKS, LENGTH].map(|member| self.hsoa_member(&h, member));
        let low = self.int_constant(0, Number::Int32, span);
        let index_type = self.program.types.vector(Number::Int32, hsoa.length);
        let is_block = hsoa.length > 1;
        let parallel_loop = parallel.map(|span| Parallel { span, locals: self.body.locals.len() });
        let inner = if is_block { hsoa.length } else { outer };
        let (index, body) = self.scoped(|this| {
            let index = this.fresh_local("element", index_type, visited.name.span);
            this.body.infos[index.0 as usize].is_const = true;
            let in_foreach = this.body.in_foreach;
            this.body.in_foreach |= is_block;
            let narrowing = match is_block {
                true => Some(Narrowing { length: inner, is_callers: false, parting: Parting::Foreach(visited.name.span) }),
                false => this.target_narrowings(this.node(node.id)).0,
            };
            let opened = Opened { length: inner, is_callers: this.body.is_callers && !is_block, span };
            let body = this.inside(narrowing, |this| {
                this.body.targets.push(this.target(this.node(node.id), outer, inner, Leaving::Fixed, parallel_loop));
                let body = this.in_opened(opened, |this| {
                    let first = this.visited_block(index, blocks, &hsoa, visited, (is_reference, own.is_const, is_protected));
                    let mut body = this.block(std::slice::from_ref(body));
                    body.statements.insert(0, first);
                    body
                });
                this.body.targets.pop();
                body
            });
            this.body.in_foreach = in_foreach;
            (ForeachIndex { local: index, low, high }, body)
        });
        let unrolling = Self::unrolling(node);
        Some(StatementKind::Foreach { parallel: parallel.is_some(), unrolling, indices: vec![index], body })
    }

    /// The declaration of the variable: the block that the index begins.
    fn visited_block(
        &mut self,
        index: LocalId,
        blocks: Expr,
        hsoa: &Hsoa,
        visited: Visited<'a>,
        (is_reference, is_const, is_protected): (bool, bool, bool),
    ) -> Statement {
        let span = visited.name.span;
        let at = self.load_local(index, span);
        let first = match hsoa.length {
            1 => at,
            length => {
                let zero = self.int_constant(0, Number::Int32, span);
                let kind = ExprKind::Builtin(Builtin::Get, vec![at, zero]);
                let first = Expr { kind, ty: self.scalar(Number::Int32), span };
                self.number_op(BinaryOp::ShiftRight, first, i64::from(length.trailing_zeros()))
            }
        };
        let ty = blocks.ty;
        let pointer = Expr { kind: ExprKind::PointerOffset(Box::new(blocks), Box::new(first)), ty, span };
        let place = Place {
            kind: PlaceKind::Dereference(Box::new(pointer.clone())),
            object: hsoa.block,
            addresses: 1,
            ty: hsoa.block,
            span,
        };
        let (local, value) = if is_reference {
            let names = Some(Rc::new(self.meant_by(&place)));
            let local = self.fresh_local(&visited.name.text, ty, span);
            let info = &mut self.body.infos[local.0 as usize];
            *info = LocalInfo { pointee_const: is_const || is_protected, is_reference: true, names, ..info.clone() };
            self.bind(visited.name, Binding::Reference(local));
            (local, pointer)
        } else {
            let local = self.fresh_local(&visited.name.text, hsoa.block, span);
            self.body.infos[local.0 as usize].is_const = is_const;
            self.bind(visited.name, Binding::Local(local));
            (local, Expr { kind: ExprKind::Load(place), ty: hsoa.block, span })
        };
        Statement { kind: StatementKind::Declare { local, initializer: Some(value) }, span }
    }
}

/// How many numbers and pointers an object has.
fn numbers(types: &types::Types, ty: Type) -> u64 {
    match types.kind(ty) {
        TypeKind::Record { .. } => types.members(ty).iter().map(|m| numbers(types, m.ty)).fold(0, u64::saturating_add),
        TypeKind::Array { element, count } => numbers(types, *element).saturating_mul(*count),
        TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } => 1,
    }
}

/// An index of which `--check` and the interpreter see that it is there.
fn within(index: Expr, window: &Window) -> Expr {
    let (ty, span) = (index.ty, index.span);
    Expr { kind: ExprKind::Within(Box::new(index), Box::new(window.clone())), ty, span }
}

/// May it be evaluated again, with the same result while nothing else is evaluated, for little?
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Load(place) => is_plain_place(place),
        ExprKind::Member(of, _) | ExprKind::Convert(of) => is_plain(of),
        _ => false,
    }
}

fn is_plain_place(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Member(of, _) => is_plain_place(of),
        PlaceKind::Dereference(pointer) => is_plain(pointer),
        PlaceKind::Element(..) | PlaceKind::Temporary(_) => false,
    }
}
