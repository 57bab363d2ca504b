//! What was asserted while compiling does not hold.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 506,
    name: "static-assertion",
    message: "what is asserted does not hold",
    why: "`static assert(c, \"text\");` asks for something while the program is compiled: of the parameters of a template, of constants, of sizes.",
    wrong: "const int size = 6;\nstatic assert((size & (size - 1)) == 0, \"the size is a power of two\");\nint main() { return size; }\n",
    right: "const int size = 8;\nstatic assert((size & (size - 1)) == 0, \"the size is a power of two\");\nint main() { return size; }\n",
};
