//! Memory beside pages that nobody may touch.

/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory that ends, or begins, where a page is that nobody may touch.
pub struct Guarded {
    start: *mut u8,
    length: usize,
    data: *mut u8,
}

impl Guarded {
    /// So many bytes, which end, or begin, beside it.
    pub fn new(bytes: usize, at_end: bool) -> Guarded {
        let inner = bytes.div_ceil(PAGE).max(1) * PAGE;
        let length = inner + 2 * PAGE;
        // SAFETY: new pages, of which the inner ones become readable.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(std::ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED, "there is memory");
            let start = start.cast::<u8>();
            assert_eq!(libc::mprotect(start.add(PAGE).cast(), inner, libc::PROT_READ | libc::PROT_WRITE), 0);
            let data = start.add(PAGE + if at_end { inner - bytes } else { 0 });
            Guarded { start, length, data }
        }
    }

    /// The first byte.
    pub fn data(&self) -> *mut u8 {
        self.data
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the pages of `new`.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}
