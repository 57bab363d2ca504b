//! An import cannot be read.

use super::Code;

pub(super) const CODE: Code = Code {
    number: 105,
    name: "import-not-found",
    message: "an import cannot be read",
    why: "`import \"file.ivl\";` names a file beside the one that it stands in. Each file is read once, however often it is imported.",
    wrong: "import \"no_such_file.ivl\";\nint main() { return 0; }\n",
    right: "int main() { return 0; }\n",
};
