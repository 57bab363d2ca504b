//! The automatic schedule of contractions (`contractions`): the copies of their results with tiles, and the one without.
//!
//! ```text
//! C.case(k).split(j, j.o, j.i, 16, shift).split(i, i.o, i.i, 6, shift).reorder(j.i, i.i, i.o, j.o)
//! T.bound_extent(j, 16).bound_extent(i, 6).compute_at(C.case(k), i.o)            a tile, in registers all through the reduction
//! P.bound_extent(j, 16).compute_at(C.case(k), j.o)                               what a column of tiles reads again: of several columns, which
//!                                                                                are a loop around T, where it is large
//! Q.split(k, k.o, k.i, 8, guard).reorder(k.i, i, k.o).compute_at(C.case(k), j.o.o)  what 32 columns of tiles read, turned: j.o is split
//! ```

use super::super::algorithm::Func;
use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::loops::ir::{Statement, Worth};
use super::contractions::{BLOCK, Contraction, Tiled, choice};
use super::links::{Links, Part};
use super::state::Scheduler;
use std::rc::Rc;

/// The loops in which each copy of a func has one of some values in the place of another one.
fn with_values(s: &Statement, func: FuncId, choice: &Expr, values: &[Expr]) -> Statement {
    if let Statement::Stage(name, body) = s
        && name.func == func
    {
        return Statement::Stage(*name, Box::new(with_value(body, choice, &values[name.case])));
    }
    s.with_children(|child| with_values(child, func, choice, values))
}

fn with_value(s: &Statement, choice: &Expr, value: &Expr) -> Statement {
    let mut made = s.with_children(|child| with_value(child, choice, value));
    if let Statement::Let(_, known, _) = &mut made
        && known == choice
    {
        *known = value.clone();
    }
    if let Statement::Store(store) = &mut made
        && store.values[0] == *choice
    {
        store.values = vec![value.clone()];
    }
    made
}

impl Scheduler<'_> {
    /// Makes the copies of the result of a contraction; the directives for them and their accumulators.
    pub fn contract(&mut self, it: &Contraction, all: &mut Vec<Links>) {
        if it.tiled.is_empty() {
            return self.add_rows(it, all);
        }
        let pipeline = self.nest.pipeline.clone();
        let (result, span) = (pipeline.func(it.result), pipeline.func(it.result).span);
        // Each copy reads what is there for it.
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        let chosen = choice(result);
        let mut rest = chosen.clone();
        for _ in &it.tiled {
            let ExprKind::Conditional(condition, value, other) = rest.kind() else { unreachable!("as it was made") };
            conditions.push(condition.clone());
            values.push(value.clone());
            rest = other.clone();
        }
        values.push(rest);
        self.specialize_by(it.result, conditions, span);
        self.nest.roomy.extend((0..it.tiled.len()).map(|case| (it.result, case)));
        self.nest.body = with_values(&self.nest.body, it.result, chosen, &values);
        let name = |id: FuncId| pipeline.func(id).name.clone();
        let names = self.names(it.result);
        for (case, tiled) in (0..).zip(&it.tiled) {
            self.tiled_copy(it, tiled, case, &names, all);
        }
        // The other copy goes row by row.
        let lanes = u64::from(it.lanes);
        let links = Links::of_part(&result.name, Part::Otherwise, span).vectorize(&names[0], lanes);
        all.push(links.with_some(names[1..].last(), |links, outer| links.parallel(outer)));
        let own = self.names(it.rows);
        let (j, others) = (&own[0], &own[1..]);
        let links = Links::of(&name(it.rows), span).vectorize(j, lanes);
        all.push(links.with_some(names.get(1), |links, row| links.compute_at(&result.name, Part::Otherwise, row)));
        // Lanes that are read one by one are reduced along rows.
        if !it.is_far {
            let mut order = vec![j.clone()];
            order.extend(self.reduced(it.rows));
            order.extend(others.iter().cloned());
            all.push(Links::of_part(&name(it.rows), Part::Update(0), span).reorder(&order).vectorize(j, lanes));
        }
    }

    /// The names of the dimensions of a func: its own ones, since what reads it may call them something else.
    pub fn names(&self, id: FuncId) -> Vec<String> {
        let pipeline = &self.nest.pipeline;
        pipeline.func(id).variables.iter().map(|&v| pipeline.variable(v).name.to_string()).collect()
    }

    /// The names of the reduction indices of a func.
    fn reduced(&self, id: FuncId) -> Vec<String> {
        let pipeline = &self.nest.pipeline;
        pipeline.func(id).stages[1].rdom.iter().map(|r| pipeline.variable(r.variable).name.to_string()).collect()
    }

    /// The directives of a copy with tiles.
    fn tiled_copy(&mut self, it: &Contraction, tiled: &Tiled, case: u64, names: &[String], all: &mut Vec<Links>) {
        let pipeline = &self.nest.pipeline.clone();
        let (result, span) = (&pipeline.func(it.result).name, pipeline.func(it.result).span);
        let name = |id: FuncId| -> Rc<str> { pipeline.func(id).name.clone() };
        let (lanes, [columns, height], part) = (u64::from(it.lanes), tiled.size, Part::Case(case));
        let j = &names[0];
        let parts = |name: &str| (format!("{name}.o"), format!("{name}.i"));
        let (column, mut lane) = parts(j);
        let across = it.across.map(|d| names[d].as_str());
        let others = || (1..names.len()).filter(|d| Some(*d) != it.across).map(|d| names[d].clone());
        let tail = if tiled.is_padded { "guard" } else { "shift" };
        let mut links = Links::of_part(result, part, span).split(j, [&column, &lane], columns * tiled.beside, tail);
        let mut beside = None;
        if tiled.beside > 1 {
            let (tile, within) = parts(&lane);
            links = links.split(&lane, [&tile, &within], columns, tail);
            (beside, lane) = (Some(tile), within);
        }
        let mut order = vec![lane.clone()];
        let (mut inner, mut rows) = (column.clone(), None);
        if let Some(i) = across {
            let (row, within) = parts(i);
            links = links.split(i, [&row, &within], height, "shift");
            order.push(within);
            order.extend(beside.clone());
            order.push(row.clone());
            rows = Some(row.clone());
            inner = beside.unwrap_or(row);
        }
        // What is turned is turned once for a block of columns.
        let (block, within) = (format!("{column}.o"), format!("{column}.i"));
        let (has_blocks, has_others) = (!tiled.turned.is_empty(), others().next().is_some());
        if has_blocks {
            links = links.split(&column, [&block, &within], BLOCK / tiled.beside, "guard");
        }
        order.push(if has_blocks { within.clone() } else { column.clone() });
        order.extend(Some(block.clone()).filter(|_| has_blocks));
        order.extend(others());
        let column = if has_blocks { within } else { column };
        let shared = if has_others { order.last().expect("a loop") } else { &column };
        links = links.reorder(&order).vectorize(&lane, lanes);
        links = links.parallel(shared);
        let mut worth = |name: &str, condition: &Expr| {
            let (func, case, variable) = (it.result, case as usize, name.into());
            self.nest.worth.push(Worth { func, case, variable, condition: condition.clone() });
        };
        tiled.worth.iter().for_each(|condition| worth(shared, condition));
        if let Some((condition, row)) = tiled.rows_worth.as_ref().zip(rows) {
            worth(&row, condition);
            links = links.parallel(&row);
        }
        all.push(links);
        for &turned in &tiled.turned {
            let func = pipeline.func(turned);
            let names = self.names(turned);
            // Neighbours of what it reads are read one after the other, so that squares of numbers are transposed.
            let (steps, step) = parts(&names[0]);
            let mut order = vec![step.clone()];
            order.extend(names[1..].iter().rev().cloned());
            order.push(steps.clone());
            let links = Links::of(&func.name, span).split(&names[0], [&steps, &step], lanes, "guard").reorder(&order);
            let links = links.compute_at(result, part, &block).vectorize(&step, lanes);
            all.push(if has_others { links } else { links.parallel(&steps) });
        }
        for &panel in &tiled.panels {
            let func = pipeline.func(panel);
            let j = &self.names(panel)[0];
            let links = Links::of(&func.name, span).bound_extent(j, columns * tiled.beside).compute_at(result, part, &column);
            let text = |v: Variable| pipeline.variable(v).name.to_string();
            all.push(match dense(func).filter(|v| *v != func.variables[0]) {
                // Rows of what it reads lie along the panel's columns: each vector of columns goes along its rows, so that squares of numbers
                // are transposed, and a line of the cache is read once.
                Some(along) => {
                    let (blocks, lane) = parts(j);
                    let others = func.variables[1..].iter().filter(|v| **v != along).map(|&v| text(v));
                    let order: Vec<String> =
                        [lane.clone(), text(along)].into_iter().chain(others).chain([blocks.clone()]).collect();
                    links.split(j, [&blocks, &lane], lanes, "guard").reorder(&order).vectorize(&lane, lanes)
                }
                None => links.vectorize(j, lanes),
            });
        }
        let names = self.names(tiled.tile);
        let (j, across) = (&names[0], it.across.map(|d| names[d].as_str()));
        let others = (1..names.len()).filter(|d| Some(*d) != it.across).map(|d| names[d].clone());
        let links = Links::of(&name(tiled.tile), span)
            .bound_extent(j, columns)
            .with_some(across, |links, i| links.bound_extent(i, height))
            .compute_at(result, part, &inner)
            .vectorize(j, lanes);
        all.push(links.with_some(across, Links::unroll));
        let mut order = vec![j.clone()];
        order.extend(across.map(str::to_owned));
        order.extend(self.reduced(tiled.tile));
        order.extend(others);
        let links = Links::of_part(&name(tiled.tile), Part::Update(0), span).reorder(&order).vectorize(j, lanes).unroll(j);
        all.push(links.with_some(across, Links::unroll));
    }
}

/// The variable along which what a func reads lies side by side.
fn dense(func: &Func) -> Option<Variable> {
    let mut first = None;
    func.reads(&mut |_, indices, _| first = indices.first().and_then(Expr::as_variable));
    first
}
