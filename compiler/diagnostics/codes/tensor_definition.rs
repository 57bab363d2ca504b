//! A comprehension breaks a rule of its notation.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1011,
    name: "tensor-definition",
    message: "a comprehension breaks a rule of its notation",
    why: "A statement of a `def` defines one tensor at indices that are different names. An index that stands on the right only is reduced, which takes an operator: `+=!`, `*=!`, `min=!` or `max=!`; without `!`, what is there is folded in, and must have been defined. Sizes, tensors and indices share one namespace; parameters are read only, unless they are `inout`; a tensor reads its own old value at the same indices only.",
    wrong: "def f(float(M, K) A, float(K) x) -> (C) {\n    C(i) = A(i, k) * x(k)\n}\nint main() { return 0; }\n",
    right: "def f(float(M, K) A, float(K) x) -> (C) {\n    C(i) +=! A(i, k) * x(k)\n}\nint main() { return 0; }\n",
};
