//! Nothing says which values an index has, or an access is outside.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1012,
    name: "tensor-range",
    message: "the range of an index is not known, or an access leaves a tensor",
    why: "An index of a comprehension has the largest range over which the accesses that it stands in stay inside of their tensors, where it is the only index that is not known yet. Where no access gives it, or several indices depend on each other, `where` fixes it: `where i in 0:10`. An access that is outside for certain is an error; one that depends on sizes is checked when the definition is called.",
    wrong: "def f(float(N) A) -> (B) {\n    B(i) +=! A(i + j)\n}\nint main() { return 0; }\n",
    right: "def f(float(N) A) -> (B) {\n    B(i) +=! A(i + j) where j in 0:3\n}\nint main() { return 0; }\n",
};
