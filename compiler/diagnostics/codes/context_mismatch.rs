//! A value does not fit the length of its context.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 301,
    name: "context-mismatch",
    message: "a value does not fit the length of its context",
    why: "Access is granted in context 1, to scalars, and to values of the length of the context (the access rule, section 4.1): a mask of 4 lanes says nothing about 8.",
    wrong: "int main() {\n    int block[4] m = 1;\n    int block[8] v = 2;\n    if (m > 0) {\n        v += 1;\n    }\n    return 0;\n}\n",
    right: "int main() {\n    int block[8] m = 1;\n    int block[8] v = 2;\n    if (m > 0) {\n        v += 1;\n    }\n    return 0;\n}\n",
};
