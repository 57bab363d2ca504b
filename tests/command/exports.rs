//! Calls what `exports.ivl` exports.

mod bindings {
    include!("bindings.rs");
}

use bindings::{mixed, particle, shared_4, vec3, vec3_8};
use ivl::Hsoa;

fn main() {
    // Slices of all lengths, at addresses that no vector is aligned to.
    let numbers: Vec<f32> = (0..100).map(|k| k as f32).collect();
    for length in 0..40 {
        for from in 0..3 {
            let x = &numbers[from..from + length];
            let mut y = vec![1.0; length + 2];
            bindings::saxpy(2.0, x, &mut y[1..=length]);
            assert!((0..length).all(|k| y[k + 1] == 2.0 * x[k] + 1.0) && y[0] == 1.0 && y[length + 1] == 1.0);
        }
    }
    let a = vec3 { x: 1.0, y: 2.0, z: 3.0 };
    assert_eq!(bindings::dot(a, vec3 { x: 4.0, y: 5.0, z: 6.0 }), 32.0);
    assert_eq!(bindings::scaled(a, 2.0), vec3 { x: 2.0, y: 4.0, z: 6.0 });
    let b = bindings::scaled(a, 3.0);
    let m = mixed { on: true, wide: 1.5, narrow: -7, inner: [a, b], self_: 255 };
    assert_eq!(bindings::swapped(m), mixed { on: false, inner: [b, a], self_: 0, ..m });
    let mut four = [0.0; 4];
    bindings::four(&[a, b, a, b], &mut four);
    assert_eq!(four, [4.0, 12.0, 4.0, 12.0]);

    let block = |from: f32| vec3_8 { x: [0.0; 8], y: std::array::from_fn(|k| from + k as f32), z: [0.0; 8] };
    let mut out = [0.0; 13];
    bindings::lanes(&[block(10.0), block(50.0)], &mut out);
    assert_eq!((out[0], out[7], out[8], out[12]), (10.0, 17.0, 50.0, 54.0));
    assert_eq!(bindings::count(&[true, false, true]), 2);
    assert_eq!(bindings::count(&[]), 0);
    assert!(bindings::r#type(true, 0.5) && !bindings::r#type(true, -0.5));
    assert_eq!(bindings::try_type(4), 5);

    // Elements in blocks, and the blocks in a kernel.
    let element = |k: i16| particle { place: vec3 { x: k.into(), y: 0.0, z: 1.0 }, mass: k.into(), tags: [k, 7, 1] };
    let mut all: Hsoa<particle, 4> = (0..11).map(element).collect();
    bindings::moved(all.blocks_mut(), a);
    assert_eq!((all.len(), all.blocks().len()), (11, 3));
    for (k, found) in (0i16..).zip(all.iter()) {
        let (x, z) = (f32::from(k) + 1.0, 1.0 + 3.0 * f32::from(k));
        assert_eq!(found, particle { place: vec3 { x, y: 2.0, z }, mass: k.into(), tags: [k, 7, 1 + k] });
    }
    bindings::heavier(&mut all, 100.0);
    assert!((0i16..).zip(all.iter()).all(|(k, p)| p.mass == f32::from(k) + if k < 5 { 100.0 } else { 0.0 }));
    assert_eq!((bindings::heaviest(&all), bindings::heaviest(&Hsoa::new())), (104.0, -1.0));
    assert_eq!((bindings::tag(&all, 10, 2), bindings::tag(&all, 3, 1)), (11, 7));
    assert!(bindings::try_tag(&all, 11, 0).expect_err("outside").to_string().ends_with("index 11 of `all`, which has 11 elements from 0 on"));
    assert!(bindings::try_tag(&all, 0, 3).expect_err("outside").to_string().ends_with("index 3 of `tags`, which has 3 elements from 0 on"));
    assert_eq!(bindings::total(&(0i16..21).map(f32::from).collect()), 210.0);
    let points: Hsoa<vec3, 8> = (0..13).map(|k| vec3 { x: 0.0, y: k as f32, z: 0.0 }).collect();
    bindings::lanes(points.blocks(), &mut out);
    assert!((0..13).all(|k| out[k] == k as f32));
    assert_eq!(bindings::first(&[shared_4 { x: [0.0; 4], same: 2.5 }]), 2.5);

    // Lengths that follow from others, and those that are sums and products.
    let mut image = [0.0; 12];
    bindings::filled(&mut image, 4, 3, 2.5);
    assert_eq!(image, [2.5; 12]);
    let mut twice = [0; 6];
    bindings::doubled(&[1, 2, 3], &mut twice);
    assert_eq!(twice, [1, 1, 2, 2, 3, 3]);
    assert_eq!(bindings::corner(2, 1, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), 5.0);
    let said = |result: Result<(), ivl::Error>| result.expect_err("another length").to_string();
    assert_eq!(said(bindings::try_filled(&mut image, 640, 320, 0.0)), "`img` has 12 elements and `w * h` is 204800 (w = 640, h = 320)");
    assert_eq!(said(bindings::try_filled(&mut [], 1 << 16, -1 << 16, 0.0)), "`img` has 0 elements and `w * h` is -4294967296 (w = 65536, h = -65536)");
    assert_eq!(said(bindings::try_doubled(&[1], &mut twice)), "`out` has 6 elements and `2 * n` is 2 (n = 1)");
    let huge = bindings::try_corner(-2, u64::MAX, &[]).expect_err("another length").to_string();
    assert_eq!(huge, "`grid` has 0 elements and `(w + 1) * (h + 1)` is -18446744073709551616 (w = -2, h = 18446744073709551615)");

    // What fails comes back, as often as it likes, and what follows works.
    let points = [vec3 { x: 1.0, y: 2.0, z: 3.0 }, vec3 { x: -1.0, y: 0.0, z: 0.0 }];
    let x: Vec<f32> = (0..20).map(|k| k as f32).collect();
    let message = |error: ivl::Error| error.to_string();
    for round in 0..50 {
        assert_eq!(bindings::element(&x, 7), 7.0);
        let said = message(bindings::try_element(&x, 20 + round).expect_err("outside"));
        assert!(said.starts_with("exports.ivl:") && said.ends_with(&format!("index {} of `x`, which has 20 elements", 20 + round)), "{said}");
        assert!(message(bindings::try_element(&x, -1).expect_err("outside")).contains("index -1"));
        assert_eq!(bindings::positive(&points, 0), points[0]);
        assert!(message(bindings::try_positive(&points, 1).expect_err("an assertion")).starts_with("exports.ivl:"));
        assert!(message(bindings::try_positive(&points, 2).expect_err("outside")).contains("index 2"));
        assert_eq!(bindings::nested(&x, 3), 2.0 * (3.0 + 4.0 + 5.0));
        assert!(message(bindings::try_nested(&x, 18).expect_err("outside")).contains("index 20"));
        let mut out = vec![0.0; 1000];
        bindings::spread(&mut out, 1000);
        assert!(out.iter().all(|&k| k == 1.0));
        assert!(message(bindings::try_spread(&mut out, 1100).expect_err("outside")).contains("of `a`, which has 1000 elements"));
    }

    // What functions are given has as many elements as they take it to have.
    assert_eq!(bindings::halves(&x), 190.0);
    assert!(message(bindings::try_beyond(&x).expect_err("too few")).ends_with("`x` is to have 21 elements, and has 20"));

    // Lengths that differ, and more elements than are counted.
    let error = bindings::try_saxpy(1.0, &[1.0, 2.0], &mut [1.0; 3]).expect_err("lengths differ");
    assert_eq!(error.to_string(), "`x` has 2 elements and `y` has 3: both are to have `n`");
    let error = bindings::try_lanes(&[block(0.0)], &mut [0.0; 256]).expect_err("too many");
    assert_eq!(error.to_string(), "`out` has 256 elements, which are more than `k` counts");
    std::panic::set_hook(Box::new(|_| ()));
    let panic = std::panic::catch_unwind(|| bindings::saxpy(1.0, &[1.0], &mut [])).expect_err("lengths differ");
    assert_eq!(panic.downcast_ref::<String>().expect("a message"), "`x` has 1 elements and `y` has 0: both are to have `n`");

    let place = std::sync::Arc::new(std::sync::Mutex::new(0));
    let seen = place.clone();
    std::panic::set_hook(Box::new(move |info| *seen.lock().expect("nobody panics in it") = info.location().expect("a place").line()));
    let line = line!() + 1;
    let panic = std::panic::catch_unwind(|| bindings::element(&[1.0], 3)).expect_err("outside");
    assert!(panic.downcast_ref::<String>().expect("a message").ends_with("index 3 of `x`, which has 1 elements"));
    assert_eq!(*place.lock().expect("nobody panics in it"), line);
    // The addresses are right, and the caller says so.
    let mut ones = [1.0; 3];
    // SAFETY: there are three of them.
    unsafe { bindings::anywhere(ones.as_mut_ptr(), 3) };
    assert_eq!(ones, [0.0; 3]);

    let image = ivl::Image::<f32, 1>::new([0..4]).expect("an image");
    assert_eq!(bindings::twice::auto(image.view(), [0..4]).expect("it starts").view().window(), [0..4]);
    println!("all values are right");
}
