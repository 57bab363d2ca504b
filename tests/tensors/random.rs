//! Random definitions with random schedules, for sizes that are known where they are called.
//!
//! What is drawn: one to four statements, temporaries, all reductions with and without `!`, `inout`, `where` of both kinds, choices whose arms are
//! inside under their condition, look-ups, products of matrices and what goes on with them, calls of other definitions, once or twice, all types, strides and offsets, sizes and `T.d`, extents of 0 — and for
//! schedules (`schedules`) the directives of pipelines, on statements and on their reductions.

use super::agree;
use super::brute::Tensor as Given;
use super::number::Number;
use super::schedules::schedule;
use ivl_random::Random;
use ivlc::types::Element;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A tensor that statements may read.
#[derive(Clone, Debug)]
struct Tensor {
    name: String,
    ty: &'static str,
    rank: usize,
    /// Is it passed, so that it begins at 0?
    is_passed: bool,
    /// Are its floats exactly the numbers that enumeration has?
    is_exact: bool,
    /// May it be defined again?
    is_own: bool,
}

/// A statement, for schedules: its tensor, and the names of its loops.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its tensor.
    pub tensor: String,
    /// The indices on its left.
    pub left: Vec<String>,
    /// Those that it reduces over.
    pub reduced: Vec<String>,
    /// What is written.
    pub text: String,
}

/// A definition.
#[derive(Clone, Debug, Default)]
pub struct Def {
    name: String,
    /// As they are written.
    pub parameters: Vec<String>,
    statements: Vec<String>,
    /// As they are written.
    pub results: Vec<String>,
    /// What schedules may speak of.
    pub rules: Vec<Rule>,
}

/// An argument: the sizes of a tensor, or none of a number, and what its values are like.
#[derive(Clone, Debug)]
pub struct Argument {
    element: Element,
    sizes: Vec<Size>,
    is_small: bool,
}

#[derive(Clone, Copy, Debug)]
enum Size {
    Named(usize),
    Constant(i64),
}

/// A definition with schedules and the sizes of its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    called: Vec<Def>,
    /// The one that is compared.
    pub def: Def,
    arguments: Vec<Argument>,
    /// The extents of size variables.
    pub sizes: Vec<i64>,
    /// Lists of directives.
    pub schedules: Vec<Vec<String>>,
    seed: u64,
}

/// The name of the definition that is compared.
pub const NAME: &str = "d";

const TYPES: [&str; 16] = [
    "int", "int", "int", "float", "float", "float", "double", "int8", "uint8", "int16", "uint16", "uint", "int64", "uint64",
    "half", "double",
];

fn element(ty: &str) -> Element {
    match ty {
        "half" => Element::Float16,
        "byte" => Element::Uint8,
        "char" => Element::Int8,
        ty => *Element::ALL.iter().find(|element| element.name() == ty).expect("a type"),
    }
}

fn is_float(ty: &str) -> bool {
    matches!(ty, "float" | "double" | "half")
}

fn is_unsigned(ty: &str) -> bool {
    ty.starts_with('u') || ty == "byte"
}

/// `a + -1` as one writes it.
fn plus(text: &str, c: i64) -> String {
    match c {
        0 => text.to_owned(),
        1.. => format!("{text} + {c}"),
        _ => format!("{text} - {}", -c),
    }
}

impl Def {
    fn text(&self) -> String {
        let results = if self.results.is_empty() { String::new() } else { format!(" -> ({})", self.results.join(", ")) };
        let mut text = format!("def {}({}){results} {{\n", self.name, self.parameters.join(", "));
        for statement in &self.statements {
            let _ = writeln!(text, "    {statement}");
        }
        text + "}\n"
    }
}

impl Program {
    /// All definitions.
    pub fn definitions(&self) -> String {
        self.called.iter().chain([&self.def]).map(Def::text).collect()
    }

    /// The definitions and the schedules, each of which has a line of its own.
    pub fn text(&self) -> String {
        let mut text = self.definitions();
        for (k, directives) in self.schedules.iter().enumerate() {
            let _ = writeln!(text, "schedule {NAME}.s{k} {{ {} }}", directives.join(" "));
        }
        text
    }

    /// The definition with one schedule.
    pub fn with_schedule(&self, directives: Vec<String>) -> Program {
        Program { schedules: vec![directives], ..self.clone() }
    }

    /// Is a tensor a result, so that a window of it is asked for?
    pub fn is_result(&self, name: &str) -> bool {
        let is_it = |words: &String| words.split(' ').next_back() == Some(name);
        self.def.results.iter().any(is_it) || self.def.parameters.iter().any(|p| p.starts_with("inout ") && is_it(p))
    }

    /// Is the definition accepted, with its schedules?
    pub fn is_accepted(&self) -> bool {
        agree::why_refused(&self.text()).is_none()
    }

    /// The arguments.
    pub fn given(&self) -> Vec<Given> {
        let random = &mut Random::new(self.seed ^ 0x5eed);
        let given = self.arguments.iter().map(|argument| {
            let extent = |size: &Size| match size {
                Size::Named(n) => self.sizes[*n],
                Size::Constant(n) => *n,
            };
            let window: Vec<(i64, i64)> = argument.sizes.iter().map(|size| (0, extent(size))).collect();
            let element = argument.element;
            let mut value = || match () {
                () if element.is_float() => Number::float(element, random.between(-8, 8) as f64 / 4.0, 0.0),
                () if argument.is_small => Number::int(element, random.between(0, 3).into()),
                () if random.one_in(3) => Number::int(element, random.bits().into()),
                () => Number::int(element, random.between(-9, 9).into()),
            };
            let values = super::brute::points(&window).iter().map(|_| value()).collect();
            Given { element, window, values }
        });
        given.collect()
    }

    /// Smaller programs.
    pub fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        let mut with = |change: &dyn Fn(&mut Program)| {
            let mut less = self.clone();
            change(&mut less);
            all.push(less);
        };
        for k in 0..self.schedules.len() {
            with(&|p| drop(p.schedules.remove(k)));
            for d in 0..self.schedules[k].len() {
                with(&|p| drop(p.schedules[k].remove(d)));
            }
        }
        for k in 0..self.called.len() {
            with(&|p| drop(p.called.remove(k)));
        }
        for k in 0..self.def.statements.len() {
            with(&|p| drop(p.def.statements.remove(k)));
            with(&|p| {
                p.def.statements.remove(k);
                p.def.results.pop();
            });
            let parts: Vec<&str> = self.def.statements[k].split(" + ").collect();
            for part in 1..parts.len() {
                let text = [&parts[..part], &parts[part + 1..]].concat().join(" + ");
                with(&|p| p.def.statements[k].clone_from(&text));
            }
        }
        if self.def.results.len() > 1 {
            with(&|p| drop(p.def.results.pop()));
            with(&|p| drop(p.def.results.remove(0)));
        }
        for k in 0..self.def.parameters.len() {
            with(&|p| {
                p.def.parameters.remove(k);
                p.arguments.remove(k);
            });
        }
        for k in 0..self.sizes.len() {
            if self.sizes[k] > 0 {
                with(&|p| p.sizes[k] -= 1);
            }
        }
        all
    }
}

struct Generator {
    random: Random,
    tensors: Vec<Tensor>,
    /// The size variables of the definition, and the numbers that are passed.
    sizes: Vec<String>,
    numbers: Vec<String>,
    called: Vec<Def>,
}

/// The program of a seed, without schedules.
fn drawn(seed: u64, attempt: u64) -> Program {
    let mut g = Generator {
        random: Random::new(seed.wrapping_mul(1009) + attempt),
        tensors: Vec::new(),
        sizes: Vec::new(),
        numbers: Vec::new(),
        called: Vec::new(),
    };
    let sizes: Vec<i64> = (0..3).map(|_| if g.random.one_in(14) { 0 } else { g.random.between(1, 7) }).collect();
    let mut def = Def { name: NAME.into(), ..Def::default() };
    let mut arguments = Vec::new();
    let count = 2 + g.random.below(2);
    for k in 0..count {
        let ty = g.random.pick(&TYPES);
        let is_inout = ty != "half" && g.random.one_in(8);
        let rank = 1 + g.random.below(2) + usize::from(g.random.one_in(8));
        g.parameter(&mut def, &mut arguments, &format!("p{k}"), ty, rank, is_inout);
    }
    if g.random.one_in(3) {
        let rank = 1 + g.random.below(2);
        let ty = g.random.pick(&["int", "int", "uint8", "int16"]);
        g.parameter(&mut def, &mut arguments, "w", ty, rank, false);
    }
    if g.random.one_in(4) {
        let ty = g.random.pick(&["int", "float", "int8", "double", "int64"]);
        def.parameters.push(format!("{ty} s"));
        g.numbers.push("s".into());
        arguments.push(Argument { element: element(ty), sizes: Vec::new(), is_small: false });
    }
    let statements = 1 + g.random.below(4);
    for k in 0..statements {
        match g.random.below(6) {
            0 => g.call(&mut def, &format!("t{k}"), k),
            1 => g.product(&mut def, &format!("t{k}")),
            _ => g.statement(&mut def, &format!("t{k}")),
        }
    }
    g.results(&mut def);
    Program { called: g.called, def, arguments, sizes, schedules: Vec::new(), seed }
}

/// The definition of a seed.
pub fn program_without_schedules(seed: u64) -> Option<Program> {
    (0..8).map(|attempt| drawn(seed, attempt)).find(Program::is_accepted)
}

/// The program of a seed: what is drawn until one is accepted. Why others are not is counted.
pub fn program(seed: u64, reasons: &mut BTreeMap<String, u64>) -> Option<Program> {
    let mut accepted = (0..8).map(|attempt| drawn(seed, attempt)).filter(|program| match agree::why_refused(&program.text()) {
        None => true,
        Some((code, message)) => {
            let words: Vec<&str> = message.split('`').step_by(2).collect();
            *reasons.entry(format!("{code}: {}", words.join("…"))).or_default() += 1;
            false
        }
    });
    let mut made = accepted.next()?;
    drop(accepted);
    let random = &mut Random::new(seed ^ 0xD1CE);
    for _ in 0..3 {
        let directives = schedule(&made, random);
        made.schedules.push(directives);
    }
    Some(made)
}

impl Generator {
    fn small(&mut self) -> i64 {
        self.random.between(-2, 3)
    }

    fn parameter(
        &mut self,
        def: &mut Def,
        arguments: &mut Vec<Argument>,
        name: &str,
        ty: &'static str,
        rank: usize,
        is_inout: bool,
    ) {
        let mut sizes = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..rank {
            if self.random.one_in(6) {
                let n = self.random.between(2, 4);
                sizes.push(Size::Constant(n));
                texts.push(n.to_string());
            } else {
                let n = self.random.below(3);
                sizes.push(Size::Named(n));
                texts.push(format!("N{n}"));
                if !self.sizes.contains(&format!("N{n}")) {
                    self.sizes.push(format!("N{n}"));
                }
            }
        }
        let spelled = match ty {
            "uint8" if self.random.one_in(2) => "byte",
            "int8" if self.random.one_in(2) => "char",
            ty => ty,
        };
        let inout = if is_inout { "inout " } else { "" };
        def.parameters.push(format!("{inout}{spelled}({}) {name}", texts.join(", ")));
        arguments.push(Argument { element: element(ty), sizes, is_small: name == "w" });
        self.tensors.push(Tensor { name: name.into(), ty, rank, is_passed: true, is_exact: true, is_own: is_inout });
    }

    /// Results: the last tensor always, others at times.
    fn results(&mut self, def: &mut Def) {
        let own: Vec<Tensor> = self.tensors.iter().filter(|tensor| tensor.name.starts_with('t')).cloned().collect();
        let last = def.rules.last().map(|rule| rule.tensor.clone()).unwrap_or_default();
        for tensor in own {
            if tensor.name != last && !self.random.one_in(3) {
                continue;
            }
            let sizes = vec!["N0"; tensor.rank].join(", ");
            // The sizes of a result are words.
            let is_typed = self.random.one_in(4) && self.sizes.contains(&"N0".to_owned()) && tensor.rank > 0;
            def.results.push(if is_typed { format!("{}({sizes}) {}", tensor.ty, tensor.name) } else { tensor.name });
        }
    }

    /// An index that gives its variable a range by itself.
    fn index(&mut self, v: &str) -> String {
        let c = self.small();
        match self.random.below(16) {
            0 => plus(v, c),
            1 => plus(&format!("2 * {v}"), c),
            2 => format!("{} - {v}", c + 4),
            3 => format!("{v} / 2"),
            4 => plus(&format!("3 * {v}"), c),
            5 if !self.sizes.is_empty() => format!("{} - 1 - {v}", self.size()),
            _ => v.to_owned(),
        }
    }

    fn size(&mut self) -> String {
        let k = self.random.below(self.sizes.len());
        self.sizes[k].clone()
    }

    fn literal(&mut self, ty: &str) -> String {
        match is_float(ty) {
            true => format!("({ty}) ({})", self.random.pick(&["0.5", "2.0", "1.25", "-0.75", "3.0"])),
            false if is_unsigned(ty) => format!("({ty}) ({})", self.random.below(12)),
            false => format!("({ty}) ({})", self.random.between(-9, 9)),
        }
    }

    /// A value of one type in another one.
    fn cast(&mut self, from: &Tensor, to: &str, text: &str) -> String {
        match (is_float(from.ty), is_float(to)) {
            (false, true) => format!("({to}) ({text} % ({}) (7))", from.ty),
            (true, false) if !from.is_exact => self.literal(to),
            _ if from.ty == to => text.to_owned(),
            _ => format!("({to}) ({text})"),
        }
    }

    /// Something that bounds no index: `known` are those of the statement.
    fn leaf(&mut self, ty: &'static str, known: &[String]) -> String {
        let passed: Vec<Tensor> = self.tensors.iter().filter(|t| t.is_passed && t.name != "w").cloned().collect();
        if passed.is_empty() {
            return self.literal(ty);
        }
        let tensor = passed[self.random.below(passed.len())].clone();
        let number = |text: String| format!("({ty}) ({text})");
        match self.random.below(12) {
            0 if !known.is_empty() => number(known[self.random.below(known.len())].clone()),
            1 if !self.sizes.is_empty() => number(self.size()),
            2 => number(format!("{}.{}", tensor.name, self.random.below(tensor.rank))),
            3 if !self.numbers.is_empty() && ty != "half" => number("s".to_owned()),
            4..=6 if !known.is_empty() && tensor.rank > 0 => self.guarded(&tensor, ty, known),
            7 | 8 if !known.is_empty() => {
                let at: Vec<String> = (0..tensor.rank)
                    .map(|d| {
                        let v = known[self.random.below(known.len())].clone();
                        let c = self.small();
                        let index = if self.random.one_in(4) { plus(&format!("2 * {v}"), c) } else { plus(&v, c) };
                        format!("clamp({index}, 0, {}.{d} - 1)", tensor.name)
                    })
                    .collect();
                let read = format!("{}({})", tensor.name, at.join(", "));
                self.cast(&tensor, ty, &read)
            }
            _ => self.literal(ty),
        }
    }

    /// A read under a condition that keeps it inside.
    fn guarded(&mut self, tensor: &Tensor, ty: &'static str, known: &[String]) -> String {
        let (mut conditions, mut at) = (Vec::new(), Vec::new());
        for d in 0..tensor.rank {
            let v = known[self.random.below(known.len())].clone();
            let c = self.small();
            let index = match self.random.below(5) {
                0 if known.len() > 1 => plus(&format!("{} + {}", known[0], known[1]), c),
                1 => plus(&format!("2 * {v}"), c),
                _ => plus(&v, c),
            };
            let text = format!("{index} >= 0 && {index} < {}.{d}", tensor.name);
            conditions.push(text);
            at.push(index);
        }
        let read = format!("{}({})", tensor.name, at.join(", "));
        let (read, other) = (self.cast(tensor, ty, &read), self.literal(ty));
        format!("({} ? {read} : {other})", conditions.join(" && "))
    }

    /// Operations on values of a type.
    fn combined(&mut self, ty: &'static str, terms: &[String], known: &[String]) -> String {
        let mut text = terms[0].clone();
        for term in &terms[1..] {
            text = match self.random.below(10) {
                0..=3 => format!("{text} + {term}"),
                4 | 5 => format!("({text}) * {term}"),
                6 => format!("({text}) - {term}"),
                7 => format!("{}({text}, {term})", self.random.pick(&["min", "max"])),
                8 if !is_float(ty) => format!("({text}) {} {term}", self.random.pick(&["/", "%", "&", "|", "^"])),
                8 => format!("{}({text}, {term})", self.random.pick(&["fmin", "fmax"])),
                _ if known.is_empty() => format!("{text} + {term}"),
                _ => format!("{text} + {term}"),
            };
        }
        match self.random.below(12) {
            0 if is_float(ty) => format!("tanh({text})"),
            1 if is_float(ty) => format!("fabs({text})"),
            2 if is_float(ty) => format!("({text}) / ({ty}) (2.5)"),
            3 if !is_unsigned(ty) && ty != "half" => format!("-({text})"),
            4 if matches!(ty, "int" | "int64") => format!("abs({text})"),
            _ => text,
        }
    }

    /// A statement that defines a tensor, or one that is there again.
    fn statement(&mut self, def: &mut Def, name: &str) {
        let own: Vec<Tensor> = self.tensors.iter().filter(|tensor| tensor.is_own && tensor.ty != "half").cloned().collect();
        if !own.is_empty() && self.random.one_in(3) {
            let tensor = own[self.random.below(own.len())].clone();
            return self.again(def, &tensor);
        }
        let before = self.tensors.iter().filter(|tensor| !tensor.is_passed && tensor.rank > 0 && tensor.ty != "half");
        let before: Vec<Tensor> = before.cloned().collect();
        if !before.is_empty() && self.random.percent(40) {
            let tensor = before[self.random.below(before.len())].clone();
            return self.beside(def, name, &tensor);
        }
        let ty = self.random.pick(&TYPES);
        let rank = if self.random.one_in(12) { 0 } else { 1 + self.random.below(2) };
        let is_reduced = ty != "half" && (rank == 0 || self.random.percent(60));
        let reduced = if is_reduced { 1 + self.random.below(2) } else { 0 };
        let names = ["i", "j", "k", "l"];
        let all: Vec<String> = names[..rank + reduced].iter().map(|&name| name.to_owned()).collect();
        let (mut terms, clauses, known) = self.anchors(ty, &all);
        for _ in 0..self.random.below(3) {
            terms.push(self.leaf(ty, &known));
        }
        if terms.is_empty() {
            terms.push(self.literal(ty));
        }
        let mut value = self.value_of(ty, &terms, &known);
        if ty == "half" {
            value = format!("(half) ({value})");
        }
        let op = match is_reduced {
            true => self.random.pick(&["+=!", "+=!", "+=!", "*=!", "min=!", "max=!"]),
            false if ty != "half" && self.random.one_in(8) => self.random.pick(&["+=!", "max=!"]),
            false => "=",
        };
        let left = if rank == 0 { name.to_owned() } else { format!("{name}({})", all[..rank].join(", ")) };
        let text = format!("{left} {op} {value}{}", behind(&clauses));
        def.statements.push(text.clone());
        def.rules.push(Rule { tensor: name.into(), left: all[..rank].to_vec(), reduced: all[rank..].to_vec(), text });
        let is_exact = !is_float(ty);
        self.tensors.push(Tensor { name: name.into(), ty, rank, is_passed: false, is_exact, is_own: true });
    }

    /// A statement that reads what is computed before at its own point and at others beside it, so that this may slide.
    fn beside(&mut self, def: &mut Def, name: &str, tensor: &Tensor) {
        let ty = self.random.pick(&["int", "float", "double", "uint8", "int64"]);
        let left: Vec<String> = ["i", "j", "l"][..tensor.rank].iter().map(|&name| name.to_owned()).collect();
        let (d, is_reduced) = (self.random.below(tensor.rank), self.random.one_in(3));
        let mut terms = Vec::new();
        for c in 0..if is_reduced { 1 } else { 2 + self.random.between(0, 1) } {
            let mut at = left.clone();
            at[d] = if is_reduced { plus(&format!("{} + k", left[d]), self.small()) } else { plus(&left[d], c - 1) };
            terms.push(self.cast(tensor, ty, &format!("{}({})", tensor.name, at.join(", "))));
        }
        terms.push(self.leaf(ty, &left));
        let (op, clauses) = match is_reduced {
            true => (self.random.pick(&["+=!", "max=!"]), vec![format!("k in 0:{}", self.random.between(1, 3))]),
            false => ("=", vec![format!("exists {}({})", tensor.name, left.join(", "))]),
        };
        let text = format!("{name}({}) {op} {}{}", left.join(", "), self.combined(ty, &terms, &left), behind(&clauses));
        def.statements.push(text.clone());
        let reduced = if is_reduced { vec!["k".to_owned()] } else { Vec::new() };
        def.rules.push(Rule { tensor: name.into(), left, reduced, text });
        let (rank, is_exact) = (tensor.rank, !is_float(ty));
        self.tensors.push(Tensor { name: name.into(), ty, rank, is_passed: false, is_exact, is_own: true });
    }

    /// What half computes it computes in float.
    fn value_of(&mut self, ty: &'static str, terms: &[String], known: &[String]) -> String {
        if ty == "half" {
            let as_float: Vec<String> = terms.iter().map(|term| format!("(float) ({term})")).collect();
            return self.combined("float", &as_float, known);
        }
        self.combined(ty, terms, known)
    }

    /// A product of matrices, and something that goes on with it.
    fn product(&mut self, def: &mut Def, name: &str) {
        let with = self.tensors.iter().filter(|tensor| tensor.rank == 2 && tensor.name != "w" && tensor.ty != "half");
        let with: Vec<Tensor> = with.cloned().collect();
        if with.is_empty() {
            return self.statement(def, name);
        }
        let factors = [0; 2].map(|_| with[self.random.below(with.len())].clone());
        let ty = if self.random.one_in(2) { factors[0].ty } else { self.random.pick(&["int", "float", "double"]) };
        let names = self.names(3);
        let mut terms = Vec::new();
        for (tensor, v) in factors.iter().zip(&names) {
            let at = if self.random.one_in(2) { [v, &names[2]] } else { [&names[2], v] };
            terms.push(self.cast(tensor, ty, &format!("{}({}, {})", tensor.name, at[0], at[1])));
        }
        let (left, reduced) = (names[..2].to_vec(), names[2..].to_vec());
        let text = format!("{name}({}) +=! {}", left.join(", "), terms.join(" * "));
        def.statements.push(text.clone());
        def.rules.push(Rule { tensor: name.into(), left, reduced, text });
        let tensor = Tensor { name: name.into(), ty, rank: 2, is_passed: false, is_exact: !is_float(ty), is_own: true };
        self.tensors.push(tensor.clone());
        if self.random.percent(70) {
            self.onward(def, &format!("{name}n"), &[tensor]);
        }
    }

    /// Names of indices, in any order.
    fn names(&mut self, count: usize) -> Vec<String> {
        let mut all = ["i", "j", "k", "l"].map(str::to_owned);
        for k in (1..all.len()).rev() {
            let other = self.random.below(k + 1);
            all.swap(k, other);
        }
        all[..count].to_vec()
    }

    /// A statement that goes on with the values of others of one shape, point by point, and with some of them under a condition.
    fn onward(&mut self, def: &mut Def, name: &str, of: &[Tensor]) {
        let rank = of[0].rank;
        let left = self.names(rank);
        let ty = if of[0].ty != "half" && self.random.percent(70) { of[0].ty } else { "float" };
        let at = if rank == 0 { String::new() } else { format!("({})", left.join(", ")) };
        let mut terms = Vec::new();
        for tensor in of {
            let read = self.cast(tensor, ty, &format!("{}{at}", tensor.name));
            let other = self.leaf(ty, &left);
            terms.push(match self.random.below(4) {
                0 if rank == 2 => {
                    format!("({} {} {} ? {read} : {other})", left[1], self.random.pick(&["<=", ">", "=="]), left[0])
                }
                0 | 1 if rank > 0 => format!("({} < {} ? {read} : {other})", left[self.random.below(rank)], self.small()),
                2 => format!("({other} > ({ty}) (0) ? {read} : {other})"),
                _ => read,
            });
        }
        if self.random.one_in(2) {
            terms.push(self.leaf(ty, &left));
        }
        let clauses = if rank == 0 { Vec::new() } else { vec![format!("exists {}{at}", of[0].name)] };
        let text = format!("{name}{at} = {}{}", self.combined(ty, &terms, &left), behind(&clauses));
        def.statements.push(text.clone());
        def.rules.push(Rule { tensor: name.into(), left, reduced: Vec::new(), text });
        self.tensors.push(Tensor { name: name.into(), ty, rank, is_passed: false, is_exact: !is_float(ty), is_own: true });
    }

    /// A statement of a tensor that is there: at its points.
    fn again(&mut self, def: &mut Def, tensor: &Tensor) {
        let names = ["i", "j", "k", "l"];
        let is_reduced = self.random.one_in(2);
        let all: Vec<String> = names[..tensor.rank + usize::from(is_reduced)].iter().map(|&name| name.to_owned()).collect();
        let left = all[..tensor.rank].to_vec();
        let own = if tensor.rank == 0 { tensor.name.clone() } else { format!("{}({})", tensor.name, left.join(", ")) };
        let (mut terms, mut clauses, known) = self.anchors(tensor.ty, &all[tensor.rank..]);
        let known: Vec<String> = left.iter().cloned().chain(known).collect();
        terms.push(self.leaf(tensor.ty, &known));
        let mut op = "=";
        if is_reduced || self.random.one_in(2) {
            op = self.random.pick(&["+=", "+=", "*=", "min=", "max=", "+=!"]);
            if tensor.rank > 0 {
                clauses.push(format!("exists {own}"));
            }
        } else {
            terms.insert(0, own.clone());
        }
        let value = self.value_of(tensor.ty, &terms, &known);
        let text = format!("{own} {op} {value}{}", behind(&clauses));
        def.statements.push(text.clone());
        def.rules.push(Rule { tensor: tensor.name.clone(), left, reduced: all[tensor.rank..].to_vec(), text });
    }

    /// Reads and clauses that give these indices ranges.
    fn anchors(&mut self, ty: &'static str, all: &[String]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let mut open = all.to_vec();
        for k in (1..open.len()).rev() {
            let other = self.random.below(k + 1);
            open.swap(k, other);
        }
        let (mut terms, mut clauses, mut known) = (Vec::new(), Vec::new(), Vec::<String>::new());
        while let Some(next) = open.pop() {
            if self.random.one_in(7) {
                let low = self.random.between(-1, 2);
                let high = match self.random.below(3) {
                    0 if !self.sizes.is_empty() => self.size(),
                    1 if !self.sizes.is_empty() => format!("{} - 1", self.size()),
                    _ => (low + self.random.between(1, 4)).to_string(),
                };
                clauses.push(format!("{next} in {low}:{high}"));
                known.push(next);
                continue;
            }
            // What is computed before is read often, so that it is needed.
            let is_own = self.random.one_in(2) && self.tensors.iter().any(|tensor| tensor.rank > 0 && !tensor.is_passed);
            let with = self.tensors.iter().filter(|tensor| tensor.rank > 0 && !(is_own && tensor.is_passed));
            let with: Vec<Tensor> = with.cloned().collect();
            let tensor = with[self.random.below(with.len())].clone();
            let place = self.random.below(tensor.rank);
            let mut at = Vec::new();
            let mut own = vec![next.clone()];
            for d in 0..tensor.rank {
                if d == place {
                    let index = match known.is_empty() || !self.random.one_in(3) {
                        true => self.index(&next),
                        false => {
                            let other = known[self.random.below(known.len())].clone();
                            let (a, c) = (self.random.pick(&["", "", "2 * "]), self.random.pick(&[0, 0, -1, 1]));
                            plus(&format!("{a}{next} {} {other}", self.random.pick(&["+", "+", "-"])), c)
                        }
                    };
                    at.push(index);
                } else if let Some(more) = open.pop() {
                    at.push(self.index(&more));
                    own.push(more);
                } else if !known.is_empty() && self.random.one_in(2) {
                    at.push(known[self.random.below(known.len())].clone());
                } else if tensor.is_passed {
                    at.push(format!("clamp({}, 0, {}.{d} - 1)", self.random.below(3), tensor.name));
                } else {
                    at.push(own[0].clone());
                }
            }
            let mut read = format!("{}({})", tensor.name, at.join(", "));
            if self.random.one_in(6) {
                clauses.push(format!("exists {read}"));
                known.extend(own);
                continue;
            }
            // What a tensor of indices has is an index of another one.
            let looked: Vec<Tensor> = self.tensors.iter().filter(|t| t.is_passed && t.name != "w").cloned().collect();
            if tensor.name == "w" && !looked.is_empty() {
                let of = looked[self.random.below(looked.len())].clone();
                let (mut places, mut is_lookup) = (Vec::new(), true);
                for d in 0..of.rank {
                    places.push(match is_lookup {
                        true => match self.random.below(3) {
                            0 => format!("clamp((int) {read}, 0, {}.{d} - 1)", of.name),
                            _ => format!("(int) {read}"),
                        },
                        false => own[0].clone(),
                    });
                    is_lookup = false;
                }
                read = format!("{}({})", of.name, places.join(", "));
                if self.random.one_in(5) {
                    read = format!("unchecked({read})");
                }
                terms.push(self.cast(&of, ty, &read));
            } else {
                terms.push(self.cast(&tensor, ty, &read));
                // What is there beside it, too, so that a func may slide.
                if self.random.percent(if tensor.is_passed { 8 } else { 70 }) {
                    at[place] = plus(&at[place], self.random.pick(&[-1, 1, 1, 2]));
                    let beside = format!("{}({})", tensor.name, at.join(", "));
                    terms.push(self.cast(&tensor, ty, &beside));
                }
            }
            known.extend(own);
        }
        (terms, clauses, known)
    }

    /// A call of a definition that is made for what is passed.
    fn call(&mut self, def: &mut Def, name: &str, number: usize) {
        let count = 1 + self.random.below(2);
        let with: Vec<Tensor> = self.tensors.iter().filter(|tensor| tensor.rank > 0 && tensor.name != "w").cloned().collect();
        let passed: Vec<Tensor> = (0..count).map(|_| with[self.random.below(with.len())].clone()).collect();
        let mut inner = Def { name: format!("g{number}"), ..Def::default() };
        let mut g = Generator {
            random: Random::new(self.random.bits()),
            tensors: Vec::new(),
            sizes: Vec::new(),
            numbers: Vec::new(),
            called: Vec::new(),
        };
        for (k, tensor) in passed.iter().enumerate() {
            let mut sizes = Vec::new();
            for d in 0..tensor.rank {
                let size = if g.random.one_in(6) { "N0".to_owned() } else { format!("N{}", 2 * k + d) };
                if !g.sizes.contains(&size) {
                    g.sizes.push(size.clone());
                }
                sizes.push(size);
            }
            let own = format!("p{k}");
            inner.parameters.push(format!("{}({}) {own}", tensor.ty, sizes.join(", ")));
            // Where it begins is not known there.
            g.tensors.push(Tensor { name: own, is_own: false, ..tensor.clone() });
        }
        let statements = 1 + g.random.below(2);
        for k in 0..statements {
            if g.random.one_in(3) {
                g.product(&mut inner, &format!("t{k}"));
            } else {
                g.statement(&mut inner, &format!("t{k}"));
            }
        }
        g.results(&mut inner);
        inner.results = inner.results.iter().map(|result| result.split(' ').next_back().expect("a name").to_owned()).collect();
        let arguments: Vec<&str> = passed.iter().map(|tensor| &*tensor.name).collect();
        // Called twice, it is there twice, and both are read.
        let is_twice = self.random.one_in(3);
        let mut first = Vec::new();
        for call in 0..1 + usize::from(is_twice) {
            let mut names = Vec::new();
            for (k, result) in inner.results.iter().enumerate() {
                let tensor = g.tensors.iter().find(|tensor| tensor.name == *result).expect("a tensor").clone();
                let own = format!("{name}{}{}", ["", "b"][call], if k == 0 { String::new() } else { k.to_string() });
                let tensor = Tensor { name: own.clone(), is_passed: false, is_own: true, ..tensor };
                first.extend(Some(tensor.clone()).filter(|_| k == 0));
                self.tensors.push(tensor);
                let (left, reduced) = (vec!["i".into(), "j".into()], vec!["k".into()]);
                def.rules.push(Rule { tensor: own.clone(), left, reduced, text: arguments.join(", ") });
                names.push(own);
            }
            def.statements.push(format!("{} = {}({})", names.join(", "), inner.name, arguments.join(", ")));
        }
        if is_twice {
            self.onward(def, &format!("{name}c"), &first);
        }
        self.called.push(inner);
    }
}

fn behind(clauses: &[String]) -> String {
    if clauses.is_empty() { String::new() } else { format!(" where {}", clauses.join(", ")) }
}
