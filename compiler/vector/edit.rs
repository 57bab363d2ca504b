//! Small edits that every pass makes.

use super::graph::Graph;
use super::ir::*;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Those of a list that are kept.
pub fn kept<T: Clone>(list: &[T], is_kept: &[bool]) -> Vec<T> {
    list.iter().zip(is_kept).filter(|(_, is_kept)| **is_kept).map(|(item, _)| item.clone()).collect()
}

impl Module {
    /// The functions that have a body, callees in front of their callers except along recursion.
    pub fn callees_first(&self) -> Vec<FunctionId> {
        let (mut seen, mut order) = (vec![false; self.functions.len()], Vec::new());
        for root in 0..self.functions.len() as u32 {
            let mut stack = vec![(FunctionId(root), false)];
            while let Some((id, left)) = stack.pop() {
                let function = &self.functions[id.0 as usize];
                if left {
                    order.push(id);
                } else if !function.blocks.is_empty() && !std::mem::replace(&mut seen[id.0 as usize], true) {
                    stack.push((id, true));
                    function.for_each_call(|callee, _| stack.push((callee, false)));
                }
            }
        }
        order
    }
}

impl Function {
    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.0 as usize].ty
    }

    /// The operation that defines a value; `None` for a block parameter.
    pub fn definition(&self, value: Value) -> Option<&Op> {
        match self.values[value.0 as usize].def {
            ValueDef::Result(inst, _) => Some(&self.insts[inst.0 as usize].op),
            ValueDef::Parameter(..) => None,
        }
    }

    /// Is it a mask that is known to have all lanes on?
    pub fn has_all_lanes(&self, mask: Value) -> bool {
        matches!(self.definition(mask), Some(Op::Const(lanes)) if lanes.iter().all(|&lane| lane != 0))
    }

    /// The scalar that all lanes of a vector were made of.
    pub fn splatted(&self, value: Value) -> Option<Value> {
        match self.definition(value) {
            Some(&Op::Splat(scalar)) => Some(scalar),
            _ => None,
        }
    }

    /// Lists take the places of some instructions of a block.
    pub fn put_instead(&mut self, block: Block, mut instead: FxHashMap<Inst, Vec<Inst>>) {
        if !instead.is_empty() {
            let insts = &mut self.blocks[block.0 as usize].insts;
            let written = |inst| instead.remove(&inst).unwrap_or_else(|| vec![inst]);
            *insts = std::mem::take(insts).into_iter().flat_map(written).collect();
        }
    }

    /// A new instruction with one result of type `ty`. It stands in no block yet.
    pub fn create(&mut self, op: Op, ty: Type, span: Span) -> (Inst, Value) {
        let inst = Inst(self.insts.len() as u32);
        let value = Value(self.values.len() as u32);
        self.values.push(ValueData { ty, def: ValueDef::Result(inst, 0) });
        self.insts.push(InstData { op, results: vec![value], span });
        (inst, value)
    }

    /// How often each value is used.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.values.len()];
        let mut count = |value: Value| uses[value.0 as usize] += 1;
        for block in &self.blocks {
            block.insts.iter().for_each(|inst| self.insts[inst.0 as usize].op.for_each(&mut count));
            block.terminator.for_each(&mut count);
        }
        uses
    }

    /// Puts, for each use of a key, its value; a value may be a key itself.
    pub fn replace_uses(&mut self, with: &FxHashMap<Value, Value>) {
        if with.is_empty() {
            return;
        }
        let replace = |value: &mut Value| {
            while let Some(&other) = with.get(value) {
                *value = other;
            }
        };
        for block in &mut self.blocks {
            for inst in &block.insts {
                self.insts[inst.0 as usize].op.for_each_mut(replace);
            }
            block.terminator.for_each_mut(replace);
        }
    }

    /// Keeps some of the parameters of a block; those of the entry are the function's own as well.
    pub fn keep_parameters(&mut self, block: Block, is_kept: &[bool]) {
        let parameters = &mut self.blocks[block.0 as usize].parameters;
        *parameters = kept(parameters, is_kept);
        for (index, parameter) in parameters.iter().enumerate() {
            self.values[parameter.0 as usize].def = ValueDef::Parameter(block, index as u32);
        }
    }

    /// Hands every call to `visit`; parallel loops are none.
    pub fn for_each_call(&self, mut visit: impl FnMut(FunctionId, Inst)) {
        for &inst in self.blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Call(callee, _) = self.insts[inst.0 as usize].op {
                visit(callee, inst);
            }
        }
    }

    /// Cuts a block where `inst` stands, which is in no block then: what stood behind is in a new one, with the terminator, and has the
    /// results as parameters. The block is to get a terminator.
    pub fn cut(&mut self, block: Block, inst: Inst, behind: &[Inst]) -> Block {
        let end = Block(self.blocks.len() as u32);
        let terminator = std::mem::replace(&mut self.blocks[block.0 as usize].terminator, Terminator::Unreachable);
        let parameters = std::mem::take(&mut self.insts[inst.0 as usize].results);
        for (index, parameter) in (0..).zip(&parameters) {
            self.values[parameter.0 as usize].def = ValueDef::Parameter(end, index);
        }
        self.blocks.push(BlockData { parameters, insts: behind.to_vec(), terminator });
        end
    }

    /// Puts the blocks into an order in which each stands before its successors except along back edges; those that cannot
    /// be reached go.
    pub fn sort_blocks(&mut self) {
        let order = Graph::new(self).order;
        if order.iter().enumerate().all(|(i, block)| i == block.0 as usize) && order.len() == self.blocks.len() {
            return;
        }
        let new: FxHashMap<Block, Block> = (0..).map(Block).zip(&order).map(|(new, &old)| (old, new)).collect();
        let mut old: Vec<BlockData> = std::mem::take(&mut self.blocks);
        for &block in &order {
            let mut data = std::mem::replace(&mut old[block.0 as usize], BlockData::empty());
            data.terminator.targets_mut().for_each(|target| target.block = new[&target.block]);
            for (index, parameter) in (0..).zip(&data.parameters) {
                self.values[parameter.0 as usize].def = ValueDef::Parameter(new[&block], index);
            }
            self.blocks.push(data);
        }
    }
}
