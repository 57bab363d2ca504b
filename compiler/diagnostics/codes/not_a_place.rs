//! A value is used where a place in memory is asked for.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 207,
    name: "not-a-place",
    message: "a value is used where a place in memory is asked for",
    why: "Assignments, `&` and references need a place (an lvalue): a variable, an element, a member, what a pointer points to.",
    wrong: "int main() {\n    1 = 2;\n    return 0;\n}\n",
    right: "int main() {\n    int a;\n    a = 2;\n    return 0;\n}\n",
};
