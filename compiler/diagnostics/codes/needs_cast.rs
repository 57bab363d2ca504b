//! A conversion that may lose something needs a cast.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 201,
    name: "needs-cast",
    message: "a conversion that may lose something needs a cast",
    why: "Integers widen and become floating by themselves. What narrows, and what makes integers of floats, is written as a cast: integer casts wrap, those from floats round towards zero and saturate.",
    wrong: "int main() {\n    float f = 1.5;\n    int a = f;\n    return 0;\n}\n",
    right: "int main() {\n    float f = 1.5;\n    int a = (int) f;\n    return 0;\n}\n",
};
