//! This stands in pipelines only.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1000,
    name: "pipeline-only",
    message: "this stands in pipelines only",
    why: "Inline reductions `sum(e for r = a .. b)`, components `f(x).0` and ranges `a .. b` as arguments belong to the algorithms of pipelines. In a function, write a loop.",
    wrong: "int main() { return sum(i for i = 0 .. 4); }\n",
    right: "int main() {\n    int s = 0;\n    for (int i = 0; i < 4; ++i) s += i;\n    return s;\n}\n",
};
