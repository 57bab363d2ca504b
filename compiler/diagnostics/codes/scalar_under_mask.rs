//! A scalar is counted under a vector mask.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 800,
    name: "scalar-under-mask",
    message: "a scalar is counted under a vector mask",
    why: "A variable without qualifier takes the length of its initializer (T-INIT), so `int c = 0` is scalar, and a scalar that changes in a vector context changes once for all lanes. If each lane shall count for itself, give the variable the length: `int block[lengthof(v)] c = 0`.",
    wrong: "int main() {\n    int block[4] v = <1, 2, 3, 4>;\n    int c = 0;\n    while (v != 1) {\n        --v;\n        ++c;\n    }\n    print(\"%\\n\", c);\n    return 0;\n}\n",
    right: "int main() {\n    int block[4] v = <1, 2, 3, 4>;\n    int block[lengthof(v)] c = 0;\n    while (v != 1) {\n        --v;\n        ++c;\n    }\n    print(\"%\\n\", c);\n    return 0;\n}\n",
};
