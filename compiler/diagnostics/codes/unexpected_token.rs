//! The text does not follow the grammar.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 4,
    name: "unexpected-token",
    message: "the text does not follow the grammar",
    why: "At this place the grammar allows something else; the message names what.",
    wrong: "int main() {\n    int a = * ;\n    return 0;\n}\n",
    right: "int main() {\n    int a = 2 * 3;\n    return 0;\n}\n",
};
