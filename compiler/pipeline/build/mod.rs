//! Syntax tree to algorithm: names, types, and the rules of a valid program.
//!
//! ```text
//! fun g(x) = sum(in(x + r) for r = 0 .. 3);   ──►   fun g.0(x) = 0;  rdom (r = 0 .. 3) g.0(x) += in(x + r);
//!                                                   fun g(x) = g.0(x);
//! ```
//! Expressions are checked by `check` as scalar code. What pipelines have beyond it is looked after first, from the inside of
//! an expression outwards, and stands in for its text: reads, inline reductions, boundary conditions, windows of inputs.

mod definitions;
mod edges;
mod guarded;
mod import;
mod lane_wise;
mod powers;
mod purity;
mod reads;
mod reductions;
mod separation;

use super::algorithm::{Dimension, Input, Parameter, Pipeline, VariableInfo, VariableKind};
use super::expr::{Expr, FuncId, InputId, Known, Source, Variable};
use super::plain;
use crate::check::ScalarExpressions;
use crate::diagnostics::{Code, Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::FpMode;
use crate::typed::ir::{FunctionId, LocalId};
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Builds the algorithm of a pipeline; `None` if something in it was refused.
pub fn build<'a>(pipeline: &'a plain::Pipeline, fp: FpMode, scope: &mut ScalarExpressions<'a>) -> Option<Pipeline> {
    let (name, span) = (pipeline.name.text.clone(), pipeline.name.span);
    let made = Pipeline { name, fp, span, ..Pipeline::default() };
    let all = pipeline.parts.iter().filter_map(|part| match &part.kind {
        plain::PartKind::Fun(fun) => Some(fun.name.text.clone()),
        plain::PartKind::Let(_) | plain::PartKind::Update(_) | plain::PartKind::Error(_) => None,
    });
    let mut builder = Builder::new(made, all.collect(), scope);
    builder.parameters(pipeline);
    let reads = builder.all_funcs.iter().chain(builder.inputs.keys()).cloned();
    builder.scope.may_call(reads.chain(plain::EDGES.map(Rc::from)));
    builder.parts(pipeline);
    builder.outputs(pipeline);
    let mut made = builder.finish()?;
    guarded::with_conditions(&mut made);
    Some(made)
}

/// All of what was made, if nothing of it was refused; it is all looked at in any case.
fn all_of<T>(made: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let made: Vec<Option<T>> = made.collect();
    made.into_iter().collect()
}

/// The stage that is being read.
struct CurrentStage {
    /// Its func, by name.
    func: Rc<str>,
    /// Its id if it is an update; the pure stage cannot read its func.
    id: Option<FuncId>,
}

/// What is known while an algorithm is read, in this notation or in another one.
pub struct Builder<'s, 'a> {
    /// The checker.
    pub scope: &'s mut ScalarExpressions<'a>,
    /// The algorithm so far.
    pub made: Pipeline,
    /// The variables behind the checker's locals.
    locals: FxHashMap<LocalId, Variable>,
    /// What variables stand for that are sizes of tensors.
    sizes: FxHashMap<Variable, Expr>,
    /// What the checker's stand-ins stand for.
    sources: FxHashMap<FunctionId, Source>,
    /// The funcs that are defined, by their names.
    pub funcs: FxHashMap<Rc<str>, FuncId>,
    /// The inputs, by their names.
    pub inputs: FxHashMap<Rc<str>, InputId>,
    /// All names of funcs, defined or to be defined.
    pub all_funcs: FxHashSet<Rc<str>>,
    /// Funcs and parameters that were refused; of what reads them nothing more is said.
    pub refused: FxHashSet<Rc<str>>,
    /// Variables and `let`s in scope, for inline reductions: with the value of a `let`.
    pub visible: Vec<(Variable, Option<Expr>)>,
    stage: Option<CurrentStage>,
    /// The stand-ins for [`super::expr::ExprKind::Within`].
    within: Vec<(FunctionId, Known)>,
    /// Was something refused?
    pub failed: bool,
}

impl<'s, 'a> Builder<'s, 'a> {
    /// Begins an algorithm, in a scope of its own. `names` are those of all its funcs.
    pub fn new(made: Pipeline, names: FxHashSet<Rc<str>>, scope: &'s mut ScalarExpressions<'a>) -> Self {
        scope.open();
        Builder {
            scope,
            made,
            locals: FxHashMap::default(),
            sizes: FxHashMap::default(),
            sources: FxHashMap::default(),
            funcs: FxHashMap::default(),
            inputs: FxHashMap::default(),
            all_funcs: names,
            refused: FxHashSet::default(),
            visible: Vec::new(),
            stage: None,
            within: Vec::new(),
            failed: false,
        }
    }

    /// The stand-in for values of which this is known.
    fn within(&mut self, known: Known) -> FunctionId {
        if let Some((stand_in, _)) = self.within.iter().find(|(_, own)| *own == known) {
            return *stand_in;
        }
        let stand_in = self.scope.stand_in("within", Element::Int32);
        self.within.push((stand_in, known));
        stand_in
    }

    /// The algorithm; `None` if something in it was refused.
    pub fn finish(self) -> Option<Pipeline> {
        self.scope.close();
        (!self.failed).then_some(self.made)
    }
}

impl<'a> Builder<'_, 'a> {
    /// Reports an error.
    pub fn error<T>(&mut self, code: &'static Code, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::error(code, span, message))
    }

    /// Reports it.
    pub fn report<T>(&mut self, error: Diagnostic) -> Option<T> {
        self.scope.report(error);
        self.fail()
    }

    /// Something was refused, and that has been said.
    pub fn fail<T>(&mut self) -> Option<T> {
        self.failed = true;
        None
    }

    /// A variable that the innermost scope finds by its name.
    pub fn bind(&mut self, name: &ast::Name, element: Element, kind: VariableKind) -> Variable {
        let local = self.scope.variable(name, element);
        self.new_variable(local, &name.text, element, kind, name.span)
    }

    fn new_variable(&mut self, local: LocalId, name: &str, element: Element, kind: VariableKind, span: Span) -> Variable {
        let variable = Variable(self.made.variables.len() as u32);
        self.made.variables.push(VariableInfo { name: name.into(), element, kind, span });
        self.locals.insert(local, variable);
        variable
    }

    /// The local of the checker behind a variable.
    fn local_of(&self, variable: Variable) -> LocalId {
        let found = self.locals.iter().find(|(_, v)| **v == variable);
        *found.expect("a variable has a local").0
    }

    /// From now on the innermost scope finds a variable by another name, too.
    pub fn alias(&mut self, name: &ast::Name, variable: Variable) {
        let element = self.made.variable(variable).element;
        let local = self.scope.variable(name, element);
        self.locals.insert(local, variable);
    }

    /// The element type of a parameter.
    pub fn element(&mut self, ty: &ast::Type) -> Option<Element> {
        match (&ty.kind, &ty.qualifier) {
            (ast::TypeKind::Element(element), ast::Qualifier::Unbound | ast::Qualifier::Scalar(_)) => Some(*element),
            (ast::TypeKind::Error, _) => self.fail(),
            _ => self.error(&codes::PIPELINE_TYPE, ty.span, "parameters and pixels are scalar numbers"),
        }
    }

    fn parameters(&mut self, pipeline: &'a plain::Pipeline) {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for parameter in &pipeline.parameters {
            let name = &parameter.name;
            if let Some(first) = seen.insert(&name.text, name.span) {
                let message = format!("parameter `{}` is named twice", name.text);
                let error = Diagnostic::error(&codes::DUPLICATE_NAME, name.span, message);
                self.report::<()>(error.with_secondary(first, "the first one"));
                continue;
            }
            let Some(element) = self.element(&parameter.ty) else {
                self.refused.insert(name.text.clone());
                continue;
            };
            // Programs of other languages pass it, as they do to exports.
            if parameter.rank.is_none() && element == Element::Float16 {
                let message = format!("`{}` would be passed by value", element.name());
                let error = Diagnostic::error(&codes::PIPELINE_TYPE, parameter.ty.span, message);
                self.report::<()>(error.with_help("a parameter that is a number is a `float`; images may be of `float16`"));
                self.refused.insert(name.text.clone());
                continue;
            }
            let made = match parameter.rank {
                None => Parameter::Scalar(self.bind(name, element, VariableKind::Startup)),
                Some(rank) => Parameter::Input(self.input(name, element, rank)),
            };
            self.made.parameters.push(made);
        }
    }

    /// An input image with so many dimensions.
    pub fn input(&mut self, name: &ast::Name, element: Element, rank: usize) -> InputId {
        let notation = self.made.notation;
        let mut startup = |what: &str, element: Element, d: usize| {
            let text = format!("{}.{what}({})", name.text, notation.axis(rank, d));
            let local = self.scope.unnamed(&text, element, name.span);
            self.new_variable(local, &text, element, VariableKind::Startup, name.span)
        };
        let mut dimension = |d| Dimension {
            min: startup("min", Element::Int32, d),
            extent: startup("extent", Element::Int32, d),
            stride: startup("stride", Element::Int64, d),
        };
        let dimensions = (0..rank).map(&mut dimension).collect();
        let id = InputId(self.made.inputs.len() as u32);
        self.made.inputs.push(Input { name: name.text.clone(), element, dimensions, span: name.span });
        self.inputs.insert(name.text.clone(), id);
        let stand_in = self.scope.stand_in(&name.text, element);
        self.sources.insert(stand_in, Source::Input(id));
        id
    }
}
