//! Products of matrices at sizes for which the automatic schedule has tiles, panels and threads, and at those beside: however they are
//! written, they are what plain loops give. Numbers are small and whole, so that floats hold all sums, whatever their order is.

use super::pages::Guarded;
use ivl_random::Random;
use ivlc::driver::{Options, Session};
use std::fmt::Write;

/// How a product is written.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Does A lie by columns?
    pub a_by_columns: bool,
    /// Does B?
    pub b_by_columns: bool,
    /// Do other statements go on with it?
    pub has_epilogue: bool,
    /// Do these want no more than its lower triangle, and call their indices by other names?
    pub is_masked: bool,
    /// Is it one of many?
    pub is_batched: bool,
    /// Is it added to what is there?
    pub accumulates: bool,
}

/// All forms.
pub fn forms() -> impl Iterator<Item = Form> {
    (0..32).map(|bits| Form {
        a_by_columns: bits & 1 != 0,
        b_by_columns: bits & 2 != 0,
        is_batched: bits & 4 != 0,
        has_epilogue: bits & 8 != 0,
        is_masked: bits & 24 == 24,
        accumulates: bits & 24 == 16,
    })
}

/// The sizes of a product: rows, columns, and what is reduced.
pub type Sizes = [usize; 3];

/// The C signature of what runs it: sizes and memory.
type Code = extern "C" fn(*const i32, *const *mut f32);

const BATCH: usize = 2;

fn text(form: Form) -> String {
    let (a, at_a) = if form.a_by_columns { ("K, M", "k, i") } else { ("M, K", "i, k") };
    let (b, at_b) = if form.b_by_columns { ("N, K", "j, k") } else { ("K, N", "k, j") };
    let (size, index) = if form.is_batched { ("P, ", "p, ") } else { ("", "") };
    // Factors may be swapped.
    let product = match form.a_by_columns == form.b_by_columns {
        true => format!("A({index}{at_a}) * B({index}{at_b})"),
        false => format!("B({index}{at_b}) * A({index}{at_a})"),
    };
    let last = format!("{index}i, j");
    let body = match form.has_epilogue {
        true if form.is_masked => {
            let at = format!("{index}j, i");
            format!(
                "T({last}) +=! {product}  U({at}) = T({at}) + 2.0  C({at}) = i <= j ? max(U({at}) * 3.0, -5.0) : 7.0 where exists U({at})"
            )
        }
        true => format!("T({last}) +=! {product}  U({last}) = T({last}) + 2.0  C({last}) = max(U({last}) * 3.0, -5.0)"),
        false if form.accumulates => format!("C({last}) += {product}"),
        false => format!("C({last}) +=! {product}"),
    };
    let (own, results) = match form.accumulates {
        true => (format!("inout float({size}M, N) C, "), ""),
        false => (String::new(), "-> (C) "),
    };
    let rank = if form.is_batched { 3 } else { 2 };
    let mut text = format!("def product({own}float({size}{a}) A, float({size}{b}) B) {results}{{ {body} }}\n");
    text += "export void __run(int *sizes, float **memory) {\n";
    for (v, name) in ["C", "A", "B"].iter().enumerate() {
        let _ = writeln!(text, "    __view{rank}_float {name};\n    {name}.data = memory[{v}];\n    int64 stride{v} = 1;");
        // The last dimension is the dense one.
        for (k, d) in (0..rank).rev().enumerate() {
            let extent = format!("sizes[{}]", v * 3 + k);
            let _ = writeln!(
                text,
                "    {name}.min[{d}] = 0;\n    {name}.extent[{d}] = {extent};\n    {name}.stride[{d}] = stride{v};\n    stride{v} *= {extent};"
            );
        }
    }
    text + "    product.auto(C, A, B);\n}\n"
}

/// Numbers that end where a page is that nobody may touch.
fn guarded(numbers: &[f32]) -> Guarded {
    let memory = Guarded::new(size_of_val(numbers), true);
    // SAFETY: there is room for them.
    unsafe { memory.data().cast::<f32>().copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    memory
}

/// Compares a form for some sizes; a mistake is one of the plain loops.
pub fn compare(form: Form, width: u8, all: &[Sizes], mistake: i64) -> Result<(), String> {
    let options = Options { width: Some(width), ..super::options() };
    let mut session = Session::default();
    session.load_text("product.ivl".into(), None, text(form));
    let Some(typed) = session.check(&options) else {
        return Err(format!("{form:?}: {:?}", session.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()));
    };
    let module = session.lower(&typed, &options);
    let settings = ivlc::llvm::Options { isa: options.isa, level: options.level, debug_info: false, sources: &session.sources };
    let jit = ivlc::llvm::Jit::new(&module, &settings).map_err(|e| format!("LLVM: {e}"))?;
    let address = jit.address("__run").ok_or("there is no entry")?;
    // SAFETY: it has this signature.
    let run: Code = unsafe { std::mem::transmute(address) };
    let count = if form.is_batched { BATCH } else { 1 };
    for &[m, n, k] in all {
        let random = &mut Random::new((m * 31 + n * 7 + k) as u64);
        let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| random.between(-3, 3) as f32).collect() };
        let (a, b) = (numbers(count * m * k), numbers(count * k * n));
        // What is read or written beside a matrix ends the test.
        let before = if form.accumulates { numbers(count * m * n) } else { vec![f32::NAN; count * m * n] };
        let [c, own_a, own_b] = [&before, &a, &b].map(|numbers| guarded(numbers));
        let dense =
            |is_by_columns: bool, rows: usize, columns: usize| if is_by_columns { [rows, columns] } else { [columns, rows] };
        let shapes = [[n, m], dense(form.a_by_columns, m, k), dense(form.b_by_columns, k, n)];
        let sizes: Vec<i32> = shapes.iter().flat_map(|&[x, y]| [x, y, count]).map(|size| size as i32).collect();
        run(sizes.as_ptr(), [&c, &own_a, &own_b].map(|memory| memory.data().cast()).as_ptr());
        // SAFETY: so many numbers were written.
        let c = unsafe { std::slice::from_raw_parts(c.data().cast::<f32>(), count * m * n) };
        for p in 0..count {
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let a_at = |r: usize| a[p * m * k + if form.a_by_columns { r * m + i } else { i * k + r }] as i64;
                let b_at = |r: usize| b[p * k * n + if form.b_by_columns { j * k + r } else { r * n + j }] as i64;
                let sum: i64 = (0..k).map(|r| a_at(r) * b_at(r)).sum::<i64>() + mistake;
                let at = p * m * n + i * n + j;
                let sum = if form.accumulates { sum + before[at] as i64 } else { sum };
                let wanted = match form.has_epilogue {
                    true if form.is_masked && j > i => 7,
                    true => ((sum + 2) * 3).max(-5),
                    false => sum,
                };
                let found = c[at];
                if found != wanted as f32 {
                    return Err(format!("{form:?}, width {width}: {m}×{n}×{k}, at {p}, {i}, {j}: {found}, not {wanted}"));
                }
            }
        }
    }
    Ok(())
}
