//! Long schedules, in pieces.
//!
//! A function of many stages keeps a compiler busy for more than its length, since what its beginning knows, windows and
//! memory, is alive up to its end. So the stages of the root block are cut into pieces, each a function that calls the next
//! one: the memory of all pieces in front of it is still there.
//! ```text
//! int scalar __p__s(__view1_int g_view) { …start checks…  __p__s__work_1(g_view, windows); return 0; }
//! [[noinline]]
//! void __p__s__work_1(__view1_int g_view, int64 scalar *scalar windows) {
//!     int scalar f_mem_x_len = (int) windows[7];          the windows that it mentions
//!     scratch int scalar f[(int64) f_mem_x_len];
//!     …                                                   its stages
//!     __p__s__work_2(g_view, windows, f);                 with the memory that is still of interest
//! }
//! [[noinline]]
//! void __p__s__work_2(__view1_int g_view, int64 scalar *scalar windows, int scalar *restrict f) { … }
//! ```

use super::super::expr::{ExprKind, FuncId, Source};
use super::super::loops::ir::Statement;
use super::{ViewParameter, Writer};
use std::collections::BTreeSet;

/// Which schedules are written in pieces, and how large those are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// From so many stages at the root on.
    pub from: usize,
    /// The stages of a piece.
    pub size: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        Pieces { from: 64, size: 16 }
    }
}

/// Some of the statements of the root block.
struct Piece {
    statements: Vec<Statement>,
    /// The funcs whose memory it is given: what it, or a piece behind it, accesses, and pieces in front of it have allocated.
    given: BTreeSet<FuncId>,
}

impl Piece {
    /// The funcs that are allocated in it, for it and the pieces behind it.
    fn allocated(&self) -> impl Iterator<Item = FuncId> {
        self.statements.iter().filter_map(|s| match s {
            Statement::Allocate(func, _) => Some(*func),
            _ => None,
        })
    }
}

/// How many stages a statement of the root block has. What is inside of loops is theirs.
fn stages(statement: &Statement) -> usize {
    match statement {
        Statement::Allocate(..) => 0,
        Statement::Produce(_, body) => match &**body {
            Statement::Sequence(list) => list.len(),
            _ => 1,
        },
        _ => 1,
    }
}

impl Pieces {
    /// Is this the root block of a long schedule?
    fn are_needed(self, root: &[Statement]) -> bool {
        root.iter().map(stages).sum::<usize>() >= self.from
    }

    /// The pieces of a root block. A func of many stages is in several of them.
    fn cut(self, root: &[Statement]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let (mut statements, mut size) = (Vec::new(), 0);
        for statement in root.iter().flat_map(|s| self.parts(s)) {
            size += stages(&statement);
            statements.push(statement);
            if size >= self.size {
                pieces.push(std::mem::take(&mut statements));
                size = 0;
            }
        }
        pieces.extend(Some(statements).filter(|rest| !rest.is_empty()));
        pieces.into_iter().map(|statements| Piece { statements, given: BTreeSet::new() }).collect()
    }

    /// A statement of the root block, in parts that are no larger than a piece.
    fn parts(self, statement: &Statement) -> Vec<Statement> {
        match statement {
            Statement::Produce(func, body) => match &**body {
                Statement::Sequence(stages) => stages
                    .chunks(self.size)
                    .map(|part| Statement::Produce(*func, Box::new(Statement::Sequence(part.to_vec()))))
                    .collect(),
                _ => vec![statement.clone()],
            },
            _ => vec![statement.clone()],
        }
    }
}

impl Writer<'_> {
    /// Has the schedule so many stages that they are written in pieces?
    pub(super) fn is_long(&self, work: &Statement) -> bool {
        matches!(work, Statement::Sequence(root) if self.pieces.are_needed(root))
    }

    /// The statements of the root block.
    pub(super) fn work(&mut self, work: &Statement, views: &[ViewParameter]) {
        match (work, self.in_memory.clone()) {
            (Statement::Sequence(root), Some((windows, _))) if self.is_long(work) => {
                let mut pieces = self.pieces.cut(root);
                self.hand_on(&mut pieces);
                self.write_pieces(&pieces, views, &windows);
            }
            (body, _) => self.statement(body),
        }
    }

    /// What each piece is given.
    fn hand_on(&self, pieces: &mut [Piece]) {
        // What is allocated in loops is theirs, and the memory of outputs is the caller's.
        let mut in_front: BTreeSet<FuncId> = pieces.iter().flat_map(Piece::allocated).collect();
        self.nest.pipeline.outputs.iter().for_each(|output| _ = in_front.remove(output));
        let mut given = BTreeSet::new();
        for piece in pieces.iter_mut().rev() {
            piece.allocated().for_each(|own| _ = in_front.remove(&own));
            piece.statements.iter().for_each(|s| self.accessed(s, &mut given));
            given.retain(|func| in_front.contains(func));
            piece.given = given.clone();
        }
    }

    /// The funcs that a statement accesses.
    fn accessed(&self, statement: &Statement, funcs: &mut BTreeSet<FuncId>) {
        statement.walk(&mut |s| {
            match s {
                Statement::Store(store) => _ = funcs.insert(store.stage.func),
                Statement::Accumulate(update) => _ = funcs.insert(update.stage.func),
                _ => {}
            }
            for value in s.expressions() {
                value.walk(&mut |e| {
                    if let ExprKind::Read(Source::Func(func, _), _) = e.kind() {
                        funcs.insert(*func);
                    }
                });
            }
        });
    }

    /// Writes the pieces, and the call of the first one.
    fn write_pieces(&mut self, pieces: &[Piece], views: &[ViewParameter], windows: &str) {
        let nest = self.nest;
        let mut common: Vec<(String, String)> = self.parameters.clone();
        for (variable, value) in &nest.pipeline.lets {
            common.push((format!("{} scalar", value.element().name()), self.names.of(nest, *variable)));
        }
        common.push(("int64 scalar *scalar".to_owned(), windows.to_owned()));
        let mut call = self.call_of_piece(1, &pieces[0], &common);
        self.line(&call);
        for (k, piece) in pieces.iter().enumerate() {
            let parameters: Vec<String> =
                common.iter().cloned().chain(self.memory_given(piece)).map(|(ty, name)| format!("{ty} {name}")).collect();
            self.outside(|this| {
                this.mode(" [[noinline]]");
                this.line(&format!("void {}({}) {{", this.name_of_piece(k + 1), parameters.join(", ")));
                this.nested(|this| {
                    for parameter in views {
                        let place = this.views[&parameter.1].clone();
                        this.parts_of_view(parameter, &place);
                    }
                    this.behind_windows(|this| {
                        piece.given.iter().for_each(|&func| this.recall(func));
                        this.block(&piece.statements);
                        if let Some(next) = pieces.get(k + 1) {
                            call = this.call_of_piece(k + 2, next, &common);
                            this.line(&call);
                        }
                    });
                });
            });
        }
    }

    fn name_of_piece(&self, number: usize) -> String {
        format!("{}__work_{number}", self.schedule_function)
    }

    fn call_of_piece(&self, number: usize, piece: &Piece, common: &[(String, String)]) -> String {
        let arguments: Vec<String> = common.iter().cloned().chain(self.memory_given(piece)).map(|(_, name)| name).collect();
        format!("{}({});", self.name_of_piece(number), arguments.join(", "))
    }

    /// Types and names of the memory that a piece is given.
    fn memory_given(&self, piece: &Piece) -> Vec<(String, String)> {
        let components = piece.given.iter().flat_map(|&id| {
            let elements = self.nest.pipeline.func(id).elements.iter().enumerate();
            elements.map(move |(component, element)| (Source::Func(id, component), element))
        });
        let pointer = |source| self.buffers[&source].pointer.clone();
        components.map(|(source, element)| (format!("{} scalar *restrict", element.name()), pointer(source))).collect()
    }

    /// Memory that a piece in front of this one has allocated: where its elements are, in terms of what is defined here.
    fn recall(&mut self, id: FuncId) {
        let (place, _) = self.memory_of(id, false);
        for component in 0..self.nest.pipeline.func(id).elements.len() {
            let known = self.buffers.get_mut(&Source::Func(id, component)).expect("memory of a piece in front");
            *known = super::Place { pointer: known.pointer.clone(), ..place.clone() };
        }
    }
}
