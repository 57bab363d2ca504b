//! A run as a drawing: for each func two grids of its points, how often each was computed, and when.
//!
//! Dimensions beyond the second are laid on top of one another: counts are added, the first time counts. Frames are the
//! windows that were allocated, dots the points that the window needs.

use super::{Picture, Seen};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Pixels of a grid, at most.
const GRID: i64 = 420;

/// Pixels of a point's side: the least and the greatest.
const CELL: (i64, i64) = (2, 24);

/// The most frames of allocations that are drawn for a func.
const FRAMES: usize = 64;

/// Pixels around everything.
const MARGIN: i64 = 20;

/// What is drawn of a func.
struct Grid {
    /// Low ends and extents of the two dimensions.
    x: (i64, i64),
    y: (i64, i64),
    /// How often and when, by point.
    met: BTreeMap<(i64, i64), (u64, u64)>,
    needed: BTreeSet<(i64, i64)>,
    /// Low ends and extents.
    frames: BTreeSet<((i64, i64), (i64, i64))>,
    cell: i64,
    /// Has it one dimension?
    is_line: bool,
}

/// A rectangle with more attributes.
fn rect(out: &mut String, (x, y): (i64, i64), (width, height): (i64, i64), look: &str) {
    let _ = writeln!(out, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {look}/>"#);
}

/// Words with more attributes.
fn text(out: &mut String, (x, y): (i64, i64), look: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, r#"<text x="{x}" y="{y}" {look}>{words}</text>"#);
}

fn flat(point: &[i64]) -> (i64, i64) {
    (point.first().copied().unwrap_or(0), point.get(1).copied().unwrap_or(0))
}

impl Grid {
    fn new(seen: &Seen) -> Grid {
        let mut met: BTreeMap<(i64, i64), (u64, u64)> = BTreeMap::new();
        for (point, m) in &seen.met {
            let at = met.entry(flat(point)).or_insert((0, u64::MAX));
            *at = (at.0 + m.count, at.1.min(m.first));
        }
        let needed: BTreeSet<_> = seen.needed.iter().map(|point| flat(point)).collect();
        let range = |window: &[(i64, i64)], d: usize| window.get(d).copied().unwrap_or((0, 1));
        let frames: BTreeSet<_> = seen
            .allocations
            .iter()
            .filter(|window| window.iter().all(|w| w.1 > 0))
            .map(|window| (range(window, 0), range(window, 1)))
            .collect();
        let corners = frames.iter().flat_map(|(x, y)| [(x.0, y.0), (x.0 + x.1 - 1, y.0 + y.1 - 1)]);
        let all: Vec<(i64, i64)> = met.keys().copied().chain(needed.iter().copied()).chain(corners).collect();
        let hull = |of: fn(&(i64, i64)) -> i64| {
            let (low, high) = (all.iter().map(of).min().unwrap_or(0), all.iter().map(of).max().unwrap_or(-1));
            (low, high - low + 1)
        };
        let (x, y) = (hull(|p| p.0), hull(|p| p.1));
        let cell = (GRID / x.1.max(y.1).max(1)).clamp(CELL.0, CELL.1);
        Grid { x, y, met, needed, frames, cell, is_line: seen.dimensions.len() < 2 }
    }

    fn size(&self) -> (i64, i64) {
        (self.x.1 * self.cell, self.y.1 * self.cell)
    }

    /// A grid at a place: cells with the colours and words that `look` gives for a count and a time.
    fn draw(&self, out: &mut String, (left, top): (i64, i64), look: &dyn Fn(u64, u64) -> (String, String)) {
        let cell = self.cell;
        let place = |x: i64, y: i64| (left + (x - self.x.0) * cell, top + (y - self.y.0) * cell);
        let (width, height) = self.size();
        rect(out, (left, top), (width, height), r##"fill="#f4f4f4""##);
        let side = if cell > 4 { cell - 1 } else { cell };
        for (&(x, y), &(count, first)) in &self.met {
            let (colour, word) = look(count, first);
            let (px, py) = place(x, y);
            rect(out, (px, py), (side, side), &format!(r#"fill="{colour}""#));
            if !word.is_empty() && cell >= 14 && word.len() as i64 * 7 <= cell {
                text(out, (px + cell / 2, py + cell / 2 + 4), r#"text-anchor="middle" font-size="11""#, &word);
            }
        }
        for &(x, y) in self.needed.iter().filter(|_| cell >= 6) {
            let (px, py) = place(x, y);
            let _ = writeln!(out, r#"<circle cx="{}" cy="{}" r="1.5" fill="black"/>"#, px + 4, py + 4);
        }
        for &((x, w), (y, h)) in self.frames.iter().take(FRAMES) {
            rect(out, place(x, y), (w * cell, h * cell), r#"fill="none" stroke="black" stroke-dasharray="4 2""#);
        }
        // The coordinates of the corners.
        let corner = |x: i64, y: i64| if self.is_line { x.to_string() } else { format!("{x}, {y}") };
        let last = corner(self.x.0 + self.x.1 - 1, self.y.0 + self.y.1 - 1);
        let below = top + height + 13;
        text(out, (left, below), r#"font-size="11""#, &corner(self.x.0, self.y.0));
        text(out, (left + width, below), r#"text-anchor="end" font-size="11""#, &last);
    }
}

/// The drawing.
pub fn svg(picture: &Picture) -> String {
    let last = picture.seen.iter().flat_map(|seen| seen.met.values()).map(|met| met.first).max().unwrap_or(1).max(1);
    let often = |count: u64, _: u64| {
        let colour = ["#cfe8cf", "#ffd59e", "#ffab66", "#f4743b", "#c73e1d"][(count.max(1) as usize - 1).min(4)];
        (colour.to_owned(), if count > 1 { count.to_string() } else { String::new() })
    };
    let when = |_: u64, first: u64| {
        let part = (first as f64 / last as f64).clamp(0.0, 1.0);
        let mix = |from: f64, to: f64| (from + (to - from) * part).round() as u8;
        (format!("#{:02x}{:02x}{:02x}", mix(255.0, 70.0), mix(245.0, 110.0), mix(170.0, 200.0)), first.to_string())
    };
    let mut body = String::new();
    let mut y = MARGIN + 10;
    let mut width = 900;
    let line = |body: &mut String, y: i64, words: &str, size: i64| {
        text(body, (MARGIN, y), &format!(r#"font-size="{size}""#), words);
    };
    line(&mut body, y, &super::title(picture), 16);
    y += 18;
    let legend =
        "left: how often a point is computed (of an input: read); right: when, light to dark. Dots: needed. Dashed: allocated.";
    line(&mut body, y, legend, 11);
    y += 26;
    for seen in &picture.seen {
        let grid = Grid::new(seen);
        let dimensions = seen.dimensions.join(", ");
        let beyond = if seen.dimensions.len() > 2 {
            format!(" (all {} together)", seen.dimensions[2..].join(", "))
        } else {
            String::new()
        };
        let words = if seen.is_input {
            format!("input {}({dimensions}){beyond}: {} points, {} loads", seen.name, seen.met.len(), seen.loads)
        } else {
            let updates = if seen.updates > 0 { format!(", {} updates", seen.updates) } else { String::new() };
            format!(
                "{}({dimensions}){beyond}: {} points needed, {} computed{updates}; {} bytes; {} loads",
                seen.name,
                seen.needed.len(),
                seen.computed(),
                seen.largest,
                seen.loads
            )
        };
        line(&mut body, y, &words, 13);
        y += 8;
        let (w, h) = grid.size();
        if w > 0 && h > 0 {
            grid.draw(&mut body, (MARGIN, y), &often);
            grid.draw(&mut body, (MARGIN + w + 40, y), &when);
            width = width.max(2 * w + 40 + 2 * MARGIN);
        }
        y += h + 40;
    }
    for line in picture.loops.lines() {
        text(&mut body, (MARGIN, y), r#"font-size="12" xml:space="preserve""#, line);
        y += 15;
    }
    let height = y + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{body}</svg>\n"
    )
}
