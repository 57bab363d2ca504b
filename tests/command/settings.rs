//! `--set`: parameters of templates from outside, and what the tools say of what they make.

use super::Folder;
use std::collections::BTreeSet;

const TEMPLATES: &str = "template <typename T = float, int N = 4> struct row { T v[N]; };
template <int N = 3> export int times(int x) { return x * N; }
template <bool on> int chosen(int x) { return on ? x : -x; }
int main() {
    print(\"% % %\\n\", sizeof(row), times(2), chosen(7));
    return 0;
}
";

const CHAIN: &str = "fun next(f)(x) = f(x) * 0.5f + f(x + 1);
template <int N = 2> pipeline chain(float in[]) -> out {
    fun g[0](x) = in(x);
    fun g[k = 1 .. N](x) = next(g[k - 1])(x);
    fun out(x) = g[N - 1](x);
}
schedule chain.rows {
    for (k = 1 .. N) g[k].compute_root().vectorize(x, 8);
}
";

#[test]
fn what_is_set_stands_for_defaults() {
    let folder = Folder::new();
    folder.write("t.ivl", TEMPLATES);
    for (set, printed) in [
        ("--set on=true", "16 6 7\n"),
        ("--set on=false --set N=5", "20 10 -7\n"),
        ("--set on=true --set N=5 --set row.N=2 --set T=double", "16 10 7\n"),
        ("--set on=true --set N=5 --set N=-1 --set row.N=1", "4 -2 7\n"),
    ] {
        for command in ["run", "interp"] {
            folder.ivlc(&format!("{command} t.ivl {set}")).exits(0).prints(printed);
        }
    }
    let ran = folder.ivlc("build t.ivl --set on=true --set N=9 --emit header,asm -o t").exits(0);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    assert!(folder.read("t.h").contains("int32_t times(int32_t x);"));
    for (set, exit, why) in [
        ("--set M=1", 2, "no template has a parameter `M`"),
        ("--set on=true --set times.M=1", 2, "no template `times` has a parameter `M`"),
        ("--set N", 2, "write NAME=VALUE, or TEMPLATE.NAME=VALUE"),
        ("--set on=maybe", 1, "`on` is set to `maybe`, which is no number"),
        ("--set on=true --set T=vec3", 1, "`T` is set to `vec3`, which is no element type"),
        ("--set on=true --set N=3000000000", 1, "t.ivl:2:11"),
    ] {
        folder.ivlc(&format!("run t.ivl {set}")).exits(exit).prints("").says(why);
    }
}

#[test]
fn tools_name_what_stage_zero_makes() {
    let folder = Folder::new();
    folder.write("chain.ivl", CHAIN);
    let ran = folder.ivlc("schedule chain.ivl --set N=4 --schedule rows --window x=0..16 -o chain.svg").exits(0);
    for line in ["g[2]  allocated 0..24; computed 0..24; needed 0..17", "g[3]  allocated 0..16"] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    let picture = folder.read("chain.svg");
    assert!(["g[0]", "g[1]", "g[2]", "g[3]"].iter().all(|member| picture.contains(member)), "{picture}");
    // Lines are those of the text that was written once.
    folder.ivlc("build chain.ivl --set chain.N=3 -g --emit llvm-ir,header,rust,ivl -o made").exits(0);
    let ir = folder.read("made.ll");
    let lines = ir.split("!DILocation(line: ").skip(1).map(|rest| rest.split_once(',').expect("a column").0);
    let lines: BTreeSet<usize> = lines.map(|line| line.parse().expect("a line")).collect();
    assert!(lines.contains(&4) && lines.iter().all(|line| *line <= CHAIN.lines().count()), "{lines:?}");
    assert!(folder.read("made.h").contains("chain_rows("));
    assert!(folder.read("made.rs").contains("pub mod chain"));
    assert!(folder.read("made.ivl").contains("g_2"));
}
