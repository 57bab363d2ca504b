//! The automatic schedule of contractions that add rows to one another, as `x A` and sums of columns do: nothing is used again but the result.
//!
//! ```text
//! C.split(j, j.o, j.i, 1024, guard)                                              R has a part of a row, which stays in the first cache
//! R.compute_at(C, j.o);  R.update(0).split(k, k.o, k.i, 4, guard).split(j, j.o, j.i, 16, guard).reorder(j.i, k.i, j.o, k.o).unroll(k.i)
//! ```
//! What is added lies row by row: a tile of accumulators in registers would go down a column, through all of memory in steps of a row. Here a
//! few rows are read side by side from their beginnings to their ends, and each of them less often waits for what it is added to. Each sum
//! has its terms in their order.

use super::super::algorithm::{Func, Pipeline};
use super::super::expr::{Expr, Variable};
use super::super::loops::ir::Worth;
use super::super::simplify::{constant_value, minus};
use super::contractions::{Contraction, Moves, moves};
use super::links::{Links, Part};
use super::state::Scheduler;

/// So many columns are added up at a time: what their sums take is in the first cache, and their rows are long enough to be fetched ahead.
const COLUMNS: u64 = 1024;

/// So many rows are read side by side…
const ROWS: u64 = 4;

/// …and so many at least are worth it.
const FEWEST: i64 = 16;

/// Does a func that is reduced along one index add up rows that have nothing in common? Neighbours of those of convolutions do.
pub fn added_rows(func: &Func, reads: &[Vec<Expr>]) -> bool {
    let [r] = &func.stages[1].rdom[..] else { return false };
    let is_few = constant_value(&minus(&r.high, &r.low)).is_some_and(|count| count < FEWEST);
    let mentions = |index: &Expr, v: Variable| index.mentions(&|known| known == v);
    let mut moving = reads.iter().filter(|indices| moves(indices, func.variables[0]) != Moves::Not).peekable();
    let is_row = |indices: &Vec<Expr>| {
        let of_step: Vec<&Expr> = indices.iter().filter(|index| mentions(index, r.variable)).collect();
        of_step.iter().all(|index| index.as_variable().is_some()) && of_step.len() == 1
    };
    !is_few && moving.peek().is_some() && moving.all(is_row)
}

impl Contraction {
    /// What is chosen, and why.
    pub fn reason_of_columns(&self, pipeline: &Pipeline) -> String {
        let func = pipeline.func(self.result);
        let (name, column) = (&func.name, &pipeline.variable(func.variables[0]).name);
        format!("`{name}` adds rows to one another: {ROWS} of them at a time, {COLUMNS} {column} side by side")
    }
}

impl Scheduler<'_> {
    /// The directives for a contraction that adds rows to one another.
    pub fn add_rows(&mut self, it: &Contraction, all: &mut Vec<Links>) {
        let pipeline = self.nest.pipeline.clone();
        let (result, rows) = (pipeline.func(it.result), pipeline.func(it.rows));
        let (span, lanes) = (result.span, u64::from(it.lanes));
        let (names, own) = (self.names(it.result), self.names(it.rows));
        let parts = |name: &str| (format!("{name}.o"), format!("{name}.i"));
        let (column, lane) = parts(&names[0]);
        let shared = names[1..].last().unwrap_or(&column);
        let links = Links::of(&result.name, span).split(&names[0], [&column, &lane], COLUMNS, "guard");
        all.push(links.vectorize(&lane, lanes).parallel(shared));
        let (func, variable) = (it.result, shared.as_str().into());
        self.nest.worth.push(Worth { func, case: 0, variable, condition: it.much.clone() });
        let links = Links::of(&rows.name, span).vectorize(&own[0], lanes);
        all.push(links.compute_inside(&result.name, &column));
        let step = pipeline.variable(rows.stages[1].rdom[0].variable).name.to_string();
        let ((steps, step_of), (blocks, lane)) = (parts(&step), parts(&own[0]));
        let links = Links::of_part(&rows.name, Part::Update(0), span).split(&step, [&steps, &step_of], ROWS, "guard");
        let links = links.split(&own[0], [&blocks, &lane], lanes, "guard");
        let mut order = vec![lane.clone(), step_of.clone(), blocks, steps];
        order.extend(own[1..].iter().cloned());
        all.push(links.reorder(&order).unroll(&step_of).vectorize(&lane, lanes));
    }
}
