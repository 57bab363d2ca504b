//! What the applications of the group `pipelines` are run on, and when two of their results are the same.

use super::Tolerance;
use super::image::{self, Image, Pixel};
use super::program::Argument;

/// What a run of an application gives: an output with its window, and inputs.
pub struct Application {
    /// The file, seen from `examples/pipelines`, and the pipeline in it.
    pub file: &'static str,
    pub pipeline: &'static str,
    pub size: &'static str,
    pub output: Box<dyn Data>,
    pub inputs: Vec<Box<dyn Data>>,
    pub tolerance: Tolerance,
}

/// An argument whose bytes and numbers can be had.
pub trait Data: Argument {
    fn bytes(&self) -> Vec<u8>;
    fn values(&self) -> Vec<f64>;
    /// The result of the other side, from its bytes.
    fn values_of(&self, bytes: &[u8]) -> Vec<f64>;
}

/// Elements in memory.
pub trait Element: Pixel {
    fn put(self, to: &mut Vec<u8>);
    fn get(from: &[u8]) -> Self;
}

macro_rules! elements {
    ($($ty:ty),*) => {
        $(impl Element for $ty {
            fn put(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn get(from: &[u8]) -> Self {
                Self::from_le_bytes(from.try_into().expect("the bytes of one element"))
            }
        })*
    };
}

elements!(u8, u16, i32, f32);

impl<T: Element> Data for Image<T> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.pixels.iter().for_each(|pixel| pixel.put(&mut bytes));
        bytes
    }

    fn values(&self) -> Vec<f64> {
        self.pixels.iter().map(|p| p.value()).collect()
    }

    fn values_of(&self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(size_of::<T>()).map(|chunk| T::get(chunk).value()).collect()
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => {
        $(impl Data for $ty {
            fn bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn values(&self) -> Vec<f64> {
                vec![f64::from(*self)]
            }

            fn values_of(&self, bytes: &[u8]) -> Vec<f64> {
                vec![f64::from(<$ty as Element>::get(bytes))]
            }
        })*
    };
}

numbers!(i32, f32);

/// The applications that can be measured.
pub const NAMES: [&str; 15] = [
    "blur",
    "unsharp",
    "harris",
    "bilateral_grid",
    "local_laplacian",
    "camera_pipe",
    "max_filter",
    "stencil_chain",
    "nl_means",
    "lens_blur",
    "interpolate",
    "iir_blur",
    "equalize",
    "convolution",
    "multiply",
];

/// One of them with its data: pictures are parts of the photograph, again and again.
pub fn application(name: &'static str) -> Application {
    let (w, h) = (1536, 2560);
    let colours = || image::float_photo(0, 0, w, h).map(|v| v + 0.01);
    let colour = |c: i32, width, height| {
        let colours = image::float_photo(0, 0, width, height);
        Image::from_fn([width, height], |[x, y]| colours.at([x, y, c]))
    };
    let narrow = |width, height, scale| {
        let colours = image::photo(0, 0, width, height);
        Image::from_fn([width, height], |[x, y]| u16::from(colours.at([x, y, 1])) * scale)
    };
    let picture = [(0, w), (0, h), (0, 3)];
    let large = "1536×2560×3";
    let made = |file, size, output: Box<dyn Data>, inputs: Vec<Box<dyn Data>>, tolerance| Application {
        file,
        pipeline: name,
        size,
        output,
        inputs,
        tolerance,
    };
    let floats = |window: &[(i32, i32)]| -> Box<dyn Data> { Box::new(Image::<f32>::new(window)) };
    match name {
        "blur" => {
            let output = Box::new(Image::<u16>::new(&[(0, 2560), (0, 1600)]));
            made("../../benches/blur.ivl", "2560×1600", output, vec![Box::new(narrow(2562, 1602, 83))], Tolerance::None)
        }
        "unsharp" => made("unsharp.ivl", large, floats(&picture), vec![Box::new(colours())], Tolerance::Relative(1e-4)),
        "harris" => {
            let window = [(2, w - 4), (2, h - 4)];
            made("harris.ivl", large, floats(&window), vec![Box::new(colours())], Tolerance::Relative(1e-3))
        }
        "bilateral_grid" => {
            let inputs: Vec<Box<dyn Data>> = vec![Box::new(colour(1, w, h)), Box::new(0.1f32)];
            made("bilateral_grid.ivl", "1536×2560", floats(&[(0, w), (0, h)]), inputs, Tolerance::Relative(1e-3))
        }
        "local_laplacian" => {
            let input = image::photo(0, 0, w, h).map(|v| u16::from(v) * 257);
            let inputs: Vec<Box<dyn Data>> = vec![Box::new(input), Box::new(1.0f32 / 7.0), Box::new(1.0f32)];
            let output = Box::new(Image::<u16>::new(&picture));
            // A pixel whose brightness is rounded to the next entry of the table.
            made("local_laplacian.ivl", large, output, inputs, Tolerance::Steps(64.0))
        }
        "camera_pipe" => {
            let (w, h) = (2560, 1920);
            let [warm, cold] = image::colour_matrices();
            let mut inputs: Vec<Box<dyn Data>> = vec![Box::new(image::sensor(w + 32, h + 24)), Box::new(warm), Box::new(cold)];
            inputs.extend([3700.0f32, 2.0, 50.0, 1.0].map(|number| Box::new(number) as Box<dyn Data>));
            let output = Box::new(Image::<u8>::new(&[(0, w), (0, h), (0, 3)]));
            // A value of the curve that is rounded to the next one, made twice as different by sharpening.
            made("camera_pipe.ivl", "2560×1920×3", output, inputs, Tolerance::Steps(3.0))
        }
        "max_filter" => made("max_filter.ivl", large, floats(&picture), vec![Box::new(colours())], Tolerance::None),
        "stencil_chain" => {
            let output = Box::new(Image::<u16>::new(&[(0, w), (0, h)]));
            made("stencil_chain.ivl", "1536×2560", output, vec![Box::new(narrow(w, h, 199))], Tolerance::None)
        }
        "nl_means" => {
            let inputs: Vec<Box<dyn Data>> = vec![Box::new(colours()), Box::new(0.12f32)];
            made("nl_means.ivl", large, floats(&picture), inputs, Tolerance::Relative(1e-4))
        }
        "lens_blur" => {
            let [left, right] = image::stereo(192, 320);
            let inputs: Vec<Box<dyn Data>> =
                vec![Box::new(left), Box::new(right), Box::new(32i32), Box::new(13i32), Box::new(0.5f32), Box::new(32i32)];
            let output = floats(&[(0, 192), (0, 320), (0, 3)]);
            // The depth of a pixel may be another one where two cost the same but for rounding, and with it what is around.
            made("lens_blur.ivl", "192×320×3", output, inputs, Tolerance::Mostly(1e-3, 0.01))
        }
        "interpolate" => {
            let colours = image::float_photo(0, 0, w, h);
            let input = Image::from_fn([w, h, 4], |[x, y, c]| {
                let known = f32::from(u8::from((x * 7 + y * 5) % 3 == 0 && !(300..350).contains(&x)));
                if c == 3 { known } else { colours.at([x, y, c]) * known }
            });
            made("interpolate.ivl", large, floats(&picture), vec![Box::new(input)], Tolerance::Relative(1e-4))
        }
        "iir_blur" => {
            let inputs: Vec<Box<dyn Data>> = vec![Box::new(colours()), Box::new(0.1f32)];
            made("iir_blur.ivl", large, floats(&picture), inputs, Tolerance::Relative(1e-4))
        }
        "equalize" => {
            let output = Box::new(Image::<u8>::new(&picture));
            // A brightness at the end of a bin may be rounded into the next one.
            made("histogram.ivl", large, output, vec![Box::new(image::photo(0, 0, w, h))], Tolerance::Steps(2.0))
        }
        "convolution" => {
            let values = colour(0, 700, 700);
            let at = |a: i32, b: i32| values.at([a % 700, b % 700]) - 0.5;
            let input = Image::from_fn([128, 102, 82, 5], |[i, x, y, n]| at(i * 5 + x, y * 7 + n * 31));
            let filter = Image::from_fn([128, 3, 3, 128], |[c, x, y, i]| at(c * 3 + x, i * 5 + y));
            let bias = Image::from_fn([128], |[c]| at(c, c * 5));
            let output = floats(&[(0, 128), (0, 100), (0, 80), (0, 5)]);
            let inputs: Vec<Box<dyn Data>> = vec![Box::new(input), Box::new(filter), Box::new(bias)];
            made("convolution.ivl", "5×100×80×128→128", output, inputs, Tolerance::Relative(1e-3))
        }
        "multiply" => {
            let matrix = |c| Box::new(colour(c, 992, 992).map(|v| v - 0.5)) as Box<dyn Data>;
            let output = floats(&[(0, 992), (0, 992)]);
            made("matmul.ivl", "992×992", output, vec![matrix(0), matrix(2)], Tolerance::Relative(1e-3))
        }
        _ => panic!("`{name}` is one of the applications"),
    }
}
