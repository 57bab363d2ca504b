//! What a nest looks like from afar: who reads whom, what is produced inside of what, and where.

use super::super::algorithm::ReductionVariable;
use super::super::expr::{Expr, ExprKind, FuncId};
use super::super::loops::ir::{Block, Nest, StageName, Statement};
use super::super::loops::lower::compute_window;
use super::accesses::behind;
use super::infer::Inference;
use super::parts::Part;
use crate::types::Element;
use rustc_hash::FxHashMap;

/// The statements around one, the outermost first, each with the block in which it stands.
pub type Way<'n> = [(&'n Statement, Block)];

/// Where a func is allocated and produced: one of each, or one for each copy of the func around.
#[derive(Clone, Debug, Default)]
pub struct Places<'n> {
    /// Blocks of its allocations.
    pub allocations: Vec<Block>,
    /// Blocks of its productions.
    pub productions: Vec<Block>,
    /// What is around each production.
    ways: Vec<Vec<(&'n Statement, Block)>>,
    /// The funcs that are produced inside of its loops.
    pub inside: Vec<FuncId>,
}

/// The places of each func that has loops.
pub fn places(body: &Statement) -> FxHashMap<FuncId, Places<'_>> {
    let mut all = FxHashMap::default();
    find_places(body, None, &mut Vec::new(), &mut all);
    all
}

fn find_places<'n>(
    statement: &'n Statement,
    block: Block,
    way: &mut Vec<(&'n Statement, Block)>,
    all: &mut FxHashMap<FuncId, Places<'n>>,
) {
    let mut inside = block;
    if let Statement::For(l) = statement {
        inside = Some((l.stage, l.variable));
    } else if let Statement::Allocate(func, _) = statement {
        all.entry(*func).or_default().allocations.push(block);
    } else if let Statement::Produce(func, _) = statement {
        for (outer, _) in &*way {
            if let Statement::Produce(outer, _) = outer {
                all.entry(*outer).or_default().inside.push(*func);
            }
        }
        let own = all.entry(*func).or_default();
        own.productions.push(block);
        own.ways.push(way.clone());
    }
    way.push((statement, block));
    statement.children().into_iter().for_each(|child| find_places(child, inside, way, all));
    way.pop();
}

/// A block from afar: where in it what stands, so that who looks for one func does not go through all others.
#[derive(Debug)]
pub struct Outline<'n> {
    /// The block.
    pub around: &'n Statement,
    /// Its statements.
    list: &'n [Statement],
    /// Those that are no func, though there may be some in them.
    plain: Vec<usize>,
    /// By func, those that contain where it is produced.
    productions: FxHashMap<FuncId, Vec<usize>>,
}

impl<'n> Outline<'n> {
    fn of(around: &'n Statement) -> Outline<'n> {
        let list = around.as_block().unwrap_or(std::slice::from_ref(around));
        let mut outline = Outline { around, list, plain: Vec::new(), productions: FxHashMap::default() };
        for (at, statement) in list.iter().enumerate() {
            if !matches!(statement, Statement::Produce(..) | Statement::Allocate(..)) {
                outline.plain.push(at);
            }
            statement.walk(&mut |inner| {
                if let Statement::Produce(func, _) = inner {
                    let places = outline.productions.entry(*func).or_default();
                    if places.last() != Some(&at) {
                        places.push(at);
                    }
                }
            });
        }
        outline
    }

    /// In order, the statements that are none of a func, and those in which one of some funcs is produced.
    pub fn statements(&self, funcs: impl Iterator<Item = FuncId>) -> Vec<&'n Statement> {
        let produced = funcs.filter_map(|func| self.productions.get(&func)).flatten();
        let mut all: Vec<usize> = self.plain.iter().chain(produced).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|at| &self.list[at]).collect()
    }

    /// All of them.
    pub fn all(&self) -> &'n [Statement] {
        self.list
    }
}

/// The outlines of all blocks. A block is a statement behind the `let`s and conditions that a split has put there, whose names are
/// known in it.
pub fn outlines(body: &Statement) -> FxHashMap<Block, Outline<'_>> {
    let mut outlines = FxHashMap::default();
    let block = |mut statement| {
        while let Some(body) = behind(statement) {
            statement = body;
        }
        Outline::of(statement)
    };
    outlines.insert(None, block(body));
    body.walk(&mut |statement| {
        if let Statement::For(l) = statement {
            outlines.entry(Some((l.stage, l.variable))).or_insert_with(|| block(&l.body));
        }
    });
    outlines
}

/// The ranges of the reduction variables of all funcs that are computed, by func and stage.
pub fn domains(nest: &Nest) -> impl Iterator<Item = (FuncId, usize, &ReductionVariable)> {
    let funcs = nest.pipeline.numbered_funcs().filter(|(id, _)| !nest.absent.contains(id));
    let stages = funcs.flat_map(|(id, func)| func.stages.iter().enumerate().map(move |(number, stage)| (id, number, stage)));
    stages.flat_map(|(id, number, stage)| stage.rdom.iter().map(move |r| (id, number, r)))
}

impl<'n> Inference<'n> {
    /// From a block on, what is around a place where a func is produced; `None` if that is not in the block.
    pub fn way(&self, outer: Block, production: Block, func: FuncId) -> Option<&Way<'n>> {
        let places = &self.places[&func];
        let at = places.productions.iter().position(|block| *block == production)?;
        let way = &places.ways[at];
        let is_outer = |s: &Statement| matches!(s, Statement::For(l) if Some((l.stage, l.variable)) == outer);
        let inside = if outer.is_some() { &way[way.iter().position(|(s, _)| is_outer(s))? + 1..] } else { way };
        Some(&inside[inside.iter().take_while(|(s, _)| behind(s).is_some()).count()..])
    }

    /// The window of the pure stage where a func is produced in terms of the windows of the root block.
    pub fn first_window_by_name(&self, production: Block, id: FuncId) -> Option<Part> {
        let way = self.way(None, production, id)?;
        let own = way.iter().take(1).filter(|(s, _)| s.as_block().is_some()).count();
        self.seen_in(&self.scope_of(&way[own..]), None, &self.first_window(production, id)).ok()
    }

    /// The same in terms of where it is produced.
    pub fn first_window(&self, production: Block, id: FuncId) -> Part {
        let first = StageName { func: id, case: 0, stage: 0 };
        let mut window = self.window_of(first);
        for (d, (_, high)) in window.ends.iter_mut().enumerate() {
            let [_, length] = compute_window(self.nest, first, d);
            if let ExprKind::Variable(v) = length.kind()
                && self.found.highs.borrow().contains_key(&(production, *v))
            {
                *high = Expr::variable(self.names_of_highs[v], Element::Int32, high.span());
            }
        }
        window
    }
}
