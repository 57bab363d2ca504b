//! Memory of `scratch` arrays: each thread has a stack of it.
//!
//! Scopes nest, so what was asked for last is given back first. The stack grows by chunks, which the thread keeps: pages that
//! were touched once are not asked for again. An array above [`LARGEST`] comes from the heap, and goes back to it.

use crate::memory::{ivl_allocate, ivl_free};
use std::cell::RefCell;

/// The alignment of all arrays.
const ALIGNMENT: usize = 64;

/// The size of the first chunk.
const SMALLEST: usize = 1 << 18;

/// The largest array that the thread keeps memory for.
const LARGEST: usize = 1 << 26;

/// Memory from which arrays are cut, one behind the other.
struct Chunk {
    start: *mut u8,
    size: usize,
    used: usize,
}

/// The chunks of a thread. The one at `at` holds the array that came last, if there is one; those behind it are empty.
#[derive(Default)]
struct Stack {
    chunks: Vec<Chunk>,
    at: usize,
    /// The arrays from the heap in the order in which they came, each with the end of what had been cut from chunks by then.
    large: Vec<(*mut u8, (usize, usize))>,
}

thread_local! {
    static STACK: RefCell<Stack> = RefCell::default();
}

impl Stack {
    /// `bytes` is a multiple of the alignment, above 0. Null if there is no memory left.
    fn push(&mut self, bytes: usize) -> *mut u8 {
        while let Some(chunk) = self.chunks.get_mut(self.at) {
            if chunk.size - chunk.used >= bytes {
                let start = chunk.start.wrapping_add(chunk.used);
                chunk.used += bytes;
                return start;
            }
            if chunk.used == 0 {
                // All behind it are empty too; a larger one takes their place.
                // SAFETY: a chunk is from `ivl_allocate`, and leaves the list as it is given back.
                self.chunks.drain(self.at..).for_each(|chunk| unsafe { ivl_free(chunk.start) });
            } else {
                self.at += 1;
            }
        }
        let size = bytes.max(self.chunks.last().map_or(SMALLEST, |last| 2 * last.size).min(LARGEST));
        let start = ivl_allocate(size as i64);
        if start.is_null() {
            self.at = self.chunks.len().saturating_sub(1);
        } else {
            self.chunks.push(Chunk { start, size, used: bytes });
        }
        start
    }

    /// Gives back the array that came last; false if `pointer` is not in the chunk at hand, which holds that one.
    fn pop(&mut self, pointer: *mut u8) -> bool {
        let Some(chunk) = self.chunks.get_mut(self.at) else { return false };
        let used = (pointer as usize).wrapping_sub(chunk.start as usize);
        if used >= chunk.used {
            return false;
        }
        chunk.used = used;
        if used == 0 {
            self.at = self.at.saturating_sub(1);
        }
        true
    }
}

impl Stack {
    /// The end of what is cut from chunks.
    fn end(&self) -> (usize, usize) {
        (self.at, self.chunks.get(self.at).map_or(0, |chunk| chunk.used))
    }

    /// An array from the heap.
    fn push_large(&mut self, bytes: i64) -> *mut u8 {
        let start = ivl_allocate(bytes);
        let end = self.end();
        self.large.extend((!start.is_null()).then_some((start, end)));
        start
    }

    /// Gives back an array and all that came after it.
    fn pop_from(&mut self, pointer: *mut u8) {
        let offset = |chunk: &Chunk| (pointer as usize).wrapping_sub(chunk.start as usize);
        let in_chunk = self.chunks.iter().position(|chunk| offset(chunk) < chunk.used);
        let (end, kept) = match (in_chunk, self.large.iter().position(|&(start, _)| start == pointer)) {
            (Some(at), _) => {
                let end = (at, offset(&self.chunks[at]));
                // What came later came when more had been cut.
                (end, self.large.iter().take_while(|(_, then)| *then <= end).count())
            }
            (None, Some(index)) => (self.large[index].1, index),
            (None, None) => return,
        };
        // SAFETY: a large array is from `ivl_allocate`, and leaves the list as it is given back.
        self.large.drain(kept..).for_each(|(start, _)| unsafe { ivl_free(start) });
        let (at, used) = end;
        for (index, chunk) in self.chunks.iter_mut().enumerate().skip(at) {
            chunk.used = if index == at { used } else { 0 };
        }
        self.at = if used == 0 { at.saturating_sub(1) } else { at };
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: a large array is from `ivl_allocate`, and leaves the list as it is given back.
        self.large.drain(..).for_each(|(start, _)| unsafe { ivl_free(start) });
        // SAFETY: a chunk is from `ivl_allocate`, and leaves the list as it is given back.
        self.chunks.drain(..).for_each(|chunk| unsafe { ivl_free(chunk.start) });
    }
}

/// An array of `bytes` bytes, 64-byte aligned, until [`ivl_release`]; null if there is not so much memory, or if the number is
/// negative.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_scratch(bytes: i64) -> *mut u8 {
    match usize::try_from(bytes) {
        Ok(size @ ..=LARGEST) => STACK.with_borrow_mut(|stack| stack.push(size.max(1).next_multiple_of(ALIGNMENT))),
        _ => STACK.with_borrow_mut(|stack| stack.push_large(bytes)),
    }
}

/// Gives an array back.
///
/// # Safety
/// `pointer` is from [`ivl_scratch`] on this thread, and what came after it was given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_release(pointer: *mut u8) {
    STACK.with_borrow_mut(|stack| {
        if !stack.pop(pointer) {
            stack.pop_from(pointer);
        }
    });
}

/// Gives back an array and all that came after it, which a function that fails had asked for. Nothing if it is null.
///
/// # Safety
/// `pointer` is from [`ivl_scratch`] on this thread and was not given back, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_release_from(pointer: *mut u8) {
    if !pointer.is_null() {
        STACK.with_borrow_mut(|stack| stack.pop_from(pointer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ivl_random::Random;

    /// Arrays of many sizes, nested, each filled with a number of its own that is still there when it is given back.
    #[test]
    fn arrays_are_apart_and_given_back_in_turn() {
        fn nest(depth: u8, random: &mut Random) {
            for _ in 0..2 {
                let most = random.pick(&[100, 5_000, 300_000, 3_000_000]);
                let bytes = random.below(most);
                let pointer = ivl_scratch(bytes as i64);
                assert_eq!(pointer as usize % ALIGNMENT, 0);
                // SAFETY: the array has so many bytes, and nobody else has them until it is given back.
                let array = unsafe { std::slice::from_raw_parts_mut(pointer, bytes) };
                array.fill(depth);
                if depth < 8 {
                    nest(depth + 1, random);
                }
                assert!(array.iter().all(|&byte| byte == depth));
                // SAFETY: what came after it was given back by `nest`.
                unsafe { ivl_release(pointer) };
            }
        }
        nest(0, &mut Random::new(1));
        STACK.with_borrow(|stack| assert!(stack.at == 0 && stack.chunks.iter().all(|chunk| chunk.used == 0)));
    }

    #[test]
    fn what_came_after_an_array_is_given_back_with_it() {
        let large = LARGEST as i64 + 1;
        let sizes = [10, 300_000, large, 5, large, 3_000_000, 100, large, 7];
        for from in 0..sizes.len() {
            let before = STACK.with_borrow(|stack| (stack.end(), stack.large.len()));
            let below = ivl_scratch(100);
            let pointers: Vec<*mut u8> = sizes.iter().map(|&bytes| ivl_scratch(bytes)).collect();
            // SAFETY: it is from `ivl_scratch` on this thread and was not given back.
            unsafe { ivl_release_from(pointers[from]) };
            // What is left is given back in turn, and nothing else is there.
            for pointer in pointers[..from].iter().rev().chain([&below]) {
                // SAFETY: arrays are given back in turn, those behind it before.
                unsafe { ivl_release(*pointer) };
            }
            assert_eq!(STACK.with_borrow(|stack| (stack.end(), stack.large.len())), before, "{from}");
        }
        // SAFETY: null may be given back.
        unsafe { ivl_release_from(std::ptr::null_mut()) };
    }

    #[test]
    fn large_arrays_come_from_the_heap() {
        let small = ivl_scratch(10);
        let large = ivl_scratch(LARGEST as i64 + 1);
        let last = ivl_scratch(0);
        // SAFETY: the large array has a byte more than that, and arrays are given back in turn.
        unsafe {
            large.add(LARGEST).write(1);
            ivl_release(last);
            ivl_release(large);
            ivl_release(small);
        }
        STACK.with_borrow(|stack| assert!(stack.chunks.iter().all(|chunk| chunk.used == 0)));
    }
}
