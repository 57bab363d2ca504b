//! The lanes of a scalar are rotated.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 804,
    name: "scalar-rotation",
    message: "a scalar has no other lane to rotate to",
    why: "`rotate(v, n)` moves the lanes of a vector: lane i takes lane (i + n) mod N, so a scalar stays what it is. `rotl` and `rotr` move the bits of an integer.",
    wrong: "uint hash(uint x) { return rotate(x, 13) * 5u; }\nint main() { return (int) hash(7u); }\n",
    right: "uint hash(uint x) { return rotl(x, 13) * 5u; }\nint main() { return (int) hash(7u); }\n",
};
