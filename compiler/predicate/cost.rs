//! Which regions are cheap and maskable only: they run under a mask that may be all off, without a branch.
//!
//! Code under a mask that is all off is not executed (language.md §3). A region of a few arithmetic operations on
//! registers, with masked loads and stores at most, cannot tell the difference; testing the mask would cost more
//! than running it. Everything else — calls of what is not inlined, loops, prints, scalar stores, gathers, integer divisions, loads of
//! scalars through pointers — stays behind a branch on `any(mask)`. What the condition has loaded (`a[i] == 9 || a[i] == 10`) is there.
//!
//! The limit bounds the work of asking, too: the walk stops as soon as it is exceeded.

use super::storage::Locals;
use super::uniformity::is_vector;
use super::{Shared, layout::Leaf};
use crate::target::Inlining;
use crate::typed::ir::{
    self, BinaryOp, Block, Builtin, CrossOp, Expr, ExprKind, LaneOp, Place, PlaceKind, RearrangeOp, Statement, StatementKind,
};

/// What a region may cost, in simple operations.
const REGION: i32 = 24;
/// And under a mask of so many lanes, which are hardly ever all off, twice that. Operations on bytes under a shorter mask count a quarter, on 16 bits half:
/// without branches rounds over them are joined to rounds of whole registers.
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
    /// What was loaded before, in all lanes that the region may run in.
    present: Vec<&'a Place>,
    /// What is stored under the masks that are left, too: such stores become one.
    stored: Vec<&'a Place>,
    /// In quarters of simple operations.
    left: i32,
}

/// May these statements run under a mask of this length that may be all off?
pub(super) fn is_cheap<'a>(shared: &'a Shared<'a>, function: ir::FunctionId, context: u8, statements: &'a [Statement]) -> bool {
    Budget::new(shared, function, context, region(context), None).statements(statements)
}

/// May a branch of an `if` or an arm of a `switch` run so? `given` is what decided it, and the `others` run under the rest of its mask.
pub(super) fn is_cheap_branch<'a>(
    shared: &'a Shared<'a>,
    function: ir::FunctionId,
    branch: &'a Block,
    others: &[&'a Block],
    given: Option<&'a Expr>,
) -> bool {
    let mut budget = Budget::new(shared, function, branch.context, region(branch.context), given);
    let locals = budget.locals;
    if let [first, rest @ ..] = others {
        let mut everywhere = stored(&first.statements, locals);
        for other in rest {
            let here = stored(&other.statements, locals);
            everywhere.retain(|place| here.iter().any(|other| is_same_place(place, other, locals)));
        }
        budget.stored = everywhere;
    }
    budget.block(branch)
}

/// The places that statements store in wherever they run.
fn stored<'a>(statements: &'a [Statement], locals: &Locals) -> Vec<&'a Place> {
    let mut found = Vec::new();
    for statement in statements {
        match &statement.kind {
            StatementKind::Expression(Expr {
                kind: ExprKind::Assign { place, .. } | ExprKind::Compound { place, .. }, ..
            }) => found.push(place),
            StatementKind::Block(block) => found.extend(stored(&block.statements, locals)),
            StatementKind::If { then, otherwise, .. } => {
                let others = stored(&otherwise.statements, locals);
                let is_both = |place: &&Place| others.iter().any(|other| is_same_place(place, other, locals));
                found.extend(stored(&then.statements, locals).into_iter().filter(is_both));
            }
            _ => {}
        }
    }
    found
}

/// May this expression be evaluated under a mask of this length that may be all off? In context 1: may it be
/// evaluated although nobody asked for it? `given` is what decided it.
pub(super) fn is_cheap_expression<'a>(
    shared: &'a Shared<'a>,
    function: ir::FunctionId,
    context: u8,
    expr: &'a Expr,
    given: Option<&'a Expr>,
) -> bool {
    let left = if context == 1 { OPERAND } else { region(context) };
    Budget::new(shared, function, context, left, given).expression(expr)
}

/// The places behind pointers that are loaded wherever an expression is evaluated, and that stay where they are.
fn evaluated<'a>(expr: &'a Expr, locals: &Locals) -> Vec<&'a Place> {
    let mut found = Vec::new();
    let mut work = vec![expr];
    while let Some(expr) = work.pop() {
        match &expr.kind {
            ExprKind::Load(place) if is_same_place(place, place, locals) => found.push(place),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Broadcast(a) | ExprKind::Member(a, _) => work.push(a),
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => work.extend([&**a, &**b]),
            // The right side only where the left one does not decide.
            ExprKind::And(a, _) | ExprKind::Or(a, _) | ExprKind::Conditional(a, _, _) => work.push(a),
            _ => {}
        }
    }
    found
}

/// Are these the same addresses, told by locals that nobody assigns to and numbers?
fn is_same_place(a: &Place, b: &Place, locals: &Locals) -> bool {
    match (&a.kind, &b.kind) {
        _ if a.ty != b.ty || a.addresses != b.addresses => false,
        (PlaceKind::Dereference(a), PlaceKind::Dereference(b)) => is_same(a, b, locals),
        (PlaceKind::Member(a, i), PlaceKind::Member(b, k)) => i == k && is_same_place(a, b, locals),
        _ => false,
    }
}

/// Have these the same value, told by locals that nobody assigns to and numbers?
fn is_same(a: &Expr, b: &Expr, locals: &Locals) -> bool {
    match (&a.kind, &b.kind) {
        _ if a.ty != b.ty => false,
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        (ExprKind::Load(Place { kind: PlaceKind::Local(a), .. }), ExprKind::Load(Place { kind: PlaceKind::Local(b), .. })) => {
            a == b && !locals.assigned[a.0 as usize] && !locals.in_memory[a.0 as usize]
        }
        (ExprKind::Unary(op, a), ExprKind::Unary(other, b)) => op == other && is_same(a, b, locals),
        (ExprKind::Convert(a), ExprKind::Convert(b)) | (ExprKind::Broadcast(a), ExprKind::Broadcast(b)) => is_same(a, b, locals),
        (ExprKind::PointerOffset(a, i), ExprKind::PointerOffset(b, k)) => is_same(a, b, locals) && is_same(i, k, locals),
        (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) => {
            op == other && is_same(a, c, locals) && is_same(b, d, locals)
        }
        _ => false,
    }
}

fn region(context: u8) -> i32 {
    if context >= MANY_LANES { 2 * REGION } else { REGION }
}

impl<'a> Budget<'a> {
    /// What may be spent on what runs where `given` was evaluated.
    fn new(shared: &'a Shared<'a>, function: ir::FunctionId, context: u8, left: i32, given: Option<&'a Expr>) -> Self {
        let locals = &shared.locals[function.0 as usize];
        let present = given.map_or(Vec::new(), |given| evaluated(given, locals));
        Budget { shared, locals, context, elsewhere: false, present, stored: Vec::new(), left: 4 * left }
    }

    fn spend(&mut self, cost: i32) -> bool {
        self.left = self.left.saturating_sub(cost.saturating_mul(4));
        self.left >= 0
    }

    /// What an operation on values of a type costs.
    fn spend_on(&mut self, ty: crate::types::Type, cost: i32) -> bool {
        let bits = self.shared.layouts.types.element(ty).filter(|element| element.is_integer()).map(|element| element.bits());
        let quarters = match bits {
            Some(bits @ (8 | 16)) if (2..MANY_LANES).contains(&self.context) => bits as i32 / 8,
            _ => 4,
        };
        self.left = self.left.saturating_sub(cost.saturating_mul(quarters));
        self.left >= 0
    }

    /// What an operation on the truth of an expression costs, which is as wide as what is compared.
    fn spend_on_truth(&mut self, truth: &Expr, cost: i32) -> bool {
        match &truth.kind {
            ExprKind::Compare(_, a, _) => self.spend_on(a.ty, cost),
            ExprKind::And(a, _) | ExprKind::Or(a, _) | ExprKind::Unary(_, a) => self.spend_on_truth(a, cost),
            _ => self.spend(cost),
        }
    }

    fn statements(&mut self, statements: &'a [Statement]) -> bool {
        statements.iter().all(|statement| self.statement(statement))
    }

    fn block(&mut self, block: &'a Block) -> bool {
        self.statements(&block.statements)
    }

    fn statement(&mut self, statement: &'a Statement) -> bool {
        match &statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Declare { local, initializer } => {
                !self.locals.in_memory[local.0 as usize] && initializer.as_ref().is_none_or(|e| self.expression(e))
            }
            StatementKind::Expression(expr) => self.expression(expr),
            StatementKind::If { condition, then, otherwise } => {
                is_vector(self.shared.layouts.types, condition)
                    && self.spend_on_truth(condition, 2)
                    && self.expression(condition)
                    && self.given(condition, |this| this.branches(then, otherwise))
            }
            StatementKind::Switch { value, arms } => {
                is_vector(self.shared.layouts.types, value)
                    && arms.iter().all(|arm| self.spend_on(value.ty, 1 + arm.labels.len() as i32) && self.block(&arm.body))
                    && self.expression(value)
            }
            // Jumps of lanes are arithmetic on masks.
            StatementKind::Break | StatementKind::Continue => self.context > 1 && self.spend(2),
            StatementKind::Return(value) => {
                self.context > 1
                    && match value {
                        Some(value) => self.spend_on(value.ty, 3) && self.is_vector(value.ty) && self.expression(value),
                        None => self.spend(3),
                    }
            }
            StatementKind::Loop { .. }
            | StatementKind::Foreach { .. }
            | StatementKind::ForeachActive { .. }
            | StatementKind::ForeachUnique { .. }
            | StatementKind::Scalar(_)
            | StatementKind::Delete(..) => false,
        }
    }

    /// Both branches of an `if`.
    fn branches(&mut self, then: &'a Block, otherwise: &'a Block) -> bool {
        let outer = self.stored.len();
        [(then, otherwise), (otherwise, then)].into_iter().all(|(branch, other)| {
            self.stored.extend(stored(&other.statements, self.locals));
            let is_cheap = self.block(branch);
            self.stored.truncate(outer);
            is_cheap
        })
    }

    /// Have all leaves the length of the mask?
    fn is_vector(&self, ty: crate::types::Type) -> bool {
        let leaves = self.shared.layouts.leaves(ty);
        self.context > 1 && leaves.iter().all(|leaf| leaf.ty.length == self.context)
    }

    /// What runs only where an expression was evaluated.
    fn given(&mut self, expr: &'a Expr, is_cheap: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.present.len();
        self.present.extend(evaluated(expr, self.locals));
        let is_cheap = is_cheap(self);
        self.present.truncate(before);
        is_cheap
    }

    fn all(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> bool {
        exprs.into_iter().all(|expr| self.expression(expr))
    }

    fn expression(&mut self, expr: &'a Expr) -> bool {
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
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Broadcast(a) => {
                self.spend_on(expr.ty, 1) && self.expression(a)
            }
            ExprKind::Binary(op, a, b) => {
                let float = self.shared.layouts.types.element(a.ty).is_some_and(|e| e.is_float());
                binary_cost(*op, float).is_some_and(|cost| self.spend_on(a.ty, cost)) && self.expression(a) && self.expression(b)
            }
            ExprKind::Compare(_, a, b) | ExprKind::PointerOffset(a, b) => {
                self.spend_on(a.ty, 1) && self.expression(a) && self.expression(b)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.spend_on_truth(a, 1) && self.expression(a) && self.given(a, |this| this.expression(b))
            }
            ExprKind::Blend(a, b) => self.spend_on(a.ty, 2) && self.expression(a) && self.elsewhere(b),
            ExprKind::Conditional(a, b, c) => {
                self.spend_on(b.ty, 1) && self.expression(a) && self.given(a, |this| this.expression(b) && this.expression(c))
            }
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
                let is_part = callee.context == self.context && self.context > 1 && callee.inlining == Inlining::Allowed;
                let Some(body) = callee.body.as_ref().filter(|_| is_part) else { return false };
                let caller = std::mem::replace(&mut self.locals, &self.shared.locals[function.0 as usize]);
                let present = std::mem::take(&mut self.present);
                let cheap = self.spend(1) && self.block(body);
                (self.locals, self.present) = (caller, present);
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
    fn elsewhere(&mut self, expr: &'a Expr) -> bool {
        let before = std::mem::replace(&mut self.elsewhere, true);
        let cheap = self.expression(expr);
        self.elsewhere = before;
        cheap
    }

    /// A load that needs no active lane.
    fn load(&mut self, place: &'a Place) -> bool {
        if !self.elsewhere && self.present.iter().any(|other| is_same_place(place, other, self.locals)) {
            return self.spend(1);
        }
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
    fn store(&mut self, place: &'a Place) -> bool {
        if self.elsewhere || !self.is_vector(place.ty) {
            return false;
        }
        let leaves = self.shared.layouts.leaves(place.ty);
        let is_stored = self.stored.iter().any(|other| is_same_place(place, other, self.locals)) && !self.shared.options.check;
        match self.kind(place) {
            Access::Register => self.spend(leaves.len() as i32),
            Access::Other if is_stored && self.is_contiguous(place) => self.spend(2 * leaves.len() as i32) && self.address(place),
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
    fn address(&mut self, place: &'a Place) -> bool {
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
            LaneOp::MulHigh | LaneOp::MulRoundHigh | LaneOp::Scale | LaneOp::InBlocks { .. } => 4,
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
