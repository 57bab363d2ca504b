//! A jump out of a parallel loop.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 404,
    name: "parallel-jump",
    message: "a parallel loop cannot be left",
    why: "The rounds of a `parallel foreach` run at the same time, so none of them can keep the others from running: there is no `break` out of it and no `return`. `continue` ends one round; note what was found in an array or behind a pointer, and look at it after the loop.",
    wrong: "int f(int *a) {\n    parallel foreach (int i = 0 .. 8) {\n        if (a[i] > 3) return i;\n    }\n    return -1;\n}\nint main() { int a[8]; return f(a); }\n",
    right: "int f(int *a) {\n    bool found[8];\n    parallel foreach (int i = 0 .. 8) found[i] = a[i] > 3;\n    for (int i = 0; i < 8; i++) {\n        if (found[i]) return i;\n    }\n    return -1;\n}\nint main() { int a[8]; return f(a); }\n",
};
