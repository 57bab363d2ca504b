//! A bracket is never closed.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 6,
    name: "unclosed-delimiter",
    message: "a bracket is never closed",
    why: "Every `(`, `[` and `{` needs its partner. The place named is the bracket that has none.",
    wrong: "int main() {\n    if (true) {\n        return 1;\n    return 0;\n}\n",
    right: "int main() {\n    if (true) {\n        return 1;\n    }\n    return 0;\n}\n",
};
