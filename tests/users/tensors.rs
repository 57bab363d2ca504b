//! Definitions of tensors in crates: files called `.tc` in build scripts, and arrays of the crate `ndarray`.

use super::{Crate, root, run};

const DEFINITIONS: &str = "# y = A·x
def mv(float(M, K) A, float(K) x) -> (y) { y(i) +=! A(i, k) * x(k) }
def add(inout float(N) C, float(N) A, float s) { C(i) += A(i) * s }
def moved(float(N) A) -> (B) { B(i) = A(i - 1) }
";

#[test]
fn a_tc_file_is_compiled_by_a_build_script() {
    let made = Crate::new("tensors", "ivl_build::compile(\"src/k.tc\")");
    made.write("src/k.tc", DEFINITIONS);
    let main = "#![deny(warnings)]
        ivl::include_ivl!(\"k\");
        use ivl::{View, ViewMut};
        fn main() -> Result<(), ivl::Error> {
            let (a, x) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 10.0, 100.0]);
            let mut y = [0.0; 2];
            k::mv::auto_into(ViewMut::row_major(&mut y, [2])?, View::row_major(&a, [2, 3])?, View::row_major(&x, [3])?)?;
            assert_eq!(y, [321.0, 654.0]);
            let mut c = x;
            k::add::auto_into(ViewMut::row_major(&mut c, [3])?, View::row_major(&x, [3])?, 2.0)?;
            k::add::auto(ViewMut::row_major(&mut c, [3])?, View::row_major(&x, [3])?, 1.0)?;
            assert_eq!(c, [4.0, 40.0, 400.0]);
            let short = k::mv::auto_into(ViewMut::row_major(&mut y, [2])?, View::row_major(&a, [2, 3])?, View::row_major(&a, [6])?);
            println!(\"{}\", short.expect_err(\"sizes that differ\"));
            println!(\"{}\", View::row_major(&a, [2, 2]).expect_err(\"as many elements as it says\"));
            // The window of the result is the range that was found.
            let made = k::moved::auto(View::row_major(&x, [3])?, [1..4])?;
            assert_eq!((made[[1]], made[[3]]), (1.0, 100.0));
            Ok(())
        }";
    made.write("src/main.rs", main);
    let ran = run(&mut made.cargo("run")).succeeds();
    ran.says("size `K` is 3 by dimension 1 of `A`, and 6 by dimension 0 of `x`")
        .says("a tensor of [2, 2] has 4 elements, and there are 6");
    // What is no definition is refused as on the command line.
    made.write("src/k.tc", &format!("{DEFINITIONS}int main() {{ return 0; }}\n"));
    run(&mut made.cargo("build")).fails().says("a `.tc` file holds definitions of tensors");
}

/// The code of the documentation in Rust, with `mv.tc` as it stands there.
#[test]
fn the_documentation_calls_definitions_from_rust() {
    let chapter = std::fs::read_to_string(root().join("docs/src/tensors.md")).expect("the chapter");
    let block = |language: &str, of: &str| {
        let mut blocks = chapter.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix(language));
        blocks.find(|block| block.contains(of)).expect("a block").to_owned()
    };
    let made = Crate::new("documented", "ivl_build::compile(\"src/mv.tc\")");
    with_ndarray(&made);
    let def = block("ivl\n", "def mv");
    made.write("src/mv.tc", def.split_once("int main").expect("a program").0);
    let (program, arrays) = (block("rust\n", "fn main"), block("rust\n", "ndarray"));
    let both = program.replacen("    Ok(())", &format!("    {arrays}    Ok(())"), 1);
    assert!(both.contains("fn main") && both.contains("array!"), "{both}");
    made.write("src/main.rs", &both);
    run(&mut made.cargo("run")).succeeds();
}

/// Has a crate use arrays.
fn with_ndarray(made: &Crate) {
    let with = "runtime\", features = [\"ndarray\"] }\nndarray = { version = \"0.17\", default-features = false }";
    let manifest = made.read("Cargo.toml").replacen("runtime\" }", with, 1);
    assert!(manifest.contains("ndarray"), "{manifest}");
    made.write("Cargo.toml", &manifest);
}

#[test]
fn tc_files_and_ivl_files_are_one_module() {
    let made = Crate::new("both", "ivl_build::Build::new().file(\"src/k.tc\").file(\"src/s.ivl\").compile(\"k\")");
    made.write("src/k.tc", DEFINITIONS);
    made.write("src/s.ivl", "export int three() { return 3; }\n");
    let main = "ivl::include_ivl!(\"k\");
        fn main() -> Result<(), ivl::Error> {
            let (mut y, a) = ([0.0], [2.0]);
            k::mv::auto_into(ivl::ViewMut::row_major(&mut y, [1])?, ivl::View::row_major(&a, [1, 1])?, ivl::View::row_major(&a, [1])?)?;
            assert_eq!((y, k::three()), ([4.0], 3));
            Ok(())
        }";
    made.write("src/main.rs", main);
    run(&mut made.cargo("run")).succeeds();
}

#[test]
fn arrays_of_ndarray_are_views() {
    let made = Crate::new("arrays", "ivl_build::compile(\"src/k.tc\")");
    with_ndarray(&made);
    made.write("src/k.tc", DEFINITIONS);
    let main = "ivl::include_ivl!(\"k\");
        use ivl::{View, ViewMut};
        use ndarray::{Array, Array1, Array2, ArrayView2, Axis, array, s};

        fn product(a: ArrayView2<f32>, x: &Array1<f32>) -> Result<Array1<f32>, ivl::Error> {
            let mut y = Array1::zeros(a.nrows());
            k::mv::auto_into(y.view_mut().try_into()?, a.try_into()?, x.view().try_into()?)?;
            Ok(y)
        }

        fn main() -> Result<(), ivl::Error> {
            let (a, x) = (array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], array![1.0, 10.0, 100.0]);
            assert_eq!(product(a.view(), &x)?, array![321.0, 654.0]);
            // By columns, every second row, every second column, one row for all.
            let by_columns = a.t().as_standard_layout().into_owned();
            assert_eq!(product(by_columns.t(), &x)?, array![321.0, 654.0]);
            let large = Array2::from_shape_fn((37, 41), |(i, k)| (i * 41 + k) as f32);
            let part = large.slice(s![1..;2, 2..;3]);
            let ones = Array1::ones(part.ncols());
            assert_eq!(product(part, &ones)?, part.sum_axis(Axis(1)));
            assert_eq!(product(part.to_owned().view(), &ones)?, part.sum_axis(Axis(1)));
            let row = a.row(1);
            assert_eq!(product(row.broadcast((4, 3)).expect(\"four of it\"), &x)?, Array1::from_elem(4, 654.0));
            assert_eq!(product(Array2::zeros((0, 3)).view(), &x)?.len(), 0);
            // A column is written, and what is beside it stays.
            let mut c = Array2::<f32>::ones((3, 2));
            k::add::auto_into(c.column_mut(1).try_into()?, x.view().try_into()?, 2.0)?;
            assert_eq!(c, array![[1.0, 3.0], [1.0, 21.0], [1.0, 201.0]]);
            // The rank of an array of any rank is looked at.
            let any = Array::from_shape_vec(vec![2, 3], vec![1.0f32; 6]).expect(\"six\").into_dyn();
            assert_eq!(View::<f32, 2>::try_from(any.view())?.window(), [0..2, 0..3]);
            println!(\"{}\", View::<f32, 3>::try_from(any.view()).expect_err(\"two axes\"));
            println!(\"{}\", View::<f32, 2>::try_from(a.slice(s![..;-1, ..])).expect_err(\"turned round\"));
            println!(\"{}\", ViewMut::<f32, 1>::try_from(c.slice_mut(s![..;-1, 0])).expect_err(\"turned round\"));
            Ok(())
        }";
    made.write("src/main.rs", main);
    let ran = run(&mut made.cargo("run")).succeeds();
    ran.says("the array has 2 axes, and 3 are needed")
        .says("axis 0 is turned round: its stride is -3")
        .says("axis 0 is turned round: its stride is -2");
}
