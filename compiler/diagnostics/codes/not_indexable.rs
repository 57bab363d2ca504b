//! A value has no elements.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 209,
    name: "not-indexable",
    message: "a value has no elements",
    why: "Arrays and pointers are indexed. The lanes of a vector are reached with `get`, `set` and `shuffle`, since lanes are no memory.",
    wrong: "int main() {\n    int block[4] v = 1;\n    return v[0];\n}\n",
    right: "int main() {\n    int block[4] v = 1;\n    return get(v, 0);\n}\n",
};
