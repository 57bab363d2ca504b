//! Which functions may fail: come back before their end, since something that has to hold did not.
//!
//! ```text
//! check c, "…"                 fails where c is false
//! print end …                  fails
//! call f(…), parallel f(…)     fails where f does
//! ```
//! A function that fails has no results. Its caller comes back, too, and so on up to the export, whose caller is told: what surrounds the
//! kernel decides whether the program ends.

use super::ir::{Function, FunctionId, Linkage, Module, Op};
use crate::source::Span;
use crate::target::Channel;
use std::collections::BTreeSet;

/// The message of a check: of as many `%` as there are numbers, each stands for the next one, a signed number.
pub fn filled(message: &str, numbers: &[i64]) -> String {
    let mut parts = message.splitn(numbers.len() + 1, '%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (number, part) in numbers.iter().zip(parts) {
        text += &number.to_string();
        text += part;
    }
    text
}

/// For each function of the module: may it fail?
pub fn may_fail(module: &Module) -> Vec<bool> {
    let mut fails: Vec<bool> = module.functions.iter().map(fails_itself).collect();
    let callers = callers(module);
    let mut work: Vec<usize> = (0..fails.len()).filter(|&index| fails[index]).collect();
    while let Some(index) = work.pop() {
        for &caller in &callers[index] {
            if !std::mem::replace(&mut fails[caller], true) {
                work.push(caller);
            }
        }
    }
    fails
}

/// For each function of the module: where it, or what it calls, accesses memory that nothing bounds, also where there are checks. A
/// function of C may do what it likes.
pub fn loose_accesses(module: &Module) -> Vec<BTreeSet<Span>> {
    let own = module.functions.iter().map(|function| {
        let is_extern = |callee: &FunctionId| matches!(module.functions[callee.0 as usize].linkage, Linkage::Extern(_));
        let is_loose = |op: &Op| matches!(op, Op::Call(callee, _) if is_extern(callee));
        spans(function, is_loose).chain(function.loose.iter().copied()).collect()
    });
    gathered(module, own.collect())
}

/// For each function of the module: where it, or what it calls, checks something.
pub fn checks(module: &Module) -> Vec<BTreeSet<Span>> {
    let own = module.functions.iter().map(|function| spans(function, |op| matches!(op, Op::Check { .. })).collect());
    gathered(module, own.collect())
}

/// The spans of a function's instructions of a kind.
fn spans(function: &Function, is_one: impl Fn(&Op) -> bool) -> impl Iterator<Item = Span> {
    let insts = function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &function.insts[inst.0 as usize]);
    insts.filter(move |data| is_one(&data.op)).map(|data| data.span)
}

/// What each function has, with what the functions have that it calls.
fn gathered(module: &Module, mut sets: Vec<BTreeSet<Span>>) -> Vec<BTreeSet<Span>> {
    let callers = callers(module);
    let mut work: Vec<usize> = (0..sets.len()).filter(|&index| !sets[index].is_empty()).collect();
    while let Some(index) = work.pop() {
        for &caller in &callers[index] {
            let before = sets[caller].len();
            let more = sets[index].clone();
            sets[caller].extend(more);
            if sets[caller].len() > before {
                work.push(caller);
            }
        }
    }
    sets
}

/// Who calls each function, or runs it for a parallel loop.
fn callers(module: &Module) -> Vec<Vec<usize>> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); module.functions.len()];
    for (caller, function) in module.functions.iter().enumerate() {
        for op in ops(function) {
            if let Op::Call(callee, _) | Op::Parallel { function: callee, .. } = op {
                callers[callee.0 as usize].push(caller);
            }
        }
    }
    callers
}

fn ops(function: &Function) -> impl Iterator<Item = &Op> {
    function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &function.insts[inst.0 as usize].op)
}

fn fails_itself(function: &Function) -> bool {
    ops(function).any(|op| matches!(op, Op::Check { .. } | Op::Print { channel: Channel::End, pieces: _ }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::parse::parse;

    #[test]
    fn callers_of_what_fails_fail() {
        let text = "function @checks(bool) -> () fp=strict {\nblock0(v0: bool):\n    check v0, \"no\"\n    return\n}\n\
                    function @part(i64, i64) -> () fp=strict {\nblock0(v0: i64, v1: i64):\n    v2: bool = compare.eq v0, v1\n    call @checks(v2)\n    return\n}\n\
                    function @loop(i64) -> () fp=strict {\nblock0(v0: i64):\n    parallel @part(), count v0\n    return\n}\n\
                    function @other(i64) -> (i64) fp=strict {\nblock0(v0: i64):\n    return v0\n}\n";
        let module = parse(text).expect("a module");
        assert_eq!(may_fail(&module), [true, true, true, false]);
    }
}
