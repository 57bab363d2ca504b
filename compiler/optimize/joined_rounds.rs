//! Rounds that have much to wait for are two or four at once, in vectors as much longer.
//!
//! ```text
//! block1(i):                                        block7(i):
//!     branch i < n, block2, block6                      branch i < n − 8, block8, block1(i)
//! block2:                                           block8:
//!     x = load a[i]: f32×8                              x = load a[i]: f32×16
//!     jump block3(x, all)                               jump block9(x, all)
//! block3(y, m):                             ──►     block9(y, m):
//!     z = call @step.1(m, y): f32×8                     z = call @step.1.x2(m, y): f32×16
//!     k = and m, z < 4                                  k = and m, z < 4
//!     branch any k, block3(z, k), block5                branch any k, block9(z, k), block11
//! block5:                                           block11:
//!     store o[i], z                                     store o[i], z
//!     jump block1(i + 8)                                jump block7(i + 16)
//!                                                   block1(i): a last round, as before
//! ```
//! A round of Mandelbrot's set is a chain of operations of which each waits for the one before, and so are exponentials and logarithms: with one register of
//! each value the processor waits for most of the time, and does not see as far as the next round. With several it has something to do meanwhile.
//!
//! # Why this is right
//! * *Lanes.* Lane l of round r is lane r·N + l of the longer round, as in [`widened_rounds`](super::widened_rounds). Of functions that are called there are
//!   copies for as many lanes.
//! * *Control.* `any` and `all` are asked of the lanes of all these rounds. Where the program does not ask that itself ([`Function::asks_lanes`]), they only say
//!   whether some lanes have anything to do, and what lanes do that are off changes nothing. So a block may be run for a round none of whose lanes would
//!   have come there: under a mask, which is off for all of them. Accesses without a mask are only where all lanes of each round come to.
//! * *Totals* as in [`widened_rounds`](super::widened_rounds), where all lanes of each round come to.
//! * *Numbers* are the same for all of them, or a constant apart. Those that depend on which lanes went another way are not ([`region`]).
//! * *Memory.* No lane touches what another one writes.

mod callees;
mod last_rounds;
mod region;
mod work;
mod write;

use super::kept_calls::SHORT;
use super::outline::length;
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use callees::{Callees, Known};
use region::Round;
use write::Copies;

/// Joins rounds of the loops of a module.
pub fn joined_rounds(module: &mut Module, machine: &Machine) {
    let (mut known, mut copies, mut left) = (Known::default(), Copies::default(), Vec::new());
    for id in module.callees_first() {
        let function = &module.functions[id.0 as usize];
        if function.asks_lanes || function.inlining == Inlining::Cold {
            continue;
        }
        let graph = Graph::new(function);
        let is_header = |&block: &Block| graph.innermost_loop(block) == Some(block);
        let headers: Vec<Block> = graph.order.iter().copied().filter(is_header).collect();
        if headers.is_empty() {
            continue;
        }
        let mut function = function.clone();
        let mut found: Vec<(Round, u8)> = Vec::new();
        for header in headers {
            if found.iter().any(|(other, _)| other.inside[header.0 as usize]) {
                continue;
            }
            let mut callees = Callees { module, known: &mut known };
            if let Some(round) = Round::of(&mut function, &graph, header, &mut callees)
                && let Some(times) = work::times(&function, &round, &known, &module.functions, machine)
            {
                found.push((round, times));
            }
        }
        if found.is_empty() {
            continue;
        }
        for (round, times) in &found {
            for callee in calls(&function, &round.region.blocks) {
                write::copied(module, &known, callee, *times, &mut copies);
                left.push(callee);
            }
            write::write(&mut function, &graph, round, *times, &copies);
        }
        let loops: Vec<_> = found.iter().map(|(round, _)| (round.header, round.counter)).collect();
        last_rounds::join(&mut function, &loops, |callee| length(&module.functions[callee.0 as usize]));
        function.sort_blocks();
        module.functions[id.0 as usize] = function;
    }
    if !left.is_empty() {
        keep_what_is_left(module, &left);
    }
}

/// The last round runs once, and so does what is left behind a `foreach`: long functions that both call are there once.
fn keep_what_is_left(module: &mut Module, called: &[FunctionId]) {
    let mut times_called = vec![0; module.functions.len()];
    for function in &module.functions {
        function.for_each_call(|callee, _| times_called[callee.0 as usize] += 1);
    }
    for callee in called {
        let function = &mut module.functions[callee.0 as usize];
        if times_called[callee.0 as usize] > 1 && function.inlining == Inlining::Allowed && length(function) >= SHORT {
            function.inlining = Inlining::Never;
        }
    }
}

/// What some blocks call.
fn calls<'f>(function: &'f Function, blocks: &'f [Block]) -> impl Iterator<Item = FunctionId> + 'f {
    let insts = blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
    insts.filter_map(|inst| match function.insts[inst.0 as usize].op {
        Op::Call(callee, _) => Some(callee),
        _ => None,
    })
}
