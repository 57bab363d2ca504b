//! Shapes that passes rewrite, and that hardly come up by chance.

use super::built_ins::INTS;
use super::generator::{Elem::*, Generator};

/// Functions that look for an element of an array that is there as a whole, and such that are short enough for their tails to be copied.
pub const FUNCTIONS: &[&str] = &[
    "export int first_byte(const uint8 a[n], uint8 x, int n) {",
    "int scalar found = n;",
    "foreach (int block[16] i = 0 .. n) {",
    "if (a[i] == x) found = reduce_min(i);",
    "if (found < n) break;",
    "}",
    "return found;",
    "}",
    "export bool has_greater(const int a[n], int x, int n) {",
    "bool scalar found = false;",
    "foreach (int block[8] i = 0 .. n) {",
    "if (any(a[i] > x)) found = true;",
    "if (found) break;",
    "}",
    "return found;",
    "}",
    "[[noinline]] int last_byte(const uint8 scalar a[n], uint8 scalar x, int scalar n) {",
    "for (int i = n - 1; i >= 0; --i) if (a[i] == x) return i;",
    "return -1;",
    "}",
    "[[noinline]] int last_above(const int scalar a[n], int scalar x, int scalar n) {",
    "for (int i = n - 1; i >= 0; --i) if (a[i] > x) return i;",
    "return -1;",
    "}",
    "[[noinline]] void squares(int *scalar a, const int16 *scalar b, int scalar n) {",
    "foreach (int block[32] i = 0 .. n) a[i] = a[i] * 3 + b[i] * b[i];",
    "}",
    "[[noinline]] void exchanged(int16 *scalar a, const int16 *scalar b, int scalar n) {",
    "foreach (int block[32] i = 0 .. n) { a[2 * i] = b[2 * i + 1]; a[2 * i + 1] = b[2 * i]; }",
    "}",
];

/// Floats that become integers and are clamped, NaN and infinite ones among them.
pub fn clamped_floats(g: &mut Generator) {
    let (elem, l) = (g.random.pick(INTS).name(), g.random.pick(&[4, 8, 16]));
    let n = l + g.random.below(l + 1);
    let [a, o, i, z] = ["floats", "clamped", "i", "zero"].map(|name| g.name(name));
    g.line(format!("float scalar {a}[{n}];"));
    g.line(format!("{elem} scalar {o}[{n}];"));
    g.line(format!("float scalar {z} = 0;"));
    g.line(format!("for (int scalar {i} = 0; {i} < {n}; ++{i}) {{"));
    let by = g.random.pick(&["0.37f", "-1.5f", "32.5f", "1000000000.0f"]);
    g.line(format!("{a}[{i}] = (float) ({i} * {i} - 40) * {by};"));
    let [infinite, none] = [5, 7].map(|of| g.random.below(of));
    g.line(format!("if ({i} % 5 == {infinite}) {a}[{i}] = {a}[{i}] / {z};"));
    g.line(format!("if ({i} % 7 == {none}) {a}[{i}] = {z} / {z};"));
    g.line("}");
    let rounded = g.random.pick(&["rint", "round", "trunc", "floor", "ceil", ""]);
    let (least, most) = g.random.pick(&[
        ("-128", "127"),
        ("0", "255"),
        ("-32768", "32767"),
        ("-5", "100"),
        ("10", "20"),
        ("-20", "-10"),
        ("20", "10"),
        ("-16777216", "16777216"),
        ("-16777217", "16777217"),
    ]);
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
    let number = format!("(int) {rounded}({a}[{i}])");
    let value = match g.random.below(4) {
        0 => format!("min({number}, {most})"),
        1 => format!("max(min({number}, {most}), {least})"),
        _ => format!("min(max({number}, {least}), {most})"),
    };
    g.line(format!("{o}[{i}] = ({elem}) {value};"));
    g.line("}");
    g.shown_array(&o, n);
}

/// Products of fractions that are rounded, such as ⅓ · x in 16 bits.
pub fn rounded_products(g: &mut Generator) {
    let l = g.random.pick(&[8, 16, 32]);
    let n = l + g.random.below(2) * (l / 2);
    let (first, second) = (g.random.pick(&[Int(16), Int(8), Uint(8)]).name(), g.random.pick(&[Int(16), Int(16), Int(8)]).name());
    let [a, b, o, i] = ["a", "b", "rounded", "i"].map(|name| g.name(name));
    g.line(format!("{first} scalar {a}[{n}];"));
    g.line(format!("{second} scalar {b}[{n}];"));
    g.line(format!("int16 scalar {o}[{n}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {n}; ++{i}) {{"));
    g.line(format!("{a}[{i}] = ({first}) ({i} * 4099 - 32768);"));
    g.line(format!("{b}[{i}] = ({second}) ({i} * 1237 - 32768);"));
    g.line("}");
    let shift = g.random.pick(&[15, 15, 14, 8, 7]);
    let factor = if g.random.one_in(2) { format!("{b}[{i}]") } else { g.random.pick(&["77", "-23170", "150"]).to_owned() };
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
    g.line(format!("{o}[{i}] = (int16) (((int) {a}[{i}] * {factor} + {}) >> {shift});", 1 << (shift - 1)));
    g.line("}");
    g.shown_array(&o, n);
}

/// Calls of the first [`FUNCTIONS`].
pub fn searches(g: &mut Generator) {
    let (n, at) = (g.random.below(300) + 1, g.random.below(300));
    let [a, b, i] = ["bytes", "ints", "i"].map(|name| g.name(name));
    g.line(format!("uint8 scalar {a}[{n}];"));
    g.line(format!("int scalar {b}[{n}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {n}; ++{i}) {{"));
    g.line(format!("{a}[{i}] = {i} == {at} ? (uint8) 7 : (uint8) ({i} % 3);"));
    g.line(format!("{b}[{i}] = {i} == {at} ? 7 : {i} % 3;"));
    g.line("}");
    let greater = g.random.pick(&[1, 5, 7]);
    g.line(format!("print(\"% %\\n\", first_byte({a}, 7, {n}), has_greater({b}, {greater}, {n}));"));
    g.line(format!("print(\"% %\\n\", last_byte({a}, 7, {n}), last_above({b}, {greater}, {n}));"));
}

/// A product of a row and a matrix: each lane adds up its column, of numbers of few bits in more.
pub fn columns(g: &mut Generator) {
    let elem = g.random.pick(&[Int(32), Int(16), Float, Int(64)]).name();
    let (l, k) = (g.random.pick(&[4, 8]), g.random.below(20) + 1);
    if g.random.one_in(2) {
        return narrow_columns(g, 2 * l, k + 4);
    }
    let n = g.random.below(5 * l) + 1;
    let [a, b, c, i, j, s] = ["row", "matrix", "product", "i", "j", "sum"].map(|name| g.name(name));
    g.line(format!("{elem} scalar {a}[{k}], {b}[{}], {c}[{n}];", k * n));
    g.line(format!("for (int scalar {i} = 0; {i} < {k}; ++{i}) {a}[{i}] = ({elem}) ({i} * 3 - 7);"));
    g.line(format!("for (int scalar {i} = 0; {i} < {}; ++{i}) {b}[{i}] = ({elem}) ({i} % 23 - 5);", k * n));
    let rows = if g.random.one_in(2) { k.to_string() } else { format!("{k} - ({} & 1)", g.scalar(Int(32), 1)) };
    g.line(format!("foreach (int block[{l}] {j} = 0 .. {n}) {{"));
    g.line(format!("{elem} {s} = ({elem}) 1;"));
    g.line(format!("for (int scalar {i} = 0; {i} < {rows}; ++{i}) {s} += {a}[{i}] * {b}[{i} * {n} + {j}];"));
    g.line(format!("{c}[{j}] = {s};"));
    g.line("}");
    g.shown_array(&c, n);
}

fn narrow_columns(g: &mut Generator, l: usize, k: usize) {
    let narrow = [Int(8), Uint(8), Int(16), Int(16)];
    let [first, second] = [(); 2].map(|()| g.random.pick(&narrow).name());
    let n = g.random.below(5 * l) + 1;
    let [a, b, c, i, j, s] = ["row", "matrix", "product", "i", "j", "sum"].map(|name| g.name(name));
    g.line(format!("{first} scalar {a}[{k}];"));
    g.line(format!("{second} scalar {b}[{}];", k * n));
    g.line(format!("int scalar {c}[{n}];"));
    // −32768 is among them.
    g.line(format!("for (int scalar {i} = 0; {i} < {k}; ++{i}) {a}[{i}] = ({first}) ({i} * 20479 - 32768);"));
    g.line(format!("for (int scalar {i} = 0; {i} < {}; ++{i}) {b}[{i}] = ({second}) ({i} % 23 * 4099 - 32768);", k * n));
    g.line(format!("foreach (int block[{l}] {j} = 0 .. {n}) {{"));
    g.line(format!("int {s} = 1;"));
    let row = if g.random.one_in(3) { format!("{b}[{j}]") } else { format!("{a}[{i}]") };
    g.line(format!("for (int scalar {i} = 0; {i} < {k}; ++{i}) {s} += (int) {row} * (int) {b}[{i} * {n} + {j}];"));
    g.line(format!("{c}[{j}] = {s};"));
    g.line("}");
    g.shown_array(&c, n);
}

/// Calls of the other [`FUNCTIONS`], with more or less behind their blocks.
pub fn tails(g: &mut Generator) {
    let n = g.random.pick(&[0, 32]) + g.random.pick(&[0, 1, 8, 9, 16, 17, 31]);
    let [a, b, c, i] = ["a", "b", "c", "i"].map(|name| g.name(name));
    g.line(format!("int scalar {a}[63];"));
    g.line(format!("int16 scalar {b}[126], {c}[126];"));
    g.line(format!("for (int scalar {i} = 0; {i} < 126; ++{i}) {{"));
    g.line(format!("{a}[{i} / 2] = {i};"));
    g.line(format!("{b}[{i}] = (int16) ({i} * 4099);"));
    g.line(format!("{c}[{i}] = -1;"));
    g.line("}");
    g.line(format!("squares({a}, {b}, {n});"));
    g.line(format!("exchanged({c}, {b}, {n});"));
    g.shown_array(&a, 63);
    g.shown_array(&c, 126);
}
