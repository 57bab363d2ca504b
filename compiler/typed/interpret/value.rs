//! 𝓥(m, τ): a sequence of bytes and a type.

use crate::types::{Element, Type, TypeKind, Types};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// One element of a value: its bits (integers zero-extended, floats by their bits, `bool` 0 or 1), or nothing that
/// anyone may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub bits: u64,
    pub is_unset: bool,
}

impl Lane {
    /// An element that nobody has set.
    pub const UNSET: Lane = Lane { bits: 0, is_unset: true };

    /// These bits.
    pub fn set(bits: u64) -> Lane {
        Lane { bits, is_unset: false }
    }

    /// Little-endian bytes; with one of them unset, all are.
    pub fn from_bytes(bytes: &[u8], unset: &[bool]) -> Lane {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        Lane { bits, is_unset: unset.contains(&true) }
    }

    /// Into as many bytes as there is room for.
    pub fn to_bytes(self, bytes: &mut [u8], unset: &mut [bool]) {
        bytes.copy_from_slice(&self.bits.to_le_bytes()[..bytes.len()]);
        unset.fill(self.is_unset);
    }

    /// An element computed from this one: unset if this one is.
    pub fn map(self, f: impl FnOnce(u64) -> u64) -> Lane {
        if self.is_unset { Lane::UNSET } else { Lane::set(f(self.bits)) }
    }

    /// An element computed from two.
    pub fn with(self, other: Lane, f: impl FnOnce(u64, u64) -> u64) -> Lane {
        if self.is_unset || other.is_unset { Lane::UNSET } else { Lane::set(f(self.bits, other.bits)) }
    }
}

/// 𝓥(m, τ), with a note for each byte of m whether it is unset.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub ty: Type,
    pub bytes: Vec<u8>,
    pub unset: Vec<bool>,
}

impl Value {
    /// The value of `void`.
    pub fn void(ty: Type) -> Value {
        Value { ty, bytes: Vec::new(), unset: Vec::new() }
    }

    /// A lane of a leaf.
    pub fn lane(&self, leaf: &Leaf, lane: u8) -> Lane {
        let at = leaf.at(lane);
        Lane::from_bytes(&self.bytes[at..][..leaf.size], &self.unset[at..][..leaf.size])
    }

    /// Sets a lane of a leaf.
    pub fn set_lane(&mut self, leaf: &Leaf, lane: u8, value: Lane) {
        let at = leaf.at(lane);
        value.to_bytes(&mut self.bytes[at..][..leaf.size], &mut self.unset[at..][..leaf.size]);
    }
}

/// A vector of elements or pointers inside of a type; what a record or an array consists of in the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaf {
    /// In bytes from the beginning.
    pub offset: usize,
    /// α; `None` for pointers.
    pub element: Option<Element>,
    /// The bytes of one lane.
    pub size: usize,
    /// The lanes.
    pub length: u8,
}

impl Leaf {
    /// Where a lane begins.
    pub fn at(&self, lane: u8) -> usize {
        self.offset + usize::from(lane) * self.size
    }

    /// The lane of this leaf for a lane of a vector: a scalar stands for all.
    pub fn clamp(&self, lane: u8) -> u8 {
        if self.length == 1 { 0 } else { lane }
    }
}

/// The leaves of types, each worked out once.
pub(super) struct Layouts<'t> {
    types: &'t Types,
    known: RefCell<FxHashMap<Type, Rc<[Leaf]>>>,
}

impl<'t> Layouts<'t> {
    pub fn new(types: &'t Types) -> Self {
        Layouts { types, known: RefCell::default() }
    }

    /// The leaves of a type in the order of members and elements.
    pub fn leaves(&self, ty: Type) -> Rc<[Leaf]> {
        if let Some(leaves) = self.known.borrow().get(&ty) {
            return leaves.clone();
        }
        let mut leaves = Vec::new();
        self.collect(ty, 0, &mut leaves);
        let leaves: Rc<[Leaf]> = leaves.into();
        self.known.borrow_mut().insert(ty, leaves.clone());
        leaves
    }

    fn collect(&self, ty: Type, offset: usize, leaves: &mut Vec<Leaf>) {
        match *self.types.kind(ty) {
            TypeKind::Error | TypeKind::Void => {}
            TypeKind::Vector { element, length } => {
                leaves.push(Leaf { offset, element: Some(element), size: element.size() as usize, length });
            }
            TypeKind::Pointer { pointee: _, length } => leaves.push(Leaf { offset, element: None, size: 8, length }),
            TypeKind::Array { element, count } => {
                let size = self.types.size(element) as usize;
                for i in 0..count as usize {
                    self.collect(element, offset + i * size, leaves);
                }
            }
            TypeKind::Record { .. } => {
                for (i, member) in self.types.members(ty).iter().enumerate() {
                    self.collect(member.ty, offset + self.types.offset(ty, i) as usize, leaves);
                }
            }
        }
    }

    /// The one leaf of a vector or a pointer.
    pub fn leaf(&self, ty: Type) -> Leaf {
        self.leaves(ty)[0]
    }

    /// A value of which nothing is set.
    pub fn unset(&self, ty: Type) -> Value {
        let size = self.types.size(ty) as usize;
        Value { ty, bytes: vec![0; size], unset: vec![true; size] }
    }

    /// A vector, lane by lane.
    pub fn vector(&self, ty: Type, mut lane: impl FnMut(u8) -> Lane) -> Value {
        let (leaf, mut value) = (self.leaf(ty), self.unset(ty));
        for i in 0..leaf.length {
            value.set_lane(&leaf, i, lane(i));
        }
        value
    }
}
