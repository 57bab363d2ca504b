//! The order of directives: what the rule lets stand anywhere may stand anywhere.

use ivl_random::Random;

/// What must keep its order: directives that make loops or partial results of one func, run its loops, or place it. Others may stand anywhere.
fn group(func: &str, update: &str, directive: &str) -> String {
    match directive.split('(').next().unwrap_or_default() {
        "split" | "fuse" | "tile" | "reorder" | "swap" | "vectorize" | "unroll" | "rfactor" => format!("{func} loops"),
        "parallel" | "serial" => format!("{func}{update} marks"),
        "compute_at" | "compute_root" => format!("{func} computed"),
        "store_at" | "store_root" => format!("{func} stored"),
        other => format!("{func}{update} {other}"),
    }
}

/// The links of a chain.
fn links(chain: &str) -> Vec<String> {
    let (mut depth, mut links) = (0, vec![String::new()]);
    for c in chain.trim().chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c == '.' && depth == 0 {
            true => links.push(String::new()),
            false => links.last_mut().expect("a link").push(c),
        }
    }
    links
}

/// The same directives, each with its target, in an order that means the same.
pub fn permuted(schedule: &[String], random: &mut Random) -> Vec<String> {
    let mut all: Vec<(String, String)> = Vec::new();
    for chain in schedule.iter().flat_map(|text| text.split(';')).filter(|chain| !chain.trim().is_empty()) {
        let links = links(chain);
        let (mut copy, mut update) = (String::new(), String::new());
        for link in &links[1..] {
            match link.split('(').next().unwrap_or_default() {
                "case" | "otherwise" => copy = format!(".{link}"),
                "update" => update = format!(".{link}"),
                _ => all.push((group(&links[0], &update, link), format!("{}{copy}{update}.{link};", links[0]))),
            }
        }
    }
    let mut made = Vec::new();
    while !all.is_empty() {
        let chosen = all[random.below(all.len())].0.clone();
        let first = all.iter().position(|(group, _)| *group == chosen).expect("it is there");
        made.push(all.remove(first).1);
    }
    made
}
