//! `examples/kernels/aobench.ivl` by hand: the same steps in the same order, a mask where an if is.

/// Defines `aobench` on the operations that are in scope; `steps!` gives each function the processor's features.
macro_rules! aobench {
    ($steps:ident) => {
        type V3 = [Vf; 3];

        #[derive(Clone, Copy)]
        pub struct Ray {
            origin: V3,
            direction: V3,
        }

        #[derive(Clone, Copy)]
        pub struct Hit {
            t: Vf,
            point: V3,
            normal: V3,
            found: Vm,
        }

        $steps! {
            fn add3(a: V3, b: V3) -> V3 { [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])] }
            fn sub3(a: V3, b: V3) -> V3 { [sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2])] }
            fn scale3(a: V3, s: Vf) -> V3 { [mul(a[0], s), mul(a[1], s), mul(a[2], s)] }
            fn dot3(a: V3, b: V3) -> Vf { fma(a[2], b[2], fma(a[0], b[0], mul(a[1], b[1]))) }
            fn cross3(a: V3, b: V3) -> V3 {
                [
                    fms(a[1], b[2], mul(a[2], b[1])),
                    fms(a[2], b[0], mul(a[0], b[2])),
                    fms(a[0], b[1], mul(a[1], b[0])),
                ]
            }
            fn normalize3(a: V3) -> V3 { scale3(a, quotient(all(1.0), root(dot3(a, a)))) }
            fn blend3(m: Vm, a: V3, b: V3) -> V3 { [blend(m, a[0], b[0]), blend(m, a[1], b[1]), blend(m, a[2], b[2])] }
            fn cos_turns(u: Vf) -> Vf {
                let t = mul(sub(magnitude(sub(u, all(0.5))), all(0.25)), all(6.2831853));
                let t2 = mul(t, t);
                let p = fma(t2, all(2.7525562e-6), all(-0.00019840874));
                let p = fma(t2, p, all(0.0083333310));
                let p = fma(t2, p, all(-0.16666667));
                mul(t, fma(t2, p, all(1.0)))
            }
            fn sin_turns(u: Vf) -> Vf {
                let shifted = add(u, all(0.75));
                cos_turns(sub(shifted, down(shifted)))
            }
            fn advance(s: Vi) -> Vi { addi(muli(s, alli(1664525)), alli(1013904223)) }
            fn unit(s: Vi) -> Vf { mul(to_float(shift_right_8(s)), all(5.9604645e-8)) }
            fn sphere(best: Hit, ray: Ray, center: [f32; 3], radius: f32, on: Vm) -> Hit {
                let mut best = best;
                let center = [all(center[0]), all(center[1]), all(center[2])];
                let rs = sub3(ray.origin, center);
                let b = dot3(rs, ray.direction);
                let c = sub(dot3(rs, rs), all(radius * radius));
                let d = fms(b, b, c);
                let m = both(on, gt(d, all(0.0)));
                if any(m) {
                    let t = sub(negate(b), root(d));
                    let m = both(m, both(gt(t, all(0.0)), lt(t, best.t)));
                    if any(m) {
                        let point = add3(ray.origin, scale3(ray.direction, t));
                        let normal = normalize3(sub3(point, center));
                        best.t = blend(m, t, best.t);
                        best.found = either(best.found, m);
                        best.point = blend3(m, point, best.point);
                        best.normal = blend3(m, normal, best.normal);
                    }
                }
                best
            }
            fn ground(best: Hit, ray: Ray, on: Vm) -> Hit {
                let mut best = best;
                let d = ray.direction[1];
                let m = both(on, gt(magnitude(d), all(1.0e-17)));
                if any(m) {
                    let t = quotient(negate(add(ray.origin[1], all(0.5))), d);
                    let m = both(m, both(gt(t, all(0.0)), lt(t, best.t)));
                    if any(m) {
                        best.t = blend(m, t, best.t);
                        best.found = either(best.found, m);
                        best.point = blend3(m, add3(ray.origin, scale3(ray.direction, t)), best.point);
                        best.normal = blend3(m, [all(0.0), all(1.0), all(0.0)], best.normal);
                    }
                }
                best
            }
            fn trace(ray: Ray, on: Vm) -> Hit {
                let zero = [all(0.0); 3];
                let best = Hit { t: all(1.0e17), point: zero, normal: zero, found: no_lane() };
                let best = sphere(best, ray, [-2.0, 0.0, -3.5], 0.5, on);
                let best = sphere(best, ray, [-0.5, 0.0, -3.0], 0.5, on);
                let best = sphere(best, ray, [1.0, 0.0, -2.2], 0.5, on);
                ground(best, ray, on)
            }
            fn occlusion(hit: Hit, seed: Vi, on: Vm) -> Vf {
                let (limit, one, zero) = (all(0.6), all(1.0), all(0.0));
                let x = lt(magnitude(hit.normal[0]), limit);
                let y = without(lt(magnitude(hit.normal[1]), limit), x);
                let z = without(without(every_lane(), x), y);
                let side = [blend(x, one, zero), blend(y, one, zero), blend(z, one, zero)];
                let u = normalize3(cross3(side, hit.normal));
                let v = cross3(hit.normal, u);
                let origin = add3(hit.point, scale3(hit.normal, all(0.0001)));
                let (mut state, mut open) = (seed, zero);
                for _ in 0..64 {
                    state = advance(state);
                    let r = unit(state);
                    state = advance(state);
                    let turn = unit(state);
                    let radius = root(r);
                    let dx = mul(cos_turns(turn), radius);
                    let dy = mul(sin_turns(turn), radius);
                    let dz = root(sub(one, r));
                    let direction = add3(add3(scale3(u, dx), scale3(v, dy)), scale3(hit.normal, dz));
                    let occluder = trace(Ray { origin, direction }, on);
                    open = add_where(without(on, occluder.found), open, one);
                }
                mul(open, all(0.015625))
            }
            fn aobench(width: i32, height: i32, sub_: i32, image: *mut f32) {
                let (half_width, half_height) = (width as f32 * 0.5, height as f32 * 0.5);
                for y in 0..height {
                    for i in (0..width).step_by(W) {
                        let on = first(width - i);
                        let xi = addi(alli(i), iota());
                        let (x, mut total) = (to_float(xi), all(0.0));
                        for v in 0..sub_ {
                            for u in 0..sub_ {
                                let shift = u as f32 / sub_ as f32;
                                let px = quotient(sub(add(x, all(shift)), all(half_width)), all(half_width));
                                let py = all(-(y as f32 + v as f32 / sub_ as f32 - half_height) / half_height);
                                let camera = Ray { origin: [all(0.0); 3], direction: normalize3([px, py, all(-1.0)]) };
                                let hit = trace(camera, on);
                                let m = both(on, hit.found);
                                if any(m) {
                                    let row = muli(addi(xi, alli(y * width)), alli(sub_));
                                    let n = addi(muli(addi(row, alli(v)), alli(sub_)), alli(u));
                                    let seed = addi(muli(n, alli(747796405)), alli(2891336453u32 as i32));
                                    total = add_where(m, total, occlusion(hit, seed, m));
                                }
                            }
                        }
                        total = quotient(total, all((sub_ * sub_) as f32));
                        let to = image.add((y * width + i) as usize);
                        if i + W as i32 <= width { store(to, total) } else { store_first(to, on, total) }
                    }
                }
            }
        }
    };
}
