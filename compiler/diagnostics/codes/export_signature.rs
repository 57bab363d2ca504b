//! A type has no counterpart in C.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 700,
    name: "export-signature",
    message: "a type has no counterpart in C",
    why: "Functions that C calls or defines have scalars, scalar pointers and scalar structs in their signatures; a pointer may point to blocks.",
    wrong: "export void f(int block[4] v) { }\n",
    right: "export void f(int block[4] *v) { }\n",
};
