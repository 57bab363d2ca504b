//! A semicolon is missing.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 5,
    name: "missing-semicolon",
    message: "a semicolon is missing",
    why: "Declarations, expressions and jumps end with a semicolon, as in C.",
    wrong: "int main() {\n    int a = 1\n    return a;\n}\n",
    right: "int main() {\n    int a = 1;\n    return a;\n}\n",
};
