//! `atomic()`: the iterations of the reduction loops of an associative update may run at the same time.
//!
//! ```text
//! for r in [0, +8)                   ─atomic(), vectorize(r)─►  vector 8 for r in [0, +8)
//!   f[e] = f[e] + a                                               f[e] = f[e] + a        each lane, in any order
//! ```
//! The text combines the lanes: where e is the same in all of them by a reduction, elsewhere lane after lane. Threads that share
//! f change its elements by the atomic operations of the language.

use super::super::associative;
use super::super::loops::ir::StageName;
use super::parse::Directive;
use super::state::Scheduler;

impl Scheduler<'_> {
    /// `atomic()`
    pub fn atomic(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        if let Err(why) = associative::check(&self.nest.pipeline, stage) {
            return self.refuse_at(it.span, stage.func, why);
        }
        self.nest.atomic.push(stage);
        Some(())
    }
}
