//! Which functions may change global variables. Two threads that call one of these at once would race, so that its callers see to it that
//! none does.
//!
//! ```text
//! k = 1;  a[i] += 1;  set(v, x, 0);      of a global: here it changes
//! &k, a as an argument or a value        somebody may change it: it counts, unless what takes it declares it `const`
//! k + a[i],  atomic_add(&k, 1)           nothing that races
//! ```

use crate::source::Span;
use crate::typed::ir::{Block, Builtin, Expr, ExprKind, Function, Local, ParameterKind, Place, PlaceKind, Program};
use crate::typed::walk::{self, Part};
use std::collections::BTreeSet;

/// For each function of the program: where it, or what it calls, may change a global variable.
pub fn changes(program: &Program) -> Vec<BTreeSet<Span>> {
    let of = |function: &Function| {
        let mut walk = Walk { program, found: BTreeSet::new(), callees: BTreeSet::new() };
        function.body.iter().for_each(|body| walk.block(body));
        (walk.found, walk.callees)
    };
    let (mut found, callees): (Vec<_>, Vec<_>) = program.functions.iter().map(of).unzip();
    loop {
        let before: usize = found.iter().map(BTreeSet::len).sum();
        for (caller, callees) in callees.iter().enumerate() {
            for &callee in callees {
                let more = found[callee].clone();
                found[caller].extend(more);
            }
        }
        if found.iter().map(BTreeSet::len).sum::<usize>() == before {
            return found;
        }
    }
}

struct Walk<'p> {
    program: &'p Program,
    found: BTreeSet<Span>,
    /// What is called, by index.
    callees: BTreeSet<usize>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|s| walk::parts_of_statement(s, &mut |part| self.part(part)));
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.value(e),
            Part::Place(place) => self.place(place),
            Part::Block(block) => self.block(block),
        }
    }

    /// A value that goes anywhere.
    fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::AddressOf(place) if is_global(place) => {
                self.found.insert(e.span);
            }
            ExprKind::Assign { place, .. } | ExprKind::Compound { place, .. } | ExprKind::SetLane { place, .. }
                if is_global(place) =>
            {
                self.found.insert(place.span);
            }
            _ => {}
        }
        match &e.kind {
            ExprKind::AddressOf(place) => self.place(place),
            ExprKind::Builtin(Builtin::Effect(op), operands) if op.only_accesses() => {
                self.followed(&operands[0]);
                operands[1..].iter().for_each(|e| self.value(e));
            }
            ExprKind::Call { function, arguments } => {
                let callee = &self.program.functions[function.0 as usize];
                self.callees.insert(function.0 as usize);
                for (argument, parameter) in arguments.iter().zip(&callee.locals) {
                    if is_const(parameter) && !self.program.loses_const { self.followed(argument) } else { self.value(argument) }
                }
            }
            _ => walk::parts_of_expr(e, &mut |part| self.part(part)),
        }
    }

    /// A place that is accessed. Who stores to it has said so.
    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Dereference(pointer) => self.followed(pointer),
            _ => walk::parts_of_place(place, &mut |part| self.part(part)),
        }
    }

    /// A pointer that is there for an access alone.
    fn followed(&mut self, pointer: &Expr) {
        match &pointer.kind {
            ExprKind::AddressOf(place) => self.place(place),
            ExprKind::Broadcast(inner) | ExprKind::Convert(inner) => self.followed(inner),
            ExprKind::PointerOffset(base, index) => {
                self.followed(base);
                self.value(index);
            }
            _ => self.value(pointer),
        }
    }
}

/// Is only read what the parameter leads to?
fn is_const(parameter: &Local) -> bool {
    parameter.pointee_is_const || matches!(parameter.parameter, ParameterKind::Slice { read_only: true, .. })
}

/// Is it a part of a global variable?
fn is_global(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Global(_) => true,
        PlaceKind::Local(_) | PlaceKind::Temporary(_) => false,
        PlaceKind::Member(base, _) | PlaceKind::Element(base, _) => is_global(base),
        PlaceKind::Dereference(pointer) => leads_to_global(pointer),
    }
}

fn leads_to_global(pointer: &Expr) -> bool {
    match &pointer.kind {
        ExprKind::AddressOf(place) => is_global(place),
        ExprKind::Broadcast(inner) | ExprKind::Convert(inner) | ExprKind::PointerOffset(inner, _) => leads_to_global(inner),
        _ => false,
    }
}
