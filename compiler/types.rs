//! Types after checking: the set 𝓥 of the paper (section 3.1), interned.
//!
//! A [`Type`] is a handle into a [`Types`] table; equal types have equal handles, so comparing is comparing
//! integers. No qualifier is left here: `vec_Λ` (section 4.1) has turned each of them into a length.
//!
//! # Invariants
//! * A length is a power of two from 1 to [`MAX_LENGTH`].
//! * `Vector` and `Pointer` carry their own length; a record, an array and `void` never do. A record is an
//!   *instance* of its declaration at a length and a context, and its members are vectorised, not itself.
//! * Members of a record instance are computed when first asked for, so that a record may point to itself.

use rustc_hash::{FxHashMap, FxHashSet};

/// The greatest legal vector length.
pub const MAX_LENGTH: u8 = 64;

/// An atomic type α ∈ 𝓐.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
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
    /// Of storage alone: who computes with one has made a `float` of it.
    Float16,
}

impl Element {
    /// All element types.
    pub const ALL: [Element; 12] = [
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
        Element::Float16,
    ];

    /// The size in memory in bytes, which is also the alignment.
    pub fn size(self) -> u64 {
        match self {
            Element::Bool | Element::Int8 | Element::Uint8 => 1,
            Element::Int16 | Element::Uint16 | Element::Float16 => 2,
            Element::Int32 | Element::Uint32 | Element::Float => 4,
            Element::Int64 | Element::Uint64 | Element::Double => 8,
        }
    }

    /// The size in bits.
    pub fn bits(self) -> u32 {
        self.size() as u32 * 8
    }

    /// Is it an integer type (`bool` is none)?
    pub fn is_integer(self) -> bool {
        !matches!(self, Element::Bool | Element::Float16 | Element::Float | Element::Double)
    }

    /// Is it `float16`, `float` or `double`?
    pub fn is_float(self) -> bool {
        matches!(self, Element::Float16 | Element::Float | Element::Double)
    }

    /// The element in which there is arithmetic on it: `float` of a `float16`, and any other itself.
    pub fn promoted(self) -> Element {
        if self == Element::Float16 { Element::Float } else { self }
    }

    /// Is it a signed integer type?
    pub fn is_signed(self) -> bool {
        matches!(self, Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64)
    }

    /// The name in source text.
    pub fn name(self) -> &'static str {
        match self {
            Element::Bool => "bool",
            Element::Int8 => "int8",
            Element::Int16 => "int16",
            Element::Int32 => "int",
            Element::Int64 => "int64",
            Element::Uint8 => "uint8",
            Element::Uint16 => "uint16",
            Element::Uint32 => "uint",
            Element::Uint64 => "uint64",
            Element::Float => "float",
            Element::Double => "double",
            Element::Float16 => "float16",
        }
    }
}

/// How the names of views begin.
const VIEW: &str = "__view";

/// The name of the record of views on elements with so many dimensions.
pub fn view_name(element: Element, rank: usize) -> String {
    format!("{VIEW}{rank}_{}", element.name())
}

/// What the record of this name shows, if it is one of views.
pub fn named_view(name: &str) -> Option<(Element, usize)> {
    let (rank, element) = name.strip_prefix(VIEW)?.split_once('_')?;
    Some((Element::ALL.into_iter().find(|e| e.name() == element)?, rank.parse().ok()?))
}

/// The name of the record of an image of any type and rank, as programs of other languages pass it.
pub const BUFFER: &str = "__buffer";

/// A handle to an interned type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(u32);

/// Identifies the declaration of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// What a [`Type`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// The type of an expression in error; silences what follows from it.
    Error,
    /// No value: the result of a `void` function.
    Void,
    /// ⟨α | length⟩; length 1 is the scalar type α.
    Vector {
        /// α
        element: Element,
        /// The number of lanes.
        length: u8,
    },
    /// ⟨π* | length⟩.
    Pointer {
        /// π, itself any type of 𝓥 (`void` for an untyped pointer, as `null` and `new` memory have it).
        pointee: Type,
        /// The number of lanes.
        length: u8,
    },
    /// `count` consecutive elements.
    Array {
        /// The type of one element.
        element: Type,
        /// How many there are.
        count: u64,
    },
    /// A record declaration vectorised as `vec_context(·, length)`.
    Record {
        /// The declaration.
        record: RecordId,
        /// n: what unbound members adopt.
        length: u8,
        /// Λ: what `block` members adopt; 1 where the declaration (transitively) has none, so that equal
        /// layouts are equal types.
        context: u8,
    },
}

/// A named component of a record instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name in source.
    pub name: String,
    /// Its vectorised type.
    pub ty: Type,
}

/// The table of types. Records get their members from `check`, which knows declarations.
#[derive(Clone, Debug, Default)]
pub struct Types {
    kinds: Vec<TypeKind>,
    index: FxHashMap<TypeKind, Type>,
    record_names: Vec<String>,
    /// The `///` comments of record declarations, a line each.
    record_docs: FxHashMap<RecordId, Vec<String>>,
    /// Instances of the library's `hsoa`.
    hsoas: FxHashSet<RecordId>,
    members: FxHashMap<Type, Vec<Member>>,
    /// How records with members are laid out: asked for once, however deeply they are nested.
    layouts: FxHashMap<Type, Layout>,
}

/// How C lays out a record.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// Where each member begins.
    offsets: Vec<u64>,
    size: u64,
    alignment: u64,
    /// Is there an array in it, however deep?
    has_array: bool,
    /// The greatest alignment of registers that a part of it has.
    own_alignment: u64,
}

impl Types {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The handle of a type.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        if let Some(&ty) = self.index.get(&kind) {
            return ty;
        }
        let ty = Type(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.index.insert(kind, ty);
        ty
    }

    /// What a handle stands for.
    pub fn kind(&self, ty: Type) -> &TypeKind {
        &self.kinds[ty.0 as usize]
    }

    /// ⟨element | length⟩
    pub fn vector(&mut self, element: Element, length: u8) -> Type {
        self.intern(TypeKind::Vector { element, length })
    }

    /// ⟨element | 1⟩
    pub fn scalar(&mut self, element: Element) -> Type {
        self.vector(element, 1)
    }

    /// ⟨pointee* | length⟩
    pub fn pointer(&mut self, pointee: Type, length: u8) -> Type {
        self.intern(TypeKind::Pointer { pointee, length })
    }

    /// `element[count]`
    pub fn array(&mut self, element: Type, count: u64) -> Type {
        self.intern(TypeKind::Array { element, count })
    }

    /// `void`
    pub fn void(&mut self) -> Type {
        self.intern(TypeKind::Void)
    }

    /// The error type.
    pub fn error(&mut self) -> Type {
        self.intern(TypeKind::Error)
    }

    /// Registers a record declaration.
    pub fn declare_record(&mut self, name: impl Into<String>) -> RecordId {
        self.record_names.push(name.into());
        RecordId(self.record_names.len() as u32 - 1)
    }

    /// Keeps the `///` comment of a record declaration.
    pub fn document_record(&mut self, record: RecordId, docs: &[String]) {
        self.record_docs.insert(record, docs.to_vec());
    }

    /// The `///` comment of a record declaration, a line each.
    pub fn record_docs(&self, record: RecordId) -> &[String] {
        self.record_docs.get(&record).map_or(&[], |docs| docs)
    }

    /// The name of a record declaration.
    pub fn record_name(&self, record: RecordId) -> &str {
        &self.record_names[record.0 as usize]
    }

    /// The name of an instance of a record for other languages: `vec3`, `vec3_8` with vectors of length 8 and `vec3_8_4` where it took them
    /// in a context of length 4.
    pub fn instance_name(&self, ty: Type) -> String {
        match *self.kind(ty) {
            TypeKind::Record { record, length: 1, context: 1 } => c_name(self.record_name(record)),
            TypeKind::Record { record, length, context: 1 } => format!("{}_{length}", c_name(self.record_name(record))),
            TypeKind::Record { record, length, context } => format!("{}_{length}_{context}", c_name(self.record_name(record))),
            TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } | TypeKind::Array { .. } => {
                String::new()
            }
        }
    }

    /// The element and the rank, if it is a view (`T v[,]`): a record of `data`, `min`, `extent` and `stride`.
    pub fn view(&self, ty: Type) -> Option<(Element, usize)> {
        let TypeKind::Record { record, .. } = *self.kind(ty) else { return None };
        if !self.record_name(record).starts_with(VIEW) {
            return None;
        }
        let members = self.members(ty);
        let element = self.pointee(members[0].ty).and_then(|ty| self.element(ty))?;
        // A view of no dimensions shows one pixel, and has no more than a pointer to it.
        let Some(min) = members.get(1) else { return Some((element, 0)) };
        match self.kind(min.ty) {
            TypeKind::Array { count, .. } => Some((element, *count as usize)),
            _ => None,
        }
    }

    /// Declares a record an instance of the library's `hsoa`: of `blocks` and `length`.
    pub fn declare_hsoa(&mut self, record: RecordId) {
        self.hsoas.insert(record);
    }

    /// Is it an instance of the library's `hsoa`, a record of `blocks` and `length`?
    pub fn is_hsoa(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Record { record, .. } if self.hsoas.contains(record))
    }

    /// Sets the members of a record instance; `check` does so before anyone asks for them.
    pub fn set_members(&mut self, ty: Type, members: Vec<Member>) {
        let layout = self.lay_out(&members);
        self.layouts.insert(ty, layout);
        self.members.insert(ty, members);
    }

    /// The layout of members whose types have one. What is too large for a number of bytes is as large as numbers are.
    fn lay_out(&self, members: &[Member]) -> Layout {
        let round = |end: u64, alignment: u64| end.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        let mut layout = Layout { alignment: 1, own_alignment: 1, ..Layout::default() };
        for member in members {
            let alignment = self.alignment(member.ty);
            let offset = round(layout.size, alignment);
            layout.offsets.push(offset);
            layout.size = offset.saturating_add(self.size(member.ty));
            layout.alignment = layout.alignment.max(alignment);
            layout.own_alignment = layout.own_alignment.max(self.own_alignment(member.ty));
            layout.has_array |= self.has_array(member.ty);
        }
        layout.size = round(layout.size, layout.alignment);
        layout
    }

    fn layout(&self, record: Type) -> &Layout {
        self.layouts.get(&record).expect("a completed record")
    }

    /// The members of a record instance, `None` while `check` has not yet set them.
    pub fn try_members(&self, ty: Type) -> Option<&[Member]> {
        self.members.get(&ty).map(Vec::as_slice)
    }

    /// The members of a record instance. Panics if `ty` is not a completed record.
    pub fn members(&self, ty: Type) -> &[Member] {
        self.try_members(ty).expect("members of a completed record")
    }

    /// ‖τ‖: the lanes of a vector or pointer, the length at which a record was instantiated, that of an array's
    /// element; 1 for `void` and in error.
    pub fn length(&self, ty: Type) -> u8 {
        match *self.kind(ty) {
            TypeKind::Error | TypeKind::Void => 1,
            TypeKind::Vector { length, .. } | TypeKind::Pointer { length, .. } | TypeKind::Record { length, .. } => length,
            TypeKind::Array { element, .. } => self.length(element),
        }
    }

    /// The element type of a vector.
    pub fn element(&self, ty: Type) -> Option<Element> {
        match *self.kind(ty) {
            TypeKind::Vector { element, .. } => Some(element),
            _ => None,
        }
    }

    /// The pointee of a pointer.
    pub fn pointee(&self, ty: Type) -> Option<Type> {
        match *self.kind(ty) {
            TypeKind::Pointer { pointee, .. } => Some(pointee),
            _ => None,
        }
    }

    /// Is it the error type?
    pub fn is_error(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Error)
    }

    /// |τ|: the size in bytes. A block of length N is N consecutive elements; records are laid out as C does.
    pub fn size(&self, ty: Type) -> u64 {
        match *self.kind(ty) {
            TypeKind::Error | TypeKind::Void => 0,
            TypeKind::Vector { element, length } => element.size() * length as u64,
            TypeKind::Pointer { length, .. } => 8 * length as u64,
            TypeKind::Array { element, count } => self.size(element).saturating_mul(count),
            TypeKind::Record { .. } => self.layout(ty).size,
        }
    }

    /// The alignment in bytes: that of the element, also for blocks (language.md §2).
    pub fn alignment(&self, ty: Type) -> u64 {
        match *self.kind(ty) {
            TypeKind::Error | TypeKind::Void => 1,
            TypeKind::Vector { element, .. } => element.size(),
            TypeKind::Pointer { .. } => 8,
            TypeKind::Array { element, .. } => self.alignment(element),
            TypeKind::Record { .. } => self.layout(ty).alignment,
        }
    }

    /// The alignment that the compiler gives to objects of its own: that of whole registers.
    pub fn own_alignment(&self, ty: Type) -> u64 {
        match *self.kind(ty) {
            TypeKind::Error | TypeKind::Void => 1,
            TypeKind::Vector { .. } | TypeKind::Pointer { .. } => self.size(ty).clamp(1, 64),
            TypeKind::Array { element, count: _ } if self.size(ty) < 64 => self.own_alignment(element),
            TypeKind::Array { .. } => 64,
            TypeKind::Record { .. } => self.layout(ty).own_alignment,
        }
    }

    /// Does an object of the type contain an array?
    pub fn has_array(&self, ty: Type) -> bool {
        match *self.kind(ty) {
            TypeKind::Array { .. } => true,
            TypeKind::Record { .. } => self.layout(ty).has_array,
            TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } => false,
        }
    }

    /// offset_τ(i): the byte offset of member `index` of a record instance.
    pub fn offset(&self, record: Type, index: usize) -> u64 {
        self.layout(record).offsets[index]
    }

    /// The type in source notation, every length written out: `float block[4]`, `vec3 block[8] *`, `int`.
    pub fn display(&self, ty: Type) -> String {
        fn qualified(base: String, length: u8) -> String {
            if length == 1 { base } else { format!("{base} block[{length}]") }
        }
        match *self.kind(ty) {
            TypeKind::Error => "<error>".into(),
            TypeKind::Void => "void".into(),
            TypeKind::Vector { element, length } => qualified(element.name().into(), length),
            TypeKind::Pointer { pointee, length } => {
                qualified(format!("{} *", self.display(pointee)), length).replace("* block", "*block")
            }
            TypeKind::Array { element, count } => format!("{}[{count}]", self.display(element)),
            TypeKind::Record { record, length, .. } => qualified(self.record_name(record).into(), length),
        }
    }
}

/// A type as programs write it: `uint16[,]` for the struct that a view is.
pub fn as_written(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("__view") {
        written += &rest[..at];
        let name = &rest[at + "__view".len()..];
        let rank = name.chars().next().and_then(|c| c.to_digit(10)).unwrap_or(1);
        let element = name.get(2..).unwrap_or_default();
        let end = element.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(element.len());
        written += &format!("{}[{}]", &element[..end], ",".repeat(rank.saturating_sub(1) as usize));
        rest = &element[end..];
    }
    written + rest
}

/// The name of a record for other languages: `pair_float_4` of `pair<float, 4>`.
pub fn c_name(name: &str) -> String {
    let mut made = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '<' | ',' => made.push('_'),
            '*' => made.push_str("_ptr"),
            '-' => made.push('m'),
            c if c.is_alphanumeric() || c == '_' => made.push(c),
            _ => {}
        }
    }
    made
}
