//! Colours: `yuv`.

use super::{bytes, up_to_avx2, wide};
use crate::buffer::Buffer;
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use ivl::Level;
use yuv::{YuvPlanarImage, YuvRange, YuvStandardMatrix, yuv444_to_rgba};

/// Luma, both chromas, and the result of so many pixels.
struct Picture {
    planes: [Buffer<u8>; 3],
    rgba: Buffer<u8>,
}

fn picture(pixels: usize) -> Picture {
    let plane = |place, low: u8, span: usize| {
        let values: Vec<u8> = bytes(place, pixels).iter().map(|&v| low + (usize::from(v) * span / 256) as u8).collect();
        Buffer::new(place, &values)
    };
    Picture { planes: [plane(0, 16, 220), plane(1, 16, 225), plane(2, 16, 225)], rgba: Buffer::new(3, &vec![0; 4 * pixels]) }
}

fn convert(picture: &mut Picture) {
    let [y_plane, u_plane, v_plane] = picture.planes.each_ref().map(|plane| &plane[..]);
    let width = y_plane.len() as u32;
    let image = YuvPlanarImage { y_plane, y_stride: width, u_plane, u_stride: width, v_plane, v_stride: width, width, height: 1 };
    yuv444_to_rgba(&image, &mut picture.rgba, 4 * width, YuvRange::Limited, YuvStandardMatrix::Bt601)
        .expect("planes of one size");
}

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    vec![case!(
        "YUV to RGBA", count, Tolerance::Steps(1.0), "strict",
        data picture(count),
        ours |d| yuv_to_rgba(&d.planes[0], &d.planes[1], &d.planes[2], &mut d.rgba, 9539, 13075, 16525, 6660, 3209, 16) as |d, _n| wide(&d.rgba),
        up_to_avx2(isa, "yuv"), |d| convert(d), as |d, _n| wide(&d.rgba)
    )]
}
