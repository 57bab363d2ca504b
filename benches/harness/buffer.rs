//! Data at the same place in its page for everyone.
//!
//! A vector that straddles cache lines is read at half the speed, and two arrays whose addresses agree in the low twelve
//! bits disturb each other. Where an allocator puts things must not decide who wins: each buffer starts at a multiple of 64
//! bytes that its place in the case determines.

use std::ops::{Deref, DerefMut};

const PAGE: usize = 4096;

/// A slice of fixed length; see the module.
pub struct Buffer<T> {
    memory: Vec<T>,
    start: usize,
    length: usize,
}

impl<T: Copy + Default> Buffer<T> {
    /// The `place`-th buffer of its case.
    pub fn new(place: usize, values: &[T]) -> Self {
        let size = size_of::<T>();
        assert!(64 % size == 0, "elements that fill cache lines");
        let mut memory = vec![T::default(); values.len() + 2 * PAGE / size];
        let to_page = PAGE - memory.as_ptr().addr() % PAGE;
        let start = (to_page + place * 17 * 64 % PAGE) / size;
        memory[start..start + values.len()].copy_from_slice(values);
        Buffer { memory, start, length: values.len() }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..self.start + self.length]
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..self.start + self.length]
    }
}
