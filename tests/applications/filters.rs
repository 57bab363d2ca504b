//! Filters: blur, unsharp mask, Harris' corners, histogram equalisation, maximum filter, a chain of stencils, recursive blur.

use super::compare;
use super::image::{Image, float_photo, photo};

/// The brightness of a colour.
pub fn luma(r: f32, g: f32, b: f32) -> f32 {
    0.299 * r + 0.587 * g + 0.114 * b
}

#[test]
fn blur() {
    let colours = photo(200, 100, 141, 76);
    let input = Image::from_fn([141, 76], |[x, y]| colours.at([x, y, 1]) as u16 * 257);
    let mean = |pixels: [u16; 3]| (pixels.map(u32::from).iter().sum::<u32>() / 3) as u16;
    let rows = Image::from_fn([139, 76], |[x, y]| mean([0, 1, 2].map(|i| input.at([x + i, y]))));
    let blurred = Image::from_fn([139, 74], |[x, y]| mean([0, 1, 2].map(|i| rows.at([x, y + i]))));
    compare("blur.ivl", "blur", &blurred, &[&input], 0.0);
}

#[test]
fn unsharp() {
    let input = float_photo(230, 150, 133, 70).map(|v| v + 0.01);
    // Brightness reaches three pixels beyond the edges, the columns' blur as far to the sides.
    let mut gray = Image::<f32>::new(&[(-3, 133 + 6), (-3, 70 + 6)]);
    gray.fill(|[x, y]| luma(input.near([x, y, 0]), input.near([x, y, 1]), input.near([x, y, 2])));
    let k = [0.26596153f32, 0.21296534, 0.10934005, 0.03599398];
    let weighted =
        |at: &dyn Fn(i32) -> f32| k[0] * at(0) + k[1] * (at(-1) + at(1)) + k[2] * (at(-2) + at(2)) + k[3] * (at(-3) + at(3));
    let mut columns = Image::<f32>::new(&[(-3, 133 + 6), (0, 70)]);
    columns.fill(|[x, y]| weighted(&|d| gray.at([x, y + d])));
    let ratio =
        Image::from_fn([133, 70], |[x, y]| (2.0 * gray.at([x, y]) - weighted(&|d| columns.at([x + d, y]))) / gray.at([x, y]));
    let sharp = Image::from_fn([133, 70, 3], |[x, y, c]| ratio.at([x, y]) * input.at([x, y, c]));
    compare("unsharp.ivl", "unsharp", &sharp, &[&input], 0.0);
}

#[test]
fn harris() {
    let input = float_photo(120, 80, 137, 83);
    let gray = Image::from_fn([137, 83], |[x, y]| luma(input.at([x, y, 0]), input.at([x, y, 1]), input.at([x, y, 2])));
    let derivative = |x: i32, y: i32, dx: i32, dy: i32| {
        // One line of three pixels against the one on the other side.
        let mut sum = None;
        for (side, weight) in [(-1, 1.0f32), (0, 2.0), (1, 1.0)] {
            for sign in [-1, 1] {
                let at = gray.at([x + sign * dx + side * dy, y + sign * dy + side * dx]);
                let term = at * (sign as f32 * weight / 12.0);
                sum = Some(sum.map_or(term, |sum: f32| sum + term));
            }
        }
        sum.expect("six terms")
    };
    let mut products =
        [Image::<f32>::new(&[(1, 135), (1, 81)]), Image::new(&[(1, 135), (1, 81)]), Image::new(&[(1, 135), (1, 81)])];
    for (product, [first, second]) in products.iter_mut().zip([[(1, 0), (1, 0)], [(0, 1), (0, 1)], [(1, 0), (0, 1)]]) {
        product.fill(|[x, y]| derivative(x, y, first.0, first.1) * derivative(x, y, second.0, second.1));
    }
    let mut corners = Image::<f32>::new(&[(2, 133), (2, 79)]);
    corners.fill(|[x, y]| {
        let [xx, yy, xy] = [0, 1, 2].map(|p| {
            let around = (-1..2).flat_map(|dx| (-1..2).map(move |dy| [x + dx, y + dy]));
            around.map(|point| products[p].at(point)).reduce(|a, b| a + b).expect("nine products")
        });
        let trace = xx + yy;
        xx * yy - xy * xy - 0.04 * trace * trace
    });
    compare("harris.ivl", "harris", &corners, &[&input], 0.0);
}

#[test]
fn histogram() {
    let input = photo(150, 120, 150, 90);
    let (w, h) = (150, 90);
    let gray =
        Image::from_fn([w, h], |[x, y]| luma(input.at([x, y, 0]) as f32, input.at([x, y, 1]) as f32, input.at([x, y, 2]) as f32));
    let mut cdf = [0i32; 256];
    gray.pixels.iter().for_each(|&v| cdf[v as usize] += 1);
    (1..256).for_each(|b| cdf[b] += cdf[b - 1]);
    let equal = Image::from_fn([w, h, 3], |[x, y, c]| {
        let v = gray.at([x, y]);
        let cr = (input.at([x, y, 0]) as f32 - v) * 0.713 + 128.0;
        let cb = (input.at([x, y, 2]) as f32 - v) * 0.564 + 128.0;
        let to = (cdf[v as usize] as f32 * (255.0 / (w * h) as f32)).clamp(0.0, 255.0);
        match c {
            0 => (to + (cr - 128.0) * 1.4).clamp(0.0, 255.0) as u8,
            1 => (to - 0.343 * (cb - 128.0) - 0.711 * (cr - 128.0)).clamp(0.0, 255.0) as u8,
            _ => (to + 1.765 * (cb - 128.0)).clamp(0.0, 255.0) as u8,
        }
    });
    compare("histogram.ivl", "equalize", &equal, &[&input], 0.0);
}

#[test]
fn max_filter() {
    let input = float_photo(260, 140, 75, 41);
    let reach = |dx: i32| (1..27).filter(|dy| dx * dx + dy * dy < 690).count() as i32;
    let greatest = Image::from_fn([75, 41, 3], |[x, y, c]| {
        let disc = (-26..27).flat_map(|dx| (-reach(dx)..reach(dx) + 1).map(move |dy| [x + dx, y + dy, c]));
        disc.map(|point| input.near(point)).fold(0.0, f32::max)
    });
    compare("max_filter.ivl", "max_filter", &greatest, &[&input], 0.0);
}

#[test]
fn stencil_chain() {
    let colours = photo(230, 160, 61, 37);
    let input = Image::from_fn([61, 37], |[x, y]| colours.at([x, y, 1]) as u16 * 199);
    // Each stage needs two pixels more on each side than the next one.
    let window = |stage: i32| {
        let more = 2 * (32 - stage);
        [(-more, 61 + 2 * more), (-more, 37 + 2 * more)]
    };
    let mut chain = Image::<u16>::new(&window(0));
    chain.fill(|point: [i32; 2]| input.near(point));
    for stage in 1..33 {
        let before = std::mem::replace(&mut chain, Image::new(&window(stage)));
        chain.fill(|[x, y]| {
            let around = (-2..3).flat_map(|dy| (-2..3).map(move |dx| (dx, dy)));
            around.fold(0, |sum: u16, (dx, dy)| {
                sum.wrapping_add(before.at([x + dx, y + dy]).wrapping_mul(((dx + 3) * (dy + 3)) as u16))
            })
        });
    }
    compare("stencil_chain.ivl", "stencil_chain", &chain, &[&input], 0.0);
}

#[test]
fn iir_blur() {
    let input = float_photo(190, 100, 53, 46);
    let alpha = 0.3f32;
    // One direction: forward, then backward.
    let pass = |image: &Image<f32>| {
        let [w, h] = [image.window[0].1, image.window[1].1];
        let mut lines = image.clone();
        let at = |x: i32, y: i32, c: i32| ((c * h + y) * w + x) as usize;
        for c in 0..3 {
            for x in 0..w {
                for y in 1..h {
                    let before = lines.pixels[at(x, y - 1, c)];
                    lines.pixels[at(x, y, c)] = (1.0 - alpha) * before + alpha * image.at([x, y, c]);
                }
                for y in (0..h - 1).rev() {
                    let before = lines.pixels[at(x, y + 1, c)];
                    lines.pixels[at(x, y, c)] = (1.0 - alpha) * before + alpha * lines.pixels[at(x, y, c)];
                }
            }
        }
        lines
    };
    let columns = pass(&input);
    let rows = pass(&Image::from_fn([46, 53, 3], |[y, x, c]| columns.at([x, y, c])));
    let blurred = Image::from_fn([53, 46, 3], |[x, y, c]| rows.at([y, x, c]));
    compare("iir_blur.ivl", "iir_blur", &blurred, &[&input, &alpha], 0.0);
}
