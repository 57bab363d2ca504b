//! Types as they are declared: names are resolved, lengths may be those of the context.

use crate::types::{Element, RecordId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A type after its names are resolved, before vec_Λ: t of figure 6.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Declared {
    pub base: Base,
    pub qualifier: Qualifier,
    pub is_const: bool,
    pub is_restrict: bool,
}

/// The constructor of a declared type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    Error,
    Void,
    Element(Element),
    Record(RecordId),
    Pointer(Box<Declared>),
    Reference(Box<Declared>),
    Array(Box<Declared>, u64),
}

/// q of figure 6, lengths evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Qualifier {
    Unbound,
    Block,
    Of(u8),
}

/// What stands for a parameter of a template in an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Argument {
    Type(Declared),
    /// A whole number or a `bool`, by its element.
    Value(i128, Element),
}

/// The arguments of a template by its names.
pub(super) type Bound = Rc<FxHashMap<Rc<str>, Argument>>;

impl Declared {
    pub fn new(base: Base, qualifier: Qualifier) -> Self {
        Declared { base, qualifier, is_const: false, is_restrict: false }
    }

    /// Is it a pointer to what is declared `scalar`?
    pub fn pointee_is_scalar(&self) -> bool {
        matches!(&self.base, Base::Pointer(inner) if inner.qualifier == Qualifier::Of(1))
    }

    /// Does `const` occur in it, behind what points, refers or holds?
    pub fn pointee_is_const(&self) -> bool {
        match &self.base {
            Base::Pointer(inner) | Base::Reference(inner) | Base::Array(inner, _) => inner.is_const || inner.pointee_is_const(),
            Base::Error | Base::Void | Base::Element(_) | Base::Record(_) => false,
        }
    }
}
