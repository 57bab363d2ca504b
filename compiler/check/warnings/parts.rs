//! The parts of statements and expressions, one level down.

use crate::typed::ir::{Block, Expr, ExprKind, LocalId, Place, PlaceKind, PrintPiece, StatementKind};

/// The blocks of a statement.
pub(super) fn blocks_of(kind: &StatementKind) -> Vec<&Block> {
    match kind {
        StatementKind::Block(block) | StatementKind::Scalar(block) => vec![block],
        StatementKind::If { condition: _, then, otherwise } => vec![then, otherwise],
        StatementKind::Loop { test_first: _, condition: _, step: _, body }
        | StatementKind::Foreach { parallel: _, indices: _, body }
        | StatementKind::ForeachActive { index: _, body }
        | StatementKind::ForeachUnique { local: _, value: _, body } => vec![body],
        StatementKind::Switch { value: _, arms } => arms.iter().map(|arm| &arm.body).collect(),
        StatementKind::Declare { .. }
        | StatementKind::Expression(_)
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Return(_)
        | StatementKind::Delete(..) => Vec::new(),
    }
}

/// The expressions of a statement that are in none of its blocks.
pub(super) fn of_statement(kind: &StatementKind) -> Vec<&Expr> {
    match kind {
        StatementKind::Declare { local: _, initializer } => initializer.iter().collect(),
        StatementKind::Expression(e) | StatementKind::Delete(_, e) => vec![e],
        StatementKind::If { condition, then: _, otherwise: _ } => vec![condition],
        StatementKind::Switch { value, arms: _ } => vec![value],
        StatementKind::Loop { test_first: _, condition, step, body: _ } => condition.iter().chain(step).collect(),
        StatementKind::Foreach { parallel: _, indices, body: _ } => indices.iter().flat_map(|i| [&i.low, &i.high]).collect(),
        StatementKind::ForeachUnique { local: _, value, body: _ } => vec![value],
        StatementKind::Return(value) => value.iter().collect(),
        StatementKind::Block(_)
        | StatementKind::Scalar(_)
        | StatementKind::ForeachActive { .. }
        | StatementKind::Break
        | StatementKind::Continue => Vec::new(),
    }
}

/// A part of an expression.
#[derive(Clone, Copy)]
pub(super) enum Part<'e> {
    Expr(&'e Expr),
    /// A place that is read, written or taken the address of, as the expression around it says.
    Place(&'e Place),
}

/// The parts of an expression, in the order in which they are evaluated.
pub(super) fn of_expr(e: &Expr) -> Vec<Part<'_>> {
    let exprs: Vec<&Expr> = match &e.kind {
        ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex => Vec::new(),
        ExprKind::Lanes(list) | ExprKind::Aggregate(list) | ExprKind::Builtin(_, list) | ExprKind::New(_, list) => {
            list.iter().collect()
        }
        ExprKind::Call { function: _, arguments } => arguments.iter().collect(),
        ExprKind::Load(place) | ExprKind::AddressOf(place) => return vec![Part::Place(place)],
        ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::Broadcast(a)
        | ExprKind::Member(a, _)
        | ExprKind::Assert(a, _) => vec![a],
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Blend(a, b)
        | ExprKind::PointerOffset(a, b)
        | ExprKind::PointerDifference(a, b) => vec![a, b],
        ExprKind::Within(index, window) => vec![index, &window.min, &window.extent],
        ExprKind::Conditional(a, b, c) => vec![a, b, c],
        ExprKind::Assign { place, value } | ExprKind::Compound { place, op: _, value, compute_as: _, old_value: _ } => {
            return vec![Part::Place(place), Part::Expr(value)];
        }
        ExprKind::SetLane { place, value, index } => return vec![Part::Place(place), Part::Expr(value), Part::Expr(index)],
        ExprKind::Print(_, pieces) => pieces
            .iter()
            .filter_map(|piece| match piece {
                PrintPiece::Value(e) => Some(e),
                PrintPiece::Text(_) => None,
            })
            .collect(),
    };
    exprs.into_iter().map(Part::Expr).collect()
}

/// The parts of a place.
pub(super) fn of_place(place: &Place) -> Vec<Part<'_>> {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => Vec::new(),
        PlaceKind::Dereference(e) | PlaceKind::Temporary(e) => vec![Part::Expr(e)],
        PlaceKind::Member(of, _) => vec![Part::Place(of)],
        PlaceKind::Element(of, index) => vec![Part::Place(of), Part::Expr(index)],
    }
}

/// All expressions and places below one, itself first.
pub(super) fn below(e: &Expr) -> Vec<Part<'_>> {
    let mut found = vec![Part::Expr(e)];
    let mut at = 0;
    while let Some(&part) = found.get(at) {
        found.extend(match part {
            Part::Expr(e) => of_expr(e),
            Part::Place(place) => of_place(place),
        });
        at += 1;
    }
    found
}

/// The object that a place is, or is a part of.
pub(super) fn root(place: &Place) -> &Place {
    let mut place = place;
    while let PlaceKind::Member(of, _) | PlaceKind::Element(of, _) = &place.kind {
        place = of;
    }
    place
}

/// The local that a place is, or is a part of.
pub(super) fn local_of(place: &Place) -> Option<LocalId> {
    match root(place).kind {
        PlaceKind::Local(local) => Some(local),
        _ => None,
    }
}
