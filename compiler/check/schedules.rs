//! Schedules of pipelines: `pipeline` makes functions of them, the program calls them. One is asked for as an instance is.
//!
//! ```text
//! p.s(out, in)   ──►   void p.s.run(out, in)            opened at the first call, with parameters and without a body
//!                      int p.s(out, in)                 what it calls: 0, or the number of the start check that does not hold
//! ```
//! When all instances are found, those schedules that the roots reach are lowered ([`Schedules::lower`]), which asks for instances of the
//! functions that pipelines call, at the lengths of vector loops. A schedule that nobody asks for costs nothing here.

use crate::diagnostics::Diagnostics;
use crate::source::Span;
use crate::target::{FpMode, Inlining};
use crate::typed::ir::{self, Block, FunctionId, Linkage, Local, ParameterKind};
use crate::types::{Element, Type, Types};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A function of a schedule of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wanted {
    /// The pipeline.
    pub pipeline: Rc<str>,
    /// Its schedule.
    pub schedule: Rc<str>,
    /// What the function is for.
    pub purpose: Purpose,
    /// What it does where the pipeline does not start.
    pub refusal: Refusal,
}

impl Wanted {
    /// The name of the function, which no program can write: that of the instance `add<int, 5>` is `add.int.5`.
    pub fn name(&self) -> String {
        let pipeline = self.pipeline.replace(['<', ' '], ".").replace([',', '>'], "").replace('-', "minus");
        let purpose = if self.purpose == Purpose::Required { ".required" } else { "" };
        let refusal = if self.refusal == Refusal::EndProgram { ".run" } else { "" };
        format!("{pipeline}.{}{purpose}{refusal}", self.schedule)
    }
}

/// What a function of a schedule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Purpose {
    /// It runs the pipeline.
    Run,
    /// It fills the windows of the views of the inputs.
    Required,
}

/// What a function of a schedule does where the pipeline does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// It returns a number that is not 0.
    Status,
    /// It returns nothing, and ends the program.
    EndProgram,
}

/// A parameter of the functions of a pipeline, outputs first.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The type of the pixels, or of the number.
    pub element: Element,
    /// What is passed.
    pub kind: ParameterOf,
    /// In which dimension its pixels lie side by side.
    pub dense: Dense,
}

/// The dimension of views in which pixels lie side by side where an array is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dense {
    /// The first one, as in images.
    First,
    /// The last one, as in arrays and tensors.
    Last,
}

/// What is passed to a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterOf {
    /// A view with so many dimensions, which the pipeline fills.
    Output(usize),
    /// A view with so many dimensions, which it reads.
    Input(usize),
    /// A number.
    Scalar,
}

/// What stands for a parameter of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemplateValue {
    /// A type of pixels.
    Type(Element),
    /// An integer, or a `bool` as 0 or 1.
    Number(i128),
}

/// An instance of a pipeline that somebody calls, or exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The pipeline.
    pub pipeline: Rc<str>,
    /// For each parameter what is given for it; the others have their defaults.
    pub values: Vec<Option<TemplateValue>>,
    /// Where.
    pub span: Span,
}

/// What the pipelines of a program are.
pub trait Schedules {
    /// The name of an instance of a pipeline. One that is not there yet is noted, and is there when the program is checked the next time;
    /// of one that was refused nothing more is said.
    fn instance(&self, asked: &Asked) -> Option<Rc<str>>;

    /// The parameters of a pipeline, and its name in the text; `None` if it was refused.
    fn parameters(&self, pipeline: &str) -> Option<(Vec<Parameter>, Span)>;

    /// The schedules of a pipeline.
    fn schedules(&self, pipeline: &str) -> Vec<Rc<str>>;

    /// Makes the functions that programs of other languages call.
    fn entries(&self, target: &mut dyn Target) -> Vec<FunctionId>;

    /// Makes the exported function `name`, whose callers pass images, of one that takes views.
    fn with_buffers(&self, callee: FunctionId, name: &str, target: &mut dyn Target) -> FunctionId;

    /// Gives a function its body.
    fn lower(&self, wanted: &Wanted, function: FunctionId, target: &mut dyn Target);
}

/// What a schedule is lowered to: the program, as far as it is known.
pub trait Target {
    /// The types of the program.
    fn types(&mut self) -> &mut Types;

    /// A function of the program.
    fn function(&self, id: FunctionId) -> &ir::Function;

    /// A function of the program, to be completed.
    fn function_mut(&mut self, id: FunctionId) -> &mut ir::Function;

    /// Gives a function its locals, parameters first, and its body.
    fn finish(&mut self, id: FunctionId, locals: Vec<Local>, body: Block);

    /// A further function.
    fn add(&mut self, function: ir::Function) -> FunctionId;

    /// The instance of a function, given by its scalar one, at Λ and parameter types.
    fn instance(&mut self, scalar: FunctionId, context: u8, parameters: Vec<Type>, span: Span) -> FunctionId;

    /// The instance of a template of the library with one type parameter.
    fn of_library(&mut self, name: &str, element: Element, context: u8, parameters: Vec<Type>, span: Span) -> FunctionId;

    /// A function of a schedule.
    fn scheduled(&mut self, wanted: &Wanted) -> FunctionId;

    /// The functions that all schedules have in common, by name: those that one of them has made so far.
    fn shared(&mut self) -> &mut FxHashMap<String, FunctionId>;

    /// What is said of the program.
    fn diagnostics(&mut self) -> &mut Diagnostics;

    /// The type of views with so many dimensions.
    fn view(&mut self, element: Element, rank: usize) -> Type;

    /// The type of images as programs of other languages pass them, and of their dimensions.
    fn buffer(&mut self) -> Type;

    /// Makes a function one that programs of other languages call by this name.
    fn export(&mut self, function: FunctionId, name: &str, span: Span);
}

/// No pipelines.
impl Schedules for () {
    fn instance(&self, _: &Asked) -> Option<Rc<str>> {
        None
    }

    fn parameters(&self, _: &str) -> Option<(Vec<Parameter>, Span)> {
        None
    }

    fn schedules(&self, _: &str) -> Vec<Rc<str>> {
        Vec::new()
    }

    fn entries(&self, _: &mut dyn Target) -> Vec<FunctionId> {
        Vec::new()
    }

    fn with_buffers(&self, callee: FunctionId, _: &str, _: &mut dyn Target) -> FunctionId {
        callee
    }

    fn lower(&self, _: &Wanted, _: FunctionId, _: &mut dyn Target) {}
}

/// A function without a body, locals and parameters.
pub fn new_function(name: String, fp: FpMode, result: Type, span: Span) -> ir::Function {
    ir::Function {
        name,
        signature: String::new(),
        symbol: String::new(),
        context: 1,
        linkage: Linkage::Internal,
        fp,
        inlining: Inlining::Allowed,
        is_library: false,
        is_scheduled: true,
        locals: Vec::new(),
        parameters: 0,
        result,
        reasons: Vec::new(),
        body: None,
        docs: Vec::new(),
        span,
    }
}

/// A local variable of a function that no source declares.
pub fn new_local(name: &str, ty: Type, span: Span) -> Local {
    Local {
        name: name.to_owned(),
        ty,
        span,
        parameter: ParameterKind::Plain,
        pointee_is_const: false,
        alignment: 1,
        elements: None,
        reasons: Vec::new(),
    }
}
