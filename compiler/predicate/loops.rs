//! `while`, `do`, `for`.
//!
//! ```text
//! while (c) body      plain                            losing lanes (c a vector, or divergent jumps)
//!                     header: branch c, body, exit     header(live): live ∧= c; branch any(live), body, exit
//!                     body:   …; jump header           body under live; live = the lanes at the end and those
//!                                                      that continued; branch any(live), header(live), exit
//! ```
//! Behind the loop P is what it was before, without the lanes that returned (E-WHILE restores P by its `if`).

use super::cost;
use super::state::{FrameKind, LoopFrame, Mask, Predicator};
use super::uniformity::{LoopInfo, is_vector};
use crate::target::Unrolling;
use crate::typed::ir::{self, Expr};
use crate::vector::build::Variable;
use crate::vector::ir::{Block, Element, Type};

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct Loop<'e> {
    pub test_first: bool,
    pub unrolling: Unrolling,
    pub condition: Option<&'e Expr>,
    pub step: Option<&'e Expr>,
    pub body: &'e ir::Block,
}

impl Predicator<'_> {
    /// E-WHILE and its sugar.
    pub fn loop_statement(&mut self, parts: Loop) {
        let outer = self.mask;
        // A loop that a jump of lanes has vectorised starts with all lanes on.
        if parts.body.context > self.context() {
            self.mask = Mask::AllOn(parts.body.context);
        }
        let info = (self.context() > 1).then(|| LoopInfo::of(self.types(), parts.condition, parts.body));
        let frame = match info.filter(|info| info.loses_lanes) {
            Some(info) => self.lane_loop(parts, info),
            None => self.plain_loop(parts),
        };
        self.behind_loop(outer, &frame);
    }

    /// Goes on behind a loop, with the mask from before it.
    pub fn behind_loop(&mut self, outer: Mask, frame: &LoopFrame) {
        self.b.seal(frame.exit);
        self.b.position(frame.exit);
        self.mask = outer;
        match frame.left.filter(|_| frame.lanes_returned) {
            Some(left) => {
                let left = self.b.use_variable(left);
                self.mask = self.mask_of(left);
            }
            None if frame.lanes_returned => {
                let returned = self.b.use_variable(self.returned);
                self.mask = self.without(outer, returned);
            }
            None => {}
        }
    }

    /// A frame whose round begins here, with blocks of its own.
    pub fn frame(&mut self, live: Option<Variable>, exit: Block) -> LoopFrame {
        let next = self.b.create_block();
        LoopFrame { kind: FrameKind::Loop, round: self.mask, live, exit, next, lanes_returned: false, left: None }
    }

    /// The body of a loop; control is then at the end of the round.
    pub fn loop_body(&mut self, frame: LoopFrame, body: &ir::Block) -> LoopFrame {
        let next = frame.next;
        self.loops.push(frame);
        self.block(body);
        self.b.jump(next, &[]);
        self.b.seal(next);
        self.b.position(next);
        self.loops.pop().expect("the frame that was pushed")
    }

    /// All lanes take every jump: masks do not change.
    fn plain_loop(&mut self, parts: Loop) -> LoopFrame {
        let start = self.mask;
        let [header, inside, exit] = [(); 3].map(|()| self.b.create_block());
        self.b.jump(header, &[]);
        self.b.position(header);
        self.b.unroll(parts.unrolling);
        match parts.condition.filter(|_| parts.test_first) {
            Some(condition) => {
                let condition = self.expression(condition)[0];
                self.b.branch(condition, inside, &[], exit, &[]);
            }
            None => self.b.jump(inside, &[]),
        }
        self.b.seal(inside);
        self.b.position(inside);
        let frame = self.frame(None, exit);
        let frame = self.loop_body(frame, parts.body);
        self.mask = start;
        if let Some(step) = parts.step {
            self.expression(step);
        }
        match parts.condition.filter(|_| !parts.test_first) {
            Some(condition) => {
                let condition = self.expression(condition)[0];
                self.b.branch(condition, header, &[], exit, &[]);
            }
            None => self.b.jump(header, &[]),
        }
        self.b.seal(header);
        frame
    }

    /// Lanes leave one by one: the mask of those that are left is carried around.
    fn lane_loop(&mut self, parts: Loop, info: LoopInfo) -> LoopFrame {
        let mask_type = Type::new(Element::Bool, self.context());
        let carried = self.b.declare_variable(mask_type);
        let live = info.continues.then(|| self.b.declare_variable(mask_type));
        let [header, inside, exit] = [(); 3].map(|()| self.b.create_block());
        let start = self.mask_value(self.mask);
        self.b.define(carried, start);
        self.b.jump(header, &[]);
        self.b.position(header);
        self.b.unroll(parts.unrolling);
        let now = self.b.use_variable(carried);
        self.mask = Mask::Value(now);
        match parts.condition.filter(|_| parts.test_first) {
            Some(condition) => {
                self.test(condition, inside, exit);
            }
            None => self.b.jump(inside, &[]),
        }
        self.b.seal(inside);
        self.b.position(inside);
        let round = self.mask;
        if let Some(live) = live {
            let value = self.mask_value(round);
            self.b.define(live, value);
        }
        let left = info.only_returns.then_some(carried);
        let frame = LoopFrame { left, ..self.frame(live, exit) };
        let frame = self.loop_body(frame, parts.body);
        if let Some(live) = live {
            let value = self.b.use_variable(live);
            self.mask = self.mask_of(value);
        }
        let left = self.mask_value(self.mask);
        self.b.define(carried, left);
        if matches!(self.mask, Mask::Off(_)) {
            self.b.jump(exit, &[]);
        } else {
            if !self.same_mask(self.mask, round) && !self.next_test_can_wait(parts) {
                let any = self.any_lane(self.mask);
                let rest = self.b.create_block();
                self.b.branch(any, rest, &[], exit, &[]);
                self.b.seal(rest);
                self.b.position(rest);
            }
            if let Some(step) = parts.step {
                self.expression(step);
            }
            if let Some(condition) = parts.condition.filter(|_| !parts.test_first) {
                let back = self.b.create_block();
                self.test(condition, back, exit);
                self.b.seal(back);
                self.b.position(back);
                let left = self.mask_value(self.mask);
                self.b.define(carried, left);
            }
            self.b.jump(header, &[]);
        }
        self.b.seal(header);
        frame
    }

    /// Goes to `inside` with the lanes for which the condition holds, to `exit` if there are none.
    fn test(&mut self, condition: &Expr, inside: Block, exit: Block) {
        let value = self.expression(condition)[0];
        if is_vector(self.types(), condition) {
            self.mask = self.narrow(self.mask, value);
            let any = self.any_lane(self.mask);
            self.b.branch(any, inside, &[], exit, &[]);
        } else {
            self.b.branch(value, inside, &[], exit, &[]);
        }
    }

    /// Do step and condition tolerate an empty mask, so that the test of the condition finds out that nobody is left?
    fn next_test_can_wait(&self, parts: Loop) -> bool {
        let cheap = |expr: &Expr| cost::is_cheap_expression(self.shared, self.id, self.context(), expr, None);
        parts.condition.is_some_and(|c| is_vector(self.types(), c) && cheap(c)) && parts.step.is_none_or(cheap)
    }
}
