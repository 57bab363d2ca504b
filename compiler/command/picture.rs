//! Image files and their samples.
//!
//! ```text
//! PNG, 8 or 16 bits, grey [x, y], colour [x, y, c]  ──►  Array of T, planar        sample s of 0 … m  ──►  s · max / m
//! ```
//! The greatest sample is the greatest value of an integer type, 1 of a float, and 0 is 0; what is outside when a file is written
//! is drawn to the nearest of these. Samples are taken as they are: nothing is said about their colour space, and what a file
//! says about it is not asked.

use super::arguments::Bits;
use ivl::{Buffer, Dimension, Float16};
use ivlc::pipeline::evaluate;
use ivlc::types::Element;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Samples as a file has them, channels side by side.
pub struct Picture {
    width: u32,
    height: u32,
    channels: usize,
    bits: Bits,
    samples: Vec<u16>,
}

impl Bits {
    /// The greatest sample.
    fn greatest(self) -> u16 {
        match self {
            Bits::Eight => u8::MAX.into(),
            Bits::Sixteen => u16::MAX,
        }
    }

    /// Those of a type: 8 where it has no more.
    pub fn of(element: Element) -> Bits {
        if element.size() == 1 { Bits::Eight } else { Bits::Sixteen }
    }
}

/// 64 bytes: the alignment of the widest vectors.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// An image in memory, its pixels side by side.
#[derive(Clone)]
pub struct Array {
    pub element: Element,
    pub dimensions: Vec<Dimension>,
    memory: Vec<Line>,
}

/// `$do` with T the type of an element in memory.
macro_rules! with_type {
    ($element:expr, $type:ident => $do:expr) => {
        match $element {
            Element::Bool => {
                type $type = Truth;
                $do
            }
            Element::Int8 => {
                type $type = i8;
                $do
            }
            Element::Int16 => {
                type $type = i16;
                $do
            }
            Element::Int32 => {
                type $type = i32;
                $do
            }
            Element::Int64 => {
                type $type = i64;
                $do
            }
            Element::Uint8 => {
                type $type = u8;
                $do
            }
            Element::Uint16 => {
                type $type = u16;
                $do
            }
            Element::Uint32 => {
                type $type = u32;
                $do
            }
            Element::Uint64 => {
                type $type = u64;
                $do
            }
            Element::Float => {
                type $type = f32;
                $do
            }
            Element::Double => {
                type $type = f64;
                $do
            }
            Element::Float16 => {
                type $type = Float16;
                $do
            }
        }
    };
}

impl Array {
    /// An image of zeros in a window of minima and extents.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn new(element: Element, window: &[(i32, i32)]) -> Result<Array, String> {
        let mut stride = 1i64;
        let mut dimensions = Vec::new();
        for &(min, extent) in window {
            dimensions.push(Dimension { min, extent, stride });
            stride = stride.saturating_mul(extent.max(0).into());
        }
        let mut memory = Vec::new();
        let bytes = usize::try_from(stride).ok().and_then(|count| count.checked_mul(element.size() as usize));
        let lines = bytes.map(|bytes| bytes.div_ceil(64)).filter(|&lines| memory.try_reserve_exact(lines).is_ok());
        memory.resize(lines.ok_or(format!("there is no memory for an image of {stride} pixels"))?, Line([0; 64]));
        Ok(Array { element, dimensions, memory })
    }

    /// What compiled code is given. It lives as long as the image is not moved.
    pub fn buffer(&mut self) -> Buffer {
        let rank = self.dimensions.len() as i32;
        let pixel = ivlc::pipeline::lower::entry::type_number(self.element) as i32;
        Buffer { data: self.memory.as_mut_ptr().cast(), dim: self.dimensions.as_mut_ptr(), rank, pixel }
    }

    /// The same for the interpreter of pipelines.
    pub fn image(&self) -> evaluate::Image {
        let window = self.dimensions.iter().map(|d| (d.min.into(), d.extent.into())).collect();
        let pixels = with_type!(self.element, T => self.pixels::<T>().iter().map(|pixel| pixel.in_memory()).collect());
        evaluate::Image { element: self.element, window, pixels }
    }

    /// Its pixels as they are in memory.
    pub fn bytes(&self) -> &[u8] {
        let count = self.count();
        // SAFETY: the memory is there, and bytes have no other requirements.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), count) }
    }

    /// The same, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let count = self.count();
        // SAFETY: as above, and nobody else has it.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), count) }
    }

    /// How many bytes its pixels have.
    fn count(&self) -> usize {
        let count: usize = self.dimensions.iter().map(|d| d.extent.max(0) as usize).product();
        count * self.element.size() as usize
    }

    fn pixels<T>(&self) -> &[T] {
        let count: usize = self.dimensions.iter().map(|d| d.extent.max(0) as usize).product();
        assert!(count * size_of::<T>() <= self.memory.len() * 64, "an image has memory for its pixels");
        // SAFETY: the memory is aligned for all numbers, has room for these, and every pattern of bits is one; of `bool` the
        // code that writes keeps to 0 and 1, and it is read as a byte.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), count) }
    }

    fn pixels_mut<T>(&mut self) -> &mut [T] {
        let count = self.pixels::<T>().len();
        // SAFETY: as above, and nobody else has it.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), count) }
    }
}

/// How numbers and samples correspond.
trait Sample: Copy {
    fn from_sample(sample: u16, greatest: u16) -> Self;
    fn sample(self, greatest: u16) -> u16;
    /// Its bits in memory, zero-extended.
    fn in_memory(self) -> u64;
}

macro_rules! integers {
    ($($type:ty),*) => { $(
        impl Sample for $type {
            fn from_sample(sample: u16, greatest: u16) -> Self {
                let (sample, greatest, max) = (u128::from(sample), u128::from(greatest), <$type>::MAX as u128);
                ((sample * max + greatest / 2) / greatest) as $type
            }

            fn sample(self, greatest: u16) -> u16 {
                let (value, max) = (self.max(0) as u128, <$type>::MAX as u128);
                ((value * u128::from(greatest) + max / 2) / max) as u16
            }

            fn in_memory(self) -> u64 {
                self as u64 & (u64::MAX >> (64 - <$type>::BITS))
            }
        }
    )* };
}

macro_rules! floats {
    ($($type:ty),*) => { $(
        impl Sample for $type {
            fn from_sample(sample: u16, greatest: u16) -> Self {
                <$type>::from(sample) / <$type>::from(greatest)
            }

            fn sample(self, greatest: u16) -> u16 {
                // What is no number becomes 0.
                (self.clamp(0.0, 1.0) * <$type>::from(greatest)).round() as u16
            }

            fn in_memory(self) -> u64 {
                self.to_bits().into()
            }
        }
    )* };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);
floats!(f32, f64);

impl Sample for Float16 {
    fn from_sample(sample: u16, greatest: u16) -> Self {
        Float16::from_f64(f64::from_sample(sample, greatest))
    }

    fn sample(self, greatest: u16) -> u16 {
        self.to_f32().sample(greatest)
    }

    fn in_memory(self) -> u64 {
        self.to_bits().into()
    }
}

/// A `bool` in memory: 0 or 1.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Truth(u8);

impl Sample for Truth {
    fn from_sample(sample: u16, greatest: u16) -> Self {
        Truth((sample > greatest / 2).into())
    }

    fn sample(self, greatest: u16) -> u16 {
        if self.0 == 0 { 0 } else { greatest }
    }

    fn in_memory(self) -> u64 {
        (self.0 != 0).into()
    }
}

impl Picture {
    /// Reads a PNG file: palettes as colours, less than 8 bits as 8.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(path: &Path) -> Result<Picture, String> {
        let fail = |error: String| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|e| fail(e.to_string()))?;
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(|e| fail(format!("no PNG file: {e}")))?;
        let size = reader.output_buffer_size().ok_or_else(|| fail("the picture is too large".into()))?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(|e| fail(e.to_string()))?;
        bytes.truncate(info.buffer_size());
        let (samples, bits): (Vec<u16>, Bits) = match info.bit_depth {
            png::BitDepth::Sixteen => {
                (bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(), Bits::Sixteen)
            }
            png::BitDepth::One | png::BitDepth::Two | png::BitDepth::Four | png::BitDepth::Eight => {
                (bytes.iter().map(|&byte| byte.into()).collect(), Bits::Eight)
            }
        };
        let (width, height, channels) = (info.width, info.height, info.color_type.samples());
        Ok(Picture { width, height, channels, bits, samples })
    }

    /// Its channels: 1 and 3 are grey and colour, 2 and 4 the same with alpha.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The bits of its samples.
    pub fn bits(&self) -> Bits {
        self.bits
    }

    /// One of its channels.
    pub fn channel(&self, channel: usize) -> Picture {
        self.each_pixel(|pixel| pixel[channel])
    }

    /// Its luminance, without alpha: 0.299 of red, 0.587 of green, 0.114 of blue.
    pub fn luminance(&self) -> Picture {
        self.each_pixel(|pixel| match *pixel {
            [red, green, blue, ..] => {
                let thousandth = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
                ((thousandth + 500) / 1000) as u16
            }
            [grey, ..] => grey,
            [] => 0,
        })
    }

    /// A picture of one channel.
    fn each_pixel(&self, sample: impl Fn(&[u16]) -> u16) -> Picture {
        let samples = self.samples.chunks_exact(self.channels).map(sample).collect();
        Picture { channels: 1, samples, ..*self }
    }

    /// Pictures of one channel, one beside the other.
    pub fn of_channels(channels: &[Picture]) -> Option<Picture> {
        let first = channels.first()?;
        let samples = (0..first.samples.len()).flat_map(|i| channels.iter().map(move |channel| channel.samples[i])).collect();
        Some(Picture { channels: channels.len(), samples, ..*first })
    }

    /// The bytes of a PNG file.
    ///
    /// # Errors
    /// What cannot be a PNG file.
    pub fn encoded(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(match self.channels {
            1 => png::ColorType::Grayscale,
            2 => png::ColorType::GrayscaleAlpha,
            3 => png::ColorType::Rgb,
            _ => png::ColorType::Rgba,
        });
        let is_narrow = self.bits == Bits::Eight;
        encoder.set_depth(if is_narrow { png::BitDepth::Eight } else { png::BitDepth::Sixteen });
        let samples = match is_narrow {
            true => self.samples.iter().map(|&sample| sample as u8).collect::<Vec<u8>>(),
            false => self.samples.iter().flat_map(|sample| sample.to_be_bytes()).collect(),
        };
        let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
        writer.write_image_data(&samples).map_err(|e| e.to_string())?;
        writer.finish().map_err(|e| e.to_string())?;
        Ok(bytes)
    }

    /// The picture as an image of so many dimensions, whose minima are 0.
    ///
    /// # Errors
    /// Where it has more or fewer dimensions, and where there is no memory.
    pub fn array(&self, element: Element, rank: usize) -> Result<Array, String> {
        let (width, height) = (self.width as i32, self.height as i32);
        let window = match (rank, self.channels, height) {
            (0, 1, 1) if width == 1 => vec![],
            (1, 1, 1) => vec![(0, width)],
            (2, 1, _) => vec![(0, width), (0, height)],
            (3, 2.., _) => vec![(0, width), (0, height), (0, self.channels as i32)],
            _ => {
                let own = if self.channels == 1 { 2 } else { 3 };
                return Err(format!(
                    "the picture has {own} dimensions ({} × {} × {}), {rank} are needed",
                    width, height, self.channels
                ));
            }
        };
        let mut array = Array::new(element, &window)?;
        let plane = self.samples.len() / self.channels;
        with_type!(element, T => {
            for (i, pixel) in array.pixels_mut::<T>().iter_mut().enumerate() {
                *pixel = T::from_sample(self.samples[i % plane * self.channels + i / plane], self.bits.greatest());
            }
        });
        Ok(array)
    }

    /// An image as a picture, if it [fits](Picture::fits).
    pub fn new(array: &Array, bits: Bits) -> Picture {
        let extent = |d: usize| array.dimensions.get(d).map_or(1, |d| d.extent as u32);
        let (width, height, channels) = (extent(0), extent(1), extent(2) as usize);
        let greatest = bits.greatest();
        let plane = width as usize * height as usize;
        let samples = with_type!(array.element, T => {
            let pixels = array.pixels::<T>();
            let at = |i: usize| pixels[i % channels * plane + i / channels];
            (0..plane * channels).map(|i| at(i).sample(greatest)).collect()
        });
        Picture { width, height, channels, bits, samples }
    }

    /// Can an image of this window be a picture?
    ///
    /// # Errors
    /// Why it cannot.
    pub fn fits(window: &[(i32, i32)]) -> Result<(), String> {
        let shape: Vec<String> = window.iter().map(|(_, extent)| extent.to_string()).collect();
        match window {
            [.., (_, channels)] if window.len() == 3 && !(1..=4).contains(channels) => {
                Err(format!("is {}: a PNG file has 1 to 4 channels", shape.join(" × ")))
            }
            _ if window.len() > 3 => Err(format!("has {} dimensions: a PNG file has [x, y] or [x, y, c]", window.len())),
            _ if window.iter().any(|&(_, extent)| extent < 1) => {
                Err(format!("is {}: a PNG file is not empty", shape.join(" × ")))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_scale_to_the_range_of_the_type_and_back() {
        for sample in 0..=255 {
            assert_eq!(u8::from_sample(sample, 255), sample as u8);
            assert_eq!(u16::from_sample(sample, 255), sample * 257);
            assert_eq!(i32::from_sample(sample, 255).sample(255), sample);
            assert_eq!(u64::from_sample(sample, 255).sample(255), sample);
            assert_eq!(f32::from_sample(sample, 255).sample(255), sample);
        }
        for sample in 0..=u16::MAX {
            assert_eq!(f32::from_sample(sample, u16::MAX).sample(u16::MAX), sample);
            assert_eq!(i64::from_sample(sample, u16::MAX).sample(u16::MAX), sample);
        }
        assert_eq!((u64::from_sample(255, 255), i8::from_sample(255, 255)), (u64::MAX, i8::MAX));
        assert_eq!([-1.0f32, 2.0, f32::NAN, 0.5].map(|v| v.sample(255)), [0, 255, 0, 128]);
        assert_eq!([-5i32, 0, i32::MAX].map(|v| v.sample(65535)), [0, 0, 65535]);
        assert_eq!((Truth::from_sample(127, 255).0, Truth::from_sample(128, 255).0), (0, 1));
    }
}
