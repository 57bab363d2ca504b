//! What an algorithm means: the natural semantics of figure 6, lazily, point by point. The oracle of the schedules.
//!
//! [Func-Eval] is `at`, [RDom-Eval] and [Update-Eval] are `after`: a reduction domain is unrolled into point updates, of which
//! the last one that meets the point counts, and what an update reads of its own func is its state before. Points are
//! remembered, which the rules cannot tell.

use super::algorithm::{Pipeline, Stage, VariableKind};
use super::expr::{Expr, FuncId, InputId, Source, Variable};
use super::value::{Environment, Known, Value, evaluate};
use crate::typed::interpret::scalar;
use crate::typed::ir::Program;
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An image: a window and its pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The type of a pixel.
    pub element: Element,
    /// For each dimension the first coordinate and the extent.
    pub window: Vec<(i64, i64)>,
    /// The bits of the pixels, dimension 0 innermost.
    pub pixels: Vec<u64>,
}

impl Image {
    /// An image whose pixels are all 0.
    pub fn new(element: Element, window: Vec<(i64, i64)>) -> Image {
        let count: i64 = window.iter().map(|&(_, extent)| extent.max(0)).product();
        Image { element, window, pixels: vec![0; count as usize] }
    }

    /// Where a point is among the pixels.
    pub fn place(&self, point: &[i64]) -> Option<usize> {
        place(&self.window, point)
    }

    /// All points in the order of the pixels.
    pub fn points(&self) -> Vec<Vec<i64>> {
        points(&self.window)
    }
}

/// Where a point of a window is among all, dimension 0 innermost.
pub fn place(window: &[(i64, i64)], point: &[i64]) -> Option<usize> {
    let mut place = 0;
    for (&c, &(min, extent)) in point.iter().zip(window).rev() {
        if c < min || c >= min + extent {
            return None;
        }
        place = place * extent + (c - min);
    }
    Some(place as usize)
}

/// The points of a window, dimension 0 innermost.
pub fn points(window: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &(min, extent) in window.iter().rev() {
        let longer = |rest: &Vec<i64>, c: i64| std::iter::once(c).chain(rest.iter().copied()).collect::<Vec<i64>>();
        all = all.iter().flat_map(|rest| (min..min + extent.max(0)).map(move |c| longer(rest, c))).collect();
    }
    all
}

/// z: what a pipeline is given.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The input images in order.
    pub inputs: Vec<Image>,
    /// The bits of the scalar parameters in order.
    pub scalars: Vec<u64>,
}

/// An algorithm with its arguments.
pub struct Evaluator<'p> {
    pipeline: &'p Pipeline,
    program: &'p Program,
    inputs: &'p [Image],
    startup: FxHashMap<Variable, Value>,
    known: FxHashMap<State, Rc<[Value]>>,
}

/// A func, a stage, how many of its instances have run, and a point.
type State = (FuncId, usize, usize, Vec<i64>);

impl<'p> Evaluator<'p> {
    /// \[c/p\]: with arguments for the parameters. `program` has the functions that the pipeline calls.
    pub fn new(pipeline: &'p Pipeline, program: &'p Program, arguments: &'p Arguments) -> Evaluator<'p> {
        let startup = startup(pipeline, program, arguments);
        Evaluator { pipeline, program, inputs: &arguments.inputs, startup, known: FxHashMap::default() }
    }

    /// The value of a startup expression of an `int`.
    pub fn startup_value(&mut self, e: &Expr) -> Option<i64> {
        let mut scope = Scope { evaluator: self, variables: FxHashMap::default(), state: None };
        evaluate(e, &mut scope).bits().map(|bits| scalar::integer(Element::Int32, bits) as i64)
    }

    /// [Func-Eval]: the values of f at a point, behind all its stages.
    pub fn at(&mut self, func: FuncId, point: &[i64]) -> Rc<[Value]> {
        self.behind(func, self.pipeline.func(func).stages.len() - 1, point)
    }

    /// The values at a point behind all instances of a stage.
    fn behind(&mut self, func: FuncId, stage: usize, point: &[i64]) -> Rc<[Value]> {
        match self.instances(func, stage) {
            Some(count) => self.after(func, stage, count, point),
            None => self.error(func),
        }
    }

    /// The points of each func that were looked at so far: those that what was asked for needs.
    pub fn needed(&self) -> FxHashMap<FuncId, FxHashSet<Vec<i64>>> {
        let mut all: FxHashMap<FuncId, FxHashSet<Vec<i64>>> = FxHashMap::default();
        for (func, _, _, point) in self.known.keys() {
            all.entry(*func).or_default().insert(point.clone());
        }
        all
    }

    /// ε_rdom for all values.
    fn error(&self, func: FuncId) -> Rc<[Value]> {
        vec![Value::RdomError; self.pipeline.func(func).elements.len()].into()
    }

    /// How many instances the reduction domain of a stage has; `None` for a negative extent in this stage or one before
    /// ([RDom-Err]).
    fn instances(&mut self, func: FuncId, stage: usize) -> Option<usize> {
        for earlier in 0..stage {
            self.domain(func, earlier)?;
        }
        Some(self.domain(func, stage)?.iter().map(|&(_, extent)| extent as usize).product())
    }

    /// The windows of the reduction variables, the first one innermost.
    fn domain(&mut self, func: FuncId, stage: usize) -> Option<Vec<(i64, i64)>> {
        let pipeline = self.pipeline;
        let mut windows = Vec::new();
        for r in &pipeline.func(func).stages[stage].rdom {
            let mut scope = Scope { evaluator: self, variables: FxHashMap::default(), state: None };
            let bounds = [&r.low, &r.high].map(|e| evaluate(e, &mut scope).bits());
            let [Some(low), Some(high)] = bounds else { return None };
            let int = |bits| scalar::integer(Element::Int32, bits) as i64;
            let (low, extent) = (int(low), int(high) - int(low));
            if extent < 0 {
                return None;
            }
            windows.push((low, extent));
        }
        Some(windows)
    }

    /// The values at a point behind the first `count` instances of a stage.
    fn after(&mut self, func: FuncId, stage: usize, count: usize, point: &[i64]) -> Rc<[Value]> {
        let key = (func, stage, count, point.to_vec());
        if let Some(values) = self.known.get(&key) {
            return values.clone();
        }
        let values = self.unremembered(func, stage, count, point);
        self.known.insert(key, values.clone());
        values
    }

    fn unremembered(&mut self, func: FuncId, stage: usize, count: usize, point: &[i64]) -> Rc<[Value]> {
        let pipeline = self.pipeline;
        let definition = pipeline.func(func);
        let rule = &definition.stages[stage];
        let Some(domain) = self.domain(func, stage) else { return self.error(func) };
        // Pure variables that the stage mentions stand for themselves (4.2); others are not looked at.
        let pure: FxHashMap<Variable, Value> =
            definition.variables.iter().zip(point).map(|(&v, &c)| (v, Value::Bits(int_bits(c)))).collect();
        // The last update that meets the point counts.
        for instance in (0..count).rev() {
            let mut variables = pure.clone();
            let mut rest = instance as i64;
            for (r, &(low, extent)) in rule.rdom.iter().zip(&domain) {
                variables.insert(r.variable, Value::Bits(int_bits(low + rest % extent)));
                rest /= extent;
            }
            if let Some(values) = self.update(func, stage, instance, rule, variables, point) {
                return values;
            }
        }
        if stage == 0 {
            unreachable!("the pure stage meets every point");
        }
        self.behind(func, stage - 1, point)
    }

    /// [Update-Eval] for one instance: its values if it meets the point.
    fn update(
        &mut self,
        func: FuncId,
        stage: usize,
        instance: usize,
        rule: &Stage,
        variables: FxHashMap<Variable, Value>,
        point: &[i64],
    ) -> Option<Rc<[Value]>> {
        let mut scope = Scope { evaluator: self, variables, state: Some((func, stage, instance)) };
        if let Some(guard) = &rule.guard
            && evaluate(guard, &mut scope).bits() == Some(0)
        {
            return None;
        }
        for (variable, value) in &rule.lets {
            let value = evaluate(value, &mut scope);
            scope.variables.insert(*variable, value);
        }
        let mut error = None;
        for (index, &c) in rule.indices.iter().zip(point) {
            match evaluate(index, &mut scope) {
                Value::Bits(bits) if scalar::integer(Element::Int32, bits) as i64 != c => return None,
                Value::Bits(_) => {}
                other => error = error.max(Some(other)),
            }
        }
        if let Some(predicate) = &rule.predicate {
            match evaluate(predicate, &mut scope) {
                Value::Bits(0) => return None,
                Value::Bits(_) => {}
                other => error = error.max(Some(other)),
            }
        }
        if let Some(error) = error {
            return Some(vec![error; rule.values.len()].into());
        }
        Some(rule.values.iter().map(|e| evaluate(e, &mut scope)).collect())
    }
}

/// The variables that are known before anything is computed.
pub fn startup(pipeline: &Pipeline, program: &Program, arguments: &Arguments) -> FxHashMap<Variable, Value> {
    let mut known = Known { program, variables: FxHashMap::default() };
    for (input, image) in pipeline.inputs.iter().zip(&arguments.inputs) {
        let mut stride = 1;
        for (dimension, &(min, extent)) in input.dimensions.iter().zip(&image.window) {
            known.variables.insert(dimension.min, Value::Bits(int_bits(min)));
            known.variables.insert(dimension.extent, Value::Bits(int_bits(extent)));
            known.variables.insert(dimension.stride, Value::Bits(stride as u64));
            stride *= extent.max(0);
        }
    }
    known.variables.extend(pipeline.scalars().zip(arguments.scalars.iter().map(|&bits| Value::Bits(bits))));
    known.define(&pipeline.lets);
    known.variables
}

/// The bits of an `int`.
pub fn int_bits(value: i64) -> u64 {
    scalar::wrapped(Element::Int32, i128::from(value))
}

struct Scope<'e, 'p> {
    evaluator: &'e mut Evaluator<'p>,
    variables: FxHashMap<Variable, Value>,
    /// In an update: its func, its stage, and how many of its instances came before.
    state: Option<(FuncId, usize, usize)>,
}

impl Environment for Scope<'_, '_> {
    fn variable(&mut self, variable: Variable) -> Value {
        let known = self.variables.get(&variable).or_else(|| self.evaluator.startup.get(&variable));
        let info = self.evaluator.pipeline.variable(variable);
        debug_assert!(known.is_some() || info.kind == VariableKind::Pure, "{} is bound", info.name);
        *known.expect("a variable is bound")
    }

    fn read(&mut self, source: Source, indices: &[i64]) -> Value {
        match source {
            Source::Input(InputId(id)) => {
                let image = &self.evaluator.inputs[id as usize];
                image.place(indices).map_or(Value::MemoryError, |place| Value::Bits(image.pixels[place]))
            }
            Source::Func(func, component) => match self.state {
                Some((own, stage, 0)) if own == func => self.evaluator.behind(func, stage - 1, indices)[component],
                Some((own, stage, instance)) if own == func => self.evaluator.after(func, stage, instance, indices)[component],
                Some(_) | None => self.evaluator.at(func, indices)[component],
            },
        }
    }

    fn program(&self) -> &Program {
        self.evaluator.program
    }
}
