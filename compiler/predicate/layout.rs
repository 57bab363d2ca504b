//! How values and objects of the typed program are made of leaves.
//!
//! Records are gone in the vector IR. A value of a typed type is the list of its *leaves* in the order of members:
//!
//! ```text
//! struct { vec3 block[8] p; int scalar n; bool block[8] m[2] }
//!   ──►  f32x8, f32x8, f32x8, i32, boolx8, boolx8      at bytes 0, 32, 64, 96, 100, 108
//! ```

use crate::typed::ir;
use crate::types::{self, TypeKind, Types};
use crate::vector::ir::{Abi, AbiType, Element, Type};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A part of a value that is one SSA value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaf {
    /// Its type in the vector IR.
    pub ty: Type,
    /// Its element in the source; `None` for pointers.
    pub element: Option<types::Element>,
    /// Bytes from the start of the object.
    pub offset: u64,
}

impl Leaf {
    /// Is it a signed integer?
    pub fn is_signed(&self) -> bool {
        self.element.is_some_and(types::Element::is_signed)
    }
}

/// The element type without its sign.
pub(super) fn element(element: types::Element) -> Element {
    match element {
        types::Element::Bool => Element::Bool,
        types::Element::Int8 | types::Element::Uint8 => Element::I8,
        // Its bits are moved as they are; conversions alone know what they mean.
        types::Element::Int16 | types::Element::Uint16 | types::Element::Float16 => Element::I16,
        types::Element::Int32 | types::Element::Uint32 => Element::I32,
        types::Element::Int64 | types::Element::Uint64 => Element::I64,
        types::Element::Float => Element::F32,
        types::Element::Double => Element::F64,
    }
}

/// Objects with arrays are handed over leaf by leaf up to so many bytes. What is read of larger ones before it was set is some value: the
/// code generator sees to that in large slots.
const MAX_FLAT_BYTES: u64 = 512;

/// The leaves of the types of a program, computed once for each.
pub(super) struct Layouts<'p> {
    pub types: &'p Types,
    leaves: RefCell<FxHashMap<types::Type, Rc<[Leaf]>>>,
}

impl<'p> Layouts<'p> {
    pub fn new(types: &'p Types) -> Self {
        Layouts { types, leaves: RefCell::default() }
    }

    /// The leaves of a type.
    pub fn leaves(&self, ty: types::Type) -> Rc<[Leaf]> {
        if let Some(leaves) = self.leaves.borrow().get(&ty) {
            return leaves.clone();
        }
        let mut list = Vec::new();
        self.collect(ty, 0, &mut list);
        let leaves: Rc<[Leaf]> = list.into();
        self.leaves.borrow_mut().insert(ty, leaves.clone());
        leaves
    }

    fn collect(&self, ty: types::Type, offset: u64, list: &mut Vec<Leaf>) {
        match *self.types.kind(ty) {
            TypeKind::Error | TypeKind::Void => {}
            TypeKind::Vector { element: e, length } => {
                list.push(Leaf { ty: Type::new(element(e), length), element: Some(e), offset });
            }
            TypeKind::Pointer { pointee: _, length } => {
                list.push(Leaf { ty: Type::new(Element::Ptr, length), element: None, offset });
            }
            TypeKind::Array { element, count } => {
                let (leaves, size) = (self.leaves(element), self.types.size(element));
                for i in 0..count {
                    list.extend(leaves.iter().map(|leaf| Leaf { offset: offset + i * size + leaf.offset, ..*leaf }));
                }
            }
            TypeKind::Record { .. } => {
                for (i, member) in self.types.members(ty).iter().enumerate() {
                    let at = offset + self.types.offset(ty, i);
                    list.extend(self.leaves(member.ty).iter().map(|leaf| Leaf { offset: at + leaf.offset, ..*leaf }));
                }
            }
        }
    }

    /// The vector IR types of a type's leaves.
    pub fn leaf_types(&self, ty: types::Type) -> Vec<Type> {
        self.leaves(ty).iter().map(|leaf| leaf.ty).collect()
    }

    /// Which leaves of a record belong to a member: the first and how many.
    pub fn member(&self, record: types::Type, index: usize) -> (usize, usize) {
        let members = self.types.members(record);
        let first = members[..index].iter().map(|member| self.leaves(member.ty).len()).sum();
        (first, self.leaves(members[index].ty).len())
    }

    /// How many lanes all vectors have that objects of a type are made of; `None` if they do not have the same number of them, and of bytes.
    pub fn lanes(&self, ty: types::Type) -> Option<u8> {
        self.vectors(ty).map(|vector| vector.length)
    }

    fn vectors(&self, ty: types::Type) -> Option<Type> {
        match *self.types.kind(ty) {
            TypeKind::Error | TypeKind::Void => None,
            TypeKind::Vector { element: e, length } => Some(Type::new(element(e), length)),
            TypeKind::Pointer { pointee: _, length } => Some(Type::new(Element::Ptr, length)),
            TypeKind::Array { element, count: _ } => self.vectors(element),
            TypeKind::Record { .. } => {
                let mut members = self.types.members(ty).iter().map(|member| self.vectors(member.ty));
                let first = members.next()??;
                members
                    .all(|other| other.is_some_and(|other| (other.length, other.bytes()) == (first.length, first.bytes())))
                    .then_some(first)
            }
        }
    }

    /// Is it a large object with arrays, which would be a value for each element?
    pub fn is_large(&self, ty: types::Type) -> bool {
        self.types.has_array(ty) && self.types.size(ty) > MAX_FLAT_BYTES
    }

    /// Is a parameter or result of a function of this linkage in memory of the caller's? Exports are what C sees.
    pub fn is_by_address(&self, ty: types::Type, linkage: ir::Linkage) -> bool {
        linkage == ir::Linkage::Internal && self.is_large(ty)
    }

    /// The C signature of an exported or external function.
    pub fn abi(&self, function: &ir::Function) -> Abi {
        let parameters = function.locals[..function.parameters].iter().map(|p| self.abi_type(p.ty)).collect();
        let result = match self.types.kind(function.result) {
            TypeKind::Error | TypeKind::Void => None,
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Array { .. } | TypeKind::Record { .. } => {
                Some(self.abi_type(function.result))
            }
        };
        Abi { parameters, result }
    }

    fn abi_type(&self, ty: types::Type) -> AbiType {
        let leaves = self.leaves(ty);
        match self.types.kind(ty) {
            TypeKind::Vector { length: 1, .. } | TypeKind::Pointer { length: 1, .. } => {
                AbiType::Scalar { element: leaves[0].ty.element, signed: leaves[0].is_signed() }
            }
            TypeKind::Error
            | TypeKind::Void
            | TypeKind::Vector { .. }
            | TypeKind::Pointer { .. }
            | TypeKind::Array { .. }
            | TypeKind::Record { .. } => AbiType::Struct {
                leaves: leaves.iter().map(|leaf| (leaf.offset, leaf.ty.element)).collect(),
                size: self.types.size(ty),
                alignment: self.types.alignment(ty),
            },
        }
    }
}
