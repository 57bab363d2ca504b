//! Pictures: PNG files to planes of floats and back.

use std::{error::Error, fs::File, io::BufReader, io::BufWriter, path::Path};

/// A photograph as three planes of values from 0 to 1, with a border of two pixels that repeats the edge.
pub struct Photo {
    /// Columns without the border.
    pub width: usize,
    /// Rows without the border.
    pub height: usize,
    /// Red, green and blue.
    pub planes: Vec<Vec<f32>>,
}

impl Photo {
    /// The distance of two rows of a plane.
    pub fn stride(&self) -> usize {
        self.width + 4
    }

    /// Reads an 8-bit RGB file.
    pub fn read(path: &Path) -> Result<Photo, Box<dyn Error>> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().ok_or("the image is too large")?];
        let info = reader.next_frame(&mut bytes)?;
        if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(format!("{}: not an 8-bit RGB image", path.display()).into());
        }
        let (width, height) = (info.width as usize, info.height as usize);
        let pixel = |c: usize, x: usize, y: usize| {
            let inside = |v: usize, size: usize| v.saturating_sub(2).min(size - 1);
            bytes[(inside(y, height) * width + inside(x, width)) * 3 + c] as f32 / 255.0
        };
        let plane = |c| (0..height + 4).flat_map(|y| (0..width + 4).map(move |x| (x, y))).map(|(x, y)| pixel(c, x, y)).collect();
        Ok(Photo { width, height, planes: (0..3).map(plane).collect() })
    }

    /// The same size with other contents.
    pub fn with_planes(&self, planes: Vec<Vec<f32>>) -> Photo {
        Photo { planes, ..*self }
    }

    /// Writes the inside as an 8-bit RGB file.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let at = |x: usize, y: usize| (y + 2) * self.stride() + x + 2;
        let mut bytes = Vec::with_capacity(3 * self.width * self.height);
        for y in 0..self.height {
            for x in 0..self.width {
                bytes.extend(self.planes.iter().map(|plane| byte(plane[at(x, y)])));
            }
        }
        write_rgb(path, self.width, self.height, bytes)
    }
}

/// Writes rows of red, green and blue bytes.
pub fn write_rgb(path: &Path, width: usize, height: usize, bytes: Vec<u8>) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}

/// A colour from dark blue over orange to white, black for 1.
pub fn heat(v: f32) -> [u8; 3] {
    if v >= 1.0 {
        return [0; 3];
    }
    let t = v.sqrt();
    [t * 3.0 - 0.3, t * 2.0 - 0.4, 0.25 + t * (1.0 - t) + t * t * 0.75].map(|c| (c.clamp(0.0, 1.0) * 255.0) as u8)
}
