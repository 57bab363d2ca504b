//! Which regions are cheap and maskable only: they run under a mask that may be all off, without a branch.
//!
//! Code under a mask that is all off is not executed (language.md §3). A region of a few arithmetic operations on
//! registers, with masked loads and stores at most, cannot tell the difference; testing the mask would cost more
//! than running it. Everything else — calls, loops, prints, scalar stores, gathers, integer divisions, loads of
//! scalars through pointers — stays behind a branch on `any(mask)`.
//!
//! The limit bounds the work of asking, too: the walk stops as soon as it is exceeded.

use super::storage::Locals;
use super::uniformity::is_vector;
use super::{Shared, layout::Leaf};
use crate::typed::ir::{
    self, BinaryOp, Block, Builtin, CrossOp, Expr, ExprKind, LaneOp, Place, PlaceKind, RearrangeOp, Statement, StatementKind,
};

/// What a region may cost, in simple operations.
const REGION: i32 = 24;
/// And under a mask of so many lanes, which are hardly ever all off, twice that.
const MANY_LANES: u8 = 32;
/// What the right side of a scalar `&&`, `||` or `?:` may cost.
const OPERAND: i32 = 6;
/// The cost of a masked load or store.
const MASKED_ACCESS: i32 = 8;

/// A walk over a region.
struct Budget<'a> {
    shared: &'a Shared<'a>,
    /// The locals of the function that the region is in.
    locals: &'a Locals,
    /// The length of the mask that the region runs under.
    context: u8,
    /// Is the code under a mask that may be on where the region's is off?
    elsewhere: bool,
    left: i32,
}

/// May these statements run under a mask of this length that may be all off?
pub(super) fn is_cheap(shared: &Shared, function: ir::FunctionId, context: u8, statements: &[Statement]) -> bool {
    let locals = &shared.locals[function.0 as usize];
    Budget { shared, locals, context, elsewhere: false, left: region(context) }.statements(statements)
}

/// May this expression be evaluated under a mask of this length that may be all off? In context 1: may it be
/// evaluated although nobody asked for it?
pub(super) fn is_cheap_expression(shared: &Shared, function: ir::FunctionId, context: u8, expr: &Expr) -> bool {
    let locals = &shared.locals[function.0 as usize];
    let left = if context == 1 { OPERAND } else { region(context) };
    Budget { shared, locals, context, elsewhere: false, left }.expression(expr)
}

fn region(context: u8) -> i32 {
    if context >= MANY_LANES { 2 * REGION } else { REGION }
}

impl Budget<'_> {
    fn spend(&mut self, cost: i32) -> bool {
        self.left -= cost;
        self.left >= 0
    }

    fn statements(&mut self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| self.statement(statement))
    }

    fn block(&mut self, block: &Block) -> bool {
        self.statements(&block.statements)
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Declare { local, initializer } => {
                !self.locals.in_memory[local.0 as usize] && initializer.as_ref().is_none_or(|e| self.expression(e))
            }
            StatementKind::Expression(expr) => self.expression(expr),
            StatementKind::If { condition, then, otherwise } => {
                is_vector(self.shared.layouts.types, condition)
                    && self.spend(2)
                    && self.expression(condition)
                    && self.block(then)
                    && self.block(otherwise)
            }
            StatementKind::Switch { value, arms } => {
                is_vector(self.shared.layouts.types, value)
                    && arms.iter().all(|arm| self.spend(1 + arm.labels.len() as i32) && self.block(&arm.body))
                    && self.expression(value)
            }
            // Jumps of lanes are arithmetic on masks.
            StatementKind::Break | StatementKind::Continue => self.context > 1 && self.spend(2),
            StatementKind::Return(value) => {
                self.context > 1 && self.spend(3) && value.as_ref().is_none_or(|v| self.is_vector(v.ty) && self.expression(v))
            }
            StatementKind::Loop { .. }
            | StatementKind::Foreach { .. }
            | StatementKind::ForeachActive { .. }
            | StatementKind::ForeachUnique { .. }
            | StatementKind::Scalar(_)
            | StatementKind::Delete(..) => false,
        }
    }

    /// Have all leaves the length of the mask?
    fn is_vector(&self, ty: crate::types::Type) -> bool {
        let leaves = self.shared.layouts.leaves(ty);
        self.context > 1 && leaves.iter().all(|leaf| leaf.ty.length == self.context)
    }

    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> bool {
        exprs.into_iter().all(|expr| self.expression(expr))
    }

    fn expression(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex => true,
            ExprKind::Lanes(list) => {
                let constant = list.iter().all(|e| matches!(e.kind, ExprKind::Constant(_)));
                constant || (self.spend(list.len() as i32) && self.all(list))
            }
            ExprKind::Aggregate(list) => self.all(list),
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => place.addresses == 1 && self.spend(1) && self.address(place),
            // A check of an index that all lanes share may only be made where a lane is on.
            ExprKind::Within(index, _) => !self.shared.options.check && self.expression(index),
            ExprKind::Member(a, _) => self.expression(a),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Broadcast(a) => self.spend(1) && self.expression(a),
            ExprKind::Binary(op, a, b) => {
                let float = self.shared.layouts.types.element(a.ty).is_some_and(|e| e.is_float());
                binary_cost(*op, float).is_some_and(|cost| self.spend(cost)) && self.expression(a) && self.expression(b)
            }
            ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::PointerOffset(a, b) => {
                self.spend(1) && self.expression(a) && self.expression(b)
            }
            ExprKind::Blend(a, b) => self.spend(2) && self.expression(a) && self.elsewhere(b),
            ExprKind::Conditional(a, b, c) => self.spend(1) && self.expression(a) && self.expression(b) && self.expression(c),
            ExprKind::Assign { place, value } => self.store(place) && self.expression(value),
            ExprKind::Compound { place, op, value, compute_as, old_value: _ } => {
                let float = self.shared.layouts.types.element(*compute_as).is_some_and(|e| e.is_float());
                binary_cost(*op, float).is_some_and(|cost| self.spend(cost))
                    && self.load(place)
                    && self.store(place)
                    && self.expression(value)
            }
            ExprKind::Call { function, arguments } => {
                if self.elsewhere {
                    return false;
                }
                let callee = &self.shared.program.functions[function.0 as usize];
                let Some(body) = callee.body.as_ref().filter(|_| callee.context == self.context && self.context > 1) else {
                    return false;
                };
                let caller = std::mem::replace(&mut self.locals, &self.shared.locals[function.0 as usize]);
                let cheap = self.spend(1) && self.block(body);
                self.locals = caller;
                cheap && self.all(arguments)
            }
            ExprKind::Builtin(builtin, operands) => {
                builtin_cost(*builtin).is_some_and(|cost| self.spend(cost)) && self.all(operands)
            }
            ExprKind::SetLane { .. }
            | ExprKind::PointerDifference(..)
            | ExprKind::New(..)
            | ExprKind::Print(..)
            | ExprKind::Assert(..) => false,
        }
    }

    /// The second part of `[a, b]`: it runs under ¬P (E-BLEND), where all lanes are on when P is all off. It must
    /// neither access memory that may be absent nor have effects.
    fn elsewhere(&mut self, expr: &Expr) -> bool {
        let before = std::mem::replace(&mut self.elsewhere, true);
        let cheap = self.expression(expr);
        self.elsewhere = before;
        cheap
    }

    /// A load that needs no active lane.
    fn load(&mut self, place: &Place) -> bool {
        let cost = match self.kind(place) {
            Access::Register => return self.address(place),
            Access::Own => 1,
            Access::Masked if !self.elsewhere => MASKED_ACCESS,
            Access::Masked | Access::Other => return false,
        };
        let leaves = self.shared.layouts.leaves(place.ty);
        self.spend(cost.saturating_mul(leaves.len() as i32)) && self.address(place)
    }

    /// A store that does nothing without an active lane.
    fn store(&mut self, place: &Place) -> bool {
        if self.elsewhere || !self.is_vector(place.ty) {
            return false;
        }
        let leaves = self.shared.layouts.leaves(place.ty);
        match self.kind(place) {
            Access::Register => self.spend(leaves.len() as i32),
            Access::Own | Access::Masked => self.spend(MASKED_ACCESS.saturating_mul(leaves.len() as i32)) && self.address(place),
            Access::Other => false,
        }
    }

    /// How a place is reached.
    fn kind(&self, place: &Place) -> Access {
        if place.addresses > 1 {
            let masked = self.is_contiguous(place) && self.is_masked_access(place);
            return if masked { Access::Masked } else { Access::Other };
        }
        match &place.kind {
            PlaceKind::Local(local) if !self.locals.in_memory[local.0 as usize] => Access::Register,
            PlaceKind::Local(_) | PlaceKind::Global(_) => Access::Own,
            PlaceKind::Temporary(_) => Access::Register,
            PlaceKind::Member(base, _) => match self.kind(base) {
                // The mask covers the member alone, whatever else the record has.
                Access::Other if self.is_masked_access(place) && is_dereference(base) => Access::Masked,
                access => access,
            },
            PlaceKind::Element(base, index) => {
                let is_own = matches!((&index.kind, self.kind(base)), (ExprKind::Constant(_), Access::Own));
                if is_own { Access::Own } else { Access::Other }
            }
            PlaceKind::Dereference(_) if self.is_masked_access(place) => Access::Masked,
            PlaceKind::Dereference(_) => Access::Other,
        }
    }

    /// Is it `p[i + n]` for a scalar p, the block index i of a `foreach` and a scalar n? Neighbouring lanes then access
    /// neighbouring elements.
    fn is_contiguous(&self, place: &Place) -> bool {
        let PlaceKind::Dereference(pointer) = &place.kind else { return false };
        let ExprKind::PointerOffset(base, index) = &pointer.kind else { return false };
        let mut index = index;
        if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) = &index.kind {
            index = if *op == BinaryOp::Add && is_broadcast(a) { b } else { a };
            if !is_broadcast(a) && !is_broadcast(b) {
                return false;
            }
        }
        let ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) = index.kind else { return false };
        let (types, local) = (self.shared.layouts.types, local.0 as usize);
        let uniform = is_broadcast(base) || types.length(base.ty) == 1;
        uniform && self.locals.block_index[local] && !self.locals.assigned[local]
    }

    /// Do all lanes of an access stand under the mask, and do targets have instructions for it?
    fn is_masked_access(&self, place: &Place) -> bool {
        let wide = |leaf: &Leaf| leaf.ty.element.bits() >= 32;
        !self.shared.options.check && self.is_vector(place.ty) && self.shared.layouts.leaves(place.ty).iter().all(wide)
    }

    /// The expressions in a place.
    fn address(&mut self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => true,
            PlaceKind::Dereference(expr) | PlaceKind::Temporary(expr) => self.expression(expr),
            PlaceKind::Member(base, _) => self.address(base),
            PlaceKind::Element(base, index) => self.expression(index) && self.address(base),
        }
    }
}

/// How a place is reached, as far as masks care.
enum Access {
    /// No memory.
    Register,
    /// Memory of the function or a global: always there.
    Own,
    /// Behind a scalar pointer, all lanes under the mask.
    Masked,
    /// Anything else.
    Other,
}

/// Is it one value for all lanes?
fn is_broadcast(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Broadcast(_))
}

/// Is it `*p` or a member of it?
fn is_dereference(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Dereference(_) => true,
        PlaceKind::Member(base, _) => is_dereference(base),
        PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Element(..) | PlaceKind::Temporary(_) => false,
    }
}

/// The cost of an operator; `None` for those that are many instructions.
fn binary_cost(op: BinaryOp, float: bool) -> Option<i32> {
    match op {
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight => Some(1),
        BinaryOp::Divide if float => Some(5),
        BinaryOp::Divide | BinaryOp::Remainder => None,
    }
}

/// The cost of a built-in; `None` for those with effects and those that are many instructions.
fn builtin_cost(builtin: Builtin) -> Option<i32> {
    Some(match builtin {
        Builtin::Get => 3,
        Builtin::Lane(op) => match op {
            LaneOp::Select | LaneOp::Min | LaneOp::Max | LaneOp::Abs | LaneOp::Fma | LaneOp::Bits => 1,
            LaneOp::Floor | LaneOp::Ceil | LaneOp::Trunc | LaneOp::Popcnt | LaneOp::Clz | LaneOp::Ctz => 2,
            LaneOp::Rint | LaneOp::SaturatingAdd | LaneOp::SaturatingSub | LaneOp::SaturatingCast => 2,
            LaneOp::MulHigh | LaneOp::MulRoundHigh => 4,
            LaneOp::Clmul | LaneOp::ClmulHigh => 12,
            LaneOp::Round | LaneOp::Log2 | LaneOp::BitReverse | LaneOp::RotateLeft | LaneOp::RotateRight => 4,
            LaneOp::Sqrt | LaneOp::Rsqrt | LaneOp::Rcp => 6,
        },
        Builtin::Cross(op) => match op {
            CrossOp::WholeRegShr | CrossOp::WholeRegShl | CrossOp::Rotate | CrossOp::Reverse => 2,
            CrossOp::Shuffle | CrossOp::Shuffle2 | CrossOp::BroadcastLane => 3,
            CrossOp::Dot2 => 2,
            CrossOp::Dot4 => 8,
            CrossOp::Any | CrossOp::All | CrossOp::None | CrossOp::PopcountMask | CrossOp::BitScan => 3,
            CrossOp::Reduce(_) | CrossOp::Scan(_) | CrossOp::ReduceEqual => 12,
        },
        Builtin::Rearrange(op) => match op {
            RearrangeOp::Bits => 1,
            RearrangeOp::Interleave | RearrangeOp::Deinterleave { .. } | RearrangeOp::Transpose { .. } => 2,
            RearrangeOp::Align | RearrangeOp::LookUp | RearrangeOp::MaskBits | RearrangeOp::MaskOf => 3,
            RearrangeOp::Compress | RearrangeOp::Expand => 12,
        },
        Builtin::Effect(_) => return None,
    })
}
