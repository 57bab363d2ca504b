//! Images that are turned, whichever index has the lanes.

use super::generator::Generator;

const ELEMENTS: [&str; 5] = ["float", "int", "uint16", "int16", "double"];

/// A function that turns an image of each of these types.
pub fn turning_functions(g: &mut Generator) {
    for elem in ELEMENTS {
        let l = g.random.pick(&[4, 8, 8, 16]);
        let indices = match g.random.one_in(2) {
            true => format!("int block[{l}] x = 0 .. m, int y = 0 .. n"),
            false => format!("int block[{l}] y = 0 .. n, int x = 0 .. m"),
        };
        let line = g.random.pick(&[
            "o[x * by + y] = a[y * m + x];",
            "o[x * by + (n - 1 - y)] = a[y * m + x];",
            "o[x * by + y] = a[y * m + x] + a[y * m + x];",
            "if (a[y * m + x] > (E) 9) o[x * by + y] = a[y * m + x];",
            "o[x * by + y] = a[(n - 1 - y) * m + x];",
        ]);
        g.line(format!("export void turns_{elem}s(const {elem} a[n * m], {elem} o[m * by + n], int n, int m, int by) {{"));
        g.line(format!("foreach ({indices}) {}", line.replace("(E)", &format!("({elem})"))));
        g.line("}");
    }
}

/// A call of [`turning_functions`], of rows that overlap where they are shorter than what is written there.
pub fn turned(g: &mut Generator) {
    let elem = g.random.pick(&ELEMENTS);
    let [n, m] = [0, 1].map(|_| g.random.below(20));
    let by = if g.random.one_in(3) { g.random.below(8) } else { n };
    let [a, o, i] = ["image", "turned", "i"].map(|name| g.name(name));
    let (from, to) = (n * m + 1, m * by + n + 1);
    g.line(format!("{elem} scalar {a}[{from}];"));
    g.line(format!("{elem} scalar {o}[{to}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {from}; ++{i}) {a}[{i}] = ({elem}) ({i} * 37 % 101);"));
    g.line(format!("for (int scalar {i} = 0; {i} < {to}; ++{i}) {o}[{i}] = 1;"));
    g.line(format!("turns_{elem}s({a}, {o}, {n}, {m}, {by});"));
    g.shown_array(&o, to);
}
