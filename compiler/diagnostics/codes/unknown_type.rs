//! There is no such type.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 103,
    name: "unknown-type",
    message: "there is no such type",
    why: "Types are the element types, structs, enums and typedefs of the file and its imports.",
    wrong: "int main() {\n    flaot x = 1;\n    return 0;\n}\n",
    right: "int main() {\n    float x = 1;\n    return 0;\n}\n",
};
