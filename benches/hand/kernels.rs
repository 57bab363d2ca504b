//! The kernels of `core.ivl` and `aobench.ivl`, written by hand on the operations of a `vector_*` module.

/// Defines the kernels for the processor features `$features` on the operations that are in scope.
macro_rules! kernels {
    ($features:literal) => {
        #[repr(C)]
        pub struct BlockData {
            pub key: [i32; W],
            pub other: [i32; W],
        }

        #[repr(C)]
        pub struct BlockBody {
            pub x: [f32; W],
            pub y: [f32; W],
            pub z: [f32; W],
            pub mass: [f32; W],
            pub vx: [f32; W],
            pub vy: [f32; W],
            pub vz: [f32; W],
        }

        #[target_feature(enable = $features)]
        pub unsafe fn search_hybrid(data: *const BlockData, n: i32) -> i32 {
            // SAFETY: the processor has the features, and `data` has `n / W` blocks.
            unsafe {
                for i in 0..n as usize / W {
                    let x = loadi((*data.add(i)).key.as_ptr());
                    let found = in_range(x, 4, 8);
                    if any(found) {
                        return or_lanes(blendi(found, x, alli(0)));
                    }
                }
                -1
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn saxpy(a: f32, x: *const f32, y: *mut f32, n: i32) {
            // SAFETY: the processor has the features, `x` and `y` have `n` elements, and lanes beyond them are off.
            unsafe {
                let (va, n) = (all(a), n as usize);
                let mut i = 0;
                while i + 2 * W <= n {
                    let low = fma(va, load(x.add(i)), load(y.add(i)));
                    let high = fma(va, load(x.add(i + W)), load(y.add(i + W)));
                    store(y.add(i), low);
                    store(y.add(i + W), high);
                    i += 2 * W;
                }
                while i < n {
                    let m = first((n - i) as i32);
                    store_first(y.add(i), m, fma(va, load_first(x.add(i), m), load_first(y.add(i), m)));
                    i += W;
                }
            }
        }

        /// 64 sums in 64 / W registers, added in halves.
        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn fold(mut s: [Vf; 64 / W]) -> f32 {
            // SAFETY: the processor has the features, which is all that these operations ask for.
            unsafe {
                let mut half = 64 / W / 2;
                while half >= 1 {
                    for k in 0..half {
                        s[k] = add(s[k], s[k + half]);
                    }
                    half /= 2;
                }
                add_lanes(s[0])
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn sum(x: *const f32, n: i32) -> f32 {
            // SAFETY: the processor has the features, `x` has `n` elements, and lanes beyond them are off.
            unsafe {
                let n = n as usize;
                let mut s = [all(0.0); 64 / W];
                let mut i = 0;
                while i + 64 <= n {
                    for k in 0..64 / W {
                        s[k] = add(s[k], load(x.add(i + k * W)));
                    }
                    i += 64;
                }
                let mut k = 0;
                while i < n {
                    let m = first((n - i) as i32);
                    s[k] = add_where(m, s[k], load_first(x.add(i), m));
                    (i, k) = (i + W, k + 1);
                }
                fold(s)
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn dot(x: *const f32, y: *const f32, n: i32) -> f32 {
            // SAFETY: the processor has the features, `x` and `y` have `n` elements, and lanes beyond them are off.
            unsafe {
                let n = n as usize;
                let mut s = [all(0.0); 64 / W];
                let mut i = 0;
                while i + 64 <= n {
                    for k in 0..64 / W {
                        s[k] = fma(load(x.add(i + k * W)), load(y.add(i + k * W)), s[k]);
                    }
                    i += 64;
                }
                let mut k = 0;
                while i < n {
                    let m = first((n - i) as i32);
                    s[k] = fma(load_first(x.add(i), m), load_first(y.add(i), m), s[k]);
                    (i, k) = (i + W, k + 1);
                }
                fold(s)
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn clamp_ifs(x: *const f32, y: *mut f32, n: i32, low: f32, high: f32) {
            // SAFETY: the processor has the features, `x` and `y` have `n` elements, and lanes beyond them are off.
            unsafe {
                let (l, h, n) = (all(low), all(high), n as usize);
                let mut i = 0;
                while i + W <= n {
                    let v = load(x.add(i));
                    store(y.add(i), blend(lt(v, l), l, blend(gt(v, h), h, v)));
                    i += W;
                }
                if i < n {
                    let m = first((n - i) as i32);
                    let v = load_first(x.add(i), m);
                    store_first(y.add(i), m, blend(lt(v, l), l, blend(gt(v, h), h, v)));
                }
            }
        }

        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn escape_time(re: Vf, im: Vf, limit: i32, mut live: Vm) -> Vi {
            // SAFETY: the processor has the features, which is all that these operations ask for.
            unsafe {
                let (mut x, mut y, mut rounds) = (re, im, alli(0));
                for _ in 0..limit {
                    let (x2, y2) = (mul(x, x), mul(y, y));
                    live = without(live, gt(add(x2, y2), all(4.0)));
                    if !any(live) {
                        break;
                    }
                    rounds = count_up(rounds, live);
                    y = fma(add(x, x), y, im);
                    x = add(sub(x2, y2), re);
                }
                rounds
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn mandelbrot(x0: f32, y0: f32, x1: f32, y1: f32, width: i32, height: i32, limit: i32, counts: *mut i32) {
            // SAFETY: the processor has the features, `counts` has `width * height` elements, and lanes beyond a row are off.
            unsafe {
                let (dx, dy) = ((x1 - x0) / width as f32, (y1 - y0) / height as f32);
                for j in 0..height {
                    let im = all(y0 + j as f32 * dy);
                    for i in (0..width).step_by(W) {
                        let m = first(width - i);
                        let re = fma(to_float(addi(alli(i), iota())), all(dx), all(x0));
                        let rounds = escape_time(re, im, limit, m);
                        let to = counts.add((j * width + i) as usize);
                        if i + W as i32 <= width { storei(to, rounds) } else { storei_first(to, m, rounds) }
                    }
                }
            }
        }

        /// The pull of a body at `b` (x, y, z, mass) on the lanes at `p`, added to `a`.
        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn pull(b: [f32; 4], p: [Vf; 3], a: [Vf; 3]) -> [Vf; 3] {
            // SAFETY: the processor has the features, which is all that these operations ask for.
            unsafe {
                let d = [sub(all(b[0]), p[0]), sub(all(b[1]), p[1]), sub(all(b[2]), p[2])];
                let d2 = fma(d[2], d[2], fma(d[1], d[1], fma(d[0], d[0], all(0.01))));
                let inv = quotient(all(1.0), root(d2));
                let f = mul(all(b[3]), mul(mul(inv, inv), inv));
                [fma(d[0], f, a[0]), fma(d[1], f, a[1]), fma(d[2], f, a[2])]
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn nbody_aos(b: *mut [f32; 7], n: i32, dt: f32) {
            // SAFETY: the processor has the features, `b` has `n` bodies, lanes beyond them are off, and no reference to one lives while it is changed.
            unsafe {
                let (n, p) = (n as usize, b as *mut f32);
                let mut lanes = [0i32; W];
                for (k, lane) in lanes.iter_mut().enumerate() {
                    *lane = 7 * k as i32;
                }
                let seven = loadi(lanes.as_ptr());
                for i in (0..n).step_by(W) {
                    let m = first((n - i) as i32);
                    let at = p.add(7 * i);
                    let position = [gather(at, seven, m), gather(at.add(1), seven, m), gather(at.add(2), seven, m)];
                    let mut a = [all(0.0); 3];
                    for j in 0..n {
                        let q = &*b.add(j);
                        a = pull([q[0], q[1], q[2], q[3]], position, a);
                    }
                    let mut s = [[0f32; W]; 3];
                    for c in 0..3 {
                        store(s[c].as_mut_ptr(), a[c]);
                    }
                    for k in 0..W.min(n - i) {
                        for c in 0..3 {
                            (*b.add(i + k))[4 + c] += dt * s[c][k];
                        }
                    }
                }
            }
        }

        #[target_feature(enable = $features)]
        pub unsafe fn nbody_hybrid(b: *mut BlockBody, blocks: i32, dt: f32) {
            // SAFETY: the processor has the features, `b` has `blocks` blocks, and no reference to one lives while it is changed.
            unsafe {
                for k in 0..blocks as usize {
                    let c = b.add(k);
                    let position = [load((*c).x.as_ptr()), load((*c).y.as_ptr()), load((*c).z.as_ptr())];
                    let mut a = [all(0.0); 3];
                    for j in 0..blocks as usize {
                        let q = &*b.add(j);
                        for l in 0..W {
                            a = pull([q.x[l], q.y[l], q.z[l], q.mass[l]], position, a);
                        }
                    }
                    let to = [&mut (*c).vx, &mut (*c).vy, &mut (*c).vz];
                    for (to, a) in to.into_iter().zip(a) {
                        store(to.as_mut_ptr(), fma(all(dt), a, load(to.as_ptr())));
                    }
                }
            }
        }
    };
}
