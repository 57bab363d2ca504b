//! Elements in blocks beside the same in an array: whatever is done to both, they stay the same.

use super::generator::Generator;

/// An `hsoa` of records, small and large, or of numbers, and an array; lanes, rounds and single elements go through both.
pub fn elements_in_blocks(g: &mut Generator) {
    let (n, size) = (g.random.pick(&[1, 2, 4, 8, 16, 32]), 1 + g.random.below(40));
    let [h, a, i, k, e] = ["h", "a", "i", "k", "e"].map(|name| g.name(name));
    let record = g.random.pick(&["quad", "cell", "int16", "double", "float16"]);
    let members: &[(&str, &str)] = match record {
        "quad" => &[(".a", "int8"), (".b", "int8"), (".c", "int16")],
        "cell" => &[(".k", "int"), (".d[1]", "double"), (".q.c", "int16"), (".d[0]", "double"), (".q.a", "int8")],
        "int16" => &[("", "int16")],
        "float16" => &[("", "float16")],
        _ => &[("", "double")],
    };
    g.line(format!("hsoa<{record}, {n}> {h}({size});"));
    g.line(format!("{record} scalar {a}[{size}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {size}; ++{i}) {{"));
    for (at, (member, ty)) in members.iter().enumerate() {
        for of in [&h, &a] {
            g.line(format!("{of}[{i}]{member} = ({ty}) ({i} * {} - {at});", 3 + at));
        }
    }
    g.line("}");
    for _ in 0..1 + g.random.below(4) {
        let (member, ty) = g.random.pick(members);
        let by = g.random.pick(&["+= 3", "-= 5", "*= 2"]);
        match g.random.below(6) {
            // All of them, as blocks and one by one.
            0 => {
                g.line(format!("foreach ({record} &{e} : {h}) {{"));
                g.line(format!("if ({e}{member} > 7) {e}{member} {by};"));
                g.line("}");
                g.line(format!("foreach (int block[{}] {i} = 0 .. {size}) {{", n.max(2)));
                g.line(format!("if ({a}[{i}]{member} > 7) {a}[{i}]{member} {by};"));
                g.line("}");
            }
            // By an index with any lanes, from anywhere on.
            1 | 2 => {
                let (l, from) = (g.random.pick(&[2, 4, 8, 16, n.max(2)]), g.random.pick(&[0, 0, 0, 1, n]).min(size));
                for of in [&h, &a] {
                    g.line(format!("foreach (int block[{l}] {i} = {from} .. {size}) {{"));
                    g.line(format!("{of}[{i}]{member} = ({ty}) ({of}[{i}]{member} * 3 + {i});"));
                    g.line(format!("if ({i} % 3 == 1) {of}[{i}]{member} {by};"));
                    g.line("}");
                }
            }
            // Whole elements by lanes in any order.
            3 => {
                for of in [&h, &a] {
                    g.line(format!("foreach (int block[4] {i} = 0 .. {size} / 2) {{"));
                    g.line(format!("int block[4] {k} = {size} - 1 - {i};"));
                    g.line(format!("{record} {e} = {of}[{k}];"));
                    g.line(format!("{e}{member} {by};"));
                    g.line(format!("if ({i} != 2) {of}[{i}] = {e};"));
                    g.line("}");
                }
            }
            // One by one, each from another one.
            4 => {
                for of in [&h, &a] {
                    g.line(format!("for (int scalar {i} = 1; {i} < {size}; ++{i}) {{"));
                    g.line(format!("{of}[{i}] = {of}[{i} * 5 % {size}];"));
                    g.line(format!("{of}[{i} - 1]{member} {by};"));
                    g.line("}");
                }
            }
            // Values alone.
            _ => {
                g.line("{");
                g.line(format!("{ty} {k} = 0;"));
                g.line(format!("foreach ({record} {e} : {h}) {k} += {e}{member};"));
                g.line(format!("print(\"%\\n\", {});", if n > 1 { format!("reduce_add({k})") } else { k.clone() }));
                g.line("}");
            }
        }
    }
    g.line(format!("for (int scalar {i} = 0; {i} < {size}; ++{i}) {{"));
    for (member, _) in members {
        g.line(format!("assert({h}[{i}]{member} == {a}[{i}]{member});"));
    }
    g.line("}");
    g.line(format!("print(\"%\\n\", {h}[{}]{});", size - 1, members[0].0));
}
