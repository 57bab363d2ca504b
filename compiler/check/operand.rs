//! What an expression is before its use is known: a literal without a type, a value, or a place.

use super::elements::Element as InBlocks;
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::typed::ir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{Element, Type, TypeKind};

/// A checked expression.
#[derive(Clone)]
pub(super) enum Operand {
    /// Literals and what is computed from them alone: they take the type that their context asks for.
    Untyped(Untyped, Span),
    /// ᵣτ
    Value(Expr),
    /// ₗτ
    Place(Place),
    /// An element of an `hsoa`, or a part of one that is no number.
    Element(Box<InBlocks>),
    /// An error that has been reported.
    Error(Span),
}

/// The value of an untyped constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Untyped {
    Int(i128),
    /// Rounded once to each of `double` and `float`.
    Float(f64, f32),
    Null,
    Lanes(Vec<Untyped>),
}

impl Operand {
    pub fn span(&self) -> Span {
        match self {
            Operand::Untyped(_, span) | Operand::Error(span) => *span,
            Operand::Value(e) => e.span,
            Operand::Place(place) => place.span,
            Operand::Element(element) => element.span,
        }
    }

    pub fn is_error(&self) -> bool {
        matches!(self, Operand::Error(_))
    }

    /// The same with another span, for parentheses.
    pub fn at(mut self, new: Span) -> Self {
        match &mut self {
            Operand::Untyped(_, span) | Operand::Error(span) => *span = new,
            Operand::Value(e) => e.span = new,
            Operand::Place(place) => place.span = new,
            Operand::Element(element) => element.span = new,
        }
        self
    }
}

impl Untyped {
    pub fn length(&self) -> u8 {
        match self {
            Untyped::Int(_) | Untyped::Float(..) | Untyped::Null => 1,
            Untyped::Lanes(lanes) => lanes.len() as u8,
        }
    }

    /// The element that it has where nothing asks for another.
    pub fn default_element(&self) -> Option<Element> {
        match self {
            Untyped::Int(_) => Some(Element::Int32),
            Untyped::Float(..) => Some(Element::Float),
            Untyped::Null => None,
            Untyped::Lanes(lanes) => {
                let float = lanes.iter().any(|l| matches!(l, Untyped::Float(..)));
                Some(if float { Element::Float } else { Element::Int32 })
            }
        }
    }

    pub fn is_float(&self) -> bool {
        self.default_element() == Some(Element::Float)
    }
}

impl<'a> Checker<'a> {
    pub fn error_expr(&mut self, span: Span) -> Expr {
        let ty = self.program.types.error();
        Expr { kind: ExprKind::Constant(Constant::Int(0)), ty, span }
    }

    /// The type of an operand; that of an untyped one where nothing asks for another.
    pub fn operand_type(&mut self, operand: &Operand) -> Type {
        match operand {
            Operand::Untyped(untyped, _) => match untyped.default_element() {
                Some(element) => self.program.types.vector(element, untyped.length()),
                None => {
                    let void = self.program.types.void();
                    self.program.types.pointer(void, 1)
                }
            },
            Operand::Value(e) => e.ty,
            Operand::Place(place) => match *self.program.types.kind(place.ty) {
                TypeKind::Array { element, .. } => self.program.types.pointer(element, place.addresses),
                TypeKind::Error
                | TypeKind::Void
                | TypeKind::Vector { .. }
                | TypeKind::Pointer { .. }
                | TypeKind::Record { .. } => place.ty,
            },
            Operand::Element(element) => self.element_type(element),
            Operand::Error(_) => self.program.types.error(),
        }
    }

    /// E-TOVAL: the operand as a value. A literal takes the element type of `want`, else its own.
    pub fn value(&mut self, operand: Operand, want: Option<Type>) -> Expr {
        match operand {
            Operand::Error(span) => self.error_expr(span),
            Operand::Value(e) => {
                self.access(e.ty, e.span);
                e
            }
            Operand::Place(place) => self.load(place),
            Operand::Element(element) => self.element_value(*element),
            Operand::Untyped(Untyped::Null, span) => {
                let pointer = want.filter(|&w| self.program.types.pointee(w).is_some());
                let ty = match pointer.and_then(|w| self.program.types.pointee(w)) {
                    Some(pointee) => self.program.types.pointer(pointee, 1),
                    None => {
                        let void = self.program.types.void();
                        self.program.types.pointer(void, 1)
                    }
                };
                Expr { kind: ExprKind::Constant(Constant::Null), ty, span }
            }
            Operand::Untyped(untyped, span) => {
                let own = untyped.default_element().unwrap_or(Element::Int32);
                let element = match want.and_then(|w| self.program.types.element(w)) {
                    Some(Element::Bool) | None => own,
                    Some(element) if own == Element::Float && !element.is_float() => own,
                    Some(element) => element,
                };
                self.constant(&untyped, element, span)
            }
        }
    }

    /// A whole number beside an operand of few bits: one that does not fit asks for more of them.
    pub fn constant_beside(&mut self, n: i128, element: Element, span: Span) -> Expr {
        if super::constants::fits(n, element) {
            return self.constant(&Untyped::Int(n), element, span);
        }
        let name = element.name();
        let help =
            format!("`(int)` in front of the other operand computes in `int`; `({name}) {n}` says that the number shall wrap");
        self.diagnostics.push(does_not_fit(n, element, span).with_help(help));
        self.error_expr(span)
    }

    /// An untyped constant as one of `element`; reports what does not fit.
    pub fn constant(&mut self, untyped: &Untyped, element: Element, span: Span) -> Expr {
        let value = match untyped {
            Untyped::Lanes(lanes) => {
                let exprs: Vec<Expr> = lanes.iter().map(|lane| self.constant(lane, element, span)).collect();
                let ty = self.program.types.vector(element, lanes.len() as u8);
                return Expr { kind: ExprKind::Lanes(exprs), ty, span };
            }
            Untyped::Int(n) if element.is_float() => {
                return self.constant(&Untyped::Float(*n as f64, *n as f32), element, span);
            }
            Untyped::Int(n) if super::constants::fits(*n, element) => {
                Some(Constant::Int(super::constants::truncated(*n, element)))
            }
            Untyped::Int(n) => {
                let name = element.name();
                let help = format!("a cast says that it shall wrap: `({name}) {n}`");
                let error = does_not_fit(*n, element, span);
                self.diagnostics.push(error.with_fix(help, Edit::wrap(&format!("({name}) "), span)));
                None
            }
            Untyped::Float(wide, narrow) => match element {
                Element::Float if narrow.is_infinite() && wide.is_finite() => {
                    let message = format!("{wide:e} is above the range of `float`");
                    let error = Diagnostic::error(&codes::CONSTANT_OUT_OF_RANGE, span, message);
                    self.diagnostics.push(error.with_help("a `double` holds it; infinity is `1.0f / 0.0f`"));
                    None
                }
                Element::Float16 => {
                    let near = ivl::Float16::from_f64(*wide).to_f64();
                    if near.is_infinite() && wide.is_finite() {
                        let message = format!("{wide:?} is above the range of `float16`");
                        let error = Diagnostic::error(&codes::CONSTANT_OUT_OF_RANGE, span, message);
                        self.diagnostics.push(error.with_help("its greatest number is 65504; a `float` holds it"));
                        return self.error_expr(span);
                    }
                    Some(Constant::Float(near))
                }
                Element::Float => Some(Constant::Float(f64::from(*narrow))),
                Element::Double => Some(Constant::Float(*wide)),
                Element::Bool
                | Element::Int8
                | Element::Int16
                | Element::Int32
                | Element::Int64
                | Element::Uint8
                | Element::Uint16
                | Element::Uint32
                | Element::Uint64 => {
                    let message = format!("a floating-point number where `{}` is asked for", element.name());
                    let error = Diagnostic::error(&codes::NEEDS_CAST, span, message);
                    let name = element.name();
                    let help = format!("write a cast, `({name}) …`: it rounds towards zero");
                    self.diagnostics.push(match element {
                        Element::Bool => error,
                        _ => error.with_fix(help, Edit::wrap(&format!("({name}) "), span)),
                    });
                    None
                }
            },
            Untyped::Null => {
                self.error(&codes::TYPE_MISMATCH, span, format!("`null` where `{}` is asked for", element.name()));
                None
            }
        };
        match value {
            Some(constant) => Expr { kind: ExprKind::Constant(constant), ty: self.scalar(element), span },
            None => self.error_expr(span),
        }
    }

    /// The access rule τ⃗(Λ, τ): Λ = 1 ∨ ‖τ‖ = 1 ∨ Λ = ‖τ‖. Reports and gives false otherwise.
    pub fn access(&mut self, ty: Type, span: Span) -> bool {
        let (context, length) = (self.body.context, self.length(ty));
        if context == 1 || length == 1 || length == context {
            return true;
        }
        let message = format!("a value of length {length} in a context of length {context}");
        let error = Diagnostic::error(&codes::CONTEXT_MISMATCH, span, message);
        let edits = self.for_all();
        let help = match edits {
            Some(_) => "wrap the statement in `scalar { … }` to work on all of its lanes",
            None => "declare it outside, and set it in a scalar block, which works on all of its lanes",
        };
        self.push_with_opener(error.with_change(help, edits));
        false
    }

    /// Reads a place; an array becomes a pointer to its first element, as in C.
    pub fn load(&mut self, place: Place) -> Expr {
        let span = place.span;
        match self.program.types.kind(place.ty).clone() {
            TypeKind::Error => self.error_expr(span),
            TypeKind::Array { element, .. } => self.decay(place, element),
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Record { .. } | TypeKind::Void => {
                if !self.access(place.ty, span) {
                    return self.error_expr(span);
                }
                Expr { ty: place.ty, kind: ExprKind::Load(place), span }
            }
        }
    }

    /// &array[0]
    fn decay(&mut self, place: Place, element: Type) -> Expr {
        let (span, addresses) = (place.span, place.addresses);
        let int = self.scalar(Element::Int64);
        let zero = Expr { kind: ExprKind::Constant(Constant::Int(0)), ty: int, span };
        let Some(ty) = self.accessed(element, addresses, span) else { return self.error_expr(span) };
        let first = Place { kind: PlaceKind::Element(Box::new(place), Box::new(zero)), object: element, addresses, ty, span };
        let ty = self.program.types.pointer(element, addresses);
        Expr { kind: ExprKind::AddressOf(first), ty, span }
    }
}

/// A number is none of a type.
fn does_not_fit(n: i128, element: Element, span: Span) -> Diagnostic {
    Diagnostic::error(&codes::CONSTANT_OUT_OF_RANGE, span, format!("{n} does not fit in `{}`", element.name()))
}
