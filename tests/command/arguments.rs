//! No argument makes a safe function touch memory that it was not given: random ones, in arrays and views that begin or end at a page that
//! cannot be touched. `IVL_CALLS` says how often functions are called, `IVL_SOURCE` of which source alone, `IVL_SEED` from where on;
//! `./x fuzz --calls N --seed S` sets them.

use super::bindings::rustc;
use super::{Folder, Ran, has, root, run, safety};
use ivlc::machine::Isa;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What calls functions: memory, random numbers, and the loop. `FUNCTIONS` is made of the bindings.
const DRIVER: &str = include_str!("arguments_driver.rs");

/// Sources with exports and pipelines that are safe. Where `IVL_CALLS` is set, all of the examples and tests are taken.
const SOURCES: [&str; 5] = [
    "tests/command/exports.ivl",
    "tests/command/safety.ivl",
    "tests/command/pipelines.ivl",
    "examples/users/count-bytes/src/kernels.ivl",
    "examples/users/sharpen/src/kernels.ivl",
];

/// What is not called: memory of `new` is not given back, so that it comes to its end; Newton's method does not converge for all numbers.
const LEFT_OUT: [&str; 2] = ["safe_new", "roots"];

/// A source that is not taken: each call works in 16 GiB.
const TOO_LARGE: &str = "a_func_with_too_many_elements_for_a_gather.ivl";

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

/// An argument for a parameter, as an expression; the parameter says of which type it is.
fn argument(name: &str, ty: &str, slot: usize) -> String {
    let is_array = ty.contains("; ");
    match ty {
        _ if ty.starts_with("&mut [") && is_array => format!("r.array({slot})"),
        _ if ty.starts_with("&[") && is_array => format!("&*r.array({slot})"),
        _ if ty.starts_with("&mut [") => format!("r.slice({slot}, {name:?})"),
        _ if ty.starts_with("&[") => format!("r.shared({slot}, {name:?})"),
        _ if ty.starts_with("ivl::ViewMut<") => format!("r.view_mut({slot})"),
        _ if ty.starts_with("ivl::View<") => format!("r.view({slot})"),
        _ if ty.starts_with("ivl::Window<") => "r.window()".to_owned(),
        _ => "Draw::draw(r)".to_owned(),
    }
}

/// How a struct of the bindings is drawn: each of its members by itself, so that its type knows the value.
fn structs(bindings: &str) -> String {
    let mut text = String::new();
    for part in bindings.split("pub struct ").skip(1) {
        let (name, rest) = part.split_once(" {\n").expect("a struct with members");
        let members = rest.split_once("\n}").map_or("", |(members, _)| members);
        if members.contains('*') || members.contains("ivl::Plane") {
            continue;
        }
        let fields = members.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
        let drawn: String = fields.map(|(field, _)| format!("{field}: Draw::draw(r), ")).collect();
        let _ = writeln!(
            text,
            "impl Draw for bindings::{name} {{ fn draw(r: &mut Random) -> Self {{ bindings::{name} {{ {drawn}}} }} }}"
        );
    }
    text
}

/// A closure for each safe function: those that may refuse their arguments, others, and pipelines.
fn calls(bindings: &str) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    let mut module = String::new();
    let is_there = |text: &str| bindings.contains(text);
    for line in bindings.lines() {
        if let Some(name) = line.strip_prefix("pub mod ") {
            module = format!("{}::", name.trim_end_matches(" {"));
        } else if line.starts_with('}') {
            module.clear();
        }
        let in_module = line.strip_prefix("    pub fn ").filter(|_| !module.is_empty());
        let Some((name, rest)) = line.strip_prefix("pub fn ").or(in_module).and_then(|line| line.split_once('(')) else {
            continue;
        };
        let Some((list, result)) = rest.split_once(')') else { continue };
        let parts: Vec<(&str, &str)> =
            parameters(list).iter().map(|p| p.trim_start_matches("mut ").split_once(": ").expect("a type")).collect();
        // One that panics has one that gives errors beside it, unless an export is called so.
        let is_fallible = result.contains("-> Result<");
        let twin = format!("pub fn try_{}(", name.trim_start_matches("r#"));
        let is_raw = parts.iter().any(|(_, ty)| ty.starts_with('*') || ty.contains("ivl::Level") || ty.contains("ivl::Plane"));
        if is_raw || !is_fallible && is_there(&twin) || LEFT_OUT.contains(&name.trim_start_matches("try_")) || line.ends_with(';')
        {
            continue;
        }
        let given: Vec<String> = parts.iter().enumerate().map(|(slot, (name, ty))| argument(name, ty, slot)).collect();
        let call = format!("bindings::{module}{name}({})", given.join(", "));
        let code = if is_fallible { format!("{call}.map(drop)") } else { format!("{{ let _ = {call}; Ok(()) }}") };
        let _ = writeln!(text, "    (\"{module}{name}\", |r| {code}),");
        count += 1;
    }
    (text, count)
}

/// A program that calls the safe functions of a source, and how many there are; nothing where it has none.
fn driver(source: &Path, options: &str, change: fn(String) -> String) -> Option<(Folder, usize)> {
    let folder = Folder::new();
    let text = fs::read_to_string(source).expect("a source");
    // Nothing else is seen from outside.
    if !["export", "pipeline"].iter().any(|word| text.contains(word)) {
        return None;
    }
    // A program's own beginning would be that of the caller.
    folder.write("k.ivl", text.replace("int main(", "int begin("));
    // What is there to be refused is.
    if folder.ivlc(&format!("build k.ivl --emit obj,rust -o bindings {options}")).code != Some(0) {
        return None;
    }
    run(folder.other("ar").args(["rcs", "libkernels.a", "bindings.o"])).exits(0);
    let bindings = change(folder.read("bindings.rs"));
    let (text, count) = calls(&bindings);
    if count == 0 {
        return None;
    }
    folder.write("main.rs", DRIVER.replace("/*FUNCTIONS*/", &text).replace("/*STRUCTS*/", &structs(&bindings)));
    folder.write("bindings.rs", bindings);
    rustc(&folder).exits(0).says("");
    Some((folder, count))
}

/// Runs a driver for so many calls, from a seed.
fn called(folder: &Folder, calls: usize, seed: u64) -> Ran {
    run(folder.other(folder.path("main")).args([calls.to_string(), seed.to_string()]))
}

#[test]
fn what_has_no_checks_is_found_to_touch_memory_outside() {
    if !has("ar") || !has("rustc") {
        return;
    }
    let source = root().join(SOURCES[0]);
    let (folder, _) = driver(&source, "--unchecked", |text| text.replace("pub unsafe fn", "pub fn")).expect("exports");
    let ran = called(&folder, 20_000, 1);
    assert_eq!(ran.code, None, "a signal ends it: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn no_argument_makes_a_safe_function_touch_memory_outside() {
    if !has("ar") || !has("rustc") {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let seed = number("IVL_SEED").unwrap_or(1) as u64;
    let sources: Vec<PathBuf> = match number("IVL_CALLS") {
        None => SOURCES.iter().map(|name| root().join(name)).collect(),
        Some(_) => ["examples", "tests"].iter().flat_map(|name| safety::sources(&root().join(name))).collect(),
    };
    let only = std::env::var("IVL_SOURCE").unwrap_or_default();
    let is_wanted = |source: &PathBuf| source.to_string_lossy().ends_with(&only) && !source.ends_with(TOO_LARGE);
    let sources: Vec<PathBuf> = sources.into_iter().filter(is_wanted).collect();
    let wanted = number("IVL_CALLS").unwrap_or(30_000);
    let levels = [format!("-O3 --target {}", Isa::host()), "-O1 --target sse2".to_owned()];
    let drivers: Vec<(String, Folder, usize)> = sources
        .iter()
        .zip(levels.iter().cycle())
        .filter_map(|(source, options)| {
            let (folder, count) = driver(source, options, |bindings| bindings)?;
            Some((source.strip_prefix(root()).expect("below the root").display().to_string(), folder, count))
        })
        .collect();
    // The more functions, the more calls.
    let functions: usize = drivers.iter().map(|(_, _, count)| count).sum();
    let (mut made, mut began, mut faults) = (0, 0, Vec::new());
    for (source, folder, count) in &drivers {
        let ran = called(folder, (wanted * count).div_ceil(functions), seed);
        if ran.code != Some(0) {
            println!("{source}: {}", ran.stderr.trim());
            faults.push(source);
            continue;
        }
        println!("{source}: {count} functions, {}", ran.stdout.trim());
        let numbers: Vec<usize> = ran.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        (made, began) = (made + numbers[0], began + numbers[1]);
    }
    println!("{functions} functions of {} sources, seed {seed}: {made} calls, {began} began", drivers.len());
    assert!(faults.is_empty(), "{faults:?}");
    assert!(made >= wanted && began * 2 >= made, "{made} calls, {began} began");
}
