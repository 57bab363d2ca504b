//! Diagnostics as text for people and as JSON for tools.

use super::{Diagnostic, Edit, Fix, Severity};
use crate::source::{FileId, SourceMap, Span};
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines of more bytes than this are shown in part.
const LONGEST_LINE: usize = 240;
/// How much of such a line is shown before the first place in it.
const BEFORE: usize = 60;
const CUT: &str = "…";

/// The text that a person reads, with the source lines around each place.
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let spans: Vec<Span> = std::iter::once(diagnostic.span).chain(diagnostic.labels.iter().map(|l| l.0)).collect();
    let excerpts: BTreeMap<FileId, Excerpt> = spans
        .iter()
        .map(|span| span.file)
        .map(|id| {
            let text = &sources.file(id).text;
            let ranges: Vec<_> = spans.iter().filter(|s| s.file == id).map(|&s| shown(s, text)).collect();
            (id, Excerpt::new(text, &ranges))
        })
        .collect();
    let place = |span: Span| {
        let (file, excerpt) = (sources.file(span.file), &excerpts[&span.file]);
        let range = shown(span, &file.text);
        (file.name.clone(), excerpt.place(range.start)..excerpt.place(range.end))
    };
    let paint = |label: Label<_>, tint| if color { label.with_color(tint) } else { label };
    let (kind, tint) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let primary = Label::new(place(diagnostic.span)).with_order(-1);
    let label = if diagnostic.label.is_empty() { diagnostic.code.message } else { &diagnostic.label };
    let mut report = Report::build(kind, place(diagnostic.span))
        .with_config(Config::default().with_color(color).with_index_type(IndexType::Byte))
        .with_code(format!("E{:04}", diagnostic.code.number))
        .with_message(&diagnostic.message)
        .with_label(paint(primary.with_message(label), tint));
    for (span, text) in &diagnostic.labels {
        report = report.with_label(paint(Label::new(place(*span)).with_message(text), Color::Blue));
    }
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let files = excerpts.iter().map(|(id, excerpt)| (sources.file(*id).name.clone(), excerpt.text.as_ref()));
    let mut out = Vec::new();
    let written = report.finish().write(ariadne::sources(files), &mut out);
    if written.is_err() {
        return format!("{}\n", diagnostic.message);
    }
    let text = String::from_utf8_lossy(&out).into_owned();
    excerpts[&diagnostic.span.file].with_column(text, &place(diagnostic.span), diagnostic.span, sources)
}

/// What of a text is marked for a span: one without width, as where a semicolon is missing, is the byte before it.
fn shown(span: Span, text: &str) -> Range<usize> {
    let start = (span.start as usize).min(text.len());
    let end = (span.end as usize).clamp(start, text.len());
    if start == end { start.saturating_sub(1)..end } else { start..end }
}

/// The text of a file in which long lines with places are cut, and what was cut: (where, how many bytes, what is there
/// instead), ascending.
struct Excerpt<'t> {
    text: Cow<'t, str>,
    cuts: Vec<(usize, usize, usize)>,
}

impl<'t> Excerpt<'t> {
    fn new(text: &'t str, places: &[Range<usize>]) -> Self {
        let mut excerpt = Excerpt { text: Cow::Borrowed(text), cuts: Vec::new() };
        let line_of = |at: usize| {
            let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
            (start, text[at..].find('\n').map_or(text.len(), |n| at + n))
        };
        // The first place of a line decides what is seen of it; where places begin counts before where they end.
        let starts = places.iter().map(|p| p.start);
        let mut lines: Vec<(usize, usize, usize)> = Vec::new();
        for at in starts.chain(places.iter().map(|p| p.end)) {
            let (start, end) = line_of(floor_char_boundary(text, at));
            if end - start > LONGEST_LINE && !lines.iter().any(|l| l.0 == start) {
                lines.push((start, end, at));
            }
        }
        lines.sort_unstable();
        let mut cut = String::new();
        let mut copied = 0;
        for (start, end, at) in lines {
            let from = floor_char_boundary(text, at.saturating_sub(BEFORE).max(start));
            let to = floor_char_boundary(text, (from + LONGEST_LINE).min(end));
            for (from, to) in [(start, from), (to, end)] {
                if from < to {
                    cut += &text[copied..from];
                    cut += CUT;
                    copied = to;
                    excerpt.cuts.push((from, to - from, CUT.len()));
                }
            }
        }
        if !excerpt.cuts.is_empty() {
            cut += &text[copied..];
            excerpt.text = Cow::Owned(cut);
        }
        excerpt
    }

    /// Where a byte of the file is in the text; what was cut is where the cut is.
    fn place(&self, at: usize) -> usize {
        let (mut gone, mut came) = (0, 0);
        for &(from, length, instead) in &self.cuts {
            if at < from {
                break;
            }
            if at < from + length {
                return from - gone + came;
            }
            gone += length;
            came += instead;
        }
        (at - gone + came).min(self.text.len())
    }

    /// Puts the column of the file where that of the excerpt was printed.
    fn with_column(&self, printed: String, place: &(String, Range<usize>), span: Span, sources: &SourceMap) -> String {
        if self.cuts.is_empty() {
            return printed;
        }
        let (name, range) = place;
        let before = &self.text[..floor_char_boundary(&self.text, range.start)];
        let file = sources.file(span.file);
        let (line, column) = file.line_column(shown(span, &file.text).start as u32);
        let printed_column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        printed.replacen(&format!("{name}:{line}:{printed_column} "), &format!("{name}:{line}:{column} "), 1)
    }
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// One object on one line for a failure that has no place, as a file that cannot be read: the fields of [`json`].
pub fn json_without_place(message: &str) -> String {
    serde_json::json!({
        "severity": "error", "code": null, "name": null, "message": message,
        "file": null, "line": null, "column": null, "end_line": null, "end_column": null,
        "labels": [], "notes": [], "help": null, "fixes": [],
    })
    .to_string()
}

/// One object on one line that counts what is not shown: the fields of [`json`], and the number.
pub fn json_more(severity: Severity, count: usize) -> String {
    serde_json::json!({
        "severity": word(severity), "code": null, "name": null, "message": more(severity, count), "more": count,
        "file": null, "line": null, "column": null, "end_line": null, "end_column": null,
        "labels": [], "notes": [], "help": null, "fixes": [],
    })
    .to_string()
}

/// How many are not shown, in words.
pub fn more(severity: Severity, count: usize) -> String {
    format!("… and {count} more {}{}", word(severity), if count == 1 { "" } else { "s" })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// One object on one line, as language.md §8 has it.
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let position = |span: Span| {
        let file = sources.file(span.file);
        let (line, column) = file.line_column(span.start);
        let (end_line, end_column) = file.line_column(span.end.max(span.start));
        (file.name.clone(), line, column, end_line, end_column)
    };
    let (file, line, column, end_line, end_column) = position(diagnostic.span);
    let labels: Vec<serde_json::Value> = diagnostic
        .labels
        .iter()
        .map(|(span, message)| {
            let (file, line, column, end_line, end_column) = position(*span);
            serde_json::json!({
                "message": message, "file": file, "line": line, "column": column, "end_line": end_line, "end_column": end_column,
            })
        })
        .collect();
    let edit = |edit: &Edit| {
        let (file, line, column, end_line, end_column) = position(edit.span);
        serde_json::json!({
            "file": file, "line": line, "column": column, "end_line": end_line, "end_column": end_column, "text": edit.text,
        })
    };
    let fix = |fix: &Fix| serde_json::json!({ "title": fix.title, "edits": fix.edits.iter().map(edit).collect::<Vec<_>>() });
    let fixes: Vec<serde_json::Value> = diagnostic.fixes.iter().map(fix).collect();
    serde_json::json!({
        "severity": word(diagnostic.severity),
        "code": format!("E{:04}", diagnostic.code.number),
        "name": diagnostic.code.name,
        "message": diagnostic.message,
        "file": file, "line": line, "column": column, "end_line": end_line, "end_column": end_column,
        "labels": labels,
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "fixes": fixes,
    })
    .to_string()
}
