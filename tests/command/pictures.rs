//! `ivlc run` of pipelines on image files.

use super::Folder;
use std::fs::File;
use std::io::BufReader;

/// Samples of a file, channels side by side.
#[derive(Clone, Debug, PartialEq)]
struct Png {
    width: u32,
    height: u32,
    channels: usize,
    bits: u32,
    samples: Vec<u16>,
}

impl Png {
    fn new(width: u32, height: u32, channels: usize, bits: u32, sample: impl Fn(u32, u32, usize) -> u16) -> Png {
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let samples = points.flat_map(|(x, y)| (0..channels).map(|c| sample(x, y, c)).collect::<Vec<u16>>()).collect();
        Png { width, height, channels, bits, samples }
    }

    fn at(&self, x: u32, y: u32, c: usize) -> u32 {
        self.samples[(y * self.width + x) as usize * self.channels + c].into()
    }

    fn write(&self, folder: &Folder, name: &str) {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        let colors = [png::ColorType::Grayscale, png::ColorType::GrayscaleAlpha, png::ColorType::Rgb, png::ColorType::Rgba];
        encoder.set_color(colors[self.channels - 1]);
        encoder.set_depth(if self.bits == 8 { png::BitDepth::Eight } else { png::BitDepth::Sixteen });
        let data: Vec<u8> = match self.bits {
            8 => self.samples.iter().map(|&s| s as u8).collect(),
            _ => self.samples.iter().flat_map(|s| s.to_be_bytes()).collect(),
        };
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&data).expect("samples");
        writer.finish().expect("an end");
        folder.write(name, bytes);
    }

    #[track_caller]
    fn read(folder: &Folder, name: &str) -> Png {
        let file = File::open(folder.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG file");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("a picture");
        let (bits, samples) = match info.bit_depth {
            png::BitDepth::Eight => (8, bytes.iter().map(|&b| b.into()).collect()),
            _ => (16, bytes.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect()),
        };
        Png { width: info.width, height: info.height, channels: info.color_type.samples(), bits, samples }
    }
}

fn noise(x: u32, y: u32, c: usize) -> u16 {
    ((x * 31 + y * 57 + c as u32 * 101) ^ (x * y)) as u16
}

const BLUR: &str = "pipeline blur(uint16 in[,,]) -> by {
    fun wide(x, y, c) = (int) in(x, y, c);
    fun bx(x, y, c) = (wide(x - 1, y, c) + wide(x, y, c) + wide(x + 1, y, c)) / 3;
    fun by(x, y, c) = (uint16) ((bx(x, y - 1, c) + bx(x, y, c) + bx(x, y + 1, c)) / 3);
}
schedule blur.tiled {
    wide.inline();
    by.split(y, yo, yi, 32, guard).vectorize(x, 16);
    bx.compute_at(by, yo).vectorize(x, 16);
}
schedule blur.rounded { by.vectorize(x, 16, round); }
";

/// The mean of 3×3 pixels, in 16 bits. Scaling of both ends is that of 8 bits to 16 and back, or none.
fn blurred(photo: &Png, bits: u32) -> Png {
    let scale = if photo.bits == 8 { 257 } else { 1 };
    let row = |x: u32, y: u32, c| (0..3).map(|i| photo.at(x + i, y, c) * scale).sum::<u32>() / 3;
    let value = |x: u32, y: u32, c| (0..3).map(|i| row(x, y + i, c)).sum::<u32>() / 3;
    let sample = |x, y, c| if bits == 8 { ((value(x, y, c) * 255 + 32767) / 65535) as u16 } else { value(x, y, c) as u16 };
    Png::new(photo.width - 2, photo.height - 2, photo.channels, bits, sample)
}

#[test]
fn a_photo_goes_through_every_schedule() {
    let folder = Folder::new();
    folder.write("blur.ivl", BLUR);
    let photos = [Png::new(67, 41, 3, 8, |x, y, c| noise(x, y, c) & 255), Png::new(67, 41, 4, 16, |x, y, c| noise(x, y, c) * 7)];
    for photo in photos {
        photo.write(&folder, "photo.png");
        let expected = blurred(&photo, photo.bits);
        for schedule in ["", "--schedule auto", "--schedule breadth_first", "--schedule tiled", "--schedule tiled -O0 --check"] {
            folder.ivlc(&format!("run blur.ivl --in photo.png --out result.png {schedule}")).exits(0).prints("").says("");
            assert_eq!(Png::read(&folder, "result.png"), expected, "{schedule}");
        }
        let rest = "--out result.png --window x=8..40,y=1..3,c=1..2 --schedule rounded";
        folder.ivlc(&format!("run blur.ivl --in photo.png {rest}")).exits(0);
        let part = Png::read(&folder, "result.png");
        assert_eq!(part, Png::new(32, 2, 1, photo.bits, |x, y, _| expected.at(x + 7, y, 1) as u16));
        for bits in [8, 16] {
            folder.ivlc(&format!("run blur.ivl --in photo.png --out result.png --bits {bits}")).exits(0);
            assert_eq!(Png::read(&folder, "result.png"), blurred(&photo, bits));
        }
    }
}

#[test]
fn what_does_not_start_is_exit_code_101_and_no_file() {
    let folder = Folder::new();
    folder.write("blur.ivl", BLUR);
    Png::new(20, 10, 3, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "photo.png");
    Png::new(20, 10, 1, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "grey.png");
    let refused = |arguments: &str, why: &str| {
        folder.ivlc(&format!("run blur.ivl --out r.png {arguments}")).exits(101).prints("").says(why);
        assert_eq!(folder.files(), ["blur.ivl", "grey.png", "photo.png"]);
    };
    refused("--in photo.png --window x=0..20", "input `in` is read from -1 to 20 in dimension 0");
    refused("--in photo.png --window y=1..10,c=0..1", "input `in` is read from 0 to 10 in dimension 1");
    refused("--in photo.png --schedule rounded", "loop `x` of output `by` has 18 iterations; `round` needs a multiple of 16");
    refused("--in grey.png", "input `in`, grey.png: the picture has 2 dimensions (20 × 10 × 1), 3 are needed");
    refused("--in photo.png --window x=0..2000000000,y=0..2000000000,c=0..4", "there is no memory");
}

#[test]
fn misuse_of_files_and_names_is_exit_code_2() {
    let folder = Folder::new();
    folder.write("blur.ivl", BLUR);
    let two = "pipeline a(uint8 in[,], int k, float f) -> g { fun g(x, y) = (uint8) (in(x, y) + k); }\n\
               pipeline b() -> g { fun g(x, i) = x + i; }\npipeline d(uint8 in[]) -> g { fun g(w, x, y, z) = in(w); }\n";
    folder.write("two.ivl", two);
    Png::new(20, 10, 3, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "photo.png");
    Png::new(20, 1, 1, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "grey.png");
    let files = folder.files();
    for (arguments, why) in [
        ("blur.ivl --out r.png", "input `in` has no file"),
        ("blur.ivl --in photo.png", "output `by` has no file"),
        ("blur.ivl --in photo.png --in photo.png --out r.png", "each input has a file already (`in`)"),
        ("blur.ivl --in it=photo.png --out r.png", "there is no input `it`; there is `in`"),
        ("blur.ivl --in photo.png --out foo=r.png", "there is no output `foo`; there is `by`"),
        ("two.ivl --pipeline b --in a=photo.png --out r.png", "`a=photo.png`: there is no input"),
        ("blur.ivl --in photo.png --out r.png --bits 12", "invalid value '12'"),
        ("blur.ivl --in photo.png --out r.jpg", "PNG files, whose names end in `.png`"),
        ("blur.ivl --in photo.png --out r.png --schedule fast", "no schedule `fast`; it has `auto`, `breadth_first`, `tiled`"),
        ("blur.ivl --in photo.png --out r.png --pipeline sharpen", "no pipeline `sharpen`; there is `blur`"),
        ("blur.ivl --in photo.png --out r.png --param k=3", "has no parameters but images"),
        ("blur.ivl --in photo.png --out r.png --window x=-2147483648..2147483647", "its extent is above 2147483647"),
        ("blur.ivl --in photo.png --out r.png --window z=1..2", "no output has a dimension `z`; there is `x`, `y`, `c`"),
        ("blur.ivl --in photo.png --out r.png --window x", "`x` is no window"),
        ("blur.ivl --in photo.png --out r.png --window x=5..2", "ends before it begins"),
        ("blur.ivl --in photo.png --out r.png --window x=5..5", "output `by` is 0 × 10 × 3: a PNG file is not empty"),
        ("blur.ivl --in photo.png --out r.png --window c=0..5", "a PNG file has 1 to 4 channels"),
        ("blur.ivl --in photo.png --out photo.png --target sse2,avx", "run takes one target"),
        ("two.ivl --in grey.png --out r.png", "which pipeline? --pipeline a|b|d"),
        ("two.ivl --pipeline a --in grey.png --out r.png --param f=1", "parameter `k` has no value"),
        ("two.ivl --pipeline a --in grey.png --out r.png --param f=1 --param k=1.5", "`1.5` is no `int`"),
        ("two.ivl --pipeline a --in grey.png --out r.png --param f=1 --param q=1", "no parameter `q`; it has `k`, `f`"),
        ("two.ivl --pipeline a --in grey.png --out r.png --param f=1 --param f=2", "parameter `f` has two values"),
        ("two.ivl --pipeline b --out r.png --window x=0..3", "nothing ends output `g` in dimension `i`: --window i=A..B"),
        ("two.ivl --pipeline d --in grey.png --out r.png --window x=0..3,y=0..2,z=0..2", "output `g` has 4 dimensions"),
        ("good.ivl --in photo.png --out r.png", "good.ivl: there is no pipeline"),
    ] {
        folder.ivlc(&format!("run {arguments}")).exits(2).prints("").says(why);
        assert_eq!(folder.files(), files, "{arguments}");
    }
    folder.ivlc("run blur.ivl --in none.png --out r.png").exits(1).says("none.png: No such file");
    folder.ivlc("run blur.ivl --in blur.ivl --out r.png").exits(1).says("blur.ivl: no PNG file");
    folder.ivlc("run bad.ivl --in photo.png --out r.png").exits(2);
    folder.write("wrong.ivl", "pipeline p(uint8 in[) -> f { fun f(x) = in(x); }\n");
    folder.ivlc("run wrong.ivl --in photo.png --out r.png").exits(1).says("wrong.ivl:1:");
    folder.write("wrong.ivl", "pipeline p(uint8 in[]) -> f { fun f(x) = g(x); }\n");
    folder.ivlc("run wrong.ivl --in photo.png --out r.png").exits(1).says("wrong.ivl:1:");
}

#[test]
fn windows_are_the_largest_that_the_inputs_allow() {
    let folder = Folder::new();
    Png::new(24, 10, 1, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "grey.png");
    Png::new(12, 5, 1, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "small.png");
    for (body, size) in [
        ("fun g(x, y) = in(x + 3, y - 1) + in(x - 3, y);", (18, 9)),
        ("fun g(x, y) = in(x / 2, y / 2);", (48, 20)),
        ("fun g(x, y) = in(2 * x, 2 * y + 1);", (12, 5)),
        ("fun g(x, y) = in(y, x);", (10, 24)),
        ("fun g(x, y) = repeat_edge(in(x - 5, y));", (24, 10)),
        ("fun g(x, y) = small(x, y) + in(x, y);", (12, 5)),
        ("fun g(x, y) = (uint8) (x + y);", (24, 10)),
        ("fun g() = maximum(in(rx, ry) for rx = 0 .. 24, ry = 0 .. 10);", (1, 1)),
    ] {
        folder.write("p.ivl", format!("pipeline p(uint8 in[,], uint8 small[,]) -> g {{ {body} }}\n"));
        folder.ivlc("run p.ivl --in grey.png --in small=small.png --out r.png").exits(0);
        let result = Png::read(&folder, "r.png");
        assert_eq!((result.width, result.height, result.channels), (size.0, size.1, 1), "{body}");
    }
    // What is stored at indices that are read has to have room.
    folder.write("p.ivl", "pipeline p(uint8 in[,]) -> g { fun g(i) = 0; rdom (r = 0 .. 24) g(in(r, 0)) += 1 << 24; }\n");
    folder.ivlc("run p.ivl --in grey.png --out r.png").exits(101).says("output `g` is stored from 0 to 255 in dimension 0");
    folder.ivlc("run p.ivl --in grey.png --out r.png --window i=0..256 --bits 16").exits(0);
    let counts = Png::new(256, 1, 1, 16, |value, _, _| {
        let count = (0..24).filter(|&x| u32::from(noise(x, 0, 0) & 255) == value).count() as u64;
        ((count << 24) * 65535).div_ceil(1 << 31) as u16
    });
    assert_eq!(Png::read(&folder, "r.png"), counts);
}

#[test]
fn inputs_outputs_and_numbers_have_names() {
    let folder = Folder::new();
    let text = "pipeline p(float a[,], int dx, uint8 b[,], bool up, double by) -> s, t {
        fun s(x, y) = a(x, y) * (float) by;
        fun t(x, y) { return (b(x + dx, y), up ? (uint16) 65535 : (uint16) b(x, y)); }
    }\n";
    folder.write("p.ivl", text);
    let (a, b) = (Png::new(8, 6, 1, 16, |x, y, c| noise(x, y, c) * 16), Png::new(8, 6, 1, 8, |x, y, c| noise(x, y, c) & 255));
    a.write(&folder, "a.png");
    b.write(&folder, "b=b.png");
    let common = "run p.ivl --in b=b=b.png --in a.png --param dx=-2 --param by=0.5 --param up=false";
    folder.ivlc(&format!("{common} --out t_1=u.png --out s.png --out t.png")).exits(0).prints("");
    let s = Png::new(8, 6, 1, 16, |x, y, c| {
        let value = a.at(x, y, c) as f32 / 65535.0 * 0.5;
        (value * 65535.0).round() as u16
    });
    assert_eq!(Png::read(&folder, "s.png"), s);
    assert_eq!(Png::read(&folder, "t.png"), Png::new(6, 6, 1, 16, |x, y, c| b.at(x, y, c) as u16 * 257));
    assert_eq!(Png::read(&folder, "u.png"), Png::new(6, 6, 1, 16, |x, y, c| b.at(x + 2, y, c) as u16));
    folder.ivlc(&format!("{common} --out s.png --out s.png --out t.png")).exits(2).says("s.png: would be written over");
    folder.ivlc(&format!("{common} --out s.png --out nowhere/t.png --out u.png")).exits(1).says("nowhere/t.png");
}

#[test]
fn palettes_and_single_bits_are_read() {
    let folder = Folder::new();
    let encoded = |color, depth, palette: Option<Vec<u8>>, data: &[u8]| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 4, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if let Some(palette) = palette {
            encoder.set_palette(palette);
        }
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(data).expect("samples");
        writer.finish().expect("an end");
        bytes
    };
    folder.write("bits.png", encoded(png::ColorType::Grayscale, png::BitDepth::One, None, &[0b1011_0000]));
    let palette = Some(vec![1, 2, 3, 40, 50, 60]);
    folder.write("palette.png", encoded(png::ColorType::Indexed, png::BitDepth::Eight, palette, &[0, 1, 1, 0]));
    folder.write("p.ivl", "pipeline p(bool in[,]) -> f { fun f(x, y) = !in(x, y); }\n");
    folder.ivlc("run p.ivl --in bits.png --out r.png").exits(0);
    assert_eq!(Png::read(&folder, "r.png").samples, [0, 255, 0, 0]);
    folder.write("p.ivl", "pipeline p(uint8 in[,,]) -> f { fun f(x, y, c) = in(x, y, c); }\n");
    folder.ivlc("run p.ivl --in palette.png --out r.png").exits(0);
    assert_eq!(Png::read(&folder, "r.png").samples, [1, 2, 3, 40, 50, 60, 40, 50, 60, 1, 2, 3]);
}

#[test]
fn times_are_those_of_the_schedule() {
    let folder = Folder::new();
    folder.write("blur.ivl", BLUR);
    Png::new(40, 30, 3, 8, |x, y, c| noise(x, y, c) & 255).write(&folder, "photo.png");
    let ran = folder.ivlc("run blur.ivl --in photo.png --out r.png --schedule tiled --time").exits(0).prints("");
    let words: Vec<&str> = ran.stderr.split_whitespace().collect();
    let [name, "median", median, "ms", "of", runs, "runs", least, "ms", "to", most, "ms)"] = words[..] else {
        panic!("{}", ran.stderr);
    };
    let number = |text: &str| text.trim_start_matches('(').parse::<f64>().unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(name, "blur.tiled:");
    assert!(number(least) <= number(median) && number(median) <= number(most) && number(runs) >= 5.0, "{}", ran.stderr);
    // Without a file the time alone.
    let files = folder.files();
    folder.ivlc("run blur.ivl --in photo.png --time").exits(0).says("blur.auto: median ");
    assert_eq!(folder.files(), files);
}

/// The first pipeline `blur` in a text: its algorithm and its schedules.
fn blur_of(text: &str) -> String {
    let start = text.find("pipeline blur(").expect("a blur");
    let lines = text[start..].lines().take_while(|line| !line.starts_with("```") && !line.starts_with("int main"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_blurs_that_are_shown_are_right_on_a_photograph() {
    let folder = Folder::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let photo = std::fs::read(root.join("examples/data/coffee.png")).expect("a photograph");
    folder.write("photo.png", photo);
    let photo = Png::read(&folder, "photo.png");
    let expected = blurred(&photo, 8);
    for (source, schedule) in
        [("README.md", "tiled"), ("docs/src/pipelines.md", "tiled"), ("examples/pipelines/blur.ivl", "tuned")]
    {
        let text = std::fs::read_to_string(root.join(source)).expect("a text");
        folder.write("blur.ivl", blur_of(&text));
        for schedule in [schedule, "breadth_first"] {
            folder.ivlc(&format!("run blur.ivl --in photo.png --out result.png --schedule {schedule}")).exits(0).prints("");
            assert_eq!(Png::read(&folder, "result.png"), expected, "{source}");
        }
        let ran = folder.ivlc("run blur.ivl --in photo.png --out part.png --check --window x=240..300,y=180..220").exits(0);
        assert_eq!(ran.stderr, "", "{source}");
        folder.ivlc("run blur.ivl --in photo.png --out result.png --grey").exits(0).prints("");
        let luminance = Png::new(photo.width, photo.height, 1, 8, |x, y, _| {
            ((299 * photo.at(x, y, 0) + 587 * photo.at(x, y, 1) + 114 * photo.at(x, y, 2) + 500) / 1000) as u16
        });
        assert_eq!(Png::read(&folder, "result.png"), blurred(&luminance, 8), "{source}");
    }
}

#[test]
fn grey_pipelines_take_colour_channel_by_channel() {
    let folder = Folder::new();
    let two = "pipeline p(uint8 a[,], uint8 b[,], uint8 c[,,]) -> s, t {
        fun s(x, y) = (uint8) (((int) a(x, y) + b(x, y) + c(x, y, 0)) / 3);
        fun t(x) = a(x, 3);
    }
    pipeline q(uint8 a[,]) -> f { fun f(x, y, c) = a(x, y); }\n";
    folder.write("p.ivl", two);
    let colour = Png::new(9, 7, 4, 8, |x, y, c| noise(x, y, c) & 255);
    let grey = Png::new(9, 7, 1, 8, |x, y, c| noise(x + 3, y, c) & 255);
    let other = Png::new(9, 7, 3, 8, |x, y, c| noise(x, y + 1, c) & 255);
    colour.write(&folder, "colour.png");
    grey.write(&folder, "grey.png");
    other.write(&folder, "other.png");
    folder
        .ivlc("run p.ivl --pipeline p --in colour.png --in grey.png --in other.png --out s.png --out t.png")
        .exits(0)
        .prints("");
    let s = |x, y, c| ((colour.at(x, y, c) + grey.at(x, y, 0) + other.at(x, y, 0)) / 3) as u16;
    assert_eq!(Png::read(&folder, "s.png"), Png::new(9, 7, 4, 8, s));
    assert_eq!(Png::read(&folder, "t.png"), Png::new(9, 1, 4, 8, |x, _, c| colour.at(x, 3, c) as u16));
    let files = folder.files();
    let refused = |arguments: &str, why: &str| {
        folder.ivlc(&format!("run p.ivl {arguments}")).exits(101).prints("").says(why);
        assert_eq!(folder.files(), files);
    };
    refused(
        "--pipeline p --in colour.png --in other.png --in other.png --out u.png --out v.png",
        "inputs `a` and `b` go through channel by channel, and have 4 and 3",
    );
    refused("--pipeline q --in colour.png --out u.png", "since output `f` has 3 dimensions: `--grey` takes the luminance");
    folder.ivlc("run p.ivl --pipeline q --in colour.png --out u.png --grey --window c=0..1").exits(0).prints("");
}

#[test]
fn values_that_wrap_are_counted() {
    let folder = Folder::new();
    let text = "pipeline p(uint8 in[,], int k) -> s, t {
        fun unused(x) = (uint8) 200 + (uint8) 100;
        fun sum(x, y) = in(x, y) + in(x + 1, y);
        fun s(x, y) = sum(x, y) / 2;
        fun wide(x, y) = (int) in(x, y) * k;
        fun t(x, y) = (uint8) wide(x, y);
        rdom (r = 0 .. 5) t(r, r) += 200;
    }\n";
    folder.write("p.ivl", text);
    let photo = Png::new(40, 30, 1, 8, |x, y, c| noise(x, y, c) & 255);
    photo.write(&folder, "photo.png");
    let points = |w: u32, h: u32| (0..h).flat_map(move |y| (0..w).map(move |x| (x, y)));
    let sums = points(39, 30).filter(|&(x, y)| photo.at(x, y, 0) + photo.at(x + 1, y, 0) > 255).count();
    let narrowed = points(40, 30).filter(|&(x, y)| photo.at(x, y, 0) * 3 > 255).count();
    let added = (0..5).filter(|&r| photo.at(r, r, 0) * 3 % 256 + 200 > 255).count();
    let ran = folder.ivlc("run p.ivl --in photo.png --param k=3 --out s.png --out t.png --check").exits(0).prints("");
    let expected = format!("{sums} of 1170 values of `sum` wrapped\n{} of 1205 values of `t` wrapped\n", narrowed + added);
    assert_eq!(ran.stderr, expected);
    // Nothing is said without `--check`, and where all fits.
    folder.ivlc("run p.ivl --in photo.png --param k=3 --out s.png --out t.png").exits(0).prints("");
    folder.write("q.ivl", "pipeline q(uint8 in[,]) -> f { fun f(x, y) = (uint8) (((int) in(x, y) + in(x, y + 1)) / 2); }\n");
    let ran = folder.ivlc("run q.ivl --in photo.png --out f.png --check").exits(0).prints("");
    assert_eq!(ran.stderr, "");
    let ran = folder.ivlc("run p.ivl --in photo.png --param k=1000000000 --out s.png --out t.png --check").exits(0);
    assert!(ran.stderr.contains("values of `wide` wrapped"), "{}", ran.stderr);
}
