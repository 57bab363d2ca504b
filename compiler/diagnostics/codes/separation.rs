//! A stage mixes the points of its own func.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1004,
    name: "separation",
    message: "a stage mixes the points of its own func",
    why: "The syntactic separation restriction (Definition 4.2): if a pure variable occurs in an update, it stands alone at its place in every access to the func. So an update works on each point by itself, and the points may be visited in any order.",
    wrong: "pipeline p(int in[]) -> f {\n    fun f(x) = in(x);\n    f(x) = f(x + 1);\n}\nint main() { return 0; }\n",
    right: "pipeline p(int in[]) -> f {\n    fun g(x) = in(x);\n    fun f(x) = g(x + 1);\n}\nint main() { return 0; }\n",
};
