//! Recursion over the typed tree, written once: the parts of a statement, of an expression, of a place.
//!
//! `parts_of_*` hand out what stands directly in a node, in the order of evaluation, by shared or by mutable reference.
//! An analysis matches the nodes that it has something to say about and leaves all others to them, so that a new node is
//! seen by every analysis.

use super::ir::{Block, Builtin, Expr, ExprKind, Place, PlaceKind, PrintPiece, Statement, StatementKind};

/// What stands directly in a node.
#[derive(Clone, Copy)]
pub enum Part<'a> {
    /// An operand, a condition, an initializer.
    Expr(&'a Expr),
    /// What is loaded, stored to, or whose address is taken.
    Place(&'a Place),
    /// A branch or a body.
    Block(&'a Block),
}

/// The same, to be changed.
pub enum PartMut<'a> {
    /// An operand, a condition, an initializer.
    Expr(&'a mut Expr),
    /// What is loaded, stored to, or whose address is taken.
    Place(&'a mut Place),
    /// A branch or a body.
    Block(&'a mut Block),
}

/// Takes the kind of an expression apart; `$part` is [`Part`] or [`PartMut`].
macro_rules! parts_of_expr {
    ($kind:expr, $visit:ident, $part:ident $(, $mutable:tt)?) => {
        match $kind {
            ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex => {}
            ExprKind::Lanes(list) | ExprKind::Aggregate(list) | ExprKind::Builtin(_, list) | ExprKind::New(_, list) => {
                for e in list {
                    $visit($part::Expr(e));
                }
            }
            ExprKind::Load(place) | ExprKind::AddressOf(place) => $visit($part::Place(place)),
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Broadcast(a)
            | ExprKind::Member(a, _)
            | ExprKind::Assert(a, _) => $visit($part::Expr(a)),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Blend(a, b)
            | ExprKind::PointerOffset(a, b)
            | ExprKind::PointerDifference(a, b) => {
                $visit($part::Expr(a));
                $visit($part::Expr(b));
            }
            ExprKind::Within(index, window) => {
                let super::ir::Window { name: _, dimension: _, min, extent } = &$($mutable)? **window;
                $visit($part::Expr(index));
                $visit($part::Expr(min));
                $visit($part::Expr(extent));
            }
            ExprKind::Conditional(a, b, c) => {
                $visit($part::Expr(a));
                $visit($part::Expr(b));
                $visit($part::Expr(c));
            }
            ExprKind::Assign { place, value } | ExprKind::Compound { place, op: _, value, compute_as: _, old_value: _ } => {
                $visit($part::Place(place));
                $visit($part::Expr(value));
            }
            ExprKind::Call { function: _, arguments } => {
                for e in arguments {
                    $visit($part::Expr(e));
                }
            }
            ExprKind::SetLane { place, value, index } => {
                $visit($part::Place(place));
                $visit($part::Expr(value));
                $visit($part::Expr(index));
            }
            ExprKind::Print(_, pieces) => {
                for piece in pieces {
                    match piece {
                        PrintPiece::Text(_) => {}
                        PrintPiece::Value(e, _) => $visit($part::Expr(e)),
                    }
                }
            }
        }
    };
}

/// Takes the kind of a place apart.
macro_rules! parts_of_place {
    ($kind:expr, $visit:ident, $part:ident) => {
        match $kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => {}
            PlaceKind::Dereference(e) | PlaceKind::Temporary(e) => $visit($part::Expr(e)),
            PlaceKind::Member(of, _) => $visit($part::Place(of)),
            PlaceKind::Element(of, index) => {
                $visit($part::Place(of));
                $visit($part::Expr(index));
            }
        }
    };
}

/// Takes the kind of a statement apart.
macro_rules! parts_of_statement {
    ($kind:expr, $visit:ident, $part:ident) => {
        match $kind {
            StatementKind::Block(block) | StatementKind::Scalar(block) => $visit($part::Block(block)),
            StatementKind::Declare { local: _, initializer } => {
                if let Some(e) = initializer {
                    $visit($part::Expr(e));
                }
            }
            StatementKind::Expression(e) | StatementKind::Delete(_, e) => $visit($part::Expr(e)),
            StatementKind::If { condition, then, otherwise } => {
                $visit($part::Expr(condition));
                $visit($part::Block(then));
                $visit($part::Block(otherwise));
            }
            StatementKind::Switch { value, arms } => {
                $visit($part::Expr(value));
                for arm in arms {
                    let super::ir::SwitchArm { labels: _, is_default: _, body } = arm;
                    $visit($part::Block(body));
                }
            }
            StatementKind::Loop { test_first: _, unrolling: _, condition, step, body } => {
                if let Some(e) = condition {
                    $visit($part::Expr(e));
                }
                $visit($part::Block(body));
                if let Some(e) = step {
                    $visit($part::Expr(e));
                }
            }
            StatementKind::Foreach { parallel: _, unrolling: _, indices, body } => {
                for index in indices {
                    let super::ir::ForeachIndex { local: _, low, high } = index;
                    $visit($part::Expr(low));
                    $visit($part::Expr(high));
                }
                $visit($part::Block(body));
            }
            StatementKind::ForeachActive { index: _, body } => $visit($part::Block(body)),
            StatementKind::ForeachUnique { local: _, value, body } => {
                $visit($part::Expr(value));
                $visit($part::Block(body));
            }
            StatementKind::Break | StatementKind::Continue => {}
            StatementKind::Return(value) => {
                if let Some(e) = value {
                    $visit($part::Expr(e));
                }
            }
        }
    };
}

/// The parts of a statement.
pub fn parts_of_statement<'a>(statement: &'a Statement, visit: &mut impl FnMut(Part<'a>)) {
    parts_of_statement!(&statement.kind, visit, Part);
}

/// The parts of an expression.
pub fn parts_of_expr<'a>(e: &'a Expr, visit: &mut impl FnMut(Part<'a>)) {
    parts_of_expr!(&e.kind, visit, Part);
}

/// The parts of a place.
pub fn parts_of_place<'a>(place: &'a Place, visit: &mut impl FnMut(Part<'a>)) {
    parts_of_place!(&place.kind, visit, Part);
}

/// The parts of a statement, to be changed.
pub fn parts_of_statement_mut<'a>(statement: &'a mut Statement, visit: &mut impl FnMut(PartMut<'a>)) {
    parts_of_statement!(&mut statement.kind, visit, PartMut);
}

/// The parts of an expression, to be changed.
pub fn parts_of_expr_mut<'a>(e: &'a mut Expr, visit: &mut impl FnMut(PartMut<'a>)) {
    parts_of_expr!(&mut e.kind, visit, PartMut, mut);
}

/// The parts of a place, to be changed.
pub fn parts_of_place_mut<'a>(place: &'a mut Place, visit: &mut impl FnMut(PartMut<'a>)) {
    parts_of_place!(&mut place.kind, visit, PartMut);
}

/// May its evaluation change what other expressions read? A call may.
pub fn may_store(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Assign { .. } | ExprKind::Compound { .. } | ExprKind::SetLane { .. } | ExprKind::Call { .. } => true,
        ExprKind::Builtin(Builtin::Effect(op), _) if op.is_store() => true,
        _ => {
            let mut found = false;
            parts_of_expr(e, &mut |part| found = found || part_may_store(part));
            found
        }
    }
}

fn part_may_store(part: Part<'_>) -> bool {
    match part {
        Part::Expr(e) => may_store(e),
        Part::Place(place) => {
            let mut found = false;
            parts_of_place(place, &mut |part| found = found || part_may_store(part));
            found
        }
        Part::Block(_) => true,
    }
}

/// Every expression of a block, however deep, each behind its operands.
pub fn every_expr<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Expr)) {
    let mut work = |part| every_expr_of(part, visit);
    block.statements.iter().for_each(|s| parts_of_statement(s, &mut work));
}

/// Every expression of a part, however deep, each behind its operands.
pub fn every_expr_of<'a>(part: Part<'a>, visit: &mut dyn FnMut(&'a Expr)) {
    match part {
        Part::Block(block) => every_expr(block, visit),
        Part::Place(place) => parts_of_place(place, &mut |part| every_expr_of(part, visit)),
        Part::Expr(e) => {
            parts_of_expr(e, &mut |part| every_expr_of(part, visit));
            visit(e);
        }
    }
}

/// Every expression of a block, however deep, each behind its operands, to be changed.
pub fn every_expr_mut(block: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    block.statements.iter_mut().for_each(|s| parts_of_statement_mut(s, &mut |part| below_mut(part, visit)));
}

fn below_mut(part: PartMut, visit: &mut dyn FnMut(&mut Expr)) {
    match part {
        PartMut::Block(block) => every_expr_mut(block, visit),
        PartMut::Place(place) => parts_of_place_mut(place, &mut |part| below_mut(part, visit)),
        PartMut::Expr(e) => {
            parts_of_expr_mut(e, &mut |part| below_mut(part, visit));
            visit(e);
        }
    }
}

/// Every statement of a block, however deep, each in front of those inside of it, to be changed.
pub fn every_statement_mut(block: &mut Block, visit: &mut dyn FnMut(&mut Statement)) {
    for statement in &mut block.statements {
        visit(statement);
        parts_of_statement_mut(statement, &mut |part| match part {
            PartMut::Block(block) => every_statement_mut(block, visit),
            PartMut::Expr(_) | PartMut::Place(_) => {}
        });
    }
}
