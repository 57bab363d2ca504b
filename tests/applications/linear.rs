//! Linear algebra: the product of matrices, a convolution layer.

use super::compare;
use super::image::{Image, float_photo};

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
