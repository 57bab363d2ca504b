//! A nest without holes: what `infer` found is computed at the beginning of each block, and what must hold is tested before any
//! work is done.
//!
//! ```text
//! ⟨?mem, ?cpu = definitions⟩             assert …                              of startup expressions
//! allocate g(?mem g_x)                   let g_x_min = …
//! for x in ?cpu f_x             ──►      let g_x_len = …
//!   …                                    assert …                              of windows
//!                                        allocate g(g_x)
//!                                        for x in f_x
//!                                          let … = …                           the windows of the block
//!                                          …
//! ```

use super::super::loops::check::Check;
use super::super::loops::ir::{Block, Nest, Statement, is_block};
use super::checks::{output_checks, start_checks};
use super::infer::Windows;

/// The nest with all definitions in place, behind all start checks, those of the room in outputs too.
pub fn completed(windows: &Windows) -> Nest {
    let checks: Vec<Check> = start_checks(windows).into_iter().chain(output_checks(windows)).collect();
    fill(windows, &checks)
}

/// The nest with all definitions in place, behind assertions for `checks`.
pub fn fill(windows: &Windows, checks: &[Check]) -> Nest {
    let (early, later): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(|check| check.subject.is_early());
    let work = filled(&windows.nest.body, None, windows);
    let body = behind(&early, defined(None, behind(&later, work), windows));
    Nest { body, ..windows.nest.clone() }
}

/// A statement behind assertions, which say by themselves what must hold.
fn behind(checks: &[&Check], statement: Statement) -> Statement {
    let asserted = checks.iter().map(|&check| Statement::Assert(Box::new(check.clone())));
    Statement::Sequence(asserted.chain([statement]).collect())
}

/// A statement behind the definitions of a block.
fn defined(block: Block, statement: Statement, windows: &Windows) -> Statement {
    let definitions = windows.definitions.get(&block).map_or(&[][..], |list| list);
    statement.behind(definitions.iter().cloned())
}

fn filled(statement: &Statement, block: Block, windows: &Windows) -> Statement {
    let inside = if let Statement::For(l) = statement { Some((l.stage, l.variable)) } else { block };
    let made = statement.with_children(|child| filled(child, inside, windows));
    let is_inner_block = block.is_some() && matches!(statement, Statement::Sequence(list) if is_block(list));
    if is_inner_block { defined(block, made, windows) } else { made }
}
