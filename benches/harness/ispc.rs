//! The group `ispc`: the examples of Intel's compiler ispc beside the same jobs in IVL (`benches/ispc`), at several widths each. Their
//! sources and data are where `ISPC_EXAMPLES` says; nothing of them is here.

use super::buffer::Buffer;
use super::cases::{Kernels, numbers, runner, wide};
use super::compile::{self, Jits};
use super::pairs::Timed;
use super::{Case, Runner, Tolerance};
use ivl_random::Random;
use ivlc::machine::Isa;
use libloading::Library;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A job that both sides do.
pub struct Job {
    /// What the row is called.
    pub row: &'static str,
    /// What the row of the width that is taken where none is given is called.
    default_row: &'static str,
    /// The file in `benches/ispc` and its export.
    ours: (&'static str, &'static str),
    /// The file among the examples, and the exports that do the job.
    theirs: (&'static str, &'static [&'static str]),
    /// Which results are the same.
    tolerance: Tolerance,
    /// The size of the job in words; smaller where the run is to be quick.
    size: fn(bool) -> String,
    /// A runner on data of its own.
    runner: fn(&Side) -> Result<Runner, Box<dyn Error>>,
}

macro_rules! job {
    ($row:literal, $ours:expr, $theirs:expr, $tolerance:expr, $size:expr, $runner:expr) => {
        Job {
            row: $row,
            default_row: concat!($row, ", default width"),
            ours: $ours,
            theirs: $theirs,
            tolerance: $tolerance,
            size: $size,
            runner: $runner,
        }
    };
}

/// The kernels for products of matrices that need no tasks.
const SGEMM: (&str, &[&str]) = (
    "sgemm/SGEMM_kernels.ispc",
    &[
        "SGEMM_naive",
        "SGEMM_tileShuffle",
        "SGEMM_tileReduceAdd",
        "SGEMM_tileAtomicAdd",
        "SGEMM_tileNoSIMDIntrin",
        "SGEMM_tileBlockNoSIMDIntrin",
        "SGEMM_tileBlockNoSIMDIntrin_2",
    ],
);

/// Rows and columns of both factors.
const SGEMM_SIZE: &str = "256×64 · 64×512";

/// All jobs.
pub const JOBS: [Job; 11] = [
    job!(
        "mandelbrot",
        ("mandelbrot.ivl", "mandelbrot"),
        ("mandelbrot/mandelbrot.ispc", &["mandelbrot_ispc"]),
        // Where products are fused decides for a few points on which side of the circle they are.
        Tolerance::Mostly(0.0, 0.01),
        |quick| format!("768×{}, 256 rounds", mandelbrot_rows(quick)),
        mandelbrot
    ),
    job!(
        "black-scholes",
        ("options.ivl", "black_scholes"),
        ("options/options.ispc", &["black_scholes_ispc"]),
        Tolerance::Relative(1e-5),
        |quick| format!("{} options", option_count(quick)),
        options
    ),
    job!(
        "binomial",
        ("options.ivl", "binomial"),
        ("options/options.ispc", &["binomial_put_ispc"]),
        Tolerance::Relative(1e-4),
        |quick| format!("{} options, 64 steps", option_count(quick)),
        options
    ),
    job!(
        "noise",
        ("noise.ivl", "noise_image"),
        ("noise/noise.ispc", &["noise_ispc"]),
        Tolerance::Relative(1e-3),
        |quick| format!("768×{}, 8 octaves", noise_rows(quick)),
        noise
    ),
    job!(
        "stencil",
        ("stencil.ivl", "waves"),
        ("stencil/stencil.ispc", &["loop_stencil_ispc"]),
        Tolerance::Relative(1e-5),
        |quick| format!("{0}×{0}×{0}, 6 steps", stencil_edge(quick)),
        stencil
    ),
    job!(
        "volume",
        ("volume.ivl", "volume"),
        ("volume_rendering/volume.ispc", &["volume_ispc"]),
        // Rounding decides for a few rays whether they make one step more.
        Tolerance::Mostly(1e-3, 0.01),
        |quick| format!("{}×{}, 48×64×48 densities", 896 / volume_scale(quick), 1184 / volume_scale(quick)),
        volume
    ),
    job!(
        "rt",
        ("rt.ivl", "raytrace"),
        ("rt/rt.ispc", &["raytrace_ispc"]),
        // Rounding decides for a few rays on which side of an edge they pass.
        Tolerance::Mostly(1e-4, 0.001),
        |quick| format!("teapot, {0}×{0}", ray_columns(quick)),
        rt
    ),
    job!("sgemm", ("sgemm.ivl", "sgemm"), SGEMM, Tolerance::Relative(1e-5), |_| SGEMM_SIZE.to_owned(), sgemm),
    job!("sgemm-tiles", ("sgemm.ivl", "sgemm_tiles"), SGEMM, Tolerance::Relative(1e-5), |_| SGEMM_SIZE.to_owned(), sgemm),
    job!(
        "aobench",
        ("aobench.ivl", "aobench"),
        ("aobench/ao.ispc", &["ao_ispc"]),
        // The rays are random: what must agree is the picture's brightness.
        Tolerance::Each(5e-3),
        |quick| format!("{0}×{0}, 4 samples", ambient_edge(quick)),
        aobench
    ),
    job!(
        "sort",
        ("sort.ivl", "sort"),
        ("sort/sort.ispc", &["sort_ispc"]),
        Tolerance::None,
        |quick| format!("{} keys", sort_count(quick)),
        sort
    ),
];

/// One side of a job: an export at its address.
pub struct Side {
    /// Who wrote it, at which width.
    name: String,
    address: *const u8,
    ours: bool,
    quick: bool,
    examples: PathBuf,
}

impl Side {
    /// The export as a function of the C type that it has.
    ///
    /// # Safety
    /// `F` is a function pointer, with the signature of the export.
    unsafe fn function<F: Copy>(&self) -> F {
        assert_eq!(size_of::<F>(), size_of::<*const u8>(), "a pointer to a function");
        // SAFETY: the address is that of an export, whose type the caller knows.
        unsafe { std::mem::transmute_copy(&self.address) }
    }
}

fn mandelbrot_rows(quick: bool) -> usize {
    if quick { 128 } else { 512 }
}

fn mandelbrot(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Call = extern "C" fn(f32, f32, f32, f32, i32, i32, i32, *mut i32);
    // SAFETY: both sides have this signature.
    let call: Call = unsafe { side.function() };
    let (columns, rows) = (768, mandelbrot_rows(side.quick));
    Ok(runner(
        &side.name,
        Buffer::new(0, &vec![0i32; columns * rows]),
        move |d| call(-2.0, -1.0, 1.0, 1.0, columns as i32, rows as i32, 256, d.as_mut_ptr()),
        |d| d.iter().map(|&count| count.into()).collect(),
    ))
}

fn option_count(quick: bool) -> usize {
    if quick { 16 << 10 } else { 128 << 10 }
}

fn options(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Call = extern "C" fn(*const f32, *const f32, *const f32, *const f32, *const f32, *mut f32, i32);
    // SAFETY: both sides have this signature.
    let call: Call = unsafe { side.function() };
    let n = option_count(side.quick);
    // Spot and strike, years, interest and volatility.
    let ranges = [(80.0, 120.0), (80.0, 120.0), (0.5, 2.0), (0.01, 0.05), (0.1, 0.6)];
    let inputs: Vec<Buffer<f32>> =
        ranges.iter().enumerate().map(|(i, &(low, high))| Buffer::new(i, &numbers(n, i as u64, low, high))).collect();
    Ok(runner(
        &side.name,
        (inputs, Buffer::new(5, &vec![0f32; n])),
        move |(inputs, prices)| {
            let [spot, strike, years, rate, volatility] = std::array::from_fn(|i| inputs[i].as_ptr());
            call(spot, strike, years, rate, volatility, prices.as_mut_ptr(), n as i32);
        },
        |(_, prices)| wide(prices),
    ))
}

fn noise_rows(quick: bool) -> usize {
    if quick { 192 } else { 768 }
}

fn noise(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Call = extern "C" fn(f32, f32, f32, f32, i32, i32, *mut f32);
    // SAFETY: both sides have this signature.
    let call: Call = unsafe { side.function() };
    let (columns, rows) = (768, noise_rows(side.quick));
    Ok(runner(
        &side.name,
        Buffer::new(0, &vec![0f32; columns * rows]),
        move |d| call(-10.0, -10.0, 10.0, 10.0, columns as i32, rows as i32, d.as_mut_ptr()),
        |d| wide(d),
    ))
}

fn stencil_edge(quick: bool) -> usize {
    if quick { 64 } else { 128 }
}

/// Coefficients, the speeds of waves, and two moments in time.
type Waves = ([f32; 4], Buffer<f32>, Buffer<f32>, Buffer<f32>);

/// What a run takes does not depend on the values, which grow from run to run.
fn stencil(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Ours = extern "C" fn(i32, i32, i32, i32, i32, *const f32, *const f32, *mut f32, *mut f32);
    // The first step and the last one; the first place inside and the last one, in three directions; the edges of the grid; the arrays.
    #[rustfmt::skip]
    type Theirs = extern "C" fn(
        i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, *const f32, *const f32, *mut f32, *mut f32,
    );
    let n = stencil_edge(side.quick);
    let grid = |number: usize, value: &dyn Fn(usize, usize, usize) -> f32| {
        let values: Vec<f32> = (0..n * n * n).map(|at| value(at % n, at / n % n, at / (n * n))).collect();
        Buffer::new(number, &values)
    };
    let speeds = grid(0, &|x, y, z| (x * y * z) as f32 / (n * n * n) as f32);
    let even = grid(1, &|x, y, _| if x < n / 2 { x as f32 / n as f32 } else { y as f32 / n as f32 });
    let data: Waves = ([0.5, -0.25, 0.125, -0.0625], speeds, even, grid(2, &|_, _, _| 0.0));
    let (n, border, steps) = (n as i32, 4, 6);
    let mut run: Box<dyn FnMut(&mut Waves)> = if side.ours {
        // SAFETY: `waves` of stencil.ivl has this signature.
        let call: Ours = unsafe { side.function() };
        Box::new(move |(c, speeds, even, odd)| {
            call(steps, border, n, n, n, c.as_ptr(), speeds.as_ptr(), even.as_mut_ptr(), odd.as_mut_ptr());
        })
    } else {
        // SAFETY: `loop_stencil_ispc` has this signature.
        let call: Theirs = unsafe { side.function() };
        let (b, e) = (border, n - border);
        Box::new(move |(c, speeds, even, odd)| {
            let (c, speeds, even, odd) = (c.as_ptr(), speeds.as_ptr(), even.as_mut_ptr(), odd.as_mut_ptr());
            call(0, steps, b, e, b, e, b, e, n, n, n, c, speeds, even, odd);
        })
    };
    Ok(runner(&side.name, data, move |d| run(d), |(_, _, even, _)| wide(even)))
}

/// A text of numbers.
fn numbers_of(file: &Path) -> Result<Vec<f32>, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let all: Result<Vec<f32>, _> = text.split_whitespace().map(str::parse).collect();
    Ok(all.map_err(|e| format!("{}: {e}", file.display()))?)
}

fn short(file: &Path) -> String {
    format!("{} has less data than expected", file.display())
}

/// The picture is smaller by this factor than that of the example, which takes a second.
fn volume_scale(quick: bool) -> usize {
    if quick { 8 } else { 4 }
}

/// Densities, their numbers, two matrices and the picture.
type Volume = (Buffer<f32>, [i32; 3], [f32; 16], [f32; 16], Buffer<f32>);

fn volume(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Ours = extern "C" fn(*const f32, i32, i32, i32, *const f32, *const f32, i32, i32, *mut f32);
    type Theirs = extern "C" fn(*const f32, *const i32, *const f32, *const f32, i32, i32, *mut f32);
    let folder = side.examples.join("volume_rendering");
    let camera = folder.join("camera.dat");
    let view = numbers_of(&camera)?;
    let [width, height, matrices @ ..] = view.as_slice() else { return Err(short(&camera).into()) };
    if matrices.len() < 32 {
        return Err(short(&camera).into());
    }
    let matrix = |from: usize| std::array::from_fn(|i| matrices[from + i]);
    let (mut to_camera, to_world): ([f32; 16], [f32; 16]) = (matrix(0), matrix(16));
    let scale = volume_scale(side.quick);
    // Columns 0 and 1 are what a pixel adds.
    (0..4).flat_map(|row| [4 * row, 4 * row + 1]).for_each(|at| to_camera[at] *= scale as f32);
    let (width, height) = (*width as i32 / scale as i32, *height as i32 / scale as i32);
    let file = folder.join("density_lowres.vol");
    let all = numbers_of(&file)?;
    let [nx, ny, nz, densities @ ..] = all.as_slice() else { return Err(short(&file).into()) };
    let n = [*nx as i32, *ny as i32, *nz as i32];
    if densities.len() != (n[0] * n[1] * n[2]) as usize {
        return Err(short(&file).into());
    }
    let image = Buffer::new(1, &vec![0f32; (width * height) as usize]);
    let data: Volume = (Buffer::new(0, densities), n, to_camera, to_world, image);
    let mut run: Box<dyn FnMut(&mut Volume)> = if side.ours {
        // SAFETY: `volume` of volume.ivl has this signature.
        let call: Ours = unsafe { side.function() };
        Box::new(move |(densities, n, to_camera, to_world, image)| {
            let (to_camera, to_world) = (to_camera.as_ptr(), to_world.as_ptr());
            call(densities.as_ptr(), n[0], n[1], n[2], to_camera, to_world, width, height, image.as_mut_ptr());
        })
    } else {
        // SAFETY: `volume_ispc` has this signature.
        let call: Theirs = unsafe { side.function() };
        Box::new(move |(densities, n, to_camera, to_world, image)| {
            let (to_camera, to_world) = (to_camera.as_ptr(), to_world.as_ptr());
            call(densities.as_ptr(), n.as_ptr(), to_camera, to_world, width, height, image.as_mut_ptr());
        })
    };
    Ok(runner(&side.name, data, move |d| run(d), |d| wide(&d.4)))
}

fn ray_columns(quick: bool) -> usize {
    if quick { 200 } else { 800 }
}

/// The little-endian words of a file, from its beginning on.
struct Words<'a> {
    file: &'a Path,
    words: std::vec::IntoIter<u32>,
}

impl<'a> Words<'a> {
    fn of(file: &'a Path) -> Result<Self, Box<dyn Error>> {
        let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Ok(Words { file, words: words.into_iter() })
    }

    fn take(&mut self, count: usize) -> Result<Vec<u32>, Box<dyn Error>> {
        if self.words.len() < count {
            return Err(short(self.file).into());
        }
        Ok(self.words.by_ref().take(count).collect())
    }

    fn floats<const N: usize>(&mut self) -> Result<[f32; N], Box<dyn Error>> {
        let words = self.take(N)?;
        Ok(std::array::from_fn(|i| f32::from_bits(words[i])))
    }
}

fn rt(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Call = extern "C" fn(i32, i32, i32, i32, *const f32, *const f32, *mut f32, *mut i32, *const u32, *const u32);
    // SAFETY: both sides have this signature; nodes and triangles are words.
    let call: Call = unsafe { side.function() };
    let folder = side.examples.join("rt");
    let (camera, tree) = (folder.join("teapot.camera"), folder.join("teapot.bvh"));
    let mut words = Words::of(&camera)?;
    let base = words.take(2)?;
    let (base_width, base_height) = (base[0] as i32, base[1] as i32);
    let to_world = words.floats::<16>()?;
    let to_camera = words.floats::<16>()?;
    let mut words = Words::of(&tree)?;
    // A node has 8 words in the file, too: a box, a place, and bytes.
    let node_count = words.take(1)?[0] as usize;
    let nodes = words.take(8 * node_count)?;
    // A triangle has three corners there, and in memory 4 words for each of them, its number from 1 on and 3 words more.
    let mut triangles = Vec::new();
    for number in 1..=words.take(1)?[0] {
        for corner in words.take(9)?.chunks(3) {
            triangles.extend([corner[0], corner[1], corner[2], 0]);
        }
        triangles.extend([number, 0, 0, 0]);
    }
    let columns = ray_columns(side.quick);
    let distances = Buffer::new(2, &vec![0f32; columns * columns]);
    let hits = Buffer::new(3, &vec![0i32; columns * columns]);
    let columns = columns as i32;
    let data = (Buffer::new(0, &nodes), Buffer::new(1, &triangles), distances, hits);
    Ok(runner(
        &side.name,
        data,
        move |(nodes, triangles, distances, hits)| {
            let (to_camera, to_world) = (to_camera.as_ptr(), to_world.as_ptr());
            let (nodes, triangles) = (nodes.as_ptr(), triangles.as_ptr());
            let (distances, hits) = (distances.as_mut_ptr(), hits.as_mut_ptr());
            call(columns, columns, base_width, base_height, to_camera, to_world, distances, hits, nodes, triangles);
        },
        // Where nothing is hit, the distance is 10³⁰, beside which all others would be the same.
        |(_, _, distances, _)| distances.iter().map(|&d| if d < 1e29 { d.into() } else { 0.0 }).collect(),
    ))
}

fn sgemm(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Call = extern "C" fn(*const f32, *const f32, *mut f32, i32, i32, i32);
    // SAFETY: both sides have this signature.
    let call: Call = unsafe { side.function() };
    let (m, n, k) = (256, 64, 512);
    let a = Buffer::new(0, &numbers(m * n, 1, 0.0, 10.0));
    let b = Buffer::new(1, &numbers(n * k, 2, 0.0, 10.0));
    Ok(runner(
        &side.name,
        (a, b, Buffer::new(2, &vec![0f32; m * k])),
        move |(a, b, c)| call(a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), m as i32, n as i32, k as i32),
        |(_, _, c)| wide(c),
    ))
}

fn ambient_edge(quick: bool) -> usize {
    if quick { 64 } else { 256 }
}

fn aobench(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Call = extern "C" fn(i32, i32, i32, *mut f32);
    // SAFETY: both sides have this signature.
    let call: Call = unsafe { side.function() };
    let edge = ambient_edge(side.quick);
    Ok(runner(
        &side.name,
        Buffer::new(0, &vec![0f32; 3 * edge * edge]),
        move |image| {
            // Theirs adds to what is there.
            image.fill(0.0);
            call(edge as i32, edge as i32, 2, image.as_mut_ptr());
        },
        |image| vec![wide(image).iter().sum::<f64>() / image.len() as f64],
    ))
}

fn sort_count(quick: bool) -> usize {
    if quick { 100_000 } else { 1_000_000 }
}

/// Keys, and where each of them was.
type Keys = (Buffer<u32>, Buffer<i32>);

fn sort(side: &Side) -> Result<Runner, Box<dyn Error>> {
    type Ours = extern "C" fn(*mut u32, *mut i32, i32);
    type Theirs = extern "C" fn(i32, *mut u32, *mut i32, i32);
    let n = sort_count(side.quick);
    let mut random = Random::new(1);
    // As numbers of C's `rand`, the keys have 31 bits.
    let unsorted: Vec<u32> = (0..n).map(|_| (random.bits() >> 33) as u32).collect();
    let mut run: Box<dyn FnMut(&mut Keys)> = if side.ours {
        // SAFETY: `sort` of sort.ivl has this signature.
        let call: Ours = unsafe { side.function() };
        Box::new(move |(keys, order)| call(keys.as_mut_ptr(), order.as_mut_ptr(), n as i32))
    } else {
        // SAFETY: `sort_ispc` has this signature.
        let call: Theirs = unsafe { side.function() };
        Box::new(move |(keys, order)| call(n as i32, keys.as_mut_ptr(), order.as_mut_ptr(), 1))
    };
    let data: Keys = (Buffer::new(0, &unsorted), Buffer::new(1, &vec![0i32; n]));
    Ok(runner(
        &side.name,
        data,
        move |data| {
            data.0.copy_from_slice(&unsorted);
            run(data);
        },
        |(keys, order)| keys.iter().map(|&k| f64::from(k)).chain(order.iter().map(|&i| f64::from(i))).collect(),
    ))
}

/// ispc and its examples.
pub struct Ispc<'a> {
    /// `ispc` and its version.
    pub compiler: String,
    examples: PathBuf,
    folder: &'a Path,
}

/// Code of one side at one width.
struct Code {
    /// What the side is called.
    name: String,
    ours: bool,
    address: *const u8,
}

/// A job on an instruction set, with the best widths of both sides.
pub struct Pair {
    /// Ours at its best width against theirs, and ours where no width is given against ours at its best width.
    pub cases: Vec<Case>,
    /// The times of all widths in words.
    pub note: String,
    /// The code that the cases call.
    _code: (Vec<Jits>, Vec<Library>),
}

impl<'a> Ispc<'a> {
    /// Looks for the compiler and for its examples; or says why there is no comparison. `folder` is for what is built.
    pub fn find(folder: &'a Path) -> Result<Ispc<'a>, String> {
        let version = Command::new("ispc").arg("--version").stderr(Stdio::null()).output().ok().filter(|o| o.status.success());
        let version = version.ok_or("there is no `ispc` in PATH")?;
        let text = String::from_utf8_lossy(&version.stdout).into_owned();
        let number = text.split([',', ' ']).find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let compiler = format!("ispc {}", number.unwrap_or("of unknown version"));
        let examples = std::env::var_os("ISPC_EXAMPLES");
        let examples =
            examples.ok_or("ISPC_EXAMPLES does not say where its examples are, the folder `examples/cpu` of its source")?;
        let examples = PathBuf::from(examples);
        match JOBS.iter().map(|job| examples.join(job.theirs.0)).find(|file| !file.is_file()) {
            Some(file) => {
                Err(format!("{} is not there: ISPC_EXAMPLES is the folder `examples/cpu` of its source", file.display()))
            }
            None => Ok(Ispc { compiler, examples, folder }),
        }
    }

    /// An example for a target of ispc, with what runs its tasks.
    fn build(&self, example: &str, target: &str) -> Result<Library, Box<dyn Error>> {
        let stem = format!("{}_{target}", example.replace(['/', '.'], "_"));
        let (object, library) = (self.folder.join(format!("{stem}.o")), self.folder.join(format!("{stem}.so")));
        // As their own build for release has it.
        let mut ispc = Command::new("ispc");
        ispc.arg(self.examples.join(example)).args(["-O3", "--pic", "--arch=x86-64", "--woff"]);
        ispc.arg(format!("--target={target}")).arg("-o").arg(&object);
        let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/ispc/tasks.c");
        let mut cc = Command::new("cc");
        cc.args(["-O2", "-fPIC", "-shared", "-o"]).args([&library, &object, &tasks]).arg("-lm");
        for command in [&mut ispc, &mut cc] {
            let output = command.output()?;
            if !output.status.success() {
                return Err(format!("{example} for {target}: {}", String::from_utf8_lossy(&output.stderr)).into());
            }
        }
        // SAFETY: the library was just built from kernels and our tasks, and runs no code when it is loaded.
        Ok(unsafe { Library::new(&library) }?)
    }

    /// Compiles a job at all widths of both sides and chooses the best ones.
    pub fn pair(&self, job: &Job, isa: Isa, quick: bool) -> Result<Pair, Box<dyn Error>> {
        let register = isa.width();
        let mut codes = Vec::new();
        let mut jits = Vec::new();
        for width in [None, Some(register / 2), Some(register), Some(2 * register), Some(4 * register)] {
            let jit = compile::example(job.ours.0, isa, width);
            let name = width.map_or("ivl without a width".to_owned(), |width| format!("ivl ×{width}"));
            codes.push(Code { name, ours: true, address: jit.address(job.ours.1) });
            jits.push(jit);
        }
        let mut libraries = Vec::new();
        for target in targets(isa) {
            let library = self.build(job.theirs.0, target)?;
            for export in job.theirs.1 {
                // SAFETY: the symbol is only turned into an address here.
                let symbol = unsafe { library.get::<unsafe extern "C" fn()>(export.as_bytes()) }?;
                let of_many = if job.theirs.1.len() > 1 { format!(", {export}") } else { String::new() };
                let name = format!("{} {target}{of_many}", self.compiler);
                codes.push(Code { name, ours: false, address: *symbol as *const u8 });
            }
            libraries.push(library);
        }
        let runner = |code: &Code| {
            let name = code.name.clone();
            (job.runner)(&Side { name, address: code.address, ours: code.ours, quick, examples: self.examples.clone() })
        };
        let times = times(&mut codes.iter().map(runner).collect::<Result<Vec<_>, _>>()?);
        let best = |ours: bool| {
            let of_side = codes.iter().zip(&times).filter(|(code, _)| code.ours == ours && code.name != codes[0].name);
            of_side.min_by(|a, b| a.1.total_cmp(b.1)).expect("each side has code").0
        };
        let (ours, theirs) = (best(true), best(false));
        let case = |row, size, ours, peer| -> Result<Case, Box<dyn Error>> {
            Ok(Case { row, isa, size, ours: runner(ours)?, peers: vec![runner(peer)?], tolerance: job.tolerance })
        };
        let size = (job.size)(quick);
        let cases =
            vec![case(job.row, format!("{size}; {}", ours.name), ours, theirs)?, case(job.default_row, size, &codes[0], ours)?];
        // Of several exports for one target, the fastest is said.
        let target = |code: &Code| code.name.split(", ").next().unwrap_or_default().to_owned();
        let is_fastest =
            |(code, time): &(&Code, &f64)| codes.iter().zip(&times).all(|(c, t)| target(c) != target(code) || t >= *time);
        let all = codes.iter().zip(&times).filter(is_fastest);
        let all = all.map(|(code, time)| format!("{} {:.3} ms", code.name, time / 1e6));
        let note = format!("{}, {isa}: {}", job.row, all.collect::<Vec<_>>().join("; "));
        Ok(Pair { cases, note, _code: (jits, libraries) })
    }
}

/// The targets of ispc that have the instructions of a level. For later processors (`avx512icl`, `avx512spr`) its code is the same but for
/// instructions that these jobs have no use for.
fn targets(isa: Isa) -> &'static [&'static str] {
    match isa {
        Isa::Avx2 => &["avx2-i32x8", "avx2-i32x16"],
        Isa::Avx512 => &["avx512skx-x8", "avx512skx-x16", "avx512skx-x32"],
        Isa::Sse2 | Isa::Sse4 | Isa::Avx | Isa::Avx2Vnni | Isa::Avx512x256 | Isa::Avx512Vnni => &[],
    }
}

/// The shortest time of a run of each, of five rounds in which they take turns.
fn times(runners: &mut [Runner]) -> Vec<f64> {
    const ROUND: f64 = 2e6;
    let runs: Vec<u32> = runners.iter_mut().map(|runner| (ROUND / runner.time(1)).clamp(1.0, 1e4) as u32).collect();
    let mut times = vec![f64::INFINITY; runners.len()];
    for _ in 0..5 {
        for ((runner, &runs), time) in runners.iter_mut().zip(&runs).zip(&mut times) {
            *time = time.min(runner.time(runs) / f64::from(runs));
        }
    }
    times
}
