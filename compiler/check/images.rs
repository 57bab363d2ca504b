//! Views and images: `T v[,]`, `T a[w, h];`, `a(x, y)`, `a.extent(0)`.
//!
//! ```text
//! float a[x0 : w, h];        __view2_float a = { data, {x0, 0}, {w, h}, {1, w} };      data: w · h new elements, which the end
//! a(x, y)                    x and y are within the windows of a;  (a.data + (y − a.min[1]) · a.stride[1] − a.min[0])[x]     of the scope gives back
//! ```
//! A view is a record that the compiler declares; its pixels are elements behind a pointer. An image owns
//! them: whatever way its scope is left, they are given back. So it is declared in context 1, where jumps are of all lanes.

use super::declared::{Base, Declared, Qualifier};
use super::items::Binding;
use super::operand::Operand;
use super::schedules::Dense;
use super::state::{Checker, LocalInfo};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::Memory;
use crate::typed::ir::{
    BinaryOp, Builtin, Constant, Expr, ExprKind, LaneOp, LocalId, Place, PlaceKind, Statement, StatementKind, Window,
};
use crate::types::{Element, Type, TypeKind};

/// The members of a view.
const DATA: usize = 0;
const MIN: usize = 1;
const EXTENT: usize = 2;
const STRIDE: usize = 3;

impl<'a> Checker<'a> {
    /// The record of views on elements.
    pub fn view(&mut self, element: &'a ast::Type, rank: usize, span: Span) -> Declared {
        let declared = self.resolve(element);
        let Base::Element(element) = declared.base else {
            if declared.base != Base::Error {
                self.error(&codes::TYPE_MISMATCH, span, "the pixels of views and images are scalar numbers");
            }
            return Declared::new(Base::Error, Qualifier::Unbound);
        };
        if !matches!(declared.qualifier, Qualifier::Unbound | Qualifier::Of(1)) {
            self.error(&codes::TYPE_MISMATCH, span, "the pixels of views and images are scalars");
            return Declared::new(Base::Error, Qualifier::Unbound);
        }
        Declared::new(Base::Record(self.view_record(element, rank)), Qualifier::Of(1))
    }

    /// `T v[];` in a function: a view of one dimension, where pipelines have such ones.
    pub fn line_view(&mut self, variable: &ast::Variable) -> Option<Declared> {
        let (ast::TypeKind::Element(element), [None], None) =
            (&variable.ty.kind, &variable.dimensions[..], &variable.initializer)
        else {
            return None;
        };
        let is_scalar = matches!(variable.ty.qualifier, ast::Qualifier::Unbound | ast::Qualifier::Scalar(_));
        if !is_scalar || !self.items.has_line_views && !self.items.line_views.contains(element) {
            return None;
        }
        Some(Declared::new(Base::Record(self.view_record(*element, 1)), Qualifier::Of(1)))
    }

    /// The element and the rank of a view.
    pub fn view_shape(&self, ty: Type) -> Option<(Element, usize)> {
        self.program.types.view(ty)
    }

    /// `T a[w, h];`
    pub fn image_declaration(
        &mut self,
        variable: &'a ast::Variable,
        dimensions: &'a [(Option<ast::Expr>, ast::Expr)],
        out: &mut Vec<Statement>,
    ) {
        let span = variable.span;
        if let Some(e) = &variable.initializer {
            self.error(&codes::UNSUPPORTED, e.span, "an image has no initializer: set its pixels");
        }
        if self.body.context > 1 {
            let message = format!("an image is declared in a context of length {}", self.body.context);
            let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, variable.name.span, message);
            self.push_with_opener(error.with_help("declare it outside, or inside of a scalar block"));
        }
        let declared = self.resolve(&variable.ty);
        let ty = self.vec(&declared, 1, 1, variable.ty.span);
        let int = self.scalar(Element::Int32);
        let mut windows = Vec::new();
        for (min, extent) in dimensions {
            let mut checked = |e: &'a ast::Expr| {
                let operand = self.expression(e, Some(int));
                self.coerce(operand, int, e.span)
            };
            let min = min.as_ref().map(&mut checked);
            windows.push((min, checked(extent)));
        }
        let is_wrong = |this: &Self, e: &Expr| this.is_error(e.ty);
        let failed = self.is_error(ty)
            || windows.iter().any(|(min, extent)| min.as_ref().is_some_and(|e| is_wrong(self, e)) || is_wrong(self, extent));
        let local = self.fresh_local(&variable.name.text, ty, variable.name.span);
        self.body.infos[local.0 as usize] = LocalInfo { is_image: true, ..self.body.infos[local.0 as usize].clone() };
        self.bind(&variable.name, Binding::Local(local));
        if failed || self.body.context > 1 {
            self.body.locals[local.0 as usize].ty = self.program.types.error();
            return;
        }
        // Each bound is evaluated once; a negative extent is none.
        let zero = self.int_constant(0, Element::Int32, span);
        let (mut mins, mut extents) = (Vec::new(), Vec::new());
        for (min, extent) in windows {
            mins.push(min.map_or_else(|| zero.clone(), |min| self.declared("min", min, out)));
            let kind = ExprKind::Builtin(Builtin::Lane(LaneOp::Max), vec![extent, zero.clone()]);
            extents.push(self.declared("extent", Expr { kind, ty: int, span }, out));
        }
        let int64 = self.scalar(Element::Int64);
        let mut strides = Vec::new();
        let mut stride = self.int_constant(1, Element::Int64, span);
        let mut counts = Vec::new();
        for extent in &extents {
            strides.push(stride.clone());
            let wide = self.converted(extent.clone(), int64);
            counts.push(wide.clone());
            let kind = ExprKind::Binary(BinaryOp::Multiply, Box::new(stride), Box::new(wide));
            stride = self.declared("stride", Expr { kind, ty: int64, span }, out);
        }
        let members: Vec<Type> = self.program.types.members(ty).iter().map(|m| m.ty).collect();
        let pixels = self.owned_memory("pixels", counts, members[DATA], out, span);
        let array = |list: Vec<Expr>, ty: Type| Expr { kind: ExprKind::Aggregate(list), ty, span };
        let parts = vec![pixels, array(mins, members[MIN]), array(extents, members[EXTENT]), array(strides, members[STRIDE])];
        let initializer = Some(Expr { kind: ExprKind::Aggregate(parts), ty, span });
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
    }

    /// A new variable with a value, and what is in it.
    pub fn declared(&mut self, name: &str, value: Expr, out: &mut Vec<Statement>) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let local = self.fresh_local(name, ty, span);
        out.push(Statement { kind: StatementKind::Declare { local, initializer: Some(value) }, span });
        self.load_local(local, span)
    }

    /// New memory that the scope gives back, behind a pointer of a type.
    pub fn owned_memory(&mut self, name: &str, counts: Vec<Expr>, ty: Type, out: &mut Vec<Statement>, span: Span) -> Expr {
        let local = self.fresh_local(name, ty, span);
        let initializer = Some(Expr { kind: ExprKind::New(Memory::Scratch, counts), ty, span });
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
        self.body.owned.push((local, Memory::Scratch));
        self.load_local(local, span)
    }

    /// The value of a local.
    pub fn load_local(&mut self, local: LocalId, span: Span) -> Expr {
        let ty = self.body.locals[local.0 as usize].ty;
        let place = Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span };
        Expr { kind: ExprKind::Load(place), ty, span }
    }

    /// Gives back what was declared since: the scope ends here, or is left by a jump.
    pub fn give_back(&mut self, since: usize, span: Span, out: &mut Vec<Statement>) {
        for at in (since..self.body.owned.len()).rev() {
            let (owned, memory) = self.body.owned[at];
            let pointer = self.load_local(owned, span);
            out.push(Statement { kind: StatementKind::Delete(memory, pointer), span });
        }
    }

    /// `a(x, y)`, if the name is that of a view.
    pub fn pixel(&mut self, name: &'a ast::Name, arguments: &'a [ast::Expr], span: Span) -> Option<Operand> {
        let local = self.body.scopes.iter().rev().find_map(|scope| scope.get(&name.text)).cloned();
        let (Binding::Local(local) | Binding::Reference(local)) = local? else { return None };
        let ty = self.body.locals[local.0 as usize].ty;
        if self.is_error(ty) {
            arguments.iter().for_each(|e| drop(self.expression(e, None)));
            return Some(Operand::Error(span));
        }
        let place = match self.variable(name) {
            Operand::Place(place) => place,
            Operand::Untyped(..) | Operand::Value(_) | Operand::Element(_) | Operand::Error(_) => return None,
        };
        let (element, rank) = self.view_shape(place.ty)?;
        let is_image = self.body.infos[local.0 as usize].is_image;
        Some(self.pixel_of(place, element, rank, is_image, name, arguments, span))
    }

    #[allow(clippy::too_many_arguments)]
    fn pixel_of(
        &mut self,
        view: Place,
        element: Element,
        rank: usize,
        is_image: bool,
        name: &ast::Name,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Operand {
        let int = self.scalar(Element::Int32);
        let mut indices = Vec::new();
        for e in arguments {
            let operand = self.expression(e, Some(int));
            let Some(index) = self.index_value(operand, Some(int)) else { return Operand::Error(span) };
            indices.push(index);
        }
        if indices.len() != rank {
            let dimensions = if rank == 1 { "1 dimension".to_owned() } else { format!("{rank} dimensions") };
            let given = if indices.len() == 1 { "1 index given".to_owned() } else { format!("{} indices given", indices.len()) };
            let message = format!("`{}` has {dimensions}, {given}", name.text);
            self.error(&codes::ARGUMENT_COUNT, span, message);
            return Operand::Error(span);
        }
        let length = indices.iter().map(|e| self.length(e.ty)).max().unwrap_or(1);
        if self.meet_lengths(&indices, span).is_none() {
            return Operand::Error(span);
        }
        let int64 = self.scalar(Element::Int64);
        let op = |this: &mut Self, op: BinaryOp, a: Expr, b: Expr| {
            let length = this.length(a.ty).max(this.length(b.ty));
            let (a, b) = (this.at_length(a, length), this.at_length(b, length));
            let ty = a.ty;
            Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span }
        };
        // What all lanes share goes to the pointer.
        let mut shared: Option<Expr> = None;
        let mut own: Option<Expr> = None;
        for (d, index) in indices.into_iter().enumerate() {
            let min = self.view_number(&view, MIN, d, span);
            let extent = self.view_number(&view, EXTENT, d, span);
            let dimension = Some(d).filter(|_| rank > 1);
            let window = Box::new(Window { name: name.text.to_string(), dimension, min: min.clone(), extent });
            let (ty, at) = (index.ty, index.span);
            let index = Expr { kind: ExprKind::Within(Box::new(index), window), ty, span: at };
            let min = self.converted(min, int64);
            let stride = (d > 0 || !is_image).then(|| self.view_number(&view, STRIDE, d, span));
            let scaled = |this: &mut Self, e: Expr| match &stride {
                Some(stride) => op(this, BinaryOp::Multiply, e, stride.clone()),
                None => e,
            };
            let add = |this: &mut Self, to: &mut Option<Expr>, e: Expr| {
                *to = Some(match to.take() {
                    Some(sum) => op(this, BinaryOp::Add, sum, e),
                    None => e,
                });
            };
            let lanes = self.length(index.ty);
            if lanes == 1 {
                let wide = self.converted(index, int64);
                let distance = op(self, BinaryOp::Subtract, wide, min);
                let distance = scaled(self, distance);
                add(self, &mut shared, distance);
            } else {
                let zero = self.int_constant(0, Element::Int64, span);
                let before = op(self, BinaryOp::Subtract, zero, min);
                let before = scaled(self, before);
                add(self, &mut shared, before);
                if stride.is_none() && own.is_none() {
                    own = Some(index);
                } else {
                    let wide_type = self.program.types.vector(Element::Int64, lanes);
                    let wide = self.converted(index, wide_type);
                    let distance = scaled(self, wide);
                    if let Some(first) = own.take() {
                        own = Some(self.converted(first, wide_type));
                    }
                    add(self, &mut own, distance);
                }
            }
        }
        let data = self.view_number(&view, DATA, 0, span);
        let pointer_type = data.ty;
        let offset =
            |base: Expr, by: Expr, ty: Type| Expr { kind: ExprKind::PointerOffset(Box::new(base), Box::new(by)), ty, span };
        let mut pointer = data;
        if let Some(shared) = shared {
            pointer = offset(pointer, shared, pointer_type);
        }
        let object = self.scalar(element);
        if let Some(own) = own {
            let many = self.program.types.pointer(object, length);
            let base = self.broadcast(pointer, many);
            pointer = offset(base, own, many);
        }
        self.dereference(Operand::Value(pointer), span)
    }

    /// A number of a view: `data`, or an element of `min`, `extent` or `stride`.
    fn view_number(&mut self, view: &Place, member: usize, d: usize, span: Span) -> Expr {
        let ty = self.program.types.members(view.ty)[member].ty;
        let kind = PlaceKind::Member(Box::new(view.clone()), member);
        let array = Place { kind, object: ty, addresses: view.addresses, ty, span };
        let place = match *self.program.types.kind(ty) {
            TypeKind::Array { element, .. } => {
                let index = self.int_constant(d as i64, Element::Int32, span);
                let kind = PlaceKind::Element(Box::new(array), Box::new(index));
                Place { kind, object: element, addresses: view.addresses, ty: element, span }
            }
            _ => array,
        };
        let ty = place.ty;
        Expr { kind: ExprKind::Load(place), ty, span }
    }

    /// `v.min(d)`, `v.extent(d)`, `v.stride(d)`; `None` where the operand is no view.
    pub fn view_method(&mut self, of: Operand, name: &ast::Name, arguments: &'a [ast::Expr], span: Span) -> Option<Operand> {
        let ty = self.operand_type(&of);
        let (_, rank) = self.view_shape(ty)?;
        let member = match &*name.text {
            "min" => MIN,
            "extent" => EXTENT,
            "stride" => STRIDE,
            _ => {
                let message = format!("a view has `min(d)`, `extent(d)` and `stride(d)`, and no `{}`", name.text);
                self.error(&codes::NO_MEMBER, name.span, message);
                return Some(Operand::Error(span));
            }
        };
        let dimension = match arguments {
            [e] => self.constant_integer(e).filter(|d| (0..rank as i128).contains(d)),
            _ => None,
        };
        let Some(dimension) = dimension else {
            let message = match rank {
                0 => "this view has no dimensions".to_owned(),
                _ => format!("the dimensions of this view are 0 to {}", rank - 1),
            };
            self.error(&codes::ARGUMENT_COUNT, span, message);
            return Some(Operand::Error(span));
        };
        let place = match of {
            Operand::Place(place) => place,
            Operand::Value(value) => {
                let ty = value.ty;
                Place { kind: PlaceKind::Temporary(Box::new(value)), object: ty, addresses: 1, ty, span }
            }
            Operand::Untyped(..) | Operand::Element(_) | Operand::Error(_) => return Some(Operand::Error(span)),
        };
        Some(Operand::Value(self.view_number(&place, member, dimension as usize, span)))
    }

    /// An array as a view that begins at 0; as a view of no dimensions, its first element. An array of arrays is a view whose last
    /// dimension is the dense one, where such are asked for.
    pub fn array_as_view(&mut self, array: &Place, view: Type, dense: Dense) -> Option<Expr> {
        let (element, rank) = self.view_shape(view)?;
        let span = array.span;
        if array.addresses != 1 || rank > 1 && dense == Dense::First {
            return None;
        }
        // Its first element, and how many there are in each dimension.
        let (mut first, mut counts) = (array.clone(), Vec::new());
        while let TypeKind::Array { element: of, count } = *self.program.types.kind(first.ty) {
            if counts.len() == rank.max(1) || rank == 0 && count == 0 {
                return None;
            }
            counts.push(count);
            let zero = self.int_constant(0, Element::Int32, span);
            let kind = PlaceKind::Element(Box::new(first), Box::new(zero));
            first = Place { kind, object: of, addresses: 1, ty: of, span };
        }
        if counts.len() != rank.max(1) || self.program.types.element(first.ty) != Some(element) || self.length(first.ty) != 1 {
            return None;
        }
        let members: Vec<Type> = self.program.types.members(view).iter().map(|m| m.ty).collect();
        let pointer = Expr { kind: ExprKind::AddressOf(first), ty: members[DATA], span };
        if rank == 0 {
            return Some(Expr { kind: ExprKind::Aggregate(vec![pointer]), ty: view, span });
        }
        let (int, int64) = (self.scalar(Element::Int32), self.scalar(Element::Int64));
        let number = |n: u64, ty: Type| Expr { kind: ExprKind::Constant(Constant::Int(n)), ty, span };
        let strides = (0..rank).map(|d| counts[d + 1..].iter().product::<u64>());
        let list = |list: Vec<Expr>, ty: Type| Expr { kind: ExprKind::Aggregate(list), ty, span };
        let parts = vec![
            pointer,
            list(counts.iter().map(|_| number(0, int)).collect(), members[MIN]),
            list(counts.iter().map(|&count| number(count, int)).collect(), members[EXTENT]),
            list(strides.map(|stride| number(stride, int64)).collect(), members[STRIDE]),
        ];
        Some(Expr { kind: ExprKind::Aggregate(parts), ty: view, span })
    }
}
