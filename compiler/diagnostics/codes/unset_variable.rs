//! A use before anything can have set the variable.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 812,
    name: "unset-variable",
    message: "a variable is used that nothing has set",
    why: "A variable without a value holds something, and nobody knows what. This is said only where no way through the function sets it before: what one way sets counts as set.",
    wrong: "int main() {\n    int sum;\n    sum += 3;\n    return sum;\n}\n",
    right: "int main() {\n    int sum = 0;\n    sum += 3;\n    return sum;\n}\n",
};
