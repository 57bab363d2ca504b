//! Loops that look at what lies around an element, and mirror, clamp, wrap around or leave out what there is none of: in plain loops, with and without loops inside,
//! and over lanes. And loops with loops in them over arrays that may meet.

use super::generator::Generator;

const ELEMENTS: [&str; 4] = ["int", "float", "uint8", "int16"];

/// What an index becomes.
const INDICES: [&str; 12] = [
    "if (k < 0) k = -k; if (k >= n) k = 2 * n - 2 - k;",
    "k = abs(k); if (k > n - 1) k = 2 * (n - 1) - k;",
    "if (k < 0) k = 0; else if (k > n - 1) k = n - 1;",
    "k = min(max(k, 0), n - 1);",
    "k = (k + n) % n;",
    "if (k < 0) k += n; if (k >= n) k -= n;",
    "k = k < 0 || k >= n ? by : k;",
    "if (n - k <= 0) k = n - 1; if (0 > k) k = 1;",
    "k = k == -1 ? n - 1 : k < -1 ? 0 : k; k = k == n ? 0 : k; k = clamp(k, 0, n - 1);",
    "k = (uint) k < (uint) n ? k : n / 2;",
    "k = (int) min((uint) k, (uint) (n - 1));",
    "k = k + from < 0 ? n - 1 : clamp(k, 0, n - 1);",
];

/// A function over arrays of one of these types.
pub fn bordering_functions(g: &mut Generator) {
    let elem = g.random.pick(&ELEMENTS);
    g.bordering = elem;
    let lanes = g.random.pick(&["", "", " block[8]", " block[16]"]);
    let counter = g.random.pick(&["int", "int", "uint"]);
    g.line(format!("export void borders(const {elem} a[n + 1], {elem} o[n + 1], int n, int by, int from) {{"));
    match (lanes, counter) {
        ("", "uint") => {
            g.line("for (uint u = 0; u < (uint) n; u++) {");
            g.line("int x = (int) u;");
        }
        ("", _) => {
            let start = g.random.pick(&["0", "0", "0", "by", "from < 0 ? 0 : min(from, n)"]);
            g.line(format!("for (int x = {start}; x < n; x++) {{"));
        }
        _ => g.line(format!("foreach (int{lanes} x = 0 .. n) {{")),
    }
    g.line(format!("{elem} s = a[x];"));
    let has_loop = g.random.one_in(3);
    if has_loop {
        let loops =
            ["for (int d = -2; d <= 2; d++) {", "for (int d = -by; d <= by; d++) {", "for (int d = 0; d < by + 2; d++) {"];
        let line = g.random.pick(&loops);
        g.line(line);
    }
    for number in 0..1 + g.random.below(2) {
        let place = match has_loop {
            true => g.random.pick(&["x + d", "x + d", "x - d", "x + 2 * d"]),
            false => {
                g.random.pick(&["x - 1", "x + 1", "x - by", "x + by", "n - 2 - x", "2 * x - 3", "x + from", "by - 2", "n - from"])
            }
        };
        let ways = [
            "if (K >= 0 && K < n) s = (E) (s + a[K]);",
            "if (K > 0) { if (K + 1 < n) s = (E) (s * (E) 3 + a[K]); } else s = (E) (s - a[x]);",
            "s = (E) (s + (K < 0 ? (E) 7 : K >= n ? (E) 9 : a[K]));",
        ];
        let line = match g.random.one_in(3) {
            true => g.random.pick(&ways).to_owned(),
            // An index is inside at last, whatever it is made of.
            false => format!("{} s = (E) (s * (E) 3 + a[clamp(k, 0, n - 1)]);", g.random.pick(&INDICES)).replace('k', "K"),
        };
        let line = line.replace("cKamp", "clamp").replace('K', &format!("k{number}")).replace("(E)", &format!("({elem})"));
        g.line(format!("int k{number} = {place};"));
        g.line(line);
    }
    if has_loop {
        g.line("}");
    }
    g.line("o[x] = s;");
    g.line("}");
    g.line("}");
}

/// A function of a loop with loops in it, over pointers to one of these types.
pub fn meeting_functions(g: &mut Generator) {
    let elem = g.random.pick(&ELEMENTS);
    g.meeting = elem;
    g.line(format!("export void meets(const {elem} *a, const {elem} *b, {elem} *o, int n, int m, int by) {{"));
    let line = g.random.pick(&[
        "for (int k = 0; k < m; k++) s = (E) (s * (E) 3 + a[i + k] - b[k]);",
        "for (int k = -m; k <= m; k++) s = (E) (s - a[i - k + m] * (E) 2 + (E) k);",
        "for (int k = 0; k < m; k++) for (int l = 0; l < 3; l++) s = (E) (s * (E) 2 + a[k * by + l + i]);",
        "for (int k = 0; k < m; k++) s = (E) (s + a[by * 2 - k] * b[i] - s * a[k * 2 + i]);",
        "for (int k = 0; k < m; k++) { if (s > (E) 9) s = (E) (s - b[k * by + i]); else s = (E) (s * (E) 2 + a[i]); }",
    ]);
    g.line("for (int i = 0; i < n; i++) {");
    g.line(format!("{elem} s = b[i];"));
    g.line(line.replace("(E)", &format!("({elem})")));
    g.line("o[i] = s;");
    g.line("}");
    g.line("}");
}

/// A call of [`meeting_functions`] with parts of one array.
pub fn meeting(g: &mut Generator) {
    const SIZE: usize = 320;
    let elem = g.meeting;
    let (n, m, by) = (g.random.pick(&[3, 17, 40, 64]), g.random.below(6), 3 + g.random.below(8));
    let [a, i] = ["met", "i"].map(|name| g.name(name));
    // At most 40 elements behind those of the rounds are read.
    let places = [(); 3].map(|()| 8 * g.random.below(26) + g.random.below(3));
    g.filled_arrays(elem, SIZE, &i, &[(&a, format!("{i} * 7 % 23"))]);
    let [x, y, z] = places.map(|place| format!("&{a}[{place}]"));
    g.line(format!("meets({x}, {y}, {z}, {n}, {m}, {by});"));
    g.shown_array(&a, SIZE);
}

/// Calls of [`bordering_functions`], with fewer rounds than are worth it and with more.
pub fn borders(g: &mut Generator) {
    let elem = g.bordering;
    let n = g.random.pick(&[1, 20, 66, 90, 140]) + g.random.below(20);
    let by = g.random.below(4);
    let from = g.random.pick(&["0", "3", "-70", "60", "2147483600", "-2147483648"]);
    let [a, o, i] = ["around", "bordered", "i"].map(|name| g.name(name));
    g.filled_arrays(elem, n + 1, &i, &[(&a, format!("{i} * 7 % 23")), (&o, format!("{i} % 5"))]);
    g.line(format!("borders({a}, {o}, {n}, {by}, {from});"));
    g.shown_array(&o, n + 1);
}
