//! Random functions of the law.
//!
//! Half of them are *rich*: expressions are nested, and parameters change. The others compute little and jump much: control
//! flow over constants, so that every narrowing shows in the result. Each function folds all that it has into what it returns.

use super::tree::*;
use ivl_random::Random;

/// A group of a seed: none to two helpers, which call themselves and each other, and `f(a, b, c)`.
pub fn group(seed: u64) -> Group {
    let mut random = Random::new(seed);
    let is_rich = random.one_in(2);
    let mut generator = Generator {
        random,
        is_rich,
        names: 0,
        left: 0,
        scope: Vec::new(),
        counters: Vec::new(),
        numbers: Vec::new(),
        loops: 0,
        inside_switch: 0,
        helpers: Vec::new(),
        is_helper: false,
        own: "".into(),
    };
    generator.everything()
}

struct Generator {
    random: Random,
    is_rich: bool,
    names: usize,
    /// How many statements may still be written.
    left: i32,
    scope: Vec<(Name, Ty)>,
    /// Counters that are only read.
    counters: Vec<Name>,
    /// Parameters that are numbers and only read.
    numbers: Vec<Name>,
    loops: usize,
    inside_switch: usize,
    helpers: Vec<(Name, Vec<Parameter>)>,
    is_helper: bool,
    /// The function that is being written.
    own: Name,
}

const COMPARISONS: [Compare; 6] =
    [Compare::Less, Compare::Greater, Compare::Equal, Compare::NotEqual, Compare::LessEqual, Compare::GreaterEqual];

impl Generator {
    fn everything(&mut self) -> Group {
        use Passing::{Reference, Value};
        let signatures: [&[(Ty, Passing)]; 11] = [
            &[(Ty::Int, Reference), (Ty::Int, Value)],
            &[(Ty::Int, Reference), (Ty::Int, Value)],
            &[(Ty::Int, Reference), (Ty::Int, Reference)],
            &[(Ty::Int, Value), (Ty::Int, Value)],
            &[(Ty::Int, Value)],
            &[(Ty::Point, Reference), (Ty::Int, Value)],
            &[(Ty::Point, Value), (Ty::Int, Value)],
            &[(Ty::Array, Reference), (Ty::Int, Value)],
            &[(Ty::Mixed, Reference), (Ty::Int, Value)],
            &[(Ty::Mixed, Value), (Ty::Int, Value)],
            &[(Ty::Bool, Reference), (Ty::Int, Value)],
        ];
        let parameter = |name: &str, ty, passing| Parameter { name: name.into(), ty, passing };
        for j in 0..self.random.pick(&[0usize, 1, 1, 2]) {
            let chosen = signatures[self.random.below(signatures.len())];
            let mut parameters = vec![parameter("d", Ty::Int, Value)];
            parameters.extend(chosen.iter().enumerate().map(|(i, &(ty, passing))| parameter(&format!("p{i}"), ty, passing)));
            self.helpers.push((format!("h{j}").into(), parameters));
        }
        let mut functions = Vec::new();
        for (name, parameters) in self.helpers.clone() {
            self.left = self.random.pick(&[2, 4, 6]);
            self.is_helper = true;
            functions.push(self.function(name, parameters));
        }
        self.left = self.random.pick(&[3, 5, 8, 12]);
        self.is_helper = false;
        let parameters = ["a", "b", "c"].map(|name| parameter(name, Ty::Int, Value)).into();
        functions.push(self.function("f".into(), parameters));
        Group { functions }
    }

    fn function(&mut self, name: Name, parameters: Vec<Parameter>) -> Function {
        self.counters.clear();
        self.own = name.clone();
        let is_seen = |p: &&Parameter| p.passing == Passing::Reference || !p.ty.is_number();
        self.scope = parameters.iter().filter(is_seen).map(|p| (p.name.clone(), p.ty)).collect();
        let by_value = parameters.iter().filter(|p| p.passing == Passing::Value && p.ty == Ty::Int && &*p.name != "d");
        self.numbers = by_value.map(|p| p.name.clone()).collect();
        if self.is_rich {
            self.scope.extend(self.numbers.iter().map(|name| (name.clone(), Ty::Int)));
        }
        let mut body = Vec::new();
        use Ty::{Array, Bool, Int, Mixed, Point, Points};
        let first: &[Ty] = self.random.pick(&[
            &[Int][..],
            &[Int, Int],
            &[Int, Array],
            &[Int, Bool],
            &[Int, Point],
            &[Int, Int, Array],
            &[Int, Mixed],
            &[Int, Points],
        ]);
        for &ty in first {
            body.push(self.declaration(ty));
        }
        // Helpers are there to be called.
        if self.random.percent(70) {
            body.extend(self.call(1).map(run));
        }
        let count = 1 + self.random.below(5);
        body.extend(self.statements(count, 3));
        if self.is_helper && self.random.percent(40) && !self.numbers.is_empty() {
            let at = first.len() + self.random.below(body.len() - first.len() + 1);
            let name = self.numbers[self.numbers.len() - 1].clone();
            let condition = compare(Compare::Greater, var(&name), number(self.small(0, 3)));
            body.insert(at, jump_if(condition, StatementKind::Return(number(4))));
        }
        let result = self.summary();
        body.push(statement(StatementKind::Return(result)));
        Function { name, parameters, body }
    }

    /// Most of what is in scope, in one number.
    fn summary(&mut self) -> Expr {
        let mut sum = number(1);
        for (name, ty) in self.scope.clone() {
            for leaf in ty.leaves() {
                if self.random.percent(80) {
                    let leaf = read(leaf_place(&name, ty, &leaf));
                    sum = binary(Op::Add, binary(Op::Multiply, sum, number(7)), leaf);
                }
            }
        }
        sum
    }

    fn small(&mut self, low: i32, high: i32) -> i32 {
        self.random.between(i64::from(low), i64::from(high)) as i32
    }

    fn fresh(&mut self, stem: &str) -> Name {
        self.names += 1;
        format!("{stem}{}", self.names).into()
    }

    /// A variable with a value, or an `int` without one that is mostly set at once.
    fn declaration(&mut self, ty: Ty) -> Statement {
        let name = self.fresh("s");
        let initial = match ty {
            Ty::Int if self.random.percent(20) => Initial::Value(self.value(1)),
            Ty::Int => Initial::Value(number(self.small(0, 3))),
            Ty::Bool if self.random.one_in(2) => Initial::Value(self.condition(1)),
            Ty::Bool => Initial::Value(compare(Compare::Less, number(1), number(self.small(0, 2)))),
            Ty::Array | Ty::Point | Ty::Mixed | Ty::Points => self.several(ty),
        };
        self.scope.push((name.clone(), ty));
        statement(StatementKind::Declare(name, ty, initial))
    }

    fn several(&mut self, ty: Ty) -> Initial {
        if ty.is_record()
            && self.random.percent(20)
            && let Some(place) = self.place_of(ty)
        {
            return Initial::Copy(place);
        }
        let count = ty.leaves().len();
        let element = |this: &mut Self| if this.random.percent(15) { this.value(1) } else { number(this.small(0, 3)) };
        Initial::List((0..count).map(|_| element(self)).collect())
    }

    // ---- Places -----------------------------------------------------------------------------------------------------

    /// A place of this type inside of some variable.
    fn place_of(&mut self, ty: Ty) -> Option<Place> {
        let candidates: Vec<(Name, Ty)> = self.scope.iter().filter(|(_, of)| contains(*of, ty)).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let (name, of) = candidates[self.random.below(candidates.len())].clone();
        let mut place = whole(&name, of);
        while place.ty != ty {
            let parts = place.ty.parts();
            let possible: Vec<usize> = (0..parts).filter(|&k| contains(place.ty.part(k), ty)).collect();
            let k = possible[self.random.below(possible.len())];
            let step = if place.ty.is_array() { Step::Element(self.index()) } else { Step::Member(k as u8) };
            place = Place { ty: place.ty.part(k), ..place };
            place.steps.push(step);
        }
        Some(place)
    }

    fn index(&mut self) -> Expr {
        match self.random.below(10) {
            0..4 => number(self.small(0, 3)),
            4..7 if !self.numbers.is_empty() => self.number_read(),
            7..9 if !self.counters.is_empty() => self.counter_read(),
            9 if self.is_rich && self.random.one_in(2) => self.call(1).unwrap_or_else(|| number(1)),
            _ if self.is_rich => self.value(0),
            _ => number(self.small(0, 3)),
        }
    }

    fn number_read(&mut self) -> Expr {
        let name = self.numbers[self.random.below(self.numbers.len())].clone();
        var(&name)
    }

    fn counter_read(&mut self) -> Expr {
        let name = self.counters[self.random.below(self.counters.len())].clone();
        var(&name)
    }

    fn target(&mut self) -> Option<Place> {
        self.place_of(Ty::Int)
    }

    // ---- Expressions ------------------------------------------------------------------------------------------------

    /// Something short.
    fn atom(&mut self) -> Expr {
        match self.random.below(20) {
            0..6 => number(self.small(-1, 5)),
            6..10 if !self.counters.is_empty() => self.counter_read(),
            10..15 if !self.numbers.is_empty() => self.number_read(),
            _ => self.place_of(Ty::Int).map_or(number(1), read),
        }
    }

    fn value(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.atom();
        }
        match self.random.below(100) {
            0..25 => number(self.small(-2, 5)),
            25..40 => self.atom(),
            40..62 => {
                let op = self.random.pick(&[Op::Add, Op::Subtract, Op::Multiply, Op::Remainder, Op::Divide, Op::And]);
                let below = if self.is_rich { depth - 1 } else { 0 };
                binary(op, self.value(below), self.value(below))
            }
            62..68 => self.condition(depth),
            68..77 => {
                let (c, a, b) = (self.condition(depth), self.value(depth - 1), self.value(depth - 1));
                expr(ExprKind::Conditional(c.into(), a.into(), b.into()))
            }
            77..90 => self.side_effect(depth),
            _ => self.call(depth).unwrap_or_else(|| number(3)),
        }
    }

    /// `x = e`, `x += e`, `++x`, `x--`
    fn side_effect(&mut self, depth: usize) -> Expr {
        let Some(place) = self.target() else { return number(2) };
        if self.random.one_in(2) {
            let (by, gives) = (self.random.pick(&[1, 1, -1]), self.random.pick(&[Gives::New, Gives::Old]));
            return increment(place, by, gives);
        }
        let op = self.random.pick(&[None, None, Some(Op::Add), Some(Op::Subtract), Some(Op::Multiply)]);
        let value = self.value(depth - 1);
        expr(ExprKind::Assign(place, op, value.into()))
    }

    fn condition(&mut self, depth: usize) -> Expr {
        match self.random.below(20) {
            0..3 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                expr(ExprKind::And(a.into(), b.into()))
            }
            3..6 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                expr(ExprKind::Or(a.into(), b.into()))
            }
            6..8 => compare(Compare::Greater, self.side_effect(1), number(self.small(0, 3))),
            8..11 => self.place_of(Ty::Bool).map_or_else(|| self.comparison(depth), read),
            11 => match self.place_of(Ty::Bool) {
                Some(place) => expr(ExprKind::Assign(place, None, self.comparison(depth).into())),
                None => self.comparison(depth),
            },
            _ => self.comparison(depth),
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let left = match self.random.below(20) {
            0..11 if !self.numbers.is_empty() => self.number_read(),
            11..15 if !self.counters.is_empty() => self.counter_read(),
            15..17 if self.is_rich && depth > 0 => self.value(depth - 1),
            _ => self.atom(),
        };
        let right =
            if self.random.percent(30) && !self.counters.is_empty() { self.counter_read() } else { number(self.small(0, 4)) };
        compare(self.random.pick(&COMPARISONS), left, right)
    }

    /// Helpers call helpers while their first parameter lasts.
    fn call(&mut self, depth: usize) -> Option<Expr> {
        if self.helpers.is_empty() || self.is_helper && self.random.one_in(3) {
            return None;
        }
        // Of two helpers each rather calls the other one.
        let others: Vec<usize> = (0..self.helpers.len()).filter(|&k| self.helpers[k].0 != self.own).collect();
        let which = match self.random.below(3) {
            0 | 1 if !others.is_empty() => others[self.random.below(others.len())],
            _ => self.random.below(self.helpers.len()),
        };
        let (name, parameters) = self.helpers[which].clone();
        let mut arguments = vec![Argument::Value(if self.is_helper {
            binary(Op::Subtract, var("d"), number(1))
        } else if self.random.percent(15) {
            let number = self.atom();
            binary(Op::And, number, super::tree::number(1))
        } else {
            number(self.small(0, 2))
        })];
        for parameter in &parameters[1..] {
            arguments.push(match (parameter.passing, parameter.ty) {
                (Passing::Value, Ty::Int) => Argument::Value(self.value(depth - 1)),
                (Passing::Reference, ty) => Argument::Place(self.place_of(ty)?),
                (Passing::Value, ty) => Argument::Place(self.place_of(ty)?),
            });
        }
        let call = expr(ExprKind::Call(name, arguments));
        if !self.is_helper {
            return Some(call);
        }
        let lasts = compare(Compare::Greater, var("d"), number(0));
        Some(expr(ExprKind::Conditional(lasts.into(), call.into(), number(1).into())))
    }

    // ---- Statements -------------------------------------------------------------------------------------------------

    fn statements(&mut self, count: usize, depth: usize) -> Vec<Statement> {
        let mut list = Vec::new();
        for _ in 0..count {
            if self.left <= 0 {
                break;
            }
            self.left -= 1;
            list.extend(self.statement(depth));
        }
        list
    }

    /// The statements of a block of their own.
    fn block(&mut self, depth: usize, most: usize) -> Vec<Statement> {
        let outside = self.scope.len();
        let count = 1 + self.random.below(most);
        let mut list = self.statements(count, depth);
        if list.is_empty() {
            list.extend(self.change());
        }
        self.scope.truncate(outside);
        list
    }

    fn change(&mut self) -> Option<Statement> {
        let place = self.target()?;
        let op = self.random.pick(&[None, None, Some(Op::Add), Some(Op::Add), Some(Op::Multiply)]);
        let value = if self.random.percent(60) { number(self.small(0, 5)) } else { self.value(1) };
        Some(assign(place, op, value))
    }

    fn jump(&mut self) -> StatementKind {
        let is_in_loop = self.loops > 0;
        match self.random.below(7) {
            0..3 if is_in_loop || self.inside_switch > 0 => StatementKind::Break,
            3..6 if is_in_loop => StatementKind::Continue,
            _ => StatementKind::Return(self.value(1)),
        }
    }

    fn statement(&mut self, depth: usize) -> Vec<Statement> {
        match self.random.below(100) {
            _ if depth == 0 => self.simple(),
            0..30 => self.simple(),
            30..40 => {
                if self.random.percent(30) {
                    return self.set_later();
                }
                let ty = self.random.pick(&[Ty::Int, Ty::Int, Ty::Int, Ty::Bool, Ty::Array, Ty::Point, Ty::Mixed, Ty::Points]);
                vec![self.declaration(ty)]
            }
            40..60 => vec![self.conditional(depth)],
            60..86 => self.repetition(depth),
            86..95 => vec![self.switch(depth)],
            _ => {
                let (c, a, b) = (self.condition(1), self.value(2), self.value(2));
                vec![run(expr(ExprKind::Conditional(c.into(), a.into(), b.into())))]
            }
        }
    }

    /// `int s; s = e;`
    fn set_later(&mut self) -> Vec<Statement> {
        let name = self.fresh("s");
        let value = self.value(1);
        self.scope.push((name.clone(), Ty::Int));
        let set = assign(whole(&name, Ty::Int), None, value);
        vec![statement(StatementKind::Declare(name, Ty::Int, Initial::Unset)), set]
    }

    fn simple(&mut self) -> Vec<Statement> {
        match self.random.below(20) {
            0..4 => self.target().map(|place| run(increment(place, 1, Gives::New))).into_iter().collect(),
            4..7 => self.call(1).map(run).into_iter().collect(),
            7..9 => {
                let ty = self.random.pick(&[Ty::Int, Ty::Int, Ty::Point]);
                let Some(place) = self.place_of(ty) else { return Vec::new() };
                let name = self.fresh("r");
                self.scope.push((name.clone(), ty));
                vec![statement(StatementKind::Reference(name, place))]
            }
            9..11 => {
                let ty = self.random.pick(&[Ty::Point, Ty::Mixed]);
                let (Some(to), Some(from)) = (self.place_of(ty), self.place_of(ty)) else {
                    return Vec::new();
                };
                vec![statement(StatementKind::Copy(to, from))]
            }
            11..13 => {
                let Some(place) = self.place_of(Ty::Bool) else { return self.change().into_iter().collect() };
                let is_constant = self.random.one_in(2);
                let value =
                    if is_constant { compare(Compare::Less, number(1), number(self.small(0, 2))) } else { self.condition(1) };
                vec![assign(place, None, value)]
            }
            _ => self.change().into_iter().collect(),
        }
    }

    fn conditional(&mut self, depth: usize) -> Statement {
        let condition = self.condition(1);
        if self.random.percent(40) {
            let mut then = if self.random.percent(40) { self.block(depth - 1, 1) } else { Vec::new() };
            then.push(statement(self.jump()));
            let otherwise = if self.random.percent(25) { self.block(depth - 1, 1) } else { Vec::new() };
            return statement(StatementKind::If(condition, then, otherwise));
        }
        let then = self.block(depth - 1, 3);
        let otherwise = if self.random.percent(40) { self.block(depth - 1, 3) } else { Vec::new() };
        statement(StatementKind::If(condition, then, otherwise))
    }

    fn loop_body(&mut self, depth: usize) -> Vec<Statement> {
        self.loops += 1;
        let mut body = self.block(depth - 1, 3);
        if self.random.percent(50) {
            let at = self.random.below(body.len() + 1);
            let (condition, jump) = (self.condition_outside(), self.jump());
            // What it reads may be declared behind it, hence the parameters and counters alone.
            let jump = if let StatementKind::Return(_) = jump { StatementKind::Return(number(self.small(0, 9))) } else { jump };
            body.insert(at, jump_if(condition, jump));
        }
        self.loops -= 1;
        body
    }

    /// A condition on what the whole function knows.
    fn condition_outside(&mut self) -> Expr {
        let left = if self.numbers.is_empty() { number(1) } else { self.number_read() };
        let right = if self.counters.is_empty() { number(self.small(0, 4)) } else { self.counter_read() };
        compare(self.random.pick(&COMPARISONS), left, right)
    }

    fn repetition(&mut self, depth: usize) -> Vec<Statement> {
        let outside = self.scope.len();
        let counter = self.fresh("i");
        let place = || whole(&counter, Ty::Int);
        let bound = match self.random.below(10) {
            0..4 if !self.numbers.is_empty() => binary(Op::And, self.number_read(), number(3)),
            4 => binary(Op::And, self.atom(), number(3)),
            _ => number(self.small(1, 4)),
        };
        let mut condition = compare(Compare::Less, var(&counter), bound);
        if self.random.percent(20) {
            condition = expr(ExprKind::And(condition.into(), self.condition(1).into()));
        }
        let next = || increment(place(), 1, Gives::New);
        let kind = self.random.below(20);
        self.counters.push(counter.clone());
        let changes_counter = kind < 10 && self.random.percent(15);
        if changes_counter {
            self.scope.push((counter.clone(), Ty::Int));
        }
        let mut body = self.loop_body(depth);
        self.scope.truncate(outside);
        self.counters.pop();
        let begin = |initial| statement(StatementKind::Declare(counter.clone(), Ty::Int, initial));
        let zero = Initial::Value(number(0));
        if kind < 10 {
            let mut initial = vec![begin(zero)];
            if self.random.percent(15) {
                let other = self.fresh("j");
                initial.push(statement(StatementKind::Declare(other, Ty::Int, Initial::Value(self.atom()))));
            }
            let step = if self.random.percent(80) { next() } else { binary(Op::Add, next(), self.value(1)) };
            return vec![statement(StatementKind::For(initial, condition, Some(step), body))];
        }
        // The counter is seen behind the loop.
        if self.random.one_in(2) {
            self.scope.push((counter.clone(), Ty::Int));
        }
        match kind {
            10..13 => {
                let initial = vec![assign(place(), None, number(0))];
                vec![begin(Initial::Unset), statement(StatementKind::For(initial, condition, Some(next()), body))]
            }
            13..16 => {
                body.insert(0, run(next()));
                vec![begin(zero), statement(StatementKind::While(condition, body))]
            }
            16..18 => {
                body.insert(0, run(next()));
                vec![begin(zero), statement(StatementKind::Do(body, condition))]
            }
            _ => {
                let bound = if self.numbers.is_empty() { number(3) } else { self.number_read() };
                let condition = compare(Compare::Less, increment(place(), 1, Gives::Old), bound);
                vec![begin(zero), statement(StatementKind::While(condition, body))]
            }
        }
    }

    fn switch(&mut self, depth: usize) -> Statement {
        let value = binary(Op::And, self.atom(), number(3));
        let mut labels = vec![Some(0), Some(1), Some(2)];
        labels.rotate_left(self.random.below(3));
        labels.truncate(1 + self.random.below(3));
        if self.random.percent(60) {
            labels.insert(self.random.below(labels.len() + 1), None);
        }
        self.inside_switch += 1;
        let mut cases = Vec::new();
        for label in labels {
            let mut body = self.block(depth - 1, 2);
            if self.random.percent(40) {
                let at = self.random.below(body.len() + 1);
                body.insert(at, jump_if(self.condition_outside(), StatementKind::Break));
            }
            if self.random.one_in(2) {
                body.push(statement(StatementKind::Break));
            }
            cases.push((label, body));
        }
        self.inside_switch -= 1;
        statement(StatementKind::Switch(value, cases))
    }
}

/// Does a variable of one type have a part of another?
fn contains(of: Ty, ty: Ty) -> bool {
    of == ty || (0..of.parts()).any(|k| contains(of.part(k), ty))
}

fn leaf_place(name: &str, ty: Ty, leaf: &[u8]) -> Place {
    let mut place = whole(name, ty);
    for &k in leaf {
        let step = if place.ty.is_array() { Step::Element(number(i32::from(k))) } else { Step::Member(k) };
        place = Place { ty: place.ty.part(usize::from(k)), ..place };
        place.steps.push(step);
    }
    place
}
