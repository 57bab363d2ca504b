//! Members of families come behind those that they read, whatever the order in which the families stand.
//!
//! ```text
//! fun narrow[k = 1 .. 3](x) = g[k - 1](2 * x);                     fun g[0] …, fun narrow[1] …, fun g[1] …, fun narrow[2] …, fun g[2] …
//! fun g[0](x) = in(x);                                       ──►
//! fun g[k = 1 .. 3](x) = narrow[k](x) / 2;
//! ```
//! What is no member keeps its place: each member that it reads, with its updates, comes in front of it. Funcs of definitions go where
//! they are read, too.

use super::families::Family;
use super::own::is_own;
use super::walk::reads;
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::plain::{Part, PartKind};
use crate::syntax::ast::Name;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How far a part is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Open,
    Done,
}

/// The parts in an order in which each member comes behind what it reads.
pub(super) fn ordered(parts: Vec<Part>, families: &FxHashMap<Rc<str>, Family>) -> Result<Vec<Part>, Box<Diagnostic>> {
    if families.is_empty() {
        return Ok(parts);
    }
    // The parts of each member, in order.
    let mut members: FxHashMap<Rc<str>, Vec<usize>> = FxHashMap::default();
    for (k, part) in parts.iter().enumerate() {
        if let Some(name) = func(part).filter(|name| name.text.ends_with(']') || is_own(&name.text)) {
            members.entry(name.text.clone()).or_default().push(k);
        }
    }
    let needs: Vec<Vec<usize>> = parts.iter().enumerate().map(|(k, part)| needs(k, part, &members)).collect();
    let mut states = vec![State::Waiting; parts.len()];
    let mut order = Vec::with_capacity(parts.len());
    for first in 0..parts.len() {
        // Depth first: a part, and how many of those that it needs were looked at.
        let mut work = vec![(first, 0)];
        while let Some((part, next)) = work.pop() {
            if states[part] == State::Done {
                continue;
            }
            states[part] = State::Open;
            let Some(&need) = needs[part].get(next) else {
                states[part] = State::Done;
                order.push(part);
                continue;
            };
            work.push((part, next + 1));
            match states[need] {
                State::Done => {}
                State::Waiting => work.push((need, 0)),
                State::Open => return Err(Box::new(circle(&parts, &work, need))),
            }
        }
    }
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|k| parts[k].take()).collect())
}

/// The func that a part defines or updates.
fn func(part: &Part) -> Option<&Name> {
    match &part.kind {
        PartKind::Fun(fun) => Some(&fun.name),
        PartKind::Update(update) => Some(&update.name),
        PartKind::Let(_) | PartKind::Error(_) => None,
    }
}

/// The parts that come in front of a part: those of the members that it reads, and the earlier ones of its own member.
fn needs(k: usize, part: &Part, members: &FxHashMap<Rc<str>, Vec<usize>>) -> Vec<usize> {
    let own = func(part).map(|name| name.text.clone());
    let mut needed: Vec<usize> = Vec::new();
    if let Some(parts) = own.as_ref().and_then(|own| members.get(own)) {
        needed.extend(parts.iter().filter(|&&other| other < k));
    }
    reads(part, &mut |name| {
        if own.as_ref() != Some(&name.text)
            && let Some(parts) = members.get(&name.text)
        {
            needed.extend(parts.iter().filter(|other| !needed.contains(other)).copied().collect::<Vec<_>>());
        }
    });
    needed
}

/// A member needs itself.
fn circle(parts: &[Part], work: &[(usize, usize)], again: usize) -> Diagnostic {
    let name = |k: usize| func(&parts[k]).map(|name| name.text.to_string()).unwrap_or_default();
    let from = work.iter().position(|(part, _)| *part == again).unwrap_or(0);
    let mut path: Vec<String> = work[from..].iter().map(|(part, _)| name(*part)).collect();
    path.dedup();
    let span = func(&parts[again]).map(|name| name.span).unwrap_or_default();
    let reads: Vec<String> = path.iter().skip(1).map(|name| format!("reads `{name}`, which ")).collect();
    let message = format!("`{}` needs itself: it {}reads `{}`", name(again), reads.concat(), name(again));
    let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, span, message);
    error.with_help("what depends on earlier values of a func is an update of it")
}
