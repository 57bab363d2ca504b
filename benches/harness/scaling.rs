//! Programs of a size that can be doubled: how the time to compile them grows with it.
//!
//! A row is an action on three sizes, each twice the one before, and shows the exponent log₂(t(4n) / t(2n)): 1 is linear, 2 is
//! quadratic. What every program costs, the time for an empty `main`, is taken off all three. Times are the processor's, the least
//! of a few runs.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

/// How far a kind of program goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It is refused.
    Refused,
    /// What grows is over when code is generated.
    Check,
    /// To machine code, with each of these actions.
    Code,
    /// To machine code, also with the checks of `--check`.
    Checked,
}

impl Reach {
    /// The actions of the compiler that the kind is measured with.
    pub fn actions(self) -> &'static [&'static str] {
        const ALL: [&str; 5] = ["check", "build -O0", "build -O1", "build -O3", "build -O3 --check"];
        match self {
            Reach::Refused | Reach::Check => &ALL[..1],
            Reach::Code => &ALL[..4],
            Reach::Checked => &ALL,
        }
    }
}

/// A kind of program, by its size.
pub struct Family {
    /// What there is much of.
    pub name: &'static str,
    /// What is done with it.
    pub reach: Reach,
    /// The smallest of three sizes, each twice the one before.
    pub size: usize,
    text: fn(usize) -> String,
    import: Option<fn(usize) -> String>,
}

impl Family {
    /// The program of a size.
    pub fn text(&self, size: usize) -> String {
        (self.text)(size)
    }

    /// The files that the program imports, by their names.
    pub fn imports(&self, size: usize) -> Vec<(String, String)> {
        let import = |import: fn(usize) -> String| (0..size).map(move |k| (format!("part{k}.ivl"), import(k))).collect();
        self.import.map_or_else(Vec::new, import)
    }
}

const fn code(name: &'static str, size: usize, text: fn(usize) -> String) -> Family {
    Family { name, reach: Reach::Code, size, text, import: None }
}

const fn checked(name: &'static str, size: usize, text: fn(usize) -> String) -> Family {
    Family { name, reach: Reach::Checked, size, text, import: None }
}

const fn check(name: &'static str, size: usize, text: fn(usize) -> String) -> Family {
    Family { name, reach: Reach::Check, size, text, import: None }
}

const fn refused(name: &'static str, size: usize, text: fn(usize) -> String) -> Family {
    Family { name, reach: Reach::Refused, size, text, import: None }
}

/// An action on a kind of program at its three sizes.
pub struct Growth {
    /// What there is much of.
    pub name: &'static str,
    /// What was done.
    pub action: &'static str,
    /// The sizes.
    pub sizes: [usize; 3],
    /// Seconds, without those of an empty program.
    pub times: [f64; 3],
}

impl Growth {
    /// log₂ of how much longer the largest takes than the middle one.
    pub fn exponent(&self) -> f64 {
        (self.times[2] / self.times[1]).log2()
    }
}

/// What is below this is noise of starting a process, in seconds.
const LEAST: f64 = 0.0005;

/// Runs all kinds with all their actions.
///
/// # Errors
/// Files that cannot be written, a compiler that cannot be run.
pub fn measure(ivlc: &Path, folder: &Path, quick: bool) -> io::Result<Vec<Growth>> {
    let empty = folder.join("empty.ivl");
    fs::write(&empty, EMPTY)?;
    let mut all = Vec::new();
    for family in FAMILIES {
        let sizes = [1, 2, 4].map(|times| times * family.size);
        for &action in family.reach.actions() {
            let nothing = seconds(ivlc, action, &empty, 0, quick)?;
            let mut times = [0.0; 3];
            for (time, size) in times.iter_mut().zip(sizes) {
                let file = folder.join("scaled.ivl");
                fs::write(&file, family.text(size))?;
                for (name, text) in family.imports(size) {
                    fs::write(folder.join(name), text)?;
                }
                let code = i32::from(family.reach == Reach::Refused);
                *time = (seconds(ivlc, action, &file, code, quick)? - nothing).max(LEAST);
            }
            all.push(Growth { name: family.name, action, sizes, times });
        }
    }
    Ok(all)
}

/// The time that processes of this one had, which have ended, in seconds. What others run meanwhile does not count.
fn time_of_children() -> f64 {
    // SAFETY: all zeros are numbers, and it writes them to where it is told.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage), 0, "it is known");
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// The least time of the processor in a few runs, which end with `code`.
fn seconds(ivlc: &Path, action: &str, file: &Path, code: i32, quick: bool) -> io::Result<f64> {
    let (most, enough) = if quick { (2, Duration::from_millis(200)) } else { (7, Duration::from_secs(2)) };
    let begin = Instant::now();
    let mut least = f64::INFINITY;
    for _ in 0..most {
        let mut command = Command::new(ivlc);
        command.args(action.split(' ')).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
        if action.starts_with("build") {
            command.arg("-o").arg(file.with_extension("o"));
        }
        let start = time_of_children();
        let status = command.status()?;
        least = least.min(time_of_children() - start);
        assert_eq!(status.code(), Some(code), "ivlc {action} {}", file.display());
        if begin.elapsed() > enough {
            break;
        }
    }
    Ok(least)
}

/// The growths as a Markdown table, those that grow most first; what is over in a moment has no exponent.
pub fn table(growths: &[Growth]) -> String {
    let mut lines: Vec<&Growth> = growths.iter().collect();
    let is_short = |g: &Growth| g.times[2] < 10.0 * LEAST;
    lines.sort_by(|a, b| is_short(a).cmp(&is_short(b)).then(b.exponent().total_cmp(&a.exponent())));
    let mut text = "| much of | action | n | t(n) | t(2n) | t(4n) | exponent |\n|---|---|--:|--:|--:|--:|--:|\n".to_owned();
    for g in lines {
        let [a, b, c] = g.times.map(|seconds| format!("{:.1} ms", seconds * 1e3));
        let exponent = if is_short(g) { "–".to_owned() } else { format!("{:.2}", g.exponent()) };
        writeln!(text, "| {} | {} | {} | {a} | {b} | {c} | {exponent} |", g.name, g.action, g.sizes[0])
            .expect("a string takes all");
    }
    text
}

/// All kinds. What is nested stops at the limits that the parser sets.
pub const FAMILIES: &[Family] = &[
    code("structs in one another", 5, nested_structs),
    code("elements of an array of a struct passed by value", 1_000, passed_structs),
    code("elements of an array of a struct returned by value", 1_000, returned_structs),
    code("elements of an array of a struct copied under a mask", 250, masked_structs),
    checked("`foreach` in a function", 50, |n| statements(n, "foreach (int block[8] i = 0 .. 100) a[i] = i + #;")),
    checked("`while` in a function", 50, |n| statements(n, "while (x < # + y) x += y;")),
    code("`while` of lanes in a function", 50, |n| statements(n, "while (v < # + w) v += w;")),
    code("`for` in a function", 50, |n| statements(n, "for (int k = 0; k < y; ++k) a[k] += #;")),
    code("prints", 50, |n| statements(n, "print(\"% %\\n\", x + #, v);")),
    code("prints under a mask", 50, |n| statements(n, "if (v > #) print(\"% %\\n\", v, v);")),
    code("returns", 50, |n| statements(n, "if (x == # + y) return #;")),
    code("returns of lanes", 50, returns_of_lanes),
    code("`if` of lanes in a function", 50, |n| statements(n, "if (v > # + w) v = v * w + #; else w = v - #;")),
    refused("errors", 2_500, |n| statements(n, "x# = #;")),
    refused("errors of types", 2_500, |n| statements(n, "x = &x + \"\" + #;")),
    refused("calls around errors", 100, refused_chain),
    code("links of `else if`", 200, else_ifs),
    code("elements of a table", 25_000, global_table),
    code("elements of a constant local array", 2_500, |n| local_array(n, "#")),
    code("elements of a computed local array", 250, |n| local_array(n, "x + #")),
    code("assignments on a line", 2_500, |n| statements(n, "x = x * y + #;").replace('\n', " ")),
    code("functions of the library in a function", 25, |n| statements(n, "f = sin(f) + pow(f, g) + exp(f);")),
    check("`log2` in one another", 15, |n| nested(n, "log2(", "f", ")")),
    check("`min` in one another", 15, |n| nested(n, "min(1.0f + ", "f", ", f)")),
    check("`?:` in one another", 15, |n| nested(n, "(f > 1 ? ", "f", " : g)")),
    check("calls in one another", 15, |n| nested(n, "own(", "f", ")")),
    check("parentheses in one another", 40, |n| nested(n, "(", "f", ")")),
    code("`if` in one another", 20, |n| statements(1, &format!("{}x += y;{}", "if (x > y) { ".repeat(n), " }".repeat(n)))),
    code("`if` of lanes in one another", 20, |n| {
        statements(1, &format!("{}v += w;{}", "if (v > w) { ".repeat(n), " v += 1; }".repeat(n)))
    }),
    code("loops in one another", 15, |n| {
        let open: String = (0..n).map(|k| format!("for (int i{k} = 0; i{k} < y; ++i{k}) {{ ")).collect();
        statements(1, &format!("{open}x += y;{}", " }".repeat(n)))
    }),
    code("terms of a sum", 200, |n| statements(1, &format!("x = y{};", " + x * y".repeat(n)))),
    check("references to places behind references", 10, references),
    check("variables assigned against the order", 100, backwards),
    code("functions that call one another in a chain", 100, chain),
    check("functions that call each other in a ring", 100, ring),
    code("lines of ordinary functions", 2_500, ordinary),
    code("globals", 1_000, globals),
    Family { name: "imports", reach: Reach::Check, size: 100, text: imports, import: Some(imported) },
    checked("accesses in a loop", 50, accesses),
    code("accesses in a block", 2_500, |n| {
        let all = each(n, "    p[#] = q[# + 1] * x;\n");
        format!("export void g(int scalar *scalar p, const int scalar *scalar q, int x) {{\n{all}}}\n")
    }),
    checked("loops over arrays", 25, array_loops),
];

/// A program that costs what every program does.
const EMPTY: &str = "int main() { return 0; }\n";

/// A text for each number below `n`, in which `#` is the number.
fn each(n: usize, text: &str) -> String {
    (0..n).map(|k| text.replace('#', &k.to_string())).collect()
}

fn nested_structs(n: usize) -> String {
    let mut text = "struct s0 { int a, b; };\n".to_owned();
    for k in 1..=n {
        writeln!(text, "struct s{k} {{ s{} a, b; }};", k - 1).expect("a string takes all");
    }
    text + &format!("int main() {{ return sizeof(s{n} scalar) == 0; }}\n")
}

fn passed_structs(n: usize) -> String {
    format!(
        "struct all {{ int a[{n}]; }};\n[[noinline]] int f(all t, int k) {{ t.a[k] += 1; return t.a[k]; }}\n\
         export int g(int k) {{ all t; for (int i = 0; i < {n}; ++i) t.a[i] = i; return f(t, k); }}\n"
    )
}

fn returned_structs(n: usize) -> String {
    format!(
        "struct all {{ int a[{n}]; }};\n[[noinline]] all f(int k) {{ all t; for (int i = 0; i < {n}; ++i) t.a[i] = i + k; return t; }}\n\
         export int g(int k) {{ all t = f(k); all u; u = t; u = f(t.a[k]); return u.a[k]; }}\n"
    )
}

fn masked_structs(n: usize) -> String {
    format!(
        "struct all {{ int a[{n}]; }};\nexport int g(int k) {{\n    all block[16] t, u;\n    int block[16] v = iota(16);\n    \
         for (int i = 0; i < {n}; ++i) {{ t.a[i] = v + i; u.a[i] = v - i; }}\n    if (v > k) t = u;\n    return get(t.a[k], 0);\n}}\n"
    )
}

fn returns_of_lanes(n: usize) -> String {
    let all = each(n, "    if (x == # + y) return # * y;\n");
    format!(
        "[[noinline]] int f(int x, int y) {{\n{all}    return x;\n}}\nexport int g(int x) {{ return reduce_add(f(iota(8) + x, x)); }}\n"
    )
}

fn else_ifs(n: usize) -> String {
    let links: String = (1..n).map(|k| format!("    else if (x == {k}) return {};\n", 3 * k)).collect();
    format!("export int f(int x) {{\n    if (x == 0) return 0;\n{links}    else return 5;\n}}\n")
}

fn list(n: usize, element: &str) -> String {
    (0..n).map(|k| element.replace('#', &k.to_string())).collect::<Vec<_>>().join(",")
}

fn global_table(n: usize) -> String {
    format!("const int scalar t[{n}] = {{{}}};\nexport int f(int k) {{ return t[k]; }}\n", list(n, "#"))
}

fn local_array(n: usize, element: &str) -> String {
    format!("export int f(int x) {{\n    int t[{n}] = {{{}}};\n    t[x] += 1;\n    return t[x / 2];\n}}\n", list(n, element))
}

/// A function with so many statements, in which `#` is the number of each.
fn statements(n: usize, statement: &str) -> String {
    let all = each(n, &format!("    {statement}\n"));
    format!(
        "export int run(int a[200], int x, int y, float f, float g) {{\n    int block[16] v = iota(16) + x, w = iota(16) * y;\n{all}    \
         return x + reduce_add(v + w) + (int)(f + g);\n}}\n"
    )
}

fn nested(n: usize, open: &str, inner: &str, close: &str) -> String {
    let own = "float own(float x) { return x + 1; }\nint own(int x) { return x + 1; }\n";
    own.to_owned() + &statements(1, &format!("f = {}{inner}{};", open.repeat(n), close.repeat(n)))
}

fn references(n: usize) -> String {
    let all: String = (1..=n).map(|k| format!("    int block[8] &r{k} = t[r{0} + r{0}];\n", k - 1)).collect();
    format!(
        "int f(int block[8] x) {{\n    int block[8] t[64];\n    int block[8] &r0 = x;\n{all}    r{n} = x;\n    return 0;\n}}\nint main() {{ return f(iota(8)); }}\n"
    )
}

fn backwards(n: usize) -> String {
    let declared = each(n + 1, "    int x# = 0;\n");
    let all: String = (0..n).map(|k| format!("        x{k} = x{} + 1;\n", k + 1)).collect();
    format!(
        "int f(int n) {{\n{declared}    for (int k = 0; k < 9; ++k) {{\n{all}        x{n} = n;\n    }}\n    return x0;\n}}\n\
         int main() {{ return reduce_add(f(iota(8))) == 7; }}\n"
    )
}

fn chain(n: usize) -> String {
    let all: String =
        (1..n).map(|k| format!("int f{k}(int x, int &y) {{ y += x; return f{}(x + y, y) * 3; }}\n", k - 1)).collect();
    format!(
        "int f0(int x, int &y) {{ y = x; return x; }}\n{all}export int g(int x) {{ int y = 0; return reduce_add(f{}(iota(8) + x, y) + y); }}\n",
        n - 1
    )
}

fn refused_chain(n: usize) -> String {
    let all: String = (1..n).map(|k| format!("int f{k}(int x) {{ return f{}(x) * unknown; }}\n", k - 1)).collect();
    format!("int f0(int x) {{ return x; }}\n{all}int main() {{ return reduce_add(f{}(iota(8))); }}\n", n - 1)
}

fn ring(n: usize) -> String {
    let all: String = (0..n)
        .map(|k| {
            format!("int f{k}(int x, int &y) {{ if (x < 1) return y; y = y + 1; return f{}(x - 1, y) + 1; }}\n", (k + 1) % n)
        })
        .collect();
    format!("{all}int main() {{ int y = 0; return reduce_add(f0(iota(8), y)) == 7; }}\n")
}

fn ordinary(lines: usize) -> String {
    let function = "\
float mean#(const float values[n], int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += values[i];
    }
    return sum / n;
}

export void scale#(float values[n], float by, int n) {
    float m = mean#(values, n);
    foreach (int block[8] i = 0 .. n) {
        float v = values[i] - m;
        if (v < 0) {
            v = -v * by;
        } else {
            v *= by;
        }
        values[i] = v + m;
    }
}

";
    each(lines / function.lines().count(), function)
}

fn globals(n: usize) -> String {
    let all = each(n, "const int scalar c# = # * 3;\nint scalar g#;\n");
    let used = each(n, "    g# = c# + x;\n");
    format!("{all}export void f(int x) {{\n{used}}}\n")
}

fn imports(n: usize) -> String {
    let all = each(n, "import \"part#.ivl\";\n");
    let used = each(n, "    x = part#(x);\n");
    format!("{all}int main() {{\n    int x = 0;\n{used}    return x & 0;\n}}\n")
}

fn imported(k: usize) -> String {
    format!("int part{k}(int x) {{ return x + {k}; }}\n")
}

fn accesses(n: usize) -> String {
    let all = each(n, "        b[i] = b[i] * a[i + #] + a[i];\n");
    format!(
        "export void f(const int a[n + {n}], int b[n], int n) {{\n    foreach (int block[8] i = 0 .. n) {{\n{all}    }}\n}}\n"
    )
}

fn array_loops(n: usize) -> String {
    let all = each(
        n,
        "    for (int y = 0; y < h; ++y) foreach (int block[8] x = 0 .. w) b[y * w + x] = a[y * w + x] * # + b[y * w + x];\n",
    );
    format!("export void f(const int a[h * w], int b[h * w], int h, int w) {{\n{all}}}\n")
}
