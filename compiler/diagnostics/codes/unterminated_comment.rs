//! A comment is never closed.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 2,
    name: "unterminated-comment",
    message: "a comment is never closed",
    why: "A comment that begins with `/*` ends with the next `*/`; comments do not nest.",
    wrong: "int main() {\n    return 0; /* the end\n}\n",
    right: "int main() {\n    return 0; /* the end */\n}\n",
};
