//! Definitions by enumeration: what their statements say, point by point, and nothing of the compiler's but the tree.
//!
//! Numbers are `f64` beside the sum of the absolute values that they are made of, or integers that wrap in their types.

use ivlc::diagnostics::Diagnostics;
use ivlc::source::FileId;
use ivlc::syntax::ast::{BinaryOp, Clause, Def, Expr, ExprKind, ItemKind, Reduction, Size, TensorStatement, TypeKind, UnaryOp};
use ivlc::syntax::walk;
use ivlc::types::Element;
use std::collections::HashMap;

/// Indices are looked for from −FAR to FAR.
const FAR: i64 = 200;

/// A number and its type; a literal has the type of what it meets.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub element: Option<Element>,
    pub int: i64,
    pub float: f64,
    /// The sum of the absolute values that it is made of.
    pub weight: f64,
}

impl Number {
    pub fn int(element: Element, value: i64) -> Number {
        let (bits, half) = (element.bits(), 1i64 << (element.bits() - 1));
        let wrapped = match (element.is_signed(), bits) {
            (_, 64) => value,
            (true, _) => (value + half).rem_euclid(1 << bits) - half,
            (false, _) => value.rem_euclid(1 << bits),
        };
        Number { element: Some(element), int: wrapped, float: wrapped as f64, weight: (wrapped as f64).abs() }
    }

    pub fn float(element: Element, float: f64, weight: f64) -> Number {
        Number { element: Some(element), int: float as i64, float, weight }
    }

    fn is_float(self) -> bool {
        self.element.is_some_and(Element::is_float)
    }

    fn truth(value: bool) -> Number {
        Number { element: Some(Element::Bool), int: value.into(), float: 0.0, weight: 0.0 }
    }

    /// The same value in another type.
    pub fn to(self, element: Element) -> Number {
        match (self.is_float(), element.is_float()) {
            (_, true) => Number { element: Some(element), ..self },
            (true, false) => Number::int(element, self.float as i64),
            (false, false) => Number::int(element, self.int),
        }
    }
}

/// A tensor: for each dimension of the text begin and end, and the values, the last dimension innermost.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub element: Element,
    pub window: Vec<(i64, i64)>,
    pub values: Vec<Number>,
}

impl Tensor {
    fn place(&self, at: &[i64]) -> Option<usize> {
        assert_eq!(at.len(), self.window.len(), "an index for each dimension");
        let mut place = 0;
        for (&(begin, end), &c) in self.window.iter().zip(at) {
            if !(begin..end).contains(&c) {
                return None;
            }
            place = place * (end - begin) + (c - begin);
        }
        Some(place as usize)
    }
}

/// All points of a box, the last dimension innermost.
pub fn points(window: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &(begin, end) in window {
        let longer = |rest: &Vec<i64>| (begin..end).map(|c| [&rest[..], &[c]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The definitions of a text.
pub fn definitions(text: &str) -> Vec<Def> {
    let mut diagnostics = Diagnostics::default();
    let file = ivlc::syntax::parse(FileId(0), text, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}\n{text}");
    file.items.into_iter().filter_map(|item| if let ItemKind::Def(def) = item.kind { Some(def) } else { None }).collect()
}

/// Why there is nothing to compare.
#[derive(Clone, Debug, PartialEq)]
pub enum Nothing {
    /// These indices have no range.
    Open(Vec<String>),
    /// The range of an index is empty.
    Empty,
    /// A read leaves its tensor, or an index may be anything.
    Outside(String),
}

/// A definition in the middle of a run.
pub struct Run<'d> {
    defs: &'d [Def],
    pub numbers: HashMap<String, Number>,
    pub tensors: HashMap<String, Tensor>,
    /// The ranges of each statement, by the names of its indices.
    pub ranges: Vec<HashMap<String, (i64, i64)>>,
    /// May a range be empty?
    pub may_be_empty: bool,
    /// A mistake: ranges that are found end so much later.
    pub longer: i64,
}

type Indices = HashMap<String, i64>;

impl<'d> Run<'d> {
    /// With arguments in the order of the parameters.
    pub fn new(defs: &'d [Def], def: &Def, arguments: Vec<Tensor>) -> Run<'d> {
        let mut run =
            Run { defs, numbers: HashMap::new(), tensors: HashMap::new(), ranges: Vec::new(), may_be_empty: false, longer: 0 };
        for (parameter, argument) in def.parameters.iter().zip(arguments) {
            for (size, &(_, end)) in parameter.ty.sizes.iter().zip(&argument.window) {
                if let Size::Variable(name) = size {
                    run.numbers.insert(name.text.to_string(), Number::int(Element::Int32, end));
                }
            }
            let name = parameter.name.text.to_string();
            if argument.window.is_empty() {
                run.numbers.insert(name, argument.values[0]);
            } else {
                run.tensors.insert(name, argument);
            }
        }
        run
    }

    /// Runs all statements.
    pub fn run(&mut self, def: &Def) -> Result<(), Nothing> {
        def.statements.iter().try_for_each(|statement| {
            let annotated = def.results.iter().find(|result| result.name.text == statement.targets[0].name.text);
            let written = annotated.and_then(|result| match &result.ty.as_ref()?.element.kind {
                TypeKind::Element(element) => Some(*element),
                _ => None,
            });
            self.statement(statement, written)
        })
    }

    fn statement(&mut self, statement: &TensorStatement, written: Option<Element>) -> Result<(), Nothing> {
        if let ExprKind::Call { name, arguments, .. } = &statement.value.kind
            && !self.tensors.contains_key(&*name.text)
            && let Some(def) = self.defs.iter().find(|def| def.name.text == name.text)
        {
            let passed = arguments.iter().map(|e| self.passed(e)).collect::<Result<Vec<_>, _>>()?;
            let mut inner = Run::new(self.defs, def, passed);
            inner.may_be_empty = self.may_be_empty;
            inner.run(def)?;
            for (target, result) in statement.targets.iter().zip(&def.results) {
                self.tensors.insert(target.name.text.to_string(), inner.tensors[&*result.name.text].clone());
            }
            return Ok(());
        }
        let [target] = &statement.targets[..] else { panic!("one target") };
        let left: Vec<String> = target.indices.iter().flatten().map(|e| self.name_of(e)).collect();
        let mut all = left.clone();
        self.names_in(&statement.value, &mut all);
        for clause in &statement.clauses {
            if let Clause::Exists(e) = clause {
                self.names_in(e, &mut all);
            }
        }
        let ranges = self.ranges_of(statement, &all)?;
        self.ranges.push(ranges.clone());
        if !self.may_be_empty && ranges.values().any(|(begin, end)| end <= begin) {
            return Err(Nothing::Empty);
        }
        let window: Vec<(i64, i64)> = left.iter().map(|name| ranges[name]).collect();
        let reduced: Vec<&String> = all.iter().filter(|name| !left.contains(name)).collect();
        let domain: Vec<(i64, i64)> = reduced.iter().map(|name| ranges[*name]).collect();
        let old = self.tensors.get(&*target.name.text).cloned();
        let op = statement.op;
        let mut element = old.as_ref().map(|old| old.element).or(written);
        let mut values = Vec::new();
        for point in points(&window) {
            let mut indices: Indices = left.iter().cloned().zip(point.iter().copied()).collect();
            let before = || {
                let old = old.as_ref()?;
                Some(old.values[old.place(&point)?])
            };
            let mut value: Option<Number> = if op.reduction.is_some() && !op.is_initialized { before() } else { None };
            for instance in points(&domain) {
                indices.extend(reduced.iter().map(|name| (*name).clone()).zip(instance));
                let next = self.value(&statement.value, &indices)?;
                let ty = *element.get_or_insert(settled(next));
                let next = next.to(ty);
                value = Some(match (op.reduction, value) {
                    (Some(reduction), Some(value)) => reduced_by(reduction, value, next),
                    _ => next,
                });
            }
            values.push(value);
        }
        let element = element.unwrap_or(Element::Int32);
        let nothing = op.reduction.map(|reduction| identity(reduction, element));
        let values = values.into_iter().map(|value| value.or(nothing).expect("a value")).collect();
        self.tensors.insert(target.name.text.to_string(), Tensor { element, window, values });
        Ok(())
    }

    /// The ranges of a statement, which reads nothing.
    pub fn ranges(&self, statement: &TensorStatement) -> Result<HashMap<String, (i64, i64)>, Nothing> {
        let mut all: Vec<String> = statement.targets[0].indices.iter().flatten().map(|e| self.name_of(e)).collect();
        self.names_in(&statement.value, &mut all);
        self.ranges_of(statement, &all)
    }

    fn passed(&self, e: &Expr) -> Result<Tensor, Nothing> {
        if let ExprKind::Name(name) = &e.kind
            && let Some(tensor) = self.tensors.get(&*name.text)
        {
            return Ok(tensor.clone());
        }
        let value = self.value(e, &Indices::new())?;
        Ok(Tensor { element: settled(value), window: Vec::new(), values: vec![value] })
    }

    fn name_of(&self, e: &Expr) -> String {
        let ExprKind::Name(name) = &e.kind else { panic!("the name of an index") };
        name.text.to_string()
    }

    /// The indices in an expression, each once.
    fn names_in(&self, e: &Expr, found: &mut Vec<String>) {
        if let ExprKind::Name(name) = &e.kind {
            let text = name.text.to_string();
            if !self.numbers.contains_key(&text) && !self.tensors.contains_key(&text) && !found.contains(&text) {
                found.push(text);
            }
        }
        walk::parts(e, &mut |part| self.names_in(part, found));
    }

    /// The reads that bound indices: index, begin and end.
    fn accesses<'e>(&self, e: &'e Expr, found: &mut Vec<(&'e Expr, (i64, i64))>) {
        match &e.kind {
            ExprKind::Conditional(condition, ..) => return self.accesses(condition, found),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, ..) => return self.accesses(a, found),
            ExprKind::Call { name, arguments, .. } => {
                if let Some(tensor) = self.tensors.get(&*name.text) {
                    found.extend(arguments.iter().zip(&tensor.window).filter(|(e, _)| is_plain(e)).map(|(e, w)| (e, *w)));
                }
            }
            _ => {}
        }
        walk::parts(e, &mut |part| self.accesses(part, found));
    }

    /// Rounds of intervals, each the largest one that stays inside.
    fn ranges_of(&self, statement: &TensorStatement, all: &[String]) -> Result<HashMap<String, (i64, i64)>, Nothing> {
        let mut known: HashMap<String, (i64, i64)> = HashMap::new();
        let mut accesses = Vec::new();
        self.accesses(&statement.value, &mut accesses);
        for clause in &statement.clauses {
            match clause {
                Clause::Range { index, low, high } => {
                    let [low, high] = [low, high].map(|e| self.value(e, &Indices::new()));
                    known.insert(index.text.to_string(), (low?.int, high?.int));
                }
                Clause::Exists(e) => self.accesses(e, &mut accesses),
            }
        }
        loop {
            let mut round: HashMap<String, (i64, i64)> = HashMap::new();
            for (index, window) in &accesses {
                let mut names = Vec::new();
                self.names_in(index, &mut names);
                let open: Vec<&String> = names.iter().filter(|name| !known.contains_key(*name)).collect();
                let [open] = &open[..] else { continue };
                let found = self.inside(index, open, &known, *window);
                let entry = round.entry((*open).clone()).or_insert(found);
                *entry = (entry.0.max(found.0), entry.1.min(found.1));
            }
            if round.is_empty() {
                break;
            }
            known.extend(round.into_iter().map(|(name, (begin, end))| (name, (begin, end + self.longer))));
        }
        let open: Vec<String> = all.iter().filter(|name| !known.contains_key(*name)).cloned().collect();
        if open.is_empty() { Ok(known) } else { Err(Nothing::Open(open)) }
    }

    /// The values of an index for which an index expression stays inside, whatever the others are.
    fn inside(&self, e: &Expr, open: &str, known: &HashMap<String, (i64, i64)>, (low, high): (i64, i64)) -> (i64, i64) {
        let mut names = Vec::new();
        self.names_in(e, &mut names);
        names.retain(|name| name != open);
        let others: Vec<(i64, i64)> = names.iter().map(|name| known[name]).collect();
        let others = points(&others);
        let is_inside = |c: &i64| {
            others.iter().all(|point| {
                let mut indices: Indices = names.iter().cloned().zip(point.iter().copied()).collect();
                indices.insert(open.to_owned(), *c);
                self.value(e, &indices).is_ok_and(|v| (low..high).contains(&v.int))
            })
        };
        let all: Vec<i64> = (-FAR..=FAR).filter(is_inside).collect();
        match (all.first(), all.last()) {
            (Some(&first), Some(&last)) => {
                assert_eq!(all.len() as i64, last - first + 1, "an interval");
                (first, last + 1)
            }
            _ => (0, 0),
        }
    }

    /// The value of an expression at a point.
    pub fn value(&self, e: &Expr, indices: &Indices) -> Result<Number, Nothing> {
        let value = |e: &Expr| self.value(e, indices);
        Ok(match &e.kind {
            ExprKind::Integer { value, suffix } => Number { element: *suffix, ..Number::int(Element::Int64, *value as i64) },
            ExprKind::Float { text, suffix } => {
                let float: f64 = text.parse().expect("a number");
                Number { element: Some(suffix.unwrap_or(Element::Float)), int: 0, float, weight: float.abs() }
            }
            ExprKind::Parenthesized(e) => value(e)?,
            ExprKind::Name(name) => match (self.numbers.get(&*name.text), indices.get(&*name.text)) {
                (Some(number), _) => *number,
                (None, Some(index)) => Number::int(Element::Int32, *index),
                (None, None) => panic!("`{}` is known", name.text),
            },
            ExprKind::Component(of, d) => {
                let tensor = &self.tensors[&self.name_of(of)];
                Number::int(Element::Int32, tensor.window[*d].1 - tensor.window[*d].0)
            }
            ExprKind::Unary(UnaryOp::Negate, e) => {
                let v = value(e)?;
                match v.element {
                    Some(element) if !v.is_float() => Number::int(element, -v.int),
                    element => Number { element, int: -v.int, float: -v.float, weight: v.weight },
                }
            }
            ExprKind::Unary(UnaryOp::Not, e) => Number::truth(value(e)?.int == 0),
            ExprKind::Cast(ty, e) => {
                let TypeKind::Element(element) = ty.kind else { panic!("a cast to a number") };
                value(e)?.to(element)
            }
            ExprKind::Conditional(c, a, b) => {
                // Both arms have the type in which they meet.
                let [chosen, other] = if value(c)?.int != 0 { [a, b] } else { [b, a] };
                let chosen = value(chosen)?;
                match value(other).ok().and_then(|other| met(chosen, other)) {
                    Some(element) => chosen.to(element),
                    None => chosen,
                }
            }
            ExprKind::Binary(BinaryOp::And, a, b, _) => Number::truth(value(a)?.int != 0 && value(b)?.int != 0),
            ExprKind::Binary(BinaryOp::Or, a, b, _) => Number::truth(value(a)?.int != 0 || value(b)?.int != 0),
            ExprKind::Binary(op, a, b, _) => binary(*op, value(a)?, value(b)?),
            ExprKind::Call { name, arguments, .. } => {
                let mut given = arguments.iter().map(value).collect::<Result<Vec<_>, _>>()?;
                if let Some(tensor) = self.tensors.get(&*name.text) {
                    let at: Vec<i64> = given.iter().map(|v| v.int).collect();
                    let place = tensor.place(&at).ok_or_else(|| Nothing::Outside(format!("{}{at:?}", name.text)))?;
                    let value = tensor.values[place];
                    let element = if tensor.element == Element::Float16 { Element::Float } else { tensor.element };
                    return Ok(value.to(element));
                }
                let first = given.remove(0);
                match (&*name.text, &given[..]) {
                    ("max" | "fmax", [b]) => {
                        reduced_by(Reduction::Max, first.to(met_or_int(first, *b)), b.to(met_or_int(first, *b)))
                    }
                    ("min" | "fmin", [b]) => {
                        reduced_by(Reduction::Min, first.to(met_or_int(first, *b)), b.to(met_or_int(first, *b)))
                    }
                    ("clamp", [low, high]) => {
                        let element = met_or_int(first, *low);
                        let raised = reduced_by(Reduction::Max, first.to(element), low.to(element));
                        reduced_by(Reduction::Min, raised, high.to(element))
                    }
                    ("abs" | "fabs", []) if first.is_float() => Number { float: first.float.abs(), ..first },
                    ("abs", []) => Number::int(settled(first), first.int.abs()),
                    ("unchecked", []) => first,
                    (word, []) => {
                        let f = match word {
                            "exp" => f64::exp,
                            "sqrt" => f64::sqrt,
                            "tanh" => f64::tanh,
                            "log" => f64::ln,
                            _ => panic!("no function `{word}`"),
                        };
                        let float = f(first.float);
                        let element = if first.element == Some(Element::Double) { Element::Double } else { Element::Float };
                        Number::float(element, float, float.abs() * (1.0 + first.weight))
                    }
                    (word, _) => panic!("no function `{word}`"),
                }
            }
            other => panic!("{other:?}"),
        })
    }
}

/// Is an index made of sums, multiples and quotients, which bounds its indices?
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Integer { .. } | ExprKind::Name(_) | ExprKind::Component(..) => true,
        ExprKind::Parenthesized(e) | ExprKind::Unary(UnaryOp::Negate, e) => is_plain(e),
        ExprKind::Binary(op, a, b, _) => {
            matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide) && is_plain(a) && is_plain(b)
        }
        _ => false,
    }
}

fn settled(v: Number) -> Element {
    v.element.unwrap_or(Element::Int32)
}

/// The type in which two operands meet; none for two literals.
fn met(a: Number, b: Number) -> Option<Element> {
    match (a.element, b.element) {
        (Some(a), Some(b)) if a.is_float() != b.is_float() => Some(if a.is_float() { a } else { b }),
        (Some(a), Some(b)) => Some(if b.size() > a.size() { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn met_or_int(a: Number, b: Number) -> Element {
    met(a, b).unwrap_or(Element::Int32)
}

fn reduced_by(reduction: Reduction, a: Number, b: Number) -> Number {
    let is_less = if a.is_float() { a.float < b.float } else { a.int < b.int };
    match reduction {
        Reduction::Add => binary(BinaryOp::Add, a, b),
        Reduction::Multiply => binary(BinaryOp::Multiply, a, b),
        Reduction::Min => {
            if is_less {
                a
            } else {
                b
            }
        }
        Reduction::Max => {
            if is_less {
                b
            } else {
                a
            }
        }
    }
}

/// What a reduction over nothing gives.
fn identity(reduction: Reduction, element: Element) -> Number {
    let (bits, is_signed) = (element.bits().min(63), element.is_signed());
    let most = if is_signed { (1i64 << (bits - 1)) - 1 } else { (1i64 << bits) - 1 };
    let infinity = |sign: f64| Number::float(element, sign * f64::INFINITY, 0.0);
    match reduction {
        Reduction::Add => Number::int(Element::Int32, 0).to(element),
        Reduction::Multiply => Number::int(Element::Int32, 1).to(element),
        Reduction::Min if element.is_float() => infinity(1.0),
        Reduction::Max if element.is_float() => infinity(-1.0),
        Reduction::Min => Number::int(element, most),
        Reduction::Max => Number::int(element, if is_signed { -most - 1 } else { 0 }),
    }
}

fn binary(op: BinaryOp, a: Number, b: Number) -> Number {
    let met = met(a, b);
    let element = met.unwrap_or(Element::Int64);
    let (a, b) = (a.to(element), b.to(element));
    let order = if element.is_float() { a.float.partial_cmp(&b.float).expect("numbers") } else { a.int.cmp(&b.int) };
    match op {
        BinaryOp::Less => return Number::truth(order.is_lt()),
        BinaryOp::LessEqual => return Number::truth(order.is_le()),
        BinaryOp::Greater => return Number::truth(order.is_gt()),
        BinaryOp::GreaterEqual => return Number::truth(order.is_ge()),
        BinaryOp::Equal => return Number::truth(order.is_eq()),
        BinaryOp::NotEqual => return Number::truth(order.is_ne()),
        _ => {}
    }
    if element.is_float() {
        let (float, weight) = match op {
            BinaryOp::Add => (a.float + b.float, a.weight + b.weight),
            BinaryOp::Subtract => (a.float - b.float, a.weight + b.weight),
            BinaryOp::Multiply => (a.float * b.float, a.weight * b.weight),
            BinaryOp::Divide => (a.float / b.float, a.weight / b.float.abs() * (b.weight / b.float.abs())),
            _ => panic!("{op:?} on floats"),
        };
        return Number::float(element, float, weight);
    }
    let int = match op {
        BinaryOp::Add => a.int.wrapping_add(b.int),
        BinaryOp::Subtract => a.int.wrapping_sub(b.int),
        BinaryOp::Multiply => a.int.wrapping_mul(b.int),
        BinaryOp::Divide if b.int == 0 => 0,
        BinaryOp::Remainder if b.int == 0 => 0,
        // Towards minus infinity.
        BinaryOp::Divide => (a.int as f64 / b.int as f64).floor() as i64,
        BinaryOp::Remainder => a.int - b.int * (a.int as f64 / b.int as f64).floor() as i64,
        _ => panic!("{op:?} on integers"),
    };
    Number { element: met, ..Number::int(element, int) }
}
