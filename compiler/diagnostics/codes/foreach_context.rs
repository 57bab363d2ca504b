//! A `foreach` does not open here.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 304,
    name: "foreach-context",
    message: "a `foreach` does not open here",
    why: "The lanes of a `foreach` are its own, so it opens in context 1 only, and one of its indices is a block.",
    wrong: "void f(int *a) {\n    int block[4] v = 1;\n    if (v > 0) {\n        foreach (int block[4] i = 0 .. 8) a[i] = 1;\n    }\n}\nint main() { return 0; }\n",
    right: "void f(int *a) {\n    foreach (int block[4] i = 0 .. 8) a[i] = 1;\n}\nint main() { return 0; }\n",
};
