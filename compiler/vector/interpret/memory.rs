//! Memory of a running module: objects at addresses that are far from each other, so that an access that misses its object
//! hits nothing.

use rustc_hash::FxHashMap;

/// Objects by number; the address of a byte is the number, then the offset in 32 bits.
#[derive(Default)]
pub(super) struct Memory {
    objects: FxHashMap<u64, Vec<u8>>,
    made: u64,
}

impl Memory {
    /// A fresh object. Its bytes are some value, and not a likely one.
    pub fn allocate(&mut self, size: u64) -> u64 {
        self.made += 1;
        self.objects.insert(self.made, vec![0xA5; size as usize]);
        self.made << 32
    }

    /// The object at this address is gone.
    pub fn free(&mut self, address: u64) -> Result<(), String> {
        let found = self.objects.remove(&(address >> 32)).filter(|_| address as u32 == 0);
        found.map(drop).ok_or_else(|| format!("no object begins at {address:#x}"))
    }

    /// The bytes of an access.
    pub fn bytes(&mut self, address: u64, size: u64) -> Result<&mut [u8], String> {
        let (id, offset) = (address >> 32, u64::from(address as u32));
        let Some(object) = self.objects.get_mut(&id) else {
            return Err(format!("no object is at {address:#x}"));
        };
        let length = object.len();
        let end = (offset + size) as usize;
        object.get_mut(offset as usize..end).ok_or_else(|| format!("bytes {offset}..{end} of an object of {length} bytes"))
    }
}
