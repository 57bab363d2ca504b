//! Calls functions with random arguments, as often as the first argument says, from the seed that is the second one.

#![allow(dead_code, unused_unsafe, unused_variables, improper_ctypes, clippy::all)]

mod bindings {
    include!("bindings.rs");
}

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

unsafe extern "C" {
    fn mmap(address: *mut c_void, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut c_void;
    fn mprotect(address: *mut c_void, length: usize, protection: i32) -> i32;
    #[link_name = "signal"]
    fn set_signal(signal: i32, handler: usize);
}

const PAGE: usize = 4096;
const PAGES: usize = 16;
const SLOTS: usize = 8;

/// Random numbers, and memory between pages that cannot be touched, one piece for each array.
struct Random {
    state: u64,
    memory: [*mut u8; SLOTS],
    /// The same for blocks of elements, which take turns.
    blocks: [*mut u8; 4],
    turn: usize,
    /// How many elements most arrays have.
    length: usize,
    /// The array that is to have so many.
    forced: Option<(String, usize)>,
    /// The coordinates that all outputs have.
    base: [Range<i32>; 3],
    /// What this call reads: of which type, where, and how many elements.
    lent: Vec<(&'static str, *const u8, usize)>,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.state >> 33
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn integer(&mut self) -> i64 {
        let n = self.length as i64;
        let extremes = [-1, n, n + 1, -n, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN, 1 << 32, 255, 65535];
        if self.below(8) == 0 { extremes[self.below(extremes.len() as u64) as usize] } else { self.below(12) as i64 }
    }

    fn float(&mut self) -> f64 {
        let some = [0.0, -0.0, 1.0, -1.5, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 3e9, -3e9];
        some[self.below(some.len() as u64) as usize]
    }

    /// So many values that end or begin at a page that cannot be touched; those that begin there may have more behind them.
    fn filled<T: Draw>(&mut self, slot: usize, length: usize) -> &'static mut [T] {
        let length = length.min(PAGE * PAGES / size_of::<T>().max(1));
        let at = if self.below(2) == 0 { 0 } else { PAGE * PAGES - length * size_of::<T>() };
        // SAFETY: a slot has so many bytes, of which the elements that are written are given out; each array of a call has a slot of
        // its own, and calls keep none.
        unsafe {
            let start = self.memory[slot].add(at / align_of::<T>() * align_of::<T>()).cast::<T>();
            for k in 0..length {
                start.add(k).write(T::draw(self));
            }
            std::slice::from_raw_parts_mut(start, length)
        }
    }

    /// How many elements an array is to have.
    fn count(&mut self, name: &str) -> usize {
        if let Some((_, forced)) = self.forced.as_ref().filter(|(of, _)| of == name) {
            return *forced;
        }
        if self.below(8) == 0 { self.below(70) as usize } else { self.length }
    }

    fn slice<T: Draw>(&mut self, slot: usize, name: &str) -> &'static mut [T] {
        let length = self.count(name);
        self.filled(slot, length)
    }

    fn array<T: Draw, const N: usize>(&mut self, slot: usize) -> &'static mut [T; N] {
        self.filled(slot, N).try_into().expect("its length")
    }

    /// A slice that is only read. It may overlap others.
    fn shared<T: Draw>(&mut self, slot: usize, name: &str) -> &'static [T] {
        let length = self.count(name);
        let key = std::any::type_name::<T>();
        if let Some(&(_, start, there)) = self.lent.iter().find(|(of, _, there)| *of == key && *there >= length)
            && self.below(2) == 0
        {
            let from = self.below((there - length) as u64 + 1) as usize;
            // SAFETY: what was lent is of this type, has `there` elements, is only read in this call, and never unmapped.
            return unsafe { std::slice::from_raw_parts(start.cast::<T>().add(from), length) };
        }
        // What lies beside it, away from the page, can be read by others.
        let more = self.below(5) as usize;
        let all: &'static [T] = self.filled(slot, length + more);
        self.lent.push((key, all.as_ptr().cast(), all.len()));
        let is_at_end = (all.as_ptr_range().end as usize) % PAGE == 0;
        if is_at_end { &all[all.len().saturating_sub(length)..] } else { &all[..length.min(all.len())] }
    }

    /// Coordinates: those that all outputs of a call have, or others.
    fn window<const R: usize>(&mut self) -> [Range<i32>; R] {
        let others = self.below(8) == 0;
        std::array::from_fn(|d| if others { self.range() } else { self.base[d.min(2)].clone() })
    }

    fn range(&mut self) -> Range<i32> {
        let extent = self.below(12) as i32;
        let min = match self.below(24) {
            0 => i32::MAX - extent,
            1 => i32::MIN,
            _ => self.below(8) as i32 - 3,
        };
        min..min.saturating_add(extent)
    }

    /// The pixels of a window, with strides between which there may be others, and dimensions in any order.
    fn pixels<T: Draw, const R: usize>(&mut self, slot: usize, window: &[Range<i32>; R]) -> (&'static mut [T], [i64; R]) {
        let (mut strides, mut stride, mut last) = ([0; R], 1 + (self.below(4) / 3) as i64, 0);
        let is_reversed = self.below(4) == 0;
        for k in 0..R {
            let d = if is_reversed { R - 1 - k } else { k };
            let extent = i64::from(window[d].end) - i64::from(window[d].start);
            strides[d] = stride;
            last += (extent - 1).max(0) * stride;
            stride = stride * extent.max(1) + self.below(3) as i64;
        }
        let is_empty = window.iter().any(|range| range.is_empty());
        (self.filled(slot, if is_empty { 0 } else { last as usize + 1 }), strides)
    }

    /// An input: the window of the outputs and what is around it.
    fn view<T: Draw + ivl::Pixel, const R: usize>(&mut self, slot: usize) -> ivl::View<'static, T, R> {
        let mut window = self.window::<R>();
        for range in &mut window {
            let (below, above) = (self.below(5) as i32, self.below(5) as i32);
            *range = range.start.saturating_sub(below)..range.end.saturating_add(above);
        }
        let window = small(window);
        let (pixels, strides) = self.pixels(slot, &window);
        ivl::View::new(pixels, window, strides).expect("a view")
    }

    fn view_mut<T: Draw + ivl::Pixel, const R: usize>(&mut self, slot: usize) -> ivl::ViewMut<'static, T, R> {
        let window = small(self.window::<R>());
        let (pixels, strides) = self.pixels(slot, &window);
        ivl::ViewMut::new(pixels, window, strides).expect("a view")
    }
}

/// A window whose pixels have room: of four dimensions or more, each is short.
fn small<const R: usize>(window: [Range<i32>; R]) -> [Range<i32>; R] {
    if R < 4 { window } else { window.map(|range| range.start..range.end.min(range.start.saturating_add(6))) }
}

/// Values that their type has.
trait Draw: Sized {
    fn draw(r: &mut Random) -> Self;
}

macro_rules! integers {
    ($($ty:ty)*) => { $(impl Draw for $ty { fn draw(r: &mut Random) -> Self { r.integer() as $ty } })* };
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Draw for bool {
    fn draw(r: &mut Random) -> Self {
        r.below(2) == 1
    }
}

impl Draw for f32 {
    fn draw(r: &mut Random) -> Self {
        r.float() as f32
    }
}

impl Draw for f64 {
    fn draw(r: &mut Random) -> Self {
        r.float()
    }
}

impl<T: Draw, const N: usize> Draw for [T; N] {
    fn draw(r: &mut Random) -> Self {
        std::array::from_fn(|_| T::draw(r))
    }
}

/// What asks for memory next is given what ends here, if it is not 0: an address in front of a page that cannot be touched. Nobody
/// gives it back.
static NEXT_END: AtomicUsize = AtomicUsize::new(0);

struct Memory;

// SAFETY: it is the system's but for memory that ends where `NEXT_END` says, which is there and nobody else's while it is used.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match NEXT_END.swap(0, Ordering::Relaxed) {
            // SAFETY: the layout is the caller's.
            0 => unsafe { System.alloc(layout) },
            end => ((end - layout.size()) / layout.align() * layout.align()) as *mut u8,
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller gives back what it was given; what ends at `NEXT_END` is leaked.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static MEMORY: Memory = Memory;

/// Elements in blocks, the last of which ends in front of a page that cannot be touched.
fn elements<T: Draw + ivl::Lanes<N> + 'static, const N: usize>(r: &mut Random) -> &'static mut ivl::Hsoa<T, N> {
    let room = PAGE * PAGES / size_of::<T::Block>().max(1) * N;
    let length = r.count("").min(room);
    r.turn = (r.turn + 1) % r.blocks.len();
    NEXT_END.store(r.blocks[r.turn] as usize + PAGE * PAGES, Ordering::Relaxed);
    let mut all = ivl::Hsoa::with_capacity(length);
    NEXT_END.store(0, Ordering::Relaxed);
    (0..length).for_each(|_| all.push(T::draw(r)));
    Box::leak(Box::new(all))
}

impl<T: Draw + ivl::Lanes<N> + 'static, const N: usize> Draw for &'static mut ivl::Hsoa<T, N> {
    fn draw(r: &mut Random) -> Self {
        elements(r)
    }
}

impl<T: Draw + ivl::Lanes<N> + 'static, const N: usize> Draw for &'static ivl::Hsoa<T, N> {
    fn draw(r: &mut Random) -> Self {
        elements(r)
    }
}

/*STRUCTS*/
/// Memory whose first and last page cannot be touched; without them.
fn guarded() -> *mut u8 {
    // SAFETY: the pages are new; all but the first and the last may be read and written.
    unsafe {
        let start = mmap(std::ptr::null_mut(), (PAGES + 2) * PAGE, 0, 0x22, -1, 0).cast::<u8>();
        assert_eq!(mprotect(start.add(PAGE).cast(), PAGES * PAGE, 3), 0);
        start.add(PAGE)
    }
}

type Function = (&'static str, fn(&mut Random) -> Result<(), ivl::Error>);

const FUNCTIONS: &[Function] = &[
/*FUNCTIONS*/
];

/// The array and the number of elements that it is to have.
fn wanted(message: &str) -> Option<(String, usize)> {
    let name = message.strip_prefix('`')?.split_once('`')?.0;
    let number = message.split_once("` is ")?.1.split_once(' ')?.0;
    Some((name.to_owned(), number.parse().ok()?))
}

fn main() {
    let number = |k| std::env::args().nth(k).and_then(|text| text.parse::<u64>().ok()).expect("a number");
    let (calls, memory, blocks) = (number(1), [0; SLOTS].map(|_| guarded()), [0; 4].map(|_| guarded()));
    let random = |state, length, forced| {
        let base = std::array::from_fn(|_| 0..0);
        Random { state, memory, blocks, turn: 0, length, forced, base, lent: Vec::new() }
    };
    let mut seeds = random(number(2), 0, None);
    let (mut made, mut passed) = (0, 0);
    while made < calls {
        for (name, function) in FUNCTIONS {
            let (state, length) = (seeds.next(), seeds.below(70) as usize);
            signals(name, state);
            let mut forced = None;
            for _ in 0..2 {
                made += 1;
                let mut random = random(state, length, forced.take());
                random.base = std::array::from_fn(|_| random.range());
                let Err(error) = function(&mut random) else {
                    passed += 1;
                    break;
                };
                // A check inside of the function says where it stands.
                if error.message().contains(".ivl:") {
                    passed += 1;
                    break;
                }
                forced = wanted(error.message());
                if forced.is_none() {
                    break;
                }
            }
        }
    }
    println!("calls {made} began {passed}");
}

/// The call that is made.
static NAME: Mutex<(&str, u64)> = Mutex::new(("", 0));

/// Where it ends by a signal, what was called is said.
fn signals(name: &'static str, state: u64) {
    extern "C" fn said(signal: i32) {
        let (name, state) = NAME.try_lock().map_or(("?", 0), |place| *place);
        eprintln!("signal {signal} in {name} from state {state}");
        // SAFETY: the next one is the last.
        unsafe { set_signal(signal, 0) };
    }
    static ONCE: Once = Once::new();
    // SAFETY: the handlers call nothing that waits.
    ONCE.call_once(|| [11, 7].into_iter().for_each(|signal| unsafe { set_signal(signal, said as *const () as usize) }));
    *NAME.lock().expect("nobody panics in it") = (name, state);
}
