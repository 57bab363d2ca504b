//! One value per lane where one for all is meant.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 820,
    name: "one-per-lane",
    message: "what each lane has is used as if it were one for all",
    why: "A variable that a `foreach` assigns to is one per lane: `s += a[i]` leaves in each lane the sum of what its own rounds have seen, not the sum of all, and `o[i] = s` in the same loop is no running total. `reduce_add(s)` and its kin make one value of the lanes behind the loop; a plain `for` goes in order. Where each lane's own value is meant, declare it so: `float block[W] s`.",
    wrong: "export void centre(float o[n], const float a[n], int n) {\n    float s = 0;\n    foreach (int i = 0 .. n) s += a[i];\n    float m = s / n;\n    foreach (int i = 0 .. n) o[i] = a[i] - m;\n}\n",
    right: "export void centre(float o[n], const float a[n], int n) {\n    float s = 0;\n    foreach (int i = 0 .. n) s += a[i];\n    float m = reduce_add(s) / n;\n    foreach (int i = 0 .. n) o[i] = a[i] - m;\n}\n",
};
