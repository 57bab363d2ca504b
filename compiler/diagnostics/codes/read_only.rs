//! Something `const` is written.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 208,
    name: "read-only",
    message: "something `const` is written",
    why: "`const` data is only read.",
    wrong: "export void f(const float a[n], int n) {\n    a[0] = 1;\n}\n",
    right: "export void f(float a[n], int n) {\n    a[0] = 1;\n}\n",
};
