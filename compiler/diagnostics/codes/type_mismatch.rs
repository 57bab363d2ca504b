//! A type does not fit its use.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 200,
    name: "type-mismatch",
    message: "a type does not fit its use",
    why: "The message names the type that was found and what is asked for.",
    wrong: "struct s { int a; };\nint main() {\n    s x;\n    int y = x;\n    return y;\n}\n",
    right: "struct s { int a; };\nint main() {\n    s x;\n    x.a = 1;\n    int y = x.a;\n    return y;\n}\n",
};
