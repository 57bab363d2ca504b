//! A `static for` with too many rounds.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 507,
    name: "static-rounds",
    message: "a `static for` has too many rounds",
    why: "Each round of a `static for` is compiled by itself, as if it were written out. Long loops are ordinary ones.",
    wrong: "int main() {\n    int s = 0;\n    static for (int i = 0 .. 1000000) s += i;\n    return s;\n}\n",
    right: "int main() {\n    int s = 0;\n    for (int i = 0; i < 1000000; ++i) s += i;\n    return s;\n}\n",
};
