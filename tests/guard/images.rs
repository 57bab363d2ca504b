//! Images beside pages that nobody may touch.

use super::pages::Guarded;
use ivl::{Buffer, Dimension};
use ivlc::pipeline::evaluate::points;
use ivlc::types::Element;

/// An image in guarded memory.
pub struct Image {
    pub window: Vec<(i64, i64)>,
    pub size: usize,
    memory: Guarded,
    /// The distance of the first pixel in memory from that at the first coordinates, in pixels.
    back: i64,
    pub dimensions: Vec<Dimension>,
    pub pixel: i32,
}

impl Image {
    /// An image whose neighbours in dimension 0 are that far apart.
    pub fn new(element: Element, window: &[(i64, i64)], step: i64, at_end: bool) -> Image {
        let size = element.size() as usize;
        let has_pixels = window.iter().all(|w| w.1 > 0);
        let (mut stride, mut back, mut reach) = (step, 0, 0);
        let mut dimensions = Vec::new();
        for &(min, extent) in window {
            dimensions.push(Dimension { min: min as i32, extent: extent as i32, stride });
            let last = (extent.max(1) - 1) * stride;
            back -= last.min(0);
            reach += last.abs();
            stride = stride.abs() * extent.max(0);
        }
        let pixels = if has_pixels { reach + 1 } else { 0 };
        let pixel = 1 + Element::ALL.iter().position(|&e| e == element).expect("an element") as i32;
        Image { window: window.to_vec(), size, memory: Guarded::new(pixels as usize * size, at_end), back, dimensions, pixel }
    }

    /// Writes one pixel.
    pub fn put(&mut self, point: &[i64], bits: u64) {
        let bytes = bits.to_le_bytes();
        // SAFETY: within the memory of the image.
        unsafe { self.at(point).copy_from(bytes.as_ptr(), self.size) };
    }

    /// The bits of one pixel.
    pub fn get(&self, point: &[i64]) -> u64 {
        let mut bytes = [0; 8];
        // SAFETY: within the memory of the image.
        unsafe { bytes.as_mut_ptr().copy_from(self.at(point), self.size) };
        u64::from_le_bytes(bytes)
    }

    /// Where the pixel at the first coordinates is, or would be.
    fn first(&self) -> *mut u8 {
        self.memory.data().wrapping_offset(self.back as isize * self.size as isize)
    }

    pub fn at(&self, point: &[i64]) -> *mut u8 {
        let steps = point.iter().zip(&self.dimensions).map(|(x, d)| (x - i64::from(d.min)) * d.stride);
        self.first().wrapping_offset(steps.sum::<i64>() as isize * self.size as isize)
    }

    pub fn buffer(&mut self) -> Buffer {
        let rank = self.dimensions.len() as i32;
        Buffer { data: self.first().cast(), dim: self.dimensions.as_mut_ptr(), rank, pixel: self.pixel }
    }

    /// The bits of the pixels, dimension 0 innermost.
    pub fn bits(&self) -> Vec<u64> {
        points(&self.window).into_iter().map(|point| self.get(&point)).collect()
    }
}
