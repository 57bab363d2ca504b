//! `--in`, `--out`, `--param`, `--window`: words of the command line, against what the pipeline takes.
//!
//! A word belongs to what its beginning names (`in=photo.png`), and else to the next one that has none yet.

// Without a code generator nothing runs, and the options are there to be refused.
#![cfg_attr(not(feature = "llvm"), allow(dead_code))]

use clap::{Args, ValueEnum};
use ivlc::driver::Session;
use ivlc::pipeline::signature::{Parameter, Signature};
use ivlc::syntax::ast::ItemKind;
use ivlc::types::Element;
use std::ops::Range;
use std::path::Path;

/// The bits of a sample of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Bits {
    /// 0 … 255
    #[value(name = "8")]
    Eight,
    /// 0 … 65535
    #[value(name = "16")]
    Sixteen,
}

/// How a pipeline is run on files. With none of these, `run` calls `main`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Pipelines on image files")]
pub struct Request {
    /// A PNG file for an input image: in the order of the parameters, or `NAME=FILE`. Grey is `[x, y]`, colour `[x, y, c]`. A
    /// colour file for an input `[x, y]` goes through channel by channel. Or an array of NumPy, `.npy`, of exactly its type: axes
    /// are `[y, x]` and `[y, x, c]` for pipelines, and the indices in order for definitions of tensors.
    #[arg(long = "in", value_name = "[NAME=]FILE")]
    pub inputs: Vec<String>,
    /// A PNG or `.npy` file to write for an output: in the order behind `->`, or `NAME=FILE`; value k of a tuple `f` is `f_k`.
    #[arg(long = "out", value_name = "[NAME=]FILE")]
    pub outputs: Vec<String>,
    /// The value of a parameter that is no image.
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
    /// Which pipeline runs, where the file has several.
    #[arg(long, value_name = "NAME")]
    pub pipeline: Option<String>,
    /// By which schedule; without it by `auto`.
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    /// The window of the outputs, by the names of their dimensions: `x=0..640,y=0..480`. Others are the largest that the
    /// inputs allow.
    #[arg(long, value_name = "X=A..B,…", value_delimiter = ',')]
    pub window: Vec<String>,
    /// Takes the luminance of colour files for inputs `[x, y]`, instead of each channel.
    #[arg(long)]
    pub grey: bool,
    /// The bits of the files that are written; without it those of the files that were read.
    #[arg(long, value_enum, value_name = "8|16", hide_possible_values = true)]
    pub bits: Option<Bits>,
    /// Prints to standard error how long the pipeline runs: the median of several runs, without files.
    #[arg(long)]
    pub time: bool,
}

impl Request {
    /// Is a pipeline to be run?
    pub fn is_some(&self) -> bool {
        let lists = [&self.inputs, &self.outputs, &self.parameters, &self.window];
        self.time
            || self.grey
            || self.bits.is_some()
            || self.pipeline.is_some()
            || self.schedule.is_some()
            || lists.iter().any(|list| !list.is_empty())
    }
}

/// The pipeline and the schedule that are asked for.
///
/// # Errors
/// Names that the file does not have, or that are missing.
pub fn chosen(
    file: &Path,
    session: &Session,
    pipeline: Option<&String>,
    schedule: Option<&String>,
) -> Result<(String, String), String> {
    let items = || session.trees.iter().flat_map(|tree| &tree.items);
    let pipelines: Vec<String> = items()
        .filter_map(|item| match &item.kind {
            ItemKind::Pipeline(pipeline) => Some(pipeline.name.text.to_string()),
            ItemKind::Def(def) => Some(def.name.text.to_string()),
            _ => None,
        })
        .collect();
    let pipeline = match (pipeline, &pipelines[..]) {
        (_, []) => return Err(format!("{}: there is no pipeline", file.display())),
        (None, [one]) => one.clone(),
        (None, _) => return Err(format!("which pipeline? --pipeline {}", pipelines.join("|"))),
        (Some(name), _) if pipelines.contains(name) => name.clone(),
        (Some(name), _) => return Err(format!("there is no pipeline `{name}`; there is {}", quoted(&pipelines))),
    };
    let mut schedules = vec!["auto".to_owned(), "breadth_first".to_owned()];
    schedules.extend(items().filter_map(|item| match &item.kind {
        ItemKind::Schedule(schedule) if *schedule.pipeline.text == *pipeline => Some(schedule.name.text.to_string()),
        _ => None,
    }));
    let schedule = schedule.cloned().unwrap_or_else(|| "auto".to_owned());
    if !schedules.contains(&schedule) {
        return Err(format!("pipeline `{pipeline}` has no schedule `{schedule}`; it has {}", quoted(&schedules)));
    }
    Ok((pipeline, schedule))
}

/// Why a pipeline that was accepted is not there: nobody says what its parameters are.
pub fn not_set(session: &Session, pipeline: &str) -> String {
    let items = session.trees.iter().flat_map(|tree| &tree.items);
    let missing = items.filter(|item| matches!(&item.kind, ItemKind::Pipeline(found) if *found.name.text == *pipeline));
    let missing = missing.flat_map(|item| &item.template).filter(|parameter| {
        !parameter.has_default() && !session.settings.iter().any(|setting| setting.is_for(pipeline, &parameter.name.text))
    });
    let words: Vec<String> = missing.map(|parameter| format!("--set {}=…", parameter.name.text)).collect();
    format!("pipeline `{pipeline}` has parameters without defaults: {}", words.join(" "))
}

/// A value for each name.
///
/// # Errors
/// A name that gets two, none, or is none of these, or a word too much.
pub fn assigned(words: &[String], names: &[String], what: &str, option: &str) -> Result<Vec<String>, String> {
    let mut found: Vec<Option<String>> = vec![None; names.len()];
    let named = |word: &str| {
        let (name, value) = word.split_once('=')?;
        Some((names.iter().position(|n| n == name)?, value.to_owned()))
    };
    for (at, value) in words.iter().filter_map(|word| named(word)) {
        if found[at].replace(value).is_some() {
            return Err(format!("{what} `{}` has two files", names[at]));
        }
    }
    for word in words.iter().filter(|word| named(word).is_none()) {
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if let Some((name, _)) = word.split_once('=').filter(|(name, _)| is_name(name)) {
            return Err(match names {
                [] => format!("`{word}`: there is no {what}"),
                _ => format!("there is no {what} `{name}`; there is {}", quoted(names)),
            });
        }
        let Some(free) = found.iter_mut().find(|value| value.is_none()) else {
            return Err(match names {
                [] => format!("`{word}`: there is no {what}"),
                _ => format!("`{word}`: each {what} has a file already ({})", quoted(names)),
            });
        };
        *free = Some(word.clone());
    }
    let missing =
        |(value, name): (Option<String>, &String)| value.ok_or(format!("{what} `{name}` has no file: {option} {name}=FILE"));
    found.into_iter().zip(names).map(missing).collect()
}

/// The values of the scalar parameters, in order, as 8 bytes each of which the first ones count.
///
/// # Errors
/// What does not fit.
pub fn scalars(words: &[String], signature: &Signature) -> Result<Vec<[u8; 8]>, String> {
    let known: Vec<(String, Element)> = signature
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Scalar { name, element } => Some((name.to_string(), *element)),
            Parameter::Image(_) | Parameter::InOut(_) => None,
        })
        .collect();
    let names: Vec<String> = known.iter().map(|(name, _)| name.clone()).collect();
    let mut found: Vec<Option<[u8; 8]>> = vec![None; known.len()];
    for word in words {
        let Some((name, value)) = word.split_once('=') else {
            return Err(format!("`{word}` is no parameter: --param NAME=VALUE"));
        };
        let Some(at) = names.iter().position(|known| known == name) else {
            return Err(match &names[..] {
                [] => format!("pipeline `{}` has no parameters but images", signature.name),
                _ => format!("pipeline `{}` has no parameter `{name}`; it has {}", signature.name, quoted(&names)),
            });
        };
        let element = known[at].1;
        let bits =
            number(value, element).ok_or(format!("`{value}` is no `{}`, the type of parameter `{name}`", element.name()))?;
        if found[at].replace(bits).is_some() {
            return Err(format!("parameter `{name}` has two values"));
        }
    }
    let missing =
        |(value, name): (Option<_>, &String)| value.ok_or(format!("parameter `{name}` has no value: --param {name}=VALUE"));
    found.into_iter().zip(&names).map(missing).collect()
}

/// A number as it is in memory.
fn number(text: &str, element: Element) -> Option<[u8; 8]> {
    let integer = || {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let value = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16).ok()?,
            None => digits.parse().ok()?,
        };
        Some(sign * value)
    };
    let bits = match element {
        Element::Bool => u64::from(text.parse::<bool>().ok()?),
        Element::Int8 => i8::try_from(integer()?).ok()? as u64,
        Element::Int16 => i16::try_from(integer()?).ok()? as u64,
        Element::Int32 => i32::try_from(integer()?).ok()? as u64,
        Element::Int64 => i64::try_from(integer()?).ok()? as u64,
        Element::Uint8 => u8::try_from(integer()?).ok()?.into(),
        Element::Uint16 => u16::try_from(integer()?).ok()?.into(),
        Element::Uint32 => u32::try_from(integer()?).ok()?.into(),
        Element::Uint64 => u64::try_from(integer()?).ok()?,
        Element::Float16 => ivl::Float16::from_f64(text.parse().ok()?).to_bits().into(),
        Element::Float => text.parse::<f32>().ok()?.to_bits().into(),
        Element::Double => text.parse::<f64>().ok()?.to_bits(),
    };
    Some(bits.to_le_bytes())
}

/// The ranges of `--window`, for each dimension of each output; `None` where nothing is said.
///
/// # Errors
/// What is no range, and names that no output has.
pub fn windows(words: &[String], signature: &Signature) -> Result<Vec<Vec<Option<Range<i32>>>>, String> {
    let mut all: Vec<Vec<Option<Range<i32>>>> =
        signature.outputs.iter().map(|output| vec![None; output.variables.len()]).collect();
    for word in words {
        let parsed = word.split_once('=').and_then(|(name, range)| {
            let (low, high) = range.split_once("..")?;
            Some((name.trim(), low.trim().parse::<i32>().ok()?..high.trim().parse::<i32>().ok()?))
        });
        let Some((name, range)) = parsed else {
            return Err(format!("`{word}` is no window: --window x=0..640,y=0..480"));
        };
        if range.end.checked_sub(range.start).is_none() {
            return Err(format!("`{word}` is no window: its extent is above 2147483647"));
        }
        if range.start > range.end {
            return Err(format!("`{word}` is no window: it ends before it begins"));
        }
        let mut is_known = false;
        for (output, found) in signature.outputs.iter().zip(&mut all) {
            for (variable, window) in output.variables.iter().zip(found) {
                if **variable == *name {
                    is_known = true;
                    if window.replace(range.clone()).is_some() {
                        return Err(format!("`{name}` has two ranges"));
                    }
                }
            }
        }
        if !is_known {
            let mut names: Vec<String> = signature.outputs.iter().flat_map(|o| &o.variables).map(|v| v.to_string()).collect();
            names.dedup();
            return Err(format!("no output has a dimension `{name}`; there is {}", quoted(&names)));
        }
    }
    Ok(all)
}

/// Names in a list.
pub fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn files_go_to_whom_they_name_then_in_order() {
        let names = words(&["a", "b", "c"]);
        let given = |list: &[&str]| assigned(&words(list), &names, "input", "--in");
        assert_eq!(given(&["1.png", "b=2.png", "./d=3.png"]), Ok(words(&["1.png", "2.png", "./d=3.png"])));
        assert!(given(&["1.png", "b=2.png", "d=3.png"]).is_err_and(|e| e == "there is no input `d`; there is `a`, `b`, `c`"));
        assert_eq!(given(&["c=1", "2", "3"]), Ok(words(&["2", "3", "1"])));
        assert!(given(&["1", "2"]).is_err_and(|e| e.contains("`c` has no file")));
        assert!(given(&["1", "2", "3", "4"]).is_err_and(|e| e.contains("`4`")));
        assert!(given(&["a=1", "a=2", "3"]).is_err_and(|e| e.contains("two files")));
    }

    #[test]
    fn numbers_fit_their_type() {
        let bits = |text: &str, element| number(text, element).map(u64::from_le_bytes);
        assert_eq!(bits("255", Element::Uint8), Some(255));
        assert_eq!(bits("256", Element::Uint8), None);
        assert_eq!(bits("-1", Element::Uint64), None);
        assert_eq!(bits("-1", Element::Int16), Some(u64::MAX));
        assert_eq!(bits("0x10", Element::Int32), Some(16));
        assert_eq!(bits("1.5", Element::Int32), None);
        assert_eq!(bits("1.5", Element::Float), Some(u64::from(1.5f32.to_bits())));
        assert_eq!(bits("-2", Element::Double), Some((-2f64).to_bits()));
        assert_eq!(bits("true", Element::Bool), Some(1));
        assert_eq!(bits("1", Element::Bool), None);
    }
}
