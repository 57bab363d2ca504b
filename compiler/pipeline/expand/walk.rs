//! What parts of pipelines read.

use crate::pipeline::plain::{Part, PartKind};
use crate::syntax::ast::{Expr, Name};
use crate::syntax::walk::names;

/// The funcs that a part reads, as far as names tell.
pub(super) fn reads(part: &Part, see: &mut impl FnMut(&Name)) {
    let mut expression = |e: &Expr| names(e, see);
    match &part.kind {
        PartKind::Let(definition) => expression(&definition.value),
        PartKind::Fun(fun) => {
            fun.lets.iter().for_each(|definition| expression(&definition.value));
            fun.values.iter().for_each(expression);
        }
        PartKind::Update(update) => {
            for range in &update.rdom {
                expression(&range.low);
                expression(&range.high);
            }
            update.lets.iter().for_each(|definition| expression(&definition.value));
            update.indices.iter().chain(&update.values).chain(&update.condition).for_each(expression);
        }
        PartKind::Error(_) => {}
    }
}
