//! Instances nest too deeply.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 505,
    name: "instance-depth",
    message: "instances nest too deeply",
    why: "A call of a function that is not yet checked checks it; such calls nest 2,000 deep at most, those of templates 128.",
    wrong: "template <typename T> int f(T x) { return f(&x); }\nint main() { return f(1); }\n",
    right: "template <typename T> int f(T x) { return 1; }\nint main() { return f(1); }\n",
};
