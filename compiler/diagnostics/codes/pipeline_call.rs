//! A pipeline or a definition of tensors is called where it cannot be.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1013,
    name: "pipeline-call",
    message: "pipelines and definitions of tensors are called by functions",
    why: "A pipeline computes whole images, and a `def` whole tensors: neither is a value at a point. Definitions call each other by statements `T = f(A)`; a pipeline calls neither pipelines nor definitions, and a definition no pipeline. Pass an image: a function calls the first one, and hands its result to the second.",
    wrong: "pipeline twice(float in[,]) -> out { fun out(x, y) = 2 * in(x, y); }\ndef f(float(M, N) A) -> (B) { B(i, j) = twice(i, j) + A(i, j) }\nint main() { return 0; }\n",
    right: "pipeline twice(float in[,]) -> out { fun out(x, y) = 2 * in(x, y); }\ndef f(float(M, N) T, float(M, N) A) -> (B) { B(i, j) = T(i, j) + A(i, j) }\nint main() {\n    float A[2, 2], T[2, 2], B[2, 2];\n    for (int i = 0; i < 4; ++i) A(i % 2, i / 2) = i;\n    twice(T, A);\n    f(B, T, A);\n    return 0;\n}\n",
};
