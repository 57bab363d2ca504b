//! The lanes of a `foreach` cannot return.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 401,
    name: "return-in-foreach",
    message: "the lanes of a `foreach` cannot return",
    why: "A return by lanes would vectorise the function, and a `foreach` opens in context 1 only. Leave with all lanes from `scalar { … }`, or reduce after the loop.",
    wrong: "int f(int *a) {\n    foreach (int block[4] i = 0 .. 8) {\n        if (a[i] > 3) return 1;\n    }\n    return 0;\n}\nint main() { int a[8]; return f(a); }\n",
    right: "int f(int *a) {\n    foreach (int block[4] i = 0 .. 8) {\n        if (any(a[i] > 3)) scalar { return 1; }\n    }\n    return 0;\n}\nint main() { int a[8]; return f(a); }\n",
};
