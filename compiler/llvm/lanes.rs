//! What masks say, and control flow over lanes.

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use super::masks::bits;

impl FunctionTranslator<'_> {
    pub(super) fn any(&self, mask: LlvmValue) -> LlvmValue {
        if self.b.lanes(self.b.type_of(mask)) == 1 { mask } else { self.b.is_set(bits(self.b, mask)) }
    }

    pub(super) fn all(&self, mask: LlvmValue) -> LlvmValue {
        if self.b.lanes(self.b.type_of(mask)) == 1 {
            return mask;
        }
        let bits = bits(self.b, mask);
        self.b.equal(bits, self.b.ones(self.b.type_of(bits)))
    }

    /// Bit k is lane k, in as many bits as there are lanes.
    pub(super) fn mask_bits(&self, mask: LlvmValue) -> LlvmValue {
        bits(self.b, mask)
    }

    /// Bit `lane` of the bits of a mask.
    pub(super) fn lane_bit(&self, bits: LlvmValue, lane: u32) -> LlvmValue {
        let ty = self.b.type_of(bits);
        let shifted = self.b.lshr(bits, self.b.constant(ty, u64::from(lane)));
        if self.b.element_bits(ty) == 1 { bits } else { self.b.trunc(shifted, self.b.int(1)) }
    }

    /// Runs `then` where `condition` holds.
    pub(super) fn when(&self, condition: LlvmValue, then: impl FnOnce()) {
        let (inside, after) = (self.new_block(), self.new_block());
        self.b.branch(condition, inside, after);
        self.b.position(inside);
        then();
        self.b.jump(after);
        self.b.position(after);
    }

    /// Runs `then` or `otherwise`.
    pub(super) fn either(&self, condition: LlvmValue, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let (inside, outside, after) = (self.new_block(), self.new_block(), self.new_block());
        self.b.branch(condition, inside, outside);
        self.b.position(inside);
        then();
        self.b.jump(after);
        self.b.position(outside);
        otherwise();
        self.b.jump(after);
        self.b.position(after);
    }

    /// The value of `then` or of `otherwise`.
    pub(super) fn choose(
        &self,
        condition: LlvmValue,
        then: impl FnOnce() -> LlvmValue,
        otherwise: impl FnOnce() -> LlvmValue,
    ) -> LlvmValue {
        let mut arms = Vec::new();
        let result = std::cell::RefCell::new(&mut arms);
        let arm = |value: LlvmValue| result.borrow_mut().push((value, self.b.current_block()));
        self.either(condition, || arm(then()), || arm(otherwise()));
        let phi = self.b.phi(self.b.type_of(arms[0].0));
        for (value, block) in arms {
            self.b.add_incoming(phi, value, block);
        }
        phi
    }

    /// Runs `body` for each bit that is set, in ascending order, with its number as an i64.
    pub(super) fn for_each_bit(&self, bits: LlvmValue, body: impl FnOnce(LlvmValue)) {
        let i64_type = self.b.int(64);
        let bits = self.b.resize_unsigned(bits, i64_type);
        let before = self.b.current_block();
        let (head, inside, after) = (self.new_block(), self.new_block(), self.new_block());
        self.b.jump(head);
        self.b.position(head);
        let rest = self.b.phi(i64_type);
        self.b.add_incoming(rest, bits, before);
        self.b.branch(self.b.is_set(rest), inside, after);
        self.b.position(inside);
        // `rest` is not zero here, so the result for zero does not matter; it is defined all the same.
        let lane = self.b.intrinsic("llvm.cttz", &[i64_type], &[rest, self.b.zero(self.b.int(1))]);
        body(lane);
        let less = self.b.and(rest, self.b.add(rest, self.b.ones(i64_type)));
        self.b.add_incoming(rest, less, self.b.current_block());
        self.b.jump(head);
        self.b.position(after);
    }
}
