//! What a pipeline takes and gives: all that its callers have to know.

use super::algorithm::{self, Func, Notation, Pipeline};
use crate::check::schedules::{self, Dense, ParameterOf};
use crate::source::Span;
use crate::types::Element;
use std::rc::Rc;

/// What a pipeline takes and gives, and how it can be run.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its name.
    pub name: Rc<str>,
    /// In which notation it is written.
    pub notation: Notation,
    /// Its outputs, in the order behind `->`, but for those that stand among the parameters.
    pub outputs: Vec<Output>,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its schedules: `auto`, `breadth_first`, then those of the files.
    pub schedules: Vec<String>,
    /// Those that programs of other languages may run.
    pub exported: Vec<String>,
    /// Its name in the text.
    pub span: Span,
}

/// An output.
#[derive(Clone, Debug)]
pub struct Output {
    /// The func.
    pub name: Rc<str>,
    /// The names of its dimensions, in the order of the text.
    pub variables: Vec<Rc<str>>,
    /// The types of its values: one, or those of a tuple.
    pub elements: Vec<Element>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub enum Parameter {
    /// An input image.
    Image(Image),
    /// An image that is read and overwritten: an input, and an output with its memory.
    InOut(Image),
    /// A number.
    Scalar {
        /// Its name.
        name: Rc<str>,
        /// Its type.
        element: Element,
    },
}

/// An image that a caller passes: an input, or one for a value of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its name; of value k of a tuple `f`, `f_k`.
    pub name: String,
    /// The type of its pixels.
    pub element: Element,
    /// How many dimensions it has.
    pub rank: usize,
}

impl Signature {
    /// The functions for other languages: the schedule that one runs, and its name. The query of the windows of the inputs has
    /// `_required` behind the name.
    pub fn entries(&self) -> Vec<(&str, String)> {
        let mut entries = Vec::new();
        for schedule in &self.exported {
            entries.push((schedule.as_str(), format!("{}_{schedule}", self.name)));
            if schedule == "auto" && &*self.name != "main" {
                entries.push((schedule, self.name.to_string()));
            }
        }
        entries
    }

    /// The signature of a pipeline that has these schedules.
    pub fn new(pipeline: &Pipeline, schedules: Vec<String>) -> Signature {
        let parameter = |parameter: &algorithm::Parameter| match *parameter {
            algorithm::Parameter::Input(id) => {
                let input = pipeline.input(id);
                let (name, rank) = (input.name.to_string(), input.dimensions.len());
                let image = Image { name, element: input.element, rank };
                if pipeline.overwrites(id).is_some() { Parameter::InOut(image) } else { Parameter::Image(image) }
            }
            algorithm::Parameter::Scalar(variable) => {
                let info = pipeline.variable(variable);
                Parameter::Scalar { name: info.name.clone(), element: info.element }
            }
        };
        let own = pipeline.outputs.iter().filter(|id| pipeline.overwritten_by(**id).is_none());
        let (outputs, parameters) = (
            own.map(|&id| Output::of(pipeline, pipeline.func(id))).collect(),
            pipeline.parameters.iter().map(parameter).collect(),
        );
        let (name, notation, span) = (pipeline.name.clone(), pipeline.notation, pipeline.span);
        Signature { name, notation, outputs, parameters, schedules, exported: Vec::new(), span }
    }

    /// What is passed to its functions, outputs first.
    pub fn passed(&self) -> Vec<schedules::Parameter> {
        let dense = match self.notation {
            Notation::Pipeline => Dense::First,
            Notation::Tensors => Dense::Last,
        };
        let made = |name: String, element, kind| schedules::Parameter { name, element, kind, dense };
        let outputs = self.outputs.iter().flat_map(Output::images);
        let outputs = outputs.map(|output| made(output.name, output.element, ParameterOf::Output(output.rank)));
        let others = self.parameters.iter().map(|parameter| match parameter {
            Parameter::Image(input) => made(input.name.clone(), input.element, ParameterOf::Input(input.rank)),
            Parameter::InOut(image) => made(image.name.clone(), image.element, ParameterOf::Output(image.rank)),
            Parameter::Scalar { name, element } => made(name.to_string(), *element, ParameterOf::Scalar),
        });
        outputs.chain(others).collect()
    }

    /// The images whose pixels are read, in order: inputs, and what is overwritten.
    pub fn read(&self) -> impl Iterator<Item = &Image> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Image(image) | Parameter::InOut(image) => Some(image),
            Parameter::Scalar { .. } => None,
        })
    }

    /// The input images in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Image> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Image(image) => Some(image),
            Parameter::InOut(_) | Parameter::Scalar { .. } => None,
        })
    }
}

impl Output {
    /// A func as an output.
    pub fn of(pipeline: &Pipeline, func: &Func) -> Output {
        let variables = func.variables.iter().map(|&v| pipeline.variable(v).name.clone()).collect();
        Output { name: func.name.clone(), variables: pipeline.in_text_order(variables), elements: func.elements.clone() }
    }

    /// The images that are passed for it, one for each value.
    pub fn images(&self) -> Vec<Image> {
        let rank = self.variables.len();
        let name = |k| if self.elements.len() == 1 { self.name.to_string() } else { format!("{}_{k}", self.name) };
        self.elements.iter().enumerate().map(|(k, &element)| Image { name: name(k), element, rank }).collect()
    }
}
