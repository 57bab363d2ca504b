//! What the command writes: text to its two streams, and files, all of them or none.

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use ivlc::diagnostics::{Diagnostic, Severity, render};
use ivlc::driver::Session;
use ivlc::source::Span;
use rustc_hash::FxHashSet;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// How diagnostics are written.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum ErrorFormat {
    Human,
    Json,
}

/// Writes to standard output. If nobody reads on, that is the end of it and no failure.
///
/// # Errors
/// If the output is there and does not take what is written.
pub fn print(bytes: &[u8]) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes to standard error. Nobody is left to tell if that is gone.
pub fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a failure that has no place in a file that was read.
pub fn complain_of(message: &str, format: ErrorFormat) {
    match format {
        ErrorFormat::Human => complain(&format!("ivlc: {message}\n")),
        ErrorFormat::Json => complain(&(render::json_without_place(message) + "\n")),
    }
}

/// Writes diagnostics, each one once however often a file is compiled, and of many the first ones.
pub struct Reporter {
    format: ErrorFormat,
    color: bool,
    /// How many errors are shown at most, and how many warnings; the others are counted.
    limit: usize,
    known: FxHashSet<(u16, Span, String)>,
}

impl Reporter {
    /// A `limit` of 0 is none.
    pub fn new(format: ErrorFormat, limit: usize) -> Self {
        let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let limit = if limit == 0 { usize::MAX } else { limit };
        Reporter { format, color, limit, known: FxHashSet::default() }
    }

    pub fn report(&mut self, session: &Session) {
        let severities = [Severity::Error, Severity::Warning];
        let mut found = severities.map(|_| 0usize);
        for diagnostic in session.diagnostics.iter() {
            if self.known.insert((diagnostic.code.number, diagnostic.span, diagnostic.message.clone())) {
                let count = &mut found[usize::from(diagnostic.severity == Severity::Warning)];
                *count += 1;
                if *count <= self.limit {
                    complain(&self.text(diagnostic, session));
                }
            }
        }
        for (severity, count) in severities.into_iter().zip(found) {
            let more = count.saturating_sub(self.limit);
            if more > 0 {
                complain(&match self.format {
                    ErrorFormat::Human => render::more(severity, more) + "\n",
                    ErrorFormat::Json => render::json_more(severity, more) + "\n",
                });
            }
        }
    }

    fn text(&self, diagnostic: &Diagnostic, session: &Session) -> String {
        match self.format {
            ErrorFormat::Human => render::human(diagnostic, &session.sources, self.color),
            ErrorFormat::Json => render::json(diagnostic, &session.sources) + "\n",
        }
    }
}

/// A rule of make: what the outputs depend on.
pub fn rule(outputs: &[PathBuf], sources: &[PathBuf]) -> String {
    let list = |paths: &[PathBuf]| paths.iter().map(|path| escape(&path.display().to_string())).collect::<Vec<_>>().join(" ");
    format!("{}: {}\n", list(outputs), list(sources))
}

/// A file name as make reads it.
fn escape(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            ' ' | '#' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            _ => text.push(c),
        }
    }
    text
}

/// Is nothing written twice, and nothing that was read?
///
/// # Errors
/// The name of what would be lost.
pub fn are_different(files: &[(PathBuf, Vec<u8>)], sources: &[PathBuf]) -> Result<(), String> {
    let mut places: FxHashSet<PathBuf> = sources.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for (path, _) in files {
        let folder = folder_of(path).canonicalize().ok();
        let is_device = fs::metadata(path).is_ok_and(|there| !there.is_file());
        let place = path.canonicalize().ok().or_else(|| Some(folder?.join(path.file_name()?))).unwrap_or_else(|| path.clone());
        if !is_device && !places.insert(place) {
            return Err(format!("{}: would be written over a source or another output", path.display()));
        }
    }
    Ok(())
}

/// An archive with an object, as linkers take it.
///
/// # Errors
/// If the object is none.
pub fn archive(source: &Path, object: Vec<u8>) -> Result<Vec<u8>, String> {
    let name = source.file_stem().map_or_else(|| "kernels".into(), |stem| stem.to_string_lossy().into_owned());
    let member = NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, format!("{name}.o"));
    let mut bytes = io::Cursor::new(Vec::new());
    write_archive_to_stream(&mut bytes, &[member], ArchiveKind::Gnu, false, None)
        .map_err(|error| format!("the archive: {error}"))?;
    Ok(bytes.into_inner())
}

/// From now on, output that nobody reads ends the process, as it ends any other program of the system: what runs may
/// print for ever.
pub fn end_with_the_pipe() {
    #[cfg(unix)]
    {
        // SAFETY: it is the action that processes start with.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    }
}

/// Writes all files or none: each to a temporary beside its place, then all are renamed. What is no file, as `/dev/null`
/// or a pipe, stays what it is and is written to last but for the renaming.
///
/// # Errors
/// What the system says of the first place that does not take its file.
pub fn write_all(files: Vec<(PathBuf, Vec<u8>)>) -> Result<(), String> {
    let (mut temporaries, mut others) = (Vec::new(), Vec::new());
    for (path, bytes) in files {
        let fail = |error: io::Error| format!("{}: {}", path.display(), reason(&error));
        // Behind a link, the file that it leads to is written and the link stays.
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        match fs::metadata(&place) {
            Ok(there) if there.is_dir() => return Err(format!("{}: is a folder", path.display())),
            Ok(there) if !there.is_file() => {
                others.push((path, bytes));
                continue;
            }
            Ok(_) | Err(_) => {}
        }
        let mut temporary = temporaries_builder().tempfile_in(folder_of(&place)).map_err(fail)?;
        temporary.write_all(&bytes).and_then(|()| temporary.as_file().sync_data()).map_err(fail)?;
        temporaries.push((temporary, place));
    }
    for (path, bytes) in others {
        let written = fs::OpenOptions::new().write(true).open(&path).and_then(|mut file| file.write_all(&bytes));
        written.map_err(|error| format!("{}: {}", path.display(), reason(&error)))?;
    }
    for (temporary, path) in temporaries {
        temporary.persist(&path).map_err(|error| format!("{}: {}", path.display(), reason(&error.error)))?;
    }
    Ok(())
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Temporaries with the permissions of what is built: those that the user's mask leaves.
fn temporaries_builder<'a>() -> tempfile::Builder<'a, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ivlc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    builder
}

/// The reason alone: `tempfile` adds the name of a file that nobody asked for.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path ").map_or(text.as_str(), |(reason, _)| reason).to_owned()
}
