//! Rounds of a parallel loop change one variable.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 802,
    name: "shared-variable",
    message: "the rounds of a parallel loop change one variable",
    why: "All rounds of a `parallel foreach` share the variables around it, and run at the same time: what one writes another may overwrite, and `sum += x` loses what others add in the meantime. Declare a variable that each round needs for itself inside of the loop; collect with `atomic_add` and its like, or give each round a place of its own in an array.",
    wrong: "int f(int *a) {\n    int sum = 0;\n    parallel foreach (int i = 0 .. 8) sum += a[i];\n    return sum;\n}\nint main() { int a[8]; return f(a); }\n",
    right: "int f(int *a) {\n    int sum = 0;\n    parallel foreach (int i = 0 .. 8) atomic_add(&sum, a[i]);\n    return sum;\n}\nint main() { int a[8]; return f(a); }\n",
};
