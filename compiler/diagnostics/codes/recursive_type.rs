//! A type contains itself.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 203,
    name: "recursive-type",
    message: "a type contains itself",
    why: "A record may not contain an element of its own type, directly or by others (section 3.1); pointers to it may be members.",
    wrong: "struct node { int key; node next; };\nint main() { return 0; }\n",
    right: "struct node { int key; node *next; };\nint main() { return 0; }\n",
};
