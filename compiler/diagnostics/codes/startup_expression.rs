//! This must be known when the pipeline starts.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1003,
    name: "startup-expression",
    message: "this must be known when the pipeline starts",
    why: "The bounds of reduction domains and the numbers of schedules are startup expressions (Definition 4.4): parameters, windows of inputs and what is computed from them, but no func, no pixel and no variable of a func.",
    wrong: "pipeline p() -> f {\n    fun f(x) = 0;\n    rdom (r = 0 .. x) f(x) += r;\n}\nint main() { return 0; }\n",
    right: "pipeline p(int n) -> f {\n    fun f(x) = 0;\n    rdom (r = 0 .. n) f(x) += r if (r < x);\n}\nint main() { return 0; }\n",
};
