//! A completed nest, behind the passes, as a function of the language: what `--emit ivl` prints is what is compiled.
//!
//! ```text
//! produce f:                                  // f
//!   for y in ?cpu f_y                         foreach (int scalar y = f_y_min .. f_y_min + f_y_len) {
//!     foreach x in … by 8              ──►        foreach (int block[8] x = f_x_min .. f_x_min + f_x_len) {
//!       f[x, y] = in[x, y]                            (f + (…))[x] = in(…);
//!                                                 }
//!                                             }
//! ```
//! The function takes a view for each output and input and the scalar parameters; its result is 0, or the number of the start
//! check that does not hold.

mod combine;
pub mod entry;
mod exact;
mod expression;
mod extremum;
mod lanes;
mod memory;
mod names;
mod pieces;
mod required;
mod strided;
#[cfg(test)]
mod tests;
mod windows;

use super::algorithm::Parameter;
use super::bounds::infer::Windows;
use super::bounds::reasons::plain_reason;
use super::bounds::simplify::{minus, offset, plus};
use super::expr::{Expr, ExprKind, FuncId, InputId, Source, Variable};
use super::limits::NOTHING_DONE;
use super::loops::check::{Check, MOST_NUMBERS, Subject};
use super::loops::ir::is_block;
use super::loops::ir::{Foreach, Loop, Nest, Order, Statement, Storage};
use super::loops::lower::memory_window;
use super::passes;
use crate::library::schedule_function;
use crate::source::Span;
use crate::types::view_name;
use exact::Exact;
use extremum::Helper;
pub use names::view_declaration;
use names::{Names, call_name};
pub use pieces::Pieces;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use windows::Root;

/// A generated function.
#[derive(Clone, Debug)]
pub struct Text {
    /// The function.
    pub text: String,
    /// For each line of it, what it was made from.
    pub lines: Vec<Span>,
    /// Its parameters: types and names.
    pub parameters: Vec<(String, String)>,
}

/// The function of a schedule.
pub fn write(windows: &Windows, schedule: &str, pieces: Pieces) -> Text {
    finished(&passes::run(windows), windows, schedule, pieces, "", |writer| writer.function())
}

/// The function that gives the input windows of a schedule without running it.
pub fn write_required(windows: &Windows, schedule: &str, pieces: Pieces) -> Text {
    finished(&passes::start(windows), windows, schedule, pieces, "__required", |writer| writer.required())
}

/// What a writer writes.
fn finished(
    nest: &Nest,
    windows: &Windows,
    schedule: &str,
    pieces: Pieces,
    suffix: &str,
    work: impl FnOnce(&mut Writer<'_>),
) -> Text {
    let schedule_function = schedule_function(&nest.pipeline.name, schedule);
    let mut functions = HashSet::new();
    nest.body.walk(&mut |s| {
        s.expressions().into_iter().for_each(|e| {
            e.walk(&mut |part| {
                if let ExprKind::Call(callee, _) = part.kind() {
                    functions.insert(call_name(callee));
                }
            });
        });
    });
    functions.extend(names::BUILTINS.iter().map(|name| (*name).to_owned()));
    let mut writer = Writer {
        nest,
        windows,
        names: Names::new(functions.into_iter()),
        out: String::new(),
        lines: Vec::new(),
        depth: 0,
        span: nest.pipeline.span,
        varying: HashSet::new(),
        lane_values: HashMap::new(),
        sums: HashMap::new(),
        helpers: String::new(),
        by_lane: HashMap::new(),
        function_name: format!("{schedule_function}{suffix}"),
        schedule_function,
        views: HashMap::new(),
        buffers: HashMap::new(),
        narrow: BTreeSet::new(),
        pieces,
        in_memory: None,
        checks: 0,
        reasons: Vec::new(),
        parameters: Vec::new(),
        length: 1,
        is_root: true,
        extrema: Vec::new(),
        exacts: Vec::new(),
        is_exact: false,
        outside: (String::new(), Vec::new()),
    };
    work(&mut writer);
    let helpers = writer.helpers.lines().map(|_| nest.pipeline.span);
    let lines = helpers.chain(writer.lines).chain(writer.outside.1).collect();
    let text = writer.helpers.clone() + &writer.out + &writer.outside.0;
    Text { text, lines, parameters: writer.parameters }
}

/// Does a loop run by itself, outside of the parallel ones, whose work is elsewhere? Without such a loop a function is its start
/// checks and calls.
fn has_serial_loop(statement: &Statement) -> bool {
    match statement {
        Statement::For(l) => l.order != Order::Parallel,
        Statement::Foreach(f) => !f.is_parallel,
        _ => statement.children().into_iter().any(has_serial_loop),
    }
}

/// Where the elements of a func or an image are.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The name of the pointer to the first element.
    pointer: String,
    /// The first coordinates.
    mins: Vec<String>,
    /// The distances of neighbours; `None` where it is 1.
    strides: Vec<Option<String>>,
    /// The dimension that is folded, and F − 1.
    fold: Option<(usize, String)>,
    /// Of a view: the name of the distance in dimension 0.
    first_stride: String,
    /// Of a view: the name of the distance of its first pixel in memory from that at its first coordinates, in bytes.
    first: String,
    /// Of a view: the name of its size in bytes.
    bytes: String,
    /// Of a func in memory of its own: the first coordinates.
    low: Vec<Expr>,
    /// Has each lane elements of its own, and first coordinates?
    has_lanes: bool,
    /// Is it memory of the root block, in which an index may be an `int`?
    may_be_narrow: bool,
}

/// So many reasons why a pipeline does not start are in a function.
const REFUSALS: usize = 128;
/// Constants up to this one are added to the pointer where an index is an `int`.
const NEIGHBOURS: i64 = 16;

/// The name of a view, what it shows, its rank, and the variables of its window.
type ViewParameter = (String, Source, usize, Vec<[Variable; 2]>);

struct Writer<'w> {
    nest: &'w Nest,
    windows: &'w Windows,
    names: Names,
    out: String,
    lines: Vec<Span>,
    depth: usize,
    /// What the lines at hand are made from.
    span: Span,
    /// Variables that differ between the lanes of the vector loop around.
    varying: HashSet<Variable>,
    /// What some of these are, by other variables.
    lane_values: HashMap<Variable, Expr>,
    /// What variables are, as sums of multiples of those that loops and parameters bind.
    sums: HashMap<Variable, Expr>,
    /// Functions that call one for each lane by itself.
    helpers: String,
    /// Their names.
    by_lane: HashMap<String, String>,
    /// The name of the function at hand.
    function_name: String,
    /// The name of the one that runs the schedule.
    schedule_function: String,
    /// Views by source: inputs, and outputs, whose memory is the caller's.
    views: HashMap<Source, Place>,
    /// The buffers of funcs, by component.
    buffers: HashMap<Source, Place>,
    /// Funcs that are read by indices that are `int`s.
    narrow: BTreeSet<FuncId>,
    /// Which schedules are written in pieces.
    pieces: Pieces,
    /// The array of the windows of the root block, where they are in memory, and the variables of each: in 64 bits, and as an `int`.
    in_memory: Option<(String, Vec<[Variable; 2]>)>,
    /// How many start checks there are.
    checks: usize,
    /// Their numbers, why the pipeline does not start, and how many numbers are in that.
    reasons: Vec<(usize, String, usize)>,
    /// Is this outside of all loops?
    is_root: bool,
    parameters: Vec<(String, String)>,
    /// Lanes of the vector loop around.
    length: u8,
    /// The functions that it calls for ends of windows.
    extrema: Vec<Helper>,
    /// The functions that are strict, whatever the mode is.
    exacts: Vec<Exact>,
    /// Is this in one of them?
    is_exact: bool,
    /// Functions that stand behind the one at hand, and what their lines are made from.
    outside: (String, Vec<Span>),
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
        self.lines.push(self.span);
    }

    /// Text that stands outside of the function at hand: it begins at the margin.
    fn outside(&mut self, work: impl FnOnce(&mut Self)) {
        let (depth, varying) = (std::mem::take(&mut self.depth), std::mem::take(&mut self.varying));
        let (text, lines) = self.apart(work);
        (self.depth, self.varying) = (depth, varying);
        self.outside.0.push_str(&text);
        self.outside.1.extend(lines);
    }

    /// Text that does not stand here, and what its lines are made from.
    fn apart(&mut self, work: impl FnOnce(&mut Self)) -> (String, Vec<Span>) {
        let (text, lines) = (std::mem::take(&mut self.out), std::mem::take(&mut self.lines));
        work(self);
        (std::mem::replace(&mut self.out, text), std::mem::replace(&mut self.lines, lines))
    }

    /// Such text stands here now.
    fn append(&mut self, (text, lines): (String, Vec<Span>)) {
        self.out += &text;
        self.lines.extend(lines);
    }

    /// The line in front of a function: it computes as its pipeline says.
    fn mode(&mut self, more: &str) {
        self.line(&format!("[[fp({})]]{more}", self.nest.pipeline.fp.name()));
    }

    /// A function of scalars beside the one at hand. The variables have names of their own in it, which `work` gets.
    fn helper(&mut self, variables: &[Variable], work: impl FnOnce(&mut Self, &[String])) {
        let nest = self.nest;
        let outer: Vec<String> = variables.iter().map(|&v| self.names.of(nest, v)).collect();
        let own: Vec<String> = outer.iter().map(|name| self.names.fresh(name)).collect();
        let length = std::mem::replace(&mut self.length, 1);
        variables.iter().zip(&own).for_each(|(&v, name)| self.names.rename(v, name.clone()));
        self.outside(|this| work(this, &own));
        variables.iter().zip(outer).for_each(|(&v, name)| self.names.rename(v, name));
        self.length = length;
    }

    /// A function beside the one at hand that runs once or never in a run: LLVM has no work with it.
    fn cold_function(&mut self, header: &str, body: impl FnOnce(&mut Self)) {
        self.outside(|this| {
            this.mode(" [[cold]]");
            this.line(&format!("{header} {{"));
            this.nested(body);
        });
    }

    fn function(&mut self) {
        let nest = self.nest;
        let pipeline = &nest.pipeline;
        let (parameters, views) = self.signature();
        self.mode(if has_serial_loop(&nest.body) { "" } else { " [[cold]]" });
        let name = self.function_name.clone();
        let declared: Vec<String> = parameters.iter().map(|(ty, name)| format!("{ty} {name}")).collect();
        self.line(&format!("int scalar {name}({}) {{", declared.join(", ")));
        self.parameters = parameters;
        self.depth += 1;
        views.iter().for_each(|parameter| self.view(parameter));
        for (variable, value) in &pipeline.lets {
            let (name, value, ty) = (self.names.of(nest, *variable), self.bare(value), value.element().name());
            self.line(&format!("{ty} scalar {name} = {value};"));
        }
        self.root(&views);
        self.line("return 0;");
        self.depth -= 1;
        self.line("}");
        self.write_strided(&views);
        self.write_refusals();
    }

    /// The parameters, and of each view the name, what it shows, its rank, and the variables of its window.
    fn signature(&mut self) -> (Vec<(String, String)>, Vec<ViewParameter>) {
        let nest = self.nest;
        let pipeline = &nest.pipeline;
        let mut parameters: Vec<(String, String)> = Vec::new();
        let mut views: Vec<ViewParameter> = Vec::new();
        for output in &self.windows.outputs {
            let func = pipeline.func(output.func);
            for (component, element) in func.elements.iter().enumerate() {
                let name = self.names.fresh(&format!("{}_view", func.name));
                parameters.push((view_name(*element, func.variables.len()), name.clone()));
                views.push((name, Source::Func(output.func, component), func.variables.len(), output.window.clone()));
            }
        }
        for parameter in &pipeline.parameters {
            match parameter {
                Parameter::Input(id) => {
                    let input = pipeline.input(*id);
                    let name = self.names.fresh(&format!("{}_view", input.name));
                    parameters.push((view_name(input.element, input.dimensions.len()), name.clone()));
                    let window = input.dimensions.iter().map(|d| [d.min, d.extent]).collect();
                    views.push((name, Source::Input(*id), input.dimensions.len(), window));
                }
                Parameter::Scalar(variable) => {
                    let name = self.names.of(nest, *variable);
                    parameters.push((format!("{} scalar", nest.element(*variable).name()), name));
                }
            }
        }
        (parameters, views)
    }

    /// The parts of a view as variables.
    fn view(&mut self, parameter: &ViewParameter) {
        let nest = self.nest;
        let (view, source, rank, window) = (&parameter.0, parameter.1, parameter.2, &parameter.3);
        let (name, element) = match source {
            Source::Func(id, component) => {
                let func = nest.pipeline.func(id);
                (format!("{}_data", func.name), func.elements[component])
            }
            Source::Input(id) => (format!("{}_data", nest.pipeline.input(id).name), nest.pipeline.input(id).element),
        };
        let mut place = Place { pointer: self.names.fresh(&name), ..Place::default() };
        let mut last = Vec::new();
        let mut extents = Vec::new();
        for (d, &[min, extent]) in window.iter().enumerate().take(rank) {
            let (min, extent) = (self.names.of(nest, min), self.names.of(nest, extent));
            place.mins.push(min);
            let stride = self.names.fresh(&format!("{}_stride_{d}", name.trim_end_matches("_data")));
            if d == 0 {
                place.first_stride = stride.clone();
            }
            last.push(format!("(int64) ({extent} - 1) * {stride}"));
            extents.push(format!("{extent} > 0"));
            place.strides.push(Some(stride).filter(|_| d > 0));
        }
        // From the first pixel in memory to behind the last one; nothing where an extent is 0.
        let plain = name.trim_end_matches("_data");
        (place.first, place.bytes) = (self.names.fresh(&format!("{plain}_first")), self.names.fresh(&format!("{plain}_bytes")));
        self.parts_of_view(parameter, &place);
        if let Source::Func(id, component @ 1..) = source {
            for (d, &[min, extent]) in window.iter().enumerate().take(rank) {
                let (min, extent) = (self.names.of(nest, min), self.names.of(nest, extent));
                let differ = format!("{view}.min[{d}] != {min} | {view}.extent[{d}] != {extent}");
                self.refuse_if(&differ, Subject::Component(id, component));
            }
        }
        let (size, first, bytes) = (element.size(), &place.first, &place.bytes);
        let sum = |of: &dyn Fn(&String) -> String| last.iter().map(|l| of(l) + " + ").collect::<String>();
        let condition = if extents.is_empty() { "true".to_owned() } else { extents.join(" & ") };
        let (below, all) = (sum(&|l| format!("min({l}, 0l)")), sum(&|l| format!("abs({l})")));
        self.line(&format!("int64 scalar {first} = {condition} ? ({below}0l) * {size}l : 0l;"));
        self.line(&format!("int64 scalar {bytes} = {condition} ? ({all}1l) * {size}l : 0l;"));
        if place.first_stride.is_empty() {
            place.first_stride = "1l".to_owned();
        }
        self.views.insert(source, place);
    }

    /// The definitions of the parts of a view. All components of a func have one window.
    fn parts_of_view(&mut self, (view, source, rank, window): &ViewParameter, place: &Place) {
        let nest = self.nest;
        let element = match *source {
            Source::Func(id, component) => nest.pipeline.func(id).elements[component],
            Source::Input(id) => nest.pipeline.input(id).element,
        };
        self.line(&format!("{} scalar *scalar {} = {view}.data;", element.name(), place.pointer));
        for (d, ends) in window.iter().enumerate().take(*rank) {
            if !matches!(source, Source::Func(_, 1..)) {
                let [min, extent] = ends.map(|v| self.names.of(nest, v));
                self.line(&format!("int scalar {min} = {view}.min[{d}];"));
                self.line(&format!("int scalar {extent} = {view}.extent[{d}];"));
            }
            let stride = place.strides[d].as_ref().unwrap_or(&place.first_stride);
            self.line(&format!("int64 scalar {stride} = {view}.stride[{d}];"));
        }
    }

    /// The windows of the root block, the start checks, then the work.
    fn root(&mut self, views: &[ViewParameter]) {
        let nest = self.nest;
        // What the checks need is known without the windows where nothing else is mentioned.
        self.memory_checks();
        let root = Root::of(&nest.body);
        self.root_windows(&root, |writer| writer.line("return 0;"));
        let name = self.function_name.clone();
        self.start_checks(&name, "checks", root.checks.clone(), Self::check);
        if self.in_memory.is_none() {
            for ((wide, _), narrow) in root.wide.iter().zip(&root.narrow) {
                let [wide, narrow] = [*wide, *narrow].map(|v| self.names.of(nest, v));
                self.line(&format!("int scalar {narrow} = (int) {wide};"));
            }
        }
        self.behind_windows(|this| {
            let work = this.apart(|this| this.work(root.work, views));
            let narrow = std::mem::take(&mut this.narrow).into_iter().collect();
            this.start_checks(&name, "elements", narrow, |this, func| {
                this.span = nest.pipeline.func(func).span;
                let reach = this.reach(func);
                this.refuse_if(&format!("!({reach} <= 2147483647.0)"), Subject::Elements(func));
            });
            this.append(work);
        });
    }

    fn check(&mut self, check: &Check) {
        self.span = match check.subject {
            Subject::Range(func, _) => self.nest.pipeline.func(func).span,
            _ => self.nest.pipeline.span,
        };
        let condition = format!("!{}", self.operand(&check.condition));
        let numbers: Vec<String> = check.numbers.iter().map(|number| self.bare(number)).collect();
        self.refuse(&condition, check.reason.clone(), &numbers);
    }

    /// Under this condition the pipeline does not start, for a reason without numbers.
    fn refuse_if(&mut self, condition: &str, subject: Subject) {
        self.refuse(condition, plain_reason(self.windows, subject), &[]);
    }

    /// Under this condition the pipeline does not start: it says why, and returns the number of the check.
    fn refuse(&mut self, condition: &str, reason: String, numbers: &[String]) {
        self.checks += 1;
        let number = self.checks;
        let zeros = std::iter::repeat_n("0l".to_owned(), MOST_NUMBERS - numbers.len());
        let arguments: String = numbers.iter().map(|n| format!("(int64) ({n})")).chain(zeros).map(|n| format!(", {n}")).collect();
        let refused = self.name_of_refusals((number - 1) / REFUSALS);
        self.line(&format!("if ({condition}) return {refused}({number}{arguments});"));
        self.reasons.push((number, reason, numbers.len()));
    }

    fn name_of_refusals(&self, group: usize) -> String {
        match group {
            0 => format!("{}__refused", self.function_name),
            _ => format!("{}__refused_{}", self.function_name, group + 1),
        }
    }

    /// The functions that say why a pipeline does not start. One for many checks, which runs once at most, and is text that no
    /// check has to carry.
    fn write_refusals(&mut self) {
        let mut reasons: BTreeMap<usize, Vec<(usize, String, usize)>> = BTreeMap::new();
        for reason in std::mem::take(&mut self.reasons) {
            reasons.entry((reason.0 - 1) / REFUSALS).or_default().push(reason);
        }
        reasons.into_iter().for_each(|(group, reasons)| self.write_refusals_of(group, reasons));
    }

    fn write_refusals_of(&mut self, group: usize, reasons: Vec<(usize, String, usize)>) {
        let names: [&str; MOST_NUMBERS] = ["a", "b", "c", "d"];
        let (name, pipeline) = (self.name_of_refusals(group), self.nest.pipeline.name.clone());
        let parameters: String = names.map(|n| format!(", int64 scalar {n}")).concat();
        self.cold_function(&format!("int scalar {name}(int scalar check{parameters})"), |this| {
            for (number, text, count) in reasons {
                let arguments: String = names[..count].iter().map(|n| format!(", {n}")).collect();
                this.line(&format!("if (check == {number}) __reason(\"pipeline `{pipeline}`: {text}\"{arguments});"));
            }
            this.line("return check;");
        });
    }

    /// The statements of a block, with the memory that it allocates.
    fn block(&mut self, list: &[Statement]) {
        for s in list {
            match s {
                Statement::Allocate(func, storage) => self.allocate(*func, *storage),
                other => self.statement(other),
            }
        }
    }

    /// Memory for a func; that of an output is the caller's.
    fn allocate(&mut self, id: FuncId, storage: Storage) {
        let nest = self.nest;
        let func = nest.pipeline.func(id);
        self.span = func.span;
        if nest.pipeline.outputs.contains(&id) {
            for component in 0..func.elements.len() {
                let source = Source::Func(id, component);
                let place = self.views[&source].clone();
                self.buffers.insert(source, place);
            }
            return;
        }
        let has_lanes = storage == Storage::PerLane;
        let (place, count) = self.memory_of(id, has_lanes);
        for (component, element) in func.elements.iter().enumerate() {
            let pointer = self.names.fresh(&func.name);
            let element = element.name();
            let length = if has_lanes { format!("block[{}]", self.length) } else { "scalar".into() };
            self.line(&format!("scratch {element} {length} {pointer}[{count}];"));
            self.buffers.insert(Source::Func(id, component), Place { pointer, ..place.clone() });
        }
    }

    /// Where the elements of a func in memory of its own are, but for the pointer, and how many there are.
    fn memory_of(&mut self, id: FuncId, has_lanes: bool) -> (Place, String) {
        let nest = self.nest;
        let func = nest.pipeline.func(id);
        let mut place = Place { has_lanes, ..Place::default() };
        let mut lengths: Vec<String> = Vec::new();
        for d in 0..func.variables.len() {
            let [min, length] = memory_window(nest, id, d);
            place.mins.push(self.operand(&min));
            lengths.push(self.shared_length(&length));
            place.low.push(min);
            place.strides.push(match d {
                0 => None,
                1 => Some(format!("(int64) {}", lengths[0])),
                _ => {
                    let stride = self.names.fresh(&format!("{}_stride_{d}", func.name));
                    let product: Vec<String> = lengths[..d].iter().map(|l| format!("(int64) {l}")).collect();
                    self.line(&format!("int64 scalar {stride} = {};", product.join(" * ")));
                    Some(stride)
                }
            });
        }
        place.fold = nest.fold(id).map(|fold| (fold.dimension, self.operand(&offset(&fold.factor, -1))));
        let product: Vec<String> = lengths.iter().map(|l| format!("(int64) {l}")).collect();
        let count = if product.is_empty() { "1l".to_owned() } else { product.join(" * ") };
        place.may_be_narrow = self.is_root && !has_lanes && place.fold.is_none() && !lengths.is_empty();
        (place, count)
    }

    /// How far the elements of a func in memory of the root block are apart at most, with [`NEIGHBOURS`], as a `double`.
    fn reach(&mut self, id: FuncId) -> String {
        let nest = self.nest;
        let dimensions = 0..nest.pipeline.func(id).variables.len();
        let lengths: Vec<String> = dimensions.map(|d| self.operand(&memory_window(nest, id, d)[1])).collect();
        let stride = |d: usize| lengths[..d].iter().map(|l| format!(" * (double) {l}")).collect::<String>();
        let along = |(d, length)| format!("((double) {length} + {NEIGHBOURS}.0){}", stride(d));
        lengths.iter().enumerate().map(along).collect::<Vec<_>>().join(" + ")
    }

    fn place_of(&self, source: Source) -> Place {
        match source {
            Source::Func(..) => self.buffers[&source].clone(),
            Source::Input(InputId(_)) => self.views[&source].clone(),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Nop => {}
            Statement::Assert(..) => unreachable!("start checks stand in front of the work"),
            Statement::Sequence(list) if is_block(list) => self.block(list),
            Statement::Sequence(list) => list.iter().for_each(|s| match s {
                // A scope of its own.
                Statement::Let(..) | Statement::Greatest(..) => {
                    self.line("{");
                    self.nested(|this| this.statement(s));
                }
                _ => self.statement(s),
            }),
            Statement::Allocate(..) => unreachable!("an allocation stands in a block"),
            Statement::Store(store) => self.store(store),
            Statement::Accumulate(update) => self.update(update),
            Statement::If(condition, body) => {
                let condition = self.bare(condition);
                self.line(&format!("if ({condition}) {{"));
                self.nested(|this| this.statement(body));
            }
            Statement::Either(condition, sides) => {
                let condition = self.bare(condition);
                self.line(&format!("if ({condition}) {{"));
                self.depth += 1;
                self.statement(&sides[0]);
                self.depth -= 1;
                self.line("} else {");
                self.nested(|this| this.statement(&sides[1]));
            }
            Statement::For(l) => self.inside(|this| this.loop_of(l)),
            Statement::Foreach(f) => self.inside(|this| this.blocks(f)),
            Statement::Let(variable, value, body) => {
                self.define(*variable, value);
                self.statement(body);
            }
            Statement::Greatest(variable, value, body) => {
                let (name, value) = (self.names.of(self.nest, *variable), self.bare(value));
                self.line(&format!("int scalar {name} = reduce_max({value});"));
                self.statement(body);
            }
            Statement::Slide(done, body) => {
                let name = self.names.of(self.nest, *done);
                self.line(&format!("int scalar {name} = {NOTHING_DONE};"));
                self.statement(body);
            }
            Statement::Advance(done, e) => {
                let (name, e) = (self.names.of(self.nest, *done), self.bare(e));
                self.line(&format!("{name} = max({name}, {e});"));
            }
            Statement::Produce(func, body) => {
                self.span = self.nest.pipeline.func(*func).span;
                let name = &self.nest.pipeline.func(*func).name;
                self.line(&format!("// {name}"));
                self.statement(body);
            }
            Statement::Stage(stage, body) => {
                let stages = &self.nest.pipeline.func(stage.func).stages;
                self.span = stages[stage.stage].span;
                // A scope of its own for its `let`s.
                self.line("{");
                self.nested(|this| this.statement(body));
            }
        }
    }

    /// Indented, with the bracket that closes it.
    fn nested(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// A loop.
    fn inside(&mut self, work: impl FnOnce(&mut Self)) {
        let is_root = std::mem::replace(&mut self.is_root, false);
        work(self);
        self.is_root = is_root;
    }

    /// A loop over blocks of lanes.
    fn blocks(&mut self, f: &Foreach) {
        let outer = self.varying.clone();
        let (low, high) = (self.bare(&f.low), self.bare(&f.high));
        let name = self.names.of(self.nest, f.variable);
        self.bind(f.variable);
        self.varying.insert(f.variable);
        let length = std::mem::replace(&mut self.length, f.lanes);
        let parallel = if f.is_parallel { "parallel " } else { "" };
        self.line(&format!("{parallel}foreach (int block[{}] {name} = {low} .. {high}) {{", f.lanes));
        self.nested(|this| this.statement(&f.body));
        (self.length, self.varying) = (length, outer);
    }

    fn loop_of(&mut self, l: &Loop) {
        let low = self.bare(&l.min);
        let high = self.bare(&plus(&l.min, &l.length));
        let name = self.names.of(self.nest, l.variable);
        self.bind(l.variable);
        match l.order {
            Order::Vector(_) => unreachable!("a vector loop is a loop over blocks"),
            Order::Parallel => {
                self.line(&format!("parallel foreach (int scalar {name} = {low} .. {high}) {{"));
                self.nested(|this| this.statement(&l.body));
            }
            Order::Serial | Order::Unrolled => {
                self.line(&format!("foreach (int scalar {name} = {low} .. {high}) {{"));
                self.nested(|this| this.statement(&l.body));
            }
        }
    }
}
