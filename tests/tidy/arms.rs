//! Arms of a `match` that take all kinds that are left: whoever adds a kind is not asked what becomes of it there.

use crate::code;

/// The lines, from 1, of `match`es over one of these enums with such an arm.
pub fn catch_alls(text: &str, enums: &[&str]) -> Vec<usize> {
    let code = code::of(text);
    let is_word = |at: usize| {
        let is_end = |c: Option<u8>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'!');
        is_end(at.checked_sub(1).map(|at| code.as_bytes()[at])) && is_end(code.as_bytes().get(at + "match".len()).copied())
    };
    let mut lines = Vec::new();
    for (at, _) in code.match_indices("match").filter(|(at, _)| is_word(*at)) {
        let open = code::outside(&code, at, |rest| rest.starts_with('{'));
        let patterns = patterns(&code[open + 1..code::closing(&code, open) - 1]);
        if patterns.iter().any(|p| is_over(p, enums)) && patterns.iter().any(|p| takes_all(p)) {
            lines.push(code[..at].matches('\n').count() + 1);
        }
    }
    lines
}

/// The patterns, with their guards, of the arms between the brackets of a `match`.
fn patterns(arms: &str) -> Vec<&str> {
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let arrow = code::outside(arms, at, |rest| rest.starts_with("=>"));
        if arrow == arms.len() {
            return found;
        }
        found.push(arms[at..arrow].trim());
        let body = arrow + 2 + arms[arrow + 2..].len() - arms[arrow + 2..].trim_start().len();
        at = match arms[body..].starts_with('{') {
            // A comma is not needed behind a block, which an operator may continue.
            true if !arms[code::closing(arms, body)..].trim_start().starts_with(['.', '+', '-', '*', '?', '&', '|']) => {
                code::closing(arms, body)
            }
            _ => code::outside(arms, body, |rest| rest.starts_with(',')),
        };
        at += arms[at..].len() - arms[at..].trim_start_matches([',', ' ', '\n']).len();
    }
}

/// The parts of a pattern inside of references, tuples and `Some`.
fn parts(pattern: &str) -> Vec<&str> {
    let pattern = pattern.trim().trim_start_matches(['&', '|']).trim_start_matches("mut ").trim_start_matches("ref ").trim();
    let inner = ["Some(", "Ok(", "("].into_iter().find_map(|start| pattern.strip_prefix(start)?.strip_suffix(')'));
    match inner {
        Some(inner) => {
            let comma = code::outside(inner, 0, |rest| rest.starts_with(','));
            let rest = inner.get(comma + 1..).filter(|rest| !rest.trim().is_empty());
            parts(&inner[..comma]).into_iter().chain(rest.into_iter().flat_map(parts)).collect()
        }
        None => vec![pattern],
    }
}

fn is_over(pattern: &str, enums: &[&str]) -> bool {
    let path = |part: &str| part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or("").to_owned();
    let names = |path: &str| path.rsplit("::").nth(1).is_some_and(|name| enums.contains(&name));
    let before_guard = pattern.split(" if ").next().unwrap_or(pattern);
    parts(before_guard.split(" | ").next().unwrap_or("")).into_iter().any(|part| names(&path(part)))
}

/// Are all parts `_` or names, without a guard?
fn takes_all(pattern: &str) -> bool {
    let is_name = |part: &&str| part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    !pattern.contains(" if ") && parts(pattern).iter().all(is_name)
}

#[test]
fn arms_that_take_all_are_found() {
    let with = |arm: &str| {
        format!("fn f() {{\n    match s {{\n        a::Kind::A(x, _) if x => {{ g() }}\n        {arm} => h(|x| x),\n    }}\n}}")
    };
    for arm in ["_", "other", "mut other"] {
        assert_eq!(catch_alls(&with(arm), &["Kind"]), [2], "{arm}");
        assert_eq!(catch_alls(&with(arm), &["Other"]), [0; 0], "{arm}");
    }
    assert_eq!(
        catch_alls("match x { Some(Kind::A) => match y { 1 => {}\n _ => {} }, Some(_) | None => {}, }", &["Kind"]),
        [0; 0]
    );
    assert_eq!(catch_alls("match x { (Kind::A, Kind::B) => 1, (_, other) => 2 }", &["Kind"]), [1]);
    assert_eq!(catch_alls(&with("_ if y"), &["Kind"]), [0; 0]);
    assert_eq!(catch_alls(&with("Kind::B | Kind::C"), &["Kind"]), [0; 0]);
}
