//! The last step of building: what turned out to be superfluous goes, and what stays is numbered anew.
//!
//! ```text
//! block0: v3 = const 1; jump block2(v3, v3)          block0: v0 = const 1; return v0
//! block1: (unreachable) jump block2(v9, v3)    ──►
//! block2(v4, v5): return v4
//! ```

use super::FunctionBuilder;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

impl FunctionBuilder {
    /// The finished function.
    pub fn finish(mut self) -> Function {
        for (index, state) in self.blocks.iter().enumerate() {
            assert!(state.sealed, "block {index} was never sealed");
        }
        let prologue = std::mem::take(&mut self.prologue);
        self.function.blocks[0].insts.splice(0..0, prologue);
        let order = self.reverse_postorder();
        self.drop_trivial_parameters(&order);
        self.resolve_operands(&order);
        self.drop_unused(&order);
        let order = self.merge_chains(order);
        self.renumber(&order)
    }

    fn block(&self, block: Block) -> &BlockData {
        &self.function.blocks[block.0 as usize]
    }

    /// The reachable blocks, each before its successors except along back edges, a loop before what follows it.
    fn reverse_postorder(&self) -> Vec<Block> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(Block(0), false)];
        while let Some((block, left)) = stack.pop() {
            if left {
                order.push(block);
            } else if !std::mem::replace(&mut seen[block.0 as usize], true) {
                stack.push((block, true));
                stack.extend(self.block(block).terminator.targets().map(|target| (target.block, false)));
            }
        }
        order.reverse();
        order
    }

    /// Parameters that are given only one value besides themselves stand for it; this may make others trivial.
    fn drop_trivial_parameters(&mut self, order: &[Block]) {
        let mut arguments: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for &block in order {
            for target in self.block(block).terminator.targets() {
                for (&parameter, &argument) in self.block(target.block).parameters.iter().zip(&target.arguments) {
                    arguments.entry(parameter).or_default().push(argument);
                }
            }
        }
        let parameters = order[1..].iter().flat_map(|&block| self.block(block).parameters.clone());
        let mut work: Vec<Value> = parameters.filter(|&p| self.alias[p.0 as usize] == p).collect();
        let mut users: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for &parameter in &work {
            for &argument in &arguments[&parameter] {
                let argument = self.resolve(argument);
                if argument != parameter {
                    users.entry(argument).or_default().push(parameter);
                }
            }
        }
        while let Some(parameter) = work.pop() {
            if self.alias[parameter.0 as usize] != parameter {
                continue;
            }
            let mut given = arguments[&parameter].iter().map(|&a| self.resolve(a)).collect::<Vec<_>>();
            given.retain(|&a| a != parameter);
            given.dedup();
            if let [same] = given[..] {
                self.alias[parameter.0 as usize] = same;
                let inherited = users.remove(&parameter).unwrap_or_default();
                work.extend(&inherited);
                users.entry(same).or_default().extend(inherited);
            }
        }
    }

    fn resolve_operands(&mut self, order: &[Block]) {
        for &block in order {
            for i in 0..self.block(block).insts.len() {
                let inst = self.block(block).insts[i].0 as usize;
                let mut op = std::mem::replace(&mut self.function.insts[inst].op, Op::Unset);
                op.for_each_mut(|value| *value = self.resolve(*value));
                self.function.insts[inst].op = op;
            }
            let index = block.0 as usize;
            let mut terminator = std::mem::replace(&mut self.function.blocks[index].terminator, Terminator::Unreachable);
            terminator.for_each_mut(|value| *value = self.resolve(*value));
            self.function.blocks[index].terminator = terminator;
        }
    }

    /// Instructions without effect whose results nobody needs go, and so do such block parameters, also where they
    /// only feed each other around a loop.
    fn drop_unused(&mut self, order: &[Block]) {
        let mut incoming: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        let mut work: Vec<Value> = self.function.blocks[0].parameters.clone();
        for &block in order {
            let data = self.block(block);
            for &inst in &data.insts {
                let op = &self.function.insts[inst.0 as usize].op;
                if op.has_effect() {
                    op.for_each(|value| work.push(value));
                }
            }
            match &data.terminator {
                Terminator::Branch { condition, then: _, otherwise: _ } => work.push(*condition),
                Terminator::Return(values) => work.extend(values),
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
            for target in data.terminator.targets() {
                for (&parameter, &argument) in self.block(target.block).parameters.iter().zip(&target.arguments) {
                    incoming.entry(parameter).or_default().push(argument);
                }
            }
        }
        let mut needed = vec![false; self.function.values.len()];
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut needed[value.0 as usize], true) {
                continue;
            }
            match self.function.values[value.0 as usize].def {
                ValueDef::Parameter(..) => work.extend(incoming.get(&value).into_iter().flatten()),
                ValueDef::Result(inst, _) => self.function.insts[inst.0 as usize].op.for_each(|v| work.push(v)),
            }
        }
        for &block in order {
            let mut data = std::mem::replace(&mut self.function.blocks[block.0 as usize], BlockData::empty());
            data.insts.retain(|inst| {
                let inst = &self.function.insts[inst.0 as usize];
                inst.op.has_effect() || inst.results.iter().any(|r| needed[r.0 as usize])
            });
            self.function.blocks[block.0 as usize] = data;
        }
        let kept = |b: &Self, value: Value| b.alias[value.0 as usize] == value && needed[value.0 as usize];
        for &block in order {
            let mut terminator =
                std::mem::replace(&mut self.function.blocks[block.0 as usize].terminator, Terminator::Unreachable);
            for target in terminator.targets_mut() {
                let parameters = self.block(target.block).parameters.iter();
                let mut keep = parameters.map(|&p| kept(self, p)).collect::<Vec<_>>().into_iter();
                target.arguments.retain(|_| keep.next().expect("one parameter per argument"));
            }
            self.function.blocks[block.0 as usize].terminator = terminator;
        }
        for &block in &order[1..] {
            let mut parameters = std::mem::take(&mut self.function.blocks[block.0 as usize].parameters);
            parameters.retain(|&p| kept(self, p));
            self.function.blocks[block.0 as usize].parameters = parameters;
        }
    }

    /// A block that ends in the only jump to another continues with it.
    fn merge_chains(&mut self, order: Vec<Block>) -> Vec<Block> {
        let mut count = vec![0usize; self.blocks.len()];
        for &block in &order {
            self.block(block).terminator.targets().for_each(|t| count[t.block.0 as usize] += 1);
        }
        let mut merged = vec![false; self.blocks.len()];
        for &block in &order {
            if merged[block.0 as usize] {
                continue;
            }
            while let Terminator::Jump(target) = &self.block(block).terminator {
                let next = target.block;
                if next == Block(0) || next == block || count[next.0 as usize] != 1 {
                    break;
                }
                debug_assert!(target.arguments.is_empty(), "a parameter with one argument is trivial");
                let tail = std::mem::replace(&mut self.function.blocks[next.0 as usize], BlockData::empty());
                let head = &mut self.function.blocks[block.0 as usize];
                head.insts.extend(tail.insts);
                head.terminator = tail.terminator;
                merged[next.0 as usize] = true;
            }
        }
        order.into_iter().filter(|block| !merged[block.0 as usize]).collect()
    }

    /// Blocks in the order given, instructions and values as they occur there.
    fn renumber(self, order: &[Block]) -> Function {
        let mut function = self.function;
        let mut blocks = vec![Block(u32::MAX); function.blocks.len()];
        for (new, old) in order.iter().enumerate() {
            blocks[old.0 as usize] = Block(new as u32);
        }
        let (old_insts, old_values) = (std::mem::take(&mut function.insts), std::mem::take(&mut function.values));
        let mut values = vec![Value(u32::MAX); old_values.len()];
        let mut new_blocks = Vec::with_capacity(order.len());
        let mut old_insts: Vec<Option<InstData>> = old_insts.into_iter().map(Some).collect();
        for (index, &old) in order.iter().enumerate() {
            let mut data = std::mem::replace(&mut function.blocks[old.0 as usize], BlockData::empty());
            for (i, parameter) in data.parameters.iter_mut().enumerate() {
                let def = ValueDef::Parameter(Block(index as u32), i as u32);
                let ty = old_values[parameter.0 as usize].ty;
                values[parameter.0 as usize] = Value(function.values.len() as u32);
                *parameter = values[parameter.0 as usize];
                function.values.push(ValueData { ty, def });
            }
            for inst in &mut data.insts {
                let mut moved = old_insts[inst.0 as usize].take().expect("an instruction stands in one block");
                *inst = Inst(function.insts.len() as u32);
                for (i, result) in moved.results.iter_mut().enumerate() {
                    let ty = old_values[result.0 as usize].ty;
                    values[result.0 as usize] = Value(function.values.len() as u32);
                    *result = values[result.0 as usize];
                    function.values.push(ValueData { ty, def: ValueDef::Result(*inst, i as u32) });
                }
                function.insts.push(moved);
            }
            new_blocks.push(data);
        }
        let rename = |value: &mut Value| *value = values[value.0 as usize];
        function.insts.iter_mut().for_each(|inst| inst.op.for_each_mut(rename));
        for data in &mut new_blocks {
            data.terminator.for_each_mut(rename);
            data.terminator.targets_mut().for_each(|target| target.block = blocks[target.block.0 as usize]);
        }
        function.blocks = new_blocks;
        function
    }
}
