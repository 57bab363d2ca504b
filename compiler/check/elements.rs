//! What is meant by `h[i]` until it is read or written: see `hsoa`.

use super::declared::Declared;
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, Place, PlaceKind, Window};
use crate::types::{Type, TypeKind, Types};

/// The members of an `hsoa`.
pub(super) const BLOCKS: usize = 0;
pub(super) const LENGTH: usize = 1;

/// As many numbers an element may have that is read or written as a whole.
pub(super) const MAX_NUMBERS: u64 = 256;

/// A type `hsoa<T, N>`.
#[derive(Clone)]
pub(super) struct Hsoa {
    /// T
    pub element: Declared,
    /// N
    pub length: u8,
    /// ⟨T | N⟩
    pub block: Type,
}

/// `h[i]`, or a member of it that is a record or an array.
#[derive(Clone)]
pub(super) struct Element {
    /// The pointer to the first block, a scalar.
    pub blocks: Expr,
    pub hsoa: Hsoa,
    /// From the block to what is meant in it.
    pub steps: Vec<Step>,
    /// Which element: an integer, scalar or one per lane.
    pub index: Expr,
    /// Which there are.
    pub window: Window,
    /// ⟨τ | 1⟩: what is meant of one element.
    pub object: Type,
    /// Its text.
    pub span: Span,
}

/// A step into an object.
#[derive(Clone)]
pub(super) enum Step {
    Member(usize),
    /// With what the array has, where that is not certain.
    At(Expr, Option<Box<Window>>),
}

/// An expression that is used several times and evaluated the first time.
pub(super) struct Once {
    pub first: Option<Expr>,
    pub again: Expr,
}

impl Once {
    pub fn next(&mut self) -> Expr {
        self.first.take().unwrap_or_else(|| self.again.clone())
    }
}

/// What the numbers of an element are made of.
pub(super) struct Parts {
    pub blocks: Once,
    pub index: Once,
    pub indices: Vec<Once>,
}

/// How many numbers and pointers an object has.
pub(super) fn numbers(types: &Types, ty: Type) -> u64 {
    match types.kind(ty) {
        TypeKind::Record { .. } => types.members(ty).iter().map(|m| numbers(types, m.ty)).fold(0, u64::saturating_add),
        TypeKind::Array { element, count } => numbers(types, *element).saturating_mul(*count),
        TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } => 1,
    }
}

/// An index of which `--check` and the interpreter see that it is there.
pub(super) fn within(index: Expr, window: &Window) -> Expr {
    let (ty, span) = (index.ty, index.span);
    Expr { kind: ExprKind::Within(Box::new(index), Box::new(window.clone())), ty, span }
}

/// May it be evaluated again, with the same result while nothing else is evaluated, for little?
pub(super) fn is_plain(e: &Expr) -> bool {
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
