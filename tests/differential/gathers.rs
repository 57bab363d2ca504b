//! Lanes anywhere in memory: neighbours in tables, and narrow members of records.

use super::generator::Generator;

/// A loop over whole blocks that interpolates: elements that an index leads to, those beside them, and members of records.
pub fn neighbours(g: &mut Generator) {
    let l = g.random.pick(&[4, 8, 16, 32]);
    let [at, v, r, i, s] = ["at", "v", "r", "i", "sum"].map(|name| g.name(name));
    let size = 2 * l;
    let elem = g.random.pick(&["int", "float", "int", "int16", "double", "float16"]);
    g.line(format!("int scalar {at}[{size}];"));
    g.line(format!("{elem} scalar {v}[{size}];"));
    g.line(format!("quad scalar {r}[{size}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {size}; ++{i}) {{"));
    let (factor, shift) = (g.random.pick(&[1, 3, 5, 7]), g.random.below(9));
    g.line(format!("{at}[{i}] = ({i} * {factor} + {shift}) % {};", size - 1));
    g.line(format!("{v}[{i}] = ({elem}) ({i} * {i} - {shift});"));
    g.line(format!("{r}[{i}].a = (int8) ({i} * 37);"));
    g.line(format!("{r}[{i}].b = (int8) ({i} - 100);"));
    g.line(format!("{r}[{i}].c = (int16) ({i} * 1237);"));
    g.line("}");
    g.line(format!("int block[{l}] {s} = 0;"));
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {size}) {{"));
    let beside = g.random.pick(&["+ 1", "+ 1", "+ 0"]);
    g.line(format!("{s} += (int) {v}[{at}[{i}]] * 3 - (int) {v}[{at}[{i}] {beside}];"));
    let member = g.random.pick(&["a", "b", "c"]);
    g.line(format!("{s} += (int) {r}[{at}[{i}]].{member};"));
    g.line("}");
    g.line(format!("print(\"%\\n\", {s});"));
}
