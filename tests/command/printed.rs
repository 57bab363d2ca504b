//! `build --emit ivl`: schedules as programs that a person could have written.
//!
//! The printed file of each schedule of the examples passes `ivlc check`, has no long lines, and computes what the schedule does, to the
//! bit: the same `main` fills the images and prints what comes out, once beside the pipeline and once beside the printed functions.
//! Both lower to one typed function, up to names, addresses and how coordinates are written ([`shape`](super::shape)).

use super::Folder;
use super::shape::shape;
use ivlc::driver::Session;
use ivlc::pipeline::Entries;
use ivlc::pipeline::signature::{Image, Parameter, Signature};
use std::fmt::Write;
use std::path::Path;

/// What a shape puts in front of what is stored under a condition.
const CONDITION: &str = "if > ";

/// Windows of the images of a rank: those of inputs have what any of the examples reads.
fn window(pipeline: &str, rank: usize, is_output: bool) -> Vec<(i32, i32)> {
    let all: &[(i32, i32)] = match (rank, is_output) {
        // Its sums begin at 0.
        (3, false) if pipeline == "iir_blur" => &[(0, 200), (0, 200), (0, 4)],
        (1, false) => &[(0, 64)],
        (2, false) => &[(-40, 200), (-40, 200)],
        (3, false) => &[(-40, 200), (-40, 200), (0, 4)],
        (4, false) => &[(0, 32), (-2, 36), (-2, 36), (0, 32)],
        // Four results at once.
        (3, true) if pipeline == "layer" => &[(3, 71), (2, 50), (0, 5)],
        (3, true) => &[(3, 71), (2, 50), (0, 3)],
        (4, true) => &[(0, 32), (1, 20), (2, 18), (0, 2)],
        _ => &[(3, 97), (-2, 50)],
    };
    all[..rank].to_vec()
}

/// A loop over the pixels of an image.
fn for_pixels(pipeline: &str, image: &Image, is_output: bool, body: &dyn Fn(&str, &str) -> String) -> String {
    let variables = ["x", "y", "z", "w"];
    let mut text = String::new();
    for (d, (min, extent)) in window(pipeline, image.rank, is_output).into_iter().enumerate().rev() {
        let v = variables[d];
        let _ = write!(text, "for (int {v} = {min}; {v} < {}; ++{v}) ", min + extent);
    }
    let at = variables[..image.rank].join(", ");
    let sum = variables[..image.rank].iter().zip([7, 131, 29, 1009]).map(|(v, k)| format!("{v} * {k}")).collect::<Vec<_>>();
    text + &body(&format!("{}({at})", image.name), &sum.join(" + "))
}

/// A program that fills the inputs, runs the schedule by `call`, and prints a number for each output that all of its bits make.
fn program(signature: &Signature, call: &str) -> String {
    let pipeline: &str = &signature.name;
    let mut text = String::from("int main() {\n");
    let mut given = Vec::new();
    let declaration = |image: &Image, is_output: bool| {
        let dimensions: Vec<String> =
            window(pipeline, image.rank, is_output).iter().map(|(min, extent)| format!("{min} : {extent}")).collect();
        format!("    {} {}[{}];\n", image.element.name(), image.name, dimensions.join(", "))
    };
    for image in signature.outputs.iter().flat_map(|output| output.images()) {
        text += &declaration(&image, true);
        given.push(image.name);
    }
    for parameter in &signature.parameters {
        match parameter {
            Parameter::Image(image) => {
                text += &declaration(image, false);
                let ty = image.element.name();
                let fill = for_pixels(pipeline, image, false, &|pixel, sum| match image.element.is_float() {
                    true => format!("{pixel} = ({ty}) ((({sum}) * 40503 >> 4) & 1023) / 1024;\n"),
                    false => format!("{pixel} = ({ty}) (({sum}) * 40503 >> 4);\n"),
                });
                let _ = write!(text, "    {fill}");
                given.push(image.name.clone());
            }
            Parameter::InOut(_) => unreachable!("what is overwritten are tensors, not images"),
            Parameter::Scalar { element, .. } if element.is_float() => given.push("0.75".into()),
            Parameter::Scalar { .. } => given.push("3".into()),
        }
    }
    let _ = writeln!(text, "    {call}({});", given.join(", "));
    for image in signature.outputs.iter().flat_map(|output| output.images()) {
        let bits = |pixel: &str| match image.element.is_float() {
            true => format!("(int64) intbits({pixel})"),
            false => format!("(int64) {pixel}"),
        };
        let add = for_pixels(pipeline, &image, true, &|pixel, _| format!("{0} = {0} * 31 + {1};\n", "sum", bits(pixel)));
        let _ = writeln!(text, "    {{ int64 sum = 17; {}    print(\"{} %\\n\", sum); }}", add, image.name);
    }
    text + "    return 0;\n}\n"
}

/// Compares a schedule with what is printed for it.
fn agrees(folder: &Folder, file: &str, source: &str, signature: &Signature, schedule: &str) {
    let pipeline = &signature.name;
    let printed = format!("{file}.{schedule}.printed.ivl");
    folder.ivlc(&format!("build {file} --emit ivl --target avx2 --schedule {pipeline}.{schedule} -o {printed}")).exits(0);
    folder.ivlc(&format!("check {printed}")).exits(0);
    let text = folder.read(&printed);
    if let Some(long) = text.lines().find(|line| line.chars().count() > 132) {
        panic!("{printed}: {} characters: {long}", long.chars().count());
    }
    folder.write("own.ivl", format!("{source}\n{}", program(signature, &format!("{pipeline}.{schedule}"))));
    folder.write("other.ivl", format!("{text}\n{}", program(signature, &format!("int status = {pipeline}_{schedule}"))));
    let name: &str = pipeline;
    ivlc::driver::with_stack(|| does_the_same(name, schedule, source, &text));
    let own = folder.ivlc("run own.ivl -O1").exits(0);
    let other = folder.ivlc("run other.ivl -O1").exits(0);
    assert!(own.stdout.lines().count() >= signature.outputs.len(), "{}", own.stdout);
    assert_eq!(own.stdout, other.stdout, "{file}, schedule {schedule}:\n{text}");
}

/// The typed function of a schedule and that of what is printed for it are one, up to names and addresses. What is printed has the copies of loops for other strides as well,
/// each under its condition, where the schedule has a function for each of these.
fn does_the_same(pipeline: &str, schedule: &str, source: &str, printed: &str) {
    let checked = |text: &str, entries: Entries| {
        let mut session = Session { entries, ..Session::default() };
        session.load_text("text".into(), None, text.into());
        session.check(&ivlc::driver::Options::new(ivlc::machine::Isa::Avx2)).expect("it has no errors")
    };
    let own = checked(source, Entries::Asked(vec![format!("{pipeline}.{schedule}")]));
    let other = checked(printed, Entries::None);
    let has_versions = own.functions.iter().any(|function| function.name == format!("{pipeline}.{schedule}.work1"));
    let mut own = shape(&own, &format!("{pipeline}.{schedule}.work"), source);
    let mut other = shape(&other, &format!("{pipeline}_{schedule}"), source);
    if has_versions {
        let plain = other.iter().filter(|line| !line.starts_with(CONDITION)).count();
        let copied = other.len() - plain;
        // The last copy is the one for all other strides.
        let mut left = copied.saturating_sub(own.len().saturating_sub(plain));
        other.retain(|line| {
            let is_other = line.starts_with(CONDITION) && left > 0;
            left -= usize::from(is_other);
            !is_other
        });
        other = numbered_anew(&other.iter().map(|line| line.trim_start_matches(CONDITION)).collect::<Vec<_>>());
        own = numbered_anew(&own.iter().map(String::as_str).collect::<Vec<_>>());
    }
    assert!(!own.is_empty() && own == other, "{pipeline}.{schedule}:\n{}\nis printed as\n{}", own.join("\n"), other.join("\n"));
}

/// Lines of a shape whose arrays, `A7`, are numbered in the order in which they come.
fn numbered_anew(lines: &[&str]) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    let word = |word: &str, known: &mut Vec<String>| {
        let is_array =
            word.strip_prefix('A').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
        if !is_array {
            return word.to_owned();
        }
        let number = known.iter().position(|own| own == word).unwrap_or_else(|| {
            known.push(word.to_owned());
            known.len() - 1
        });
        format!("A{number}")
    };
    let is_apart = |c: char| !c.is_alphanumeric();
    lines
        .iter()
        .map(|line| {
            line.split_inclusive(is_apart)
                .map(|part| {
                    let (name, end) = part.split_at(part.trim_end_matches(is_apart).len());
                    word(name, &mut known) + end
                })
                .collect()
        })
        .collect()
}

/// All schedules of a text, `auto` too.
fn all_agree(file: &str, source: &str) {
    let folder = Folder::new();
    folder.write(file, source);
    let mut session = Session::default();
    session.load_text(file.into(), None, source.into());
    session.check(&ivlc::driver::Options::new(ivlc::machine::Isa::Avx2));
    for signature in session.signatures() {
        for schedule in signature.schedules.iter().filter(|schedule| *schedule != "breadth_first") {
            agrees(&folder, file, source, signature, schedule);
        }
    }
}

#[test]
fn what_wraps_does_so_where_it_is_printed() {
    let source = "pipeline p(int in[,]) -> f {
    fun g(x, y) { let far = x + 2147483647; return (far > x ? 1 : 2) + (far / 4) % 7 + in(x, y); }
    fun f(x, y) = g(x, y) * 65537 + g(x + 1, y);
}
schedule p.s { f.split(x, xo, xi, 8, guard).vectorize(xi); g.compute_at(f, xi).unroll(x, 2, guard); }
schedule p.t { f.tile(x, y, xo, yo, xi, yi, 16, 4).parallel(yo); g.compute_at(f, xo).vectorize(x, 8); }
";
    all_agree("wraps.ivl", source);
}

/// The functions that the library has for itself are copied, as are those that the program hides, with the arithmetic of the pipeline.
#[test]
fn functions_of_the_library_are_printed_where_no_program_can_call_them() {
    let source = "float __encoded(float x) { return 7.0f; }
float cubic_kernel(float x) { return x; }
pipeline p(float in[,]) -> f { fun f(x, y) = to_srgb(in)(x, y) + to_linear(in)(x, y) + __encoded(in(x, y)); }
[[fp(contract)]] pipeline q(float in[,]) -> f { fun f(x, y) = to_linear(to_srgb(in))(x, y) + cubic_kernel(in(x, y)); }
schedule p.s { f.vectorize(x, 8).parallel(y); }
";
    all_agree("encoded.ivl", source);
}

#[test]
fn schedules_of_examples_compute_the_same_as_what_is_printed() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pipelines");
    let mut files: Vec<_> = examples.read_dir().expect("examples").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ivl"));
    files.sort();
    assert!(files.len() >= 15, "{files:?}");
    for path in files {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        all_agree(&name, &std::fs::read_to_string(&path).expect("an example"));
    }
}
