//! A name is declared twice.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 101,
    name: "duplicate-name",
    message: "a name is declared twice",
    why: "In one scope a name means one thing (T-DECL: id must not be in the domain of Γ). Functions may be overloaded on element types.",
    wrong: "int main() {\n    int a = 1;\n    int a = 2;\n    return 0;\n}\n",
    right: "int main() {\n    int a = 1;\n    { int a = 2; }\n    return 0;\n}\n",
};
