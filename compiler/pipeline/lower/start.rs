//! What comes in front of the work: the parts of views, what the memory of the caller must be like, and why a pipeline does not start.
//!
//! ```text
//! int p.s(float[,] out_view, const float[,] in_view) {
//!     float *out_data = out_view.data;  int out_min_0 = out_view.min[0];  …
//!     int64 distance = ((uint8 *) in_data + in_first) - ((uint8 *) out_data + out_first);
//!     if (!(distance >= out_bytes | -distance >= in_bytes)) return p.s.refused(1, 0l, 0l, 0l, 0l);
//!     if (in_stride_0 != 1l | out_stride_0 != 1l) return p.s.strided(out_view, in_view);
//!     return p.s.work(out_view, in_view);
//! }
//! ```
//! No output has a pixel in common with another output, nor with an input, unless each pixel is read before it is overwritten. The
//! reasons stand in functions of their own, which run once at most, and are text that no check has to carry.

use super::super::algorithm::Parameter;
use super::super::bounds::checks::plain_reason;
use super::super::expr::{FuncId, Source, Variable};
use super::super::loops::check::{Check, MOST_NUMBERS, Subject};
use super::super::loops::in_place::is_in_place;
use super::state::{Elements, Lowering, Passed, Reason, View, member, parameter};
use crate::check::schedules::{new_function, new_local};
use crate::target::{Channel, Inlining};
use crate::typed::ir::{self, BinaryOp, CompareOp, ExprKind, FunctionId, LaneOp, PrintPiece, StatementKind, SwitchArm, UnaryOp};
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
        for output in &self.windows.outputs {
            for component in 0..pipeline.func(output.func).elements.len() {
                passed.push(Passed::View(Source::Func(output.func, component), output.window.clone()));
            }
        }
        passed.extend(pipeline.parameters.iter().map(|parameter| match parameter {
            Parameter::Input(id) => {
                let window = pipeline.input(*id).dimensions.iter().map(|d| [d.min, d.extent]).collect();
                Passed::View(Source::Input(*id), window)
            }
            Parameter::Scalar(variable) => Passed::Scalar(*variable),
        }));
        passed
    }

    /// The name of what is read.
    pub fn name_of(&self, source: Source) -> &str {
        match source {
            Source::Func(id, _) => &self.nest.pipeline.func(id).name,
            Source::Input(id) => &self.nest.pipeline.input(id).name,
        }
    }

    /// The type of its pixels.
    pub fn element_of_source(&self, source: Source) -> Element {
        match source {
            Source::Func(id, component) => self.nest.pipeline.func(id).elements[component],
            Source::Input(id) => self.nest.pipeline.input(id).element,
        }
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
    pub fn view(&mut self, index: usize, source: Source, window: &[[Variable; 2]]) {
        let name = self.name_of(source).to_owned();
        let view = self.b.place_of(parameter(index));
        let number = |this: &mut Self, part: usize, d: usize| this.b.number_of_view(parameter(index), part, d);
        let data = self.b.member(view, member::DATA);
        let data = self.b.load_at(data);
        let pointer = self.b.declare(&format!("{name}_data"), data);
        let is_further = matches!(source, Source::Func(_, 1..));
        let (mut mins, mut strides) = (Vec::new(), Vec::new());
        for (d, &[min, extent]) in window.iter().enumerate() {
            if !is_further {
                let [first, count] = [member::MIN, member::EXTENT].map(|part| number(self, part, d));
                self.receive(min, first);
                self.receive(extent, count);
            }
            mins.push(self.variable(min));
            let stride = number(self, member::STRIDE, d);
            strides.push(self.b.named(&format!("{name}_stride_{d}"), stride));
        }
        let mut by = Vec::new();
        for (d, stride) in strides.iter().enumerate() {
            by.push(match (self.known_stride(source, d), d) {
                (Some(1), _) | (None, 0) => None,
                (Some(known), _) => Some(self.b.long(known)),
                (None, _) => Some(stride.clone()),
            });
        }
        let elements =
            Elements { pointer, mins, strides: by, fold: None, low: Vec::new(), has_lanes: false, may_be_narrow: false };
        self.views.insert(source, View { parameter: index, source, window: window.to_vec(), elements, strides });
    }

    /// The stride of an input that is known in this version.
    fn known_stride(&self, source: Source, d: usize) -> Option<i64> {
        let Source::Input(id) = source else { return None };
        self.version.stride(self.nest.pipeline.input(id).dimensions[d].stride)
    }

    /// All components of a func are to have one window.
    fn component_checks(&mut self, views: &[View]) {
        for view in views {
            let Source::Func(id, component @ 1..) = view.source else { continue };
            for (d, variables) in view.window.iter().enumerate() {
                let mut differ = Vec::new();
                for (&variable, part) in variables.iter().zip([member::MIN, member::EXTENT]) {
                    let (own, first) = (self.b.number_of_view(parameter(view.parameter), part, d), self.variable(variable));
                    differ.push(self.b.compare(CompareOp::NotEqual, own, first));
                }
                let differ = self.b.joined(BinaryOp::BitOr, differ).expect("two conditions");
                self.refuse_if(differ, Subject::Component(id, component));
            }
        }
    }

    /// The memory of a view: where it begins, and how many bytes it has; none where an extent is 0.
    fn memory_of(&mut self, view: &View) -> Memory {
        let name = self.name_of(view.source).to_owned();
        let size = self.element_of_source(view.source).size() as i64;
        let zero = self.b.int(0);
        let (mut are_there, mut below, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (&[_, extent], stride) in view.window.iter().zip(&view.strides) {
            let extent = self.variable(extent);
            are_there.push(self.b.compare(CompareOp::Greater, extent.clone(), zero.clone()));
            let one = self.b.int(1);
            let steps = self.b.subtract(extent, one);
            let steps = self.b.wide(steps);
            let last = self.b.multiply(steps, stride.clone());
            let nothing = self.b.long(0);
            below.push(self.b.builtin(LaneOp::Min, vec![last.clone(), nothing], Element::Int64));
            all.push(self.b.builtin(LaneOp::Abs, vec![last], Element::Int64));
        }
        below.push(self.b.long(0));
        all.push(self.b.long(1));
        let are_there = self.b.all(are_there);
        let [first, bytes] = [("first", below), ("bytes", all)].map(|(what, sum)| {
            let sum = self.b.joined(BinaryOp::Add, sum).expect("a constant");
            let (size, nothing) = (self.b.long(size), self.b.long(0));
            let bytes = self.b.multiply(sum, size);
            let value = self.b.conditional(are_there.clone(), bytes, nothing);
            self.b.named(&format!("{name}_{what}"), value)
        });
        let pointer = self.first_byte(view);
        Memory { first: self.b.offset(pointer, first), bytes }
    }

    /// The address of the pixel at the first coordinates.
    fn first_byte(&mut self, view: &View) -> ir::Expr {
        let byte = self.b.scalar(Element::Uint8);
        let ty = self.b.target.types().pointer(byte, 1);
        let pointer = self.b.load(view.elements.pointer);
        self.b.expr(ExprKind::Convert(Box::new(pointer)), ty)
    }

    /// What the memory of the caller must be like.
    pub fn memory_checks(&mut self) {
        let all: Vec<View> = self.views.values().cloned().collect();
        self.component_checks(&all);
        let memory: Vec<Memory> = all.iter().map(|view| self.memory_of(view)).collect();
        for (k, view) in all.iter().enumerate() {
            let Source::Func(output, _) = view.source else { continue };
            for (other, there) in all.iter().zip(&memory).skip(k + 1) {
                let here = &memory[k];
                let subject = match other.source {
                    Source::Func(id, _) => Subject::OutputOverlap(output, id),
                    Source::Input(id) => Subject::Overlap(output, id),
                };
                // Bytes from the one to the other; they are apart if that is no less than the first one's size.
                let int64 = self.b.scalar(Element::Int64);
                let distance =
                    self.b.expr(ExprKind::PointerDifference(Box::new(there.first.clone()), Box::new(here.first.clone())), int64);
                let distance = self.b.named("distance", distance);
                let back = self.b.unary(UnaryOp::Negate, distance.clone());
                let mut apart = [(distance.clone(), &here.bytes), (back, &there.bytes)]
                    .map(|(far, size)| self.b.compare(CompareOp::GreaterEqual, far, size.clone()))
                    .to_vec();
                apart.extend(self.are_interleaved(view, other, &distance));
                apart.extend(self.are_in_place(view, other));
                let apart = self.b.joined(BinaryOp::BitOr, apart).expect("two conditions");
                let overlap = self.b.not(apart);
                self.refuse_if(overlap, subject);
            }
        }
    }

    /// Two views with the same stride in dimension 0, all other strides multiples of that, have no pixel in common if their
    /// distance is no multiple of it: the colours of an image that has them side by side.
    fn are_interleaved(&mut self, a: &View, b: &View, distance: &ir::Expr) -> Option<ir::Expr> {
        let [size, other] = [a, b].map(|view| self.element_of_source(view.source).size());
        let ([step, above @ ..], [other_step, others @ ..]) = (&a.strides[..], &b.strides[..]) else { return None };
        if size != other {
            return None;
        }
        let (one, zero, size) = (self.b.long(1), self.b.long(0), self.b.long(size as i64));
        let mut all = vec![
            self.b.compare(CompareOp::Greater, step.clone(), one),
            self.b.compare(CompareOp::Equal, other_step.clone(), step.clone()),
        ];
        for stride in above.iter().chain(others) {
            let rest = self.b.binary(BinaryOp::Remainder, stride.clone(), step.clone());
            all.push(self.b.compare(CompareOp::Equal, rest, zero.clone()));
        }
        let rest = self.b.binary(BinaryOp::Remainder, distance.clone(), size.clone());
        all.push(self.b.compare(CompareOp::Equal, rest, zero.clone()));
        let pixels = self.b.binary(BinaryOp::Divide, distance.clone(), size);
        let rest = self.b.binary(BinaryOp::Remainder, pixels, step.clone());
        all.push(self.b.compare(CompareOp::NotEqual, rest, zero));
        Some(self.b.all(all))
    }

    /// An output may have the memory of an input of which each pixel is read before it is overwritten: the pixels of both with the same
    /// coordinates lie at the same places.
    fn are_in_place(&mut self, a: &View, b: &View) -> Option<ir::Expr> {
        let (Source::Func(output, _), Source::Input(input)) = (a.source, b.source) else { return None };
        let is_alike = self.element_of_source(a.source) == self.element_of_source(b.source) && a.window.len() == b.window.len();
        if !is_alike || !is_in_place(&self.windows.nest, output, input) {
            return None;
        }
        let [here, there] = [a, b].map(|view| self.first_byte(view));
        let size = self.b.long(self.element_of_source(a.source).size() as i64);
        let int64 = self.b.scalar(Element::Int64);
        let mut distance = self.b.expr(ExprKind::PointerDifference(Box::new(there), Box::new(here)), int64);
        let mut all = Vec::new();
        for d in 0..a.window.len() {
            let [own, other] = [a, b].map(|view| self.variable(view.window[d][0])).map(|min| self.b.wide(min));
            let steps = self.b.subtract(own, other);
            let steps = self.b.multiply(steps, a.strides[d].clone());
            let steps = self.b.multiply(steps, size.clone());
            distance = self.b.add(distance, steps);
            all.push(self.b.compare(CompareOp::Equal, a.strides[d].clone(), b.strides[d].clone()));
        }
        let zero = self.b.long(0);
        all.push(self.b.compare(CompareOp::Equal, distance, zero));
        self.b.joined(BinaryOp::BitAnd, all)
    }

    /// `if (!condition) return …;`
    pub fn check(&mut self, check: &Check) {
        self.b.span = match check.subject {
            Subject::Range(func, _) => self.nest.pipeline.func(func).span,
            _ => self.nest.pipeline.span,
        };
        let condition = self.value(&check.condition);
        let fails = self.b.not(condition);
        let mut numbers = Vec::new();
        for number in &check.numbers {
            let number = self.value(number);
            numbers.push(self.b.wide(number));
        }
        self.refuse(fails, check.reason.clone(), numbers);
    }

    /// The memory of these funcs is so small that an `int` numbers its elements.
    pub fn elements_checks(&mut self, funcs: Vec<FuncId>) {
        for func in funcs {
            self.b.span = self.nest.pipeline.func(func).span;
            let reach = self.reach(func);
            let most = self.b.constant(ir::Constant::Float(f64::from(i32::MAX)), Element::Double);
            let is_near = self.b.compare(CompareOp::LessEqual, reach, most);
            let is_far = self.b.not(is_near);
            self.refuse_if(is_far, Subject::Elements(func));
        }
    }

    /// Under this condition the pipeline does not start, for a reason without numbers.
    fn refuse_if(&mut self, condition: ir::Expr, subject: Subject) {
        self.refuse(condition, plain_reason(self.windows, subject), Vec::new());
    }

    /// Under this condition the pipeline does not start: it says why, and returns the number of the check.
    fn refuse(&mut self, condition: ir::Expr, text: String, mut numbers: Vec<ir::Expr>) {
        self.checks += 1;
        let (number, count) = (self.checks, numbers.len());
        let function = self.refused((number - 1) / REFUSALS);
        numbers.resize(MOST_NUMBERS, self.b.long(0));
        let mut arguments = vec![self.b.int(number as i64)];
        arguments.extend(numbers);
        let status = self.b.call(function, arguments);
        self.b.when(condition, |b| b.push(StatementKind::Return(Some(status))));
        self.reasons.push(Reason { number, text, count });
    }

    /// A function that says why a pipeline does not start.
    fn refused(&mut self, group: usize) -> FunctionId {
        if let Some(&known) = self.refusals.get(group) {
            return known;
        }
        let (int, int64) = (self.b.scalar(Element::Int32), self.b.scalar(Element::Int64));
        let name = format!("{}.refused{}", self.name, group + 1);
        let pipeline = &self.nest.pipeline;
        let mut function = new_function(name, pipeline.fp, int, pipeline.span);
        function.inlining = Inlining::Cold;
        function.locals.push(new_local("check", int, pipeline.span));
        function.locals.extend((0..MOST_NUMBERS).map(|_| new_local("number", int64, pipeline.span)));
        function.parameters = function.locals.len();
        let id = self.b.target.add(function);
        self.refusals.push(id);
        id
    }

    /// The bodies of the functions that say why.
    pub fn finish_refusals(&mut self) {
        self.b.span = self.nest.pipeline.span;
        let reasons = std::mem::take(&mut self.reasons);
        for (group, function) in std::mem::take(&mut self.refusals).into_iter().enumerate() {
            let locals = self.b.target.function(function).locals.clone();
            let outer = self.b.begin(locals, 1);
            let value = self.b.load(parameter(0));
            let of_group = reasons.iter().filter(|reason| (reason.number - 1) / REFUSALS == group);
            let mut arms = Vec::new();
            for Reason { number, text, count } in of_group {
                let numbers = (0..*count).map(|k| self.b.load(parameter(k + 1))).collect();
                self.b.open(1);
                self.b.say(Channel::Reason, &format!("pipeline `{}`: {text}", self.nest.pipeline.name), numbers);
                self.b.push(StatementKind::Break);
                let labels = vec![ir::Constant::Int(*number as u64)];
                arms.push(SwitchArm { labels, is_default: false, body: self.b.close() });
            }
            self.b.push(StatementKind::Switch { value, arms });
            let check = self.b.load(parameter(0));
            self.b.push(StatementKind::Return(Some(check)));
            self.b.finish(function, outer);
        }
    }
}

impl super::body::Body<'_> {
    /// Says something: each `%` stands for a number, and `%%` for itself.
    pub fn say(&mut self, channel: Channel, format: &str, numbers: Vec<ir::Expr>) {
        let (mut pieces, mut text) = (Vec::new(), String::new());
        let (mut numbers, mut characters) = (numbers.into_iter(), format.chars().peekable());
        while let Some(c) = characters.next() {
            if c != '%' || characters.next_if_eq(&'%').is_some() {
                text.push(c);
                continue;
            }
            pieces.extend(Some(std::mem::take(&mut text)).filter(|text| !text.is_empty()).map(PrintPiece::Text));
            pieces.push(PrintPiece::Value(numbers.next().expect("a number for each %")));
        }
        pieces.extend(Some(text).filter(|text| !text.is_empty()).map(PrintPiece::Text));
        let void = self.target.types().void();
        let said = self.expr(ExprKind::Print(channel, pieces), void);
        self.run(said);
    }
}
