//! A type is too large.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 204,
    name: "type-too-large",
    message: "a type is too large",
    why: "An object has at most 2^31 bytes. Larger memory is reached through pointers.",
    wrong: "float a[2000000000];\nint main() { return 0; }\n",
    right: "float a[2000];\nint main() { return 0; }\n",
};
