//! Writes blocks beside those that a function has: copies of rounds, and what is asked in front of a loop.

use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// Appends to a block.
pub(super) struct BlockWriter<'f> {
    pub(super) function: &'f mut Function,
    /// Where what is written stands.
    pub(super) block: Block,
    /// Where it is in the source.
    pub(super) span: Span,
}

impl BlockWriter<'_> {
    /// An empty block.
    pub(super) fn new_block(&mut self) -> Block {
        new_block(self.function)
    }

    /// One parameter more for a block.
    pub(super) fn parameter(&mut self, block: Block, ty: Type) -> Value {
        let index = self.function.blocks[block.0 as usize].parameters.len() as u32;
        let value = new_value(self.function, ty, ValueDef::Parameter(block, index));
        self.function.blocks[block.0 as usize].parameters.push(value);
        value
    }

    /// Parameters for a block as another one has them.
    pub(super) fn parameters_of(&mut self, like: Block, block: Block) -> Vec<Value> {
        let like = self.function.blocks[like.0 as usize].parameters.clone();
        like.into_iter().map(|value| self.parameter(block, self.function.ty(value))).collect()
    }

    pub(super) fn emit(&mut self, op: Op, ty: Type) -> Value {
        let (inst, value) = self.function.create(op, ty, self.span);
        self.function.blocks[self.block.0 as usize].insts.push(inst);
        value
    }

    /// An operation without results.
    pub(super) fn effect(&mut self, op: Op) {
        let inst = Inst(self.function.insts.len() as u32);
        self.function.insts.push(InstData { op, results: Vec::new(), span: self.span });
        self.function.blocks[self.block.0 as usize].insts.push(inst);
    }

    /// A constant.
    pub(super) fn number(&mut self, number: u64, ty: Type) -> Value {
        self.emit(Op::Const(vec![number]), ty)
    }

    /// How the block ends.
    pub(super) fn end(&mut self, terminator: Terminator) {
        self.function.blocks[self.block.0 as usize].terminator = terminator;
    }

    /// An instruction once more, with what its operands are here; gives what took the place of each of its results.
    pub(super) fn copy(&mut self, inst: Inst, operand: impl Fn(Value) -> Value) -> Vec<(Value, Value)> {
        let mut data = self.function.insts[inst.0 as usize].clone();
        data.op.for_each_mut(|value| *value = operand(*value));
        let made = Inst(self.function.insts.len() as u32);
        let mut same = Vec::new();
        for (index, result) in (0..).zip(&mut data.results) {
            let value = new_value(self.function, self.function.ty(*result), ValueDef::Result(made, index));
            same.push((std::mem::replace(result, value), value));
        }
        self.function.insts.push(data);
        self.function.blocks[self.block.0 as usize].insts.push(made);
        same
    }

    /// What is written at the end of the block.
    pub(super) fn with(&mut self, write: impl FnOnce(&mut Writer<'_>) -> Value) -> Value {
        let mut out = std::mem::take(&mut self.function.blocks[self.block.0 as usize].insts);
        let value = write(&mut Writer { function: &mut *self.function, out: &mut out, span: self.span });
        self.function.blocks[self.block.0 as usize].insts = out;
        value
    }

    /// [`again`], at the end of the block.
    pub(super) fn again(&mut self, value: Value, is_inside: &IsInside<'_>, known: &mut FxHashMap<Value, Value>) -> Value {
        self.with(|writer| again(writer.function, writer.out, writer.span, value, is_inside, known))
    }
}

/// Is a value defined in some part of a function?
pub(super) type IsInside<'i> = dyn Fn(&Function, Value) -> bool + 'i;

/// Is a value defined in these blocks? Blocks that the list does not know are not among them. It looks through all of them.
pub(super) fn is_defined_in(function: &Function, inside: &[bool], value: Value) -> bool {
    match function.values[value.0 as usize].def {
        ValueDef::Parameter(block, _) => inside.get(block.0 as usize) == Some(&true),
        ValueDef::Result(inst, _) => {
            let mut blocks = function.blocks.iter().zip(inside).filter(|(_, is_inside)| **is_inside);
            blocks.any(|(data, _)| data.insts.contains(&inst))
        }
    }
}

/// A value in front of the part of a function that defines it, which computes it from what is there: it is computed again, once for all
/// that are in `known`.
pub(super) fn again(
    function: &mut Function,
    out: &mut Vec<Inst>,
    span: Span,
    value: Value,
    is_inside: &IsInside<'_>,
    known: &mut FxHashMap<Value, Value>,
) -> Value {
    if !is_inside(function, value) {
        return value;
    }
    if let Some(&known) = known.get(&value) {
        return known;
    }
    let (mut op, ty) = (function.definition(value).expect("it is computed").clone(), function.ty(value));
    op.for_each_mut(|operand| *operand = again(function, out, span, *operand, is_inside, known));
    let (inst, made) = function.create(op, ty, span);
    out.push(inst);
    known.insert(value, made);
    made
}

/// Whoever came to a loop from outside comes to another block, with the same arguments.
pub(super) fn lead(function: &mut Function, graph: &Graph, is_inside: impl Fn(Block) -> bool, header: Block, to: Block) {
    for &from in graph.predecessors[header.0 as usize].iter().filter(|&&from| !is_inside(from)) {
        let targets = function.blocks[from.0 as usize].terminator.targets_mut();
        targets.filter(|target| target.block == header).for_each(|target| target.block = to);
    }
}

/// An empty block.
pub(super) fn new_block(function: &mut Function) -> Block {
    function.blocks.push(BlockData::empty());
    Block(function.blocks.len() as u32 - 1)
}

/// A value that is still to be made.
pub(super) fn new_value(function: &mut Function, ty: Type, def: ValueDef) -> Value {
    function.values.push(ValueData { ty, def });
    Value(function.values.len() as u32 - 1)
}
