//! Tensor comprehensions: the notation of *Tensor Comprehensions*, as algorithms of pipelines.
//!
//! ```text
//! def ─read─► expressions ─ranges─► [b, e) of each index ─algorithm─► funcs
//!
//! def mv(float(M, K) A, float(K) x) -> (C) {          pipeline mv(float A[,], float x[:]) -> C {
//!     C(i) +=! A(i, k) * x(k)                  ──►        fun C(i) = 0;
//! }                                                       rdom (k = 0 .. A.extent(1)) C(i) += A(i, k) * x(k);
//!                                                     }   with the window [0, A.extent(0)) of C, and x.extent(0) == A.extent(1)
//! ```
//! Each statement is a func: a pure stage with what is there before, and an update over its reduction indices ("Statements"). The tensor's
//! name is that of its last statement. Schedules, windows, oracles and code are those of pipelines; this room knows nothing of loops.
//!
//! * [`ranges`]: which values indices have. `definition`: what is known while one is read. `names`: what names stand for.
//!   `statements`: one statement after the other. `lookups`: indices that are read from
//!   tensors. `calls`: definitions in the place of their calls. `algorithm`: the whole.
//! * [`comprehension`]: what comes out. [`mod@print`]: ranges as text.
//!
//! # Invariants
//! 1. Dimensions of inputs and funcs are numbered from the dense one on, the last one of the text, as everywhere behind this room.
//! 2. What is not proven is a requirement of the algorithm, checked before anything is written; nothing is assumed.

mod algorithm;
mod calls;
pub mod comprehension;
mod definition;
mod lookups;
mod names;
pub mod print;
pub mod ranges;
mod statements;

use crate::check::ScalarExpressions;
use crate::syntax::ast::{self, Def};
use comprehension::Comprehension;
use rustc_hash::FxHashMap;

/// The definitions of the files as algorithms, in a scope that knows their names. One that is refused is left out, and has been reported.
pub fn algorithms<'a>(files: &'a [ast::File], scope: &mut ScalarExpressions<'a>) -> Vec<Comprehension> {
    let items = || files.iter().flat_map(|file| &file.items);
    let all = || items().filter_map(|item| if let ast::ItemKind::Def(def) = &item.kind { Some((item, def)) } else { None });
    let defs: FxHashMap<&str, &'a Def> = all().map(|(_, def)| (&*def.name.text, def)).collect();
    let mut made = Vec::new();
    for (item, def) in all() {
        let fp = scope.fp_mode(&item.attributes);
        made.extend(algorithm::algorithm(def, &defs, fp, scope));
    }
    made
}
