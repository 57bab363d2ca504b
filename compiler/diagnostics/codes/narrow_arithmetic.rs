//! Arithmetic in few bits whose result becomes wider, or is divided.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 817,
    name: "narrow-arithmetic",
    message: "numbers of few bits wrap before they become wider",
    why: "Nothing is promoted to `int`: a sum, difference or product of bytes is a byte and wraps, and what it is assigned to, divided by, compared with or clamped to comes afterwards. Make an operand wider first. Where it is to wrap, a cast to the type that it has says so.",
    wrong: "export void sum(const uint8 a[n], const uint8 b[n], int o[n], int n) {\n    foreach (int block i = 0 .. n) o[i] = a[i] + b[i];\n}\n",
    right: "export void sum(const uint8 a[n], const uint8 b[n], int o[n], int n) {\n    foreach (int block i = 0 .. n) o[i] = (int) a[i] + b[i];\n}\n",
};
