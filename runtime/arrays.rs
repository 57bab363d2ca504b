//! Arrays of the crate `ndarray` as views: axis d is dimension d, and all indices begin at 0.
//!
//! ```ignore
//! let (a, mut c) = (Array2::<f32>::zeros((3, 4)), Array2::<f32>::zeros((3, 3)));
//! kernels::product::auto_into(c.view_mut().try_into()?, a.view().try_into()?, a.t().try_into()?)?;
//! ```
//! Strides are those of the array: the last axis is the one that is read fast where it is dense, and may have any other.

use crate::{Error, Pixel, View, ViewMut};
use alloc::format;
use ndarray::{ArrayView, ArrayViewMut, Dimension};

/// Extents and strides of an array that is to have `R` axes.
fn shape<const R: usize>(extents: &[usize], strides: &[isize]) -> Result<([usize; R], [isize; R]), Error> {
    match (extents.try_into(), strides.try_into()) {
        (Ok(extents), Ok(strides)) => Ok((extents, strides)),
        _ => Err(Error::new(format!("the array has {} axes, and {R} are needed", extents.len()))),
    }
}

/// Fails where the array has another number of axes, an axis that is turned round, or more elements than there are indices.
impl<'p, T: Pixel, D: Dimension, const R: usize> TryFrom<ArrayView<'p, T, D>> for View<'p, T, R> {
    type Error = Error;

    fn try_from(array: ArrayView<'p, T, D>) -> Result<View<'p, T, R>, Error> {
        let (extents, strides) = shape(array.shape(), array.strides())?;
        // SAFETY: the array shows these elements for as long as `'p`, and nobody changes them.
        unsafe { View::of_elements(array.as_ptr(), extents, strides) }
    }
}

/// As for [`View`].
impl<'p, T: Pixel, D: Dimension, const R: usize> TryFrom<ArrayViewMut<'p, T, D>> for ViewMut<'p, T, R> {
    type Error = Error;

    fn try_from(mut array: ArrayViewMut<'p, T, D>) -> Result<ViewMut<'p, T, R>, Error> {
        let (extents, strides) = shape(array.shape(), array.strides())?;
        // SAFETY: the array is lent these elements for as long as `'p`, each of them once.
        unsafe { ViewMut::of_elements(array.as_mut_ptr(), extents, strides) }
    }
}
