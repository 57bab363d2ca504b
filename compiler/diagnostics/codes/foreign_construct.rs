//! What C, C++ or ispc have and the language has not.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 8,
    name: "foreign-construct",
    message: "this is written otherwise here",
    why: "The language looks like C and ispc, and leaves out or writes otherwise some of what they, or C++, have. The message says what to write.",
    wrong: "struct point { int x, y; };\nint main() {\n    struct point p = {1, 2};\n    return p.x;\n}\n",
    right: "struct point { int x, y; };\nint main() {\n    point p = {1, 2};\n    return p.x;\n}\n",
};
