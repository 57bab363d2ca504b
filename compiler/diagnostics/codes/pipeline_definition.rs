//! The pipeline is not well defined.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 1002,
    name: "pipeline-definition",
    message: "the pipeline is not well defined",
    why: "Definition 4.5 of the semantics of pipelines: funcs are defined before they are read, once; their variables are named once; a pure stage does not read its own func; updates stand in front of the first reader; the last func is an output; a read has an index for each dimension.",
    wrong: "pipeline p() -> f {\n    fun f(x) = g(x);\n    fun g(x) = x;\n}\nint main() { return 0; }\n",
    right: "pipeline p() -> f {\n    fun g(x) = x;\n    fun f(x) = g(x);\n}\nint main() { return 0; }\n",
};
