//! A number where the lanes of a mask are counted.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 819,
    name: "counted-truth",
    message: "`popcount` counts lanes, not the bits of a number",
    why: "`popcount(m)` is the number of lanes in which a mask holds. A number is made a mask first, which holds where it is not 0: of a single number that is 0 or 1. `popcnt(x)` counts the bits of each number.",
    wrong: "int distance(uint8 a, uint8 b) {\n    return popcount(a ^ b);\n}\nint main() {\n    return distance(3, 5) - 1;\n}\n",
    right: "int distance(uint8 a, uint8 b) {\n    return popcnt(a ^ b);\n}\nint main() {\n    return distance(3, 5) - 2;\n}\n",
};
