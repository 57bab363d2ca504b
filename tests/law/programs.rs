//! The law for functions that people wrote: those of the test programs, the examples and the library.
//!
//! A function is asked where nothing in it, or in what it calls, looks at other lanes or at what all of them share: it takes and
//! gives numbers, and writes no lengths. Its calls with vectors, also under a mask, are compared with those of each lane. What the
//! arguments make run too long, or go wrong, by scalar calls alone says nothing.

use ivl_random::Random;
use ivlc::diagnostics::Severity;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::syntax::ast;
use ivlc::typed::interpret::{FaultKind, Limits, interpret};
use ivlc::types::Element;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::fs;
use std::path::{Path, PathBuf};

/// Where programs are.
const FOLDERS: &[&str] = &["tests/run", "tests/paper", "examples", "stdlib", "benches"];

/// Words of what looks at other lanes, at all of them, or at what they share; calls that have effects.
const SHARED: &[&str] = &[
    "scalar",
    "uniform",
    "varying",
    "block",
    "foreach",
    "foreach_active",
    "foreach_unique",
    "foreach_tiled",
    "parallel",
    "lane_index",
    "lengthof",
    "programCount",
    "iota",
    "get",
    "set",
    "any",
    "all",
    "none",
    "popcount",
    "reduce_add",
    "reduce_mul",
    "reduce_min",
    "reduce_max",
    "reduce_and",
    "reduce_or",
    "reduce_xor",
    "reduce_equal",
    "extrema",
    "broadcast",
    "rotate",
    "shift",
    "shuffle",
    "permute",
    "exclusive_scan_add",
    "exclusive_scan_and",
    "exclusive_scan_or",
    "scan",
    "packed_load",
    "packed_store",
    "active_mask",
    "lanemask",
    "print",
    "eprint",
    "new",
    "delete",
    "scratch",
    "extern",
    "clock",
    "operator",
];

/// So many samples of arguments for each function and length.
const SAMPLES: u64 = 2;

/// So many steps the scalar calls of a sample may take; with those of vectors it is less than ten times as much.
const STEPS: u64 = 300_000;

/// What became of the functions.
#[derive(Default)]
pub struct Report {
    /// Functions whose lanes are their scalar calls, with the files.
    pub agreed: BTreeSet<String>,
    /// Those of which the checker refuses a call with vectors, and why.
    pub refused: BTreeMap<String, String>,
    /// Those without a sample that ends.
    pub silent: BTreeSet<String>,
    /// Programs that break the law.
    pub broken: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, why) in &self.refused {
            writeln!(f, "refused: {name}: {why}")?;
        }
        for program in &self.broken {
            writeln!(f, "{program}")?;
        }
        let (agreed, refused, silent) = (self.agreed.len(), self.refused.len(), self.silent.len());
        write!(
            f,
            "{agreed} functions of programs agree, {refused} refused, {silent} without a call that ends, {} break the law",
            self.broken.len()
        )
    }
}

/// Asks all functions of all programs.
pub fn ask() -> Report {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut report = Report::default();
    for folder in FOLDERS {
        for path in files(&root.join(folder)) {
            let name = path.strip_prefix(root).expect("a file of the project").display().to_string();
            with_stack(|| ask_file(&path, &name, &mut report));
        }
    }
    report
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            found.extend(files(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "ivl") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// A function that is asked.
struct Asked {
    name: String,
    parameters: Vec<Element>,
    result: Element,
}

fn ask_file(path: &Path, file: &str, report: &mut Report) {
    let text = fs::read_to_string(path).expect("a program");
    let mut session = Session::default();
    session.load_text(file.to_owned(), Some(path), text.clone());
    let Some(tree) = session.trees.last() else { return };
    // Pipelines are compiled as a whole, which takes long, and have no lanes.
    if tree.items.iter().any(|item| matches!(item.kind, ast::ItemKind::Pipeline(_))) {
        return;
    }
    for asked in asked(tree, &text) {
        let name = format!("{} of {file}", asked.name);
        let mut is_silent = true;
        for seed in 0..SAMPLES {
            for length in [2, 8] {
                let mut random = Random::new(seed * 100 + length);
                let arguments: Vec<Vec<String>> =
                    asked.parameters.iter().map(|&ty| (0..length).map(|_| value(ty, &mut random)).collect()).collect();
                let scalars = main(&text, &asked, &arguments, false);
                if run(&scalars, path, STEPS) != End::Good {
                    continue;
                }
                is_silent = false;
                let program = main(&text, &asked, &arguments, true);
                match run(&program, path, 10 * STEPS) {
                    End::Good => {
                        report.agreed.insert(name.clone());
                    }
                    End::Refused(why) => {
                        report.refused.insert(name.clone(), why);
                    }
                    End::Stopped(why) => report.broken.push(format!("{name}: {why}\n{}", &program[text.len()..])),
                }
            }
        }
        if is_silent {
            report.silent.insert(name);
        }
    }
}

/// The functions of a file that the law is about.
fn asked(tree: &ast::File, text: &str) -> Vec<Asked> {
    let words = |item: &ast::Item| -> BTreeSet<String> {
        let text = &text[item.span.start as usize..item.span.end as usize];
        let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
        code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut shared: BTreeSet<String> = SHARED.iter().map(|word| (*word).to_owned()).collect();
    for item in &tree.items {
        match &item.kind {
            ast::ItemKind::Function(f) => all.entry(f.name.text.to_string()).or_default().extend(words(item)),
            ast::ItemKind::Global(declaration) if !declaration.variables.iter().all(|v| v.ty.is_const) => {
                shared.extend(declaration.variables.iter().map(|v| v.name.text.to_string()));
            }
            _ => {}
        }
    }
    // What calls something shared is shared.
    loop {
        let before = shared.len();
        let more: Vec<String> =
            all.iter().filter(|(_, words)| !words.is_disjoint(&shared)).map(|(name, _)| name.clone()).collect();
        shared.extend(more);
        if shared.len() == before {
            break;
        }
    }
    let mut found: Vec<Asked> = Vec::new();
    for item in &tree.items {
        let ast::ItemKind::Function(f) = &item.kind else { continue };
        let is_first = found.iter().all(|asked| asked.name != *f.name.text);
        if f.body.is_none() || !item.template.is_empty() || shared.contains(&*f.name.text) || !is_first || f.parameters.is_empty()
        {
            continue;
        }
        let number = |ty: &ast::Type| match (&ty.kind, &ty.qualifier) {
            (ast::TypeKind::Element(element), ast::Qualifier::Unbound) => Some(*element),
            _ => None,
        };
        let parameters: Option<Vec<Element>> =
            f.parameters.iter().map(|p| if p.array.is_none() { number(&p.ty) } else { None }).collect();
        if let (Some(parameters), Some(result)) = (parameters, number(&f.result)) {
            found.push(Asked { name: f.name.text.to_string(), parameters, result });
        }
    }
    found
}

/// A value of a type, mostly a small one.
fn value(ty: Element, random: &mut Random) -> String {
    let n = if random.one_in(6) { random.between(-1000, 1000) } else { random.between(-2, 12) };
    match ty {
        Element::Bool => random.pick(&["true", "false"]).to_owned(),
        _ if ty.is_float() => format!("(({}) {n} / 4)", ty.name()),
        _ => format!("({}) ({n})", ty.name()),
    }
}

/// The text with a `main` that compares lanes with scalar calls, or only makes the latter.
fn main(text: &str, asked: &Asked, arguments: &[Vec<String>], has_vectors: bool) -> String {
    let length = arguments[0].len();
    let result = asked.result.name();
    let mut main = text.replace(" main(", " its_main(");
    let mut line = |text: String| writeln!(main, "{text}").expect("a string takes all");
    line("int main() {".into());
    for (k, lanes) in arguments.iter().enumerate() {
        line(format!("    {} block[{length}] a{k} = <{}>;", asked.parameters[k].name(), lanes.join(", ")));
    }
    let list = |argument: &dyn Fn(usize) -> String| (0..arguments.len()).map(argument).collect::<Vec<_>>().join(", ");
    let all = list(&|k| format!("a{k}"));
    if has_vectors {
        line(format!("    {result} block[{length}] r = {}({all});", asked.name));
        line(format!("    {result} block[{length}] m = ({result}) 0;"));
        line(format!("    bool block[{length}] on = iota({length}) % 3 != 1;"));
        line(format!("    if (on) m = {}({all});", asked.name));
    }
    line(format!("    for (int scalar lane = 0; lane < {length}; ++lane) {{"));
    for (k, ty) in asked.parameters.iter().enumerate() {
        line(format!("        {} scalar s{k} = get(a{k}, lane);", ty.name()));
    }
    line(format!("        {result} scalar s = {}({});", asked.name, list(&|k| format!("s{k}"))));
    if has_vectors {
        // A NaN is as good as another.
        line(format!("        {result} scalar v = get(r, lane), w = get(m, lane);"));
        line("        assert(v == s || (v != v && s != s));".into());
        line("        assert(lane % 3 == 1 || w == s || (w != w && s != s));".into());
    }
    line("    }\n    return 0;\n}".into());
    main
}

#[derive(PartialEq)]
enum End {
    Good,
    Refused(String),
    Stopped(String),
}

fn run(text: &str, path: &Path, steps: u64) -> End {
    let mut session = Session::default();
    session.load_text("program.ivl".into(), Some(path), text.to_owned());
    let options = Options { width: Some(8), level: 0, ..Options::new(Isa::Avx2) };
    let Some(program) = session.check(&options) else {
        let error = session.diagnostics.iter().find(|d| d.severity == Severity::Error);
        return End::Refused(error.map_or(String::new(), |error| error.message.clone()));
    };
    match interpret(&program, Limits { steps: Some(steps), ..Limits::default() }, &mut |_| {}) {
        Ok(0) => End::Good,
        Ok(code) => End::Stopped(format!("exit code {code}")),
        Err(fault) if fault.kind == FaultKind::Limit => End::Stopped("too many steps".into()),
        Err(fault) => End::Stopped(fault.message),
    }
}
