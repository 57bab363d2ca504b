//! Programs that must parse, errors that must be blamed on the right place.

use super::{ast, parse};
use crate::diagnostics::Diagnostics;
use crate::source::FileId;
use rustc_hash::FxHashSet;

fn parsed(text: &str) -> (ast::File, Vec<(String, String)>) {
    let mut diagnostics = Diagnostics::new();
    let file = parse(FileId(0), text, &mut diagnostics);
    let errors = diagnostics.iter().map(|d| {
        let at = text.get(d.span.start as usize..d.span.end as usize).unwrap_or("?");
        (d.code.name.to_owned(), at.to_owned())
    });
    (file, errors.collect())
}

#[test]
fn the_listings_of_the_paper_parse() {
    let (file, errors) = parsed(
        "struct data_t { int key; int other; };
        struct vec3 { float x, y, z; };
        float dot(vec3 a, vec3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
        int search(data_t *scalar data, int scalar N) {
            int L = lengthof(*data);
            for (int i = 0; i < N/L; ++i) {
                int x = data[i].key;
                if (4 < x & x <= 8) {
                    int block[L] result = [x, 0];
                    scalar {
                        for (int j = 0; j < log2(L); ++j)
                            result |= whole_reg_shr(result, 1 << j);
                        return get(x, 0);
                    }
                }
            }
            return -1;
        }
        void f(vec3 block[4] *data) {
            int block[4] v = <0,3,4,1>;
            bool block[4] m = v < <1, 2, 3, 4>;
            data_t block[8] *scalar p;
            bool mask = [current_mask, current_mask];
            scalar
              for(int i=bitscan(mask,0); i>=0; i=bitscan(mask,i+1)) {
                int s = get(v, i);
              }
            T block[preferred_lengthof(T)] t;
        }",
    );
    assert_eq!(errors, []);
    assert_eq!(file.items.len(), 5);
}

#[test]
fn a_missing_semicolon_is_blamed_on_the_line_it_is_missing_from() {
    let text = "int main() {\n    int a = 1\n    return a;\n}";
    let (_, errors) = parsed(text);
    assert_eq!(errors, [("missing-semicolon".to_owned(), String::new())]);
}

#[test]
fn all_independent_errors_of_a_file_are_reported() {
    let (file, errors) = parsed("int f() { int a = ; int b = 1; b = ) ; return b; }\nint g( { }\nint h() { return 1 +; }");
    let errors: Vec<(&str, &str)> = errors.iter().map(|(name, at)| (name.as_str(), at.as_str())).collect();
    let wanted = [("unclosed-delimiter", ")"), ("unclosed-delimiter", "("), ("unexpected-token", ";"), ("unexpected-token", ";")];
    assert_eq!(errors, wanted);
    assert!(file.items.iter().any(|i| matches!(&i.kind, ast::ItemKind::Function(f) if &*f.name.text == "h")));
}

#[test]
fn chains_of_else_if_are_no_nesting() {
    let link = |i: usize| format!("if (x == {i}) return {i}; else ");
    let chain: String = (0..900).map(link).collect();
    let in_branches = "if (x > 1) while (x > 2) if (x == 3) x = 2; else x = 1; else ";
    for text in [format!("int f(int x) {{ {chain} return 0; }}"), format!("int f(int x) {{ {} x = 0; }}", in_branches.repeat(60))]
    {
        assert_eq!(parsed(&text).1, []);
    }
}

#[test]
fn depth_is_limited_without_a_crash() {
    for text in [
        format!("int f() {{ return {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("int f() {{ return {}1; }}", "-".repeat(100_000)),
        format!("int f() {{ {} {} }}", "{".repeat(100_000), "}".repeat(100_000)),
        format!("int f() {{ return 1{}; }}", " + 1".repeat(100_000)),
        format!("int f() {{ {} ; }}", "if (true) ".repeat(100_000)),
        format!("int f(int x) {{ {} x = 0; }}", "if (x == 1) x = 2; else ".repeat(100_000)),
    ] {
        let (_, errors) = parsed(&text);
        assert!(errors.iter().any(|(name, _)| name == "nesting-too-deep"), "{:?}", errors.first());
    }
}

#[test]
fn words_that_are_no_keywords_name_things() {
    let (_, errors) = parsed("int f(int in, float out, int lane, int mask) { int blocks = in; return blocks + mask + lane; }");
    assert_eq!(errors, []);
}

#[test]
fn no_two_nodes_have_the_same_id() {
    let text = "int f(int a, float p[a + 1]) {
            int x = (a + 1) * 2, y = { x ? -x : x++ };
            for (int i = 0; i < a; ++i) { if (i == 3) continue; else if (i == 4) break; else x += get(<1, 2>, i); }
            foreach (int block[4] i = 0 .. a) [[allow(\"unset\")]] p[i] = [x, y];
            switch (x) { case 1: return x; default: ; }
            do x = (int) y; while (x < p[x].y);
        }
        pipeline blur(uint8 in[,]) -> g { fun g(x, y) = sum(in(x + r, y).0 for r = 0 .. 3); }
        schedule blur.fast { g.split(x, xo, xi, 32 * 2); }";
    let mut seen = FxHashSet::default();
    for file in 0..2 {
        let mut diagnostics = Diagnostics::new();
        let tree = format!("{:?}", parse(FileId(file), text, &mut diagnostics));
        let ids: Vec<&str> = tree.split("NodeId ").skip(1).map(|rest| rest.split_inclusive('}').next().unwrap_or(rest)).collect();
        assert!(ids.len() > 60 && diagnostics.is_empty(), "{} ids", ids.len());
        for id in ids {
            assert!(seen.insert(id.to_owned()), "{id} is that of two nodes");
        }
    }
}
