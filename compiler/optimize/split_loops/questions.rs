//! Which questions of a loop about its counter are answered, and for which rounds.

use super::super::areas::InnerCounter;
use super::super::counted_loop::{CountedLoop, inner_counter};
use super::super::loop_checks::is_pure;
use super::DEPTH;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many questions of a loop are answered.
const MAX_QUESTIONS: usize = 64;
/// The counter, and what a loop does not change, count by at most this in what is compared.
const MAX_FACTOR: i64 = 64;
/// Constants of what is compared are no greater.
const MAX_CONSTANT: i64 = 1 << 32;
/// A branch that decides about more instructions costs lanes that do both ways.
const LEAST_WORK: usize = 8;

/// A number of 32 bits that is, modulo 2³², the counter by a factor, what the loop does not change and counters of loops inside by factors, and a constant.
/// In later lanes it is more by the same from lane to lane.
#[derive(Clone, PartialEq)]
pub(super) struct Form {
    /// The factor of the counter.
    pub(super) growth: i64,
    /// By how much the last lane is more than the first one.
    pub(super) spread: i64,
    /// What the loop does not change and counters of loops inside, each once and in order.
    pub(super) outer: Vec<(Value, i64)>,
    pub(super) constant: i64,
}

impl Form {
    pub(super) fn constant(constant: i64) -> Form {
        Form { growth: 0, spread: 0, outer: Vec::new(), constant }
    }

    /// The sum with so many times another one.
    fn plus(mut self, other: &Form, factor: i64) -> Option<Form> {
        let of = |a: i64, b: i64| a.checked_add(b.checked_mul(factor)?);
        self.growth = of(self.growth, other.growth)?;
        self.spread = of(self.spread, other.spread).filter(|spread| spread.abs() <= MAX_CONSTANT)?;
        self.constant = of(self.constant, other.constant).filter(|constant| constant.abs() <= MAX_CONSTANT)?;
        for &(value, times) in &other.outer {
            match self.outer.iter_mut().find(|(known, _)| *known == value) {
                Some((_, known)) => *known = of(*known, times)?,
                None => self.outer.push((value, of(0, times)?)),
            }
        }
        self.outer.retain(|&(_, times)| times != 0);
        self.outer.sort_unstable();
        let factors = self.outer.iter().map(|&(_, times)| times).chain([self.growth]);
        factors.into_iter().all(|times| times.abs() <= MAX_FACTOR).then_some(self)
    }
}

/// In which rounds a number is on one side of another one that the loop does not change.
pub(super) struct Bound {
    /// The number; of those that differ in their constants the one that is furthest.
    pub(super) form: Form,
    pub(super) signed: bool,
    /// The other one; 0 where there is none.
    pub(super) than: Option<Value>,
    /// Is the number at least that, or at most?
    pub(super) is_least: bool,
}

/// Where a number is the same modulo 2³² and as a number.
pub(super) struct Unwrapped {
    /// Without its constant.
    pub(super) form: Form,
    pub(super) signed: bool,
    /// Of all constants that are added.
    pub(super) least: i64,
    pub(super) most: i64,
}

/// A quotient that is what it is in the middle of the loop, or the remainder.
pub(super) struct Quotient {
    pub(super) form: Form,
    pub(super) signed: bool,
    pub(super) dividend: Value,
    pub(super) divisor: Value,
    pub(super) value: Value,
    pub(super) is_remainder: bool,
}

/// What is known in the rounds between.
#[derive(Default)]
pub(super) struct Answers {
    /// The counters of loops inside.
    pub(super) inner: FxHashMap<Value, InnerCounter>,
    /// Comparisons.
    pub(super) decided: FxHashMap<Value, bool>,
    /// Choices of one of several values, and which it is.
    pub(super) same: FxHashMap<Value, Value>,
    pub(super) bounds: Vec<Bound>,
    pub(super) unwrapped: Vec<Unwrapped>,
    pub(super) quotients: Vec<Quotient>,
}

impl Answers {
    fn resolved(&self, mut value: Value) -> Value {
        while let Some(&same) = self.same.get(&value) {
            value = same;
        }
        value
    }

    fn count(&self) -> usize {
        self.decided.len() + self.same.len() + self.quotients.len()
    }
}

/// What leads to each block in the rounds between: the arguments of each way.
type Ways = FxHashMap<Block, Vec<Vec<Value>>>;

/// The loop whose questions are looked at.
struct Loop<'f> {
    function: &'f Function,
    around: &'f CountedLoop,
    /// What the limit of the counter is made of.
    limit: FxHashSet<Value>,
    answers: Answers,
}

/// The answers that are worth to be known; `None` if there are none.
pub(super) fn answers(function: &Function, graph: &Graph, around: &CountedLoop) -> Option<Answers> {
    let mut limit = FxHashSet::default();
    collect(function, around.counter.limit, DEPTH, &mut limit);
    let mut of = Loop { function, around, limit, answers: Answers::default() };
    let inside = around.all.iter().filter(|&&block| block != around.header);
    let counters = inside.filter_map(|&block| inner_counter(function, graph, block, |value| of.is_outer(value)));
    of.answers.inner = counters.map(|counter| (counter.value, counter)).collect();
    if let Terminator::Branch { condition, .. } = &function.blocks[around.header.0 as usize].terminator {
        of.answers.decided.insert(*condition, true);
    }
    let ways = loop {
        let known = of.answers.count();
        let ways = of.ways();
        of.look(&ways);
        if of.answers.count() == known || known > MAX_QUESTIONS {
            break ways;
        }
    };
    let is_known = of.answers.count() <= 2 * MAX_QUESTIONS && !(of.answers.bounds.is_empty() && of.answers.quotients.is_empty());
    (is_known && of.is_worth_it(graph, &ways)).then_some(of.answers)
}

/// A value, and what it is computed from.
fn collect(function: &Function, value: Value, depth: u32, found: &mut FxHashSet<Value>) {
    let is_constant = matches!(function.definition(value), Some(Op::Const(_)));
    if !is_constant
        && found.insert(value)
        && depth > 0
        && let Some(op) = function.definition(value).filter(|op| is_pure(op))
    {
        op.for_each(|operand| collect(function, operand, depth - 1, found));
    }
}

impl Loop<'_> {
    /// The blocks that the rounds between come to.
    fn ways(&self) -> Ways {
        let mut ways = Ways::default();
        let first = self.function.blocks[self.around.header.0 as usize].terminator.targets().next();
        let mut open: Vec<_> = first.into_iter().map(|target| (target.block, target.arguments.clone())).collect();
        while let Some((block, arguments)) = open.pop() {
            let known = ways.entry(block).or_default();
            known.push(arguments);
            if known.len() > 1 {
                continue;
            }
            let terminator = &self.function.blocks[block.0 as usize].terminator;
            let goes = match terminator {
                Terminator::Branch { condition, .. } => self.decided(*condition),
                _ => None,
            };
            let is_taken = |(at, target): (usize, &Target)| {
                let is_taken = goes.is_none_or(|goes| goes == (at == 0)) && target.block != self.around.header;
                is_taken.then(|| (target.block, target.arguments.clone()))
            };
            open.extend(terminator.targets().enumerate().filter_map(is_taken));
        }
        ways
    }

    /// What a condition is, or a mask in all lanes, if that is known.
    fn decided(&self, condition: Value) -> Option<bool> {
        let condition = self.answers.resolved(condition);
        if let Some(&decided) = self.answers.decided.get(&condition) {
            return Some(decided);
        }
        let get = |value: Value| self.decided(value);
        match *self.function.definition(condition)? {
            Op::Const(ref bits) => bits.iter().all(|&lane| lane == bits[0]).then(|| bits[0] != 0),
            Op::Any(mask) | Op::All(mask) => get(mask),
            Op::Unary(UnaryOp::Not, a) => get(a).map(|a| !a),
            Op::Unary(UnaryOp::Likely, a) => get(a),
            Op::Binary(BinaryOp::And, a, b) => match (get(a), get(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => a.and(b),
            },
            Op::Binary(BinaryOp::Or, a, b) => match (get(a), get(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => a.and(b),
            },
            _ => None,
        }
    }

    /// Looks at what is not known yet.
    fn look(&mut self, ways: &Ways) {
        for &block in self.around.all.iter().filter(|block| ways.contains_key(block)) {
            let data = &self.function.blocks[block.0 as usize];
            for (at, &parameter) in data.parameters.iter().enumerate() {
                let mut handed = ways[&block].iter().map(|arguments| self.answers.resolved(arguments[at]));
                let first = handed.next().filter(|first| handed.all(|other| other == *first));
                if let Some(first) = first {
                    self.answers.same.insert(parameter, first);
                }
            }
            for &inst in &data.insts {
                let InstData { op, results, .. } = &self.function.insts[inst.0 as usize];
                if let [value] = results[..]
                    && self.answers.bounds.len() + self.answers.quotients.len() < MAX_QUESTIONS
                    && self.answers.resolved(value) == value
                    && !self.answers.decided.contains_key(&value)
                {
                    self.ask(op, value);
                }
            }
        }
    }

    /// `None` where nothing is to be asked.
    fn ask(&mut self, op: &Op, value: Value) -> Option<()> {
        match *op {
            Op::Select(condition, a, b) => {
                if let Some(goes) = self.decided(condition) {
                    let same = self.answers.resolved(if goes { a } else { b });
                    self.answers.same.insert(value, same);
                }
            }
            Op::Compare(op, a, b) => {
                if let Some(decided) = self.compared(op, a, b) {
                    self.answers.decided.insert(value, decided);
                }
            }
            Op::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMin | BinaryOp::UMax), a, b) => {
                let signed = matches!(op, BinaryOp::SMin | BinaryOp::SMax);
                let is_greatest = matches!(op, BinaryOp::SMax | BinaryOp::UMax);
                for (a, b) in [(a, b), (b, a)] {
                    if let Some((form, difference)) = self.sides(a, b) {
                        let [number, than] = [a, b].map(|value| self.answers.resolved(value));
                        let is_above = self.is_above(&form, &difference, false)? == (form.growth > 0);
                        self.bound(form, signed, than, 0, is_above)?;
                        self.answers.same.insert(value, if is_above == is_greatest { number } else { than });
                        break;
                    }
                }
            }
            Op::Unary(UnaryOp::Abs, a) => {
                if let Some(form) = self.form(a, DEPTH).filter(|form| form.growth != 0) {
                    let same = self.answers.resolved(a);
                    self.unwrapped(&form, true);
                    self.push(form, true, None, true);
                    self.answers.same.insert(value, same);
                }
            }
            Op::Binary(op @ (BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem), dividend, divisor) => {
                let divisor = self.uniform(divisor)?;
                let is_long = self.function.signed_constant(divisor).is_none_or(|divisor| divisor >= 256);
                // A counter that is divided as it is goes through many rows.
                let is_shifted = |form: &Form| form.growth != 0 && (form.constant != 0 || !form.outer.is_empty());
                let form = self.form(dividend, DEPTH).filter(is_shifted);
                if let Some(form) = form
                    && is_long
                {
                    let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
                    let is_remainder = matches!(op, BinaryOp::SRem | BinaryOp::URem);
                    self.unwrapped(&form, signed);
                    let dividend = self.answers.resolved(dividend);
                    if !self.answers.quotients.iter().any(|known| known.value == value) {
                        self.answers.quotients.push(Quotient { form, signed, dividend, divisor, value, is_remainder });
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// What a comparison says in the rounds between.
    fn compared(&mut self, op: CompareOp, a: Value, b: Value) -> Option<bool> {
        use CompareOp::*;
        let signed = match op {
            SLt | SLe | SGt | SGe | Eq | Ne => true,
            ULt | ULe | UGt | UGe => false,
            _ => return None,
        };
        let (op, form, difference, than) = match self.sides(a, b) {
            Some((form, difference)) => (op, form, difference, b),
            None => {
                let (form, difference) = self.sides(b, a)?;
                let turned = match op {
                    SLt => SGt,
                    SLe => SGe,
                    SGt => SLt,
                    SGe => SLe,
                    ULt => UGt,
                    ULe => UGe,
                    UGt => ULt,
                    UGe => ULe,
                    other => other,
                };
                (turned, form, difference, a)
            }
        };
        let than = self.answers.resolved(than);
        let is_above = self.is_above(&form, &difference, matches!(op, Eq | Ne))? == (form.growth > 0);
        let than = self.uniform(than)?;
        let (answer, further) = match (op, is_above) {
            (SLt | ULt, true) => (false, 0),
            (SLt | ULt, false) => (true, -1),
            (SLe | ULe, true) => (false, 1),
            (SLe | ULe, false) => (true, 0),
            (SGt | UGt, true) => (true, 1),
            (SGt | UGt, false) => (false, 0),
            (SGe | UGe, true) => (true, 0),
            (SGe | UGe, false) => (false, -1),
            (Eq, true) => (false, 1),
            (Eq, false) => (false, -1),
            (_, true) => (true, 1),
            (_, false) => (true, -1),
        };
        self.bound(form, signed, than, further, is_above)?;
        Some(answer)
    }

    /// What grows with the counter on the left side, if the right side is the same in all rounds; and what the counter by its factor is compared with.
    fn sides(&self, a: Value, b: Value) -> Option<(Form, Form)> {
        let form = self.form(a, DEPTH).filter(|form| form.growth != 0)?;
        let without = Form { growth: 0, ..form.clone() };
        let mut difference = self.form(self.uniform(b)?, DEPTH)?.plus(&without, -1)?;
        difference.outer.retain(|(value, _)| !self.answers.inner.contains_key(value));
        Some((form, difference))
    }

    /// Is the counter above what it is compared with in most rounds? It is above constants, and below what its limit is made of. Of what else functions are given,
    /// as the radius of a filter, it is above; of what loops around make nothing is known, nor of a single round.
    fn is_above(&self, form: &Form, difference: &Form, is_equality: bool) -> Option<bool> {
        let rounds = self.around.counter.rounds(self.function).and_then(|rounds| i64::try_from(rounds).ok());
        let start = self.around.counter.start.and_then(|start| self.function.signed_constant(start));
        match (rounds, start) {
            (Some(rounds), Some(start)) if difference.outer.is_empty() => {
                let middle = rounds.saturating_mul(self.around.counter.step as i64) / 2;
                Some(difference.constant / form.growth < start.saturating_add(middle))
            }
            _ if difference.outer.is_empty() => Some(true),
            _ if difference.outer.iter().any(|(value, _)| self.limit.contains(value)) => Some(false),
            _ => difference.outer.iter().all(|&(value, _)| !is_equality && self.is_given(value, DEPTH)).then_some(true),
        }
    }

    /// Is a value made of what the function is given alone?
    fn is_given(&self, value: Value, depth: u32) -> bool {
        match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => block == Block(0),
            ValueDef::Result(..) => self.function.definition(value).is_some_and(|op| {
                let mut is_given = depth > 0 && is_pure(op);
                op.for_each(|operand| is_given = is_given && self.is_given(operand, depth - 1));
                is_given
            }),
        }
    }

    /// In the rounds between a number is at least another one and so much more, or at most.
    fn bound(&mut self, mut form: Form, signed: bool, than: Value, further: i64, is_least: bool) -> Option<()> {
        let than = self.uniform(than)?;
        self.unwrapped(&form, signed);
        let number = self.function.signed_constant(than).filter(|number| signed || *number >= 0);
        form.constant -= further + number.unwrap_or(0);
        self.push(form, signed, number.is_none().then_some(than), is_least);
        Some(())
    }

    fn push(&mut self, form: Form, signed: bool, than: Option<Value>, is_least: bool) {
        let is_like = |known: &&mut Bound| {
            let is_same = (known.signed, known.than, known.is_least) == (signed, than, is_least);
            is_same && known.form == Form { constant: known.form.constant, ..form.clone() }
        };
        match self.answers.bounds.iter_mut().find(is_like) {
            Some(known) if is_least => known.form.constant = known.form.constant.min(form.constant),
            Some(known) => known.form.constant = known.form.constant.max(form.constant),
            None => self.answers.bounds.push(Bound { form, signed, than, is_least }),
        }
    }

    /// In the rounds between a number is what it is modulo 2³².
    fn unwrapped(&mut self, form: &Form, signed: bool) {
        let constant = form.constant;
        let form = Form { constant: 0, ..form.clone() };
        match self.answers.unwrapped.iter_mut().find(|known| known.signed == signed && known.form == form) {
            Some(known) => (known.least, known.most) = (known.least.min(constant), known.most.max(constant)),
            None => self.answers.unwrapped.push(Unwrapped { form, signed, least: constant, most: constant }),
        }
    }

    /// The number that all lanes have in common, if the loop does not change it.
    fn uniform(&self, value: Value) -> Option<Value> {
        let value = self.answers.resolved(value);
        let number = match self.function.definition(value) {
            Some(&Op::Splat(number)) => self.answers.resolved(number),
            Some(Op::Const(bits)) if bits.iter().all(|lane| *lane == bits[0]) => return Some(value),
            _ => value,
        };
        (self.function.ty(number).length == 1 && self.is_outer(number)).then_some(number)
    }

    fn is_outer(&self, value: Value) -> bool {
        self.around.is_outer(self.function, value, DEPTH)
    }

    /// What a number, or one of each lane, is made of.
    fn form(&self, value: Value, depth: u32) -> Option<Form> {
        let value = self.answers.resolved(value);
        let ty = self.function.ty(value);
        if ty.element != Element::I32 {
            return None;
        }
        let counter = self.around.counter.value;
        if value == counter {
            return Some(Form { growth: 1, ..Form::constant(0) });
        }
        let get = |value: Value| self.form(value, depth.checked_sub(1)?);
        let found = self.function.definition(value).and_then(|op| match *op {
            Op::Const(ref bits) => {
                let constants: Vec<i64> = bits.iter().map(|&lane| i64::from(lane as u32 as i32)).collect();
                let (first, last) = (constants[0], constants[constants.len() - 1]);
                let is_regular =
                    constants.len() < 3 || constants.windows(2).all(|pair| pair[1] - pair[0] == constants[1] - first);
                is_regular.then(|| Form { spread: last - first, ..Form::constant(first) })
            }
            Op::Splat(number) => get(number),
            Op::Ramp { base, step, .. } => {
                let spread = step.checked_mul(i64::from(ty.length) - 1)?;
                get(base)?.plus(&Form { spread, ..Form::constant(0) }, 1)
            }
            Op::Convert(ConvertOp::Trunc, number) if number == counter => Some(Form { growth: 1, ..Form::constant(0) }),
            Op::Binary(BinaryOp::Add, a, b) => get(a)?.plus(&get(b)?, 1),
            Op::Binary(BinaryOp::Sub, a, b) => get(a)?.plus(&get(b)?, -1),
            Op::Unary(UnaryOp::Neg, a) => Form::constant(0).plus(&get(a)?, -1),
            Op::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (get(a)?, get(b)?);
                let (form, factor) = if b == Form::constant(b.constant) { (a, b) } else { (b, a) };
                let is_constant = factor == Form::constant(factor.constant);
                Form::constant(0).plus(&form, factor.constant).filter(|_| is_constant)
            }
            _ => None,
        });
        let is_outer = || ty.length == 1 && (self.is_outer(value) || self.answers.inner.contains_key(&value));
        found.or_else(|| is_outer().then(|| Form { outer: vec![(value, 1)], ..Form::constant(0) }))
    }

    /// Do answers say where memory is, or which memory and how much work there is?
    fn is_worth_it(&self, graph: &Graph, ways: &Ways) -> bool {
        let data = |block: &Block| &self.function.blocks[block.0 as usize];
        let op = |inst: &Inst| &self.function.insts[inst.0 as usize].op;
        let insts = self.around.all.iter().filter(|block| ways.contains_key(block)).flat_map(|block| &data(block).insts);
        let index = |inst: &Inst| match *op(inst) {
            Op::PtrIndex { index, .. } => Some(index),
            _ => None,
        };
        let indices: Vec<Value> = insts.clone().filter_map(index).collect();
        let is_masked = |inst: &Inst| match *op(inst) {
            Op::Load { mask, .. } | Op::Gather { mask, .. } | Op::Store { mask, .. } | Op::Scatter { mask, .. } => {
                mask.is_some_and(|mask| self.function.constant(mask).is_none() && self.decided(mask).is_some())
            }
            _ => false,
        };
        let has_places = indices.iter().any(|&index| self.is_answered(index, 2 * DEPTH)) || insts.clone().any(is_masked);
        // With loops inside, rounds are lanes where they go through memory.
        let has_lanes = || indices.iter().any(|&index| self.form(index, 2 * DEPTH).is_some_and(|form| form.growth != 0));
        if !self.around.is_innermost() && !has_lanes() {
            return false;
        }
        let decides = |from: &&Block| {
            let Terminator::Branch { condition, then, otherwise } = &data(from).terminator else { return false };
            self.decided(*condition).is_some()
                && [then.block, otherwise.block].iter().any(|&way| {
                    let is_own = graph.predecessors[way.0 as usize] == [**from];
                    let decided = self.around.all.iter().filter(|&&block| is_own && graph.dominates(way, block));
                    let insts: Vec<&Inst> = decided.flat_map(|block| &data(block).insts).collect();
                    insts.len() >= LEAST_WORK || insts.iter().any(|inst| !is_pure(op(inst)))
                })
        };
        has_places || self.around.all.iter().filter(|&&block| block != self.around.header).any(|block| decides(&block))
    }

    /// Is a value computed from one that an answer says?
    fn is_answered(&self, value: Value, depth: u32) -> bool {
        let is_one = self.answers.same.contains_key(&value) || self.answers.quotients.iter().any(|known| known.value == value);
        is_one
            || depth > 0
                && self.around.inside.contains(&value)
                && self.function.definition(value).filter(|op| is_pure(op)).is_some_and(|op| {
                    let mut is_answered = false;
                    op.for_each(|operand| is_answered = is_answered || self.is_answered(operand, depth - 1));
                    is_answered
                })
    }
}
