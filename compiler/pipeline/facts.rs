//! What is known of an expression without looking at its parts again: worked out once, when it is made.
//!
//! Windows are large trees that share most of their parts. Whether a variable occurs in one, whether two are the same and how
//! large one is are asked far more often than new ones are made.

use super::expr::{Expr, ExprKind, Variable, children};
use crate::typed::ir::Constant;
use crate::types::Element;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The facts.
#[derive(Debug)]
pub(super) struct Facts {
    /// How many parts it has, written out; no more than `u32::MAX`.
    pub size: u32,
    /// How deep it is.
    pub height: u32,
    /// Of its structure without places in the text: expressions that are the same have the same.
    pub hash: u64,
    /// Does it read a func or an image, or call a function?
    pub reads_or_calls: bool,
    /// Is it, or has it, an [`ExprKind::Extremum`]?
    pub has_extrema: bool,
    /// Is something known of it or of a part of it by [`ExprKind::Within`]?
    pub has_ranges: bool,
    /// The variables that occur free in it, in order; shared with a part that has the same.
    pub free: Option<Rc<[Variable]>>,
}

impl Facts {
    /// Those of an expression of this kind and type.
    pub fn new(kind: &ExprKind, element: Element) -> Facts {
        let mut hasher = FxHasher::default();
        element.hash(&mut hasher);
        std::mem::discriminant(kind).hash(&mut hasher);
        let mut facts = Facts {
            size: 1,
            height: 1,
            hash: 0,
            reads_or_calls: matches!(kind, ExprKind::Read(..) | ExprKind::Call(..)),
            has_extrema: matches!(kind, ExprKind::Extremum(_)),
            has_ranges: matches!(kind, ExprKind::Within(..)),
            free: None,
        };
        if let ExprKind::Extremum(x) = kind {
            // Its variable is bound in these two only.
            std::iter::once(&x.value).chain(&x.condition).for_each(|e| facts.add(e, &mut hasher));
            facts.free = without(facts.free.take(), x.variable);
            [&x.low, &x.high, &x.otherwise].into_iter().for_each(|e| facts.add(e, &mut hasher));
        } else {
            children(kind).into_iter().for_each(|e| facts.add(e, &mut hasher));
        }
        match kind {
            ExprKind::Constant(Constant::Bool(b)) => b.hash(&mut hasher),
            ExprKind::Constant(Constant::Int(n)) => n.hash(&mut hasher),
            ExprKind::Constant(Constant::Float(x)) => x.to_bits().hash(&mut hasher),
            ExprKind::Constant(Constant::Null) => {}
            ExprKind::Variable(v) => {
                v.hash(&mut hasher);
                facts.free = Some(Rc::new([*v]));
            }
            ExprKind::Unary(op, _) => op.hash(&mut hasher),
            ExprKind::Binary(op, ..) => op.hash(&mut hasher),
            ExprKind::Compare(op, ..) => op.hash(&mut hasher),
            ExprKind::Builtin(builtin, _) => builtin.hash(&mut hasher),
            ExprKind::Call(callee, _) => callee.function.hash(&mut hasher),
            ExprKind::Read(source, _) => source.hash(&mut hasher),
            ExprKind::Extremum(x) => (x.is_min, x.variable, x.nothing).hash(&mut hasher),
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Conditional(..) | ExprKind::Convert(_) | ExprKind::Within(..) => {}
        }
        facts.hash = hasher.finish();
        facts
    }

    fn add(&mut self, part: &Expr, hasher: &mut FxHasher) {
        let part = part.facts();
        part.hash.hash(hasher);
        self.size = self.size.saturating_add(part.size);
        self.height = self.height.max(part.height.saturating_add(1));
        self.reads_or_calls |= part.reads_or_calls;
        self.has_extrema |= part.has_extrema;
        self.has_ranges |= part.has_ranges;
        self.free = union(self.free.take(), part.free.clone());
    }
}

type Set = Option<Rc<[Variable]>>;

fn union(a: Set, b: Set) -> Set {
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (one, None) | (None, one) => return one,
    };
    if Rc::ptr_eq(&a, &b) {
        return Some(a);
    }
    let holds = |all: &[Variable], some: &[Variable]| some.iter().all(|v| all.binary_search(v).is_ok());
    if a.len() >= b.len() && holds(&a, &b) {
        return Some(a);
    }
    if holds(&b, &a) {
        return Some(b);
    }
    let mut all: Vec<Variable> = a.iter().chain(&*b).copied().collect();
    all.sort_unstable();
    all.dedup();
    Some(all.into())
}

fn without(all: Set, variable: Variable) -> Set {
    let kept: Vec<Variable> = all?.iter().copied().filter(|v| *v != variable).collect();
    (!kept.is_empty()).then(|| kept.into())
}
