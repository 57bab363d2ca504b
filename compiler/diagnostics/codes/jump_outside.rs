//! A jump has no target.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 400,
    name: "jump-outside",
    message: "a jump has no target",
    why: "`break` stands inside a loop or a `switch`, `continue` inside a loop.",
    wrong: "int main() {\n    break;\n    return 0;\n}\n",
    right: "int main() {\n    while (true) {\n        break;\n    }\n    return 0;\n}\n",
};
