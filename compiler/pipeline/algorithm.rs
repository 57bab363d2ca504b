//! The algorithm of a pipeline: figure 5 (a), names resolved, values typed.
//!
//! ```text
//! pipeline p(uint8 in[,], int w) -> h { fun h(i) = 0; rdom (r = 0 .. w) h(in(r, 0)) += 1; }
//! ```
//! `build` makes it from the tree and reports what Definitions 4.2 and 4.5 refuse; `evaluate` gives it its meaning; `loops`
//! lowers it.
//!
//! # Invariants
//! 1. Reads of funcs are of earlier funcs, or in an update of the func itself (Definition 4.5).
//! 2. The bounds of reduction variables are startup expressions (Definition 4.4).
//! 3. Every stage obeys the syntactic separation restriction (Definition 4.2).
//! 4. The last func is an output. Inline reductions are funcs of their own, in front of their reader.
//! 5. Indices are `int`, predicates `bool`; the values of a stage have the types of its func.

use super::expr::{Expr, ExprKind, FuncId, InputId, Source, Variable};
use crate::source::Span;
use crate::target::FpMode;
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A pipeline.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// Its name.
    pub name: Rc<str>,
    /// Inputs and parameters in the order in which they are passed.
    pub parameters: Vec<Parameter>,
    /// Input images; [`InputId`] indexes them.
    pub inputs: Vec<Input>,
    /// Funcs in order of definition; [`FuncId`] indexes them.
    pub funcs: Vec<Func>,
    /// The outputs in the order behind `->`.
    pub outputs: Vec<FuncId>,
    /// All variables; [`Variable`] indexes them.
    pub variables: Vec<VariableInfo>,
    /// Startup values that other expressions mention, in order.
    pub lets: Vec<(Variable, Expr)>,
    /// The rules of its arithmetic.
    pub fp: FpMode,
    /// In which notation it is written.
    pub notation: Notation,
    /// What must hold when it starts, beside what windows ask for.
    pub requirements: Vec<Requirement>,
    /// What is looked at behind the first funcs, in front of all others.
    pub guards: Vec<Guard>,
    /// The windows that outputs have, whatever callers want: for each dimension begin and end, startup expressions.
    pub ranges: FxHashMap<FuncId, Vec<[Expr; 2]>>,
    /// Inputs that are overwritten: which, and the output that has their memory.
    pub inout: Vec<(InputId, FuncId)>,
    /// The funcs of the statements of each tensor, in order; the last one has its name. What no result needs has none.
    pub tensors: Vec<(Rc<str>, Vec<Option<FuncId>>)>,
    /// Its name in the text.
    pub span: Span,
}

/// The notation of an algorithm, and what follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// `pipeline`: the first index of an image is the dense one, and the order of float operations is that of the text.
    #[default]
    Pipeline,
    /// `def`: the last index of a tensor is the dense one, and reductions are associative (*Tensor Comprehensions*, "Implied
    /// Reductions and operators"). Dimensions are numbered here from the dense one on, as in pipelines.
    Tensors,
}

/// What must hold of a func, before another one is computed.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The func, which reads inputs alone.
    pub func: FuncId,
    /// Whose reads are right if it holds.
    pub user: FuncId,
    /// What must hold, of the func.
    pub requirement: Requirement,
}

impl Notation {
    /// The number that the text has for a dimension of what has so many, and the other way round.
    pub fn axis(self, rank: usize, dimension: usize) -> usize {
        match self {
            Notation::Pipeline => dimension,
            Notation::Tensors => rank - 1 - dimension,
        }
    }
}

/// What must hold of startup values.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The condition.
    pub condition: Expr,
    /// What is wrong where it does not hold: each `%` stands for a number, and `%%` for itself.
    pub reason: String,
    /// The numbers.
    pub numbers: Vec<Expr>,
}

/// What is passed to a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// An image.
    Input(InputId),
    /// A number.
    Scalar(Variable),
}

/// An input image.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name.
    pub name: Rc<str>,
    /// The type of a pixel.
    pub element: Element,
    /// For each dimension what is known of it at startup.
    pub dimensions: Vec<Dimension>,
    /// Its declaration.
    pub span: Span,
}

/// The window of an input in a dimension, and where its pixels are.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Its first coordinate.
    pub min: Variable,
    /// How many coordinates it has.
    pub extent: Variable,
    /// The distance of neighbours in pixels, an `int64`.
    pub stride: Variable,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub element: Element,
    /// What binds it.
    pub kind: VariableKind,
    /// Where it is bound.
    pub span: Span,
}

/// What binds a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// x: a dimension of its func.
    Pure,
    /// r: of a reduction domain.
    Reduction,
    /// p, the window of an input, or a `let` of these: known when the pipeline starts.
    Startup,
    /// A `let` of a stage.
    Let,
}

/// A func.
#[derive(Clone, Debug)]
pub struct Func {
    /// Its name.
    pub name: Rc<str>,
    /// Its pure variables, one for each dimension.
    pub variables: Vec<Variable>,
    /// The types of its values: one, or those of a tuple.
    pub elements: Vec<Element>,
    /// The pure stage U₀ and the updates.
    pub stages: Vec<Stage>,
    /// Is it that of an inline reduction?
    pub is_inline_reduction: bool,
    /// Does it hold partial results of another one (`rfactor`)?
    pub is_partial: bool,
    /// Its name in the text.
    pub span: Span,
}

impl Func {
    /// Visits what its stages read, as [`Expr::reads`] does.
    pub fn reads(&self, visit: &mut dyn FnMut(Source, &[Expr], Span)) {
        self.stages.iter().flat_map(Stage::expressions).for_each(|e| e.reads(visit));
    }

    /// Does it read a func?
    pub fn reads_func(&self, id: FuncId) -> bool {
        self.first_read(id).is_some()
    }

    /// Where it first reads a func.
    pub fn first_read(&self, id: FuncId) -> Option<Span> {
        let mut found = None;
        self.reads(&mut |source, _, span| {
            if matches!(source, Source::Func(read, _) if read == id) {
                found.get_or_insert(span);
            }
        });
        found
    }
}

/// A stage: `rdom(R) in (indices) ← values if predicate`.
#[derive(Clone, Debug)]
pub struct Stage {
    /// R, the first variable innermost.
    pub rdom: Vec<ReductionVariable>,
    /// What must hold, in front of the `let`s: of the pure and reduction variables and startup values. `rfactor` makes it.
    pub guard: Option<Expr>,
    /// `let`s in order, visible in the predicate, the indices and the values.
    pub lets: Vec<(Variable, Expr)>,
    /// e_P
    pub predicate: Option<Expr>,
    /// Where the stage writes; of the pure stage, the pure variables.
    pub indices: Vec<Expr>,
    /// What it writes.
    pub values: Vec<Expr>,
    /// Its text.
    pub span: Span,
}

/// r = (low, high − low)
#[derive(Clone, Debug)]
pub struct ReductionVariable {
    /// The variable.
    pub variable: Variable,
    /// Its first value.
    pub low: Expr,
    /// Behind its last value.
    pub high: Expr,
}

impl Pipeline {
    /// The strides of inputs: which input, in which dimension.
    pub fn strides(&self) -> impl Iterator<Item = (InputId, usize, Variable)> {
        let inputs = self.inputs.iter().enumerate();
        inputs.flat_map(|(id, input)| {
            let dimensions = input.dimensions.iter().enumerate();
            dimensions.map(move |(d, dimension)| (InputId(id as u32), d, dimension.stride))
        })
    }

    /// The output that has the memory of an input.
    pub fn overwrites(&self, input: InputId) -> Option<FuncId> {
        self.inout.iter().find(|(known, _)| *known == input).map(|(_, output)| *output)
    }

    /// The input whose memory an output has.
    pub fn overwritten_by(&self, output: FuncId) -> Option<InputId> {
        self.inout.iter().find(|(_, known)| *known == output).map(|(input, _)| *input)
    }

    /// May the order of float operations change in its reductions?
    pub fn reassociates(&self) -> bool {
        self.fp == FpMode::Fast || self.notation == Notation::Tensors
    }

    /// The number that its text has for a dimension of what has so many.
    pub fn axis(&self, rank: usize, dimension: usize) -> usize {
        self.notation.axis(rank, dimension)
    }

    /// What stands for dimensions, in the order of its text.
    pub fn in_text_order<T>(&self, mut list: Vec<T>) -> Vec<T> {
        if self.notation == Notation::Tensors {
            list.reverse();
        }
        list
    }

    /// A func.
    pub fn func(&self, id: FuncId) -> &Func {
        &self.funcs[id.0 as usize]
    }

    /// An input image.
    pub fn input(&self, id: InputId) -> &Input {
        &self.inputs[id.0 as usize]
    }

    /// The name of what is read.
    pub fn name_of(&self, source: Source) -> &Rc<str> {
        match source {
            Source::Func(id, _) => &self.func(id).name,
            Source::Input(id) => &self.input(id).name,
        }
    }

    /// What is read, as messages call it.
    pub fn called(&self, source: Source) -> String {
        let what = if matches!(source, Source::Func(..)) { "func" } else { "input" };
        format!("{what} `{}`", self.name_of(source))
    }

    /// How many dimensions has what is read?
    pub fn rank(&self, source: Source) -> usize {
        match source {
            Source::Func(id, _) => self.func(id).variables.len(),
            Source::Input(id) => self.input(id).dimensions.len(),
        }
    }

    /// The type of what is read.
    pub fn element_of(&self, source: Source) -> Element {
        match source {
            Source::Func(id, component) => self.func(id).elements[component],
            Source::Input(id) => self.input(id).element,
        }
    }

    /// A variable.
    pub fn variable(&self, variable: Variable) -> &VariableInfo {
        &self.variables[variable.0 as usize]
    }

    /// The scalar parameters, in order.
    pub fn scalars(&self) -> impl Iterator<Item = Variable> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Scalar(variable) => Some(*variable),
            Parameter::Input(_) => None,
        })
    }

    /// All funcs with their ids, in order of definition.
    pub fn numbered_funcs(&self) -> impl DoubleEndedIterator<Item = (FuncId, &Func)> {
        self.funcs.iter().enumerate().map(|(i, func)| (FuncId(i as u32), func))
    }

    /// The funcs that read each func, as its first component, and each image.
    pub fn readers(&self) -> FxHashMap<Source, FxHashSet<FuncId>> {
        let mut all: FxHashMap<Source, FxHashSet<FuncId>> = FxHashMap::default();
        for (id, func) in self.numbered_funcs() {
            func.reads(&mut |source, _, _| _ = all.entry(source.whole()).or_default().insert(id));
        }
        all
    }

    /// Other numbers for the funcs, in all that mentions them.
    pub fn renumber(&mut self, number: &dyn Fn(FuncId) -> FuncId) {
        let change = |e: &Expr| e.with_funcs(number);
        self.funcs.iter_mut().flat_map(|func| &mut func.stages).for_each(|stage| stage.change(&change));
        self.outputs.iter_mut().for_each(|id| *id = number(*id));
        self.inout.iter_mut().for_each(|(_, id)| *id = number(*id));
        for Guard { func, user, requirement } in &mut self.guards {
            (*func, *user) = (number(*func), number(*user));
            requirement.condition = requirement.condition.with_funcs(number);
            requirement.numbers.iter_mut().for_each(|e| *e = e.with_funcs(number));
        }
        self.tensors.iter_mut().flat_map(|(_, funcs)| funcs).flatten().for_each(|id| *id = number(*id));
        self.ranges = std::mem::take(&mut self.ranges).into_iter().map(|(id, range)| (number(id), range)).collect();
    }

    /// Leaves these funcs, in this order; nothing that is kept mentions others. The result has the new number of each.
    pub fn reorder(&mut self, order: &[FuncId]) -> Vec<FuncId> {
        let mut numbers = vec![FuncId(u32::MAX); self.funcs.len()];
        order.iter().enumerate().for_each(|(number, id)| numbers[id.0 as usize] = FuncId(number as u32));
        let old = std::mem::take(&mut self.funcs);
        self.funcs = order.iter().map(|id| old[id.0 as usize].clone()).collect();
        self.renumber(&|id| numbers[id.0 as usize]);
        numbers
    }

    /// What keeps an expression from being a startup expression (Definition 4.4): no func and no image is read, and every variable
    /// is known at startup.
    pub fn not_startup<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        let is_startup = |v: Variable| self.variable(v).kind == VariableKind::Startup;
        e.find(&|part| matches!(part.kind(), ExprKind::Read(..)) || part.as_variable().is_some_and(|v| !is_startup(v)))
    }

    /// Is it a startup expression?
    pub fn is_startup(&self, e: &Expr) -> bool {
        self.not_startup(e).is_none()
    }

    /// The first other func that reads one, and where.
    pub fn reader_of(&self, id: FuncId) -> Option<(FuncId, Span)> {
        let mut others = self.numbered_funcs().filter(|(reader, _)| *reader != id);
        others.find_map(|(reader, func)| Some((reader, func.first_read(id)?)))
    }
}

impl Stage {
    /// One of its expressions with its `let`s replaced.
    pub fn without_lets(&self, e: &Expr) -> Expr {
        let value = |v: Variable| self.lets.iter().find(|(variable, _)| *variable == v).map(|(_, value)| value.clone());
        e.expanded(&value)
    }

    /// One that writes these values there, of nothing else.
    pub fn plain(indices: Vec<Expr>, values: Vec<Expr>, span: Span) -> Stage {
        Stage { rdom: Vec::new(), guard: None, lets: Vec::new(), predicate: None, indices, values, span }
    }

    /// The expressions in it: guard, predicate, indices, values, and its `let`s.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let lets = self.lets.iter().map(|(_, e)| e);
        self.guard.iter().chain(lets).chain(&self.predicate).chain(&self.indices).chain(&self.values)
    }

    /// Changes them.
    pub fn change(&mut self, change: &dyn Fn(&Expr) -> Expr) {
        let lets = self.lets.iter_mut().map(|(_, e)| e);
        let others = self.predicate.iter_mut().chain(&mut self.indices).chain(&mut self.values);
        self.guard.iter_mut().chain(lets).chain(others).for_each(|e| *e = change(e));
    }

    /// Is dimension i pure in this stage (Definition 4.3)? `variables` are those of the func.
    pub fn is_pure_dimension(&self, variables: &[Variable], dimension: usize) -> bool {
        self.indices[dimension].as_variable() == Some(variables[dimension])
    }
}
