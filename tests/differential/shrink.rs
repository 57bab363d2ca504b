//! Makes a program that goes wrong small: lines go, blocks lose their heads, expressions become parts of themselves, as long
//! as it still goes wrong in the same way.

use std::collections::BTreeSet;

/// The smallest program that was found for which `is_bad` holds. `is_bad` is asked for candidates that need not be well
/// typed.
pub fn shrink(text: &str, mut is_bad: impl FnMut(&str) -> bool) -> String {
    let mut best = text.to_owned();
    loop {
        let before = best.clone();
        best = without_lines(best, &mut is_bad);
        best = with_simple_expressions(best, &mut is_bad);
        if best == before {
            return best;
        }
    }
}

/// Behind the last line of the block that begins in line `start`; the line itself where it begins none.
fn end_of(lines: &[&str], start: usize) -> usize {
    let mut depth = 0i32;
    for (i, line) in lines.iter().enumerate().skip(start) {
        let line = line.trim();
        depth += i32::from(line.ends_with('{')) - i32::from(line.starts_with('}') && i > start);
        if depth <= 0 {
            return i + 1;
        }
    }
    lines.len()
}

fn without_lines(text: String, is_bad: &mut impl FnMut(&str) -> bool) -> String {
    let mut best = text;
    // Large pieces first, from the end, where results are printed.
    let mut size = best.lines().count() / 2;
    while size >= 2 {
        let mut at = 0;
        while at < best.lines().count() {
            let lines: Vec<&str> = best.lines().collect();
            let end = (at + size).min(lines.len());
            let candidate = join(lines[..at].iter().chain(&lines[end..]));
            if is_bad(&candidate) {
                best = candidate;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    let mut at = 0;
    while at < best.lines().count() {
        let lines: Vec<&str> = best.lines().collect();
        let end = end_of(&lines, at);
        let without = join(lines[..at].iter().chain(&lines[end..]));
        // `if (c) { s }` becomes s.
        let inner = (end > at + 1).then(|| join(lines[..at].iter().chain(&lines[at + 1..end - 1]).chain(&lines[end..])));
        if is_bad(&without) {
            best = without;
        } else if let Some(inner) = inner.filter(|inner| is_bad(inner)) {
            best = inner;
        } else {
            at += 1;
        }
    }
    best
}

fn join<'l>(lines: impl Iterator<Item = &'l &'l str>) -> String {
    lines.map(|line| format!("{line}\n")).collect()
}

/// Replaces each `( … )` by what is simpler.
fn with_simple_expressions(text: String, is_bad: &mut impl FnMut(&str) -> bool) -> String {
    let mut best = text;
    let mut at = 0;
    while let Some(found) = best[at..].find('(') {
        let start = at + found;
        at = start + 1;
        let Some(end) = closing(&best, start) else { continue };
        let group = &best[start..end];
        let mut replacements: Vec<String> = inner_groups(group).iter().map(|g| (*g).to_owned()).collect();
        let inside = &group[1..group.len() - 1];
        for operator in [" + ", " - ", " * ", " & ", " | ", " ^ ", " ? ", " : ", " && ", " || ", ", "] {
            if let Some((a, b)) = inside.split_once(operator) {
                replacements.extend([format!("({a})"), format!("({b})")]);
            }
        }
        // What is printed becomes a variable.
        if inside.starts_with('"') {
            replacements.extend(variables(&best).into_iter().map(|name| format!("(\"%\\n\", {name})")));
        }
        replacements.extend(["(1)", "(0)", "(true)", "(false)"].map(str::to_owned));
        for replacement in replacements.iter().filter(|r| r.len() < group.len()) {
            let candidate = format!("{}{replacement}{}", &best[..start], &best[end..]);
            if is_bad(&candidate) {
                best = candidate;
                at = start;
                break;
            }
        }
    }
    best
}

/// The variables of a program by the names that they are given: `v7`.
fn variables(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    words.filter(|word| word.strip_prefix('v').is_some_and(is_number)).collect()
}

/// Behind the bracket that closes the one at `start`.
fn closing(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in text[start..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(start + i + 1);
        }
    }
    None
}

/// The brackets right inside of a bracket.
fn inner_groups(group: &str) -> Vec<&str> {
    let (mut groups, mut at) = (Vec::new(), 1);
    while let Some(found) = group[at..].find('(') {
        let start = at + found;
        let Some(end) = closing(group, start) else { break };
        groups.push(&group[start..end]);
        at = end;
    }
    groups
}
