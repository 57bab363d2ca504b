//! Exported functions as functions of Rust.
//!
//! ```text
//! /// y = a·x + y                                     pub mod sys { unsafe extern "C" { pub fn saxpy(a: f32, x: *const f32, …); } }
//! export void saxpy(float a, const float x[n],   ──►  /// y = a·x + y
//!                   float y[n], int n)                pub fn saxpy(a: f32, x: &[f32], y: &mut [f32])
//!                                                     pub fn try_saxpy(a: f32, x: &[f32], y: &mut [f32]) -> Result<(), ivl::Error>
//! ```
//! A parameter that is the length of an array is no parameter in Rust: slices know their lengths, and these are compared. Where a length
//! is a sum or product of parameters, these stay, and the slice has to have as many elements as they say. What is written is `&mut`, so
//! that nothing else overlaps it. Structs have the layout of C, which assertions state; those of blocks are what an `ivl::Hsoa` of their
//! elements has, which is what a parameter `hsoa<T, N>` becomes: `&mut`, or `&` where it is `const`.
//!
//! A function is safe where no argument makes it access memory that it was not given: what it accesses is proven or checked. All others
//! are `unsafe fn`, and say what their callers have to see to: those with pointers or with arrays of unknown lengths, and those that access
//! what nothing bounds. A check that fails comes back as a status ([`super::levels::Raw`]), which is a panic at the caller's line, or an error.

use super::facts::Facts;
use super::levels::{LEVELS, Raw};
use super::names::{fresh, identifier, rust_type};
use super::records::Records;
use super::wrapper::{Call, Wrapper, plain};
use crate::pipeline::signature::Signature;
use crate::symbols::Symbols;
use crate::typed::ir::{Function, Linkage, Local, ParameterKind, Program, SliceBound};
use crate::types::TypeKind;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// The structs, raw functions and functions of a program's exports; those of its pipelines are not among them.
pub fn functions(program: &Program, signatures: &[Signature], symbols: &Symbols, facts: &Facts) -> String {
    let of_pipelines: FxHashSet<String> =
        signatures.iter().flat_map(Signature::entries).flat_map(|(_, name)| [format!("{name}_required"), name]).collect();
    let is_shown = |f: &&Function| f.linkage == Linkage::Export && f.symbol != "main" && !of_pipelines.contains(&f.symbol);
    let exports: Vec<&Function> = program.functions.iter().filter(is_shown).collect();
    if exports.is_empty() {
        return String::new();
    }
    let has_sys = signatures.iter().any(|s| &*s.name == "sys");
    let names: FxHashSet<String> = exports.iter().map(|f| identifier(&f.symbol)).collect();
    let mut writer = Writer {
        records: Records::new(program.types.clone()),
        sys: if has_sys { "sys_" } else { "sys" },
        taken: names.iter().cloned().chain([LEVELS.to_owned()]).collect(),
        raw_names: names,
        symbols,
        facts,
        loses_const: program.loses_const,
    };
    let (mut raw, mut safe) = (String::new(), String::new());
    for function in exports {
        let status =
            facts.may_fail(&function.symbol).then(|| fresh(&mut writer.raw_names, format!("{}__status", function.symbol)));
        raw += &writer.raw(function, status.as_deref());
        safe += &writer.wrappers(function, status.as_deref());
    }
    let Writer { records, sys, .. } = writer;
    let structs = records.text;
    format!(
        "\n{structs}/// The functions as C sees them. Where a check fails, they end the program.\n\
         #[allow(dead_code, missing_docs, non_snake_case, unused_imports)]\npub mod {sys} {{\n    use super::*;\n\n    \
         unsafe extern \"C\" {{\n{raw}    }}\n}}\n{safe}"
    )
}

struct Writer<'a> {
    records: Records,
    /// The module of raw functions.
    sys: &'static str,
    /// The names of functions.
    taken: FxHashSet<String>,
    /// Those of raw functions.
    raw_names: FxHashSet<String>,
    symbols: &'a Symbols,
    facts: &'a Facts,
    /// Does the program cast `const` away?
    loses_const: bool,
}

/// What a parameter of a function is.
enum Slot {
    Value(String),
    /// A slice of elements, or a reference to an array of a constant length.
    Slice {
        element: String,
        bound: SliceBound,
        read_only: bool,
    },
    /// A view; what is written is shown by nobody else.
    View {
        pixels: String,
        rank: usize,
        read_only: bool,
    },
    /// An `hsoa` whose elements somebody else owns; what is written is shown by nobody else.
    Elements {
        element: String,
        lanes: u8,
        read_only: bool,
        /// The struct that C takes.
        raw: String,
    },
    /// The number of elements of slices.
    Count,
    /// What has a pointer in it, as C takes it.
    Pointer(String),
}

impl Slot {
    /// How a function declares a parameter of this name, if it is one.
    fn declared(&self, name: &str) -> Option<String> {
        Some(match self {
            Slot::Value(ty) | Slot::Pointer(ty) => format!("{name}: {ty}"),
            Slot::Slice { element, bound, read_only } => {
                let reference = if *read_only { "&" } else { "&mut " };
                match bound {
                    SliceBound::Parameter(_) | SliceBound::Sum(..) | SliceBound::Product(..) => {
                        format!("{name}: {reference}[{element}]")
                    }
                    SliceBound::Constant(count) => format!("{name}: {reference}[{element}; {count}]"),
                }
            }
            Slot::View { pixels, rank, read_only: true } => format!("{name}: ivl::View<'_, {pixels}, {rank}>"),
            Slot::View { pixels, rank, read_only: false } => format!("mut {name}: ivl::ViewMut<'_, {pixels}, {rank}>"),
            Slot::Elements { element, lanes, read_only, raw: _ } => {
                format!("{name}: &{}ivl::Hsoa<{element}, {lanes}>", if *read_only { "" } else { "mut " })
            }
            Slot::Count => return None,
        })
    }

    /// What the raw function is given for it.
    fn passed(&self, name: &str) -> String {
        match self {
            Slot::Slice { read_only: true, .. } => format!("{name}.as_ptr()"),
            Slot::Slice { read_only: false, .. } => format!("{name}.as_mut_ptr()"),
            Slot::View { .. } => format!("&{name}.buffer()"),
            Slot::Elements { raw, read_only, .. } => {
                let blocks = if *read_only { "blocks().as_ptr().cast_mut()" } else { "blocks_mut().as_mut_ptr()" };
                format!("{raw} {{ length: {name}.len() as i32, blocks: {name}.{blocks} }}")
            }
            Slot::Value(_) | Slot::Pointer(_) | Slot::Count => name.to_owned(),
        }
    }
}

impl Writer<'_> {
    /// The declaration of the function itself.
    fn raw(&mut self, function: &Function, status: Option<&str>) -> String {
        let name = identifier(&function.symbol);
        let parameters: Vec<String> =
            self.parameters(function).map(|(l, name)| format!("{name}: {}", self.raw_type(l))).collect();
        let result = match self.records.types.kind(function.result) {
            TypeKind::Void => String::new(),
            _ => self.records.rust(function.result),
        };
        let raw = Raw { symbols: self.symbols, symbol: &function.symbol, name: &name, status };
        raw.declarations(&parameters, &result, "        ", "pub ")
    }

    /// The parameters with their names in Rust.
    fn parameters<'f>(&self, function: &'f Function) -> impl Iterator<Item = (&'f Local, String)> + use<'f> {
        let mut names = FxHashSet::default();
        function.named_parameters().map(move |(l, name)| (l, fresh(&mut names, identifier(&name))))
    }

    fn raw_type(&mut self, l: &Local) -> String {
        if matches!(l.parameter, ParameterKind::Buffer { .. }) {
            return "*const ivl::Buffer".to_owned();
        }
        let text = self.records.rust(l.ty);
        let is_const = l.pointee_is_const || matches!(l.parameter, ParameterKind::Slice { read_only: true, .. });
        match text.strip_prefix("*mut ") {
            Some(pointee) if is_const => format!("*const {pointee}"),
            _ => text,
        }
    }

    /// What the parameters are.
    fn slots(&mut self, function: &Function) -> Vec<Slot> {
        let parameters = &function.locals[..function.parameters];
        let is_slice = |l: &Local| {
            let pointee = match *self.records.types.kind(l.ty) {
                TypeKind::Pointer { pointee, length: 1 } => pointee,
                _ => return false,
            };
            self.records.is_value(pointee)
        };
        let counts: FxHashSet<usize> = parameters
            .iter()
            .filter_map(|l| match l.parameter {
                ParameterKind::Slice { bound: Some(SliceBound::Parameter(k)), .. } if is_slice(l) => Some(k),
                ParameterKind::Slice { .. } | ParameterKind::Plain | ParameterKind::Restrict | ParameterKind::Buffer { .. } => {
                    None
                }
            })
            .collect();
        let mut slots = Vec::new();
        for (k, l) in parameters.iter().enumerate() {
            if let ParameterKind::Buffer { element, rank } = l.parameter {
                slots.push(Slot::View { pixels: rust_type(element).to_owned(), rank, read_only: l.pointee_is_const });
                continue;
            }
            slots.push(match (&l.parameter, self.records.types.kind(l.ty)) {
                (ParameterKind::Slice { bound: Some(bound), read_only }, &TypeKind::Pointer { pointee, length: 1 })
                    if self.records.is_value(pointee) =>
                {
                    Slot::Slice { element: self.records.rust(pointee), bound: bound.clone(), read_only: *read_only }
                }
                _ if counts.contains(&k) => Slot::Count,
                (ParameterKind::Plain, TypeKind::Record { .. }) if self.records.types.is_hsoa(l.ty) => {
                    let (raw, read_only) = (self.raw_type(l), l.pointee_is_const);
                    match self.records.elements(l.ty) {
                        Some((element, lanes)) => Slot::Elements { element, lanes, read_only, raw },
                        None => Slot::Pointer(raw),
                    }
                }
                _ if self.records.is_value(l.ty) => Slot::Value(self.records.rust(l.ty)),
                _ => Slot::Pointer(self.raw_type(l)),
            });
        }
        slots
    }

    /// What the callers of a function have to see to; nothing if it is safe.
    fn duties(&self, symbol: &str, parameters: &[(String, Slot)], gives_pointers: bool) -> Vec<String> {
        let those = |is_one: fn(&Slot) -> bool| -> Vec<String> {
            parameters.iter().filter(|(_, slot)| is_one(slot)).map(|(name, _)| format!("`{}`", plain(name))).collect()
        };
        let mut duties = Vec::new();
        match &those(|slot| matches!(slot, Slot::Pointer(_)))[..] {
            [] => {}
            [one] => duties.push(format!("{one} leads to what the function accesses through it.")),
            several => duties.push(format!("{} lead to what the function accesses through them.", several.join(", "))),
        }
        if gives_pointers {
            duties.push("What the result leads to is for the caller to know.".to_owned());
        }
        let read = those(|slot| match slot {
            Slot::Slice { read_only, .. } | Slot::View { read_only, .. } | Slot::Elements { read_only, .. } => *read_only,
            Slot::Value(_) | Slot::Count | Slot::Pointer(_) => false,
        });
        if self.loses_const && !read.is_empty() {
            duties.push(format!("Nothing is written through {}, though the program casts `const` away.", read.join(", ")));
        }
        duties.extend(self.facts.duties(symbol));
        duties
    }

    /// The functions that panic and those that return errors.
    fn wrappers(&mut self, function: &Function, status: Option<&str>) -> String {
        let (name, symbol) = (identifier(&function.symbol), &function.symbol);
        let slots = self.slots(function);
        let parameters: Vec<(String, Slot)> = self.parameters(function).map(|(_, name)| name).zip(slots).collect();
        let declared: Vec<String> = parameters.iter().filter_map(|(name, slot)| slot.declared(name)).collect();
        let given: Vec<&str> =
            parameters.iter().filter(|(_, slot)| !matches!(slot, Slot::Count)).map(|(name, _)| name.as_str()).collect();
        let (is_void, has_value) = match self.records.types.kind(function.result) {
            TypeKind::Void => (true, true),
            _ => (false, self.records.is_value(function.result)),
        };
        let result = if is_void { "()".to_owned() } else { self.records.rust(function.result) };
        let mut names: FxHashSet<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
        let place = fresh(&mut names, "result".to_owned());
        let level = fresh(&mut names, "level".to_owned());
        let passed: Vec<String> = parameters.iter().map(|(name, slot)| slot.passed(name)).collect();
        let passed = match (status, is_void) {
            (Some(_), false) => [vec![format!("{place}.as_mut_ptr()")], passed].concat(),
            _ => passed,
        };
        let written = Wrapper {
            docs: match function.docs.is_empty() {
                true => vec![format!("The export `{symbol}`.")],
                false => function.docs.iter().map(|line| line.trim_end().to_owned()).collect(),
            },
            result,
            place,
            lengths: self.lengths(function, &parameters),
            has_levels: !self.symbols.targets.is_empty(),
            may_fail: status.is_some(),
            duties: self.duties(symbol, &parameters, !has_value),
        };
        let path = format!("{}::", self.sys);
        let raw = Raw { symbols: self.symbols, symbol, name: &name, status };
        let code = |chosen: &str| raw.call(&path, &passed.join(", "), chosen);
        if !written.is_fallible() {
            return written.infallible(&name, &declared, &code(""));
        }
        let tried = fresh(&mut self.taken, format!("try_{}", plain(&name)));
        let chosen = format!("{LEVELS}.best()?");
        let mut text =
            written.both(&Call { name: &name, tried: &tried, declared: &declared, given: &given, code: &code(&chosen) });
        if written.has_levels {
            let name = fresh(&mut self.taken, format!("{}_with", plain(&name)));
            let tried = fresh(&mut self.taken, format!("try_{name}"));
            let declared = [vec![format!("{level}: ivl::Level")], declared].concat();
            let given = [vec![level.as_str()], given].concat();
            let chosen = format!("{LEVELS}.at_most({level})?");
            text += &written.both(&Call { name: &name, tried: &tried, declared: &declared, given: &given, code: &code(&chosen) });
        }
        text
    }

    /// The parameters that the lengths of slices are, and the lengths that follow from others.
    fn lengths(&mut self, function: &Function, parameters: &[(String, Slot)]) -> String {
        let mut text = String::new();
        for (k, (count, slot)) in parameters.iter().enumerate() {
            if matches!(slot, Slot::Count) {
                let ty = self.records.rust(function.locals[k].ty);
                let is_its = |(_, slot): &&(String, Slot)| matches!(slot, Slot::Slice { bound: SliceBound::Parameter(of), .. } if *of == k);
                let slices: Vec<&String> = parameters.iter().filter(is_its).map(|(name, _)| name).collect();
                let named: Vec<String> = slices.iter().map(|name| format!("({:?}, {name}.len())", plain(name))).collect();
                let (first, others) = slices.split_first().expect("a parameter counts the elements of slices");
                let differ: String = others.iter().map(|other| format!(" || {other}.len() != {first}.len()")).collect();
                let _ = writeln!(text, "    let {count} = {first}.len() as {ty};");
                let _ = writeln!(text, "    if {count} as usize != {first}.len(){differ} {{");
                let _ = writeln!(
                    text,
                    "        return Err(ivl::wrong_lengths({:?}, &[{}]));\n    }}",
                    plain(count),
                    named.join(", ")
                );
            }
        }
        for (name, _) in parameters.iter().filter(|(_, slot)| matches!(slot, Slot::Elements { .. })) {
            let _ = writeln!(text, "    if {name}.len() > i32::MAX as usize {{");
            let said = format!("{:?}, &[({:?}, {name}.len())]", "length", plain(name));
            let _ = writeln!(text, "        return Err(ivl::wrong_lengths({said}));\n    }}");
        }
        for (name, slot) in parameters {
            if let Slot::Slice { bound: bound @ (SliceBound::Sum(..) | SliceBound::Product(..)), .. } = slot {
                let written = bound.text(&|k| plain(&parameters[k].0).to_owned());
                let mut known = bound.parameters();
                known.sort_unstable();
                known.dedup();
                let known: Vec<String> =
                    known.iter().map(|&k| format!("({:?}, {}.into())", plain(&parameters[k].0), parameters[k].0)).collect();
                let needed = extent(bound, parameters);
                let _ = writeln!(text, "    if !({needed}).is({name}.len()) {{");
                let _ = writeln!(
                    text,
                    "        return Err(ivl::wrong_length({:?}, {name}.len(), {written:?}, {needed}, &[{}]));\n    }}",
                    plain(name),
                    known.join(", ")
                );
            }
        }
        text
    }
}

/// A bound as a number that knows whether it is one.
fn extent(bound: &SliceBound, parameters: &[(String, Slot)]) -> String {
    let part = |bound: &SliceBound| extent(bound, parameters);
    match bound {
        SliceBound::Constant(count) => format!("ivl::Extent::from({count}u64)"),
        SliceBound::Parameter(k) => format!("ivl::Extent::from({})", parameters[*k].0),
        SliceBound::Sum(a, b) => format!("({} + {})", part(a), part(b)),
        SliceBound::Product(a, b) => format!("{} * {}", part(a), part(b)),
    }
}
