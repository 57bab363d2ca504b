//! What a kernel is: a function in IVL, the memory that it may touch, and what it does to that memory.

use super::memory::{Element, Numbers};
use std::fmt::Write as _;
use std::ops::Range;

/// The memory of a call. `a`, `b` and `c` hold elements of the type under test, `index` holds `int`s.
#[derive(Clone)]
pub struct Data {
    pub element: Element,
    /// The extent of a `foreach`; for a function on masks the length of its vectors.
    pub n: isize,
    /// The lanes that are on; empty for a `foreach`.
    pub mask: Vec<bool>,
    pub a: Numbers,
    pub b: Numbers,
    pub c: Numbers,
    pub index: Numbers,
    /// How often the external function is called.
    pub calls: usize,
}

impl Data {
    pub fn new(element: Element, n: isize, mask: Vec<bool>) -> Data {
        let none = Numbers::some(element, 0..0, 0);
        Data { element, n, mask, a: none.clone(), b: none.clone(), c: none.clone(), index: none, calls: 0 }
    }

    /// Gives `a`, `b` and `c` numbers.
    pub fn has(&mut self, a: Range<isize>, b: Range<isize>, c: Range<isize>) {
        self.a = Numbers::some(self.element, a, 1);
        self.b = Numbers::some(self.element, b, 2);
        self.c = Numbers::some(self.element, c, 3);
    }

    /// Gives `index` `len` numbers.
    pub fn has_index(&mut self, len: isize, number: impl Fn(isize) -> isize) {
        self.index = Numbers::some(Element::Int32, 0..len, 0);
        for k in 0..len {
            self.index[k] = number(k) as i64;
        }
    }

    /// Element `k` of `index`.
    pub fn at(&self, k: isize) -> isize {
        self.index[k] as isize
    }

    /// The lanes that are on, ascending.
    pub fn lanes(&self) -> Vec<isize> {
        (0..self.n).filter(|&lane| self.is_on(lane)).collect()
    }

    pub fn is_on(&self, lane: isize) -> bool {
        self.mask[lane as usize]
    }

    pub fn any(&self) -> bool {
        self.mask.contains(&true)
    }

    /// From the first lane that is on to the last one, as a range of elements.
    pub fn span(&self) -> Range<isize> {
        let lanes = self.lanes();
        lanes.first().map_or(0..0, |&first| first..lanes[lanes.len() - 1] + 1)
    }
}

/// A kernel.
pub struct Kernel {
    pub name: &'static str,
    /// What the pointers `a`, `b` and `c` lead to, in IVL: by default `T`; `T[4 * n]` is an array of so many.
    pub types: [&'static str; 3],
    /// The body, in IVL. `T` is the element type; in functions on masks, `$N` is the length.
    pub body: &'static str,
    /// Gives the call its memory.
    pub memory: fn(&mut Data),
    /// What the call does.
    pub model: fn(&mut Data),
    /// The element types that it is for.
    pub elements: fn(Element) -> bool,
    /// It may only be called if no lane is on: it would not come back.
    pub all_off_only: bool,
}

impl Kernel {
    pub fn new(name: &'static str, body: &'static str, memory: fn(&mut Data), model: fn(&mut Data)) -> Kernel {
        Kernel { name, types: ["T"; 3], body, memory, model, elements: |_| true, all_off_only: false }
    }

    pub fn with_types(self, a: &'static str, b: &'static str, c: &'static str) -> Kernel {
        Kernel { types: [a, b, c], ..self }
    }

    pub fn only_for(self, elements: fn(Element) -> bool) -> Kernel {
        Kernel { elements, ..self }
    }

    /// A kernel that has nothing to touch, and must not be called with a lane that is on.
    pub fn all_off(name: &'static str, body: &'static str) -> Kernel {
        Kernel { all_off_only: true, ..Kernel::new(name, body, |_| {}, |_| {}) }
    }
}

/// What all kernels use.
fn prelude(element: Element) -> String {
    let mut text = format!("typedef {} T;\n", element.name());
    for members in ["x", "x, y", "x, y, z", "x, y, z, w"] {
        let _ = writeln!(text, "struct R{} {{ T {members}; }};", members.split(',').count());
    }
    text += "struct Tagged { T value; uint8 tag; };\nextern \"C\" void ivl_test_call(int k);\n";
    text += match element {
        Element::Bool => "T add(T x, T y) { return x != y; }\nbool positive(T x) { return x; }\n",
        _ => "T add(T x, T y) { return x + y; }\nbool positive(T x) { return x > 0; }\n",
    };
    text += "T fetch(T *scalar p, int k) { return p[k]; }\n";
    text += "void put(T *scalar p, int k, T value) { p[k] = value; }\n";
    text += "T pick(bool m, T *scalar p, int k, T other) { if (!m) return other; return p[k]; }\n";
    text += "int scalar counter = 0;\nvoid count() { counter += 1; }\n";
    text += "T never_ends(T x) { return add(never_ends(x), never_ends(add(x, x))); }\n";
    text
}

/// The name of a kernel's function, at a length if it is one on masks.
pub fn function_name(kernel: &Kernel, length: Option<usize>) -> String {
    length.map_or_else(|| kernel.name.to_owned(), |length| format!("{}_{length}", kernel.name))
}

/// A program with all kernels.
pub fn program<'k>(element: Element, kernels: impl Iterator<Item = (&'k Kernel, Option<usize>)>) -> String {
    let mut text = prelude(element);
    for (kernel, length) in kernels {
        let declared = |(ty, name): (&str, &str)| match ty.strip_prefix("T[") {
            Some(bound) => format!("T {name}[{bound}"),
            None => format!("{ty} *{name}"),
        };
        let [a, b, c] = [(kernel.types[0], "a"), (kernel.types[1], "b"), (kernel.types[2], "c")].map(declared);
        let name = function_name(kernel, length);
        let mask = if length.is_some() { "bool block[$N]" } else { "bool" };
        let body = kernel.body;
        let function = format!("export void {name}({mask} *mask, {a}, {b}, {c}, int *index, int n) {{\n{body}\n}}\n");
        text += &function.replace("$N", &length.unwrap_or(1).to_string());
    }
    text
}
