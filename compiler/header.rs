//! C headers: the exports of a program and the structs in their signatures.

use crate::typed::ir::{Function, Linkage, Program};
use crate::types::{Element, Type, TypeKind, Types};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

/// The header for C and C++ of a program that was compiled from `file`.
pub fn header(program: &Program, file: &Path) -> String {
    let name = file.file_stem().map_or("IVL".into(), |s| s.to_string_lossy().to_uppercase());
    let guard: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let mut records = Records { types: &program.types, seen: HashSet::new(), text: String::new() };
    let mut prototypes = String::new();
    for function in program.functions.iter().filter(|f| f.linkage == Linkage::Export) {
        for line in &function.docs {
            let _ = writeln!(prototypes, "/// {line}");
        }
        let _ = writeln!(prototypes, "{};", prototype(function, &mut records));
    }
    format!(
        "#ifndef {guard}_H\n#define {guard}_H\n\n#include <assert.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\n#define IVL_ASSERT static_assert\nextern \"C\" {{\n#else\n#define IVL_ASSERT _Static_assert\n#endif\n\n\
         {}{prototypes}\n#ifdef __cplusplus\n}}\n#endif\n#undef IVL_ASSERT\n\n#endif\n",
        records.text
    )
}

fn prototype(function: &Function, records: &mut Records) -> String {
    let parameter = |l: &crate::typed::ir::Local, records: &mut Records| {
        let constant = matches!(l.parameter, crate::typed::ir::ParameterKind::Slice { read_only: true, .. });
        let text = records.declaration(l.ty, &l.name);
        if constant { format!("const {text}") } else { text }
    };
    let parameters: Vec<String> = function.locals[..function.parameters].iter().map(|l| parameter(l, records)).collect();
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    let symbol = if function.name == "main" { "main" } else { &function.symbol };
    format!("{}({parameters})", records.declaration(function.result, symbol))
}

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
    }
}

/// The structs that were written so far.
struct Records<'a> {
    types: &'a Types,
    seen: HashSet<Type>,
    text: String,
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
        match *self.types.kind(ty) {
            TypeKind::Record { record, length, context } => {
                let name = self.types.record_name(record);
                match (length, context) {
                    (1, 1) => name.to_owned(),
                    (length, 1) => format!("{name}_{length}"),
                    (length, context) => format!("{name}_{length}_{context}"),
                }
            }
            TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Array { .. } => {
                String::new()
            }
        }
    }

    /// Writes the struct of an instance (and what it contains) and gives its name.
    fn record(&mut self, ty: Type) -> String {
        let name = self.record_name(ty);
        if !self.seen.insert(ty) {
            return format!("struct {name}");
        }
        let members = self.types.members(ty).to_vec();
        let mut body = String::new();
        for member in &members {
            let _ = writeln!(body, "    {};", self.declaration(member.ty, &member.name));
        }
        let _ = writeln!(self.text, "struct {name} {{\n{body}}};");
        let _ = writeln!(self.text, "IVL_ASSERT(sizeof(struct {name}) == {}, \"size of {name}\");", self.types.size(ty));
        for (i, member) in members.iter().enumerate() {
            let offset = self.types.offset(ty, i);
            let _ = writeln!(self.text, "IVL_ASSERT(offsetof(struct {name}, {}) == {offset}, \"offset of {0}\");", member.name);
        }
        self.text.push('\n');
        format!("struct {name}")
    }
}
