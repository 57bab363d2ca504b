//! A function has no body.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 102,
    name: "missing-body",
    message: "a function has no body",
    why: "Functions need no declaration before their use, so a prototype says nothing. One that is defined in C is declared with `extern \"C\"`.",
    wrong: "int f(int x);\nint main() { return 0; }\n",
    right: "extern \"C\" int f(int x);\nint main() { return 0; }\n",
};
