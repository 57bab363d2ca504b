//! A pipeline calls what is not pure.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1005,
    name: "impure-function",
    message: "a pipeline calls what is not pure",
    why: "A schedule decides how often, in which order and in which lanes a func is computed. So its expressions have no effects and depend on nothing but their operands: no `print`, no C function, no pointer, no other lane.",
    wrong: "int noisy(int x) { print(\"%\", x); return x; }\npipeline p() -> f { fun f(x) = noisy(x); }\nint main() { return 0; }\n",
    right: "int quiet(int x) { return x * x; }\npipeline p() -> f { fun f(x) = quiet(x); }\nint main() { return 0; }\n",
};
