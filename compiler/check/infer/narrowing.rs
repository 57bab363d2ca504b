//! Narrowings: where in a function a lane that sees a variable later may miss an assignment.
//!
//! ```text
//! (a)  if (m) A else B;   m && A   m ? A : B   switch (m) { A }   foreach (int block i = …) A       A, B
//! (b)  while (m) A     while (c) { … if (m) break; … }          the whole loop but for the init of a `for`
//! (c)  while (c) { … if (m) continue; A }                        A, the rest of the body
//! (d)  switch (c) { … if (m) break; A }                          A, the rest of the switch
//! (e)  … if (m) return; A                                        A, and the whole of each loop around: for what the caller sees
//! ```
//! each of the length of m. (b) contains the declarations of the loop's header: the lanes that left do not see a counter again. (c)
//! contains the declarations of the body, and neither condition nor step, where the lanes are back.
//!
//! A jump is *partial* if a narrowing inside of its target contains it. For what stands in `scalar` and `foreach_active` the narrowings
//! around these do not count.

use super::super::state::{Checker, Target};
use super::state::{Leaf, Narrowing, Node, Parting, Position};
use super::{Mistake, leaves_out};
use crate::source::Span;
use crate::typed::ir::Expr;

impl<'a> Checker<'a> {
    /// Runs a rule inside of a narrowing.
    pub fn inside<T>(&mut self, narrowing: Option<Narrowing>, rule: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.body.narrowings.len();
        self.body.narrowings.extend(narrowing);
        let result = rule(self);
        self.body.narrowings.truncate(depth);
        result
    }

    /// (a): the narrowing that a condition makes, if it is a vector.
    pub fn narrowing_of(&self, condition: &Expr) -> Option<Narrowing> {
        self.parted_by(condition, |at, leaf| Parting::Condition { at, leaf })
    }

    /// (b): the narrowing that a vector condition makes of its loop.
    pub fn loop_narrowing_of(&self, condition: &Expr) -> Option<Narrowing> {
        self.parted_by(condition, |at, leaf| Parting::Loop { at, leaf })
    }

    fn parted_by(&self, condition: &Expr, parting: impl FnOnce(Span, Leaf) -> Parting) -> Option<Narrowing> {
        let length = self.length(condition.ty);
        (length > 1).then(|| Narrowing {
            length,
            is_callers: self.is_callers(condition),
            parting: parting(condition.span, self.leaf(condition).unwrap_or_default()),
        })
    }

    /// Runs a rule in `scalar` or `foreach_active`, where the narrowings around do not count.
    pub fn for_all_lanes<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        let here = Position { narrowings: self.body.narrowings.len(), targets: self.body.targets.len() };
        let floor = std::mem::replace(&mut self.body.floor, here);
        let returned = self.body.returned.take();
        let result = rule(self);
        self.body.floor = floor;
        if returned.is_some() {
            self.body.returned = returned;
        }
        result
    }

    /// The innermost narrowing that contains this place and not what stands at `position`. (e) counts for what the caller sees.
    pub fn narrowing_since(&self, position: Position, sees_returns: bool) -> Option<&Narrowing> {
        let floor = self.body.floor;
        let around = self.body.narrowings.get(position.narrowings.max(floor.narrowings)..).unwrap_or_default();
        let targets = self.body.targets.get(position.targets.max(floor.targets)..).unwrap_or_default();
        let returned = || {
            let loops = self.body.targets.get(floor.targets..).unwrap_or_default();
            let loops = loops.iter().filter_map(|target| target.returned.as_ref());
            self.body.returned.iter().chain(loops).find(|_| sees_returns)
        };
        around.last().or_else(|| targets.iter().rev().find_map(|target| target.continued.as_ref())).or_else(returned)
    }

    /// `break` out of a target: (b) or (d), if it is partial. What stands behind a partial `continue` of the same loop is (c).
    pub fn breaks(&mut self, at: usize, jump: Span) {
        let &Target { id, is_switch, narrowings, .. } = &self.body.targets[at];
        let targets = at + usize::from(leaves_out(Mistake::BreakBehindContinue));
        let Some(narrowing) = self.narrowing_since(Position { narrowings, targets }, false).cloned() else { return };
        if leaves_out(if is_switch { Mistake::SwitchBreak } else { Mistake::Break }) {
            return;
        }
        let by = Box::new(narrowing.parting.clone());
        if is_switch || leaves_out(Mistake::BeforeBreak) {
            let behind = Narrowing { parting: Parting::Behind { jump, by }, ..narrowing };
            self.body.targets[at].continued.get_or_insert(behind);
        } else {
            self.target_narrows(id, Narrowing { parting: Parting::Left { jump, by }, ..narrowing });
        }
    }

    /// `continue` of a target: (c), if it is partial. A lane that continues behind another one does what that did.
    pub fn continues(&mut self, at: usize, jump: Span) {
        let position = Position { narrowings: self.body.targets[at].narrowings, targets: at + 1 };
        let Some(narrowing) = self.narrowing_since(position, false).cloned() else { return };
        if leaves_out(Mistake::Continue) {
            return;
        }
        let by = Box::new(narrowing.parting.clone());
        self.body.targets[at].continued.get_or_insert(Narrowing { parting: Parting::Behind { jump, by }, ..narrowing });
    }

    /// `return`: (e), if it is partial.
    pub fn leaves_function(&mut self, jump: Span) {
        let Some(narrowing) = self.narrowing_since(Position::default(), false).cloned() else { return };
        let by = Box::new(narrowing.parting.clone());
        let behind = Narrowing { parting: Parting::Behind { jump, by }, ..narrowing };
        // A `switch` has no next round in which what stands in front of the jump would be behind it.
        let loops: Vec<Node> = self.body.targets.iter().filter(|target| !target.is_switch).map(|target| target.id).collect();
        if !leaves_out(Mistake::ReturnInLoop) {
            loops.into_iter().for_each(|id| self.target_returns(id, behind.clone()));
        }
        if !leaves_out(Mistake::Return) {
            self.body.returned.get_or_insert(behind);
        }
    }
}
