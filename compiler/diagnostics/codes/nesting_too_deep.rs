//! The program is nested too deeply.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 7,
    name: "nesting-too-deep",
    message: "the program is nested too deeply",
    why: "Brackets, statements and prefix operators may be nested 200 deep, a chain of operators of one precedence may have 2,000 operands, and a chain of `else if` 1,000 links. Generated code that needs more can be split into functions.",
    wrong: "int main() {\n    int a = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));\n    return 0;\n}\n",
    right: "int main() {\n    int a = ((1));\n    return 0;\n}\n",
};
