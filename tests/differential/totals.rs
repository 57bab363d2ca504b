//! Numbers that lanes are added up to: over a loop, and of neighbours.

use super::built_ins::INTS;
use super::generator::{Elem::*, Generator};

/// A number that a loop adds to, or a block whose lanes are put together behind it: products, distances, counts, extremes.
pub fn totals(g: &mut Generator) {
    let l = g.random.pick(&[8, 16, 32, 64]);
    let (elem, wide) = (g.random.pick(INTS).name(), g.random.pick(INTS).name());
    let [a, b, i, s] = ["a", "b", "i", "total"].map(|name| g.name(name));
    // Short blocks are made longer where there are several.
    let blocks = if l <= 16 { 6 } else { 3 };
    let n = g.random.below(blocks) * l + g.random.pick(&[0, 1, l / 2, l - 1]);
    let size = blocks * l;
    let factor = g.random.pick(&[37, 1_103_515_245, -1_640_531_527]);
    // Of bytes alone a block fills least of a register.
    let (elem, wide) = if l <= 16 && factor == 37 { ("uint8", ["int8", "uint8"][n % 2]) } else { (elem, wide) };
    let arrays = [(&a, format!("{i} * {factor} + 7")), (&b, format!("{i} * {i} * {factor} - 5"))];
    g.filled_arrays(elem, size, &i, &arrays);
    let (x, y) = (format!("({wide}) {a}[{i}]"), format!("({wide}) {b}[{i}]"));
    // A weight that grows from lane to lane, and from round to round.
    let weight = match g.random.below(4) {
        0 => i.clone(),
        1 => format!("({n} - {i})"),
        2 => format!("(3 * {i} - 50)"),
        _ => format!("(1000000007 - 2 * {i})"),
    };
    let value = match g.random.below(12) {
        0 => x,
        6..=11 => format!("({wide}) {weight} * {x}"),
        1 | 2 => format!("{x} * {y}"),
        3 => format!("abs({x} - {y})"),
        4 => format!("({wide}) 1"),
        _ => format!("({wide}) ({a}[{i}] < {b}[{i}])"),
    };
    let (op, reduce) =
        g.random.pick(&[("+", "add"), ("+", "add"), ("+", "add"), ("^", "xor"), ("|", "or"), ("", "min"), ("", "max")]);
    let is_block = g.random.one_in(2);
    let (length, start) = (if is_block { format!("block[{l}]") } else { "scalar".into() }, g.random.below(9));
    g.line(format!("{wide} {length} {s} = ({wide}) {start};"));
    // Whether all elements are so, or any of them.
    let (is_asked, is_same, same) = (g.random.one_in(3), g.random.one_in(2), g.name("same"));
    if is_asked {
        g.line(format!("bool block[{l}] {same} = {is_same};"));
    }
    // A length that is known has its loop written out; the first element is 7, which the compiler does not see.
    let end = if g.random.one_in(4) { n.to_string() } else { format!("{n} - 7 + (int) {a}[0]") };
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {end}) {{"));
    let is_masked = g.random.one_in(2);
    if is_masked {
        g.line(format!("if ({a}[{i}] != {b}[{i}] % ({elem}) 3) {{"));
    }
    if is_asked {
        let (op, other) = (g.random.pick(&["==", "<"]), g.random.below(99));
        g.line(format!("if ({a}[{i}] {op} ({elem}) {other}) {same} = {};", !is_same));
    }
    let value = if is_block { value } else { format!("reduce_{reduce}({value})") };
    match op {
        "" => g.line(format!("{s} = {reduce}({s}, {value});")),
        op => g.line(format!("{s} {op}= {value};")),
    }
    if is_masked {
        g.line("}");
    }
    // A total that the loop looks at is none.
    if g.random.one_in(6) {
        g.line(format!("{b}[{i}] = ({elem}) {};", if is_block { s.clone() } else { format!("({wide}) {i} + {s}") }));
    }
    g.line("}");
    if is_asked {
        g.line(format!("print(\"% %\\n\", all({same}), any({same}));"));
    }
    g.line(format!("print(\"%\\n\", {});", if is_block { format!("reduce_{reduce}({s})") } else { s }));
}

/// A sum of numbers and a sum of these sums, by a loop over numbers: what has been added counts in all rounds behind it. Perhaps each round reduces both.
pub fn checksums(g: &mut Generator) {
    let [x, i, a, b, end] = ["x", "i", "a", "b", "end"].map(|name| g.name(name));
    let elem = g.random.pick(&["uint8", "uint16", "uint16", "int8"]);
    let wide = g.random.pick(&["uint", "uint", "int", "int64", "uint64", "uint16"]);
    let modulus = match g.random.below(4) {
        0 if elem != "int8" => Some(g.random.pick(&[255, 1000, 65521])),
        1 | 2 if elem != "int8" && wide != "uint16" => Some(65521),
        _ => None,
    };
    // Numbers that are nearly as great as they may be, and others.
    let value = g.random.pick(&["255 - i % 5", "65535 - i % 7", "i * 37 + 250"]).replace('i', &i);
    g.line(format!("{elem} scalar {x}[900];"));
    g.line(format!("for (int scalar {i} = 0; {i} < 900; ++{i}) {x}[{i}] = ({elem}) ({value});"));
    // How long it is the compiler does not see.
    g.line(format!("{x}[0] = ({elem}) 7;"));
    let (n, first) = (g.random.below(890), g.random.below(4));
    let begin = [g.random.below(9), g.random.below(60_000)];
    g.line(format!("{wide} scalar {a} = ({wide}) {}, {b} = ({wide}) {};", begin[0], begin[1]));
    g.line(format!("int scalar {end} = {n} + (int) {x}[0];"));
    g.line(format!("for (int scalar {i} = {first}; {i} < {end}; ++{i}) {{"));
    let add = |to: &str, what: &str| match modulus {
        Some(modulus) => format!("{to} = ({to} + {what}) % ({wide}) {modulus};"),
        None => format!("{to} += {what};"),
    };
    let sums = [add(&a, &format!("({wide}) {x}[{i}]")), add(&b, &a)];
    let is_before = g.random.one_in(3);
    (0..2).for_each(|k| g.line(sums[if is_before { 1 - k } else { k }].clone()));
    // Sums that the loop looks at are seen in each round.
    if g.random.one_in(6) {
        let sum = g.random.pick(&[&a, &b]);
        g.line(format!("{x}[{i}] ^= ({elem}) {sum};"));
    }
    g.line("}");
    g.line(format!("print(\"% %\\n\", {a}, {b});"));
}

/// Of two and of four lanes, of all signs and at all lengths.
pub fn sums_of_products(g: &mut Generator) {
    let (v, w, l) = (g.lanes(Int(16)), g.lanes(Int(16)), 2 << g.random.below(6));
    let [a, b] = [&v, &w].map(|name| format!("shuffle({name}, iota({l}))"));
    let sum = g.scalar(Int(32), 1);
    g.line(format!("print(\"% %\\n\", dot2({a}, {b}), dot2({a}, {b}, {sum}));"));
    let (first, second) = (g.random.pick(&[Int(8), Uint(8)]), g.random.pick(&[Int(8), Uint(8)]));
    let (v, w, l) = (g.lanes(first), g.lanes(second), 4 << g.random.below(5));
    let [a, b] = [&v, &w].map(|name| format!("shuffle({name}, iota({l}))"));
    let sum = g.scalar(Int(32), 1);
    g.line(format!("print(\"% %\\n\", dot4({a}, {b}), dot4({a}, {b}, {sum}));"));
}

/// Lanes that go through rows of their own, which they read, and perhaps write.
pub fn rows(g: &mut Generator) {
    let l = g.random.pick(&[4, 8, 16]);
    let elem = g.random.pick(INTS).name();
    let [a, i, k, s] = ["a", "i", "k", "s"].map(|name| g.name(name));
    let (n, m) = (g.random.below(2 * l) + 1, g.random.below(12) + 4);
    g.line(format!("{elem} scalar {a}[{}];", (n + 1) * m));
    g.line(format!("for (int scalar {i} = 0; {i} < {}; ++{i}) {a}[{i}] = ({elem}) ({i} * 37 + 7);", (n + 1) * m));
    g.line(format!("{elem} block[{l}] {s} = ({elem}) 0;"));
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
    let length = if g.random.one_in(2) { m.to_string() } else { format!("{m} - ({} & 3)", g.scalar(Int(32), 1)) };
    g.line(format!("for (int scalar {k} = 0; {k} < {length}; ++{k}) {{"));
    g.line(format!("{s} = {s} * ({elem}) 3 + {a}[{m} * {i} + {k}];"));
    if g.random.one_in(3) {
        g.line(format!("{a}[{m} * {i} + {k} + 1] += {s};"));
    }
    g.line("}");
    g.line("}");
    let place = g.random.below((n + 1) * m);
    g.line(format!("print(\"% %\\n\", {s}, {a}[{place}]);"));
}
