//! Random programs of templates with values, `static if`, `static for` and functions of constants, against what they stand for: the same
//! program written out by hand, with a function for each instance and a number for each constant. Both print the same.
//!
//! Mistakes that are planted in the checker have to be found by this.

use ivl_random::Random;
use ivlc::check::{StaticMistake, plant_static};
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::typed::interpret::{Limits, interpret};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many programs are compared.
const PROGRAMS: u64 = 300;

/// How many templates a program has.
const TEMPLATES: usize = 4;

/// The greatest argument of a template.
const GREATEST: i64 = 5;

/// What is known while compiling.
enum Known {
    Number(i64),
    /// A parameter of the template, or the index of a `static for`.
    Name(String),
    Add(Box<Known>, Box<Known>),
    Multiply(Box<Known>, Box<Known>),
    /// `square(e)`, a function that runs while compiling.
    Square(Box<Known>),
    /// An element of `table`.
    Element(Box<Known>),
}

type Values = BTreeMap<String, i64>;

impl Known {
    fn value(&self, values: &Values) -> i64 {
        match self {
            Known::Number(n) => *n,
            Known::Name(name) => values[name],
            Known::Add(a, b) => a.value(values) + b.value(values),
            Known::Multiply(a, b) => (a.value(values) * b.value(values)) % 97,
            Known::Square(a) => square(a.value(values)),
            Known::Element(a) => square(a.value(values).rem_euclid(8)) - 3,
        }
    }

    fn text(&self) -> String {
        match self {
            Known::Number(n) if *n < 0 => format!("({n})"),
            Known::Number(n) => n.to_string(),
            Known::Name(name) => name.clone(),
            Known::Add(a, b) => format!("({} + {})", a.text(), b.text()),
            Known::Multiply(a, b) => format!("(({} * {}) % 97)", a.text(), b.text()),
            Known::Square(a) => format!("square({})", a.text()),
            Known::Element(a) => format!("table_of_squares[(({}) % 8 + 8) % 8]", a.text()),
        }
    }
}

/// As the function of the programs does.
fn square(n: i64) -> i64 {
    (0..n.rem_euclid(11)).map(|i| 2 * i + 1).sum::<i64>() % 50
}

enum Value {
    Variable(String),
    Known(Known),
    Binary(&'static str, Box<Value>, Box<Value>),
    /// A call of a template that stands in front of this one, or of the same one with a smaller number.
    Call(usize, Known, Box<Value>),
}

enum Statement {
    Assign(String, &'static str, Value),
    Local(String, Value),
    If(Value, Vec<Statement>),
    For(String, i64, Vec<Statement>),
    StaticIf(Known, i64, Vec<Statement>, Vec<Statement>),
    StaticFor(String, Known, Known, Vec<Statement>),
}

/// Draws programs.
struct Drawn {
    random: Random,
    names: usize,
    /// Variables that may be read and assigned.
    variables: Vec<String>,
    /// Names that are known while compiling.
    known: Vec<String>,
    /// The template whose body is drawn.
    template: usize,
    /// How many statements may still come.
    left: usize,
}

impl Drawn {
    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn known(&mut self, depth: usize) -> Known {
        match self.random.below(if depth == 0 { 3 } else { 7 }) {
            0 => Known::Number(self.random.between(-3, 6)),
            1 | 2 => {
                let at = self.random.below(self.known.len());
                Known::Name(self.known[at].clone())
            }
            3 | 4 => Known::Add(Box::new(self.known(depth - 1)), Box::new(self.known(depth - 1))),
            5 => Known::Multiply(Box::new(self.known(depth - 1)), Box::new(self.known(depth - 1))),
            _ if self.random.one_in(2) => Known::Square(Box::new(self.known(depth - 1))),
            _ => Known::Element(Box::new(self.known(depth - 1))),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 3 } else { 6 }) {
            0 | 1 => {
                let at = self.random.below(self.variables.len());
                Value::Variable(self.variables[at].clone())
            }
            2 => Value::Known(self.known(2)),
            5 if self.template > 0 => {
                let callee = self.random.below(self.template);
                Value::Call(callee, self.known(2), Box::new(self.value(depth - 1)))
            }
            _ => {
                let operator = self.random.pick(&["+", "-", "*", "^", "&"]);
                Value::Binary(operator, Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1)))
            }
        }
    }

    fn statements(&mut self, depth: usize) -> Vec<Statement> {
        let (variables, known) = (self.variables.len(), self.known.len());
        let count = self.random.between(1, 3);
        let mut made = Vec::new();
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            made.push(self.statement(depth));
        }
        self.variables.truncate(variables);
        self.known.truncate(known);
        made
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.random.below(if depth == 0 { 4 } else { 10 }) {
            0..=2 => {
                let at = self.random.below(self.variables.len());
                let operator = self.random.pick(&["=", "+=", "^=", "-="]);
                Statement::Assign(self.variables[at].clone(), operator, self.value(2))
            }
            3 => {
                let (name, value) = (self.name('v'), self.value(2));
                self.variables.push(name.clone());
                Statement::Local(name, value)
            }
            4 => Statement::If(self.value(1), self.statements(depth - 1)),
            5 => Statement::For(self.name('k'), self.random.between(0, 3), self.statements(depth - 1)),
            6 | 7 => {
                let (known, bound) = (self.known(2), self.random.between(-2, 8));
                let then = self.statements(depth - 1);
                Statement::StaticIf(known, bound, then, self.statements(depth - 1))
            }
            _ => {
                let (name, low) = (self.name('i'), self.known(1));
                let high = Known::Add(Box::new(Known::Number(self.random.between(0, 3))), Box::new(self.known(1)));
                self.known.push(name.clone());
                let body = self.statements(depth - 1);
                self.known.retain(|known| *known != name);
                Statement::StaticFor(name, low, high, body)
            }
        }
    }
}

/// A program as text: with templates, and written out.
struct Texts {
    staged: String,
    /// The bodies of the instances that are called, by template and argument.
    instances: BTreeMap<(usize, i64), Option<String>>,
    calls: String,
}

/// The argument of an instance: what a template is given is brought into a small range.
fn argument(n: i64) -> i64 {
    n.rem_euclid(GREATEST + 1)
}

fn staged_value(value: &Value) -> String {
    match value {
        Value::Variable(name) => name.clone(),
        Value::Known(known) => known.text(),
        Value::Binary(operator, a, b) => format!("({} {operator} {})", staged_value(a), staged_value(b)),
        Value::Call(callee, known, value) => {
            format!("t{callee}<range({})>({})", known.text(), staged_value(value))
        }
    }
}

fn staged(statements: &[Statement], out: &mut String) {
    for statement in statements {
        match statement {
            Statement::Assign(name, operator, value) => _ = write!(out, "{name} {operator} {}; ", staged_value(value)),
            Statement::Local(name, value) => _ = write!(out, "int {name} = {}; ", staged_value(value)),
            Statement::If(value, then) => {
                _ = write!(out, "if ({} > 2) {{ ", staged_value(value));
                staged(then, out);
                out.push_str("} ");
            }
            Statement::For(name, count, body) => {
                _ = write!(out, "for (int {name} = 0; {name} < {count}; ++{name}) {{ ");
                staged(body, out);
                out.push_str("} ");
            }
            Statement::StaticIf(known, bound, then, otherwise) => {
                _ = write!(out, "static if ({} > {bound}) {{ ", known.text());
                staged(then, out);
                out.push_str("} else { ");
                staged(otherwise, out);
                out.push_str("} ");
            }
            Statement::StaticFor(name, low, high, body) => {
                // At most three rounds.
                let (low, high) = (low.text(), high.text());
                _ = write!(out, "static for (int {name} = {low} .. min({high}, {low} + 3)) {{ ");
                staged(body, out);
                out.push_str("} ");
            }
        }
    }
}

fn plain_value(value: &Value, values: &Values, wanted: &mut Vec<(usize, i64)>) -> String {
    match value {
        Value::Variable(name) => name.clone(),
        Value::Known(known) => format!("({})", known.value(values)),
        Value::Binary(operator, a, b) => {
            format!("({} {operator} {})", plain_value(a, values, wanted), plain_value(b, values, wanted))
        }
        Value::Call(callee, known, value) => {
            let n = argument(known.value(values));
            wanted.push((*callee, n));
            format!("t{callee}_{n}({})", plain_value(value, values, wanted))
        }
    }
}

fn plain(statements: &[Statement], values: &Values, wanted: &mut Vec<(usize, i64)>, out: &mut String) {
    for statement in statements {
        match statement {
            Statement::Assign(name, operator, value) => {
                _ = write!(out, "{name} {operator} {}; ", plain_value(value, values, wanted));
            }
            Statement::Local(name, value) => _ = write!(out, "int {name} = {}; ", plain_value(value, values, wanted)),
            Statement::If(value, then) => {
                _ = write!(out, "if ({} > 2) {{ ", plain_value(value, values, wanted));
                plain(then, values, wanted, out);
                out.push_str("} ");
            }
            Statement::For(name, count, body) => {
                _ = write!(out, "for (int {name} = 0; {name} < {count}; ++{name}) {{ ");
                plain(body, values, wanted, out);
                out.push_str("} ");
            }
            Statement::StaticIf(known, bound, then, otherwise) => {
                out.push_str("{ ");
                plain(if known.value(values) > *bound { then } else { otherwise }, values, wanted, out);
                out.push_str("} ");
            }
            Statement::StaticFor(name, low, high, body) => {
                let (low, high) = (low.value(values), high.value(values));
                for n in low..high.min(low + 3) {
                    let mut inner = values.clone();
                    inner.insert(name.clone(), n);
                    out.push_str("{ ");
                    plain(body, &inner, wanted, out);
                    out.push_str("} ");
                }
            }
        }
    }
}

/// Program number `seed`, with templates and written out.
fn program(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let mut bodies = Vec::new();
    for template in 0..TEMPLATES {
        let random = Random::new(random.bits());
        let (variables, known) = (vec!["x".to_owned(), "r".to_owned()], vec!["N".to_owned()]);
        bodies.push(Drawn { random, names: 0, variables, known, template, left: 14 }.statements(3));
    }
    let mut texts = Texts { staged: String::new(), instances: BTreeMap::new(), calls: String::new() };
    texts.staged.push_str(
        "int square(int n) { int s = 0; int m = (n % 11 + 11) % 11; for (int i = 0; i < m; ++i) s += 2 * i + 1; return s % 50; }\n\
         int range(int n) { return (n % 6 + 6) % 6; }\n\
         const int table_of_squares[8] = table(square(i) - 3 for i = 0 .. 8);\n",
    );
    for (k, body) in bodies.iter().enumerate() {
        _ = write!(texts.staged, "template <int N> int t{k}(int x) {{ int r = N; ");
        staged(body, &mut texts.staged);
        texts.staged.push_str("return r; }\n");
    }
    let (mut main, mut expanded_main) = (String::new(), String::new());
    for _ in 0..5 {
        let (k, n) = (random.below(TEMPLATES), random.between(0, GREATEST));
        let x = random.pick(&["3", "<1, 2, 3, 4>", "<-5, 7>", "<0, 0, 9, 100>"]);
        _ = writeln!(main, "    print(\"%\\n\", t{k}<{n}>({x}));");
        _ = writeln!(expanded_main, "    print(\"%\\n\", t{k}_{n}({x}));");
        texts.instances.insert((k, n), None);
    }
    // The instances that instances call, until there is no new one.
    while let Some(&(k, n)) = texts.instances.iter().find(|(_, body)| body.is_none()).map(|(key, _)| key) {
        let (mut text, mut wanted) = (format!("int t{k}_{n}(int x) {{ int r = {n}; "), Vec::new());
        plain(&bodies[k], &BTreeMap::from([("N".to_owned(), n)]), &mut wanted, &mut text);
        text.push_str("return r; }\n");
        texts.instances.insert((k, n), Some(text));
        wanted.into_iter().for_each(|key| _ = texts.instances.entry(key).or_insert(None));
    }
    texts.instances.values().flatten().for_each(|text| texts.calls.push_str(text));
    let staged = format!("{}int main() {{\n{main}    return 0;\n}}\n", texts.staged);
    let expanded = format!("{}int main() {{\n{expanded_main}    return 0;\n}}\n", texts.calls);
    (staged, expanded)
}

/// What a program prints, or what is said of it.
fn printed(text: &str) -> Result<String, String> {
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, text.to_owned());
    let Some(program) = session.check(&Options { width: Some(8), ..Options::new(Isa::COMMON) }) else {
        return Err(session.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "));
    };
    let mut output = String::new();
    let limits = Limits { steps: Some(2_000_000), ..Limits::default() };
    match interpret(&program, limits, &mut |text| output.push_str(text)) {
        Ok(_) => Ok(output),
        Err(fault) => Err(fault.message),
    }
}

/// The first of some programs that differs from what it stands for.
fn first_difference(programs: u64, mistake: Option<StaticMistake>) -> Option<String> {
    with_stack(|| {
        (0..programs).find_map(|seed| {
            let (staged, expanded) = program(seed);
            plant_static(mistake);
            let of_staged = printed(&staged);
            plant_static(None);
            let of_expanded = printed(&expanded);
            let is_long = |r: &Result<String, String>| matches!(r, Err(message) if message == "too many steps");
            let differs = of_staged != of_expanded && !is_long(&of_staged) && !is_long(&of_expanded);
            differs.then(|| format!("program {seed}\n{staged}\n{of_staged:?}\n\n{expanded}\n{of_expanded:?}"))
        })
    })
}

#[test]
fn programs_are_what_they_stand_for() {
    if let Some(difference) = first_difference(PROGRAMS, None) {
        panic!("{difference}");
    }
}

#[test]
fn programs_are_accepted() {
    let refused = with_stack(|| (0..PROGRAMS).filter(|&seed| printed(&program(seed).0).is_err()).count() as u64);
    assert!(refused * 4 < PROGRAMS, "{refused} of {PROGRAMS} programs print nothing");
}

#[test]
fn mistakes_are_found() {
    for mistake in StaticMistake::ALL {
        assert!(first_difference(PROGRAMS, Some(mistake)).is_some(), "{mistake:?} was not found");
    }
}
