//! What is known while a schedule is printed: names of variables, and where the elements of funcs and images are.

use super::super::algorithm::{Notation, Parameter};
use super::super::bounds::infer::Windows;
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Binder, End, HoleKind, Nest, OutputWindow};
use super::super::simplify::{constant_value, linear, simplify};
use super::lines::{Definition, Lines};
use super::program::{Called, Program};
use crate::target::FpMode;
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What stands for a variable.
#[derive(Clone)]
pub(super) enum Value {
    /// A variable of the text, defined by a line.
    Local(String, Definition),
    /// Text that is no variable: `in.min(0)`.
    Text(String),
    /// Another expression, which is as short as a name.
    Same(Expr),
}

/// Where the elements of a func or an image are.
#[derive(Clone)]
pub(super) enum Place {
    /// `name(x, y)`; in the dimension with a mask, `x & mask`.
    Image { name: String, fold: Option<(usize, Expr)> },
    /// `name[…]`: memory in a vector loop, by the first coordinates and the extents. The lanes may have elements of their own.
    Scratch { name: String, window: Vec<[Expr; 2]>, has_lanes: bool },
    /// A reference.
    Reference(String),
}

/// A schedule while it is printed.
pub(super) struct Printer<'n> {
    pub nest: &'n Nest,
    pub windows: &'n Windows,
    /// The name of its function.
    pub name: &'n str,
    pub program: &'n Program<'n>,
    pub lines: Lines,
    /// Functions beside it.
    pub helpers: Vec<Lines>,
    /// What these are for: for their key the name.
    pub known_helpers: FxHashMap<String, String>,
    /// The functions that it calls.
    pub called: Vec<Called>,
    pub values: FxHashMap<Variable, Value>,
    pub places: FxHashMap<Source, Place>,
    /// The names that are taken here, and those of each block around.
    names: FxHashSet<String>,
    /// Names that no variable may have.
    reserved: FxHashSet<Rc<str>>,
    /// How many lanes the vector loop around has; 1 outside of such.
    pub lanes: u8,
    /// The variables that differ between the lanes.
    pub varying: FxHashSet<Variable>,
    /// Is this in a strict function?
    pub is_exact: bool,
}

impl<'n> Printer<'n> {
    pub fn new(nest: &'n Nest, windows: &'n Windows, name: &'n str, program: &'n Program<'n>) -> Self {
        Printer {
            nest,
            windows,
            name,
            program,
            lines: Lines::default(),
            helpers: Vec::new(),
            known_helpers: FxHashMap::default(),
            called: Vec::new(),
            values: FxHashMap::default(),
            places: FxHashMap::default(),
            names: FxHashSet::default(),
            reserved: program.callable(),
            lanes: 1,
            varying: FxHashSet::default(),
            is_exact: false,
        }
    }

    /// The function of the schedule.
    pub fn function(&mut self, schedule: &str) {
        let pipeline = self.nest.pipeline.clone();
        let mut parameters = Vec::new();
        let own = |output: &&OutputWindow| pipeline.overwritten_by(output.func).is_none();
        for output in self.windows.outputs.iter().filter(own) {
            for (component, &element) in pipeline.func(output.func).elements.iter().enumerate() {
                let name = self.component(output.func, component);
                let window: Vec<_> =
                    output.window.iter().zip(&output.strides).map(|(&[min, extent], &stride)| [min, extent, stride]).collect();
                parameters.push(self.image(Source::Func(output.func, component), &name, element, &window));
            }
        }
        for parameter in &pipeline.parameters {
            parameters.push(match *parameter {
                Parameter::Input(id) => {
                    let input = pipeline.input(id);
                    let window: Vec<_> = input.dimensions.iter().map(|d| [d.min, d.extent, d.stride]).collect();
                    if let Some(output) = pipeline.overwrites(id) {
                        let asked = self.windows.outputs.iter().find(|asked| asked.func == output).expect("an output");
                        // It has the window of the output, and strides that may be asked for.
                        let strides = input.dimensions.iter().map(|d| d.stride);
                        let whole: Vec<_> =
                            asked.window.iter().zip(strides).map(|(&[min, extent], v)| [min, extent, v]).collect();
                        let text = self.image(Source::Func(output, 0), &input.name, input.element, &whole);
                        let place = self.places[&Source::Func(output, 0)].clone();
                        self.places.insert(Source::Input(id), place);
                        for (stride, dimension) in asked.strides.iter().zip(&input.dimensions) {
                            let value = self.values[&dimension.stride].clone();
                            self.values.insert(*stride, value);
                        }
                        for (own, of_output) in window.iter().zip(&asked.window) {
                            for (own, of_output) in own.iter().zip(of_output) {
                                let value = self.values[of_output].clone();
                                self.values.insert(*own, value);
                            }
                        }
                        parameters.push(text);
                        continue;
                    }
                    "const ".to_owned() + &self.image(Source::Input(id), &input.name, input.element, &window)
                }
                Parameter::Scalar(variable) => {
                    let name = self.fresh(self.nest.name(variable));
                    self.values.insert(variable, Value::Text(name.clone()));
                    format!("{} {name}", self.nest.element(variable).name())
                }
            });
        }
        let mode = match pipeline.fp {
            FpMode::Strict => "",
            FpMode::Contract => "[[fp(contract)]] ",
            FpMode::Fast => "[[fp(fast)]] ",
        };
        self.lines.push(format!("// Schedule `{schedule}` of pipeline `{}`.", pipeline.name));
        if pipeline.notation == Notation::Tensors {
            self.lines.push("// Its images have the indices of the definition in reverse: the dense one comes first.".to_owned());
        }
        self.lines.open(format!("{mode}export int {}({}) {{", self.name, parameters.join(", ")));
        for (variable, value) in &pipeline.lets {
            self.define(*variable, value);
        }
        self.body();
        self.lines.push("return 0;".into());
        self.lines.close("}");
    }

    /// The parameter for an image: a view, or a reference to the pixel of one without dimensions.
    fn image(&mut self, source: Source, name: &str, element: Element, window: &[[Variable; 3]]) -> String {
        let (name, element) = (self.fresh(name), element.name());
        for (d, variables) in window.iter().enumerate() {
            for (variable, part) in variables.iter().zip(["min", "extent", "stride"]) {
                // All components of a func have one window.
                self.values.entry(*variable).or_insert_with(|| Value::Text(format!("{name}.{part}({d})")));
            }
        }
        let (text, place) = match window.len() {
            0 => (format!("{element} &{name}"), Place::Reference(name)),
            1 => (format!("{element} {name}[:]"), Place::Image { name, fold: None }),
            rank => (format!("{element} {name}[{}]", ",".repeat(rank - 1)), Place::Image { name, fold: None }),
        };
        self.places.insert(source, place);
        text
    }

    /// The name of a component of a func.
    pub fn component(&self, func: FuncId, component: usize) -> String {
        let func = self.nest.pipeline.func(func);
        if func.elements.len() == 1 { func.name.to_string() } else { format!("{}_{component}", func.name) }
    }

    /// A name that nothing else has here: that of the nest, without what the language does not know.
    pub fn fresh(&mut self, name: &str) -> String {
        // A member of a family, `g[1, 2]`, is `g_1_2`.
        let name = name.replace(", ", "_").replace(']', "");
        let made: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let mut chosen = made.clone();
        let mut number = 1;
        while self.reserved.contains(chosen.as_str()) || !self.names.insert(chosen.clone()) {
            number += 1;
            chosen = format!("{made}_{number}");
        }
        chosen
    }

    /// The name of a variable in the text: the end of a window says of which it is one.
    fn name_of(&self, variable: Variable) -> String {
        let Some(Binder::Hole(hole)) = self.nest.binder(variable) else { return self.nest.name(variable).replace(".64", "") };
        let func = self.nest.pipeline.func(hole.func);
        let of = match hole.kind {
            HoleKind::Memory => "memory_",
            HoleKind::Compute { .. } => "",
        };
        let end = match hole.end {
            End::Min => "min",
            End::Length => "extent",
        };
        format!("{}_{of}{}_{end}", func.name, self.nest.name(func.variables[hole.dimension]))
    }

    /// What is inside of a block: names that come to be there are free again behind it.
    pub fn within(&mut self, work: impl FnOnce(&mut Self)) {
        let (names, values, places) = (self.names.clone(), self.values.clone(), self.places.clone());
        let varying = self.varying.clone();
        work(self);
        (self.names, self.values, self.places, self.varying) = (names, values, places, varying);
    }

    /// A function beside this one, with names of its own. The work says what its parameters are and what is in it.
    pub fn helper(&mut self, key: String, what: &str, work: impl FnOnce(&mut Self, &str)) -> String {
        if let Some(known) = self.known_helpers.get(&key) {
            return known.clone();
        }
        let name = format!("{}_{what}{}", self.name, self.known_helpers.len() + 1);
        self.known_helpers.insert(key, name.clone());
        let outer = std::mem::take(&mut self.lines);
        let (lanes, names) = (std::mem::replace(&mut self.lanes, 1), std::mem::take(&mut self.names));
        self.within(|this| work(this, &name));
        (self.lanes, self.names) = (lanes, names);
        let made = std::mem::replace(&mut self.lines, outer);
        self.helpers.push(made);
        name
    }

    /// A new variable of the text for one of the nest; its line comes next.
    pub fn local(&mut self, variable: Variable) -> (String, Definition) {
        let name = self.fresh(&self.name_of(variable));
        let definition = self.lines.define();
        self.values.insert(variable, Value::Local(name.clone(), definition));
        (name, definition)
    }

    /// `T v = e;`, or nothing where e is as short as v would be.
    pub fn define(&mut self, variable: Variable, value: &Expr) {
        let is_window = matches!(self.nest.binder(variable), Some(Binder::Hole(_) | Binder::Let));
        let value = narrow(&if is_window { self.coordinate(value) } else { self.resolved(value) });
        self.varying.remove(&variable);
        if !self.is_uniform(&value) {
            self.varying.insert(variable);
        }
        if is_short(&value) {
            self.values.insert(variable, Value::Same(value));
            return;
        }
        let text = self.text(&value);
        let element = self.nest.element(variable);
        let (name, definition) = self.local(variable);
        self.lines.push_definition(format!("{} {name} = {text};", element.name()), definition);
    }

    /// An expression with short ones in the places of the variables that stand for them.
    pub fn resolved(&self, e: &Expr) -> Expr {
        let is_known = |v: Variable| match self.values.get(&v) {
            Some(Value::Same(e)) => Some(e.clone()),
            Some(Value::Local(..) | Value::Text(_)) | None => None,
        };
        e.without_ranges().substitute(&is_known)
    }

    /// A coordinate, or an end of a window: the same, simplified in ℤ. What an algorithm computes may wrap, and stays as it is.
    pub fn coordinate(&self, e: &Expr) -> Expr {
        simplify(&self.resolved(e))
    }

    /// Is it the same in all lanes?
    pub fn is_uniform(&self, e: &Expr) -> bool {
        let has_place = |source: &Source| matches!(self.places.get(source), Some(Place::Scratch { has_lanes: true, .. }));
        let is_vector = |part: &Expr| matches!(part.kind(), ExprKind::Read(source, _) if has_place(source));
        self.lanes == 1 || !e.mentions(&|v| self.varying.contains(&v)) && !e.any(&is_vector)
    }
}

/// What was an `int` before it was one of 64 bits, as that again.
fn narrow(e: &Expr) -> Expr {
    if let ExprKind::Convert(wide) = e.kind()
        && let ExprKind::Convert(inner) = wide.kind()
        && (e.element(), wide.element(), inner.element()) == (Element::Int32, Element::Int64, Element::Int32)
    {
        return inner.clone();
    }
    e.clone()
}

/// A number, a variable, or that and a number; in 64 bits, that of an `int`.
fn is_short(e: &Expr) -> bool {
    if let ExprKind::Convert(a) = e.kind() {
        return a.element() == Element::Int32 && a.as_variable().is_some();
    }
    match &linear(e).terms[..] {
        [] => constant_value(e).is_some(),
        [(atom, 1)] => atom.as_variable().is_some(),
        _ => false,
    }
}
