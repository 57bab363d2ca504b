//! Pixels as kernels see them: the C layout of a parameter `T v[,]`.

use crate::buffer::Dimension;

/// What a kernel sees of a [`View`](crate::View) or [`ViewMut`](crate::ViewMut) with `R` dimensions: where the pixels are. It knows no
/// lifetime, so only raw functions take it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<T, const R: usize> {
    /// The pixel whose coordinates are the minima.
    pub data: *mut T,
    /// The first coordinates.
    pub min: [i32; R],
    /// How many coordinates there are.
    pub extent: [i32; R],
    /// The distance of neighbours, in pixels.
    pub stride: [i64; R],
}

impl<T, const R: usize> Plane<T, R> {
    pub(crate) fn new(data: *mut T, dimensions: &[Dimension; R]) -> Plane<T, R> {
        Plane { data, min: dimensions.map(|d| d.min), extent: dimensions.map(|d| d.extent), stride: dimensions.map(|d| d.stride) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Image, Plane};

    #[test]
    fn planes_show_what_views_show() {
        let mut image = Image::from_fn([-1..2, 5..7], |[x, y]| x + 10 * y).expect("an image");
        let plane = image.view_mut().plane();
        assert_eq!((plane.min, plane.extent, plane.stride), ([-1, 5], [3, 2], [1, 3]));
        // SAFETY: the plane leads to the first pixel of an image that is alive.
        assert_eq!(unsafe { plane.data.read() }, 49);
        assert_eq!(size_of::<Plane<f32, 2>>(), 40);
        assert_eq!(size_of::<Plane<u8, 0>>(), 8);
    }
}
