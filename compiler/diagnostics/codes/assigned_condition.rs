//! `=` where `==` is usual.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 813,
    name: "assigned-condition",
    message: "a condition assigns",
    why: "`=` assigns and `==` compares. Where assigning is meant, put it in brackets.",
    wrong: "int main() {\n    int x = 1;\n    if (x = 2) print(\"two\\n\");\n    return 0;\n}\n",
    right: "int main() {\n    int x = 1;\n    if (x == 2) print(\"two\\n\");\n    return 0;\n}\n",
};
