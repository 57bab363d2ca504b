//! A type that pipelines do not have.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1001,
    name: "pipeline-type",
    message: "a type that pipelines do not have",
    why: "The values of funcs, parameters and pixels are scalar numbers or `bool`: the schedule decides at which vector length they are computed. A func with several values is a tuple.",
    wrong: "struct point { int x, y; };\npipeline p(point q) -> f { fun f(x) = x; }\nint main() { return 0; }\n",
    right: "pipeline p(int qx, int qy) -> f { fun f(x) = x + qx * qy; }\nint main() { return 0; }\n",
};
