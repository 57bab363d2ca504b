//! `ivlc schedule`: drawings and counts.

use super::Folder;

/// The pipeline of section 2 of the paper, by its three schedules.
const SECTION_2: &str = "pipeline p() -> f { fun g(x) = x * x; fun f(x) = g(x) + g(x + 1); }
schedule p.tiled { f.split(x, xo, xi, 3, guard); g.compute_at(f, xo).store_at(f, xo); }
schedule p.vector { f.vectorize(x, 4, round); }
schedule p.shifted { f.vectorize(x, 4, shift); }
";

/// What is printed for a schedule on a window: the lines of counts, then those of windows; not what follows about directives.
fn drawn(schedule: &str, window: &str) -> (Vec<String>, Vec<String>) {
    let folder = Folder::new();
    folder.write("p.ivl", SECTION_2);
    let ran = folder.ivlc(&format!("schedule p.ivl --schedule {schedule} --window x={window}")).exits(0);
    let svg = folder.read(&format!("p.{schedule}.svg"));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("produce g:"), "the loops are in the drawing");
    let one_space = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = ran.stdout.lines().map(one_space).collect();
    (lines[2..5].to_vec(), lines[5..].iter().filter(|line| !line.starts_with('`')).cloned().collect())
}

#[test]
fn figures_1_to_3_have_the_windows_of_the_paper() {
    let (counts, windows) = drawn("breadth_first", "0..6");
    assert_eq!(counts, ["g 7 7 1.00 0 28 12", "f 6 6 1.00 0 24 0", "total 13 13 1.00 0 52 12"]);
    assert_eq!(windows, ["g allocated 0..7; computed 0..7; needed 0..7", "f allocated 0..6; computed 0..6; needed 0..6"]);
    let (counts, windows) = drawn("tiled", "0..6");
    assert_eq!(counts, ["g 7 8 1.14 0 16 12", "f 6 6 1.00 0 24 0", "total 13 14 1.08 0 40 12"]);
    assert_eq!(windows[0], "g allocated 0..4, 3..7; computed 0..7; needed 0..7");
    let (counts, windows) = drawn("tiled", "0..7");
    assert_eq!(counts[0], "g 8 10 1.25 0 16 14");
    assert_eq!(windows[0], "g allocated 0..4, 3..7, 6..8; computed 0..8; needed 0..8");
    let (_, windows) = drawn("vector", "0..6");
    assert_eq!(windows, ["g allocated 0..9; computed 0..7; needed 0..7", "f allocated 0..8; computed 0..8; needed 0..6"]);
    let (counts, _) = drawn("shifted", "0..6");
    assert_eq!(counts[1], "f 6 8 1.33 0 24 0");
    let (_, windows) = drawn("shifted", "0..3");
    assert_eq!(windows, ["g allocated -1..4; computed 0..4; needed 0..4", "f allocated -1..3; computed -1..3; needed 0..3"]);
}

#[test]
fn inputs_have_what_is_read_of_them() {
    let folder = Folder::new();
    folder.write(
        "blur.ivl",
        "pipeline blur(uint16 in[,], int n) -> by {
    fun bx(x, y) = in(x - n, y) + in(x + 1, y);
    fun by(x, y, c) = bx(x, y - 1) + bx(x, y + 1) + repeat_edge(in(c, 0));
}
schedule blur.rows { bx.compute_at(by, y); }
",
    );
    let ran = folder.ivlc("schedule blur.ivl --schedule rows --param n=3 --window x=0..8,y=-1..3 -o rows.svg").exits(0);
    for line in ["in    read -3..9 × -2..4", "computed 0..8 × -1..3 × 0..3; needed 0..8 × -1..3 × 0..3"] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    assert!(folder.read("rows.svg").contains("(all c together)"));
}

#[test]
fn funcs_without_directives_are_told_about() {
    let folder = Folder::new();
    let text = "pipeline p(int in[]) -> f {
    fun g(x) = in(x) * 3;
    fun f(x) = minimum(g(x + i) for i = 0 .. 3) + g(x);
}
schedule p.s { f.vectorize(x, 4); }
schedule p.t { f.vectorize(x, 4); g.compute_root(); }
schedule p.u { }
";
    folder.write("p.ivl", text);
    let g = "`g` has no directive: it is computed as a whole, one element after another\n";
    let minimum = "`minimum.0` can have no directives: it is computed in the lanes of `f`\n";
    for (schedule, said) in [("s", [g, minimum].concat()), ("t", minimum.into()), ("u", String::new()), ("auto", String::new())] {
        let ran = folder.ivlc(&format!("schedule p.ivl --schedule {schedule} --window x=0..9")).exits(0);
        let all: String = ran.stdout.lines().filter(|line| line.starts_with('`')).map(|line| format!("{line}\n")).collect();
        assert_eq!(all, said, "{schedule}");
    }
}

#[test]
fn what_is_asked_for_is_there() {
    let folder = Folder::new();
    folder.write("p.ivl", SECTION_2);
    for (arguments, why) in [
        ("p.ivl --schedule none", "pipeline `p` has no schedule `none`; it has `auto`, `breadth_first`, `tiled`"),
        ("p.ivl --pipeline q", "there is no pipeline `q`; there is `p`"),
        ("p.ivl --window y=0..3", "no output has a dimension `y`; there is `x`"),
        ("p.ivl --param n=3", "pipeline `p` has no parameters but images"),
        ("good.ivl", "there is no pipeline"),
        ("p.ivl -o p.ivl", "p.ivl"),
    ] {
        folder.ivlc(&format!("schedule {arguments}")).exits(2).prints("").says(why);
    }
    folder.write("wrong.ivl", "pipeline p() -> f { fun f(x) = g(x); }\n");
    folder.ivlc("schedule wrong.ivl").exits(1).says("wrong.ivl:1:32");
    folder.ivlc("schedule p.ivl --window x=0..2000000").exits(101).says("the window has more than 1048576 points");
    let ran = folder.ivlc("schedule p.ivl --window x=0..2 -o -").exits(0).says("schedule p.auto on x 0..2");
    assert!(ran.stdout.starts_with("<svg "));
}

#[test]
fn what_a_definition_overwrites_is_drawn_by_the_names_of_its_dimensions() {
    let folder = Folder::new();
    folder.write("add.tc", "def add(inout float(M, N) C, float(M, K) A, float(K, N) B) { C(i, j) += A(i, k) * B(k, j) }\n");
    let ran = folder.ivlc("schedule add.tc --window i=0..3,j=0..5").exits(0);
    for line in ["schedule add.auto on j 0..5, i 0..3", "needed 0..5 × 0..3"] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
}

#[test]
fn definitions_are_drawn_at_sizes_on_which_their_tensors_agree() {
    let folder = Folder::new();
    folder.write(
        "pool.tc",
        "def pool(float(N, C, H, W) image, float(F, C, KH, KW) kernel, float(F) bias, float(2) scale, int32(F) order) -> (act, mean) {
    act(n, f, h, w) = bias(f) where n in 0:N, h in 0:H-KH+1, w in 0:W-KW+1
    act(n, f, h, w) += image(n, c, h + kh, w + kw) * kernel(order(f), c, kh, kw)
    mean(n, f) +=! act(n, f, 2 * h, 2 * w) * scale(0) where h in 0:H/4, w in 0:W/4
}
",
    );
    let ran = folder.ivlc("schedule pool.tc").exits(0);
    assert!(ran.stdout.contains("schedule pool.auto on w 0..14, h 0..14, f 0..3, n 0..3"), "{}", ran.stdout);
    folder.write("rows.tc", "def rows(float(N, D) X) -> (m) { m(n) +=! X(n, d) }\n");
    let ran = folder.ivlc("schedule rows.tc --window n=0..20").exits(0);
    for line in ["schedule rows.auto on n 0..20", "read 0..16 × 0..20"] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    let ran = folder.ivlc("schedule rows.tc --window n=1..20").exits(101);
    assert!(ran.stderr.contains("output `m` is from 0 to"), "{}", ran.stderr);
}
