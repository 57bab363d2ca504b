//! Sharpens a picture: `sharpen IN OUT [AMOUNT]`.

use image::{ColorType, DynamicImage, ImageReader};
use ivl::{View, ViewMut};
use std::error::Error;
use std::process::ExitCode;

ivl::include_ivl!("kernels");

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (from, to, amount) = match &words[..] {
        [from, to] => (from, to, "1"),
        [from, to, amount] => (from, to, amount.as_str()),
        _ => {
            eprintln!("usage: sharpen IN OUT [AMOUNT]");
            return ExitCode::from(2);
        }
    };
    match sharpen(from, to, amount) {
        Ok(brightest) => {
            println!("{to}: the brightest sample is {brightest}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("sharpen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn sharpen(from: &str, to: &str, amount: &str) -> Result<u8, Box<dyn Error>> {
    let amount: f32 = amount.parse().map_err(|_| format!("`{amount}` is no amount"))?;
    let picture = ImageReader::open(from)?.decode()?;
    let (width, height) = (picture.width(), picture.height());
    let (color, samples) = match picture.color().has_alpha() {
        true => (ColorType::Rgba8, picture.into_rgba8().into_raw()),
        false => (ColorType::Rgb8, picture.into_rgb8().into_raw()),
    };
    let channels = color.channel_count();
    // Samples of a pixel lie side by side: dimension 0 is x, and its neighbours are one pixel apart.
    let window = [0..i32::try_from(width)?, 0..i32::try_from(height)?, 0..i32::from(channels)];
    let strides = [channels.into(), i64::from(width) * i64::from(channels), 1];
    let mut sharp = vec![0; samples.len()];
    let input = View::new(&samples, window.clone(), strides)?;
    let output = ViewMut::new(&mut sharp, window, strides)?;
    kernels::sharpen::strips_into(output, input, amount, 3)?;
    let brightest = kernels::brightest(&sharp);
    let picture = match color {
        ColorType::Rgba8 => image::RgbaImage::from_raw(width, height, sharp).map(DynamicImage::ImageRgba8),
        _ => image::RgbImage::from_raw(width, height, sharp).map(DynamicImage::ImageRgb8),
    };
    picture.ok_or("the picture is too large")?.save(to)?;
    Ok(brightest)
}
