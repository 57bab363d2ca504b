//! Runs the integer part of the vector IR, and watches that no call starts with an empty mask.

use crate::vector::ir::*;

/// A running module.
pub struct Machine<'m> {
    module: &'m Module,
    pub memory: Vec<u8>,
    /// What calls of external functions were given.
    pub trace: Vec<Vec<Lanes>>,
    fuel: u64,
}

type Lanes = Vec<u64>;

impl<'m> Machine<'m> {
    pub fn new(module: &'m Module) -> Self {
        Machine { module, memory: vec![0; 64], trace: Vec::new(), fuel: 2_000_000 }
    }

    /// Calls a function.
    pub fn call(&mut self, id: FunctionId, arguments: &[Lanes]) -> Vec<Lanes> {
        let f = &self.module.functions[id.0 as usize];
        if f.blocks.is_empty() {
            self.trace.push(arguments.to_vec());
            return Vec::new();
        }
        let mut values: Vec<Lanes> = vec![Vec::new(); f.values.len()];
        let mut slots = Vec::new();
        for slot in &f.slots {
            slots.push(self.memory.len() as u64);
            self.memory.resize(self.memory.len() + slot.size as usize, 0xAA);
        }
        let mut block = Block(0);
        let mut incoming = arguments.to_vec();
        loop {
            let data = &f.blocks[block.0 as usize];
            for (&parameter, value) in data.parameters.iter().zip(incoming) {
                values[parameter.0 as usize] = value;
            }
            for &inst in &data.insts {
                self.fuel = self.fuel.checked_sub(1).expect("the program comes to an end");
                let inst = &f.insts[inst.0 as usize];
                let results = self.op(f, &inst.op, &inst.results, &values, &slots);
                for (&result, value) in inst.results.iter().zip(results) {
                    assert_eq!(value.len(), f.values[result.0 as usize].ty.length as usize, "{:?}", inst.op);
                    values[result.0 as usize] = value;
                }
            }
            let arguments = |t: &Target| t.arguments.iter().map(|a| values[a.0 as usize].clone()).collect();
            match &data.terminator {
                Terminator::Jump(target) => (incoming, block) = (arguments(target), target.block),
                Terminator::Branch { condition, then, otherwise } => {
                    let target = if values[condition.0 as usize][0] == 1 { then } else { otherwise };
                    (incoming, block) = (arguments(target), target.block);
                }
                Terminator::Return(results) => return results.iter().map(|r| values[r.0 as usize].clone()).collect(),
                Terminator::Unreachable => panic!("an unreachable block was reached"),
            }
        }
    }

    fn read(&self, address: u64, element: Element) -> u64 {
        let mut bytes = [0; 8];
        let size = element.size() as usize;
        bytes[..size].copy_from_slice(&self.memory[address as usize..][..size]);
        u64::from_le_bytes(bytes) & if element == Element::Bool { 1 } else { u64::MAX }
    }

    fn write(&mut self, address: u64, element: Element, bits: u64) {
        let size = element.size() as usize;
        self.memory[address as usize..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }

    fn op(&mut self, f: &Function, op: &Op, results: &[Value], values: &[Lanes], slots: &[u64]) -> Vec<Lanes> {
        let v = |value: &Value| &values[value.0 as usize];
        let ty_of = |value: &Value| f.values[value.0 as usize].ty;
        let ty = results.first().map(&ty_of);
        let cut = |ty: Type, bits: u64| if ty.element.bits() == 64 { bits } else { bits & ((1 << ty.element.bits()) - 1) };
        let signed = |ty: Type, bits: u64| ((bits << (64 - ty.element.bits())) as i64) >> (64 - ty.element.bits());
        let on = |mask: &Option<Value>, lane: usize| mask.as_ref().is_none_or(|m| v(m)[lane] == 1);
        let one = |lanes: Lanes| vec![lanes];
        match op {
            Op::Const(bits) => {
                let length = ty.unwrap().length as usize;
                one(if bits.len() == 1 { vec![bits[0]; length] } else { bits.clone() })
            }
            Op::Unset => one(vec![cut(ty.unwrap(), 0x5555_5555_5555_5555); ty.unwrap().length as usize]),
            Op::Splat(a) => one(vec![v(a)[0]; ty.unwrap().length as usize]),
            Op::Ramp { base, step, exact: _ } => {
                let ty = ty.unwrap();
                one((0..ty.length as i64).map(|k| cut(ty, v(base)[0].wrapping_add((k * step) as u64))).collect())
            }
            Op::Unary(op, a) => {
                let ty = ty.unwrap();
                let width = u64::from(ty.element.bits());
                let apply = |x: u64| match op {
                    UnaryOp::Not => !x,
                    UnaryOp::Neg => x.wrapping_neg(),
                    UnaryOp::Ctz => u64::from(x.trailing_zeros()).min(width),
                    UnaryOp::Popcnt => u64::from(x.count_ones()),
                    UnaryOp::Clz => u64::from(x.leading_zeros()) - (64 - width),
                    other => panic!("{other:?} is not evaluated"),
                };
                one(v(a).iter().map(|&x| cut(ty, apply(x))).collect())
            }
            Op::Binary(op, a, b) => {
                let ty = ty.unwrap();
                let count = |y: u64| y % u64::from(ty.element.bits());
                let apply = |x: u64, y: u64| match op {
                    BinaryOp::Add => x.wrapping_add(y),
                    BinaryOp::Sub => x.wrapping_sub(y),
                    BinaryOp::Mul => x.wrapping_mul(y),
                    BinaryOp::And => x & y,
                    BinaryOp::Or => x | y,
                    BinaryOp::Xor => x ^ y,
                    BinaryOp::Shl => x << count(y),
                    BinaryOp::LShr => x >> count(y),
                    BinaryOp::SMax => signed(ty, x).max(signed(ty, y)) as u64,
                    BinaryOp::SMin => signed(ty, x).min(signed(ty, y)) as u64,
                    BinaryOp::UMin => x.min(y),
                    BinaryOp::SRem => signed(ty, x).checked_rem(signed(ty, y)).unwrap_or(0) as u64,
                    other => panic!("{other:?} is not evaluated"),
                };
                one(v(a).iter().zip(v(b)).map(|(&x, &y)| cut(ty, apply(x, y))).collect())
            }
            Op::Compare(op, a, b) => {
                let ty = ty_of(a);
                let apply = |x: u64, y: u64| match op {
                    CompareOp::Eq => x == y,
                    CompareOp::Ne => x != y,
                    CompareOp::SLt => signed(ty, x) < signed(ty, y),
                    CompareOp::SLe => signed(ty, x) <= signed(ty, y),
                    CompareOp::SGt => signed(ty, x) > signed(ty, y),
                    CompareOp::SGe => signed(ty, x) >= signed(ty, y),
                    CompareOp::ULt => x < y,
                    other => panic!("{other:?} is not evaluated"),
                };
                one(v(a).iter().zip(v(b)).map(|(&x, &y)| u64::from(apply(x, y))).collect())
            }
            Op::Select(m, a, b) => {
                let mask = v(m);
                let lane = |i: usize| mask[if mask.len() == 1 { 0 } else { i }] == 1;
                one((0..v(a).len()).map(|i| if lane(i) { v(a)[i] } else { v(b)[i] }).collect())
            }
            Op::Convert(op, a) => {
                let (from, to) = (ty_of(a), ty.unwrap());
                let apply = |x: u64| match op {
                    ConvertOp::Trunc | ConvertOp::ZExt => x,
                    ConvertOp::SExt => signed(from, x) as u64,
                    other => panic!("{other:?} is not evaluated"),
                };
                one(v(a).iter().map(|&x| cut(to, apply(x))).collect())
            }
            Op::Extract(a, i) => one(vec![v(a)[v(i)[0] as usize % v(a).len()]]),
            Op::Insert(a, x, i) => {
                let mut lanes = v(a).clone();
                let length = lanes.len();
                lanes[v(i)[0] as usize % length] = v(x)[0];
                one(lanes)
            }
            Op::Shuffle(a, b, lanes) => {
                let all: Vec<u64> = v(a).iter().chain(v(b)).copied().collect();
                one(lanes.iter().map(|&l| if l < 0 { 0 } else { all[l as usize] }).collect())
            }
            Op::Permute(a, i) => one(v(i).iter().map(|&i| v(a)[i as usize % v(a).len()]).collect()),
            Op::Permute2(a, b, i) => {
                let all: Vec<u64> = v(a).iter().chain(v(b)).copied().collect();
                one(v(i).iter().map(|&i| all[i as usize % all.len()]).collect())
            }
            Op::Reduce(op, a) => {
                let ty = ty.unwrap();
                let apply = |x: u64, y: u64| match op {
                    ReduceOp::Add => cut(ty, x.wrapping_add(y)),
                    ReduceOp::SMin => cut(ty, signed(ty, x).min(signed(ty, y)) as u64),
                    ReduceOp::UMax => x.max(y),
                    other => panic!("{other:?} is not evaluated"),
                };
                one(vec![v(a).iter().copied().reduce(apply).unwrap()])
            }
            Op::PackedStore { pointer, value, mask } => {
                let (p, element) = (v(pointer)[0], ty_of(value).element);
                let active: Vec<usize> = (0..v(value).len()).filter(|&i| on(mask, i)).collect();
                for (k, &i) in active.iter().enumerate() {
                    self.write(p + k as u64 * element.size(), element, v(value)[i]);
                }
                one(vec![active.len() as u64])
            }
            Op::Any(m) => one(vec![v(m).iter().copied().max().unwrap()]),
            Op::All(m) => one(vec![v(m).iter().copied().min().unwrap()]),
            Op::MaskBits(m) => one(vec![v(m).iter().enumerate().map(|(i, b)| b << i).sum()]),
            Op::PtrIndex { base, index, scale, offset } => {
                let pick = |lanes: &Lanes, i: usize| lanes[if lanes.len() == 1 { 0 } else { i }];
                let index_ty = ty_of(index);
                let address = |i: usize| {
                    let index = signed(index_ty, pick(v(index), i));
                    pick(v(base), i).wrapping_add(index as u64 * scale).wrapping_add(*offset as u64)
                };
                one((0..ty.unwrap().length as usize).map(address).collect())
            }
            Op::PtrOffset(p, by) => one(v(p).iter().map(|p| p.wrapping_add(*by as u64)).collect()),
            Op::SlotAddress(slot) => one(vec![slots[slot.0 as usize]]),
            Op::Load { pointer, mask } => {
                let (p, ty) = (v(pointer)[0], ty.unwrap());
                let lane = |i: usize| if on(mask, i) { self.read(p + i as u64 * ty.element.size(), ty.element) } else { 0 };
                one((0..ty.length as usize).map(lane).collect())
            }
            Op::Store { pointer, value, mask, streaming: _ } => {
                let (p, element) = (v(pointer)[0], ty_of(value).element);
                for (i, &bits) in v(value).iter().enumerate().filter(|&(i, _)| on(mask, i)) {
                    self.write(p + i as u64 * element.size(), element, bits);
                }
                Vec::new()
            }
            Op::Gather { pointers, mask, object: _ } => {
                let element = ty.unwrap().element;
                let lane = |(i, &p): (usize, &u64)| if on(mask, i) { self.read(p, element) } else { 0 };
                one(v(pointers).iter().enumerate().map(lane).collect())
            }
            Op::Scatter { pointers, value, mask } => {
                let element = ty_of(value).element;
                for (i, &p) in v(pointers).iter().enumerate().filter(|&(i, _)| on(mask, i)) {
                    self.write(p, element, v(value)[i]);
                }
                Vec::new()
            }
            Op::Call(callee, arguments) => {
                let arguments: Vec<Lanes> = arguments.iter().map(|a| v(a).clone()).collect();
                let parameters = &self.module.functions[callee.0 as usize].parameters;
                if let Some(Type { element: Element::Bool, length: 2.. }) = parameters.first() {
                    assert!(arguments[0].contains(&1), "a call with an empty mask");
                }
                self.call(*callee, &arguments)
            }
            other => panic!("{other:?} is not evaluated"),
        }
    }
}
