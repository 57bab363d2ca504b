//! `ivlc schedule pipeline.ivl --schedule tiled --window x=0..16,y=0..8`: runs the loops of a schedule, writes a drawing of what
//! they do and prints the counts.

use super::arguments::{chosen, not_set, scalars, windows};
use crate::output::{self, Reporter};
use crate::{Compile, Failure};
use clap::Args;
use ivlc::driver::Session;
use ivlc::pipeline::Outputs;
use ivlc::pipeline::picture::{Asked, counts, picture, svg};
use ivlc::pipeline::signature::{Output, Signature};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is drawn.
#[derive(Args, Debug)]
pub struct Drawing {
    /// Which pipeline, where the file has several.
    #[arg(long, value_name = "NAME")]
    pub pipeline: Option<String>,
    /// Which schedule; without it `auto`.
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    /// The window of the outputs, by the names of their dimensions: `x=0..16,y=0..8`. Others are 0..16, from the third on 0..3, and what
    /// follows from small tensors.
    #[arg(long, value_name = "X=A..B,…", value_delimiter = ',')]
    pub window: Vec<String>,
    /// The value of a parameter that is no image.
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
    /// The SVG file to write; without it PIPELINE.SCHEDULE.svg. `-` writes it to standard output, and the counts to standard
    /// error.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
}

/// Draws a schedule of a file that was loaded.
pub fn draw(
    file: &Path,
    mut session: Session,
    drawing: &Drawing,
    options: &Compile,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let names = chosen(file, &session, drawing.pipeline.as_ref(), drawing.schedule.as_ref());
    let made = session.scheduling(&options.options(options.only_target("schedule")?), Outputs::AsComputed);
    reporter.report(&session);
    if session.diagnostics.has_errors() {
        return Err(Failure::Refused);
    }
    let (pipeline, schedule) = names.map_err(Failure::Misuse)?;
    let is_it = |s: &&ivlc::pipeline::Scheduled| *s.windows.nest.pipeline.name == *pipeline && s.name == schedule;
    let scheduled = made.schedules.iter().find(is_it);
    let scheduled = scheduled.ok_or_else(|| Failure::Misuse(not_set(&session, &pipeline)))?;
    let algorithm = &scheduled.windows.nest.pipeline;
    let signature = Signature::new(algorithm, vec![schedule.clone()]);
    let numbers = scalars(&drawing.parameters, &signature).map_err(Failure::Misuse)?;
    let numbers: Vec<u64> = numbers.into_iter().map(u64::from_le_bytes).collect();
    // What is overwritten has a window, too.
    let outputs = algorithm.outputs.iter().map(|&id| Output::of(algorithm, algorithm.func(id))).collect();
    let given = windows(&drawing.window, &Signature { outputs, ..signature }).map_err(Failure::Misuse)?;
    let extent = |range: std::ops::Range<i32>| (i64::from(range.start), i64::from(range.end) - i64::from(range.start));
    let in_order = |window| algorithm.in_text_order(window).into_iter().map(|range| Option::map(range, extent)).collect();
    let window: Vec<Asked> = given.into_iter().map(in_order).collect();
    let made = picture(scheduled, &made.program, &numbers, &window).map_err(Failure::Start)?;
    let (drawn, mut table) = (svg(&made), counts(&made));
    for reason in &scheduled.windows.nest.reasons {
        table += &format!("{reason}\n");
    }
    match &drawing.output {
        Some(path) if path == Path::new("-") => {
            output::complain(&table);
            output::print(drawn.as_bytes())?;
        }
        path => {
            let path = path.clone().unwrap_or_else(|| PathBuf::from(format!("{pipeline}.{schedule}.svg")));
            let sources: Vec<PathBuf> = session.sources.files().filter_map(|(_, f)| f.path.clone()).collect();
            let files = vec![(path, drawn.into_bytes())];
            output::are_different(&files, &sources).map_err(Failure::Misuse)?;
            output::write_all(files)?;
            output::print(table.as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
