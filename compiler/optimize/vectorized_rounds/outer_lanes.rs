//! Writes a round over lanes that has loops in it.

use super::LEAST_BYTES;
use super::outer::{Inner, Outer};
use super::write::Lanewise;
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

impl Outer {
    /// Runs so many rounds at once while as many are left, and then those of a short register, or all that are left under a mask.
    pub(super) fn write(&self, function: &mut Function, graph: &Graph, machine: &Machine, times: u8) {
        let round = |lanewise: &mut Lanewise<'_, '_>| {
            lanewise.block(self.rounds.header);
            lanewise.nodes(self, &self.nodes);
        };
        self.rounds.hoist(function, graph);
        let widest = self.rounds.accesses.iter().filter(|access| access.step != Some(0)).map(|access| access.size).max();
        let few = widest.map(|widest| (LEAST_BYTES / widest) as u8).filter(|few| (2..times).contains(few));
        let few = few.filter(|_| self.rounds.calls.is_empty());
        self.rounds.write_all(function, graph, machine, (times, few), round);
    }
}

impl Lanewise<'_, '_> {
    /// The blocks of a round, and its loops.
    fn nodes(&mut self, outer: &Outer, nodes: &[Block]) {
        for &block in nodes {
            match outer.loops.get(&block) {
                Some(inner) => self.inner(outer, inner),
                None => {
                    self.enter(block);
                    self.block(block);
                }
            }
        }
    }

    /// A loop for all lanes that come to it.
    fn inner(&mut self, outer: &Outer, inner: &Inner) {
        let data = self.to.function.blocks[inner.header.0 as usize].clone();
        let Terminator::Branch { condition, then, .. } = data.terminator else { unreachable!("its header has a condition") };
        let come = self.way(inner.before, inner.header);
        let arguments = self.arguments(inner.before, inner.header);
        let first: Vec<Value> = data.parameters.iter().zip(arguments).map(|(&own, given)| self.given(own, given)).collect();
        let bools = self.bools();
        let active = inner.is_masked.then(|| come.unwrap_or_else(|| self.to.number(1, bools)));
        let header = self.to.new_block();
        self.to.end(Terminator::Jump(Target { block: header, arguments: [&first[..], active.as_slice()].concat() }));

        self.to.block = header;
        // What is made a vector in the loop is there in the loop alone.
        let vectors = self.vectors.clone();
        for (&own, &given) in data.parameters.iter().zip(&first) {
            let ty = self.to.function.ty(given);
            let now = self.to.parameter(header, ty);
            self.make(own, now);
        }
        let active = active.map(|_| self.to.parameter(header, bools));
        self.masks.insert(inner.header, active.or(come));
        self.block(inner.header);
        let (going, condition, is_then) = match active {
            Some(active) => {
                let mut lanes = self.vector(condition);
                if then.block != inner.body {
                    lanes = self.to.emit(Op::Unary(UnaryOp::Not, lanes), bools);
                }
                let going = self.to.emit(Op::Binary(BinaryOp::And, active, lanes), bools);
                (Some(going), self.to.emit(Op::Any(going), Type::scalar(Element::Bool)), true)
            }
            None => (come, self.now(condition), then.block == inner.body),
        };
        let [body, out] = [(); 2].map(|()| Target { block: self.to.new_block(), arguments: Vec::new() });
        let (inside, behind) = (body.block, out.block);
        let (then, otherwise) = if is_then { (body, out) } else { (out, body) };
        self.to.end(Terminator::Branch { condition, then, otherwise });
        self.masks.insert(inner.header, come);
        self.bodies.insert(inner.header, (inner.body, going));

        self.to.block = inside;
        self.nodes(outer, &inner.nodes);
        let arguments = self.arguments(inner.latch, inner.header);
        let mut next = Vec::new();
        for (&own, given) in data.parameters.iter().zip(arguments) {
            let (before, mut now) = (self.now(own), self.given(own, given));
            let ty = self.to.function.ty(before);
            if let Some(going) = going.filter(|_| inner.is_masked && ty.length > 1) {
                now = self.to.emit(Op::Select(going, now, before), ty);
            }
            next.push(now);
        }
        next.extend(going.filter(|_| inner.is_masked));
        self.to.end(Terminator::Jump(Target { block: header, arguments: next }));
        self.to.block = behind;
        self.vectors = vectors;
    }

    /// What a block hands to another one.
    fn arguments(&self, from: Block, to: Block) -> Vec<Value> {
        let mut targets = self.to.function.blocks[from.0 as usize].terminator.targets();
        targets.find(|target| target.block == to).expect("it leads there").arguments.clone()
    }

    /// What a parameter of an inner header is given: a scalar if it is one.
    fn given(&mut self, own: Value, given: Value) -> Value {
        if self.rounds.lines.steps.contains_key(&own) { self.now(given) } else { self.vector(given) }
    }
}
