//! A label of a `switch` stands there twice.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 405,
    name: "case-label",
    message: "a label of a `switch` stands there twice",
    why: "A value of a `switch` leads to one place: each constant is the label of one `case`, and there is one `default` at most.",
    wrong: "int f(int n) {\n    switch (n) {\n        case 1: return 10;\n        case 2: return 20;\n        case 1: return 30;\n        default: return 0;\n    }\n}\nint main() {\n    return f(3);\n}\n",
    right: "int f(int n) {\n    switch (n) {\n        case 1: return 10;\n        case 2: return 20;\n        case 3: return 30;\n        default: return 0;\n    }\n}\nint main() {\n    return f(4);\n}\n",
};
