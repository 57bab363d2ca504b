//! Compiled schedules on images beside pages that nobody may touch: inputs have what `required` asks for and no pixel more,
//! outputs the window that is asked for.

use super::generator::{INPUT, Program, pixel_a, pixel_b};
use super::signals;
use ivl::{Buffer, Dimension};
use ivlc::llvm::Jit;
use ivlc::pipeline::evaluate::points;
use ivlc::types::Element;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory that ends, or begins, where a page is that nobody may touch.
struct Guarded {
    start: *mut u8,
    length: usize,
    data: *mut u8,
}

impl Guarded {
    fn new(bytes: usize, at_end: bool) -> Guarded {
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
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the pages of `new`.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}

/// An image in guarded memory.
struct Image {
    window: Vec<(i64, i64)>,
    size: usize,
    memory: Guarded,
    dimensions: Vec<Dimension>,
    pixel: i32,
}

impl Image {
    fn new(element: Element, window: &[(i64, i64)], at_end: bool) -> Image {
        let size = element.size() as usize;
        let count: i64 = window.iter().map(|w| w.1.max(0)).product();
        let mut stride = 1;
        let mut dimensions = Vec::new();
        for &(min, extent) in window {
            dimensions.push(Dimension { min: min as i32, extent: extent as i32, stride });
            stride *= extent.max(0);
        }
        let pixel = 1 + Element::ALL.iter().position(|&e| e == element).expect("an element") as i32;
        Image { window: window.to_vec(), size, memory: Guarded::new(count as usize * size, at_end), dimensions, pixel }
    }

    fn filled(element: Element, window: &[(i64, i64)], at_end: bool, pixel: impl Fn(&[i64]) -> i64) -> Image {
        let image = Image::new(element, window, at_end);
        for (k, point) in points(window).iter().enumerate() {
            let bytes = pixel(point).to_le_bytes();
            // SAFETY: within the memory of the image.
            unsafe { image.memory.data.add(k * image.size).copy_from(bytes.as_ptr(), image.size) };
        }
        image
    }

    fn buffer(&mut self) -> Buffer {
        let rank = self.dimensions.len() as i32;
        Buffer { data: self.memory.data.cast(), dim: self.dimensions.as_mut_ptr(), rank, pixel: self.pixel }
    }

    /// The bits of the pixels, dimension 0 innermost.
    fn bits(&self) -> Vec<u64> {
        let count: i64 = self.window.iter().map(|w| w.1.max(0)).product();
        let pixel = |k: usize| {
            let mut bytes = [0; 8];
            // SAFETY: within the memory of the image.
            unsafe { bytes.as_mut_ptr().copy_from(self.memory.data.add(k * self.size), self.size) };
            u64::from_le_bytes(bytes)
        };
        (0..count as usize).map(pixel).collect()
    }
}

type Entry = unsafe extern "C" fn(*mut Buffer, *mut Buffer, *mut Buffer, i32) -> i32;

/// Runs schedules through their entries; `wanted` has the bits of the output.
pub fn run(
    jit: &Jit,
    program: &Program,
    starting: &[String],
    element: Element,
    wanted: &[u64],
    seed: &str,
) -> Result<(), String> {
    let (low, extent) = INPUT;
    let whole = [vec![(low, extent)], vec![(low, extent); 2]];
    // Where a boundary condition or a condition of a copy asks for the image's own window, that stays.
    let text = program.text();
    let is_own = ["repeat", "mirror", ".extent("].iter().any(|own| text.contains(own));
    for name in starting {
        let entry = |name: String| -> Result<Entry, String> {
            let address = jit.address(&name).ok_or(format!("there is no {name}"))?;
            // SAFETY: the entries of this pipeline take an output, two inputs and a number.
            Ok(unsafe { std::mem::transmute::<*const u8, Entry>(address) })
        };
        let (run, required) = (entry(format!("p_{name}"))?, entry(format!("p_{name}_required"))?);
        for at_end in [true, false] {
            let mut output = Image::new(element, &program.window, at_end);
            let mut asked = [Image::new(Element::Int32, &whole[0], at_end), Image::new(Element::Uint8, &whole[1], at_end)];
            let [mut a, mut b] = asked.each_mut().map(|image| image.buffer());
            signals::set_case(&format!("{seed}, {name}, required"));
            // SAFETY: buffers of the types of the parameters.
            let status = unsafe { required(&mut output.buffer(), &mut a, &mut b, 3) };
            if status != 0 {
                return Err(format!("{name}: required gives {status}: {}", ivl::reason()));
            }
            let window = |image: &Image, whole: &[(i64, i64)]| -> Vec<(i64, i64)> {
                match is_own {
                    true => whole.to_vec(),
                    false => image.dimensions.iter().map(|d| (d.min.into(), d.extent.into())).collect(),
                }
            };
            let windows = [window(&asked[0], &whole[0]), window(&asked[1], &whole[1])];
            let mut a = Image::filled(Element::Int32, &windows[0], at_end, |p| pixel_a(p[0]));
            let mut b = Image::filled(Element::Uint8, &windows[1], at_end, |p| pixel_b(p[0], p[1]));
            signals::set_case(&format!("{seed}, {name}, inputs {windows:?}, pages behind: {at_end}"));
            // SAFETY: as above.
            let status = unsafe { run(&mut output.buffer(), &mut a.buffer(), &mut b.buffer(), 3) };
            if status != 0 {
                return Err(format!("{name}: with the required windows {windows:?}: {}", ivl::reason()));
            }
            if output.bits() != wanted {
                return Err(format!("{name}: on the required windows {windows:?}: {:?}, not {wanted:?}", output.bits()));
            }
        }
    }
    Ok(())
}
