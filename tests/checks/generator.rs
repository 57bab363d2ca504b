//! Random programs that access arrays near their ends: about half of them reach beyond one somewhere.
//!
//! A program calls a few functions, each of which walks over memory of one [`Home`] by a loop of one [`Walk`] with a random index. All
//! elements are set first, loops count, and what is printed on the way tells which effects happened before the fault. Of the rounds of a
//! parallel loop that go wrong the first one is reported.

use ivl_random::Random;
use std::fmt::Write;

/// An enum, and the list of all that it has.
macro_rules! listed {
    ($(#[$docs:meta])* $name:ident, $all:ident: $($variant:ident,)*) => {
        $(#[$docs])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum $name {
            $($variant,)*
        }

        /// All of them.
        pub const $all: [$name; [$($name::$variant),*].len()] = [$($name::$variant),*];
    };
}

listed! {
    /// Where the elements are.
    Home, HOMES:
    Local,
    Global,
    Member,
    MemberOfElement,
    Row,
    Slice,
    SliceOfProduct,
    SliceWhoseBoundIsAssigned,
    SliceThatMoves,
    Scratch,
    New,
    Pointer,
    PointerToPointer,
    PointerThatMoves,
    PointerOfTwo,
    Blocks,
    Packed,
    Image,
    View,
}

use Home::*;

listed! {
    /// The loop around the access.
    Walk, WALKS:
    For,
    ForDown,
    Nested,
    While,
    Break,
    Continue,
    Foreach,
    ForeachRows,
    Masked,
    Lanes,
    Parallel,
}

/// What one function of a program does.
pub struct Part {
    pub home: Home,
    pub walk: Walk,
}

/// A program, and what it is made of.
pub struct Program {
    pub text: String,
    pub parts: Vec<Part>,
}

const ELEMENTS: [&str; 9] = ["int", "int", "float", "int8", "uint8", "int16", "uint", "int64", "double"];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut parts = Vec::new();
    let mut text = String::new();
    let count = 1 + random.below(3);
    for number in 0..count {
        let home = random.pick(&HOMES);
        let walk = loop {
            let walk = random.pick(&WALKS);
            // A packed access is one of all lanes that are on, one of a block has lanes of its own.
            let has_lanes = matches!(walk, Walk::Foreach | Walk::Masked | Walk::Lanes | Walk::ForeachRows);
            if (home != Packed || has_lanes) && (home != Blocks || !has_lanes) {
                break walk;
            }
        };
        text += &Maker { random: &mut random, number, home, walk }.part();
        parts.push(Part { home, walk });
    }
    text += "export int run() {\n";
    for number in 0..count {
        let _ = writeln!(text, "    part{number}();");
    }
    text += "    return 7;\n}\nint main() { return run(); }\n";
    Program { text, parts }
}

struct Maker<'r> {
    random: &'r mut Random,
    number: usize,
    home: Home,
    walk: Walk,
}

impl Maker<'_> {
    /// A function `part…`, and what it needs in front of it.
    fn part(&mut self) -> String {
        let (k, n) = (self.number, self.random.between(4, 40));
        let element = if self.home == Blocks { "int" } else { self.random.pick(&ELEMENTS) };
        let fill = |array: &str| format!("    for (int i = 0; i < {n}; ++i) {array}[i] = ({element}) (i * 3 + 1);\n");
        let inline = if self.random.one_in(3) { "[[noinline]] " } else { "" };
        let less = self.random.between(0, 3.min(n - 1));
        let own = format!("    {element} x[{n}];\n{}", fill("x"));
        let mut before = String::new();
        let (mut head, mut call) = (format!("void part{k}()"), String::new());
        // What stands in front of the loop, and what is indexed there.
        let (setup, array) = match self.home {
            Local => (own, "x".to_owned()),
            Global => {
                let _ = writeln!(before, "{element} g{k}[{n}];");
                (fill(&format!("g{k}")), format!("g{k}"))
            }
            Member => {
                let _ = writeln!(before, "struct s{k} {{ int first; {element} x[{n}]; int last[64]; }};");
                (
                    format!("    s{k} scalar s;\n    for (int i = 0; i < 64; ++i) s.last[i] = i;\n{}", fill("s.x")),
                    "s.x".to_owned(),
                )
            }
            MemberOfElement => {
                let _ = writeln!(before, "struct s{k} {{ {element} x[{n}]; int last; }};");
                let set = format!(
                    "for (int j = 0; j < 3; ++j)\n        for (int i = 0; i < {n}; ++i) s[j].x[i] = ({element}) (i + j);"
                );
                (format!("    s{k} scalar s[3];\n    {set}\n"), format!("s[{}].x", self.random.below(3)))
            }
            Row => {
                let set =
                    format!("for (int j = 0; j < 3; ++j)\n        for (int i = 0; i < {n}; ++i) x[j][i] = ({element}) (i + j);");
                (format!("    {element} x[3][{n}];\n    {set}\n"), format!("x[{}]", self.random.below(3)))
            }
            Slice | SliceWhoseBoundIsAssigned | SliceThatMoves => {
                head = format!("{inline}void walk{k}({element} a[n], int scalar n)");
                call = format!("{own}    walk{k}(&x[0], {});\n", n - less);
                match self.home {
                    SliceWhoseBoundIsAssigned => (format!("    n -= {};\n", self.random.between(-2, 3)), "a".to_owned()),
                    SliceThatMoves => (format!("    a += {};\n", self.random.between(0, 2)), "a".to_owned()),
                    _ => (String::new(), "a".to_owned()),
                }
            }
            SliceOfProduct => {
                let (w, h) = (self.random.between(1, 3), n / 3);
                head = format!("{inline}void walk{k}({element} a[w * h + 1], int scalar w, int scalar h)");
                call = format!("{own}    walk{k}(&x[0], {w}, {});\n", h.min((n - 1) / w));
                (String::new(), "a".to_owned())
            }
            Scratch => {
                let size = format!("    int scalar size = {n};\n    scratch {element} x[size];\n");
                (size + &fill("x"), "x".to_owned())
            }
            New => {
                let size = format!("    int scalar size = {n};\n    {element} scalar *scalar p = new {element} scalar[size];\n");
                (size + &fill("p"), "p".to_owned())
            }
            Pointer => (format!("{own}    {element} scalar *scalar p = &x[{less}];\n"), "p".to_owned()),
            PointerToPointer => {
                let by = self.random.between(0, 2);
                let first = format!("{own}    {element} scalar *scalar q = &x[{less}];\n");
                (format!("{first}    {element} scalar *scalar p = q + {by};\n"), "p".to_owned())
            }
            PointerThatMoves => {
                let by = self.random.between(0, 2);
                let chosen = ["p = p + max(by, 1)", "p = p + (by > 1 ? by : -by)", "p = &x[by < 2 && by != 0 ? 2 : by]"];
                let moved = self.random.pick(&["p += by", "++p", "p = p + by", "p = &x[by]", chosen[by as usize % 3]]);
                let declared = format!("    int scalar by = {by};\n    {element} scalar *scalar p = &x[{less}];\n");
                (format!("{own}{declared}    {moved};\n"), "p".to_owned())
            }
            PointerOfTwo => {
                let other =
                    format!("    {element} y[{}];\n    for (int i = 0; i < {}; ++i) y[i] = ({element}) i;\n", n + 2, n + 2);
                let declared = format!("    {element} scalar *scalar p = &x[{less}];\n");
                let condition = if self.random.one_in(2) { "size > 20" } else { "size <= 20" };
                (format!("{own}{other}    int scalar size = {n};\n{declared}    if ({condition}) p = &y[1];\n"), "p".to_owned())
            }
            Blocks => {
                let declared = format!("    int block[4] *scalar p = (int block[4] *scalar) &x[{less}];\n");
                (format!("{own}{declared}"), "p".to_owned())
            }
            Packed => (own, "x".to_owned()),
            Image | View => {
                let (w, h, x0) = (self.random.between(2, 9), self.random.between(2, 5), self.random.between(-3, 3));
                let set = format!(
                    "for (int y = 0; y < {h}; ++y)\n        for (int x = {x0}; x < {x0} + {w}; ++x) v(x, y) = ({element}) (x + 5 * y);"
                );
                let image = format!("    {element} v[{x0} : {w}, 0 : {h}];\n    {set}\n");
                if self.home == View {
                    head = format!("{inline}void walk{k}({element} v[,])");
                    call = format!("{image}    walk{k}(v);\n");
                }
                (if self.home == View { String::new() } else { image }, "v".to_owned())
            }
        };
        // Bytes behind a moved or shortened array are nobody's.
        let walk = self.walk(&array, element, n);
        let _ = writeln!(before, "{head} {{\n{setup}{walk}}}");
        if !call.is_empty() {
            let _ = writeln!(before, "void part{k}() {{\n{call}}}");
        }
        before
    }

    /// The element that an index leads to.
    fn place(&mut self, array: &str, index: &str, element: &str) -> (String, String) {
        let sum = |place: &str| format!("total += (int) {place};");
        match self.home {
            Image | View => {
                let other = self.random.between(0, 2);
                let place = if self.random.one_in(3) && !index.contains('y') {
                    format!("{array}({other}, {index})")
                } else {
                    format!("{array}({index}, {other})")
                };
                (sum(&place), format!("{place} = ({element}) (i + 2);"))
            }
            Blocks => {
                let place = format!("{array}[{index}]");
                (format!("total += reduce_add({place});"), format!("{place} = total;"))
            }
            Packed => {
                let store = format!("packed_store(&{array}[{{first}}], ({element} block[8]) (i + 1));");
                (store.clone(), store)
            }
            _ => {
                let place = format!("{array}[{index}]");
                (sum(&place), format!("{place} = ({element}) (i + 2);"))
            }
        }
    }

    /// An index in terms of i.
    fn index(&mut self, n: i64) -> String {
        let c = self.random.between(0, 3);
        match self.random.below(9) {
            0 => "i".to_owned(),
            1 => format!("i + {c}"),
            2 => format!("{} - i", n - 1 - self.random.between(0, 1)),
            3 => format!("2 * i + {c}"),
            4 => format!("(int64) i + {c}l"),
            5 => format!("(uint8) (i + {c})"),
            6 => format!("(i ^ {c})"),
            7 => format!("min(i, {}) + {c}", n - 1 - self.random.between(0, 4)),
            _ => format!("(i * 5) % {} + {c}", (n - 2).max(1)),
        }
    }

    fn walk(&mut self, array: &str, element: &str, n: i64) -> String {
        let is_vector = matches!(self.walk, Walk::Foreach | Walk::ForeachRows | Walk::Masked | Walk::Lanes);
        let index = self.index(n);
        let end = match (self.home, self.walk) {
            (Blocks, _) => n / 4 - self.random.between(-1, 1),
            (Image | View, _) => self.random.between(1, 9),
            _ if index.starts_with("2 *") => n / 2 + self.random.between(-2, 1),
            _ => n + self.random.between(-4, 1),
        };
        let (read, write) = self.place(array, &index, element);
        let writes = self.random.one_in(2);
        let mut act = if writes { write } else { read };
        if self.home == Packed {
            act = act.replace("{first}", &self.random.between(0, n).to_string());
        }
        let trace = if self.random.one_in(3) { "print(\"%;\", i); " } else { "" };
        let show = format!("    print(\"total %\\n\", {});\n", if is_vector { "reduce_add(total)" } else { "total" });
        let scalar = "    int scalar total = 0;\n";
        let vector = "    int block[8] total = 0;\n";
        let length = "int block[8] i";
        let body = match self.walk {
            Walk::For => format!("{scalar}    for (int i = 0; i < {end}; ++i) {{ {trace}{act} }}\n"),
            Walk::ForDown => format!("{scalar}    for (int i = {end} - 1; i >= 0; --i) {{ {trace}{act} }}\n"),
            Walk::Nested => {
                let w = self.random.between(1, 4);
                let i = format!("int i = outer * {w} + inner;");
                format!(
                    "{scalar}    for (int outer = 0; outer < {}; ++outer)\n        for (int inner = 0; inner < {w}; ++inner) {{ {i} {trace}{act} }}\n",
                    (end + w - 1) / w
                )
            }
            Walk::While => format!("{scalar}    int scalar i = 0;\n    while (i < {end}) {{ {trace}{act} i += 1; }}\n"),
            Walk::Break => {
                let stop = end - self.random.between(0, 4);
                format!(
                    "{scalar}    for (int i = 0; i < {end}; ++i) {{ if (i == {stop}) break; {trace}{act} if (total == -1) break; }}\n"
                )
            }
            Walk::Continue => {
                format!("{scalar}    for (int i = 0; i < {end}; ++i) {{ if (i % 3 == 1) continue; {trace}{act} }}\n")
            }
            Walk::Foreach => format!("{vector}    foreach ({length} = 0 .. {end}) {{ {trace}{act} }}\n"),
            Walk::ForeachRows => {
                format!("{vector}    foreach ({length} = 0 .. {end}, int scalar row = 0 .. 2) {{ {trace}{act} }}\n")
            }
            Walk::Masked => format!("{vector}    foreach ({length} = 0 .. {end} + 3) {{ if (i < {end}) {{ {trace}{act} }} }}\n"),
            Walk::Lanes => {
                let start = self.random.between(-1, (end - 8).max(0));
                format!("{vector}    {length} = iota(8) + {start};\n    if (i < {end}) {{ {trace}{act} }}\n")
            }
            Walk::Parallel => {
                let act = if writes { act } else { act.replace("total += ", "int one = ") };
                let act = act.replace("= total;", "= 3;");
                // No two rounds write the same element.
                return format!(
                    "    int scalar total = 0;\n    parallel foreach (int scalar i = 0 .. {end}) {{ {} }}\n{show}",
                    if index == "i" || index.starts_with("i +") { act } else { act.replace(&index, "i") }
                );
            }
        };
        format!("{body}{show}")
    }
}
