//! Loops over single numbers with loops in them, whose rounds may be lanes: inner loops that all lanes leave at once, or each in its own time, in branches and in one
//! another, and what they look at, store and call.

use super::generator::Generator;

/// The body of a function with such a loop, of arrays of a type.
pub fn nested(g: &mut Generator, elem: &str, number: usize) {
    let (start, end) = (g.random.pick(&["0", "0", "from"]), g.random.pick(&["n", "n", "n / 2"]));
    let head = g.random.pick(&[
        "for (int i = START; i < END; ++i) {",
        "for (int i = START; i < END; ++i) {",
        "for (int i = END - 1; i >= START; --i) {",
    ]);
    g.line(head.replace("START", start).replace("END", end));
    g.line(format!("{elem} x = c[i], y = d[i]; int k = 0;"));
    for _ in 0..1 + g.random.below(3) {
        let line = g.random.pick(&[
            "for (int j = 0; j < from + 5; ++j) x = (E) (x * (E) 3 + a[i + j]);",
            "for (int j = 0; j < from + 3; ++j) { y = (E) (y + t[j] * x); x = (E) (x + (E) 1); }",
            "for (int j = 0; j < 2; ++j) y = (E) (y - a[j * n + i]);",
            "while (k < 11 && x < (E) 40) { x = (E) (x + y + (E) 3); k++; }",
            "while (k < 9 && x > (E) 2) { x = (E) (x - t[k] - (E) 1); ++k; }",
            "while (k < 12 && t[k] < x) ++k;",
            "for (int j = 0; j < i && j < 12; ++j) y = (E) (y + t[j] * a[j + i]);",
            "for (int j = i; j < n && a[j] > y; ++j) x = (E) (x + a[j]);",
            "if (x > y) for (int j = 0; j < from + 4; ++j) x = (E) (x + b[2 * i + (j & 1)]);",
            "if (x < y) { for (int j = 0; j < 7; ++j) x = (E) (y - x); } else while (k < from + 2) k += 1;",
            "for (int j = 0; j < from + 2; ++j) { E z = x; while (z < (E) 30 && z > (E) 0) z = (E) (z * (E) 2 + (E) 1); y = (E) (y + z); }",
            "for (int j = 0; j < 6; ++j) o[i] = (E) (o[i] + t[j] * x);",
            "for (int j = from; j < 8; j += 2) if (t[j] > x) x = (E) (x + t[j]); else y = t[j + 1];",
            "for (int j = 0; j < 3; ++j) o[i + j] = x;",
            "for (int j = 6; j > from; --j) x = called(x, y);",
            "for (int j = 0; j < from + 9; ++j) { if (y > x) { y = (E) (y - (E) 2); continue; } x = (E) (x - (E) 1); }",
            "x = (E) (x + (E) k);",
            "if (k > 2) y = (E) k;",
        ]);
        let line = line.replace("called", &format!("called{number}")).replace("E z", &format!("{elem} z"));
        g.line(line.replace("(E)", &format!("({elem})")));
    }
    let last = g.random.pick(&["o[i] = x;", "o[i] = (E) (x - y);", "if (x > y) o[i] = y;", "o[i + 1] = x;"]);
    g.line(last.replace("(E)", &format!("({elem})")));
    g.line("}");
    g.line(format!("return ({elem}) from;"));
    g.line("}");
}
