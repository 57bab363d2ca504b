//! A function may end without a value.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 403,
    name: "missing-return",
    message: "a function may end without a value",
    why: "Each way through a function with a result ends in a `return`.",
    wrong: "int f(int x) {\n    if (x > 0) return 1;\n}\nint main() { return f(1); }\n",
    right: "int f(int x) {\n    if (x > 0) return 1;\n    return 0;\n}\nint main() { return f(1); }\n",
};
