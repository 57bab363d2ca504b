//! What the lanes of a `foreach` have left in a variable each, used as if it were one value for all of them.
//!
//! ```text
//! float s = 0;
//! foreach (int i = 0 .. n) s += a[i];               each lane adds up what its own rounds see
//! float m = s / n;
//! foreach (int i = 0 .. n) o[i] = a[i] - m;         a warning: `m` is one per lane, and no mean
//!
//! foreach (int i = 0 .. n) { s += a[i]; o[i] = s; } a warning: no lane sees what the lanes before it add
//! ```
//! Such a variable has no length of its own: the rule of inference.md makes it one per lane since a `foreach` assigns to it. Lanes may go on with it in other loops
//! (`s += b[i]`, `if (b[i] > s) s = b[i]`), and operations across lanes make one value of it. What is left, and is told about:
//!
//! - Another `foreach` stores something that is made of it, or adds it to what it collects itself; its lanes have other elements.
//! - A branch outside of loops asks for it, and is taken by some lanes.
//! - The same `foreach` stores something that is made of what *rounds before* have left in it.
//!
//! The walk goes in the order of the text, and keeps for each variable where its lanes come from; where branches meet, from either.

use super::super::state::Checker;
use super::parts::{self, Part, local_of};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::ir::{Block, Builtin, Expr, ExprKind, LaneOp, LocalId, Place, PlaceKind, Statement, StatementKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the lanes of a value come from.
#[derive(Clone, Copy)]
struct Source {
    /// What a `foreach` assigns to.
    collected: LocalId,
    /// That `foreach`.
    by: Span,
}

/// A use of such a value.
#[derive(Clone, Copy)]
struct Use {
    source: Source,
    /// What is loaded.
    read: LocalId,
    span: Span,
}

/// Why a use is none of one value for all.
enum Because {
    OtherLoop,
    Condition,
    RoundsBefore,
}

/// The `foreach` around.
struct Around {
    span: Span,
    /// What is declared inside is a round's own.
    own: FxHashSet<LocalId>,
}

struct Walk<'c, 's> {
    checker: &'c Checker<'s>,
    /// Variables that were declared with one value for all lanes, or none.
    begun: FxHashSet<LocalId>,
    sources: FxHashMap<LocalId, Source>,
    around: Option<Around>,
    /// What the branches around ask for.
    asked: Option<Use>,
    found: Vec<(Use, Because)>,
}

impl Checker<'_> {
    pub(super) fn warn_of_lanes_as_one(&mut self, body: &Block) {
        if body.context > 1 {
            return;
        }
        let mut walk = Walk {
            checker: self,
            begun: FxHashSet::default(),
            sources: FxHashMap::default(),
            around: None,
            asked: None,
            found: Vec::new(),
        };
        walk.block(body);
        let mut told = FxHashSet::default();
        for (used, because) in walk.found {
            if told.insert(used.source.collected) {
                self.tell_of_lanes_as_one(&used, &because);
            }
        }
    }

    fn tell_of_lanes_as_one(&mut self, used: &Use, because: &Because) {
        let Some((collected, declared)) = self.named(used.source.collected) else { return };
        let read = self.named(used.read).map_or_else(|| collected.clone(), |(name, _)| name);
        let ty = self.display(self.body.locals[used.source.collected.0 as usize].ty);
        let own = format!("where one per lane is meant, the declaration says so: `{ty} {collected}`");
        let (message, help) = match because {
            Because::OtherLoop => (
                format!("`{read}` is one per lane of another loop, not one for all"),
                "make one value of its lanes between the loops, by reduce_add, reduce_max or another operation across lanes",
            ),
            Because::Condition => (
                format!("`{read}` is one per lane of a loop: some lanes take this branch, and others do not"),
                "make one value of its lanes first, by reduce_add, any or another operation across lanes",
            ),
            Because::RoundsBefore => (
                format!("`{read}` is one per lane: it has nothing of what the lanes before this one did"),
                "a plain loop goes in order; of the lanes of a round, scan_add gives running totals, and packed_store keeps some one behind another",
            ),
        };
        let warning = Diagnostic::warning(&codes::ONE_PER_LANE, used.span, message)
            .with_secondary(declared, "each lane of the loop has one of its own")
            .with_help(help)
            .with_note(own);
        self.diagnostics.push(warning);
    }

    /// Is it without a length of its own, and one per lane by what is assigned to it?
    fn is_one_per_lane_by_use(&self, local: LocalId) -> bool {
        let found = &self.body.locals[local.0 as usize];
        !found.name.is_empty() && !found.reasons.is_empty() && self.body.infos[local.0 as usize].unbound.is_some()
    }
}

impl Walk<'_, '_> {
    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement, block.context));
    }

    fn statement(&mut self, statement: &Statement, context: u8) {
        match &statement.kind {
            StatementKind::Declare { local, initializer } => {
                if let Some(e) = initializer {
                    self.expr(e);
                }
                if let Some(around) = &mut self.around {
                    around.own.insert(*local);
                }
                if initializer.as_ref().is_none_or(is_one_for_all) {
                    self.begun.insert(*local);
                }
                let source = initializer.as_ref().and_then(|e| self.used_in(e)).map(|used| used.source);
                self.becomes(*local, source.filter(|_| self.checker.is_one_per_lane_by_use(*local)));
            }
            StatementKind::Expression(e) => self.expr(e),
            StatementKind::Delete(_, e) | StatementKind::Return(Some(e)) => self.expr(e),
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.branches(condition, context, &[then, otherwise], true);
            }
            StatementKind::Switch { value, arms } => {
                self.expr(value);
                let bodies: Vec<&Block> = arms.iter().map(|arm| &arm.body).collect();
                self.branches(value, context, &bodies, false);
            }
            StatementKind::Loop { test_first: _, unrolling: _, condition, step, body } => {
                condition.iter().for_each(|e| self.expr(e));
                match condition {
                    Some(condition) => self.branches(condition, context, &[body], false),
                    None => self.block(body),
                }
                step.iter().for_each(|e| self.expr(e));
            }
            StatementKind::Foreach { parallel: _, unrolling: _, indices, body } => {
                indices.iter().for_each(|index| [&index.low, &index.high].into_iter().for_each(|e| self.expr(e)));
                if body.context > 1 && self.around.is_none() && context == 1 {
                    self.foreach(body, statement.span);
                } else {
                    self.block(body);
                }
            }
            StatementKind::ForeachActive { index: _, body } => self.block(body),
            StatementKind::ForeachUnique { local: _, value, body } => {
                self.expr(value);
                self.block(body);
            }
            StatementKind::Return(None) | StatementKind::Break | StatementKind::Continue => {}
        }
    }

    fn foreach(&mut self, body: &Block, by: Span) {
        let mut rounds = Rounds::default();
        rounds.block(body);
        let checker = self.checker;
        let is_collected = |local: &&LocalId| self.begun.contains(local) && checker.is_one_per_lane_by_use(**local);
        let collected: Vec<LocalId> = rounds.assigned.iter().filter(is_collected).copied().collect();
        for &local in collected.iter().filter(|local| rounds.read_before.contains(local)) {
            self.sources.insert(local, Source { collected: local, by });
        }
        self.around = Some(Around { span: by, own: FxHashSet::default() });
        self.block(body);
        let own = self.around.take().map(|around| around.own).unwrap_or_default();
        self.sources.retain(|local, _| !own.contains(local));
        for local in collected {
            self.sources.insert(local, Source { collected: local, by });
        }
    }

    /// Blocks of which each lane runs one, or perhaps none.
    fn branches(&mut self, condition: &Expr, context: u8, blocks: &[&Block], runs_one: bool) {
        let asked = self.used_in(condition);
        if let Some(used) = asked
            && context == 1
            && self.around.is_none()
        {
            self.found.push((used, Because::Condition));
        }
        let around = self.asked;
        self.asked = asked.or(around);
        let before = self.sources.clone();
        let mut behind = if runs_one { FxHashMap::default() } else { before.clone() };
        for block in blocks {
            self.sources = before.clone();
            self.block(block);
            behind.extend(self.sources.drain());
        }
        self.sources = behind;
        self.asked = around;
    }

    /// What an expression does, in the order of its parts.
    fn expr(&mut self, e: &Expr) {
        for part in parts::of_expr(e) {
            self.part(part);
        }
        match &e.kind {
            ExprKind::Assign { place, value } => self.assigns(place, value, false),
            ExprKind::Compound { place, value, .. } => self.assigns(place, value, true),
            ExprKind::Builtin(Builtin::Effect(op), operands) if op.is_store() => {
                let used = operands.iter().find_map(|e| self.used_in(e)).or(self.asked);
                self.stores(used);
            }
            _ => {}
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(place) => parts::of_place(place).into_iter().for_each(|part| self.part(part)),
            Part::Block(block) => self.block(block),
        }
    }

    fn assigns(&mut self, place: &Place, value: &Expr, is_changed: bool) {
        let used = self.used_in(value);
        let Some(local) = local_of(place) else {
            self.stores(used.or_else(|| self.used_in_place(place)).or(self.asked));
            return;
        };
        self.collects(local, used.or(self.asked));
        let source = used.map(|used| used.source);
        if matches!(place.kind, PlaceKind::Local(_)) && !is_changed {
            self.becomes(local, source);
        } else if let Some(source) = source {
            self.becomes(local, Some(source));
        }
    }

    fn becomes(&mut self, local: LocalId, source: Option<Source>) {
        match source {
            Some(source) => _ = self.sources.insert(local, source),
            None => _ = self.sources.remove(&local),
        }
    }

    /// Something made of it goes to memory.
    fn stores(&mut self, used: Option<Use>) {
        let (Some(around), Some(used)) = (&self.around, used) else { return };
        let because = if used.source.by == around.span { Because::RoundsBefore } else { Because::OtherLoop };
        self.found.push((used, because));
    }

    /// Something made of it goes to a variable around the loop; one that lanes of the same loop collect goes on.
    fn collects(&mut self, local: LocalId, used: Option<Use>) {
        let (Some(around), Some(used)) = (&self.around, used) else { return };
        let goes_on = |source: &Source| source.by == used.source.by;
        let is_own = around.own.contains(&local) || self.sources.get(&local).is_some_and(goes_on);
        if used.source.by != around.span && !is_own {
            self.found.push((used, Because::OtherLoop));
        }
    }

    /// A load whose lanes are those of the value.
    fn used_in(&self, e: &Expr) -> Option<Use> {
        match &e.kind {
            _ if self.checker.length(e.ty) == 1 => None,
            ExprKind::Load(place) => self.used_in_place(place),
            ExprKind::Builtin(Builtin::Lane(LaneOp::InBlocks { .. }), _) => None,
            ExprKind::Builtin(Builtin::Lane(_), operands) => operands.iter().find_map(|e| self.used_in(e)),
            // Who looks at other lanes knows of them.
            ExprKind::Builtin(..) | ExprKind::Broadcast(_) | ExprKind::AddressOf(_) => None,
            _ => parts::of_expr(e).into_iter().find_map(|part| self.used_in_part(part)),
        }
    }

    fn used_in_part(&self, part: Part<'_>) -> Option<Use> {
        match part {
            Part::Expr(e) => self.used_in(e),
            Part::Place(place) => self.used_in_place(place),
            Part::Block(_) => None,
        }
    }

    fn used_in_place(&self, place: &Place) -> Option<Use> {
        if let PlaceKind::Local(read) = place.kind {
            return self.sources.get(&read).map(|&source| Use { source, read, span: place.span });
        }
        parts::of_place(place).into_iter().find_map(|part| self.used_in_part(part))
    }
}

/// What the rounds of a loop do with variables.
#[derive(Default)]
struct Rounds {
    assigned: FxHashSet<LocalId>,
    /// What may be read in a round before that round has set it.
    read_before: FxHashSet<LocalId>,
    /// What each lane has set in this round.
    set: FxHashSet<LocalId>,
}

impl Rounds {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            parts::of_statement(statement).into_iter().for_each(|e| self.expr(e));
            if let StatementKind::Declare { local, .. } = statement.kind {
                self.set.insert(local);
            }
            let blocks = parts::blocks_of(statement);
            if blocks.is_empty() {
                continue;
            }
            let before = self.set.clone();
            let mut behind: Option<FxHashSet<LocalId>> = None;
            for block in blocks {
                self.set = before.clone();
                self.block(block);
                behind = Some(match behind {
                    Some(sets) => sets.intersection(&self.set).copied().collect(),
                    None => self.set.clone(),
                });
            }
            // Other blocks need not run.
            self.set = match (&statement.kind, behind) {
                (StatementKind::If { .. } | StatementKind::Block(_), Some(sets)) => sets,
                _ => before,
            };
        }
    }

    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Compound { place, .. } | ExprKind::Load(place) | ExprKind::SetLane { place, .. } = &e.kind
            && let Some(local) = local_of(place)
            && !self.set.contains(&local)
        {
            self.read_before.insert(local);
        }
        for part in parts::of_expr(e) {
            self.part(part);
        }
        if let ExprKind::Assign { place, .. } | ExprKind::Compound { place, .. } = &e.kind
            && let Some(local) = local_of(place)
        {
            self.assigned.insert(local);
            if matches!(place.kind, PlaceKind::Local(_)) {
                self.set.insert(local);
            }
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(place) => parts::of_place(place).into_iter().for_each(|part| self.part(part)),
            Part::Block(block) => self.block(block),
        }
    }
}

/// Is it one value for all lanes?
fn is_one_for_all(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Broadcast(_) | ExprKind::Constant(_) => true,
        ExprKind::Aggregate(parts) => parts.iter().all(is_one_for_all),
        _ => false,
    }
}
