//! `./x bench [GROUP…] [--quick] [--readme]`, `./x bench pipelines|checks [APPLICATION…]`, `./x bench tensor [DEFINITION…]`, `./x bench ispc [EXAMPLE…]`: each pair interleaved, a Markdown table with the
//! losing rows first, and `target/bench/report.json`; with `--readme`, the README's table too.
//!
//! Groups: `core` (kernels against intrinsics in C and Rust and against their scalar instance), `maths` (functions of the
//! standard library against those of C), `peers` (kernels as one writes them first against crates), `tensor` (definitions of tensors with the
//! schedule `auto` against NumPy, PyTorch and crates), `ispc` (jobs as one writes them first against the examples of ispc), `pipelines` (applications against Halide, with the same schedules), `compile` (the
//! time that the compiler takes, against its budget, and how it grows with the size of the source), `checks` (kernels and applications
//! with `--check` against the same without).

mod harness;

use harness::{
    Case, applications::NAMES, cases, checks, compile::jits, ispc, maths, pairs::compare, peers, pipelines, readme, scaling,
    tensors, twins::CKernels,
};
use ivlc::machine::Isa;
use std::{error::Error, fs, path::Path, process::Command, time::Duration, time::Instant};

#[global_allocator]
static ALLOCATOR: pipelines::CacheLines = pipelines::CacheLines;

/// The groups.
const GROUPS: [&str; 8] = ["core", "maths", "peers", "tensor", "ispc", "pipelines", "compile", "checks"];

/// One line of the report.
struct Line {
    group: &'static str,
    row: String,
    isa: Isa,
    size: String,
    peer: String,
    ours: f64,
    peer_time: f64,
    spread: f64,
    same_result: bool,
    fp: &'static str,
    /// Why it is lost, where it is and that is known.
    cause: String,
    /// How many operations a run has, where that is counted; else 0.
    operations: f64,
}

impl Line {
    /// As the package `benches/peers` measured it.
    fn of_package(group: &'static str, isa: Isa, m: peers::Measured) -> Line {
        Line {
            group,
            row: m.row,
            isa,
            size: m.size,
            peer: m.peer,
            ours: m.ours,
            peer_time: m.peer_time,
            spread: m.spread,
            same_result: m.same_result,
            fp: m.fp,
            cause: m.cause,
            operations: m.operations,
        }
    }

    fn ratio(&self) -> f64 {
        self.ours / self.peer_time
    }
}

fn core_group(quick: bool, folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for isa in [Isa::Avx2, Isa::Avx512] {
        if !isa.runs_here() {
            println!("{isa}: not measured, this machine lacks it");
            continue;
        }
        let (ours, scalar) = (jits(isa, isa.width()), jits(isa, 1));
        let c = CKernels::compile(isa, folder);
        for mut case in cases::core(&cases::Hands { isa, ours: &ours, scalar: &scalar, c: c.as_ref() }, quick) {
            lines.extend(compare_case("core", "contract", &mut case, quick));
        }
    }
    Ok(lines)
}

fn maths_group(quick: bool, folder: &Path) -> Vec<Line> {
    let mut lines = Vec::new();
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
        let hands = maths::hands(isa, folder);
        for (fp, mut case) in maths::cases(isa, &hands) {
            lines.extend(compare_case("maths", fp.name(), &mut case, quick));
        }
    }
    lines
}

/// Kernels as one writes them first, with checks and without, against crates on the same level.
fn peers_group(quick: bool) -> Result<Vec<Line>, Box<dyn Error>> {
    println!(
        "Peers: safe functions as bindings have them, with checks where a row says so; a crate that has no code for AVX-512 is"
    );
    println!("measured with what it has for AVX2. Results are the same but for the last bits of floats.\n");
    let mut lines = Vec::new();
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
        lines.extend(peers::measure(isa, quick)?.into_iter().map(|m| Line::of_package("peers", isa, m)));
    }
    Ok(lines)
}

/// Jobs at the best widths of both sides, and at the width that is taken where none is given; those that are named, or all.
fn ispc_group(names: &[&str], quick: bool, folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let ispc = match ispc::Ispc::find(folder) {
        Ok(ispc) => ispc,
        Err(why) => {
            println!("The group `ispc` is left out: {why}.\n");
            return Ok(Vec::new());
        }
    };
    println!(
        "ispc: its own examples, built as its own build does, beside the same in IVL with `--fp contract`. Times of all widths:\n"
    );
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
        for job in ispc::JOBS.iter().filter(|job| names.is_empty() || names.contains(&job.row)) {
            let mut pair = ispc.pair(job, isa, quick)?;
            for case in &mut pair.cases {
                lines.extend(compare_case("ispc", "contract", case, quick));
            }
            notes.push(pair.note);
        }
    }
    notes.iter().for_each(|note| println!("- {note}"));
    println!();
    Ok(lines)
}

/// Definitions of tensors at one thread and at two; of the rows, those that are named.
fn tensor_group(rows: &[&str], quick: bool, folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    println!(
        "Tensors: `examples/tensors` with the schedule `auto`, called as safe functions. NumPy and PyTorch run in processes of their own, and"
    );
    println!(
        "take turns with ours; at one thread times are those of the processor, at two the clock's. Where ours may not use more than AVX2,"
    );
    println!("others do not either, but for a second NumPy, whose OpenBLAS chooses what it wants: its kernels are named.\n");
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    if threads == 1 {
        notes.push("two threads are not measured: this machine runs one at a time".to_owned());
    }
    let load = fs::read_to_string("/proc/loadavg").ok().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    if let Some(load) = load.filter(|load| *load > 0.5 && threads > 1) {
        notes.push(format!(
            "the load of this machine was {load} before anything ran: times at two threads are those of a busy machine"
        ));
    }
    for isa in [Isa::Avx2, Isa::Avx512] {
        if !isa.runs_here() {
            notes.push(format!("{isa} is not measured: this machine lacks it"));
            continue;
        }
        for threads in 1..=threads {
            let (measured, said) = peers::measure_tensors(isa, threads, folder, quick, rows)?;
            lines.extend(measured.into_iter().map(|m| Line::of_package("tensor", isa, m)));
            notes.extend(said);
        }
    }
    notes.iter().for_each(|note| println!("- {note}"));
    println!("\n{}", tensors::table(&tensor_pairs(&lines)));
    Ok(lines)
}

fn tensor_pairs(lines: &[Line]) -> Vec<tensors::Pair<'_>> {
    let of_group = lines.iter().filter(|l| l.group == "tensor");
    of_group
        .map(|l| tensors::Pair {
            row: &l.row,
            size: &l.size,
            isa: l.isa,
            peer: &l.peer,
            ours: l.ours,
            peer_time: l.peer_time,
            operations: l.operations,
        })
        .collect()
}

/// Kernels of 4096 elements and applications at one thread, with `--check` against without. What costs more than was promised is
/// said at the end.
fn checks_group(names: &[&'static str], quick: bool) -> Vec<Line> {
    println!("Checks: `-O3`, `--fp contract`, both sides in one process.\n");
    let (mut lines, mut over) = (Vec::new(), Vec::new());
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()) {
        for (mut case, limit) in checks::kernels(isa) {
            let measured = compare_case("checks", "contract", &mut case, quick);
            for line in measured.iter().filter(|line| line.ratio() > limit.ratio()) {
                over.push(format!("{} {}: {:.2}, promised {:.2}", line.row, isa, line.ratio(), limit.ratio()));
            }
            lines.extend(measured);
        }
        for name in names {
            lines.extend(compare_case("checks", "contract", &mut checks::of_application(name, isa), quick));
        }
    }
    let of_all = if over.is_empty() { "no kernel".to_owned() } else { over.join("; ") };
    println!("Checks that cost more than was promised: {of_all}.\n");
    lines
}

/// Applications at one thread and at two, and how long it takes to compile each of them with all that every pipeline has.
fn pipelines_group(names: &[&'static str], quick: bool) -> Result<Vec<Line>, Box<dyn Error>> {
    let (measured, no_halide) = pipelines::measure(names, quick)?;
    match no_halide {
        Some(why) => println!("Pipelines: there is no Halide to compare with: {why}\n"),
        None => {
            println!(
                "Pipelines: both sides at full optimisation, with fused multiplications and additions; Halide's targets are"
            );
            let targets = [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here());
            targets.for_each(|isa| println!("`{}` for {isa}.", pipelines::features(isa)));
            println!("Results are the same:");
            let mut said: Vec<&str> = Vec::new();
            for m in &measured {
                if !said.contains(&m.row.as_str()) {
                    println!("- {}: {}", m.row, m.tolerance);
                    said.push(&m.row);
                }
            }
            println!();
        }
    }
    let line = |m: &pipelines::Measured, row: String, (ours, peer_time): (f64, Option<f64>)| Line {
        group: "pipelines",
        row,
        isa: m.isa,
        size: m.size.clone(),
        peer: if peer_time.is_some() { "Halide 21".to_owned() } else { "–".to_owned() },
        ours,
        peer_time: peer_time.unwrap_or(f64::NAN),
        spread: m.spread,
        same_result: m.same_result,
        fp: "contract",
        cause: String::new(),
        operations: 0.0,
    };
    let mut lines = Vec::new();
    for m in &measured {
        let threads = if m.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", m.threads) };
        lines.push(line(m, format!("{}, {threads}", m.row), (m.ours, m.peer)));
        if m.threads == 1 {
            lines.push(line(m, format!("{}, {COMPILED}", m.row), m.compile));
        }
    }
    Ok(lines)
}

/// What the rows of the time to compile an application end with.
const COMPILED: &str = "to compile it";

/// How we stand altogether: the geometric means of the ratios of applications against Halide, and of kernels against crates.
fn print_means(lines: &[Line]) {
    let compared = || lines.iter().filter(|l| l.group == "pipelines" && l.ratio().is_finite());
    let mut kinds: Vec<(&str, Isa)> = compared().filter_map(|l| Some((l.row.split_once(", ")?.1, l.isa))).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for (kind, isa) in kinds {
        let of_kind = compared().filter(|l| l.isa == isa && l.row.ends_with(kind));
        print_mean(&format!("{isa}, {kind}: geometric mean {{}} of Halide's time"), of_kind);
    }
    let mut kinds: Vec<(&str, bool, Isa)> = Vec::new();
    for l in lines.iter().filter(|l| l.group == "peers") {
        let kind = (&*l.size, l.row.ends_with(CHECKED), l.isa);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_by_key(|kind| (kind.2, kind.1));
    for (size, checked, isa) in kinds {
        let of_kind =
            lines.iter().filter(|l| l.group == "peers" && (&*l.size, l.row.ends_with(CHECKED), l.isa) == (size, checked, isa));
        let checks = if checked { "with checks" } else { "without checks" };
        print_mean(&format!("{isa}, {size}, {checks}: geometric mean {{}} of the crates' time"), of_kind);
    }
}

/// What the rows of the width that is taken where none is given end with.
const DEFAULT_WIDTH: &str = ", default width";

/// How we stand against ispc, and the default width against our best one.
fn print_means_of_ispc(lines: &[Line]) {
    for isa in [Isa::Avx2, Isa::Avx512] {
        for (of_default, whose) in [(false, "ispc's time"), (true, "the time of our best width, at the default one")] {
            let is_of_kind = |l: &&Line| l.group == "ispc" && l.isa == isa && l.row.ends_with(DEFAULT_WIDTH) == of_default;
            if lines.iter().any(|l| is_of_kind(&l)) {
                print_mean(&format!("{isa}: geometric mean {{}} of {whose}"), lines.iter().filter(is_of_kind));
            }
        }
    }
}

/// What the rows of functions with checks end with.
const CHECKED: &str = ", checked";

/// Prints a sentence with the geometric mean of ratios in it, and how many are lost.
fn print_mean<'a>(sentence: &str, lines: impl Iterator<Item = &'a Line>) {
    let ratios: Vec<f64> = lines.map(Line::ratio).collect();
    let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let lost = ratios.iter().filter(|r| **r > 1.0).count();
    println!("{}, {lost} of {} lost", sentence.replace("{}", &format!("{mean:.2}")), ratios.len());
}

fn compare_case(group: &'static str, fp: &'static str, case: &mut Case, quick: bool) -> Vec<Line> {
    let (rounds, round) = if quick { (9, Duration::from_millis(4)) } else { (25, Duration::from_millis(12)) };
    (case.ours.run)();
    let expected = (case.ours.result)();
    // Results are compared after the first run of each, since some kernels change their input.
    let agreed: Vec<bool> = case
        .peers
        .iter_mut()
        .map(|peer| {
            (peer.run)();
            case.tolerance.same(&expected, &(peer.result)())
        })
        .collect();
    let mut lines = Vec::new();
    for (peer, same_result) in case.peers.iter_mut().zip(agreed) {
        let times = compare(&mut case.ours, peer, rounds, round);
        eprintln!("  {} {} against {}: {:.2}", case.row, case.isa, peer.name, times.ours / times.peer);
        lines.push(Line {
            group,
            row: case.row.to_owned(),
            isa: case.isa,
            size: case.size.clone(),
            peer: peer.name.clone(),
            ours: times.ours,
            peer_time: times.peer,
            spread: times.spread,
            same_result,
            fp,
            cause: String::new(),
            operations: 0.0,
        });
    }
    lines
}

/// A program of `functions` functions with 10 lines each, all of them called.
fn generated(functions: usize) -> String {
    let mut text = String::from("struct pair { float a, b; };\n\n");
    for i in 0..functions {
        let callee = if i == 0 { "x".to_owned() } else { format!("f{}(x) * 0.5f", i - 1) };
        let callee = if i % 16 == 0 { "x".to_owned() } else { callee };
        text += &format!(
            "float f{i}(float x) {{\n    pair p = {{ x, {i} }};\n    float sum = {callee};\n    for (int k = 0; k < 4; ++k) {{\n        if (p.a > sum) sum += p.b;\n        else sum -= p.a * k;\n    }}\n    return sum;\n}}\n\n"
        );
    }
    text += "export void run(const float in[n], float out[n], int n) {\n    foreach (int block[8] i = 0 .. n) {\n        float v = in[i];\n";
    for i in 0..functions {
        text += &format!("        v += f{i}(v);\n");
    }
    text + "        out[i] = v;\n    }\n}\n"
}

fn compile_group(quick: bool) -> Result<Vec<Line>, Box<dyn Error>> {
    let rounds = if quick { 5 } else { 15 };
    let time = |f: &mut dyn FnMut()| {
        let mut times: Vec<f64> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                f();
                start.elapsed().as_nanos() as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        (times[rounds / 2], (times[rounds * 3 / 4] - times[rounds / 4]) / 2.0 / times[rounds / 2])
    };
    let line = |row: String, isa, size, budget: f64, (ours, spread): (f64, f64)| Line {
        group: "compile",
        row,
        isa,
        size,
        peer: format!("budget {budget} ms"),
        ours,
        peer_time: budget * 1e6,
        spread,
        same_result: true,
        fp: "strict",
        cause: String::new(),
        operations: 0.0,
    };
    let mut lines = Vec::new();
    let ivlc = Path::new(env!("CARGO_BIN_EXE_ivlc"));
    let folder = tempfile::tempdir()?;
    let aobench = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernels/aobench.ivl");
    for isa in [Isa::Avx2, Isa::Avx512] {
        let object = folder.path().join("aobench.o");
        let taken = time(&mut || {
            let status = Command::new(ivlc).arg("build").arg(&aobench).args(["--target", isa.name(), "-o"]).arg(&object).status();
            assert!(status.is_ok_and(|s| s.success()), "ivlc builds aobench");
        });
        lines.push(line("ivlc build aobench.ivl".into(), isa, "1 export".into(), 250.0, taken));
    }
    for functions in [10, 100, 1000] {
        let file = folder.path().join("generated.ivl");
        let text = generated(functions);
        fs::write(&file, &text)?;
        let taken = time(&mut || {
            let status = Command::new(ivlc).arg("check").arg(&file).status();
            assert!(status.is_ok_and(|s| s.success()), "ivlc checks the generated file");
        });
        let budget = 300.0 * text.lines().count() as f64 / 10_000.0;
        // The budget is for 10,000 lines; smaller files may use the start-up time of the process on top.
        lines.push(line(
            "ivlc check".into(),
            Isa::host(),
            format!("{functions} functions, {} lines", text.lines().count()),
            budget.max(30.0),
            taken,
        ));
    }
    let growths = scaling::measure(ivlc, folder.path(), quick)?;
    println!("How the time to compile grows:\n\n{}", scaling::table(&growths));
    // What grows with a power of less than 3/2 of the size is within the budget.
    let budget = 2f64.powf(1.5);
    for growth in &growths {
        let peer = format!("{budget:.1} times the time of half the size");
        let row = format!("ivlc {}: {}", growth.action, growth.name);
        let size = format!("{}, exponent {:.2}", growth.sizes[2], growth.exponent());
        let [_, half, taken] = growth.times.map(|seconds| seconds * 1e9);
        lines.push(Line { peer, peer_time: budget * half, ..line(row, Isa::host(), size, 1.0, (taken, 0.0)) });
    }
    Ok(lines)
}

fn time_text(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t.is_nan() => "–".to_owned(),
        t if t < 1e3 => format!("{t:.0} ns"),
        t if t < 1e6 => format!("{:.2} µs", t / 1e3),
        t => format!("{:.2} ms", t / 1e6),
    }
}

fn print_report(lines: &mut [Line]) {
    let scalar = |l: &Line| l.peer == "ivl scalar";
    lines.sort_by(|a, b| scalar(a).cmp(&scalar(b)).then(b.ratio().total_cmp(&a.ratio())));
    println!("| group | kernel | target | size | against | ours | theirs | ratio | spread | same result | fp | cause |");
    println!("|---|---|---|---|---|--:|--:|--:|--:|---|---|---|");
    for l in lines.iter() {
        let (ours, theirs) = (time_text(l.ours), time_text(l.peer_time));
        let ratio = if l.ratio().is_nan() { "–".to_owned() } else { format!("{:.2}", l.ratio()) };
        let same = if l.same_result { "yes" } else { "NO" };
        println!(
            "| {} | {} | {} | {} | {} | {ours} | {theirs} | {ratio} | ±{:.0} % | {same} | {} | {} |",
            l.group,
            l.row,
            l.isa,
            l.size,
            l.peer,
            l.spread * 100.0,
            l.fp,
            l.cause
        );
    }
}

fn write_json(lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let machine = processor();
    let rows: Vec<serde_json::Value> = lines
        .iter()
        .map(|l| {
            serde_json::json!({
                "group": l.group, "row": l.row, "isa": l.isa.name(), "size": l.size, "peer": l.peer, "ours_ns": l.ours,
                "peer_ns": l.peer_time, "ratio": l.ratio(), "spread": l.spread, "same_result": l.same_result, "fp": l.fp,
                "cause": l.cause, "operations": l.operations, "machine": machine,
            })
        })
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("report.json"), serde_json::to_string_pretty(&rows)?)?;
    Ok(())
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")).unwrap_or(": unknown processor");
    let isas: Vec<&str> = Isa::ALL.into_iter().filter(|i| i.runs_here()).map(Isa::name).collect();
    format!("{} ({})", model.trim_start_matches([' ', '\t', ':']), isas.join(", "))
}

/// What may stand behind `./x bench`.
fn usage() -> String {
    format!(
        "usage: ./x bench [GROUP…] [--quick] [--readme]; all groups, if none is named\n\
         groups: {}\n\
         `pipelines` and `checks` take applications behind them: {}\n\
         `ispc` takes examples behind it: {}\n\
         `tensor` takes definitions behind it, or parts of the names of rows: `tensor tmm`",
        GROUPS.join(", "),
        NAMES.join(", "),
        ispc::JOBS.each_ref().map(|job| job.row).join(", ")
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let Some((first, rest)) = arguments.split_first()
        && first == "--application"
    {
        return pipelines::run_application(rest);
    }
    if arguments.iter().any(|a| a == "--help" || a == "-h") {
        println!("{}", usage());
        return Ok(());
    }
    if let Some(unknown) = arguments.iter().find(|a| a.starts_with('-') && !["--quick", "--readme"].contains(&a.as_str())) {
        eprintln!("no option `{unknown}`\n{}", usage());
        std::process::exit(2);
    }
    let quick = arguments.iter().any(|a| a == "--quick");
    let for_readme = arguments.iter().any(|a| a == "--readme");
    let groups: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    // Applications may be named: `pipelines unsharp harris`, or `pipelines/unsharp`.
    let groups: Vec<&str> = groups.iter().flat_map(|g| g.split('/')).collect();
    let (groups, applications): (Vec<&str>, Vec<&str>) = groups.iter().partition(|g| GROUPS.contains(g));
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for asked in &applications {
        if groups == ["tensor"] {
            rows.push(*asked);
            continue;
        }
        if groups == ["ispc"] && ispc::JOBS.iter().any(|job| job.row == *asked) {
            rows.push(*asked);
            continue;
        }
        match NAMES.iter().find(|name| *name == asked) {
            Some(name) if groups.contains(&"pipelines") || groups.contains(&"checks") => names.push(*name),
            _ => {
                eprintln!("no group `{asked}`\n{}", usage());
                std::process::exit(2);
            }
        }
    }
    let wanted = |group: &str| groups.is_empty() || groups.contains(&group);
    let names = if names.is_empty() { NAMES.to_vec() } else { names };
    println!(
        "Machine: {}. Medians of interleaved rounds, one thread where no other number is said; a ratio below 1 is a win.\n",
        processor()
    );
    let folder = tempfile::tempdir()?;
    let mut lines = Vec::new();
    if wanted("core") {
        lines.extend(core_group(quick, folder.path())?);
    }
    if wanted("maths") {
        lines.extend(maths_group(quick, folder.path()));
    }
    if wanted("peers") {
        lines.extend(peers_group(quick)?);
    }
    if wanted("tensor") {
        lines.extend(tensor_group(&rows, quick, folder.path())?);
    }
    if wanted("ispc") {
        lines.extend(ispc_group(&rows, quick, folder.path())?);
    }
    if wanted("pipelines") {
        lines.extend(pipelines_group(&names, quick)?);
    }
    if wanted("checks") {
        lines.extend(checks_group(&names, quick));
    }
    if wanted("compile") {
        lines.extend(compile_group(quick)?);
    }
    print_report(&mut lines);
    print_means(&lines);
    print_means_of_ispc(&lines);
    print!("{}", tensors::means(&tensor_pairs(&lines)));
    write_json(&lines)?;
    if for_readme {
        let core = lines.iter().filter(|l| l.group == "core");
        let pairs = core.map(|l| readme::Pair { row: &l.row, size: &l.size, isa: l.isa, peer: &l.peer, ratio: l.ratio() });
        readme::write(&pairs.collect::<Vec<_>>(), &processor())?;
    }
    if lines.iter().any(|l| !l.same_result) {
        return Err("two sides of a pair gave different results".into());
    }
    Ok(())
}
