//! Linear algebra: the product of matrices, convolution layers.

use super::image::{Image, float_photo};
use super::{compare, compare_set};

#[test]
fn matrix_multiply() {
    let colours = float_photo(210, 130, 120, 120);
    let (columns, rows, inner) = (75, 53, 61);
    let a = Image::from_fn([inner, rows], |[k, y]| colours.at([k, y, 0]) - 0.5);
    let b = Image::from_fn([columns, inner], |[x, k]| colours.at([x, k, 2]) - 0.5);
    let product = Image::from_fn([columns, rows], |[x, y]| (0..inner).fold(0.0, |sum, k| sum + a.at([k, y]) * b.at([x, k])));
    compare("matmul.ivl", "multiply", &product, &[&a, &b], 0.0);
}

#[test]
fn convolution() {
    let colours = float_photo(200, 90, 160, 160);
    let (from, to, columns, rows, images) = (10, 37, 13, 6, 2);
    let value = |a: i32, b: i32, c: i32| colours.at([a.rem_euclid(160), b.rem_euclid(160), c]) - 0.5;
    let input = Image::from_fn([from, columns + 2, rows + 2, images], |[i, x, y, n]| value(i * 11 + x, y * 13 + n * 31, 0));
    let filter = Image::from_fn([to, 3, 3, from], |[c, x, y, i]| value(c * 3 + x, i * 7 + y, 1));
    let bias = Image::from_fn([to], |[c]| value(c, c * 5, 2));
    let layer = Image::from_fn([to, columns, rows, images], |[c, x, y, n]| {
        let mut sum = bias.at([c]);
        for ry in 0..3 {
            for rx in 0..3 {
                for i in 0..from {
                    sum += filter.at([c, rx, ry, i]) * input.at([i, x + rx, y + ry, n]);
                }
            }
        }
        sum.max(0.0)
    });
    compare("convolution.ivl", "convolution", &layer, &[&input, &filter, &bias], 0.0);
}

#[test]
fn layer() {
    for (size, from, to, step) in [(3, 4, 16, 1), (1, 1, 1, 1), (2, 3, 5, 2), (5, 2, 9, 3)] {
        let colours = float_photo(200, 90, 160, 160);
        let value = |a: i32, b: i32, c: i32| colours.at([a.rem_euclid(160), b.rem_euclid(160), c]) - 0.5;
        let (columns, rows) = (45, 7);
        let input = Image::from_fn([(columns - 1) * step + size, (rows - 1) * step + size, from], |[x, y, c]| {
            value(x + 3 * c, y + 31 * c, 0)
        });
        let weight = Image::from_fn([size, size, from, to], |[x, y, c, o]| value(c * 7 + x, o * 9 + y, 1));
        let bias = Image::from_fn([to], |[o]| value(o * 3, o * 5, 2));
        let result = Image::from_fn([columns, rows, to], |[x, y, o]| {
            let mut sum = bias.at([o]);
            for c in 0..from {
                for ky in 0..size {
                    for kx in 0..size {
                        sum += weight.at([kx, ky, c, o]) * input.at([step * x + kx, step * y + ky, c]);
                    }
                }
            }
            sum.max(0.0)
        });
        let settings = [format!("K={size}"), format!("CI={from}"), format!("CO={to}"), format!("layer.step={step}")];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let settings = if size == 3 { &[][..] } else { &settings };
        compare_set("layer.ivl", "layer", settings, &result, &[&input, &weight, &bias], 0.0);
    }
}
