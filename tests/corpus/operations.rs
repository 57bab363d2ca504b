//! What operations become on each principal instruction set: `docs/src/operations.md`, which is written from the list below.
//!
//! An operation is a call, of vectors that fill a register. What it becomes are the instructions of a function that reads them, calls it
//! and stores the result, but for the reading, the storing and the constants.

use crate::bless;
use ivlc::machine::Isa;
use libtest_mimic::Failed;
use std::fmt::Write;
use std::{fs, path::Path, process::Command};

/// A call, and the types of its operands and of its result: `uint8 a[N], int8 b[N] -> int[N/4]`. N lanes of the first operand fill a
/// register; a length is N, a number, or N over one. `int *p` is an address.
const OPERATIONS: &[(&str, &str)] = &[
    ("saturating_add(a, b)", "int8 a[N], int8 b[N] -> int8[N]"),
    ("saturating_add(a, b)", "uint16 a[N], uint16 b[N] -> uint16[N]"),
    ("saturating_add(a, b)", "int a[N], int b[N] -> int[N]"),
    ("saturating_sub(a, b)", "uint8 a[N], uint8 b[N] -> uint8[N]"),
    ("saturating_sub(a, b)", "int16 a[N], int16 b[N] -> int16[N]"),
    ("rounding_average(a, b)", "uint8 a[N], uint8 b[N] -> uint8[N]"),
    ("mul_high(a, b)", "int8 a[N], int8 b[N] -> int8[N]"),
    ("mul_high(a, b)", "int16 a[N], int16 b[N] -> int16[N]"),
    ("mul_high(a, b)", "uint16 a[N], uint16 b[N] -> uint16[N]"),
    ("mul_high(a, b)", "int a[N], int b[N] -> int[N]"),
    ("mul_high(a, b)", "uint64 a[1], uint64 b[1] -> uint64[1]"),
    ("mul_round_high(a, b)", "int16 a[N], int16 b[N] -> int16[N]"),
    ("mul_round_high(a, b)", "int a[N], int b[N] -> int[N]"),
    ("saturating_cast<int8>(a)", "int16 a[N] -> int8[N]"),
    ("saturating_cast<uint8>(a)", "int16 a[N] -> uint8[N]"),
    ("saturating_cast<int16>(a)", "int a[N] -> int16[N]"),
    ("saturating_cast<uint16>(a)", "int a[N] -> uint16[N]"),
    ("saturating_cast<uint8>(a)", "float a[N] -> uint8[N]"),
    ("dot2(a, b)", "int16 a[N], int16 b[N] -> int[N/2]"),
    ("dot2(a, b, c)", "int16 a[N], int16 b[N], int c[N/2] -> int[N/2]"),
    ("dot4(a, b)", "int8 a[N], int8 b[N] -> int[N/4]"),
    ("dot4(a, b)", "uint8 a[N], uint8 b[N] -> int[N/4]"),
    ("dot4(a, b, c)", "uint8 a[N], int8 b[N], int c[N/4] -> int[N/4]"),
    ("clmul(a, b)", "uint64 a[1], uint64 b[1] -> uint64[1]"),
    ("clmul_high(a, b)", "uint64 a[N], uint64 b[N] -> uint64[N]"),
    ("rint(a)", "float a[N] -> float[N]"),
    ("(int) rint(a)", "float a[N] -> int[N]"),
    ("(int) round(a)", "float a[N] -> int[N]"),
    ("reduce_equal(a)", "int a[N] -> bool[1]"),
    ("scan_and(a)", "int a[N] -> int[N]"),
    ("streaming_load(p)", "int *p -> int[1]"),
    ("atomic_swap(p, a)", "int *p, int a[1] -> int[1]"),
    ("atomic_compare_exchange(p, a, b)", "int *p, int a[1], int b[1] -> int[1]"),
];

/// More instructions than this are counted, not named.
const NAMED: usize = 10;

const BEGIN: &str = "<!-- The table is written by `BLESS=1 cargo test --test corpus -- operations`. -->\n";

/// Is the table of the docs what the compiler does?
pub fn table() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/operations.md");
    let page = fs::read_to_string(&path)?;
    let (head, found) = page.split_once(BEGIN).ok_or("the page has the line in front of its table")?;
    let wanted = written()?;
    if bless() {
        fs::write(&path, format!("{head}{BEGIN}{wanted}"))?;
        return Ok(());
    }
    let differing: String =
        wanted.lines().filter(|line| !found.lines().any(|old| old == *line)).map(|l| format!("{l}\n")).collect();
    match found == wanted {
        true => Ok(()),
        false => Err(format!("docs/src/operations.md is stale; write it anew with BLESS=1:\n{differing}").into()),
    }
}

fn written() -> Result<String, Failed> {
    let columns =
        Isa::PRINCIPAL.into_iter().map(|isa| instructions(isa).map(|lists| (isa, lists))).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = Isa::PRINCIPAL.iter().map(|isa| isa.name()).collect();
    let mut table = format!("\n| operation | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for (k, (call, signature)) in OPERATIONS.iter().enumerate() {
        let lists: Vec<&str> = columns.iter().map(|(_, lists)| lists[k].as_str()).collect();
        writeln!(table, "| `{call}`<br>`{signature}` | {} |", lists.join(" | "))?;
    }
    Ok(table)
}

/// What each operation becomes.
fn instructions(isa: Isa) -> Result<Vec<String>, Failed> {
    let programs: Result<String, Failed> =
        OPERATIONS.iter().enumerate().map(|(k, (call, signature))| function(isa, k, call, signature)).collect();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("operations.ivl");
    fs::write(&path, programs?)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_ivlc"));
    let output = command.arg("build").arg(&path).args(["--target", isa.name(), "--emit", "asm", "-o", "-"]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let assembly = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((0..OPERATIONS.len()).map(|k| list(&assembly, k)).collect())
}

/// An exported function that is an operation.
fn function(isa: Isa, k: usize, call: &str, signature: &str) -> Result<String, Failed> {
    let (operands, result) = signature.split_once(" -> ").ok_or("a result")?;
    let operands: Vec<&str> = operands.split(", ").collect();
    let size = |element: &str| match element.trim_start_matches('u') {
        "int8" | "bool" => 1,
        "int16" => 2,
        "int64" | "double" => 8,
        _ => 4,
    };
    let first = operands[0].split([' ', '[']).next().unwrap_or_default();
    let lanes = u32::from(isa.register_bytes()) / size(first);
    let length = |text: &str| -> Result<u32, Failed> {
        Ok(match text.strip_prefix('N') {
            Some("") => lanes,
            Some(over) => lanes / over.trim_start_matches('/').parse::<u32>()?,
            None => text.parse()?,
        })
    };
    let vector = |text: &str| -> Result<(String, String), Failed> {
        let (element, rest) = text.split_once([' ', '[']).ok_or("an element")?;
        let (name, count) = rest.trim_end_matches(']').split_once('[').unwrap_or(("", rest.trim_end_matches(']')));
        Ok((format!("{element} block[{}]", length(count)?), name.to_owned()))
    };
    let (result, _) = vector(result)?;
    let (mut parameters, mut values) = (format!("{result} *scalar r"), String::new());
    for operand in operands {
        if let Some((element, name)) = operand.split_once(" *") {
            write!(parameters, ", {element} *scalar {name}")?;
            continue;
        }
        let (ty, name) = vector(operand)?;
        write!(parameters, ", const {ty} *scalar of_{name}")?;
        write!(values, "{ty} {name} = *of_{name}; ")?;
    }
    Ok(format!("export void operation_{k}({parameters}) {{ {values}*r = {call}; }}\n"))
}

/// The instructions of a function by name, those that repeat with their number.
fn list(assembly: &str, k: usize) -> String {
    let lines = assembly.lines().skip_while(|line| !line.starts_with(&format!("operation_{k}:"))).skip(1);
    let mut names: Vec<(&str, usize)> = Vec::new();
    for line in lines.take_while(|line| !line.starts_with(".Lfunc_end")).filter(|line| is_work(line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = if words[0] == "lock" { words[1] } else { words[0] };
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => names.push((name, 1)),
        }
    }
    let all: usize = names.iter().map(|(_, count)| count).sum();
    if all > NAMED {
        return format!("{all} instructions");
    }
    let text = |(name, count): &(&str, usize)| if *count == 1 { format!("`{name}`") } else { format!("{count} `{name}`") };
    let texts: Vec<String> = names.iter().map(text).collect();
    if texts.is_empty() { "`mov`".to_owned() } else { texts.join(", ") }
}

/// Is it an instruction, and neither one that brings operands, results and constants to where they are wanted nor a return?
fn is_work(line: &str) -> bool {
    let Some(code) = line.strip_prefix('\t').filter(|code| !code.starts_with(['.', '#'])) else { return false };
    let (name, operands) = code.split_once('\t').unwrap_or((code, ""));
    let is_moved =
        ["mov", "vmov", "vinsertf128", "vextractf128"].iter().any(|prefix| name.starts_with(prefix)) && operands.contains('(');
    let is_copied = matches!(name, "movdqa" | "movaps" | "movapd" | "movq" | "movl" | "vmovdqa" | "vmovaps");
    let is_constant = operands.contains(".LCPI") && name.contains("broadcast");
    let parts: Vec<&str> = operands.split(", ").collect();
    let is_zero_or_ones =
        (name.contains("xor") || name.contains("pcmpeq")) && parts.len() > 1 && parts.iter().all(|p| *p == parts[0]);
    let is_end = matches!(name, "retq" | "vzeroupper");
    !(is_moved || is_copied || is_constant || is_zero_or_ones || is_end)
}
