//! The parts of statements and expressions, one level down, as lists.

use crate::typed::ir::{Block, Expr, LocalId, Place, PlaceKind, Statement};
pub(super) use crate::typed::walk::Part;
use crate::typed::walk::{parts_of_expr, parts_of_place, parts_of_statement};

/// The blocks of a statement.
pub(super) fn blocks_of(statement: &Statement) -> Vec<&Block> {
    let mut blocks = Vec::new();
    parts_of_statement(statement, &mut |part| match part {
        Part::Block(block) => blocks.push(block),
        Part::Expr(_) | Part::Place(_) => {}
    });
    blocks
}

/// The expressions of a statement that are in none of its blocks.
pub(super) fn of_statement(statement: &Statement) -> Vec<&Expr> {
    let mut exprs = Vec::new();
    parts_of_statement(statement, &mut |part| match part {
        Part::Expr(e) => exprs.push(e),
        Part::Place(_) | Part::Block(_) => {}
    });
    exprs
}

/// The parts of an expression, in the order in which they are evaluated.
pub(super) fn of_expr(e: &Expr) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    parts_of_expr(e, &mut |part| parts.push(part));
    parts
}

/// The parts of a place.
pub(super) fn of_place(place: &Place) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    parts_of_place(place, &mut |part| parts.push(part));
    parts
}

/// All expressions and places below one, itself first.
pub(super) fn below(e: &Expr) -> Vec<Part<'_>> {
    let mut found = vec![Part::Expr(e)];
    let mut at = 0;
    while let Some(&part) = found.get(at) {
        found.extend(match part {
            Part::Expr(e) => of_expr(e),
            Part::Place(place) => of_place(place),
            Part::Block(_) => Vec::new(),
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
