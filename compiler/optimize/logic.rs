//! Masks as Boolean functions, lane by lane.
//!
//! A mask that is made of others by `and or xor not select` is, in each lane, a Boolean function of those *atoms* that are
//! not made so: comparisons, loaded masks, block parameters. Functions are kept as reduced ordered binary decision
//! diagrams, so that equal functions are the same [`Formula`], and implication is one look. Scalars that are splatted are
//! atoms like others, the same in all lanes.
//!
//! What holds of formulas holds for all values of the atoms, and so at each time and in each lane.

use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Beyond this number of nodes nothing new is understood: a mask becomes an atom. Masks of programs are small; the limit
/// is for those that are made to explode.
const MAX_NODES: usize = 20_000;

/// A Boolean function of the atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    /// On in no lane.
    pub const NONE: Formula = Formula(0);
    /// On in all lanes.
    pub const ALL: Formula = Formula(1);
}

/// Decides on `atom`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    atom: u32,
    off: Formula,
    on: Formula,
}

/// What an atom is: a comparison is known by its operands, other values by themselves.
#[derive(PartialEq, Eq, Hash)]
enum Atom {
    Value(Value),
    Compare(CompareOp, Value, Value),
    /// Something of which nothing is known.
    Free,
}

/// The formulas of one function's masks.
pub struct Logic {
    /// The first two stand for the constants.
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Formula>,
    choices: FxHashMap<(Formula, Formula, Formula), Formula>,
    atoms: FxHashMap<Atom, u32>,
    /// By atom, the values that it is about.
    operands: Vec<Vec<Value>>,
    known: FxHashMap<Value, Formula>,
}

impl Default for Logic {
    fn default() -> Self {
        let constant = |formula| Node { atom: u32::MAX, off: formula, on: formula };
        let nodes = vec![constant(Formula::NONE), constant(Formula::ALL)];
        let (unique, choices) = (FxHashMap::default(), FxHashMap::default());
        Logic { nodes, unique, choices, atoms: FxHashMap::default(), operands: Vec::new(), known: FxHashMap::default() }
    }
}

impl Logic {
    /// The formula of a `bool` value of whatever length.
    pub fn of(&mut self, function: &Function, mask: Value) -> Formula {
        if let Some(&formula) = self.known.get(&mask) {
            return formula;
        }
        let made = self.compute(function, mask);
        let formula = made.unwrap_or_else(|| self.atom(Atom::Value(mask)));
        self.known.insert(mask, formula);
        formula
    }

    /// The formula of a mask that may be absent, which is all on.
    pub fn of_mask(&mut self, function: &Function, mask: Option<Value>) -> Formula {
        mask.map_or(Formula::ALL, |mask| self.of(function, mask))
    }

    /// `None` for an atom.
    fn compute(&mut self, function: &Function, mask: Value) -> Option<Formula> {
        if self.nodes.len() > MAX_NODES {
            return None;
        }
        let length = function.ty(mask).length;
        match function.definition(mask)? {
            Op::Const(bits) if bits.iter().all(|&b| b == bits[0]) => {
                Some(if bits[0] & 1 == 1 { Formula::ALL } else { Formula::NONE })
            }
            Op::Splat(a) => Some(self.of(function, *a)),
            Op::Any(a) | Op::All(a) => {
                let formula = self.of(function, *a);
                (formula == Formula::ALL || formula == Formula::NONE).then_some(formula)
            }
            Op::Unary(UnaryOp::Not, a) => {
                let a = self.of(function, *a);
                self.not(a)
            }
            Op::Binary(op, a, b) => {
                let (op, a, b) = (*op, self.of(function, *a), self.of(function, *b));
                let not_b = self.not(b)?;
                match op {
                    BinaryOp::And => self.choose(a, b, Formula::NONE),
                    BinaryOp::Or => self.choose(a, Formula::ALL, b),
                    BinaryOp::Xor => self.choose(a, not_b, b),
                    _ => None,
                }
            }
            Op::Select(m, a, b) if function.ty(*m).length == length => {
                let (m, a, b) = (self.of(function, *m), self.of(function, *a), self.of(function, *b));
                self.choose(m, a, b)
            }
            Op::Compare(op, a, b) => {
                let (op, a, b, negated) = normal(*op, *a, *b);
                let atom = self.atom(Atom::Compare(op, a, b));
                if negated { self.not(atom) } else { Some(atom) }
            }
            _ => None,
        }
    }

    /// Lanes of which nothing is known, always the same ones.
    pub fn free(&mut self) -> Formula {
        self.atom(Atom::Free)
    }

    /// The values that a formula is about.
    pub fn atoms_of(&self, formula: Formula) -> impl Iterator<Item = Value> {
        let (mut work, mut seen, mut found) = (vec![formula], FxHashSet::default(), Vec::new());
        while let Some(formula) = work.pop() {
            let node = self.nodes[formula.0 as usize];
            if node.atom != u32::MAX && seen.insert(formula) {
                work.extend([node.off, node.on]);
                found.extend(&self.operands[node.atom as usize]);
            }
        }
        found.into_iter()
    }

    fn atom(&mut self, atom: Atom) -> Formula {
        let next = self.atoms.len() as u32;
        let operands = match atom {
            Atom::Value(value) => vec![value],
            Atom::Compare(_, a, b) => vec![a, b],
            Atom::Free => Vec::new(),
        };
        let atom = *self.atoms.entry(atom).or_insert(next);
        if atom == next {
            self.operands.push(operands);
        }
        self.node(Node { atom, off: Formula::NONE, on: Formula::ALL })
    }

    fn node(&mut self, node: Node) -> Formula {
        if node.off == node.on {
            return node.off;
        }
        let next = Formula(self.nodes.len() as u32);
        let formula = *self.unique.entry(node).or_insert(next);
        if formula == next {
            self.nodes.push(node);
        }
        formula
    }

    /// `condition ? on : off`; `None` when it would become too large.
    pub fn choose(&mut self, condition: Formula, on: Formula, off: Formula) -> Option<Formula> {
        if condition == Formula::ALL || on == off {
            return Some(on);
        }
        if condition == Formula::NONE {
            return Some(off);
        }
        if on == Formula::ALL && off == Formula::NONE {
            return Some(condition);
        }
        if let Some(&known) = self.choices.get(&(condition, on, off)) {
            return Some(known);
        }
        if self.nodes.len() > MAX_NODES {
            return None;
        }
        let node = |f: Formula| self.nodes[f.0 as usize];
        let atom = node(condition).atom.min(node(on).atom).min(node(off).atom);
        let half = |f: Formula, value: bool| match node(f) {
            n if n.atom != atom => f,
            n if value => n.on,
            n => n.off,
        };
        let [with, without] = [true, false].map(|value| [condition, on, off].map(|f| half(f, value)));
        let with = self.choose(with[0], with[1], with[2])?;
        let without = self.choose(without[0], without[1], without[2])?;
        let formula = self.node(Node { atom, off: without, on: with });
        self.choices.insert((condition, on, off), formula);
        Some(formula)
    }

    /// Where `a` is off.
    pub fn not(&mut self, a: Formula) -> Option<Formula> {
        self.choose(a, Formula::NONE, Formula::ALL)
    }

    /// Where both are on.
    pub fn and(&mut self, a: Formula, b: Formula) -> Option<Formula> {
        self.choose(a, b, Formula::NONE)
    }

    /// Where one of them is on.
    pub fn or(&mut self, a: Formula, b: Formula) -> Option<Formula> {
        self.choose(a, Formula::ALL, b)
    }

    /// Is `b` on wherever `a` is? `false` where that is not known.
    pub fn implies(&mut self, a: Formula, b: Formula) -> bool {
        self.choose(a, b, Formula::ALL) == Some(Formula::ALL)
    }

    /// Is there no lane where both are on? `false` where that is not known.
    pub fn disjoint(&mut self, a: Formula, b: Formula) -> bool {
        self.and(a, b) == Some(Formula::NONE)
    }

    /// A mask that agrees with `mask` wherever `care` is on, and is simpler if one is at hand: an operand of `and` that `care` implies
    /// is left out, and one of `or` that is off there.
    pub fn under(&mut self, function: &Function, mask: Value, care: Formula) -> Value {
        let mut mask = mask;
        while let Some(&Op::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)) = function.definition(mask) {
            let [a_goes, b_goes] = [a, b].map(|operand| {
                let formula = self.of(function, operand);
                if op == BinaryOp::And { self.implies(care, formula) } else { self.disjoint(care, formula) }
            });
            mask = match (a_goes, b_goes) {
                (true, _) => b,
                (false, true) => a,
                (false, false) => break,
            };
        }
        mask
    }
}

/// One way to write each comparison, and whether it is the opposite of the given one. Floats have no opposites (NaN) except
/// for equality.
fn normal(op: CompareOp, a: Value, b: Value) -> (CompareOp, Value, Value, bool) {
    use CompareOp::*;
    let sorted = (a.min(b), a.max(b));
    match op {
        Eq => (Eq, sorted.0, sorted.1, false),
        Ne => (Eq, sorted.0, sorted.1, true),
        FEq => (FEq, sorted.0, sorted.1, false),
        FNe => (FEq, sorted.0, sorted.1, true),
        SLt => (SLt, a, b, false),
        SGe => (SLt, a, b, true),
        SGt => (SLt, b, a, false),
        SLe => (SLt, b, a, true),
        ULt => (ULt, a, b, false),
        UGe => (ULt, a, b, true),
        UGt => (ULt, b, a, false),
        ULe => (ULt, b, a, true),
        FLt => (FLt, a, b, false),
        FGt => (FLt, b, a, false),
        FLe => (FLe, a, b, false),
        FGe => (FLe, b, a, false),
    }
}
