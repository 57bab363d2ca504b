//! What is `const` goes to where it could be written.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 803,
    name: "lost-const",
    message: "what is `const` goes to where it could be written",
    why: "A pointer, view or reference to something `const` goes to what is not declared so, through which it could be written. Who calls an export relies on `const`: in Rust it is a `&[T]`, which nobody writes. Declare `const` what only reads, or take `const` away where it is written; a cast says that it is meant.",
    wrong: "float first(float *p) { return *p; }\nexport float f(const float a[n], int n) { return first(a); }\n",
    right: "float first(const float *p) { return *p; }\nexport float f(const float a[n], int n) { return first(a); }\n",
};
