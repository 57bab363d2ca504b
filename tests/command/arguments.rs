//! No argument makes a safe function touch memory that it was not given: random ones, in arrays that begin or end at a page that cannot
//! be touched. `IVL_CALLS` says how often functions are called; `./x fuzz --calls N` sets it.

use super::bindings::rustc;
use super::{Folder, has, root, run};
use ivlc::target::Isa;
use std::fmt::Write;
use std::fs;

/// What calls functions: memory, random numbers, and the loop. `FUNCTIONS` is made of the bindings.
const DRIVER: &str = include_str!("arguments_driver.rs");

/// Sources with exports that are safe.
const SOURCES: [&str; 2] = ["tests/command/exports.ivl", "examples/users/count-bytes/src/kernels.ivl"];

/// A parameter list at its commas.
fn parameters(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        depth += match c {
            '[' | '<' | '(' => 1,
            ']' | '>' | ')' => -1,
            _ => 0,
        };
        if c == ',' && depth == 0 {
            all.push(list[start..at].trim());
            start = at + 1;
        }
    }
    all.push(list[start..].trim());
    all.retain(|parameter| !parameter.is_empty());
    all
}

/// An argument for a parameter, as an expression.
fn argument(name: &str, ty: &str, slot: usize) -> String {
    let slice = |rest: &str, is_mutable: bool| {
        let (element, count) = match rest.trim_end_matches(']').split_once("; ") {
            Some((element, count)) => (element.to_owned(), Some(count.to_owned())),
            None => (rest.trim_end_matches(']').to_owned(), None),
        };
        let is_integer = element.starts_with(['i', 'u']) && element[1..].parse::<u8>().is_ok();
        let is_number = is_integer || ["f32", "f64", "bool"].contains(&&*element);
        let is_generic = element.chars().next().is_some_and(char::is_uppercase);
        let element = if is_number || is_generic { element } else { format!("bindings::{element}") };
        match (count, is_mutable) {
            (None, true) => format!("r.slice::<{element}>({slot}, {name:?}, None)"),
            (None, false) => format!("&*r.slice::<{element}>({slot}, {name:?}, None)"),
            (Some(count), true) => {
                format!("r.slice::<{element}>({slot}, {name:?}, Some({count})).try_into().expect(\"its length\")")
            }
            (Some(count), false) => {
                format!("(&*r.slice::<{element}>({slot}, {name:?}, Some({count}))).try_into().expect(\"its length\")")
            }
        }
    };
    match ty {
        "f32" | "f64" => format!("r.float() as {ty}"),
        "bool" => "r.below(2) == 1".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" => format!("r.integer() as {ty}"),
        _ => match (ty.strip_prefix("&mut ["), ty.strip_prefix("&[")) {
            (Some(rest), _) => slice(rest, true),
            (_, Some(rest)) => slice(rest, false),
            // A struct of numbers.
            (None, None) => "unsafe { core::mem::zeroed() }".to_owned(),
        },
    }
}

/// A closure for each safe function that may refuse its arguments.
fn calls(bindings: &str) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    for line in bindings.lines().filter_map(|line| line.strip_prefix("pub fn try_")) {
        let (name, rest) = line.split_once('(').expect("parameters");
        // What an export itself is called so has no errors.
        let Some((list, _)) = rest.rsplit_once(") -> Result<") else { continue };
        let parts: Vec<(&str, &str)> = parameters(list).iter().map(|p| p.split_once(": ").expect("a type")).collect();
        if name.ends_with("_with") || parts.iter().any(|(_, ty)| ty.starts_with("ivl::") || ty.starts_with('*')) {
            continue;
        }
        let given: Vec<String> = parts.iter().enumerate().map(|(slot, (name, ty))| argument(name, ty, slot)).collect();
        let _ = writeln!(text, "    |r| bindings::try_{name}({}).map(|_| ()),", given.join(", "));
        count += 1;
    }
    (text, count)
}

/// A program that calls the safe functions of a source, and how many there are.
fn driver(source: &str, options: &str, change: fn(String) -> String) -> (Folder, usize) {
    let folder = Folder::new();
    folder.write("k.ivl", fs::read(root().join(source)).expect("a source"));
    folder.ivlc(&format!("build k.ivl --emit obj,rust -o bindings {options}")).exits(0);
    run(folder.other("ar").args(["rcs", "libkernels.a", "bindings.o"])).exits(0);
    let bindings = change(folder.read("bindings.rs"));
    let (text, count) = calls(&bindings);
    assert!(count > 0, "{source} has safe functions");
    folder.write("bindings.rs", bindings);
    folder.write("main.rs", DRIVER.replace("/*FUNCTIONS*/", &text));
    rustc(&folder).exits(0).says("");
    (folder, count)
}

#[test]
fn what_has_no_checks_is_found_to_touch_memory_outside() {
    if !has("ar") || !has("rustc") {
        return;
    }
    let (folder, _) = driver(SOURCES[0], "--unchecked", |text| text.replace("pub unsafe fn", "pub fn"));
    let ran = run(folder.other(folder.path("main")).arg("20000"));
    assert_eq!(ran.code, None, "a signal ends it: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn no_argument_makes_a_safe_function_touch_memory_outside() {
    if !has("ar") || !has("rustc") {
        return;
    }
    let wanted: usize = std::env::var("IVL_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    for (source, options) in SOURCES.iter().zip([format!("-O3 --target {}", Isa::host()), "-O1 --target sse2".to_owned()]) {
        let (folder, count) = driver(source, &options, |bindings| bindings);
        let ran = run(folder.other(folder.path("main")).arg((wanted / SOURCES.len()).to_string())).exits(0);
        println!("{source}: {count} functions, {}", ran.stdout.trim());
        let numbers: Vec<usize> = ran.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert!(numbers[0] >= wanted / SOURCES.len() && numbers[1] * 2 >= numbers[0], "{}", ran.stdout);
    }
}
