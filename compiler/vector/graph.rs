//! The flow graph of a function: order of blocks, predecessors, dominators, loops.
//!
//! A loop is *natural*: a header that dominates the sources of its back edges, and what reaches them without passing the
//! header. Structured source makes no others.

use super::ir::{Block, Function};

/// What is known about the blocks of one function. Stale as soon as a terminator changes.
pub struct Graph {
    /// The blocks that can be reached, each before its successors except along back edges.
    pub order: Vec<Block>,
    /// Who jumps to a block; a block that branches to it twice stands there twice.
    pub predecessors: Vec<Vec<Block>>,
    /// The position of a block in `order`.
    position: Vec<Option<usize>>,
    /// The immediate dominator; the entry's is itself.
    immediate: Vec<Block>,
    /// When a walk over the tree of dominators comes to a block, and when it leaves it for the last time.
    visit: Vec<(u32, u32)>,
    /// The header of the innermost loop that a block lies in.
    innermost: Vec<Option<Block>>,
}

impl Graph {
    /// The graph of `function`, which has blocks.
    pub fn new(function: &Function) -> Graph {
        let count = function.blocks.len();
        let (mut seen, mut order, mut stack) = (vec![false; count], Vec::new(), vec![(Block(0), false)]);
        let mut predecessors = vec![Vec::new(); count];
        while let Some((block, left)) = stack.pop() {
            if left {
                order.push(block);
            } else if !std::mem::replace(&mut seen[block.0 as usize], true) {
                stack.push((block, true));
                for target in function.blocks[block.0 as usize].terminator.targets() {
                    predecessors[target.block.0 as usize].push(block);
                    stack.push((target.block, false));
                }
            }
        }
        order.reverse();
        let mut position = vec![None; count];
        for (i, block) in order.iter().enumerate() {
            position[block.0 as usize] = Some(i);
        }
        let (immediate, visit, innermost) = (vec![Block(0); count], vec![(0, 0); count], vec![None; count]);
        let mut graph = Graph { order, predecessors, position, immediate, visit, innermost };
        graph.find_dominators();
        graph.number_dominators();
        graph.find_loops();
        graph
    }

    /// Can control get there?
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block.0 as usize].is_some()
    }

    /// Does every way to `b` pass `a`? Both are reachable; a block dominates itself.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.visit[a.0 as usize], self.visit[b.0 as usize]);
        a.0 <= b.0 && b.1 <= a.1
    }

    /// The nearest other block that every way to `block` passes; `None` for the entry.
    pub fn immediate_dominator(&self, block: Block) -> Option<Block> {
        (block != Block(0)).then(|| self.immediate[block.0 as usize])
    }

    /// The header of the innermost loop around `block`, which is `block` itself for a header.
    pub fn innermost_loop(&self, block: Block) -> Option<Block> {
        self.innermost[block.0 as usize]
    }

    /// Which blocks lie in the loop of a header; `None` if it is none.
    pub fn natural_loop(&self, header: Block) -> Option<Vec<bool>> {
        let sources = self.predecessors[header.0 as usize].iter().copied();
        let mut work: Vec<Block> = sources.filter(|&from| self.is_back_edge(from, header)).collect();
        if work.is_empty() {
            return None;
        }
        let mut inside = vec![false; self.innermost.len()];
        inside[header.0 as usize] = true;
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut inside[block.0 as usize], true) {
                work.extend(&self.predecessors[block.0 as usize]);
            }
        }
        Some(inside)
    }

    /// Is the jump from `from` to `to` one back to the header of a loop?
    pub fn is_back_edge(&self, from: Block, to: Block) -> bool {
        self.dominates(to, from)
    }

    /// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
    fn find_dominators(&mut self) {
        let mut known = vec![false; self.immediate.len()];
        known[0] = true;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in &self.order[1..] {
                let mut nearest: Option<Block> = None;
                for &from in &self.predecessors[block.0 as usize] {
                    if known[from.0 as usize] {
                        nearest = Some(nearest.map_or(from, |other| self.meet(other, from)));
                    }
                }
                let nearest = nearest.expect("in reverse postorder a predecessor comes first");
                if !std::mem::replace(&mut known[block.0 as usize], true) || self.immediate[block.0 as usize] != nearest {
                    self.immediate[block.0 as usize] = nearest;
                    changed = true;
                }
            }
        }
    }

    /// Numbers the tree of dominators, so that one look tells what dominates what.
    fn number_dominators(&mut self) {
        let mut children = vec![Vec::new(); self.immediate.len()];
        for &block in self.order.iter().skip(1) {
            children[self.immediate[block.0 as usize].0 as usize].push(block);
        }
        let (mut time, mut stack) = (0, vec![(Block(0), false)]);
        while let Some((block, left)) = stack.pop() {
            time += 1;
            if left {
                self.visit[block.0 as usize].1 = time;
            } else {
                self.visit[block.0 as usize].0 = time;
                stack.push((block, true));
                stack.extend(children[block.0 as usize].iter().map(|&child| (child, false)));
            }
        }
    }

    fn meet(&self, mut a: Block, mut b: Block) -> Block {
        while a != b {
            if self.position[a.0 as usize] > self.position[b.0 as usize] {
                a = self.immediate[a.0 as usize];
            } else {
                b = self.immediate[b.0 as usize];
            }
        }
        a
    }

    /// Headers are visited from the outside inwards, so that the innermost loop is written last.
    fn find_loops(&mut self) {
        for &header in &self.order {
            let sources = self.predecessors[header.0 as usize].iter().copied();
            let mut work: Vec<Block> = sources.filter(|&from| self.dominates(header, from)).collect();
            if work.is_empty() {
                continue;
            }
            // What has this header already was visited for it.
            self.innermost[header.0 as usize] = Some(header);
            while let Some(block) = work.pop() {
                if self.innermost[block.0 as usize].replace(header) != Some(header) {
                    work.extend(&self.predecessors[block.0 as usize]);
                }
            }
        }
    }
}
