//! What functions are handed by reference, through several calls, and what they change of it.

use super::generator::{Elem::Int, Generator};

/// How many functions take a state by reference; each may call those before it.
const FUNCTIONS: usize = 3;

/// Functions that change the states of their callers. An array of their own keeps them from becoming a part of these.
pub fn referring_functions(g: &mut Generator) {
    g.line("struct state { int at; float sum; uint8 seen; int last; };");
    for number in 0..FUNCTIONS {
        g.line(format!("void changes{number}(state &s, int &other, int x) {{"));
        g.line("int d[4] = { x, 1, 2, 3 };");
        for _ in 0..2 + g.random.below(4) {
            let called = g.random.below(number.max(1));
            let line = g.random.pick(&[
                "d[x & 3] += s.at;",
                "s.at += d[(x + 1) & 3];",
                "if (x > 2) { s.sum += (float) x; other = s.at; }",
                "s.seen += (uint8) x;",
                "if (other > s.last) return;",
                "s.last = other;",
                "for (int k = 0; k < 3; ++k) { if (d[k] > x) break; other += 1; s.at ^= k; }",
                "if (s.seen > 4) s.last -= d[other & 3];",
                "changesN(s, other, x - 1);",
                "if (x > 0) changesN(s, s.at, x);",
                "{ state t = s; changesN(t, s.last, d[1]); other ^= t.at; }",
            ]);
            if number > 0 || !line.contains("changesN") {
                g.line(line.replace("changesN", &format!("changes{called}")));
            }
        }
        g.line("s.at ^= d[x & 3];");
        g.line("}");
    }
    g.line("int changed(int x, int y) {");
    g.line("state s = { x, 0.5f, 3, 1 };");
    g.line("int other = y;");
    for _ in 0..1 + g.random.below(3) {
        let called = g.random.below(FUNCTIONS);
        let line = g.random.pick(&[
            "changesN(s, other, x);",
            "if (y > x) changesN(s, other, y);",
            "for (int k = 0; k < 3; ++k) { if (other > 100) break; changesN(s, other, k); }",
            "changesN(s, s.last, x & 7);",
        ]);
        g.line(line.replace("changesN", &format!("changes{called}")));
    }
    g.line("return s.at + other + (int) s.sum + (int) s.seen - s.last;");
    g.line("}");
}

/// A call of [`referring_functions`].
pub fn references(g: &mut Generator) {
    let is_vector = g.random.one_in(2);
    let [x, y] = [(); 2].map(|()| g.expression(Int(32), is_vector, 1));
    g.line(format!("print(\"%\\n\", changed({x}, {y}));"));
}
