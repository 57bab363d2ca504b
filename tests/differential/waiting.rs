//! Rounds that wait for what they compute, which may be joined, and what they add up; sums that are limited to what fits.

use super::generator::Generator;

/// How many functions with such rounds a program has.
const FUNCTIONS: usize = 2;

/// Functions whose lanes leave a loop one by one, with what they call.
pub fn waiting_functions(g: &mut Generator) {
    for number in 0..FUNCTIONS {
        let elem = g.random.pick(&["int", "int", "float", "float", "uint", "int16", "uint8", "int64", "double"]);
        let is_float = matches!(elem, "float" | "double");
        g.line(format!("{elem} stepped{number}({elem} x, {elem} y, int scalar k) {{"));
        g.line(format!("if (x > y) return ({elem}) (x - y);"));
        if g.random.one_in(2) {
            g.line(format!("for (int scalar j = 0; j < k % 3; ++j) {{ if (y > ({elem}) 90) return y; y = ({elem}) (y + x); }}"));
        }
        g.line(format!("return ({elem}) (y + ({elem}) 1);"));
        g.line("}");
        g.line(format!("export {elem} waits{number}(const {elem} a[n], const {elem} b[n], {elem} o[n], int n) {{"));
        let totals = [("add", "total += x;"), ("max", "total = max(total, x);"), ("min", "if (k > 1) total = min(total, y);")];
        let total = (!is_float && g.random.one_in(2)).then(|| g.random.pick(&totals));
        if total.is_some() {
            g.line(format!("{elem} total = 3;"));
        }
        let length = g.random.pick(&[4, 8, 8, 8, 16]);
        g.line(format!("foreach (int block[{length}] i = 0 .. n) {{"));
        g.line(format!("{elem} x = a[i], y = b[i];"));
        g.line("int k = 0;");
        let limit = g.random.below(12) + 1;
        let what = g.random.pick(&["x != y", "x < y", "x > (E) 3 || y > (E) 5"]).replace("(E)", &format!("({elem})"));
        let is_counted = g.random.one_in(3);
        if is_counted {
            g.line(format!("for (int s = 0; s < {limit}; ++s) {{"));
            g.line(format!("if (!({what})) break;"));
        } else {
            g.line(format!("while (k < {limit} && ({what})) {{"));
        }
        g.line("++k;");
        for _ in 0..1 + g.random.below(4) {
            let bits = if is_float { "x = (E) (x * (E) 0.5 - y);" } else { "x ^= y;" };
            let line = g.random.pick(&[
                "x = (E) (x * (E) 3 + y);",
                bits,
                "if (x > y) y = (E) (y - x); else x = (E) (x + (E) 2);",
                "if (y > (E) 50) break;",
                "if (x == (E) 7) { y = (E) 1; continue; }",
                "x = steppedN(x, y, n);",
                "y = steppedN(y, x, 2);",
                "for (int scalar j = 0; j < n % 4; ++j) x = (E) (x - y);",
                "x = (E) (x + b[i]);",
                "if (x < y) x = (E) (x + a[n - 1 - i]);",
                "if (x < y) o[i] = x;",
                "y = (E) (y + (E) k);",
            ]);
            g.line(line.replace("(E)", &format!("({elem})")).replace("steppedN", &format!("stepped{number}")));
        }
        g.line("}");
        let last = g.random.pick(&[
            "o[i] = (E) (x - y + (E) k);",
            "if (k > 2) o[i] = (E) (x + (E) k);",
            "o[n - 1 - i] = (E) (y + (E) k);",
        ]);
        g.line(last.replace("(E)", &format!("({elem})")));
        if let Some((_, change)) = total {
            g.line(change);
        }
        g.line("}");
        g.line(total.map_or("return 0;".to_owned(), |(reduction, _)| format!("return reduce_{reduction}(total);")));
        g.line("}");
        g.waiting.push(elem);
    }
}

/// Calls of [`waiting_functions`], with some blocks more or less.
pub fn waiting_rounds(g: &mut Generator) {
    let number = g.random.below(FUNCTIONS);
    let elem = g.waiting[number];
    let n = g.random.pick(&[0, 8, 16, 32, 32]) + g.random.below(10);
    let [a, b, o, i] = ["a", "b", "waited", "i"].map(|name| g.name(name));
    let arrays = [(&a, format!("{i} * 7 % 13")), (&b, format!("{i} * 5 % 17")), (&o, "1".into())];
    g.filled_arrays(elem, n + 1, &i, &arrays);
    g.line(format!("print(\"% \", waits{number}({a}, {b}, {o}, {n}));"));
    g.shown_array(&o, n + 1);
}

/// Sums and differences of bytes and words, limited to what fits, or nearly.
pub fn limited_sums(g: &mut Generator) {
    let (elem, least, most) = g.random.pick(&[
        ("int8", "-128", "127"),
        ("uint8", "0", "255"),
        ("int16", "-32768", "32767"),
        ("uint16", "0", "65535"),
        ("int16", "-32768", "32766"),
        ("uint8", "1", "255"),
    ]);
    let (l, op) = (g.random.pick(&[8, 16, 32]), g.random.pick(&["+", "-"]));
    let n = l + g.random.below(l);
    let [a, b, o, i] = ["a", "b", "limited", "i"].map(|name| g.name(name));
    let arrays = [(&a, format!("{i} * 9973 + 77")), (&b, format!("{i} * {i} * 551 - 9")), (&o, "1".into())];
    g.filled_arrays(elem, n, &i, &arrays);
    let sum = format!("(int) {a}[{i}] {op} (int) {b}[{i}]");
    let limited = g.random.pick(&["clamp(S, L, M)", "min(max(S, L), M)", "max(min(S, M), L)"]);
    let limited = limited.replace('S', &sum).replace('L', least).replace('M', most);
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {o}[{i}] = ({elem}) {limited};"));
    g.shown_array(&o, n);
}
