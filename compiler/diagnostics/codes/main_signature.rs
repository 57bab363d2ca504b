//! `main` has another signature.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 701,
    name: "main-signature",
    message: "`main` has another signature",
    why: "`main` takes nothing and returns `int`, the exit code, or nothing.",
    wrong: "float main() {\n    return 0;\n}\n",
    right: "int main() {\n    return 0;\n}\n",
};
