//! Rounds of a parallel loop change one variable.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 802,
    name: "shared-variable",
    message: "the rounds of a parallel loop change one variable",
    why: "All rounds of a `parallel foreach` share the variables around it, and run at the same time: what one writes another may overwrite, and `sum += x` loses what others add in the meantime. Declare a variable that each round needs for itself inside of the loop, and give each round a place of its own in an array for what it finds out.",
    wrong: "int f(int *a) {\n    int sum = 0;\n    parallel foreach (int i = 0 .. 8) sum += a[i];\n    return sum;\n}\nint main() { int a[8]; return f(a); }\n",
    right: "int f(int *a) {\n    int sums[2];\n    parallel foreach (int half = 0 .. 2) {\n        int sum = 0;\n        for (int i = 4 * half; i < 4 * half + 4; i++) sum += a[i];\n        sums[half] = sum;\n    }\n    return sums[0] + sums[1];\n}\nint main() { int a[8]; return f(a); }\n",
};
