//! What shells and `man` want to know of the command, made of its own description.

use super::super::{Failure, output};
use clap::Command;
use clap_complete::Shell;

/// Writes the completions for a shell.
///
/// # Errors
/// If standard output takes nothing.
pub fn completions(mut command: Command, shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "ivlc", &mut text);
    Ok(output::print(&text)?)
}

/// Writes the manual page of the command, or of one of its actions.
///
/// # Errors
/// If there is no such action, or standard output takes nothing.
pub fn man(mut command: Command, action: Option<&str>) -> Result<(), Failure> {
    command.build();
    let shown = match action {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| Failure::Misuse(format!("there is no `ivlc {name}`")))?;
            found.display_name(format!("ivlc-{name}"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(shown).render(&mut text).map_err(|error| error.to_string())?;
    Ok(output::print(&text)?)
}
