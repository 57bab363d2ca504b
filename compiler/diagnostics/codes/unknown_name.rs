//! A name is not declared.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 100,
    name: "unknown-name",
    message: "a name is not declared",
    why: "Variables are declared before their use, in the scope of the use or one around it; functions and types may stand anywhere in the file.",
    wrong: "int main() {\n    int count = 1;\n    return cuont;\n    return 0;\n}\n",
    right: "int main() {\n    int count = 1;\n    return count;\n    return 0;\n}\n",
};
