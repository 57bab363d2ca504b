//! The address of a local as a result.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 811,
    name: "returned-address",
    message: "the address of a variable is returned, which ends there",
    why: "A variable lives until its function returns. Its address then leads to memory that the next call uses for something else. Return the value, let the caller say where it shall go, or make memory with `new`.",
    wrong: "int scalar *scalar two() {\n    int scalar x = 2;\n    return &x;\n}\n\nint main() { return *two(); }\n",
    right: "int two() {\n    int scalar x = 2;\n    return x;\n}\n\nint main() { return two(); }\n",
};
