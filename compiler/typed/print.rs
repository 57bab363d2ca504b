//! Typed programs as text: for `--emit typed` and for tests that look at what `check` made.
//!
//! The text follows the source language where that can say it and adds what is implicit there: contexts as `/* Λ = 8 */`,
//! broadcasts as `broadcast<8>(x)`, conversions as casts. It is for reading; nothing parses it.

use super::ir::*;
use crate::source::SourceMap;
use crate::target::{Memory, Unrolling};
use crate::types::{Element, Type, Types};
use ivl::Format;
use std::fmt::Write;

/// The whole program. `sources` has the text that reasons speak of.
pub fn print(program: &Program, sources: &SourceMap) -> String {
    let mut out = String::new();
    for global in &program.globals {
        let ty = program.types.display(global.ty);
        let _ = writeln!(out, "{ty} {} = {:?};", global.name, global.initializer);
    }
    // What there is for lanes alone is no part of what was written.
    for function in &program.functions[..program.functions.len() - program.of_lanes] {
        let printer = Printer { program, function, sources };
        let _ = write!(out, "\n// {} (Λ = {})\n", function.symbol, function.context);
        for parameter in &function.locals[..function.parameters] {
            let reasons = printer.reasons(parameter);
            if !reasons.is_empty() {
                let _ = writeln!(out, "//{}", reasons.trim_start_matches(" //"));
            }
        }
        out.push_str(&function.signature);
        match &function.body {
            Some(body) => {
                out.push(' ');
                printer.block(&mut out, body, 0);
                out.push('\n');
            }
            None => out.push_str(";\n"),
        }
    }
    out
}

struct Printer<'a> {
    program: &'a Program,
    function: &'a Function,
    sources: &'a SourceMap,
}

/// So much of the text that a reason speaks of is shown.
const QUOTED: usize = 40;

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "    ".repeat(depth));
}

impl Printer<'_> {
    fn types(&self) -> &Types {
        &self.program.types
    }

    fn ty(&self, ty: Type) -> String {
        self.types().display(ty)
    }

    fn local(&self, local: LocalId) -> String {
        format!("{}.{}", self.function.locals[local.0 as usize].name, local.0)
    }

    /// Why a variable is one per lane, as a comment.
    fn reasons(&self, local: &Local) -> String {
        let link = |reason: &Reason| {
            let (number, _) = self.sources.file(reason.span.file).line_column(reason.span.start);
            let text = self.sources.text(reason.span).lines().next().unwrap_or_default();
            let quoted: String = text.chars().take(QUOTED).collect();
            let dots = if quoted.len() < self.sources.text(reason.span).len() { " …" } else { "" };
            format!("{} (line {number}, `{quoted}{dots}`)", reason.text)
        };
        let links: Vec<String> = local.reasons.iter().map(link).collect();
        if links.is_empty() { String::new() } else { format!(" // {}", links.join("; ")) }
    }

    fn block(&self, out: &mut String, block: &Block, depth: usize) {
        let _ = writeln!(out, "{{ /* Λ = {} */", block.context);
        for statement in &block.statements {
            self.statement(out, statement, depth + 1);
        }
        let _ = write!(out, "{}}}", "    ".repeat(depth));
    }

    /// `head { … }` on lines of its own.
    fn headed(&self, out: &mut String, head: &str, block: &Block, depth: usize) {
        let _ = write!(out, "{}{head}", "    ".repeat(depth));
        self.block(out, block, depth);
        out.push('\n');
    }

    fn statement(&self, out: &mut String, statement: &Statement, depth: usize) {
        match &statement.kind {
            StatementKind::Block(block) => self.headed(out, "", block, depth),
            StatementKind::Declare { local, initializer } => {
                let ty = self.ty(self.function.locals[local.0 as usize].ty);
                let value = initializer.as_ref().map_or(String::new(), |e| format!(" = {}", self.expr(e)));
                let reasons = self.reasons(&self.function.locals[local.0 as usize]);
                line(out, depth, &format!("{ty} {}{value};{reasons}", self.local(*local)));
            }
            StatementKind::Expression(e) => line(out, depth, &format!("{};", self.expr(e))),
            StatementKind::If { condition, then, otherwise } => {
                self.headed(out, &format!("if ({}) ", self.expr(condition)), then, depth);
                if !otherwise.statements.is_empty() {
                    self.headed(out, "else ", otherwise, depth);
                }
            }
            StatementKind::Loop { test_first, unrolling, condition, step, body } => {
                let text = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| self.expr(e));
                let kind = if *test_first { "for" } else { "do" };
                self.headed(
                    out,
                    &format!("{}{kind} (; {}; {}) ", attribute(*unrolling), text(condition), text(step)),
                    body,
                    depth,
                );
            }
            StatementKind::Foreach { parallel, unrolling, indices, body } => {
                let index = |i: &ForeachIndex| {
                    let ty = self.ty(self.function.locals[i.local.0 as usize].ty);
                    format!("{ty} {} = {} .. {}", self.local(i.local), self.expr(&i.low), self.expr(&i.high))
                };
                let indices: Vec<String> = indices.iter().map(index).collect();
                let parallel = if *parallel { "parallel " } else { "" };
                self.headed(out, &format!("{}{parallel}foreach ({}) ", attribute(*unrolling), indices.join(", ")), body, depth);
            }
            StatementKind::ForeachActive { index, body } => {
                self.headed(out, &format!("foreach_active (int {}) ", self.local(*index)), body, depth);
            }
            StatementKind::ForeachUnique { local, value, body } => {
                self.headed(out, &format!("foreach_unique ({} : {}) ", self.local(*local), self.expr(value)), body, depth);
            }
            StatementKind::Switch { value, arms } => {
                line(out, depth, &format!("switch ({}) {{", self.expr(value)));
                for arm in arms {
                    let element = self.types().element(value.ty);
                    let labels = arm.labels.iter().map(|label| format!("case {}: ", constant(label, element)));
                    let default = arm.is_default.then(|| "default: ".to_owned());
                    self.headed(out, &labels.chain(default).collect::<String>(), &arm.body, depth);
                }
                line(out, depth, "}");
            }
            StatementKind::Scalar(block) => self.headed(out, "scalar ", block, depth),
            StatementKind::Break => line(out, depth, "break;"),
            StatementKind::Continue => line(out, depth, "continue;"),
            StatementKind::Return(None) => line(out, depth, "return;"),
            StatementKind::Return(Some(e)) => line(out, depth, &format!("return {};", self.expr(e))),
            StatementKind::Delete(memory, e) => {
                let word = match memory {
                    Memory::Heap => "delete",
                    Memory::Scratch => "release",
                };
                line(out, depth, &format!("{word} {};", self.expr(e)))
            }
        }
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Constant(value) => constant(value, self.types().element(e.ty)),
            ExprKind::Lanes(lanes) => format!("<{}>", self.list(lanes)),
            ExprKind::Aggregate(parts) => format!("{{ {} }}", self.list(parts)),
            ExprKind::Load(place) => self.place(place),
            ExprKind::AddressOf(place) => format!("&{}", self.place(place)),
            ExprKind::Unary(UnaryOp::Negate, a) => format!("-({})", self.expr(a)),
            ExprKind::Unary(UnaryOp::Not, a) => format!("~({})", self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), binary_symbol(*op), self.expr(b)),
            ExprKind::Compare(op, a, b) => format!("({} {} {})", self.expr(a), compare_symbol(*op), self.expr(b)),
            ExprKind::And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b)),
            ExprKind::Blend(a, b) => format!("[{}, {}]", self.expr(a), self.expr(b)),
            ExprKind::CurrentMask => "current_mask".into(),
            ExprKind::LaneIndex => "lane_index".into(),
            ExprKind::Convert(a) => format!("({}) {}", self.ty(e.ty), self.expr(a)),
            ExprKind::Broadcast(a) => format!("broadcast<{}>({})", self.types().length(e.ty), self.expr(a)),
            ExprKind::Assign { place, value } => format!("{} = {}", self.place(place), self.expr(value)),
            ExprKind::Compound { place, op, value, compute_as, old_value } => {
                let old = if *old_value { " /* old value */" } else { "" };
                let ty = self.ty(*compute_as);
                format!("{} {}= ({ty}) {}{old}", self.place(place), binary_symbol(*op), self.expr(value))
            }
            ExprKind::Call { function, arguments } => {
                format!("{}({})", self.program.functions[function.0 as usize].symbol, self.list(arguments))
            }
            ExprKind::Builtin(builtin, arguments) => format!("{}({})", builtin_name(*builtin), self.list(arguments)),
            ExprKind::SetLane { place, value, index } => {
                format!("set({}, {}, {})", self.place(place), self.expr(value), self.expr(index))
            }
            ExprKind::Member(a, index) => format!("{}.{}", self.expr(a), self.member(a.ty, *index)),
            ExprKind::Within(index, window) => {
                let [min, extent] = [&window.min, &window.extent].map(|e| self.expr(e));
                format!("within({}, {min}, {extent})", self.expr(index))
            }
            ExprKind::PointerOffset(p, i) => format!("({} + {})", self.expr(p), self.expr(i)),
            ExprKind::PointerDifference(p, q) => format!("({} - {})", self.expr(p), self.expr(q)),
            ExprKind::New(memory, counts) => {
                let word = match memory {
                    Memory::Heap => "new",
                    Memory::Scratch => "scratch",
                };
                let counts: Vec<String> = counts.iter().map(|count| self.expr(count)).collect();
                format!("{word}[{}] /* {} */", counts.join(" * "), self.ty(e.ty))
            }
            ExprKind::Print(channel, pieces) => {
                let piece = |p: &PrintPiece| match p {
                    PrintPiece::Text(text) => format!("{text:?}"),
                    PrintPiece::Value(e, format) if *format == Format::default() => self.expr(e),
                    PrintPiece::Value(e, format) => format!("{} as {format}", self.expr(e)),
                };
                format!("print({}{})", channel.word(), pieces.iter().map(piece).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Assert(a, text) => format!("assert({}) /* {text} */", self.expr(a)),
        }
    }

    fn member(&self, record: Type, index: usize) -> &str {
        self.types().try_members(record).and_then(|m| m.get(index)).map_or("?", |m| m.name.as_str())
    }

    fn place(&self, place: &Place) -> String {
        match &place.kind {
            PlaceKind::Local(local) => self.local(*local),
            PlaceKind::Global(global) => self.program.globals[global.0 as usize].name.clone(),
            PlaceKind::Dereference(p) => format!("*({})", self.expr(p)),
            PlaceKind::Member(of, index) => format!("{}.{}", self.place(of), self.member(of.object, *index)),
            PlaceKind::Element(of, index) => format!("{}[{}]", self.place(of), self.expr(index)),
            PlaceKind::Temporary(e) => format!("({})", self.expr(e)),
        }
    }
}

/// An operator as written.
pub fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
    }
}

/// A comparison as written.
pub fn compare_symbol(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "==",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::LessEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEqual => ">=",
    }
}

/// A constant of an element type (of none: `null`), as source text.
pub fn constant(value: &Constant, element: Option<Element>) -> String {
    match value {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(bits) => match element {
            Some(element) if element.is_signed() => {
                let unused = 64 - element.bits();
                ((*bits << unused) as i64 >> unused).to_string()
            }
            Some(_) | None => bits.to_string(),
        },
        Constant::Float(value) => format!("{value:?}"),
        Constant::Null => "null".into(),
    }
}

fn builtin_name(builtin: Builtin) -> String {
    match builtin {
        Builtin::Get => "Get".to_owned(),
        Builtin::Lane(op) => format!("{op:?}"),
        Builtin::Cross(op) => format!("{op:?}"),
        Builtin::Rearrange(op) => format!("{op:?}"),
        Builtin::Effect(op) => format!("{op:?}"),
    }
}

/// What stands in front of a loop.
fn attribute(unrolling: Unrolling) -> String {
    match unrolling {
        Unrolling::Usual => String::new(),
        Unrolling::All => "[[unroll]] ".into(),
        Unrolling::Rounds(rounds) => format!("[[unroll({rounds})]] "),
    }
}
