//! `parallel foreach`: the rounds of the outermost index become a function, which the runtime calls for parts of them.
//!
//! ```text
//! int k = …;  float sum = 0;                            f:  sum: slot;  parallel @f.part0(k, &sum, a, b), count b − a
//! parallel foreach (int y = a .. b) s     ──►     f.part0(k, sum: ptr, a, b, from: i64, to: i64):
//!                                                           for (y = a + from; y < a + to; y += 1)  s
//! ```
//! What s only reads of the variables around it is passed by value, what it changes by its address: all rounds share it, as
//! they would in C. A block index is cut into whole blocks, so that only the last part has a tail.

use super::foreach::Index;
use super::parameter_flags;
use super::state::{Followed, Mask, Predicator, Storage};
use super::storage::Region;
use crate::target::Unrolling;
use crate::typed::ir::{Block, ForeachIndex, LocalId, ParameterKind};
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{BinaryOp, Element, FunctionId, ParameterFlags, Type, Value};
use rustc_hash::FxHashMap;

impl Predicator<'_> {
    /// `parallel foreach (…) body`, in context 1.
    pub fn parallel_foreach(&mut self, indices: &[ForeachIndex], unrolling: Unrolling, body: &Block) {
        let region = Region::of(indices);
        let bounds: Vec<Index> = indices.iter().map(|index| self.bounds(index)).collect();
        let count = self.rounds(*bounds.last().expect("a foreach has an index"));
        let (mut arguments, mut flags) = (Vec::new(), Vec::new());
        for &local in &self.shared.locals[self.id.0 as usize].captures[&region] {
            let values = self.captured(local);
            flags.resize(flags.len() + values.len(), self.captured_flags(local));
            arguments.extend(values);
        }
        arguments.extend(bounds.iter().flat_map(|index| [index.low, index.high]));
        let followed = self.captured_origins(region);
        arguments.extend(followed.iter().flat_map(|&(_, ends)| ends));
        let number = Type::scalar(Element::I64);
        let types: Vec<Type> = arguments.iter().map(|&a| self.b.ty(a)).chain([number; 2]).collect();
        flags.resize(types.len(), ParameterFlags::default());
        let followed: Vec<LocalId> = followed.into_iter().map(|(local, _)| local).collect();
        let function = self.part(region, &bounds, &followed, (unrolling, body), &types, flags);
        self.b.parallel(function, arguments, count);
    }

    /// What is known of the pointers that a region uses: which element they lead to, of how many.
    fn captured_origins(&mut self, region: Region) -> Vec<(LocalId, [Value; 2])> {
        let captures = &self.shared.locals[self.id.0 as usize].captures[&region];
        let known = captures.iter().filter_map(|local| Some((*local, *self.followed.get(local)?)));
        let known: Vec<(LocalId, Followed)> = known.collect();
        let mut value = |variable| self.b.use_variable(variable);
        known.into_iter().map(|(local, followed)| (local, [value(followed.first), value(followed.extent)])).collect()
    }

    /// What a region is given for a local: its address or its leaves.
    fn captured(&mut self, local: LocalId) -> Vec<Value> {
        match &self.storage[local.0 as usize] {
            Storage::Slot(_) | Storage::Shared(_) => vec![self.local_address(local)],
            Storage::Registers(variables) => {
                let variables = variables.clone();
                variables.into_iter().map(|variable| self.b.use_variable(variable)).collect()
            }
        }
    }

    /// What holds for a slice parameter of the function holds for that of the part: but others may know an address in it
    /// unless it is only ever used for accesses. So it is with a `scratch` array, and with pixels that only one view has.
    fn captured_flags(&self, local: LocalId) -> ParameterFlags {
        let locals = &self.shared.locals[self.id.0 as usize];
        let function = self.function();
        let index = local.0 as usize;
        let is_promised = index >= function.parameters && function.locals[index].parameter == ParameterKind::Restrict;
        if (locals.scratch[index] || is_promised) && !locals.assigned[index] && !locals.escapes[index] {
            return parameter_flags(self.shared.program, function.linkage, &ParameterKind::Restrict);
        }
        if index >= function.parameters || locals.in_memory[index] || locals.assigned[index] {
            return parameter_flags(self.shared.program, function.linkage, &ParameterKind::Plain);
        }
        let flags = parameter_flags(self.shared.program, function.linkage, &function.locals[index].parameter);
        ParameterFlags { noalias: flags.noalias && !locals.escapes[index], ..flags }
    }

    /// How many values an index takes; of a block index, how many blocks.
    fn rounds(&mut self, index: Index) -> Value {
        let (_, count) = self.range(index);
        let (part, bits) = (self.i64(i64::from(index.length) - 1), self.i64(index.length.trailing_zeros().into()));
        let count = self.add(count, part);
        self.b.binary(BinaryOp::LShr, count, bits)
    }

    /// Makes the function that runs a part of the rounds.
    fn part(
        &self,
        region: Region,
        bounds: &[Index],
        followed: &[LocalId],
        (unrolling, body): (Unrolling, &Block),
        types: &[Type],
        flags: Vec<ParameterFlags>,
    ) -> FunctionId {
        let (shared, outer) = (self.shared, self.function());
        let mut b = FunctionBuilder::new("", types, &[], outer.span);
        let mut values = b.function_parameters().to_vec().into_iter();
        let returned = b.declare_variable(Type::scalar(Element::Bool));
        let mut inner = Predicator {
            shared,
            id: self.id,
            region: Some(region),
            b,
            storage: Vec::new(),
            mask: Mask::AllOn(1),
            shown_mask: None,
            may_be_off: false,
            base: Mask::AllOn(1),
            loops: Vec::new(),
            scalar_regions: Vec::new(),
            copies: 0,
            returned,
            results: Vec::new(),
            result_address: None,
            wide_indices: FxHashMap::default(),
            followed: FxHashMap::default(),
        };
        inner.locals();
        let mut next = || values.next().expect("a parameter for each argument");
        let locals = &shared.locals[self.id.0 as usize];
        for &local in &locals.captures[&region] {
            inner.storage[local.0 as usize] = if locals.in_memory[local.0 as usize] {
                Storage::Shared(next())
            } else {
                let leaves = self.leaves(outer.locals[local.0 as usize].ty);
                let variable = |leaf: &super::layout::Leaf| {
                    let variable = inner.b.declare_variable(leaf.ty);
                    inner.b.define(variable, next());
                    variable
                };
                Storage::Registers(leaves.iter().map(variable).collect())
            };
        }
        let mut bounds: Vec<Index> = bounds.iter().map(|&index| Index { low: next(), high: next(), ..index }).collect();
        for &local in followed {
            let (first, extent) = (next(), next());
            inner.follow(local, first, extent, self.followed[&local].is_faithful);
        }
        inner.follow_pointers();
        let last = bounds.last_mut().expect("a foreach has an index");
        *last = inner.narrowed(*last, next(), next());
        inner.foreach_of(&bounds, unrolling, body);
        inner.b.ret(&[]);
        let mut made = inner.b.finish();
        let mut outlined = shared.outlined.borrow_mut();
        made.name = format!("{}.part{}", self.signature().symbol, outlined.len());
        made.signature = format!("a part of a parallel loop of {}", outer.signature);
        made.fp = outer.fp;
        made.parameter_flags = flags;
        outlined.push(made);
        FunctionId((shared.program.functions.len() + outlined.len() - 1) as u32)
    }

    /// The rounds `from .. to` of an index.
    fn narrowed(&mut self, index: Index, from: Value, to: Value) -> Index {
        let (low, count) = self.range(index);
        let [from, to] = [from, to].map(|round| {
            let mut number = round;
            if index.length > 1 {
                let length = self.i64(index.length.into());
                number = self.b.binary(BinaryOp::Mul, round, length);
                number = self.b.binary(BinaryOp::UMin, number, count);
            }
            let value = self.add(low, number);
            self.narrow_number(index, value)
        });
        Index { low: from, high: to, ..index }
    }
}
