//! The table of the README: one line a kernel, times of ours as parts of each peer's.
//!
//! It stands between two comments, so that `./x bench --readme` can write it anew:
//!
//! ```text
//! <!-- bench -->
//! …
//! <!-- end of bench -->
//! ```

use ivlc::machine::Isa;
use std::{error::Error, fs, path::Path};

/// Where the table begins and ends.
const MARKS: (&str, &str) = ("<!-- bench -->", "<!-- end of bench -->");

/// A measured pair: kernel, size, instruction set, peer, our time over the peer's.
pub struct Pair<'a> {
    pub row: &'a str,
    pub size: &'a str,
    pub isa: Isa,
    pub peer: &'a str,
    pub ratio: f64,
}

/// The ratios against the hands that compute alike, and how many times faster than the scalar instance ours is.
fn table(pairs: &[Pair]) -> String {
    let mut isas: Vec<Isa> = pairs.iter().map(|p| p.isa).collect();
    isas.sort();
    isas.dedup();
    let mut peers: Vec<&str> = pairs.iter().map(|p| p.peer).filter(|p| *p != "ivl scalar").collect();
    peers.sort_unstable_by(|a, b| b.cmp(a));
    peers.dedup();
    let mut kernels: Vec<(&str, &str)> = Vec::new();
    for p in pairs {
        if !kernels.contains(&(p.row, p.size)) {
            kernels.push((p.row, p.size));
        }
    }
    let ratio =
        |row: &str, isa: Isa, peer: &str| pairs.iter().find(|p| p.row == row && p.isa == isa && p.peer == peer).map(|p| p.ratio);
    // The rows that lose come first.
    let worst = |row: &str| {
        let hands = pairs.iter().filter(|p| p.row == row && p.peer != "ivl scalar");
        hands.map(|p| p.ratio).fold(0.0, f64::max)
    };
    kernels.sort_by(|a, b| worst(b.0).total_cmp(&worst(a.0)));
    let mut heads = vec!["kernel".to_owned(), "size".to_owned()];
    for isa in &isas {
        heads.extend(peers.iter().map(|peer| format!("{isa}: time / {peer}")));
        heads.push(format!("{isa}: × scalar"));
    }
    let mut text = format!("| {} |\n|---|---|{}\n", heads.join(" | "), "--:|".repeat(heads.len() - 2));
    for (row, size) in kernels {
        let mut cells = vec![row.to_owned(), size.to_owned()];
        for &isa in &isas {
            let number = |n: Option<f64>| n.map_or("–".to_owned(), |n| format!("{n:.2}"));
            cells.extend(peers.iter().map(|peer| number(ratio(row, isa, peer))));
            cells.push(ratio(row, isa, "ivl scalar").map_or("–".to_owned(), |r| format!("{:.1}", 1.0 / r)));
        }
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// Puts the table of these pairs, and on which machine they were measured, into the README.
pub fn write(pairs: &[Pair], machine: &str) -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path)?;
    let (before, rest) = readme.split_once(MARKS.0).ok_or("the README has no mark for the table")?;
    let (_, after) = rest.split_once(MARKS.1).ok_or("the README has no mark for the end of the table")?;
    let table = table(pairs);
    fs::write(path, format!("{before}{}\n{table}\nMeasured on {machine}.\n{}{after}", MARKS.0, MARKS.1))?;
    Ok(())
}
