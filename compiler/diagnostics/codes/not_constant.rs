//! A constant expression is asked for.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 206,
    name: "not-constant",
    message: "a constant expression is asked for",
    why: "Lengths, array sizes and enum values are known when the program is compiled: literals, `lengthof`, `sizeof`, enum constants, locals that are initialized by such and never assigned again, arithmetic on them, and calls of functions that do nothing but compute: no output, no memory, no globals that change.",
    wrong: "int main() {\n    int n = 4;\n    ++n;\n    int block[n] v = 1;\n    return 0;\n}\n",
    right: "int main() {\n    int n = 4;\n    int block[n] v = 1;\n    return 0;\n}\n",
};
