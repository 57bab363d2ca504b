//! The lengths of unbound variables by the rule alone: a least fixpoint over the trees of the law. It shares nothing with the
//! checker, whose lengths are compared with these.
//!
//! All lengths begin at 1 and only grow. Each round goes through every instance once; it knows around each statement the
//! [`Region`]s from the function down, each of the length of the narrowing that it is, or of none. What a later statement
//! finds out about an earlier one (a `break` about its loop, a `return` about the function) is a flag that the next round sees.

use super::tree::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A function at a context and lengths of arguments.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key {
    pub function: Name,
    pub context: u8,
    pub arguments: Vec<u8>,
}

/// What an instance is in the end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Inferred {
    pub function: Name,
    pub context: u8,
    pub result: u8,
    /// Variables and parameters, but no local references.
    pub lengths: BTreeMap<Name, u8>,
}

/// The instances that a call of `f` needs, by the rule, and whether lanes leave some loop of theirs one by one.
pub fn infer(group: &Group, context: u8, arguments: Vec<u8>) -> (BTreeSet<Inferred>, bool) {
    let mut inference = Inference::new(group);
    let root = Key { function: group.entry().name.clone(), context, arguments };
    inference.instance(&root);
    loop {
        inference.has_changed = false;
        let mut at = 0;
        while at < inference.instances.len() {
            inference.round(at);
            at += 1;
        }
        if !inference.has_changed {
            return inference.reachable(&root);
        }
    }
}

/// What a jump tells about what it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Flag {
    /// A partial `break` of a loop or switch.
    Break,
    /// A partial `continue` of a loop.
    Continue,
    /// A partial `return` inside of a loop.
    Return,
    /// A jump in a context of lanes out of this: the context that it opens here.
    Context,
}

struct Instance {
    key: Key,
    result: u8,
    lengths: HashMap<Name, u8>,
    /// The reference parameters that it assigns.
    assigned: BTreeSet<Name>,
    flags: HashMap<(u32, Flag), u8>,
    expressions: HashMap<u32, u8>,
    calls: HashMap<u32, Key>,
    diverges: bool,
}

/// What is around a statement.
struct Region {
    /// Of the narrowing that it is, else 1.
    length: u8,
    /// Of the narrowing that it is for what a caller sees.
    for_caller: u8,
}

/// A loop or a switch around a statement, and how many regions are outside of its inside.
struct Target {
    id: u32,
    is_switch: bool,
    depth: usize,
}

/// What an assignment changes.
enum Changed<'g> {
    Result,
    Variable(&'g Name),
}

struct Inference<'g> {
    group: &'g Group,
    instances: Vec<Instance>,
    index: HashMap<Key, usize>,
    has_changed: bool,
    // Of the instance that is looked at:
    at: usize,
    context: u8,
    regions: Vec<Region>,
    targets: Vec<Target>,
    /// How many regions are around each declaration.
    depths: HashMap<Name, usize>,
    references: HashMap<Name, &'g Place>,
}

impl<'g> Inference<'g> {
    fn new(group: &'g Group) -> Self {
        Inference {
            group,
            instances: Vec::new(),
            index: HashMap::new(),
            has_changed: false,
            at: 0,
            context: 1,
            regions: Vec::new(),
            targets: Vec::new(),
            depths: HashMap::new(),
            references: HashMap::new(),
        }
    }

    fn instance(&mut self, key: &Key) -> usize {
        if let Some(&at) = self.index.get(key) {
            return at;
        }
        let parameters = &self.group.function(&key.function).parameters;
        let lengths = parameters.iter().zip(&key.arguments).map(|(p, &length)| (p.name.clone(), length)).collect();
        self.instances.push(Instance {
            key: key.clone(),
            result: 1,
            lengths,
            assigned: BTreeSet::new(),
            flags: HashMap::new(),
            expressions: HashMap::new(),
            calls: HashMap::new(),
            diverges: false,
        });
        self.has_changed = true;
        self.index.insert(key.clone(), self.instances.len() - 1);
        self.instances.len() - 1
    }

    fn current(&mut self) -> &mut Instance {
        &mut self.instances[self.at]
    }

    fn flag(&mut self, id: u32, flag: Flag) -> u8 {
        self.current().flags.get(&(id, flag)).copied().unwrap_or(1)
    }

    fn set_flag(&mut self, id: u32, flag: Flag, length: u8) {
        let old = self.current().flags.insert((id, flag), length);
        self.has_changed |= old.unwrap_or(1) != length;
    }

    fn round(&mut self, at: usize) {
        self.at = at;
        let key = self.instances[at].key.clone();
        let function = self.group.function(&key.function);
        self.context = key.context.max(self.flag(0, Flag::Context));
        self.regions = vec![Region { length: 1, for_caller: 1 }];
        self.targets.clear();
        self.depths.clear();
        self.references.clear();
        for p in &function.parameters {
            self.depths.insert(p.name.clone(), usize::from(p.passing == Passing::Value));
        }
        self.statements(&function.body);
    }

    fn reachable(&self, root: &Key) -> (BTreeSet<Inferred>, bool) {
        let (mut work, mut seen) = (vec![root.clone()], BTreeSet::new());
        let (mut all, mut diverges) = (BTreeSet::new(), false);
        while let Some(key) = work.pop() {
            if !seen.insert(key.clone()) {
                continue;
            }
            let instance = &self.instances[self.index[&key]];
            diverges |= instance.diverges;
            work.extend(instance.calls.values().cloned());
            let lengths = instance.lengths.iter().map(|(name, &length)| (name.clone(), length)).collect();
            all.insert(Inferred { function: key.function, context: key.context, result: instance.result, lengths });
        }
        (all, diverges)
    }

    // ---- Assignments ------------------------------------------------------------------------------------------------

    /// Clause 3: the narrowings between here and the declaration; of what the caller sees, those of clause (e), too.
    fn narrowed(&self, changed: &Changed) -> u8 {
        let depth = match changed {
            Changed::Result => 0,
            Changed::Variable(name) => self.depths[*name],
        };
        let inside = self.regions[depth..].iter().map(|r| r.length).max().unwrap_or(1);
        if depth > 0 {
            return inside;
        }
        self.regions.iter().map(|r| r.for_caller).max().unwrap_or(1).max(inside)
    }

    fn grow(&mut self, name: &Name, length: u8) {
        let old = self.current().lengths.entry(name.clone()).or_insert(1);
        let has_grown = length > *old;
        *old = length.max(*old);
        self.has_changed |= has_grown;
    }

    /// An assignment of a value of this length.
    fn assign(&mut self, place: &'g Place, value: u8) {
        let (place, mut length) = self.named(place, value);
        length = length.max(self.indices(place));
        let name = &place.root;
        length = length.max(self.narrowed(&Changed::Variable(name)));
        self.grow(name, length);
        let at = self.at;
        let function = self.group.function(&self.instances[at].key.function);
        let is_reference = |p: &Parameter| p.name == *name && p.passing == Passing::Reference;
        if function.parameters.iter().any(is_reference) {
            self.has_changed |= self.current().assigned.insert(name.clone());
        }
    }

    /// The place of a variable, not of a local reference, with the length of the indices on the way there.
    fn named(&self, place: &'g Place, length: u8) -> (&'g Place, u8) {
        let (mut place, mut length) = (place, length);
        while let Some(other) = self.references.get(&place.root) {
            length = length.max(self.indices(place));
            place = other;
        }
        (place, length)
    }

    /// Clause 2.
    fn indices(&self, place: &Place) -> u8 {
        let known = &self.instances[self.at].expressions;
        let of_step = |step: &Step| match step {
            Step::Member(_) => 1,
            Step::Element(index) => known.get(&index.id).copied().unwrap_or(1),
        };
        place.steps.iter().map(of_step).max().unwrap_or(1)
    }

    // ---- Expressions ------------------------------------------------------------------------------------------------

    /// The length of what is loaded from a place.
    fn place(&mut self, place: &'g Place) -> u8 {
        for step in &place.steps {
            if let Step::Element(index) = step {
                self.expression(index);
            }
        }
        let (named, length) = self.named(place, 1);
        let of_variable = self.current().lengths.get(&named.root).copied().unwrap_or(1);
        length.max(self.indices(place)).max(self.indices(named)).max(of_variable)
    }

    /// Under a narrowing of this length.
    fn narrow<T>(&mut self, length: u8, inside: impl FnOnce(&mut Self) -> T) -> T {
        let context = self.context;
        self.context = context.max(length);
        self.regions.push(Region { length, for_caller: 1 });
        let result = inside(self);
        self.regions.pop();
        self.context = context;
        result
    }

    fn expression(&mut self, e: &'g Expr) -> u8 {
        let length = self.length(e);
        let known = self.current().expressions.entry(e.id).or_insert(0);
        let has_changed = *known < length;
        *known = length.max(*known);
        self.has_changed |= has_changed;
        length
    }

    fn length(&mut self, e: &'g Expr) -> u8 {
        match &e.kind {
            ExprKind::Number(_) => 1,
            ExprKind::Read(place) => self.place(place),
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => self.expression(a).max(self.expression(b)),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let left = self.expression(a);
                self.narrow(left, |this| this.expression(b)).max(left)
            }
            ExprKind::Conditional(c, a, b) => {
                let length = self.expression(c);
                let [a, b] = [a, b].map(|e| self.narrow(length, |this| this.expression(e)));
                length.max(a).max(b)
            }
            ExprKind::Assign(place, op, value) => {
                let (mut value, old) = (self.expression(value), self.place(place));
                if op.is_some() {
                    value = value.max(old);
                }
                self.assign(place, value);
                self.place(place)
            }
            ExprKind::Increment(place, ..) => {
                let length = self.place(place);
                self.assign(place, length);
                self.place(place)
            }
            ExprKind::Call(name, arguments) => self.call(e.id, name, arguments),
        }
    }

    /// A call takes the summary of the instance as it stands, and is an assignment to what the callee assigns.
    fn call(&mut self, id: u32, name: &Name, arguments: &'g [Argument]) -> u8 {
        let lengths = arguments.iter().map(|argument| match argument {
            Argument::Value(e) => self.expression(e),
            Argument::Place(place) => self.place(place),
        });
        let arguments_lengths = lengths.collect();
        let key = Key { function: name.clone(), context: self.context, arguments: arguments_lengths };
        let callee = self.instance(&key);
        if self.current().calls.get(&id) != Some(&key) {
            self.current().calls.insert(id, key);
            self.has_changed = true;
        }
        for (parameter, argument) in self.group.function(name).parameters.iter().zip(arguments) {
            if let Argument::Place(place) = argument
                && self.instances[callee].assigned.contains(&parameter.name)
            {
                let length = self.instances[callee].lengths[&parameter.name];
                self.assign(place, length);
            }
        }
        self.instances[callee].result
    }

    // ---- Statements -------------------------------------------------------------------------------------------------

    fn statements(&mut self, list: &'g [Statement]) {
        list.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, s: &'g Statement) {
        match &s.kind {
            StatementKind::Declare(name, _, initial) => {
                self.depths.insert(name.clone(), self.regions.len());
                let length = match initial {
                    Initial::Unset => 1,
                    Initial::Value(e) => self.expression(e),
                    Initial::List(list) => list.iter().map(|e| self.expression(e)).max().unwrap_or(1),
                    Initial::Copy(place) => self.place(place),
                };
                self.grow(name, length);
            }
            StatementKind::Reference(name, place) => {
                self.place(place);
                self.references.insert(name.clone(), place);
            }
            StatementKind::Copy(to, from) => {
                let length = self.place(from);
                self.place(to);
                self.assign(to, length);
            }
            StatementKind::Expression(e) => _ = self.expression(e),
            StatementKind::Block(body) => self.statements(body),
            StatementKind::If(c, then, otherwise) => {
                let length = self.expression(c);
                self.narrow(length, |this| this.statements(then));
                self.narrow(length, |this| this.statements(otherwise));
            }
            StatementKind::While(c, body) => self.repeat(s.id, &[], Some(c), body, None, None),
            StatementKind::Do(body, c) => self.repeat(s.id, &[], None, body, None, Some(c)),
            StatementKind::For(initial, c, step, body) => {
                self.statements(initial);
                self.repeat(s.id, initial, Some(c), body, step.as_ref(), None);
            }
            StatementKind::Break => self.leave(),
            StatementKind::Continue => self.skip(),
            StatementKind::Return(value) => self.give(value),
            StatementKind::Switch(value, cases) => {
                let length = self.expression(value);
                let context = self.context;
                self.context = context.max(length).max(self.flag(s.id, Flag::Context));
                self.regions.push(Region { length, for_caller: 1 });
                self.targets.push(Target { id: s.id, is_switch: true, depth: self.regions.len() });
                cases.iter().for_each(|(_, body)| self.statements(body));
                self.targets.pop();
                self.regions.pop();
                self.context = context;
            }
        }
    }

    /// Clause (b): a loop contains what its header declares.
    fn repeat(
        &mut self,
        id: u32,
        header: &'g [Statement],
        before: Option<&'g Expr>,
        body: &'g [Statement],
        step: Option<&'g Expr>,
        after: Option<&'g Expr>,
    ) {
        let [left, skipped, returned] = [Flag::Break, Flag::Continue, Flag::Return].map(|flag| self.flag(id, flag));
        let condition = before.or(after).and_then(|c| self.current().expressions.get(&c.id).copied()).unwrap_or(1);
        self.current().diverges |= left.max(skipped).max(returned).max(condition) > 1;
        let context = self.context;
        self.context = context.max(condition).max(self.flag(id, Flag::Context));
        self.regions.push(Region { length: left.max(condition), for_caller: returned });
        self.targets.push(Target { id, is_switch: false, depth: self.regions.len() });
        for s in header {
            if let StatementKind::Declare(name, ..) = &s.kind {
                self.depths.insert(name.clone(), self.regions.len());
            }
        }
        if let Some(c) = before {
            self.expression(c);
        }
        // The body is a region of its own: behind a partial `continue` it is a narrowing.
        self.regions.push(Region { length: 1, for_caller: 1 });
        self.statements(body);
        self.regions.pop();
        for e in step.into_iter().chain(after) {
            self.expression(e);
        }
        self.targets.pop();
        self.regions.pop();
        self.context = context;
    }

    /// The length of the narrowings inside of these regions: above 1, a jump out of them is partial.
    fn partial(&self, depth: usize) -> u8 {
        self.regions[depth..].iter().map(|r| r.length).max().unwrap_or(1)
    }

    /// The jump rule: whatever the narrowings, a jump in a context of lanes opens the context of what it leaves.
    fn open(&mut self, id: u32) {
        let context = self.context;
        if context > 1 {
            self.set_flag(id, Flag::Context, context);
        }
    }

    /// `break`: clauses (b) and (d).
    fn leave(&mut self) {
        let Target { id, is_switch, depth } = *self.targets.last().expect("a loop or a switch is left");
        self.open(id);
        let length = self.partial(depth);
        if length > 1 {
            self.set_flag(id, Flag::Break, length);
            if is_switch {
                self.regions[depth - 1].length = length;
            }
        }
    }

    /// `continue`: clause (c).
    fn skip(&mut self) {
        let Target { id, depth, .. } = *self.targets.iter().rfind(|t| !t.is_switch).expect("a loop goes on");
        self.open(id);
        let length = self.partial(depth + 1);
        if length > 1 {
            self.set_flag(id, Flag::Continue, length);
            self.regions[depth].length = length;
        }
    }

    /// `return`: an assignment to the result, and clause (e).
    fn give(&mut self, value: &'g Expr) {
        let length = self.expression(value).max(self.narrowed(&Changed::Result));
        let has_grown = length > self.current().result;
        self.current().result = length.max(self.current().result);
        self.has_changed |= has_grown;
        self.open(0);
        let length = self.partial(1);
        if length > 1 {
            self.regions[0].length = length;
            let loops: Vec<u32> = self.targets.iter().filter(|t| !t.is_switch).map(|t| t.id).collect();
            loops.into_iter().for_each(|id| self.set_flag(id, Flag::Return, length));
        }
    }
}
