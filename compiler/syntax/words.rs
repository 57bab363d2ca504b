//! Words that are no names.

use crate::types::Element;

/// The element type of this name.
pub fn element(name: &str) -> Option<Element> {
    match name {
        "int32" => Some(Element::Int32),
        "uint32" => Some(Element::Uint32),
        _ => Element::ALL.into_iter().find(|e| e.name() == name),
    }
}

/// The element type of a name in a definition of tensors, which has its own for some.
pub fn tensor_element(name: &str) -> Option<Element> {
    let own = TENSOR_ELEMENTS.iter().find(|(own, _)| *own == name);
    element(own.map_or(name, |(_, meant)| meant))
}

/// Names of element types that only definitions of tensors have, and what they mean.
pub const TENSOR_ELEMENTS: [(&str, &str); 3] = [("half", "float16"), ("byte", "uint8"), ("char", "int8")];

/// Is it the name of an element type?
pub fn is_element(name: &str) -> bool {
    element(name).is_some()
}

/// Names that can name nothing else.
pub fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "if",
        "else",
        "while",
        "do",
        "for",
        "foreach",
        "foreach_active",
        "foreach_unique",
        "parallel",
        "switch",
        "case",
        "default",
        "break",
        "continue",
        "return",
        "scalar",
        "block",
        "varying",
        "uniform",
        "struct",
        "enum",
        "typedef",
        "template",
        "typename",
        "export",
        "extern",
        "import",
        "const",
        "restrict",
        "true",
        "false",
        "null",
        "new",
        "delete",
        "scratch",
        "current_mask",
        "lane_index",
        "void",
        "sizeof",
        "lengthof",
        "preferred_lengthof",
    ];
    WORDS.contains(&name) || element(name).is_some()
}
