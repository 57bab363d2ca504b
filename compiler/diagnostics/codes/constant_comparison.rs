//! A number against the least or the greatest one of its type.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 815,
    name: "constant-comparison",
    message: "a comparison always has the same result",
    why: "Numbers of an unsigned type are never below 0, and a byte is never above 255: a sum of bytes has wrapped before it is compared. A loop that counts down to 0 with such a counter does not end: use a signed type, or test before counting.",
    wrong: "int main() {\n    uint n = 3;\n    if (n < 0) return 1;\n    return 0;\n}\n",
    right: "int main() {\n    int n = 3;\n    if (n < 0) return 1;\n    return 0;\n}\n",
};
