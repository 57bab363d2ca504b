//! A constant does not fit its type.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 202,
    name: "constant-out-of-range",
    message: "a constant does not fit its type",
    why: "Literals have no type of their own and take that of their context; they must fit it. A cast says that the number shall wrap.",
    wrong: "int main() {\n    int8 c = 300;\n    return 0;\n}\n",
    right: "int main() {\n    int8 c = (int8) 300;\n    return 0;\n}\n",
};
