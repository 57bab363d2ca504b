//! How many elements an array parameter has, as its declaration says.

/// The length of a slice parameter or of a `scratch` array: a sum or product of integer parameters and constants, as numbers that
/// do not wrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceBound {
    /// Another parameter, by its index; for a `scratch` array, a local.
    Parameter(usize),
    /// A constant.
    Constant(u64),
    /// a + b
    Sum(Box<SliceBound>, Box<SliceBound>),
    /// a · b
    Product(Box<SliceBound>, Box<SliceBound>),
}

impl SliceBound {
    /// Its value, where that of each parameter is known; beyond 127 bits the greatest number.
    pub fn value(&self, of: &dyn Fn(usize) -> Option<i128>) -> Option<i128> {
        Some(match self {
            SliceBound::Parameter(index) => of(*index)?,
            SliceBound::Constant(count) => i128::from(*count),
            SliceBound::Sum(a, b) => a.value(of)?.saturating_add(b.value(of)?),
            SliceBound::Product(a, b) => a.value(of)?.saturating_mul(b.value(of)?),
        })
    }

    /// The parameter of which it is a multiple, by its index, and how many times that.
    pub fn multiple(&self) -> Option<(usize, u64)> {
        match self {
            SliceBound::Parameter(index) => Some((*index, 1)),
            SliceBound::Product(a, b) => match (&**a, &**b) {
                (SliceBound::Parameter(index), SliceBound::Constant(times)) => Some((*index, *times)),
                (SliceBound::Constant(times), SliceBound::Parameter(index)) => Some((*index, *times)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The parameters in it, by their indices.
    pub fn parameters(&self) -> Vec<usize> {
        match self {
            SliceBound::Parameter(index) => vec![*index],
            SliceBound::Constant(_) => Vec::new(),
            SliceBound::Sum(a, b) | SliceBound::Product(a, b) => [a.parameters(), b.parameters()].concat(),
        }
    }

    /// As the source writes it, where the parameters have these names.
    pub fn text(&self, name: &dyn Fn(usize) -> String) -> String {
        let factor = |bound: &SliceBound| match bound {
            SliceBound::Sum(..) => format!("({})", bound.text(name)),
            SliceBound::Parameter(_) | SliceBound::Constant(_) | SliceBound::Product(..) => bound.text(name),
        };
        match self {
            SliceBound::Parameter(index) => name(*index),
            SliceBound::Constant(count) => count.to_string(),
            SliceBound::Sum(a, b) => format!("{} + {}", a.text(name), b.text(name)),
            SliceBound::Product(a, b) => format!("{} * {}", factor(a), factor(b)),
        }
    }
}
