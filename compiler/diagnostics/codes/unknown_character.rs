//! A character does not belong to the language.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1,
    name: "unknown-character",
    message: "a character does not belong to the language",
    why: "Source text is ASCII outside of comments and strings. Such a character often comes from a word processor: typographic quotes, a dash for a minus.",
    wrong: "int main() {\n    int a = 1 § 2;\n    return 0;\n}\n",
    right: "int main() {\n    int a = 1 + 2;\n    return 0;\n}\n",
};
