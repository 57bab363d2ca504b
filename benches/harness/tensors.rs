//! What is printed of the group `tensor` beside its pairs: operations in a second, and geometric means.

use ivlc::machine::Isa;
use std::fmt::Write;

/// A pair.
pub struct Pair<'l> {
    /// The name of the job, and behind a comma how many threads it has.
    pub row: &'l str,
    pub size: &'l str,
    pub isa: Isa,
    pub peer: &'l str,
    pub ours: f64,
    pub peer_time: f64,
    pub operations: f64,
}

impl Pair<'_> {
    fn threads(&self) -> &str {
        self.row.rsplit_once(", ").map_or("", |(_, threads)| threads)
    }

    /// What is asked of such a pair.
    fn kind(&self) -> Kind {
        let sizes: Vec<usize> = self.size.split('×').filter_map(|size| size.parse().ok()).collect();
        let is_product = ["A(", "C3", "tbmm"].iter().any(|start| self.row.starts_with(start));
        match sizes.iter().min() {
            _ if !is_product => Kind::Fused,
            Some(0..=128) => Kind::Small,
            _ if sizes == [512, 512, 512] => Kind::Middle,
            _ => Kind::Large,
        }
    }
}

/// Kinds of jobs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Small,
    Middle,
    Large,
    Fused,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Small => "products that are batched or have a side of at most 128",
            Kind::Middle => "products of 512×512×512",
            Kind::Large => "other products",
            Kind::Fused => "all other definitions",
        }
    }
}

/// In the order in which they come, each once.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

/// Operations of the text of a definition in a second, a table for each target and number of threads.
pub fn table(pairs: &[Pair]) -> String {
    let mut text = String::new();
    for (isa, threads) in distinct(pairs.iter().map(|pair| (pair.isa, pair.threads()))) {
        let of_table = || pairs.iter().filter(|pair| (pair.isa, pair.threads()) == (isa, threads));
        let peers = distinct(of_table().map(|pair| pair.peer));
        let names: String = peers.iter().map(|peer| format!(" {peer} |")).collect();
        let lines = "--:|".repeat(peers.len());
        let _ = writeln!(text, "{isa}, {threads}, GFLOP/s:\n\n| definition | size | ivl |{names}\n|---|---|--:|{lines}");
        for (row, size) in distinct(of_table().map(|pair| (pair.row, pair.size))) {
            let of_row = || of_table().filter(|pair| (pair.row, pair.size) == (row, size));
            let ours = of_row().map(|pair| pair.operations / pair.ours).fold(0.0, f64::max);
            let _ = write!(text, "| {} | {size} | {ours:.1} |", row.trim_end_matches(threads).trim_end_matches(", "));
            for peer in &peers {
                let theirs = of_row().find(|pair| pair.peer == *peer);
                let theirs = theirs.map_or_else(|| "–".to_owned(), |pair| format!("{:.1}", pair.operations / pair.peer_time));
                let _ = write!(text, " {theirs} |");
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// How fast ours are beside each peer, by kinds of jobs: geometric means of speed, and the least.
pub fn means(pairs: &[Pair]) -> String {
    let mut text = String::new();
    let mut kinds = distinct(pairs.iter().map(|pair| (pair.isa, pair.threads(), pair.kind(), pair.peer)));
    kinds.sort();
    for kind in kinds {
        let of_kind = pairs.iter().filter(|pair| (pair.isa, pair.threads(), pair.kind(), pair.peer) == kind);
        let speeds: Vec<f64> = of_kind.map(|pair| pair.peer_time / pair.ours).collect();
        let mean = (speeds.iter().map(|speed| speed.ln()).sum::<f64>() / speeds.len() as f64).exp();
        let least = speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let (isa, threads, kind, peer) = kind;
        let name = kind.name();
        let _ = writeln!(text, "{isa}, {threads}, {name}: {mean:.2} of the speed of {peer}, {least:.2} at least");
    }
    text
}
