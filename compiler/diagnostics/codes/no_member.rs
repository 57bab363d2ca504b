//! A value has no such member.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 210,
    name: "no-member",
    message: "a value has no such member",
    why: "Members are those of the struct; through a pointer they are reached with `->`.",
    wrong: "struct s { int a; };\nint main() {\n    s x;\n    x.b = 1;\n    return 0;\n}\n",
    right: "struct s { int a; };\nint main() {\n    s x;\n    x.a = 1;\n    return 0;\n}\n",
};
