//! What is asserted while compiling does not hold.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 406,
    name: "static-assertion",
    message: "what is asserted while compiling does not hold",
    why: "A `static assert` states what must hold of constants, parameters and types; its message says what to do.",
    wrong: "pipeline p(uint8 in[]) -> out {\n    let n = 3;\n    static assert(n % 2 == 0, \"n is even\");\n    fun out(x) = in(x) * n;\n}\nint main() { return 0; }\n",
    right: "pipeline p(uint8 in[]) -> out {\n    let n = 4;\n    static assert(n % 2 == 0, \"n is even\");\n    fun out(x) = in(x) * n;\n}\nint main() { return 0; }\n",
};
