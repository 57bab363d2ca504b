//! Long schedules.

use crate::driver::{Options, Session, with_stack};
use crate::machine::Isa;
use crate::pipeline::Entries;
use crate::typed::interpret::{Limits, interpret};
use crate::typed::ir::{BinaryOp, Constant, Expr, ExprKind, Program, StatementKind};
use crate::vector;
use crate::vector::ir::{Function, Inlining, Module};
use std::fmt::Write;

/// A pipeline of so many funcs, each a stage at the root, of all kinds that there are.
fn mixed(count: usize) -> String {
    let mut text = "pipeline p(int in[,], int n) -> out {\n    fun f0(x, y) = in(x, y);\n".to_owned();
    for i in 1..=count {
        let before = if i % 6 == 3 { format!("f{}(x, y).1", i - 1) } else { format!("f{}(x, y)", i - 1) };
        let value = match i % 6 {
            0 => format!("f{}(x + 1, y) - f{}(x, clamp(y, 0, 2)) / 3", i - 1, i - 3),
            1 => format!("f{}(clamp(in(x, y), 0, 3), y) + n", i - 1),
            2 => format!("({before}, {before} ^ {i})"),
            3 => format!("{before} + sum(in(x + r, y) for r = -1 .. 2)"),
            4 => format!("{before} * 3 & 1023"),
            _ => format!("{before} + f{}(x, y) % 7", i - 2),
        };
        let _ = writeln!(text, "    fun f{i}(x, y) = {value};");
        if i % 6 == 5 {
            let _ = writeln!(text, "    f{i}(x, y) += in(x, y) * n;");
        }
    }
    let _ = writeln!(text, "    fun g(x, y, z) = f{count}(x, y){} + z;", if count % 6 == 2 { ".0" } else { "" });
    let _ = writeln!(text, "    fun out(x, y) = g(x, y, 0) + g(x, y, 1);\n}}");
    text
}

/// A func with so many updates.
fn updates(count: usize) -> String {
    let updates: String = (0..count).map(|i| format!("    f(x, y) = f(x, y) * {} + f(y, y);\n", i % 3)).collect();
    let text = "pipeline p(int in[,], int n) -> out {\n    fun f(x, y) = in(x, y);\n".to_owned();
    text + &updates.replace("f(y, y)", "n") + "    fun out(x, y) = f(x, y) + f(x + 1, y);\n}\n"
}

/// So many funcs that all are read by one.
fn fan(count: usize) -> String {
    let funcs: String = (0..count).map(|i| format!("    fun f{i}(x, y) = in(x + {}, y) * {i};\n", i % 3)).collect();
    let sum: Vec<String> = (0..count).map(|i| format!("f{i}(x, y)")).collect();
    format!("pipeline p(int in[,], int n) -> out {{\n{funcs}    fun out(x, y) = {} + n;\n}}\n", sum.join(" + "))
}

/// So many pointwise funcs.
fn pointwise(count: usize) -> String {
    let funcs: String = (1..=count).map(|i| format!("    fun f{i}(x, y) = f{}(x, y) * 3 & {i};\n", i - 1)).collect();
    let first = "pipeline p(int in[,], int n) -> out {\n    fun f0(x, y) = in(x, y) + n;\n".to_owned();
    first + &funcs + &format!("    fun out(x, y) = f{count}(x, y);\n}}\n")
}

const MAIN: &str = "
int main() {
    int in[-400 : 900, -4 : 12];
    for (int y = -4; y < 8; ++y) for (int x = -400; x < 500; ++x) in(x, y) = (x * 37 + y * 11) % 101 - 30;
    int a[3 : 4, 1 : 2], b[3 : 4, 1 : 2];
    p.auto(a, in, 2);
    p.breadth_first(b, in, 2);
    for (int y = 1; y < 3; ++y) for (int x = 3; x < 7; ++x) print(\"% % \", a(x, y), b(x, y));
    return 0;
}
";

/// What it prints by the rules, and as vector IR that was optimised.
fn outputs(pipeline: &str) -> [String; 2] {
    outputs_of(&(pipeline.to_owned() + MAIN))
}

/// The same of a whole program.
fn outputs_of(program: &str) -> [String; 2] {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("input.ivl".into(), None, program.to_owned());
        let options = Options { width: Some(4), ..Options::new(Isa::Avx2) };
        let checked = session.check(&options);
        let messages: Vec<String> = session.diagnostics.iter().map(|d| d.message.clone()).collect();
        let program = checked.unwrap_or_else(|| panic!("{messages:?}"));
        let mut by_rules = String::new();
        let run = interpret(&program, Limits::default(), &mut |text| by_rules.push_str(text));
        assert!(matches!(run, Ok(0)), "{:?}", run.err().map(|fault| fault.message));
        let module = session.optimized(&program, &options);
        let mut machine = vector::interpret::Machine::new(&module);
        assert!(matches!(machine.main(), Ok(0)));
        [by_rules, machine.output]
    })
}

#[test]
fn long_schedules_do_what_short_ones_do() {
    for pipeline in [mixed(70), mixed(20), updates(70), fan(70), pointwise(70)] {
        let [wanted, found] = outputs(&pipeline);
        let values: Vec<&str> = wanted.split_whitespace().collect();
        assert_eq!(values.len(), 16, "{pipeline}");
        assert!(values.chunks(2).all(|pair| pair[0] == pair[1]), "`auto` and `breadth_first` differ: {wanted}\n{pipeline}");
        assert_eq!(found, wanted, "{pipeline}");
    }
}

/// What the parser's limits on nesting were too low for.
#[test]
fn a_loop_is_split_two_hundred_times() {
    let mut text = "pipeline p(int in[,], int n) -> out {\n    fun f(x, y) = in(x, y) * n;\n".to_owned();
    text += "    fun out(x, y) = f(x, y) + f(x + 1, y);\n}\nschedule p.s {\n    out";
    for k in 0..200 {
        let of = if k == 0 { "x".to_owned() } else { format!("x{}", k - 1) };
        let _ = write!(text, ".split({of}, x{k}, i{k}, {}, guard)", 1 + k / 199);
    }
    text += ";\n    f.compute_at(out, x199).vectorize(x, 4);\n}\n";
    let main = MAIN.replace("p.auto", "p.s");
    let [wanted, found] = outputs_of(&(text + &main));
    let values: Vec<&str> = wanted.split_whitespace().collect();
    assert!(values.len() == 16 && values.chunks(2).all(|pair| pair[0] == pair[1]), "`s` and `breadth_first` differ: {wanted}");
    assert_eq!(found, wanted);
}

/// A mistake of the lowering, planted: the rows of an input are an element too far apart.
#[test]
fn found_a_wrong_stride() {
    let text = "pipeline p(int in[,], int n) -> out {\n    fun f(x, y) = in(x, y) * n;\n    fun out(x, y) = f(x, y) + f(x + 1, y + 1);\n}\n";
    let main = MAIN.replace("p.auto", "p.breadth_first");
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("input.ivl".into(), None, text.to_owned() + &main);
        let mut program = session.check(&Options::new(Isa::Avx2)).expect("a valid program");
        let run = |program: &Program| {
            let mut output = String::new();
            let ended = interpret(program, Limits::default(), &mut |text| output.push_str(text));
            ended.map(|_| output).map_err(|fault| fault.message)
        };
        let right = run(&program).expect("it runs");
        let mut planted = 0;
        for function in program.functions.iter_mut().filter(|function| function.is_scheduled) {
            let (locals, Some(body)) = (&function.locals, &mut function.body) else { continue };
            for statement in &mut body.statements {
                let StatementKind::Declare { local, initializer: Some(value) } = &mut statement.kind else { continue };
                if locals[local.0 as usize].name == "in_stride_1" {
                    let one = Expr { kind: ExprKind::Constant(Constant::Int(1)), ..value.clone() };
                    let sum = ExprKind::Binary(BinaryOp::Add, Box::new(value.clone()), Box::new(one));
                    *value = Expr { kind: sum, ..value.clone() };
                    planted += 1;
                }
            }
        }
        assert!(planted > 0, "a stride");
        assert_ne!(run(&program), Ok(right));
    });
}

/// The vector IR.
fn module(pipeline: &str) -> Module {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("input.ivl".into(), None, pipeline.to_owned() + MAIN);
        let options = Options::new(Isa::Avx2);
        let program = session.check(&options).expect("a valid program");
        session.optimized(&program, &options)
    })
}

#[test]
fn functions_of_longer_schedules_are_no_longer() {
    let sizes = |pipeline: &str| {
        let functions = module(pipeline).functions;
        let length = |f: &Function| f.blocks.iter().map(|block| block.insts.len()).sum::<usize>();
        // What is cold is not optimised, in time that is proportional to its length.
        let largest = functions.iter().filter(|f| f.inlining != Inlining::Cold).map(length).max().expect("a function");
        (largest, functions.iter().map(length).sum::<usize>())
    };
    for pipeline in [mixed as fn(usize) -> String, updates, pointwise] {
        let ((largest, all), (larger, more)) = (sizes(&pipeline(150)), sizes(&pipeline(300)));
        // The window of an input that all read is as long as the list of them.
        assert!(larger as f64 <= 1.5 * largest as f64, "{largest} and {larger} instructions in a function");
        assert!(more as f64 <= 2.1 * all as f64, "{all} and {more} instructions in all");
    }
}

/// The functions of schedules that a program has, but for those of the library and what the program defines.
fn called(program: &str, entries: Entries) -> Vec<String> {
    with_stack(|| {
        let mut session = Session { entries, ..Session::default() };
        let pipeline = "pipeline p(int in[]) -> f { fun g(x) = in(x) * 2; fun f(x) = g(x) + g(x + 1); }
            schedule p.s { g.compute_root(); }  schedule p.t { g.compute_at(f, x); }\n";
        session.load_text("input.ivl".into(), None, pipeline.to_owned() + program);
        let program = session.check(&Options::new(Isa::Avx2)).expect("a valid program");
        let names = program.functions.iter().map(|function| function.name.clone());
        let mut names: Vec<String> = names.filter(|name| name.split('.').count() == 2 || name.ends_with(".required")).collect();
        names.sort();
        names
    })
}

#[test]
fn only_schedules_that_are_asked_for_are_compiled() {
    let main = |call: &str| called(&format!("int main() {{ int a[4], b[8]; {call} return 0; }}"), Entries::None);
    assert_eq!(main(""), Vec::<String>::new());
    // Of views whose pixels lie apart what is required is copied.
    assert_eq!(main("p(a, b);"), ["p.auto", "p.auto.required"]);
    assert_eq!(main("p.t(a, b);"), ["p.t", "p.t.required"]);
    let both = ["p.breadth_first", "p.breadth_first.required", "p.s", "p.s.required"];
    assert_eq!(main("p /* here */ . s (a, b); p.breadth_first(a, b);"), both);
    let required = |call: &str| called(&format!("int main() {{ int a[4]; int need[]; {call} return 0; }}"), Entries::None);
    assert_eq!(required("p.required(a, need);"), ["p.auto.required"]);
    assert_eq!(required("p.s.required(a, need);"), ["p.s.required"]);
    // Nobody calls this function.
    assert_eq!(called("void f() { int a[4], b[8]; p.t(a, b); }", Entries::None), Vec::<String>::new());
    let exported = |asked: &[&str]| called("", Entries::Asked(asked.iter().map(|name| name.to_string()).collect()));
    assert_eq!(exported(&[]), ["p.s", "p.s.required", "p.t", "p.t.required"]);
    assert_eq!(exported(&["p.auto", "t"]), ["p.auto", "p.auto.required", "p.t", "p.t.required"]);
}

/// How many checks a definition's schedule has, without and with `--check`.
fn checks_of(statement: &str) -> [usize; 2] {
    let text = format!(
        "def rows(float(E, D) T, int32(B) I) -> (O) {{
             twice(e, d) = 2.0 * T(e, d) where e in 0:E, d in 0:D
             O(b, d) +=! ({statement}) * float(I(b)) where e in 0:E
         }}\n"
    );
    [false, true].map(|check| {
        with_stack(|| {
            let mut session = Session { entries: Entries::All, ..Session::default() };
            session.load_text("input.ivl".into(), None, text.clone());
            let options = Options { check, ..Options::new(Isa::Avx2) };
            let program = session.check(&options).expect("a valid program");
            let module = session.optimized(&program, &options);
            let insts =
                module.functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts).map(|i| &f.insts[i.0 as usize]));
            insts.filter(|inst| matches!(inst.op, vector::ir::Op::Check { .. })).count()
        })
    })
}

#[test]
fn checks_ask_for_what_nothing_proves() {
    for proven in ["T(e, d) * twice(e, d)", "T(I(b), d) + T(e, d)", "twice(clamp(I(b), 0, E - 1), d) + T(e, d)"] {
        let [without, with] = checks_of(proven);
        assert_eq!(without, with, "{proven}");
    }
    for said in ["unchecked(T(I(b), d)) + T(e, d)", "unchecked(twice(I(b), d)) + T(e, d)"] {
        let [without, with] = checks_of(said);
        assert!(without < with, "{said}: {without}, {with}");
    }
}
