//! A call has the wrong number of arguments.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 500,
    name: "argument-count",
    message: "a call has the wrong number of arguments",
    why: "There are no default arguments.",
    wrong: "int f(int a) { return a; }\nint main() { return f(1, 2); }\n",
    right: "int f(int a) { return a; }\nint main() { return f(1); }\n",
};
