//! A number, character or string is not well formed.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 3,
    name: "bad-literal",
    message: "a number, character or string is not well formed",
    why: "Numbers are decimal, hexadecimal (`0x`) or binary (`0b`), with the suffixes `u`, `l`, `ul` for integers and `f`, `d` for floats. Strings and characters end on their line.",
    wrong: "int main() {\n    int a = 0x;\n    return 0;\n}\n",
    right: "int main() {\n    int a = 0xff;\n    return 0;\n}\n",
};
