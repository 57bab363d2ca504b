//! A shift by more bits than there are.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 816,
    name: "shift-count",
    message: "a shift is by more bits than there are",
    why: "A number is shifted in its own type, and counts are taken modulo its bits: a byte that is shifted by 8 stays what it was, whatever it is assigned to. Make it wider first.",
    wrong: "export void join(const uint8 a[2 * n], uint16 o[n], int n) {\n    foreach (int i = 0 .. n) o[i] = a[2 * i] << 8 | a[2 * i + 1];\n}\n",
    right: "export void join(const uint8 a[2 * n], uint16 o[n], int n) {\n    foreach (int i = 0 .. n) o[i] = (uint16) a[2 * i] << 8 | a[2 * i + 1];\n}\n",
};
