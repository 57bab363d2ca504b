//! Functions in pieces of a few instructions: what their heads are, and that they do the same.

use super::{Limits, outline_with};
use crate::vector::interpret::Machine;
use crate::vector::ir::{FunctionId, Module};
use crate::vector::{parse::parse, print::print, verify::verify};

/// Pieces of a few instructions.
const SMALL: Limits = Limits { long: 8, piece: 6, cold_from: 4, cold: 4 };

/// A module, and what it becomes.
fn outlined(text: &str) -> (Module, Module) {
    let before = parse(text).expect("a module");
    assert_eq!(verify(&before), [""; 0]);
    let mut after = before.clone();
    outline_with(&mut after, SMALL);
    assert_eq!(verify(&after), [""; 0], "{}", print(&after));
    (before, after)
}

/// The heads of the functions, without what is in them.
fn heads(module: &Module) -> Vec<String> {
    let text = print(module);
    let heads = text.lines().filter(|line| line.contains("function @"));
    heads.map(|line| line.trim_end_matches(" {").replace(" fp=strict", "").replace("function ", "")).collect()
}

/// What the first function of a module gives for numbers, with memory for its pointers.
fn run(module: &Module, pointers: usize, numbers: &[u64]) -> (Vec<Vec<u64>>, Vec<Vec<u8>>) {
    let mut machine = Machine::new(module);
    let memory: Vec<u64> = (0..pointers).map(|k| machine.object(&[k as u8 + 1; 64])).collect();
    let arguments = memory.iter().chain(numbers).map(|&number| vec![number]).collect();
    let results = machine.call(FunctionId(0), arguments).expect("a run without faults");
    (results, memory.into_iter().map(|address| machine.contents(address, 64)).collect())
}

const STRAIGHT: &str = "function @f(ptr, i32, i32) -> (i32) fp=strict {
block0(v0: ptr, v1: i32, v2: i32):
    v3: i32 = const 0x7
    v4: i32 = const 0x0
    v5: i32 = add v1, v2
    v6: i32 = mul v5, v1
    v7: bool = compare.slt v6, v4
    branch v7, block1(), block2()
block1():
    return v3
block2():
    v8: i32 = sub v6, v2
    v9: i32 = mul v8, v5
    v10: bool = compare.sgt v9, v3
    branch v10, block3(), block4(v8)
block3():
    v11: i32 = add v3, v9
    return v11
block4(v12: i32):
    v13: i32 = add v12, v6
    v14: i32 = add v13, v9
    jump block5(v4)
block5(v15: i32):
    v16: bool = compare.slt v15, v14
    branch v16, block6(), block7()
block6():
    v17: ptr = ptrindex v0, v15, scale 4, offset 0
    store v17, v15
    v18: i32 = const 0x1
    v19: i32 = add v15, v18
    jump block5(v19)
block7():
    return v14
}
";

#[test]
fn numbers_with_early_returns_are_cold_in_front_of_loops() {
    let (before, after) = outlined(STRAIGHT);
    let expected =
        ["@f(ptr, i32, i32) -> (i32)", "@f.piece1(ptr noalias, ptr) -> (i32) cold", "@f.piece2(ptr noalias, ptr) -> (i32) cold"];
    assert_eq!(heads(&after)[..3], expected);
    assert!(heads(&after).last().expect("a piece with the loop").ends_with("noinline"), "{}", print(&after));
    for numbers in [[1, 2], [2, 3], [0xFFFF_FFFF, 5], [0, 4], [0xFFFF_FFFE, 0xFFFF_FFFF]] {
        assert_eq!(run(&before, 1, &numbers), run(&after, 1, &numbers), "{numbers:?}");
    }
}

#[test]
fn numbers_of_what_is_called_in_a_loop_are_not_cold() {
    let caller = "function @caller(ptr, i32) -> () fp=strict {\nblock0(v0: ptr, v1: i32):\n    jump block1(v1)\n\
                  block1(v2: i32):\n    v3: i32 = call @f(v0, v1, v2)\n    v4: bool = compare.eq v3, v1\n\
                  branch v4, block1(v3), block2()\n\
                  block2():\n    return\n}\n";
    let (_, after) = outlined(&format!("{STRAIGHT}\n{caller}"));
    let heads = heads(&after);
    assert!(heads[2..].iter().all(|head| head.contains(".piece") && head.ends_with("noinline")), "{heads:?}");
}

/// Two loops, of which the first one fills scratch memory that the second one reads; a slot that only the second one uses.
const LOOPS: &str = "function @f(ptr noalias, ptr noalias readonly, i64) -> (i32) fp=strict {
    slot0 size=4 align=4
block0(v0: ptr, v1: ptr, v2: i64):
    v3: i64 = const 0x0
    v4: i64 = const 0x1
    v5: i64 = const 0x40
    v6: i32 = const 0x3
    v7: ptr = slotaddress slot0
    v8: ptr = scratch v5
    v9: ptr = ptroffset v8, 8
    jump block1(v3)
block1(v10: i64):
    v11: bool = compare.slt v10, v2
    branch v11, block2(), block3()
block2():
    v12: ptr = ptrindex v1, v10, scale 4, offset 0
    v13: i32 = load v12
    v14: i32 = mul v13, v6
    v15: ptr = ptrindex v9, v10, scale 4, offset 0
    store v15, v14
    v16: i64 = add v10, v4
    jump block1(v16)
block3():
    v17: i32 = convert.trunc v2
    jump block4(v3)
block4(v18: i64):
    v19: bool = compare.slt v18, v2
    branch v19, block5(), block6()
block5():
    v20: ptr = ptrindex v9, v18, scale 4, offset 0
    v21: i32 = load v20
    v22: i32 = add v21, v17
    store v7, v22
    v23: i32 = load v7
    v24: ptr = ptrindex v0, v18, scale 4, offset 0
    store v24, v23
    v25: i64 = add v18, v4
    jump block4(v25)
block6():
    release v8
    return v17
}
";

#[test]
fn loops_are_handed_memory_with_its_promises() {
    let (before, after) = outlined(LOOPS);
    let text = print(&after);
    // The caller's two pointers, the memory and the frame with the number; the slot has gone with the loop.
    let flags = "(ptr noalias, ptr noalias, ptr noalias) -> (i32) noinline";
    assert_eq!(heads(&after), ["@f(ptr noalias, ptr noalias readonly, i64) -> (i32)", &format!("@f.piece1{flags}")], "{text}");
    let (first, second) = text.split_once("@f.piece1(ptr noalias").expect("a piece");
    assert!(first.contains("slot0 size=8") && !first.contains("size=4"), "{text}");
    assert!(second.contains("slot0 size=4") && second.contains("ptroffset") && second.contains("convert.trunc"), "{text}");
    for number in [0, 1, 5, 14] {
        assert_eq!(run(&before, 2, &[number]), run(&after, 2, &[number]), "{number}");
    }
}

#[test]
fn memory_that_is_known_elsewhere_has_no_promises() {
    let (_, after) = outlined(&LOOPS.replace("    v17: i32 = convert", "    store v0, v8\n    v17: i32 = convert"));
    let head = &heads(&after)[1];
    assert_eq!(head.matches("noalias").count(), 2, "the frame and the caller's pointer: {head}");
}

#[test]
fn what_is_short_cold_or_without_loops_stays() {
    let cold = STRAIGHT.replace("fp=strict {", "fp=strict cold {");
    let short = "function @g(i32) -> (i32) fp=strict {\nblock0(v0: i32):\n    v1: i32 = add v0, v0\n    return v1\n}\n";
    let straight = STRAIGHT.replace("jump block5(v19)", "return v19");
    for text in [&cold, short, &straight] {
        let (before, after) = outlined(text);
        assert_eq!(before, after);
    }
}

#[test]
fn a_shared_return_is_not_cut_off() {
    // A return of both: between the first jump to it and the second one, nothing may be cut.
    let text = LOOPS.replace(
        "    jump block4(v3)\nblock4",
        "    v26: bool = compare.eq v2, v4\n    branch v26, block8(), block4(v3)\nblock4",
    );
    let text = text.replace(
        "    release v8\n    return v17\n",
        "    release v8\n    branch v11, block8(), block7()\nblock7():\n    return v17\nblock8():\n    return v6\n",
    );
    let (before, after) = outlined(&text);
    assert_eq!(after.functions.len(), 2, "{}", print(&after));
    for number in [0, 1, 5, 14] {
        assert_eq!(run(&before, 2, &[number]), run(&after, 2, &[number]), "{}", print(&after));
    }
}
