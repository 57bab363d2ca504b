//! A `return` and the result type do not agree.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 402,
    name: "return-value",
    message: "a `return` and the result type do not agree",
    why: "A function with a result returns a value everywhere, a `void` function nowhere.",
    wrong: "int main() {\n    return;\n}\n",
    right: "int main() {\n    return 0;\n}\n",
};
