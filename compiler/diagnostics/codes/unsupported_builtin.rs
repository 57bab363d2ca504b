//! A built-in is not there in this version.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 601,
    name: "unsupported-builtin",
    message: "a built-in is not there in this version",
    why: "The name belongs to the language, but this version does not have it yet.",
    wrong: "int main() {\n    int x = atomic_add(null, 1);\n    return 0;\n}\n",
    right: "int main() {\n    float x = sqrt(1.0);\n    return 0;\n}\n",
};
