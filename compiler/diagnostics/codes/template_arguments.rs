//! The arguments of a template are not known.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 503,
    name: "template-arguments",
    message: "the arguments of a template are not known",
    why: "The parameters of a template follow from the arguments of the call, are written, `f<float, 4>(x)`, or have defaults; what is \
          written for a type is a type, for a value a constant of its type.",
    wrong: "template <typename T> T zero(int n) { T x = 0; return x; }\nint main() { return zero(1); }\n",
    right: "template <typename T> T zero(int n) { T x = 0; return x; }\nint main() { return zero<int>(1); }\n",
};
