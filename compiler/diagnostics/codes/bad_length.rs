//! A number is no vector length.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 302,
    name: "bad-length",
    message: "a number is no vector length",
    why: "Lengths are the powers of two from 1 to 64.",
    wrong: "int main() {\n    int block[3] v = 1;\n    return 0;\n}\n",
    right: "int main() {\n    int block[4] v = 1;\n    return 0;\n}\n",
};
