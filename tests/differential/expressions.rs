//! Expressions of the generator: each of an exact element type; `vector` ones certainly have the length L (in a pure
//! function: that of the instance), `scalar` ones length 1, mixed ones either, as their operands come.

use super::generator::{Elem, Elem::*, Function, FunctionKind, Generator, Kind, Variable};

impl Generator {
    /// A scalar or, if `is_vector`, anything that fits a vector: vectors, and scalars that are broadcast.
    pub fn expression(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        if depth == 0 || self.random.one_in(5) {
            return self.leaf(elem, is_vector);
        }
        match self.random.below(14) {
            0 | 1 => self.leaf(elem, is_vector),
            2 => self.cast(elem, is_vector, depth),
            3 => {
                let c = self.condition(is_vector, depth - 1);
                let (a, b) = (self.expression(elem, is_vector, depth - 1), self.expression(elem, is_vector, depth - 1));
                format!("({c} ? {a} : {b})")
            }
            4 if !self.functions.is_empty() || self.recursive.is_some() => self.call(elem, is_vector, depth),
            5 if !self.is_pure => self.across_lanes(elem, is_vector, depth),
            6 => self.built_in(elem, is_vector, depth),
            7 if !self.is_pure && is_vector && self.has_lanes => {
                let (a, b) = (self.vector(elem, depth - 1), self.vector(elem, depth - 1));
                format!("[{a}, {b}]")
            }
            8 if !self.is_pure => self.side_effect(elem, is_vector, depth),
            _ => self.operator(elem, is_vector, depth),
        }
    }

    /// Certainly length 1.
    pub fn scalar(&mut self, elem: Elem, depth: usize) -> String {
        self.expression(elem, false, depth)
    }

    /// Certainly length L: something of that length is in it.
    pub fn vector(&mut self, elem: Elem, depth: usize) -> String {
        let value = self.expression(elem, true, depth);
        let lanes = self.some_vector(elem);
        // A sum with both keeps the element type and the length.
        if elem == Bool { format!("({value} ^ {lanes})") } else { format!("({lanes} + {value})") }
    }

    /// A vector of this element type, without effects and with all lanes that are on set.
    fn some_vector(&mut self, elem: Elem) -> String {
        let known = self.variable(|v| v.kind == Kind::Value && v.is_vector && v.elem == elem && !v.name.starts_with("p1"));
        if let Some(v) = known {
            return v.name;
        }
        let other = self.variable(|v| v.kind == Kind::Value && v.is_vector && !v.name.starts_with("p1"));
        let (from, name) = match other {
            Some(v) => (v.elem, v.name),
            None if self.is_pure => unreachable!("a pure function has a first parameter"),
            None => (Int(32), format!("iota({})", self.length)),
        };
        match (from, elem) {
            (_, Bool) => format!("({name} != {})", self.literal(from)),
            _ => format!("(({}) {name})", elem.name()),
        }
    }

    /// A condition that is scalar or, if `is_vector`, either.
    pub fn condition(&mut self, is_vector: bool, depth: usize) -> String {
        if depth > 0 && self.random.one_in(4) {
            let op = self.random.pick(&["&&", "||", "&&", "||", "&", "|", "^"]);
            // Both sides of a short circuit have one length.
            let side = |this: &mut Self| if is_vector { this.vector(Bool, depth - 1) } else { this.scalar(Bool, depth - 1) };
            let (a, b) = (side(self), side(self));
            return format!("({a} {op} {b})");
        }
        let elem = self.elem();
        if elem == Bool {
            return self.expression(Bool, is_vector, depth);
        }
        self.comparison(elem, is_vector, depth)
    }

    fn comparison(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        let (a, b) = (self.expression(elem, is_vector, depth), self.expression(elem, is_vector, depth));
        let ops: &[&str] = if elem == Bool { &["==", "!="] } else { &["<", "<=", ">", ">=", "==", "!="] };
        format!("({a} {} {b})", self.random.pick(ops))
    }

    /// A condition that certainly has length L.
    pub fn vector_condition(&mut self, depth: usize) -> String {
        if !self.is_pure && self.random.one_in(6) {
            // Masks of which everything is known: all on, all off, every other lane.
            let (even, odd) = self.random.pick(&[("true", "true"), ("false", "false"), ("true", "false"), ("true", "true")]);
            let lanes: Vec<&str> = (0..self.length).map(|lane| if lane % 2 == 0 { even } else { odd }).collect();
            return format!("<{}>", lanes.join(", "));
        }
        let elem = self.elem();
        if elem == Bool {
            return self.vector(Bool, depth);
        }
        let (a, b) = (self.vector(elem, depth), self.expression(elem, true, depth));
        let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!=", "<", ">"]);
        format!("({a} {op} {b})")
    }

    // ---- Leaves ---------------------------------------------------------------------------------------------------

    pub fn literal(&mut self, elem: Elem) -> String {
        let random = &mut self.random;
        match elem {
            Bool => random.pick(&["true", "false"]).into(),
            Float => {
                random.pick(&["0.0f", "1.0f", "0.5f", "2.5f", "-1.25f", "3.0f", "100.0f", "1.0e-3f", "7.0e9f", "-0.0f"]).into()
            }
            Double => random.pick(&["0.0d", "1.0d", "0.5d", "-2.5d", "3.0d", "1.0e-3d", "4.0e12d", "-0.0d"]).into(),
            Int(32) => match random.below(8) {
                // Literals have no type until they meet one, and then have to fit.
                0 => format!("((int) {})", random.pick(&["2147483647", "-2147483648", "65536", "-32769", "1000000"])),
                1..4 => format!("((int) {})", random.below(19) as i32 - 6),
                _ => format!("{}", random.below(19) as i32 - 6),
            },
            Uint(32) => random.pick(&["0u", "1u", "2u", "3u", "7u", "31u", "255u", "65537u", "4294967295u"]).into(),
            Int(64) => random.pick(&["0l", "1l", "-1l", "5l", "63l", "4294967296l", "9223372036854775807l"]).into(),
            Uint(64) => random.pick(&["0ul", "1ul", "3ul", "64ul", "4294967297ul", "18446744073709551615ul"]).into(),
            Int(_) => format!("(({}) {})", elem.name(), random.pick(&["0", "1", "-1", "2", "5", "-7", "127", "-128"])),
            Uint(_) => format!("(({}) {})", elem.name(), random.pick(&["0", "1", "2", "5", "7", "127", "255"])),
        }
    }

    fn leaf(&mut self, elem: Elem, is_vector: bool) -> String {
        let fits = |v: &Variable| v.elem == elem && (is_vector || !v.is_vector);
        match self.random.below(12) {
            0 | 1 => return self.literal(elem),
            2 if !self.is_pure => {
                if let Some(place) = self.place(elem, is_vector, false) {
                    return place;
                }
            }
            3 if elem == Int(32) && self.has_lanes && is_vector && !self.is_pure => return "lane_index".into(),
            4 if elem == Bool && self.has_lanes && is_vector && !self.is_pure => return "current_mask".into(),
            5 if elem == Int(32) && is_vector && !self.is_pure => return format!("iota({})", self.length),
            6 if elem == Int(32) && !self.is_pure => {
                if let Some(v) = self.variable(|v| v.kind == Kind::Value) {
                    return self
                        .random
                        .pick(&[format!("lengthof({})", v.name), format!("(int) sizeof({})", v.name)].each_ref())
                        .clone();
                }
            }
            7 if is_vector && !self.is_pure && !self.has_lanes => {
                let lanes: Vec<String> = (0..self.length.min(64)).map(|_| self.literal(elem)).collect();
                // A literal takes its type from its elements.
                return format!("<{}>", lanes.join(", "));
            }
            9 if !self.is_pure && self.random.one_in(2) => {
                if let Some(text) = self.part_of_a_result(elem, is_vector) {
                    return text;
                }
            }
            8 => {
                let record = self.variable(|v| v.kind == Kind::Record && (is_vector || !v.is_vector));
                let member = match elem {
                    Int(32) => Some("a"),
                    Float => Some("b"),
                    Bool => Some("c"),
                    _ => None,
                };
                if let (Some(record), Some(member)) = (record, member) {
                    return format!("{}.{member}", record.name);
                }
            }
            _ => {}
        }
        match self.variable(|v| v.kind == Kind::Value && fits(v)) {
            Some(v) => v.name,
            None if self.random.one_in(2) => match self.variable(|v| v.kind == Kind::Value && (is_vector || !v.is_vector)) {
                Some(v) if elem == Bool => format!("({} != {})", v.name, self.literal(v.elem)),
                Some(v) => format!("(({}) {})", elem.name(), v.name),
                None => self.literal(elem),
            },
            None => self.literal(elem),
        }
    }

    /// Members of what functions return, and differences of pointers.
    fn part_of_a_result(&mut self, elem: Elem, is_vector: bool) -> Option<String> {
        if elem == Int(64) {
            let array = self.variable(|v| v.kind == Kind::Array)?;
            let n = if array.is_vector { 4 } else { 16 };
            let (i, j) = (self.index(is_vector && !array.is_vector, n), self.index(false, n));
            return Some(format!("(&{0}[{i}] - &{0}[{j}])", array.name));
        }
        if self.random.one_in(3)
            && let Some(call) = self.call_of_a_helper(elem, is_vector)
        {
            return Some(call);
        }
        let member = match elem {
            Int(32) => "a",
            Float => "b",
            Bool => "c",
            Double if !self.has_lanes => return Some(format!("filled({}).e[{}]", self.scalar(Int(32), 1), self.index(false, 8))),
            _ => return None,
        };
        if elem == Int(32) && !self.has_lanes && self.random.one_in(2) {
            return Some(format!("filled({}).d[{}]", self.scalar(Int(32), 1), self.index(false, 4)));
        }
        // Its members have one length.
        let parts = [Int(32), Float, Bool].map(|elem| match is_vector {
            true => self.vector(elem, 1),
            false => format!("(({}) {})", elem.name(), self.scalar(elem, 1)),
        });
        if !is_vector && self.has_lanes {
            return None;
        }
        Some(format!("make({}).{member}", parts.join(", ")))
    }

    /// Calls with a pointer or a record.
    fn call_of_a_helper(&mut self, elem: Elem, is_vector: bool) -> Option<String> {
        if !is_vector && self.has_lanes {
            return None;
        }
        match elem {
            Int(32) => {
                let array = self.variable(|v| v.kind == Kind::Array && v.elem == Int(32) && !v.is_vector)?;
                let [mut i, x] = [(); 2].map(|()| self.expression(Int(32), is_vector, 1));
                if is_vector {
                    // Lanes store to places of their own.
                    i = format!("({i} + iota({}))", self.length);
                }
                Some(format!("poke(&{}[0], {i}, {x})", array.name))
            }
            Float => {
                let record = self.variable(|v| v.kind == Kind::Record && (is_vector || !v.is_vector))?;
                let factor = self.expression(Float, is_vector && record.is_vector, 1);
                Some(format!("weigh({}, {factor})", record.name))
            }
            _ => None,
        }
    }

    /// A number below `n` (a power of two) as an index.
    pub fn index(&mut self, is_vector: bool, n: usize) -> String {
        let elem = self.random.pick(&[Int(32), Int(32), Int(64), Uint(8), Uint(32), Int(16)]);
        let value = self.expression(elem, is_vector, 1);
        format!("({value} & (({}) {}))", elem.name(), n - 1)
    }

    /// Something that has an address: elements, what pointers lead to, members. With `to_write`, not a constant.
    pub fn place(&mut self, elem: Elem, is_vector: bool, to_write: bool) -> Option<String> {
        let member = match elem {
            Int(32) => "a",
            Float => "b",
            Bool => "c",
            _ => "",
        };
        let has_lanes = self.has_lanes;
        let v = self.variable(|v| {
            let is_allowed = !to_write || v.is_writable;
            // What a gather gives is a vector, whatever is gathered.
            let fits = match v.kind {
                Kind::Array | Kind::Pointer => v.elem == elem && (is_vector || !v.is_vector),
                Kind::Pointers => v.elem == elem && is_vector,
                Kind::Record if to_write => !member.is_empty() && is_vector == v.is_vector,
                Kind::Record => !member.is_empty() && (is_vector || !v.is_vector),
                Kind::Records => !member.is_empty(),
                Kind::Value => false,
            };
            is_allowed && fits
        })?;
        let name = &v.name;
        // A store of a vector needs a place for each lane, or a place that is a vector.
        let gathers = is_vector && !v.is_vector && (to_write || self.random.one_in(2));
        Some(match v.kind {
            Kind::Array | Kind::Pointer if v.is_vector => {
                // Vectors are chosen by a scalar, or (Figure 10b) component by component.
                let by_lanes = v.kind == Kind::Array && is_vector && self.random.one_in(3);
                if v.kind == Kind::Pointer {
                    return Some(format!("(*{name})"));
                }
                let index = if by_lanes && has_lanes { self.index(true, 4) } else { self.index(false, 4) };
                format!("{name}[{index}]")
            }
            Kind::Array | Kind::Pointer => {
                let mut index = self.index(gathers, 16);
                if gathers {
                    index = self.certainly_vector(index);
                }
                format!("{name}[{index}]")
            }
            Kind::Pointers => format!("(*{name})"),
            Kind::Record => format!("{name}.{member}"),
            Kind::Records => {
                let mut index = self.index(gathers, 8);
                if gathers {
                    index = self.certainly_vector(index);
                }
                format!("{name}[{index}].{member}")
            }
            Kind::Value => unreachable!("a variable is no place of a larger one"),
        })
    }

    /// An index below a power of two with length L.
    fn certainly_vector(&mut self, index: String) -> String {
        let lanes = self.some_vector(Bool);
        format!("({index} ^ ({lanes} ? 1 : 0))")
    }

    // ---- Operators ------------------------------------------------------------------------------------------------

    fn cast(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        let from = self.elem();
        let value = self.expression(from, is_vector, depth - 1);
        if elem == Bool && from != Bool {
            return format!("({value} != {})", self.literal(from));
        }
        format!("(({}) {value})", elem.name())
    }

    fn operator(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        if elem == Bool {
            return match self.random.below(3) {
                0 => format!("(!{})", self.expression(Bool, is_vector, depth - 1)),
                1 => self.condition(is_vector, depth),
                _ => {
                    let other = self.elem();
                    self.comparison(other, is_vector, depth)
                }
            };
        }
        if self.random.one_in(8) {
            let op = if elem.is_int() { self.random.pick(&["-", "~"]) } else { "-" };
            return format!("({op}({}))", self.expression(elem, is_vector, depth - 1));
        }
        let op = if elem.is_int() {
            self.random.pick(&["+", "-", "*", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
        } else {
            self.random.pick(&["+", "-", "*", "/", "+", "-", "*", "%"])
        };
        let (a, b) = (self.expression(elem, is_vector, depth - 1), self.expression(elem, is_vector, depth - 1));
        format!("({a} {op} {b})")
    }

    /// Built-ins that work lane by lane.
    fn built_in(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        let arguments = |this: &mut Self, n: usize| {
            let list: Vec<String> = (0..n).map(|_| this.expression(elem, is_vector, depth - 1)).collect();
            list.join(", ")
        };
        if elem == Bool {
            return format!("(!{})", self.expression(Bool, is_vector, depth - 1));
        }
        // Under a mask the result of a call has its lanes, whatever the arguments.
        if elem.is_int() && (is_vector || !self.has_lanes) && self.random.one_in(4) {
            return self.library_call(elem, is_vector, depth);
        }
        let (name, n) = if elem.is_float() {
            self.random.pick(&[
                ("min", 2),
                ("max", 2),
                ("abs", 1),
                ("fma", 3),
                ("sqrt", 1),
                ("rsqrt", 1),
                ("rcp", 1),
                ("floor", 1),
                ("ceil", 1),
                ("round", 1),
                ("trunc", 1),
                ("rint", 1),
                ("clamp", 3),
            ])
        } else {
            self.random.pick(&[
                ("min", 2),
                ("max", 2),
                ("abs", 1),
                ("clamp", 3),
                ("clz", 1),
                ("ctz", 1),
                ("popcnt", 1),
                ("bitreverse", 1),
                ("rotl", 2),
                ("rotr", 2),
                ("log2", 1),
                ("select", 2),
            ])
        };
        let list = arguments(self, n);
        match name {
            "select" => {
                let c = self.condition(is_vector, depth - 1);
                format!("select({c}, {list})")
            }
            // Their results are of a type of their own.
            "clz" | "ctz" | "popcnt" | "bitreverse" | "log2" => format!("(({}) {name}({list}))", elem.name()),
            _ => format!("{name}({list})"),
        }
    }

    /// Operations of two integers, built in or of the standard library. A literal has no type from which one could be made, hence the casts.
    fn library_call(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        let names: &[&str] = &[
            "floor_div",
            "floor_mod",
            "average",
            "saturating_add",
            "saturating_sub",
            "saturating_mul",
            "mul_high",
            "clmul",
            "clmul_high",
            "mul_round_high",
        ];
        // The last one is for signed numbers.
        let name = self.random.pick(if matches!(elem, Int(_)) { names } else { &names[..9] });
        let [a, b] = [(); 2].map(|()| self.expression(elem, is_vector, depth - 1));
        format!("{name}((({0}) {a}), (({0}) {b}))", elem.name())
    }

    /// Operations that look at other lanes, and what makes scalars of vectors.
    fn across_lanes(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        if !is_vector {
            return self.reduction(elem, depth);
        }
        // Lanes that are off are looked at, so they have to be set.
        let has_lanes = self.has_lanes;
        let full = self.variable(|v| v.kind == Kind::Value && v.is_vector && v.elem == elem && (v.is_full || !has_lanes));
        let Some(v) = full.map(|v| v.name) else { return self.reduction(elem, depth) };
        match self.random.below(14) {
            0 => format!("reverse({v})"),
            1 => format!("rotate({v}, {})", self.scalar(Int(32), 1)),
            2 => format!("whole_reg_shr({v}, {})", self.scalar(Int(32), 1)),
            3 => format!("whole_reg_shl({v}, {})", self.random.below(4)),
            4 => format!("broadcast({v}, {})", self.scalar(Int(32), 1)),
            5 => format!("shuffle({v}, {})", self.vector(Int(32), 1)),
            6 => format!("shuffle({v}, {v}, {})", self.vector(Uint(8), 1)),
            7 if elem != Bool && !elem.is_float() => {
                let name = self.random.pick(&["scan_add", "scan_min", "scan_max", "scan_and", "scan_or", "scan_xor"]);
                format!("{name}({v})")
            }
            8 => format!("compress({v}, {})", self.vector(Bool, 1)),
            9 => format!("expand({v}, {})", self.vector(Bool, 1)),
            10 => format!("align({v}, {v}, {})", self.scalar(Int(32), 1)),
            11 => format!("lookup({v}, {})", self.vector(Int(8), 1)),
            // Of another length than that of the context.
            12 if elem == Int(32) => format!("lookup(<3, -1, 4, 1>, {})", self.vector(Uint(16), 1)),
            _ => self.reduction(elem, depth),
        }
    }

    /// A scalar that all active lanes have a part in.
    fn reduction(&mut self, elem: Elem, depth: usize) -> String {
        let depth = depth - 1;
        let has_lanes = self.has_lanes;
        match elem {
            Bool if self.random.one_in(4) => {
                let elem = self.elem();
                format!("reduce_equal({})", self.vector(elem, depth))
            }
            Bool => {
                let name = self.random.pick(&["any", "all", "none"]);
                format!("{name}({})", self.vector(Bool, depth))
            }
            Int(32) if self.random.one_in(3) => {
                let mask = self.vector(Bool, depth);
                if has_lanes || self.random.one_in(2) {
                    format!("popcount({mask})")
                } else {
                    format!("bitscan({mask}, {})", self.scalar(Int(32), 1))
                }
            }
            _ => {
                let full = self.variable(|v| v.kind == Kind::Value && v.is_vector && v.elem == elem && (v.is_full || !has_lanes));
                match full {
                    Some(v) if self.random.one_in(2) => format!("get({}, {})", v.name, self.scalar(Int(32), 1)),
                    _ => {
                        let value = self.vector(elem, depth);
                        let names: &[&str] = if elem.is_float() {
                            &["reduce_add", "reduce_mul", "reduce_min", "reduce_max"]
                        } else {
                            &["reduce_add", "reduce_mul", "reduce_min", "reduce_max", "reduce_and", "reduce_or", "reduce_xor"]
                        };
                        format!("{}({value})", self.random.pick(names))
                    }
                }
            }
        }
    }

    /// `x = e`, `x += e`, `++x`, `x--` as values.
    fn side_effect(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        let found = self.variable(|v| v.kind == Kind::Value && v.is_writable && v.elem == elem && v.is_vector == is_vector);
        let Some(v) = found else { return self.leaf(elem, is_vector) };
        let name = v.name;
        match self.random.below(4) {
            0 => format!("({name} = {})", self.expression(elem, is_vector, depth - 1)),
            1 if elem != Bool => {
                let op = self.random.pick(&["+=", "-=", "*="]);
                format!("({name} {op} {})", self.expression(elem, is_vector, depth - 1))
            }
            2 if elem != Bool => format!("({}{name})", self.random.pick(&["++", "--"])),
            3 if elem != Bool => format!("({name}{})", self.random.pick(&["++", "--"])),
            _ => name,
        }
    }

    // ---- Calls ----------------------------------------------------------------------------------------------------

    fn call(&mut self, elem: Elem, is_vector: bool, depth: usize) -> String {
        let (is_pure, has_lanes) = (self.is_pure, self.has_lanes);
        let fits = |f: &&Function| match f.kind {
            FunctionKind::Pure => is_vector || !has_lanes,
            FunctionKind::Masked => !is_pure && (is_vector || !f.result.1),
            FunctionKind::Plain => !is_pure && !has_lanes && (is_vector || !f.result.1),
        };
        let mut candidates: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        candidates.extend(self.recursive.clone().filter(|_| is_vector));
        if candidates.is_empty() {
            return self.leaf(elem, is_vector);
        }
        let function = candidates[self.random.below(candidates.len())].clone();
        let is_this = self.recursive.as_ref().is_some_and(|r| r.name == function.name);
        let mut arguments = Vec::new();
        for (i, &(elem, needs_vector)) in function.parameters.iter().enumerate() {
            arguments.push(match function.kind {
                // The first argument decides about the length.
                FunctionKind::Pure if !is_vector => {
                    let value = self.scalar(elem, depth - 1);
                    format!("(({}) {value})", elem.name())
                }
                FunctionKind::Pure if i == 0 => self.vector(elem, depth - 1),
                FunctionKind::Pure => {
                    let value = self.expression(elem, true, depth - 1);
                    format!("(({}) {value})", elem.name())
                }
                FunctionKind::Masked | FunctionKind::Plain => self.expression(elem, needs_vector, depth - 1),
            });
        }
        if function.is_recursive {
            arguments.push(if is_this { "n - 1".into() } else { format!("{}", self.random.below(4)) });
        }
        let call = format!("{}({})", function.name, arguments.join(", "));
        match (function.result.0, elem) {
            (from, to) if from == to => call,
            (from, Bool) => format!("({call} != {})", self.literal(from)),
            (_, to) => format!("(({}) {call})", to.name()),
        }
    }
}
