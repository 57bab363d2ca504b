//! Random structured programs at two lengths.
//!
//! All variables are vectors that only their own lane touches, loops end by a counter of their own, and calls leave a
//! trace: so lane i of a run at length N must do what a scalar run on lane i's input does.

use super::typed::*;
use crate::machine::Isa;
use crate::predicate::{Options, predicate};
use crate::target::Unrolling;
use crate::typed::ir::*;
use crate::vector;
use crate::vector::interpret::Machine;
use ivl_random::Random;

const VARIABLES: usize = 4;

/// Writes one program at one length.
struct Writer {
    m: Maker,
    random: Random,
    variables: Vec<LocalId>,
    /// A scalar that all lanes share, and that only the caller sets.
    shared: LocalId,
    /// The number of the lane, for the scalar runs of a `foreach`.
    lane: LocalId,
    loops: u32,
    left: i32,
    /// Are we in a context of the program's length (rather than still in context 1)?
    inside: bool,
    /// Does a `return` fit the context of the function's body?
    may_return: bool,
}

impl Writer {
    fn variable(&mut self) -> LocalId {
        self.variables[self.random.below(VARIABLES)]
    }

    fn value(&mut self, depth: u32) -> Expr {
        let n = self.m.length;
        match self.random.below(if depth > 2 { 2 } else { 6 }) {
            0 => {
                let number = self.random.below(7) as i32 - 3;
                self.m.number(number, n)
            }
            1 => {
                let local = self.variable();
                self.m.get(local)
            }
            2 | 3 => {
                let (a, b) = (self.value(depth + 1), self.value(depth + 1));
                let op = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply][self.random.below(3)];
                self.m.binary(op, a, b)
            }
            4 => {
                // Not cheap, so that branches are needed.
                let (a, b) = (self.value(depth + 1), self.value(depth + 1));
                self.m.binary(BinaryOp::Remainder, a, b)
            }
            _ => {
                let (c, a, b) = (self.condition(depth + 1), self.value(depth + 1), self.value(depth + 1));
                let ty = a.ty;
                expr(ExprKind::Conditional(c.into(), a.into(), b.into()), ty)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Expr {
        let ty = self.m.bool(self.m.length);
        match self.random.below(if depth > 2 { 1 } else { 4 }) {
            0 | 1 => {
                let (a, b) = (self.value(depth + 1), self.value(depth + 1));
                let op = [CompareOp::Less, CompareOp::Equal, CompareOp::GreaterEqual][self.random.below(3)];
                self.m.compare(op, a, b)
            }
            kind => {
                let (a, b) = (Box::new(self.condition(depth + 1)), Box::new(self.condition(depth + 1)));
                expr(if kind == 2 { ExprKind::And(a, b) } else { ExprKind::Or(a, b) }, ty)
            }
        }
    }

    /// A condition that is the same in all lanes.
    fn uniform_condition(&mut self) -> Expr {
        let bound = self.random.below(4) as i32;
        let bound = self.m.number(bound, 1);
        let shared = self.m.get(self.shared);
        self.m.compare(CompareOp::Less, shared, bound)
    }

    fn context(&self) -> u8 {
        if self.inside { self.m.length } else { 1 }
    }

    fn block(&mut self, depth: u32) -> Block {
        let count = 1 + self.random.below(4);
        let statements = (0..count).map(|_| self.statement(depth)).collect();
        block(self.context(), statements)
    }

    /// A block of the program's length, wherever we are.
    fn vector_block(&mut self, depth: u32) -> Block {
        let outside = std::mem::replace(&mut self.inside, true);
        let block = self.block(depth);
        self.inside = outside;
        block
    }

    fn maybe_else(&mut self, depth: u32, vector: bool) -> Block {
        if self.random.below(2) == 0 {
            let context = if vector { self.m.length } else { self.context() };
            return block(context, vec![]);
        }
        if vector { self.vector_block(depth) } else { self.block(depth) }
    }

    fn statement(&mut self, depth: u32) -> Statement {
        self.left -= 1;
        let kind = if depth > 4 || self.left < 0 { self.random.below(4) } else { self.random.below(14) };
        match kind {
            0..=2 => {
                let (local, value) = (self.variable(), self.value(0));
                self.m.set(local, value)
            }
            3 if self.inside => {
                let value = self.value(1);
                let void = self.m.types.void();
                let call = self.m.call(FunctionId(1), vec![value], void);
                statement(StatementKind::Expression(call))
            }
            4..=6 => {
                let condition = self.condition(0);
                let then = self.vector_block(depth + 1);
                let otherwise = self.maybe_else(depth + 1, true);
                statement(StatementKind::If { condition, then, otherwise })
            }
            7 => {
                let condition = self.uniform_condition();
                let then = self.block(depth + 1);
                let otherwise = self.maybe_else(depth + 1, false);
                statement(StatementKind::If { condition, then, otherwise })
            }
            8..=10 if self.loops < 3 => self.a_loop(depth),
            11 if self.loops > 0 => statement(StatementKind::Break),
            12 if self.loops > 0 => statement(StatementKind::Continue),
            13 if depth > 0 && self.may_return => {
                let value = self.value(0);
                statement(StatementKind::Return(Some(value)))
            }
            _ => {
                let (local, value) = (self.variable(), self.value(1));
                self.m.set(local, value)
            }
        }
    }

    /// A loop of at most three rounds: a fresh counter ends it, whatever else its condition says.
    fn a_loop(&mut self, depth: u32) -> Statement {
        self.loops += 1;
        let result = match self.random.below(3) {
            0 if self.inside => self.scalar_foreach(depth),
            kind => self.counted_loop(depth, kind == 1),
        };
        self.loops -= 1;
        result
    }

    fn counted_loop(&mut self, depth: u32, uniform: bool) -> Statement {
        let length = if uniform { 1 } else { self.m.length };
        let ty = self.m.int(length);
        let counter = self.m.local("counter", ty);
        let test_first = self.random.below(2) == 0;
        let zero = self.m.number(0, length);
        let (now, end) = (self.m.get(counter), self.m.number(3, length));
        let mut condition = self.m.compare(CompareOp::Less, now, end);
        if !uniform && self.random.below(2) == 0 {
            let more = self.condition(1);
            let ty = condition.ty;
            condition = expr(ExprKind::And(condition.into(), more.into()), ty);
        }
        let (now, one) = (self.m.get(counter), self.m.number(1, length));
        let next = self.m.binary(BinaryOp::Add, now, one);
        let step = expr(ExprKind::Assign { place: self.m.place(counter), value: next.into() }, ty);
        let body = self.vector_block(depth + 1);
        let (condition, step) = (Some(condition), Some(step));
        let declare = statement(StatementKind::Declare { local: counter, initializer: Some(zero) });
        let a_loop = statement(StatementKind::Loop { test_first, unrolling: Unrolling::Usual, condition, step, body });
        statement(StatementKind::Block(block(self.context(), vec![declare, a_loop])))
    }

    fn scalar_foreach(&mut self, depth: u32) -> Statement {
        let scalar = self.m.int(1);
        let index = self.m.local("i", scalar);
        let (low, high) = (self.m.number(0, 1), self.m.get(self.shared));
        let body = self.block(depth + 1);
        let indices = vec![ForeachIndex { local: index, low, high }];
        statement(StatementKind::Foreach { parallel: false, unrolling: Unrolling::Usual, indices, body })
    }
}

/// What the random function is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// An instance of the program's context, with a mask.
    Masked,
    /// An instance of context 1 that a `return` has vectorised.
    Returning,
    /// An instance of context 1.
    Plain,
    /// The same, with everything in a `foreach` over nine elements.
    Foreach,
}

const KINDS: [Kind; 4] = [Kind::Masked, Kind::Returning, Kind::Plain, Kind::Foreach];

/// How many lanes the vector runs have.
const N: u8 = 4;

/// Function 0 is random; function 1 is external and leaves the trace.
fn program(seed: u64, kind: Kind, length: u8) -> Program {
    let mut m = Maker::new(length);
    let (vector, scalar) = (m.int(length), m.int(1));
    let (shared, lane) = (m.local("shared", scalar), m.local("lane", scalar));
    let variables: Vec<LocalId> = (0..VARIABLES).map(|i| m.local(["a", "b", "c", "d"][i], vector)).collect();
    let inside = matches!(kind, Kind::Masked | Kind::Returning);
    let (loops, may_return, random) = (0, inside, Random::new(seed));
    let mut w = Writer { m, random, variables, shared, lane, loops, left: 40, inside, may_return };
    let mut body = if kind == Kind::Foreach { w.foreach() } else { w.block(0) };
    if w.random.below(2) == 0 {
        // One of the variables lives in memory.
        let pointer = w.m.types.pointer(vector, 1);
        let address = expr(ExprKind::AddressOf(w.m.place(LocalId(3))), pointer);
        body.statements.insert(0, statement(StatementKind::Expression(address)));
    }
    let sum = w.variables.clone().into_iter().map(|v| w.m.get(v)).collect::<Vec<_>>();
    let sum = sum.into_iter().reduce(|a, b| w.m.binary(BinaryOp::Add, a, b)).expect("some variables");
    body.statements.push(statement(StatementKind::Return(Some(sum))));
    let context = if kind == Kind::Masked { length } else { 1 };
    let f = w.m.function(context, 2 + VARIABLES, vector, body);
    let g = w.m.external(length, vector);
    w.m.program(vec![f, g])
}

impl Writer {
    /// At length N a `foreach`; at length 1 what one of its lanes does.
    fn foreach(&mut self) -> Block {
        let vector = self.m.int(self.m.length);
        let index = self.m.local("k", vector);
        let high = self.m.number(9, 1);
        self.loops += 1;
        let mut body = self.vector_block(1);
        self.loops -= 1;
        let (first, k) = (self.variables[0], self.m.get(index));
        body.statements.insert(0, self.m.set(first, k));
        if self.m.length > 1 {
            let indices = vec![ForeachIndex { local: index, low: self.m.number(0, 1), high }];
            return block(
                1,
                vec![statement(StatementKind::Foreach { parallel: false, unrolling: Unrolling::Usual, indices, body })],
            );
        }
        let initializer = Some(self.m.get(self.lane));
        let declare = statement(StatementKind::Declare { local: index, initializer });
        let k = self.m.get(index);
        let condition = Some(self.m.compare(CompareOp::Less, k, high));
        let (k, n) = (self.m.get(index), self.m.number(N.into(), 1));
        let next = self.m.binary(BinaryOp::Add, k, n);
        let step = Some(expr(ExprKind::Assign { place: self.m.place(index), value: next.into() }, vector));
        let a_loop = statement(StatementKind::Loop { test_first: true, unrolling: Unrolling::Usual, condition, step, body });
        block(1, vec![declare, a_loop])
    }
}

#[test]
fn lanes_do_what_scalar_runs_do() {
    // `SEEDS=300000 cargo test random` for a long run.
    let seeds = std::env::var("SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    for seed in 0..seeds {
        let kind = KINDS[(seed % 4) as usize];
        let modules = [1, N].map(|n| {
            let program = program(seed, kind, n);
            assert_eq!(crate::typed::verify::verify(&program), [""; 0], "seed {seed}");
            predicate(&program, &Options::default())
        });
        let mut optimized = modules[1].clone();
        crate::optimize::optimize(&mut optimized, Isa::host().machine());
        let mut random = Random::new(seed ^ 0xABCD);
        let shared = random.below(4) as u64;
        let inputs: Vec<Vec<u64>> =
            (0..VARIABLES).map(|_| (0..N).map(|_| random.between(-4, 4) as u64 & 0xFFFF_FFFF).collect()).collect();
        let mut mask = [[1; 4], [1, 0, 1, 1], [0, 0, 1, 0]][random.below(3)].to_vec();
        let mut arguments = vec![vec![shared], vec![0]];
        if kind == Kind::Masked {
            arguments.insert(0, mask.clone());
        } else {
            mask = vec![1; N.into()];
        }
        arguments.extend(inputs.clone());
        let mut scalar_runs = vec![None; N.into()];
        for lane in (0..N as usize).filter(|&lane| mask[lane] == 1) {
            let mut arguments = vec![vec![shared], vec![lane as u64]];
            arguments.extend(inputs.iter().map(|input| vec![input[lane]]));
            let mut run = Machine::new(&modules[0]);
            let result = run.call(vector::ir::FunctionId(0), arguments).expect("a run without faults")[0][0];
            scalar_runs[lane] = Some((result, run.trace));
        }
        for (name, module) in [("predicated", &modules[1]), ("optimized", &optimized)] {
            let mut run = Machine::new(module);
            run.fuel = 2_000_000;
            let result = run.call(vector::ir::FunctionId(0), arguments.clone()).expect("a run without faults");
            assert!(run.trace.iter().all(|call| call[0].contains(&1)), "a call with an empty mask: {name} {kind:?}, seed {seed}");
            for (lane, scalar_run) in scalar_runs.iter().enumerate() {
                let Some((scalar_result, scalar_trace)) = scalar_run else { continue };
                assert_eq!(result[0][lane], *scalar_result, "{name} {kind:?}, seed {seed}, lane {lane}");
                let calls = run.trace.iter().filter(|call| call[0][lane] == 1).map(|call| call[1][lane]);
                let scalar_calls = scalar_trace.iter().map(|call| call[0][0]);
                assert!(calls.eq(scalar_calls), "the calls of {name} {kind:?}, seed {seed}, lane {lane}");
            }
        }
    }
}
