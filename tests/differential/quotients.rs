//! Quotients by what is known before: by constants of what was an integer, and in loops by what these do not change.

use super::generator::Generator;

/// What is divided by; some are outside of where products may take the place of quotients.
const DIVISORS: [&str; 9] = ["3.0", "0.7", "0.011", "1.7", "255.0", "-3.0", "0.125", "1.0e30", "1.0e-30"];
/// What dividends are multiples of, before most of them become as small as floats are.
const STEPS: [&str; 4] = ["0.013", "0.37", "0.013", "1000.0"];

/// A function that divides, of each of the two types.
pub fn dividing_functions(g: &mut Generator) {
    for (elem, suffix) in [("float", "f"), ("double", "d")] {
        let l = g.random.pick(&[4, 8, 16]);
        let by = match g.random.one_in(3) {
            true => format!("{}{suffix}", g.random.pick(&DIVISORS)),
            false => "by".into(),
        };
        let line = g.random.pick(&[
            "o[i] = a[i] / by;",
            "o[i] = a[i] / by;",
            "o[i] = (a[i] + a[i]) / by;",
            "if (a[i] > (E) 1) o[i] = a[i] / by;",
            "o[i] = ((E) b[i] * (E) 0.25 + (E) 3) / by;",
            "o[i] = ((E) b[i] - (E) 128) / by;",
            "o[i] = (a[i] - o[i]) / by + a[i] / (E) 7;",
        ]);
        g.line(format!("export void divides_{elem}s(const {elem} a[n], const uint8 b[n], {elem} by, {elem} o[n], int n) {{"));
        g.line(format!("foreach (int block[{l}] i = 0 .. n) {}", line.replace("(E)", &format!("({elem})")).replace("by", &by)));
        g.line("}");
        // In place, with what a round stores some places beside what it loads.
        let [from, beside, to] = [0, 1, g.random.pick(&[0, 1, 2])];
        g.line(format!("export void shifts_{elem}s({elem} block[8] v[n + 2], {elem} by, int n) {{"));
        g.line(format!("for (int k = 0; k < n; ++k) v[k + {to}] = (v[k + {from}] + v[k + {beside}]) / by;"));
        g.line("}");
    }
}

/// A call of [`dividing_functions`], which shows how a quotient is rounded, and whether what is small, huge or no number is asked for.
pub fn quotients(g: &mut Generator) {
    let (elem, d, sizes) = match g.random.one_in(3) {
        true => ("double", "d", ["1.0e-308d", "1.0e-309d", "1.0e300d"]),
        false => ("float", "f", ["1.0e-38f", "1.0e-39f", "1.0e38f"]),
    };
    let n = g.random.below(70);
    let [a, b, o, v, i, z] = ["dividends", "bytes", "quotients", "vectors", "i", "zero"].map(|name| g.name(name));
    g.line(format!("{elem} scalar {a}[{}];", n + 1));
    g.line(format!("{elem} scalar {o}[{}];", n + 1));
    g.line(format!("uint8 scalar {b}[{}];", n + 1));
    g.line(format!("{elem} scalar {z} = 0;"));
    let step = g.random.pick(&STEPS);
    g.line(format!("for (int scalar {i} = 0; {i} <= {n}; ++{i}) {{"));
    g.line(format!("{a}[{i}] = ({elem}) ({i} * {i} - 40) * {step}{d};"));
    let [first, second, third] = [2, 7, 9].map(|of| g.random.below(of));
    let size = g.random.pick(&sizes);
    g.line(format!("if ({i} % 2 == {first}) {a}[{i}] = {a}[{i}] * {size};"));
    g.line(format!("if ({i} % 7 == {second}) {a}[{i}] = {a}[{i}] / {z};"));
    g.line(format!("if ({i} % 9 == {third}) {a}[{i}] = -{z};"));
    g.line(format!("{b}[{i}] = (uint8) ({i} * 37);"));
    g.line(format!("{o}[{i}] = 1;"));
    g.line("}");
    let by = match g.random.one_in(4) {
        false => format!("{}{d}", g.random.pick(&DIVISORS)),
        true => format!("{a}[{}]", g.random.below(n + 1)),
    };
    g.line(format!("divides_{elem}s({a}, {b}, {by}, {o}, {n});"));
    g.shown_array(&o, n + 1);
    g.line(format!("{elem} block[8] {v}[{}];", n + 3));
    g.line(format!("for (int scalar {i} = 0; {i} < {}; ++{i}) {v}[{i}] = {a}[{i} * 5 % {}] * ({elem}) iota(8);", n + 3, n + 1));
    g.line(format!("shifts_{elem}s({v}, {by}, {});", n + 1));
    g.shown_array(&v, n + 3);
}
