//! A group of functions as source. `int` and `bool` are what the language makes of numbers and conditions.

use super::tree::*;
use std::fmt::Write;

/// What all groups share.
pub const TYPES: &str =
    "struct pt { int x; int y; };\nstruct mix { int t[4]; pt p; };\ntypedef int arr[4];\ntypedef pt pts[4];\n";

/// The functions of a group; their names end with `suffix`.
pub fn group(group: &Group, suffix: &str) -> String {
    let mut writer = Writer { text: String::new(), suffix, indent: 0 };
    for function in &group.functions {
        writer.function(function);
    }
    writer.text
}

struct Writer<'s> {
    text: String,
    suffix: &'s str,
    indent: usize,
}

fn type_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "int",
        Ty::Bool => "bool",
        Ty::Array => "arr",
        Ty::Point => "pt",
        Ty::Mixed => "mix",
        Ty::Points => "pts",
    }
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Subtract => "-",
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Remainder => "%",
        Op::And => "&",
    }
}

fn comparison(op: Compare) -> &'static str {
    match op {
        Compare::Less => "<",
        Compare::Greater => ">",
        Compare::LessEqual => "<=",
        Compare::GreaterEqual => ">=",
        Compare::Equal => "==",
        Compare::NotEqual => "!=",
    }
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        if line.starts_with('}') {
            self.indent -= 1;
        }
        writeln!(self.text, "{:width$}{line}", "", width = self.indent * 4).expect("a string takes all");
        if line.ends_with('{') {
            self.indent += 1;
        }
    }

    fn function(&mut self, function: &Function) {
        let parameter = |p: &Parameter| {
            let reference = if p.passing == Passing::Reference { "&" } else { "" };
            format!("{} {reference}{}", type_name(p.ty), p.name)
        };
        let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
        self.line(&format!("int {}{}({}) {{", function.name, self.suffix, parameters.join(", ")));
        self.statements(&function.body);
        self.line("}");
    }

    fn statements(&mut self, list: &[Statement]) {
        list.iter().for_each(|s| self.statement(s));
    }

    fn block(&mut self, head: &str, body: &[Statement]) {
        self.line(&format!("{head} {{"));
        self.statements(body);
    }

    fn statement(&mut self, s: &Statement) {
        match &s.kind {
            StatementKind::Declare(..) => {
                let line = format!("{};", self.declaration(s));
                self.line(&line);
            }
            StatementKind::Reference(name, place) => {
                let line = format!("{} &{name} = {};", type_name(place.ty), self.place(place));
                self.line(&line);
            }
            StatementKind::Copy(to, from) => {
                let line = format!("{} = {};", self.place(to), self.place(from));
                self.line(&line);
            }
            StatementKind::Expression(e) => {
                let line = format!("{};", self.expression(e));
                self.line(&line);
            }
            StatementKind::Block(body) => {
                self.line("{");
                self.statements(body);
                self.line("}");
            }
            StatementKind::If(condition, then, otherwise) => {
                let head = format!("if ({})", self.condition(condition));
                self.block(&head, then);
                if !otherwise.is_empty() {
                    self.line("}");
                    self.block("else", otherwise);
                }
                self.line("}");
            }
            StatementKind::While(condition, body) => {
                let head = format!("while ({})", self.condition(condition));
                self.block(&head, body);
                self.line("}");
            }
            StatementKind::Do(body, condition) => {
                self.block("do", body);
                let end = format!("}} while ({});", self.condition(condition));
                self.line(&end);
            }
            StatementKind::For(initial, condition, step, body) => self.for_loop(initial, condition, step.as_ref(), body),
            StatementKind::Break => self.line("break;"),
            StatementKind::Continue => self.line("continue;"),
            StatementKind::Return(value) => {
                let line = format!("return {};", self.int(value));
                self.line(&line);
            }
            StatementKind::Switch(value, cases) => {
                let head = format!("switch ({}) {{", self.int(value));
                self.line(&head);
                for (label, body) in cases {
                    let label = label.map_or("default:".to_owned(), |n| format!("case {n}:"));
                    self.block(&label, body);
                    self.line("}");
                }
                self.line("}");
            }
        }
    }

    fn for_loop(&mut self, initial: &[Statement], condition: &Expr, step: Option<&Expr>, body: &[Statement]) {
        let parts: Vec<String> = initial
            .iter()
            .enumerate()
            .map(|(i, s)| match &s.kind {
                StatementKind::Declare(..) if i > 0 => self.declaration(s).trim_start_matches("int ").to_owned(),
                StatementKind::Declare(..) => self.declaration(s),
                StatementKind::Expression(e) => self.expression(e),
                other => panic!("{other:?} does not begin a `for`"),
            })
            .collect();
        let step = step.map_or(String::new(), |e| self.expression(e));
        let head = format!("for ({}; {}; {step})", parts.join(", "), self.condition(condition));
        self.block(&head, body);
        self.line("}");
    }

    /// Without a semicolon.
    fn declaration(&self, s: &Statement) -> String {
        let StatementKind::Declare(name, ty, initial) = &s.kind else { panic!("this declares nothing") };
        let declared = match ty {
            Ty::Array => format!("int {name}[4]"),
            Ty::Points => format!("pt {name}[4]"),
            _ => format!("{} {name}", type_name(*ty)),
        };
        match initial {
            Initial::Unset => declared,
            Initial::Value(e) if *ty == Ty::Bool => format!("{declared} = {}", self.condition(e)),
            Initial::Value(e) => format!("{declared} = {}", self.int(e)),
            Initial::List(list) => {
                let mut numbers = list.iter().map(|e| self.int(e));
                format!("{declared} = {}", initializer(*ty, &mut numbers))
            }
            Initial::Copy(place) => format!("{declared} = {}", self.place(place)),
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = place.root.to_string();
        // The types on the way are those of the names of members.
        let members_of_points = |k: u8| ["x", "y"][usize::from(k)];
        let mut is_mixed = self.begins_with_mixed(place);
        for step in &place.steps {
            match step {
                Step::Member(k) => {
                    text += ".";
                    text += if is_mixed { ["t", "p"][usize::from(*k)] } else { members_of_points(*k) };
                    is_mixed = false;
                }
                Step::Element(Expr { kind: ExprKind::Number(n), .. }) => write!(text, "[{}]", n & 3).expect("a string takes all"),
                Step::Element(e) => write!(text, "[{} & 3]", self.int(e)).expect("a string takes all"),
            }
        }
        text
    }

    /// Only `mix` has two levels below a member; its parts end one level further up.
    fn begins_with_mixed(&self, place: &Place) -> bool {
        match (&place.steps[..], place.ty) {
            ([Step::Member(_)], ty) => !ty.is_number(),
            ([Step::Member(_), ..], _) => true,
            _ => false,
        }
    }

    fn expression(&self, e: &Expr) -> String {
        if is_condition(e) { self.condition(e) } else { self.int(e) }
    }

    /// As an `int`.
    fn int(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Number(n) => n.to_string(),
            ExprKind::Read(place) if place.ty == Ty::Bool => format!("({} ? 1 : 0)", self.place(place)),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.int(a), operator(*op), self.int(b)),
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => format!("({} ? 1 : 0)", self.condition(e)),
            ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", self.condition(c), self.int(a), self.int(b)),
            ExprKind::Assign(place, _, _) if place.ty == Ty::Bool => format!("({} ? 1 : 0)", self.condition(e)),
            ExprKind::Assign(place, op, value) => {
                format!("({} {}= {})", self.place(place), op.map_or("", operator), self.int(value))
            }
            ExprKind::Increment(place, by, gives) => {
                let (op, place) = (if *by > 0 { "++" } else { "--" }, self.place(place));
                if *gives == Gives::New { format!("({op}{place})") } else { format!("({place}{op})") }
            }
            ExprKind::Call(name, arguments) => {
                let argument = |a: &Argument| match a {
                    Argument::Value(e) => self.int(e),
                    Argument::Place(place) => self.place(place),
                };
                format!("{name}{}({})", self.suffix, arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// As a `bool`.
    fn condition(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Compare(op, a, b) => format!("({} {} {})", self.int(a), comparison(*op), self.int(b)),
            ExprKind::And(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
            ExprKind::Read(place) if place.ty == Ty::Bool => self.place(place),
            ExprKind::Assign(place, _, value) if place.ty == Ty::Bool => {
                format!("({} = {})", self.place(place), self.condition(value))
            }
            ExprKind::Number(_)
            | ExprKind::Read(_)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Assign(..)
            | ExprKind::Increment(..)
            | ExprKind::Call(..) => format!("({} != 0)", self.int(e)),
        }
    }
}

/// Is it a `bool` by itself?
fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => true,
        ExprKind::Read(place) | ExprKind::Assign(place, ..) => place.ty == Ty::Bool,
        ExprKind::Number(_) | ExprKind::Binary(..) | ExprKind::Conditional(..) | ExprKind::Increment(..) | ExprKind::Call(..) => {
            false
        }
    }
}

/// `{{1, 2}, {3, 4}}`
fn initializer(ty: Ty, numbers: &mut dyn Iterator<Item = String>) -> String {
    if ty.is_number() {
        return numbers.next().expect("a number for each leaf");
    }
    let parts: Vec<String> = (0..ty.parts()).map(|k| initializer(ty.part(k), numbers)).collect();
    format!("{{{}}}", parts.join(", "))
}
