//! Statements, and the jumps that take lanes away.
//!
//! # Jumps (language.md §3; the paper has none)
//! A jump moves the lanes of P into a set of its [`Target`] and leaves P empty, so that E-SEQF skips what follows:
//!
//! ```text
//! break      left(loop)     := left or P
//! continue   skipped(loop)  := skipped or P
//! return e   result         := e in the lanes of P;   left(t) := left or P  for the function and all loops in it
//! ```
//! Where P is restored (E-OUTSCOPE, behind the branches of an `if`, behind a loop), the lanes that are in one of the sets of
//! the innermost target stay away. A round of a loop begins with the lanes that have not left it.
//!
//! A jump in context 1 whose target has lanes (`scalar { break; }`) is a jump of all of them. A jump of lanes out of a
//! region in context 1 (`scalar { if (v < 0) break; }`) leaves the region running, and the lanes are away behind it.

use super::{FaultKind, Interpreter, Lanes, Result, Value};
use crate::source::Span;
use crate::target::Memory;
use crate::typed::ir::{Block, Constant, Expr, ForeachIndex, LocalId, Statement, StatementKind, SwitchArm};
use crate::types::Element;

/// What a jump can leave.
pub(super) struct Target {
    /// The lanes that have jumped behind it.
    left: Lanes,
    /// The lanes that have jumped to the end of the round.
    skipped: Lanes,
    /// Did a jump in context 1 take all lanes?
    all_left: bool,
    all_skipped: bool,
    /// Is it a `switch`, which `continue` leaves for the loop around it?
    is_switch: bool,
}

impl Target {
    /// A target whose body has this context.
    pub fn new(length: u8) -> Target {
        let none = Lanes::none(length);
        Target { left: none, skipped: none, all_left: false, all_skipped: false, is_switch: false }
    }

    /// A new round begins.
    fn begin_round(&mut self) {
        (self.skipped, self.all_skipped) = (Lanes::none(self.left.length()), false);
    }

    /// The lanes among these that take part in another round.
    fn remaining(&self, lanes: Lanes) -> Lanes {
        if self.all_left { Lanes::none(lanes.length()) } else { lanes.without(self.left) }
    }

    /// The lanes among these that have not jumped.
    fn still_here(&self, lanes: Lanes) -> Lanes {
        if self.all_left || self.all_skipped {
            Lanes::none(lanes.length())
        } else {
            lanes.without(self.left).without(self.skipped)
        }
    }

    /// Adds the lanes of a jump under `mask` to one of the sets.
    fn take(mask: Lanes, lanes: &mut Lanes, all: &mut bool) {
        if mask.length() == lanes.length() {
            *lanes = lanes.or(mask);
        } else if mask.length() == 1 {
            *lanes = Lanes::all(lanes.length());
            *all = true;
        }
    }
}

/// Which jump.
#[derive(Clone, Copy, PartialEq)]
enum Jump {
    Break,
    Continue,
}

impl Interpreter<'_> {
    /// A block in its scope. P is afterwards that of the lanes that are still here.
    pub(super) fn e_seq(&mut self, block: &Block) -> Result<()> {
        for statement in &block.statements {
            // E-SEQF, E-SCOPEF: where no lane is on, nothing is executed.
            if self.frame.mask.is_none() {
                break;
            }
            let length = self.frame.mask.length();
            self.sound(length == block.context, statement.span, || {
                format!("the mask has {length} lanes in a context of length {}", block.context)
            })?;
            self.step(statement.span)?;
            self.statement(statement)?;
        }
        // E-OUTSCOPE: what was declared here is gone.
        for statement in &block.statements {
            if let StatementKind::Declare { local, .. } = statement.kind {
                self.e_outscope(local);
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Block(block) => self.e_seq(block)?,
            StatementKind::Declare { local, initializer } => {
                let value = initializer.as_ref().map(|e| self.expression(e)).transpose()?;
                self.e_decll(*local, value.clone(), span)?;
                if let (Some(initializer), Some(value)) = (initializer, &value) {
                    self.remember_origin(*local, initializer, value)?;
                }
            }
            // E-EXPRSTMT
            StatementKind::Expression(e) => drop(self.expression(e)?),
            StatementKind::If { condition, then, otherwise } => self.e_if(condition, then, otherwise)?,
            StatementKind::Loop { test_first, unrolling: _, condition, step, body } => {
                self.e_while(*test_first, condition.as_ref(), step.as_ref(), body)?;
            }
            StatementKind::Foreach { parallel: _, unrolling: _, indices, body } => self.e_foreach(indices, body)?,
            StatementKind::ForeachActive { index, body } => self.e_foreach_active(*index, body)?,
            StatementKind::ForeachUnique { local, value, body } => self.e_foreach_unique(*local, value, body)?,
            StatementKind::Switch { value, arms } => self.e_switch(value, arms)?,
            StatementKind::Scalar(block) => {
                let saved = std::mem::replace(&mut self.frame.mask, Lanes::all(1));
                self.e_seq(block)?;
                self.restore(saved);
            }
            StatementKind::Break => self.e_jump(Jump::Break),
            StatementKind::Continue => self.e_jump(Jump::Continue),
            StatementKind::Return(value) => self.e_return(value.as_ref())?,
            StatementKind::Delete(_, pointer) => self.e_delete(pointer)?,
        }
        Ok(())
    }

    // ---- Scopes ---------------------------------------------------------------------------------------------------

    /// E-DECLL and E-INIT: an object comes to life; its first value is stored to all lanes, whatever P.
    pub(super) fn e_decll(&mut self, local: LocalId, value: Option<Value>, span: Span) -> Result<()> {
        let declared = &self.program.functions[self.frame.function.0 as usize].locals[local.0 as usize];
        let (ty, is_scratch) = (declared.ty, declared.alignment > 1);
        self.e_outscope(local);
        let size = self.program.types.size(ty);
        if self.limits.bytes.is_some_and(|limit| self.memory.size().saturating_add(size) > limit) {
            return self.fault(FaultKind::Limit, "too much memory", span, None);
        }
        let address = self.memory.allocate(size);
        self.frame.addresses[local.0 as usize] = Some(address);
        // Schedules compute points beyond their windows from what nobody set; functions may look at it.
        if is_scratch {
            self.memory.set_to_something(address);
        }
        if let Some(value) = value {
            self.sound(value.ty == ty, span, || "an initial value has not the type of its variable".into())?;
            self.memory.write(address, &value).or_else(|m| self.misuse(m, span, None))?;
        }
        Ok(())
    }

    /// E-OUTSCOPE: the object of a local dies.
    pub(super) fn e_outscope(&mut self, local: LocalId) {
        if let Some(address) = self.frame.addresses[local.0 as usize].take() {
            let freed = self.memory.free(address);
            debug_assert!(freed.is_ok(), "a local is alive until its scope ends");
        }
    }

    /// P := the saved mask, without the lanes that have jumped in between.
    fn restore(&mut self, saved: Lanes) {
        let target = self.frame.targets.last().expect("the function is a target");
        let is_whole = target.all_left || target.all_skipped;
        self.frame.mask = if saved.length() == target.left.length() {
            saved.without(target.left).without(target.skipped)
        } else if is_whole || (target.left.length() == 1 && !target.left.or(target.skipped).is_none()) {
            Lanes::none(saved.length())
        } else {
            saved
        };
    }

    // ---- Jumps ----------------------------------------------------------------------------------------------------

    fn e_jump(&mut self, jump: Jump) {
        let mask = self.frame.mask;
        match jump {
            Jump::Break => {
                let target = self.frame.targets.last_mut().expect("a jump stands in a loop or `switch`");
                Target::take(mask, &mut target.left, &mut target.all_left);
            }
            // The `switch`es inside of the loop are left, too.
            Jump::Continue => {
                let targets = &mut self.frame.targets;
                let target = targets.iter().rposition(|target| !target.is_switch).expect("a `continue` stands in a loop");
                for target in &mut targets[target..] {
                    Target::take(mask, &mut target.skipped, &mut target.all_skipped);
                }
            }
        }
        self.frame.mask = Lanes::none(mask.length());
    }

    /// E-RETURN
    fn e_return(&mut self, value: Option<&Expr>) -> Result<()> {
        let value = value.map(|e| self.expression(e)).transpose()?;
        let mask = self.frame.mask;
        if let Some(value) = value {
            self.sound(value.ty == self.frame.result.ty, Span::default(), || "a result has another type".into())?;
            // In a scalar region all lanes return; those that have returned before keep their results.
            let before = self.frame.targets[0].left;
            let fresh = Lanes::all(before.length()).without(before);
            for leaf in self.layouts.leaves(value.ty).iter() {
                for lane in 0..leaf.length {
                    let returns =
                        if mask.length() == 1 { fresh.governs(leaf.length, lane) } else { mask.governs(leaf.length, lane) };
                    if returns || leaf.length == 1 {
                        self.frame.result.set_lane(leaf, lane, value.lane(leaf, lane));
                    }
                }
            }
        }
        for target in &mut self.frame.targets {
            Target::take(mask, &mut target.left, &mut target.all_left);
        }
        self.frame.mask = Lanes::none(mask.length());
        Ok(())
    }

    // ---- Conditions -----------------------------------------------------------------------------------------------

    /// The lanes of P (of all lanes, where a condition in context 1 opens a context) for which a condition holds.
    pub(super) fn lanes_where(&self, condition: &Value, span: Span) -> Result<Lanes> {
        let leaf = self.layouts.leaf(condition.ty);
        let active = if self.frame.mask.length() == 1 { Lanes::all(leaf.length) } else { self.frame.mask };
        let mut holds = Lanes::none(leaf.length);
        for lane in active.iter() {
            if self.decided(condition.lane(&leaf, lane), span, Some(lane).filter(|_| leaf.length > 1))? != 0 {
                holds = holds.or(Lanes::of(leaf.length, |l| l == lane));
            }
        }
        Ok(holds)
    }

    /// Is this condition of length 1? Is it true?
    pub(super) fn scalar_condition(&self, condition: &Value, span: Span) -> Result<Option<bool>> {
        let leaf = self.layouts.leaf(condition.ty);
        if leaf.length > 1 {
            return Ok(None);
        }
        Ok(Some(self.decided(condition.lane(&leaf, 0), span, None)? != 0))
    }

    /// E-IF. A scalar condition "degenerates to standard IMP" (E-IFT, E-IFF).
    fn e_if(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> Result<()> {
        let value = self.expression(condition)?;
        if let Some(holds) = self.scalar_condition(&value, condition.span)? {
            return self.e_seq(if holds { then } else { otherwise });
        }
        let saved = self.frame.mask;
        let holds = self.lanes_where(&value, condition.span)?;
        let all = if saved.length() == 1 { Lanes::all(holds.length()) } else { saved };
        // {s1} under P and m, then s2 under P and not m, of which s1 can have taken no lane.
        for (mask, branch) in [(holds, then), (all.without(holds), otherwise)] {
            if !mask.is_none() {
                self.frame.mask = mask;
                self.e_seq(branch)?;
            }
            // A jump of all lanes in the first branch leaves nobody for the second one.
            self.restore(saved);
            if self.frame.mask.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// E-SWITCH: one arm after the other, each with the lanes that come from the one before it and those that enter at its label.
    fn e_switch(&mut self, value: &Expr, arms: &[SwitchArm]) -> Result<()> {
        let saved = self.frame.mask;
        let context = arms.first().map_or(saved.length(), |arm| arm.body.context);
        let all = if context == saved.length() { saved } else { Lanes::all(context) };
        let number = self.expression(value)?;
        let leaf = self.layouts.leaf(number.ty);
        let mut entries = vec![Lanes::none(context); arms.len()];
        // A scalar has one number for all lanes.
        let numbers: Vec<(u8, Lanes)> = match leaf.length {
            1 => vec![(0, all)],
            _ => all.iter().map(|lane| (lane, Lanes::of(context, |l| l == lane))).collect(),
        };
        for (lane, lanes) in numbers {
            let bits = self.decided(number.lane(&leaf, lane), value.span, Some(lane).filter(|_| leaf.length > 1))?;
            let labelled = arms.iter().position(|arm| arm.labels.iter().any(|label| is_label(*label, bits)));
            if let Some(arm) = labelled.or_else(|| arms.iter().position(|arm| arm.is_default)) {
                entries[arm] = entries[arm].or(lanes);
            }
        }
        self.frame.targets.push(Target { is_switch: true, ..Target::new(context) });
        let mut falling = Lanes::none(context);
        for (arm, entry) in arms.iter().zip(entries) {
            let target = self.frame.targets.last().expect("a switch is a target");
            self.frame.mask = target.still_here(falling.or(entry));
            // E-SEQF: nothing is executed where no lane is on.
            self.e_seq(&arm.body)?;
            falling = self.frame.mask;
        }
        self.frame.targets.pop();
        self.restore(saved);
        Ok(())
    }

    // ---- Loops ----------------------------------------------------------------------------------------------------

    /// E-WHILE and its sugar. A loop that a jump of lanes has vectorised starts with all lanes on.
    fn e_while(&mut self, test_first: bool, condition: Option<&Expr>, step: Option<&Expr>, body: &Block) -> Result<()> {
        let saved = self.frame.mask;
        let mut live = if body.context == saved.length() { saved } else { Lanes::all(body.context) };
        self.frame.targets.push(Target::new(body.context));
        let mut is_first = true;
        while !live.is_none() {
            self.step(condition.map_or(body.statements.first().map_or(Span::default(), |s| s.span), |c| c.span))?;
            self.frame.mask = live;
            if let Some(condition) = condition.filter(|_| test_first || !is_first) {
                live = self.still_true(condition, live)?;
                if live.is_none() {
                    break;
                }
            }
            is_first = false;
            live = self.round(body, live)?;
            if live.is_none() {
                break;
            }
            self.frame.mask = live;
            if let Some(step) = step {
                self.expression(step)?;
            }
        }
        self.frame.targets.pop();
        self.restore(saved);
        Ok(())
    }

    /// The lanes that go on with a loop.
    fn still_true(&mut self, condition: &Expr, live: Lanes) -> Result<Lanes> {
        let value = self.expression(condition)?;
        match self.scalar_condition(&value, condition.span)? {
            Some(true) => Ok(live),
            Some(false) => Ok(Lanes::none(live.length())),
            None => self.lanes_where(&value, condition.span),
        }
    }

    /// A round of the innermost loop with these lanes; those that take part in the next one.
    fn round(&mut self, body: &Block, lanes: Lanes) -> Result<Lanes> {
        self.frame.targets.last_mut().expect("a round of a loop").begin_round();
        self.frame.mask = lanes;
        self.e_seq(body)?;
        Ok(self.frame.targets.last().expect("a round of a loop").remaining(lanes))
    }

    /// `foreach (…) s`: the first index is the innermost loop; the lanes of a block index are low + k·N + lane, those
    /// below high. A lane that breaks is gone for good.
    fn e_foreach(&mut self, indices: &[ForeachIndex], body: &Block) -> Result<()> {
        let saved = self.frame.mask;
        let mut bounds = Vec::new();
        for index in indices {
            let mut ends = [0i128; 2];
            for (end, e) in ends.iter_mut().zip([&index.low, &index.high]) {
                let value = self.expression(e)?;
                let leaf = self.layouts.leaf(value.ty);
                let bits = self.decided(value.lane(&leaf, 0), e.span, None)?;
                *end = super::arithmetic::integer(leaf.element.expect("a bound is a number"), bits);
            }
            bounds.push((index.local, ends));
        }
        let live = if body.context == saved.length() { saved } else { Lanes::all(body.context) };
        self.frame.targets.push(Target::new(body.context));
        self.nest(&bounds, body, live)?;
        self.frame.targets.pop();
        self.restore(saved);
        Ok(())
    }

    /// The loops of the indices, the last one outermost.
    fn nest(&mut self, indices: &[(LocalId, [i128; 2])], body: &Block, lanes: Lanes) -> Result<()> {
        let Some((&(local, [low, high]), inner)) = indices.split_last() else {
            let target = self.frame.targets.last().expect("a foreach is a target");
            let lanes = target.remaining(lanes);
            if !lanes.is_none() {
                self.round(body, lanes)?;
            }
            return Ok(());
        };
        let variable = &self.program.functions[self.frame.function.0 as usize].locals[local.0 as usize];
        let (ty, span) = (variable.ty, variable.span);
        let leaf = self.layouts.leaf(ty);
        let element = leaf.element.expect("an index is a number");
        let mut first = low;
        while first < high {
            let target = self.frame.targets.last().expect("a foreach is a target");
            if target.remaining(lanes).is_none() {
                break;
            }
            self.step(span)?;
            let number = |lane: u8| super::arithmetic::wrapped(element, first + i128::from(lane));
            let value = self.layouts.vector(ty, |lane| super::Lane::set(number(lane)));
            self.e_decll(local, Some(value), span)?;
            let within =
                if leaf.length > 1 { lanes.and(Lanes::of(leaf.length, |lane| first + i128::from(lane) < high)) } else { lanes };
            self.nest(inner, body, within)?;
            first += i128::from(leaf.length);
        }
        self.e_outscope(local);
        Ok(())
    }

    /// `foreach_active (int k) s`: s in context 1 for each active lane, in ascending order.
    fn e_foreach_active(&mut self, index: LocalId, body: &Block) -> Result<()> {
        let saved = self.frame.mask;
        let variable = &self.program.functions[self.frame.function.0 as usize].locals[index.0 as usize];
        let (ty, span) = (variable.ty, variable.span);
        self.frame.targets.push(Target::new(1));
        for lane in saved.iter() {
            self.step(span)?;
            let number = self.layouts.vector(ty, |_| super::Lane::set(lane.into()));
            self.e_decll(index, Some(number), span)?;
            if self.round(body, Lanes::all(1))?.is_none() {
                break;
            }
        }
        self.e_outscope(index);
        self.frame.targets.pop();
        self.restore(saved);
        Ok(())
    }

    /// `foreach_unique (T u : v) s`: s once for each value that an active lane of v has, in the order of the first lanes,
    /// under the mask of the lanes that have it. A NaN equals nothing; its lane has a round of its own.
    fn e_foreach_unique(&mut self, local: LocalId, vector: &Expr, body: &Block) -> Result<()> {
        let saved = self.frame.mask;
        let value = self.expression(vector)?;
        let leaf = self.layouts.leaf(value.ty);
        let ty = self.program.functions[self.frame.function.0 as usize].locals[local.0 as usize].ty;
        self.frame.targets.push(Target::new(body.context));
        let mut rest = saved;
        while let Some(first) = rest.iter().next() {
            self.step(vector.span)?;
            let lane = |lane: u8| self.decided(value.lane(&leaf, leaf.clamp(lane)), vector.span, Some(lane));
            let unique = lane(first)?;
            let mut same = Lanes::none(saved.length());
            for other in rest.iter() {
                let is_equal = super::arithmetic::compare(crate::typed::ir::CompareOp::Equal, leaf.element, lane(other)?, unique);
                if is_equal || other == first {
                    same = same.or(Lanes::of(saved.length(), |l| l == other));
                }
            }
            let number = self.layouts.vector(ty, |_| super::Lane::set(unique));
            self.e_decll(local, Some(number), vector.span)?;
            self.round(body, same)?;
            if self.frame.targets.last().expect("a loop is a target").all_left {
                break;
            }
            rest = rest.without(same);
        }
        self.e_outscope(local);
        self.frame.targets.pop();
        self.restore(saved);
        Ok(())
    }

    // ---- Memory ---------------------------------------------------------------------------------------------------

    /// `delete p;`: what each active lane's pointer leads to dies; null leads nowhere.
    fn e_delete(&mut self, pointer: &Expr) -> Result<()> {
        let value = self.expression(pointer)?;
        let leaf = self.layouts.leaf(value.ty);
        for lane in (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane)).collect::<Vec<_>>() {
            let number = Some(lane).filter(|_| leaf.length > 1);
            let address = self.decided(value.lane(&leaf, lane), pointer.span, number)?;
            if address != 0 {
                self.memory.free(address).or_else(|m| self.misuse(m, pointer.span, number))?;
            }
        }
        Ok(())
    }

    /// `new T[n]`: unset memory for n elements, for each active lane where n is a vector. That of `scratch` is set to something.
    pub(super) fn e_new(&mut self, memory: Memory, counts: &[Expr], ty: crate::types::Type, span: Span) -> Result<Value> {
        let size = self.scale(ty);
        let values = counts.iter().map(|count| self.expression(count)).collect::<Result<Vec<_>>>()?;
        let leaf = self.layouts.leaf(values[0].ty);
        let mut addresses = vec![super::Lane::UNSET; usize::from(leaf.length)];
        for lane in 0..leaf.length {
            if !self.frame.mask.governs(leaf.length, lane) {
                continue;
            }
            let number = Some(lane).filter(|_| leaf.length > 1);
            let mut numbers = Vec::new();
            for (value, count) in values.iter().zip(counts) {
                let bits = self.decided(value.lane(&leaf, lane), count.span, number)?;
                numbers.push(super::arithmetic::integer(Element::Int64, bits));
            }
            // Beyond 2¹²⁷ nothing fits, unless a number is 0.
            let product = numbers.iter().try_fold(i128::from(size), |product, &n| product.checked_mul(n));
            let bytes = if numbers.contains(&0) { 0 } else { product.unwrap_or(i128::MAX) };
            if !(0..=i128::from(super::MAX_OBJECT)).contains(&bytes) {
                let numbers: Vec<String> = numbers.iter().map(i128::to_string).collect();
                let message = format!("no memory for {} elements of {size} bytes", numbers.join(" × "));
                return self.fault(FaultKind::Limit, message, span, number);
            }
            let address = self.memory.allocate(bytes as u64);
            if memory == Memory::Scratch {
                self.memory.set_to_something(address);
            }
            addresses[usize::from(lane)] = super::Lane::set(address);
        }
        Ok(self.layouts.vector(ty, |lane| addresses[usize::from(leaf.clamp(lane))]))
    }
}

/// Is a label of a `switch` this number?
fn is_label(label: Constant, bits: u64) -> bool {
    match label {
        Constant::Int(number) => number == bits,
        Constant::Bool(truth) => u64::from(truth) == bits,
        Constant::Float(_) | Constant::Null => false,
    }
}
