//! No overload fits.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 502,
    name: "no-overload",
    message: "no overload fits",
    why: "An argument converts by itself only where nothing is lost.",
    wrong: "int f(int a) { return 1; }\nint f(bool a) { return 2; }\nint main() { return f(1.5f); }\n",
    right: "int f(int a) { return 1; }\nint f(bool a) { return 2; }\nint main() { return f(1); }\n",
};
