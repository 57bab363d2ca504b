//! Random well-typed programs as text.
//!
//! A program has one vector length L (and scalars); global data, a record, functions of three kinds, and a `main` that calls
//! them and prints what all of its data has become.
//!
//! * *Pure* functions are polymorphic in the length of their first parameter, and have no operation across lanes and no
//!   effect: `main` asserts that each lane of such a call gives what the scalar instance gives (SPMD's own definition).
//!   Some recurse.
//! * *Masked* functions run in context L wherever they are called: from there, or vectorised by a `return` of lanes.
//! * *Plain* functions run in context 1.
//!
//! What a program computes is always defined: indices are taken modulo the sizes, loops count, variables begin with a value,
//! operations across lanes look at variables all of whose lanes are set. The type of every expression is exact, and whether
//! it is a vector is known, so that nearly every program is accepted.

use super::borders::{bordering_functions, meeting_functions};
use super::constructs::{Exchange, PRELUDE};
use super::number_loops::number_loop_functions;
use super::quotients::dividing_functions;
use super::references::referring_functions;
use super::running::running_functions;
use super::shapes::FUNCTIONS;
use super::turned::turning_functions;
use super::waiting::waiting_functions;
use ivl_random::Random;
use std::fmt::Write;

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    Bool,
    Int(u8),
    Uint(u8),
    Float,
    Double,
}

use Elem::{Bool, Double, Float, Int, Uint};

/// All of them, the common ones more often.
const ELEMS: &[Elem] =
    &[Int(32), Int(32), Int(32), Float, Float, Int(8), Int(16), Int(64), Uint(8), Uint(16), Uint(32), Uint(64), Double, Bool];

impl Elem {
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            Int(8) => "int8",
            Int(16) => "int16",
            Int(32) => "int",
            Int(_) => "int64",
            Uint(8) => "uint8",
            Uint(16) => "uint16",
            Uint(32) => "uint",
            Uint(_) => "uint64",
            Float => "float",
            Double => "double",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_int(self) -> bool {
        matches!(self, Int(_) | Uint(_))
    }
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A scalar or a vector.
    Value,
    /// 16 scalars or 4 vectors.
    Array,
    /// A scalar pointer to the first of 16 scalars, or to a vector (Figure 10's scalar pointers).
    Pointer,
    /// A vector of pointers into an array.
    Pointers,
    /// `record`: { int a; float b; bool c; int16 d[4] } without the array where it is a vector.
    Record,
    /// Eight scalar records.
    Records,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub elem: Elem,
    pub kind: Kind,
    /// Of a pointer, an array: what it leads to.
    pub is_vector: bool,
    pub is_writable: bool,
    /// Are all lanes set, whatever the mask?
    pub is_full: bool,
}

impl Variable {
    /// Is it declared outside of functions?
    fn is_global(&self) -> bool {
        self.name.starts_with('g')
    }
}

/// A function that is there to be called.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub kind: FunctionKind,
    pub parameters: Vec<(Elem, bool)>,
    pub result: (Elem, bool),
    /// Has it a last parameter that counts down?
    pub is_recursive: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FunctionKind {
    Pure,
    Masked,
    Plain,
}

/// A loop around the current place.
#[derive(Clone, Copy)]
pub struct Loop {
    /// Does its body run in context L?
    pub has_lanes: bool,
    /// Its `return`s are errors.
    pub is_foreach: bool,
    /// Is it a `switch`, of which nothing continues?
    pub is_switch: bool,
}

/// A program being written.
pub struct Generator {
    pub random: Random,
    pub text: String,
    indent: usize,
    /// L
    pub length: usize,
    pub scopes: Vec<Vec<Variable>>,
    pub functions: Vec<Function>,
    names: usize,
    /// Are we in context L?
    pub has_lanes: bool,
    /// Are we in a pure function?
    pub is_pure: bool,
    pub loops: Vec<Loop>,
    /// Does the body of the current function run in context L, and what does it return? `None` in main.
    pub function: Option<(bool, (Elem, bool))>,
    /// The recursive function that we are in.
    pub recursive: Option<Function>,
    /// How many statements may still be written.
    pub left: i32,
    pub seed: u64,
    /// A function that exchanges what lies behind pointers.
    pub exchange: Option<Exchange>,
    /// The elements of the functions whose rounds wait.
    pub waiting: Vec<&'static str>,
    /// The elements of functions with loops over numbers.
    pub number_loops: Vec<&'static str>,
    /// Those of what looks around an element, and of arrays that may meet.
    pub bordering: &'static str,
    pub meeting: &'static str,
    pub running: &'static str,
    /// Has what runs through arrays in other ways one loop?
    pub runs_one: bool,
    /// The constructs and built-ins that were drawn, as the tables call them.
    pub drawn: Vec<String>,
}

/// The text of a program.
pub fn program(seed: u64) -> String {
    drawn(seed).0
}

/// The text of a program, and the constructs and built-ins in it.
pub fn drawn(seed: u64) -> (String, Vec<String>) {
    let mut random = Random::new(seed);
    // Long vectors take LLVM long.
    let length = random.pick(&[2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 16, 16, 32, 64]);
    let mut generator = Generator {
        random,
        text: String::new(),
        indent: 0,
        length,
        scopes: vec![Vec::new()],
        functions: Vec::new(),
        names: 0,
        has_lanes: false,
        is_pure: false,
        loops: Vec::new(),
        function: None,
        recursive: None,
        left: 0,
        seed,
        exchange: None,
        waiting: Vec::new(),
        number_loops: Vec::new(),
        bordering: "",
        meeting: "",
        running: "",
        runs_one: false,
        drawn: Vec::new(),
    };
    generator.everything();
    (generator.text, generator.drawn)
}

impl Generator {
    /// A line of the program.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if line.starts_with('}') {
            self.indent -= 1;
        }
        writeln!(self.text, "{:width$}{line}", "", width = self.indent * 4).expect("a string takes all");
        if line.ends_with('{') {
            self.indent += 1;
        }
    }

    /// A fresh name.
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn elem(&mut self) -> Elem {
        self.random.pick(ELEMS)
    }

    /// `block[L]`, in a pure function the length of its first parameter.
    pub fn block_text(&self) -> String {
        if self.is_pure { "block[lengthof(p0)]".into() } else { format!("block[{}]", self.length) }
    }

    pub fn qualifier(&self, is_vector: bool) -> String {
        if is_vector { self.block_text() } else { "scalar".into() }
    }

    pub fn declare(&mut self, variable: Variable) {
        self.scopes.last_mut().expect("a scope").push(variable);
    }

    /// The variables in scope that fit, the innermost ones last.
    pub fn variables(&self, fits: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        // A pure function has a length of its own, and shares with others what has none.
        let is_visible = |v: &&Variable| !(self.is_pure && v.is_global() && (v.is_vector || v.kind != Kind::Value));
        self.scopes.iter().flatten().filter(is_visible).filter(|v| fits(v)).cloned().collect()
    }

    /// One of these variables.
    pub fn variable(&mut self, fits: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let found = self.variables(fits);
        if found.is_empty() { None } else { Some(found[self.random.below(found.len())].clone()) }
    }

    fn everything(&mut self) {
        PRELUDE.iter().chain(FUNCTIONS).for_each(|line| self.line(line));
        waiting_functions(self);
        number_loop_functions(self);
        referring_functions(self);
        dividing_functions(self);
        turning_functions(self);
        bordering_functions(self);
        meeting_functions(self);
        running_functions(self);
        self.line("struct record { int a; float b; bool c; };");
        self.line("struct bag { int d[4]; double e[8]; record r; };");
        // Records as results, whose members are taken.
        self.line("record make(int a, float b, bool c) { record r = { a, b, c }; return r; }");
        self.line("bag filled(int scalar k) {");
        self.line("bag scalar x;");
        self.line("for (int i = 0; i < 4; ++i) {");
        self.line("x.d[i] = i * k;");
        self.line("}");
        self.line("for (int i = 0; i < 8; ++i) {");
        self.line("x.e[i] = i - k;");
        self.line("}");
        self.line("x.r = make(k, 0.5f, k > 3);");
        self.line("return x;");
        self.line("}");
        // Pointers, records and references as parameters.
        self.line("int poke(int scalar *scalar p, int i, int x) { p[i & 15] += x; return p[(i + 1) & 15]; }");
        self.line("float weigh(record r, float f) { return r.c ? r.b * f : (float) r.a + f; }");
        self.line("void bump(int &x, int y) { if (y != 3) x += y; }");
        for _ in 0..1 + self.random.below(2) {
            self.global();
        }
        self.exchange = Some(self.exchange_function());
        for _ in 0..self.random.below(5) / 2 {
            self.pure_function();
        }
        for _ in 0..self.random.below(2) {
            self.fixed_function(FunctionKind::Masked);
        }
        for _ in 0..self.random.below(2) {
            self.fixed_function(FunctionKind::Plain);
        }
        self.main();
    }

    fn global(&mut self) {
        let (elem, is_vector, name) = (self.elem(), self.random.one_in(3), self.name("g"));
        let kind = if self.random.one_in(2) { Kind::Array } else { Kind::Value };
        let qualifier = self.qualifier(is_vector);
        let count = match kind {
            Kind::Array if is_vector => "[4]",
            Kind::Array => "[16]",
            _ => "",
        };
        self.line(format!("{} {qualifier} {name}{count};", elem.name()));
        self.declare(Variable { name, elem, kind, is_vector, is_writable: true, is_full: true });
    }

    // ---- Functions ------------------------------------------------------------------------------------------------

    fn pure_function(&mut self) {
        let name = self.name("pure");
        let is_recursive = self.random.one_in(3);
        let parameters: Vec<(Elem, bool)> = (0..1 + self.random.below(2)).map(|_| (self.elem(), true)).collect();
        let result = (self.elem(), true);
        let mut list: Vec<String> = parameters.iter().enumerate().map(|(i, p)| format!("{} p{i}", p.0.name())).collect();
        if is_recursive {
            list.push("int scalar n".into());
        }
        let function = Function { name: name.clone(), kind: FunctionKind::Pure, parameters, result, is_recursive };
        self.line(format!("{} {name}({}) {{", result.0.name(), list.join(", ")));
        self.scopes.push(Vec::new());
        for (i, &(elem, _)) in function.parameters.iter().enumerate() {
            // Only the first one certainly has the length of the instance.
            let is_first = i == 0;
            self.declare(Variable {
                name: format!("p{i}"),
                elem,
                kind: Kind::Value,
                is_vector: true,
                is_writable: is_first,
                is_full: false,
            });
        }
        (self.is_pure, self.has_lanes, self.function, self.left) = (true, true, Some((true, result)), 4);
        if is_recursive {
            self.line("if (n <= 0) {");
            self.return_statement();
            self.line("}");
            self.recursive = Some(function.clone());
        }
        self.statements(2);
        self.return_statement();
        (self.is_pure, self.has_lanes, self.function, self.recursive) = (false, false, None, None);
        self.scopes.pop();
        self.line("}");
        self.functions.push(function);
    }

    /// A function with lengths of its own.
    fn fixed_function(&mut self, kind: FunctionKind) {
        let name = self.name(if kind == FunctionKind::Masked { "masked" } else { "plain" });
        let parameters: Vec<(Elem, bool)> =
            (0..1 + self.random.below(2)).map(|_| (self.elem(), !self.random.one_in(3))).collect();
        let result = (self.elem(), kind == FunctionKind::Masked || self.random.one_in(2));
        let list: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(i, &(elem, is_vector))| format!("{} {} p{i}", elem.name(), self.qualifier(is_vector)))
            .collect();
        let qualifier = self.qualifier(result.1);
        self.line(format!("{} {qualifier} {name}({}) {{", result.0.name(), list.join(", ")));
        self.scopes.push(Vec::new());
        for (i, &(elem, is_vector)) in parameters.iter().enumerate() {
            let name = format!("p{i}");
            let is_full = !is_vector;
            self.declare(Variable { name, elem, kind: Kind::Value, is_vector, is_writable: true, is_full });
        }
        let has_lanes = kind == FunctionKind::Masked;
        (self.has_lanes, self.function, self.left) = (has_lanes, Some((has_lanes, result)), 5);
        if has_lanes {
            // This vectorises the function where it is called in context 1.
            let condition = self.vector_condition(1);
            self.line(format!("if ({condition}) {{"));
            self.return_statement();
            self.line("}");
        }
        self.statements(2);
        self.return_statement();
        (self.has_lanes, self.function) = (false, None);
        self.scopes.pop();
        self.line("}");
        self.functions.push(Function { name, kind, parameters, result, is_recursive: false });
    }

    /// A `return` of a value of the result type.
    pub fn return_statement(&mut self) {
        let (_, (elem, is_vector)) = self.function.expect("a function");
        if is_vector {
            let (value, name) = (self.expression(elem, is_vector, 2), self.name("r"));
            let block = self.block_text();
            self.line(format!("{} {block} {name} = {value};", elem.name()));
            self.line(format!("return {name};"));
        } else {
            let value = self.scalar(elem, 2);
            self.line(format!("return {value};"));
        }
    }

    // ---- main -----------------------------------------------------------------------------------------------------

    fn main(&mut self) {
        self.line("int main() {");
        self.scopes.push(Vec::new());
        self.globals_are_filled();
        for _ in 0..2 + self.random.below(2) {
            self.declaration();
        }
        self.left = 6;
        self.statements(0);
        self.constructs();
        for function in self.functions.clone() {
            if function.kind == FunctionKind::Pure && !function.is_recursive {
                self.lanes_are_scalar_runs(&function);
            }
        }
        for variable in self.variables(|_| true) {
            self.print_variable(&variable);
        }
        self.line("return 0;");
        self.scopes.pop();
        self.line("}");
    }

    /// Constructs, some of them in lanes.
    fn constructs(&mut self) {
        for k in self.chosen_constructs(self.seed) {
            if self.random.one_in(3) {
                let condition = self.vector_condition(1);
                self.line(format!("if ({condition}) {{"));
                self.has_lanes = true;
                self.construct(k);
                self.has_lanes = false;
                self.line("}");
            } else {
                self.construct(k);
            }
        }
    }

    fn globals_are_filled(&mut self) {
        for v in self.variables(|v| v.kind == Kind::Array) {
            self.fill(&v);
        }
    }

    /// Sets the elements of an array.
    pub fn fill(&mut self, v: &Variable) {
        let (count, name) = (if v.is_vector { 4 } else { 16 }, self.name("i"));
        let (start, step) = (self.random.below(9), 1 + self.random.below(9));
        let number = format!("({start} + {step} * {name})");
        let elem = v.elem.name();
        let value = if v.elem == Bool { format!("({number} % 3 == 0)") } else { format!("(({elem}) {number})") };
        self.line(format!("for (int {name} = 0; {name} < {count}; ++{name}) {{"));
        self.line(format!("{}[{name}] = {value};", v.name));
        self.line("}");
    }

    /// `assert`s that the lanes of a call are the scalar calls with their elements.
    fn lanes_are_scalar_runs(&mut self, function: &Function) {
        let (call, k) = (self.name("call"), self.name("k"));
        self.line("{");
        let mut names = Vec::new();
        for &(elem, _) in &function.parameters {
            let (name, value) = (self.name("a"), self.expression(elem, true, 2));
            let block = self.block_text();
            self.line(format!("{} {block} {name} = {value};", elem.name()));
            names.push(name);
        }
        let result = function.result.0;
        let block = self.block_text();
        self.line(format!("{} {block} {call} = {}({});", result.name(), function.name, names.join(", ")));
        self.line(format!("for (int {k} = 0; {k} < {}; ++{k}) {{", self.length));
        let lanes: Vec<String> = names.iter().map(|name| format!("get({name}, {k})")).collect();
        let (scalar, lane) = (self.name("s"), self.name("l"));
        self.line(format!("{} scalar {scalar} = {}({});", result.name(), function.name, lanes.join(", ")));
        self.line(format!("{} scalar {lane} = get({call}, {k});", result.name()));
        // A NaN is as good as another.
        let both_nan = format!("({scalar} != {scalar} && {lane} != {lane})");
        self.line(format!("assert({scalar} == {lane} || {both_nan});"));
        self.line("}");
        self.line("}");
    }

    fn print_variable(&mut self, v: &Variable) {
        let name = &v.name;
        match v.kind {
            Kind::Value => self.line(format!("print(\"{name} %\\n\", {name});")),
            Kind::Record => self.line(format!("print(\"{name} % % %\\n\", {name}.a, {name}.b, {name}.c);")),
            Kind::Array | Kind::Records => {
                let count = match (v.kind, v.is_vector) {
                    (Kind::Records, _) => 8,
                    (_, true) => 4,
                    (_, false) => 16,
                };
                let i = self.name("i");
                self.line(format!("for (int {i} = 0; {i} < {count}; ++{i}) {{"));
                if v.kind == Kind::Records {
                    self.line(format!("print(\"{name} % % %\\n\", {name}[{i}].a, {name}[{i}].b, {name}[{i}].c);"));
                } else {
                    self.line(format!("print(\"{name} %\\n\", {name}[{i}]);"));
                }
                self.line("}");
            }
            Kind::Pointer | Kind::Pointers => self.line(format!("print(\"{name} %\\n\", *{name});")),
        }
    }
}
