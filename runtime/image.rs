//! Images and views for programs in Rust that run pipelines: typed, and safe.
//!
//! ```text
//! Image<T, R>     owns its pixels, side by side          view(), view_mut()
//! View<'_, T, R>  shows pixels of somebody else          ViewMut<'_, T, R>  may write them
//! ```
//! A view never shows what is not there: whoever makes one from a slice says the window and the strides, and is refused if the
//! slice is too short. What a pipeline reads of a view it looks at before it starts.

use crate::buffer::{Buffer, Dimension, Pixel};
use crate::{Error, Plane};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range};
use core::ptr;

/// The coordinates of an image, by dimension.
pub type Window<const R: usize> = [Range<i32>; R];

/// The dimensions of an image whose pixels lie side by side, and how many these are.
fn dense<const R: usize>(window: &Window<R>) -> Result<([Dimension; R], usize), Error> {
    let mut dimensions = [Dimension::default(); R];
    let mut count = 1usize;
    for (dimension, range) in dimensions.iter_mut().zip(window) {
        let extent = range.end.checked_sub(range.start).filter(|&extent| extent >= 0);
        let extent = extent.ok_or_else(|| Error::new(format!("the window {range:?} has no extent")))?;
        *dimension = Dimension { min: range.start, extent, stride: count as i64 };
        let next = count.checked_mul(extent as usize).filter(|&n| i64::try_from(n).is_ok());
        count = next.ok_or_else(|| Error::new(format!("the window {window:?} is too large")))?;
    }
    Ok((dimensions, count))
}

fn window_of<const R: usize>(dimensions: &[Dimension; R]) -> Window<R> {
    dimensions.map(|d| d.min..d.min.saturating_add(d.extent))
}

/// The place of a point, counted from the first pixel; `None` outside of the window.
fn place<const R: usize>(dimensions: &[Dimension; R], point: [i32; R]) -> Option<usize> {
    let mut place = 0;
    for (dimension, c) in dimensions.iter().zip(point) {
        let distance = i64::from(c) - i64::from(dimension.min);
        if !(0..i64::from(dimension.extent)).contains(&distance) {
            return None;
        }
        place += distance * dimension.stride;
    }
    usize::try_from(place).ok()
}

fn buffer<T: Pixel, const R: usize>(data: *mut T, dimensions: &[Dimension; R]) -> Buffer {
    Buffer { data: data.cast(), dim: dimensions.as_ptr().cast_mut(), rank: R as i32, pixel: T::TYPE }
}

/// An image that owns its pixels; dimension 0 is the one whose neighbours are neighbours in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<T, const R: usize> {
    pixels: Vec<T>,
    dimensions: [Dimension; R],
}

impl<T: Pixel, const R: usize> Image<T, R> {
    /// An image of zeros.
    ///
    /// # Errors
    /// If a range of the window ends before it begins, and if there is not so much memory.
    pub fn new(window: Window<R>) -> Result<Image<T, R>, Error> {
        let (dimensions, count) = dense(&window)?;
        let mut pixels = Vec::new();
        let failed = |_| Error::new(format!("there is no memory for an image of {count} pixels"));
        pixels.try_reserve_exact(count).map_err(failed)?;
        pixels.resize(count, T::default());
        Ok(Image { pixels, dimensions })
    }

    /// An image of values at points.
    ///
    /// # Errors
    /// As for [`Image::new`].
    pub fn from_fn(window: Window<R>, mut value: impl FnMut([i32; R]) -> T) -> Result<Image<T, R>, Error> {
        let mut image = Image::new(window)?;
        let mut point = image.dimensions.map(|d| d.min);
        for i in 0..image.pixels.len() {
            image.pixels[i] = value(point);
            for (c, d) in point.iter_mut().zip(&image.dimensions) {
                *c = c.wrapping_add(1);
                if i64::from(*c) < i64::from(d.min) + i64::from(d.extent) {
                    break;
                }
                *c = d.min;
            }
        }
        Ok(image)
    }

    /// Its coordinates.
    pub fn window(&self) -> Window<R> {
        window_of(&self.dimensions)
    }

    /// The pixel at a point, if the window has it.
    pub fn get(&self, point: [i32; R]) -> Option<T> {
        place(&self.dimensions, point).map(|place| self.pixels[place])
    }

    /// All pixels, dimension 0 fastest.
    pub fn pixels(&self) -> &[T] {
        &self.pixels
    }

    /// All pixels, dimension 0 fastest.
    pub fn pixels_mut(&mut self) -> &mut [T] {
        &mut self.pixels
    }

    /// The image as an input.
    pub fn view(&self) -> View<'_, T, R> {
        View { data: self.pixels.as_ptr(), dimensions: self.dimensions, pixels: PhantomData }
    }

    /// The image as an output.
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R> {
        ViewMut { data: self.pixels.as_mut_ptr(), dimensions: self.dimensions, pixels: PhantomData }
    }
}

impl<T: Pixel, const R: usize> Index<[i32; R]> for Image<T, R> {
    type Output = T;

    fn index(&self, point: [i32; R]) -> &T {
        let place = place(&self.dimensions, point);
        &self.pixels[place.unwrap_or_else(|| panic!("{point:?} is outside of {:?}", self.window()))]
    }
}

impl<T: Pixel, const R: usize> IndexMut<[i32; R]> for Image<T, R> {
    fn index_mut(&mut self, point: [i32; R]) -> &mut T {
        let place = place(&self.dimensions, point);
        let place = place.unwrap_or_else(|| panic!("{point:?} is outside of {:?}", self.window()));
        &mut self.pixels[place]
    }
}

/// Pixels of somebody else, as an input.
#[derive(Clone, Copy, Debug)]
pub struct View<'p, T, const R: usize> {
    data: *const T,
    dimensions: [Dimension; R],
    pixels: PhantomData<&'p [T]>,
}

/// Pixels of somebody else, as an output.
#[derive(Debug)]
pub struct ViewMut<'p, T, const R: usize> {
    data: *mut T,
    dimensions: [Dimension; R],
    pixels: PhantomData<&'p mut [T]>,
}

// SAFETY: it is a `&[T]` with numbers, which may go where `T` may be looked at from.
unsafe impl<T: Sync, const R: usize> Send for View<'_, T, R> {}
// SAFETY: as above, and a reference to it shows no more.
unsafe impl<T: Sync, const R: usize> Sync for View<'_, T, R> {}
// SAFETY: it is a `&mut [T]` with numbers, which may go where `T` may.
unsafe impl<T: Send, const R: usize> Send for ViewMut<'_, T, R> {}
// SAFETY: through a reference to it, pixels are only looked at.
unsafe impl<T: Sync, const R: usize> Sync for ViewMut<'_, T, R> {}

/// The dimensions of a view whose first pixel is that of a slice of `length` pixels.
fn strided<const R: usize>(length: usize, window: &Window<R>, strides: [i64; R]) -> Result<[Dimension; R], Error> {
    let (mut dimensions, count) = dense(window)?;
    let mut last = 0i64;
    for (dimension, stride) in dimensions.iter_mut().zip(strides) {
        if stride < 0 {
            return Err(Error::new(format!("a view of a slice has no stride of {stride}")));
        }
        dimension.stride = stride;
        let distance = i64::from(dimension.extent - 1).checked_mul(stride).and_then(|d| d.checked_add(last));
        last = distance.ok_or_else(|| Error::new("the strides are too large".to_owned()))?;
    }
    if count > 0 && usize::try_from(last).is_ok_and(|last| last >= length) {
        return Err(Error::new(format!(
            "a view of {window:?} with strides {strides:?} needs {} pixels, and there are {length}",
            last + 1
        )));
    }
    Ok(dimensions)
}

/// The dimensions of elements that somebody else answers for; all indices begin at 0.
#[cfg(feature = "ndarray")]
fn of_elements<const R: usize>(extents: [usize; R], strides: [isize; R]) -> Result<[Dimension; R], Error> {
    let mut window = [const { 0..0 }; R];
    for (range, (d, extent)) in window.iter_mut().zip(extents.into_iter().enumerate()) {
        range.end = end_of(d, extent)?;
    }
    let (mut dimensions, _) = dense(&window)?;
    for (d, (dimension, stride)) in dimensions.iter_mut().zip(strides).enumerate() {
        // Where there is one element, or none, nothing says what its stride is.
        if dimension.extent > 1 {
            if stride < 0 {
                return Err(Error::new(format!("axis {d} is turned round: its stride is {stride}")));
            }
            dimension.stride = stride as i64;
        }
    }
    Ok(dimensions)
}

/// Where the indices of a dimension end.
fn end_of(d: usize, extent: usize) -> Result<i32, Error> {
    i32::try_from(extent).map_err(|_| Error::new(format!("dimension {d} has {extent} elements, which is too much")))
}

/// Window and strides of a tensor that has all elements of a slice, the last dimension innermost.
fn row_major<const R: usize>(length: usize, extents: [usize; R]) -> Result<(Window<R>, [i64; R]), Error> {
    let needed = extents.iter().fold(1usize, |needed, &extent| needed.saturating_mul(extent));
    if needed != length {
        return Err(Error::new(format!("a tensor of {extents:?} has {needed} elements, and there are {length}")));
    }
    let (mut window, mut strides) = ([const { 0..0 }; R], [0; R]);
    let mut stride = 1i64;
    for (d, extent) in extents.into_iter().enumerate().rev() {
        let end = end_of(d, extent)?;
        (window[d], strides[d]) = (0..end, stride);
        stride = stride.saturating_mul(end.max(1).into());
    }
    Ok((window, strides))
}

impl<'p, T: Pixel, const R: usize> View<'p, T, R> {
    /// A tensor whose elements are those of a slice, the last dimension innermost; all indices begin at 0.
    ///
    /// # Errors
    /// If the slice has another number of elements.
    pub fn row_major(elements: &'p [T], extents: [usize; R]) -> Result<View<'p, T, R>, Error> {
        let (window, strides) = row_major(elements.len(), extents)?;
        View::new(elements, window, strides)
    }

    /// Pixels of a slice, the first of which has the first coordinates; strides in pixels.
    ///
    /// # Errors
    /// If the slice has not all pixels of the window.
    pub fn new(pixels: &'p [T], window: Window<R>, strides: [i64; R]) -> Result<View<'p, T, R>, Error> {
        let dimensions = strided(pixels.len(), &window, strides)?;
        Ok(View { data: pixels.as_ptr(), dimensions, pixels: PhantomData })
    }

    /// Elements behind a pointer, by their distances.
    ///
    /// # Safety
    /// They are there, and nobody writes them, as long as the view is.
    #[cfg(feature = "ndarray")]
    pub(crate) unsafe fn of_elements(data: *const T, extents: [usize; R], strides: [isize; R]) -> Result<Self, Error> {
        Ok(View { data, dimensions: of_elements(extents, strides)?, pixels: PhantomData })
    }

    /// Its coordinates.
    pub fn window(&self) -> Window<R> {
        window_of(&self.dimensions)
    }

    /// What compiled pipelines take, as long as this is not moved.
    pub fn buffer(&self) -> Buffer {
        buffer(self.data.cast_mut(), &self.dimensions)
    }

    /// What kernels take.
    pub fn plane(&self) -> Plane<T, R> {
        Plane::new(self.data.cast_mut(), &self.dimensions)
    }
}

impl<'p, T: Pixel, const R: usize> ViewMut<'p, T, R> {
    /// As [`View::row_major`].
    ///
    /// # Errors
    /// If the slice has another number of elements.
    pub fn row_major(elements: &'p mut [T], extents: [usize; R]) -> Result<ViewMut<'p, T, R>, Error> {
        let (window, strides) = row_major(elements.len(), extents)?;
        ViewMut::new(elements, window, strides)
    }

    /// Pixels of a slice, the first of which has the first coordinates; strides in pixels.
    ///
    /// # Errors
    /// If the slice has not all pixels of the window, and if two points are one pixel.
    pub fn new(pixels: &'p mut [T], window: Window<R>, strides: [i64; R]) -> Result<ViewMut<'p, T, R>, Error> {
        let dimensions = strided(pixels.len(), &window, strides)?;
        let mut by_stride = dimensions.to_vec();
        by_stride.retain(|d| d.extent > 1);
        by_stride.sort_by_key(|d| d.stride);
        let mut behind = 1;
        for d in by_stride {
            if d.stride < behind {
                return Err(Error::new(format!("two points of {window:?} with strides {strides:?} are one pixel")));
            }
            behind = d.stride.saturating_mul(d.extent.into());
        }
        Ok(ViewMut { data: pixels.as_mut_ptr(), dimensions, pixels: PhantomData })
    }

    /// Elements behind a pointer, by their distances.
    ///
    /// # Safety
    /// They are there, nobody else reads or writes them as long as the view is, and no two points are one of them.
    #[cfg(feature = "ndarray")]
    pub(crate) unsafe fn of_elements(data: *mut T, extents: [usize; R], strides: [isize; R]) -> Result<Self, Error> {
        Ok(ViewMut { data, dimensions: of_elements(extents, strides)?, pixels: PhantomData })
    }

    /// Its coordinates.
    pub fn window(&self) -> Window<R> {
        window_of(&self.dimensions)
    }

    /// What compiled pipelines take, as long as this is not moved.
    pub fn buffer(&mut self) -> Buffer {
        buffer(self.data, &self.dimensions)
    }

    /// What kernels take.
    pub fn plane(&mut self) -> Plane<T, R> {
        Plane::new(self.data, &self.dimensions)
    }
}

/// A window without pixels, for queries.
#[derive(Clone, Debug)]
pub struct Shape<T, const R: usize> {
    dimensions: [Dimension; R],
    pixels: PhantomData<T>,
}

impl<T: Pixel, const R: usize> Shape<T, R> {
    /// A window.
    ///
    /// # Errors
    /// If a range ends before it begins.
    pub fn new(window: Window<R>) -> Result<Shape<T, R>, Error> {
        Ok(Shape { dimensions: dense(&window)?.0, pixels: PhantomData })
    }

    /// Its coordinates.
    pub fn window(&self) -> Window<R> {
        window_of(&self.dimensions)
    }

    /// What compiled code takes and fills, as long as this is not moved.
    pub fn buffer(&mut self) -> Buffer {
        Buffer { dim: self.dimensions.as_mut_ptr(), ..buffer(ptr::null_mut::<T>(), &self.dimensions) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_found_by_their_coordinates() {
        let mut image = Image::from_fn([-1..2, 5..7], |[x, y]| x + 10 * y).expect("an image");
        assert_eq!(image.pixels(), [49, 50, 51, 59, 60, 61]);
        image[[1, 6]] = 7;
        assert_eq!((image[[0, 5]], image.get([1, 6]), image.get([2, 6])), (50, Some(7), None));
        assert_eq!(image.window(), [-1..2, 5..7]);
        assert_eq!(Image::<u8, 0>::from_fn([], |[]| 3).expect("a pixel").pixels(), [3]);
    }

    #[test]
    fn views_show_what_is_there() {
        let mut pixels = [0u8; 12];
        let reversed = Range { start: 3, end: 2 };
        assert!(View::new(&pixels, [0..4, 0..3], [1, 4]).is_ok());
        assert!(View::new(&pixels, [0..4, 0..3], [1, 5]).is_err());
        assert!(View::new(&pixels, [0..4, 0..3], [1, 0]).is_ok());
        assert!(View::new(&pixels, [0..4, reversed.clone()], [1, 4]).is_err());
        assert!(View::new(&pixels, [0..4, 0..2], [1, -4]).is_err());
        assert!(View::new(&pixels, [0..0, 0..9], [1, 100]).is_ok());
        assert!(ViewMut::new(&mut pixels, [0..4, 0..3], [3, 1]).is_ok());
        assert!(ViewMut::new(&mut pixels, [0..4, 0..3], [1, 0]).is_err());
        assert!(ViewMut::new(&mut pixels, [0..4, 0..3], [1, 2]).is_err());
        assert!(Image::<u8, 1>::new([reversed]).is_err());
        let of_tensor = View::row_major(&pixels, [3, 4]).expect("a tensor").plane();
        assert_eq!((of_tensor.extent, of_tensor.stride, of_tensor.min), ([3, 4], [4, 1], [0, 0]));
        assert_eq!(ViewMut::row_major(&mut pixels, [2, 2, 3]).expect("a tensor").plane().stride, [6, 3, 1]);
        assert!(View::row_major(&pixels, [0, 4]).is_err() && View::row_major(&pixels[..0], [0, 4]).is_ok());
        assert!(View::row_major(&pixels, [3, 3]).is_err() && View::row_major(&pixels[..0], [1 << 31, 0]).is_err());
        assert!(View::row_major(&pixels[..0], [1 << 30, 1 << 30, 1 << 30]).is_err());
        assert!(ViewMut::row_major(&mut pixels[..0], [3, 0, 2]).is_ok());
        assert!(Image::<u64, 2>::new([0..i32::MAX, 0..i32::MAX]).is_err());
    }
}
