//! Programs of a size that can be doubled: how the time to compile them grows with it.
//!
//! A row compares a size with its half: what is linear takes twice as long, what is quadratic four times, and the budget is three times.

use std::fmt::Write;

/// A kind of program, by its size.
pub struct Family {
    /// What there is much of.
    pub name: &'static str,
    /// `check`, or `run`, which generates code as well.
    pub action: &'static str,
    /// The smallest of three sizes, each twice the one before.
    pub size: usize,
    text: fn(usize) -> String,
}

impl Family {
    /// The program of a size.
    pub fn text(&self, size: usize) -> String {
        (self.text)(size)
    }
}

/// All kinds.
pub const FAMILIES: [Family; 9] = [
    Family { name: "structs in one another", action: "run", size: 7, text: nested_structs },
    Family { name: "links of `else if`", action: "run", size: 200, text: else_ifs },
    Family { name: "elements of a table", action: "run", size: 25_000, text: table },
    Family {
        name: "`foreach` in a function",
        action: "run",
        size: 100,
        text: |n| statements(n, "foreach (int block[8] i = 0 .. 100) a[i] = i + #;"),
    },
    Family { name: "`while` in a function", action: "run", size: 100, text: |n| statements(n, "while (v < #) v += 1;") },
    Family {
        name: "prints under a mask",
        action: "run",
        size: 50,
        text: |n| statements(n, "if (v > 3) print(\"% %\\n\", v, v);"),
    },
    Family { name: "returns in a function", action: "run", size: 100, text: |n| statements(n, "if (x == # + 1000) return #;") },
    Family { name: "errors", action: "check", size: 2_500, text: |n| statements(n, "x# = #;") },
    Family {
        name: "assignments on a line",
        action: "check",
        size: 10_000,
        text: |n| statements(n, "x = x + #;").replace('\n', " "),
    },
];

fn nested_structs(n: usize) -> String {
    let mut text = "struct s0 { int a, b; };\n".to_owned();
    for k in 1..=n {
        writeln!(text, "struct s{k} {{ s{} a, b; }};", k - 1).expect("a string takes all");
    }
    text + &format!("int main() {{ return sizeof(s{n} scalar) == 0; }}\n")
}

fn else_ifs(n: usize) -> String {
    let links: String = (1..n).map(|k| format!("    else if (x == {k}) return {};\n", 3 * k)).collect();
    format!("int f(int x) {{\n    if (x == 0) return 0;\n{links}    else return 5;\n}}\nint main() {{ return f(0); }}\n")
}

fn table(n: usize) -> String {
    let list: Vec<String> = (0..n).map(|k| k.to_string()).collect();
    format!(
        "const int scalar t[{n}] = {{{}}};\nint main() {{ int s = 0; for (int i = 0; i < {n}; ++i) s ^= t[i]; return s & 0; }}\n",
        list.join(",")
    )
}

/// A main with so many statements, in which `#` is the number of each.
fn statements(n: usize, statement: &str) -> String {
    let all: String = (0..n).map(|k| format!("    {}\n", statement.replace('#', &k.to_string()))).collect();
    let head = "    int a[200], x = 1;\n    int block[16] v = iota(16);\n    foreach (int block[8] i = 0 .. 200) a[i] = i;\n";
    format!("int main() {{\n{head}{all}    print(\"\");\n    return 0;\n}}\n")
}
