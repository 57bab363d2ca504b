//! Definitions by enumeration: what their statements say, point by point, and nothing of the compiler's but the tree.
//!
//! Numbers are those of [`super::number`]: integers that wrap, and floats with a bound of their error.

use super::number::{Number, Reduced, binary, extreme, identity, meeting, met_or_int, settled};
use ivlc::diagnostics::Diagnostics;
use ivlc::source::FileId;
use ivlc::syntax::ast::{BinaryOp, Clause, Def, Expr, ExprKind, ItemKind, Size, TensorStatement, TypeKind, UnaryOp};
use ivlc::syntax::walk;
use ivlc::types::Element;
use std::collections::{HashMap, HashSet};

/// Indices are looked for from −FAR to FAR.
const FAR: i64 = 200;

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
    /// Sizes that are to be the same are not, or a tensor that is defined again has other points.
    Differs(String),
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
    /// Was one?
    pub was_empty: bool,
    /// A mistake: ranges that are found end so much later.
    pub longer: i64,
    /// Is something wrong with a statement that no result needs?
    pub may_stop: bool,
    /// What is wrong with the arguments.
    wrong: Option<Nothing>,
}

type Indices = HashMap<String, i64>;

impl<'d> Run<'d> {
    /// With arguments in the order of the parameters.
    pub fn new(defs: &'d [Def], def: &Def, arguments: Vec<Tensor>) -> Run<'d> {
        let mut run = Run {
            defs,
            numbers: HashMap::new(),
            tensors: HashMap::new(),
            ranges: Vec::new(),
            may_be_empty: false,
            was_empty: false,
            longer: 0,
            may_stop: false,
            wrong: None,
        };
        for (parameter, argument) in def.parameters.iter().zip(arguments) {
            for (size, &(begin, end)) in parameter.ty.sizes.iter().zip(&argument.window) {
                let extent = i128::from(end - begin);
                let known = match size {
                    Size::Variable(name) => {
                        let entry = run.numbers.entry(name.text.to_string());
                        entry.or_insert_with(|| Number::int(Element::Int32, extent)).int
                    }
                    Size::Constant(value, _) => *value as i128,
                };
                if known != extent {
                    run.wrong = Some(Nothing::Differs(format!("{} has {extent} elements, not {known}", parameter.name.text)));
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

    /// Runs all statements that its results need.
    pub fn run(&mut self, def: &Def) -> Result<(), Nothing> {
        let overwritten = def.parameters.iter().filter(|parameter| parameter.inout.is_some()).map(|p| &p.name);
        let results = overwritten.chain(def.results.iter().map(|result| &result.name));
        self.run_for(def, results.map(|name| name.text.to_string()).collect())
    }

    /// What is needed of the tensors that each statement defines. `needed` are results, and then what is there before.
    fn needed(&self, def: &Def, needed: &mut HashSet<String>) -> Vec<HashSet<String>> {
        let mut all = Vec::new();
        for statement in def.statements.iter().rev() {
            let targets: Vec<String> = statement.targets.iter().map(|target| target.name.text.to_string()).collect();
            let wanted: HashSet<String> = targets.iter().filter(|target| needed.contains(*target)).cloned().collect();
            if !wanted.is_empty() {
                if statement.op.reduction.is_none() || statement.op.is_initialized {
                    targets.iter().for_each(|target| _ = needed.remove(target));
                }
                match self.called(statement) {
                    Some((inner, arguments)) => {
                        let results = inner.results.iter().zip(&targets).filter(|(_, target)| wanted.contains(*target));
                        let mut of_inner = results.map(|(result, _)| result.name.text.to_string()).collect();
                        self.needed(inner, &mut of_inner);
                        let passed = inner.parameters.iter().zip(arguments);
                        let used = passed.filter(|(parameter, _)| of_inner.contains(&*parameter.name.text));
                        used.for_each(|(_, argument)| names(argument, needed));
                    }
                    None => names(&statement.value, needed),
                }
            }
            all.push(wanted);
        }
        all.reverse();
        all
    }

    /// The definition that a statement calls, and what it passes.
    fn called<'s>(&self, statement: &'s TensorStatement) -> Option<(&'d Def, &'s [Expr])> {
        let ExprKind::Call { name, arguments, .. } = &statement.value.kind else { return None };
        let def = self.defs.iter().find(|def| def.name.text == name.text)?;
        (!self.tensors.contains_key(&*name.text)).then_some((def, arguments))
    }

    /// Runs what some tensors need. What they do not need may be refused, and is not run then.
    fn run_for(&mut self, def: &Def, mut needed: HashSet<String>) -> Result<(), Nothing> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        let is_needed = self.needed(def, &mut needed);
        for (statement, wanted) in def.statements.iter().zip(is_needed) {
            let annotated = def.results.iter().find(|result| result.name.text == statement.targets[0].name.text);
            let written = annotated.and_then(|result| match &result.ty.as_ref()?.element.kind {
                TypeKind::Element(element) => Some(*element),
                _ => None,
            });
            if wanted.is_empty() && self.may_stop {
                self.only_window(statement);
                continue;
            }
            match self.statement(statement, written, &wanted) {
                Err(Nothing::Outside(_) | Nothing::Differs(_)) if wanted.is_empty() => {
                    self.may_stop = true;
                    self.only_window(statement);
                }
                ended => ended?,
            }
        }
        Ok(())
    }

    /// A tensor that nothing needs has no values, and `exists` may name its points.
    fn only_window(&mut self, statement: &TensorStatement) {
        let [target] = &statement.targets[..] else { return };
        if self.called(statement).is_some() || self.tensors.contains_key(&*target.name.text) {
            return;
        }
        let Ok(ranges) = self.ranges(statement) else { return };
        let window: Vec<(i64, i64)> = target.indices.iter().flatten().map(|e| ranges[&self.name_of(e)]).collect();
        let element = self.type_of(&statement.value).unwrap_or(Element::Int32);
        let values = points(&window).iter().map(|_| Number::int(Element::Int32, 0).to(element)).collect();
        self.tensors.insert(target.name.text.to_string(), Tensor { element, window, values });
    }

    fn statement(
        &mut self,
        statement: &TensorStatement,
        written: Option<Element>,
        wanted: &HashSet<String>,
    ) -> Result<(), Nothing> {
        if let Some((def, arguments)) = self.called(statement) {
            let passed = arguments.iter().map(|e| self.passed(e)).collect::<Result<Vec<_>, _>>()?;
            let mut inner = Run::new(self.defs, def, passed);
            (inner.may_be_empty, inner.longer) = (self.may_be_empty, self.longer);
            let pairs = || statement.targets.iter().zip(&def.results);
            let inside = pairs().filter(|(target, _)| wanted.contains(&*target.name.text));
            let ended = inner.run_for(def, inside.map(|(_, result)| result.name.text.to_string()).collect());
            self.was_empty |= inner.was_empty;
            self.may_stop |= inner.may_stop;
            ended?;
            for (target, result) in pairs() {
                if let Some(tensor) = inner.tensors.get(&*result.name.text) {
                    self.tensors.insert(target.name.text.to_string(), tensor.clone());
                }
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
        let is_empty = ranges.values().any(|(begin, end)| end <= begin);
        self.was_empty |= is_empty;
        if !self.may_be_empty && is_empty {
            return Err(Nothing::Empty);
        }
        // What exists is looked at, and not read.
        let whole: Vec<(i64, i64)> = all.iter().map(|name| ranges[name]).collect();
        for clause in &statement.clauses {
            let Clause::Exists(e) = clause else { continue };
            for point in points(&whole) {
                self.value(e, &all.iter().cloned().zip(point).collect())?;
            }
        }
        let window: Vec<(i64, i64)> = left.iter().map(|name| ranges[name]).collect();
        let reduced: Vec<&String> = all.iter().filter(|name| !left.contains(name)).collect();
        let domain: Vec<(i64, i64)> = reduced.iter().map(|name| ranges[*name]).collect();
        let old = self.tensors.get(&*target.name.text).cloned();
        if let Some(old) = old.as_ref().filter(|old| old.window != window && !is_empty && !old.values.is_empty()) {
            return Err(Nothing::Differs(format!("{} has {:?}, and then {window:?}", target.name.text, old.window)));
        }
        let op = statement.op;
        let ty = self.type_of(&statement.value).unwrap_or(Element::Int32);
        let element = old.as_ref().map(|old| old.element).or(written).unwrap_or(ty);
        let mut values = Vec::new();
        for point in points(&window) {
            let mut indices: Indices = left.iter().cloned().zip(point.iter().copied()).collect();
            let before = || {
                let old = old.as_ref()?;
                Some(old.values[old.place(&point)?])
            };
            let mut value: Option<Reduced> =
                if op.reduction.is_some() && !op.is_initialized { before().map(Reduced::of) } else { None };
            for instance in points(&domain) {
                indices.extend(reduced.iter().map(|name| (*name).clone()).zip(instance));
                let next = self.value(&statement.value, &indices)?;
                let next = next.to(element);
                value = Some(match (op.reduction, value) {
                    (Some(reduction), Some(value)) => value.with(reduction, next),
                    _ => Reduced::of(next),
                });
            }
            values.push(value.map(|value| value.number(op.reduction)));
        }
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
        if let ExprKind::Name(name) = &e.kind
            && self.may_stop
            && !self.numbers.contains_key(&*name.text)
        {
            return Err(Nothing::Outside(format!("{} is not there", name.text)));
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

    /// The reads that bound indices, where these names decide about what is read.
    fn accesses<'e>(&self, e: &'e Expr, deciders: &[String], found: &mut Vec<Read<'e>>) {
        let decided = match &e.kind {
            ExprKind::Conditional(condition, a, b) => Some((condition, vec![a, b])),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b, _) => Some((a, vec![b])),
            _ => None,
        };
        if let Some((condition, parts)) = decided {
            self.accesses(condition, deciders, found);
            let mut deciders = deciders.to_vec();
            self.names_in(condition, &mut deciders);
            return parts.into_iter().for_each(|part| self.accesses(part, &deciders, found));
        }
        if let ExprKind::Call { name, arguments, .. } = &e.kind
            && let Some(tensor) = self.tensors.get(&*name.text)
        {
            let plain = arguments.iter().zip(&tensor.window).filter(|(e, _)| is_plain(e));
            found.extend(plain.map(|(index, &window)| Read { index, window, deciders: deciders.to_vec() }));
        }
        walk::parts(e, &mut |part| self.accesses(part, deciders, found));
    }

    /// Rounds of intervals, each the largest one that stays inside.
    fn ranges_of(&self, statement: &TensorStatement, all: &[String]) -> Result<HashMap<String, (i64, i64)>, Nothing> {
        let mut known: HashMap<String, (i64, i64)> = HashMap::new();
        let mut accesses = Vec::new();
        self.accesses(&statement.value, &[], &mut accesses);
        for clause in &statement.clauses {
            match clause {
                Clause::Range { index, low, high } => {
                    let [low, high] = [low, high].map(|e| self.value(e, &Indices::new()));
                    known.insert(index.text.to_string(), (low?.int as i64, high?.int as i64));
                }
                Clause::Exists(e) => self.accesses(e, &[], &mut accesses),
            }
        }
        loop {
            let mut round: HashMap<String, (i64, i64)> = HashMap::new();
            for Read { index, window, deciders } in &accesses {
                let mut names = Vec::new();
                self.names_in(index, &mut names);
                let open: Vec<&String> = names.iter().filter(|name| !known.contains_key(*name)).collect();
                let [open] = &open[..] else { continue };
                if deciders.contains(open) {
                    continue;
                }
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
                self.value(e, &indices).is_ok_and(|v| (low..high).contains(&(v.int as i64)))
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

    /// The type of an expression; none of a literal.
    fn type_of(&self, e: &Expr) -> Option<Element> {
        let both = |a: &Expr, b: &Expr| {
            let of = |e: &Expr| Number { element: self.type_of(e), ..Number::int(Element::Int32, 0) };
            meeting(of(a), of(b))
        };
        match &e.kind {
            ExprKind::Integer { suffix, .. } => *suffix,
            ExprKind::Float { suffix, .. } => Some(suffix.unwrap_or(Element::Float)),
            ExprKind::Parenthesized(e) | ExprKind::Unary(UnaryOp::Negate, e) => self.type_of(e),
            ExprKind::Name(name) | ExprKind::Call { name, .. } if self.tensors.contains_key(&*name.text) => {
                let tensor = &self.tensors[&*name.text];
                Some(if tensor.element == Element::Float16 { Element::Float } else { tensor.element })
            }
            ExprKind::Name(name) => Some(self.numbers.get(&*name.text).map_or(Element::Int32, |&number| settled(number))),
            ExprKind::Component(..) => Some(Element::Int32),
            ExprKind::Unary(UnaryOp::Not, _) => Some(Element::Bool),
            ExprKind::Cast(ty, _) => Some(cast_to(&ty.kind)),
            ExprKind::Conditional(_, a, b) => both(a, b),
            ExprKind::Binary(
                BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::Multiply
                | BinaryOp::Divide
                | BinaryOp::Remainder
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor,
                a,
                b,
                _,
            ) => both(a, b),
            ExprKind::Binary(..) => Some(Element::Bool),
            ExprKind::Call { arguments, .. } => match &arguments[..] {
                [a, b, ..] => both(a, b),
                [a] => self.type_of(a),
                [] => None,
            },
            other => panic!("{other:?}"),
        }
    }

    /// The value of an expression at a point.
    pub fn value(&self, e: &Expr, indices: &Indices) -> Result<Number, Nothing> {
        let value = |e: &Expr| self.value(e, indices);
        Ok(match &e.kind {
            ExprKind::Integer { value, suffix } => {
                Number { element: *suffix, ..Number::int(Element::Int64, i128::from(*value as i64)) }
            }
            ExprKind::Float { text, suffix } => {
                let float: f64 = text.parse().expect("a number");
                let element = suffix.unwrap_or(Element::Float);
                let error = if element == Element::Double { 0.0 } else { (f64::from(float as f32) - float).abs() };
                Number::float(element, float, error)
            }
            ExprKind::Parenthesized(e) => value(e)?,
            ExprKind::Name(name) => match (self.numbers.get(&*name.text), indices.get(&*name.text)) {
                (Some(number), _) => *number,
                (None, Some(index)) => Number::int(Element::Int32, (*index).into()),
                (None, None) => match self.tensors.get(&*name.text) {
                    Some(tensor) if tensor.window.is_empty() => read(tensor, tensor.values[0]),
                    _ => panic!("`{}` is known", name.text),
                },
            },
            ExprKind::Component(of, d) => {
                let tensor = &self.tensors[&self.name_of(of)];
                Number::int(Element::Int32, (tensor.window[*d].1 - tensor.window[*d].0).into())
            }
            ExprKind::Unary(UnaryOp::Negate, e) => {
                let v = value(e)?;
                match v.element {
                    Some(element) if !v.is_float() => Number::int(element, -v.int).decided_by(v),
                    element => Number { element, int: -v.int, float: -v.float, ..v },
                }
            }
            ExprKind::Unary(UnaryOp::Not, e) => {
                let v = value(e)?;
                Number::truth(v.int == 0, v.is_known())
            }
            ExprKind::Cast(ty, e) => {
                let element = cast_to(&ty.kind);
                value(e)?.to(element)
            }
            ExprKind::Conditional(c, a, b) => {
                // Both arms have the type in which they meet.
                let condition = value(c)?;
                let [chosen, other] = if condition.int != 0 { [a, b] } else { [b, a] };
                let chosen = value(chosen)?;
                let met = value(other).ok().and_then(|other| meeting(chosen, other));
                met.map_or(chosen, |element| chosen.to(element)).decided_by(condition)
            }
            ExprKind::Binary(BinaryOp::And, a, b, _) => {
                let a = value(a)?;
                if a.int == 0 { a } else { value(b)?.decided_by(a) }
            }
            ExprKind::Binary(BinaryOp::Or, a, b, _) => {
                let a = value(a)?;
                if a.int != 0 { a } else { value(b)?.decided_by(a) }
            }
            ExprKind::Binary(op, a, b, _) => binary(*op, value(a)?, value(b)?),
            ExprKind::Call { name, arguments, .. } => {
                let mut given = arguments.iter().map(value).collect::<Result<Vec<_>, _>>()?;
                if let Some(tensor) = self.tensors.get(&*name.text) {
                    let at: Vec<i64> = given.iter().map(|v| v.int as i64).collect();
                    let place = tensor.place(&at).ok_or_else(|| Nothing::Outside(format!("{}{at:?}", name.text)))?;
                    let value = tensor.values[place];
                    return Ok(read(tensor, value));
                }
                let first = given.remove(0);
                if let Some(element) = ivlc::syntax::words::tensor_element(&name.text) {
                    return Ok(first.to(element));
                }
                match (&*name.text, &given[..]) {
                    ("max" | "fmax" | "min" | "fmin", [b]) => {
                        let element = met_or_int(first, *b);
                        extreme(first.to(element), b.to(element), name.text.ends_with("min"))
                    }
                    ("clamp", [low, high]) => {
                        let element = met_or_int(first, *low);
                        let raised = extreme(first.to(element), low.to(element), false);
                        extreme(raised, high.to(element), true)
                    }
                    ("abs" | "fabs", []) if first.is_float() => Number { float: first.float.abs(), ..first },
                    ("abs", []) => Number::int(settled(first), first.int.abs()).decided_by(first),
                    ("unchecked", []) => first,
                    ("exp", []) => first.maths(f64::exp, |x, e| x.exp() * e.exp_m1()),
                    ("tanh", []) => first.maths(f64::tanh, |_, e| e),
                    ("sqrt", []) => first.maths(f64::sqrt, |x, e| if e == 0.0 { 0.0 } else { e / (x - e).max(0.0).sqrt() }),
                    ("rsqrt", []) => {
                        first.maths(inverse_root, |x, e| if e == 0.0 { 0.0 } else { inverse_root(x - e) - inverse_root(x) })
                    }
                    ("log", []) => first.maths(f64::ln, |x, e| if e == 0.0 { 0.0 } else { e / (x - e).max(0.0) }),
                    (word, _) => panic!("no function `{word}`"),
                }
            }
            other => panic!("{other:?}"),
        })
    }
}

/// 1 / √x
fn inverse_root(x: f64) -> f64 {
    1.0 / x.max(0.0).sqrt()
}

/// One dimension of a read.
struct Read<'e> {
    index: &'e Expr,
    /// What is read there: begin and end.
    window: (i64, i64),
    /// The names in the conditions under which it is read.
    deciders: Vec<String>,
}

/// The type of a cast.
fn cast_to(ty: &TypeKind) -> Element {
    match ty {
        TypeKind::Element(element) => *element,
        TypeKind::Named(name, _) => ivlc::syntax::words::tensor_element(&name.text).expect("the name of a type"),
        other => panic!("a cast to a number: {other:?}"),
    }
}

/// A value of a tensor as expressions see it: float16 is stored only.
fn read(tensor: &Tensor, value: Number) -> Number {
    value.to(if tensor.element == Element::Float16 { Element::Float } else { tensor.element })
}

/// All names in an expression.
fn names(e: &Expr, found: &mut HashSet<String>) {
    match &e.kind {
        ExprKind::Name(name) | ExprKind::Call { name, .. } => drop(found.insert(name.text.to_string())),
        _ => {}
    }
    walk::parts(e, &mut |part| names(part, found));
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
