//! Loops over single numbers, which may be done in vectors: what a round looks at, stores and adds up, what keeps rounds apart, what a round
//! finds that leaves the loop, what few rounds change, what a round hands on, and what it changes in place.

use super::generator::Generator;
use super::local_arrays::arrays;
use super::nested_loops::nested;
use ivl_random::Random;

/// How many functions with such loops a program has.
const FUNCTIONS: usize = 3;

/// Functions with a `for` over the elements of arrays.
///
/// What they draw is drawn from a source of their own, so that the rest of a program stays as it was when more is drawn here.
pub fn number_loop_functions(g: &mut Generator) {
    let own = Random::new(g.random.bits());
    let rest = std::mem::replace(&mut g.random, own);
    for number in 0..FUNCTIONS {
        number_loop_function(g, number);
    }
    g.random = rest;
}

fn number_loop_function(g: &mut Generator, number: usize) {
    let elem = g.random.pick(&["int", "int", "float", "float", "uint", "int16", "uint8", "int64", "double"]);
    let is_float = matches!(elem, "float" | "double");
    called_function(g, elem, number);
    let moves = g.random.one_in(8);
    let is_wide = elem != "uint8";
    let other = if is_wide && moves && g.random.one_in(2) { g.random.pick(&["uint8", "uint8", "int8"]) } else { elem };
    if moves {
        moving_function(g, elem, number, other);
    }
    let changes = g.random.one_in(3);
    if changes {
        changing_functions(g, elem, number);
    }
    g.line(format!("export {elem} numbers{number}(const {elem} a[2 * n + 8], const {elem} b[2 * n + 8], const {elem} c[n], const {elem} d[n], const {elem} t[13], const uint8 u[2 * n + 8], {elem} o[2 * n + 8], bool w[2 * n + 8], int n, int from) {{"));
    if moves {
        for _ in 0..1 + g.random.below(3) {
            let [from, with, to] = [(); 3].map(|()| g.random.pick(&["0", "0", "1", "from", "from + 1", "5", "8", "n / 2"]));
            let (source, with_of, bits) = (g.random.pick(&["o", "o", "a"]), g.random.pick(&["o", "b"]), other);
            g.line(format!("moving{number}((const {bits} *) &{source}[{from}], &{with_of}[{with}], &o[{to}], n / 2);"));
        }
        g.line(format!("return ({elem}) from;"));
        g.line("}");
        g.number_loops.push(elem);
        return;
    }
    if g.random.one_in(2) {
        match g.random.below(15) {
            12.. => arrays(g, elem),
            9.. => nested(g, elem, number),
            0 | 1 => search(g, elem),
            2 | 3 => rare_changes(g, elem),
            4 | 5 => handed_on(g, elem),
            6 | 7 => in_place(g, elem),
            _ => neighbours(g, elem),
        }
        g.number_loops.push(elem);
        return;
    }
    let change = g.random.pick(&[
        "total += x;",
        "total -= y;",
        "total ^= x;",
        "if (x > total) total = x;",
        "if (total >= y) total = y;",
        "if (x < y) total += x; else if (y > (E) 3) total += y;",
        "total = max(total, y);",
        "total += x; if (y < (E) 2) total += y;",
        "total += x; x = total;",
        "if (x > y) total = (E) 1;",
        "total = x > y ? total : (E) 0;",
        "if (x > y) total = (E) 1; if (y > (E) 9) total = (E) 3;",
        "total |= y; if (x > y) total = (E) 1;",
    ]);
    // What is done in order.
    let in_order = g.random.pick(&[
        "total += called(x, y);",
        "total = (E) (total * (E) 3 + called(y, x));",
        "if (x > y) total = (E) (called(x, y) - total);",
        "total += called(x, y); x = (E) (x + called(y, x)); if (total > (E) 40) total = (E) (total - (E) 40);",
    ]);
    let change = if is_float || g.random.one_in(5) { in_order } else { change };
    let change = change.replace("called", &format!("called{number}"));
    let change = g.random.one_in(2).then_some(change);
    let first = g.random.pick(&["from", "from", "0", "1"]);
    g.line(format!("{elem} total = ({elem}) {first}; bool flag = from == 1;"));
    let (end, step) = (g.random.pick(&["n", "n", "n", "n - 1", "n / 2"]), g.random.pick(&["++i", "++i", "++i", "i += 2"]));
    let mut is_behind_one = false;
    let mut foot = "}";
    let is_counted = g.random.one_in(5);
    if is_counted {
        g.line("int at = 0;");
    }
    // A number of rounds that is known may be that of one block.
    if g.random.one_in(5) {
        let rounds = g.random.pick(&[4, 8, 12, 16]);
        g.line(format!("if (n >= 16) for (int i = 0; i < {rounds}; ++i) {{"));
    } else {
        let start = g.random.pick(&["from", "from", "0", "1"]);
        is_behind_one = start == "1";
        let (head, behind) = g.random.pick(&[
            ("for (int i = START; i < END; STEP) {", "}"),
            ("for (int i = START; i < END; STEP) {", "}"),
            ("for (int i = START; i < END; STEP) {", "}"),
            ("for (int i = START; i <= END - 1; STEP) {", "}"),
            ("for (int i = START; i + 1 < END; STEP) {", "}"),
            ("for (int i = START; i < END && i < 9 + 9 * from; STEP) {", "}"),
            ("for (int i = END - 1; i >= START; --i) {", "}"),
            ("for (int i = END - 1; i > START; i--) {", "}"),
            ("if (n > 2) for (int i = START; i != n; ++i) {", "}"),
            ("if (n > 2) for (int i = n - 1; i != START; --i) {", "}"),
            ("for (int i = END; --i >= START;) {", "}"),
            ("int i = START; if (n > 2) do {", "++i; } while (i < n - 1);"),
            ("int i = START; if (n > 2) do {", "++i; } while (i < from);"),
            ("int i = START; if (i < END) do {", "++i; } while (i < END);"),
            ("int i = START; while (true) { if (i >= END) break;", "++i; }"),
        ]);
        foot = behind;
        g.line(head.replace("START", start).replace("END", end).replace("STEP", step));
    }
    g.line(format!("{elem} x = a[i], y = b[i];"));
    for _ in 0..g.random.below(4) {
        let line = g.random.pick(&[
            "x = (E) (x * (E) 3 + y);",
            "if (x > y) x = (E) (x - y);",
            "if (x > y) x = (E) (x - y); else x = (E) 9;",
            "if (x > y) { y = (E) 4; o[i] = x; } else if (y > (E) 5) x = (E) 2;",
            "y = b[2 * i + 1];",
            "y = b[n - 1 - i];",
            "x = (E) (x + o[i]);",
            "if (x < y) x = a[i + 2];",
            "x = (E) (x + (E) i);",
            "y = a[(int) x & 7];",
            "y = t[(int) x & 7];",
            "if (x > y) x = t[i % 13];",
            "x = x < y ? y : (E) (x + a[3]);",
            "if (from > 1) y = (E) (y + (E) 1);",
            "if (i > 0) x = (E) (x + c[i - 1]);",
            "y = i == 0 || x > y ? y : b[i - 1];",
            "if (i + 1 < n) y = c[i + 1];",
            "x = i == n - 1 ? y : (E) (x + d[i + 1]); if (i < 2) y = x; else y = d[i - 2];",
            "y = (E) (a[2 * i + 1] - a[2 * i]);",
            "x = (E) (x / (E) 3);",
            "if (x > y) x = c[i];",
            "if (x > y || x > (E) 7) y = (E) (y + c[I]);",
            "for (int k = 0; k < 4; ++k) y = (E) (y + a[i + k]);",
            "for (int k = 3; k > 0; --k) for (int j = 0; j < 2; ++j) if (b[i + k] > x) x = (E) (x + b[i + j]);",
            "if (x > (E) 6) { if (y > (E) 6) y = (E) (x - y); x = (E) 1; }",
            "{ uint bits = (uint) (int) x; int k = 0; while (bits != 0) { bits &= bits - 1; ++k; } y = (E) (y + (E) k); }",
            "{ uint bits = (uint) (int) y; int k = 3; while (bits > 0) { bits >>= 1; k += 2; } x = (E) (x + (E) k); }",
            "{ int bits = (int) x; int k = 0; while (bits > 0) { k += bits & 1; bits >>= 1; } y = (E) (y + (E) (k - bits)); }",
            "x = called(x, y);",
            "if (x > y) y = called(y, x); else x = called(x, (E) i);",
            "if (u[i] >= from * 150) x = y;",
            "if (u[i] < n * 4 - 20 && from * 90 != u[i + 1]) y = (E) (y + (E) 2);",
            "w[i] = x > y;",
            "if (w[i + 1]) x = (E) (x + (E) 5);",
            "w[i] = !w[i] || x == y;",
            "y = w[n - 1 - i] ? x : y;",
            "switch (from) { case 0: x = (E) (x * y); break; case 1: y = x > y ? (E) (x - y) : (E) 2; break; default: x = (E) (y + (E) 7); }",
            "if (from == 1) { x = (E) (x * (E) 5 - y); y = (E) (y + x); } else y = (E) (x * y);",
            "if (n > 20) { y = (E) (y + t[3]); if (from > 1) x = (E) (x + y * (E) 3); else x = (E) (x - y * (E) 3); }",
        ]);
        let line = &line.replace("called", &format!("called{number}"));
        let at = if is_behind_one { "i - 1" } else { "i" };
        g.line(in_type(line, elem).replace("[I]", &format!("[{at}]")));
    }
    if changes {
        let line = g.random.pick(&[
            "{ E p[4]; for (int k = 0; k < 4; ++k) p[k] = a[i + k]; changed(p, x, y); y = p[2]; }",
            "ordered(x, y); { E p[4]; p[0] = x; p[1] = y; p[2] = b[i]; p[3] = (E) 4; changed(p, y, x); x = (E) (x + p[1]); }",
            "{ pair q = both(x, y, from); x = q.x; y = q.y; }",
            "if (x > y) { pair q = both(y, x, n); x = q.y; }",
        ]);
        let names = ["changed", "ordered", "both", "pair"];
        let line = names.iter().fold(line.to_owned(), |line, name| {
            let of = if *name == "pair" { "pair ".to_owned() } else { format!("{name}(") };
            line.replace(&of, &of.replace(name, &format!("{name}{number}")))
        });
        g.line(in_type(&line.replace("{ E p", &format!("{{ {elem} p")).replace("; { E p", &format!("; {{ {elem} p")), elem));
    }
    // Words of bytes.
    if matches!(elem, "int" | "uint" | "int16" | "int64") && g.random.one_in(4) {
        let line = g.random.pick(&[
            "x = (E) ((E) u[i] | (E) u[2 * i] << (E) 8);",
            "x = (E) ((E) u[2 * i] << (E) 8 | (E) u[2 * i + 1]);",
            "x = (E) ((E) u[i] | (E) 768);",
            "y = (E) ((E) u[i] << (E) 8 | (E) u[i + 1]); o[i] = y;",
        ]);
        g.line(in_type(line, elem));
    }
    if g.random.one_in(4) {
        let change =
            g.random.pick(&["flag &= x >= y;", "if (x > y) flag = true;", "flag |= y == (E) 3;", "if (x == y) flag = !flag;"]);
        g.line(in_type(change, elem));
    }
    if let Some(change) = change {
        g.line(in_type(&change, elem));
    }
    let last = g.random.pick(&[
        "o[i] = x;",
        "o[i] = (E) (x + y);",
        "o[i + 3] = y;",
        "o[2 * i] = x; o[2 * i + 1] = y;",
        "o[i] = x; o[n + i] = y;",
        "o[n / 2 + i] = y; o[i] = x;",
        "o[i + from] = y; o[i] = x;",
        "o[i] = x; o[i + from + 2] = y;",
        "x = (E) (x + o[i + from]); o[i] = x;",
        "o[2 * i] = x; o[2 * i + 1] = y; o[2 * i] = (E) (x + y);",
        "o[n - 1 - i] = y;",
        "if (x > y) o[i] = y;",
        "if (x > y) o[i] = y; else { o[i] = x; o[i] = (E) (o[i] + y); }",
        "o[i] = (E) (o[i + 1] + x);",
        "o[i + 1] = (E) (o[i] + x);",
        "o[7] = x;",
        "",
    ]);
    g.line(in_type(last, elem));
    if is_counted {
        // A second number that goes on with the counter.
        let line = g.random.pick(&[
            "o[at] = y; ++at;",
            "o[at] = (E) (x + a[at]); at++;",
            "at += 2; o[i] = b[at];",
            "o[n - at] = (E) (x - a[at]); at += 1;",
            "o[at++] = y; o[at++] = x;",
        ]);
        g.line(in_type(line, elem));
    }
    g.line(foot.replace("END", end));
    if is_counted {
        g.line(format!("total = ({elem}) (total + ({elem}) at);"));
    }
    g.line(format!("return flag ? total : ({elem}) 3;"));
    g.line("}");
    g.number_loops.push(elem);
}

/// A function of numbers that loops call.
fn called_function(g: &mut Generator, elem: &str, number: usize) {
    g.line(format!("{elem} called{number}({elem} x, {elem} y) {{"));
    for _ in 0..1 + g.random.below(3) {
        let line = g.random.pick(&[
            "if (x > y) return (E) (x - y);",
            "y = x < (E) 4 ? (E) (y + (E) 1) : x;",
            "for (int k = 0; k < 3; ++k) { if (x > (E) 12) break; x = (E) (x + y + (E) k); }",
            "int k = 0; while (x > y && k < 5) { x = (E) (x - (E) 2); ++k; } y = (E) (y + (E) k);",
            "switch ((int) x & 3) { case 0: y = (E) 1; break; case 1: x = y; default: y = (E) (x + y); }",
            "x = (E) sqrt((double) (x * x));",
            "E t[4]; for (int k = 0; k < 4; ++k) t[k] = (E) (x + (E) k); y = (E) (y + t[(int) y & 3]);",
        ]);
        g.line(format!("{{ {} }}", in_type(&line.replace("E t[4]", &format!("{elem} t[4]")), elem)));
    }
    g.line(format!("return ({elem}) (x + y);"));
    g.line("}");
}

/// A function with a loop over what pointers lead to, which may be the same memory, as numbers of the same type or of fewer bits.
fn moving_function(g: &mut Generator, elem: &str, number: usize, other: &str) {
    g.line(format!("[[noinline]] void moving{number}(const {other} *p, const {elem} *r, {elem} *q, int n) {{"));
    if g.random.one_in(3) {
        let line = g.random.pick(&[
            "const O *e = p + n; while (p != e) *q++ = (E) ((E) *p++ + (E) 1);",
            "while (n-- > 0) { E x = *r++; *q++ = (E) (x + (E) *p++); }",
            "for (int i = 0; i < n; ++i) { *q = (E) (*q + (E) *p); ++q; p += 2; }",
            "int j = n - 1; for (int i = 0; i < n; ++i) { q[j] = (E) (r[i] + (E) p[j]); --j; }",
            "for (int i = 0; i < n; i++) { E x = (E) *p++; if (x > r[i]) *q++ = x; }",
            "for (uint i = (uint) n; i-- > 0;) q[i] = (E) (r[i] + (E) p[i]);",
            "uint w = (uint) n / 4; for (uint y = 0; y < 4; ++y) for (uint x = 0; x < w; ++x) q[y * w + x] = (E) (r[y * w + x] + (E) p[x]);",
            "for (uint i = 0; i < (uint) n; ++i) { uint k = i - 3; if (k < 999) q[k] = (E) (r[k] + (E) p[i]); }",
            "uint w = (uint) n; foreach (uint x = 0 .. w) { q[x] = r[x]; if (x > 0) q[x] = (E) (r[x - 1] + r[x]); }",
        ]);
        g.line(in_type(&line.replace("E x", &format!("{elem} x")).replace("const O", &format!("const {other}")), elem));
        g.line("}");
        return;
    }
    let head =
        g.random.pick(&["for (int i = 0; i < n; ++i) {", "for (int i = 0; i < n; ++i) {", "for (int i = n - 1; i >= 0; --i) {"]);
    g.line(head);
    let line = g.random.pick(&[
        "q[i] = (E) ((E) p[i] + r[i]);",
        "q[i] = (E) ((E) p[i + 1] - (E) p[i]);",
        "if ((E) p[i] > r[i]) q[i] = (E) p[i];",
        "q[i] = (E) (q[i] + (E) p[i] + (E) i);",
        "q[2 * i] = (E) p[2 * i]; q[2 * i + 1] = r[2 * i];",
        "q[i] = (E) p[i]; q[n + i] = r[i];",
        "q[i] = (E) (r[i] + (E) p[0]); q[n + i] = (E) p[i];",
        "for (int k = 0; k < 3; ++k) q[i] = (E) (q[i] + (E) p[i + k]);",
    ]);
    g.line(in_type(line, elem));
    g.line("}");
    g.line("}");
}

/// Functions that change what they are given, an array of their caller and numbers, and one that gives two numbers.
fn changing_functions(g: &mut Generator, elem: &str, number: usize) {
    g.line(format!("struct pair{number} {{ {elem} x, y; }};"));
    g.line(format!("void ordered{number}({elem} &x, {elem} &y) {{ {elem} least = min(x, y); y = max(x, y); x = least; }}"));
    g.line(format!("void changed{number}({elem} p[4], {elem} &x, {elem} y) {{"));
    for _ in 0..3 + g.random.below(6) {
        let line = g.random.pick(&[
            "ordered(p[0], p[1]); ordered(p[2], p[3]);",
            "ordered(p[1], p[2]); x = (E) (x + p[1]);",
            "if (x > y) p[2] = (E) (p[2] + y); else p[3] = x;",
            "for (int k = 0; k < 4; ++k) p[k] = (E) (p[k] + y);",
            "x = (E) (p[3] - p[0]);",
            "p[0] = (E) (p[0] * (E) 3 + x);",
        ]);
        g.line(in_type(&line.replace("ordered", &format!("ordered{number}")), elem));
    }
    g.line("}");
    g.line(format!("pair{number} both{number}({elem} x, {elem} y, int from) {{"));
    g.line(format!("pair{number} a;"));
    let line = g.random.pick(&[
        "if (x > y) { a.x = x; a.y = (E) (y + (E) 1); } else { a.x = (E) (y - x); a.y = x; }",
        "a.x = y; a.y = x; for (int k = 0; k < 3; ++k) if (a.x > (E) k) a.y = (E) (a.y + a.x);",
        "switch (from) { case 0: a.x = (E) (x * y); a.y = x; break; case 1: a.x = y; a.y = (E) (x - (E) 4); break; default: a.x = (E) 2; a.y = (E) (y + x); }",
    ]);
    g.line(in_type(line, elem));
    g.line("return a;");
    g.line("}");
}

/// A text with conversions to `E`, which is a type.
fn in_type(text: &str, elem: &str) -> String {
    text.replace("(E)", &format!("({elem})"))
}

/// The body of a function whose loop only looks for something, and is left where a round finds it.
fn search(g: &mut Generator, elem: &str) {
    let start = g.random.pick(&["0", "0", "1", "from", "from"]);
    let (end, has_next) =
        g.random.pick(&[("n", false), ("n", false), ("n - 1", true), ("n - 1", false), ("min(n, 20 + from)", false)]);
    let finds = g.random.pick(&[
        "c[i] == d[i]",
        "c[i] == (E) 14",
        "c[i] == (E) 99",
        "c[i] > (E) 11 && d[i] > (E) 9",
        "c[i] < (E) 1 || d[i] * (E) 2 > (E) 23",
        "c[i] + t[3] == d[i]",
        "(c[i] > (E) 12 ? d[i] : c[i]) == (E) 2",
        "u[i] == n * 6 - from",
        "u[i] > from * 110 + 30",
    ]);
    let finds = if has_next { "c[i] > c[i + 1] && d[i] < d[i + 1]" } else { finds };
    let loops = g.random.pick(&[
        "for (int i = START; i < END; ++i) if (FINDS) return (E) i; return (E) 77;",
        "for (int i = END - 1; i >= START; --i) if (FINDS) return (E) i; return (E) 77;",
        "int i = END - 1; while (i >= 0 && !(FINDS)) --i; return (E) i;",
        "int i = START; while (i < END && !(FINDS)) ++i; return (E) i;",
        "int i = START; while (i < END && i < 9 + 9 * from && !(FINDS)) ++i; return (E) i;",
        "for (int i = START; i + 1 < END; i++) if (FINDS || c[i + 1] == (E) 3) return (E) i; return (E) 77;",
        "int i = START; while (i + 2 < n && !(c[i] == d[i + 1] && d[i + 2] > (E) 6)) i++; return (E) i;",
        "int at = -3; for (int i = START; i < END; ++i) { if (FINDS) { at = i; break; } } return (E) (at + from);",
        "for (int i = START; i < END; ++i) { E x = c[i]; if (x > (E) 6) { if (FINDS) return x; } else if (x == (E) 3 && d[i] == (E) 5) break; } return (E) n;",
    ]);
    let text = in_type(&loops.replace("START", start).replace("END", end).replace("FINDS", finds), elem);
    g.line(text.replace("E x", &format!("{elem} x")));
    g.line("}");
}

/// The body of a function whose loop keeps something that few rounds change: what is the least, where it is, and what else is found.
fn rare_changes(g: &mut Generator, elem: &str) {
    let first = g.random.pick(&["0", "3", "7", "99"]);
    g.line(format!("{elem} best = ({elem}) {first}, most = ({elem}) 2; int at = 0, found = 0, last = -1;"));
    let (start, end) = (g.random.pick(&["0", "0", "1", "from"]), g.random.pick(&["n", "n", "n", "n / 2"]));
    let head = g.random.pick(&[
        "for (int i = START; i < END; ++i) {",
        "for (int i = START; i < END; ++i) {",
        "for (int i = END - 1; i >= START; --i) {",
        "for (uint8 i = (uint8) (START); i < (uint8) (END); ++i) {",
        "for (int16 i = (int16) (START); i < (int16) (END); ++i) {",
    ]);
    g.line(head.replace("START", start).replace("END", end));
    for _ in 0..1 + g.random.below(2) {
        let line = g.random.pick(&[
            "if (c[i] < best) { best = c[i]; at = i; }",
            "if (c[i] <= best) { best = c[i]; at = i; }",
            "if (best < c[i]) { best = c[i]; at = i; ++found; }",
            "if (c[i] > c[at]) at = i;",
            "if (c[i] >= d[at] && d[i] > (E) 3) { at = i; best = d[i]; }",
            "if (c[i] == d[i]) last = i;",
            "if (c[i] < (E) 5) { best = d[i]; at = i; }",
            "if (c[i] > (E) 10 && d[i] < (E) 9) at = i + found;",
            "if (c[i] < d[i]) last = i;",
            "last = c[i] == (E) 9 ? i : last;",
            "if (c[i] == (E) 14) { o[found] = d[i]; ++found; }",
            "if (c[i] == (E) 14) best = d[i]; else if (c[i] == (E) 13) { at = i; if (d[i] == (E) 2) break; }",
            "if (c[i] != (E) 16) { if (d[i] == (E) 6) o[i] = best; } else at = i;",
            "most = max(most, c[i]);",
            "most = min(c[i], most);",
            "most = d[i] > most ? d[i] : most;",
            "if (c[i] == (E) 15) return (E) (best + at);",
            "if ((E) (c[i] * (E) 2) > most) { most = c[i]; o[7] = most; }",
        ]);
        g.line(in_type(line, elem));
    }
    g.line("}");
    g.line(format!("return ({elem}) (best + most + ({elem}) (at * 3 + found * 7 + last));"));
    g.line("}");
}

/// The body of a function whose loop asks in its first rounds and in its last ones whether there is a neighbour.
fn neighbours(g: &mut Generator, elem: &str) {
    let start = g.random.pick(&["0", "0", "1"]);
    g.line(format!("for (int i = {start}; i < n; ++i) {{"));
    g.line(format!("{elem} x = c[i];"));
    for _ in 0..1 + g.random.below(2) {
        let line = g.random.pick(&[
            "x = (E) (x + (i > 0 ? c[i - 1] : (E) 7));",
            "if (i + 1 < n) x = (E) (x + c[i + 1]);",
            "x = i == n - 1 ? d[i] : (E) (x + d[i + 1]);",
            "if (i >= 2 && i < n - 2) x = (E) (x + c[i - 2] * (E) 3 + d[i + 2]);",
            "if (i == 0 || c[i - 1] > (E) 5) x = (E) 9;",
            "x = (E) (x + c[max(i - 1, 0)]);",
            "x = (E) (x - d[min(n - 1, i + 1)]);",
            "x = (E) (x + c[clamp(i + 2, 0, n - 1)] * (E) 3);",
            "x = (E) (x + c[max(min(i - 2, n - 1), 0)]);",
            "x = (E) (x - d[i - 3 < 0 ? 0 : i - 3]);",
        ]);
        g.line(in_type(line, elem));
    }
    g.line("o[i] = x;");
    g.line("}");
    g.line(format!("return ({elem}) from;"));
    g.line("}");
}

/// The body of a function whose loop looks at what the round before made, adds up on its way, or stores elements one behind another.
fn handed_on(g: &mut Generator, elem: &str) {
    g.line(format!("{elem} before = ({elem}) 5, earlier = ({elem}) 2, sum = ({elem}) from; bool was = from == 1; int k = 0;"));
    g.line(format!("{elem} total = ({elem}) 1;"));
    let (start, end) = (g.random.pick(&["0", "0", "1", "from"]), g.random.pick(&["n", "n", "n", "n / 2"]));
    let head = g.random.pick(&[
        "for (int i = START; i < END; ++i) {",
        "for (int i = START; i < END; ++i) {",
        "for (int i = END - 1; i >= START; --i) {",
        "for (int16 i = (int16) (START); i < (int16) (END); i += 1) {",
    ]);
    g.line(head.replace("START", start).replace("END", end));
    let stores = [
        "o[i] = (E) (c[i] - before);",
        "o[i] = (E) (sum + earlier);",
        "if (c[i] > (E) 4) o[k++] = c[i];",
        "if (c[i] > (E) 4 && c[i] < (E) 11) { o[k] = d[i]; ++k; }",
        "if (c[i] > (E) 6 || was) { o[k] = (E) (c[i] - before); k += 1; }",
        "if (c[i] < d[i]) o[k++] = c[i]; else total = (E) (total + d[i]);",
        "if (c[i] > before) ++k;",
    ];
    let goes_on = [
        "before = c[i];",
        "before = (E) (c[i] + d[i]);",
        "earlier = before; before = c[i];",
        "sum += c[i];",
        "sum ^= d[i];",
        "sum = max(sum, c[i]);",
        "sum = min(c[i], sum);",
        "was = d[i] > c[i];",
        "if (c[i] > (E) 7) before = d[i]; else before = (E) 1;",
        "total = was ? (E) (total + sum) : total; was = c[i] < (E) 9;",
    ];
    let is_float = matches!(elem, "float" | "double");
    let mut lines = vec![g.random.pick(&stores)];
    for _ in 0..1 + g.random.below(3) {
        lines.push(g.random.pick(&goes_on));
    }
    if g.random.one_in(3) {
        lines.swap(0, 1);
    }
    for line in lines.into_iter().filter(|line| !is_float || !line.contains('^')) {
        g.line(in_type(line, elem));
    }
    g.line("}");
    g.line(format!("return ({elem}) (before + earlier + sum + total + ({elem}) (was ? k : k + 100));"));
    g.line("}");
}

/// The body of a function whose loop changes an array that it reads: the same element, those of rounds to come, and those of rounds before.
fn in_place(g: &mut Generator, elem: &str) {
    let (start, end) = (g.random.pick(&["0", "0", "1", "from"]), g.random.pick(&["n", "n", "n", "n / 2"]));
    let head = g.random.pick(&[
        "for (int i = START; i < END; ++i) {",
        "for (int i = START; i < END; ++i) {",
        "for (int i = END - 1; i >= START; --i) {",
        "for (int i = START; i < END; i += 2) {",
    ]);
    g.line(head.replace("START", start).replace("END", end));
    g.line(format!("{elem} x = c[i], y = d[i];"));
    for _ in 0..1 + g.random.below(3) {
        let line = g.random.pick(&[
            "o[i] = (E) (o[i] + o[i + 1]);",
            "o[i + 1] = (E) (o[i + 2] - x);",
            "o[i] = (E) (o[i + 3] + y);",
            "o[i + 1] = (E) (o[i] + x);",
            "o[i + 2] = x;",
            "o[i] = y;",
            "y = (E) (y + o[i]);",
            "x = o[i + 1];",
            "if (o[i] < x) o[i] = x;",
            "if (o[i] > (E) 6) o[i] = (E) 6;",
            "if (o[i] > y) o[i] = (E) (o[i] - y); else o[i] = (E) 3;",
            "if (x > y) o[i] = o[i + 1];",
            "o[2 * i] = (E) (o[2 * i + 2] - o[2 * i + 1]);",
        ]);
        g.line(in_type(line, elem));
    }
    g.line("}");
    g.line(format!("return ({elem}) from;"));
    g.line("}");
}

/// Calls of [`number_loop_functions`], with few rounds and with many.
pub fn number_loops(g: &mut Generator) {
    for number in 0..FUNCTIONS {
        let elem = g.number_loops[number];
        let n = g.random.pick(&[0, 16, 32, 64]) + g.random.below(12);
        let from = g.random.below(3);
        let [a, b, t, u, o, w, i] = ["a", "b", "t", "u", "numbered", "told", "i"].map(|name| g.name(name));
        let arrays = [(&a, format!("{i} * 7 % 13")), (&b, format!("{i} * 5 % 17")), (&o, format!("{i} % 5"))];
        g.filled_arrays(elem, 2 * n + 8, &i, &arrays);
        g.filled_arrays(elem, 13, &i, &[(&t, format!("{i} * 3 % 11"))]);
        g.filled_arrays("uint8", 2 * n + 8, &i, &[(&u, format!("{i} * 29 % 251"))]);
        g.filled_arrays("bool", 2 * n + 8, &i, &[(&w, format!("{i} * 3 % 5"))]);
        g.line(format!("print(\"% \", numbers{number}({a}, {b}, {b}, {a}, {t}, {u}, {o}, {w}, {n}, {from}));"));
        g.shown_array(&o, 2 * n + 8);
        g.shown_array(&w, 2 * n + 8);
    }
}
