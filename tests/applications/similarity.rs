//! Filters that mix what looks alike: the bilateral grid, non-local means.

use super::compare;
use super::image::{Image, float_photo};

#[test]
fn bilateral_grid() {
    let colours = float_photo(250, 150, 85, 59);
    let input = Image::from_fn([85, 59], |[x, y]| colours.at([x, y, 1]) * 1.1 - 0.05);
    let sigma = 0.1f32;
    // Corners of the grid from two before the first one that is read to two behind the last one.
    let window = |more: i32, z: (i32, i32)| [(-more, 12 + 2 * more), (-more, 9 + 2 * more), z, (0, 2)];
    let mut grid = Image::<f32>::new(&window(2, (-2, 36)));
    grid.fill(|[x, y, z, c]| {
        let mut sum = 0.0;
        for dy in 0..8 {
            for dx in 0..8 {
                let v = input.near([x * 8 + dx - 4, y * 8 + dy - 4]).clamp(0.0, 1.0);
                if ((v * (1.0 / sigma) + 0.5) as i32).clamp(0, 31) == z {
                    sum += if c == 0 { v } else { 1.0 };
                }
            }
        }
        sum
    });
    let weighted = |at: &dyn Fn(i32) -> f32| at(-2) + at(-1) * 4.0 + at(0) * 6.0 + at(1) * 4.0 + at(2);
    let mut deep = Image::<f32>::new(&window(2, (0, 32)));
    deep.fill(|[x, y, z, c]| weighted(&|d| grid.at([x, y, z + d, c])));
    let mut wide = Image::<f32>::new(&[(0, 12), (-2, 13), (0, 32), (0, 2)]);
    wide.fill(|[x, y, z, c]| weighted(&|d| deep.at([x + d, y, z, c])));
    let mut all = Image::<f32>::new(&window(0, (0, 32)));
    all.fill(|[x, y, z, c]| weighted(&|d| wide.at([x, y + d, z, c])));
    let mix = |a: f32, b: f32, t: f32| a * (1.0 - t) + b * t;
    let smooth = Image::from_fn([85, 59], |[x, y]| {
        let zv = input.at([x, y]).clamp(0.0, 1.0) * (1.0 / sigma);
        let zi = (zv as i32).clamp(0, 30);
        let (xi, yi) = (x / 8, y / 8);
        let (xf, yf, zf) = ((x % 8) as f32 / 8.0, (y % 8) as f32 / 8.0, zv - zi as f32);
        let [value, weight] = [0, 1].map(|c| {
            let plane = |z| {
                let row = |y| mix(all.at([xi, y, z, c]), all.at([xi + 1, y, z, c]), xf);
                mix(row(yi), row(yi + 1), yf)
            };
            mix(plane(zi), plane(zi + 1), zf)
        });
        value / weight
    });
    compare("bilateral_grid.ivl", "bilateral_grid", &smooth, &[&input, &sigma], 0.0);
}

#[test]
fn nl_means() {
    let input = float_photo(270, 180, 70, 36);
    let sigma = 0.12f32;
    let scale = -1.0 / (sigma * sigma * 49.0);
    let mut result = Image::<f32>::new(&[(0, 70), (0, 36), (0, 3)]);
    let mut totals = Image::<f32>::new(&[(0, 70), (0, 36), (0, 4)]);
    for dy in -3..4 {
        for dx in -3..4 {
            let distance = |x: i32, y: i32| {
                let [r, g, b] = [0, 1, 2].map(|c| {
                    let d = input.near([x, y, c]) - input.near([x + dx, y + dy, c]);
                    d * d
                });
                r + g + b
            };
            for i in 0..totals.pixels.len() {
                let [x, y, c] = totals.point(i);
                let column = |x: i32| (-3..4).fold(0.0, |sum, r| sum + distance(x, y + r));
                let patch = (-3..4).fold(0.0, |sum, r| sum + column(x + r));
                let value = if c == 3 { 1.0 } else { input.near([x + dx, y + dy, c]) };
                totals.pixels[i] += (patch * scale).exp() * value;
            }
        }
    }
    result.fill(|[x, y, c]| (totals.at([x, y, c]) / totals.at([x, y, 3])).clamp(0.0, 1.0));
    // `exp` is another function here.
    compare("nl_means.ivl", "nl_means", &result, &[&input, &sigma], 1e-6);
}
