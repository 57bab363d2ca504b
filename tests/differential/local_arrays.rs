//! Loops over single numbers whose rounds keep some in a local array: it is filled, sorted, combined and read by loops of a few rounds, of which one may begin or
//! end where an outer one is, in tables of constants, and in blocks of the arrays outside.

use super::generator::Generator;

/// The body of a function with such a loop, of arrays of a type.
pub fn arrays(g: &mut Generator, elem: &str) {
    if g.random.one_in(3) {
        blocks(g, elem);
    } else {
        rounds(g, elem);
    }
    g.line(format!("return ({elem}) from;"));
    g.line("}");
}

/// Rounds with an array of their own.
fn rounds(g: &mut Generator, elem: &str) {
    let size = g.random.pick(&["3", "4", "5", "6", "8"]);
    let mut lines = vec![
        g.random.pick(&["for (int i = 0; i < n; ++i) {", "for (int i = from; i < n; ++i) {", "for (int i = n - 1; i >= 0; --i) {"]),
        "E x = c[i], y = d[i]; E v[N];",
        g.random.pick(&[
            "for (int k = 0; k < N; ++k) v[k] = a[i + k];",
            "int p = 0; for (int k = 0; k < 2; ++k) for (int j = 0; j < N / 2; ++j) v[p++] = b[i + 2 * k + j]; while (p < N) v[p++] = x;",
            "for (int k = N - 1; k >= 0; --k) v[k] = b[2 * i + (k & 1)];",
            "for (int k = 0; k < N; ++k) v[k] = (E) (t[k] + x);",
            "v[0] = x; for (int k = 1; k < N; ++k) v[k] = (E) (v[k - 1] * (E) 2 - y);",
        ]),
    ];
    for _ in 0..1 + g.random.below(3) {
        lines.push(g.random.pick(&[
            "for (int j = 0; j < N - 1; ++j) for (int k = j + 1; k < N; ++k) if (v[k] < v[j]) { E z = v[j]; v[j] = v[k]; v[k] = z; }",
            "for (int j = 0; j < N; ++j) for (int k = 0; k < N - 1 - j; ++k) if (v[k] > v[k + 1]) { E z = v[k]; v[k] = v[k + 1]; v[k + 1] = z; }",
            "for (int k = 1; k < N; ++k) v[k] = (E) (v[k] + v[k - 1]);",
            "for (int l = 1; l < N; ++l) for (int k = 0; k < N - l; ++k) v[k] = (E) (v[k] * (E) 3 - v[k + 1]);",
            "for (int l = 1; l < N; l *= 2) for (int k = 0; k + l < N; k += 2 * l) { E z = v[k]; v[k] = (E) (z + v[k + l]); v[k + l] = (E) (z - v[k + l]); }",
            "for (int k = 1; k < N; ++k) { E z = v[k]; int j = k; while (j > 0 && v[j - 1] > z) { v[j] = v[j - 1]; --j; } v[j] = z; }",
            "v[i % N] = y;",
            "if (x > y) v[from % N] = x;",
            "for (int k = 0; k < N; ++k) if (v[k] > x) { v[k] = y; break; }",
            "for (int k = 0; k < from + 2 && k < N; ++k) v[k] = (E) (v[k] - y);",
            "{ const int order[4] = { 2, 0, 1, 2 }; for (int k = 0; k < 4; ++k) x = (E) (x + v[order[k]]); }",
            "{ E w[N]; for (int k = 0; k < N; ++k) w[k] = v[N - 1 - k]; for (int k = 0; k < N; ++k) v[k] = (E) (w[k] - v[k]); }",
        ]));
    }
    lines.push(g.random.pick(&[
        "o[i] = v[N / 2];",
        "for (int k = 0; k < N; ++k) o[i] = (E) (o[i] + v[k]);",
        "if (x > v[0]) o[i] = v[N - 1];",
        "o[i] = (E) (v[0] + x); o[i + 1] = v[1];",
        "for (int k = 0; k < N; ++k) x = (E) (x * (E) 3 + v[k]); o[i] = x;",
        "for (int k = 0; k < 2; ++k) o[n * k + i] = v[k + 1];",
    ]));
    lines.push("}");
    write(g, elem, size, &lines);
}

/// Blocks of the arrays outside.
fn blocks(g: &mut Generator, elem: &str) {
    let size = g.random.pick(&["4", "8", "16"]);
    let table = g.random.pick(&[
        "const int order[16] = { 3, 0, 2, 1, 4, 7, 6, 5, 8, 12, 10, 9, 11, 15, 14, 13 };",
        "int order[16]; for (int k = 0; k < 16; ++k) order[k] = k ^ 1;",
        "const int order[16] = { 0, 1, 1, 2, 3, 3, 2, 0, 5, 6, 7, 7, 8, 9, 1, 0 };",
    ]);
    let lines = [
        table,
        "E p[N]; for (int k = 0; k < N; ++k) p[k] = (E) k;",
        "for (int i = 0; i < n / N; ++i) {",
        g.random.pick(&[
            "for (int k = 0; k < N; ++k) o[i * N + k] = a[i * N + order[k]];",
            "for (int k = 0; k < N; ++k) o[i * N + order[k]] = a[i * N + k];",
            "for (int k = 0; k < N; ++k) { E z = a[i * N + k]; o[i * N + k] = (E) (z - p[k]); p[k] = z; }",
            "for (int k = 0; k < N; ++k) p[k] = (E) (p[k] + a[i * N + order[k]]);",
            "for (int k = 0; k < 2; ++k) for (int j = 0; j < N / 2; ++j) o[i * N + 2 * j + k] = a[i * N + k * (N / 2) + j];",
            "for (int k = 0; k < N; ++k) o[i * N + k] = (E) (b[i * N + k] * t[k % 13]);",
        ]),
        g.random.pick(&["", "for (int k = 0; k < N; ++k) o[i * N + k] = (E) (o[i * N + k] + p[order[k]]);"]),
        "}",
        "for (int k = 0; k < N && k < n; ++k) o[n + k] = p[k];",
    ];
    write(g, elem, size, &lines);
}

fn write(g: &mut Generator, elem: &str, size: &str, lines: &[&str]) {
    for line in lines {
        let line =
            line.replace("(E)", &format!("({elem})")).replace("E x", &format!("{elem} x")).replace("E z", &format!("{elem} z"));
        let line =
            line.replace("E v", &format!("{elem} v")).replace("E w", &format!("{elem} w")).replace("E p", &format!("{elem} p"));
        g.line(line.replace('N', size));
    }
}
