//! Several overloads fit equally well.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 501,
    name: "ambiguous-call",
    message: "several overloads fit equally well",
    why: "Overloads are told apart by element types, never by lengths alone.",
    wrong: "int f(int a, float b) { return 1; }\nint f(float a, int b) { return 2; }\nint main() { return f(1, 1); }\n",
    right: "int f(int a, float b) { return 1; }\nint f(float a, int b) { return 2; }\nint main() { return f(1, 1.0f); }\n",
};
