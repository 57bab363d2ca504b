//! `break`, `continue`, `return`: jumps of all lanes, and of some.
//!
//! ```text
//! all lanes of the round        a jump
//! some lanes, M                 break:    live = live and !M               the mask becomes empty
//!                               continue:                                  the mask becomes empty
//!                               return e: result = select(M, e, result)     or under any mask of lanes that have not returned
//!                                         returned = returned or M         the mask becomes empty
//! ```
//! A jump in context 1 out of something with lanes (`scalar { break; }`) is a jump of all lanes. A jump of some lanes
//! out of a scalar region (`scalar { if (v < 0) break; }`) leaves the region running; P, which is restored behind
//! it, is then without those lanes.

use super::state::{FrameKind, LoopFrame, Mask, Predicator, ScalarRegion};
use crate::typed::ir::{Block, Expr};
use crate::vector::ir::{Element, Type, Value};

impl Predicator<'_> {
    /// `scalar s`: saves P, runs s in context 1, restores P.
    pub fn scalar(&mut self, block: &Block) {
        self.in_context_one(|this| this.block(block));
    }

    /// Runs `body` in context 1, then goes on with the lanes that have not left.
    pub fn in_context_one(&mut self, body: impl FnOnce(&mut Self)) {
        let ty = Type::new(Element::Bool, self.context());
        let departed = self.b.declare_variable(ty);
        let nobody = self.b.zero(ty);
        self.b.define(departed, nobody);
        self.scalar_regions.push(ScalarRegion { loops: self.loops.len(), departed, used: false });
        let saved = std::mem::replace(&mut self.mask, Mask::AllOn(1));
        body(self);
        self.mask = saved;
        let region = self.scalar_regions.pop().expect("the region that was pushed");
        if region.used {
            let departed = self.b.use_variable(departed);
            self.mask = self.without(saved, departed);
        }
    }

    pub fn break_statement(&mut self) {
        let frame = self.loops.last().expect("a break stands in a loop");
        let (kind, round, exit, next) = (frame.kind, frame.round, frame.exit, frame.next);
        if self.context() == 1 && self.mask_length(round) > 1 {
            self.b.jump(exit, &[]);
        } else if self.takes_the_round(self.loops.len() - 1) {
            // In a `foreach_unique` the lanes with other values still have their rounds.
            self.b.jump(if kind == FrameKind::RoundsDiffer { next } else { exit }, &[]);
        } else {
            let depth = self.loops.len() - 1;
            // The lanes that leave a `switch` are there again behind it.
            if kind.is_loop() {
                self.leave_rounds(depth..depth + 1);
            }
            self.depart(depth + 1);
        }
    }

    pub fn continue_statement(&mut self) {
        let depth = self.loops.iter().rposition(|frame| frame.kind.is_loop()).expect("a continue stands in a loop");
        let (round, next) = (self.loops[depth].round, self.loops[depth].next);
        let all = self.context() == 1 && self.mask_length(round) > 1;
        if all || self.takes_the_round(depth) {
            self.b.jump(next, &[]);
        } else {
            self.leave_rounds(depth + 1..self.loops.len());
            self.loops[depth + 1..].iter_mut().for_each(|switch| switch.lanes_returned = true);
            self.depart(depth + 1);
        }
    }

    /// E-RETURN
    pub fn return_statement(&mut self, value: Option<&Expr>) {
        let (mut value, mut object) = (value, None);
        if let Some(address) = self.result_address {
            object = value.take().map(|value| (address, value));
        }
        let values = value.map(|value| self.expression(value)).unwrap_or_default();
        if self.context() == 1 && self.mask_length(self.base) > 1 {
            if let Some((to, object)) = object {
                self.return_object_of_rest(to, object);
            }
            let values = self.keep_returned(values);
            self.leave(&values);
        } else if !self.leaves_a_region_running(0) && self.same_mask(self.mask, self.base) {
            if let Some((to, object)) = object {
                self.fill(to, object);
            }
            self.leave(&values);
        } else {
            if let Some((to, object)) = object {
                self.return_object(to, object);
            }
            self.return_lanes(&values);
        }
    }

    /// Does a jump from here, out of the loop at `depth`, certainly take all lanes of its round, with no region in between that
    /// goes on without them?
    fn takes_the_round(&mut self, depth: usize) -> bool {
        // In a `switch` on a vector others wait for their arm.
        self.loops[depth].kind != FrameKind::LaneSwitch
            && !self.leaves_a_region_running(depth + 1)
            && self.same_mask(self.mask, self.loops[depth].round)
    }

    /// Is there a scalar region, with at least `depth` loops around it, that lanes jump out of from here?
    fn leaves_a_region_running(&self, depth: usize) -> bool {
        self.context() > 1 && self.scalar_regions.iter().any(|region| region.loops >= depth)
    }

    /// All lanes return, but those that have returned before keep their results.
    fn keep_returned(&mut self, mut values: Vec<Value>) -> Vec<Value> {
        let returned = self.b.use_variable(self.returned);
        for (i, value) in values.iter_mut().enumerate() {
            if self.b.ty(*value).length == self.mask_length(self.base) {
                let before = self.b.use_variable(self.results[i]);
                *value = self.b.select(returned, before, *value);
            }
        }
        values
    }

    fn return_lanes(&mut self, values: &[Value]) {
        let mask = self.mask_value(self.mask);
        let pending = self.pending();
        for (i, &value) in values.iter().enumerate() {
            // A result that all lanes share is set if one of them returns it.
            let is_own = self.b.ty(value).length == self.context();
            let returns = if is_own { self.mask_value(pending) } else { self.any_lane(self.mask) };
            let before = self.b.use_variable(self.results[i]);
            let value = self.b.select(returns, value, before);
            self.b.define(self.results[i], value);
        }
        let before = self.b.use_variable(self.returned);
        let returned = self.b.or(before, mask);
        self.b.define(self.returned, returned);
        // Behind the outermost loop whose round has no other lanes, somebody else may go on.
        let whole = (0..self.loops.len()).find(|&depth| self.takes_the_round(depth));
        let left = whole.map_or(self.loops.len(), |depth| depth + 1);
        self.leave_rounds(0..left);
        for depth in 0..left {
            let has_lanes = self.mask_length(self.loops[depth].round) > 1;
            self.loops[depth].lanes_returned |= has_lanes;
        }
        match whole {
            Some(depth) => {
                let LoopFrame { kind, next, exit, left, .. } = self.loops[depth];
                if let Some(left) = left {
                    let nobody = self.b.zero(self.b.ty(mask));
                    self.b.define(left, nobody);
                }
                self.b.jump(if kind == FrameKind::RoundsDiffer { next } else { exit }, &[]);
            }
            None => self.depart(0),
        }
    }

    /// Lanes that have not returned, those of the mask among them: what the others have for a result does not matter, and a mask that is
    /// there already does for all.
    fn pending(&mut self) -> Mask {
        if self.mask_length(self.base) != self.context() || !self.scalar_regions.is_empty() {
            return self.mask;
        }
        match self.loops.last() {
            Some(frame) if frame.kind == FrameKind::Loop && !frame.lanes_returned => frame.round,
            Some(_) => self.mask,
            None => {
                let returned = self.b.use_variable(self.returned);
                if self.b.uniform_bits(returned) == Some(0) { self.base } else { self.mask }
            }
        }
    }

    /// The lanes of the mask take no part in further rounds of these loops.
    fn leave_rounds(&mut self, loops: std::ops::Range<usize>) {
        let mask = self.mask_value(self.mask);
        for depth in loops {
            let Some(live) = self.loops[depth].live else { continue };
            if self.mask_length(self.loops[depth].round) == self.context() {
                let (before, stay) = (self.b.use_variable(live), self.b.not(mask));
                let after = self.b.and(before, stay);
                self.b.define(live, after);
            }
        }
    }

    /// The lanes of the mask are gone from here, out of all regions that have at least `depth` loops around them.
    fn depart(&mut self, depth: usize) {
        let mask = self.mask_value(self.mask);
        for i in 0..self.scalar_regions.len() {
            let ScalarRegion { loops, departed, used: _ } = self.scalar_regions[i];
            let before = self.b.use_variable(departed);
            if loops >= depth && self.b.ty(before) == self.b.ty(mask) {
                let after = self.b.or(before, mask);
                self.b.define(departed, after);
                self.scalar_regions[i].used = true;
            }
        }
        self.mask = Mask::Off(self.context());
    }
}
