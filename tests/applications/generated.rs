//! Pipelines of any size: what a generator would be written for elsewhere.

use super::compare_set;
use super::image::{Image, Pixel, photo};

/// The numbers that are transformed and sorted.
fn number(x: i32, i: i32) -> i32 {
    (x * 7919 + i * i * 31 + i * 1009) % 257 - 100
}

#[test]
fn fft() {
    for bits in [0, 1, 2, 3, 6, 9] {
        let n = 1 << bits;
        let input = Image::<f32>::from_fn([2, n], |[c, i]| number(c, i) as f32 / 64.0);
        let transformed = Image::<f32>::from_fn([2, n], |[c, k]| {
            let term = |i: i32| {
                let angle = -std::f64::consts::TAU * f64::from(k) * f64::from(i) / f64::from(n);
                let (re, im) = (f64::from(input.at([0, i])), f64::from(input.at([1, i])));
                if c == 0 { re * angle.cos() - im * angle.sin() } else { re * angle.sin() + im * angle.cos() }
            };
            (0..n).map(term).sum::<f64>() as f32
        });
        // An error of a few units in the last place of the largest numbers, for each level.
        let tolerance = 4e-6 * f64::from(n) * f64::from(bits + 1);
        compare_set("fft.ivl", "fft", &[&format!("N={bits}")], &transformed, &[&input], tolerance);
    }
}

#[test]
fn sort() {
    for bits in [0, 1, 2, 3, 5] {
        let n = 1 << bits;
        let input = Image::<i32>::from_fn([19, n], |[x, i]| number(x, i));
        let sorted = Image::<i32>::from_fn([19, n], |[x, i]| {
            let mut column: Vec<i32> = (0..n).map(|i| number(x, i)).collect();
            column.sort_unstable();
            column[i as usize]
        });
        compare_set("sort.ivl", "sort", &[&format!("sort.N={bits}")], &sorted, &[&input], 0.0);
    }
}

/// What a picture has at a place between its pixels, along one line of them.
fn resampled(pixel: impl Fn(i32) -> f32, kernel: impl Fn(f32) -> f32, radius: i32, at: f32) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for k in 1 - radius..=radius {
        let weight = kernel(at - (at.floor() + k as f32));
        sum += weight * pixel(at.floor() as i32 + k);
        weights += weight;
    }
    sum / weights
}

/// The kernels by their numbers, and half their width.
fn kernel(number: usize, t: f32) -> f32 {
    let a = t.abs();
    match number {
        0 => f32::from(a <= 0.5),
        1 => (1.0 - a).max(0.0),
        2 if a < 1.0 => (1.5 * a - 2.5) * a * a + 1.0,
        2 if a < 2.0 => ((-0.5 * a + 2.5) * a - 4.0) * a + 2.0,
        2 => 0.0,
        _ if a < 1e-4 => 1.0,
        _ if a < 3.0 => {
            let angle = a * std::f32::consts::PI;
            3.0 * angle.sin() * (angle / 3.0).sin() / (angle * angle)
        }
        _ => 0.0,
    }
}

fn resize_of<T: Pixel>(ty: &str, pixel: impl Fn(u8) -> T, result: impl Fn(f32) -> T, tolerance: f64) {
    let input = photo(120, 90, 23, 17).map(pixel);
    let (step_x, step_y) = (0.4f32, 1.7f32);
    for number in 0..4 {
        let radius = [1, 1, 2, 3][number];
        let source = |x: i32, y: i32, c: i32| input.near([x, y, c]).value() as f32;
        let row = |x: i32, y: i32, c: i32| {
            let at = (y as f32 + 0.5) * step_y - 0.5;
            resampled(|y| source(x, y, c), |t| kernel(number, t), radius, at)
        };
        let resized = Image::<T>::from_fn([50, 9, 3], |[x, y, c]| {
            let at = (x as f32 + 0.5) * step_x - 0.5;
            result(resampled(|x| row(x.clamp(0, 22), y, c), |t| kernel(number, t), radius, at))
        });
        let settings = [&*format!("T={ty}"), &format!("kernel={number}")];
        // `sin` is another function here, so that the last one differs by its last bits.
        let tolerance = if number == 3 { tolerance } else { 0.0 };
        compare_set("resize.ivl", "resize", &settings, &resized, &[&input, &step_x, &step_y], tolerance);
    }
}

#[test]
fn resize() {
    resize_of("uint8", |v| v, |v| (v + 0.5) as u8, 1.0);
    resize_of("uint16", |v| u16::from(v) * 257, |v| (v + 0.5) as u16, 1.0);
    resize_of("float", |v| f32::from(v) / 255.0, |v| v, 1e-5);
}
