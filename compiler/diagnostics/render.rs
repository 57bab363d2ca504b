//! Diagnostics as text for people and as JSON for tools.

use super::{Diagnostic, Severity};
use crate::source::{SourceMap, Span};
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind};

/// The text that a person reads, with the source lines around each place.
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let place = |span: Span| {
        let file = sources.file(span.file);
        let size = file.text.len();
        let start = (span.start as usize).min(size);
        // A place without width, as where a semicolon is missing, shows on the character before it.
        let end = (span.end as usize).clamp(start, size);
        let start = if start == end { start.saturating_sub(1) } else { start };
        (file.name.clone(), start..end)
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
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let files = sources.files().map(|(_, file)| (file.name.clone(), file.text.as_str()));
    let mut out = Vec::new();
    let written = report.finish().write(ariadne::sources(files), &mut out);
    match written {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(_) => format!("{}\n", diagnostic.message),
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
    serde_json::json!({
        "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "code": format!("E{:04}", diagnostic.code.number),
        "name": diagnostic.code.name,
        "message": diagnostic.message,
        "file": file, "line": line, "column": column, "end_line": end_line, "end_column": end_column,
        "labels": labels,
        "help": diagnostic.help,
    })
    .to_string()
}
