//! The format of `print` and its arguments do not agree.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 600,
    name: "print-format",
    message: "the format of `print` and its arguments do not agree",
    why: "`%` stands for the next argument, whatever its type; `%{8.3}` for one with a width and digits behind the point, `%{x}` for an integer in hexadecimal digits; `%%` is a percent sign.",
    wrong: "int main() {\n    print(\"% %\\n\", 1);\n    return 0;\n}\n",
    right: "int main() {\n    print(\"% %\\n\", 1, 2);\n    return 0;\n}\n",
};
