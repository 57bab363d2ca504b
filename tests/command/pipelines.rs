//! Calls the pipelines of `pipelines.ivl`.

include!("bindings.rs");

use ivl::{Image, View, ViewMut};

fn pixel(x: i32, y: i32) -> u16 {
    (x * 3 + y * 50 + 100) as u16
}

fn row(x: i32, y: i32) -> u16 {
    (pixel(x - 1, y) + pixel(x, y) + pixel(x + 1, y)) / 3
}

type Run = fn(View<'_, u16, 2>, i32, ivl::Window<2>) -> Result<Image<u16, 2>, ivl::Error>;
type Into = fn(ViewMut<'_, u16, 2>, View<'_, u16, 2>, i32) -> Result<(), ivl::Error>;
type Required = fn(ivl::Window<2>, i32, ivl::Window<2>) -> Result<ivl::Window<2>, ivl::Error>;

fn blurs(run: Run, into: Into, required: Required, widest: i32) {
    let window = [2..22, -1..4];
    let needed = required([0..0, 0..0], 3, window.clone()).expect("windows");
    assert_eq!(needed, [1..1 + widest, -2..7]);
    let input = Image::from_fn(needed, |[x, y]| pixel(x, y)).expect("an image");
    let result = run(input.view(), 3, window.clone()).expect("a result");
    assert_eq!(result.window(), window);
    let expected = Image::from_fn(window.clone(), |[x, y]| row(x, y - 1) + row(x, y + 3)).expect("an image");
    assert_eq!(result, expected);

    // Into rows that are longer than the window.
    let mut pixels = vec![7u16; 24 * 5];
    let out = ViewMut::new(&mut pixels, window.clone(), [1, 24]).expect("a view");
    into(out, input.view(), 3).expect("a start");
    for (i, &pixel) in pixels.iter().enumerate() {
        let (x, y) = (i as i32 % 24 + 2, i as i32 / 24 - 1);
        assert_eq!(pixel, expected.get([x, y]).unwrap_or(7));
    }

    let small = Image::from_fn([1..2, -2..7], |[x, y]| pixel(x, y)).expect("an image");
    let error = run(small.view(), 3, window.clone()).expect_err("an error");
    assert!(error.message().starts_with("pipeline `blur`: input `in` is read from 1 to "), "{error}");
    let columns = View::new(input.pixels(), [1..2, -2..7], [2, 1]).expect("a view");
    let error = run(columns, 3, window).expect_err("an error");
    assert!(error.to_string().starts_with("pipeline `blur`: input `in` is read from 1 to "), "{error}");
    assert!(run(small.view(), 3, [std::ops::Range { start: 4, end: 2 }, 0..1]).is_err());
}

fn main() {
    blurs(blur::auto, blur::auto_into, blur::auto_required, 22);
    blurs(blur::breadth_first, blur::breadth_first_into, blur::breadth_first_required, 22);
    blurs(blur::tiled, blur::tiled_into, blur::tiled_required, 22);
    blurs(blur::wide, blur::wide_into, blur::wide_required, 34);

    let image = Image::from_fn([0..4, 0..3], |[x, y]| (x + 4 * y) as f32).expect("an image");
    let mask = Image::from_fn([0..4, 0..3], |[x, y]| (20 * (x + 4 * y)) as u8).expect("an image");
    let (scaled, offsets, rows, total) =
        stats::auto(image.view(), mask.view(), 0.5, true, 1 << 40, [0..4, 0..3], [0..3], []).expect("a result");
    assert_eq!((scaled[[3, 2]], offsets[[3, 2]], total[[]]), (5.5, (1 << 40) + 220, 1320));
    assert_eq!(rows.pixels(), [6.0, 22.0, 38.0]);
    let none = || [0..0, 0..0];
    let windows = stats::auto_required(none(), none(), 1.0, true, 0, [0..4, 0..2], [0..3], []);
    assert_eq!(windows, Ok(([0..4, 0..3], [0..4, 0..3])));

    let line = Image::from_fn([-2..3], |[x]| x + 3).expect("an image");
    assert_eq!(r#match::auto(line.view(), 7, [-2..3]).expect("a result").pixels(), [8, 9, 10, 11, 12]);
    println!("all values are right");
}
