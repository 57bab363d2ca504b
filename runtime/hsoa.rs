//! Hybrid structures of arrays (VecIMP, section 7 and figure 3 (c)): elements side by side in blocks of N, member by member.
//!
//! ```text
//! Vec<vec3>        x y z  x y z  x y z  x y z  …
//! Hsoa<vec3, 4>    x x x x  y y y y  z z z z   x x x x  y y y y  z z z z   …
//! ```
//! A kernel takes the blocks, `const vec3 block[4] a[m]`, and everybody else elements. What stands behind the last element of the last
//! block is a copy of an element: a kernel may compute with it.

use alloc::vec::Vec;
use core::fmt;

/// A type whose elements come N at a time, member by member. The bindings of a program implement it for its structs, this crate for
/// numbers.
pub trait Lanes<const N: usize>: Copy {
    /// N elements.
    type Block: Copy;

    /// N times this element.
    fn block(self) -> Self::Block;

    /// The element of a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    fn lane(block: &Self::Block, lane: usize) -> Self;

    /// Replaces the element of a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    fn set_lane(block: &mut Self::Block, lane: usize, element: Self);
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl<const N: usize> Lanes<N> for $number {
            type Block = [$number; N];

            fn block(self) -> [$number; N] {
                [self; N]
            }

            fn lane(block: &[$number; N], lane: usize) -> $number {
                block[lane]
            }

            fn set_lane(block: &mut [$number; N], lane: usize, element: $number) {
                block[lane] = element;
            }
        })*
    };
}

numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
numbers!(crate::Float16);

impl<T: Lanes<N>, const N: usize, const COUNT: usize> Lanes<N> for [T; COUNT] {
    type Block = [T::Block; COUNT];

    fn block(self) -> [T::Block; COUNT] {
        self.map(T::block)
    }

    fn lane(block: &[T::Block; COUNT], lane: usize) -> [T; COUNT] {
        core::array::from_fn(|k| T::lane(&block[k], lane))
    }

    fn set_lane(block: &mut [T::Block; COUNT], lane: usize, element: [T; COUNT]) {
        block.iter_mut().zip(element).for_each(|(block, element)| T::set_lane(block, lane, element));
    }
}

/// A growing sequence of elements in blocks of N.
#[derive(Clone)]
pub struct Hsoa<T: Lanes<N>, const N: usize> {
    blocks: Vec<T::Block>,
    length: usize,
}

impl<T: Lanes<N>, const N: usize> Hsoa<T, N> {
    /// A sequence without elements.
    pub fn new() -> Self {
        const { assert!(N > 0, "a block has a lane") };
        Hsoa { blocks: Vec::new(), length: 0 }
    }

    /// The same with memory for so many elements.
    pub fn with_capacity(elements: usize) -> Self {
        Hsoa { blocks: Vec::with_capacity(elements.div_ceil(N)), ..Self::new() }
    }

    /// How many elements there are; not how many lanes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// An element, if it is there.
    pub fn get(&self, index: usize) -> Option<T> {
        (index < self.length).then(|| T::lane(&self.blocks[index / N], index % N))
    }

    /// Replaces an element.
    ///
    /// # Panics
    /// If it is not there.
    #[track_caller]
    pub fn set(&mut self, index: usize, element: T) {
        assert!(index < self.length, "there are {} elements, and none at {index}", self.length);
        T::set_lane(&mut self.blocks[index / N], index % N, element);
    }

    /// Appends an element.
    pub fn push(&mut self, element: T) {
        match self.length % N {
            0 => self.blocks.push(element.block()),
            lane => T::set_lane(self.blocks.last_mut().expect("a block that is not full"), lane, element),
        }
        self.length += 1;
    }

    /// Takes the last element away.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.get(self.length.checked_sub(1)?)?;
        self.length -= 1;
        self.blocks.truncate(self.length.div_ceil(N));
        Some(last)
    }

    /// Takes all elements away.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.length = 0;
    }

    /// The elements, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        (0..self.length).map(|index| T::lane(&self.blocks[index / N], index % N))
    }

    /// The blocks, for a kernel: ⌈length / N⌉ of them.
    pub fn blocks(&self) -> &[T::Block] {
        &self.blocks
    }

    /// The blocks, for a kernel that writes them.
    pub fn blocks_mut(&mut self) -> &mut [T::Block] {
        &mut self.blocks
    }
}

impl<T: Lanes<N>, const N: usize> Default for Hsoa<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Lanes<N>, const N: usize> Extend<T> for Hsoa<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        elements.into_iter().for_each(|element| self.push(element));
    }
}

impl<T: Lanes<N>, const N: usize> FromIterator<T> for Hsoa<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let elements = elements.into_iter();
        let mut made = Self::with_capacity(elements.size_hint().0);
        made.extend(elements);
        made
    }
}

impl<T: Lanes<N>, const N: usize> From<&[T]> for Hsoa<T, N> {
    fn from(elements: &[T]) -> Self {
        elements.iter().copied().collect()
    }
}

impl<T: Lanes<N> + PartialEq, const N: usize> PartialEq for Hsoa<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.iter().eq(other.iter())
    }
}

impl<T: Lanes<N> + fmt::Debug, const N: usize> fmt::Debug for Hsoa<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_back_in_order() {
        for length in 0..20 {
            let numbers: Vec<i32> = (0..length).collect();
            let mut all = Hsoa::<i32, 8>::from(&numbers[..]);
            assert_eq!((all.len(), all.blocks().len()), (numbers.len(), numbers.len().div_ceil(8)));
            assert_eq!(all.iter().collect::<Vec<_>>(), numbers);
            assert_eq!(all.get(numbers.len()), None);
            for k in 0..numbers.len() {
                all.set(k, 100 + k as i32);
            }
            assert!((0..numbers.len()).all(|k| all.get(k) == Some(100 + k as i32)));
            for k in (0..length).rev() {
                assert_eq!(all.pop(), Some(100 + k));
                assert_eq!(all.blocks().len(), (k as usize).div_ceil(8));
            }
            assert_eq!((all.pop(), all.is_empty()), (None, true));
        }
    }

    #[test]
    fn lanes_behind_the_last_element_are_elements() {
        let mut all: Hsoa<f64, 4> = [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().collect();
        assert_eq!(all.blocks(), [[1.0, 2.0, 3.0, 4.0], [5.0; 4]]);
        all.push(6.0);
        assert_eq!(all.blocks()[1], [5.0, 6.0, 5.0, 5.0]);
        let same: Hsoa<f64, 4> = all.iter().collect();
        assert_eq!(all, same, "padding is no element");
        all.blocks_mut()[1][3] = 7.0;
        assert_eq!(all, same);
        assert_eq!(format!("{all:?}"), "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]");
    }

    #[test]
    #[should_panic(expected = "there are 1 elements, and none at 1")]
    fn what_is_not_there_is_not_set() {
        let mut one: Hsoa<u8, 16> = [3].into_iter().collect();
        one.set(1, 4);
    }
}
