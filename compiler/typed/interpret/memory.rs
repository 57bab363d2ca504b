//! M: memory, byte by byte, as objects that come to life and die.
//!
//! Each object has an address range of its own, 4 GiB away from the next, and no range is used twice: an address tells
//! which object it was made for, however far it has been moved, and whether that object is still there. A byte is a
//! number or unset.

use super::value::{Lane, Value};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// What is wrong with an access.
pub(super) enum Misuse {
    /// The null pointer, or nearly so.
    Null,
    /// An object that has died.
    Dead,
    /// Outside of the object: its size, the offset of the access.
    Outside { size: u64, offset: i64 },
}

/// The distance of objects as a power of two.
const RANGE: u32 = 32;

struct Object {
    bytes: Vec<u8>,
    unset: Vec<bool>,
}

/// M
#[derive(Default)]
pub(super) struct Memory {
    objects: FxHashMap<u64, Object>,
    made: u64,
    /// How many bytes the objects have.
    size: u64,
}

impl Memory {
    /// alloc(σ, τ): an object of `size` bytes, all of them unset.
    pub fn allocate(&mut self, size: u64) -> u64 {
        self.made += 1;
        self.size += size;
        let size = size as usize;
        self.objects.insert(self.made, Object { bytes: vec![0; size], unset: vec![true; size] });
        self.made << RANGE
    }

    /// How many bytes all objects have that are alive.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The bytes of an object are set, to something.
    pub fn set_to_something(&mut self, address: u64) {
        if let Ok((id, _)) = self.find(address, 0) {
            let object = self.objects.get_mut(&id).expect("an object that was found");
            object.unset.fill(false);
            object.bytes.fill(1);
        }
    }

    /// The object that begins here dies.
    pub fn free(&mut self, address: u64) -> Result<(), Misuse> {
        match self.find(address, 0)? {
            (id, 0) => {
                let object = self.objects.remove(&id);
                self.size -= object.map_or(0, |object| object.bytes.len() as u64);
                Ok(())
            }
            (id, offset) => Err(Misuse::Outside { size: self.objects[&id].bytes.len() as u64, offset: offset as i64 }),
        }
    }

    /// The object of an access of `size` bytes, and where in it.
    fn find(&self, address: u64, size: usize) -> Result<(u64, usize), Misuse> {
        // The upper half of a range is in front of the next object.
        let offset = i64::from(address as i32);
        let id = address.wrapping_sub(offset as u64) >> RANGE;
        if id == 0 {
            return Err(Misuse::Null);
        }
        let length = self.objects.get(&id).ok_or(Misuse::Dead)?.bytes.len();
        match usize::try_from(offset) {
            Ok(start) if start + size <= length => Ok((id, start)),
            _ => Err(Misuse::Outside { size: length as u64, offset }),
        }
    }

    /// M⟨a, |τ|⟩ as a value of type τ.
    pub fn read(&self, address: u64, ty: Type, size: usize) -> Result<Value, Misuse> {
        let (id, offset) = self.find(address, size)?;
        let object = &self.objects[&id];
        let range = offset..offset + size;
        Ok(Value { ty, bytes: object.bytes[range.clone()].to_vec(), unset: object.unset[range].to_vec() })
    }

    /// M[⟨a, |τ|⟩ := m]
    pub fn write(&mut self, address: u64, value: &Value) -> Result<(), Misuse> {
        let (id, offset) = self.find(address, value.bytes.len())?;
        let object = self.objects.get_mut(&id).expect("an object that was found");
        object.bytes[offset..][..value.bytes.len()].copy_from_slice(&value.bytes);
        object.unset[offset..][..value.unset.len()].copy_from_slice(&value.unset);
        Ok(())
    }

    /// One element of `size` bytes.
    pub fn read_lane(&self, address: u64, size: usize) -> Result<Lane, Misuse> {
        let (id, offset) = self.find(address, size)?;
        let object = &self.objects[&id];
        Ok(Lane::from_bytes(&object.bytes[offset..][..size], &object.unset[offset..][..size]))
    }

    /// One element of `size` bytes.
    pub fn write_lane(&mut self, address: u64, size: usize, lane: Lane) -> Result<(), Misuse> {
        let (id, offset) = self.find(address, size)?;
        let object = self.objects.get_mut(&id).expect("an object that was found");
        lane.to_bytes(&mut object.bytes[offset..][..size], &mut object.unset[offset..][..size]);
        Ok(())
    }
}
