//! Pyramids: interpolation, the local Laplacian filter. What a level needs of the next one is asked for point by point, and
//! remembered.

use super::compare_set;
use super::filters::luma;
use super::image::{Image, float_photo, photo};
use super::remembered::{Remembered, remembered};

type Level = Remembered<3, f32>;

#[test]
fn interpolate() {
    for levels in [10, 1, 2, 5] {
        interpolate_over(levels);
    }
}

/// With so many levels.
fn interpolate_over(levels: usize) {
    let colours = float_photo(180, 110, 90, 60);
    // Two of three pixels are missing, and a whole block of them.
    let is_known = |x: i32, y: i32| (x * 7 + y * 5) % 3 == 0 && !(30..50).contains(&x);
    let input = Image::from_fn([90, 60, 4], |[x, y, c]| match c {
        3 => f32::from(is_known(x, y)),
        _ => colours.at([x, y, c]) * f32::from(is_known(x, y)),
    });
    let source = input.clone();
    let mut down = vec![remembered(move |[x, y, c]| {
        let alpha = source.near([x, y, 3]);
        if c < 3 { source.near([x, y, c]) * alpha } else { alpha }
    })];
    for l in 1..levels {
        let finer = down[l - 1].clone();
        let half = remembered(move |[x, y, c]| {
            (finer([2 * x - 1, y, c]) + 2.0 * finer([2 * x, y, c]) + finer([2 * x + 1, y, c])) * 0.25
        });
        down.push(remembered(move |[x, y, c]| {
            (half([x, 2 * y - 1, c]) + 2.0 * half([x, 2 * y, c]) + half([x, 2 * y + 1, c])) * 0.25
        }));
    }
    let mut fill = down[levels - 1].clone();
    for l in (0..levels - 1).rev() {
        let (known, coarser) = (down[l].clone(), fill);
        let wide = remembered(move |[x, y, c]| (coarser([x.div_euclid(2), y, c]) + coarser([(x + 1).div_euclid(2), y, c])) / 2.0);
        fill = remembered(move |[x, y, c]| {
            let up = (wide([x, y.div_euclid(2), c]) + wide([x, (y + 1).div_euclid(2), c])) / 2.0;
            known([x, y, c]) + (1.0 - known([x, y, 3])) * up
        });
    }
    let filled = Image::from_fn([90, 60, 3], |[x, y, c]| fill([x, y, c]) / fill([x, y, 3]));
    let settings = [&*format!("J={levels}")];
    compare_set("interpolate.ivl", "interpolate", if levels == 10 { &[] } else { &settings }, &filled, &[&input], 0.0);
}

/// Half as many pixels in both directions, each a mean of 4×4.
fn smaller(fine: &Level) -> Level {
    let fine = fine.clone();
    let mean = |at: &dyn Fn(i32) -> f32, v: i32| (at(2 * v - 1) + 3.0 * (at(2 * v) + at(2 * v + 1)) + at(2 * v + 2)) / 8.0;
    let narrow = remembered(move |[x, y, k]| mean(&|x| fine([x, y, k]), x));
    remembered(move |[x, y, k]| mean(&|y| narrow([x, y, k]), y))
}

/// Twice as many, each between its two neighbours.
fn larger(coarse: &Level) -> Level {
    let coarse = coarse.clone();
    let between = |at: &dyn Fn(i32) -> f32, v: i32| {
        let half = v.div_euclid(2);
        0.25 * at(half - 1 + 2 * v.rem_euclid(2)) + 0.75 * at(half)
    };
    let wide = remembered(move |[x, y, k]| between(&|x| coarse([x, y, k]), x));
    remembered(move |[x, y, k]| between(&|y| wide([x, y, k]), y))
}

#[test]
fn local_laplacian() {
    for levels in [8, 1, 2, 5, 10] {
        local_laplacian_over(levels);
    }
}

/// With so many levels.
fn local_laplacian_over(levels: usize) {
    let (alpha, beta) = (1.0f32 / 7.0, 0.8f32);
    let input = photo(240, 170, 48, 34).map(|v| v as u16 * 257);
    let source = input.clone();
    let gray = remembered(move |[x, y, _]| {
        let [r, g, b] = [0, 1, 2].map(|c| source.near([x, y, c]) as f32 / 65535.0);
        luma(r, g, b)
    });
    let base = gray.clone();
    let remapped = remembered(move |[x, y, k]| {
        let (v, around) = (base([x, y, 0]), k as f32 * (1.0 / 7.0));
        let i = ((v * (7.0 * 256.0)) as i32).clamp(0, 7 * 256) - 256 * k;
        let t = i as f32 / 256.0;
        beta * (v - around) + around + alpha * t * (-t * t / 2.0).exp()
    });
    let (mut gaussian, mut picture) = (vec![remapped], vec![gray.clone()]);
    for j in 1..levels {
        gaussian.push(smaller(&gaussian[j - 1]));
        picture.push(smaller(&picture[j - 1]));
    }
    let mut result: Option<Level> = None;
    for j in (0..levels).rev() {
        let (own, here) = (gaussian[j].clone(), picture[j].clone());
        let coarser = (j + 1 < levels).then(|| larger(&gaussian[j + 1]));
        let laplacian = move |x: i32, y: i32, k: i32| match &coarser {
            Some(coarser) => own([x, y, k]) - coarser([x, y, k]),
            None => own([x, y, k]),
        };
        let coefficient = move |x: i32, y: i32| {
            let at = here([x, y, 0]) * 7.0;
            let k = (at as i32).clamp(0, 6);
            let t = at - k as f32;
            (1.0 - t) * laplacian(x, y, k) + t * laplacian(x, y, k + 1)
        };
        result = Some(match result {
            None => remembered(move |[x, y, _]| coefficient(x, y)),
            Some(coarse) => {
                let coarse = larger(&coarse);
                remembered(move |[x, y, _]| coarse([x, y, 0]) + coefficient(x, y))
            }
        });
    }
    let result = result.expect("a level");
    let sharp = Image::from_fn([48, 34, 3], |[x, y, c]| {
        let colour = input.at([x, y, c]) as f32 / 65535.0;
        let value = result([x, y, 0]) * (colour + 0.01) / (gray([x, y, 0]) + 0.01);
        (value.clamp(0.0, 1.0) * 65535.0) as u16
    });
    // `exp` is another function here: results of 16 bits differ by its last bit.
    let settings = [&*format!("local_laplacian.J={levels}")];
    let settings: &[&str] = if levels == 8 { &[] } else { &settings };
    compare_set("local_laplacian.ivl", "local_laplacian", settings, &sharp, &[&input, &alpha, &beta], 1.0);
}
