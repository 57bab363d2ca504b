//! The size of an array is missing or wrong.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 205,
    name: "array-size",
    message: "the size of an array is missing or wrong",
    why: "The size is a constant from 1 to 2^31; an initializer in braces gives it, too.",
    wrong: "int main() {\n    int a[0];\n    return 0;\n}\n",
    right: "int main() {\n    int a[1];\n    return 0;\n}\n",
};
