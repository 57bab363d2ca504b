//! `nest/*.ivl`: what a pass of pipelines makes of loops.
//!
//! A file starts with a sentence and `// pass: name of pipeline.schedule`, then comes the program, then `// before:` with the loops in
//! front of the pass and `// becomes:` with those behind it. `strides 0` is the first version by the strides of inputs. Of passes other
//! than `widen` and `share` only the work is shown, from its first allocation on.

use super::{bless, directives};
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::pipeline::bounds::fill;
use ivlc::pipeline::loops::print;
use ivlc::pipeline::{Outputs, Scheduled, passes};
use libtest_mimic::Failed;
use std::{fs, path::Path};

const BEFORE: &str = "\n// before:\n";

/// Tests a file.
pub fn file(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let [directive] = directives(&text, "pass:")[..] else { return Err("a line `// pass: name of pipeline.schedule`".into()) };
    let (pass, schedule) = directive.split_once(" of ").ok_or("a pass is one of a schedule")?;
    let (program, expected) = match text.split_once(BEFORE) {
        Some((program, expected)) => (program, expected),
        None if bless() => (text.trim_end(), ""),
        None => return Err("a test of passes has a line `// before:`".into()),
    };
    let [before, behind] = around(program, schedule, pass)?;
    if before == behind {
        return Err(format!("`{pass}` changes nothing of\n{before}").into());
    }
    let comment = |lines: &str| lines.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect::<String>();
    let found = format!("{}// becomes:\n{}", comment(&before), comment(&behind));
    if bless() {
        fs::write(path, format!("{}\n{BEFORE}{found}", program.trim_end()))?;
    } else if found.trim() != expected.trim() {
        return Err(format!("found\n{found}").into());
    }
    Ok(())
}

/// The loops of a schedule in front of a pass and behind it.
fn around(program: &str, schedule: &str, pass: &str) -> Result<[String; 2], Failed> {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text("nest.ivl".into(), None, program.to_owned());
        let made = session.scheduling(&Options::new(Isa::Avx2), Outputs::AsAsked);
        let messages: Vec<String> = session.diagnostics.iter().map(|d| d.message.clone()).collect();
        let is_it = |s: &&Scheduled| format!("{}.{}", s.windows.nest.pipeline.name, s.name) == schedule;
        let scheduled = made.schedules.iter().find(is_it).ok_or_else(|| format!("no {schedule}: {}", messages.join("; ")))?;
        let nest = fill::completed(&scheduled.windows);
        let shown = |text: String| if matches!(pass, "widen" | "share") { text } else { work(&text) };
        let (mut before, mut found) = (shown(print::print(&nest)), None);
        if let Some(number) = pass.strip_prefix("strides ") {
            let versions = passes::strides::versions(&nest);
            let version = number.parse::<usize>().ok().and_then(|number| versions.get(number)).ok_or("no such version")?;
            let mut made = nest.clone();
            passes::strides::assume(&mut made, version);
            found = Some([before.clone(), shown(print::print(&made))]);
        }
        passes::stepwise(nest, &mut |name, nest| {
            let behind = shown(print::print(nest));
            if name == pass {
                found = Some([before.clone(), behind.clone()]);
            }
            before = behind;
        });
        found.ok_or_else(|| Failed::from(format!("there is no pass {pass}")))
    })
}

/// The lines from the first allocation on, at the margin.
fn work(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with("allocate")).peekable();
    let depth = lines.peek().map_or(0, |line| line.len() - line.trim_start().len());
    lines.map(|line| format!("{}\n", line.get(depth..).unwrap_or(line))).collect()
}
