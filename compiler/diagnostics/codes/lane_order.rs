//! Lanes read and write an array in another order than rounds.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 821,
    name: "lane-order",
    message: "lanes read and write neighbours in another order than rounds",
    why: "The lanes of a `foreach` do one statement together, and then the next. `a[i] = a[i] + a[i - 1]` reads in all lanes before any of them writes, so that no lane sees what the lane before it has made; a value that a statement has written is there for the next one in all lanes, also in those that come later. A plain `for` goes in order, and becomes lanes by itself where that is the same.",
    wrong: "export void totals(float a[n], int n) {\n    foreach (int i = 1 .. n) a[i] += a[i - 1];\n}\n",
    right: "export void totals(float a[n], int n) {\n    for (int i = 1; i < n; ++i) a[i] += a[i - 1];\n}\n",
};
