//! The structural semantics of loops: figure 8. Memory begins as ε_mem, and a run gets stuck in the paper's four ways and in no
//! other. Parallel loops run their iterations from the last to the first: any order must do.

use super::super::associative::apply;
use super::super::evaluate::{Arguments, Image, int_bits, place, startup};
use super::super::expr::{Expr, ExprKind, FuncId, InputId, Source, Variable, rebind};
use super::super::limits::NOTHING_DONE;
use super::super::value::{Environment, Value, evaluate};
use super::check::Check;
use super::integers::in_integers;
use super::ir::{Nest, Order, Statement, Store};
use super::lower::memory_window;
use crate::typed::interpret::scalar;
use crate::typed::ir::Program;
use crate::types::Element;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The most elements of an allocation.
const MOST_ELEMENTS: i64 = 1 << 24;

/// The states that get stuck.
#[derive(Clone, Debug, PartialEq)]
pub enum Stuck {
    /// (1) An assertion does not hold (Definition 5.1).
    Assertion(String),
    /// (2) The extent of a loop is negative (Definition 5.2).
    NegativeExtent(String),
    /// (3) A read outside of an allocation, or of an input (Definition 5.3).
    ReadOutside(String),
    /// (4) A store outside of an allocation (Definition 5.3).
    WriteOutside(String),
    /// An error value where a decision is made: a bound, a branch or an index. By Lemma 7.2 a bug of this compiler.
    Undecided(String),
}

/// What a run did, for pictures and tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// How many points each func stored, by func.
    pub stores: FxHashMap<FuncId, u64>,
    /// The greatest number of elements that were allocated at a time.
    pub peak: u64,
    /// The same in bytes.
    pub peak_bytes: u64,
}

/// What a run leaves: for each output the allocation with its values.
pub struct Run {
    /// The buffers of the outputs, in order: window and values by component.
    pub outputs: Vec<Buffer>,
    /// What was done.
    pub counts: Counts,
}

/// ⟨f̂, I⟩: values and the bounds of their allocation.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// First coordinate and extent of each dimension.
    pub window: Vec<(i64, i64)>,
    /// By point, dimension 0 innermost, then by component.
    pub values: Vec<Value>,
    components: usize,
    bytes: u64,
    /// A dimension in which c stands at c mod F, and F.
    fold: Option<(usize, i64)>,
    /// By point, which coordinate stands at a slot of the folded dimension.
    tags: Vec<i64>,
    /// The values of what does not stand there any more.
    lost: Vec<Value>,
}

impl Buffer {
    fn new(window: Vec<(i64, i64)>, elements: &[Element], fold: Option<(usize, i64)>) -> Buffer {
        let count = window.iter().map(|&(_, extent)| extent.max(0)).product::<i64>() as usize;
        let bytes = count as u64 * elements.iter().map(|e| e.size()).sum::<u64>();
        let tags = if fold.is_some() { vec![0; count] } else { Vec::new() };
        let lost = vec![Value::MemoryError; elements.len()];
        let values = vec![Value::MemoryError; count * elements.len()];
        Buffer { values, window, components: elements.len(), bytes, fold, tags, lost }
    }

    fn place(&self, point: &[i64]) -> Option<usize> {
        let Some((folded, factor)) = self.fold else { return place(&self.window, point) };
        let mut slot = point.to_vec();
        slot[folded] = slot[folded].rem_euclid(factor);
        place(&self.window, &slot)
    }

    /// The values at a point; `None` outside. A slot that another coordinate has taken holds ε_mem.
    pub fn at(&self, point: &[i64]) -> Option<&[Value]> {
        let place = self.place(point)?;
        let is_lost = self.fold.is_some_and(|(d, _)| self.tags[place] != point[d]);
        let first = place * self.components;
        Some(if is_lost { &self.lost } else { &self.values[first..first + self.components] })
    }

    /// Stores the values at a point; false outside.
    fn set(&mut self, point: &[i64], values: &[Value]) -> bool {
        let Some(place) = self.place(point) else { return false };
        if let Some((d, _)) = self.fold {
            self.tags[place] = point[d];
        }
        let first = place * self.components;
        self.values[first..first + self.components].copy_from_slice(values);
        true
    }
}

/// A step of a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// A func is allocated: for each dimension first coordinate and extent.
    Allocate(FuncId, &'e [(i64, i64)]),
    /// A point is stored by a stage.
    Store(FuncId, usize, &'e [i64]),
    /// Some value of the point that is stored next wrapped, or something it is computed from on the spot.
    Wrapped(FuncId),
    /// A point is read.
    Load(Source, &'e [i64]),
}

/// Runs a nest without holes. `windows` has for each output the window that is asked for.
///
/// # Errors
/// Where it gets stuck.
pub fn interpret(nest: &Nest, program: &Program, arguments: &Arguments, windows: &[(Variable, i64)]) -> Result<Run, Stuck> {
    observe(nest, program, arguments, windows, &mut |_| {})
}

/// [`interpret`], which tells what it does.
///
/// # Errors
/// Where it gets stuck.
pub fn observe(
    nest: &Nest,
    program: &Program,
    arguments: &Arguments,
    windows: &[(Variable, i64)],
    observer: &mut dyn FnMut(Event<'_>),
) -> Result<Run, Stuck> {
    let pipeline = &*nest.pipeline;
    let mut variables = startup(pipeline, program, arguments);
    variables.extend(windows.iter().map(|&(variable, value)| (variable, Value::Bits(int_bits(value)))));
    // Outputs are dense here.
    for request in &nest.requests {
        let mut stride = 1i64;
        for (&[_, extent], &variable) in request.window.iter().zip(&request.strides) {
            variables.insert(variable, Value::Bits(stride as u64));
            let extent = windows.iter().find(|(v, _)| *v == extent).map_or(0, |(_, value)| *value);
            stride = stride.wrapping_mul(extent.max(0));
        }
    }
    let mut machine = Machine {
        nest,
        program,
        inputs: &arguments.inputs,
        variables,
        store: FxHashMap::default(),
        kept: FxHashMap::default(),
        outside: None,
        counts: Counts::default(),
        live: 0,
        live_bytes: 0,
        whole: FxHashMap::default(),
        starts: true,
        wrapped: false,
        observer,
    };
    machine.statement(&nest.body)?;
    // An output without points may have no memory.
    let none = |id: FuncId| Buffer::new(vec![(0, 0); pipeline.func(id).variables.len()], &pipeline.func(id).elements, None);
    let outputs = pipeline.outputs.iter().map(|id| machine.kept.remove(id).unwrap_or_else(|| none(*id))).collect();
    Ok(Run { outputs, counts: machine.counts })
}

struct Machine<'n> {
    nest: &'n Nest,
    program: &'n Program,
    inputs: &'n [Image],
    /// Σ
    variables: FxHashMap<Variable, Value>,
    /// σ: the allocations of each func, the innermost last.
    store: FxHashMap<FuncId, Vec<Buffer>>,
    /// The buffers of outputs, which outlive their scope.
    kept: FxHashMap<FuncId, Buffer>,
    /// The first read outside in the expression at hand.
    outside: Option<String>,
    counts: Counts,
    live: u64,
    live_bytes: u64,
    /// The windows of the root block in ℤ.
    whole: FxHashMap<Variable, i128>,
    /// Has no work been done yet?
    starts: bool,
    /// Has an operation on integers wrapped in the values at hand?
    wrapped: bool,
    observer: &'n mut dyn FnMut(Event<'_>),
}

impl Environment for Machine<'_> {
    fn variable(&mut self, variable: Variable) -> Value {
        *self.variables.get(&variable).unwrap_or_else(|| panic!("{} is bound", self.nest.name(variable)))
    }

    fn read(&mut self, source: Source, indices: &[i64]) -> Value {
        (self.observer)(Event::Load(source, indices));
        let found = match source {
            Source::Input(InputId(id)) => {
                let image = &self.inputs[id as usize];
                image.place(indices).map(|place| Value::Bits(image.pixels[place]))
            }
            Source::Func(func, component) => {
                let buffer = self.store.get(&func).and_then(|stack| stack.last());
                buffer.and_then(|b| b.at(indices)).map(|values| values[component])
            }
        };
        found.unwrap_or_else(|| {
            let name = self.nest.pipeline.name_of(source);
            self.outside.get_or_insert_with(|| format!("read of {name} at {indices:?}"));
            Value::MemoryError
        })
    }

    fn program(&self) -> &Program {
        self.program
    }

    fn wrapped(&mut self) {
        self.wrapped = true;
    }
}

impl Machine<'_> {
    /// e ⇓ c, which gets stuck at a read outside.
    fn value(&mut self, e: &Expr) -> Result<Value, Stuck> {
        let value = evaluate(e, self);
        match self.outside.take() {
            Some(read) => Err(Stuck::ReadOutside(read)),
            None => Ok(value),
        }
    }

    /// An integer that decides.
    fn integer(&mut self, e: &Expr) -> Result<i64, Stuck> {
        match self.value(e)? {
            Value::Bits(bits) => Ok(scalar::integer(e.element(), bits) as i64),
            error => Err(Stuck::Undecided(format!("{error:?} in {}", super::print::expression(self.nest, e)))),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Stuck> {
        match statement {
            Statement::Nop => Ok(()),
            Statement::Assert(check) => match self.whole(&check.condition)? {
                0 => Err(Stuck::Assertion(self.reason(check)?)),
                _ => Ok(()),
            },
            Statement::Sequence(list) => {
                let mut allocated = Vec::new();
                for s in list {
                    if let Statement::Allocate(func, _) = s {
                        self.allocate(*func)?;
                        allocated.push(*func);
                    } else {
                        self.statement(s)?;
                    }
                }
                for func in allocated {
                    let buffer = self.store.get_mut(&func).and_then(Vec::pop).expect("an allocation");
                    self.live -= buffer.values.len() as u64;
                    self.live_bytes -= buffer.bytes;
                    if self.nest.pipeline.outputs.contains(&func) {
                        self.kept.insert(func, buffer);
                    }
                }
                Ok(())
            }
            Statement::Allocate(func, _) => self.allocate(*func),
            Statement::Store(store) => self.assign(store),
            Statement::Accumulate(update) => {
                let element = self.nest.pipeline.func(update.stage.func).elements[0];
                let read = ExprKind::Read(Source::Func(update.stage.func, 0), update.indices.clone());
                let value = apply(update.op, Expr::new(read, element, update.span), update.value.clone());
                let (stage, indices, span) = (update.stage, update.indices.clone(), update.span);
                self.assign(&Store { stage, indices, values: vec![value], span })
            }
            Statement::If(condition, body) => match self.integer(condition)? {
                0 => Ok(()),
                _ => self.statement(body),
            },
            Statement::Either(condition, sides) => match self.integer(condition)? {
                0 => self.statement(&sides[1]),
                _ => self.statement(&sides[0]),
            },
            Statement::For(l) => {
                let (min, length) = (self.integer(&l.min)?, self.integer(&l.length)?);
                if length < 0 {
                    return Err(Stuck::NegativeExtent(self.nest.name(l.variable).to_owned()));
                }
                self.repeat(l.variable, min..min + length, l.order == Order::Parallel, &l.body)
            }
            Statement::Foreach(f) => {
                let (low, high) = (self.integer(&f.low)?, self.integer(&f.high)?);
                self.repeat(f.variable, low..high, f.is_parallel, &f.body)
            }
            Statement::Let(variable, value, body) if self.starts && value.element() == Element::Int32 => {
                let value = self.whole(value)?;
                self.whole.insert(*variable, value);
                self.bind(*variable, Value::Bits(scalar::wrapped(Element::Int32, value)), body)
            }
            Statement::Let(variable, value, body) | Statement::Greatest(variable, value, body) => {
                let value = self.value(value)?;
                self.bind(*variable, value, body)
            }
            Statement::Slide(done, body) => self.bind(*done, Value::Bits(int_bits(NOTHING_DONE)), body),
            Statement::Advance(done, e) => {
                let reached = self.integer(e)?;
                let known = scalar::integer(Element::Int32, self.variables[done].bits().expect("a coordinate")) as i64;
                self.variables.insert(*done, Value::Bits(int_bits(reached.max(known))));
                Ok(())
            }
            Statement::Produce(_, body) | Statement::Stage(_, body) => self.statement(body),
        }
    }

    /// The iterations of a loop; of a parallel one, the last one first.
    fn repeat(&mut self, variable: Variable, range: Range<i64>, is_parallel: bool, body: &Statement) -> Result<(), Stuck> {
        let Range { start, end } = range;
        range.into_iter().try_for_each(|at| {
            let at = if is_parallel { start + (end - 1 - at) } else { at };
            self.bind(variable, Value::Bits(int_bits(at)), body)
        })
    }

    fn bind(&mut self, variable: Variable, value: Value, body: &Statement) -> Result<(), Stuck> {
        let outer = self.variables.insert(variable, value);
        let result = self.statement(body);
        rebind(&mut self.variables, variable, outer);
        result
    }

    /// Why a check does not hold.
    fn reason(&mut self, check: &Check) -> Result<String, Stuck> {
        let mut numbers = check.numbers.iter();
        let mut parts = Vec::new();
        for part in check.reason.split("%%") {
            let (first, behind) = part.split_once('%').map_or((part, None), |(first, behind)| (first, Some(behind)));
            let mut text = first.to_owned();
            for piece in behind.into_iter().flat_map(|behind| behind.split('%')) {
                let number = self.whole(numbers.next().expect("a number for each %"))?;
                text += &format!("{number}{piece}");
            }
            parts.push(text);
        }
        Ok(parts.join("%"))
    }

    /// An integer of the root block, or whether a start check holds, in ℤ.
    fn whole(&mut self, e: &Expr) -> Result<i128, Stuck> {
        let known = std::mem::take(&mut self.whole);
        let value = in_integers(e, &known, self);
        self.whole = known;
        value.ok_or_else(|| Stuck::Undecided(super::print::expression(self.nest, e)))
    }

    /// [Alloc]
    fn allocate(&mut self, func: FuncId) -> Result<(), Stuck> {
        self.starts = false;
        let definition = self.nest.pipeline.func(func);
        let mut window = Vec::new();
        for dimension in 0..definition.variables.len() {
            let [min, length] = memory_window(self.nest, func, dimension);
            window.push((self.integer(&min)?, self.integer(&length)?));
        }
        let count = window.iter().map(|w| w.1.max(0)).try_fold(1i64, i64::checked_mul);
        if count.is_none_or(|count| count > MOST_ELEMENTS) {
            return Err(Stuck::Assertion(format!("there is no memory for {}", definition.name)));
        }
        (self.observer)(Event::Allocate(func, &window));
        let fold = self.nest.fold(func).map(|fold| Ok((fold.dimension, self.integer(&fold.factor)?))).transpose()?;
        let buffer = Buffer::new(window, &definition.elements, fold);
        self.live += buffer.values.len() as u64;
        self.live_bytes += buffer.bytes;
        self.counts.peak = self.counts.peak.max(self.live);
        self.counts.peak_bytes = self.counts.peak_bytes.max(self.live_bytes);
        self.store.entry(func).or_default().push(buffer);
        Ok(())
    }

    /// [Assn]: all values of a tuple are computed, then all are stored.
    fn assign(&mut self, store: &Store) -> Result<(), Stuck> {
        let point = store.indices.iter().map(|index| self.integer(index)).collect::<Result<Vec<_>, _>>()?;
        self.wrapped = false;
        let values = store.values.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        let func = store.stage.func;
        if self.wrapped {
            (self.observer)(Event::Wrapped(func));
        }
        let name = &self.nest.pipeline.func(func).name;
        let buffer = self.store.get_mut(&func).and_then(|stack| stack.last_mut());
        let Some(buffer) = buffer else { return Err(Stuck::WriteOutside(format!("{name} is not allocated"))) };
        if !buffer.set(&point, &values) {
            return Err(Stuck::WriteOutside(format!("{name} at {point:?}, allocated on {:?}", buffer.window)));
        }
        (self.observer)(Event::Store(func, store.stage.stage, &point));
        *self.counts.stores.entry(func).or_default() += 1;
        Ok(())
    }
}

/// The valid part of an output: its window, without error values. `None` if one is left.
pub fn valid(buffer: &Buffer, component: usize, element: Element, window: &[(i64, i64)]) -> Option<Image> {
    let mut image = Image::new(element, window.to_vec());
    for point in image.points() {
        let value = buffer.at(&point)?[component].bits()?;
        let place = image.place(&point).expect("a point of the window");
        image.pixels[place] = value;
    }
    Some(image)
}
