//! A construct is not there in this version.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 900,
    name: "unsupported",
    message: "a construct is not there in this version",
    why: "The grammar of the language is larger than what this version compiles. The message names the construct.",
    wrong: "struct s { int x = 1; };\nint main() {\n    return 0;\n}\n",
    right: "struct s { int x; };\nint main() {\n    return 0;\n}\n",
};
