//! What comes in front of the work: the parts of views, what the memory of the caller must be like, and why a pipeline does not start.
//!
//! ```text
//! int p.s(float[,] out_view, const float[,] in_view) {
//!     float *out_data = out_view.data;  int out_min_0 = out_view.min[0];  …
//!     int64 distance = ((uint8 *) in_data + in_first) - ((uint8 *) out_data + out_first);
//!     if (!(distance >= out_bytes | -distance >= in_bytes)) return p.s.refused(1);
//!     if (in_stride_0 != 1l | out_stride_0 != 1l) return p.s.strided(out_view, in_view);
//!     return p.s.work(out_view, in_view);
//! }
//! ```
//! No output has a pixel in common with another output, nor with an input, unless each pixel is read before it is overwritten. The
//! reasons stand in functions of their own, which run once at most, and are text that no check has to carry.

use super::super::algorithm::Parameter;
use super::super::bounds::checks::plain_reason;
use super::super::expr::{FuncId, InputId, Source, Variable};
use super::super::loops::check::{Check, Subject};
use super::super::loops::in_place::is_in_place;
use super::super::loops::ir::OutputWindow;
use super::body::{self, member, parameter};
use super::state::{Elements, Lowering, Passed, Reason, Refusals, View};
use crate::check::schedules::{new_function, new_local};
use crate::target::{Channel, Inlining};
use crate::typed::ir::{self, BinaryOp, CompareOp, ExprKind, LaneOp, StatementKind, SwitchArm, UnaryOp};
use crate::types::Element;

/// What of memory belongs to a view.
struct Memory {
    /// The address of its first pixel in memory.
    first: ir::Expr,
    /// From there to behind its last one.
    bytes: ir::Expr,
}

/// So many reasons why a pipeline does not start are in a function.
const REFUSALS: usize = 128;

impl Lowering<'_> {
    /// What the functions of the pipeline take.
    pub fn passed(&self) -> Vec<Passed> {
        let pipeline = &self.nest.pipeline;
        let mut passed = Vec::new();
        let own = |output: &&OutputWindow| pipeline.overwritten_by(output.func).is_none();
        for output in self.windows.outputs.iter().filter(own) {
            for component in 0..pipeline.func(output.func).elements.len() {
                passed.push(Passed::View(Source::Func(output.func, component), output.window.clone()));
            }
        }
        passed.extend(pipeline.parameters.iter().map(|parameter| match parameter {
            Parameter::Input(id) => {
                let window = pipeline.input(*id).dimensions.iter().map(|d| [d.min, d.extent]).collect();
                let input = (Source::Input(*id), window);
                match pipeline.overwrites(*id) {
                    Some(output) => {
                        let asked = self.windows.outputs.iter().find(|asked| asked.func == output).expect("an output");
                        Passed::InOut([(Source::Func(output, 0), asked.window.clone()), input])
                    }
                    None => Passed::View(input.0, input.1),
                }
            }
            Parameter::Scalar(variable) => Passed::Scalar(*variable),
        }));
        passed
    }

    /// Defines a variable as a number that the caller passes.
    pub fn receive(&mut self, variable: Variable, value: ir::Expr) {
        let local = self.b.declare(self.nest.name(variable), value);
        self.bind(variable, local);
    }

    /// The `let`s of the algorithm.
    pub fn lets(&mut self) {
        let pipeline = &self.nest.pipeline;
        for (variable, value) in &pipeline.lets {
            self.define(*variable, value);
        }
    }

    /// The parts of a view as variables. All components of a func have one window.
    pub fn view(&mut self, parameter: usize, source: Source, window: Vec<[Variable; 2]>) {
        let (b, local) = (self.b, body::parameter(parameter));
        let name = self.nest.pipeline.name_of(source);
        let pointer = b.declare(&format!("{name}_data"), b.load_at(b.data_of_view(local)));
        let is_further = matches!(source, Source::Func(_, 1..));
        let (mut mins, mut strides) = (Vec::new(), Vec::new());
        for (d, &[min, extent]) in window.iter().enumerate() {
            if !is_further {
                self.receive(min, b.number_of_view(local, member::MIN, d));
                self.receive(extent, b.number_of_view(local, member::EXTENT, d));
            }
            mins.push(self.variable(min));
            strides.push(b.named(&format!("{name}_stride_{d}"), b.number_of_view(local, member::STRIDE, d)));
        }
        let by = |(d, stride): (usize, &ir::Expr)| match (self.known_stride(source, d), d) {
            (Some(1), _) | (None, 0) => None,
            (Some(known), _) => Some(b.long(known)),
            (None, _) => Some(stride.clone()),
        };
        let by = strides.iter().enumerate().map(by).collect();
        let elements =
            Elements { pointer, mins, strides: by, fold: None, low: Vec::new(), has_lanes: false, may_be_narrow: false };
        self.views.insert(source, View { parameter, source, window, elements, strides });
    }

    /// Behind the checks each view is known to have pixels of its own, unless the caller may have an output in the place of an input.
    pub fn keep_apart(&self) {
        let pipeline = &self.nest.pipeline;
        let is_in_place =
            |output, input| pipeline.overwrites(input) == Some(output) || is_in_place(&self.windows.nest, output, input);
        for view in self.views.values() {
            let is_shared = match view.source {
                Source::Func(output, _) => (0..pipeline.inputs.len()).any(|input| is_in_place(output, InputId(input as u32))),
                Source::Input(input) => pipeline.outputs.iter().any(|&output| is_in_place(output, input)),
            };
            if !is_shared {
                self.b.keep_apart(body::parameter(view.parameter));
                self.b.keep_apart(view.elements.pointer);
            }
        }
    }

    /// The stride of a view that is known in this version.
    fn known_stride(&self, source: Source, d: usize) -> Option<i64> {
        self.version.stride(self.stride_variable(source, d)?)
    }

    /// The stride of a view as schedules call it; there is none for further components of a func.
    pub fn stride_variable(&self, source: Source, d: usize) -> Option<Variable> {
        match source {
            Source::Input(id) => Some(self.nest.pipeline.input(id).dimensions[d].stride),
            Source::Func(id, 0) => self.nest.requests.iter().find(|request| request.func == id).map(|it| it.strides[d]),
            Source::Func(..) => None,
        }
    }

    /// All components of a func are to have one window.
    fn component_checks(&mut self, views: &[View]) {
        for view in views {
            let Source::Func(id, component @ 1..) = view.source else { continue };
            for (d, &variables) in view.window.iter().enumerate() {
                let [min, extent] = [(variables[0], member::MIN), (variables[1], member::EXTENT)].map(|(variable, part)| {
                    let own = self.b.number_of_view(parameter(view.parameter), part, d);
                    self.b.compare(CompareOp::NotEqual, own, self.variable(variable))
                });
                self.refuse_if(self.b.binary(BinaryOp::BitOr, min, extent), Subject::Component(id, component));
            }
        }
    }

    /// The memory of a view: where it begins, and how many bytes it has; none where an extent is 0.
    fn memory_of(&self, view: &View) -> Memory {
        let b = self.b;
        let pipeline = &self.nest.pipeline;
        let (name, size) = (pipeline.name_of(view.source), b.long(pipeline.element_of(view.source).size() as i64));
        let (mut are_there, mut below, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (&[_, extent], stride) in view.window.iter().zip(&view.strides) {
            let extent = self.variable(extent);
            are_there.push(b.compare(CompareOp::Greater, extent.clone(), b.int(0)));
            let last = b.multiply(b.wide(b.subtract(extent, b.int(1))), stride.clone());
            below.push(b.extremum(LaneOp::Min, last.clone(), b.long(0)));
            all.push(b.builtin(LaneOp::Abs, vec![last], Element::Int64));
        }
        below.push(b.long(0));
        all.push(b.long(1));
        let are_there = b.all(are_there);
        let [first, bytes] = [("first", below), ("bytes", all)].map(|(what, sum)| {
            let bytes = b.multiply(b.joined(BinaryOp::Add, sum).expect("a constant"), size.clone());
            b.named(&format!("{name}_{what}"), b.conditional(are_there.clone(), bytes, b.long(0)))
        });
        Memory { first: b.offset(self.first_byte(view), first), bytes }
    }

    /// The address of the pixel at the first coordinates.
    fn first_byte(&self, view: &View) -> ir::Expr {
        let bytes = self.b.pointer(self.b.scalar(Element::Uint8));
        self.b.expr(ExprKind::Convert(Box::new(self.b.load(view.elements.pointer))), bytes)
    }

    /// What the memory of the caller must be like.
    pub fn memory_checks(&mut self) {
        let all: Vec<View> = self.views.values().cloned().collect();
        self.component_checks(&all);
        let memory: Vec<Memory> = all.iter().map(|view| self.memory_of(view)).collect();
        all.iter().zip(&memory).for_each(|(view, memory)| self.pixels_check(view, memory));
        for (k, view) in all.iter().enumerate() {
            let Source::Func(output, _) = view.source else { continue };
            for (other, there) in all.iter().zip(&memory).skip(k + 1) {
                if view.parameter == other.parameter {
                    continue;
                }
                let here = &memory[k];
                let subject = match other.source {
                    Source::Func(id, _) => Subject::OutputOverlap(output, id),
                    Source::Input(id) => Subject::Overlap(output, id),
                };
                // Bytes from the one to the other; they are apart if that is no less than the first one's size.
                let b = self.b;
                let distance = b.named("distance", b.bytes_between(here.first.clone(), there.first.clone()));
                let back = b.unary(UnaryOp::Negate, distance.clone());
                let mut apart = [(distance.clone(), &here.bytes), (back, &there.bytes)]
                    .map(|(far, size)| b.compare(CompareOp::GreaterEqual, far, size.clone()))
                    .to_vec();
                apart.extend(self.are_in_place(view, other));
                let mut apart = b.joined(BinaryOp::BitOr, apart).expect("two conditions");
                let [size, other_size] = [view, other].map(|view| self.nest.pipeline.element_of(view.source).size());
                if size == other_size && !view.strides.is_empty() && !other.strides.is_empty() {
                    let are_interleaved = b.are_interleaved(distance, size, [&view.strides, &other.strides]);
                    apart = b.lazy(ExprKind::Or, apart, are_interleaved);
                }
                self.refuse_if(b.not(apart), subject);
            }
        }
    }

    /// A view that has points has memory.
    fn pixels_check(&mut self, view: &View, memory: &Memory) {
        let b = self.b;
        let pointer = b.load(view.elements.pointer);
        let is_null = b.compare(CompareOp::Equal, pointer.clone(), b.null(pointer.ty));
        let has_points = b.compare(CompareOp::NotEqual, memory.bytes.clone(), b.long(0));
        self.refuse_if(b.binary(BinaryOp::BitAnd, is_null, has_points), Subject::Pixels(view.source));
    }

    /// An output may have the memory of an input of which each pixel is read before it is overwritten: the pixels of both with the same
    /// coordinates lie at the same places.
    fn are_in_place(&self, own: &View, other: &View) -> Option<ir::Expr> {
        let (b, pipeline) = (self.b, &self.nest.pipeline);
        let (Source::Func(output, _), Source::Input(input)) = (own.source, other.source) else { return None };
        let element = pipeline.element_of(own.source);
        let is_alike = element == pipeline.element_of(other.source) && own.window.len() == other.window.len();
        if !is_alike || !is_in_place(&self.windows.nest, output, input) {
            return None;
        }
        let mut distance = b.bytes_between(self.first_byte(own), self.first_byte(other));
        let mut all = Vec::new();
        for (d, stride) in own.strides.iter().enumerate() {
            let [min, other_min] = [own, other].map(|view| b.wide(self.variable(view.window[d][0])));
            let steps = b.multiply(b.subtract(min, other_min), stride.clone());
            distance = b.add(distance, b.multiply(steps, b.long(element.size() as i64)));
            all.push(b.compare(CompareOp::Equal, stride.clone(), other.strides[d].clone()));
        }
        all.push(b.compare(CompareOp::Equal, distance, b.long(0)));
        b.joined(BinaryOp::BitAnd, all)
    }

    /// `if (!condition) return …;`
    pub fn check(&mut self, check: &Check) {
        self.b.span.set(match check.subject {
            Subject::Range(func, _) => self.nest.pipeline.func(func).span,
            _ => self.nest.pipeline.span,
        });
        let fails = self.b.not(self.value(&check.condition));
        let numbers = check.numbers.iter().map(|number| self.b.wide(self.value(number))).collect();
        self.refuse(fails, check.reason.clone(), numbers);
    }

    /// The memory of these funcs is so small that an `int` numbers its elements.
    pub fn elements_checks(&mut self, funcs: Vec<FuncId>) {
        for func in funcs {
            self.b.span.set(self.nest.pipeline.func(func).span);
            let most = self.b.constant(ir::Constant::Float(f64::from(i32::MAX)), Element::Double);
            let is_near = self.b.compare(CompareOp::LessEqual, self.reach(func), most);
            self.refuse_if(self.b.not(is_near), Subject::Elements(func));
        }
    }

    /// Under this condition the pipeline does not start, for a reason without numbers.
    fn refuse_if(&mut self, condition: ir::Expr, subject: Subject) {
        self.refuse(condition, plain_reason(self.windows, subject), Vec::new());
    }

    /// Under this condition the pipeline does not start: it says why, and returns the number of the check.
    fn refuse(&mut self, condition: ir::Expr, text: String, mut numbers: Vec<ir::Expr>) {
        self.checks += 1;
        let (number, group) = (self.checks, self.refusals(numbers.len()));
        numbers.insert(0, self.b.int(number as i64));
        let function = self.refusals[group].function;
        self.b.when(condition, || self.b.give(self.b.call(function, numbers)));
        self.refusals[group].reasons.push(Reason { number, text });
    }

    /// A function that says why a pipeline does not start, for reasons with so many numbers: a caller passes no others.
    fn refusals(&mut self, count: usize) -> usize {
        let has_room = |it: &Refusals| it.count == count && it.reasons.len() < REFUSALS;
        if let Some(group) = self.refusals.iter().position(has_room) {
            return group;
        }
        let (int, int64) = (self.b.scalar(Element::Int32), self.b.scalar(Element::Int64));
        let group = self.refusals.len();
        let name = format!("{}.refused{}", self.name, group + 1);
        let pipeline = &self.nest.pipeline;
        let mut function = new_function(name, pipeline.fp, int, pipeline.span);
        function.inlining = Inlining::Cold;
        function.locals.push(new_local("check", int, pipeline.span));
        function.locals.extend((0..count).map(|_| new_local("number", int64, pipeline.span)));
        function.parameters = function.locals.len();
        let function = self.b.target().add(function);
        self.refusals.push(Refusals { function, count, reasons: Vec::new() });
        group
    }

    /// The bodies of the functions that say why.
    pub fn finish_refusals(&self) {
        let (b, pipeline) = (self.b, &self.nest.pipeline);
        b.span.set(pipeline.span);
        for Refusals { function, count, reasons } in &self.refusals {
            b.body(*function, || {
                let arm = |Reason { number, text }: &Reason| {
                    let numbers = (0..*count).map(|k| b.load(parameter(k + 1))).collect();
                    let body = b.block(1, || {
                        b.say(Channel::Reason, &format!("pipeline `{}`: {text}", pipeline.name), numbers);
                        b.push(StatementKind::Break);
                    });
                    SwitchArm { labels: vec![ir::Constant::Int(*number as u64)], is_default: false, body }
                };
                b.push(StatementKind::Switch { value: b.load(parameter(0)), arms: reasons.iter().map(arm).collect() });
                b.give(b.load(parameter(0)));
            });
        }
    }
}
