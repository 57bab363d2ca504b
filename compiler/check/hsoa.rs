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

use super::declared::Argument;
use super::elements::{BLOCKS, Element, Hsoa, LENGTH, Step, within};
use super::items::Home;
use super::operand::Operand;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::typed::ir::{BinaryOp, Expr, ExprKind, Place, PlaceKind, Window};
use crate::types::{Element as Number, Type, TypeKind};

impl<'a> Checker<'a> {
    /// The arguments of a type `hsoa<T, N>`.
    pub fn hsoa(&self, ty: Type) -> Option<Hsoa> {
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

    /// A member of an `hsoa` that is evaluated.
    pub fn hsoa_member(&mut self, h: &Expr, member: usize) -> Expr {
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
        let is_block = self.is_block_index(index_type);
        let index = if is_block {
            let index = self.value(index, None);
            Some(self.hsoa_member(&index, 0))
        } else {
            self.index_value(index, None)
        };
        let Some(index) = index.filter(|_| !self.is_error(h.ty)) else { return Operand::Error(span) };
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
            extent = self.whole_blocks(extent, &hsoa);
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

    /// Is it the library's `block_index`?
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
    pub fn number_op(&mut self, op: BinaryOp, e: Expr, n: i64) -> Expr {
        let (ty, span) = (e.ty, e.span);
        let element = self.program.types.element(ty).expect("a number");
        let n = self.int_constant(n, element, span);
        let length = self.length(ty);
        let n = self.at_length(n, length);
        Expr { kind: ExprKind::Binary(op, Box::new(e), Box::new(n)), ty, span }
    }

    /// What is meant, if it is a number or pointer, is a place like others.
    pub fn element_operand(&mut self, element: Element) -> Operand {
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
        let Some(index) = self.index_value(index, None) else { return Operand::Error(span) };
        let extent = self.int_constant(count as i64, Number::Int32, at);
        let min = self.int_constant(0, Number::Int32, at);
        let window = Window { name: self.name_of_step(&of), dimension: None, min, extent };
        let mut steps = of.steps;
        steps.push(Step::At(index, Some(Box::new(window))));
        self.element_operand(Element { steps, object: element, span, ..of })
    }

    /// What messages call the array that is indexed.
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

    /// An element as what has an address, which it has not.
    pub fn element_without_address(&mut self, element: &Element, what: &str) {
        let message = format!("{what}, and an element of an `hsoa` has no address: its members lie in blocks");
        let error = Diagnostic::error(&codes::NOT_A_PLACE, element.span, message);
        self.diagnostics
            .push(error.with_help("copy it and write it back, take a member, or visit all with `foreach (T &v : h)`"));
    }
}
