//! Exported functions as functions of Rust.
//!
//! ```text
//! /// y = a·x + y                                     pub mod sys { unsafe extern "C" { pub fn saxpy(a: f32, x: *const f32, …); } }
//! export void saxpy(float a, const float x[n],   ──►  /// y = a·x + y
//!                   float y[n], int n)                pub fn saxpy(a: f32, x: &[f32], y: &mut [f32])
//!                                                     pub fn try_saxpy(a: f32, x: &[f32], y: &mut [f32]) -> Result<(), ivl::Error>
//! ```
//! A parameter that is the length of an array is no parameter in Rust: slices know their lengths, and these are compared. Where a length
//! is a sum or product of parameters, these stay, and the slice has to have as many elements as they say.
//! What is written is `&mut`, so that nothing else overlaps it. Structs have the layout of C, which assertions state; those of blocks
//! are what an `ivl::Hsoa` of their elements has. Functions with pointers or with arrays of unknown lengths are in `sys` alone, where
//! calling is unsafe.

use super::levels::{self, LEVELS};
use super::names::{fresh, identifier, rust_type};
use crate::pipeline::signature::Signature;
use crate::symbols::Symbols;
use crate::typed::ir::{Function, Linkage, Local, ParameterKind, Program, SliceBound};
use crate::types::{Member, Type, TypeKind, Types};
use std::collections::HashSet;
use std::fmt::Write;

/// The structs, raw functions and safe functions of a program's exports; those of its pipelines are not among them.
pub fn functions(program: &Program, signatures: &[Signature], symbols: &Symbols) -> String {
    let of_pipelines: HashSet<String> =
        signatures.iter().flat_map(Signature::entries).flat_map(|(_, name)| [format!("{name}_required"), name]).collect();
    let is_shown = |f: &&Function| f.linkage == Linkage::Export && f.symbol != "main" && !of_pipelines.contains(&f.symbol);
    let exports: Vec<&Function> = program.functions.iter().filter(is_shown).collect();
    if exports.is_empty() {
        return String::new();
    }
    let has_sys = signatures.iter().any(|s| &*s.name == "sys");
    let mut writer = Writer {
        types: program.types.clone(),
        seen: HashSet::new(),
        structs: String::new(),
        sys: if has_sys { "sys_" } else { "sys" },
        taken: exports.iter().map(|f| identifier(&f.symbol)).chain([LEVELS.to_owned()]).collect(),
        symbols,
    };
    let (mut raw, mut safe) = (String::new(), String::new());
    for function in exports {
        raw += &writer.raw(function);
        safe += &writer.safe(function);
    }
    let Writer { structs, sys, .. } = writer;
    format!(
        "\n{structs}/// The functions as C sees them.\n#[allow(dead_code, missing_docs, non_snake_case, unused_imports)]\npub mod {sys} {{\n    use super::*;\n\n    \
         unsafe extern \"C\" {{\n{raw}    }}\n}}\n{safe}"
    )
}

struct Writer<'a> {
    /// Those of the program, and elements of its blocks.
    types: Types,
    /// The structs that were written so far.
    seen: HashSet<Type>,
    structs: String,
    /// The module of raw functions.
    sys: &'static str,
    /// The names of functions.
    taken: HashSet<String>,
    symbols: &'a Symbols,
}

/// What a parameter of a safe function is.
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
    /// The number of elements of slices.
    Count,
}

impl Writer<'_> {
    /// A type as Rust writes it.
    fn rust(&mut self, ty: Type) -> String {
        match *self.types.kind(ty) {
            TypeKind::Error | TypeKind::Void => "()".to_owned(),
            TypeKind::Vector { element, length: 1 } => rust_type(element).to_owned(),
            TypeKind::Vector { element, length } => format!("[{}; {length}]", rust_type(element)),
            TypeKind::Array { element, count } => format!("[{}; {count}]", self.rust(element)),
            TypeKind::Record { .. } => self.record(ty),
            TypeKind::Pointer { pointee, length } => {
                let one = match self.types.kind(pointee) {
                    TypeKind::Void | TypeKind::Error => "*mut core::ffi::c_void".to_owned(),
                    _ => format!("*mut {}", self.rust(pointee)),
                };
                if length == 1 { one } else { format!("[{one}; {length}]") }
            }
        }
    }

    /// Writes the struct of an instance, and what it contains, and gives its name.
    fn record(&mut self, ty: Type) -> String {
        if let Some((element, rank)) = self.types.view(ty) {
            return format!("ivl::Plane<{}, {rank}>", rust_type(element));
        }
        let (name, length) = (identifier(&self.types.instance_name(ty)), self.types.length(ty));
        if !self.seen.insert(ty) {
            return name;
        }
        let members = self.types.members(ty).to_vec();
        let mut body = String::new();
        let mut checks = String::new();
        for (k, member) in members.iter().enumerate() {
            let (field, member_type) = (identifier(&member.name), self.rust(member.ty));
            let _ = writeln!(body, "    pub {field}: {member_type},");
            let offset = self.types.offset(ty, k);
            let _ = writeln!(checks, "    assert!(core::mem::offset_of!({name}, {field}) == {offset});");
        }
        let (size, alignment) = (self.types.size(ty), self.types.alignment(ty));
        let _ = writeln!(
            self.structs,
            "#[repr(C)]\n#[derive(Clone, Copy, Debug, PartialEq)]\n#[allow(dead_code, missing_docs, non_camel_case_types, non_snake_case)]\npub struct {name} {{\n{body}}}\n\n\
             const _: () = {{\n    assert!(core::mem::size_of::<{name}>() == {size});\n    \
             assert!(core::mem::align_of::<{name}>() == {alignment});\n{checks}}};\n"
        );
        if let Some(element) = self.lane_of(ty) {
            self.lanes(element, &name, length, &members);
        }
        name
    }

    /// What a lane of a block is, if the block is N of such and nothing else: no member is the same for all lanes.
    fn lane_of(&mut self, ty: Type) -> Option<Type> {
        match *self.types.kind(ty) {
            TypeKind::Vector { element, length } if length > 1 => Some(self.types.scalar(element)),
            TypeKind::Array { element, count } => {
                let element = self.lane_of(element)?;
                Some(self.types.array(element, count))
            }
            TypeKind::Record { record, length, context: 1 } if length > 1 => {
                let blocks = self.types.members(ty).to_vec();
                let members: Option<Vec<Member>> =
                    blocks.into_iter().map(|m| Some(Member { ty: self.lane_of(m.ty)?, name: m.name })).collect();
                let (members, element) = (members?, self.types.intern(TypeKind::Record { record, length: 1, context: 1 }));
                // It is there where the program has such elements.
                if self.types.try_members(element).is_none() {
                    self.types.set_members(element, members);
                }
                Some(element)
            }
            TypeKind::Vector { .. } | TypeKind::Record { .. } | TypeKind::Pointer { .. } | TypeKind::Error | TypeKind::Void => {
                None
            }
        }
    }

    /// Says that N elements are a block.
    fn lanes(&mut self, element: Type, block: &str, length: u8, members: &[Member]) {
        let name = self.record(element);
        let fields: Vec<String> = members.iter().map(|member| identifier(&member.name)).collect();
        let each = |text: &dyn Fn(&str) -> String| fields.iter().map(|field| text(field)).collect::<String>();
        let trait_of = format!("ivl::Lanes::<{length}>");
        let blocks = each(&|f| format!("            {f}: {trait_of}::block(self.{f}),\n"));
        let gets = each(&|f| format!("            {f}: {trait_of}::lane(&block.{f}, lane),\n"));
        let sets = each(&|f| format!("        {trait_of}::set_lane(&mut block.{f}, lane, element.{f});\n"));
        let _ = writeln!(
            self.structs,
            "impl ivl::Lanes<{length}> for {name} {{\n    type Block = {block};\n\n    \
             fn block(self) -> {block} {{\n        {block} {{\n{blocks}        }}\n    }}\n\n    \
             fn lane(block: &{block}, lane: usize) -> {name} {{\n        {name} {{\n{gets}        }}\n    }}\n\n    \
             fn set_lane(block: &mut {block}, lane: usize, element: {name}) {{\n{sets}    }}\n}}\n"
        );
    }

    /// The declaration of the function itself.
    fn raw(&mut self, function: &Function) -> String {
        let name = identifier(&function.symbol);
        let parameters: Vec<String> =
            self.parameters(function).map(|(l, name)| format!("{name}: {}", self.raw_type(l))).collect();
        let result = match self.types.kind(function.result) {
            TypeKind::Void => String::new(),
            _ => format!(" -> {}", self.rust(function.result)),
        };
        let signature = format!("({}){result}", parameters.join(", "));
        levels::declarations(self.symbols, &name, &function.symbol, &signature, "        ", "pub ")
    }

    /// The parameters with their names in Rust.
    fn parameters<'f>(&self, function: &'f Function) -> impl Iterator<Item = (&'f Local, String)> + use<'f> {
        let mut names = HashSet::new();
        function.named_parameters().map(move |(l, name)| (l, fresh(&mut names, identifier(&name))))
    }

    fn raw_type(&mut self, l: &Local) -> String {
        let text = self.rust(l.ty);
        let is_const = l.pointee_is_const || matches!(l.parameter, ParameterKind::Slice { read_only: true, .. });
        match text.strip_prefix("*mut ") {
            Some(pointee) if is_const => format!("*const {pointee}"),
            _ => text,
        }
    }

    /// Has it no pointer in it?
    fn is_value(&self, ty: Type) -> bool {
        match *self.types.kind(ty) {
            TypeKind::Vector { .. } => true,
            TypeKind::Array { element, .. } => self.is_value(element),
            TypeKind::Record { .. } => self.types.members(ty).iter().all(|member| self.is_value(member.ty)),
            TypeKind::Pointer { .. } | TypeKind::Error | TypeKind::Void => false,
        }
    }

    /// What the parameters are, if all of them can be safe.
    fn slots(&mut self, function: &Function) -> Option<Vec<Slot>> {
        let parameters = &function.locals[..function.parameters];
        let counts: HashSet<usize> = parameters
            .iter()
            .filter_map(|l| match l.parameter {
                ParameterKind::Slice { bound: Some(SliceBound::Parameter(k)), .. } => Some(k),
                ParameterKind::Slice { .. } | ParameterKind::Plain | ParameterKind::Restrict => None,
            })
            .collect();
        let mut slots = Vec::new();
        for (k, l) in parameters.iter().enumerate() {
            if let Some((element, rank)) = self.types.view(l.ty) {
                slots.push(Slot::View { pixels: rust_type(element).to_owned(), rank, read_only: l.pointee_is_const });
                continue;
            }
            slots.push(match (&l.parameter, self.types.kind(l.ty)) {
                (ParameterKind::Slice { bound: Some(bound), read_only }, &TypeKind::Pointer { pointee, length: 1 })
                    if self.is_value(pointee) =>
                {
                    Slot::Slice { element: self.rust(pointee), bound: bound.clone(), read_only: *read_only }
                }
                _ if counts.contains(&k) => Slot::Count,
                _ if self.is_value(l.ty) => Slot::Value(self.rust(l.ty)),
                _ => return None,
            });
        }
        let is_void = matches!(self.types.kind(function.result), TypeKind::Void);
        (is_void || self.is_value(function.result)).then_some(slots)
    }

    /// The two safe functions, or a line that says why there are none.
    fn safe(&mut self, function: &Function) -> String {
        let (name, symbol) = (identifier(&function.symbol), &function.symbol);
        let Some(slots) = self.slots(function) else {
            return format!("\n// `{symbol}` has pointers in its signature: it is in `{}` alone.\n", self.sys);
        };
        let parameters: Vec<(String, Slot)> = self.parameters(function).map(|(_, name)| name).zip(slots).collect();
        let declared = |(name, slot): &(String, Slot)| match slot {
            Slot::Value(ty) => Some(format!("{name}: {ty}")),
            Slot::Slice { element, bound, read_only } => {
                let reference = if *read_only { "&" } else { "&mut " };
                Some(match bound {
                    SliceBound::Parameter(_) | SliceBound::Sum(..) | SliceBound::Product(..) => {
                        format!("{name}: {reference}[{element}]")
                    }
                    SliceBound::Constant(count) => format!("{name}: {reference}[{element}; {count}]"),
                })
            }
            Slot::View { pixels, rank, read_only: true } => Some(format!("{name}: ivl::View<'_, {pixels}, {rank}>")),
            Slot::View { pixels, rank, read_only: false } => Some(format!("mut {name}: ivl::ViewMut<'_, {pixels}, {rank}>")),
            Slot::Count => None,
        };
        let declared: Vec<String> = parameters.iter().filter_map(declared).collect();
        let given: Vec<&str> =
            parameters.iter().filter(|(_, slot)| !matches!(slot, Slot::Count)).map(|(name, _)| name.as_str()).collect();
        let result = match self.types.kind(function.result) {
            TypeKind::Void => "()".to_owned(),
            _ => self.rust(function.result),
        };
        let passed: Vec<String> = parameters
            .iter()
            .map(|(name, slot)| match slot {
                Slot::Slice { read_only: true, .. } => format!("{name}.as_ptr()"),
                Slot::Slice { .. } => format!("{name}.as_mut_ptr()"),
                Slot::View { .. } => format!("{name}.plane()"),
                Slot::Value(_) | Slot::Count => name.clone(),
            })
            .collect();
        let lengths = self.lengths(function, &parameters);
        let symbols = self.symbols;
        let path = format!("{}::", self.sys);
        let call = |chosen: &str| levels::call(symbols, &path, &name, symbol, &passed.join(", "), chosen);
        let docs: String = function.docs.iter().map(|line| format!("/// {}\n", line.trim_end())).collect();
        let written = Wrapper { docs, result, lengths, has_levels: !symbols.targets.is_empty() };
        if written.lengths.is_empty() && !written.has_levels {
            return written.infallible(&name, &declared, &call(""));
        }
        let tried = fresh(&mut self.taken, format!("try_{}", plain(&name)));
        let mut text = written.both(&name, &tried, &declared, &given, &call(&format!("{LEVELS}.best()?")));
        if written.has_levels {
            let name = fresh(&mut self.taken, format!("{}_with", plain(&name)));
            let tried = fresh(&mut self.taken, format!("try_{name}"));
            let level = fresh(&mut parameters.iter().map(|(name, _)| name.clone()).collect(), "level".to_owned());
            let declared = [vec![format!("{level}: ivl::Level")], declared].concat();
            let given = [vec![level.as_str()], given].concat();
            text += &written.both(&name, &tried, &declared, &given, &call(&format!("{LEVELS}.at_most({level})?")));
        }
        text
    }

    /// The parameters that the lengths of slices are, and the lengths that follow from others.
    fn lengths(&mut self, function: &Function, parameters: &[(String, Slot)]) -> String {
        let mut text = String::new();
        for (k, (count, slot)) in parameters.iter().enumerate() {
            if matches!(slot, Slot::Count) {
                let ty = self.rust(function.locals[k].ty);
                let is_its = |(_, slot): &&(String, Slot)| matches!(slot, Slot::Slice { bound: SliceBound::Parameter(of), .. } if *of == k);
                let slices: Vec<String> =
                    parameters.iter().filter(is_its).map(|(name, _)| format!("({:?}, {name}.len())", plain(name))).collect();
                let _ = writeln!(text, "    let {count}: {ty} = ivl::length({:?}, &[{}])?;", plain(count), slices.join(", "));
            }
        }
        for (name, slot) in parameters {
            if let Slot::Slice { bound: bound @ (SliceBound::Sum(..) | SliceBound::Product(..)), .. } = slot {
                let written = bound.text(&|k| plain(&parameters[k].0).to_owned());
                let mut known = bound.parameters();
                known.sort_unstable();
                known.dedup();
                let known: Vec<String> =
                    known.iter().map(|&k| format!("({:?}, {}.into())", plain(&parameters[k].0), parameters[k].0)).collect();
                let _ = writeln!(
                    text,
                    "    ivl::has_length({:?}, {name}.len(), {written:?}, {}, &[{}])?;",
                    plain(name),
                    extent(bound, parameters),
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

/// What the safe functions of an export have in common.
struct Wrapper {
    docs: String,
    result: String,
    /// The statements that find the lengths of slices.
    lengths: String,
    /// Is there code for several targets?
    has_levels: bool,
}

const ALLOWED: &str = "#[allow(dead_code, clippy::too_many_arguments, clippy::unit_arg, non_snake_case)]\n";

/// Why raw functions may be called.
const SAFETY: &str = "    // SAFETY: arrays have the lengths of the signature, views show what is there, and what is written overlaps nothing else.\n";

impl Wrapper {
    /// A function that always runs.
    fn infallible(&self, name: &str, declared: &[String], call: &str) -> String {
        let arrow = if self.result == "()" { String::new() } else { format!(" -> {}", self.result) };
        let (docs, declared) = (&self.docs, declared.join(", "));
        format!("\n{docs}{ALLOWED}pub fn {name}({declared}){arrow} {{\n{SAFETY}    unsafe {{ {call} }}\n}}\n")
    }

    /// A function that panics where it does not run, and one that says why.
    fn both(&self, name: &str, tried: &str, declared: &[String], given: &[&str], call: &str) -> String {
        let Wrapper { docs, result, lengths, has_levels } = self;
        let arrow = if result == "()" { String::new() } else { format!(" -> {result}") };
        let blank = if docs.is_empty() { "" } else { "///\n" };
        let (declared, given) = (declared, given.join(", "));
        // What is passed on is not changed here.
        let received: Vec<&str> = declared.iter().map(|text| text.trim_start_matches("mut ")).collect();
        let why = match (lengths.is_empty(), has_levels) {
            (false, false) => "If slices have not the lengths that they are to have",
            (false, true) => {
                "If slices have not the lengths that they are to have, and if there is no code that this processor runs"
            }
            (true, _) => "If there is no code that this processor runs",
        };
        let (received, declared) = (received.join(", "), declared.join(", "));
        format!(
            "\n{docs}{blank}/// # Panics\n/// {why}.\n{ALLOWED}#[track_caller]\n\
             pub fn {name}({received}){arrow} {{\n    {tried}({given}).unwrap_or_else(|error| panic!(\"{{error}}\"))\n}}\n\
             \n{docs}{blank}/// # Errors\n/// {why}; then nothing has been written.\n{ALLOWED}\
             pub fn {tried}({declared}) -> Result<{result}, ivl::Error> {{\n{lengths}{SAFETY}    Ok(unsafe {{ {call} }})\n}}\n"
        )
    }
}

/// A name as the source has it.
fn plain(name: &str) -> &str {
    name.trim_start_matches("r#")
}
