//! Places: T-VAR, T-LPROJ, T-RPROJ, T-DEREF, T-ADDR, T-INDEX and the four kinds of pointers of section 4.3.

use super::items::Binding;
use super::operand::{Operand, Untyped};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Memory;
use crate::typed::ir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{Element, Type, TypeKind};

impl<'a> Checker<'a> {
    /// The type of an access to an object of type `object` through `addresses` addresses (figure 10). Many addresses
    /// gather scalars, and of vectors take component i in lane i.
    pub fn accessed(&mut self, object: Type, addresses: u8, span: Span) -> Option<Type> {
        if addresses == 1 {
            return Some(object);
        }
        let own = self.length(object);
        if own != 1 && own != addresses {
            let message = format!(
                "{addresses} pointers to `{}`: lane i reads component i, so the lengths must agree",
                self.display(object)
            );
            self.error(&codes::LENGTH_MISMATCH, span, message);
            return None;
        }
        Some(match *self.program.types.kind(object) {
            TypeKind::Vector { element, .. } => self.program.types.vector(element, addresses),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, addresses),
            TypeKind::Record { record, context, .. } => self.record(record, addresses, context),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } => object,
        })
    }

    fn place_of(&mut self, kind: PlaceKind, object: Type, addresses: u8, span: Span) -> Operand {
        match self.accessed(object, addresses, span) {
            Some(ty) => Operand::Place(Place { kind, object, addresses, ty, span }),
            None => Operand::Error(span),
        }
    }

    /// T-VAR
    pub fn variable(&mut self, name: &ast::Name) -> Operand {
        let span = name.span;
        match self.lookup(name) {
            None => Operand::Error(span),
            Some(Binding::Local(local)) => {
                let ty = self.body.locals[local.0 as usize].ty;
                if self.is_error(ty) {
                    return Operand::Error(span);
                }
                self.place_of(PlaceKind::Local(local), ty, 1, span)
            }
            Some(Binding::Reference(local)) => {
                let ty = self.body.locals[local.0 as usize].ty;
                let Some(object) = self.program.types.pointee(ty) else { return Operand::Error(span) };
                let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span };
                let pointer = Expr { kind: ExprKind::Load(place), ty, span };
                let addresses = self.length(ty);
                self.place_of(PlaceKind::Dereference(Box::new(pointer)), object, addresses, span)
            }
            Some(Binding::Global(global)) => {
                let ty = self.program.globals[global.0 as usize].ty;
                if self.is_error(ty) {
                    return Operand::Error(span);
                }
                self.place_of(PlaceKind::Global(global), ty, 1, span)
            }
            Some(Binding::Constant(constant, ty)) => Operand::Value(Expr { kind: ExprKind::Constant(constant), ty, span }),
        }
    }

    /// T-DEREF
    pub fn dereference(&mut self, pointer: Operand, span: Span) -> Operand {
        let pointer = self.value(pointer, None);
        if self.is_error(pointer.ty) {
            return Operand::Error(span);
        }
        match *self.program.types.kind(pointer.ty) {
            TypeKind::Pointer { pointee, length } if !matches!(self.program.types.kind(pointee), TypeKind::Void) => {
                self.place_of(PlaceKind::Dereference(Box::new(pointer)), pointee, length, span)
            }
            _ => {
                let message = format!("`{}` points to nothing", self.display(pointer.ty));
                self.error(&codes::TYPE_MISMATCH, pointer.span, message);
                Operand::Error(span)
            }
        }
    }

    /// T-ADDR
    pub fn address_of(&mut self, e: &'a ast::Expr, span: Span) -> Operand {
        match self.expression(e, None) {
            Operand::Place(place) => Operand::Value(self.address_in_source(place, span)),
            Operand::Error(_) => Operand::Error(span),
            Operand::Element(element) => {
                self.element_without_address(&element, "`&` is an address");
                Operand::Error(span)
            }
            Operand::Untyped(..) | Operand::Value(_) => {
                self.error(&codes::NOT_A_PLACE, e.span, "this value has no address");
                Operand::Error(span)
            }
        }
    }

    /// `&a[i]` is a + i, and `&p[i]` is p + i, so that the end of an array has an address. What a reference leads to is there.
    fn address_in_source(&mut self, place: Place, span: Span) -> Expr {
        match place.kind {
            PlaceKind::Dereference(pointer) if matches!(pointer.kind, ExprKind::PointerOffset(..)) => Expr { span, ..*pointer },
            PlaceKind::Element(array, index) if !matches!(index.kind, ExprKind::Constant(Constant::Int(0))) => {
                let zero = Box::new(self.int_constant(0, Element::Int32, index.span));
                let kind = PlaceKind::Element(array, zero);
                let first = Place { kind, object: place.object, addresses: place.addresses, ty: place.ty, span: place.span };
                let first = self.address(first, span);
                let ty = first.ty;
                Expr { kind: ExprKind::PointerOffset(Box::new(first), index), ty, span }
            }
            _ => self.address(place, span),
        }
    }

    pub fn address(&mut self, place: Place, span: Span) -> Expr {
        let ty = self.program.types.pointer(place.object, place.addresses);
        Expr { kind: ExprKind::AddressOf(place), ty, span }
    }

    /// T-INDEX
    pub fn index(&mut self, base: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> Operand {
        let base_operand = self.expression(base, None);
        let index_operand = self.expression(index, None);
        if base_operand.is_error() || index_operand.is_error() {
            return Operand::Error(span);
        }
        let base_operand = match base_operand {
            Operand::Element(element) => return self.element_at_index(*element, index_operand, span),
            other => other,
        };
        let ty = self.operand_type(&base_operand);
        if let Some(hsoa) = self.hsoa(ty) {
            return self.hsoa_index(base_operand, index_operand, hsoa, span);
        }
        if self.program.types.pointee(ty).is_none() {
            let message = format!("`{}` is not indexed", self.display(ty));
            let error = Diagnostic::error(&codes::NOT_INDEXABLE, base.span, message);
            let is_vector = self.length(ty) > 1;
            let between = Span { start: base.span.end, end: index.span.start, ..span };
            let end = Span { start: index.span.end, ..span };
            let edits = vec![Edit::before(span, "get("), Edit::replace(between, ", "), Edit::replace(end, ")")];
            let help = "the lanes of a vector: `get(v, i)`, `set(v, x, i)`, `shuffle(v, indices)`";
            self.diagnostics.push(if is_vector { error.with_fix(help, edits) } else { error });
            return Operand::Error(span);
        }
        self.element_at(base_operand, index_operand, span)
    }

    /// An operand as an index, an integer; reports what is none.
    pub fn index_value(&mut self, index: Operand, want: Option<Type>) -> Option<Expr> {
        let at = index.span();
        let value = self.value(index, want);
        if self.is_error(value.ty) {
            return None;
        }
        if !self.program.types.element(value.ty).is_some_and(Element::is_integer) {
            self.error(&codes::TYPE_MISMATCH, at, format!("an index of type `{}`", self.display(value.ty)));
            return None;
        }
        Some(value)
    }

    /// `base[index]`, of a pointer or an array.
    pub fn element_at(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        if let Operand::Place(place) = &base
            && let TypeKind::Array { element, .. } = *self.program.types.kind(place.ty)
        {
            let Some(index_value) = self.index_value(index.clone(), None) else { return Operand::Error(span) };
            let (length, addresses) = (self.length(index_value.ty), place.addresses);
            if length == 1 || length == addresses {
                let kind = PlaceKind::Element(Box::new(place.clone()), Box::new(index_value));
                return self.place_of(kind, element, addresses, span);
            }
        }
        match self.pointer_offset(base, index, false, span) {
            Operand::Value(pointer) => self.dereference(Operand::Value(pointer), span),
            Operand::Untyped(..) | Operand::Place(_) | Operand::Element(_) | Operand::Error(_) => Operand::Error(span),
        }
    }

    /// T-LPROJ, T-RPROJ: `e.name`
    pub fn member(&mut self, of: Operand, name: &ast::Name, span: Span) -> Operand {
        let ty = match of {
            Operand::Error(_) => return Operand::Error(span),
            Operand::Element(element) => return self.element_member(*element, name, span),
            Operand::Place(ref place) => place.object,
            Operand::Value(_) | Operand::Untyped(..) => self.operand_type(&of),
        };
        let Some(index) = self.member_index(ty, name, of.span()) else { return Operand::Error(span) };
        let object = self.program.types.members(ty)[index].ty;
        if self.is_error(object) {
            return Operand::Error(span);
        }
        match of {
            Operand::Place(place) => {
                let addresses = place.addresses;
                self.place_of(PlaceKind::Member(Box::new(place), index), object, addresses, span)
            }
            Operand::Value(e) if matches!(self.program.types.kind(object), TypeKind::Array { .. }) => {
                let ty = e.ty;
                let place = Place { kind: PlaceKind::Temporary(Box::new(e)), object: ty, addresses: 1, ty, span };
                self.place_of(PlaceKind::Member(Box::new(place), index), object, 1, span)
            }
            Operand::Value(e) => Operand::Value(Expr { kind: ExprKind::Member(Box::new(e), index), ty: object, span }),
            Operand::Untyped(..) | Operand::Element(_) | Operand::Error(_) => Operand::Error(span),
        }
    }

    /// Which member of a record has the name; reports that there is none.
    pub fn member_index(&mut self, ty: Type, name: &ast::Name, of: Span) -> Option<usize> {
        let TypeKind::Record { record, .. } = *self.program.types.kind(ty) else {
            let message = format!("`{}` has no members", self.display(ty));
            let error = Diagnostic::error(&codes::NO_MEMBER, name.span, message);
            let points = self.program.types.pointee(ty).is_some();
            let point = Span { start: of.end, end: name.span.start, ..name.span };
            self.diagnostics.push(if points {
                error.with_fix(format!("it is a pointer: write `->{}`", name.text), vec![Edit::replace(point, "->")])
            } else {
                error
            });
            return None;
        };
        let members = self.program.types.members(ty);
        let index = members.iter().position(|m| *m.name == *name.text);
        if index.is_none() {
            let message = format!("`{}` has no member `{}`", self.program.types.record_name(record), name.text);
            let close = super::names::closest(&name.text, members.iter().map(|m| m.name.as_str()));
            let error = Diagnostic::error(&codes::NO_MEMBER, name.span, message);
            self.diagnostics.push(error.with_guess(name.span, close));
        }
        index
    }

    /// What an assignment may write to; reports why not.
    pub fn writable(&mut self, e: &'a ast::Expr) -> Option<Place> {
        let operand = self.written(e);
        self.writable_operand(operand, e)
    }

    /// The operand that something is written to.
    pub fn written(&mut self, e: &'a ast::Expr) -> Operand {
        let mark = self.diagnostics.len();
        let operand = self.expression(e, None);
        if operand.is_error() {
            // What reads a lane changes none.
            for error in self.diagnostics.after_mut(mark).iter_mut().filter(|d| d.code == &codes::NOT_INDEXABLE) {
                error.fixes.clear();
            }
        }
        operand
    }

    /// The place that something may be written to; reports why not.
    pub fn writable_operand(&mut self, operand: Operand, e: &'a ast::Expr) -> Option<Place> {
        match operand {
            Operand::Error(_) => None,
            Operand::Element(element) => {
                let message = format!("`{}` has no arithmetic", self.display(element.object));
                self.error(&codes::TYPE_MISMATCH, e.span, message);
                None
            }
            Operand::Untyped(..) | Operand::Value(_) => {
                self.error(&codes::NOT_A_PLACE, e.span, "this cannot be assigned to");
                None
            }
            Operand::Place(place) => {
                if matches!(self.program.types.kind(place.ty), TypeKind::Array { .. }) {
                    self.error(&codes::NOT_A_PLACE, e.span, "an array is assigned element by element");
                    return None;
                }
                if let Some(what) = self.read_only(&place) {
                    self.error(&codes::READ_ONLY, e.span, format!("{what} is `const`"));
                    return None;
                }
                if !self.access(place.ty, place.span) {
                    return None;
                }
                Some(place)
            }
        }
    }

    /// `new T[n]`
    pub fn new_memory(&mut self, ty: &'a ast::Type, count: &'a ast::Expr, span: Span) -> Operand {
        let declared = self.resolve(ty);
        let object = self.vec(&declared, 1, self.body.context, ty.span);
        let count = self.expression(count, None);
        if self.is_error(object) || count.is_error() {
            return Operand::Error(span);
        }
        let at = count.span();
        let value = self.value(count, None);
        let length = self.length(value.ty);
        let int64 = self.program.types.vector(Element::Int64, length);
        let count = self.coerce(Operand::Value(value), int64, at);
        let ty = self.program.types.pointer(object, length);
        Operand::Value(Expr { kind: ExprKind::New(Memory::Heap, vec![count]), ty, span })
    }

    /// A scalar `int` operand of a built-in: a lane, a distance.
    pub fn scalar_int(&mut self, operand: Operand) -> Expr {
        let (int, span) = (self.scalar(Element::Int32), operand.span());
        if let Operand::Untyped(Untyped::Int(n), at) = operand {
            return self.constant(&Untyped::Int(n), Element::Int32, at);
        }
        self.coerce(operand, int, span)
    }

    pub fn int_constant(&mut self, n: i64, element: Element, span: Span) -> Expr {
        let bits = super::constants::truncated(i128::from(n), element);
        let constant = if element.is_float() { Constant::Float(n as f64) } else { Constant::Int(bits) };
        Expr { kind: ExprKind::Constant(constant), ty: self.scalar(element), span }
    }
}
