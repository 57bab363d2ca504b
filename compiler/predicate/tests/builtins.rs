//! Built-ins under a mask, each against its sentence in `typed::ir::Builtin`.

use super::typed::*;
use crate::predicate::{Options, predicate};
use crate::typed::ir::*;
use crate::types::{Element, Type};
use crate::vector::interpret::Machine;
use crate::vector::ir as vector;

const MASK: [u64; 4] = [0, 1, 1, 0];

/// A value made from the vector parameter x and the scalar parameter n.
fn run(element: Element, x: [i64; 4], n: i64, make: impl FnOnce(&mut Maker, Expr, Expr) -> Expr) -> Vec<i64> {
    let mut m = Maker::new(4);
    let (ty, scalar) = (m.types.vector(element, 4), m.int(1));
    let (x_local, n_local) = (m.local("x", ty), m.local("n", scalar));
    let (x_expr, n_expr) = (m.get(x_local), m.get(n_local));
    let value = make(&mut m, x_expr, n_expr);
    let result = value.ty;
    let f = m.function(4, 2, result, block(4, vec![statement(StatementKind::Return(Some(value)))]));
    let module = predicate(&m.program(vec![f]), &Options::default());
    let cut = |value: i64, bits: u32| (value as u64) & (u64::MAX >> (64 - bits));
    let lanes = x.map(|lane| cut(lane, element.bits())).to_vec();
    let results = Machine::new(&module)
        .call(vector::FunctionId(0), vec![MASK.to_vec(), lanes, vec![cut(n, 32)]])
        .expect("a run without faults");
    let bits = module.functions[0].results[0].element.bits();
    results[0].iter().map(|&lane| ((lane << (64 - bits)) as i64) >> (64 - bits)).collect()
}

fn builtin(builtin: Builtin, operands: Vec<Expr>, ty: Type) -> Expr {
    expr(ExprKind::Builtin(builtin, operands), ty)
}

/// A built-in of x alone that gives a vector like x.
fn of_x(b: Builtin, x: [i64; 4]) -> Vec<i64> {
    run(Element::Int32, x, 0, |_, x, _| {
        let ty = x.ty;
        builtin(b, vec![x], ty)
    })
}

/// A built-in of x and n that gives a vector like x; n is known at compile time or not.
fn of_x_and_n(b: Builtin, n: i64) -> Vec<i64> {
    let unknown = run(Element::Int32, [10, 11, 12, 13], n, |_, x, n| {
        let ty = x.ty;
        builtin(b, vec![x, n], ty)
    });
    let known = run(Element::Int32, [10, 11, 12, 13], 0, |m, x, _| {
        let (ty, n) = (x.ty, m.number(n as i32, 1));
        builtin(b, vec![x, n], ty)
    });
    assert_eq!(unknown, known, "{b:?} by {n}");
    known
}

#[test]
fn reductions_see_the_active_lanes() {
    let reduce = |op, element, x| {
        run(element, x, 0, |m, x, _| {
            let ty = m.types.scalar(element);
            builtin(Builtin::Cross(CrossOp::Reduce(op)), vec![x], ty)
        })
    };
    assert_eq!(reduce(ReduceOp::Add, Element::Int32, [100, 2, 3, 100]), [5]);
    assert_eq!(reduce(ReduceOp::Min, Element::Int16, [-9, 7, 3, -9]), [3]);
    assert_eq!(reduce(ReduceOp::Max, Element::Uint8, [127, 7, 3, 127]), [7]);
}

#[test]
fn scans_are_exclusive_prefixes() {
    let sums = of_x(Builtin::Cross(CrossOp::Scan(ReduceOp::Add)), [100, 2, 3, 100]);
    assert_eq!(sums[1..3], [0, 2]);
    let minima = of_x(Builtin::Cross(CrossOp::Scan(ReduceOp::Min)), [-100, 2, 3, 100]);
    assert_eq!(minima[1..3], [i64::from(i32::MAX), 2]);
}

#[test]
fn whole_shifts_and_rotations_take_known_and_unknown_counts() {
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::WholeRegShr), 1), [11, 12, 13, 0]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::WholeRegShr), 4), [0; 4]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::WholeRegShr), -1), [0; 4]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::WholeRegShl), 1), [0, 10, 11, 12]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::WholeRegShl), 0), [10, 11, 12, 13]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::WholeRegShl), i64::from(i32::MIN)), [0; 4]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::Rotate), 1), [11, 12, 13, 10]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::Rotate), -1), [13, 10, 11, 12]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::Rotate), 6), [12, 13, 10, 11]);
    assert_eq!(of_x_and_n(Builtin::Cross(CrossOp::BroadcastLane), 6), [12; 4]);
    assert_eq!(of_x(Builtin::Cross(CrossOp::Reverse), [1, 2, 3, 4]), [4, 3, 2, 1]);
}

#[test]
fn shuffles_take_indices_modulo() {
    let by_x = run(Element::Int32, [5, -1, 0, 2], 0, |_, x, _| {
        let ty = x.ty;
        builtin(Builtin::Cross(CrossOp::Shuffle), vec![x.clone(), x], ty)
    });
    assert_eq!(by_x, [-1, 2, 5, 0]);
    let of_two = run(Element::Int32, [5, -1, 0, 2], 0, |m, x, _| {
        let ty = x.ty;
        let other = m.number(9, 4);
        builtin(Builtin::Cross(CrossOp::Shuffle2), vec![x.clone(), other, x], ty)
    });
    assert_eq!(of_two, [9, 9, 5, 0]);
}

#[test]
fn logarithms_are_floors() {
    assert_eq!(of_x(Builtin::Lane(LaneOp::Log2), [0, 1, 1025, -7]), [-1, 0, 10, -1]);
    let unsigned = run(Element::Uint8, [0, 255, 128, 3], 0, |_, x, _| {
        let ty = x.ty;
        builtin(Builtin::Lane(LaneOp::Log2), vec![x], ty)
    });
    assert_eq!(unsigned, [-1, 7, 7, 1]);
}

#[test]
fn questions_about_masks() {
    let ask = |b: Builtin, x: [i64; 4]| {
        run(Element::Int32, x, 0, |m, x, _| {
            let three = m.number(3, 4);
            let small = m.compare(CompareOp::Less, x, three);
            let ty = if b == Builtin::Cross(CrossOp::PopcountMask) { m.int(1) } else { m.bool(1) };
            builtin(b, vec![small], ty)
        })[0]
            & 3
    };
    // Only the lanes in the middle are active.
    assert_eq!(
        [Builtin::Cross(CrossOp::Any), Builtin::Cross(CrossOp::All), Builtin::Cross(CrossOp::None)]
            .map(|b| ask(b, [0, 5, 5, 0]) & 1),
        [0, 0, 1]
    );
    assert_eq!(
        [Builtin::Cross(CrossOp::Any), Builtin::Cross(CrossOp::All), Builtin::Cross(CrossOp::None)]
            .map(|b| ask(b, [5, 0, 0, 5]) & 1),
        [1, 1, 0]
    );
    assert_eq!(ask(Builtin::Cross(CrossOp::PopcountMask), [0, 0, 5, 0]), 1);
    let scan = |n: i64, x: [i64; 4]| {
        run(Element::Int32, x, n, |m, x, n| {
            let three = m.number(3, 4);
            let small = m.compare(CompareOp::Less, x, three);
            let ty = m.int(1);
            builtin(Builtin::Cross(CrossOp::BitScan), vec![small, n], ty)
        })[0]
    };
    assert_eq!([-2, 0, 1, 2, 3, 4, 64, 1 << 30].map(|n| scan(n, [5, 0, 5, 0])), [1, 1, 1, 3, 3, -1, -1, -1]);
}

#[test]
fn get_and_set_ignore_the_mask() {
    let lane = run(Element::Int32, [10, 11, 12, 13], 7, |m, x, n| {
        let ty = m.int(1);
        builtin(Builtin::Get, vec![x, n], ty)
    });
    assert_eq!(lane, [13]);
    let mut m = Maker::new(4);
    let (ty, scalar) = (m.int(4), m.int(1));
    let (x, n) = (m.local("x", ty), m.local("n", scalar));
    let value = m.number(-1, 1);
    let set = ExprKind::SetLane { place: m.place(x), value: value.into(), index: m.get(n).into() };
    let set = statement(StatementKind::Expression(expr(set, scalar)));
    let back = statement(StatementKind::Return(Some(m.get(x))));
    // In registers, and in memory.
    for in_memory in [false, true] {
        let mut statements = vec![set.clone(), back.clone()];
        if in_memory {
            let pointer = m.types.pointer(ty, 1);
            let address = expr(ExprKind::AddressOf(m.place(x)), pointer);
            statements.insert(0, statement(StatementKind::Expression(address)));
        }
        let f = m.function(4, 2, ty, block(4, statements));
        let program = Program { types: m.types.clone(), functions: vec![f], ..Program::default() };
        let module = predicate(&program, &Options::default());
        let arguments = [MASK.to_vec(), vec![1, 2, 3, 4], vec![4]];
        assert_eq!(
            Machine::new(&module).call(vector::FunctionId(0), arguments.to_vec()).expect("a run without faults"),
            [[0xFFFF_FFFF, 2, 3, 4]]
        );
    }
}

#[test]
fn a_blend_is_defined_in_every_lane() {
    let blended = run(Element::Int32, [1, 2, 3, 4], 0, |m, x, _| {
        let ty = x.ty;
        let other = m.number(9, 4);
        expr(ExprKind::Blend(x.into(), other.into()), ty)
    });
    assert_eq!(blended, [9, 2, 3, 9]);
}

#[test]
fn packed_store_counts_what_it_stores() {
    let mut m = Maker::new(4);
    let (ty, scalar) = (m.int(4), m.int(1));
    let pointer = m.types.pointer(scalar, 1);
    let (p, x) = (m.local("p", pointer), m.local("x", ty));
    let value = builtin(Builtin::Effect(EffectOp::PackedStore), vec![m.get(p), m.get(x)], scalar);
    let f = m.function(4, 2, scalar, block(4, vec![statement(StatementKind::Return(Some(value)))]));
    let module = predicate(&m.program(vec![f]), &Options::default());
    let mut machine = Machine::new(&module);
    let at = machine.object(&[0; 12]);
    let count =
        machine.call(vector::FunctionId(0), vec![MASK.to_vec(), vec![at], vec![1, 2, 3, 4]]).expect("a run without faults");
    assert_eq!(count, [[2]]);
    assert_eq!(machine.contents(at, 12), [2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
}
