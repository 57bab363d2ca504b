//! Checks the invariants of [`super::ir`], item by item.
//!
//! Builders and passes must keep them; in debug builds the driver looks after each stage and each pass. A message names
//! function, block and operation, and the invariant's number.

use super::graph::Graph;
use super::ir::*;

/// What is wrong with a module; empty if nothing.
pub fn verify(module: &Module) -> Vec<String> {
    let mut wrong = Vec::new();
    for function in &module.functions {
        let at = format!("@{}", function.name);
        if function.blocks.is_empty() {
            if !matches!(function.linkage, Linkage::Extern(_)) {
                wrong.push(format!("{at}: no blocks, and not external"));
            }
            continue;
        }
        let mut checker = Checker { module, function, at, wrong: &mut wrong };
        checker.entry();
        // Ill-formed graphs are not walked any further.
        if checker.shape() {
            checker.dominance(&Graph::new(function));
            checker.types();
        }
    }
    wrong
}

struct Checker<'m> {
    module: &'m Module,
    function: &'m Function,
    /// Where we are, for messages.
    at: String,
    wrong: &'m mut Vec<String>,
}

impl Checker<'_> {
    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) -> bool {
        if !holds {
            let message = format!("{}: {}", self.at, what());
            self.wrong.push(message);
        }
        holds
    }

    fn ty(&self, value: Value) -> Type {
        self.function.values[value.0 as usize].ty
    }

    /// Invariant 4, and that the entry has the function's parameters.
    fn entry(&mut self) {
        let entry: Vec<Type> = self.function.blocks[0].parameters.iter().map(|p| self.ty(*p)).collect();
        let same = entry == self.function.parameters;
        self.expect(same, || "the entry block has other parameters than the function (4)".into());
        let flags = self.function.parameter_flags.len() == self.function.parameters.len();
        self.expect(flags, || "not as many flags as parameters (4)".into());
    }

    /// Do all indices exist, and do definitions say where they stand? (1, 4)
    fn shape(&mut self) -> bool {
        let (blocks, insts, values) = (self.function.blocks.len(), self.function.insts.len(), self.function.values.len());
        let mut sound = true;
        let mut placed = vec![false; insts];
        for (i, block) in self.function.blocks.iter().enumerate() {
            let home = self.at.clone();
            self.at = format!("{home} block{i}");
            for (index, parameter) in block.parameters.iter().enumerate() {
                let def = self.function.values[parameter.0 as usize].def;
                sound &= self.expect(def == ValueDef::Parameter(Block(i as u32), index as u32), || {
                    format!("v{} does not know that it is a parameter here (1)", parameter.0)
                });
            }
            for inst in &block.insts {
                let fresh = !std::mem::replace(&mut placed[inst.0 as usize], true);
                sound &= self.expect(fresh, || format!("instruction {} stands in two places (1)", inst.0));
                let data = &self.function.insts[inst.0 as usize];
                for (index, result) in data.results.iter().enumerate() {
                    let def = self.function.values[result.0 as usize].def;
                    sound &= self.expect(def == ValueDef::Result(*inst, index as u32), || {
                        format!("v{} does not know its instruction (1)", result.0)
                    });
                }
                let mut exist = true;
                data.op.for_each(|v| exist &= (v.0 as usize) < values);
                sound &= self.expect(exist, || format!("{:?} uses a value that does not exist (1)", data.op));
            }
            let mut exist = true;
            block.terminator.for_each(|v| exist &= (v.0 as usize) < values);
            for target in block.terminator.targets() {
                exist &= (target.block.0 as usize) < blocks && target.block != Block(0);
            }
            sound &= self.expect(exist, || "the terminator uses what does not exist or jumps to the entry (4)".into());
            self.at = home;
        }
        sound
    }

    /// Invariant 1, and the reachability of 4.
    fn dominance(&mut self, graph: &Graph) {
        let mut position = vec![usize::MAX; self.function.insts.len()];
        let mut home = vec![None; self.function.insts.len()];
        for (i, block) in self.function.blocks.iter().enumerate() {
            for (at, inst) in block.insts.iter().enumerate() {
                position[inst.0 as usize] = at;
                home[inst.0 as usize] = Some(Block(i as u32));
            }
        }
        let defined = |value: Value, block: Block, before: usize| match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(at, _) => graph.is_reachable(at) && graph.dominates(at, block),
            ValueDef::Result(inst, _) => home[inst.0 as usize].is_some_and(|at| {
                graph.is_reachable(at) && graph.dominates(at, block) && (at != block || position[inst.0 as usize] < before)
            }),
        };
        let mut undefined = Vec::new();
        for (i, data) in self.function.blocks.iter().enumerate() {
            let block = Block(i as u32);
            if !graph.is_reachable(block) {
                undefined.push(format!("block{i} is not reachable (4)"));
                continue;
            }
            for (at, inst) in data.insts.iter().enumerate() {
                let op = &self.function.insts[inst.0 as usize].op;
                op.for_each(|v| {
                    if !defined(v, block, at) {
                        undefined.push(format!("block{i}: v{} is not defined where {op:?} uses it (1)", v.0));
                    }
                });
            }
            data.terminator.for_each(|v| {
                if !defined(v, block, usize::MAX) {
                    undefined.push(format!("block{i}: v{} is not defined where the terminator uses it (1)", v.0));
                }
            });
        }
        let at = &self.at;
        self.wrong.extend(undefined.into_iter().map(|message| format!("{at} {message}")));
    }

    /// Invariants 2, 3 and 5, and the arguments of 1.
    fn types(&mut self) {
        let function = self.function;
        for (i, block) in function.blocks.iter().enumerate() {
            let home = self.at.clone();
            self.at = format!("{home} block{i}");
            for inst in &block.insts {
                let data = &function.insts[inst.0 as usize];
                if !self.op(&data.op, &data.results) {
                    let types =
                        |values: &[Value]| values.iter().map(|v| super::print::type_text(self.ty(*v))).collect::<Vec<_>>();
                    let mut operands = Vec::new();
                    data.op.for_each(|v| operands.push(v));
                    let text = format!("{:?} of {:?} gives {:?} (2)", data.op, types(&operands), types(&data.results));
                    self.expect(false, || text);
                }
            }
            match &block.terminator {
                Terminator::Branch { condition, then: _, otherwise: _ } => {
                    let scalar = self.ty(*condition) == Type::scalar(Element::Bool);
                    self.expect(scalar, || format!("the condition v{} is no scalar bool (3)", condition.0));
                }
                Terminator::Return(values) => {
                    let types: Vec<Type> = values.iter().map(|v| self.ty(*v)).collect();
                    self.expect(types == function.results, || "returns other types than the function has (5)".into());
                }
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
            for target in block.terminator.targets() {
                let given: Vec<Type> = target.arguments.iter().map(|v| self.ty(*v)).collect();
                let wanted = &function.blocks[target.block.0 as usize].parameters;
                let wanted: Vec<Type> = wanted.iter().map(|v| self.ty(*v)).collect();
                self.expect(given == wanted, || format!("the arguments for block{} do not match (1)", target.block.0));
            }
            self.at = home;
        }
    }

    /// A mask for `length` elements, or none.
    fn is_mask(&self, mask: Option<Value>, length: u8) -> bool {
        mask.is_none_or(|mask| self.ty(mask) == Type::new(Element::Bool, length))
    }

    /// Do operands and results have the types that the doc of the operation names?
    fn op(&self, op: &Op, results: &[Value]) -> bool {
        let ty = |v: &Value| self.ty(*v);
        let (one, none) = (results.len() == 1, results.is_empty());
        let result = results.first().map_or(Type::scalar(Element::Bool), ty);
        let scalar = |element| Type::scalar(element);
        let is_index = |t: Type| matches!(t.element, Element::I32 | Element::I64);
        match op {
            Op::Const(bits) => one && (bits.len() == 1 || bits.len() == result.length as usize),
            Op::Unset => one,
            Op::Splat(a) => one && ty(a).length == 1 && result == ty(a).with_length(result.length),
            Op::Ramp { base, step: _, exact: _ } => {
                one && ty(base).length == 1 && ty(base).element.is_int() && result == ty(base).with_length(result.length)
            }
            Op::Unary(op, a) => one && result == ty(a) && unary_fits(*op, result.element),
            Op::Binary(op, a, b) => one && result == ty(a) && result == ty(b) && binary_fits(*op, result.element),
            Op::Fma(a, b, c) => one && [a, b, c].iter().all(|v| ty(v) == result) && result.element.is_float(),
            Op::Compare(op, a, b) => one && ty(a) == ty(b) && result == ty(a).mask() && compare_fits(*op, ty(a).element),
            Op::Select(m, a, b) => {
                let fits = ty(m).element == Element::Bool && (ty(m).length == 1 || ty(m).length == result.length);
                one && fits && ty(a) == result && ty(b) == result
            }
            Op::Convert(op, a) => one && ty(a).length == result.length && convert_fits(*op, ty(a).element, result.element),
            Op::Extract(a, i) => one && ty(i) == scalar(Element::I32) && result == ty(a).with_length(1),
            Op::Insert(a, x, i) => one && result == ty(a) && ty(x) == result.with_length(1) && ty(i) == scalar(Element::I32),
            Op::Shuffle(a, b, lanes) => {
                let known = |lane: &i16| (-1..2 * i16::from(ty(a).length)).contains(lane);
                let length = lanes.len() == result.length as usize && lanes.iter().all(known);
                one && ty(a) == ty(b) && length && result.element == ty(a).element
            }
            Op::Permute(a, i) => one && ty(i).element.is_int() && result == ty(a).with_length(ty(i).length),
            Op::Permute2(a, b, i) => one && ty(a) == ty(b) && ty(i).element.is_int() && result == ty(a).with_length(ty(i).length),
            Op::Dot2(a, b) => one && ty(a) == ty(b) && sums_groups(ty(a), result, (Element::I16, Element::I32), 2),
            Op::Sad(a, b) => one && ty(a) == ty(b) && sums_groups(ty(a), result, (Element::I8, Element::I64), 8),
            Op::Dot4 { a, b, sum, signed: _ } => {
                let fits = ty(a) == ty(b) && ty(a).element == Element::I8 && ty(sum) == result;
                one && fits && result.element == Element::I32 && ty(a).length == 4 * result.length
            }
            Op::Reinterpret(a) => {
                let bits = |t: Type| t.element.bits() * u32::from(t.length);
                one && bits(ty(a)) == bits(result) && ![ty(a), result].iter().any(|t| t.element == Element::Ptr)
            }
            Op::Compress(a, m) | Op::Expand(a, m) => one && result == ty(a) && ty(m) == result.mask(),
            Op::Reduce(op, a) => one && result == ty(a).with_length(1) && reduce_fits(*op, result.element),
            Op::FirstLanes(count) => one && ty(count) == scalar(Element::I32) && result.element == Element::Bool,
            Op::Any(m) | Op::All(m) => one && ty(m).element == Element::Bool && result == scalar(Element::Bool),
            Op::MaskBits(m) => one && ty(m).element == Element::Bool && result == scalar(Element::I64),
            Op::PtrIndex { base, index, scale: _, offset: _ } => {
                let length = ty(base).length.max(ty(index).length);
                let lengths = [ty(base).length, ty(index).length].iter().all(|&l| l == 1 || l == length);
                one && lengths
                    && is_index(ty(index))
                    && ty(base).element == Element::Ptr
                    && result == ty(base).with_length(length)
            }
            Op::PtrOffset(base, _) => one && ty(base).element == Element::Ptr && result == ty(base),
            Op::SlotAddress(slot) => one && (slot.0 as usize) < self.function.slots.len() && result == scalar(Element::Ptr),
            Op::Nowhere(_) => one && result == scalar(Element::Ptr),
            Op::GlobalAddress(global) => one && (global.0 as usize) < self.module.globals.len() && result == scalar(Element::Ptr),
            Op::Load { pointer, mask }
            | Op::StreamingLoad { pointer, mask }
            | Op::StridedLoad { pointer, stride: _, mask, object: _ } => {
                one && ty(pointer) == scalar(Element::Ptr) && self.is_mask(*mask, result.length)
            }
            Op::Gather { pointers, mask, object: _ } => {
                one && ty(pointers) == result.with_element(Element::Ptr) && self.is_mask(*mask, result.length)
            }
            Op::Store { pointer, value, mask, streaming: _ } => {
                none && ty(pointer) == scalar(Element::Ptr) && self.is_mask(*mask, ty(value).length)
            }
            Op::Scatter { pointers, value, mask } => {
                none && ty(pointers) == ty(value).with_element(Element::Ptr) && self.is_mask(*mask, ty(value).length)
            }
            Op::PackedStore { pointer, value, mask } => {
                let fits = ty(pointer) == scalar(Element::Ptr) && self.is_mask(*mask, ty(value).length);
                one && fits && result == scalar(Element::I32)
            }
            Op::Copy { to, from, size: _ } => none && [to, from].iter().all(|p| ty(p) == scalar(Element::Ptr)),
            Op::Atomic { op, pointer, value } => {
                use BinaryOp::*;
                let known = matches!(op, Add | Mul | SMin | SMax | UMin | UMax | And | Or | Xor | FAdd | FMul | FMin | FMax);
                let fits = ty(pointer) == scalar(Element::Ptr) && ty(value) == result && binary_fits(*op, result.element);
                one && known && fits && result.length == 1
            }
            Op::Exchange { pointer, expected, value } => {
                let fits = ty(pointer) == scalar(Element::Ptr) && ty(value) == result && result.length == 1;
                one && fits && expected.is_none_or(|expected| ty(&expected) == result) && result.element != Element::Ptr
            }
            Op::Lifetime(p, mask) => none && ty(p) == scalar(Element::Ptr) && ty(mask).element == Element::Bool,
            Op::Prefetch(p) | Op::Free(_, p) => none && ty(p) == scalar(Element::Ptr),
            Op::Allocate(_, bytes) => one && ty(bytes) == scalar(Element::I64) && result == scalar(Element::Ptr),
            Op::Call(callee, arguments) => {
                let Some(callee) = self.module.functions.get(callee.0 as usize) else { return false };
                arguments.iter().map(ty).eq(callee.parameters.iter().copied())
                    && results.iter().map(ty).eq(callee.results.iter().copied())
            }
            Op::Parallel { function, arguments, count } => {
                let Some(callee) = self.module.functions.get(function.0 as usize) else { return false };
                let range = [scalar(Element::I64); 2];
                let fits = arguments.iter().map(ty).chain(range).eq(callee.parameters.iter().copied());
                none && fits && callee.results.is_empty() && ty(count) == scalar(Element::I64)
            }
            Op::Print { channel: _, pieces } => {
                none && pieces.iter().all(|piece| match piece {
                    PrintPiece::Text(_) => true,
                    PrintPiece::Value { value, signed: _, mask, format: _ } => self.is_mask(*mask, ty(value).length),
                })
            }
            Op::Check { condition, lane, message: _, numbers } => {
                let lane = lane.is_none_or(|lane| ty(&lane) == scalar(Element::I32));
                let numbers = numbers.iter().all(|number| ty(number) == scalar(Element::I64));
                none && ty(condition) == scalar(Element::Bool) && lane && numbers
            }
            Op::Assume(condition) => none && ty(condition) == scalar(Element::Bool),
            Op::Unroll(_) => none,
        }
    }
}

/// Does an operation that sums groups of `size` neighbours of `from` make `to` of them?
fn sums_groups(from: Type, to: Type, elements: (Element, Element), size: u8) -> bool {
    (from.element, to.element) == elements && u16::from(from.length) == u16::from(to.length) * u16::from(size)
}

fn unary_fits(op: UnaryOp, element: Element) -> bool {
    match op {
        UnaryOp::Not => element.is_int() || element == Element::Bool,
        UnaryOp::Likely => element == Element::Bool,
        UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Clz | UnaryOp::Ctz | UnaryOp::Popcnt | UnaryOp::BitReverse => element.is_int(),
        UnaryOp::FNeg
        | UnaryOp::FAbs
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Rcp
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::Trunc
        | UnaryOp::Rint => element.is_float(),
    }
}

fn binary_fits(op: BinaryOp, element: Element) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => element.is_int() || element == Element::Bool,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::SDiv
        | BinaryOp::UDiv
        | BinaryOp::SRem
        | BinaryOp::URem
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::SMin
        | BinaryOp::SMax
        | BinaryOp::UMin
        | BinaryOp::UMax
        | BinaryOp::SAddSat
        | BinaryOp::UAddSat
        | BinaryOp::SSubSat
        | BinaryOp::USubSat
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SMulRound
        | BinaryOp::ClMul
        | BinaryOp::ClMulHigh => element.is_int(),
        BinaryOp::FScale => element == Element::F32,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem | BinaryOp::FMin | BinaryOp::FMax => {
            element.is_float()
        }
    }
}

fn compare_fits(op: CompareOp, element: Element) -> bool {
    match op {
        CompareOp::Eq | CompareOp::Ne => !element.is_float(),
        CompareOp::SLt | CompareOp::SLe | CompareOp::SGt | CompareOp::SGe => element.is_int(),
        CompareOp::ULt | CompareOp::ULe | CompareOp::UGt | CompareOp::UGe => element.is_int() || element == Element::Ptr,
        CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe | CompareOp::FGt | CompareOp::FGe => element.is_float(),
    }
}

fn convert_fits(op: ConvertOp, from: Element, to: Element) -> bool {
    let is_bool = from == Element::Bool;
    match op {
        ConvertOp::Trunc => from.is_int() && to.is_int() && to.bits() < from.bits(),
        ConvertOp::SExt => from.is_int() && to.is_int() && to.bits() > from.bits(),
        ConvertOp::ZExt => (from.is_int() || is_bool) && to.is_int() && to.bits() > from.bits(),
        ConvertOp::FToS | ConvertOp::FToU => from.is_float() && to.is_int(),
        ConvertOp::SToF => from.is_int() && to.is_float(),
        ConvertOp::UToF => (from.is_int() || is_bool) && to.is_float(),
        ConvertOp::FToF => from.is_float() && to.is_float() && from != to,
        ConvertOp::HToF => from == Element::I16 && to == Element::F32,
        ConvertOp::FToH => from == Element::F32 && to == Element::I16,
        ConvertOp::PtrToInt => from == Element::Ptr && to == Element::I64,
        ConvertOp::IntToPtr => from == Element::I64 && to == Element::Ptr,
        ConvertOp::Bits => from.bits() == to.bits() && from != to,
    }
}

fn reduce_fits(op: ReduceOp, element: Element) -> bool {
    match op {
        ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => element.is_int() || element == Element::Bool,
        ReduceOp::Add | ReduceOp::Mul | ReduceOp::SMin | ReduceOp::SMax | ReduceOp::UMin | ReduceOp::UMax => element.is_int(),
        ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax => element.is_float(),
    }
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::vector::parse::parse;

    /// What is said about a function with this body; its parameters are `(i32, f32x4, boolx4, ptr)`, its result is i32.
    fn said(body: &str) -> String {
        let text = format!("function @f(i32, f32x4, boolx4, ptr) -> (i32) fp=strict {{\n{body}\n}}\n");
        verify(&parse(&text).expect("readable text")).join("\n")
    }

    const ENTRY: &str = "block0(v0: i32, v1: f32x4, v2: boolx4, v3: ptr):\n";

    #[test]
    fn well_formed_functions_pass() {
        assert_eq!(said(&format!("{ENTRY} v4: f32x4 = fadd v1, v1\n store v3, v4, mask v2\n return v0")), "");
        assert_eq!(said(&format!("{ENTRY} jump block1(v0)\nblock1(v4: i32):\n return v4")), "");
    }

    #[test]
    fn each_invariant_is_looked_after() {
        let cases = [
            // 1: dominance, arguments of jumps.
            (" v4: i32 = add v5, v0\n v5: i32 = add v0, v0\n return v4", "(1)"),
            (" jump block1(v1)\nblock1(v4: i32):\n return v4", "(1)"),
            (" jump block1()\nblock1(v4: i32):\n return v4", "(1)"),
            // 2: types of operands, masks.
            (" v4: i32 = add v0, v1\n return v4", "(2)"),
            (" v4: f32x4 = add v1, v1\n return v0", "(2)"),
            (" v4: f32x8 = load v3, mask v2\n return v0", "(2)"),
            (" v4: i32 = convert.sext v0\n return v0", "(2)"),
            (" v4: f32x4 = shuffle v1, v1, <0, 1, 2, 8>\n return v0", "(2)"),
            // 3: conditions.
            (" branch v2, block1(), block1()\nblock1():\n return v0", "(3)"),
            // 4: reachability, the entry.
            (" return v0\nblock1():\n return v0", "(4)"),
            (" jump block0(v0, v1, v2, v3)", "(4)"),
            // 5: results, calls.
            (" return v1", "(5)"),
            (" v4: i32 = call @f(v0)\n return v4", "(2)"),
        ];
        for (body, wanted) in cases {
            let said = said(&format!("{ENTRY}{body}"));
            assert!(said.contains(wanted), "{body}: {said:?}");
        }
    }
}
