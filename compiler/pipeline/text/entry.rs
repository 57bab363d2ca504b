//! Functions by which programs of other languages run pipelines.
//!
//! ```text
//! export int blur_tiled(__buffer *by, const __buffer *in) {
//!     if (by->rank != 2) { __reason("…"); return -1; }        is it an image of the right kind?
//!     __view2_uint16 by_view;                                 as a view
//!     by_view.data = (uint16 *) by->data;
//!     by_view.min[0] = by->dim[0].min; …
//!     return __blur__tiled(by_view, in_view);
//! }
//! export int blur_tiled_required(const __buffer *by, __buffer *in) { … }
//! ```
//! For C a buffer is `ivl_buffer` (`header`), for Rust `ivl::Buffer`. A function returns 0; if the pipeline does not start,
//! it returns another number, has written nothing, and the reason is kept (`ivl_last_error`).

use super::super::signature::{Image, Parameter, Signature};

use super::names::Names;
use crate::library::schedule_function;
use crate::types::{BUFFER, Element, view_name};
use std::fmt::Write;

/// The number of a type of pixels in a buffer.
pub fn type_number(element: Element) -> usize {
    1 + Element::ALL.iter().position(|&e| e == element).expect("an element type")
}

/// The declarations of buffers.
pub fn buffer_declarations() -> String {
    format!(
        "struct __dim {{ int scalar min; int scalar extent; int64 scalar stride; }};\n\
         struct {BUFFER} {{ uint8 scalar *scalar data; __dim scalar *scalar dim; int scalar rank; int scalar type; }};\n"
    )
}

/// What a function of a schedule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It runs the pipeline.
    Run,
    /// It fills the windows of the inputs.
    Required,
}

/// A parameter of an entry.
enum Passed {
    /// An image, how it is called in messages, and is it filled?
    Buffer {
        image: Image,
        role: String,
        is_filled: bool,
    },
    Scalar {
        name: String,
        element: Element,
    },
}

/// The exported function `name` of a schedule.
pub fn entry(signature: &Signature, schedule: &str, name: &str, purpose: Purpose) -> String {
    let mut out = String::new();
    let passed = passed(signature, purpose);
    let mut names = Names::new([name.to_owned()].into_iter());
    let (mut parameters, mut before, mut arguments, mut after) = (Vec::new(), String::new(), Vec::new(), String::new());
    for parameter in &passed {
        match parameter {
            Passed::Scalar { name, element } => {
                let name = names.fresh(name);
                parameters.push(format!("{} scalar {name}", element.name()));
                arguments.push(name);
            }
            Passed::Buffer { image, role, is_filled } => {
                let buffer = names.fresh(&image.name);
                let view = names.fresh(&format!("{buffer}_view"));
                let is_written = *is_filled || (purpose == Purpose::Run && role.starts_with("output"));
                let qualifier = if is_written { "" } else { "const " };
                parameters.push(format!("{qualifier}{BUFFER} scalar *scalar {buffer}"));
                before += &as_view(signature, image, role, &buffer, &view, purpose);
                if *is_filled {
                    for d in 0..image.rank {
                        for member in ["min", "extent", "stride"] {
                            let _ = writeln!(after, "    {buffer}->dim[{d}].{member} = {view}.{member}[{d}];");
                        }
                    }
                }
                arguments.push(view);
            }
        }
    }
    let function = schedule_function(&signature.name, schedule);
    let (function, arguments) = (function + if purpose == Purpose::Run { "" } else { "__required" }, arguments.join(", "));
    let what = match purpose {
        Purpose::Run => "Runs the pipeline over the windows of its outputs",
        Purpose::Required => "Fills the windows and strides that the inputs of the pipeline must have",
    };
    let pipeline = &signature.name;
    let _ = writeln!(out, "/// {what}, by schedule `{schedule}` of `{pipeline}`: 0, or another number if it does not start.");
    let _ = writeln!(out, "export int scalar {name}({}) {{", parameters.join(", "));
    out += &before;
    if after.is_empty() {
        let _ = writeln!(out, "    return {function}({arguments});");
    } else {
        let status = names.fresh("status");
        let _ = writeln!(out, "    int scalar {status} = {function}({arguments});");
        let _ = writeln!(out, "    if ({status} != 0) return {status};\n{after}    return 0;");
    }
    out += "}\n";
    out
}

/// The exported function `name`, which calls the exported function `callee` of the same schedule and purpose with what the
/// elements of an array point to: for callers who do not know the signature when they are compiled.
pub fn array_entry(signature: &Signature, callee: &str, name: &str) -> String {
    let mut arguments: Vec<String> = Vec::new();
    for (i, parameter) in passed(signature, Purpose::Run).iter().enumerate() {
        arguments.push(match parameter {
            Passed::Buffer { .. } => format!("({BUFFER} scalar *scalar) arguments[{i}]"),
            Passed::Scalar { element, .. } => format!("*({} scalar *scalar) arguments[{i}]", element.name()),
        });
    }
    let arguments = arguments.join(", ");
    format!("export int scalar {name}(uint8 scalar *scalar *scalar arguments) {{\n    return {callee}({arguments});\n}}\n")
}

fn passed(signature: &Signature, purpose: Purpose) -> Vec<Passed> {
    let mut all = Vec::new();
    for output in &signature.outputs {
        for image in output.images() {
            let role = format!("output `{}`", image.name);
            all.push(Passed::Buffer { image, role, is_filled: false });
        }
    }
    for parameter in &signature.parameters {
        all.push(match parameter {
            Parameter::Image(image) => {
                let role = format!("input `{}`", image.name);
                Passed::Buffer { image: image.clone(), role, is_filled: purpose == Purpose::Required }
            }
            Parameter::Scalar { name, element } => Passed::Scalar { name: name.to_string(), element: *element },
        });
    }
    all
}

/// A view of a buffer, once it is known to be one of its kind.
fn as_view(signature: &Signature, image: &Image, role: &str, buffer: &str, view: &str, purpose: Purpose) -> String {
    let mut out = String::new();
    let Image { element, rank, .. } = *image;
    let mut refuse = |condition: &str, why: &str| {
        let _ = writeln!(out, "    if ({condition}) {{ __reason(\"pipeline `{}`: {role} {why}); return -1; }}", signature.name);
    };
    refuse(&format!("{buffer} == null"), "is the null pointer\"");
    let dimensions = if rank == 1 { "1 is" } else { &format!("{rank} are") };
    refuse(&format!("{buffer}->rank != {rank}"), &format!("has % dimensions, {dimensions} needed\", {buffer}->rank"));
    if rank > 0 {
        refuse(&format!("{buffer}->dim == null"), "has no dimensions: `dim` is the null pointer\"");
    }
    let number = type_number(element);
    let why = format!("has pixels of type %, `{}` ({number}) is needed\", {buffer}->type", element.name());
    refuse(&format!("{buffer}->type != {number}"), &why);
    if purpose == Purpose::Run {
        let has_points = (0..rank).map(|d| format!(" && {buffer}->dim[{d}].extent > 0")).collect::<String>();
        refuse(&format!("{buffer}->data == null{has_points}"), "has no pixels: `data` is the null pointer\"");
    }
    let _ = writeln!(out, "    {} {view};", view_name(element, rank));
    let _ = writeln!(out, "    {view}.data = ({} scalar *scalar) {buffer}->data;", element.name());
    for d in 0..rank {
        for member in ["min", "extent", "stride"] {
            let _ = writeln!(out, "    {view}.{member}[{d}] = {buffer}->dim[{d}].{member};");
        }
    }
    out
}
