//! Long schedules.

use super::Pieces;
use crate::driver::{Options, Session, with_stack};
use crate::target::Isa;
use crate::typed::interpret::{Limits, interpret};
use crate::vector::ir::Module;
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

/// What it prints.
fn output(pipeline: &str, pieces: Pieces) -> String {
    with_stack(|| {
        let mut session = Session { pieces, ..Session::default() };
        session.load_text("input.ivl".into(), None, pipeline.to_owned() + MAIN);
        let checked = session.check(&Options { width: Some(4), ..Options::new(Isa::Avx2) });
        let messages: Vec<String> = session.diagnostics.iter().map(|d| d.message.clone()).collect();
        let program = checked.unwrap_or_else(|| panic!("{messages:?}"));
        let mut output = String::new();
        let run = interpret(&program, Limits::default(), &mut |text| output.push_str(text));
        assert!(matches!(run, Ok(0)), "{:?}", run.err().map(|fault| fault.message));
        output
    })
}

#[test]
fn pieces_do_what_the_whole_does() {
    let whole = Pieces { from: usize::MAX, size: 1 };
    for pipeline in [mixed(70), mixed(20), updates(70), fan(70), pointwise(70)] {
        let wanted = output(&pipeline, whole);
        let values: Vec<&str> = wanted.split_whitespace().collect();
        assert!(values.chunks(2).all(|pair| pair[0] == pair[1]), "`auto` and `breadth_first` differ: {wanted}\n{pipeline}");
        for pieces in [Pieces::default(), Pieces { from: 2, size: 1 }, Pieces { from: 2, size: 5 }] {
            assert_eq!(output(&pipeline, pieces), wanted, "{pieces:?}\n{pipeline}");
        }
    }
}

#[test]
fn long_sums_and_chains_compile() {
    for pipeline in [fan(300), pointwise(300)] {
        let wanted = output(&pipeline, Pieces::default());
        assert_eq!(wanted.split_whitespace().count(), 16);
    }
}

/// The vector IR before it is optimised.
fn module(pipeline: &str) -> Module {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("input.ivl".into(), None, pipeline.to_owned() + MAIN);
        let options = Options { level: 0, ..Options::new(Isa::Avx2) };
        let program = session.check(&options).expect("a valid program");
        session.lower(&program, &options)
    })
}

#[test]
fn functions_of_longer_schedules_are_no_longer() {
    let sizes = |pipeline: &str| {
        let functions = module(pipeline).functions;
        let largest = functions.iter().map(|f| f.insts.len()).max().expect("a function");
        (largest, functions.iter().map(|f| f.insts.len()).sum::<usize>())
    };
    for pipeline in [mixed as fn(usize) -> String, updates, pointwise] {
        let ((largest, all), (larger, more)) = (sizes(&pipeline(150)), sizes(&pipeline(300)));
        // The window of an input that all read is as long as the list of them.
        assert!(larger as f64 <= 1.5 * largest as f64, "{largest} and {larger} instructions in a function");
        assert!(more as f64 <= 2.1 * all as f64, "{all} and {more} instructions in all");
    }
}

/// The schedules that are compiled where only those are that something calls.
fn called(program: &str) -> Vec<String> {
    with_stack(|| {
        let mut session = Session { only_called: true, ..Session::default() };
        let pipeline = "pipeline p(int in[]) -> f { fun g(x) = in(x) * 2; fun f(x) = g(x) + g(x + 1); }
            schedule p.s { g.compute_root(); }  schedule p.t { g.compute_at(f, x); }\n";
        session.load_text("input.ivl".into(), None, pipeline.to_owned() + program);
        session.check(&Options::new(Isa::Avx2)).expect("a valid program");
        session.generated.iter().map(|(_, made)| made.name.clone()).collect()
    })
}

#[test]
fn only_schedules_that_are_called_are_compiled() {
    let main = |call: &str| format!("int main() {{ int a[4], b[8]; {call} return 0; }}");
    assert_eq!(called(&main("")), Vec::<String>::new());
    assert_eq!(called(&main("p(a, b);")), ["p.auto"]);
    assert_eq!(called(&main("p.t(a, b);")), ["p.t"]);
    assert_eq!(called(&main("p /* here */ . s (a, b); p.breadth_first(a, b);")), ["p.breadth_first", "p.s"]);
    let required = |call: &str| format!("int main() {{ int a[4]; int need[]; {call} return 0; }}");
    assert_eq!(called(&required("p.required(a, need);")), ["p.auto", "p.auto.required"]);
    assert_eq!(called(&required("p.s.required(a, need);")), ["p.s", "p.s.required"]);
}
