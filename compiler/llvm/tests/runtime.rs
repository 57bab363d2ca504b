//! Programs that print, ask for memory and fail: run in a process of their own, by this test program itself.

use std::process::{Command, Output};

use super::exported;
use crate::llvm::{Jit, Options};
use crate::machine::Isa;
use crate::source::{SourceMap, Span};
use crate::target::{Channel, Memory};
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{BinaryOp, CompareOp, Element, Module, PrintPiece, Type, Value};

const I32: Type = Type { element: Element::I32, length: 1 };
const I64: Type = Type { element: Element::I64, length: 1 };

/// Says to the test program that it is the process that runs the program under test.
const CHILD: &str = "IVLC_TEST_CHILD";

/// Runs `program` on an instruction set in a process of its own, as the test `name`.
fn run_apart(name: &str, isa: Isa, program: fn(&mut FunctionBuilder, &SourceMap)) -> Option<Output> {
    if std::env::var(CHILD).is_ok_and(|child| child == format!("{name} {isa}")) {
        let mut sources = SourceMap::default();
        sources.add("program.ivl", None, "void main() {\n    check();\n}\n");
        let function = exported("main", 0, |b, _| program(b, &sources));
        let module = Module { functions: vec![function], globals: vec![], lanes: vec![] };
        let options = Options { isa, level: 2, debug_info: false, sources: &sources };
        let jit = Jit::new(&module, &options).expect("it links");
        // SAFETY: the function was exported with this C signature.
        let main: extern "C" fn() = unsafe { std::mem::transmute(jit.address("main").expect("it is exported")) };
        main();
        std::process::exit(0);
    }
    if std::env::var(CHILD).is_ok() {
        return None;
    }
    let program = std::env::current_exe().expect("this program has a path");
    let arguments = [&format!("llvm::tests::runtime::{name}"), "--exact", "--nocapture", "--quiet"];
    let child = Command::new(program).args(arguments).env(CHILD, format!("{name} {isa}")).output();
    Some(child.expect("this program runs"))
}

fn available() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.runs_here())
}

fn piece(value: Value, signed: bool, mask: Option<Value>) -> PrintPiece {
    PrintPiece::Value { value, signed, mask, format: ivl::Format::default() }
}

#[test]
fn prints_every_kind_of_value() {
    for isa in available() {
        let output = run_apart("prints_every_kind_of_value", isa, |b, _| {
            let line = |b: &mut FunctionBuilder, value: PrintPiece| {
                b.print(Channel::Output, vec![PrintPiece::Text("→ ".into()), value, PrintPiece::Text("\n".into())]);
            };
            for element in [Element::I8, Element::I16, Element::I32, Element::I64] {
                let ty = Type::new(element, 4);
                let value = b.constant(ty, &[1, u64::MAX, 3, 100]);
                let mask = b.constant(ty.mask(), &[1, 1, 0, 1]);
                line(b, piece(value, true, Some(mask)));
                line(b, piece(value, false, None));
            }
            let single = b.constant(Type::new(Element::F32, 2), &[0x3dcc_cccd, 0x7fc0_0000]);
            line(b, piece(single, true, None));
            let double = b.float(Type::scalar(Element::F64), 1e100);
            line(b, piece(double, true, None));
            let truth = b.constant(Type::new(Element::Bool, 4), &[1, 0, 0, 1]);
            line(b, piece(truth, false, None));
            let null = b.zero(Type::scalar(Element::Ptr));
            line(b, piece(null, false, None));
            b.print(Channel::Output, vec![]);
        });
        let Some(output) = output else { continue };
        let expected = "→ <1,-1,_,100>\n→ <1,255,3,100>\n→ <1,-1,_,100>\n→ <1,65535,3,100>\n→ <1,-1,_,100>\n\
            → <1,4294967295,3,100>\n→ <1,-1,_,100>\n→ <1,18446744073709551615,3,100>\n\
            → <0.1,nan>\n→ 1e100\n→ <T,F,F,T>\n→ 0x0\n";
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(expected), "on {isa}: {text}");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn failed_checks_end_the_program() {
    for isa in available() {
        let output = run_apart("failed_checks_end_the_program", isa, |b, sources| {
            let file = sources.files().next().expect("there is a file").0;
            b.set_span(Span::new(file, 18, 23));
            let memory = b.slot(4, 4);
            let memory = b.slot_address(memory);
            let (seven, lane) = (b.int(I32, 7), b.int(I32, 3));
            b.store(memory, seven, None);
            let value = b.load(I32, memory, None);
            let holds = b.compare(CompareOp::Eq, value, seven);
            b.check(holds, Some(lane), "this holds", Vec::new());
            let fails = b.compare(CompareOp::Eq, value, lane);
            let number = b.convert(crate::vector::ir::ConvertOp::SExt, value, Element::I64);
            b.check(fails, Some(lane), "index % out of range", vec![number]);
            b.print(Channel::Output, vec![PrintPiece::Text("not reached".into())]);
        });
        let Some(output) = output else { continue };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("program.ivl:2:5: index 7 out of range (lane 3)\n"), "on {isa}: {errors}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("not reached"));
        assert_eq!(output.status.code(), Some(101));
    }
}

#[test]
fn memory_is_allocated_aligned_and_freed() {
    [Memory::Heap, Memory::Scratch].into_iter().for_each(allocated_aligned_and_freed);
}

fn allocated_aligned_and_freed(kind: Memory) {
    let function = exported("allocate", 1, |b, p| {
        let size = b.int(I64, 4096);
        let memory = b.allocate(kind, size);
        let ty = Type::new(Element::I32, 16);
        let iota = b.iota(ty);
        b.store(memory, iota, None);
        let value = b.load(ty, memory, None);
        let sum = b.reduce(crate::vector::ir::ReduceOp::Add, value);
        let address = b.convert(crate::vector::ir::ConvertOp::PtrToInt, memory, Element::I64);
        let low = b.int(I64, 63);
        let low = b.binary(BinaryOp::And, address, low);
        b.free(kind, memory);
        b.store(p[0], sum, None);
        let place = b.ptr_offset(p[0], 8);
        b.store(place, low, None);
    });
    let module = Module { functions: vec![function], globals: vec![], lanes: vec![] };
    for isa in available() {
        let jit = super::jit(&module, isa, 3);
        // SAFETY: the function was exported with this C signature.
        let allocate: extern "C" fn(*mut i64) = unsafe { std::mem::transmute(jit.address("allocate").expect("it is exported")) };
        let mut found = [0, -1];
        allocate(found.as_mut_ptr());
        assert_eq!(found, [120, 0]);
    }
}
