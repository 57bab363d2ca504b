//! Compiled schedules on images beside pages that nobody may touch: inputs have what `required` asks for and no pixel more,
//! outputs the window that is asked for. Their pixels lie side by side, apart or backwards; outputs may be in the memory of an input.

use super::generator::{INPUT, Program, pixel_a, pixel_b};
use super::images::Image;
use super::signals;
use ivl::{Buffer, Dimension};
use ivl_random::Random;
use ivlc::llvm::Jit;
use ivlc::pipeline::evaluate::points;
use ivlc::types::Element;

type Entry = unsafe extern "C" fn(*mut Buffer, *mut Buffer, *mut Buffer, i32) -> i32;

fn filled(element: Element, window: &[(i64, i64)], step: i64, at_end: bool, pixel: impl Fn(&[i64]) -> i64) -> Image {
    let mut image = Image::new(element, window, step, at_end);
    for point in points(window) {
        image.put(&point, pixel(&point) as u64);
    }
    image
}

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
        let mut random = Random::new(text.len() as u64 + wanted.len() as u64);
        let steps = [random.pick(&[1, 1, 2, 3, -1]), random.pick(&[1, 3, 3, 4, -1]), random.pick(&[1, 3, 3, 2, -2])];
        for (steps, at_end) in [([1; 3], true), ([1; 3], false), (steps, random.one_in(2))] {
            let what = format!("{name}, steps {steps:?}, pages behind: {at_end}");
            // Other strides may choose other copies, whose windows may be others than those that started.
            let may_refuse = steps != [1; 3] && text.contains(".stride(");
            let images = |inputs: &[Vec<(i64, i64)>; 2]| {
                let [_, a, b] = steps;
                let a = filled(Element::Int32, &inputs[0], a, at_end, |p| pixel_a(p[0]));
                [a, filled(Element::Uint8, &inputs[1], b, at_end, |p| pixel_b(p[0], p[1]))]
            };
            let mut output = Image::new(element, &program.window, steps[0], at_end);
            let mut asked = images(&whole);
            let [mut a, mut b] = asked.each_mut().map(|image| image.buffer());
            signals::set_case(&format!("{seed}, {what}, required"));
            // SAFETY: buffers of the types of the parameters.
            let status = unsafe { required(&mut output.buffer(), &mut a, &mut b, 3) };
            if status != 0 && !may_refuse {
                return Err(format!("{what}: required gives {status}: {}", ivl::reason()));
            }
            let window = |image: &Image, whole: &[(i64, i64)]| -> Vec<(i64, i64)> {
                match is_own || status != 0 {
                    true => whole.to_vec(),
                    false => image.dimensions.iter().map(|d| (d.min.into(), d.extent.into())).collect(),
                }
            };
            let windows = [window(&asked[0], &whole[0]), window(&asked[1], &whole[1])];
            let mut inputs = images(&windows);
            signals::set_case(&format!("{seed}, {what}, inputs {windows:?}"));
            let [mut a, mut b] = inputs.each_mut().map(|image| image.buffer());
            // SAFETY: as above.
            let status = unsafe { run(&mut output.buffer(), &mut a, &mut b, 3) };
            match status {
                0 if output.bits() != wanted => {
                    return Err(format!("{what}: on the windows {windows:?}: {:?}, not {wanted:?}", output.bits()));
                }
                0 => {}
                _ if may_refuse => continue,
                _ => return Err(format!("{what}: with the required windows {windows:?}: {}", ivl::reason())),
            }
            in_place(run, inputs, program, element, wanted, &format!("{seed}, {what}"))?;
        }
    }
    Ok(())
}

/// Runs a schedule with its output in the memory of an input that has the same pixels: it refuses, or gives what it gives elsewhere.
fn in_place(
    run: Entry,
    mut inputs: [Image; 2],
    program: &Program,
    element: Element,
    wanted: &[u64],
    what: &str,
) -> Result<(), String> {
    let [mut a, mut b] = inputs.each_mut().map(|image| image.buffer());
    let (rank, pixel) = (program.window.len(), 1 + Element::ALL.iter().position(|&e| e == element).expect("an element") as i32);
    for (k, input) in inputs.iter().enumerate() {
        let is_inside =
            |(&(min, extent), own): (&(i64, i64), &(i64, i64))| extent > 0 && own.0 <= min && min + extent <= own.0 + own.1;
        if input.window.len() != rank || input.pixel != pixel || !program.window.iter().zip(&input.window).all(is_inside) {
            continue;
        }
        let dimension = |(&(min, extent), own): (&(i64, i64), &Dimension)| Dimension {
            min: min as i32,
            extent: extent as i32,
            stride: own.stride,
        };
        let mut dimensions: Vec<Dimension> = program.window.iter().zip(&input.dimensions).map(dimension).collect();
        let first: Vec<i64> = program.window.iter().map(|w| w.0).collect();
        let mut output = Buffer { data: input.at(&first).cast(), dim: dimensions.as_mut_ptr(), rank: rank as i32, pixel };
        signals::set_case(&format!("{what}, in place of input {k}"));
        // SAFETY: buffers of the types of the parameters.
        if unsafe { run(&mut output, &mut a, &mut b, 3) } != 0 {
            continue;
        }
        let found: Vec<u64> = points(&program.window).iter().map(|point| input.get(point)).collect();
        // What it read is overwritten: one input only is tried.
        return if found == wanted { Ok(()) } else { Err(format!("{what}: in place of input {k}: {found:?}, not {wanted:?}")) };
    }
    Ok(())
}
