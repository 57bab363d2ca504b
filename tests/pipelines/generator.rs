//! Random pipelines, schedules and windows.

use super::oracles;
use ivl_random::Random;
use std::fmt::Write;

/// A pipeline with schedules and a window.
#[derive(Clone, Debug)]
pub struct Program {
    /// The funcs, a definition each.
    pub definitions: Vec<String>,
    /// The output, its type and its rank.
    pub output: (String, &'static str, usize),
    /// Schedules, a list of directives each.
    pub schedules: Vec<Vec<String>>,
    /// First coordinate and extent of each dimension.
    pub window: Vec<(i64, i64)>,
    /// At what level the entries are compiled. LLVM takes most of the time.
    pub level: u8,
    /// Are the entries compiled with `--fp contract`? Where no func has floats, the result is the same.
    pub is_contracted: bool,
    /// Is machine code compared at all levels, also called from `main`?
    pub is_thorough: bool,
    /// Are its schedules printed and run as programs?
    pub is_printed: bool,
}

/// The window of the inputs in each dimension.
pub const INPUT: (i64, i64) = (-40, 90);

/// A pixel of input `a` (int) and `b` (uint8), as text and as a number.
pub const PIXEL_A: &str = "(x * 37 + 11) % 101 - 30";
pub fn pixel_a(x: i64) -> i64 {
    (x * 37 + 11) % 101 - 30
}
pub const PIXEL_B: &str = "(uint8) (x * x + 3 * y * y + 7 * x * y)";
pub fn pixel_b(x: i64, y: i64) -> i64 {
    (x * x + 3 * y * y + 7 * x * y) & 255
}

/// What reads beyond edges.
const EDGES: [&str; 4] = ["repeat_edge", "mirror", "repeat", "mirror_interior"];

impl Program {
    /// The pipeline and its schedules.
    pub fn text(&self) -> String {
        let mut text = format!("pipeline p(int a[], uint8 b[,], int n) -> {} {{\n", self.output.0);
        self.definitions.iter().for_each(|d| writeln!(text, "    {d}").expect("a string"));
        text += "}\n";
        for (k, directives) in self.schedules.iter().enumerate() {
            let _ = writeln!(text, "schedule p.s{k} {{ {} }}", directives.join(" "));
        }
        text
    }

    /// A program that runs the schedules that start and prints what they give.
    pub fn with_main(&self, starting: &[String]) -> String {
        self.text() + &self.main(starting, "p.")
    }

    /// The `main` by itself; the schedules are called by their names behind a prefix.
    pub fn main(&self, starting: &[String], prefix: &str) -> String {
        let (low, extent) = INPUT;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "int main() {{\n    int a[{low} : {extent}];\n    uint8 b[{low} : {extent}, {low} : {extent}];\n    \
             for (int x = {low}; x < {0}; ++x) a(x) = {PIXEL_A};\n    \
             for (int y = {low}; y < {0}; ++y) for (int x = {low}; x < {0}; ++x) b(x, y) = {PIXEL_B};",
            low + extent
        );
        let (_, ty, rank) = &self.output;
        let dimensions: Vec<String> = self.window.iter().map(|(min, extent)| format!("{min} : {extent}")).collect();
        for name in starting {
            let _ = writeln!(text, "    {{\n        {ty} o[{}];\n        {prefix}{name}(o, a, b, 3);", dimensions.join(", "));
            let [(x0, w), rest @ ..] = &self.window[..] else { unreachable!("a window") };
            match rest.first() {
                Some((y0, h)) => {
                    let _ = writeln!(
                        text,
                        "        for (int y = {y0}; y < {}; ++y) for (int x = {x0}; x < {}; ++x) print(\"% \", o(x, y));",
                        y0 + h,
                        x0 + w
                    );
                }
                None => {
                    let _ = writeln!(text, "        for (int x = {x0}; x < {}; ++x) print(\"% \", o(x));", x0 + w);
                }
            }
            assert_eq!(*rank, self.window.len());
            text += "        print(\"\\n\");\n    }\n";
        }
        text + "    return 0;\n}\n"
    }
}

/// A func that was defined.
#[derive(Clone)]
struct Func {
    name: String,
    rank: usize,
    ty: &'static str,
    updates: usize,
}

struct Generator {
    random: Random,
    funcs: Vec<Func>,
    /// Are the funcs stencils on one another, which schedules store outside of where they compute them?
    is_chain: bool,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut g = Generator { random: Random::new(seed), funcs: Vec::new(), is_chain: seed % 2 == 1 };
    let mut definitions = Vec::new();
    let count = 1 + g.random.below(4) + usize::from(g.is_chain);
    for k in 0..count {
        let rank = if g.is_chain && !g.random.one_in(4) { 2 } else { 1 + g.random.below(2) };
        let ty = g.random.pick(&["int", "int", "uint8", "int16", "float"]);
        let name = format!("f{k}");
        let variables = &["x", "y"][..rank];
        let value = g.value(ty, variables, 2);
        definitions.push(format!("fun {name}({}) = {value};", variables.join(", ")));
        let mut updates = 0;
        while updates < 2 && g.random.one_in(3) {
            definitions.push(g.update(&name, rank, ty));
            updates += 1;
        }
        g.funcs.push(Func { name, rank, ty, updates });
    }
    let last = g.funcs.last().expect("a func").clone();
    let window = (0..last.rank).map(|_| (g.random.below(13) as i64 - 6, 1 + g.random.below(13) as i64)).collect();
    let output = (last.name, last.ty, last.rank);
    let (level, is_thorough) = (if seed.is_multiple_of(3) { 3 } else { 0 }, seed.is_multiple_of(17));
    let is_printed = seed % 4 == 1;
    let is_contracted = level == 3 && g.funcs.iter().all(|func| func.ty != "float");
    let schedules = Vec::new();
    let mut made = Program { definitions, output, schedules, window, level, is_contracted, is_thorough, is_printed };
    for _ in 0..3 {
        let schedule = g.schedule(&made);
        made.schedules.push(schedule);
    }
    made
}

impl Generator {
    fn small(&mut self) -> i64 {
        self.random.below(7) as i64 - 3
    }

    /// An index from variables in scope; it stays within some 60 of 0 for windows near 0.
    fn index(&mut self, variables: &[&str]) -> String {
        let v = if variables.is_empty() { "1" } else { self.random.pick(variables) };
        let c = self.small();
        match self.random.below(15) {
            0..=4 => format!("{v} + {c}").replace("+ -", "- "),
            5 => format!("2 * {v} + {c}").replace("+ -", "- "),
            6 => format!("{v} / 2 + {c}").replace("+ -", "- "),
            7 => format!("{c} - {v}"),
            8 => format!("clamp({v}, {c}, {})", c + 4),
            9 => format!("min({v}, {} - {v})", 5 + c),
            10 => format!("{v} % 5"),
            11..=13 => self.curved(v, c),
            _ => match variables {
                [a, b, ..] => format!("{a} + {b} + {c}").replace("+ -", "- "),
                _ => format!("(int) b({v}, {c}) / 16"),
            },
        }
    }

    /// An index that neither rises nor falls throughout.
    fn curved(&mut self, v: &str, c: i64) -> String {
        match self.random.below(18) {
            0 => format!("abs({v} - ({c}))"),
            1 => format!("select({v} < {c}, {v} + 4, {c} - {v})"),
            2 => format!("({v} >= {c} ? {v} - 4 : {v} / 2)"),
            3 => format!("({v} ^ {})", 1 + c.abs()),
            4 => format!("({v} & {})", c + 7),
            5 => format!("({v} | {})", c.abs()),
            6 => format!("(int) (int8) ({v} * 25 + {c})").replace("+ -", "- ") + " / 4",
            7 => format!("20 / ({v} + {c})").replace("+ -", "- "),
            8 => format!("{v} * (5 - {v}) / 8"),
            9 => format!("({v} >> 1 << 1) - {v}"),
            10 => format!("{v} % 3 * 4 + {v} / 3"),
            11 => format!("{v} * {v} % 11"),
            12 => format!("max({v}, {c}) - min({v}, 3)"),
            13 => format!("(int) ((float) {v} * 0.3f + {c}.5f)").replace("+ -", "- "),
            14 => format!("(int) floor(((float) {v} + 0.5f) * {}.7f - 0.5f)", c.abs() / 2),
            15 => format!("((float) {v} * 0.7f > {c}.1f ? {v} : {c} - {v} / 2)").replace("> -", "> 0.0f - "),
            // A product of data is all that may be fused, and nothing is added to it.
            16 => format!("(int) (clamp((float) b({v}, {c}) * 0.01f, 0.0f, 0.7f) * 10.0f)"),
            _ => format!("({v} - {v} / 2 * 2) * {c}"),
        }
    }

    /// A read of an image or an earlier func, of a type that converts to `ty` with a cast.
    fn read(&mut self, variables: &[&str]) -> String {
        if self.is_chain && !self.funcs.is_empty() && !self.random.one_in(5) {
            return self.neighbour(variables);
        }
        let k = self.random.below(self.funcs.len() + 2);
        match self.funcs.get(k).cloned() {
            Some(func) => {
                let indices: Vec<String> = (0..func.rank).map(|_| self.index(variables)).collect();
                let read = format!("{}({})", func.name, indices.join(", "));
                // Ranges for some dimensions, which may have no points.
                match self.random.one_in(4) {
                    true => {
                        let ranges: Vec<String> = (0..self.random.below(func.rank) + 1).map(|_| self.edges()).collect();
                        format!("{}({read}, {})", self.random.pick(&EDGES), ranges.join(", "))
                    }
                    false => read,
                }
            }
            None if self.random.one_in(2) => {
                let read = format!("a({})", self.index(variables));
                if self.random.one_in(3) { read } else { format!("{}({read})", self.random.pick(&EDGES)) }
            }
            None => format!("b({}, {})", self.index(variables), self.index(variables)),
        }
    }

    /// A range of coordinates that is wide, narrow, or empty, and perhaps known at the start alone.
    fn edges(&mut self) -> String {
        let low = self.small();
        match self.random.below(3) {
            0 => format!("{low} .. n + {}", self.random.below(5)),
            1 => format!("{low} .. {}", low + 1 + self.random.below(9) as i64),
            _ => format!("{low} .. {}", low + self.small()),
        }
    }

    /// A read of one of the last funcs near the point itself, for windows that move with the loops.
    fn neighbour(&mut self, variables: &[&str]) -> String {
        let back = if self.random.one_in(6) { 1 + self.random.below(self.funcs.len()) } else { 1 };
        let func = self.funcs[self.funcs.len() - back].clone();
        let mut indices = Vec::new();
        for d in 0..func.rank {
            let c = self.small();
            indices.push(match variables.get(d) {
                Some(v) => match self.random.below(10) {
                    0..=5 => format!("{v} + {c}").replace("+ -", "- "),
                    6 => format!("({v} + {c}) / 2"),
                    7 => format!("{v} + {}", variables.last().filter(|r| !"xy".contains(**r)).unwrap_or(&"1")),
                    _ => self.index(variables),
                },
                None => self.index(variables),
            });
        }
        format!("{}({})", func.name, indices.join(", "))
    }

    fn value(&mut self, ty: &str, variables: &[&str], depth: usize) -> String {
        let cast = |text: String| format!("({ty}) ({text})");
        if depth == 0 {
            return match self.random.below(5) {
                0 => cast(self.random.below(20).to_string()),
                1 if !variables.is_empty() => cast(self.random.pick(variables).to_owned()),
                _ => cast(self.read(variables)),
            };
        }
        let a = self.value(ty, variables, depth - 1);
        let b = self.value(ty, variables, depth - 1);
        let v = if variables.is_empty() { "1" } else { self.random.pick(variables) };
        let c = self.small();
        match self.random.below(12) {
            0..=2 => format!("({a} + {b})"),
            3 => format!("({a} - {b})"),
            4 => format!("({a} * {b})"),
            5 => format!("min({a}, {b})"),
            6 => format!("max({a}, {b})"),
            7 if self.random.one_in(3) => format!("({v} % 2 == 0 ? {a} : {b})"),
            7 => format!("({v} < {c} ? {a} : {b})"),
            8 => format!("select({a} < {b}, {a}, {b})"),
            9 if ty != "float" => format!("({a} / {b})"),
            10 if ty != "float" => {
                let value = self.value(ty, &[variables, &["q"]].concat(), 0);
                format!("({a} + sum({value} for q = {c} .. {}))", c + 3)
            }
            // Between these points are more of them the greater the coordinate is: lanes need windows of their own lengths.
            11 if !self.funcs.is_empty() => {
                let func = self.funcs[self.random.below(self.funcs.len())].clone();
                let others: Vec<String> = (1..func.rank).map(|_| self.index(variables)).collect();
                let read = |first: String| format!("{}({})", func.name, [vec![first], others.clone()].concat().join(", "));
                let (near, far) = (read(format!("{v} - {}", c.abs())), read(format!("2 * {v} + {}", c.abs())));
                format!("({a} + ({ty}) ({near}) - ({ty}) ({far}))")
            }
            _ => a,
        }
    }

    /// Over two reduction variables, with a `let`.
    fn reduction(&mut self, name: &str, rank: usize, ty: &str) -> String {
        let pure = &["x", "y"][..rank];
        let op = self.random.pick(&["+=", "+=", "min=", "max=", "*="]);
        let op = if ty == "float" { op } else { self.random.pick(&[op, op, "&=", "|=", "^="]) };
        let value = self.value(ty, &[pure, &["r", "s"]].concat(), 1);
        let (a, b) = (self.small(), self.small());
        let (m, n) = (self.random.pick(&["n", "n * 3", "7", "5"]), self.random.pick(&["n + 1", "2", "4"]));
        let place = match self.random.below(3) {
            0 => format!("clamp(a(r + s), 0, 9){}", if rank > 1 { ", y" } else { "" }),
            _ => pure.join(", "),
        };
        let value = if place.starts_with("clamp") { self.value(ty, &[&pure[1..], &["r", "s"]].concat(), 1) } else { value };
        let condition = if self.random.one_in(3) { format!(" if (v != ({ty}) {a} & s < {})", b + 3) } else { String::new() };
        let domain = if self.random.one_in(3) { format!("r = {a} .. {m}") } else { format!("r = {a} .. {m}, s = {b} .. {n}") };
        let s = if domain.contains("s =") { "s" } else { "1" };
        let text = format!("rdom ({domain}) {{ let v = {value}; {name}({place}) {op} ({ty}) (v + ({ty}) 1){condition}; }}");
        let is_s = |text: &str| if s == "s" { text.to_owned() } else { without(text, 's', s) };
        is_s(&text)
    }

    fn update(&mut self, name: &str, rank: usize, ty: &str) -> String {
        if self.random.one_in(3) {
            return self.reduction(name, rank, ty);
        }
        let pure = &["x", "y"][..rank];
        let range = |g: &mut Self| {
            let low = g.small();
            let high = if g.random.one_in(4) { "n + 1".to_owned() } else { (low + g.random.below(5) as i64).to_string() };
            if high == "n + 1" { (format!("{}", low.min(3)), high) } else { (low.to_string(), high) }
        };
        let (low, high) = range(self);
        match self.random.below(5) {
            // At each point by itself.
            0 => {
                let value = self.value(ty, pure, 1);
                let own = format!("{name}({})", pure.join(", "));
                format!("{own} = {own} + {value};")
            }
            // Over a reduction variable.
            1 | 2 => {
                let value = self.value(ty, &[pure, &["r"]].concat(), 1);
                let op = self.random.pick(&["+=", "min=", "max=", "*=", "-="]);
                let condition =
                    if self.random.one_in(3) { format!(" if (r != {} & x < 4)", self.small()) } else { String::new() };
                format!("rdom (r = {low} .. {high}) {name}({}) {op} {value}{condition};", pure.join(", "))
            }
            // A scan along dimension 0.
            3 => {
                let rest = pure[1..].iter().map(|v| format!(", {v}")).collect::<String>();
                let value = self.value(ty, &[&pure[1..], &["r"]].concat(), 0);
                format!("rdom (r = {low} .. {high}) {name}(r{rest}) = {name}(r - 1{rest}) + {value};")
            }
            // A scatter.
            _ => {
                let rest = pure[1..].iter().map(|v| format!(", {v}")).collect::<String>();
                let value = self.value(ty, &[&pure[1..], &["r"]].concat(), 0);
                format!("rdom (r = {low} .. {high}) {name}(clamp(a(r), 0, 9){rest}) += {value};")
            }
        }
    }

    /// Directives, each of which the scheduler takes.
    fn schedule(&mut self, program: &Program) -> Vec<String> {
        let mut made: Vec<String> = Vec::new();
        let mut asked: Vec<String> = Vec::new();
        if self.is_chain && self.funcs.len() > 1 {
            asked = self.places();
        }
        let attempts = 2 + self.random.below(7);
        let own = self.funcs.len();
        for k in 0..asked.len() + attempts {
            let (directive, factored) = match asked.get(k) {
                Some(directive) => (directive.clone(), None),
                None if self.random.one_in(3) => self.rfactor(),
                None => (self.directive(program), None),
            };
            let mut longer = made.clone();
            longer.push(directive);
            let candidate = Program { schedules: vec![longer.clone()], ..program.clone() };
            if oracles::is_accepted(&candidate.text()) {
                made = longer;
                self.funcs.extend(factored);
            }
        }
        self.funcs.truncate(own);
        made
    }

    /// Loops of some func, then others that are computed in them and stored outside.
    fn places(&mut self) -> Vec<String> {
        let mut made = Vec::new();
        let last = self.funcs.len() - 1;
        let at = if self.random.one_in(3) { 1 + self.random.below(last) } else { last };
        let site = self.funcs[at].clone();
        let stage = self.random.below(site.updates + 1);
        let target = if stage == 0 { site.name.clone() } else { format!("{}.update({})", site.name, stage - 1) };
        let tail = self.random.pick(&["guard", "guard", "shift", "round", "auto"]);
        let (a, b) = (1 + self.random.below(5), 1 + self.random.below(4));
        match self.random.below(6) {
            0 => made.push(format!("{target}.tile(x, y, xo, yo, xi, yi, {a}, {b}, {tail});")),
            1 => made.push(format!("{target}.split(y, yo, yi, {a}, {tail});")),
            2 => made.push(format!("{target}.split(x, xo, xi, {a}, {tail});")),
            3 => made.push(format!("{target}.reorder(y, x);")),
            4 => made.push(format!("{target}.fuse(x, y, t);")),
            _ => {}
        }
        if self.random.one_in(3) {
            let v = self.random.pick(&["x", "y", "xi", "yi", "r"]);
            made.push(format!("{target}.unroll({v}, {b}, {tail});"));
        }
        let names = ["x", "y", "x", "y", "xi", "yi", "xo", "yo", "t", "r"];
        let earlier: Vec<Func> = self.funcs[..at].iter().rev().cloned().collect();
        for func in earlier {
            if self.random.one_in(6) {
                continue;
            }
            // What is refused is left out, so that each is tried at several loops.
            for _ in 0..3 {
                let v = self.random.pick(&names);
                let store = match self.random.below(3) {
                    0 => format!("store_at({target}, {})", self.random.pick(&names)),
                    _ => "store_root()".to_owned(),
                };
                made.push(format!("{0}.compute_at({target}, {v}); {0}.{store};", func.name));
            }
            let tail = self.random.pick(&["guard", "shift", "round", "auto"]);
            let v = self.random.pick(&["x", "y"]);
            let n = self.random.pick(&[2, 4]);
            match self.random.below(5) {
                0 => made.push(format!("{}.vectorize({v}, {n}, {tail});", func.name)),
                1 => made.push(format!("{}.split({v}, so, si, {n}, {tail});", func.name)),
                2 => made.push(format!("{}.fold_storage({v}, {});", func.name, self.random.pick(&[2, 4, 8, 16]))),
                3 if func.updates > 0 => made.push(format!("{}.update(0).unroll({v}, {n}, guard);", func.name)),
                _ => {}
            }
        }
        made
    }

    /// Partial results of an update, and the func that has them; what is not an update of a kind that fits, a plain directive.
    fn rfactor(&mut self) -> (String, Option<Func>) {
        let updated: Vec<Func> = self.funcs.iter().filter(|func| func.updates > 0).cloned().collect();
        let Some(func) = updated.get(self.random.below(updated.len().max(1))).cloned() else {
            let name = self.funcs[self.random.below(self.funcs.len())].name.clone();
            return (format!("{name}.parallel(x);"), None);
        };
        let name = format!("g{}", self.funcs.len());
        let target = format!("{}.update({})", func.name, self.random.below(func.updates));
        let n = 1 + self.random.below(5);
        let factor = self.random.pick(&["n", "n", "n - 1"]);
        let factor = if self.random.one_in(3) { factor.to_owned() } else { n.to_string() };
        let tail = self.random.pick(&["", "", ", guard", ", auto"]);
        let u = self.random.pick(&["u", "u", "u", "w", "r"]);
        let split = |r: &str, o: &str, i: &str| format!("split({r}, {o}, {i}, {factor}{tail})");
        let chain = match self.random.below(8) {
            0 => format!("rfactor(r, {u}, {name})"),
            1 => format!("reorder(s, r).{}.rfactor(ro, {u}, {name})", split("r", "ro", "ri")),
            2 => format!("rfactor(s, {u}, {name})"),
            3 => format!("{}.rfactor(ri, {u}, {name})", split("r", "ro", "ri")),
            4 => format!("{}.rfactor(ro, {u}, {name})", split("r", "ro", "ri")),
            5 => format!("fuse(r, s, t).{}.rfactor({}, {u}, {name})", split("t", "to", "ti"), self.random.pick(&["to", "ti"])),
            6 => format!("fuse(r, s, t).rfactor(t, {u}, {name})"),
            _ => format!(
                "{}.{}.rfactor({}, {u}, {name})",
                split("r", "ro", "ri"),
                "split(ro, p, q, 2)",
                self.random.pick(&["p", "q", "ri"])
            ),
        };
        let after = match self.random.below(6) {
            0 => format!(" {name}.vectorize({u}, 4).update(0).vectorize({u}, 4);"),
            1 => format!(" {name}.update(0).parallel({u});"),
            2 => format!(" {name}.compute_at({target}, {});", self.random.pick(&["x", u])),
            _ => String::new(),
        };
        (format!("{target}.{chain};{after}"), Some(Func { name, rank: func.rank + 1, ty: func.ty, updates: 1 }))
    }

    /// What a schedule says of a window: it may be too little, and then the pipeline does not start.
    fn bound(&mut self, program: &Program) -> String {
        let k = self.random.below(self.funcs.len());
        let func = self.funcs[k].clone();
        let d = self.random.below(func.rank);
        let x = if d + 1 == func.rank && func.name.starts_with('g') { "u" } else { ["x", "y", "u"][d.min(2)] };
        let is_output = func.name == program.output.0;
        match self.random.below(3) {
            0 => {
                let m = 1 + self.random.below(5);
                format!("{}.align_bounds({x}, {m}, {});", func.name, self.small())
            }
            1 if is_output => format!("{}.bound({x}, {}.min({x}), {});", func.name, func.name, program.window[d].1),
            1 => format!("{}.bound_extent({x}, {});", func.name, 4 + self.random.below(24)),
            _ if is_output => format!("{}.bound({x}, {}, {});", func.name, program.window[d].0, program.window[d].1),
            _ => format!("{}.bound({x}, {}, {});", func.name, -10 - self.small(), 18 + self.random.below(12)),
        }
    }

    /// A stage, at times of one copy.
    fn target(&mut self, func: &Func, stage: usize) -> String {
        let copy = self.random.pick(&["", "", "", ".case(0)", ".otherwise"]);
        let update = if stage == 0 { String::new() } else { format!(".update({})", stage - 1) };
        format!("{}{copy}{update}", func.name)
    }

    /// Copies, of which one runs; `n` is 3.
    fn specialization(&mut self, program: &Program, name: &str) -> String {
        let output = &program.output.0;
        let conditions = [
            "n > 2".to_owned(),
            "n < 3".to_owned(),
            "a.extent(0) == 90".to_owned(),
            "b.stride(0) == 3".to_owned(),
            "a.stride(0) == 3 & n > 2".to_owned(),
            "b.stride(0) == -2 & a.stride(0) == 3".to_owned(),
            format!("{output}.extent(x) > {}", self.random.below(12)),
            format!("{output}.min(x) % 2 == 0 | n == 0"),
        ];
        let first = &conditions[self.random.below(conditions.len())];
        match self.random.one_in(3) {
            true => format!("{name}.specialize({first}, {});", conditions[self.random.below(conditions.len())]),
            false => format!("{name}.specialize({first});"),
        }
    }

    fn directive(&mut self, program: &Program) -> String {
        if self.random.one_in(8) {
            return self.bound(program);
        }
        let k = self.random.below(self.funcs.len());
        let func = self.funcs[k].clone();
        let stage = self.random.below(func.updates + 1);
        let target = self.target(&func, stage);
        if stage > 0 && self.random.one_in(3) {
            let (lanes, n) = (self.random.pick(&[2, 4, 8]), 1 + self.random.below(5));
            let r = self.random.pick(&["r", "r", "s", "u"]);
            return match self.random.below(7) {
                0 => format!("{target}.atomic();"),
                1 | 2 => format!("{target}.atomic().vectorize({r}, {lanes});"),
                3 => format!("{target}.atomic().parallel({r});"),
                4 => format!("{target}.atomic().vectorize({r}, {lanes}).parallel({r});"),
                5 => format!("{target}.atomic().split({r}, ro, ri, {n}).parallel(ro).vectorize(x, {lanes});"),
                _ => format!("{target}.atomic().split(r, ro, ri, {n}).reorder(ro, ri).vectorize(ro, {lanes});"),
            };
        }
        if self.random.one_in(5) {
            return self.specialization(program, &func.name);
        }
        let names = ["x", "y", "r", "s", "u", "xo", "xi", "yo", "yi", "t", "q"];
        let known = 5 + self.random.below(7).min(6);
        let v = self.random.pick(&names[..known]);
        let tail = self.random.pick(&["guard", "shift", "round", "auto"]);
        let n = 1 + self.random.below(5);
        match self.random.below(14) {
            0 => format!("{}.inline();", func.name),
            12 => format!("{target}.parallel({v});"),
            13 => {
                format!("{target}.{}({});", self.random.pick(&["parallel", "parallel", "serial"]), self.random.pick(&["x", "y"]))
            }
            1..=3 => {
                let (o, i) = self.random.pick(&[("xo", "xi"), ("yo", "yi"), ("ro", "ri")]);
                format!("{target}.split({v}, {o}, {i}, {n}, {tail});")
            }
            4 => format!("{target}.fuse({v}, {}, t);", self.random.pick(&names)),
            5 => format!("{target}.reorder({v}, {});", self.random.pick(&names)),
            6 => format!("{target}.swap({v});"),
            // A loop of a split, in which others may be computed, or a new one.
            7 if self.random.one_in(2) => {
                let (o, i) = self.random.pick(&[("xo", "xi"), ("yo", "yi")]);
                let n = self.random.pick(&[2, 4]);
                format!("{target}.split({v}, {o}, {i}, {n}, {tail}); {target}.vectorize({i});")
            }
            7 => format!("{target}.vectorize({v}, {}, {tail});", self.random.pick(&[2, 4, 8])),
            8 => format!("{target}.unroll({v}, {n}, {tail});"),
            9 => format!("{target}.tile(x, y, xo, yo, xi, yi, {n}, {}, {tail});", 1 + self.random.below(4)),
            _ => {
                let other = self.random.below(self.funcs.len());
                let consumer = self.funcs[other].clone();
                let stage = self.random.below(consumer.updates + 1);
                let site = self.target(&consumer, stage);
                let store = match self.random.below(3) {
                    0 => format!("{}.store_root();", func.name),
                    1 => format!("{}.store_at({site}, {});", func.name, self.random.pick(&names)),
                    _ => String::new(),
                };
                format!("{}.compute_at({site}, {v}); {store}", func.name)
            }
        }
    }
}

/// A text with another one for a name of one letter.
fn without(text: &str, name: char, other: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_word = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let mut made = String::new();
    for (at, &c) in letters.iter().enumerate() {
        match c == name && !is_word(at.checked_sub(1)) && !is_word(Some(at + 1)) {
            true => made.push_str(other),
            false => made.push(c),
        }
    }
    made
}

/// What a message begins with, without the schedule.
fn kind(message: &str) -> String {
    message
        .split_whitespace()
        .take_while(|word| !word.starts_with("s0") && !word.ends_with("\n"))
        .skip_while(|w| w.ends_with(':'))
        .take(2)
        .collect()
}

/// A smaller program that goes wrong, too.
pub fn shrunk(program: &Program, message: String) -> (String, String) {
    let mut best = (program.clone(), message);
    let start = std::time::Instant::now();
    loop {
        let mut smaller = Vec::new();
        let (p, _) = &best;
        if p.schedules.len() > 1 {
            smaller.extend((0..p.schedules.len()).map(|k| Program { schedules: vec![p.schedules[k].clone()], ..p.clone() }));
        }
        for k in 0..p.schedules.len() {
            for d in 0..p.schedules[k].len() {
                let mut less = p.clone();
                less.schedules[k].remove(d);
                smaller.push(less);
            }
        }
        for d in 0..p.definitions.len() {
            let mut less = p.clone();
            less.definitions.remove(d);
            smaller.push(less);
            // A func without most of its value.
            if let Some((head, value)) = p.definitions[d].split_once(" = ")
                && head.starts_with("fun ")
                && value.len() > 4
            {
                let cast = value.split_inclusive(')').next().filter(|c| c.starts_with('(')).unwrap_or("(int)");
                for simple in ["1", "x", "a(x)"].map(|e| format!("{cast} ({e});")) {
                    let mut less = p.clone();
                    less.definitions[d] = format!("{head} = {simple}");
                    smaller.push(less);
                }
            }
        }
        for d in 0..p.window.len() {
            if p.window[d].1 > 1 {
                let mut less = p.clone();
                less.window[d].1 -= 1;
                smaller.push(less);
            }
        }
        let in_time = |_: &Program| start.elapsed() < std::time::Duration::from_secs(20);
        let next = smaller.into_iter().filter(in_time).filter(|p| oracles::is_accepted(&p.text())).find_map(|p| {
            match oracles::run(&p, "a smaller program", None) {
                // Another fault is another matter.
                Err(message) if kind(&message) == kind(&best.1) => Some((p, message)),
                Err(_) | Ok(_) => None,
            }
        });
        match next {
            Some(next) => best = next,
            None => return (best.0.text(), format!("window {:?}: {}", best.0.window, best.1)),
        }
    }
}
