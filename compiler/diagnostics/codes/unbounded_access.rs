//! Nothing bounds what is read.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1006,
    name: "unbounded-access",
    message: "nothing bounds what is read",
    why: "A func is computed where it is read, so the indices of each read must lie in an interval that is known when the pipeline starts. Variables of funcs and of reduction domains do, and what is computed from them; pixels of 8 and 16 bits do by their type. What is read as `int` or `float` does not: a clamp tells its interval.",
    wrong: "pipeline p(int in[]) -> f {\n    fun lut(i) = i * i;\n    fun f(x) = lut(in(x));\n}\nint main() { return 0; }\n",
    right: "pipeline p(int in[]) -> f {\n    fun lut(i) = i * i;\n    fun f(x) = lut(clamp(in(x), 0, 255));\n}\nint main() { return 0; }\n",
};
