//! Pipelines of any size: what a generator would be written for elsewhere.

use super::compare_set;
use super::image::Image;

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
