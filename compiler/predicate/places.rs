//! 𝓛(a, τ): where a place is.
//!
//! ```text
//! x.y              leaves of the variables of x                   (x lives in registers)
//! p[i].y           one address: p + i·|τ|, offset of y            (p, i scalar)
//! p[v].y           an address per lane: p + v·|τ|, offset of y    (v a vector; Figure 10)
//! ```

use super::state::{Predicator, Storage};
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, LocalId, Place, PlaceKind};
use crate::types::{self, TypeKind};
use crate::vector::ir::{GlobalId, Object, Value};

/// Where a place is.
#[derive(Clone, Debug)]
pub(super) enum Location {
    /// Leaves of a local in registers.
    Registers { local: LocalId, first: usize, count: usize },
    /// One address.
    Memory {
        pointer: Value,
        offset: i64,
        /// Is it memory of the function or a global, and so there as a whole whatever the mask?
        is_own: bool,
    },
    /// One address per lane.
    Lanes {
        pointers: Value,
        offset: i64,
        /// The object that is certainly there around each active address.
        object: Option<Object>,
    },
    /// A value without a place.
    Values(Vec<Value>),
}

impl Predicator<'_> {
    /// Computes the address of a place.
    pub fn place(&mut self, place: &Place) -> Location {
        match &place.kind {
            PlaceKind::Local(local) => match &self.storage[local.0 as usize] {
                Storage::Registers(variables) => Location::Registers { local: *local, first: 0, count: variables.len() },
                &Storage::Slot(slot) => Location::Memory { pointer: self.b.slot_address(slot), offset: 0, is_own: true },
                &Storage::Shared(pointer) => Location::Memory { pointer, offset: 0, is_own: true },
            },
            PlaceKind::Global(global) => {
                Location::Memory { pointer: self.b.global_address(GlobalId(global.0)), offset: 0, is_own: true }
            }
            PlaceKind::Dereference(pointer) => self.dereference(place, pointer),
            PlaceKind::Member(base, index) => {
                let location = self.place(base);
                self.member(location, base.object, *index)
            }
            PlaceKind::Element(base, index) => self.element(place, base, index),
            PlaceKind::Temporary(value) if self.is_large(value.ty) => self.object_place(value),
            PlaceKind::Temporary(value) => Location::Values(self.expression(value)),
        }
    }

    /// A pointer through which an object of type `object` is accessed at once.
    pub fn accessed(&mut self, pointer: &Expr, object: types::Type, span: Span) -> Value {
        if let (true, ExprKind::PointerOffset(base, index)) = (self.shared.options.check, &pointer.kind) {
            let address = self.expression(base)[0];
            // In front of the index, which may change what the pointer was computed from.
            let known = self.known(base);
            let number = self.expression(index)[0];
            self.check_pointer(address, base, span);
            let is_inside = self.check_offset(base, known, Some((index, number)), object, span);
            self.note_access(is_inside, pointer, object, span);
            self.element_address(address, base.ty, number, index.ty, pointer.ty)
        } else {
            let address = self.expression(pointer)[0];
            let known = self.known(pointer);
            self.check_pointer(address, pointer, span);
            let is_inside = self.check_offset(pointer, known, None, object, span);
            self.note_access(is_inside, pointer, object, span);
            address
        }
    }

    fn dereference(&mut self, place: &Place, pointer: &Expr) -> Location {
        let pointers = self.accessed(pointer, place.object, place.span);
        if self.b.ty(pointers).length == 1 {
            return Location::Memory { pointer: pointers, offset: 0, is_own: false };
        }
        Location::Lanes { pointers, offset: 0, object: self.whole(place.object) }
    }

    /// The object of a record type: where one member is, the others are, too.
    fn whole(&self, object: types::Type) -> Option<Object> {
        match self.types().kind(object) {
            TypeKind::Record { .. } => Some(Object { offset: 0, size: self.types().size(object) }),
            TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Array { .. } => {
                None
            }
        }
    }

    /// E-LPROJ
    fn member(&mut self, location: Location, record: types::Type, index: usize) -> Location {
        let by = self.types().offset(record, index);
        let (at, length) = self.shared.layouts.member(record, index);
        match location {
            Location::Registers { local, first, count: _ } => Location::Registers { local, first: first + at, count: length },
            Location::Values(values) => Location::Values(values[at..at + length].to_vec()),
            Location::Memory { .. } | Location::Lanes { .. } => moved(location, by),
        }
    }

    /// An element of an array.
    fn element(&mut self, place: &Place, base: &Place, index: &Expr) -> Location {
        let location = self.place(base);
        let location = self.in_memory(location, base.object);
        let number = self.expression(index)[0];
        self.check_element(base, index, number, place.span);
        let size = self.types().size(place.object);
        let from = self.types().element(index.ty).expect("an index is an integer");
        let scalar = self.unsplat(number);
        let wide = self.wide_index(from, scalar);
        let indexed = match location {
            Location::Memory { pointer, offset, is_own } => {
                let address = self.b.ptr_index(pointer, wide, size, offset);
                if self.b.ty(address).length == 1 {
                    Location::Memory { pointer: address, offset: 0, is_own }
                } else {
                    Location::Lanes { pointers: address, offset: 0, object: self.whole(place.object) }
                }
            }
            Location::Lanes { pointers, offset, object: _ } => {
                let pointers = self.b.ptr_index(pointers, wide, size, offset);
                Location::Lanes { pointers, offset: 0, object: self.whole(place.object) }
            }
            Location::Registers { .. } | Location::Values(_) => unreachable!("an array lies in memory"),
        };
        self.widen_to(place, indexed)
    }

    /// An index that is the same in all lanes gives one address where the place has many.
    fn widen_to(&mut self, place: &Place, location: Location) -> Location {
        match location {
            Location::Memory { pointer, offset, is_own: _ } if place.addresses > 1 => {
                let pointers = self.b.splat(pointer, place.addresses);
                Location::Lanes { pointers, offset, object: self.whole(place.object) }
            }
            Location::Memory { .. } | Location::Lanes { .. } | Location::Registers { .. } | Location::Values(_) => location,
        }
    }

    /// Gives a value without an address one.
    fn in_memory(&mut self, location: Location, ty: types::Type) -> Location {
        let values = match location {
            Location::Memory { .. } | Location::Lanes { .. } => return location,
            Location::Values(values) => values,
            Location::Registers { .. } => self.register_values(&location),
        };
        let layouts = &self.shared.layouts;
        let slot = self.b.slot(layouts.types.size(ty), layouts.types.own_alignment(ty));
        let address = self.b.slot_address(slot);
        for (leaf, value) in self.leaves(ty).iter().zip(values) {
            let pointer = self.b.ptr_offset(address, leaf.offset as i64);
            self.b.store(pointer, value, None);
        }
        Location::Memory { pointer: address, offset: 0, is_own: true }
    }

    /// E-ADDR
    pub fn address_of(&mut self, place: &Place) -> Value {
        let location = self.place(place);
        match self.in_memory(location, place.object) {
            Location::Memory { pointer, offset, is_own: _ } | Location::Lanes { pointers: pointer, offset, object: _ } => {
                self.b.ptr_offset(pointer, offset)
            }
            Location::Registers { .. } | Location::Values(_) => unreachable!("it was given an address"),
        }
    }

    /// The values of leaves in registers.
    pub fn register_values(&mut self, location: &Location) -> Vec<Value> {
        match location {
            &Location::Registers { local, first, count } => match &self.storage[local.0 as usize] {
                Storage::Registers(variables) => {
                    let variables = variables[first..first + count].to_vec();
                    variables.into_iter().map(|variable| self.b.use_variable(variable)).collect()
                }
                Storage::Slot(_) | Storage::Shared(_) => unreachable!("the local lives in registers"),
            },
            Location::Values(values) => values.clone(),
            Location::Memory { .. } | Location::Lanes { .. } => unreachable!("the place has no address"),
        }
    }
}

/// The place `by` bytes further on; of the same object, if it is known.
fn moved(location: Location, by: u64) -> Location {
    match location {
        Location::Memory { pointer, offset, is_own } => {
            Location::Memory { pointer, offset: offset.wrapping_add(by as i64), is_own }
        }
        Location::Lanes { pointers, offset, object } => Location::Lanes {
            pointers,
            offset: offset.wrapping_add(by as i64),
            object: object
                .map(|object| Object { offset: object.offset.saturating_add(by), ..object })
                .filter(|object| object.offset < object.size),
        },
        Location::Registers { .. } | Location::Values(_) => location,
    }
}
