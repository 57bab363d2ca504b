//! What the builder promises about blocks, parameters and dead code.

use super::*;

const I32: Type = Type { element: Element::I32, length: 1 };
const BOOL: Type = Type { element: Element::Bool, length: 1 };

fn ops(function: &Function) -> Vec<&Op> {
    function.blocks.iter().flat_map(|b| &b.insts).map(|i| &function.insts[i.0 as usize].op).collect()
}

#[test]
fn a_join_gets_a_parameter_only_where_values_differ() {
    let mut b = FunctionBuilder::new("f", &[BOOL, I32], &[I32, I32], Span::default());
    let [c, n] = b.function_parameters().try_into().unwrap();
    let (changed, kept) = (b.declare_variable(I32), b.declare_variable(I32));
    b.define(changed, n);
    b.define(kept, n);
    let (then, join) = (b.create_block(), b.create_block());
    b.branch(c, then, &[], join, &[]);
    b.seal(then);
    b.position(then);
    let twice = b.binary(BinaryOp::Add, n, n);
    b.define(changed, twice);
    b.jump(join, &[]);
    b.seal(join);
    b.position(join);
    let results = [b.use_variable(changed), b.use_variable(kept)];
    b.ret(&results);
    let f = b.finish();
    assert_eq!(f.blocks.len(), 3);
    assert_eq!(f.blocks[2].parameters.len(), 1);
    assert_eq!(f.blocks[2].terminator, Terminator::Return(vec![f.blocks[2].parameters[0], Value(1)]));
}

#[test]
fn a_loop_carries_what_it_changes_and_nothing_unused() {
    let mut b = FunctionBuilder::new("f", &[I32], &[I32], Span::default());
    let n = b.function_parameters()[0];
    let (i, unused, fixed) = (b.declare_variable(I32), b.declare_variable(I32), b.declare_variable(I32));
    let zero = b.zero(I32);
    b.define(i, zero);
    b.define(unused, zero);
    b.define(fixed, n);
    let (header, body, exit) = (b.create_block(), b.create_block(), b.create_block());
    b.jump(header, &[]);
    b.position(header);
    let (now, bound) = (b.use_variable(i), b.use_variable(fixed));
    let more = b.compare(CompareOp::SLt, now, bound);
    b.branch(more, body, &[], exit, &[]);
    b.seal(body);
    b.position(body);
    let one = b.int(I32, 1);
    let (now, other) = (b.use_variable(i), b.use_variable(unused));
    let next = b.binary(BinaryOp::Add, now, one);
    let dead = b.binary(BinaryOp::Mul, other, next);
    b.define(i, next);
    b.define(unused, dead);
    b.jump(header, &[]);
    b.seal(header);
    b.seal(exit);
    b.position(exit);
    let result = b.use_variable(i);
    b.ret(&[result]);
    let f = b.finish();
    assert_eq!(f.blocks.iter().map(|b| b.parameters.len()).collect::<Vec<_>>(), [1, 1, 0, 0]);
    assert!(!ops(&f).iter().any(|op| matches!(op, Op::Binary(BinaryOp::Mul, ..))));
}

#[test]
fn code_behind_a_terminator_is_dropped() {
    let mut b = FunctionBuilder::new("f", &[I32], &[I32], Span::default());
    let n = b.function_parameters()[0];
    b.ret(&[n]);
    assert!(!b.is_reachable());
    let join = b.create_block();
    b.jump(join, &[]);
    b.seal(join);
    b.position(join);
    b.assume(n);
    b.ret(&[n]);
    let f = b.finish();
    assert_eq!(f.blocks.len(), 1);
    assert_eq!(f.insts.len(), 0);
}

#[test]
fn masks_fold() {
    let mask = Type::new(Element::Bool, 8);
    let mut b = FunctionBuilder::new("f", &[mask, mask], &[mask], Span::default());
    let [p, c] = b.function_parameters().try_into().unwrap();
    let on = b.bool(8, true);
    let both = b.and(p, c);
    assert_eq!(b.and(p, on), p);
    assert_eq!(b.and(p, both), both);
    let not = b.not(c);
    assert_eq!(b.not(not), c);
    let unset = b.unset(mask);
    assert_eq!(b.select(c, p, unset), p);
    assert_eq!(b.select(on, p, c), p);
    b.ret(&[both]);
    assert_eq!(b.finish().insts.len(), 1);
}

#[test]
fn a_long_chain_of_joins_needs_no_deep_stack() {
    let mut b = FunctionBuilder::new("f", &[BOOL, I32], &[I32], Span::default());
    let [c, n] = b.function_parameters().try_into().unwrap();
    let x = b.declare_variable(I32);
    b.define(x, n);
    for _ in 0..50_000 {
        let (then, join) = (b.create_block(), b.create_block());
        b.branch(c, then, &[], join, &[]);
        b.seal(then);
        b.position(then);
        b.prefetch(n);
        b.jump(join, &[]);
        b.seal(join);
        b.position(join);
    }
    let result = b.use_variable(x);
    b.ret(&[result]);
    let f = b.finish();
    assert!(f.blocks.iter().skip(1).all(|b| b.parameters.is_empty()));
}
