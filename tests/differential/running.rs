//! Plain loops that go through arrays in other ways than from one element to the next: members changed in place, rounds that wait for one some rounds before, limits behind pointers, places
//! that several stores move on, quotients of the counter, stores in both ways of a branch, searches with loops in rare rounds, tiles in local arrays, helpers with loops of a few rounds.

use super::generator::Generator;

const ELEMENTS: [&str; 5] = ["int", "float", "uint8", "int16", "uint"];

/// So many elements an array has. What is read and written lies between 40 before and 260 behind the place that is handed on.
const SIZE: usize = 400;

/// What is done with `x`, `y` and `d`, where `*limit` and `n` are at most 80, `d` at most 40, and both arrays may be one.
const LOOPS: [&str; 31] = [
    "for (int i = 0; i < n; i++) { x[2 * i] = (E) (x[2 * i + d] - y[i]); x[2 * i + 1] = (E) (x[2 * i + 1 + d] + x[2 * i]); }",
    "for (int i = 0; i < n; i++) { x[3 * i + 1] = (E) (y[3 * i] + (E) 1); x[3 * i] = y[3 * i + 2]; x[3 * i + 2] = (E) (x[3 * i + d] * (E) 2); }",
    "for (int i = n - 1; i >= 0; i--) { x[2 * i + 1] = (E) (y[2 * i] - x[2 * i + d]); x[2 * i] = y[2 * i + 1]; }",
    "for (int i = D; i < n; i++) x[i] = (E) (x[i] + x[i - D]);",
    "for (int i = 0; i < n; i++) x[i + D] = (E) (x[i] * (E) 3 - y[i]);",
    "for (int i = n - 1; i >= 0; i--) x[i] = (E) (x[i + D] - x[i]);",
    "for (int i = 0; i < n; i++) { if (i < D) x[i] = y[i]; else x[i] = (E) (x[i - D] + y[i]); }",
    "for (int i = 0; i < *limit; i++) x[i] = (E) (i % 60);",
    "for (int i = 0; i < *limit; i++) x[i + limit[1]] = (E) (i % 60);",
    "for (int i = 0; i < *limit; i++) { x[i] = (E) (i % 60); s += limit[1] * i; }",
    "for (int i = d; i < *limit; i += 2) { int j = limit[1]; x[i] = (E) (y[i] + (E) j); if (x[i] == (E) 9) break; }",
    "for (int i = 1; i < n; i++) { E m = y[i]; for (int k = i - 1; k <= i + 1; k++) if (y[k] > m) m = y[k]; x[i] = m; }",
    "for (int i = d; i + 4 <= n; i += 4) { for (int k = i; k < i + 4; k++) x[k] = (E) (y[k] * (E) 3 + x[k + 1]); s += i; }",
    "for (int i = 0; i < n; i++) for (int j = i - 2; j < i + 3; j += 2) { s += 3 * j - i; if (y[j] == (E) 3) break; }",
    "for (int i = 0; i < n; i++) { int k = (int) y[i] * 3 + d; if (k >= 0 && k < 90) x[i] = y[k]; else x[i] = (E) 2; }",
    "const E *end = y + n; for (const E *p = y + D; p < end; ++p) s = s + (int) *p;",
    "E *end = x + n; for (E *p = x + d; p < end; p += 2) { p[0] = (E) (p[1] + y[3]); s++; }",
    "E *a = x + (d + d); E *b = x + D; for (int i = 0; n > i; i++) { a[i] = (E) (a[i] + b[i]); b[i] = (E) (a[i] - b[i]); }",
    "for (E *p = x; p < x + n; p++) *p = (E) (*p * (E) 3 - y[D]);",
    "for (int i = *limit; i >= limit[1]; i--) { x[i] = (E) (x[i] + y[i]); s += limit[1]; }",
    "int k = 0, i = 0; while (i + 2 < n) { x[k++] = y[i]; x[k++] = (E) (y[i + 1] + y[i + 2]); i += 3; } s += 100 * k + i;",
    "int k = 2 * n; for (int i = 0; i < n; i++) { k -= 2; x[k] = y[i]; x[k + 1] = (E) (y[i] * (E) 2); } s += k;",
    "for (int i = 0; i < n; i += 2) { x[i / 2] = (E) (y[i] - y[i + 1]); x[i / 2 + 90] = y[i >> 1]; }",
    "for (int i = d; i < n; i += 3) x[i] = (E) (y[i / 3] + x[i]);",
    "for (int i = 0; i < n; i++) { if (y[i] > (E) d) x[i] = (E) 5; else if (y[i] == (E) 2) x[i] = (E) (y[i] + (E) 1); else x[i] = (E) i; }",
    "for (int i = 0; i < n; i++) { if (y[i] == y[d]) { x[i] = (E) 1; x[i + 100] = y[i]; } else { x[i] = (E) 0; x[i + 100] = (E) d; } }",
    "for (int i = 0; i + d <= n; i++) if (y[i] == (E) 3 && y[i + d - 1] == y[0]) { int j = 0; while (j < 5 && y[i + j] != (E) 1) j++; s = s * 3 + j; if (j == 4) { s += i; break; } }",
    "for (int i = 0; i < n; i++) if (y[i] == (E) 7) { for (int j = 0; j < d; j++) s += (i ^ j) * 3; if ((s & 3) == 1) { s += 1000 * i; break; } }",
    "E t[4][L]; for (int a = 0; a < 4; a++) for (int b = 0; b < L; b++) t[a][b] = y[a]; for (int i = 0; i < n; i++) for (int a = 0; a < 4; a++) for (int b = 0; b < L; b++) t[a][b] += (E) (y[i + a] * x[b]); for (int b = 0; b < L; b++) for (int a = 0; a < 4; a++) x[L * a + b] = t[a][b];",
    "for (int i = 0; i < n; i++) x[i] = helper(y[i], (E) d);",
    "for (int i = 0; i < n; i++) for (int j = 0; j < ((i ^ d) & 3) + 1; j++) { x[i + j] = (E) (x[i + j] + y[j]); s += j; }",
];

/// What is looked for in `y`, of n elements, and `z`, of m; at least one.
const LOOKS: [&str; 5] = [
    "for (int i = 0; i + m <= n; i++) { int k = 0; while (k < m && y[i + k] == z[k]) k++; if (k == m) { s = s * 3 + i; STOP } }",
    "for (int i = 0; i <= n - m; i++) if (y[i] == z[0] && y[i + m - 1] == z[m - 1]) { int k = 1; while (k < m && y[i + k] == z[k]) k++; s = s * 3 + k; STOP }",
    "for (int i = 0; i + m < n; i++) if (y[i] == y[i + m]) { for (int j = 0; j < m; j++) s += i ^ (int) z[j]; STOP }",
    "for (int i = 0; i < n; i++) if (y[i] == z[0]) { int j = 0; while (j < m && z[j] != (E) 1) j++; s = s * 5 + j + i; STOP }",
    "int best = 2; for (int i = 0; i < n; i++) if ((int) y[i] > best) { for (int j = 0; j < m; j++) s += j; best = (int) y[i]; s = s * 3 + i; STOP }",
];

/// A function over arrays of one of these types.
pub fn running_functions(g: &mut Generator) {
    let elem = g.random.pick(&ELEMENTS);
    g.running = elem;
    let helper = g.random.pick(&[
        "for (int k = 0; k < 5; k++) { if (v > w) v = (E) (v - w); else v = (E) (v + v + (E) 1); }",
        "for (int k = 3; k > 0; k--) v = (E) (v * (E) 3 - w);",
        "int c = 0; uint m = (uint) (int) v & 255; while (m != 0) { m &= m - 1; c++; } v = (E) c;",
        "while (v > w && v > (E) 40) v = (E) (v - (E) 37);",
    ]);
    g.line(format!("{elem} helper({elem} v, {elem} w) {{"));
    g.line(helper.replace("(E)", &format!("({elem})")));
    g.line("return v;");
    g.line("}");
    g.line(format!("export int runs({elem} *x, const {elem} *y, const int *limit, int n, int d) {{"));
    g.line("int s = 0;");
    let count = 1 + g.random.below(2);
    g.runs_one = count == 1;
    for _ in 0..count {
        let line = g.random.pick(&LOOPS);
        let apart = g.random.pick(&["1", "2", "3", "4", "6", "8", "12", "16", "32"]);
        let long = g.random.pick(&["4", "8"]);
        let line = line
            .replace("(E)", &format!("({elem})"))
            .replace("E t[", &format!("{elem} t["))
            .replace("E *", &format!("{elem} *"))
            .replace('L', long);
        g.line(format!("{{ {} }}", line.replace('D', apart)));
    }
    g.line("return s;");
    g.line("}");
    g.line(format!("export int looks(const {elem} y[n], int n, const {elem} z[m], int m) {{"));
    g.line("int s = 0;");
    let stop = g.random.pick(&["break;", "", "if (s > 90) break;", "if ((s & 3) == 1) return s;"]);
    let line = g.random.pick(&LOOKS).replace("(E)", &format!("({elem})")).replace("STOP", stop);
    g.line(format!("{{ {line} }}"));
    g.line("return s;");
    g.line("}");
}

/// Calls of [`running_functions`] with parts of one array, or of two; the limit may lie in an array of numbers.
pub fn running(g: &mut Generator) {
    let elem = g.running;
    let [a, b, i] = ["run", "ran", "i"].map(|name| g.name(name));
    g.filled_arrays(elem, SIZE, &i, &[(&a, format!("{i} * 7 % 11")), (&b, format!("{i} % 5 + {i} / 9"))]);
    for _ in 0..2 {
        let (n, d) = (g.random.pick(&[0, 2, 19, 33, 64, 80]), g.random.below(41) as i64 - 20);
        let d = if g.random.one_in(2) { d % 4 } else { d };
        let (x, y) = (40 + g.random.below(60), 40 + g.random.below(60));
        let other = if g.random.one_in(3) { &a } else { &b };
        let [l, s] = ["limits", "s"].map(|name| g.name(name));
        let limits = [g.random.below(80), g.random.below(9)];
        g.line(format!("int scalar {l}[2] = {{ {}, {} }};", limits[0], limits[1]));
        let limit = match elem {
            "int" if g.runs_one && g.random.one_in(3) => {
                let (at, limit) = (x + g.random.below(30), g.random.below(60));
                g.line(format!("{a}[{at}] = {limit};"));
                format!("&{a}[{at}]")
            }
            _ => l.clone(),
        };
        g.line(format!("int scalar {s} = runs(&{a}[{x}], &{other}[{y}], {limit}, {n}, {d});"));
        g.line(format!("print(\"%\\n\", {s});"));
    }
    g.shown_array(&a, SIZE);
    let (n, m) = (g.random.pick(&[1, 3, 31, 64, 90, 140]) + g.random.below(8), 1 + g.random.below(4));
    let letters = g.random.pick(&["3", "5", "23"]);
    let [y, z, i] = ["text", "word", "i"].map(|name| g.name(name));
    g.filled_arrays(elem, n, &i, &[(&y, format!("{i} * 7 % 11 * {i} % {letters}"))]);
    let i = g.name(&i);
    g.filled_arrays(elem, m, &i, &[(&z, format!("({i} + 9) * 7 % 11 * ({i} + 9) % {letters}"))]);
    g.line(format!("print(\"%\\n\", looks({y}, {n}, {z}, {m}));"));
}
