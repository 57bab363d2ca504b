//! The types of the vector IR: elements, and vectors of them.

/// Element types. Integers have no sign; operations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Element {
    Bool,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    Ptr,
}

impl Element {
    /// The integer of so many bytes.
    pub fn integer(bytes: u64) -> Option<Element> {
        match bytes {
            1 => Some(Element::I8),
            2 => Some(Element::I16),
            4 => Some(Element::I32),
            8 => Some(Element::I64),
            _ => None,
        }
    }

    /// The size in memory in bytes; a `bool` is a byte that is 0 or 1.
    pub fn size(self) -> u64 {
        self.bits().div_ceil(8) as u64
    }

    /// The size in bits: 1 for `bool`.
    pub fn bits(self) -> u32 {
        match self {
            Element::Bool => 1,
            Element::I8 => 8,
            Element::I16 => 16,
            Element::I32 | Element::F32 => 32,
            Element::I64 | Element::F64 | Element::Ptr => 64,
        }
    }

    /// Is it an integer (`bool` and `ptr` are not)?
    pub fn is_int(self) -> bool {
        matches!(self, Element::I8 | Element::I16 | Element::I32 | Element::I64)
    }

    /// Is it `f32` or `f64`?
    pub fn is_float(self) -> bool {
        matches!(self, Element::F32 | Element::F64)
    }

    /// The name in printed IR.
    pub fn name(self) -> &'static str {
        match self {
            Element::Bool => "bool",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::Ptr => "ptr",
        }
    }
}

/// ⟨element | length⟩; printed `f32x8`, or `f32` for length 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// The element type.
    pub element: Element,
    /// A power of two from 1 to 64.
    pub length: u8,
}

impl Type {
    /// The most lanes.
    pub const MOST_LANES: u8 = 64;

    /// ⟨element | length⟩
    pub fn new(element: Element, length: u8) -> Self {
        Type { element, length }
    }

    /// ⟨element | 1⟩
    pub const fn scalar(element: Element) -> Self {
        Type { element, length: 1 }
    }

    /// The same element at another length.
    pub fn with_length(self, length: u8) -> Self {
        Type { length, ..self }
    }

    /// The same length of another element.
    pub fn with_element(self, element: Element) -> Self {
        Type { element, ..self }
    }

    /// The size in memory of all lanes, in bytes.
    pub fn bytes(self) -> u64 {
        self.element.size() * u64::from(self.length)
    }

    /// The mask for it: `bool` of its length.
    pub fn mask(self) -> Self {
        self.with_element(Element::Bool)
    }
}
