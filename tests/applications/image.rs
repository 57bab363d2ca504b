//! Images of any element type and rank, dense in memory, dimension 0 first; and the photograph that applications work on.

use std::{fs::File, io::BufReader, path::Path};

/// An element type of images.
pub trait Pixel: Copy + Default + PartialEq + std::fmt::Debug + 'static {
    /// Its name in the language.
    const NAME: &'static str;

    /// Its value, to compare with a tolerance.
    fn value(self) -> f64;
}

macro_rules! pixels {
    ($($ty:ty = $name:literal),*) => {
        $(impl Pixel for $ty {
            const NAME: &'static str = $name;

            fn value(self) -> f64 {
                self.into()
            }
        })*
    };
}

pixels!(u8 = "uint8", u16 = "uint16", i16 = "int16", i32 = "int", f32 = "float");

/// An image whose pixels lie in a window: from `min`, `extent` many, for each dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<T> {
    /// (min, extent)
    pub window: Vec<(i32, i32)>,
    /// Dimension 0 first.
    pub pixels: Vec<T>,
}

impl<T: Pixel> Image<T> {
    /// An image of zeros.
    pub fn new(window: &[(i32, i32)]) -> Image<T> {
        let count = window.iter().map(|&(_, extent)| extent as usize).product();
        Image { window: window.to_vec(), pixels: vec![T::default(); count] }
    }

    /// An image from 0, by a function of the point.
    pub fn from_fn<const R: usize>(extents: [i32; R], f: impl Fn([i32; R]) -> T) -> Image<T> {
        let mut image = Image::new(&extents.map(|extent| (0, extent)));
        image.fill(f);
        image
    }

    /// Sets each pixel by a function of the point.
    pub fn fill<const R: usize>(&mut self, f: impl Fn([i32; R]) -> T) {
        for i in 0..self.pixels.len() {
            self.pixels[i] = f(self.point(i));
        }
    }

    /// The point of a pixel by its number in memory.
    pub fn point<const R: usize>(&self, mut number: usize) -> [i32; R] {
        assert_eq!(R, self.window.len(), "a point of the image's rank");
        std::array::from_fn(|d| {
            let (min, extent) = self.window[d];
            let c = number % extent as usize;
            number /= extent as usize;
            min + c as i32
        })
    }

    /// A pixel inside of the window.
    pub fn at<const R: usize>(&self, point: [i32; R]) -> T {
        let mut number = 0;
        for (&(min, extent), c) in self.window.iter().zip(point).rev() {
            assert!((min..min + extent).contains(&c), "{point:?} lies inside of {:?}", self.window);
            number = number * extent as usize + (c - min) as usize;
        }
        self.pixels[number]
    }

    /// The nearest pixel.
    pub fn near<const R: usize>(&self, point: [i32; R]) -> T {
        self.at::<R>(std::array::from_fn(|d| {
            let (min, extent) = self.window[d];
            point[d].clamp(min, min + extent - 1)
        }))
    }

    /// The same window with other pixels.
    pub fn map<U: Pixel>(&self, f: impl Fn(T) -> U) -> Image<U> {
        Image { window: self.window.clone(), pixels: self.pixels.iter().map(|&v| f(v)).collect() }
    }
}

/// A part of the photograph: columns, rows and the three colours.
pub fn photo(left: i32, top: i32, width: i32, height: i32) -> Image<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/coffee.png");
    let file = BufReader::new(File::open(path).expect("the photograph is there"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut bytes).expect("it has a picture");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    let (columns, rows) = (info.width as i32, info.height as i32);
    // Larger pictures repeat it.
    let at = |x: i32, y: i32| (y % rows * columns + x % columns) as usize;
    Image::from_fn([width, height, 3], |[x, y, c]| bytes[at(left + x, top + y) * 3 + c as usize])
}

/// The photograph with values from 0 to 1.
pub fn float_photo(left: i32, top: i32, width: i32, height: i32) -> Image<f32> {
    photo(left, top, width, height).map(|v| v as f32 / 255.0)
}

/// What a sensor behind a filter of colours would have seen of the photograph: rows G R G R …, then B G B G …, 10 bits and some
/// hot pixels.
pub fn sensor(width: i32, height: i32) -> Image<u16> {
    let colours = photo(130, 60, width, height);
    Image::from_fn([width, height], |[x, y]| {
        let c = [[1, 0], [2, 1]][y as usize % 2][x as usize % 2];
        let is_hot = (x * 31 + y * 17) % 97 == 0;
        if is_hot { 1023 } else { 25 + u16::from(colours.at([x, y, c])) * 39 / 10 }
    })
}

/// Colour matrices for warm and for cold light.
pub fn colour_matrices() -> [Image<f32>; 2] {
    let warm = [[1.7, -0.3, -0.4, -40.0], [-0.35, 1.1, 0.9, -35.0], [-0.2, -1.2, 3.6, -27.0]];
    let cold = [[2.2, -0.9, -0.1, -26.0], [-0.4, 1.6, -0.1, -31.0], [-0.1, -0.6, 2.1, -20.0]];
    [warm, cold].map(|rows| Image::from_fn([4, 3], |[i, c]| rows[c as usize][i as usize]))
}

/// The same place seen from the left and from the right: what is near, in a disc, is shifted by 16 pixels, the rest by 4.
pub fn stereo(width: i32, height: i32) -> [Image<u8>; 2] {
    let (x, y, size) = (width / 2, height / 2, width.min(height) * 2 / 5);
    let is_near = |px: i32, py: i32| (px - x).pow(2) + (py - y).pow(2) < size.pow(2);
    let far = photo(100, 90, width + 32, height);
    let near = photo(230, 40, width + 32, height);
    let seen = |shift_near: i32, shift_far: i32| {
        Image::from_fn([width, height, 3], |[x, y, c]| {
            if is_near(x - shift_near, y) { near.at([x - shift_near + 16, y, c]) } else { far.at([x - shift_far + 16, y, c]) }
        })
    };
    [seen(0, 0), seen(16, 4)]
}
