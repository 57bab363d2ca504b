//! The shape of what is emitted: where there are branches, masks and selects, and where there are none.

use super::typed::*;
use crate::predicate::{Options, predicate};
use crate::target::Unrolling;
use crate::typed::ir::*;
use crate::types::{Member, Type, TypeKind};
use crate::vector::interpret::Machine;
use crate::vector::ir as vector;
use crate::vector::ir::Op;

fn ops(function: &vector::Function) -> Vec<&Op> {
    function.blocks.iter().flat_map(|b| &b.insts).map(|i| &function.insts[i.0 as usize].op).collect()
}

fn count(function: &vector::Function, wanted: impl Fn(&Op) -> bool) -> usize {
    ops(function).into_iter().filter(|op| wanted(op)).count()
}

fn first(program: &Program) -> vector::Function {
    predicate(program, &Options::default()).functions.remove(0)
}

/// `x` is a parameter of this length; the body may declare more.
fn with_x(context: u8, length: u8, body: impl FnOnce(&mut Maker, LocalId) -> Vec<Statement>) -> Program {
    let mut m = Maker::new(length);
    let ty = m.int(length);
    let void = m.types.void();
    let x = m.local("x", ty);
    let statements = body(&mut m, x);
    let f = m.function(context, 1, void, block(context, statements));
    let g = m.external(length, ty);
    let h = m.external(1, void);
    m.program(vec![f, g, h])
}

fn less(m: &mut Maker, x: LocalId, bound: i32, length: u8) -> Expr {
    let (x, bound) = (m.get(x), m.number(bound, length));
    m.compare(CompareOp::Less, x, bound)
}

fn a_call(m: &mut Maker, x: LocalId) -> Statement {
    let (argument, void) = (m.get(x), m.types.void());
    let call = m.call(FunctionId(1), vec![argument], void);
    statement(StatementKind::Expression(call))
}

fn an_if(condition: Expr, then: Block) -> Statement {
    let otherwise = block(then.context, vec![]);
    statement(StatementKind::If { condition, then, otherwise })
}

#[test]
fn a_cheap_if_is_a_select_and_a_call_needs_a_branch() {
    let assign = with_x(8, 8, |m, x| {
        let (c, zero) = (less(m, x, 3, 8), m.number(0, 8));
        let (set, call) = (m.set(x, zero), a_call(m, x));
        vec![an_if(c, block(8, vec![set])), call]
    });
    let f = first(&assign);
    assert_eq!(f.blocks.len(), 1);
    assert_eq!(count(&f, |op| matches!(op, Op::Select(..))), 1);
    let call = with_x(8, 8, |m, x| {
        let c = less(m, x, 3, 8);
        let call = a_call(m, x);
        vec![an_if(c, block(8, vec![call]))]
    });
    let f = first(&call);
    assert_eq!(f.blocks.len(), 3);
    assert_eq!(count(&f, |op| matches!(op, Op::Any(_))), 1);
}

#[test]
fn both_sides_of_an_if_are_one_select() {
    let f = first(&with_x(1, 8, |m, x| {
        let (c, zero, one) = (less(m, x, 3, 8), m.number(0, 8), m.number(1, 8));
        let (then, otherwise) = (block(8, vec![m.set(x, zero)]), block(8, vec![m.set(x, one)]));
        let call = a_call(m, x);
        vec![statement(StatementKind::If { condition: c, then, otherwise }), call]
    }));
    assert_eq!(count(&f, |op| matches!(op, Op::Select(..))), 1);
}

#[test]
fn with_all_lanes_on_nothing_is_masked() {
    // A vector condition in context 1 opens a context whose mask is the condition itself.
    let f = first(&with_x(1, 8, |m, x| {
        let (c, zero) = (less(m, x, 3, 8), m.number(0, 8));
        let lane = Expr { kind: ExprKind::LaneIndex, ..m.number(0, 8) };
        let (set, then, call) = (m.set(x, lane), m.set(x, zero), a_call(m, x));
        vec![set, an_if(c, block(8, vec![then])), call]
    }));
    assert_eq!(count(&f, |op| matches!(op, Op::Binary(vector::BinaryOp::And, ..))), 0);
    assert_eq!(count(&f, |op| matches!(op, Op::Select(..))), 1);
}

#[test]
fn a_uniform_break_leaves_a_plain_loop() {
    let jump_under = |vector_condition: bool| {
        with_x(8, 8, |m, x| {
            let scalar = m.int(1);
            let s = m.local("s", scalar);
            let c = if vector_condition { less(m, x, 3, 8) } else { less(m, s, 3, 1) };
            let leave = an_if(c, block(8, vec![statement(StatementKind::Break)]));
            let body = block(8, vec![leave, a_call(m, x)]);
            let endless =
                StatementKind::Loop { test_first: true, unrolling: Unrolling::Usual, condition: None, step: None, body };
            vec![statement(endless), a_call(m, x)]
        })
    };
    let plain = first(&jump_under(false));
    assert_eq!(count(&plain, |op| matches!(op, Op::Any(_))), 0);
    let lanes = first(&jump_under(true));
    assert!(count(&lanes, |op| matches!(op, Op::Any(_))) > 0);
    let masks = lanes.blocks.iter().skip(1).flat_map(|b| &b.parameters);
    assert_eq!(masks.filter(|p| lanes.values[p.0 as usize].ty.element == vector::Element::Bool).count(), 1);
}

#[test]
fn foreach_runs_whole_blocks_without_a_mask() {
    let mut m = Maker::new(8);
    let (scalar, vector_type, void) = (m.int(1), m.int(8), m.types.void());
    let pointer = m.types.pointer(scalar, 1);
    let (p, n, i) = (m.local("p", pointer), m.local("n", scalar), m.local("i", vector_type));
    let place = pointed_at(&mut m, p, i);
    let one = m.number(1, 8);
    let sum = ExprKind::Compound { place, op: BinaryOp::Add, value: one.into(), compute_as: vector_type, old_value: false };
    let body = block(8, vec![statement(StatementKind::Expression(expr(sum, vector_type)))]);
    let (low, high) = (m.number(0, 1), m.get(n));
    let indices = vec![ForeachIndex { local: i, low, high }];
    let each = statement(StatementKind::Foreach { parallel: false, unrolling: Unrolling::Usual, indices, body });
    let f = m.function(1, 2, void, block(1, vec![each]));
    let program = m.program(vec![f]);
    let module = predicate(&program, &Options::default());
    let f = &module.functions[0];
    // Neighbouring lanes cannot collide, so that nothing is done lane by lane.
    assert_eq!(count(f, |op| matches!(op, Op::Extract(..))), 0);
    assert_eq!(count(f, |op| matches!(op, Op::Scatter { mask: None, .. })), 1);
    assert_eq!(count(f, |op| matches!(op, Op::Scatter { mask: Some(_), .. })), 1);
    for n in [0u64, 1, 7, 8, 9, 23] {
        let mut machine = Machine::new(&module);
        let at = machine.object(&[0; 112]);
        machine.call(vector::FunctionId(0), vec![vec![at], vec![n]]).expect("a run without faults");
        let cells: Vec<u8> = machine.contents(at, 112).into_iter().step_by(4).collect();
        let wanted: Vec<u8> = (0..28).map(|k| u8::from(k < n)).collect();
        assert_eq!(cells, wanted, "n = {n}");
    }
}

/// `p[i]` for a scalar pointer and a vector index.
fn pointed_at(m: &mut Maker, p: LocalId, i: LocalId) -> Place {
    let ty = m.locals[i.0 as usize].ty;
    let length = m.types.length(ty);
    let pointers = m.types.pointer(m.types.pointee(m.locals[p.0 as usize].ty).unwrap(), length);
    let base = expr(ExprKind::Broadcast(m.get(p).into()), pointers);
    let address = expr(ExprKind::PointerOffset(base.into(), m.get(i).into()), pointers);
    let object = m.int(1);
    Place { kind: PlaceKind::Dereference(address.into()), object, addresses: length, ty, span: Default::default() }
}

#[test]
fn colliding_lanes_add_one_after_another() {
    let mut m = Maker::new(4);
    let (scalar, vector_type, void) = (m.int(1), m.int(4), m.types.void());
    let pointer = m.types.pointer(scalar, 1);
    let (p, x) = (m.local("p", pointer), m.local("x", vector_type));
    let place = pointed_at(&mut m, p, x);
    let one = m.number(1, 4);
    let sum = ExprKind::Compound { place, op: BinaryOp::Add, value: one.into(), compute_as: vector_type, old_value: false };
    let body = block(4, vec![statement(StatementKind::Expression(expr(sum, vector_type)))]);
    let f = m.function(4, 2, void, body);
    let module = predicate(&m.program(vec![f]), &Options::default());
    let mut machine = Machine::new(&module);
    let at = machine.object(&[0; 16]);
    machine.call(vector::FunctionId(0), vec![vec![1, 1, 0, 1], vec![at], vec![2, 2, 2, 3]]).expect("a run without faults");
    assert_eq!(machine.contents(at + 8, 8), [2, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn a_return_out_of_scalar_takes_all_lanes() {
    // if (x < 3) return 7; scalar { return x; }
    let mut m = Maker::new(4);
    let ty = m.int(4);
    let x = m.local("x", ty);
    let (c, seven) = (less(&mut m, x, 3, 4), m.number(7, 4));
    let early = an_if(c, block(4, vec![statement(StatementKind::Return(Some(seven)))]));
    let late = block(1, vec![statement(StatementKind::Return(Some(m.get(x))))]);
    let body = block(4, vec![early, statement(StatementKind::Scalar(late))]);
    let f = m.function(4, 1, ty, body);
    let module = predicate(&m.program(vec![f]), &Options::default());
    let result = Machine::new(&module)
        .call(vector::FunctionId(0), vec![vec![1, 1, 0, 1], vec![1, 5, 2, 9]])
        .expect("a run without faults");
    assert_eq!(result, [[7, 5, 2, 9]]);
}

#[test]
fn lanes_that_leave_a_scalar_region_are_gone_behind_it() {
    // if (x < 3) { scalar { if (x == 1) return 9; } return x; } return 7;
    let mut m = Maker::new(4);
    let ty = m.int(4);
    let x = m.local("x", ty);
    let (value, one, nine, seven) = (m.get(x), m.number(1, 4), m.number(9, 4), m.number(7, 4));
    let equal = m.compare(CompareOp::Equal, value, one);
    let inner = an_if(equal, block(4, vec![statement(StatementKind::Return(Some(nine)))]));
    let region = statement(StatementKind::Scalar(block(1, vec![inner])));
    let rest = statement(StatementKind::Return(Some(m.get(x))));
    let small = less(&mut m, x, 3, 4);
    let last = statement(StatementKind::Return(Some(seven)));
    let body = block(4, vec![an_if(small, block(4, vec![region, rest])), last]);
    let f = m.function(4, 1, ty, body);
    let module = predicate(&m.program(vec![f]), &Options::default());
    let result =
        Machine::new(&module).call(vector::FunctionId(0), vec![vec![1; 4], vec![1, 2, 3, 4]]).expect("a run without faults");
    assert_eq!(result, [[9, 2, 7, 7]]);
}

#[test]
fn foreach_active_and_foreach_unique_visit_their_lanes() {
    let mut m = Maker::new(4);
    let (ty, scalar, void) = (m.int(4), m.int(1), m.types.void());
    let (x, k, u) = (m.local("x", ty), m.local("k", scalar), m.local("u", scalar));
    let call = |m: &mut Maker, function, local| {
        let (argument, void) = (m.get(local), m.types.void());
        let call = m.call(FunctionId(function), vec![argument], void);
        statement(StatementKind::Expression(call))
    };
    let active = block(1, vec![call(&mut m, 1, k)]);
    let unique = block(4, vec![call(&mut m, 2, u)]);
    let value = m.get(x);
    let body = block(
        4,
        vec![
            statement(StatementKind::ForeachActive { index: k, body: active }),
            statement(StatementKind::ForeachUnique { local: u, value, body: unique }),
        ],
    );
    let f = m.function(4, 1, void, body);
    let (in_one, in_four) = (m.external(1, scalar), m.external(4, scalar));
    let module = predicate(&m.program(vec![f, in_one, in_four]), &Options::default());
    let mut machine = Machine::new(&module);
    machine.call(vector::FunctionId(0), vec![vec![1, 0, 1, 1], vec![6, 6, 5, 6]]).expect("a run without faults");
    let lanes = [vec![vec![0]], vec![vec![2]], vec![vec![3]]];
    let values = [vec![vec![1, 0, 0, 1], vec![6]], vec![vec![0, 0, 1, 0], vec![5]]];
    assert_eq!(machine.trace, [&lanes[..], &values[..]].concat());
}

/// `struct { int a; int scalar b; }` of this length.
fn record(m: &mut Maker, length: u8) -> Type {
    let id = m.types.declare_record("pair");
    let ty = m.types.intern(TypeKind::Record { record: id, length, context: 1 });
    let members = [("a", length), ("b", 1)].map(|(name, n)| Member { name: name.into(), ty: m.int(n) });
    m.types.set_members(ty, members.to_vec());
    ty
}

#[test]
fn a_record_is_its_leaves_and_is_stored_leaf_by_leaf() {
    let mut m = Maker::new(4);
    let pair = record(&mut m, 4);
    let (x, y) = (m.local("x", pair), m.local("y", pair));
    let copy = m.set(x, m.get(y));
    let body = block(4, vec![copy, statement(StatementKind::Return(Some(m.get(x))))]);
    let f = m.function(4, 2, pair, body);
    let module = predicate(&m.program(vec![f]), &Options::default());
    assert_eq!(module.functions[0].parameters.len(), 5);
    let arguments = [vec![1, 0, 0, 1], vec![1, 2, 3, 4], vec![5], vec![10, 20, 30, 40], vec![50]];
    let result = Machine::new(&module).call(vector::FunctionId(0), arguments.to_vec()).expect("a run without faults");
    assert_eq!(result, [vec![10, 2, 3, 40], vec![50]]);
}

#[test]
fn members_behind_vectors_of_pointers_know_their_object() {
    let mut m = Maker::new(4);
    let (scalar_pair, ty) = (record(&mut m, 1), m.int(4));
    let pointers = m.types.pointer(scalar_pair, 4);
    let p = m.local("p", pointers);
    let object = m.int(1);
    let whole = Place {
        kind: PlaceKind::Dereference(m.get(p).into()),
        object: scalar_pair,
        addresses: 4,
        ty: scalar_pair,
        span: Default::default(),
    };
    let place = Place { kind: PlaceKind::Member(whole.into(), 1), object, addresses: 4, ty, span: Default::default() };
    let value = expr(ExprKind::Load(place), ty);
    let body = block(4, vec![statement(StatementKind::Return(Some(value)))]);
    let f = m.function(4, 1, ty, body);
    let f = first(&m.program(vec![f]));
    let wanted = vector::Object { offset: 4, size: 8 };
    assert_eq!(count(&f, |op| matches!(op, Op::Gather { object: Some(o), mask: Some(_), .. } if *o == wanted)), 1);
}

#[test]
fn checks_stand_before_dereferences() {
    let mut m = Maker::new(4);
    let (scalar, ty) = (m.int(1), m.int(4));
    let pointer = m.types.pointer(scalar, 1);
    let (p, n, i) = (m.local("p", pointer), m.local("n", scalar), m.local("i", ty));
    let bound = Some(SliceBound::Parameter(n.0 as usize));
    m.locals[p.0 as usize].parameter = ParameterKind::Slice { bound, read_only: true };
    let place = pointed_at(&mut m, p, i);
    let value = expr(ExprKind::Load(place), ty);
    let f = m.function(1, 3, ty, block(1, vec![statement(StatementKind::Return(Some(value)))]));
    let program = m.program(vec![f]);
    let checked = predicate(&program, &Options { check: true }).functions.remove(0);
    let messages: Vec<&str> = ops(&checked)
        .into_iter()
        .filter_map(|op| if let Op::Check { message, .. } = op { Some(message.as_str()) } else { None })
        .collect();
    assert_eq!(messages, ["null pointer", "index out of bounds: index % of `p`, which has % elements"]);
    let plain = first(&program);
    assert_eq!(count(&plain, |op| matches!(op, Op::Check { .. })), 0);
    assert!(plain.parameter_flags[0].read_only && !plain.parameter_flags[0].noalias);
}

#[test]
fn void_main_returns_zero_and_globals_are_bytes() {
    let mut m = Maker::new(1);
    let (void, ty) = (m.types.void(), m.int(4));
    let f = m.function(1, 0, void, block(1, vec![]));
    let mut program = m.program(vec![f]);
    program.main = Some(FunctionId(0));
    let lanes = [1, 2, 0xFFFF_FFFF].map(|n| Initializer::Constant(Constant::Int(n)));
    let initializer = Initializer::List(lanes.to_vec());
    program.globals.push(Global { name: "g".into(), ty, is_const: false, initializer, span: Default::default() });
    let module = predicate(&program, &Options::default());
    assert_eq!(module.functions[0].name, "main");
    assert_eq!(Machine::new(&module).call(vector::FunctionId(0), vec![]).expect("a run without faults"), [[0]]);
    let bytes = [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0];
    assert_eq!(module.globals[0].bytes.as_deref(), Some(&bytes[..]));
}
