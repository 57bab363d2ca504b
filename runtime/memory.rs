//! Memory on the heap: 64-byte aligned, for the widest vectors. Its size is kept in front of it.

use std::alloc::{Layout, alloc, dealloc};

/// The alignment, and the room for the size.
const ALIGNMENT: usize = 64;

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGNMENT)?, ALIGNMENT).ok()
}

/// Fresh memory of `bytes` bytes; null if there is not so much, or if the number is negative.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_allocate(bytes: i64) -> *mut u8 {
    let size = usize::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(bytes)?)));
    let Some((bytes, layout)) = size else { return std::ptr::null_mut() };
    // SAFETY: the size is not 0: it has room for the number in front.
    let start = unsafe { alloc(layout) };
    if start.is_null() {
        return start;
    }
    // SAFETY: there are `ALIGNMENT` bytes more than were asked for, aligned for a `usize`.
    unsafe {
        start.cast::<usize>().write(bytes);
        start.add(ALIGNMENT)
    }
}

/// Gives memory back.
///
/// # Safety
/// `pointer` is from [`ivl_allocate`] and was not given back, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_free(pointer: *mut u8) {
    if pointer.is_null() {
        return;
    }
    // SAFETY: `ivl_allocate` gave it, so that the size stands in front of it and the layout is that of the allocation.
    unsafe {
        let start = pointer.sub(ALIGNMENT);
        let bytes = start.cast::<usize>().read();
        dealloc(start, layout(bytes).expect("it was allocated with this layout"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_given_back() {
        for bytes in [0, 1, 63, 64, 100_000] {
            let pointer = ivl_allocate(bytes);
            assert_eq!(pointer as usize % ALIGNMENT, 0);
            // SAFETY: it was allocated with so many bytes, and is given back once.
            unsafe {
                pointer.write_bytes(0xAB, bytes as usize);
                ivl_free(pointer);
            }
        }
        // SAFETY: null may be given back.
        unsafe { ivl_free(std::ptr::null_mut()) };
    }

    #[test]
    fn what_does_not_fit_is_null() {
        for bytes in [-1, i64::MIN, i64::MAX, i64::MAX - 64, 1 << 62] {
            // An allocation that nobody uses may be left out, and then it succeeds.
            let pointer = std::hint::black_box(ivl_allocate(bytes));
            assert!(pointer.is_null(), "{bytes} bytes");
        }
    }
}
