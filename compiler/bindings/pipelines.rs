//! Pipelines as safe functions of Rust.
//!
//! ```text
//! pipeline blur(uint16 in[,], int k) -> by {…}         pub mod blur {
//! schedule blur.tiled {…}                      ──►         pub fn tiled(r#in: View<'_, u16, 2>, k: i32, window: Window<2>)
//!                                                              -> Result<Image<u16, 2>, Error>
//!                                                          pub fn tiled_into(by: ViewMut<'_, u16, 2>, r#in: …, k: i32) -> Result<(), Error>
//!                                                          pub fn tiled_required(r#in: Window<2>, k: i32, window: Window<2>)
//!                                                              -> Result<Window<2>, Error>
//! ```
//! The text uses the crate `ivl` and the entries `blur_tiled`, `blur_tiled_required` of the object. It is safe since views show
//! what is there, buffers carry types and ranks, and a pipeline does not start on windows that are too small.

use super::facts::Facts;
use super::levels::{LEVELS, Raw};
use super::names::{fresh, identifier, rust_type};
use crate::pipeline::signature::{Image, Parameter, Signature};
use crate::symbols::Symbols;
use crate::types::Element;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A module for each pipeline.
pub fn modules(signatures: &[Signature], symbols: &Symbols, facts: &Facts) -> String {
    let mut out = String::new();
    for signature in signatures {
        let pipeline = &signature.name;
        let _ = writeln!(out, "\n/// Pipeline `{pipeline}`, by schedule.");
        let _ = writeln!(out, "#[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity, non_snake_case)]");
        let _ = writeln!(out, "pub mod {} {{", identifier(pipeline));
        for schedule in &signature.exported {
            out += &functions(signature, schedule, symbols, facts);
        }
        out += "}\n";
    }
    out
}

/// What a parameter of the functions is.
enum Slot<'s> {
    /// An image of output number k.
    Output(Image, usize),
    Input(&'s Image),
    /// An image that is read and overwritten.
    InOut(&'s Image),
    Scalar(Element),
}

/// The three functions of a schedule.
fn functions(signature: &Signature, schedule: &str, symbols: &Symbols, facts: &Facts) -> String {
    let mut taken = FxHashSet::default();
    let mut fresh = |like: &str| fresh(&mut taken, identifier(like));
    let mut slots: Vec<(String, Slot<'_>)> = Vec::new();
    for (k, output) in signature.outputs.iter().enumerate() {
        slots.extend(output.images().into_iter().map(|image| (fresh(&image.name), Slot::Output(image, k))));
    }
    for parameter in &signature.parameters {
        slots.push(match parameter {
            Parameter::Image(image) => (fresh(&image.name), Slot::Input(image)),
            Parameter::InOut(image) => (fresh(&image.name), Slot::InOut(image)),
            Parameter::Scalar { name, element } => (fresh(name), Slot::Scalar(*element)),
        });
    }
    let windows: Vec<String> = match &signature.outputs[..] {
        [_] => vec![fresh("window")],
        several => several.iter().map(|output| fresh(&format!("{}_window", output.name))).collect(),
    };
    let ranks: Vec<usize> = signature.outputs.iter().map(|output| output.variables.len()).collect();
    let window_parameters: Vec<String> =
        windows.iter().zip(&ranks).map(|(name, rank)| format!("{name}: ivl::Window<{rank}>")).collect();
    let (pipeline, symbol) = (&signature.name, format!("{}_{schedule}", signature.name));
    let name = |suffix: &str| if suffix.is_empty() { identifier(schedule) } else { format!("{schedule}{suffix}") };

    // What is taken, in each of the functions.
    let common = |image: fn(&Image) -> String, with_outputs: bool, is_run: bool| -> Vec<String> {
        let parameter = |(name, slot): &(String, Slot<'_>)| match slot {
            Slot::Output(shown, _) if with_outputs => {
                Some(format!("mut {name}: ivl::ViewMut<'_, {}, {}>", rust_type(shown.element), shown.rank))
            }
            Slot::Output(..) => None,
            Slot::InOut(shown) if is_run => {
                // It is only passed on where there are no outputs to write to.
                let mutable = if with_outputs { "mut " } else { "" };
                Some(format!("{mutable}{name}: ivl::ViewMut<'_, {}, {}>", rust_type(shown.element), shown.rank))
            }
            Slot::Input(shown) | Slot::InOut(shown) => Some(format!("{name}: {}", image(shown))),
            Slot::Scalar(element) => Some(format!("{name}: {}", rust_type(*element))),
        };
        slots.iter().filter_map(parameter).collect()
    };
    let view = |image: &Image| format!("ivl::View<'_, {}, {}>", rust_type(image.element), image.rank);
    let window = |image: &Image| format!("ivl::Window<{}>", image.rank);
    let list = |parts: Vec<String>| if let [one] = &parts[..] { one.clone() } else { format!("({})", parts.join(", ")) };
    let outputs = || slots.iter().filter(|(_, slot)| matches!(slot, Slot::Output(..)));
    let inputs = || slots.iter().filter(|(_, slot)| matches!(slot, Slot::Input(_)));
    let rest: Vec<&str> = slots.iter().filter(|(_, s)| !matches!(s, Slot::Output(..))).map(|(name, _)| name.as_str()).collect();
    let declared: Vec<String> = slots
        .iter()
        .map(|(name, slot)| match slot {
            Slot::Output(..) | Slot::Input(_) | Slot::InOut(_) => format!("{name}: *const ivl::Buffer"),
            Slot::Scalar(element) => format!("{name}: {}", rust_type(*element)),
        })
        .collect();
    let passed: Vec<String> = slots
        .iter()
        .map(|(name, slot)| match slot {
            Slot::Output(..) | Slot::Input(_) | Slot::InOut(_) => format!("&{name}.buffer()"),
            Slot::Scalar(_) => name.clone(),
        })
        .collect();

    let mut out = String::new();
    let mut line = |depth: usize, text: &str| {
        let _ = writeln!(out, "{}{text}", "    ".repeat(depth));
    };
    let results = list(
        outputs()
            .map(|(_, slot)| match slot {
                Slot::Output(image, _) => format!("ivl::Image<{}, {}>", rust_type(image.element), image.rank),
                Slot::Input(_) | Slot::InOut(_) | Slot::Scalar(_) => unreachable!("an output"),
            })
            .collect(),
    );
    // By the best level of the processor, and, where there is code for several, by one that the caller names.
    let entry = |symbol: &str, passed: &[String], choice: &str| {
        let status = facts.may_fail(symbol).then(|| format!("{symbol}__status"));
        let raw = Raw { symbols, symbol, name: symbol, status: status.as_deref() };
        let declared = raw.declarations(&declared, "i32", "            ", "");
        match &status {
            Some(_) => {
                let passed = ["&mut outcome".to_owned()].into_iter().chain(passed.iter().cloned()).collect::<Vec<_>>().join(", ");
                let call = raw.call("", &passed, choice);
                (declared, format!("{{ let mut outcome = 0; ivl::completed(unsafe {{ {call} }})?; ivl::outcome(outcome) }}"))
            }
            None => (declared, format!("ivl::outcome(unsafe {{ {} }})", raw.call("", &passed.join(", "), choice))),
        }
    };
    // Without checks nothing is known of what it stores, nor of the functions of the program that it calls.
    let duties = facts.duties(&symbol);
    let (safety, section) = match &duties[..] {
        [] => ("", String::new()),
        duties => ("unsafe ", format!("\n    ///\n    /// # Safety\n    /// {}", duties.join("\n    /// "))),
    };
    let chosen = fresh("level");
    let variants = [
        ("", Vec::new(), format!("super::{LEVELS}.best()?")),
        ("_with", vec![chosen.clone()], format!("super::{LEVELS}.at_most({chosen})?")),
    ];
    let is_for_several = !symbols.targets.is_empty();
    for (with, given_level, choice) in variants.into_iter().filter(|(with, ..)| with.is_empty() || is_for_several) {
        let levels: Vec<String> = given_level.iter().map(|name| format!("{name}: ivl::Level")).collect();
        let what = if with.is_empty() { String::new() } else { ", as a processor of this level does".to_owned() };
        line(1, &format!("/// Runs `{pipeline}.{schedule}` over a window{what}."));
        line(1, &format!("///\n    /// # Errors\n    /// Why it does not start.{section}"));
        let parameters = [levels.clone(), common(view, false, true), window_parameters.clone()].concat().join(", ");
        line(1, &format!("pub {safety}fn {}({parameters}) -> Result<{results}, ivl::Error> {{", name(with)));
        for (image, slot) in outputs() {
            let Slot::Output(_, k) = slot else { continue };
            line(2, &format!("let mut {image} = ivl::Image::new({}.clone())?;", windows[*k]));
        }
        let views = outputs().map(|(name, _)| format!("{name}.view_mut()"));
        let views: Vec<String> = given_level.iter().cloned().chain(views).chain(rest.iter().map(|s| s.to_string())).collect();
        let call = format!("{}({})", name(&format!("_into{with}")), views.join(", "));
        if !safety.is_empty() {
            line(2, "// SAFETY: it is what the caller sees to.");
        }
        line(2, &if safety.is_empty() { format!("{call}?;") } else { format!("unsafe {{ {call} }}?;") });
        line(2, &format!("Ok({})", list(outputs().map(|(name, _)| name.clone()).collect())));
        line(1, "}\n");

        line(1, &format!("/// Runs `{pipeline}.{schedule}` over the windows of its outputs, into their memory{what}."));
        line(
            1,
            &format!(
                "///\n    /// # Errors\n    /// Why it does not start; then nothing has been written. Why it did not come to its end.{section}"
            ),
        );
        let parameters = [levels, common(view, true, true)].concat().join(", ");
        line(1, &format!("pub {safety}fn {}({parameters}) -> Result<(), ivl::Error> {{", name(&format!("_into{with}"))));
        let (raw, call) = entry(&symbol, &passed, &choice);
        line(2, &format!("unsafe extern \"C\" {{\n{raw}        }}"));
        line(2, "// SAFETY: views show what is there, and a pipeline does not start where it would access anything else.");
        line(2, &call);
        line(1, "}\n");
    }

    line(
        1,
        &format!(
            "/// The windows that `{pipeline}.{schedule}` reads of its inputs. Where the algorithm asks for the window of an input, that"
        ),
    );
    line(1, "/// which is passed counts.");
    line(1, "///\n    /// # Errors\n    /// Why there are none.");
    let parameters = [common(window, false, false), window_parameters].concat().join(", ");
    let needed = list(
        inputs()
            .map(|(_, slot)| match slot {
                Slot::Input(image) => window(image),
                Slot::Output(..) | Slot::InOut(_) | Slot::Scalar(_) => unreachable!("an input"),
            })
            .collect(),
    );
    line(1, &format!("pub fn {}({parameters}) -> Result<{needed}, ivl::Error> {{", name("_required")));
    let query = format!("{symbol}_required");
    let (raw, call) = entry(&query, &passed, &format!("super::{LEVELS}.best()?"));
    line(2, &format!("unsafe extern \"C\" {{\n{raw}        }}"));
    for (name, slot) in &slots {
        let (image, window) = match slot {
            Slot::Output(image, k) => (image, &windows[*k]),
            Slot::Input(image) | Slot::InOut(image) => (*image, name),
            Slot::Scalar(_) => continue,
        };
        line(2, &format!("let mut {name} = ivl::Shape::<{}, {}>::new({window}.clone())?;", rust_type(image.element), image.rank));
    }
    line(2, "// SAFETY: a query reads and writes windows, and no pixels.");
    line(2, &format!("{call}?;"));
    line(2, &format!("Ok({})", list(inputs().map(|(name, _)| format!("{name}.window()")).collect())));
    line(1, "}\n");
    out
}
