//! Random schedules of a definition: directives that the scheduler takes, one behind another.
//!
//! What is drawn: all directives. Loops are those of the statement, of splits of it and of partial results; numbers are small ones, extents of
//! what is passed and, of results, the window that is asked for, so that what is asserted of windows holds at times and at others is refused at
//! the start.

use super::random::{Program, Rule};
use ivl_random::Random;

/// All directives.
pub const DIRECTIVES: [&str; 21] = [
    "rfactor",
    "inline",
    "specialize",
    "bound",
    "bound_extent",
    "align_bounds",
    "atomic",
    "split",
    "fuse",
    "reorder",
    "swap",
    "tile",
    "vectorize",
    "unroll",
    "parallel",
    "serial",
    "compute_at",
    "compute_root",
    "store_at",
    "store_root",
    "fold_storage",
];

/// Directives, each of which the scheduler takes.
pub fn schedule(program: &Program, random: &mut Random) -> Vec<String> {
    let mut drawing = Drawing { program, random, made: Vec::new(), readers: Vec::new() };
    drawing.readers = (0..program.def.rules.len()).map(|k| drawing.readers_of(k)).collect();
    let attempts = 2 + drawing.random.below(6);
    for attempt in 0..attempts {
        let mut longer = drawing.made.clone();
        // Where a func is computed limits all that follows: often that is said first.
        let is_place = attempt == 0 && drawing.random.one_in(3);
        longer.push(if is_place { drawing.placed() } else { drawing.directive() });
        if program.with_schedule(longer.clone()).is_accepted() {
            drawing.made = longer;
        }
    }
    drawing.made
}

/// A schedule so far.
struct Drawing<'d> {
    program: &'d Program,
    random: &'d mut Random,
    made: Vec<String>,
    /// For each rule those that read what it leaves, as far as results need them.
    readers: Vec<Vec<usize>>,
}

impl<'d> Drawing<'d> {
    fn rules(&self) -> &'d [Rule] {
        &self.program.def.rules
    }

    /// The func of a rule, as schedules call it.
    fn func(&self, number: usize) -> String {
        let (rules, tensor) = (self.rules(), &self.rules()[number].tensor);
        let before = rules[..number].iter().filter(|rule| rule.tensor == *tensor).count();
        let is_last = rules[number + 1..].iter().all(|rule| rule.tensor != *tensor);
        if is_last { tensor.clone() } else { format!("{tensor}.statement({before})") }
    }

    fn readers_of(&self, number: usize) -> Vec<usize> {
        let rules = self.rules();
        let tensor = &rules[number].tensor;
        let next = (number + 1..rules.len()).find(|&k| rules[k].tensor == *tensor).map_or(rules.len(), |next| next + 1);
        let reads = |k: &usize| rules[*k].text.split(|c: char| !c.is_alphanumeric()).any(|word| word == tensor);
        (number + 1..next).filter(reads).filter(|&k| self.is_result(k) || !self.readers_of(k).is_empty()).collect()
    }

    /// Is it the last statement of a result?
    fn is_result(&self, number: usize) -> bool {
        self.program.is_result(&self.func(number))
    }

    /// A rule that results need, mostly.
    fn needed(&mut self) -> usize {
        let rules = 0..self.rules().len();
        let needed: Vec<usize> = rules.filter(|&k| self.is_result(k) || !self.readers[k].is_empty()).collect();
        if needed.is_empty() || self.random.one_in(12) {
            return self.random.below(self.rules().len());
        }
        needed[self.random.below(needed.len())]
    }

    /// Does the schedule so far say this?
    fn has(&self, text: &str) -> bool {
        self.made.iter().any(|directives| directives.contains(text))
    }

    /// Partial results, where there are some.
    fn partial(&mut self) -> Option<&'static str> {
        let known: Vec<&str> = ["g", "h"].into_iter().filter(|name| self.has(&format!(", {name});"))).collect();
        (!known.is_empty() && self.random.one_in(3)).then(|| known[self.random.below(known.len())])
    }

    fn directive(&mut self) -> String {
        let (rules, number) = (self.rules(), self.needed());
        match self.random.below(12) {
            0 | 1 => return self.asserted(number),
            2 => return self.specialized(number),
            3 | 4 if rules.len() > 1 => return self.placed(),
            _ => {}
        }
        let rule = &rules[number];
        let is_update = !rule.reduced.is_empty() && self.random.one_in(2);
        let name = self.func(number);
        let copy = match self.has(&format!("{name}.specialize")) {
            true => self.random.pick(&["", ".case(0)", ".otherwise"]),
            false => "",
        };
        let target = format!("{name}{copy}{}", if is_update { ".update(0)" } else { "" });
        let mut loops: Vec<&str> = rule.left.iter().map(String::as_str).collect();
        if is_update {
            loops.extend(rule.reduced.iter().map(String::as_str));
        }
        loops.extend(["io", "ii", "ko", "ki"]);
        let random = &mut *self.random;
        let tail = random.pick(&["guard", "guard", "shift", "round", "auto"]);
        let n = 1 + random.below(5);
        let lanes = random.pick(&[2, 4, 8]);
        let known = if random.one_in(4) { loops.len() } else { loops.len() - 4 };
        let (v, other) = (loops[random.below(known.max(1))], loops[random.below(loops.len())]);
        if is_update && random.one_in(3) {
            let r = &rule.reduced[random.below(rule.reduced.len())];
            let part = random.pick(&["g", "h"]);
            return match random.below(8) {
                0 => format!("{target}.rfactor({r}, u, {part});"),
                1 => format!("{target}.split({r}, ko, ki, {n}).rfactor(ko, u, {part});"),
                2 => format!(
                    "{target}.split({r}, ko, ki, {lanes}).rfactor(ki, u, {part}); {part}.vectorize(u, {lanes}).update(0).vectorize(u, {lanes});"
                ),
                3 => format!("{target}.split({r}, ko, ki, {n}).rfactor(ko, u, {part}); {part}.update(0).parallel(u);"),
                4 => format!("{target}.atomic().vectorize({r}, {lanes});"),
                5 => format!("{target}.atomic().parallel({r});"),
                6 => format!("{target}.split({r}, ko, ki, {n}).rfactor(ki, u, {part}); {part}.compute_at({target}, {v});"),
                _ => format!("{target}.reorder({r}, {v});"),
            };
        }
        match random.below(14) {
            0 => format!("{name}.inline();"),
            1 | 2 => format!("{target}.split({v}, io, ii, {n}, {tail});"),
            3 => format!("{target}.fuse({v}, {other}, io);"),
            4 => format!("{target}.reorder({v}, {other});"),
            5 | 6 => format!("{target}.vectorize({v}, {lanes}, {tail});"),
            7 => format!("{target}.unroll({v}, {n}, {tail});"),
            8 => format!("{target}.tile({v}, {other}, io, ko, ii, ki, {n}, {}, {tail});", 1 + random.below(4)),
            9 => format!("{target}.parallel({v});"),
            10 => format!("{target}.swap({v});"),
            11 => format!("{target}.serial({v});"),
            12 => format!("{name}.compute_root();"),
            _ => self.placed(),
        }
    }

    /// Where a func is computed and stored, in one that comes later; at times it slides there, in storage that is folded.
    fn placed(&mut self) -> String {
        let rules = self.rules();
        let inner: Vec<usize> = (0..rules.len()).filter(|&k| !self.is_result(k) && !self.readers[k].is_empty()).collect();
        if inner.is_empty() {
            return format!("{}.compute_root();", self.func(0));
        }
        let number = inner[self.random.below(inner.len())];
        let readers = &self.readers[number];
        let site = match self.random.one_in(6) {
            true => number + self.random.below(rules.len() - number),
            false => readers[self.random.below(readers.len())],
        };
        let (name, consumer) = (self.func(number), &rules[site]);
        let stage = if !consumer.reduced.is_empty() && !self.random.one_in(4) { ".update(0)" } else { "" };
        let site = format!("{}{stage}", self.func(site));
        let loops: Vec<&str> = consumer.left.iter().chain(&consumer.reduced).map(String::as_str).collect();
        let random = &mut *self.random;
        let v = match random.below(4) {
            0 => random.pick(&["io", "ii", "k", "i"]),
            _ if loops.is_empty() => "k",
            _ => loops[random.below(loops.len())],
        };
        let store = match random.below(5) {
            0 => String::new(),
            1 => format!(".store_at({site}, {})", random.pick(&["i", "j", "io"])),
            _ => ".store_root()".to_owned(),
        };
        let dimensions = &rules[number].left;
        let fold = match dimensions.is_empty() || random.one_in(3) {
            true => String::new(),
            false => {
                let slots = random.pick(&["2", "4", "4", "8", "16", "p0.extent(0)"]);
                // It slides in the dimension that goes with the loop, if that is one of the reader's own.
                let along = consumer.left.iter().position(|own| own == v).filter(|&d| d < dimensions.len());
                let d = along.filter(|_| !random.one_in(4)).unwrap_or_else(|| random.below(dimensions.len()));
                format!(".fold_storage({}, {slots})", dimensions[d])
            }
        };
        match random.below(8) {
            0 if !fold.is_empty() => format!("{name}{fold};"),
            _ => format!("{name}.compute_at({site}, {v}){store}{fold};"),
        }
    }

    /// A number that is known when the definition is called.
    fn startup(&mut self, low: i64, high: i64) -> String {
        let random = &mut *self.random;
        match random.below(3) {
            0 => format!("p0.extent({}){}", random.below(2), random.pick(&["", "", " - 1", " + 1", " * 2"])),
            _ => random.between(low, high).to_string(),
        }
    }

    /// What is said of a window; where that is too little, nothing starts.
    fn asserted(&mut self, number: usize) -> String {
        let rule = &self.rules()[number];
        let partial = self.partial();
        let name = partial.map_or_else(|| self.func(number), str::to_owned);
        let d = self.random.below(rule.left.len() + usize::from(partial.is_some() || rule.left.is_empty()));
        let x = rule.left.get(d).map_or("u", String::as_str);
        // What is asked of a result is all of it.
        let is_result = self.program.is_result(&name) && !self.random.one_in(4);
        let (n, random) = (self.startup(3, 9), &mut *self.random);
        match random.below(7) {
            0..=2 if is_result => format!("{name}.bound({x}, {name}.min({x}), {name}.extent({x}));"),
            0..=2 => format!("{name}.bound({x}, {}, {n});", random.pick(&["0", "0", "0", "-1", "-2", "1"])),
            3 | 4 if is_result => format!("{name}.bound_extent({x}, {name}.extent({x}));"),
            3 | 4 => format!("{name}.bound_extent({x}, {n});"),
            5 => format!("{name}.align_bounds({x}, {});", random.pick(&[1, 2, 2, 3, 4])),
            _ => format!("{name}.align_bounds({x}, {}, {});", random.pick(&[1, 2, 2, 3, 4]), random.between(-2, 3)),
        }
    }

    /// Copies, of which one runs; at times one of them has loops of its own.
    fn specialized(&mut self, number: usize) -> String {
        let rule = &self.rules()[number];
        let name = self.partial().map_or_else(|| self.func(number), str::to_owned);
        let last = self.rules().last().expect("a statement");
        let mut conditions = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let (a, n) = (self.startup(0, 6), self.random.between(0, 6));
            let x = last.left.first().map_or("i", String::as_str);
            let result = &last.tensor;
            conditions.push(match self.random.below(6) {
                0 => format!("p0.stride(0) == {}", self.random.pick(&["1", "2", "-1"])),
                1 => format!("p0.extent(0) > {n}"),
                2 => format!("{result}.extent({x}) % 2 == 0 | {result}.min({x}) < 0"),
                3 => format!("p0.extent(0) > {n} & p0.extent(0) == {a}"),
                _ => format!("p0.extent(0) {} {n}", self.random.pick(&["<", ">", "==", "<="])),
            });
        }
        let made = format!("{name}.specialize({});", conditions.join(", "));
        let all: Vec<&String> = rule.left.iter().chain(&rule.reduced).collect();
        if all.is_empty() {
            return made;
        }
        let (v, copy) = (all[self.random.below(all.len())], self.random.pick(&["case(0)", "otherwise"]));
        let update = if rule.reduced.contains(v) { ".update(0)" } else { "" };
        match self.random.below(5) {
            0 if update.is_empty() => format!("{made} {name}.{copy}.vectorize({v}, {});", self.random.pick(&[2, 4])),
            0 | 1 => format!("{made} {name}.{copy}{update}.split({v}, io, ii, {});", 1 + self.random.below(4)),
            2 if update.is_empty() => format!("{made} {name}.{copy}.parallel({v});"),
            2 => format!("{made} {name}.{copy}{update}.unroll({v});"),
            _ => made,
        }
    }
}
