//! A vector is used where a scalar is asked for.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 303,
    name: "vector-to-scalar",
    message: "a vector is used where a scalar is asked for",
    why: "Which of the lanes should it be? Take one with `get(v, i)`, or reduce all of them: `reduce_add`, `reduce_max`, `any`, `all`.",
    wrong: "int main() {\n    int block[4] v = 1;\n    int scalar s = v;\n    return s;\n}\n",
    right: "int main() {\n    int block[4] v = 1;\n    int scalar s = reduce_add(v);\n    return s;\n}\n",
};
