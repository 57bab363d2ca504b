//! A constant index that no array of this size has.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 810,
    name: "index-outside",
    message: "an index is outside of its array",
    why: "Elements are counted from 0. What lies behind an array belongs to other variables or to nobody: reading it gives some value, writing it destroys them, and with `--check` either is an error when it happens. The address behind the last element may be computed.",
    wrong: "int main() {\n    int a[4] = {1, 2, 3, 4};\n    print(\"%\\n\", a[4]);\n    return 0;\n}\n",
    right: "int main() {\n    int a[4] = {1, 2, 3, 4};\n    print(\"%\\n\", a[3]);\n    return 0;\n}\n",
};
