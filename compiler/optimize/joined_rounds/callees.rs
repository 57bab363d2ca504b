//! Functions that a round calls, for the lanes of several rounds.

use super::super::alias::{base, parameter};
use super::region::Region;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// What is known of a function.
pub(super) struct Callee {
    pub(super) region: Region,
    /// The parameters that lead to what it reads; `None` where that may be anything.
    reads: Option<Vec<usize>>,
}

/// What is known of the functions of a module so far: `None` for those that are not for more lanes.
pub(super) type Known = FxHashMap<FunctionId, Option<Callee>>;

/// Looks at functions of a module.
pub(super) struct Callees<'m> {
    pub(super) module: &'m Module,
    pub(super) known: &'m mut Known,
}

impl Callees<'_> {
    /// May a function work on more lanes at once?
    pub(super) fn can(&mut self, id: FunctionId) -> bool {
        if let Some(known) = self.known.get(&id) {
            return known.is_some();
        }
        // What calls itself comes here again.
        self.known.insert(id, None);
        let function = &self.module.functions[id.0 as usize];
        let is_own = !function.blocks.is_empty() && !function.asks_lanes && function.inlining != Inlining::Cold;
        let region = if is_own { Region::whole(function, self) } else { None };
        let callee = region.map(|region| Callee { region, reads: self.reads_of(function) });
        let can = callee.is_some();
        self.known.insert(id, callee);
        can
    }

    /// The pointers that lead to what a call reads.
    pub(super) fn reads(&mut self, id: FunctionId, arguments: &[Value]) -> Option<Vec<Value>> {
        let reads = self.known.get(&id)?.as_ref()?.reads.as_ref()?;
        Some(reads.iter().map(|&index| arguments[index]).collect())
    }

    fn reads_of(&mut self, function: &Function) -> Option<Vec<usize>> {
        let mut reads = Vec::new();
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let pointers = match function.insts[inst.0 as usize].op {
                Op::Load { pointer, .. }
                | Op::StreamingLoad { pointer, .. }
                | Op::StridedLoad { pointer, .. }
                | Op::Gather { pointers: pointer, .. } => vec![pointer],
                Op::Call(callee, ref arguments) => self.reads(callee, arguments)?,
                _ => continue,
            };
            for pointer in pointers {
                match function.definition(base(function, pointer)) {
                    Some(&Op::GlobalAddress(global)) if self.module.globals[global.0 as usize].is_const => {}
                    _ => reads.push(parameter(function, pointer)? as usize),
                }
            }
        }
        Some(reads)
    }
}
