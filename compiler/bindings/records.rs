//! Types and structs as Rust writes them.

use super::names::{identifier, rust_type};
use crate::types::{Member, Type, TypeKind, Types};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Writes structs when they are first needed.
pub struct Records {
    /// Those of the program, and elements of its blocks.
    pub types: Types,
    /// The structs that were written so far.
    seen: FxHashSet<Type>,
    /// Their text.
    pub text: String,
}

impl Records {
    /// Nothing was written yet.
    pub fn new(types: Types) -> Records {
        Records { types, seen: FxHashSet::default(), text: String::new() }
    }

    /// A type as Rust writes it.
    pub fn rust(&mut self, ty: Type) -> String {
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
        let docs: String = match *self.types.kind(ty) {
            TypeKind::Record { record, .. } => self
                .types
                .record_docs(record)
                .iter()
                .map(|line| format!("/// {}", line.trim_end()).trim_end().to_owned() + "\n")
                .collect(),
            TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Array { .. } => {
                String::new()
            }
        };
        let (size, alignment) = (self.types.size(ty), self.types.alignment(ty));
        let _ = writeln!(
            self.text,
            "{docs}#[repr(C)]\n#[derive(Clone, Copy, Debug, PartialEq)]\n#[allow(dead_code, missing_docs, non_camel_case_types, non_snake_case)]\npub struct {name} {{\n{body}}}\n\n\
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

    /// The element and the lanes of an `hsoa`, if Rust has elements for its blocks.
    pub fn elements(&mut self, hsoa: Type) -> Option<(String, u8)> {
        let block = self.types.pointee(self.types.members(hsoa)[0].ty)?;
        let element = self.lane_of(block).filter(|&element| self.is_value(element))?;
        Some((self.rust(element), self.types.length(block)))
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
            self.text,
            "impl ivl::Lanes<{length}> for {name} {{\n    type Block = {block};\n\n    \
             fn block(self) -> {block} {{\n        {block} {{\n{blocks}        }}\n    }}\n\n    \
             fn lane(block: &{block}, lane: usize) -> {name} {{\n        {name} {{\n{gets}        }}\n    }}\n\n    \
             fn set_lane(block: &mut {block}, lane: usize, element: {name}) {{\n{sets}    }}\n}}\n"
        );
    }

    /// Has it no pointer in it?
    pub fn is_value(&self, ty: Type) -> bool {
        match *self.types.kind(ty) {
            TypeKind::Vector { .. } => true,
            TypeKind::Array { element, .. } => self.is_value(element),
            TypeKind::Record { .. } => self.types.members(ty).iter().all(|member| self.is_value(member.ty)),
            TypeKind::Pointer { .. } | TypeKind::Error | TypeKind::Void => false,
        }
    }
}
