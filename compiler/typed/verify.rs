//! Checks the invariants of `typed::ir`, item by item. Runs behind `check` in debug builds: a violation is a bug of the
//! compiler, never of the program.

use super::ir::*;
use crate::types::{Element, Type, TypeKind, Types};

/// All violations, each with the function that it stands in; empty for a good program.
pub fn verify(program: &Program) -> Vec<String> {
    let mut violations = Vec::new();
    for function in &program.functions {
        let mut verifier =
            Verifier { program, function, loops: Vec::new(), switch: None, in_parallel: 0, violations: &mut violations };
        verifier.function();
    }
    violations
}

struct Verifier<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The contexts of the enclosing loops' bodies, the innermost last.
    loops: Vec<u8>,
    /// How many of them are around the innermost `switch`, and its context; `None` in a loop without one.
    switch: Option<(usize, u8)>,
    /// How many of them are outside of the innermost parallel one, that included; 0 if there is none.
    in_parallel: usize,
    violations: &'a mut Vec<String>,
}

impl Verifier<'_> {
    fn types(&self) -> &Types {
        &self.program.types
    }

    fn expect(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            let text = format!("{}: {}", self.function.symbol, message());
            self.violations.push(text);
        }
    }

    fn length(&self, ty: Type) -> u8 {
        self.types().length(ty)
    }

    fn local_type(&self, local: LocalId) -> Type {
        self.function.locals[local.0 as usize].ty
    }

    fn function(&mut self) {
        let function = self.function;
        self.expect(function.parameters <= function.locals.len(), || "more parameters than locals".into());
        for local in &function.locals {
            // Invariant 5.
            let is_error = self.types().is_error(local.ty);
            self.expect(!is_error, || format!("`{}` has the error type", local.name));
        }
        if let Some(body) = &function.body {
            let (from, to) = (function.context, body.context);
            self.expect(from == to || from == 1, || format!("context {from} has a body of context {to}"));
            self.block(body);
        }
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement, block.context);
        }
    }

    /// Invariant 3: a block of context `inner` in one of context `outer`.
    fn nested(&mut self, block: &Block, outer: u8) {
        let inner = block.context;
        self.expect(inner == outer || outer == 1, || format!("context {inner} inside of context {outer}"));
        self.block(block);
    }

    fn loop_body(&mut self, block: &Block) {
        self.loops.push(block.context);
        self.block(block);
        self.loops.pop();
    }

    /// A `bool` of length 1 or that of the context it opens.
    fn condition(&mut self, e: &Expr, opened: u8, outer: u8) {
        self.expr(e, opened);
        let (element, length) = (self.types().element(e.ty), self.length(e.ty));
        self.expect(element == Some(Element::Bool), || format!("a condition of type {}", display(self.program, e.ty)));
        let expected = if opened == outer { length == 1 || length == opened } else { true };
        self.expect(expected && (length == 1 || length == opened), || format!("a condition of length {length} opens {opened}"));
    }

    fn statement(&mut self, statement: &Statement, context: u8) {
        match &statement.kind {
            StatementKind::Block(block) => self.nested(block, context),
            StatementKind::Declare { local, initializer } => {
                if let Some(e) = initializer {
                    self.expr(e, context);
                    let ty = self.local_type(*local);
                    self.same(ty, e.ty, "an initializer");
                }
            }
            StatementKind::Expression(e) => self.expr(e, context),
            StatementKind::If { condition, then, otherwise } => {
                let opened = then.context;
                self.expr(condition, context);
                let length = self.length(condition.ty);
                let expected = if length > 1 { length } else { context };
                self.expect(opened == expected && otherwise.context == expected, || {
                    format!("an if on length {length} in context {context} opens context {opened}")
                });
                self.nested(then, context);
                self.nested(otherwise, context);
            }
            StatementKind::Loop { test_first: _, unrolling: _, condition, step, body } => {
                let opened = body.context;
                self.expect(opened == context || context == 1, || format!("a loop of context {opened} in context {context}"));
                if let Some(e) = condition {
                    self.condition(e, opened, context);
                }
                if let Some(e) = step {
                    self.expr(e, opened);
                }
                self.loop_body(body);
            }
            StatementKind::Foreach { parallel, unrolling: _, indices, body } => {
                self.expect(!parallel || context == 1, || format!("a parallel loop in context {context}"));
                let mut blocks = 0;
                for index in indices {
                    self.expr(&index.low, context);
                    self.expr(&index.high, context);
                    let (low, high) = (self.length(index.low.ty), self.length(index.high.ty));
                    self.expect(low == 1 && high == 1, || "a bound of a foreach is a vector".into());
                    let length = self.length(self.local_type(index.local));
                    blocks += usize::from(length > 1);
                    self.expect(length == 1 || (length == body.context && context == 1), || {
                        format!("a foreach index of length {length} opens context {} in {context}", body.context)
                    });
                }
                self.expect(blocks <= 1, || "a foreach with two block indices".into());
                let before = self.in_parallel;
                if *parallel {
                    self.in_parallel = self.loops.len() + 1;
                }
                self.loop_body(body);
                self.in_parallel = before;
            }
            StatementKind::ForeachActive { index: _, body } => {
                self.expect(body.context == 1, || "the body of foreach_active has context 1".into());
                self.loop_body(body);
            }
            StatementKind::ForeachUnique { local: _, value, body } => {
                self.expr(value, context);
                let length = self.length(value.ty);
                self.expect(body.context == context || context == 1, || {
                    format!("foreach_unique over length {length} in context {context} opens {}", body.context)
                });
                self.loop_body(body);
            }
            StatementKind::Scalar(block) => {
                self.expect(block.context == 1, || "scalar opens context 1".into());
                self.block(block);
            }
            StatementKind::Switch { value, arms } => self.switch(value, arms, context),
            StatementKind::Break | StatementKind::Continue => {
                // Invariants 4 and 6.
                let is_break = matches!(statement.kind, StatementKind::Break);
                let switch = self.switch.filter(|(loops, _)| is_break && *loops == self.loops.len());
                let leaves = is_break && switch.is_none() && self.in_parallel == self.loops.len();
                self.expect(!leaves || self.loops.is_empty(), || "a break out of a parallel loop".into());
                let target = switch.map(|(_, context)| context).or(self.loops.last().copied());
                self.expect(target.is_some_and(|t| context == 1 || context == t), || {
                    format!("a jump in context {context} to a loop of context {target:?}")
                });
            }
            StatementKind::Return(value) => {
                self.expect(self.in_parallel == 0, || "a return out of a parallel loop".into());
                let target = self.function.body.as_ref().map_or(1, |b| b.context);
                self.expect(context == 1 || context == target, || format!("a return in context {context} from {target}"));
                if let Some(e) = value {
                    self.expr(e, context);
                    self.same(self.function.result, e.ty, "a returned value");
                }
            }
            StatementKind::Delete(_, e) => self.expr(e, context),
        }
    }

    fn switch(&mut self, value: &Expr, arms: &[SwitchArm], context: u8) {
        self.expr(value, context);
        let (element, length) = (self.types().element(value.ty), self.length(value.ty));
        let opened = arms.first().map_or(context, |arm| arm.body.context);
        self.expect(!arms.is_empty(), || "a switch without arms".into());
        self.expect(element.is_some_and(|e| !e.is_float()), || format!("a switch on {}", display(self.program, value.ty)));
        self.expect(length == 1 || length == opened, || format!("a switch on length {length} opens context {opened}"));
        self.expect(arms.iter().filter(|arm| arm.is_default).count() <= 1, || "two defaults in a switch".into());
        let labels: Vec<Constant> = arms.iter().flat_map(|arm| arm.labels.iter().copied()).collect();
        let fit = |label: &Constant| match label {
            Constant::Bool(_) => element == Some(Element::Bool),
            Constant::Int(bits) => element.is_some_and(|e| e.is_integer() && (e.bits() == 64 || bits >> e.bits() == 0)),
            Constant::Float(_) | Constant::Null => false,
        };
        self.expect(labels.iter().all(fit), || "a label of another type than the value of its switch".into());
        let outer = self.switch.replace((self.loops.len(), opened));
        for arm in arms {
            self.expect(arm.body.context == opened, || "arms of a switch in several contexts".into());
            self.nested(&arm.body, context);
        }
        self.switch = outer;
    }

    fn same(&mut self, expected: Type, found: Type, what: &str) {
        let program = self.program;
        self.expect(expected == found, || {
            format!("{what} of type {} instead of {}", display(program, found), display(program, expected))
        });
    }

    /// Invariant 2: τ⃗(Λ, τ).
    fn access(&mut self, ty: Type, context: u8) {
        let length = self.length(ty);
        self.expect(context == 1 || length == 1 || length == context, || {
            format!("length {length} accessed in context {context}")
        });
    }

    fn exprs(&mut self, list: &[Expr], context: u8) {
        list.iter().for_each(|e| self.expr(e, context));
    }

    fn expr(&mut self, e: &Expr, context: u8) {
        let is_error = self.types().is_error(e.ty);
        self.expect(!is_error, || "an expression of the error type".into());
        match &e.kind {
            ExprKind::Constant(_) => {
                let length = self.length(e.ty);
                self.expect(length == 1, || format!("a constant of length {length}"));
            }
            ExprKind::Lanes(lanes) => {
                self.exprs(lanes, context);
                let length = self.length(e.ty);
                self.expect(lanes.len() == length as usize, || format!("{} lanes for length {length}", lanes.len()));
            }
            ExprKind::Aggregate(parts) => {
                self.exprs(parts, context);
                let expected = match *self.types().kind(e.ty) {
                    TypeKind::Record { .. } => self.types().members(e.ty).len() as u64,
                    TypeKind::Array { count, .. } => count,
                    TypeKind::Error | TypeKind::Void | TypeKind::Vector { .. } | TypeKind::Pointer { .. } => 0,
                };
                self.expect(parts.len() as u64 == expected, || format!("{} parts for {expected} components", parts.len()));
            }
            ExprKind::Load(place) => {
                self.place(place, context);
                self.same(place.ty, e.ty, "a load");
                self.access(place.ty, context);
            }
            ExprKind::AddressOf(place) => {
                self.place(place, context);
                let length = self.length(e.ty);
                self.expect(length == place.addresses, || format!("{} addresses as {length} pointers", place.addresses));
            }
            ExprKind::Unary(_, a) => {
                self.expr(a, context);
                self.same(e.ty, a.ty, "an operand");
            }
            ExprKind::Binary(_, a, b) => {
                // Invariant 1.
                self.expr(a, context);
                self.expr(b, context);
                self.same(a.ty, b.ty, "a right operand");
                self.same(e.ty, a.ty, "an operand");
            }
            ExprKind::Compare(_, a, b) => {
                self.expr(a, context);
                self.expr(b, context);
                self.same(a.ty, b.ty, "a right operand");
                let (la, le) = (self.length(a.ty), self.length(e.ty));
                self.expect(la == le, || format!("a comparison of length {la} gives length {le}"));
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let length = self.length(a.ty);
                let narrowed = if context == 1 { length } else { context };
                self.expr(a, context);
                self.expr(b, narrowed);
                self.same(a.ty, b.ty, "a right operand");
            }
            ExprKind::Conditional(c, a, b) => {
                self.expr(c, context);
                let length = self.length(c.ty);
                let narrowed = if context == 1 { length } else { context };
                self.expr(a, narrowed);
                self.expr(b, narrowed);
                self.same(e.ty, a.ty, "the first arm");
                self.same(e.ty, b.ty, "the second arm");
            }
            ExprKind::Blend(a, b) => {
                self.expr(a, context);
                self.expr(b, context);
                self.same(e.ty, a.ty, "the active side");
                self.same(e.ty, b.ty, "the inactive side");
            }
            ExprKind::CurrentMask | ExprKind::LaneIndex => self.access(e.ty, context),
            ExprKind::Convert(a) => {
                self.expr(a, context);
                let (from, to) = (self.length(a.ty), self.length(e.ty));
                self.expect(from == to, || format!("a conversion from length {from} to {to}"));
            }
            ExprKind::Broadcast(a) => {
                self.expr(a, context);
                let from = self.length(a.ty);
                self.expect(from == 1, || format!("a broadcast from length {from}"));
            }
            ExprKind::Assign { place, value } => {
                self.place(place, context);
                self.expr(value, context);
                self.same(place.ty, value.ty, "an assigned value");
                self.access(place.ty, context);
            }
            ExprKind::Compound { place, op: _, value, compute_as: _, old_value: _ } => {
                self.place(place, context);
                self.expr(value, context);
                self.access(place.ty, context);
            }
            ExprKind::Call { function, arguments } => {
                self.exprs(arguments, context);
                let callee = &self.program.functions[function.0 as usize];
                let name = &callee.symbol;
                self.expect(callee.parameters == arguments.len(), || format!("{} arguments for {name}", arguments.len()));
                self.expect(callee.context == context, || format!("{name} of context {} called in {context}", callee.context));
                for (local, argument) in callee.locals[..callee.parameters].iter().zip(arguments) {
                    self.same(local.ty, argument.ty, "an argument");
                }
                self.same(callee.result, e.ty, "a result");
            }
            ExprKind::Builtin(Builtin::Rearrange(RearrangeOp::LookUp), arguments) => {
                let [table, indices] = &arguments[..] else {
                    return self.expect(false, || "a look-up of a table by numbers".into());
                };
                match &table.kind {
                    // The table is read as a whole, whatever its length.
                    ExprKind::Load(place) => self.place(place, context),
                    _ => self.expr(table, context),
                }
                self.expr(indices, context);
            }
            ExprKind::Builtin(_, arguments) => self.exprs(arguments, context),
            ExprKind::SetLane { place, value, index } => {
                self.place(place, context);
                self.expr(value, context);
                self.expr(index, context);
            }
            ExprKind::Member(a, index) => {
                self.expr(a, context);
                let count = self.types().try_members(a.ty).map_or(0, <[_]>::len);
                self.expect(*index < count, || format!("member {index} of {count}"));
            }
            ExprKind::PointerOffset(p, i) => {
                self.expr(p, context);
                self.expr(i, context);
                let (lp, li, l) = (self.length(p.ty), self.length(i.ty), self.length(e.ty));
                self.expect((lp == l || lp == 1) && (li == l || li == 1), || format!("pointers {lp} + indices {li} give {l}"));
            }
            ExprKind::Within(index, window) => {
                self.expr(index, context);
                self.expr(&window.min, context);
                self.expr(&window.extent, context);
            }
            ExprKind::PointerDifference(p, q) => {
                self.expr(p, context);
                self.expr(q, context);
            }
            ExprKind::New(_, counts) => {
                for count in counts {
                    self.expr(count, context);
                }
            }
            ExprKind::Print(_, pieces) => {
                for piece in pieces {
                    match piece {
                        PrintPiece::Text(_) => {}
                        PrintPiece::Value(e, _) => self.expr(e, context),
                    }
                }
            }
            ExprKind::Assert(a, _) => self.expr(a, context),
        }
    }

    fn place(&mut self, place: &Place, context: u8) {
        match &place.kind {
            PlaceKind::Local(local) => {
                let known = (local.0 as usize) < self.function.locals.len();
                self.expect(known, || format!("local {} does not exist", local.0));
                if known {
                    self.same(self.local_type(*local), place.object, "a variable's object");
                }
            }
            PlaceKind::Global(global) => {
                let known = (global.0 as usize) < self.program.globals.len();
                self.expect(known, || format!("global {} does not exist", global.0));
            }
            PlaceKind::Dereference(p) => {
                self.expr(p, context);
                let length = self.length(p.ty);
                self.expect(length == place.addresses, || format!("{length} pointers as {} addresses", place.addresses));
            }
            PlaceKind::Member(of, index) => {
                self.place(of, context);
                let count = self.types().try_members(of.object).map_or(0, <[_]>::len);
                self.expect(*index < count, || format!("member {index} of {count}"));
            }
            PlaceKind::Element(of, index) => {
                self.place(of, context);
                self.expr(index, context);
            }
            PlaceKind::Temporary(e) => self.expr(e, context),
        }
    }
}

fn display(program: &Program, ty: Type) -> String {
    program.types.display(ty)
}
