//! A C function is called in a vector context.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 504,
    name: "extern-context",
    message: "a C function is called in a vector context",
    why: "C knows no masks: a C function runs in context 1. Call it for each active lane with `foreach_active`.",
    wrong: "extern \"C\" void f(int x);\nint main() {\n    int block[4] v = 1;\n    if (v > 0) {\n        f(1);\n    }\n    return 0;\n}\n",
    right: "extern \"C\" void f(int x);\nint main() {\n    int block[4] v = 1;\n    if (v > 0) {\n        foreach_active (int k) f(k);\n    }\n    return 0;\n}\n",
};
