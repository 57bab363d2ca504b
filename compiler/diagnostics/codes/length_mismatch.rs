//! Two lengths meet that cannot.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 300,
    name: "length-mismatch",
    message: "two values of different vector lengths meet",
    why: "The operands of an operator have equal lengths, or one of them is scalar and is broadcast to the length of the \
          other (T-BROADCAST). There is no rule that makes a vector of 4 lanes from one of 8: which lanes would stay? \
          Say it with `shuffle`, `get`, or give both the same length.",
    wrong: "int main() {\n    int block[4] a = 1;\n    int block[8] b = 2;\n    print(\"%\\n\", a + b);\n    return 0;\n}\n",
    right: "int main() {\n    int block[8] a = 1;\n    int block[8] b = 2;\n    print(\"%\\n\", a + b);\n    return 0;\n}\n",
};
