//! There is no such attribute.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 104,
    name: "unknown-attribute",
    message: "there is no such attribute",
    why: "`[[fp(strict)]]`, `[[fp(contract)]]` and `[[fp(fast)]]` choose the floating-point rules of one function.",
    wrong: "[[fp(loose)]] int main() {\n    return 0;\n}\n",
    right: "[[fp(contract)]] int main() {\n    return 0;\n}\n",
};
