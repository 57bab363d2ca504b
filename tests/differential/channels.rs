//! Pixels and the like in random programs: what narrows, unrolls and moves them has to give what one by one would.

use super::built_ins::INTS;
use super::generator::{Elem, Generator};

/// Records of a few bytes or words, computed with as `int`: in a loop over their members or one by one, and stored where they were, in
/// another order, without one of them, or as one number for each.
pub fn channels(g: &mut Generator) {
    let elem =
        if g.random.one_in(3) { g.random.pick(INTS) } else { g.random.pick(&[Elem::Uint(8), Elem::Uint(16), Elem::Int(8)]) };
    let (text, count, l) = (elem.name(), g.random.pick(&[1, 2, 2, 2, 3, 4, 4, 8]), g.random.pick(&[2, 4, 8, 16, 32]));
    let n = 2 * l + g.random.below(2) * (l / 2);
    let [a, o, one, i, c] = ["records", "moved", "single", "i", "c"].map(|name| g.name(name));
    let (size, turn) = (n * count, g.random.below(count));
    g.line(format!("{text} scalar {a}[{size}];"));
    g.line(format!("{text} scalar {o}[{size}];"));
    g.line(format!("{text} scalar {one}[{n}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {size}; ++{i}) {{"));
    let by = g.random.pick(&[37, 4099, 1_299_709]);
    g.line(format!("{a}[{i}] = ({text}) ({i} * {by});"));
    g.line("}");
    let at = |member: &str| format!("{a}[{count} * {i} + {member}]");
    let of = |place: String| format!("(int) {place}");
    let number = |g: &mut Generator, x: String, y: String| {
        let [k, by] = [g.random.pick(&[1, 3, 77, 178, 257]), g.random.pick(&[1, 2, 7, 8, 9])];
        match g.random.below(9) {
            0 => format!("({x} * {k} + {y} * 3 + 128) >> {by}"),
            1 => format!("({x} - {y}) >> {by}"),
            2 => format!("({x} + {y}) / {by}"),
            3 => format!("min({x} + {y}, 255)"),
            4 => format!("clamp({x} * 2 - {y}, 0, 255)"),
            5 => format!("abs({x} - {y})"),
            6 => format!("({x} > {y} ? {x} - {y} : {y} * 2) >> 1"),
            7 => format!("({x} * {y} + 128 + (({x} * {y} + 128) >> 8)) >> 8"),
            _ => format!("({x} ^ {k}) % {}", by + 2),
        }
    };
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
    let mut kept = count;
    if g.random.one_in(2) {
        g.line(format!("for (int {c} = 0; {c} < {count}; ++{c}) {{"));
        let value = number(g, of(at(&c)), of(at(&format!("({count} - 1)"))));
        g.line(format!("{o}[{count} * {i} + {c}] = ({text}) ({value});"));
        g.line("}");
    } else {
        kept -= usize::from(count > 2 && g.random.one_in(2));
        for member in 0..kept {
            let from = (member + turn) % count;
            g.line(format!("{o}[{kept} * {i} + {member}] = {};", at(&from.to_string())));
        }
    }
    let value = number(g, of(at("0")), of(at(&(count - 1).to_string())));
    g.line(format!("{one}[{i}] = ({text}) ({value});"));
    g.line("}");
    g.shown_array(&o, kept * n);
    g.shown_array(&one, n);
}
