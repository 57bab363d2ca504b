//! What cameras do: from the raw pixels of a sensor to a picture, and blur by depth.

use super::compare;
use super::image::{Image, colour_matrices, sensor, stereo};
use super::remembered::remembered;

/// The curve from 10 bits to 8, in the precision of `double`. None of its values is so near to the next one that another rounding of
/// the power would matter.
fn curve(gamma: f32, contrast: f32) -> Vec<u8> {
    let (gamma, contrast) = (f64::from(gamma), f64::from(contrast));
    let b = 2.0 - (contrast / 100.0).exp2();
    let a = 2.0 - 2.0 * b;
    let tone = |i: i32| {
        let z = (f64::from(i - 25) / f64::from(1023 - 25)).clamp(0.0, 1.0);
        let g = z.powf(1.0 / gamma);
        let v = if g > 0.5 { 1.0 - (a * (1.0 - g) * (1.0 - g) + b * (1.0 - g)) } else { a * g * g + b * g };
        let value = (v * 255.0 + 0.5).clamp(0.0, 255.0);
        assert!(
            (value - value.round()).abs() > 1e-4 || value == 255.0,
            "{i} is toned to {value}, which may be rounded either way"
        );
        value as u8
    };
    (0..1024).map(tone).collect()
}

#[test]
fn camera_pipe() {
    let (w, h) = (150, 86);
    let raw = sensor(w + 32, h + 24);
    let [warm, cold] = colour_matrices();
    let (temperature, gamma, contrast, sharpness) = (3700.0f32, 2.0f32, 50.0f32, 1.0f32);
    let at = |x: i32, y: i32| i32::from(raw.at([x + 16, y + 12]));
    let cool = |x: i32, y: i32| {
        at(x, y).min([(2, 0), (-2, 0), (0, 2), (0, -2)].map(|(dx, dy)| at(x + dx, y + dy)).into_iter().max().unwrap())
    };
    let mean = |a: i32, b: i32| (a + b + 1).div_euclid(2);
    // A quarter of the pixels each, with three more on each side.
    let window = |more: i32| [(-more, w / 2 + 1 + 2 * more), (-more, h / 2 + 1 + 2 * more)];
    let quarter = |dx: i32, dy: i32| {
        let mut image = Image::<i32>::new(&window(3));
        image.fill(|[x, y]| cool(2 * x + dx, 2 * y + dy));
        image
    };
    let (gr, r, b, gb) = (quarter(0, 0), quarter(1, 0), quarter(0, 1), quarter(1, 1));
    // The mean of two pixels or of two others: of those that differ less, the second ones if they are alike.
    let nearer = |first: [i32; 2], second: [i32; 2]| {
        let [from, to] = if (first[0] - first[1]).abs() < (second[0] - second[1]).abs() { first } else { second };
        mean(from, to)
    };
    let (mut g_at_r, mut g_at_b) = (Image::<i32>::new(&window(2)), Image::<i32>::new(&window(2)));
    g_at_r.fill(|[x, y]| nearer([gr.at([x + 1, y]), gr.at([x, y])], [gb.at([x, y - 1]), gb.at([x, y])]));
    g_at_b.fill(|[x, y]| nearer([gb.at([x - 1, y]), gb.at([x, y])], [gr.at([x, y + 1]), gr.at([x, y])]));
    // What a colour is at a pixel of green: the mean of two neighbours, by how much green there differs from theirs.
    let beside = |green: i32, greens: &Image<i32>, colour: &Image<i32>, p: [i32; 2], q: [i32; 2]| {
        green - mean(greens.at(p), greens.at(q)) + mean(colour.at(p), colour.at(q))
    };
    let across = |green: i32, greens: &Image<i32>, colour: &Image<i32>, [p, q, s, t]: [[i32; 2]; 4]| {
        let differ = |p, q| (colour.at::<2>(p) - colour.at::<2>(q)).abs();
        let (p, q) = if differ(p, q) < differ(s, t) { (p, q) } else { (s, t) };
        beside(green, greens, colour, p, q)
    };
    let colours = |x: i32, y: i32| {
        let (dx, dy) = (x.rem_euclid(2), y.rem_euclid(2));
        let (x, y) = (x.div_euclid(2), y.div_euclid(2));
        let here = [x, y];
        match (dx, dy) {
            (0, 0) => {
                let green = gr.at(here);
                [beside(green, &g_at_r, &r, here, [x - 1, y]), green, beside(green, &g_at_b, &b, here, [x, y - 1])]
            }
            (1, 0) => {
                let green = g_at_r.at(here);
                let blue = across(green, &g_at_b, &b, [here, [x + 1, y - 1], [x + 1, y], [x, y - 1]]);
                [r.at(here), green, blue]
            }
            (0, 1) => {
                let green = g_at_b.at(here);
                let red = across(green, &g_at_r, &r, [here, [x - 1, y + 1], [x - 1, y], [x, y + 1]]);
                [red, green, b.at(here)]
            }
            _ => {
                let green = gb.at(here);
                [beside(green, &g_at_r, &r, here, [x, y + 1]), green, beside(green, &g_at_b, &b, here, [x + 1, y])]
            }
        }
    };
    let coldness = (1.0 / temperature - 1.0 / 3200.0) / (1.0f32 / 7000.0 - 1.0 / 3200.0);
    let matrix =
        Image::from_fn([4, 3], |[i, c]| ((cold.at([i, c]) * coldness + warm.at([i, c]) * (1.0 - coldness)) * 256.0) as i32);
    let curve = curve(gamma, contrast);
    let mut tone = Image::<u8>::new(&[(-1, w + 2), (-1, h + 2), (0, 3)]);
    tone.fill(|[x, y, c]| {
        let [red, green, blue] = colours(x, y);
        let sum = matrix.at([3, c]) + matrix.at([0, c]) * red + matrix.at([1, c]) * green + matrix.at([2, c]) * blue;
        curve[sum.div_euclid(256).clamp(0, 1023) as usize]
    });
    let strength = (sharpness * 32.0) as i32;
    let sharp = Image::from_fn([w, h, 3], |[x, y, c]| {
        let at = |x, y| i32::from(tone.at([x, y, c]));
        let soft_y = |x| mean(mean(at(x, y - 1), at(x, y + 1)), at(x, y));
        let soft = mean(mean(soft_y(x - 1), soft_y(x + 1)), soft_y(x));
        (at(x, y) + ((at(x, y) - soft) * strength).div_euclid(32)).clamp(0, 255) as u8
    });
    let inputs: [&dyn super::Argument; 7] = [&raw, &warm, &cold, &temperature, &gamma, &contrast, &sharpness];
    compare("camera_pipe.ivl", "camera_pipe", &sharp, &inputs, 0.0);
}

/// A number from 0 to 1 that looks random.
fn noise(x: i32, y: i32, k: i32) -> f32 {
    let mut h =
        (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77) ^ (k as u32).wrapping_mul(0xc2b2_ae3d);
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    ((h ^ (h >> 15)) >> 8) as f32 * (1.0 / 16_777_216.0)
}

#[test]
fn lens_blur() {
    let (w, h) = (90, 62);
    let (slices, focus, scale, samples) = (12i32, 2i32, 0.75f32, 10i32);
    let [left, right] = stereo(w, h);
    let radius = ((slices - focus).max(focus) as f32 * scale) as i32;
    let (l, r) = (left.clone(), right.clone());
    let cost = remembered(move |[x, y, z, _]| {
        let squares = [0, 1, 2].map(|c| {
            let off = |dx: i32| (i32::from(l.near([x, y, c])) - i32::from(r.near([x + dx, y, c]))).abs();
            let d = off(2 * z).min(off(2 * z + 1)) as f32;
            d * d
        });
        squares[0] + squares[1] + squares[2]
    });
    let base = cost.clone();
    let confidence = remembered(move |[x, y, _, _]| {
        let costs = || (0..slices).map(|z| base([x, y, z, 0]));
        let mean = costs().fold(0.0, |sum, v| sum + v / slices as f32);
        costs().fold(0.0, |sum, v| sum + v * v) / slices as f32 - mean * mean
    });
    let sure = confidence.clone();
    let mut push =
        vec![remembered(move |[x, y, z, c]| if c == 0 { cost([x, y, z, 0]) * sure([x, y, 0, 0]) } else { sure([x, y, 0, 0]) })];
    for i in 1..8 {
        let (columns, rows) = ((w >> i).max(1), (h >> i).max(1));
        let finer = push[i - 1].clone();
        let mean = |a: f32, b: f32, c: f32, d: f32| (a + 3.0 * (b + c) + d) / 8.0;
        let narrow = remembered(move |[x, y, z, c]| {
            let at = |x| finer([x, y, z, c]);
            mean(at(2 * x - 1), at(2 * x), at(2 * x + 1), at(2 * x + 2))
        });
        push.push(remembered(move |[x, y, z, c]| {
            let (x, y) = (x.clamp(0, columns - 1), y.clamp(0, rows - 1));
            let at = |y| narrow([x, y, z, c]);
            mean(at(2 * y - 1), at(2 * y), at(2 * y + 1), at(2 * y + 2))
        }));
    }
    let mut pull = push[7].clone();
    for i in (0..7).rev() {
        let (finer, coarser) = (push[i].clone(), pull);
        let between = |v: i32| (v.div_euclid(2) - 1 + 2 * v.rem_euclid(2), v.div_euclid(2));
        let wide = remembered(move |[x, y, z, c]| {
            let (far, near) = between(x);
            0.25 * coarser([far, y, z, c]) + 0.75 * coarser([near, y, z, c])
        });
        pull = remembered(move |[x, y, z, c]| {
            let (far, near) = between(y);
            (0.25 * wide([x, far, z, c]) + 0.75 * wide([x, near, z, c])) * (1.0 - 0.5) + finer([x, y, z, c]) * 0.5
        });
    }
    let depth = remembered(move |[x, y, _, _]| {
        let filtered: Vec<f32> = (0..slices).map(|z| pull([x, y, z, 0]) / pull([x, y, z, 1])).collect();
        let least = filtered.iter().copied().fold(f32::INFINITY, f32::min);
        filtered.iter().position(|&v| v == least).expect("one of them") as i32
    });
    let found = |z| (0..w).filter(|&x| depth([x, h / 2, 0, 0]) == z).count();
    assert!(found(8) >= 5 && found(2) >= 20, "both distances are found in the row through the centre");
    let depths = depth.clone();
    let spread = remembered(move |[x, y, _, _]| (depths([x, y, 0, 0]) - focus).abs() as f32 * scale);
    let around = spread.clone();
    let worst_y = remembered(move |[x, y, _, _]| (-radius..radius + 1).map(|d| around([x, y + d, 0, 0])).fold(0.0, f32::max));
    let worst = remembered(move |[x, y, _, _]| (-radius..radius + 1).map(|d| worst_y([x + d, y, 0, 0])).fold(0.0, f32::max));
    let colour = |x: i32, y: i32, c: i32| if c < 3 { f32::from(left.near([x, y, c])) } else { 255.0 };
    let total = |x: i32, y: i32, c: i32| {
        let mut sum = colour(x, y, c);
        for s in 0..samples {
            let place = |k| (((noise(x, y, k) - 0.5) * 2.0 * worst([x, y, 0, 0])) as i32).clamp(-radius, radius);
            let (u, v) = (place(2 * s), place(2 * s + 1));
            let (there, far) = ([x + u, y + v, 0, 0], (u * u + v * v) as f32);
            let squared = |point| spread(point) * spread(point);
            let reaches = far < squared([x, y, 0, 0]) || depth(there) < depth([x, y, 0, 0]);
            let weight = if reaches && far < squared(there) { 1.0 } else { 0.0 };
            sum += weight * colour(x + u, y + v, c);
        }
        sum
    };
    let blurred = Image::from_fn([w, h, 3], |[x, y, c]| total(x, y, c) / total(x, y, 3));
    let inputs: [&dyn super::Argument; 6] = [&left, &right, &slices, &focus, &scale, &samples];
    compare("lens_blur.ivl", "lens_blur", &blurred, &inputs, 0.0);
}
