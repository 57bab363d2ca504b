//! What occurs in the programs: every kind of statement, expression and place of the typed program, every operation of the
//! vector IR, each by its name and how often.

use super::atomics::atomic_entries;
use super::built_ins::{built_in_entries, entry_name};
use super::constructs::CONSTRUCTS;
use super::oracles::Watch;
use ivlc::typed::ir as typed;
use ivlc::vector::ir as vector;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What there is to occur. (`Assert` and the like end with the words behind them.)
const TYPED: &[&str] = &[
    "Block",
    "Declare",
    "Expression",
    "If",
    "Loop",
    "Foreach",
    "ForeachActive",
    "ForeachUnique",
    "Scalar",
    "Break",
    "Continue",
    "Return",
    "Delete",
    "Constant",
    "Lanes",
    "Aggregate",
    "Load",
    "AddressOf",
    "Unary",
    "Binary",
    "Compare",
    "And",
    "Or",
    "Conditional",
    "Blend",
    "CurrentMask",
    "LaneIndex",
    "Convert",
    "Broadcast",
    "Assign",
    "Compound",
    "Call",
    "Builtin",
    "SetLane",
    "Member",
    "PointerOffset",
    "PointerDifference",
    "New",
    "Print",
    "Assert",
    "place Local",
    "place Global",
    "place Dereference",
    "place Member",
    "place Element",
    "place Temporary",
];

const VECTOR: &[&str] = &[
    "Const",
    "Unset",
    "Splat",
    "Ramp",
    "Unary",
    "Binary",
    "Fma",
    "Compare",
    "Select",
    "Convert",
    "Extract",
    "Insert",
    "Shuffle",
    "Permute",
    "Permute2",
    "Dot2",
    "Sad",
    "Reduce",
    "FirstLanes",
    "Any",
    "All",
    "MaskBits",
    "PtrIndex",
    "PtrOffset",
    "SlotAddress",
    "GlobalAddress",
    "Load",
    "Store",
    "Gather",
    "Scatter",
    "StridedLoad",
    "Copy",
    "PackedStore",
    "Prefetch",
    "Allocate",
    "Free",
    "Call",
    "Print",
    "Check",
    "Assume",
    "Unroll",
];

/// So many programs show every construct, pair of constructs and built-in at a type.
const PROGRAMS: u64 = 4000;

/// How often what occurred.
#[derive(Default, Clone)]
pub struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    /// Something occurred.
    pub fn count(&mut self, name: &str, times: u64) {
        *self.0.entry(name.to_owned()).or_default() += times;
    }

    /// What was drawn in a program.
    pub fn drawn(&mut self, drawn: &[String]) {
        self.count("programs", 1);
        let constructs: BTreeSet<&str> = drawn.iter().map(String::as_str).filter(|name| is_construct(name)).collect();
        for name in drawn.iter().filter(|name| !is_construct(name)) {
            self.count(&format!("entry {name}"), 1);
        }
        for (i, a) in constructs.iter().enumerate() {
            self.count(&format!("construct {a}"), 1);
            for b in constructs.iter().skip(i + 1) {
                self.count(&format!("pair {a} + {b}"), 1);
            }
        }
    }

    /// Constructs, pairs of them and built-ins at types that did not occur, where so many programs were seen that they ought to.
    pub fn missing(&self) -> Vec<String> {
        if self.0.get("programs").is_none_or(|&programs| programs < PROGRAMS) {
            return Vec::new();
        }
        expected().into_iter().filter(|name| !self.0.contains_key(name)).collect()
    }

    /// How often each construct occurred, and how often the rarest pairs and built-ins did.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for kind in ["construct", "pair", "entry"] {
            let of_kind = |name: &String| name.strip_prefix(kind).map(|rest| rest.trim().to_owned());
            let all = expected().into_iter().filter_map(|name| Some((self.0.get(&name).copied().unwrap_or(0), of_kind(&name)?)));
            let mut all: Vec<(u64, String)> = all.collect();
            all.sort();
            let shown = if kind == "construct" { all.len() } else { 8 };
            let list: Vec<String> = all.iter().take(shown).map(|(n, name)| format!("{name}: {n}")).collect();
            let rarest = if shown < all.len() { ", the rarest" } else { "" };
            text += &format!("{kind} ({} kinds{rarest}): {}\n", all.len(), list.join(", "));
        }
        text
    }

    /// All of it.
    pub fn counts(&self) -> impl Iterator<Item = (&String, &u64)> {
        self.0.iter()
    }

    /// Takes over what somebody else has seen.
    pub fn add(&mut self, other: &Coverage) {
        other.counts().for_each(|(name, &times)| self.count(name, times));
    }
}

fn is_construct(name: &str) -> bool {
    CONSTRUCTS.iter().any(|(construct, ..)| *construct == name)
}

/// All constructs, pairs of them, and built-ins at their types.
fn expected() -> Vec<String> {
    let names: BTreeSet<&str> = CONSTRUCTS.iter().map(|(name, ..)| *name).collect();
    let mut all: Vec<String> = names.iter().map(|name| format!("construct {name}")).collect();
    for (i, a) in names.iter().enumerate() {
        all.extend(names.iter().skip(i + 1).map(|b| format!("pair {a} + {b}")));
    }
    all.extend(built_in_entries().into_iter().map(|entry| format!("entry {}", entry_name(entry))));
    all.extend(atomic_entries().into_iter().map(|name| format!("entry {name}")));
    all
}

/// The name of a variant: how its debug text begins.
fn name(thing: &dyn fmt::Debug) -> String {
    struct Start(String);
    impl fmt::Write for Start {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let word: String = text.chars().take_while(|c| c.is_alphanumeric()).collect();
            self.0 += &word;
            // The rest of a large tree is not wanted.
            if word.len() < text.len() || !self.0.is_empty() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut start = Start(String::new());
    let _ = fmt::write(&mut start, format_args!("{thing:?}"));
    start.0
}

impl Watch for Coverage {
    fn typed(&mut self, program: &typed::Program) {
        for function in &program.functions {
            function.body.iter().for_each(|body| self.block(body));
        }
    }

    fn vector(&mut self, module: &vector::Module) {
        for function in &module.functions {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                let op = name(&function.insts[inst.0 as usize].op);
                self.count(&format!("vector {op}"), 1);
            }
        }
    }
}

impl Coverage {
    fn block(&mut self, block: &typed::Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &typed::Statement) {
        use typed::StatementKind as S;
        self.count(&format!("typed {}", name(&statement.kind)), 1);
        match &statement.kind {
            S::Block(block) | S::Scalar(block) => self.block(block),
            S::Declare { local: _, initializer } => initializer.iter().for_each(|e| self.expression(e)),
            S::Expression(e) | S::Delete(_, e) => self.expression(e),
            S::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                self.block(otherwise);
            }
            S::Loop { test_first: _, unrolling: _, condition, step, body } => {
                condition.iter().chain(step).for_each(|e| self.expression(e));
                self.block(body);
            }
            S::Foreach { parallel: _, unrolling: _, indices, body } => {
                indices.iter().for_each(|index| [&index.low, &index.high].map(|e| self.expression(e)).into_iter().collect());
                self.block(body);
            }
            S::ForeachActive { index: _, body } => self.block(body),
            S::ForeachUnique { local: _, value, body } => {
                self.expression(value);
                self.block(body);
            }
            S::Switch { value, arms } => {
                self.expression(value);
                arms.iter().for_each(|arm| self.block(&arm.body));
            }
            S::Break | S::Continue => {}
            S::Return(value) => value.iter().for_each(|e| self.expression(e)),
        }
    }

    fn place(&mut self, place: &typed::Place) {
        use typed::PlaceKind as P;
        self.count(&format!("typed place {}", name(&place.kind)), 1);
        match &place.kind {
            P::Local(_) | P::Global(_) => {}
            P::Dereference(e) | P::Temporary(e) => self.expression(e),
            P::Member(base, _) => self.place(base),
            P::Element(base, index) => {
                self.place(base);
                self.expression(index);
            }
        }
    }

    fn expression(&mut self, e: &typed::Expr) {
        use typed::ExprKind as E;
        self.count(&format!("typed {}", name(&e.kind)), 1);
        match &e.kind {
            E::Constant(_) | E::CurrentMask | E::LaneIndex => {}
            E::Lanes(list) | E::Aggregate(list) | E::New(_, list) | E::Call { function: _, arguments: list } => {
                list.iter().for_each(|e| self.expression(e));
            }
            E::Builtin(builtin, list) => {
                let name = match builtin {
                    typed::Builtin::Get => "Get".to_owned(),
                    typed::Builtin::Lane(op) => name(op),
                    typed::Builtin::Cross(op) => name(op),
                    typed::Builtin::Rearrange(op) => name(op),
                    typed::Builtin::Effect(op) => name(op),
                };
                self.count(&format!("built-in {name}"), 1);
                list.iter().for_each(|e| self.expression(e));
            }
            E::Load(place) | E::AddressOf(place) => self.place(place),
            E::Unary(_, a) | E::Convert(a) | E::Broadcast(a) | E::Member(a, _) | E::Assert(a, _) => self.expression(a),
            E::Within(index, window) => [index, &window.min, &window.extent].into_iter().for_each(|e| self.expression(e)),
            E::Binary(_, a, b)
            | E::Compare(_, a, b)
            | E::And(a, b)
            | E::Or(a, b)
            | E::Blend(a, b)
            | E::PointerOffset(a, b)
            | E::PointerDifference(a, b) => [a, b].iter().for_each(|e| self.expression(e)),
            E::Conditional(a, b, c) => [a, b, c].iter().for_each(|e| self.expression(e)),
            E::Assign { place, value } | E::Compound { place, value, .. } => {
                self.place(place);
                self.expression(value);
            }
            E::SetLane { place, value, index } => {
                self.place(place);
                self.expression(value);
                self.expression(index);
            }
            E::Print(_, pieces) => {
                for piece in pieces {
                    if let typed::PrintPiece::Value(e, _) = piece {
                        self.expression(e);
                    }
                }
            }
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = TYPED.iter().map(|n| format!("typed {n}")).chain(VECTOR.iter().map(|n| format!("vector {n}")));
        let missing: Vec<String> = all.filter(|name| !self.0.contains_key(name)).collect();
        for kind in ["typed", "built-in", "vector"] {
            let of_kind = self.0.iter().filter_map(|(name, count)| Some((name.strip_prefix(kind)?, count)));
            let text: Vec<String> = of_kind.map(|(name, count)| format!("{}: {count}", name.trim())).collect();
            writeln!(f, "{kind} ({} kinds, in one program of eight): {}", text.len(), text.join(", "))?;
        }
        write!(f, "never seen: {}", if missing.is_empty() { "nothing".into() } else { missing.join(", ") })
    }
}
