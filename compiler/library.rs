//! The standard library: the files of `stdlib/`, which are a part of the compiler, and the names that they define.
//!
//! A file is read when a program mentions one of its names. A function of the program hides the library's of that name.

/// In what pipelines become, a name behind this one is of a function of the program, whatever else has that name.
pub const OF_PROGRAM: &str = "__program_";

/// The name of the function that a schedule becomes; what belongs to it has more behind it, `__run` for example. Two schedules of two
/// pipelines have two names, and no other function is between them.
pub fn schedule_function(pipeline: &str, schedule: &str) -> String {
    format!("{}{}", schedule_prefix(pipeline), part(schedule))
}

/// What the names of all schedules of a pipeline begin with.
pub fn schedule_prefix(pipeline: &str) -> String {
    format!("__{}__", part(pipeline))
}

/// What a part of such a name was made from.
pub fn schedule_of_part(part: &str) -> &str {
    match part.split_once('_') {
        Some((length, name)) if length.parse() == Ok(name.len()) => name,
        _ => part,
    }
}

/// A part of a name behind which `__` stands: one that does not tell where it ends has its length in front.
fn part(name: &str) -> String {
    match name.contains("__") || name.starts_with('_') || name.ends_with('_') {
        true => format!("{}_{name}", name.len()),
        false => name.to_owned(),
    }
}

/// Does the library, or what pipelines become, mean something of its own by a name?
pub fn has_word(name: &str) -> bool {
    let is_in = |text: &str| text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name);
    name.starts_with("__") || FILES.iter().any(|file| is_in(file.text))
}

/// A file of the library.
pub struct LibraryFile {
    /// Its name in messages and line tables.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The functions that it is there for.
    pub functions: &'static [&'static str],
}

/// All of them.
pub const FILES: &[LibraryFile] = &[
    LibraryFile {
        name: "stdlib/math.ivl",
        text: include_str!("../stdlib/math.ivl"),
        functions: &["exp", "exp2", "log", "log2", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh"],
    },
    LibraryFile {
        name: "stdlib/integers.ivl",
        text: include_str!("../stdlib/integers.ivl"),
        functions: &[
            "floor_div",
            "floor_mod",
            "average",
            "rounding_average",
            "saturating_add",
            "saturating_sub",
            "saturating_mul",
            "mul_high",
            "packed_load",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn schedules_have_names_of_their_own() {
        let parts = ["a", "_", "b", "a_", "_b", "a__b", "b__c", "__", "a_b"];
        let pairs = || parts.iter().flat_map(|pipeline| parts.iter().map(move |schedule| (pipeline, schedule)));
        let names: BTreeSet<String> = pairs().map(|(pipeline, schedule)| schedule_function(pipeline, schedule)).collect();
        assert_eq!(names.len(), pairs().count());
        assert!(parts.iter().all(|name| schedule_of_part(&part(name)) == *name));
    }
}
