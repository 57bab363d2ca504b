//! Who does the work of a schedule: one function for each version by the strides of views.
//!
//! ```text
//! return in_stride_0 == 3l ? p.s.work1(out_view, in_view) : p.s.work(out_view, in_view);
//! ```
//! A function that asks for strides is given those of the caller's views, which the views that it works on may not have.

use super::super::expr::Variable;
use super::super::loops::ir::Nest;
use super::super::passes::strides::{Number, Part, Version, number};
use super::body::{member, parameter};
use super::state::Lowering;
use crate::check::schedules::{Target, new_function, new_local};
use crate::typed::ir::{self, BinaryOp, CompareOp, FunctionId};
use crate::types::Element;

/// What does the work of a schedule.
pub(super) struct Work {
    pub function: FunctionId,
    /// What it knows of the strides of views.
    pub version: Version,
    /// The strides that it is given, as the caller's views have them.
    pub used: Vec<Variable>,
}

impl Work {
    /// The functions for some versions of a nest.
    pub fn of(versions: Vec<Version>, nests: &[Nest], function: FunctionId, target: &mut dyn Target) -> Vec<Work> {
        let is_used = |v: Variable| nests.iter().any(|nest| mentions(nest, v));
        let of_inputs = nests[0].pipeline.strides().map(|(_, _, v)| v);
        let of_outputs = nests[0].requests.iter().flat_map(|request| request.strides.iter().copied());
        let used: Vec<Variable> = of_inputs.chain(of_outputs).filter(|&v| is_used(v)).collect();
        let mut works = Vec::new();
        for (number, version) in versions.into_iter().enumerate() {
            let name = if version.known.is_empty() { "work".to_owned() } else { format!("work{}", number + 1) };
            works.push(Work { function: twin(target, function, &name, &used), version, used: used.clone() });
        }
        works
    }
}

/// Does a nest ask for a variable that is known at startup?
pub fn mentions(nest: &Nest, variable: Variable) -> bool {
    nest.body.mentions(variable) || nest.pipeline.lets.iter().any(|(_, value)| value.mentions(&|v| v == variable))
}

/// A further function with the parameters of one, and some strides.
pub(super) fn twin(target: &mut dyn Target, of: FunctionId, what: &str, strides: &[Variable]) -> FunctionId {
    let int64 = target.types().scalar(Element::Int64);
    let of = target.function(of);
    let mut made = new_function(format!("{}.{what}", of.name), of.fp, of.result, of.span);
    made.locals = of.locals[..of.parameters].to_vec();
    made.locals.extend(strides.iter().map(|_| new_local("stride", int64, made.span)));
    made.parameters = made.locals.len();
    target.add(made)
}

impl Lowering<'_> {
    /// What the function at hand is given.
    pub fn own_arguments(&self) -> Vec<ir::Expr> {
        (0..self.passed().len()).map(|k| self.b.load(parameter(k))).collect()
    }

    /// The call of the version for the strides that the caller's views have; the arguments may be copies.
    pub fn work_on(&self, works: &[Work], arguments: &[ir::Expr]) -> ir::Expr {
        let mut made: Option<ir::Expr> = None;
        for work in works.iter().rev() {
            let strides = work.used.iter().map(|&stride| self.number_of(stride));
            let status = self.b.call(work.function, arguments.iter().cloned().chain(strides).collect());
            made = Some(match (self.runs(&work.version), made) {
                (Some(runs), Some(others)) => self.b.conditional(runs, status, others),
                _ => status,
            });
        }
        made.expect("a version that knows nothing")
    }

    /// A number of a view of the caller.
    fn number_of(&self, variable: Variable) -> ir::Expr {
        let Number { source, dimension, part } = number(self.nest, variable).expect("a number of a view");
        let part = match part {
            Part::Min => member::MIN,
            Part::Extent => member::EXTENT,
            Part::Stride => member::STRIDE,
        };
        self.b.number_of_view(parameter(self.views[&source].parameter), part, dimension)
    }

    /// Have the caller's views the strides of a version, and what else it knows of them?
    pub fn runs(&self, version: &Version) -> Option<ir::Expr> {
        let is_it = |&(variable, value): &(Variable, i64)| {
            let own = self.b.convert(self.number_of(variable), Element::Int64);
            self.b.compare(CompareOp::Equal, own, self.b.long(value))
        };
        self.b.joined(BinaryOp::BitAnd, version.known.iter().map(is_it))
    }
}
