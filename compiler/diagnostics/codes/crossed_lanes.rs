//! Lanes of a `foreach` lie across memory.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 818,
    name: "crossed-lanes",
    message: "lanes lie rows apart in memory",
    why: "The first index of a `foreach` is its innermost loop, and has the lanes. Where neighbouring lanes are a row apart, each of them is loaded and stored by itself, which takes ten times as long; where the index that goes along memory stands first, they are loaded together.",
    wrong: "export void twice(const float a[w * h], float o[w * h], int w, int h) {\n    foreach (int y = 0 .. h, int x = 0 .. w) o[y * w + x] = 2 * a[y * w + x];\n}\n",
    right: "export void twice(const float a[w * h], float o[w * h], int w, int h) {\n    foreach (int x = 0 .. w, int y = 0 .. h) o[y * w + x] = 2 * a[y * w + x];\n}\n",
};
