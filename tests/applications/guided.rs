//! Upsampling with a guide: matrices of colours, fitted in a bilateral grid.

use super::compare_schedules;
use super::image::{Image, float_photo};
use super::program::Program;
use ivlc::driver::Options;
use ivlc::machine::Isa;

/// The sums of products of the entries of pixels: 4 rows of their own, then one for each colour behind the filter.
type Sums = [[f32; 4]; 7];

/// The grid of the sums: cells of a place and a brightness, from −1 in x and y, from −2 in z.
struct Grid {
    extent: [i32; 3],
    cells: Vec<Sums>,
}

impl Grid {
    fn new(extent: [i32; 3], f: impl Fn(i32, i32, i32) -> Sums) -> Grid {
        let [w, h, d] = extent;
        let mut cells = Vec::new();
        (0..d).for_each(|z| (0..h).for_each(|y| (0..w).for_each(|x| cells.push(f(x - 2, y - 2, z - 4)))));
        Grid { extent, cells }
    }

    /// A cell, which is empty outside.
    fn at(&self, x: i32, y: i32, z: i32) -> Sums {
        let [w, h, d] = self.extent;
        let (x, y, z) = (x + 2, y + 2, z + 4);
        let is_there = (0..w).contains(&x) && (0..h).contains(&y) && (0..d).contains(&z);
        if is_there { self.cells[((z * h + y) * w + x) as usize] } else { Sums::default() }
    }
}

/// Entry by entry.
fn combined(terms: &[(f32, Sums)]) -> Sums {
    let mut made = Sums::default();
    for (i, row) in made.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = terms.iter().map(|(weight, sums)| weight * sums[i][j]).reduce(|a, b| a + b).expect("terms");
        }
    }
    made
}

fn bright(colour: [f32; 3]) -> f32 {
    0.25 * colour[0] + 0.5 * colour[1] + 0.25 * colour[2]
}

/// The least squares of a cell: Cholesky's decomposition without roots, row by row.
fn solved(sums: &Sums) -> [[f32; 4]; 3] {
    let force = 0.001 * (sums[3][3] + 1.0);
    let (to, from) = ([sums[4][3], sums[5][3], sums[6][3]], [sums[3][0], sums[3][1], sums[3][2]]);
    let gain = (bright(to) + 0.001) / (bright(from) + 0.001);
    let (mut upper, mut lower) = ([[0.0f32; 4]; 7], [[0.0f32; 4]; 7]);
    for i in 0..7 {
        for j in 0..4.min(i + 1) {
            let mut value = sums[i][j];
            if i == j {
                value += force;
            } else if i == j + 4 {
                value += force * gain;
            }
            let known = (0..j).map(|k| upper[i][k] * lower[j][k]).reduce(|a, b| a + b);
            upper[i][j] = known.map_or(value, |known| value - known);
            lower[i][j] = upper[i][j] / upper[j][j];
        }
    }
    let mut matrix = [[0.0f32; 4]; 3];
    for o in 0..3 {
        for i in (0..4).rev() {
            let known = (i + 1..4).map(|k| lower[k][i] * matrix[o][k]).reduce(|a, b| a + b);
            matrix[o][i] = known.map_or(lower[4 + o][i], |known| lower[4 + o][i] - known);
        }
    }
    matrix
}

fn mix(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

/// The large picture, with cells of `size` small pixels, `depth` of them in brightness, and `up` times as many pixels.
fn upsampled([size, depth, up]: [i32; 3], low: &Image<f32>, done: &Image<f32>, large: &Image<f32>) -> Image<f32> {
    let [w, h] = [low.window[0].1, low.window[1].1];
    let entries = |x: i32, y: i32| {
        let [r, g, b] = [0, 1, 2].map(|c| low.near([x, y, c]));
        let [to_r, to_g, to_b] = [0, 1, 2].map(|c| done.near([x, y, c]));
        [r, g, b, 1.0, to_r, to_g, to_b]
    };
    let extent = [w / size + 6, h / size + 6, depth + 9];
    let sums = Grid::new(extent, |cx, cy, cz| {
        let mut sums = Sums::default();
        for ry in 0..size {
            for rx in 0..size {
                let all = entries(cx * size + rx - size / 2, cy * size + ry - size / 2);
                let bin = (bright([all[0], all[1], all[2]]) * depth as f32 + 0.5) as i32;
                if bin.clamp(0, depth) == cz {
                    (0..7).for_each(|i| (0..4).for_each(|j| sums[i][j] += all[i] * all[j]));
                }
            }
        }
        sums
    });
    let deep = Grid::new(extent, |x, y, z| {
        let weights = [(-2, 1.0), (-1, 4.0), (0, 6.0), (1, 4.0), (2, 1.0)];
        combined(&weights.map(|(d, weight)| (weight, sums.at(x, y, z + d))))
    });
    let near = |grid: &Grid, point: &dyn Fn(i32) -> [i32; 3]| {
        combined(&[(-1, 1.0), (0, 2.0), (1, 1.0)].map(|(d, weight)| {
            let [x, y, z] = point(d);
            (weight, grid.at(x, y, z))
        }))
    };
    let wide = Grid::new(extent, |x, y, z| near(&deep, &|d| [x + d, y, z]));
    let soft = Grid::new(extent, |x, y, z| near(&wide, &|d| [x, y + d, z]));
    let matrices: Vec<[[f32; 4]; 3]> = soft.cells.iter().map(solved).collect();
    let matrix = |x: i32, y: i32, z: i32| {
        let [w, h, _] = extent;
        matrices[(((z + 4) * h + y + 2) * w + x + 2) as usize]
    };
    let cell = 2 * up * size;
    let share = |v: i32| ((2 * v + 1) / cell, ((2 * v + 1) % cell) as f32 * (0.5 / up as f32 / size as f32));
    Image::from_fn([large.window[0].1, large.window[1].1, 3], |[x, y, c]| {
        let colour = [0, 1, 2].map(|c| large.at([x, y, c]));
        let ((cx, s), (cy, q)) = (share(x), share(y));
        let height = bright(colour).clamp(0.0, 1.0) * depth as f32;
        let cz = (height as i32).clamp(0, depth - 1);
        let t = height - cz as f32;
        let entry = |i: usize| {
            let row = |x: i32, z: i32| mix(matrix(x, cy, z)[c as usize][i], matrix(x, cy + 1, z)[c as usize][i], q);
            mix(mix(row(cx, cz), row(cx + 1, cz), s), mix(row(cx, cz + 1), row(cx + 1, cz + 1), s), t)
        };
        entry(0) * colour[0] + entry(1) * colour[1] + entry(2) * colour[2] + entry(3)
    })
}

/// A small picture, and the large one.
fn pictures(up: i32) -> [Image<f32>; 2] {
    let (w, h) = (29, 18);
    let large = float_photo(140, 90, w * up, h * up);
    let low = Image::from_fn([w, h, 3], |[x, y, c]| large.at([x * up + up / 2, y * up + up / 2, c]));
    [low, large]
}

#[test]
fn guided() {
    for sizes in [[8, 8, 4], [5, 6, 2], [3, 1, 1]] {
        let [low, large] = pictures(sizes[2]);
        // A curve of tones, and colours that depend on each other.
        let done = Image::from_fn([29, 18, 3], |[x, y, c]| {
            let (own, next) = (low.at([x, y, c]), low.at([x, y, (c + 1) % 3]));
            own * (1.5 - own) + 0.2 * next * next
        });
        let reference = upsampled(sizes, &low, &done, &large);
        let settings = [format!("S={}", sizes[0]), format!("R={}", sizes[1]), format!("guided.U={}", sizes[2])];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        // Its matrices are much to compile: other sizes have one schedule.
        let (settings, wanted): (_, fn(&str) -> bool) =
            if sizes[0] == 8 { (&[][..], |_| true) } else { (&settings, |schedule| schedule == "tuned") };
        compare_schedules(wanted, ("guided.ivl", "guided", settings), &reference, &[&low, &done, &large], 0.0);
    }
}

/// What is a matrix for all pixels is found, and done to the large picture.
#[test]
fn guided_by_a_matrix() {
    let [low, large] = pictures(4);
    let changed = |picture: &Image<f32>| {
        let [w, h] = [picture.window[0].1, picture.window[1].1];
        Image::from_fn([w, h, 3], |[x, y, c]| {
            let [r, g, b] = [0, 1, 2].map(|c| picture.at([x, y, c]));
            [0.7 * r + 0.2 * g + 0.05, 0.9 * g - 0.1 * b + 0.1, 0.3 * r + 0.5 * b + 0.15][c as usize]
        })
    };
    let (done, wanted) = (changed(&low), changed(&large));
    let mut found = Image::<f32>::new(&wanted.window);
    let program =
        Program::new("guided.ivl", "guided", &[], &[&found, &low, &done, &large], Options::new(Isa::host()), |s| s == "tuned");
    found = Image::new(&wanted.window);
    program.run("tuned", &[&found, &low, &done, &large]);
    let mean: f64 =
        found.pixels.iter().zip(&wanted.pixels).map(|(a, b)| f64::from((a - b).abs())).sum::<f64>() / found.pixels.len() as f64;
    assert!(mean < 0.01, "off by {mean} in the mean");
}
