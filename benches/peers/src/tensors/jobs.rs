//! What is computed: the definitions at the sizes of the paper, and products of matrices.

use super::products::Product;
use crate::buffer::Buffer;
use crate::tensors as kernels;
use ivl::{View, ViewMut};
use ivl_random::Random;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

/// Elements of a tensor.
enum Elements {
    Floats(Buffer<f32>),
    Ints(Buffer<i32>),
}

/// A tensor by rows; the elements of one that is an input are not changed.
#[derive(Clone)]
pub struct Tensor {
    shape: Vec<usize>,
    elements: Rc<Elements>,
}

impl Tensor {
    /// Numbers in [-1, 1).
    fn floats_of(place: usize, shape: &[usize]) -> Tensor {
        let mut random = Random::new(place as u64 + 1);
        let mut next = || (random.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| next()).collect();
        Tensor { shape: shape.to_vec(), elements: Rc::new(Elements::Floats(Buffer::new(place, &values))) }
    }

    /// Squares of such.
    fn squares_of(place: usize, shape: &[usize]) -> Tensor {
        let made = Tensor::floats_of(place, shape);
        let values: Vec<f32> = made.floats().iter().map(|x| x * x).collect();
        Tensor { shape: made.shape, elements: Rc::new(Elements::Floats(Buffer::new(place, &values))) }
    }

    /// Numbers of rows below `end`.
    fn rows_of(place: usize, shape: &[usize], end: u64) -> Tensor {
        let mut random = Random::new(place as u64 + 1);
        let values: Vec<i32> = (0..shape.iter().product()).map(|_| ((random.bits() >> 20) % end) as i32).collect();
        Tensor { shape: shape.to_vec(), elements: Rc::new(Elements::Ints(Buffer::new(place, &values))) }
    }

    /// All elements, of one that has floats.
    pub fn floats(&self) -> &[f32] {
        match &*self.elements {
            Elements::Floats(floats) => floats,
            Elements::Ints(_) => panic!("a tensor of floats"),
        }
    }

    fn view<const R: usize>(&self) -> View<'_, f32, R> {
        View::row_major(self.floats(), self.extents()).expect("as many elements as the shape says")
    }

    fn ints<const R: usize>(&self) -> View<'_, i32, R> {
        match &*self.elements {
            Elements::Ints(ints) => View::row_major(ints, self.extents()).expect("as many elements as the shape says"),
            Elements::Floats(_) => panic!("a tensor of numbers of rows"),
        }
    }

    fn extents<const R: usize>(&self) -> [usize; R] {
        self.shape[..].try_into().expect("a tensor of this rank")
    }
}

/// A result.
pub struct Output {
    shape: Vec<usize>,
    floats: Buffer<f32>,
}

impl Output {
    fn view<const R: usize>(&mut self) -> ViewMut<'_, f32, R> {
        let extents = self.shape[..].try_into().expect("a tensor of this rank");
        ViewMut::row_major(&mut self.floats, extents).expect("as many elements as the shape says")
    }
}

/// A file with an input.
pub struct File {
    pub path: PathBuf,
    pub element: &'static str,
    pub shape: Vec<usize>,
}

type Run = fn(&mut [Output], &[Tensor]) -> Result<(), ivl::Error>;

/// One of them with its data.
pub struct Job {
    pub row: &'static str,
    /// The definition.
    pub def: &'static str,
    pub size: String,
    pub inputs: Vec<Tensor>,
    outputs: Vec<Output>,
    /// How many operations its text has for all points.
    pub operations: f64,
    /// What it is, if it is a product of matrices.
    pub product: Option<Product>,
    run: Run,
}

impl Job {
    fn new(
        row: &'static str,
        def: &'static str,
        size: String,
        inputs: Vec<Tensor>,
        outputs: &[&[usize]],
        operations: usize,
        run: Run,
    ) -> Job {
        let output = |(d, shape): (usize, &&[usize])| Output {
            shape: shape.to_vec(),
            floats: Buffer::new(inputs.len() + d, &vec![0.0; shape.iter().product()]),
        };
        let outputs = outputs.iter().enumerate().map(output).collect();
        Job { row, def, size, inputs, outputs, operations: operations as f64, product: None, run }
    }

    /// Runs it.
    pub fn run(&mut self) {
        (self.run)(&mut self.outputs, &self.inputs).expect("arguments that the definition takes");
    }

    /// How many elements each result has.
    pub fn lengths(&self) -> Vec<usize> {
        self.outputs.iter().map(|output| output.floats.len()).collect()
    }

    /// All results of the last run.
    pub fn results(&self) -> Vec<f64> {
        self.outputs.iter().flat_map(|output| output.floats.iter().map(|&v| v.into())).collect()
    }

    /// Writes what it reads to files.
    pub fn write_inputs(&self, folder: &Path) -> io::Result<Vec<File>> {
        let mut files = Vec::new();
        for (i, input) in self.inputs.iter().enumerate() {
            let path = folder.join(format!("{i}.raw"));
            let (element, bytes) = match &*input.elements {
                Elements::Floats(floats) => ("float32", floats.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()),
                Elements::Ints(ints) => ("int32", ints.iter().flat_map(|v| v.to_le_bytes()).collect()),
            };
            fs::write(&path, bytes)?;
            files.push(File { path, element, shape: input.shape.clone() });
        }
        Ok(files)
    }
}

/// Inputs of these shapes, each at a place of its own.
fn floats(shapes: &[&[usize]]) -> Vec<Tensor> {
    shapes.iter().enumerate().map(|(place, shape)| Tensor::floats_of(place, shape)).collect()
}

/// Numbers with × between them.
fn times(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("×")
}

fn product(row: &'static str, def: &'static str, [m, n, k]: [usize; 3]) -> Job {
    let (a_by_columns, b_by_columns) = (def == "mm_by_columns", matches!(def, "tmm" | "c3"));
    let a = if a_by_columns { [k, m] } else { [m, k] };
    let b = if b_by_columns { [n, k] } else { [k, n] };
    let run: Run = match def {
        "mm" => |o, i| kernels::mm::auto_into(o[0].view(), i[0].view(), i[1].view()),
        "mm_by_columns" => |o, i| kernels::mm_by_columns::auto_into(o[0].view(), i[0].view(), i[1].view()),
        "tmm" => |o, i| kernels::tmm::auto_into(o[0].view(), i[0].view(), i[1].view()),
        _ => |o, i| kernels::c3::auto_into(o[0].view(), i[0].view(), i[1].view()),
    };
    let made = Job::new(row, def, times(&[m, n, k]), floats(&[&a, &b]), &[&[m, n]], 2 * m * n * k, run);
    Job { product: Some(Product { batch: 1, m, n, k, a_by_columns, b_by_columns }), ..made }
}

fn batched([batch, k, m, n]: [usize; 4]) -> Job {
    let inputs = floats(&[&[batch, n, m], &[batch, k, m]]);
    let run: Run = |o, i| kernels::tbmm::auto_into(o[0].view(), i[0].view(), i[1].view());
    let made = Job::new("tbmm", "tbmm", times(&[batch, n, k, m]), inputs, &[&[batch, n, k]], 2 * batch * n * m * k, run);
    Job { product: Some(Product { batch, m: n, n: k, k: m, a_by_columns: false, b_by_columns: true }), ..made }
}

fn kronecker3(m: usize, d: usize, n: usize) -> Job {
    let inputs = floats(&[&[d, n], &[d, n], &[d, n], &[m, n, n, n]]);
    let outputs: [&[usize]; 3] = [&[m, d, d, d], &[m, n, d, d], &[m, n, n, d]];
    let operations = 2 * m * d * n * (n * n + n * d + d * d);
    Job::new("Kronecker3", "kronecker3", format!("M {m}, D {d}, N {n}"), inputs, &outputs, operations, |o, i| {
        let [y, xw1, xw2] = o else { panic!("three results") };
        kernels::kronecker3::auto_into(y.view(), xw1.view(), xw2.view(), i[0].view(), i[1].view(), i[2].view(), i[3].view())
    })
}

fn group_convolution(n: usize, g: usize, c: usize, size: usize) -> Job {
    let out = size - 2;
    let inputs = floats(&[&[n, g, c, size, size], &[g, c, c, 3, 3], &[g, c]]);
    let points = n * g * c * out * out;
    let size = format!("N {n}, G {g}, C {c}, {size}×{size}, 3×3");
    Job::new("group convolution", "group_convolution", size, inputs, &[&[n, g, c, out, out]], points * (18 * c + 1), |o, i| {
        kernels::group_convolution::auto_into(o[0].view(), i[0].view(), i[1].view(), i[2].view())
    })
}

fn look_ups(tables: usize, [e, d, b, l]: [usize; 4]) -> Job {
    let table = |place| [Tensor::floats_of(place, &[e, d]), Tensor::rows_of(place + 1, &[b, l], e as u64)];
    let inputs: Vec<Tensor> = (0..tables).flat_map(|k| table(2 * k)).collect();
    let (row, def, run): (_, _, Run) = match tables {
        1 => ("1LUT", "lut1", |o, i| kernels::lut1::auto_into(o[0].view(), i[0].view(), i[1].ints())),
        _ => ("2LUT", "lut2", |o, i| {
            let [first, second] = o else { panic!("two results") };
            kernels::lut2::auto_into(first.view(), second.view(), i[0].view(), i[1].ints(), i[2].view(), i[3].ints())
        }),
    };
    let size = format!("E {e}, D {d}, B {b}, L {l}");
    Job::new(row, def, size, inputs, &vec![&[b, d][..]; tables], tables * b * d * l, run)
}

fn mlp1([b, m, n]: [usize; 3]) -> Job {
    let inputs = floats(&[&[b, m], &[m, n], &[n]]);
    Job::new("MLP1", "mlp1", times(&[b, m, n]), inputs, &[&[b, n]], b * n * (2 * m + 2), |o, i| {
        kernels::mlp1::auto_into(o[0].view(), i[0].view(), i[1].view(), i[2].view())
    })
}

fn mlp3([b, n, o, p, q]: [usize; 5]) -> Job {
    let inputs = floats(&[&[b, n], &[o, n], &[o], &[p, o], &[p], &[q, p], &[q]]);
    let operations = b * (o * (2 * n + 2) + p * (2 * o + 2) + q * (2 * p + 2));
    let outputs: [&[usize]; 3] = [&[b, o], &[b, p], &[b, q]];
    Job::new("MLP3", "mlp3", times(&[b, n, o, p, q]), inputs, &outputs, operations, |o, i| {
        let [o2, o3, o4] = o else { panic!("three results") };
        let (w2, b2, w3, b3, w4, b4) = (i[1].view(), i[2].view(), i[3].view(), i[4].view(), i[5].view(), i[6].view());
        kernels::mlp3::auto_into(o2.view(), o3.view(), o4.view(), i[0].view(), w2, b2, w3, b3, w4, b4)
    })
}

fn group_norm([n, g, d, h, w]: [usize; 5]) -> Job {
    let inputs = floats(&[&[n, g, d, h, w], &[g, d], &[g, d]]);
    let outputs: [&[usize]; 3] = [&[n, g, d, h, w], &[n, g], &[n, g]];
    Job::new("group norm", "group_normalization", times(&[n, g, d, h, w]), inputs, &outputs, n * g * d * h * w * 9, |o, i| {
        let [to, mean, var] = o else { panic!("three results") };
        let (x, gamma, beta) = (i[0].view(), i[1].view(), i[2].view());
        kernels::group_normalization::auto_into(to.view(), mean.view(), var.view(), x, gamma, beta)
    })
}

fn moments([n, k]: [usize; 2]) -> Job {
    Job::new("moments", "moments", times(&[n, k]), floats(&[&[n, k]]), &[&[n], &[n]], 3 * n * k, |o, i| {
        let [mean, var] = o else { panic!("two results") };
        kernels::moments::auto_into(mean.view(), var.view(), i[0].view())
    })
}

fn softmax([n, d]: [usize; 2]) -> Job {
    let outputs: [&[usize]; 4] = [&[n, d], &[n], &[n, d], &[n]];
    Job::new("softmax", "softmax", times(&[n, d]), floats(&[&[n, d]]), &outputs, 5 * n * d, |o, i| {
        let [to, greatest, distances, sums] = o else { panic!("four results") };
        kernels::softmax::auto_into(to.view(), greatest.view(), distances.view(), sums.view(), i[0].view())
    })
}

fn layer_norm([t, b, c]: [usize; 3]) -> Job {
    let outputs: [&[usize]; 4] = [&[t, b, c], &[t, b], &[t, b, c], &[t, b]];
    Job::new("layer norm", "layernorm", times(&[t, b, c]), floats(&[&[t, b, c]]), &outputs, 9 * t * b * c, |o, i| {
        let [to, mean, centered, var] = o else { panic!("four results") };
        kernels::layernorm::auto_into(to.view(), mean.view(), centered.view(), var.view(), i[0].view())
    })
}

fn batch_norm([n, c, h, w]: [usize; 4]) -> Job {
    let all = [n, c, h, w];
    let outputs: [&[usize]; 8] = [&all, &[c], &[c], &[c], &all, &all, &[c], &all];
    let inputs = vec![Tensor::floats_of(0, &all), Tensor::floats_of(1, &[c]), Tensor::squares_of(2, &[c])];
    Job::new("batch norm", "batchnorm", times(&all), inputs, &outputs, 8 * n * c * h * w, |o, i| {
        let [to, running_mean, running_var, mean, centered, variance, expected, normalized] = o else { panic!("eight results") };
        let (a, b, c, d) = (to.view(), running_mean.view(), running_var.view(), mean.view());
        let (e, f, g, h) = (centered.view(), variance.view(), expected.view(), normalized.view());
        kernels::batchnorm::auto_into(a, b, c, d, e, f, g, h, i[0].view(), i[1].view(), i[2].view())
    })
}

/// What makes a job, when it is its turn.
type Maker = Box<dyn FnOnce() -> Job>;

/// All jobs; the longest one is left out of a quick run.
pub fn all(quick: bool) -> impl Iterator<Item = Job> {
    let mut all: Vec<Maker> = Vec::new();
    let layouts = [("A(i,k)·B(k,j)", "mm"), ("A(i,k)·B(j,k)", "tmm"), ("A(k,i)·B(k,j)", "mm_by_columns")];
    let squares = [64, 128, 256, 512, 1024].map(|n| [n, n, n]);
    for (row, def) in layouts {
        all.extend(squares.map(|sizes| Box::new(move || product(row, def, sizes)) as Maker));
        all.extend([[512, 512, 32], [128, 256, 32]].map(|sizes| Box::new(move || product(row, def, sizes)) as Maker));
    }
    let longest = if quick { None } else { Some([128, 16384, 4096]) };
    for sizes in [Some([128, 1024, 1024]), longest].into_iter().flatten() {
        all.push(Box::new(move || product("A(i,k)·B(j,k)", "tmm", sizes)));
    }
    all.push(Box::new(|| batched([500, 26, 72, 26])));
    for (c, size) in [(4, 56), (8, 28), (16, 14), (32, 7)] {
        all.push(Box::new(move || group_convolution(32, 32, c, size)));
    }
    all.push(Box::new(|| kronecker3(256, 16, 16)));
    all.push(Box::new(|| look_ups(1, [100_000, 64, 128, 50])));
    all.push(Box::new(|| look_ups(2, [100_000, 64, 128, 50])));
    all.push(Box::new(|| product("C3", "c3", [128, 1024, 1000])));
    all.push(Box::new(|| mlp1([128, 2000, 128])));
    all.push(Box::new(|| mlp3([128, 128, 64, 32, 2])));
    all.push(Box::new(|| group_norm([4, 32, 16, 12, 12])));
    all.push(Box::new(|| group_norm([32, 32, 4, 56, 56])));
    all.push(Box::new(|| moments([128, 2304])));
    all.push(Box::new(|| moments([128, 36864])));
    all.push(Box::new(|| softmax([128, 1000])));
    all.push(Box::new(|| softmax([4096, 128])));
    all.push(Box::new(|| layer_norm([64, 32, 512])));
    all.push(Box::new(|| batch_norm([32, 64, 28, 28])));
    all.into_iter().map(|make| make())
}
