//! A lane that nobody looks at need not keep its old value.
//!
//! ```text
//! block1(m, x):                                   block1(m, x):
//!     c = compare.fgt x, limit                        c = compare.fgt x, limit
//!     n = not c                                       n = not c
//!     live = and m, n                                 live = and m, n
//!     y = fmul x, x                          ──►      y = fmul x, x
//!     next = select live, y, x
//!     a = any live                                    a = any live
//!     branch a, block1(live, next), block2()          branch a, block1(live, y), block2()
//! ```
//! Predication makes each assignment a select, so that lanes that have left keep what they had. In a loop that costs a
//! blend for each variable in each round, although most variables are only looked at by lanes that are still in.
//!
//! # The rule
//! The *demand* of a value is a formula ([`Logic`]) that is on in every lane where its content may reach an effect, a
//! branch or a result. It is the union of what its uses demand:
//! * an operation lane by lane demands of its operands what its result demands, `select c, a, b` only `c` of a and `not c`
//!   of b, and `and a, b` only those lanes of a where b is on (one of the two must play b: a mask of lanes that are still in a loop, otherwise the first),
//!   and `or a, b` only those lanes of b where a is off;
//! * an access demands its mask of its addresses and values;
//! * a store to a slot that only loads look at ([`Slots`](super::slots::Slots)) demands of its value at most what they demand;
//! * an argument of a jump demands what the parameter demands, read in the lanes of the jump;
//! * a call demands of an argument the lanes that the callee looks at ([`Summary`]), and those where the results, which may
//!   depend on it lane by lane, are demanded;
//! * every other use demands all lanes, and so does one in another loop than the definition's unless the formula says the
//!   same throughout the call.
//!
//! For parameters x and m of a block (or a mask m from outside of the loop), m a mask of the same length, we assume that x is demanded at most where m is on, and
//! find the greatest set of such pairs that bears itself out: an argument for x is then demanded where the argument for m
//! is on, and with that the uses of x demand no more than m. By induction over the operations of a run, each value agrees
//! in its demanded lanes with that of the program before, so all effects are the same.
//!
//! Functions are looked at twice. From the callees up, what they look at; there the results are demanded in lanes of which
//! nothing is known. Then from the callers down, what is demanded of results: if every call site is content with the lanes
//! of a mask that it passes, the others are free.
//!
//! A use that demands a select of its block only where the condition is off is one of what the select has there: in a chain of `else if`s that
//! assign one variable, each condition and each branch sees what the variable was before the chain, and each lane is chosen for once. (Where
//! the condition is on, what is chosen was computed just before; to look past the select there would keep both at hand.)
//!
//! A select whose result is demanded only where its condition is on is its first operand; likewise for the second. A condition says
//! nothing about lanes that are not demanded: where `m` is, `select (and m, c), a, b` is `select c, a, b`. The lanes of a slot are
//! assumed to be demanded only where a mask is on that is the same throughout the call, such as the one that a function is called under,
//! as those of parameters are; a local of a function then is stored and loaded without that mask.

mod analysis;

use super::logic::{Formula, Logic};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use analysis::Analysis;
use rustc_hash::FxHashMap;

/// Which lanes of a parameter a function looks at, besides those where its results of that length are demanded. By
/// parameter: all of these hold; none: all lanes.
type Summary = Vec<Vec<Limit>>;

/// A bound on the lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// No further lanes.
    Results,
    /// Those where this parameter, a mask, is on.
    Mask(u32),
}

/// Drops selects of which only one side is looked at.
pub fn demanded_lanes(module: &mut Module) {
    let order = module.callees_first();
    let mut summaries: FxHashMap<FunctionId, Summary> = FxHashMap::default();
    for &id in &order {
        let function = &module.functions[id.0 as usize];
        let graph = Graph::new(function);
        let summary = Analysis::new(function, &graph, &summaries).summary();
        summaries.insert(id, summary);
    }
    // For each function: call sites to be seen, and the mask parameters that were enough for all that were.
    let mut contents: FxHashMap<FunctionId, (usize, Vec<u32>)> = FxHashMap::default();
    for &id in &order {
        let function = &module.functions[id.0 as usize];
        contents.entry(id).or_insert_with(|| (0, masks(function)));
        function.for_each_call(|callee, _| {
            contents.entry(callee).or_insert_with(|| (0, masks(&module.functions[callee.0 as usize]))).0 += 1;
        });
    }
    for &id in order.iter().rev() {
        let function = &module.functions[id.0 as usize];
        let graph = Graph::new(function);
        let mut analysis = Analysis::new(function, &graph, &summaries);
        let (unseen, enough) = &contents[&id];
        if *unseen == 0 && function.linkage == Linkage::Internal {
            analysis.results_are_seen_where(enough);
        }
        analysis.settle();
        function.for_each_call(|callee, inst| {
            let content = contents.get_mut(&callee).expect("every callee was counted");
            content.0 -= 1;
            content.1.retain(|&mask| analysis.is_content(inst, mask));
        });
        let (same, masks) = (analysis.superfluous_selects(), analysis.superfluous_masks());
        let through = analysis.through();
        let function = &mut module.functions[id.0 as usize];
        through.apply(function);
        for (inst, enough) in masks {
            match (&mut function.insts[inst.0 as usize].op, enough) {
                (Op::Select(mask, ..), Some(enough)) => *mask = enough,
                (Op::Load { mask, .. } | Op::Store { mask, .. }, enough) => *mask = enough,
                (op, _) => panic!("{op:?} has no mask to leave out"),
            }
        }
        function.replace_uses(&same);
    }
}

/// The parameters that may be masks of vectors.
fn masks(function: &Function) -> Vec<u32> {
    let types = (0..).zip(&function.parameters);
    types.filter(|(_, ty)| ty.element == Element::Bool && ty.length > 1).map(|(index, _)| index).collect()
}
