//! Calls functions with random arguments, as often as the first argument says.

#![allow(dead_code, unused_unsafe)]

mod bindings {
    include!("bindings.rs");
}

use std::ffi::c_void;

unsafe extern "C" {
    fn mmap(address: *mut c_void, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut c_void;
    fn mprotect(address: *mut c_void, length: usize, protection: i32) -> i32;
}

const PAGE: usize = 4096;
const PAGES: usize = 16;
const SLOTS: usize = 8;

/// Random numbers, and memory between pages that cannot be touched, one piece for each array.
struct Random {
    state: u64,
    memory: [*mut u8; SLOTS],
    /// How many elements most arrays have.
    length: usize,
    /// The array that is to have so many.
    forced: Option<(String, usize)>,
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

    fn slice<T>(&mut self, slot: usize, name: &str, exact: Option<usize>) -> &'static mut [T] {
        let mut length = if self.below(8) == 0 { self.below(70) as usize } else { self.length };
        if let Some((_, forced)) = self.forced.as_ref().filter(|(of, _)| of == name) {
            length = *forced;
        }
        let length = exact.unwrap_or(length).min(PAGE * PAGES / size_of::<T>());
        let bytes = length * size_of::<T>();
        let at = if self.below(2) == 0 { 0 } else { PAGE * PAGES - bytes };
        let is_bool = std::any::type_name::<T>() == "bool";
        unsafe {
            let start = self.memory[slot].add(at);
            for k in 0..bytes {
                let byte = self.next() as u8;
                start.add(k).write(if is_bool { byte & 1 } else { byte });
            }
            std::slice::from_raw_parts_mut(start.cast(), length)
        }
    }
}

/// Memory whose first and last page cannot be touched; without them.
fn guarded() -> *mut u8 {
    unsafe {
        let start = mmap(std::ptr::null_mut(), (PAGES + 2) * PAGE, 0, 0x22, -1, 0).cast::<u8>();
        assert_eq!(mprotect(start.add(PAGE).cast(), PAGES * PAGE, 3), 0);
        start.add(PAGE)
    }
}

type Function = fn(&mut Random) -> Result<(), ivl::Error>;

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
    let calls: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("a number");
    let memory = [0; SLOTS].map(|_| guarded());
    let mut seeds = Random { state: 1, memory, length: 0, forced: None };
    let (mut made, mut passed) = (0, 0);
    while made < calls {
        for function in FUNCTIONS {
            let (state, length) = (seeds.next(), seeds.below(70) as usize);
            let mut forced = None;
            for _ in 0..2 {
                made += 1;
                let mut random = Random { state, memory, length, forced: forced.take() };
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
