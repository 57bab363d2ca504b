//! Ranges against a search: a family of statements, and all small sizes.

use super::brute::{Nothing, Run, Tensor, definitions};
use ivl_random::Random;
use ivlc::driver::Session;
use ivlc::pipeline::evaluate::{Arguments, Image, startup};
use ivlc::pipeline::expr::Expr;
use ivlc::pipeline::value::{Known, evaluate};
use ivlc::tensor::comprehension::Comprehension;
use ivlc::typed::interpret::scalar;
use ivlc::typed::ir::Program;
use ivlc::types::Element;
use std::collections::HashMap;
use std::fmt::Write;

/// Tensors are given extents from 0 to this.
const LARGEST: i64 = 7;

/// What was compared.
#[derive(Debug, Default)]
pub struct Count {
    /// Definitions whose ranges were found.
    pub definitions: u64,
    /// Definitions with an index that has no range, by the compiler and by the search.
    pub open: u64,
    /// Definitions that are refused for something else: what is ambiguous, or empty for certain.
    pub refused: u64,
    /// Size assignments, in each of which all ranges were compared.
    pub sizes: u64,
    /// Ranges in them.
    pub ranges: u64,
}

/// An index expression in some of the indices, none of them twice.
fn index(random: &mut Random, names: &[&str]) -> String {
    let mut left = names.to_vec();
    let mut text = String::new();
    for _ in 0..1 + random.below(names.len().min(3)) {
        let name = left.remove(random.below(left.len()));
        let factor = random.pick(&[-3, -2, -1, 1, 1, 1, 2, 3]);
        let term =
            if random.one_in(5) { format!("({name} + {}) / {}", random.below(4), 2 + random.below(2)) } else { name.into() };
        let _ = write!(text, "{}{factor} * ({term})", if text.is_empty() { "" } else { " + " });
    }
    let _ = write!(text, " + {}", random.between(-5, 5));
    if random.one_in(6) {
        text = format!("({text}) / {}", 2 + random.below(2));
    }
    text.replace("+ -", "- ")
}

/// A definition of the family: up to three indices, up to four accesses, each dimension with a size of its own.
fn definition(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let names = &["i", "j", "k"][..1 + random.below(3)];
    let count = 1 + random.below(4);
    let (mut parameters, mut accesses) = (Vec::new(), Vec::new());
    for a in 0..count {
        let rank = if a + 1 < count { 1 } else { 1 + random.below(2) };
        // The first ones know one index, so that there are rounds.
        let indices: Vec<String> =
            (0..rank).map(|_| if random.one_in(2) { random.pick(names).to_owned() } else { index(random, names) }).collect();
        let sizes: Vec<String> = (0..rank).map(|d| format!("N{a}{d}")).collect();
        parameters.push(format!("float({}) A{a}", sizes.join(", ")));
        accesses.push(format!("A{a}({})", indices.join(", ")));
    }
    let used: Vec<&str> = names.iter().copied().filter(|name| accesses.iter().any(|text| text.contains(name))).collect();
    let left = used[..1 + random.below(used.len())].join(", ");
    let mut fixed = Vec::new();
    for name in &used {
        if random.one_in(4) {
            let begin = random.between(-2, 2);
            fixed
                .push(format!("{name} in {begin}:{}", if random.one_in(2) { "N00".to_owned() } else { (begin + 3).to_string() }));
        }
    }
    let clauses = if fixed.is_empty() { String::new() } else { format!(" where {}", fixed.join(", ")) };
    format!("def d{seed}({}) -> (C) {{ C({left}) +=! {}{clauses} }}\n", parameters.join(", "), accesses.join(" * "))
}

/// The value of a range's end for tensors of some sizes.
fn ends(made: &Comprehension, windows: &[Vec<(i64, i64)>]) -> HashMap<String, (i64, i64)> {
    let pipeline = &made.pipeline;
    let inputs = windows.iter().map(|window| {
        let window: Vec<(i64, i64)> = window.iter().rev().copied().collect();
        Image::new(Element::Float, window)
    });
    let arguments = Arguments { inputs: inputs.collect(), scalars: Vec::new() };
    let program = Program::default();
    let mut known = Known { program: &program, variables: startup(pipeline, &program, &arguments) };
    let mut int = |e: &Expr| scalar::integer(Element::Int32, evaluate(e, &mut known).bits().expect("a number")) as i64;
    let id = pipeline.outputs[0];
    let func = pipeline.func(id);
    let mut found = HashMap::new();
    for (variable, [begin, end]) in func.variables.iter().zip(&pipeline.ranges[&id]) {
        found.insert(pipeline.variable(*variable).name.to_string(), (int(begin), int(end)));
    }
    for r in func.stages.iter().flat_map(|stage| &stage.rdom) {
        found.insert(pipeline.variable(r.variable).name.to_string(), (int(&r.low), int(&r.high)));
    }
    found
}

/// Compares the definitions of some seeds; with a mistake, that of the search.
pub fn compare(seeds: std::ops::Range<u64>, longer: i64) -> Result<Count, String> {
    let texts: Vec<String> = seeds.map(definition).collect();
    let text = texts.concat();
    let mut session = Session::default();
    session.load_text("ranges.ivl".into(), None, text.clone());
    session.check_in_part(&super::options());
    let made: HashMap<&str, &Comprehension> = session.comprehensions.iter().map(|made| (&*made.pipeline.name, made)).collect();
    let (mut count, mut open_by_compiler) = (Count::default(), Vec::new());
    let mut begin = 0;
    for text in &texts {
        let end = begin + text.len();
        let is_own = |d: &&ivlc::diagnostics::Diagnostic| (begin..end).contains(&(d.span.start as usize));
        open_by_compiler.push(session.diagnostics.iter().filter(is_own).any(|d| d.message.contains("no range by")));
        begin = end;
    }
    let defs = definitions(&text);
    for ((def, text), is_open) in defs.iter().zip(&texts).zip(open_by_compiler) {
        let random = &mut Random::new(text.len() as u64);
        let dimensions: usize = def.parameters.iter().map(|p| p.ty.sizes.len()).sum();
        // All sizes of one or two dimensions, else some.
        let all = (LARGEST + 1).pow(dimensions as u32);
        let mut is_open_by_search = false;
        let mut compared = 0;
        for number in 0..all.min(64) {
            let mut rest = if all <= 64 { number } else { random.below(all as usize) as i64 };
            let mut windows = Vec::new();
            for parameter in &def.parameters {
                let mut window = Vec::new();
                for _ in &parameter.ty.sizes {
                    window.push((0, rest % (LARGEST + 1)));
                    rest /= LARGEST + 1;
                }
                windows.push(window);
            }
            let tensor = |w: &Vec<(i64, i64)>| Tensor { element: Element::Float, window: w.clone(), values: Vec::new() };
            let mut search = Run::new(&[], def, windows.iter().map(tensor).collect());
            search.longer = longer;
            // Ranges alone.
            let wanted = match search.ranges(&def.statements[0]) {
                Ok(wanted) => wanted,
                Err(Nothing::Open(_)) => {
                    is_open_by_search = true;
                    break;
                }
                Err(other) => return Err(format!("{other:?}\n{text}")),
            };
            if wanted.values().any(|(begin, end)| end <= begin) {
                continue;
            }
            let Some(made) = made.get(&*def.name.text) else { continue };
            let found = ends(made, &windows);
            if found != wanted {
                return Err(format!("{found:?}, not {wanted:?}, for {windows:?}\n{text}"));
            }
            compared += 1;
            count.sizes += 1;
            count.ranges += wanted.len() as u64;
        }
        if is_open != is_open_by_search {
            return Err(format!("open by the compiler: {is_open}, by the search: {is_open_by_search}\n{text}"));
        }
        count.definitions += u64::from(compared > 0);
        count.open += u64::from(is_open);
        count.refused += u64::from(!is_open && !made.contains_key(&*def.name.text));
    }
    Ok(count)
}
