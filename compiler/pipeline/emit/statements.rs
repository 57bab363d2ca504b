//! Statements of a completed nest as text, one by one.

use super::super::expr::{Expr, FuncId, Source, Variable};
use super::super::limits::NOTHING_DONE;
use super::super::loops::check::Check;
use super::super::loops::ir::{Accumulate, Operation, Order, Statement, Storage, Store, operation};
use super::super::loops::lower::memory_window;
use super::super::passes::widen::Root;
use super::printer::{Place, Printer};
use crate::typed::builtins::name_of;
use crate::typed::ir::{Builtin, CrossOp, ReduceOp};
use crate::typed::print::binary_symbol;
use crate::types::Element;

impl Printer<'_> {
    /// What stands in the function: start checks, windows, the work.
    pub fn body(&mut self) {
        let root = Root::of(&self.nest.body);
        root.early.into_iter().for_each(|check| self.check(check));
        if let Some(condition) = root.is_empty {
            let condition = self.text(condition);
            self.lines.push(format!("if ({condition}) return 0;"));
        }
        root.wide.into_iter().for_each(|(variable, value)| self.define(variable, value));
        root.checks.into_iter().for_each(|check| self.check(check));
        root.narrow.into_iter().for_each(|(variable, value)| self.define(variable, value));
        self.statement(root.work);
    }

    /// `require(condition, "text", …);`
    fn check(&mut self, check: &Check) {
        let condition = self.text(&check.condition);
        let text = format!("pipeline `{}`: {}", self.nest.pipeline.name, check.reason);
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        let numbers: Vec<String> = check.numbers.iter().map(|e| format!(", {}", self.number(e))).collect();
        self.lines.push(format!("require({condition}, \"{text}\"{});", numbers.concat()));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Nop => {}
            Statement::Assert(check) => self.check(check),
            Statement::Sequence(list) => list.iter().for_each(|s| self.statement(s)),
            Statement::Allocate(func, storage) => self.allocate(*func, *storage),
            Statement::Store(store) => self.store(store),
            Statement::Accumulate(update) => self.accumulate(update),
            Statement::If(condition, body) => {
                let condition = self.text(condition);
                self.block(format!("if ({condition}) {{"), "}", body);
            }
            Statement::Either(condition, sides) => {
                let condition = self.text(condition);
                self.block(format!("if ({condition}) {{"), "} else {", &sides[0]);
                self.reopen(&sides[1]);
            }
            Statement::For(l) => {
                let high = super::super::simplify::plus(&self.coordinate(&l.min), &self.coordinate(&l.length));
                let parallel = if l.order == Order::Parallel { "parallel " } else { "" };
                self.repeat(parallel, l.variable, 1, [&l.min, &high], &l.body);
            }
            Statement::Foreach(f) => {
                let parallel = if f.is_parallel { "parallel " } else { "" };
                self.repeat(parallel, f.variable, f.lanes, [&f.low, &f.high], &f.body);
            }
            Statement::Let(variable, value, body) => {
                self.define(*variable, value);
                self.statement(body);
            }
            Statement::Greatest(variable, value, body) => {
                let (value, is_uniform) = (self.text(value), self.is_uniform(value));
                let (name, definition) = self.local(*variable);
                let value = if is_uniform { value } else { format!("reduce_max({value})") };
                self.lines.push_definition(format!("int {name} = {value};"), definition);
                self.statement(body);
            }
            Statement::Slide(done, body) => {
                let (name, definition) = self.local(*done);
                self.lines.push_definition(format!("int {name} = {NOTHING_DONE};"), definition);
                self.statement(body);
            }
            Statement::Advance(done, e) => {
                let done = self.text(&Expr::variable(*done, Element::Int32, e.span()));
                let e = self.text(e);
                self.lines.push(format!("{done} = max({done}, {e});"));
            }
            Statement::Produce(_, body) | Statement::Stage(_, body) => self.statement(body),
        }
    }

    /// A block of its own, and the line that ends it.
    fn block(&mut self, head: String, end: &str, body: &Statement) {
        self.lines.open(head);
        self.within(|this| this.statement(body));
        self.lines.close(end);
    }

    /// What stands between a line that was the end of a block and the beginning of another one, and the end of that.
    fn reopen(&mut self, body: &Statement) {
        self.lines.reopen();
        self.within(|this| this.statement(body));
        self.lines.close("}");
    }

    fn repeat(&mut self, parallel: &str, variable: Variable, lanes: u8, ends: [&Expr; 2], body: &Statement) {
        let [low, high] = ends.map(|e| self.coordinate(e)).map(|e| self.text(&e));
        let length = if lanes > 1 { format!(" block[{lanes}]") } else { " scalar".to_owned() };
        self.within(|this| {
            this.varying.remove(&variable);
            let (name, _) = this.local(variable);
            this.lines.open(format!("{parallel}foreach (int{length} {name} = {low} .. {high}) {{"));
            let outer = this.lanes;
            if lanes > 1 {
                this.lanes = lanes;
                this.varying.insert(variable);
            }
            this.statement(body);
            this.lanes = outer;
            this.lines.close("}");
        });
    }

    /// The memory of a func; that of an output is the caller's.
    fn allocate(&mut self, id: FuncId, storage: Storage) {
        let func = self.nest.pipeline.func(id);
        if self.nest.pipeline.outputs.contains(&id) {
            return;
        }
        let rank = func.variables.len();
        let fold = self.nest.fold(id);
        let mut window: Vec<[Expr; 2]> =
            (0..rank).map(|d| memory_window(self.nest, id, d).map(|e| self.coordinate(&e))).collect();
        for (component, element) in func.elements.iter().enumerate() {
            let name = self.fresh(&self.component(id, component));
            let source = Source::Func(id, component);
            if rank == 0 || self.lanes > 1 {
                // What lanes have together is as long as the longest of them asks for.
                let mut count: Option<String> = None;
                for [_, extent] in &mut window {
                    let mut text = self.text(extent);
                    if !self.is_uniform(extent) {
                        text = format!("reduce_max({text})");
                    }
                    count = Some(count.map_or(text.clone(), |count| format!("({count}) * ({text})")));
                }
                let has_lanes = storage == Storage::PerLane;
                let scalar = if has_lanes { "" } else { " scalar" };
                let count = count.unwrap_or("1".into());
                self.lines.push(format!("scratch {}{scalar} {name}[{count}];", element.name()));
                self.places.insert(source, Place::Scratch { name, window: window.clone(), has_lanes });
                continue;
            }
            let mut dimensions = Vec::new();
            for (d, [min, extent]) in window.iter().enumerate() {
                dimensions.push(match fold {
                    Some(fold) if fold.dimension == d => format!("0 : {}", self.text(&fold.factor)),
                    _ => format!("{} : {}", self.text(min), self.text(extent)),
                });
            }
            self.lines.push(format!("{} {name}[{}];", element.name(), dimensions.join(", ")));
            let mask = fold.map(|fold| (fold.dimension, super::super::simplify::offset(&fold.factor, -1)));
            self.places.insert(source, Place::Image { name, fold: mask });
        }
    }

    /// A store: of a tuple, all values, then all stores.
    fn store(&mut self, store: &Store) {
        let func = store.stage.func;
        let elements = &self.nest.pipeline.func(func).elements;
        let mut values = Vec::new();
        for (value, element) in store.values.iter().zip(elements) {
            let mut text = self.text(value);
            if store.values.len() > 1 {
                let name = self.fresh("value");
                self.lines.push(format!("{} {name} = {text};", element.name()));
                text = name;
            }
            values.push(text);
        }
        for (component, value) in values.into_iter().enumerate() {
            let place = self.element_of(Source::Func(func, component), &store.indices);
            self.lines.push(format!("{place} = {value};"));
        }
    }

    /// An update that lanes or threads do to one element.
    fn accumulate(&mut self, update: &Accumulate) {
        let source = Source::Func(update.stage.func, 0);
        let (n, element) = (self.lanes, update.value.element().name());
        let mut value = self.operand(&update.value);
        if !update.is_over_lanes {
            let place = self.element_of(source, &update.indices);
            return self.combine(update, place, value);
        }
        if n > 1 {
            let name = self.fresh("value");
            self.lines.push(format!("{element} block[{n}] {name} = {value};"));
            value = name;
        }
        let is_shared = update.indices.iter().all(|index| self.is_uniform(index));
        if is_shared && update.value.element() != Element::Bool {
            let place = self.element_of(source, &update.indices);
            return self.combine(update, place, format!("{}({value})", reduction(update.op)));
        }
        // Indices that differ between lanes, lane by lane.
        let lane = self.fresh("lane");
        let mut indices = Vec::new();
        for (number, index) in update.indices.iter().enumerate() {
            if self.is_uniform(index) {
                indices.push(index.clone());
                continue;
            }
            let text = self.text(index);
            let place = self.fresh("place");
            self.lines.push(format!("int block[{n}] {place} = {text};"));
            // A variable that no nest has.
            let variable = Variable(u32::MAX - number as u32);
            self.values.insert(variable, super::printer::Value::Text(format!("get({place}, {lane})")));
            indices.push(Expr::variable(variable, Element::Int32, index.span()));
        }
        self.lines.open(format!("foreach_active (int {lane}) {{"));
        let place = self.element_of(source, &indices);
        self.combine(update, place, format!("get({value}, {lane})"));
        self.lines.close("}");
    }

    /// place = place ⊕ value, in one step where threads share it.
    fn combine(&mut self, update: &Accumulate, place: String, value: String) {
        let line = match (update.is_atomic, operation(update.op)) {
            (true, _) => format!("atomic_{}(&{place}, {value});", reduction(update.op).trim_start_matches("reduce_")),
            (false, Operation::Operator(op)) => format!("{place} = {place} {} {value};", binary_symbol(op)),
            (false, Operation::Builtin(op)) => format!("{place} = {}({place}, {value});", name_of(Builtin::Lane(op))),
        };
        self.lines.push(line);
    }
}

fn reduction(op: ReduceOp) -> &'static str {
    name_of(Builtin::Cross(CrossOp::Reduce(op)))
}
