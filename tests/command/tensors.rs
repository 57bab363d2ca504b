//! Tensor comprehensions on arrays of NumPy.

use super::Folder;

const DEFINITIONS: &str = "# the product of a matrix and a vector
def mv(float(M, K) A, float(K) x) -> (C) {
    C(i) +=! A(i, k) * x(k)   # k is reduced
}
def moved(float(N) A) -> (B) { B(i) = A(i - 1) }
def add(inout float(N) C, float(N) A, float s) { C(i) += A(i) * s }
";

/// A file of NumPy, format 1.0.
fn npy(descr: &str, is_fortran: bool, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({shape}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

fn little(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// The numbers behind the header of a file, and the header.
fn floats(file: &[u8]) -> (String, Vec<f32>) {
    let length = u16::from_le_bytes([file[8], file[9]]) as usize;
    let header = String::from_utf8_lossy(&file[10..10 + length]).into_owned();
    let numbers = file[10 + length..].chunks_exact(4).map(|n| f32::from_le_bytes(n.try_into().expect("four bytes")));
    (header, numbers.collect())
}

#[test]
fn definitions_run_on_arrays_of_numpy() {
    let folder = Folder::new();
    folder.write("mv.tc", DEFINITIONS);
    let put = |name: &str, file: Vec<u8>| folder.write(name, file);
    let get = |name: &str| floats(&folder.bytes(name));
    let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    put("rows.npy", npy("<f4", false, "2, 3", &little(&rows)));
    put("columns.npy", npy("<f4", true, "2, 3", &little(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0])));
    put("big.npy", npy(">f4", false, "2, 3", &rows.iter().flat_map(|n: &f32| n.to_be_bytes()).collect::<Vec<u8>>()));
    put("doubles.npy", npy("<f8", false, "2, 3", &rows.iter().flat_map(|n| f64::from(*n).to_le_bytes()).collect::<Vec<u8>>()));
    put("x.npy", npy("<f4", false, "3,", &little(&[1.0, 10.0, 100.0])));
    put("short.npy", npy("<f4", false, "2,", &little(&[1.0, 10.0])));
    for matrix in ["rows", "columns", "big"] {
        folder.ivlc(&format!("run mv.tc --pipeline mv --in A={matrix}.npy --in x=x.npy --out C=c.npy")).exits(0).prints("");
        let (header, numbers) = get("c.npy");
        assert!(header.contains("'<f4'") && header.contains("(2,"), "{header}");
        assert_eq!(numbers, [321.0, 654.0], "{matrix}");
    }
    for (matrix, vector, exit, why) in [
        ("doubles", "x", 101, "it has float64, and float32 is needed: save `array.astype(numpy.float32)`"),
        ("x", "x", 101, "it has 1 dimensions, and 2 are needed"),
        ("rows", "short", 101, "size `K` is 3 by dimension 1 of `A`, and 2 by dimension 0 of `x`"),
        ("nothing", "x", 101, "nothing.npy"),
    ] {
        let ran = folder.ivlc(&format!("run mv.tc --pipeline mv --in A={matrix}.npy --in x={vector}.npy --out C=d.npy"));
        ran.exits(exit).says(why);
        assert!(!folder.path("d.npy").exists(), "a file is left behind");
    }
    let moved = folder.ivlc("run mv.tc --pipeline moved --in x.npy --out b.npy").exits(0);
    assert!(moved.stderr.contains("b.npy: begins at 1 in dimension 0, which the file does not say"), "{}", moved.stderr);
    assert_eq!(get("b.npy").1, [1.0, 10.0, 100.0]);
    let add = "run mv.tc --pipeline add --in C=x.npy --in A=x.npy --param s=2 --out C=sum.npy";
    folder.ivlc(add).exits(0);
    assert_eq!(get("sum.npy").1, [3.0, 30.0, 300.0]);
    folder
        .ivlc("run mv.tc --pipeline mv --in A=rows.png --in x=x.npy --out C=c.npy")
        .exits(2)
        .says("tensors are read and written");
}

#[test]
fn ranges_are_shown_with_what_gave_them() {
    let folder = Folder::new();
    folder.write("mv.tc", DEFINITIONS);
    let shown =
        "def mv:\n    C(i) +=! A(i, k) * x(k)\n        i in [0, M)    by A(i, k)\n        k in [0, K)    by A(i, k), x(k)\n";
    let ran = folder.ivlc("build mv.tc --emit ranges -o -").exits(0);
    assert!(ran.stdout.starts_with(shown), "{}", ran.stdout);
}

#[test]
fn a_file_of_tensors_holds_nothing_else() {
    let folder = Folder::new();
    folder.write("other.tc", "def f(float(N) A) -> (B) { B(i) = A(i) }\nint main() { return 0; }\n");
    folder.ivlc("check other.tc").exits(1).says("a `.tc` file holds definitions of tensors");
    folder.write("f.tc", "def f(float(N) A) -> (B) { B(i) = A(i) + 1 }  # one more\n");
    let main =
        "import \"f.tc\";\nint main() { float a[2] = { 1, 2 }, b[2]; f(b, a); print(\"% %\\n\", b[0], b[1]); return 0; }\n";
    folder.write("main.ivl", main);
    folder.ivlc("run main.ivl").exits(0).prints("2 3\n");
}

#[test]
fn axes_of_pipelines_are_rows_columns_and_colours() {
    let folder = Folder::new();
    folder.write("p.ivl", "pipeline p(uint8 in[,,]) -> out { fun out(x, y, c) = (uint8) (in(x, y, c) + 10 * x + 100 * y); }\n");
    let file = npy("|u1", false, "1, 2, 3", &[1, 2, 3, 4, 5, 6]);
    folder.write("in.npy", &file);
    folder.ivlc("run p.ivl --in in.npy --out out.npy").exits(0);
    let made = folder.bytes("out.npy");
    assert_eq!(made[made.len() - 6..], [1, 2, 3, 14, 15, 16]);
}
