//! Chains of ranges of a byte, by the rules and looked up, for all bytes.

use crate::machine::Isa;
use crate::optimize::{Pass, byte_tables};
use crate::vector::interpret::Machine;
use crate::vector::ir::{FunctionId, Module, Op};
use crate::vector::{parse::parse, print::print, verify::verify};

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A function that gives each of 16 bytes a number by some ranges, behind each other, and says which bytes are in one.
fn chain(numbers: &mut Numbers) -> String {
    let mut text = "function @f(i8x16) -> (i8x16, boolx16) fp=strict {\nblock0(v0: i8x16):\n".to_owned();
    let mut next = 1;
    let mut emit = |ty: &str, op: String| {
        text += &format!("    v{next}: {ty} = {op}\n");
        next += 1;
        next - 1
    };
    let mut so_far = emit("i8x16", format!("const {:#x}", [0, 0xff, 7][numbers.below(3) as usize]));
    let mut any = emit("boolx16", "const 0x0".to_owned());
    for _ in 0..3 + numbers.below(4) {
        let (low, length) = (numbers.below(256), if numbers.below(3) == 0 { 0 } else { numbers.below(32) });
        let [low, high, more] =
            [low, (low + length).min(255), numbers.below(256)].map(|n| emit("i8x16", format!("const {n:#x}")));
        let [from, to] = [("uge", low), ("ule", high)].map(|(op, end)| emit("boolx16", format!("compare.{op} v0, v{end}")));
        let within = emit("boolx16", format!("and v{from}, v{to}"));
        let sum = emit("i8x16", format!("add v0, v{more}"));
        so_far = emit("i8x16", format!("select v{within}, v{sum}, v{so_far}"));
        // Which bytes are in one is asked by itself.
        let [from, to] = [("uge", low), ("ule", high)].map(|(op, end)| emit("boolx16", format!("compare.{op} v0, v{end}")));
        let within = emit("boolx16", format!("and v{from}, v{to}"));
        any = emit("boolx16", format!("or v{any}, v{within}"));
    }
    text + &format!("    return v{so_far}, v{any}\n}}\n")
}

/// What a function gives for all bytes.
fn results(module: &Module) -> Vec<Vec<Vec<u64>>> {
    let rows = (0..16).map(|row| (16 * row..16 * (row + 1)).collect());
    rows.map(|bytes: Vec<u64>| Machine::new(module).call(FunctionId(0), vec![bytes]).expect("a run without faults")).collect()
}

fn look_ups(module: &Module) -> usize {
    let function = &module.functions[0];
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter(|inst| matches!(function.insts[inst.0 as usize].op, Op::Permute(..))).count()
}

#[test]
fn chains_of_ranges_are_the_same_when_they_are_looked_up() {
    let (mut numbers, mut of_numbers, mut of_choices) = (Numbers(1), 0, 0);
    for _ in 0..300 {
        let before = parse(&chain(&mut numbers)).expect("a module");
        let mut after = before.clone();
        Pass::Machine(byte_tables).run(&mut after, Isa::Avx2.machine());
        assert_eq!(verify(&after), [""; 0], "{}", print(&after));
        assert_eq!(results(&before), results(&after), "{}{}", print(&before), print(&after));
        match look_ups(&after) {
            0 => {}
            2 => of_choices += 1,
            _ => of_numbers += 1,
        }
    }
    assert!(of_numbers > 20 && of_choices > 20, "{of_numbers} numbers and {of_choices} choices alone were looked up");
}

#[test]
fn machines_without_look_ups_compute() {
    let mut numbers = Numbers(1);
    for _ in 0..50 {
        let mut module = parse(&chain(&mut numbers)).expect("a module");
        Pass::Machine(byte_tables).run(&mut module, Isa::Sse2.machine());
        assert_eq!(look_ups(&module), 0);
    }
}
