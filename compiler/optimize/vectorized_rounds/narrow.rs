//! What a round hands on in more bits than it was made of is handed on in those.
//!
//! ```text
//! block1(i, before: i32):                      block1(i, b: i8):
//!     branch i < n, block2, block3                 branch i < n, block2, block3
//! block2:                                      block2:
//!     x = load a + i: i8                ──►        before = convert.zext b: i32
//!     y = convert.zext x: i32                      x = load a + i: i8
//!     …                                            …
//!     jump block1(i + 1, y)                        jump block1(i + 1, x)
//! ```
//! `int before = a[0]; … before = a[i];` says `int` of a byte. Lanes of bytes are moved by one at a quarter of the cost.

use super::super::block_writer::new_value;
use super::{Frame, Looks};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// How a number is made longer, and of what.
type Form = (ConvertOp, Element);

/// Narrows what the innermost loops of a function hand on.
pub(super) fn narrow_carried(function: &mut Function, graph: &Graph, looks: &Looks) {
    for &header in graph.order.iter().filter(|&&block| graph.innermost_loop(block) == Some(block)) {
        if let Some(frame) = Frame::of(function, graph, header) {
            let forms = forms(function, graph, looks, header, &frame);
            write(function, graph, header, frame.counter.body, &forms);
        }
    }
}

/// The parameters of a header that are longer forms of something on all ways, by their places.
fn forms(function: &Function, graph: &Graph, looks: &Looks, header: Block, frame: &Frame) -> FxHashMap<usize, Form> {
    let parameters = &function.blocks[header.0 as usize].parameters;
    let Some(&latch) = frame.blocks.last() else { return FxHashMap::default() };
    let arguments = |from: Block, place: usize| {
        let targets = function.blocks[from.0 as usize].terminator.targets().filter(move |target| target.block == header);
        targets.map(move |target| target.arguments[place])
    };
    let is_inside = |block: &Block| frame.blocks.contains(block);
    let place_of = |value: Value| parameters.iter().position(|parameter| *parameter == value);
    let form_of = |value: Value| match function.definition(value) {
        Some(&Op::Convert(op @ (ConvertOp::SExt | ConvertOp::ZExt), from)) => Some((op, function.ty(from).element)),
        _ => None,
    };
    let may_be = |place: usize| {
        let parameter = parameters[place];
        let ty = function.ty(parameter);
        let is_seen_inside = looks.get(&parameter).is_none_or(|blocks| blocks.iter().all(is_inside));
        parameter != frame.counter.value && ty.length == 1 && ty.element.is_int() && is_seen_inside
    };
    let mut forms: FxHashMap<usize, Form> = FxHashMap::default();
    // One that takes another's place has the form of that.
    for _ in 0..parameters.len() {
        for place in (0..parameters.len()).filter(|&place| may_be(place)) {
            let next = arguments(latch, place).next();
            let form = next.and_then(|next| form_of(next).or_else(|| forms.get(&place_of(next)?).copied()));
            form.map(|form| forms.insert(place, form));
        }
    }
    loop {
        let has_form = |&place: &usize| {
            let form = forms[&place];
            graph.predecessors[header.0 as usize].iter().flat_map(|&from| arguments(from, place)).all(|argument| {
                let is_same = place_of(argument).is_some_and(|other| forms.get(&other) == Some(&form));
                is_same || form_of(argument) == Some(form) || narrowed(function, argument, form).is_some()
            })
        };
        let wrong: Vec<usize> = forms.keys().copied().filter(|place| !has_form(place)).collect();
        if wrong.is_empty() {
            return forms;
        }
        forms.retain(|place, _| !wrong.contains(place));
    }
}

/// A constant in the bits of a form, which makes the same of it.
fn narrowed(function: &Function, constant: Value, (op, element): Form) -> Option<u64> {
    let bits = function.constant(constant)?[0];
    let (own, few) = (function.ty(constant).element.bits(), element.bits());
    let shift = 64 - few;
    let again = match op {
        ConvertOp::ZExt => bits << shift >> shift,
        _ => ((bits << shift) as i64 >> shift) as u64 & (u64::MAX >> (64 - own)),
    };
    (again == bits && few < own).then_some(bits & (u64::MAX >> shift))
}

/// Hands on the narrow ones, which `body` makes longer.
fn write(function: &mut Function, graph: &Graph, header: Block, body: Block, forms: &FxHashMap<usize, Form>) {
    let old = function.blocks[header.0 as usize].parameters.clone();
    let places: Vec<usize> = (0..old.len()).filter(|place| forms.contains_key(place)).collect();
    let span = function.span;
    // The parameters first, since some take each other's place.
    let mut longer = Vec::new();
    let mut narrow: FxHashMap<Value, Value> = FxHashMap::default();
    for &place in &places {
        let (op, element) = forms[&place];
        let def = ValueDef::Parameter(header, place as u32);
        let value = new_value(function, Type::scalar(element), def);
        function.blocks[header.0 as usize].parameters[place] = value;
        let inst = Inst(function.insts.len() as u32);
        function.insts.push(InstData { op: Op::Convert(op, value), results: vec![old[place]], span });
        function.values[old[place].0 as usize].def = ValueDef::Result(inst, 0);
        narrow.insert(old[place], value);
        longer.push(inst);
    }
    // In front of the first who looks, since what is handed on is not known before what it is made of is.
    for inst in longer {
        let value = function.insts[inst.0 as usize].results[0];
        let looks = |other: &Inst| {
            let mut looks = false;
            function.insts[other.0 as usize].op.for_each(|operand| looks |= operand == value);
            looks
        };
        let insts = &function.blocks[body.0 as usize].insts;
        let place = insts.iter().position(looks).unwrap_or(insts.len());
        function.blocks[body.0 as usize].insts.insert(place, inst);
    }
    for &from in &graph.predecessors[header.0 as usize] {
        for &place in &places {
            let targets = function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == header);
            for argument in targets.map(|target| target.arguments[place]).collect::<Vec<_>>() {
                let given = match function.definition(argument) {
                    Some(&Op::Convert(_, value)) if !narrow.contains_key(&argument) => value,
                    Some(&Op::Const(_)) => {
                        let bits = narrowed(function, argument, forms[&place]).expect("it has the form");
                        let (constant, value) = function.create(Op::Const(vec![bits]), Type::scalar(forms[&place].1), span);
                        function.blocks[from.0 as usize].insts.push(constant);
                        value
                    }
                    _ => narrow[&argument],
                };
                let targets = function.blocks[from.0 as usize].terminator.targets_mut().filter(|target| target.block == header);
                for target in targets.filter(|target| target.arguments[place] == argument) {
                    target.arguments[place] = given;
                }
            }
        }
    }
}
