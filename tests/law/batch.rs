//! Many functions in one program: is lane i of f(v) what f is of lane i of v, and are the lengths those of the rule?
//!
//! For each case of each function the program prints two lines, `17.2 <3,4>`: what the call with vectors gives, and what the
//! calls with the scalars of each lane give. They have to be equal, and equal to what the evaluator of trees says.

use super::model::{self, Inferred};
use super::shrink::shrink;
use super::tree::*;
use super::{evaluate, text};
use ivl_random::Random;
use ivlc::driver::{Options, Session};
use ivlc::machine::Isa;
use ivlc::typed::interpret::{Limits, interpret};
use ivlc::typed::ir::Program;
use ivlc::types::{Type, TypeKind, Types};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An argument of `f`.
#[derive(Clone, Debug)]
pub enum Value {
    Scalar(i32),
    Lanes(Vec<i32>),
}

impl Value {
    fn lane(&self, i: usize) -> i32 {
        match self {
            Value::Scalar(n) => *n,
            Value::Lanes(lanes) => lanes[i],
        }
    }
}

/// A call of `f` with a vector.
#[derive(Clone, Debug)]
pub struct Case {
    pub length: u8,
    /// Is it called under this mask, in a context of its length?
    pub mask: Option<Vec<bool>>,
    pub arguments: Vec<Value>,
}

/// A group with calls that come to an end, and their results by the evaluator.
pub struct Sample {
    pub name: String,
    pub group: Group,
    pub cases: Vec<(Case, Vec<i32>)>,
}

/// Random calls at 2, 4 and 8 lanes, and at 4 under a mask.
pub fn cases(random: &mut Random) -> Vec<Case> {
    let call = |random: &mut Random, length: u8, is_masked: bool| {
        let lanes = |random: &mut Random| (0..length).map(|_| random.between(-2, 6) as i32).collect();
        let mut arguments: Vec<Value> = (0..3)
            .map(|_| if random.percent(60) { Value::Lanes(lanes(random)) } else { Value::Scalar(random.between(-2, 6) as i32) })
            .collect();
        if !is_masked && arguments.iter().all(|a| matches!(a, Value::Scalar(_))) {
            let which = random.below(3);
            arguments[which] = Value::Lanes(lanes(random));
        }
        let mask = is_masked.then(|| {
            let mut mask: Vec<bool> = (0..length).map(|_| random.percent(60)).collect();
            mask[random.below(usize::from(length))] = true;
            mask
        });
        Case { length, mask, arguments }
    };
    [(2, false), (4, false), (8, false), (4, true)].map(|(length, is_masked)| call(random, length, is_masked)).into()
}

/// The sample of a group and calls; `None` where none of them comes to an end.
pub fn sample(name: String, group: Group, cases: Vec<Case>) -> Option<Sample> {
    let results = |case: &Case| -> Option<Vec<i32>> {
        let lane = |i| evaluate::evaluate(&group, &case.arguments.iter().map(|a| a.lane(i)).collect::<Vec<_>>());
        let is_on = |i: usize| case.mask.as_ref().is_none_or(|mask| mask[i]);
        (0..usize::from(case.length)).map(|i| if is_on(i) { lane(i) } else { Some(0) }).collect()
    };
    let cases: Vec<_> = cases.into_iter().filter_map(|case| results(&case).map(|results| (case, results))).collect();
    (!cases.is_empty()).then_some(Sample { name, group, cases })
}

/// What became of a sample.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Agreed,
    /// The code of the first error.
    Refused {
        code: String,
        message: String,
    },
    /// The law does not hold of this line: vectors, then scalars.
    Broken(String, String),
    /// Scalars are not what the evaluator says: found, expected.
    Unlike(String, String),
    /// The lengths are not those of the rule: the instances that only the checker, and that only the model has.
    Lengths(Vec<Inferred>, Vec<Inferred>),
    /// The reference semantics stops, or the compiler does.
    Fault(String),
}

/// The smallest functions of a sample whose calls break the law, with these calls.
pub fn smallest(sample: &Sample) -> String {
    let functions = text::group(&sample.group, "_0");
    let mut calls_of_it = String::new();
    calls(&mut calls_of_it, 0, sample);
    let whole =
        |functions: &str| format!("{}{functions}{calls_of_it}int main() {{\n    test_0();\n    return 0;\n}}\n", text::TYPES);
    whole(&shrink(&functions, |functions| is_broken(whole(functions))))
}

/// Does a line that a program prints differ from the one that ought to be the same?
fn is_broken(text: String) -> bool {
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, text);
    let Some(program) = session.check(&options()) else { return false };
    let mut output = String::new();
    let limits = Limits { steps: Some(1_000_000), ..Limits::default() };
    let ends = interpret(&program, limits, &mut |text| output.push_str(text)).is_ok();
    let lines: Vec<&str> = output.lines().collect();
    ends && lines.chunks(2).any(|pair| pair.first() != pair.last())
}

/// The program of some samples.
pub fn program(samples: &[(usize, &Sample)]) -> (String, Vec<std::ops::Range<usize>>) {
    let mut program = text::TYPES.to_owned();
    let mut places = Vec::new();
    for (number, sample) in samples {
        let start = program.len();
        program += &text::group(&sample.group, &format!("_{number}"));
        calls(&mut program, *number, sample);
        places.push(start..program.len());
    }
    program += "int main() {\n";
    for (number, _) in samples {
        writeln!(program, "    test_{number}();").expect("a string takes all");
    }
    program += "    return 0;\n}\n";
    (program, places)
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

fn calls(program: &mut String, number: usize, sample: &Sample) {
    let mut line = |text: String| writeln!(program, "{text}").expect("a string takes all");
    line(format!("void test_{number}() {{"));
    for (k, (case, _)) in sample.cases.iter().enumerate() {
        let length = case.length;
        let argument = |value: &Value| match value {
            Value::Scalar(n) => n.to_string(),
            Value::Lanes(lanes) => format!("<{}>", list(lanes)),
        };
        let call = format!("f_{number}({})", list(case.arguments.iter().map(argument)));
        line(format!("    int block[{length}] r{k} = 0;"));
        match &case.mask {
            None => line(format!("    r{k} = {call};")),
            Some(mask) => {
                line(format!("    int block[{length}] m{k} = <{}>;", list(mask.iter().map(|&on| i32::from(on)))));
                line(format!("    if (m{k} != 0) r{k} = {call};"));
            }
        }
        line(format!("    print(\"{number}.{k} %\\n\", r{k});"));
        let is_on = |i: usize| case.mask.as_ref().is_none_or(|mask| mask[i]);
        let scalar = |i| match is_on(i) {
            true => format!("f_{number}({})", list(case.arguments.iter().map(|a| a.lane(i)))),
            false => "0".to_owned(),
        };
        let marks = vec!["%"; usize::from(length)].join(",");
        line(format!("    print(\"{number}.{k} <{marks}>\\n\", {});", list((0..usize::from(length)).map(scalar))));
    }
    line("}".to_owned());
}

/// How a program is checked.
pub fn options() -> Options {
    Options { width: Some(8), level: 0, ..Options::new(Isa::Avx2) }
}

/// Judges all samples, by as few programs as possible: what is refused leaves, and the others are tried again.
pub fn judge(samples: &[Sample]) -> Vec<Outcome> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; samples.len()];
    let mut waiting: Vec<Vec<usize>> = vec![(0..samples.len()).collect()];
    while let Some(numbers) = waiting.pop() {
        if numbers.is_empty() {
            continue;
        }
        let chosen: Vec<(usize, &Sample)> = numbers.iter().map(|&n| (n, &samples[n])).collect();
        match catch_unwind(AssertUnwindSafe(|| attempt(&chosen))) {
            Ok(found) => {
                let is_known = |n: &usize| found.iter().any(|(known, _)| known == n);
                let left: Vec<usize> = numbers.iter().copied().filter(|n| !is_known(n)).collect();
                assert!(left.len() < numbers.len(), "an attempt says something");
                waiting.push(left);
                found.into_iter().for_each(|(n, outcome)| outcomes[n] = Some(outcome));
            }
            Err(_) if numbers.len() == 1 => outcomes[numbers[0]] = Some(Outcome::Fault("the compiler panics".into())),
            Err(_) => {
                let (a, b) = numbers.split_at(numbers.len() / 2);
                waiting.extend([a.to_vec(), b.to_vec()]);
            }
        }
    }
    outcomes.into_iter().map(|outcome| outcome.expect("every sample is judged")).collect()
}

/// What one program says of its samples: of some, or of all.
fn attempt(samples: &[(usize, &Sample)]) -> Vec<(usize, Outcome)> {
    let (text, places) = program(samples);
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, text.clone());
    let Some(program) = session.check(&options()) else {
        return refused(&session, samples, &places);
    };
    let mut output = String::new();
    let limits = Limits { steps: Some(20_000_000), ..Limits::default() };
    let end = interpret(&program, limits, &mut |text| output.push_str(text));
    let mut found = Vec::new();
    let mut lines = output.lines();
    for (number, sample) in samples {
        match printed(&mut lines, *number, sample) {
            Some(Outcome::Agreed) => found.push((*number, lengths(&program, *number, sample))),
            Some(outcome) => found.push((*number, outcome)),
            None => {
                let fault =
                    end.as_ref().err().map_or("nothing is printed".to_owned(), |f| format!("{:?}: {}", f.kind, f.message));
                found.push((*number, Outcome::Fault(fault)));
                break;
            }
        }
    }
    found
}

/// Errors by the groups that they stand in.
fn refused(session: &Session, samples: &[(usize, &Sample)], places: &[std::ops::Range<usize>]) -> Vec<(usize, Outcome)> {
    let mut found: Vec<(usize, Outcome)> = Vec::new();
    for error in session.diagnostics.iter().filter(|d| d.severity == ivlc::diagnostics::Severity::Error) {
        let at = places.iter().position(|place| place.contains(&(error.span.start as usize)));
        let Some(at) = at else { continue };
        if found.iter().all(|(n, _)| *n != samples[at].0) {
            let outcome = Outcome::Refused { code: error.code.name.to_owned(), message: error.message.clone() };
            found.push((samples[at].0, outcome));
        }
    }
    assert!(
        !found.is_empty(),
        "errors stand in functions: {:?}",
        session.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()
    );
    found
}

/// What was printed about a sample; `None` where the program ended before.
fn printed<'o>(lines: &mut impl Iterator<Item = &'o str>, number: usize, sample: &Sample) -> Option<Outcome> {
    let mut outcome = Outcome::Agreed;
    for (k, (_, results)) in sample.cases.iter().enumerate() {
        let (vector, scalars) = (lines.next()?, lines.next()?);
        let expected = format!("{number}.{k} <{}>", list(results).replace(' ', ""));
        if outcome != Outcome::Agreed {
            continue;
        }
        if vector != scalars {
            outcome = Outcome::Broken(vector.to_owned(), scalars.to_owned());
        } else if scalars != expected {
            outcome = Outcome::Unlike(scalars.to_owned(), expected);
        }
    }
    Some(outcome)
}

// ---- Lengths --------------------------------------------------------------------------------------------------------

/// Compares the instances of a group with those of the rule.
fn lengths(program: &Program, number: usize, sample: &Sample) -> Outcome {
    let mut wanted: BTreeSet<Inferred> = BTreeSet::new();
    for (case, _) in &sample.cases {
        let of = |value: &Value| if matches!(value, Value::Lanes(_)) { case.length } else { 1 };
        let context = if case.mask.is_some() { case.length } else { 1 };
        wanted.extend(model::infer(&sample.group, context, case.arguments.iter().map(of).collect()).0);
    }
    wanted.extend(model::infer(&sample.group, 1, vec![1; 3]).0);
    let suffix = format!("_{number}");
    let mut found = BTreeSet::new();
    for function in &program.functions {
        let Some(name) = function.name.strip_suffix(&suffix).filter(|name| *name != "test") else { continue };
        let Some(other) = wanted.iter().find(|i| &*i.function == name) else { continue };
        // A parameter that is widened has a variable of its name beside it.
        let length = |name: &Name| {
            let named = function.locals.iter().filter(|local| *local.name == **name);
            named.map(|local| length(&program.types, local.ty)).max().unwrap_or(0)
        };
        let lengths = other.lengths.keys().map(|name| (name.clone(), length(name))).collect();
        let result = self::length(&program.types, function.result);
        found.insert(Inferred { function: name.into(), context: function.context, result, lengths });
    }
    let only = |a: &BTreeSet<Inferred>, b: &BTreeSet<Inferred>| a.difference(b).cloned().collect::<Vec<_>>();
    let (more, missing) = (only(&found, &wanted), only(&wanted, &found));
    if more.is_empty() && missing.is_empty() { Outcome::Agreed } else { Outcome::Lengths(more, missing) }
}

/// How many lanes a variable has, through arrays and references.
fn length(types: &Types, ty: Type) -> u8 {
    match *types.kind(ty) {
        TypeKind::Vector { length, .. } | TypeKind::Record { length, .. } => length,
        TypeKind::Pointer { pointee, length: addresses } => addresses.max(length(types, pointee)),
        TypeKind::Array { element, .. } => length(types, element),
        TypeKind::Error | TypeKind::Void => 1,
    }
}
