//! `./x demo`: programs of the paper and of everyday life, compiled by this compiler for every instruction set that the
//! machine runs, beside their own scalar instances; pictures go to `out/`.
//!
//! Each program is one source. Its scalar instance is the same file compiled with `--width 1`, so that `varying` is
//! `block[1]`, for the best instruction set; speed-ups are against it. Loops over single numbers become lanes there as well, wherever they
//! are the same so.

use ivlc::machine::Isa;
use std::{error::Error, fs, path::Path, time::Instant};

#[path = "demo/jit.rs"]
mod jit;
#[path = "demo/picture.rs"]
mod picture;

use jit::Compiled;
use picture::Photo;

/// One line of the table: milliseconds of the scalar instance and of each target.
struct Row {
    name: String,
    scalar: f64,
    targets: Vec<(Isa, f64)>,
}

/// Best of several runs in milliseconds, as long as half a second lasts.
fn milliseconds(mut f: impl FnMut()) -> f64 {
    let (begin, mut best) = (Instant::now(), f64::INFINITY);
    for _ in 0..50 {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        if begin.elapsed().as_secs_f64() > 0.5 {
            break;
        }
    }
    best
}

/// Compiles `file` at width 1 and for each target and measures what `run` does with it. `run` returns the result, which
/// has to be the same number for number everywhere: `--fp strict` promises that.
fn measure<T: PartialEq>(
    name: &str,
    file: &str,
    isas: &[Isa],
    mut run: impl FnMut(&Compiled) -> (f64, T),
) -> Result<(Row, T), Box<dyn Error>> {
    eprintln!("  {name} …");
    let (scalar, expected) = run(&Compiled::new(file, Isa::host(), 1)?);
    let mut targets = Vec::new();
    for &isa in isas {
        let (time, result) = run(&Compiled::new(file, isa, isa.width())?);
        if result != expected {
            return Err(format!("{name}: {isa} and the scalar instance disagree").into());
        }
        targets.push((isa, time));
    }
    Ok((Row { name: name.to_owned(), scalar, targets }, expected))
}

/// How many records `search` looks at.
const RECORDS: usize = 16_000_000;

/// How many of them fit a cache.
const CACHED: usize = 65_536;

/// Figure 4 over 16 million records, as an array of structures and as a hybrid structure of arrays.
fn search(isas: &[Isa]) -> Result<Vec<Row>, Box<dyn Error>> {
    // One record near the end has a key in (4, 8]; key and other are neighbours.
    let record = |i: usize| [if i == RECORDS - 5 { 6 } else { 9 + (i % 1000) as i32 }, i as i32];
    let aos: Vec<i32> = (0..RECORDS).flat_map(record).collect();
    type Search = extern "C" fn(*const i32, i32) -> i32;
    let (aos_row, found) = measure("search, array of structures", "search.ivl", isas, |compiled| {
        let search: Search = compiled.function("search_aos");
        let mut found = 0;
        (milliseconds(|| found = search(aos.as_ptr(), RECORDS as i32)), found)
    })?;
    // Blocks of W keys and W others.
    let hybrid = |width: usize, records: std::ops::Range<usize>| {
        let mut blocks = vec![0i32; 2 * records.len()];
        for (i, number) in records.enumerate() {
            let [key, other] = record(number);
            let at = i / width * 2 * width + i % width;
            (blocks[at], blocks[at + width]) = (key, other);
        }
        blocks
    };
    let (hybrid_row, found_hybrid) = measure("search, hybrid SoA", "search.ivl", isas, |compiled| {
        let search: Search = compiled.function("search_hybrid");
        let blocks = hybrid(compiled.width.into(), 0..RECORDS);
        let mut found = 0;
        (milliseconds(|| found = search(blocks.as_ptr(), RECORDS as i32)), found)
    })?;
    // As many searches of the last 65,536 records, which stay in the cache, as there are in all.
    let (cached_row, found_cached) = measure("search, hybrid SoA, in cache", "search.ivl", isas, |compiled| {
        let search: Search = compiled.function("search_hybrid");
        let blocks = hybrid(compiled.width.into(), RECORDS - CACHED..RECORDS);
        let mut found = 0;
        (milliseconds(|| (0..RECORDS / CACHED).for_each(|_| found = search(blocks.as_ptr(), CACHED as i32))), found)
    })?;
    assert_eq!((found, found_hybrid, found_cached), (6, 6, 6), "the record with key 6 is there to be found");
    Ok(vec![aos_row, hybrid_row, cached_row])
}

/// A Gaussian and an unsharp mask over a photograph.
fn photograph(isas: &[Isa], out: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let photo = Photo::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/coffee.png").as_path())?;
    let (width, height, stride) = (photo.width as i32, photo.height as i32, photo.stride() as i32);
    type Gaussian = extern "C" fn(*const f32, *mut f32, *mut f32, i32, i32, i32);
    type Unsharp = extern "C" fn(*const f32, *const f32, *mut f32, f32, f32, i32, i32, i32);
    let blur = |compiled: &Compiled, to: &mut [Vec<f32>]| {
        let gaussian: Gaussian = compiled.function("gaussian5x5");
        let mut rows = vec![0f32; photo.planes[0].len()];
        for (from, to) in photo.planes.iter().zip(to) {
            gaussian(from.as_ptr(), rows.as_mut_ptr(), to.as_mut_ptr(), width, height, stride);
        }
    };
    let (blur_row, blurred) = measure("5×5 Gaussian, photograph", "filters.ivl", isas, |compiled| {
        let mut planes = photo.planes.clone();
        (milliseconds(|| blur(compiled, &mut planes)), planes)
    })?;
    let (sharp_row, sharp) = measure("unsharp mask, photograph", "filters.ivl", isas, |compiled| {
        let unsharp: Unsharp = compiled.function("unsharp");
        let mut planes = photo.planes.clone();
        let time = milliseconds(|| {
            for ((from, blurred), to) in photo.planes.iter().zip(&blurred).zip(&mut planes) {
                unsharp(from.as_ptr(), blurred.as_ptr(), to.as_mut_ptr(), 1.5, 0.01, width, height, stride);
            }
        });
        (time, planes)
    })?;
    photo.with_planes(blurred).write(&out.join("coffee-gaussian.png"))?;
    photo.with_planes(sharp).write(&out.join("coffee-unsharp.png"))?;
    Ok(vec![blur_row, sharp_row])
}

/// The Mandelbrot set.
fn mandelbrot(isas: &[Isa], out: &Path) -> Result<Row, Box<dyn Error>> {
    const WIDTH: usize = 1200;
    const HEIGHT: usize = 800;
    type Mandelbrot = extern "C" fn(f32, f32, f32, f32, i32, i32, i32, *mut i32);
    let (row, counts) = measure("Mandelbrot, 256 rounds", "mandelbrot.ivl", isas, |compiled| {
        let mandelbrot: Mandelbrot = compiled.function("mandelbrot");
        let mut counts = vec![0i32; WIDTH * HEIGHT];
        (milliseconds(|| mandelbrot(-2.0, -1.0, 1.0, 1.0, WIDTH as i32, HEIGHT as i32, 256, counts.as_mut_ptr())), counts)
    })?;
    let bytes = counts.iter().flat_map(|&c| picture::heat(c as f32 / 256.0)).collect();
    picture::write_rgb(&out.join("mandelbrot.png"), WIDTH, HEIGHT, bytes)?;
    Ok(row)
}

/// The ambient occlusion ray tracer.
fn aobench(isas: &[Isa], out: &Path) -> Result<Row, Box<dyn Error>> {
    const SIZE: usize = 256;
    type Render = extern "C" fn(i32, i32, i32, *mut f32);
    let (row, image) = measure("aobench, 4 × 64 rays a pixel", "aobench.ivl", isas, |compiled| {
        let render: Render = compiled.function("aobench");
        let mut image = vec![0f32; SIZE * SIZE];
        (milliseconds(|| render(SIZE as i32, SIZE as i32, 2, image.as_mut_ptr())), image)
    })?;
    let bytes = image.iter().flat_map(|&v| [(v * 255.0 + 0.5) as u8; 3]).collect();
    picture::write_rgb(&out.join("aobench.png"), SIZE, SIZE, bytes)?;
    Ok(row)
}

fn print_table(rows: &[Row], isas: &[Isa]) {
    let mut header = format!("| {:<30} | {:>10} |", "program (ms)", "scalar");
    let mut line = format!("|{}|{}:|", "-".repeat(32), "-".repeat(11));
    for isa in isas {
        header += &format!(" {:>17} |", format!("{isa} ×{}", isa.width()));
        line += &format!("{}:|", "-".repeat(18));
    }
    println!("{header}\n{line}");
    for row in rows {
        print!("| {:<30} | {:>10.3} |", row.name, row.scalar);
        for (_, time) in &row.targets {
            print!(" {:>17} |", format!("{time:.3} ({:.1}×)", row.scalar / time));
        }
        println!();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("out");
    fs::create_dir_all(&out)?;
    let isas: Vec<Isa> = Isa::PRINCIPAL.into_iter().filter(|isa| isa.runs_here()).collect();
    for isa in Isa::PRINCIPAL.into_iter().filter(|isa| !isa.runs_here()) {
        println!("{isa}: not run, this machine lacks it");
    }
    eprintln!("compiling and running (best of several runs, --fp strict, one thread):");
    let mut rows = search(&isas)?;
    rows.extend(photograph(&isas, &out)?);
    rows.push(mandelbrot(&isas, &out)?);
    rows.push(aobench(&isas, &out)?);
    println!();
    print_table(&rows, &isas);
    let best = rows[0].targets.iter().map(|(_, time)| *time).fold(rows[0].scalar, f64::min);
    println!(
        "\nA search reads {} MB once, at up to {:.0} GB/s: where memory is the limit, width does not help.",
        RECORDS * 8 / 1_000_000,
        RECORDS as f64 * 8.0 / best / 1e6
    );
    println!("The scalar instance is for {}: its plain loops are lanes where the compiler makes them so.", Isa::host());
    println!("Every target gave the same bits as the scalar instance. Pictures are in {}:", out.display());
    println!("coffee-gaussian.png, coffee-unsharp.png, mandelbrot.png, aobench.png");
    Ok(())
}
