//! Which outputs may have the memory of an input: each pixel is read before it is overwritten, and not behind that.
//!
//! ```text
//! label f: for x in ?cpu f_x do f[x] ← in[x] * 2             in place: of the old pixels f[x] needs in[x] alone
//! label f: for x in ?cpu f_x do f[x] ← in[x] + in[x + 1]     not so
//! ```
//! From the beginning of the output's production on the input is read by its pure stage alone, at the coordinates that are stored to;
//! the production is in no loop of others, and stores to each coordinate once. Then the order of its iterations does not matter, nor do
//! lanes and threads.

use super::super::expr::{Expr, ExprKind, FuncId, InputId, Source};
use super::ir::{Nest, Statement};

/// May an output have the memory of an input, each pixel in the place of that with its coordinates?
pub fn is_in_place(nest: &Nest, output: FuncId, input: InputId) -> bool {
    let repeats =
        nest.tails.iter().any(|tail| tail.func == output) || nest.fits.iter().any(|fit| fit.func == output && fit.is_shift);
    let has_one_value = nest.pipeline.func(output).elements.len() == 1;
    let mut reads = Reads { output, input, has_begun: false };
    has_one_value && !repeats && reads.are_in_time(&nest.body, false, &mut Vec::new())
}

struct Reads {
    output: FuncId,
    input: InputId,
    /// Has the production of the output begun?
    has_begun: bool,
}

impl Reads {
    /// Is it read in time in a statement? `pending` is where it is read for values that a store to come has.
    fn are_in_time<'s>(&mut self, s: &'s Statement, is_in_loop: bool, pending: &mut Vec<&'s [Expr]>) -> bool {
        if let Statement::Produce(func, _) = s
            && *func == self.output
        {
            if is_in_loop {
                return false;
            }
            self.has_begun = true;
        }
        let outer = pending.len();
        if self.has_begun {
            for e in s.expressions() {
                self.note(e, pending);
            }
        }
        let is_right = if let Statement::Store(store) = s {
            let is_it = (store.stage.func, store.stage.stage) == (self.output, 0);
            let is_same = |read: &&[Expr]| read.iter().zip(&store.indices).all(|(a, b)| a.is_same(b));
            pending.iter().all(|read| is_it && read.len() == store.indices.len() && is_same(read))
        } else {
            matches!(s, Statement::Let(..)) || pending.len() == outer
        };
        let is_loop = matches!(s, Statement::For(_) | Statement::Foreach(_));
        let are_in_time =
            is_right && s.children().into_iter().all(|child| self.are_in_time(child, is_in_loop || is_loop, pending));
        pending.truncate(outer);
        are_in_time
    }

    /// Notes where an expression reads the input.
    fn note<'s>(&self, e: &'s Expr, found: &mut Vec<&'s [Expr]>) {
        if let ExprKind::Read(source, indices) = e.kind()
            && *source == Source::Input(self.input)
        {
            found.push(indices);
        }
        for part in e.children() {
            self.note(part, found);
        }
    }
}
