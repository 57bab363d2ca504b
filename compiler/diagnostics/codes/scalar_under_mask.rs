//! What all lanes share is stored under a vector mask.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 800,
    name: "scalar-under-mask",
    message: "what all lanes share is stored under a vector mask",
    why: "A local variable without a length is one per lane where lanes part. Globals and what pointers point to are not: they are stored once if any lane is active, whatever the others would have done. Declare it `scalar` if one value for all lanes is meant, write the store in `scalar …`, or collect the lanes by an operation across them.",
    wrong: "int last = 0;\nint main() {\n    int block[4] v = <1, 2, 3, 4>;\n    if (v > 2) last = 1;\n    print(\"%\\n\", last);\n    return 0;\n}\n",
    right: "int scalar last = 0;\nint main() {\n    int block[4] v = <1, 2, 3, 4>;\n    if (v > 2) last = 1;\n    print(\"%\\n\", last);\n    return 0;\n}\n",
};
