//! `switch`.
//!
//! ```text
//! switch (n) { case 1: A case 2: B default: C }                                n: a scalar
//!   ──►  if (n == 1) goto a;  if (n == 2) goto b;  goto c;
//!        a: A  b: B  c: C                                                      break: goto exit
//!
//! switch (v) { case 1: A case 2: B default: C }                                v: a vector
//!   ──►  m = P ∧ v == 1;                      A under m
//!        m = m's lanes at the end or (P ∧ v == 2);   B under m                 break: m = m and !M
//!        m = m's lanes at the end or (P ∧ v ≠ 1 ∧ v ≠ 2);   C under m
//! ```
//! The chain of comparisons of a scalar is what LLVM makes a `switch` of, with a table or a search where that is faster; so the
//! vector IR has no instruction for it. A node of the typed program rather than nested conditions there: a lane that falls
//! through would have to run the statements of the arms behind in a second copy, or carry a flag for each arm.
//!
//! Lanes that break come back behind the `switch`: it takes away only the lanes that leave it for a place further out. In an arm
//! of a scalar `switch` a part of the lanes may break; control goes to the next arm with the others, if there are any.

use super::branches::Merge;
use super::cost;
use super::state::{FrameKind, LoopFrame, Mask, Predicator};
use super::uniformity::is_vector;
use crate::typed::ir::{self as typed, Constant, Expr, SwitchArm};
use crate::vector::ir::{self, Block, CompareOp, Type, Value};

impl Predicator<'_> {
    /// E-SWITCH
    pub fn switch(&mut self, value: &Expr, arms: &[SwitchArm]) {
        let outer = self.mask;
        let has_lanes = is_vector(self.types(), value);
        let value = self.expression(value)[0];
        // A vector value, or a jump of lanes, opens a context with all lanes on.
        let context = arms.first().map_or(self.context(), |arm| arm.body.context);
        let opens_context = context > self.context();
        if opens_context {
            self.mask = Mask::AllOn(context);
        }
        let whole = self.mask;
        let live = self.b.declare_variable(Type::new(ir::Element::Bool, context));
        let start = self.mask_value(whole);
        self.b.define(live, start);
        let exit = self.b.create_block();
        let kind = if has_lanes { FrameKind::LaneSwitch } else { FrameKind::Switch };
        self.loops.push(LoopFrame { kind, round: whole, live: Some(live), exit, next: exit, lanes_returned: false, left: None });
        if has_lanes {
            self.arms_of_lanes(value, arms);
        } else {
            self.scalar_arms(value, arms);
        }
        self.b.jump(exit, &[]);
        self.b.seal(exit);
        self.b.position(exit);
        let frame = self.loops.pop().expect("the frame that was pushed");
        self.mask = match frame.lanes_returned {
            _ if opens_context => outer,
            false => whole,
            true => {
                let live = self.b.use_variable(live);
                self.mask_of(live)
            }
        };
    }

    /// One arm after the other, each under the mask of its lanes.
    fn arms_of_lanes(&mut self, value: Value, arms: &[SwitchArm]) {
        let whole = self.mask;
        let labels: Vec<Option<Value>> = arms.iter().map(|arm| self.any_label(value, &arm.labels)).collect();
        let all_labels = labels.iter().flatten().copied().reduce(|a, b| self.b.or(a, b));
        let has_default = arms.iter().any(|arm| arm.is_default);
        let mut falling = Mask::Off(self.context());
        for (arm, labelled) in arms.iter().zip(labels) {
            let entry = match (arm.is_default, labelled, all_labels) {
                (false, Some(labelled), _) => self.narrow(whole, labelled),
                (false, None, _) => Mask::Off(self.context()),
                (true, _, None) => whole,
                (true, labelled, Some(all)) => {
                    let others = self.b.not(all);
                    let enter = labelled.map_or(others, |labelled| self.b.or(labelled, others));
                    self.narrow(whole, enter)
                }
            };
            let mask = self.union(falling, entry);
            falling = if arm.body.statements.is_empty() {
                mask
            } else {
                // Without a default, lanes may be in no arm.
                let others = arms.iter().map(|other| &other.body).filter(|other| !std::ptr::eq(*other, &arm.body));
                let others: Vec<&typed::Block> =
                    others.filter(|_| has_default).filter(|other| !other.statements.is_empty()).collect();
                let cheap = cost::is_cheap_branch(self.shared, self.id, &arm.body, &others, None);
                self.top_frame().round = mask;
                let here = self.under(mask, cheap, |this| this.block(&arm.body));
                here.unwrap_or(Mask::Off(arm.body.context))
            };
        }
    }

    /// A block for each arm.
    fn scalar_arms(&mut self, value: Value, arms: &[SwitchArm]) {
        let whole = self.mask;
        let exit = self.top_frame().exit;
        let mut entries: Vec<(Block, Merge)> = Vec::new();
        for _ in arms {
            let mut merge = Merge::new(self);
            merge.arm(self);
            entries.push((self.b.create_block(), merge));
        }
        for (arm, (entry, _)) in arms.iter().zip(&entries) {
            for label in &arm.labels {
                let equal = self.is_label(value, label);
                let next = self.b.create_block();
                self.b.branch(equal, *entry, &[], next, &[]);
                self.b.seal(next);
                self.b.position(next);
            }
        }
        let default = arms.iter().position(|arm| arm.is_default).map_or(exit, |default| entries[default].0);
        self.b.jump(default, &[]);
        let mut falling: Option<Mask> = None;
        for (arm, (entry, mut merge)) in arms.iter().zip(entries) {
            if let Some(mask) = falling.take() {
                self.mask = mask;
                let round = self.top_frame().round;
                merge.arm(self);
                if self.same_mask(mask, round) {
                    self.b.jump(entry, &[]);
                } else {
                    let any = self.any_lane(mask);
                    self.b.branch(any, entry, &[], exit, &[]);
                }
            }
            self.b.seal(entry);
            self.b.position(entry);
            self.mask = merge.join(self).unwrap_or(whole);
            self.top_frame().round = self.mask;
            self.block(&arm.body);
            match self.mask {
                Mask::Off(_) => self.b.jump(exit, &[]),
                Mask::AllOn(_) | Mask::Value(_) => falling = Some(self.mask),
            }
        }
    }

    fn top_frame(&mut self) -> &mut LoopFrame {
        self.loops.last_mut().expect("the frame of the switch")
    }

    /// The lanes whose value is one of the labels; `None` without labels.
    fn any_label(&mut self, value: Value, labels: &[Constant]) -> Option<Value> {
        labels.iter().fold(None, |before, label| {
            let equal = self.is_label(value, label);
            Some(before.map_or(equal, |before| self.b.or(before, equal)))
        })
    }

    fn is_label(&mut self, value: Value, label: &Constant) -> Value {
        let ty = self.b.ty(value);
        match *label {
            Constant::Bool(true) => value,
            Constant::Bool(false) => self.b.not(value),
            // Of no type that has a `switch`.
            Constant::Float(_) | Constant::Null => self.b.bool(ty.length, false),
            Constant::Int(bits) => {
                let number = self.b.constant(ty, &[bits]);
                self.b.compare(CompareOp::Eq, value, number)
            }
        }
    }
}
