//! `%d` in a format.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 814,
    name: "format-letter",
    message: "a format has letters of `printf`",
    why: "In a format, `%` alone stands for the next argument, whatever its type; letters and numbers behind it are printed as they are. `print(\"%d\\n\", 3)` prints `3d`.",
    wrong: "int main() {\n    print(\"%d of %d\\n\", 3, 4);\n    return 0;\n}\n",
    right: "int main() {\n    print(\"% of %\\n\", 3, 4);\n    return 0;\n}\n",
};
