//! Atomic operations, each at every type.

use super::built_ins::ALL;
use super::generator::{Elem, Elem::*, Generator};

/// An atomic operation on an array that lanes may share.
pub fn atomics(g: &mut Generator) {
    // There are many of them, and a run is to have each.
    (0..3).for_each(|_| atomic(g));
}

fn atomic(g: &mut Generator) {
    let elem = g.random.pick(ALL);
    let (a, at, v, old) = (g.memory(elem), g.indices(), g.lanes(elem), g.name("old"));
    let name = g.random.pick(atomic_names(elem));
    g.drawn.push(atomic_entry(name, elem));
    let (l, text) = (g.length, elem.name());
    let is_masked = g.random.one_in(2);
    let begin = if elem == Bool { "false" } else { "0" };
    g.line(format!("{text} block[{l}] {old} = ({text}) {begin};"));
    if is_masked {
        let mask = g.vector_condition(1);
        g.line(format!("if ({mask}) {{"));
    }
    let place = if g.random.one_in(3) { "3".to_owned() } else { at };
    let values = if name == "atomic_compare_exchange" { format!("{}, {v}", g.typed_scalar(elem)) } else { v };
    g.line(format!("{old} = {name}(&{a}[{place}], {values});"));
    if is_masked {
        g.line("}");
    }
    g.shown(&old);
    g.shown_array(&a, 16);
}

fn atomic_names(elem: Elem) -> &'static [&'static str] {
    // What is for numbers alone, what is for all types, what is for bits.
    const NAMES: [&str; 9] = [
        "atomic_add",
        "atomic_mul",
        "atomic_min",
        "atomic_max",
        "atomic_swap",
        "atomic_compare_exchange",
        "atomic_and",
        "atomic_or",
        "atomic_xor",
    ];
    match elem {
        Bool => &NAMES[4..],
        Float | Double => &NAMES[..6],
        Int(_) | Uint(_) => &NAMES,
    }
}

fn atomic_entry(name: &str, elem: Elem) -> String {
    format!("{name} of {}", elem.name())
}

/// Every atomic operation at every type, as the tables call them.
pub fn atomic_entries() -> Vec<String> {
    ALL.iter().flat_map(|&elem| atomic_names(elem).iter().map(move |name| atomic_entry(name, elem))).collect()
}
