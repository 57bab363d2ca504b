//! What a program draws beside statements and expressions: memory in all its forms, loops over all kinds of ranges, atomics,
//! threads, imports, and each built-in at each type.
//!
//! Which constructs a program has goes round by its seed, so that every pair of them occurs, and every built-in at every type.

use super::atomics::atomics;
use super::borders::{borders, meeting};
use super::built_ins::{ALL, FLOATS, INTS, built_in_entries, entry_name};
use super::channels::channels;
use super::containers::elements_in_blocks;
use super::gathers::neighbours;
use super::generator::{Elem, Elem::*, Generator, Kind, Loop, Variable};
use super::number_loops::number_loops;
use super::quotients::quotients;
use super::references::references;
use super::running::running;
use super::shapes::{clamped_floats, columns, rounded_products, searches, tails};
use super::totals::{checksums, rows, sums_of_products, totals};
use super::turned::turned;
use super::waiting::{limited_sums, waiting_rounds};

/// Writes a construct.
type Writer = fn(&mut Generator);

/// Where a construct may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In every context.
    Anywhere,
    /// In context 1; in lanes it is one for all of them.
    Alone,
}

/// All of them.
pub const CONSTRUCTS: &[(&str, Place, Writer)] = &[
    ("an exchange under a mask", Place::Anywhere, exchange),
    ("an exchange behind pointers", Place::Anywhere, exchange_behind_pointers),
    ("an update in place under a mask", Place::Anywhere, update_in_place),
    ("stores and loads that overlap", Place::Anywhere, overlap),
    ("streams side by side", Place::Anywhere, streams),
    ("mixed widths", Place::Anywhere, mixed_widths),
    ("an array of odd length", Place::Alone, odd_array),
    ("ranges of foreach", Place::Alone, ranges),
    ("totals", Place::Alone, totals),
    ("checksums", Place::Alone, checksums),
    ("NaN and infinities", Place::Anywhere, special_floats),
    ("bool in memory", Place::Anywhere, bools),
    ("a scratch array", Place::Anywhere, scratch),
    ("an image", Place::Alone, image),
    ("a view", Place::Alone, view),
    ("pointers to blocks", Place::Anywhere, block_pointers),
    ("large records", Place::Alone, large_records),
    ("constant tables", Place::Anywhere, constant_table),
    ("atomics", Place::Anywhere, atomics),
    ("packed operations", Place::Anywhere, packed),
    ("a parallel loop", Place::Alone, parallel),
    ("an import", Place::Anywhere, import),
    ("a switch of scalars", Place::Anywhere, scalar_switch),
    ("a switch of lanes", Place::Anywhere, vector_switch),
    ("locals of functions under a mask", Place::Anywhere, locals_under_a_mask),
    ("built-ins", Place::Anywhere, built_ins),
    ("sums of products", Place::Alone, sums_of_products),
    ("rows", Place::Alone, rows),
    ("neighbours in tables", Place::Alone, neighbours),
    ("channels", Place::Alone, channels),
    ("elements in blocks", Place::Alone, elements_in_blocks),
    ("clamped floats", Place::Alone, clamped_floats),
    ("rounds that wait", Place::Alone, waiting_rounds),
    ("loops over numbers", Place::Alone, number_loops),
    ("references", Place::Anywhere, references),
    ("limited sums", Place::Alone, limited_sums),
    ("quotients", Place::Alone, quotients),
    ("turned images", Place::Alone, turned),
    ("borders", Place::Alone, borders),
    ("arrays that meet", Place::Alone, meeting),
    ("plain loops in other ways", Place::Alone, running),
    ("rounded products", Place::Alone, rounded_products),
    ("searches", Place::Alone, searches),
    ("columns", Place::Alone, columns),
    ("tails", Place::Alone, tails),
];

/// What the constructs call.
pub const PRELUDE: &[&str] = &[
    concat!("import \"", env!("CARGO_MANIFEST_DIR"), "/tests/differential/imported.ivl\";"),
    "struct large { double m[33]; int k[17]; bool f[5]; };",
    "struct quad { int8 a; int8 b; int16 c; };",
    "struct cell { int k; double d[2]; quad q; };",
    "large spread(int scalar n) {",
    "large scalar x;",
    "for (int i = 0; i < 33; ++i) {",
    "x.m[i] = i * 0.5d - n;",
    "}",
    "for (int i = 0; i < 17; ++i) {",
    "x.k[i] = i * n;",
    "}",
    "for (int i = 0; i < 5; ++i) {",
    "x.f[i] = ((i ^ n) & 1) == 0;",
    "}",
    "return x;",
    "}",
    "double folded(large x, int scalar at) {",
    "x.k[at & 15] += 1;",
    "return x.m[at & 31] + x.k[at & 15] + (x.f[at & 3] ? 100 : 0);",
    "}",
    "const int8 narrow_table[8] = { 1, -2, 127, -128, 0, 7, -1, 64 };",
    "const int int_table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };",
    "const float float_table[8] = { 0.5f, -0.0f, 1.0f, 3.0e38f, 1.0e-40f, -2.5f, 7.0f, 0.1f };",
    "const bool bool_table[8] = { true, false, false, true, true, true, false, false };",
    "void ordered(int &low, int &high) {",
    "if (low > high) {",
    "int t = low;",
    "low = high;",
    "high = t;",
    "}",
    "}",
    "int width_between(int a, int b) {",
    "int low = a, high = b;",
    "ordered(low, high);",
    "if (low < 0) {",
    "high -= low;",
    "}",
    "return high * 3 - low;",
    "}",
    "int summed_up(int x) {",
    "int v[4];",
    "for (int k = 0; k < 4; ++k) {",
    "v[k] = x * k;",
    "}",
    "for (int k = 1; k < 4; ++k) {",
    "if (v[k - 1] < v[k]) {",
    "v[k] -= v[k - 1] * x;",
    "}",
    "}",
    "return v[3];",
    "}",
    "int mirrored(int x) {",
    "int low = x;",
    "int v[2] = { x, 5 };",
    "if (x > 2) {",
    "low = 7 - x;",
    "v[1] = low;",
    "}",
    "return reverse(low) + reverse(v[1]);",
    "}",
    "int weighed(int v[,]) {",
    "int scalar sum = 0;",
    "for (int y = v.min(1); y < v.min(1) + v.extent(1); ++y) {",
    "for (int x = v.min(0); x < v.min(0) + v.extent(0); ++x) {",
    "sum = sum * 3 + v(x, y);",
    "}",
    "}",
    "return sum;",
    "}",
];

impl Generator {
    /// The constructs of a program: a pair that goes round with the seed, and some more.
    pub fn chosen_constructs(&mut self, seed: u64) -> Vec<usize> {
        let n = CONSTRUCTS.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        let (a, b) = pairs[(seed % pairs.len() as u64) as usize];
        let mut chosen = vec![a, b];
        chosen.extend((0..self.random.below(3)).map(|_| self.random.below(n)));
        // There are many built-ins.
        let built_ins = CONSTRUCTS.iter().position(|(name, ..)| *name == "built-ins");
        chosen.extend(built_ins.filter(|_| self.random.one_in(3)));
        if self.random.one_in(2) {
            chosen.reverse();
        }
        chosen
    }

    /// Writes a construct, in a scope of its own.
    pub fn construct(&mut self, k: usize) {
        let (name, place, write) = CONSTRUCTS[k];
        self.drawn.push(name.to_owned());
        let has_lanes = self.has_lanes;
        self.has_lanes &= place == Place::Anywhere;
        self.line(if self.has_lanes == has_lanes { "{" } else { "scalar {" });
        self.scopes.push(Vec::new());
        write(self);
        self.scopes.pop();
        self.line("}");
        self.has_lanes = has_lanes;
    }

    /// An array of 16 scalars.
    pub(super) fn memory(&mut self, elem: Elem) -> String {
        let known = self.variable(|v| v.kind == Kind::Array && !v.is_vector && v.elem == elem && v.is_writable);
        if let Some(known) = known.filter(|_| self.random.one_in(2)) {
            return known.name;
        }
        let name = self.name("t");
        self.line(format!("{} scalar {name}[16];", elem.name()));
        let variable =
            Variable { name: name.clone(), elem, kind: Kind::Array, is_vector: false, is_writable: true, is_full: true };
        self.fill(&variable);
        self.declare(variable);
        name
    }

    /// A vector variable with a value in all lanes.
    pub(super) fn lanes(&mut self, elem: Elem) -> String {
        let (name, value) = (self.name("v"), self.vector(elem, 2));
        self.line(format!("{} block[{}] {name} = {value};", elem.name(), self.length));
        let is_full = !self.has_lanes;
        let variable = Variable { name: name.clone(), elem, kind: Kind::Value, is_vector: true, is_writable: true, is_full };
        self.declare(variable);
        name
    }

    /// Indices below 16 of L lanes: neighbours, every other one, backwards, any.
    pub(super) fn indices(&mut self) -> String {
        let (name, l) = (self.name("at"), self.length);
        let form = match self.random.below(6) {
            0 | 1 if l < 16 => format!("iota({l}) + {}", self.random.below(17 - l)),
            2 => format!("(iota({l}) * 2 + {}) & 15", self.random.below(2)),
            3 => format!("(15 - iota({l})) & 15"),
            4 => format!("iota({l}) & 15"),
            _ => {
                let any = self.vector(Int(32), 1);
                format!("{any} & 15")
            }
        };
        self.line(format!("int block[{l}] {name} = {form};"));
        name
    }

    pub(super) fn shown(&mut self, name: &str) {
        self.line(format!("print(\"{name} %\\n\", {name});"));
    }

    /// Scalar arrays of so many elements, and what an element of each is by the index.
    pub(super) fn filled_arrays(&mut self, elem: &str, size: usize, i: &str, arrays: &[(&String, String)]) {
        let names: Vec<String> = arrays.iter().map(|(name, _)| format!("{name}[{size}]")).collect();
        self.line(format!("{elem} scalar {};", names.join(", ")));
        self.line(format!("for (int scalar {i} = 0; {i} < {size}; ++{i}) {{"));
        for (name, element) in arrays {
            self.line(format!("{name}[{i}] = ({elem}) ({element});"));
        }
        self.line("}");
    }

    pub(super) fn shown_array(&mut self, name: &str, count: usize) {
        let i = self.name("i");
        self.line(format!("for (int {i} = 0; {i} < {count}; ++{i}) {{"));
        self.line(format!("print(\"% \", {name}[{i}]);"));
        self.line("}");
        self.line("print(\"\\n\");");
    }
}

/// `if (m) v = f(v, w);` with functions that have locals of their own; one looks at lanes that are off.
fn locals_under_a_mask(g: &mut Generator) {
    let (v, w) = (g.lanes(Int(32)), g.lanes(Int(32)));
    let mask = g.vector_condition(2);
    let is_full = !g.has_lanes;
    g.line(format!("if ({mask}) {{"));
    for _ in 0..1 + g.random.below(3) {
        match g.random.below(3 + usize::from(is_full)) {
            0 => g.line(format!("{v} = width_between({v}, {w});")),
            1 => g.line(format!("{w} = summed_up({v} + {w});")),
            2 => g.line(format!("ordered({v}, {w});")),
            _ => g.line(format!("{v} += mirrored({w});")),
        }
    }
    g.line("}");
    g.shown(&v);
    g.shown(&w);
}

/// `if (m) { t = a[i]; a[i] = c; c = t; }`
fn exchange(g: &mut Generator) {
    let elem = g.elem();
    let (a, at, c, t) = (g.memory(elem), g.indices(), g.lanes(elem), g.name("x"));
    let mask = g.vector_condition(2);
    g.line(format!("if ({mask}) {{"));
    g.line(format!("{} block[{}] {t} = {a}[{at}];", elem.name(), g.length));
    g.line(format!("{a}[{at}] = {c};"));
    g.line(format!("{c} = {t};"));
    g.line("}");
    g.shown(&c);
    g.shown_array(&a, 16);
}

/// A function that exchanges, and what it takes.
#[derive(Clone)]
pub struct Exchange {
    name: String,
    elem: Elem,
    /// Does its first pointer lead to scalars, or to vectors?
    of_scalars: bool,
}

impl Generator {
    /// `if (m) { t = *a; *a = cur; cur = t; }` in a function of its own, which knows nothing of what its pointers lead to.
    pub fn exchange_function(&mut self) -> Exchange {
        let (elem, l, name) = (self.elem(), self.length, self.name("exchanged"));
        let text = elem.name();
        let (of_scalars, place) = self.random.pick(&[(false, "*a"), (false, "a[1]"), (true, "a[iota(L)]")]);
        let place = place.replace('L', &l.to_string());
        let behind = if of_scalars { "scalar".to_owned() } else { format!("block[{l}]") };
        let compare = self.random.pick(&["<", ">", "==", "!="]);
        let condition = if elem == Bool { "cur".to_owned() } else { format!("cur {compare} k") };
        self.line(format!(
            "[[noinline]] void {name}({text} {behind} *scalar a, {text} block[{l}] *scalar b, {text} scalar k) {{"
        ));
        self.line(format!("{text} block[{l}] cur = *b;"));
        self.line(format!("if ({condition}) {{"));
        self.line(format!("{text} block[{l}] t = {place};"));
        self.line(format!("{place} = cur;"));
        let value = if elem != Bool && self.random.one_in(4) { format!("({text}) (t + k)") } else { "t".into() };
        self.line(format!("cur = {value};"));
        self.line("}");
        self.line("*b = cur;");
        self.line("}");
        Exchange { name, elem, of_scalars }
    }
}

fn exchange_behind_pointers(g: &mut Generator) {
    let Exchange { name, elem, of_scalars } = g.exchange.clone().expect("each program has such a function");
    let (l, text, a, b, i) = (g.length, elem.name(), g.name("a"), g.name("b"), g.name("i"));
    let (qualifier, count) = if of_scalars { ("scalar".to_owned(), 2 * l) } else { (g.block_text(), 2) };
    let number = |i: &str, by: usize| match elem {
        Bool => format!("({i} & {by}) == 0"),
        _ => format!("({text}) ({i} * {by} + 3)"),
    };
    g.line(format!("{text} {qualifier} {a}[{count}];"));
    g.line(format!("for (int {i} = 0; {i} < {count}; ++{i}) {{"));
    let lanes = if of_scalars { i.clone() } else { format!("({i} * 7 + iota({l}))") };
    g.line(format!("{a}[{i}] = {};", number(&lanes, 2)));
    g.line("}");
    g.line(format!("{text} block[{l}] {b} = {};", number(&format!("iota({l})"), 1)));
    let k = g.typed_scalar(elem);
    g.line(format!("{name}(&{a}[0], &{b}, {k});"));
    g.shown(&b);
    g.shown_array(&a, count);
}

fn update_in_place(g: &mut Generator) {
    let elem = g.elem();
    let (a, at, to) = (g.memory(elem), g.indices(), g.indices());
    let mask = g.vector_condition(2);
    g.line(format!("if ({mask}) {{"));
    let op = if elem == Bool { "^" } else { g.random.pick(&["+", "-", "*"]) };
    let value = g.expression(elem, true, 1);
    g.line(format!("{a}[{at}] = ({a}[{at}] {op} {value});"));
    g.line(format!("{a}[{to}] {op}= {a}[{at}];"));
    if g.random.one_in(2) {
        g.line("}");
        g.line("else {");
        g.line(format!("{a}[{at}] = {a}[{to}];"));
    }
    g.line("}");
    g.shown_array(&a, 16);
}

fn overlap(g: &mut Generator) {
    let elem = g.elem();
    let (a, v, at) = (g.memory(elem), g.lanes(elem), g.indices());
    let by = g.random.pick(&[1, 1, 2, 3, 15]);
    let is_masked = g.random.one_in(2);
    if is_masked {
        let mask = g.vector_condition(1);
        g.line(format!("if ({mask}) {{"));
    }
    let w = g.name("w");
    g.line(format!("{a}[{at}] = {v};"));
    g.line(format!("{} block[{}] {w} = {a}[({at} + {by}) & 15];", elem.name(), g.length));
    g.line(format!("{a}[({at} + {by}) & 15] = {v};"));
    g.line(format!("{v} = {w};"));
    if is_masked {
        g.line("}");
    }
    g.shown(&v);
    g.shown_array(&a, 16);
}

/// Stores whose lanes are a few elements apart: those of a loop over a block, or of the lanes that there are.
fn streams(g: &mut Generator) {
    let (elem, l) = (g.elem(), g.length);
    let (count, first, by) = (g.random.pick(&[2, 2, 3, 3, 4, 5, 8, 9]), g.random.below(3), g.random.pick(&[1, 1, 1, -1]));
    let (rounds, a, i) = (1 + g.random.below(3), g.name("streams"), g.name("i"));
    let (text, size) = (elem.name(), rounds * l * count + 4);
    let number = |i: &str| if elem == Bool { format!("({i} % 3 == 1)") } else { format!("({text}) ({i} * 5 - 3)") };
    g.line(format!("{text} scalar {a}[{size}];"));
    g.line(format!("for (int scalar {i} = 0; {i} < {size}; ++{i}) {{"));
    g.line(format!("{a}[{i}] = {};", number(&i)));
    g.line("}");
    let loops = !g.has_lanes;
    // A loop may have a tail.
    let n = rounds * l - if loops { g.random.below(2) * (l / 2) } else { 0 };
    let at = if loops { i.clone() } else { format!("(iota({l}) + {})", g.random.below(rounds) * l) };
    if loops {
        g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
    }
    let is_masked = g.random.one_in(3);
    if is_masked {
        let mask = if loops { format!("{i} % 3 != 1") } else { g.vector_condition(1) };
        g.line(format!("if ({mask}) {{"));
    }
    let turn = g.random.below(count);
    for stream in (0..count).map(|k| (k + turn) % count) {
        if count > 3 && g.random.one_in(12) {
            continue;
        }
        let value = if loops { number(&format!("({i} * {} + {stream})", stream + 2)) } else { g.expression(elem, true, 1) };
        let place = format!("{count} * {at} + {}", stream + first);
        let place = if by < 0 { format!("{} - ({place})", size - 1) } else { place };
        g.line(format!("{a}[{place}] = {value};"));
    }
    if is_masked {
        g.line("}");
    }
    if loops {
        g.line("}");
    }
    g.shown_array(&a, size);
}

fn mixed_widths(g: &mut Generator) {
    let [x, y, z] = [(); 3].map(|()| g.random.pick(INTS));
    let (a, b, c) = (g.memory(x), g.memory(y), g.memory(z));
    let (i, l) = (g.name("i"), g.length);
    let (op, by) = (g.random.pick(&["+", "-", "*", "/", "%", "&", "^"]), g.random.pick(&[1, 3, 5]));
    let (from, to) = (x.name(), g.random.pick(INTS).name());
    if g.has_lanes {
        let at = g.indices();
        g.line(format!("{a}[{at}] = ({from}) ((({to}) {b}[{at}]) {op} ({to}) {c}[({at} * {by}) & 15]);"));
    } else {
        let n = g.random.below(17);
        g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
        g.line(format!("{a}[{i}] = ({from}) ((({to}) {b}[{i}]) {op} ({to}) {c}[({i} * {by}) & 15]);"));
        g.line("}");
    }
    g.shown_array(&a, 16);
}

fn odd_array(g: &mut Generator) {
    let (elem, n) = (g.elem(), g.random.pick(&[1, 3, 7, 13, 129, 257, 1000]));
    let (a, i, j, l) = (g.name("odd"), g.name("i"), g.name("j"), g.length);
    let text = elem.name();
    let value = |i: &str| if elem == Bool { format!("({i} % 3 == 1)") } else { format!("({text}) ({i} * 7 - 3)") };
    g.line(format!("{text} scalar {a}[{n}];"));
    g.line(format!("foreach (int block[{l}] {i} = 0 .. {n}) {{"));
    g.line(format!("{a}[{i}] = {};", value(&i)));
    g.line("}");
    g.line(format!("foreach (int block[{l}] {j} = 0 .. {}) {{", n / 2));
    let t = g.name("x");
    g.line(format!("{text} block[{l}] {t} = {a}[{j}];"));
    g.line(format!("{a}[{j}] = {a}[{n} - 1 - {j}];"));
    g.line(format!("{a}[{n} - 1 - {j}] = {t};"));
    g.line("}");
    g.line(format!("print(\"% % %\\n\", {a}[0], {a}[{}], {a}[{}]);", n / 2, n - 1));
}

fn ranges(g: &mut Generator) {
    let (i, n, l) = (g.name("i"), g.name("n"), g.length as i64);
    let ty = g.random.pick(&["int", "int", "int64", "int16", "uint16"]);
    let (low, high) = g.random.pick(&[(0, 0), (5, 3), (0, 1), (3, 4), (0, l - 1), (0, l), (0, l + 1), (1, 2 * l + 1), (2, 700)]);
    let sum = g.name("sum");
    g.line(format!("int scalar {n} = 0;"));
    g.line(format!("int64 scalar {sum} = 0l;"));
    let tail = g.random.one_in(3);
    g.line(format!("foreach ({ty} block[{l}] {i} = ({ty}) {low} .. ({ty}) {high}) {{"));
    if tail {
        g.line(format!("if ({i} % ({ty}) 3 == ({ty}) 1) {{"));
        g.line("continue;");
        g.line("}");
    }
    g.line(format!("{n} += popcount(true);"));
    g.line(format!("{sum} += reduce_add((int64) {i});"));
    g.line("}");
    g.line(format!("print(\"% %\\n\", {n}, {sum});"));
}

fn special_floats(g: &mut Generator) {
    let elem = g.random.pick(FLOATS);
    let suffix = if elem == Float { "f" } else { "d" };
    let zero = g.name("zero");
    g.line(format!("{} scalar {zero} = 0.0{suffix};", elem.name()));
    let specials = [
        format!("({zero} / {zero})"),
        format!("(1.0{suffix} / {zero})"),
        format!("(-1.0{suffix} / {zero})"),
        format!("-{zero}"),
        format!("3.0e38{suffix}"),
        format!("1.0e-40{suffix}"),
        format!("-2147483649.0{suffix}"),
        format!("1.0e19{suffix}"),
    ];
    let v = g.lanes(elem);
    for _ in 0..1 + g.random.below(2) {
        let (k, lane) = (g.random.below(specials.len()), g.random.below(g.length));
        g.line(format!("if (iota({}) >= {lane}) {{", g.length));
        g.line(format!("{v} = {};", specials[k]));
        g.line("}");
    }
    let w = g.expression(elem, true, 1);
    let to = g.random.pick(INTS).name();
    let (op, compare) = (g.random.pick(&["+", "-", "*", "/", "%"]), g.random.pick(&["<", "<=", ">", ">=", "==", "!="]));
    g.line(format!("print(\"% % %\\n\", ({to}) {v}, {v} {compare} {w}, ({v} {op} {w}) == ({w} {op} {v}));"));
    g.line(format!("print(\"% %\\n\", min({v}, {w}) {compare} {v}, ({v} != {v}));"));
}

fn bools(g: &mut Generator) {
    let (a, v, i, l) = (g.name("flags"), g.name("v"), g.name("i"), g.length);
    let condition = g.vector_condition(1);
    g.line(format!("bool scalar {a}[40];"));
    g.line(format!("for (int {i} = 0; {i} < 40; ++{i}) {{"));
    g.line(format!("{a}[{i}] = {i} % 3 == 0;"));
    g.line("}");
    let at = g.indices();
    g.line(format!("{a}[{at} + 20] = {condition};"));
    let k = g.random.below(24);
    g.line(format!("bool block[{l}] {v} = {a}[{at} + {k}];"));
    g.line(format!("{a}[{at}] ^= {v};"));
    let p = g.name("p");
    g.line(format!("bool scalar *scalar {p} = &{a}[7];"));
    g.line(format!("*{p} = !{p}[1];"));
    g.shown(&v);
    g.shown_array(&a, 40);
}

fn scratch(g: &mut Generator) {
    let (elem, s, n, i) = (g.elem(), g.name("s"), g.name("n"), g.name("i"));
    let size = g.scalar(Int(32), 1);
    g.line(format!("int scalar {n} = ({size} & 31) + 1;"));
    let is_vector = g.random.one_in(3);
    let (qualifier, text) = (g.qualifier(is_vector), elem.name());
    g.line(format!("scratch {text} {qualifier} {s}[{n}];"));
    g.line(format!("for (int {i} = 0; {i} < {n}; ++{i}) {{"));
    let number = if elem == Bool { format!("({i} & 1) == 0") } else { format!("({text}) ({i} * 5 - 9)") };
    g.line(format!("{s}[{i}] = {number};"));
    g.line("}");
    let at = g.scalar(Int(32), 1);
    let value = g.expression(elem, is_vector, 1);
    g.line(format!("{s}[({at} & 255) % {n}] = {value};"));
    if !is_vector && !g.has_lanes {
        let (v, l) = (g.name("v"), g.length);
        g.line(format!("{text} block[{l}] {v} = {s}[iota({l}) % {n}];"));
        g.shown(&v);
    }
    g.line(format!("print(\"% %\\n\", {s}[0], {s}[{n} - 1]);"));
}

/// An image with a window of its own, filled and read; its name and window.
fn filled_image(g: &mut Generator, elem: Elem) -> (String, [i64; 4]) {
    let (a, x, y, l) = (g.name("im"), g.name("x"), g.name("y"), g.length);
    let window @ [x0, w, y0, h] =
        [g.random.below(5) as i64 - 2, 1 + g.random.below(9) as i64, g.random.below(5) as i64 - 2, 1 + g.random.below(4) as i64];
    let text = elem.name();
    let value = if elem == Bool { format!("({x} ^ {y}) > 1") } else { format!("({text}) ({x} * 3 + {y} * 50)") };
    if x0 == 0 && y0 == 0 {
        g.line(format!("{text} {a}[{w}, {h}];"));
    } else {
        g.line(format!("{text} {a}[{x0} : {w}, {y0} : {h}];"));
    }
    g.line(format!("foreach (int block[{l}] {x} = {x0} .. {}, int scalar {y} = {y0} .. {}) {{", x0 + w, y0 + h));
    g.line(format!("{a}({x}, {y}) = {value};"));
    g.line("}");
    (a, window)
}

fn image(g: &mut Generator) {
    let elem = g.elem();
    let (a, [x0, w, y0, h]) = filled_image(g, elem);
    let (sx, sy) = (g.scalar(Int(32), 1), g.scalar(Int(32), 1));
    let value = g.scalar(elem, 1);
    g.line(format!("{a}({x0} + ({sx} & 255) % {w}, {y0} + ({sy} & 255) % {h}) = {value};"));
    let (at, v, l) = (g.indices(), g.name("v"), g.length);
    g.line(format!("{} block[{l}] {v} = {a}({x0} + {at} % {w}, {y0});", elem.name()));
    let mask = g.vector_condition(1);
    g.line(format!("if ({mask}) {{"));
    g.line(format!("{a}({x0} + {at} % {w}, {}) = {v};", y0 + h - 1));
    g.line("}");
    g.shown(&v);
    g.line(format!("print(\"% %\\n\", {a}({x0}, {y0}), {a}({}, {}));", x0 + w - 1, y0 + h - 1));
}

fn view(g: &mut Generator) {
    let (a, [x0, w, y0, h]) = filled_image(g, Int(32));
    let p = g.name("p");
    g.line(format!("int scalar *scalar {p} = &{a}({}, {});", x0 + w - 1, y0 + h - 1));
    let value = g.scalar(Int(32), 1);
    g.line(format!("*{p} += {value};"));
    g.line(format!("print(\"% % %\\n\", weighed({a}), {a}.extent(0), {a}.min(1));"));
}

fn block_pointers(g: &mut Generator) {
    let (elem, a, p, l) = (g.elem(), g.name("blocks"), g.name("p"), g.length);
    let i = g.name("i");
    let text = elem.name();
    g.line(format!("{text} block[{l}] {a}[4];"));
    let variable = Variable { name: a.clone(), elem, kind: Kind::Array, is_vector: true, is_writable: true, is_full: true };
    g.fill(&variable);
    let at = g.scalar(Int(32), 1);
    g.line(format!("{text} block[{l}] *scalar {p} = &{a}[1 + ({at} & 1)];"));
    let value = g.expression(elem, true, 1);
    g.line(format!("{p}[1] = {value};"));
    let read = if g.random.one_in(2) { format!("streaming_load({p})") } else { format!("*{p}") };
    g.line(format!("*({p} - 1) = {read};"));
    let mask = g.vector_condition(1);
    g.line(format!("if ({mask}) {{"));
    let read = if g.random.one_in(2) { format!("streaming_load({p} + 1)") } else { format!("{p}[1]") };
    g.line(format!("*{p} = {read};"));
    g.line("}");
    g.line(format!("for (int {i} = 0; {i} < 4; ++{i}) {{"));
    g.line(format!("print(\"%\\n\", {a}[{i}]);"));
    g.line("}");
}

fn large_records(g: &mut Generator) {
    let (x, y) = (g.name("big"), g.name("big"));
    let n = g.scalar(Int(32), 1);
    let (k, at) = (g.random.below(40), g.random.below(17));
    g.line(format!("large scalar {x} = spread(({n} & 7));"));
    g.line(format!("large scalar {y} = {x};"));
    let [m, i, f, h] = [33, 17, 5, 5].map(|n| g.random.below(n));
    g.line(format!("{y}.m[{m}] += 0.25d;"));
    g.line(format!("{y}.k[{at}] = {x}.k[{i}] - {k};"));
    g.line(format!("{y}.f[{f}] = {x}.f[{h}];"));
    g.line(format!("print(\"% % % %\\n\", folded({x}, {k}), folded({y}, {k}), {y}.k[{at}], {x}.f[2]);"));
}

fn constant_table(g: &mut Generator) {
    let (table, elem, size) = g.random.pick(&[
        ("narrow_table", Int(8), 8),
        ("int_table", Int(32), 16),
        ("float_table", Float, 8),
        ("bool_table", Bool, 8),
        ("imported_table", Int(32), 4),
    ]);
    let (at, v, i) = (g.indices(), g.name("v"), g.scalar(Int(32), 1));
    g.line(format!("{} block[{}] {v} = {table}[{at} & {}];", elem.name(), g.length, size - 1));
    g.line(format!("print(\"% %\\n\", {table}[{i} & {}], {v});", size - 1));
}

fn packed(g: &mut Generator) {
    let elem = g.random.pick(ALL);
    let (v, w, n, l) = (g.lanes(elem), g.lanes(elem), g.name("n"), g.length);
    let (text, a, i) = (elem.name(), g.name("t"), g.name("i"));
    g.line(format!("{text} scalar {a}[{}];", l + 1));
    g.line(format!("for (int {i} = 0; {i} < {}; ++{i}) {{", l + 1));
    let number = if elem == Bool { format!("({i} & 1) == 0") } else { format!("({text}) ({i} * 5 - 9)") };
    g.line(format!("{a}[{i}] = {number};"));
    g.line("}");
    let (first, second) = (g.vector_condition(1), g.vector_condition(1));
    g.line(format!("int scalar {n} = 0;"));
    g.line(format!("if ({first}) {{"));
    g.line(format!("{n} += packed_store(&{a}[1], {v});"));
    g.line("}");
    g.line(format!("if ({second}) {{"));
    g.line(format!("{n} += packed_load(&{a}[0], &{w});"));
    g.line("}");
    g.line(format!("print(\"% %\\n\", {n}, {w});"));
    g.shown_array(&a, l + 1);
}

/// Each round writes elements of its own, and what all change is changed atomically.
fn parallel(g: &mut Generator) {
    let (elem, a, i, sum) = (g.elem(), g.name("out"), g.name("i"), g.name("sum"));
    let (text, n, k) = (elem.name(), g.random.pick(&[0, 1, 5, 40]), g.random.below(7));
    let number = if elem == Bool { format!("({i} % 3 == 0)") } else { format!("({text}) ({i} * {k} + 1)") };
    g.line(format!("{text} scalar {a}[40];"));
    g.line(format!("int scalar {sum} = 0;"));
    g.line(format!("for (int {i} = 0; {i} < 40; ++{i}) {{"));
    g.line(format!("{a}[{i}] = {number};"));
    g.line("}");
    let (j, l) = (g.name("j"), g.length);
    if g.random.one_in(2) {
        g.line(format!("parallel foreach (int scalar {j} = 0 .. {n}) {{"));
        g.line(format!("if ({j} % 7 == {k}) {{"));
        g.line("continue;");
        g.line("}");
    } else {
        g.line(format!("parallel foreach (int block[{l}] {j} = 0 .. {n}) {{"));
    }
    g.line(format!("{a}[{j}] = {a}[{j}] == {a}[0] ? {a}[{j}] : ({text}) {};", if elem == Bool { "true" } else { "3" }));
    g.line(format!("atomic_add(&{sum}, {j} * 3);"));
    g.line("}");
    g.line(format!("print(\"% % %\\n\", {sum}, {a}[0], {a}[39]);"));
}

fn import(g: &mut Generator) {
    let (x, y) = (g.vector(Int(32), 1), g.expression(Int(32), true, 1));
    let (v, p) = (g.name("v"), g.name("pair"));
    g.line(format!("int block[{}] {v} = imported_mix({x}, {y});", g.length));
    if !g.has_lanes {
        let (a, b) = (g.scalar(Int(32), 1), g.scalar(Float, 1));
        g.line(format!("imported_pair scalar {p} = imported_make(((int) {a}), ((float) {b}));"));
        g.line("imported_calls += 1;");
        g.line(format!("print(\"% % %\\n\", {p}.a, {p}.b, imported_calls);"));
    }
    g.shown(&v);
}

fn switch(g: &mut Generator, value: &str, elem: Elem, has_lanes: bool) {
    let v = g.name("v");
    let (qualifier, l) = (g.qualifier(has_lanes), g.length);
    g.line(format!("int {qualifier} {v} = 0;"));
    g.line(format!("switch ({value}) {{"));
    let mut labels: Vec<String> = (0..4).map(|n| format!("case {n}:")).collect();
    labels.rotate_left(g.random.below(4));
    labels.truncate(1 + g.random.below(4));
    if g.random.percent(60) {
        labels.insert(g.random.below(labels.len() + 1), "default:".into());
    }
    debug_assert!(elem.is_int() && l > 1);
    let outer = g.has_lanes;
    g.has_lanes |= has_lanes;
    let is_foreach = g.loops.iter().any(|l| l.is_foreach);
    let loops = std::mem::replace(&mut g.loops, vec![Loop { has_lanes: false, is_foreach, is_switch: true }]);
    for label in labels {
        g.line(format!("{label} {{"));
        g.scopes.push(Vec::new());
        let by = 1 + g.random.below(9);
        g.line(format!("{v} += {by};"));
        for _ in 0..g.random.below(2) {
            g.plain_statement();
        }
        if g.random.one_in(3) {
            let condition = if g.has_lanes { g.vector_condition(1) } else { g.condition(false, 1) };
            g.line(format!("if ({condition}) {{"));
            g.line("break;");
            g.line("}");
        }
        g.line(format!("{v} *= 2;"));
        if g.random.one_in(2) {
            g.line("break;");
        }
        g.scopes.pop();
        g.line("}");
    }
    g.loops = loops;
    g.has_lanes = outer;
    g.line("}");
    g.shown(&v);
}

fn scalar_switch(g: &mut Generator) {
    let elem = g.random.pick(INTS);
    let value = g.scalar(elem, 2);
    let value = format!("(({0}) {value} & ({0}) 3)", elem.name());
    switch(g, &value, elem, false);
}

fn vector_switch(g: &mut Generator) {
    let elem = g.random.pick(INTS);
    let value = g.vector(elem, 2);
    let value = format!("({value} & ({}) 3)", elem.name());
    switch(g, &value, elem, true);
}

/// Some entries of the table, which go round with the seed.
fn built_ins(g: &mut Generator) {
    let entries = built_in_entries();
    for k in 0..6 {
        let entry @ (elem, call) = entries[(g.seed as usize * 6 + k) % entries.len()];
        g.drawn.push(entry_name(entry));
        let (v, w) = (g.lanes(elem), g.lanes(elem));
        // There is no vector of 128 lanes.
        let call = if g.length == 64 { call.replace("interleave(V, W)", "V") } else { call.to_owned() };
        let mut text = String::new();
        // Letters of names are not alone.
        let mut before = ' ';
        for (at, c) in call.char_indices() {
            let behind = call[at + c.len_utf8()..].chars().next().unwrap_or(' ');
            let is_alone = !before.is_alphanumeric() && !behind.is_alphanumeric();
            match c {
                'V' if is_alone => text += &v,
                'W' if is_alone => text += &w,
                'S' if is_alone => text += &g.typed_scalar(elem),
                'M' if is_alone => text += &g.vector(Bool, 1),
                'I' if is_alone => text += &g.scalar(Int(32), 1),
                'J' if is_alone => text += &g.vector(Int(32), 1),
                _ => text.push(c),
            }
            before = c;
        }
        g.line(format!("print(\"%\\n\", {text});"));
    }
}

impl Generator {
    /// A scalar that is no bare literal.
    pub(super) fn typed_scalar(&mut self, elem: Elem) -> String {
        let value = self.scalar(elem, 1);
        format!("(({}) {value})", elem.name())
    }
}
