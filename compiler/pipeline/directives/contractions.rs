//! The automatic schedule of contractions: sums of products over indices, as comprehensions of tensors have them.
//!
//! ```text
//! C(i, j) = 0;                        ──►   T = R = the same, C(i, j) = large ? T(i, j) : R(i, j);
//! rdom (k) C(i, j) += A(i, k) * B(k, j);    C.tile(j, i, …, 16, 6, shift)      T.bound_extent(…).compute_at(C, io)      R by rows
//! ```
//! T has a tile of accumulators, as many as registers hold, all through the reduction; its size is a constant. Where the result is smaller than
//! a tile, R does it by rows. Only accesses count: along the dense dimension of the result each read is dense or does not move, and along
//! another one some read does not move, so that it is used again; names and the order of factors say nothing.

use super::super::algorithm::{Func, Notation, Pipeline, Stage, VariableInfo};
use super::super::associative;
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{StageName, Statement};
use super::super::plain::{Chain, Schedule};
use super::super::simplify::{linear, minus};
use super::lanes::lanes;
use super::state::Scheduler;
use crate::source::{FileId, Span};
use crate::syntax::ast::{self, Directive, ExprKind as Ast, Name, NodeId};
use crate::typed::ir::{BinaryOp, CompareOp, Constant};
use crate::types::Element;

/// Reads in a value are unrolled as often as a tile has accumulators: one that is larger than this is not.
const LARGEST: u32 = 32;

/// A contraction, and how it is tiled.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The func that is tiled: pure, and the only reader of the accumulators.
    pub result: FuncId,
    /// The accumulators of a tile.
    pub tile: FuncId,
    /// Those of a row, for what is smaller than a tile.
    pub rows: FuncId,
    /// The dimension along which accumulators are used again, if there is one.
    pub across: Option<usize>,
    /// How many columns and rows a tile has.
    pub size: [u64; 2],
    /// How many lanes a vector has.
    pub lanes: u8,
}

impl Contraction {
    /// The same, of a pipeline whose funcs have other numbers.
    pub fn with_funcs(&self, number: &dyn Fn(FuncId) -> FuncId) -> Contraction {
        Contraction { result: number(self.result), tile: number(self.tile), rows: number(self.rows), ..self.clone() }
    }
}

/// The pipeline with accumulators of their own for its contractions, and these.
pub fn separated(pipeline: &Pipeline, width: u8) -> (Pipeline, Vec<Contraction>) {
    let mut made = pipeline.clone();
    let (mut found, mut order) = (Vec::new(), Vec::new());
    for (id, func) in pipeline.numbered_funcs() {
        if let Some((across, size, lanes)) = contraction(pipeline, id, width) {
            // Behind all others, until they are put in order.
            let [tile, rows] = ["tile", "rows"].map(|word| {
                let own = FuncId(made.funcs.len() as u32);
                let copy = copied(&mut made, func, id, own, word);
                made.funcs.push(copy);
                own
            });
            let value = chosen(pipeline, id, func, [tile, rows], across, size);
            let at = func.stages[0].indices.clone();
            made.funcs[id.0 as usize].stages = vec![Stage::plain(at, vec![value], func.span)];
            found.push(Contraction { result: id, tile, rows, across, size, lanes });
            order.extend([tile, rows]);
        }
        order.push(id);
    }
    let numbers = made.reorder(&order);
    let number = |id: FuncId| numbers[id.0 as usize];
    let found = found.iter().map(|contraction: &Contraction| contraction.with_funcs(&number)).collect();
    (made, found)
}

/// A func with the stages of another one, variables of its own, and its name behind that of the other.
fn copied(made: &mut Pipeline, func: &Func, id: FuncId, own: FuncId, word: &str) -> Func {
    let mut renamed: Vec<(Variable, Variable)> = Vec::new();
    let all = func.variables.iter().copied().chain(func.stages.iter().flat_map(|stage| stage.rdom.iter().map(|r| r.variable)));
    for variable in all.chain(func.stages.iter().flat_map(|stage| stage.lets.iter().map(|(v, _)| *v))) {
        let info: VariableInfo = made.variable(variable).clone();
        renamed.push((variable, Variable(made.variables.len() as u32)));
        made.variables.push(info);
    }
    let new = |v: Variable| renamed.iter().find(|(old, _)| *old == v).map_or(v, |(_, new)| *new);
    let infos = made.variables.clone();
    let change = |e: &Expr| {
        let e = e.substitute(&|v| {
            let found = new(v);
            (found != v).then(|| Expr::variable(found, infos[v.0 as usize].element, e.span()))
        });
        e.with_funcs(&|read| if read == id { own } else { read })
    };
    let mut stages = func.stages.clone();
    for stage in &mut stages {
        stage.change(&change);
        stage.rdom.iter_mut().for_each(|r| {
            r.variable = new(r.variable);
            (r.low, r.high) = (change(&r.low), change(&r.high));
        });
        stage.lets.iter_mut().for_each(|(v, _)| *v = new(*v));
    }
    let variables = func.variables.iter().map(|&v| new(v)).collect();
    Func { name: format!("{}.{word}", func.name).into(), variables, stages, ..func.clone() }
}

/// Is there a tile in the result? Then what its accumulators have, else what those of its rows have.
fn chosen(pipeline: &Pipeline, id: FuncId, func: &Func, funcs: [FuncId; 2], across: Option<usize>, size: [u64; 2]) -> Expr {
    let at = &func.stages[0].indices;
    let read = |of: FuncId| Expr::new(ExprKind::Read(Source::Func(of, 0), at.clone()), func.elements[0], func.span);
    let [tile, rows] = funcs.map(read);
    Expr::conditional(is_large(pipeline, id, across, size), tile, rows)
}

/// Has the range of a result room for a tile?
fn is_large(pipeline: &Pipeline, id: FuncId, across: Option<usize>, [columns, rows]: [u64; 2]) -> Expr {
    let range = &pipeline.ranges[&id];
    let span = pipeline.func(id).span;
    let has = |d: usize, least: u64| {
        let [begin, end] = &range[d];
        Expr::compare(CompareOp::GreaterEqual, minus(end, begin), Expr::int(least as i64, span))
    };
    let wide = has(0, columns);
    match across {
        Some(d) => Expr::new(ExprKind::And(wide, has(d, rows)), Element::Bool, span),
        None => wide,
    }
}

/// Has a reduction so many iterations that threads are worth their while?
fn is_much(pipeline: &Pipeline, id: FuncId) -> Expr {
    let func = pipeline.func(id);
    let result = pipeline.numbered_funcs().find(|(_, other)| other.reads_func(id)).map(|(result, _)| result);
    let window = result.and_then(|result| pipeline.ranges.get(&result));
    let extents = window.into_iter().flatten().map(|[begin, end]| minus(end, begin));
    let extents = extents.chain(func.stages[1].rdom.iter().map(|r| minus(&r.high, &r.low)));
    let count = extents.map(|extent| extent.converted(Element::Double));
    let count = count.reduce(|a, b| Expr::binary(BinaryOp::Multiply, a, b)).expect("dimensions");
    let least = Expr::new(ExprKind::Constant(Constant::Float(MUCH)), Element::Double, func.span);
    Expr::compare(CompareOp::GreaterEqual, count, least)
}

/// So many iterations take some tens of microseconds, as waking a thread does.
const MUCH: f64 = (1 << 21) as f64;

/// How a variable moves through the dense dimension of a read.
#[derive(Clone, Copy, PartialEq)]
pub enum Moves {
    /// Not at all.
    Not,
    /// To the neighbour.
    Dense,
    /// To somewhere else.
    Far,
}

/// How a read moves with a variable.
pub fn moves(indices: &[Expr], variable: Variable) -> Moves {
    let mut found = Moves::Not;
    for (d, index) in indices.iter().enumerate() {
        if !index.mentions(&|v| v == variable) {
            continue;
        }
        let sum = linear(index);
        let is_step = sum.terms.iter().any(|(atom, factor)| atom.as_variable() == Some(variable) && *factor == 1);
        let is_only = sum.terms.iter().filter(|(atom, _)| atom.mentions(&|v| v == variable)).count() == 1;
        found = if d == 0 && is_step && is_only && found == Moves::Not { Moves::Dense } else { Moves::Far };
    }
    found
}

/// The dimension across, the size of a tile and the lanes of a func that is a contraction.
fn contraction(pipeline: &Pipeline, id: FuncId, width: u8) -> Option<(Option<usize>, [u64; 2], u8)> {
    let func = pipeline.func(id);
    let is_right = pipeline.notation == Notation::Tensors
        && pipeline.outputs.contains(&id)
        && pipeline.overwritten_by(id).is_none()
        && func.stages.len() == 2
        && !func.variables.is_empty();
    if !is_right || associative::check(pipeline, StageName { func: id, case: 0, stage: 1 }).is_err() {
        return None;
    }
    let stage = &func.stages[1];
    let pure = (0..func.variables.len()).all(|d| stage.is_pure_dimension(&func.variables, d));
    let (_, value) = associative::combination(id, &stage.indices, &stage.values[0])?;
    if !pure || !stage.lets.is_empty() || stage.predicate.is_some() || value.size() > LARGEST || value.decider().is_some() {
        return None;
    }
    // All reads but that of the accumulator.
    let mut reads: Vec<Vec<Expr>> = Vec::new();
    value.reads(&mut |_, indices, _| reads.push(indices.to_vec()));
    let along: Vec<Moves> = reads.iter().map(|indices| moves(indices, func.variables[0])).collect();
    if along.contains(&Moves::Far) || !along.contains(&Moves::Dense) {
        return None;
    }
    let is_reused = |d: &usize| {
        let dense = reads.iter().zip(&along).filter(|(_, moves)| **moves == Moves::Dense);
        dense.into_iter().any(|(indices, _)| moves(indices, func.variables[*d]) == Moves::Not)
    };
    let across = (1..func.variables.len()).find(is_reused);
    let lanes = lanes(pipeline, stage, &func.elements, width);
    // Machines whose registers have 64 bytes have 32 of them, others 16: two registers of columns, and as many rows as leave some for
    // operands.
    let rows = match (across, width >= 16) {
        (None, _) => 1,
        (Some(_), true) => 12,
        (Some(_), false) => 6,
    };
    let columns = if across.is_some() { 2 } else { 4 };
    Some((across, [columns * u64::from(lanes), rows], lanes))
}

/// A directive with its arguments.
pub fn directive(name: &str, arguments: Vec<ast::Expr>, span: Span) -> Directive {
    Directive { name: Name { text: name.into(), span }, arguments: Some(arguments), span }
}

/// A part of a directive.
pub fn node(kind: Ast, span: Span) -> ast::Expr {
    ast::Expr { id: NodeId { file: FileId::default(), number: u32::MAX }, kind, span }
}

/// A name.
pub fn word(text: &str, span: Span) -> ast::Expr {
    node(Ast::Name(Name { text: text.into(), span }), span)
}

/// A number.
pub fn number(value: u64, span: Span) -> ast::Expr {
    node(Ast::Integer { value, suffix: None }, span)
}

/// The loops with one of some values in the stores of each copy of a func.
fn with_values(s: &Statement, func: FuncId, values: [&Expr; 3]) -> Statement {
    let mut made = s.with_children(|child| with_values(child, func, values));
    if let Statement::Store(store) = &mut made
        && store.stage.func == func
    {
        store.values = vec![values[store.stage.case].clone()];
    }
    made
}

impl Scheduler<'_> {
    /// Makes the two copies of the results of contractions, and schedules them and their accumulators.
    pub fn contract(&mut self, contractions: &[Contraction]) -> Option<()> {
        for contraction in contractions {
            self.contract_one(contraction)?;
        }
        Some(())
    }

    fn contract_one(&mut self, it: &Contraction) -> Option<()> {
        let pipeline = self.nest.pipeline.clone();
        let (result, span) = (pipeline.func(it.result).clone(), pipeline.func(it.result).span);
        let ExprKind::Conditional(large, tile, rows) = result.stages[0].values[0].kind() else { unreachable!("as it was made") };
        // Threads are worth their while where there is much to do.
        let much = Expr::new(ExprKind::And(large.clone(), is_much(&pipeline, it.tile)), Element::Bool, span);
        self.specialize_by(it.result, vec![much, large.clone()], span);
        self.nest.roomy.extend([(it.result, 0), (it.result, 1)]);
        // Each copy reads what is there for it.
        self.nest.body = with_values(&self.nest.body, it.result, [tile, tile, rows]);
        let names: Vec<String> = result.variables.iter().map(|&v| pipeline.variable(v).name.to_string()).collect();
        let w = |text: &str| word(text, span);
        let n = |value: u64| number(value, span);
        let func = |id: FuncId| Name { text: pipeline.func(id).name.clone(), span };
        let chain = |id: FuncId, links: Vec<Directive>| Chain { func: func(id), links };
        let d = |name: &str, arguments: Vec<ast::Expr>| directive(name, arguments, span);
        let case = |k: u64| d("case", vec![n(k)]);
        let otherwise = Directive { name: Name { text: "otherwise".into(), span }, arguments: None, span };
        let lanes = u64::from(it.lanes);
        let [columns, height] = it.size;
        let j = &names[0];
        let (jo, ji) = (format!("{j}.o"), format!("{j}.i"));
        let mut order = vec![ji.clone()];
        let mut links = vec![case(0), d("split", vec![w(j), w(&jo), w(&ji), n(columns), w("shift")])];
        let mut inner = jo.clone();
        if let Some(i) = it.across.map(|d| names[d].clone()) {
            let (io, ii) = (format!("{i}.o"), format!("{i}.i"));
            links.push(d("split", vec![w(&i), w(&io), w(&ii), n(height), w("shift")]));
            order.extend([ii, io.clone()]);
            inner = io;
        }
        order.push(jo.clone());
        let others = (0..names.len()).filter(|d| *d > 0 && Some(*d) != it.across).map(|d| names[d].clone());
        order.extend(others);
        if order.len() > 1 {
            links.push(d("reorder", order.iter().map(|name| w(name)).collect()));
        }
        links.push(d("vectorize", vec![w(&ji), n(lanes)]));
        let mut small = links.clone();
        small[0] = case(1);
        links.push(d("parallel", vec![w(order.last().expect("a loop"))]));
        let mut chains = vec![chain(it.result, links), chain(it.result, small)];
        // The other copy goes row by row.
        let mut links = vec![otherwise, d("vectorize", vec![w(j), n(lanes)])];
        links.extend((names.len() > 1).then(|| d("parallel", vec![w(&names[names.len() - 1])])));
        chains.push(chain(it.result, links));
        let of = node(Ast::Name(func(it.result)), span);
        let copy = |k: u64| node(Ast::Method(Box::new(of.clone()), Name { text: "case".into(), span }, vec![n(k)]), span);
        let [first, other] = [copy(0), copy(1)];
        let last = node(Ast::Member(Box::new(of.clone()), Name { text: "otherwise".into(), span }), span);
        let mut links = vec![d("bound_extent", vec![w(j), n(columns)])];
        links.extend(it.across.map(|across| d("bound_extent", vec![w(&names[across]), n(height)])));
        links.push(d("compute_at", vec![first, w(&inner)]));
        links.push(d("compute_at", vec![other, w(&inner)]));
        links.push(d("vectorize", vec![w(j), n(lanes)]));
        links.extend(it.across.map(|across| d("unroll", vec![w(&names[across])])));
        chains.push(chain(it.tile, links));
        let reduced = |id: FuncId| -> Vec<String> {
            pipeline.func(id).stages[1].rdom.iter().map(|r| pipeline.variable(r.variable).name.to_string()).collect()
        };
        let update = || d("update", vec![n(0)]);
        let rest = || (1..names.len()).filter(|d| Some(*d) != it.across).map(|d| names[d].clone());
        let mut order = vec![j.clone()];
        order.extend(it.across.map(|across| names[across].clone()));
        order.extend(reduced(it.tile));
        order.extend(rest());
        let mut links = vec![update(), d("reorder", order.iter().map(|name| w(name)).collect())];
        links.extend([d("vectorize", vec![w(j), n(lanes)]), d("unroll", vec![w(j)])]);
        links.extend(it.across.map(|across| d("unroll", vec![w(&names[across])])));
        chains.push(chain(it.tile, links));
        let mut links = vec![d("vectorize", vec![w(j), n(lanes)])];
        links.extend((names.len() > 1).then(|| d("compute_at", vec![last, w(&names[1])])));
        chains.push(chain(it.rows, links));
        let mut order = vec![j.clone()];
        order.extend(reduced(it.rows));
        order.extend(names[1..].iter().cloned());
        let links =
            vec![update(), d("reorder", order.iter().map(|name| w(name)).collect()), d("vectorize", vec![w(j), n(lanes)])];
        chains.push(chain(it.rows, links));
        let name = Name { text: "auto".into(), span };
        let schedule = Schedule { pipeline: Name { text: pipeline.name.clone(), span }, name, chains, is_refused: false };
        self.run(&schedule)
    }
}
