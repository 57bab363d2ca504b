//! Generates the index of diagnostic codes from the files in `compiler/diagnostics/codes/`, so that a code is one file.

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let folder = Path::new("compiler/diagnostics/codes");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).expect("the folder of diagnostic codes");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .map(|path| path.file_stem().expect("a file name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut index = String::new();
    for name in &names {
        let path = fs::canonicalize(folder.join(format!("{name}.rs"))).expect("a path");
        writeln!(index, "#[path = {:?}] mod {name};", path).expect("a string");
        writeln!(index, "#[allow(missing_docs)] pub static {}: Code = {name}::CODE;", name.to_uppercase()).expect("a string");
    }
    writeln!(index, "/// All codes in alphabetical order.").expect("a string");
    let all: Vec<String> = names.iter().map(|name| format!("&{}", name.to_uppercase())).collect();
    writeln!(index, "pub static ALL: &[&Code] = &[{}];", all.join(", ")).expect("a string");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("codes.rs"), index).expect("the generated index");
}
