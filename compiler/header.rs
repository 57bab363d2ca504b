//! C headers: the exports of a program and the structs in their signatures.

use crate::machine::Isa;
use crate::symbols::Symbols;
use crate::typed::ir::{Function, Linkage, Local, ParameterKind, Program};
use crate::types::{BUFFER, Element, Type, TypeKind, Types};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The header for C and C++ of a program that was compiled from `file`. Where one object has code for several targets, it also declares
/// the code for each, and `f_with(level, …)`, which chooses it as a processor of that level would.
pub fn header(program: &Program, file: &Path, symbols: &Symbols) -> String {
    let name = file.file_stem().map_or("IVL".into(), |s| s.to_string_lossy().to_uppercase());
    let guard: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // A name may begin with a digit, an identifier may not.
    let guard = format!("IVL_{guard}");
    let mut records = Records { types: &program.types, seen: FxHashSet::default(), text: String::new(), has_buffers: false };
    let mut prototypes = String::new();
    // C calls main, and does not let others declare it.
    let exports = || program.functions.iter().filter(|f| f.linkage == Linkage::Export && f.symbol != "main");
    let mut taken: FxHashSet<String> = exports().map(|f| f.symbol.clone()).collect();
    for function in exports() {
        for line in &function.docs {
            // A comment that ends in a backslash would swallow the next line.
            let _ = writeln!(prototypes, "/// {}", line.trim_end().trim_end_matches('\\'));
        }
        prototypes += &arrays(function);
        let _ = writeln!(
            prototypes,
            "{};",
            prototype(function, &symbols.of(&function.symbol), &c_name(&function.symbol), &mut records)
        );
        if !symbols.targets.is_empty() {
            prototypes += &with_level(function, symbols, &mut taken, &mut records);
        }
    }
    let float16 = element(Element::Float16);
    let has_float16 = [&prototypes, &records.text].iter().any(|text| text.contains(float16));
    format!(
        "#ifndef {guard}_H\n#define {guard}_H\n\n#include <assert.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\n#define IVL_ASSERT static_assert\n#define IVL_ALIGNOF alignof\nextern \"C\" {{\n#else\n#define IVL_ASSERT _Static_assert\n#define IVL_ALIGNOF _Alignof\n#endif\n\n\
         {}{}{}{prototypes}\n#ifdef __cplusplus\n}}\n#endif\n#undef IVL_ASSERT\n#undef IVL_ALIGNOF\n\n#endif\n",
        if has_float16 { FLOAT16 } else { "" },
        [
            if records.has_buffers { buffers() } else { String::new() },
            if symbols.targets.is_empty() { String::new() } else { levels() }
        ]
        .concat(),
        records.text
    )
}

/// What compilers are needed where there is a `_Float16`.
const FLOAT16: &str = "/* _Float16 is a type of GCC since 12 (C) and 13 (C++), of Clang since 15. */\n\n";

/// The images of pipelines. Several headers may be included together.
fn buffers() -> String {
    let name = |e: &Element| format!("IVL_{}", e.name().to_uppercase());
    let types: Vec<String> = Element::ALL.iter().enumerate().map(|(i, e)| format!("    {} = {}", name(e), i + 1)).collect();
    format!(
        "#ifndef IVL_BUFFER\n#define IVL_BUFFER\n\n\
         /// The first coordinate of a dimension, how many there are, and the distance of neighbours in pixels.\n\
         typedef struct ivl_dim {{\n    int32_t min, extent;\n    int64_t stride;\n}} ivl_dim;\n\n\
         /// An image: the pixel whose coordinates are the minima, as many dimensions as `rank` says, an `ivl_type`.\n\
         typedef struct ivl_buffer {{\n    void *data;\n    ivl_dim *dim;\n    int32_t rank;\n    int32_t type;\n}} ivl_buffer;\n\n\
         enum ivl_type {{\n{}\n}};\n\n\
         /// Why the last pipeline of this thread that did not start did not; the text lives until the next call of this.\n\
         const char *ivl_last_error(void);\n\n#endif\n\n",
        types.join(",\n")
    )
}

/// The levels of processors. Several headers may be included together.
fn levels() -> String {
    let names: Vec<String> = Isa::ALL.iter().map(|isa| format!("    {} = {}", level(*isa), isa.level() as u32)).collect();
    format!(
        "#ifndef IVL_LEVEL\n#define IVL_LEVEL\n\n\
         /// Instruction sets. Of those that a processor has, the last one here is the best.\nenum ivl_level {{\n{}\n}};\n\n\
         /// Does this processor run this level, whatever IVL_MAX_ISA says?\nbool ivl_level_supported(uint32_t level);\n\n\
         /// Of the levels whose bits are set, the one whose code runs. The program ends if there is none, with a line that says so.\n\
         uint32_t ivl_dispatch(uint32_t levels);\n\n\
         /// The same for a processor that has this level and those that it includes.\n\
         uint32_t ivl_dispatch_at_most(uint32_t levels, uint32_t level);\n\n#endif\n\n",
        names.join(",\n")
    )
}

fn level(isa: Isa) -> String {
    format!("IVL_{}", isa.identifier().to_uppercase())
}

/// The code for each target, and the function that chooses it by a level.
fn with_level(function: &Function, symbols: &Symbols, taken: &mut FxHashSet<String>, records: &mut Records) -> String {
    let mut text = String::new();
    let mut cases = String::new();
    let names: Vec<String> = function.named_parameters().map(|(_, name)| c_name(&name).into_owned()).collect();
    let returns = if matches!(records.types.kind(function.result), TypeKind::Void) { "" } else { "return " };
    for (k, &isa) in symbols.targets.iter().enumerate() {
        let (name, symbol) = (format!("{}__{}", function.symbol, isa.identifier()), symbols.code(&function.symbol, isa));
        let _ = writeln!(text, "{};", prototype(function, &symbol, &name, records));
        let label = if k == 0 { "default".to_owned() } else { format!("case {}", level(isa)) };
        let _ = writeln!(
            cases,
            "    {label}: {returns}{name}({});{}",
            names.join(", "),
            if returns.is_empty() { " return;" } else { "" }
        );
    }
    let mut name = format!("{}_with", function.symbol);
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    let mut chosen = "ivl_level_".to_owned();
    while names.contains(&chosen) {
        chosen.push('_');
    }
    let bits: Vec<String> = symbols.targets.iter().map(|&isa| format!("1u << {}", level(isa))).collect();
    let declared = parameters(function, records);
    let declared = [vec![format!("enum ivl_level {chosen}")], declared].concat().join(", ");
    let _ = writeln!(
        text,
        "/// As a processor of this level runs it.\nstatic inline {} {{\n    switch (ivl_dispatch_at_most({}, (uint32_t) {chosen})) {{\n{cases}    }}\n}}",
        records.declaration(function.result, &format!("{name}({declared})")),
        bits.join(" | ")
    );
    text
}

/// A line that says how many elements arrays have.
fn arrays(function: &Function) -> String {
    let name = |index: usize| function.locals[index].name.clone();
    let bound = |(l, own): (&Local, String)| match &l.parameter {
        ParameterKind::Slice { bound: Some(bound), .. } => Some(format!("{own}[{}]", bound.text(&name))),
        ParameterKind::Slice { bound: None, .. }
        | ParameterKind::Plain
        | ParameterKind::Restrict
        | ParameterKind::Buffer { .. } => None,
    };
    let bounds: Vec<String> = function.named_parameters().filter_map(bound).collect();
    if bounds.is_empty() { String::new() } else { format!("/// Elements: {}.\n", bounds.join(", ")) }
}

fn parameters(function: &Function, records: &mut Records) -> Vec<String> {
    let parameter = |(l, name): (&Local, String)| {
        let read_only = matches!(l.parameter, ParameterKind::Slice { read_only: true, .. });
        let text = records.declaration(l.ty, &c_name(&name));
        if l.pointee_is_const || read_only { format!("const {text}") } else { text }
    };
    function.named_parameters().map(parameter).collect()
}

/// The declaration of a function under a name, whatever its symbol is.
fn prototype(function: &Function, symbol: &str, name: &str, records: &mut Records) -> String {
    let parameters = parameters(function, records);
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    let prototype = records.declaration(function.result, &format!("{name}({parameters})"));
    // What C cannot name by its symbol, or names more shortly, says its symbol.
    if name == symbol { prototype } else { format!("{prototype} __asm__(\"{symbol}\")") }
}

/// The name of a parameter or member, changed if it has a meaning in C or C++ or is a macro of what the header includes.
fn c_name(name: &str) -> Cow<'_, str> {
    if KEYWORDS.contains(&name) { Cow::Owned(format!("{name}_")) } else { Cow::Borrowed(name) }
}

/// What C, C++ or the included headers have taken, whether or not IVL has too.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "assert", "auto", "bitand", "bitor", "break", "case", "catch",
    "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
    "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
    "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "float", "for", "friend", "goto", "if",
    "inline", "int", "int16_t", "int32_t", "int64_t", "int8_t", "linux", "long", "mutable", "namespace", "new",
    "noexcept", "not", "not_eq", "nullptr", "offsetof", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "try", "typedef",
    "typeid", "typename", "typeof", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "union", "unix", "unsigned",
    "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
];

fn element(e: Element) -> &'static str {
    match e {
        Element::Bool => "bool",
        Element::Int8 => "int8_t",
        Element::Int16 => "int16_t",
        Element::Int32 => "int32_t",
        Element::Int64 => "int64_t",
        Element::Uint8 => "uint8_t",
        Element::Uint16 => "uint16_t",
        Element::Uint32 => "uint32_t",
        Element::Uint64 => "uint64_t",
        Element::Float => "float",
        Element::Double => "double",
        Element::Float16 => "_Float16",
    }
}

/// The structs that were written so far.
struct Records<'a> {
    types: &'a Types,
    seen: FxHashSet<Type>,
    text: String,
    /// Does a pipeline take images?
    has_buffers: bool,
}

impl Records<'_> {
    /// `name` declared with a type, as C writes it.
    fn declaration(&mut self, ty: Type, name: &str) -> String {
        match *self.types.kind(ty) {
            TypeKind::Error | TypeKind::Void => format!("void {name}"),
            TypeKind::Vector { element: e, length: 1 } => format!("{} {name}", element(e)),
            TypeKind::Vector { element: e, length } => format!("{} {name}[{length}]", element(e)),
            TypeKind::Array { element: e, count } => self.declaration(e, &format!("{name}[{count}]")),
            TypeKind::Record { .. } => format!("{} {name}", self.record(ty)),
            TypeKind::Pointer { pointee, length } => {
                let name = if length == 1 { format!("*{name}") } else { format!("*{name}[{length}]") };
                match *self.types.kind(pointee) {
                    // A pointer to a block points to its first lane.
                    TypeKind::Vector { element: e, .. } => format!("{} {name}", element(e)),
                    TypeKind::Array { .. } => self.declaration(pointee, &format!("({name})")),
                    TypeKind::Error | TypeKind::Void | TypeKind::Pointer { .. } | TypeKind::Record { .. } => {
                        self.declaration(pointee, &name)
                    }
                }
            }
        }
    }

    fn record_name(&self, ty: Type) -> String {
        match self.types.view(ty) {
            Some((element, rank)) => format!("ivl_view{rank}_{}", element.name()),
            None => c_name(&self.types.instance_name(ty)).into_owned(),
        }
    }

    /// Writes the struct of an instance (and what it contains) and gives its name.
    fn record(&mut self, ty: Type) -> String {
        let name = self.record_name(ty);
        if name == BUFFER {
            self.has_buffers = true;
            return "ivl_buffer".to_owned();
        }
        if !self.seen.insert(ty) {
            return format!("struct {name}");
        }
        let members = self.types.members(ty).to_vec();
        let is_view = self.types.view(ty).is_some();
        if is_view {
            // Several headers may be included together.
            let guard = name.to_uppercase();
            let _ = writeln!(
                self.text,
                "#ifndef {guard}\n#define {guard}\n\n/// Pixels: the one whose coordinates are the minima; strides count pixels."
            );
        }
        let mut body = String::new();
        for member in &members {
            let _ = writeln!(body, "    {};", self.declaration(member.ty, &c_name(&member.name)));
        }
        if members.is_empty() {
            // C has no such struct, but pointers to what it does not know.
            let _ = writeln!(self.text, "struct {name};\n");
            return format!("struct {name}");
        }
        let _ = writeln!(self.text, "struct {name} {{\n{body}}};");
        let _ = writeln!(self.text, "IVL_ASSERT(sizeof(struct {name}) == {}, \"size of {name}\");", self.types.size(ty));
        let alignment = self.types.alignment(ty);
        let _ = writeln!(self.text, "IVL_ASSERT(IVL_ALIGNOF(struct {name}) == {alignment}, \"alignment of {name}\");");
        for (i, member) in members.iter().enumerate() {
            let offset = self.types.offset(ty, i);
            let _ = writeln!(
                self.text,
                "IVL_ASSERT(offsetof(struct {name}, {}) == {offset}, \"offset of {0}\");",
                c_name(&member.name)
            );
        }
        self.text.push('\n');
        if is_view {
            self.text += "#endif\n\n";
        }
        format!("struct {name}")
    }
}
