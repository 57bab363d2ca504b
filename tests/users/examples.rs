//! The image filter, against the same filter written plainly.

use super::{cargo, clean, has, root, run, target};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

fn pixels(path: &Path) -> (usize, usize, Vec<u8>) {
    let decoder = png::Decoder::new(BufReader::new(File::open(path).expect("a picture")));
    let mut reader = decoder.read_info().expect("a header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    pixels.truncate(info.buffer_size());
    (info.width as usize, info.height as usize, pixels)
}

#[test]
fn the_image_filter_sharpens() {
    let folder = root().join("examples/users/sharpen");
    run(&mut cargo(&folder, "build --locked")).succeeds();
    let photo = root().join("examples/data/coffee.png");
    let out = tempfile::tempdir().expect("a temporary folder");
    let (width, height, samples) = pixels(&photo);
    let at = |x: isize, y: isize, c: usize| {
        let (x, y) = (x.clamp(0, width as isize - 1) as usize, y.clamp(0, height as isize - 1) as usize);
        f32::from(samples[(y * width + x) * 3 + c])
    };
    let column = |x, y, c| 0.25 * at(x, y - 1, c) + 0.5 * at(x, y, c) + 0.25 * at(x, y + 1, c);
    let mut expected = Vec::new();
    for y in 0..height as isize {
        for x in 0..width as isize {
            for c in 0..3 {
                let blurred = 0.25 * column(x - 1, y, c) + 0.5 * column(x, y, c) + 0.25 * column(x + 1, y, c);
                let sharp = at(x, y, c) + 1.5 * (at(x, y, c) - blurred);
                expected.push((sharp.clamp(0.0, 255.0) + 0.5) as u8);
            }
        }
    }
    for level in ["sse4", "avx", "avx2", "avx512", ""] {
        if ivl::Level::from_name(level).is_some_and(|level| !level.supported()) {
            println!("not tested: this machine does not run {level}");
            continue;
        }
        let mut sharpen = clean(target().join("debug/sharpen"), out.path());
        run(sharpen.arg(&photo).args(["out.png", "1.5"]).env("IVL_MAX_ISA", level))
            .succeeds()
            .says("the brightest sample is 255");
        assert!(pixels(&out.path().join("out.png")).2 == expected, "{level}");
    }
    let mut below = clean(target().join("debug/sharpen"), out.path());
    let ran = run(below.arg(&photo).arg("none.png").env("IVL_MAX_ISA", "sse2")).fails();
    ran.says("sharpen: there is code for sse4, avx2, avx512, and IVL_MAX_ISA allows sse2 at most");
    assert!(!out.path().join("none.png").exists());
}

#[test]
fn examples_and_what_is_generated_for_them_have_no_lints() {
    if !has("cargo-clippy") {
        return;
    }
    for name in ["sharpen", "count-bytes"] {
        let folder = root().join("examples/users").join(name);
        run(&mut cargo(&folder, "clippy --locked --all-targets -- -D warnings -W missing-docs")).succeeds();
        run(&mut cargo(&folder, "fmt --check")).succeeds();
    }
}
