//! Layouts of random structs: what Rust and C see of them is what kernels write. `IVL_COUNT` structs, from `IVL_SEED`.

use super::{Crate, clean, run};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt::Write;

/// The names of elements in the language, in C and in Rust.
const ELEMENTS: [(&str, &str); 11] = [
    ("bool", "bool"),
    ("int8", "i8"),
    ("int16", "i16"),
    ("int", "i32"),
    ("int64", "i64"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint", "u32"),
    ("uint64", "u64"),
    ("float", "f32"),
    ("double", "f64"),
];

#[derive(Clone, Debug)]
struct Member {
    /// An element, or an earlier struct if it is above those.
    ty: usize,
    /// How many there are, of an array.
    count: Option<usize>,
    /// Do all lanes share it?
    is_shared: bool,
}

#[derive(Clone, Debug)]
struct Record {
    members: Vec<Member>,
    /// The length at which a kernel takes it.
    length: usize,
}

/// A number, or a struct, at the end of a path of members.
struct Leaf {
    path: String,
    element: usize,
    /// Has it a lane for each of the struct?
    has_lanes: bool,
}

fn records(count: usize) -> impl Strategy<Value = Vec<Record>> {
    let member = (0..ELEMENTS.len() + count, prop::option::weighted(0.3, 1..3usize), prop::bool::weighted(0.15));
    let member = member.prop_map(|(ty, count, is_shared)| Member { ty, count, is_shared });
    let record = (prop::collection::vec(member, 1..5), prop::sample::select(vec![1, 1, 2, 4, 8, 16]));
    let record = record.prop_map(|(members, length)| Record { members, length });
    prop::collection::vec(record, count).prop_map(|mut all| {
        for (k, record) in all.iter_mut().enumerate() {
            for member in &mut record.members {
                // Of three, one has numbers, one has such ones, too, and one has those of both kinds.
                if member.ty >= ELEMENTS.len() {
                    let inner = (member.ty - ELEMENTS.len()) % k.max(1);
                    let inner = inner - inner % 3 + inner % 3 % (k % 3).max(1);
                    member.ty = if k % 3 == 0 || inner >= k { inner % ELEMENTS.len() } else { ELEMENTS.len() + inner };
                    member.is_shared = false;
                }
            }
        }
        all
    })
}

fn leaves(all: &[Record], of: usize, path: &str, has_lanes: bool, out: &mut Vec<Leaf>) {
    for (k, member) in all[of].members.iter().enumerate() {
        let places: Vec<String> = match member.count {
            Some(count) => (0..count).map(|i| format!("{path}.m{k}[{i}]")).collect(),
            None => vec![format!("{path}.m{k}")],
        };
        for path in places {
            match member.ty.checked_sub(ELEMENTS.len()) {
                Some(inner) => leaves(all, inner, &path, has_lanes && !member.is_shared, out),
                None => out.push(Leaf { path, element: member.ty, has_lanes: has_lanes && !member.is_shared }),
            }
        }
    }
}

/// What a kernel writes to leaf number k.
fn value(element: usize, k: usize) -> String {
    if element == 0 { (k % 2 == 1).to_string() } else { (1 + k % 100).to_string() }
}

/// The kernels, and the checks in Rust and in C.
fn programs(all: &[Record]) -> [String; 3] {
    let (mut kernels, mut rust, mut c) = (String::new(), String::new(), String::new());
    for (s, record) in all.iter().enumerate() {
        let _ = writeln!(kernels, "struct s{s} {{");
        for (k, member) in record.members.iter().enumerate() {
            let ty = ELEMENTS
                .get(member.ty)
                .map_or_else(|| format!("s{}", member.ty - ELEMENTS.len()), |(name, _)| (*name).to_owned());
            let shared = if member.is_shared { " scalar" } else { "" };
            let count = member.count.map_or(String::new(), |count| format!("[{count}]"));
            let _ = writeln!(kernels, "    {ty}{shared} m{k}{count};");
        }
        kernels += "};\n";
        let mut list = Vec::new();
        leaves(all, s, "", true, &mut list);
        let length = record.length;
        let block = if length == 1 { String::new() } else { format!(" block[{length}]") };
        let _ = writeln!(kernels, "export void fill{s}(s{s}{block} p[n], int n) {{");
        for (k, leaf) in list.iter().enumerate() {
            let (name, _) = ELEMENTS[leaf.element];
            let _ = writeln!(kernels, "    p[1]{} = ({name}) {};", leaf.path, value(leaf.element, k));
        }
        kernels += "}\n";
        let name = if length == 1 { format!("s{s}") } else { format!("s{s}_{length}") };
        let _ = writeln!(rust, "    let mut p: [k::{name}; 3] = unsafe {{ core::mem::zeroed() }};\n    k::fill{s}(&mut p);");
        let _ = writeln!(c, "    {{\n        static struct {name} p[3];\n        fill{s}(p, 3);");
        for (k, leaf) in list.iter().enumerate() {
            let (value, (_, ty)) = (value(leaf.element, k), ELEMENTS[leaf.element]);
            let value_in_rust = if leaf.element == 0 { value.clone() } else { format!("{value} as {ty}") };
            let (expected, is_block) = match leaf.has_lanes && length > 1 {
                true => (format!("[{value_in_rust}; {length}]"), true),
                false => (value_in_rust, false),
            };
            let _ = writeln!(rust, "    assert_eq!(p[1]{}, {expected}, \"{name}{0}\");", leaf.path);
            let lanes = if is_block { length } else { 1 };
            for lane in [0, lanes - 1] {
                let index = if is_block { format!("[{lane}]") } else { String::new() };
                let _ = writeln!(c, "        if (p[1]{}{index} != {value}) return puts(\"{name}{0}\"), 1;", leaf.path);
            }
        }
        // Neighbours stay as they were.
        let _ = writeln!(
            rust,
            "    let zero: k::{name} = unsafe {{ core::mem::zeroed() }};\n    assert!(p[0] == zero && p[2] == zero, \"{name}\");"
        );
        let _ = writeln!(
            c,
            "        for (size_t i = 0; i < sizeof p[0]; ++i)\n            if (((char *) &p[0])[i] | ((char *) &p[2])[i]) return 2;\n    }}"
        );
    }
    let rust = format!(
        "#![allow(clippy::all)]\nivl::include_ivl!(\"k\");\nfn main() {{\n{rust}    println!(\"all leaves are right\");\n}}\n"
    );
    let c = format!(
        "#include \"k.h\"\n#include <stdio.h>\nint main(void) {{\n{c}    return puts(\"all leaves are right\") < 0;\n}}\n"
    );
    [kernels, rust, c]
}

#[test]
fn random_structs_look_alike_to_all() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number("IVL_SEED").unwrap_or(0).to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let count = number("IVL_COUNT").unwrap_or(40) as usize;
    let all = records(count).new_tree(&mut runner).expect("structs").current();
    let [kernels, rust, c] = programs(&all);
    let made = Crate::new("layouts", "ivl_build::compile(\"src/k.ivl\")");
    made.write("src/k.ivl", &kernels);
    made.write("src/main.rs", &rust);
    made.write("main.c", &c);
    run(&mut made.cargo("run")).succeeds().says("all leaves are right");
    let ivlc = |words: &[&str]| run(clean(env!("CARGO_BIN_EXE_ivlc"), made.path()).args(words)).succeeds();
    ivlc(&["build", "src/k.ivl", "--target", "sse2", "--emit", "obj,header"]);
    run(clean("cc", made.path()).args(["-std=c11", "-Wall", "-Werror", "main.c", "k.o", "-o", "main"])).succeeds();
    run(&mut clean(made.path().join("main"), made.path())).succeeds().says("all leaves are right");
}
