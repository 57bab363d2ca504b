//! The files that a package publishes: assembly text and bindings, the same on every machine.
//!
//! ```text
//! src/generated/k.s      assembly for all targets, which chooses between them
//! src/generated/k.rs     // ivl-build 0.1.0, hash 8f3a…, of: src/k.ivl, src/vectors.ivl
//!                        the bindings
//! ```
//! The hash is that of the sources, the version of the compiler and the options. Files of which it is another one are stale.

use super::compiler::Outputs;
use super::environment::Environment;
use super::{Error, RENEW, VERSION, replace, write_module};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::fs;
use std::hash::Hasher;
use std::path::Path;

/// The hash of what files were made from.
fn hash(sources: &[String], options: &str, environment: &Environment) -> Result<String, Error> {
    let mut hasher = SipHasher13::new();
    let mut add = |text: &str| {
        hasher.write_u64(text.len() as u64);
        hasher.write(text.as_bytes());
    };
    add(VERSION);
    add(options);
    for source in sources {
        let text =
            fs::read_to_string(environment.path(Path::new(source))).map_err(|error| Error::new(format!("{source}: {error}")))?;
        add(source);
        // Version control may have its own line ends.
        add(&text.replace("\r\n", "\n"));
    }
    Ok(format!("{:032x}", hasher.finish128().as_u128()))
}

/// The first line of bindings.
fn first_line(hash: &str, sources: &[String]) -> String {
    format!("// ivl-build {VERSION}, hash {hash}, of: {}", sources.join(", "))
}

/// Writes both files.
pub fn write(folder: &Path, name: &str, options: &str, outputs: &Outputs, environment: &Environment) -> Result<(), Error> {
    if let Some(outside) = outputs.sources.iter().find(|source| Path::new(source).is_absolute() || source.starts_with("..")) {
        return Err(Error::new(format!("{outside} is outside of the package, which cannot publish what depends on it")));
    }
    let line = first_line(&hash(&outputs.sources, options, environment)?, &outputs.sources);
    let bindings = format!("{line}\n// Do not edit: `{RENEW}=1 cargo build` writes this file.\n{}", outputs.text("rs")?);
    replace(&folder.join(format!("{name}.s")), outputs.bytes("s")?)?;
    replace(&folder.join(format!("{name}.rs")), bindings.as_bytes())
}

/// Are the files those of the sources? Cargo is told to look again when one of them changes.
pub fn is_fresh(
    folder: &Path,
    folder_name: &Path,
    name: &str,
    options: &str,
    environment: &Environment,
    directives: &mut Vec<String>,
) -> Result<(), Error> {
    let shown = folder_name.join(format!("{name}.rs")).display().to_string();
    let renew = format!("renew it where ivlc {VERSION} is installed: {RENEW}=1 cargo build");
    for extension in ["rs", "s"] {
        directives.push(format!("rerun-if-changed={}", folder_name.join(format!("{name}.{extension}")).display()));
    }
    let (bindings, assembly) = (folder.join(format!("{name}.rs")), folder.join(format!("{name}.s")));
    let text = match (fs::read_to_string(&bindings), assembly.is_file()) {
        (Ok(text), true) => text,
        (Ok(_) | Err(_), _) => return Err(Error::new(format!("{shown} and its assembly are not there: {renew}"))),
    };
    let line = text.lines().next().unwrap_or_default();
    let sources: Vec<String> =
        line.split_once(", of: ").map(|(_, list)| list.split(", ").map(str::to_owned).collect()).unwrap_or_default();
    for source in &sources {
        directives.push(format!("rerun-if-changed={source}"));
    }
    match hash(&sources, options, environment) {
        Ok(hash) if !sources.is_empty() && line == first_line(&hash, &sources) => Ok(()),
        Ok(_) => Err(Error::new(format!("{shown} is stale: {} or the options have changed since; {renew}", sources.join(", ")))),
        Err(error) => Err(Error::new(format!("{shown} is stale: {error}; {renew}"))),
    }
}

/// Makes the module in `OUT_DIR` of files that are fresh.
pub fn include(folder: &Path, name: &str, environment: &Environment) -> Result<(), Error> {
    let at = |extension: &str| format!("{:?}", folder.join(format!("{name}.{extension}")).display().to_string());
    let assembly = match environment.is_documentation {
        true => String::new(),
        false => format!("    core::arch::global_asm!(include_str!({}), options(att_syntax, raw));\n", at("s")),
    };
    write_module(name, &format!("{assembly}    include!({});\n", at("rs")), environment)
}
