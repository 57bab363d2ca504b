//! Quotients by what is known before are products, corrected to the same bits.
//!
//! ```text
//! a = utof (load p[i]: i8×N)                       a = utof (load p[i]: i8×N)
//! v = fdiv a, 255                       ──►        l = fmul a, RN(1/255 − RN(1/255))
//!                                                  v = fma a, 1/255, l
//! w = fdiv b, d                                    q = fmul b, 1/d
//!                                                  r = fma q, d, −b
//!                                                  w = fma r, −1/d, q
//! ```
//! A register of floats is divided in as many cycles as take a dozen other operations. Of a divisor that a loop does not change, or that is a
//! constant, the reciprocal y = RN(1 / b) is known before it. Then q = RN(a · y) is near a / b, r = q · b − a is exact, and RN(q − r · y) is the quotient, rounded as
//! by a division (Brisebarre, Muller and Raina, Accelerating Correctly Rounded Floating-Point Division when the Divisor Is Known in Advance, algorithm 1).
//!
//! A constant of few digits takes two operations: of 1 / b in two parts, h and l, a · h + RN(a · l) is within 2^(1 − 2p) of the quotient, relatively, for
//! floats of p bits. It is rounded as the quotient is unless what is half way between two floats, m, is as near. That is not the quotient, since m · b has more
//! than p bits; and where a and m · b are not the same, they differ by a unit of the last digit of one of them: by 2^−p of a, or by 2^(−p − 1 − j) of m · b,
//! where b has j bits from its first one to its last. So j + p + 1 < 2p − 1 is enough.
//!
//! # Where it is right
//! Nothing on the way may be too large or too small for a float. With b from 2^−64 to 2^24 (of doubles from 2^−500 to 2^100), dividends of at least [`Limits::least`] are far from
//! too small. Zero is divided right, with its sign, since b is positive. Then:
//! * What is infinite on the way is NaN at the end, and so is what a NaN is divided to.
//! * A dividend that is made of integers by sums and products is no smaller than what it is a multiple of ([`Function::float_step`]), and no larger than
//!   [`Function::float_range`].
//! * Of others it is asked, whether one of the lanes is too small but not zero, or the result NaN; then the block is divided as it would have been. The reciprocal
//!   of a divisor outside of its limits is NaN to begin with.
//!
//! What is asked costs about as much as it saves where registers are short: it is done where by count of instructions a fifth of the loop's time goes.
//! Several registers are asked together: those of a long vector, and those of several rounds ([`asked_together`]).
//! Powers of two are left to LLVM, which multiplies by their exact reciprocals. A `fast` function has reciprocals anyway.

mod asked_together;
#[cfg(test)]
mod tests;

use super::block_writer::BlockWriter;
use super::surroundings::Surroundings;
use crate::machine::{Machine, Masks};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};
use asked_together::AskedTogether;
use rustc_hash::FxHashMap;

/// Rewrites the quotients of a function.
pub fn known_divisors(function: &mut Function, around: Surroundings<'_>) {
    let is_quotient = |inst: &InstData| matches!(inst.op, Op::Binary(BinaryOp::FDiv, ..));
    if !around.machine.has_fma || function.fp == FpMode::Fast || !function.insts.iter().any(is_quotient) {
        return;
    }
    by_constants(function);
    by_what_loops_keep(function, around.machine);
}

/// Bits of floats, and where products may take the place of quotients.
struct Limits {
    one: u64,
    nan: u64,
    /// What divisors are between.
    divisors: (f64, f64),
    /// Dividends are zero, or at least 2 to this power.
    least: i32,
    /// And at most 2 to this one.
    most: i32,
    /// So many bits of a float are behind its exponent.
    digits: u32,
    integer: Element,
}

const OF_FLOATS: Limits = Limits {
    one: 0x3f80_0000,
    nan: 0x7fc0_0000,
    divisors: (5.421010862427522e-20, 16777216.0),
    least: -100,
    most: 100,
    digits: 23,
    integer: Element::I32,
};

const OF_DOUBLES: Limits = Limits {
    one: 0x3ff0_0000_0000_0000,
    nan: 0x7ff8_0000_0000_0000,
    divisors: (3.054936363499605e-151, 1.2676506002282294e30),
    least: -800,
    most: 800,
    digits: 52,
    integer: Element::I64,
};

impl Limits {
    fn of(ty: Type) -> &'static Limits {
        if ty.element == Element::F32 { &OF_FLOATS } else { &OF_DOUBLES }
    }

    fn bits(&self, number: f64) -> u64 {
        if self.digits == 23 { u64::from((number as f32).to_bits()) } else { number.to_bits() }
    }

    fn number(&self, bits: u64) -> f64 {
        if self.digits == 23 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
    }

    /// The reciprocals of constants, if products by them are right and not exact already.
    fn reciprocals(&self, divisors: &[u64]) -> Option<Vec<u64>> {
        let is_power = |bits: u64| bits & ((1 << self.digits) - 1) == 0;
        if divisors.iter().all(|&bits| is_power(bits)) {
            return None;
        }
        let reciprocal = |&bits: &u64| {
            let number = self.number(bits);
            let one = if self.digits == 23 { f64::from(1.0 / number as f32) } else { 1.0 / number };
            (self.divisors.0..=self.divisors.1).contains(&number).then(|| self.bits(one))
        };
        divisors.iter().map(reciprocal).collect()
    }

    /// Are the lanes of a dividend zero or of a size that is right, in every run, and its quotients by what is at least so large?
    fn takes(&self, function: &Function, dividend: Value, divisor: f64) -> bool {
        let infinite = if self.digits == 23 { f64::from(f32::MAX) } else { f64::MAX };
        let most = 2f64.powi(self.most).min(infinite / 2.0 * divisor);
        let is_small = function.float_range(dividend).is_some_and(|(low, high)| -most <= low && high <= most);
        is_small && function.float_step(dividend).is_some_and(|step| step >= self.least)
    }

    /// What the reciprocals of constants of few digits lose.
    fn lower_parts(&self, divisors: &[u64], reciprocals: &[u64]) -> Option<Vec<u64>> {
        let bits_of = |bits: u64| self.digits + 1 - (bits | 1 << self.digits).trailing_zeros();
        let lower = |(&bits, &reciprocal): (&u64, &u64)| {
            let number = self.number(bits);
            // The rest is a float: what it has of more digits cancels.
            self.bits((-number).mul_add(self.number(reciprocal), 1.0) / number)
        };
        let is_short = divisors.iter().all(|&bits| bits_of(bits) + self.digits + 2 < 2 * self.digits + 1);
        is_short.then(|| divisors.iter().zip(reciprocals).map(lower).collect())
    }

    /// Are products of a dividend by lower parts far from too small, and does its zero keep its sign?
    fn takes_parts(&self, function: &Function, dividend: Value, lower: &[u64]) -> bool {
        let is_whole = matches!(function.definition(dividend), Some(Op::Convert(ConvertOp::SToF | ConvertOp::UToF, _)));
        function.float_step(dividend).is_some_and(|step| step >= self.least / 3)
            && (is_whole || lower.iter().all(|&bits| self.number(bits) > 0.0))
    }
}

/// Instructions for a product that is corrected.
const PRODUCTS: usize = 3;

/// A divisor and what quotients by it are computed with.
#[derive(Clone, Copy)]
struct Divisor {
    value: Value,
    reciprocal: Value,
    negated: Value,
}

impl Divisor {
    /// The quotient, and what takes the last step to it.
    fn quotient(self, writer: &mut Writer<'_>, dividend: Value) -> Op {
        let ty = writer.function.ty(dividend);
        let near = writer.emit(Op::Binary(BinaryOp::FMul, dividend, self.reciprocal), ty);
        let opposite = writer.emit(Op::Unary(UnaryOp::FNeg, dividend), ty);
        let rest = writer.emit(Op::Fma(near, self.value, opposite), ty);
        Op::Fma(rest, self.negated, near)
    }
}

/// Dividends and divisor of a quotient in lanes.
fn quotient(function: &Function, inst: Inst) -> Option<(Value, Value, Type)> {
    let Op::Binary(BinaryOp::FDiv, dividend, divisor) = function.insts[inst.0 as usize].op else { return None };
    let ty = function.ty(dividend);
    (ty.length > 1).then_some((dividend, divisor, ty))
}

/// The lanes of a constant, or of a constant in all lanes.
fn lanes(function: &Function, value: Value) -> Option<&[u64]> {
    match function.definition(value)? {
        Op::Const(bits) => Some(bits),
        &Op::Splat(scalar) => lanes(function, scalar),
        _ => None,
    }
}

/// Quotients by constants, of what is known to be of the right size.
fn by_constants(function: &mut Function) {
    remake(function, |writer, inst| {
        let (dividend, value, ty) = quotient(writer.function, inst)?;
        let limits = Limits::of(ty);
        let divisors = lanes(writer.function, value)?.to_vec();
        let reciprocals = limits.reciprocals(&divisors)?;
        let least = divisors.iter().map(|&bits| limits.number(bits)).fold(f64::INFINITY, f64::min);
        if !limits.takes(writer.function, dividend, least) {
            return None;
        }
        let lower = limits.lower_parts(&divisors, &reciprocals);
        if let Some(lower) = lower.filter(|lower| limits.takes_parts(writer.function, dividend, lower)) {
            let [upper, lower] = [reciprocals, lower].map(|bits| writer.emit(Op::Const(bits), ty));
            let below = writer.emit(Op::Binary(BinaryOp::FMul, dividend, lower), ty);
            return Some(Op::Fma(dividend, upper, below));
        }
        let divisor = constant(writer, value, reciprocals, ty);
        Some(divisor.quotient(writer, dividend))
    });
}

fn constant(writer: &mut Writer<'_>, value: Value, reciprocals: Vec<u64>, ty: Type) -> Divisor {
    let sign = 1 << (ty.element.bits() - 1);
    let negated = reciprocals.iter().map(|bits| bits ^ sign).collect();
    let [reciprocal, negated] = [reciprocals, negated].map(|bits| writer.emit(Op::Const(bits), ty));
    Divisor { value, reciprocal, negated }
}

/// Quotients in innermost loops by what these do not change.
fn by_what_loops_keep(function: &mut Function, machine: &Machine) {
    let graph = Graph::new(function);
    let (uses, places, divisors) = (function.uses(), places(function), FxHashMap::default());
    let mut loops = Loops { function, machine, uses, places, divisors };
    let mut are_cut = false;
    let is_header = |&&block: &&Block| graph.innermost_loop(block) == Some(block);
    for &header in graph.order.iter().filter(is_header) {
        let Some(inside) = graph.natural_loop(header) else { continue };
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        if blocks.iter().any(|&block| graph.innermost_loop(block) != Some(header)) {
            continue;
        }
        let found = loops.kept_divisors(&blocks, &inside);
        if found.is_empty() {
            continue;
        }
        let together = asked_together::ROUNDS.into_iter().find_map(|rounds| {
            let is_worth_it = loops.is_worth_it(&blocks, &found, rounds as usize);
            is_worth_it.then(|| AskedTogether::of(rounds, loops.function, &graph, header, &found, machine)).flatten()
        });
        if let Some(rounds) = together {
            let divisors: Vec<Divisor> = found.iter().map(|kept| loops.divisor(kept)).collect();
            rounds.write(loops.function, &graph, machine, &divisors);
            are_cut = true;
        } else if loops.is_worth_it(&blocks, &found, 1) {
            // The last ones first: what stands in front of one stays in its block.
            found.into_iter().rev().for_each(|kept| loops.divide(kept));
        }
    }
    if are_cut {
        function.sort_blocks();
    }
}

/// Is an operation the same in each round? LLVM takes it out of the loop; it is no work.
fn is_kept(op: &Op, is_inside: impl Fn(Value) -> bool) -> bool {
    let mut is_kept = true;
    op.for_each(|operand| is_kept = is_kept && !is_inside(operand));
    is_kept
}

/// The block of each instruction.
fn places(function: &Function) -> FxHashMap<Inst, Block> {
    let blocks = (0..).map(Block).zip(&function.blocks);
    blocks.flat_map(|(block, data)| data.insts.iter().map(move |&inst| (inst, block))).collect()
}

/// A quotient in a loop.
struct Kept {
    block: Block,
    inst: Inst,
    /// Behind what its divisor is known: an instruction, or the start of a block.
    behind: Result<Inst, Block>,
}

/// A function whose loops divide.
struct Loops<'f> {
    function: &'f mut Function,
    machine: &'f Machine,
    /// How often values are used that were there before.
    uses: Vec<u32>,
    /// The block of each instruction that was there before.
    places: FxHashMap<Inst, Block>,
    /// What was made for a divisor.
    divisors: FxHashMap<Value, Divisor>,
}

impl Loops<'_> {
    /// The quotients in a loop by what it keeps.
    fn kept_divisors(&self, blocks: &[Block], inside: &[bool]) -> Vec<Kept> {
        let function = &*self.function;
        // Blocks that were made since are of other loops.
        let is_inside = |block: Block| inside.get(block.0 as usize).is_some_and(|&is_inside| is_inside);
        let known_behind = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => (!is_inside(block)).then_some(Err(block)),
            ValueDef::Result(inst, _) => self.places.get(&inst).filter(|block| !is_inside(**block)).map(|_| Ok(inst)),
        };
        let mut found = Vec::new();
        for &block in blocks {
            for &inst in &function.blocks[block.0 as usize].insts {
                let Some((_, divisor, ty)) = quotient(function, inst) else { continue };
                let behind = match lanes(function, divisor) {
                    Some(lanes) => Limits::of(ty).reciprocals(lanes).map(|_| Err(Block(0))),
                    None => known_behind(divisor).or_else(|| known_behind(function.splatted(divisor)?)),
                };
                found.extend(behind.map(|behind| Kept { block, inst, behind }));
            }
        }
        found
    }

    /// Does a loop take a fifth less time with products for these quotients, of what can be counted? Those of so many rounds are asked for
    /// together; of one round each is asked for by itself.
    fn is_worth_it(&self, blocks: &[Block], found: &[Kept], rounds: usize) -> bool {
        let (function, machine) = (&*self.function, self.machine);
        let is_inside = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => blocks.contains(&block),
            ValueDef::Result(inst, _) => self.places.get(&inst).is_some_and(|block| blocks.contains(block)),
        };
        // Of each register the magnitude, its opposite, what is least, and whether it is a number; then the mask, and the branch.
        let of_masks = if machine.masks == Masks::Registers { 3 } else { 4 };
        let asking = |registers: usize| of_masks * (registers + 1);
        let (mut work, mut cycles, mut kept_cycles, mut products, mut asked) = (0, 0, 0, 0, 0);
        for &inst in blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts) {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let [result] = results[..] else { continue };
            let ty = function.ty(result);
            let registers = machine.registers_of(ty.element.size(), ty.length);
            match *op {
                Op::Binary(BinaryOp::FDiv, ..) if ty.length > 1 => {
                    let of_one = machine.division_cycles(ty.element.size()) * registers;
                    cycles += of_one;
                    match found.iter().any(|kept| kept.inst == inst) {
                        true => {
                            products += registers;
                            asked += asking(registers);
                        }
                        false => kept_cycles += of_one,
                    }
                }
                // One operation with the sum.
                Op::Binary(BinaryOp::FMul, ..) if function.fp == FpMode::Contract && self.uses[result.0 as usize] == 1 => {}
                Op::Const(_) | Op::Splat(_) | Op::Load { .. } | Op::PtrIndex { .. } | Op::PtrOffset(..) => {}
                ref op if ty.length > 1 && !is_kept(op, is_inside) => work += registers,
                _ => {}
            }
        }
        if rounds > 1 {
            asked = asking(products * rounds);
        }
        let ports = usize::from(machine.vector_ports);
        let before = (ports * cycles).max(work) * rounds;
        let after = (ports * kept_cycles * rounds).max((work + PRODUCTS * products) * rounds + asked);
        products > 0 && 5 * after <= 4 * before
    }

    /// The reciprocal of a divisor, behind what it is known; NaN where it is outside of its limits.
    fn known(&mut self, value: Value, ty: Type, behind: Result<Inst, Block>) -> Divisor {
        let (limits, span) = (Limits::of(ty), self.function.span);
        let scalar = self.function.splatted(value);
        let constants = lanes(self.function, value).map(<[u64]>::to_vec);
        let mut out = Vec::new();
        let mut writer = Writer { function: &mut *self.function, out: &mut out, span };
        let divisor = match constants {
            Some(bits) => {
                let reciprocals = limits.reciprocals(&bits).expect("it was found");
                let value = writer.emit(Op::Const(bits), ty);
                constant(&mut writer, value, reciprocals, ty)
            }
            None => {
                let value = scalar.map_or(value, |scalar| writer.emit(Op::Splat(scalar), ty));
                limits.reciprocal(&mut writer, value, ty)
            }
        };
        let (block, at) = match behind {
            Err(block) => (block, 0),
            Ok(inst) => {
                let block = self.places[&inst];
                let insts = &self.function.blocks[block.0 as usize].insts;
                (block, insts.iter().position(|&other| other == inst).expect("it stands there") + 1)
            }
        };
        self.function.blocks[block.0 as usize].insts.splice(at..at, out);
        divisor
    }

    /// What a quotient is divided with.
    fn divisor(&mut self, kept: &Kept) -> Divisor {
        let (_, value, ty) = quotient(self.function, kept.inst).expect("it was found");
        match self.divisors.get(&value) {
            Some(&divisor) => divisor,
            None => {
                let divisor = self.known(value, ty, kept.behind);
                self.divisors.insert(value, divisor);
                divisor
            }
        }
    }

    /// Divides by products in a block, unless one of the lanes asks for a quotient.
    fn divide(&mut self, kept: Kept) {
        let divisor = self.divisor(&kept);
        let Kept { block, inst, .. } = kept;
        let (dividend, value, ty) = quotient(self.function, inst).expect("it was found");
        let (function, machine) = (&mut *self.function, self.machine);
        let insts = &mut function.blocks[block.0 as usize].insts;
        let at = insts.iter().position(|&other| other == inst).expect("it stands there");
        let rest = insts.split_off(at + 1);
        insts.pop();
        let span = function.insts[inst.0 as usize].span;
        let end = function.cut(block, inst, &rest);
        self.places.extend(rest.into_iter().map(|inst| (inst, end)));
        let mut writer = BlockWriter { function, block, span };
        let slow = writer.new_block();
        let mut near = dividend;
        let condition = writer.with(|writer| {
            let last = divisor.quotient(writer, dividend);
            near = writer.emit(last, ty);
            are_right(writer, &[Divided { dividend, near, ty }], machine)
        });
        let target = |block, arguments| Target { block, arguments };
        let (then, otherwise) = (target(end, vec![near]), target(slow, Vec::new()));
        writer.end(Terminator::Branch { condition, then, otherwise });
        writer.block = slow;
        let quotient = writer.emit(Op::Binary(BinaryOp::FDiv, dividend, value), ty);
        writer.end(Terminator::Jump(target(end, vec![quotient])));
    }
}

/// A dividend and its quotient, which may be wrong.
#[derive(Clone, Copy)]
struct Divided {
    dividend: Value,
    near: Value,
    ty: Type,
}

/// Are the quotients of all lanes those that a division gives? Those of one type are asked for together, in registers.
fn are_right(writer: &mut Writer<'_>, divided: &[Divided], machine: &Machine) -> Value {
    let bool = Type::scalar(Element::Bool);
    let (mut types, mut wrong) = (Vec::new(), Vec::new());
    for &Divided { ty, .. } in divided {
        if types.contains(&ty) {
            continue;
        }
        types.push(ty);
        let limits = Limits::of(ty);
        let register = ty.with_length(ty.length.min(machine.lanes(ty.element.size())));
        let (mut masks, mut opposites) = (Vec::new(), Vec::new());
        for &Divided { dividend, near, .. } in divided.iter().filter(|divided| divided.ty == ty) {
            for near in registers(writer, near, register) {
                masks.push(writer.emit(Op::Compare(CompareOp::FNe, near, near), register.mask()));
            }
            if !limits.takes(writer.function, dividend, 1.0) {
                let parts = registers(writer, dividend, register);
                opposites.extend(parts.into_iter().map(|dividend| limits.opposite(writer, dividend, register)));
            }
        }
        // Without mask registers there is no greatest one of integers of 64 bits.
        if ty.element.size() == 4 || machine.masks == Masks::Registers {
            opposites = all(writer, BinaryOp::SMax, &opposites).into_iter().collect();
        }
        masks.extend(opposites.into_iter().map(|opposite| limits.are_tiny(writer, opposite, register)));
        let mask = all(writer, BinaryOp::Or, &masks).expect("something was divided");
        wrong.push(writer.emit(Op::Any(mask), bool));
    }
    let wrong = all(writer, BinaryOp::Or, &wrong).expect("something was divided");
    let right = writer.emit(Op::Unary(UnaryOp::Not, wrong), bool);
    writer.emit(Op::Unary(UnaryOp::Likely, right), bool)
}

/// A vector in parts of a register.
fn registers(writer: &mut Writer<'_>, value: Value, register: Type) -> Vec<Value> {
    let length = writer.function.ty(value).length;
    if length == register.length {
        return vec![value];
    }
    let lanes = i16::from(register.length);
    let froms = (0..i16::from(length)).step_by(usize::from(register.length));
    froms.map(|from| writer.emit(Op::Shuffle(value, value, (from..from + lanes).collect()), register)).collect()
}

/// All of them by an operation, one after another.
fn all(writer: &mut Writer<'_>, op: BinaryOp, values: &[Value]) -> Option<Value> {
    let ty = writer.function.ty(*values.first()?);
    values.iter().copied().reduce(|before, value| writer.emit(Op::Binary(op, before, value), ty))
}

impl Limits {
    /// That of what only runs know.
    fn reciprocal(&self, writer: &mut Writer<'_>, value: Value, ty: Type) -> Divisor {
        let [one, low, high, nan] = [self.one, self.bits(self.divisors.0), self.bits(self.divisors.1), self.nan]
            .map(|bits| writer.emit(Op::Const(vec![bits]), ty));
        let reciprocal = writer.emit(Op::Binary(BinaryOp::FDiv, one, value), ty);
        let above = writer.emit(Op::Compare(CompareOp::FGe, value, low), ty.mask());
        let below = writer.emit(Op::Compare(CompareOp::FLe, value, high), ty.mask());
        let is_right = writer.emit(Op::Binary(BinaryOp::And, above, below), ty.mask());
        let reciprocal = writer.emit(Op::Select(is_right, reciprocal, nan), ty);
        let negated = writer.emit(Op::Unary(UnaryOp::FNeg, reciprocal), ty);
        Divisor { value, reciprocal, negated }
    }

    /// Magnitudes b of bits as 2^n − b: that is the least number with a sign for b = 0, and the greater the less b is of others.
    fn opposite(&self, writer: &mut Writer<'_>, dividend: Value, ty: Type) -> Value {
        let ty = ty.with_element(self.integer);
        let top = 1u64 << (ty.element.bits() - 1);
        let [magnitude, top] = [top - 1, top].map(|bits| writer.emit(Op::Const(vec![bits]), ty));
        let bits = writer.emit(Op::Convert(ConvertOp::Bits, dividend), ty);
        let bits = writer.emit(Op::Binary(BinaryOp::And, bits, magnitude), ty);
        writer.emit(Op::Binary(BinaryOp::Sub, top, bits), ty)
    }

    /// Lanes that are not zero, but less than the least dividend, by their [`opposite`](Limits::opposite).
    fn are_tiny(&self, writer: &mut Writer<'_>, opposite: Value, ty: Type) -> Value {
        let ty = ty.with_element(self.integer);
        let bias = self.one >> self.digits;
        let least = ((bias as i64 + i64::from(self.least)) as u64) << self.digits;
        let limit = writer.emit(Op::Const(vec![(1 << (ty.element.bits() - 1)) - least]), ty);
        writer.emit(Op::Compare(CompareOp::SGt, opposite, limit), ty.mask())
    }
}
