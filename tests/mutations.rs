//! No input makes the compiler panic, overflow its stack or hang: mutated and random texts go through the entry that
//! `ivlc check` uses. A slice runs with the tests; `./x fuzz --inputs N` (that is, `IVL_INPUTS=N`) runs more.
//!
//! The inputs are made from the corpus by a seeded generator, so input number k is the same everywhere; a failing one is
//! written to `target/failing-input.ivl`.

use ivl_random::Random;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Pieces that are put where they do not belong.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    "..",
    "->",
    "&",
    "*",
    "block",
    "block[",
    "block[8]",
    "block[0]",
    "block[3]",
    "block[128]",
    "scalar",
    "varying",
    "foreach (int block i = 0 .. 9)",
    "foreach_active (int k)",
    "foreach_unique (int u : v)",
    "if (",
    "else",
    "while (true)",
    "do",
    "for (;;)",
    "break;",
    "continue;",
    "return",
    "return 1;",
    "struct s { s a; };",
    "struct t { t *a; };",
    "typedef int i;",
    "enum e { a, b = 4 };",
    "template <typename T>",
    "export",
    "extern \"C\"",
    "import \"x\";",
    "int",
    "float",
    "bool",
    "uint8",
    "int64",
    "double",
    "void",
    "float16",
    "const",
    "restrict",
    "new int[3]",
    "delete p;",
    "null",
    "true",
    "0",
    "1",
    "-1",
    "300",
    "0xffffffffffffffff",
    "99999999999999999999",
    "1e999",
    "1.5f",
    "1.",
    ".5",
    "'a'",
    "\"%\"",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\",
    "\0",
    "é",
    "∀",
    "current_mask",
    "lane_index",
    "get(v, 0)",
    "set(v, 1, 0)",
    "lengthof(v)",
    "iota(8)",
    "reduce_add(v)",
    "shuffle(v, <1, 0>)",
    "print(\"%\\n\", v);",
    "assert(v == v);",
    "[a, b]",
    "<1, 2, 3>",
    "<1, 2>",
    "v = v;",
    "++v",
    "f(f(f(f(1))))",
    "x.y.z",
    "x[1][2]",
    "*&x",
    "(int) x",
    "(int block[4]) x",
    "? :",
    "? 1 : 2",
    "<<",
    ">>",
    "%",
    "/ 0",
    "&&",
    "||",
    "!",
    "~",
    "def f(float(M, K) A, float(K) x) -> (C) { C(i) +=! A(i, k) * x(k) }",
    "def",
    "-> (C, double(N) D)",
    "+=!",
    "*=",
    "min=!",
    "max=",
    "where i in 0:N - 1",
    "where exists A(i)",
    "exists",
    "in 0:3",
    "unchecked(A(w(i)))",
    "clamp(w(i), 0, N - 1)",
    "inout float(N) C",
    "inout",
    "float(N, 3) A",
    "half",
    "(half) (x)",
    "A(i + 1, 2 * j - i / 3)",
    "A.1",
    "C, D = f(A, x)",
    "C(i) = i > 0 ? A(i - 1) : 0.0",
    "#",
    "schedule f.s { C.statement(0).vectorize(i, 8).update(0).unroll(k, 2); }",
];

/// Input number `index`: a text of the corpus, or none, with a few edits.
fn input(corpus: &[String], index: u64) -> String {
    let mut random = Random::new(index);
    let mut bytes = match random.below(16) {
        0 => Vec::new(),
        // Definitions are few, and come more often.
        1 | 2 => {
            let definitions: Vec<&String> = corpus.iter().filter(|text| text.contains("def ")).collect();
            definitions[random.below(definitions.len())].clone().into_bytes()
        }
        _ => corpus[random.below(corpus.len())].clone().into_bytes(),
    };
    for _ in 0..1 + random.below(8) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(40)).min(bytes.len());
        match random.below(9) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 => {
                // A long run of one piece: nesting and chains.
                let times = 1 << random.below(12);
                let piece = PIECES[random.below(PIECES.len())].repeat(times);
                bytes.splice(at..at, piece.into_bytes());
            }
            4 if at < bytes.len() => bytes[at] = random.bits() as u8,
            5 => {
                let other = corpus[random.below(corpus.len())].as_bytes();
                let from = random.below(other.len());
                let to = (from + random.below(200)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                let to = end.min(at + random.below(6));
                bytes.splice(at..to, format!(" {piece} ").into_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn collect(folder: &Path, corpus: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, corpus);
        } else if path.extension().is_some_and(|e| e == "ivl" || e == "tc") {
            // Files of definitions alone have comments that others have inside of definitions only.
            let text = fs::read_to_string(&path).unwrap_or_default();
            let is_alone = path.extension().is_some_and(|e| e == "tc");
            corpus.push(if is_alone {
                text.lines().map(|line| line.split('#').next().unwrap_or("").to_owned() + "\n").collect()
            } else {
                text
            });
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|n| n.parse().ok())
}

#[test]
fn no_input_makes_the_compiler_panic_or_hang() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut corpus = Vec::new();
    for folder in ["tests", "examples", "benches"] {
        collect(&root.join(folder), &mut corpus);
    }
    corpus.retain(|text| !text.is_empty());
    let has_definitions = corpus.iter().filter(|text| text.contains("\ndef ")).count();
    assert!(has_definitions > 5, "definitions of tensors are among them");
    assert!(corpus.len() > 20, "the corpus of tests is there");
    let inputs = number("IVL_INPUTS").unwrap_or(4000);
    let first = number("IVL_FIRST_INPUT").unwrap_or(0);
    let next = AtomicU64::new(first);
    let done = AtomicU64::new(0);
    let workers = thread::available_parallelism().map_or(1, |n| n.get());
    // What each worker does and since when, for the watchdog.
    let busy: Vec<Mutex<Option<(u64, Instant)>>> = (0..workers).map(|_| Mutex::new(None)).collect();
    // The test process ends at once: a hanging worker could not be joined.
    let failing = |index: u64, why: &str| {
        let path = root.join("target/failing-input.ivl");
        fs::write(&path, input(&corpus, index)).ok();
        eprintln!("input {index} {why}: see {}", path.display());
        std::process::exit(1)
    };
    thread::scope(|scope| {
        for slot in &busy {
            let (next, done, corpus, failing) = (&next, &done, &corpus, &failing);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= first + inputs {
                        break;
                    }
                    *slot.lock().expect("no panic under the lock") = Some((index, Instant::now()));
                    let text = input(corpus, index);
                    let outcome = std::panic::catch_unwind(|| ivlc::driver::check_text(&text));
                    *slot.lock().expect("no panic under the lock") = None;
                    match outcome {
                        Ok(_) => done.fetch_add(1, Ordering::Relaxed),
                        Err(_) => failing(index, "panicked"),
                    };
                }
            });
        }
        let (busy, done, failing) = (&busy, &done, &failing);
        scope.spawn(move || {
            while done.load(Ordering::Relaxed) < inputs {
                thread::sleep(Duration::from_millis(50));
                for slot in busy {
                    if let Some((index, since)) = *slot.lock().expect("no panic under the lock")
                        && since.elapsed() > Duration::from_secs(20)
                    {
                        failing(index, "takes more than 20 seconds");
                    }
                }
            }
        });
    });
    assert_eq!(done.load(Ordering::Relaxed), inputs);
}
