//! Statements of the generator.

use super::generator::{Elem, Elem::*, Generator, Kind, Loop, Variable};

impl Generator {
    /// Some statements, in the current block.
    pub fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            if self.left <= 0 {
                break;
            }
            self.left -= 1;
            if self.statement(depth) {
                break;
            }
        }
    }

    /// The statements of a block of its own, whose head was written.
    fn body(&mut self, depth: usize) {
        self.scopes.push(Vec::new());
        self.statements(depth + 1);
        self.scopes.pop();
    }

    /// The same in another context.
    fn body_in(&mut self, has_lanes: bool, depth: usize) {
        let outer = std::mem::replace(&mut self.has_lanes, has_lanes);
        self.body(depth);
        self.has_lanes = outer;
    }

    fn may_break(&self) -> bool {
        // A jump in context 1 takes all lanes; one of lanes needs a loop that has them.
        self.loops.last().is_some_and(|l| self.is_pure || l.has_lanes == self.has_lanes || !self.has_lanes)
    }

    fn may_return(&self) -> bool {
        let is_inside = self.loops.iter().any(|l| l.is_foreach);
        self.function.is_some_and(|(has_lanes, _)| !is_inside && (self.is_pure || has_lanes == self.has_lanes || !self.has_lanes))
    }

    /// One that jumps nowhere.
    pub fn plain_statement(&mut self) {
        match self.random.below(3) {
            0 => self.assignment(),
            1 => self.compound(),
            _ => self.store(),
        }
    }

    /// One statement. Is what follows it never reached?
    fn statement(&mut self, depth: usize) -> bool {
        let kind = if depth > 3 { self.random.below(9) } else { self.random.below(26) };
        match kind {
            0 | 1 => self.declaration(),
            2..=4 => self.assignment(),
            5 => self.compound(),
            6 => self.store(),
            7 if !self.is_pure => self.effect(),
            8 if depth > 0 && self.may_break() => {
                let is_switch = self.loops.last().is_some_and(|l| l.is_switch);
                let jump = if is_switch { "break;" } else { self.random.pick(&["break;", "continue;"]) };
                self.line(jump);
                return true;
            }
            9..=12 => self.if_statement(depth),
            13 | 14 => self.counted_loop(depth),
            15 | 16 => self.vector_loop(depth),
            17 if !self.is_pure && !self.has_lanes => self.foreach(depth),
            18 if !self.is_pure => self.foreach_active(depth),
            19 if !self.is_pure => self.foreach_unique(depth),
            20 if !self.is_pure && self.has_lanes => {
                self.line("scalar {");
                self.body_in(false, depth);
                self.line("}");
            }
            21 if depth > 0 && self.may_return() => {
                self.return_statement();
                return true;
            }
            22 => {
                self.line("{");
                self.body(depth);
                self.line("}");
            }
            23 if !self.is_pure && !self.has_lanes && self.random.one_in(3) => self.regular_accesses(),
            23 if !self.is_pure => self.heap(depth),
            24 if !self.is_pure => self.scalar_foreach(depth),
            25 if !self.is_pure => self.memory_built_in(),
            _ => self.assignment(),
        }
        false
    }

    // ---- Declarations ---------------------------------------------------------------------------------------------

    pub fn declaration(&mut self) {
        if self.is_pure || self.random.below(3) > 0 {
            return self.value_declaration();
        }
        match self.random.below(6) {
            0 => self.array(),
            1 => self.record(),
            2 | 3 => self.pointer(),
            4 => self.pointers(),
            _ => self.records(),
        }
    }

    fn value_declaration(&mut self) {
        let (elem, name) = (self.elem(), self.name("v"));
        // In a pure function a variable has the length of the instance.
        let is_vector = self.is_pure || !self.random.one_in(3);
        let is_full = !is_vector || !self.has_lanes;
        let is_unbound = self.random.one_in(6) && !self.is_pure;
        if is_unbound {
            // T-INIT: where nothing else is assigned, the length is that of the initial value.
            let value = if is_vector { self.vector(elem, 2) } else { self.scalar(elem, 2) };
            self.line(format!("{} {name} = {value};", elem.name()));
        } else {
            let (qualifier, value) = (self.qualifier(is_vector), self.expression(elem, is_vector, 2));
            self.line(format!("{} {qualifier} {name} = {value};", elem.name()));
        }
        self.declare(Variable { name, elem, kind: Kind::Value, is_vector, is_writable: !is_unbound, is_full });
    }

    fn array(&mut self) {
        let (elem, name, is_vector) = (self.elem(), self.name("t"), self.random.one_in(3) && !self.has_lanes);
        let (qualifier, count) = (self.qualifier(is_vector), if is_vector { 4 } else { 16 });
        self.line(format!("{} {qualifier} {name}[{count}];", elem.name()));
        let variable = Variable { name, elem, kind: Kind::Array, is_vector, is_writable: true, is_full: true };
        self.fill(&variable);
        self.declare(variable);
    }

    fn record(&mut self) {
        let (name, is_vector) = (self.name("s"), self.random.one_in(2));
        let qualifier = self.qualifier(is_vector);
        let known = self.variable(|v| v.kind == Kind::Record && v.is_vector == is_vector);
        match known {
            Some(other) if self.random.one_in(2) => self.line(format!("record {qualifier} {name} = {};", other.name)),
            _ => {
                let parts = [Int(32), Float, Bool].map(|elem| self.expression(elem, is_vector, 2));
                self.line(format!("record {qualifier} {name} = {{ {} }};", parts.join(", ")));
            }
        }
        let is_full = !is_vector || !self.has_lanes;
        self.declare(Variable { name, elem: Int(32), kind: Kind::Record, is_vector, is_writable: true, is_full });
    }

    fn records(&mut self) {
        let (name, i) = (self.name("q"), self.name("i"));
        self.line(format!("record scalar {name}[8];"));
        self.line(format!("for (int {i} = 0; {i} < 8; ++{i}) {{"));
        let (factor, bound) = (self.random.below(9), self.random.below(8));
        self.line(format!("{name}[{i}].a = {i} * {factor};"));
        self.line(format!("{name}[{i}].b = {i} + 0.5f;"));
        self.line(format!("{name}[{i}].c = {i} > {bound};"));
        self.line("}");
        let (elem, kind) = (Int(32), Kind::Records);
        self.declare(Variable { name, elem, kind, is_vector: false, is_writable: true, is_full: true });
    }

    /// A scalar pointer to an array of scalars, or to a vector.
    fn pointer(&mut self) {
        let target = self.variable(|v| match v.kind {
            Kind::Array => true,
            Kind::Value => v.is_vector && v.is_writable && !v.name.starts_with('p'),
            _ => false,
        });
        let Some(target) = target else { return self.value_declaration() };
        let name = self.name("ptr");
        let (elem, qualifier) = (target.elem, self.qualifier(target.is_vector));
        let address = match (target.kind, target.is_vector) {
            (Kind::Array, true) => format!("&{}[{}]", target.name, self.index(false, 4)),
            (Kind::Array, false) => format!("&{}[0]", target.name),
            _ => format!("&{}", target.name),
        };
        self.line(format!("{} {qualifier} *scalar {name} = {address};", elem.name()));
        self.declare(Variable { name, kind: Kind::Pointer, is_full: false, is_writable: true, ..target });
    }

    /// A vector of pointers into an array: to scalars, or to vectors.
    fn pointers(&mut self) {
        let Some(target) = self.variable(|v| v.kind == Kind::Array) else { return self.value_declaration() };
        let (name, block) = (self.name("ptrs"), self.block_text());
        let (elem, qualifier) = (target.elem.name(), self.qualifier(target.is_vector));
        let index = self.index(true, if target.is_vector { 4 } else { 16 });
        self.line(format!("{elem} {qualifier} *scalar base_{name} = &{}[0];", target.name));
        self.line(format!("{elem} {qualifier} *{block} {name} = base_{name} + {index};"));
        self.declare(Variable { name, kind: Kind::Pointers, is_full: false, is_writable: true, ..target });
    }

    // ---- Stores ---------------------------------------------------------------------------------------------------

    fn writable(&mut self) -> Option<Variable> {
        let is_pure = self.is_pure;
        // In a pure function what all lanes share is not written.
        self.variable(|v| {
            let is_fit = if is_pure { v.is_vector } else { true };
            v.kind == Kind::Value && v.is_writable && is_fit
        })
    }

    fn assignment(&mut self) {
        let Some(v) = self.writable() else { return self.value_declaration() };
        let value = self.expression(v.elem, v.is_vector, 2);
        self.line(format!("{} = {value};", v.name));
    }

    fn compound(&mut self) {
        let Some(v) = self.writable() else { return self.value_declaration() };
        let name = &v.name;
        if v.elem == Bool {
            let value = self.expression(Bool, v.is_vector, 2);
            let op = self.random.pick(&["&=", "|=", "^="]);
            return self.line(format!("{name} {op} {value};"));
        }
        if self.random.one_in(5) {
            let op = self.random.pick(&["++", "--"]);
            return self.line(format!("{name}{op};"));
        }
        let ops: &[&str] = if v.elem.is_int() {
            &["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]
        } else {
            &["+=", "-=", "*=", "/="]
        };
        let (op, value) = (self.random.pick(ops), self.expression(v.elem, v.is_vector, 2));
        self.line(format!("{name} {op} {value};"));
    }

    /// A store to memory: scalar, vector or scatter.
    fn store(&mut self) {
        if self.is_pure {
            return self.assignment();
        }
        let elem = self.elem();
        let is_vector = self.random.one_in(2);
        let Some(place) = self.place(elem, is_vector, true) else { return self.compound() };
        let value = self.expression(elem, is_vector, 2);
        let op = match (elem, self.random.below(3)) {
            (Bool, _) | (_, 0 | 1) => "=",
            (e, _) if e.is_int() => self.random.pick(&["+=", "-=", "^=", "*="]),
            _ => "+=",
        };
        self.line(format!("{place} {op} {value};"));
    }

    /// Calls, prints, `set`, whole records.
    fn effect(&mut self) {
        match self.random.below(6) {
            5 => {
                let found = self.variable(|v| v.kind == Kind::Value && v.is_writable && v.elem == Int(32));
                let Some(v) = found else { return self.assignment() };
                let by = self.expression(Int(32), v.is_vector, 1);
                self.line(format!("bump({}, {by});", v.name));
            }
            0 => {
                let (elem, is_vector) = (self.elem(), self.random.one_in(2));
                let value = self.expression(elem, is_vector, 2);
                let format = match elem.name() {
                    name if name.contains("int") => self.random.pick(&["%", "%", "%{x}", "%{8}"]),
                    "bool" => self.random.pick(&["%", "%{2}"]),
                    _ => self.random.pick(&["%", "%", "%{9.2}", "%{.3}"]),
                };
                self.line(format!("print(\"{format}\\n\", {value});"));
            }
            1 => {
                let found = self.variable(|v| v.kind == Kind::Value && v.is_vector && v.is_writable);
                let Some(v) = found else { return self.assignment() };
                let (value, index) = (self.scalar(v.elem, 2), self.scalar(Int(32), 1));
                self.line(format!("set({}, {value}, {index});", v.name));
            }
            2 => {
                let found = self.variable(|v| v.kind == Kind::Record);
                let Some(to) = found else { return self.record() };
                let from = self.variable(|v| v.kind == Kind::Record && (to.is_vector || !v.is_vector)).expect("itself");
                self.line(format!("{} = {};", to.name, from.name));
            }
            3 => {
                let found = self.variable(|v| v.kind == Kind::Records);
                let Some(records) = found else { return self.records() };
                let (a, b) = (self.index(false, 8), self.index(false, 8));
                self.line(format!("{0}[{a}] = {0}[{b}];", records.name));
            }
            _ => {
                let value = self.condition(self.has_lanes, 1);
                self.line(format!("assert({value} || true);"));
            }
        }
    }

    /// Memory that lives from here to there.
    fn heap(&mut self, depth: usize) {
        let (elem, name) = (self.elem(), self.name("h"));
        let per_lane = self.has_lanes && self.random.one_in(2);
        if per_lane {
            let block = self.block_text();
            self.line("{");
            let text = elem.name();
            self.line(format!("{text} scalar *{block} {name} = new {text} scalar[(int64) 1 + (lane_index & 1)];"));
            let value = self.expression(elem, true, 1);
            self.line(format!("*{name} = {value};"));
            self.scopes.push(Vec::new());
            self.declare(Variable {
                name: name.clone(),
                elem,
                kind: Kind::Pointers,
                is_vector: false,
                is_writable: true,
                is_full: false,
            });
        } else {
            self.line("{");
            self.line(format!("{0} scalar *scalar {name} = new {0} scalar[16];", elem.name()));
            let (kind, is_vector) = (Kind::Pointer, false);
            let variable = Variable { name: name.clone(), elem, kind, is_vector, is_writable: true, is_full: false };
            self.fill(&variable);
            self.scopes.push(Vec::new());
            self.declare(variable);
        }
        // A jump would leave the memory behind, which is no mistake.
        self.statements(depth + 1);
        self.scopes.pop();
        if !self.text.trim_end().ends_with("break;")
            && !self.text.trim_end().ends_with("continue;")
            && !self.text.lines().last().is_some_and(|l| l.trim_start().starts_with("return"))
        {
            self.line(format!("delete {name};"));
        }
        self.line("}");
    }

    fn memory_built_in(&mut self) {
        let found = self.variable(|v| v.kind == Kind::Array && !v.is_vector);
        let Some(array) = found else { return self.array() };
        let name = &array.name;
        match self.random.below(5) {
            4 => {
                let (index, value) = (self.index(false, 16), self.name("l"));
                self.line(format!("{} scalar {value} = streaming_load(&{name}[{index}]);", array.elem.name()));
                let (elem, kind) = (array.elem, Kind::Value);
                self.declare(Variable { name: value, elem, kind, is_vector: false, is_writable: true, is_full: true });
            }
            0 if self.length <= 16 => {
                let value = self.vector(array.elem, 2);
                let count = self.name("n");
                self.line(format!("int scalar {count} = packed_store(&{name}[0], {value});"));
                let (elem, kind) = (Int(32), Kind::Value);
                self.declare(Variable { name: count, elem, kind, is_vector: false, is_writable: true, is_full: true });
            }
            1 => {
                let index = self.index(false, 16);
                self.line(format!("prefetch(&{name}[{index}]);"));
            }
            2 => {
                let (index, value) = (self.index(false, 16), self.scalar(array.elem, 2));
                self.line(format!("streaming_store(&{name}[{index}], {value});"));
            }
            _ => {
                let value = self.expression(Int(32), self.has_lanes, 1);
                let name = self.name("w");
                self.line(format!("int {name} = {value};"));
                self.line(format!("assume({name} <= 5 || {name} > 5);"));
            }
        }
    }

    // ---- Control flow ---------------------------------------------------------------------------------------------

    fn if_statement(&mut self, depth: usize) {
        let is_vector = self.is_pure || self.random.below(3) > 0;
        let condition = if is_vector { self.vector_condition(2) } else { self.condition(false, 2) };
        let has_lanes = self.has_lanes || is_vector;
        self.line(format!("if ({condition}) {{"));
        self.body_in(has_lanes, depth);
        if self.random.one_in(2) {
            // Written in one line with the brace before.
            self.line("} else {".trim_start());
            self.body_in(has_lanes, depth);
        }
        self.line("}");
    }

    /// A loop with a scalar counter; a jump of lanes in its body may vectorise it.
    fn counted_loop(&mut self, depth: usize) {
        let (i, count) = (self.name("i"), 1 + self.random.below(4));
        let vectorised = !self.has_lanes && !self.is_pure && self.random.one_in(2);
        let has_lanes = self.has_lanes || vectorised;
        let is_do = self.random.one_in(4);
        if is_do {
            self.line("{");
            self.line(format!("int scalar {i} = 0;"));
            self.line("do {");
            // Counted before anything can jump.
            self.line(format!("{i} += 1;"));
        } else {
            let unrolled = self.random.pick(&["", "", "[[unroll]] ", "[[unroll(3)]] ", "[[unroll(1)]] "]);
            self.line(format!("{unrolled}for (int scalar {i} = 0; {i} < {count}; ++{i}) {{"));
        }
        self.loops.push(Loop { has_lanes, is_foreach: false, is_switch: false });
        if vectorised {
            let outer = std::mem::replace(&mut self.has_lanes, true);
            let condition = self.vector_condition(1);
            let jump = self.random.pick(&["break;", "continue;"]);
            self.line(format!("if ({condition}) {{"));
            self.line(jump);
            self.line("}");
            self.has_lanes = outer;
        }
        self.scopes.push(vec![Variable {
            name: i.clone(),
            elem: Int(32),
            kind: Kind::Value,
            is_vector: false,
            is_writable: false,
            is_full: true,
        }]);
        self.body_in(has_lanes, depth);
        self.scopes.pop();
        self.loops.pop();
        if is_do {
            self.line(format!("}} while ({i} < {count});"));
            self.line("}");
        } else {
            self.line("}");
        }
    }

    /// A loop whose lanes count for themselves.
    fn vector_loop(&mut self, depth: usize) {
        let (c, count) = (self.name("c"), 1 + self.random.below(4));
        let (block, start) = (self.block_text(), self.expression(Int(32), true, 1));
        let more = if self.random.one_in(2) { format!(" && {}", self.vector_condition(1)) } else { String::new() };
        self.line("{");
        self.line(format!("int {block} {c} = {start} & 3;"));
        self.scopes.push(vec![Variable {
            name: c.clone(),
            elem: Int(32),
            kind: Kind::Value,
            is_vector: true,
            is_writable: false,
            is_full: !self.has_lanes,
        }]);
        self.loops.push(Loop { has_lanes: true, is_foreach: false, is_switch: false });
        let is_do = self.random.one_in(3);
        let condition = format!("({c} < {count}){more}");
        if is_do {
            self.line("do {");
        } else {
            self.line(format!("while ({condition}) {{"));
        }
        self.line(format!("{c} += 1;"));
        self.body_in(true, depth);
        if is_do {
            self.line(format!("}} while ({condition});"));
        } else {
            self.line("}");
        }
        self.loops.pop();
        self.scopes.pop();
        self.line("}");
    }

    /// A `foreach` over lanes; with a second, scalar index at times.
    fn foreach(&mut self, depth: usize) {
        let (i, high, block) = (self.name("i"), self.random.below(3 * self.length.min(16)), self.block_text());
        let low = self.random.pick(&[0, 0, 1, 3]);
        let second = self.random.one_in(3).then(|| self.name("j"));
        let more = second.as_ref().map_or(String::new(), |j| format!(", int {j} = 0 .. 2"));
        self.line(format!("foreach (int {block} {i} = {low} .. {high}{more}) {{"));
        let index = |name: String, is_vector| Variable {
            name,
            elem: Int(32),
            kind: Kind::Value,
            is_vector,
            is_writable: false,
            is_full: true,
        };
        let mut scope = vec![index(i, true)];
        scope.extend(second.map(|j| index(j, false)));
        self.loops.push(Loop { has_lanes: true, is_foreach: true, is_switch: false });
        self.scopes.push(scope);
        self.body_in(true, depth);
        self.scopes.pop();
        self.loops.pop();
        self.line("}");
    }

    /// Accesses whose addresses the optimizer can tell, and copies of large objects.
    fn regular_accesses(&mut self) {
        let (name, i) = (self.name("bag"), self.name("i"));
        self.line(format!("bag scalar {name}[2];"));
        let k = self.scalar(Int(32), 1);
        self.line(format!("{name}[0] = filled({k});"));
        self.line(format!("{name}[1] = {name}[0];"));
        let records = self.variable(|v| v.kind == Kind::Records);
        let (block, high) = (self.block_text(), self.random.below(9));
        self.line(format!("foreach (int {block} {i} = 0 .. {high}) {{"));
        if let Some(records) = records {
            let value = self.random.pick(&["+ 1", "* 3", "- lane_index"]);
            self.line(format!("{0}[{i}].a = {0}[{i}].a {value};", records.name));
        }
        self.line(format!("{name}[0].e[{i} & 7] += {name}[1].e[7 - ({i} & 7)];"));
        self.line("}");
        self.line(format!("print(\"{name} % % %\\n\", {name}[1].d[3], {name}[0].e[0], {name}[0].e[5]);"));
    }

    /// A `foreach` over scalar indices, in any context.
    fn scalar_foreach(&mut self, depth: usize) {
        if self.has_lanes {
            return self.counted_loop(depth);
        }
        let (i, high) = (self.name("i"), self.random.below(4));
        self.line(format!("foreach (int scalar {i} = 0 .. {high}) {{"));
        self.loops.push(Loop { has_lanes: false, is_foreach: true, is_switch: false });
        let (elem, kind) = (Int(32), Kind::Value);
        self.scopes.push(vec![Variable { name: i, elem, kind, is_vector: false, is_writable: false, is_full: true }]);
        self.body(depth);
        self.scopes.pop();
        self.loops.pop();
        self.line("}");
    }

    fn foreach_active(&mut self, depth: usize) {
        let k = self.name("k");
        self.line(format!("foreach_active (int {k}) {{"));
        self.loops.push(Loop { has_lanes: false, is_foreach: false, is_switch: false });
        let (elem, kind) = (Int(32), Kind::Value);
        self.scopes.push(vec![Variable { name: k, elem, kind, is_vector: false, is_writable: false, is_full: true }]);
        self.body_in(false, depth);
        self.scopes.pop();
        self.loops.pop();
        self.line("}");
    }

    fn foreach_unique(&mut self, depth: usize) {
        let (elem, u): (Elem, String) = (self.elem(), self.name("u"));
        let value = if self.has_lanes { self.vector(elem, 1) } else { self.scalar(elem, 1) };
        self.line(format!("foreach_unique ({} {u} : {value}) {{", elem.name()));
        self.loops.push(Loop { has_lanes: self.has_lanes, is_foreach: false, is_switch: false });
        let kind = Kind::Value;
        self.scopes.push(vec![Variable { name: u, elem, kind, is_vector: false, is_writable: false, is_full: true }]);
        self.body(depth);
        self.scopes.pop();
        self.loops.pop();
        self.line("}");
    }
}
