//! Lanes may change one element.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 801,
    name: "conflicting-lanes",
    message: "lanes may change one element",
    why: "`a[x] += 1` with a vector x reads, adds and writes lane by lane, in ascending order: right, but slow, and rarely meant where no two lanes can meet. `foreach_unique` visits each element once.",
    wrong: "int a[16];\nint main() {\n    int block[4] x = <1, 1, 2, 3>;\n    a[x] += 1;\n    return 0;\n}\n",
    right: "int a[16];\nint main() {\n    int block[4] x = <1, 1, 2, 3>;\n    foreach_unique (int u : x) a[u] += 1;\n    return 0;\n}\n",
};
