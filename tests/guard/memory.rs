//! Memory whose neighbours nobody may touch, and the numbers in it.

use std::ops::{Index, IndexMut, Range};

/// An element type, as IVL spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float,
    Double,
}

impl Element {
    pub const ALL: [Element; 11] = [
        Element::Bool,
        Element::Int8,
        Element::Int16,
        Element::Int32,
        Element::Int64,
        Element::Uint8,
        Element::Uint16,
        Element::Uint32,
        Element::Uint64,
        Element::Float,
        Element::Double,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Element::Bool => "bool",
            Element::Int8 => "int8",
            Element::Int16 => "int16",
            Element::Int32 => "int32",
            Element::Int64 => "int64",
            Element::Uint8 => "uint8",
            Element::Uint16 => "uint16",
            Element::Uint32 => "uint32",
            Element::Uint64 => "uint64",
            Element::Float => "float",
            Element::Double => "double",
        }
    }

    pub fn is_integer(self) -> bool {
        !matches!(self, Element::Bool | Element::Float | Element::Double)
    }

    pub fn size(self) -> usize {
        match self {
            Element::Bool | Element::Int8 | Element::Uint8 => 1,
            Element::Int16 | Element::Uint16 => 2,
            Element::Int32 | Element::Uint32 | Element::Float => 4,
            Element::Int64 | Element::Uint64 | Element::Double => 8,
        }
    }

    /// The number that this type keeps of a number; what is summed here is small enough to be exact in floats.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Element::Bool => value & 1,
            Element::Int8 => i64::from(value as i8),
            Element::Int16 => i64::from(value as i16),
            Element::Int32 => i64::from(value as i32),
            Element::Uint8 => i64::from(value as u8),
            Element::Uint16 => i64::from(value as u16),
            Element::Uint32 => i64::from(value as u32),
            Element::Int64 | Element::Uint64 | Element::Float | Element::Double => value,
        }
    }

    /// The bytes of a number in memory, in front of some that are to be ignored.
    fn bytes(self, value: i64) -> [u8; 8] {
        match self {
            Element::Float => (u64::from((value as f32).to_bits())).to_le_bytes(),
            Element::Double => (value as f64).to_le_bytes(),
            Element::Bool
            | Element::Int8
            | Element::Int16
            | Element::Int32
            | Element::Int64
            | Element::Uint8
            | Element::Uint16
            | Element::Uint32
            | Element::Uint64 => self.wrap(value).to_le_bytes(),
        }
    }
}

/// Numbers that lie at consecutive elements of memory; the first one need not be element 0 of its pointer.
#[derive(Clone, Debug)]
pub struct Numbers {
    start: isize,
    values: Vec<i64>,
}

impl Numbers {
    /// Some numbers, different ones for each seed.
    pub fn some(element: Element, range: Range<isize>, seed: i64) -> Numbers {
        let number = |k: isize| {
            let number = (k as i64 * 7 + seed * 13 + 3).rem_euclid(61) - 20;
            // The largest numbers of `uint64` are none of i64's.
            element.wrap(if element == Element::Uint64 { number.abs() } else { number })
        };
        Numbers { start: range.start, values: range.map(number).collect() }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }
}

impl Index<isize> for Numbers {
    type Output = i64;

    /// Panics outside of the range: a kernel may touch only what its model may.
    fn index(&self, at: isize) -> &i64 {
        &self.values[(at - self.start) as usize]
    }
}

impl IndexMut<isize> for Numbers {
    fn index_mut(&mut self, at: isize) -> &mut i64 {
        &mut self.values[(at - self.start) as usize]
    }
}

/// Where in the readable memory numbers lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Right behind the page that nobody may touch.
    Start,
    /// Right in front of it.
    End,
}

/// Two readable pages between areas that are not readable.
pub struct Guarded {
    start: *mut u8,
    bytes: &'static mut [u8],
}

/// Wide enough for every index that a lane which is off may have.
const GUARD: usize = 256 << 10;
const ROOM: usize = 2 * 4096;
/// How far around the numbers a stray write is looked for.
const NEIGHBOURHOOD: usize = 256;
const UNTOUCHED: u8 = 0xA5;

impl Guarded {
    pub fn new() -> Guarded {
        // SAFETY: the pages are new, so that nobody else has them; those in the middle may be read and written, hold zeros, and are never unmapped.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(std::ptr::null_mut(), 2 * GUARD + ROOM, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED, "there is memory");
            let start = start.cast::<u8>();
            let middle = start.add(GUARD);
            assert_eq!(libc::mprotect(middle.cast(), ROOM, libc::PROT_READ | libc::PROT_WRITE), 0);
            Guarded { start, bytes: std::slice::from_raw_parts_mut(middle, ROOM) }
        }
    }

    fn first_byte(numbers: &Numbers, size: usize, place: Place) -> usize {
        match place {
            Place::Start => 0,
            Place::End => ROOM - numbers.len() * size,
        }
    }

    /// What lies around and in the numbers, and where that is.
    fn image(numbers: &Numbers, element: Element, place: Place) -> (Range<usize>, Vec<u8>) {
        let size = element.size();
        let first = Self::first_byte(numbers, size, place);
        let end = first + numbers.len() * size;
        let around = first.saturating_sub(NEIGHBOURHOOD)..(end + NEIGHBOURHOOD).min(ROOM);
        let mut bytes = vec![UNTOUCHED; around.len()];
        let places = bytes[first - around.start..end - around.start].chunks_exact_mut(size);
        for (bytes, &value) in places.zip(&numbers.values) {
            bytes.copy_from_slice(&element.bytes(value)[..size]);
        }
        (around, bytes)
    }

    /// Lays numbers down and gives the address of their element 0, which may lie where nobody may touch it; if there are
    /// no numbers, it does.
    pub fn put(&mut self, numbers: &Numbers, element: Element, place: Place) -> *mut u8 {
        let (around, bytes) = Self::image(numbers, element, place);
        self.bytes[around].copy_from_slice(&bytes);
        let size = element.size();
        let first = match (numbers.len(), place) {
            (0, Place::Start) => GUARD - 4096,
            (0, Place::End) => GUARD + ROOM,
            (_, Place::Start | Place::End) => GUARD + Self::first_byte(numbers, size, place),
        };
        self.start.wrapping_add(first).wrapping_offset(-numbers.start * size as isize)
    }

    /// Compares with what is expected; the error names the first byte that differs.
    pub fn compare(&self, numbers: &Numbers, element: Element, place: Place) -> Result<(), String> {
        let (around, expected) = Self::image(numbers, element, place);
        let found = &self.bytes[around.clone()];
        if found == expected {
            return Ok(());
        }
        let at = found.iter().zip(&expected).position(|(a, b)| a != b).expect("a byte that differs");
        let offset = (around.start + at) as isize - Self::first_byte(numbers, element.size(), place) as isize;
        let index = offset.div_euclid(element.size() as isize) + numbers.start;
        Err(format!("byte {offset} (element {index}) is {:#04x} instead of {:#04x}", found[at], expected[at]))
    }
}
