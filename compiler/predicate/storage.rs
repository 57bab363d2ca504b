//! Where local variables live: in SSA variables, one per leaf, or in a stack slot.
//!
//! A variable needs memory if its address is taken or if it contains an array, whose elements are chosen by number.
//! All others live in registers, where a masked assignment is a `select`.
//!
//! The rounds of a parallel loop run in a function of their own, so a local belongs to the innermost parallel loop around
//! its declaration, its region. What a region uses of the ones around it is captured: a variable that it changes is
//! shared, and lives in memory; of any other one it gets the value.

use super::layout::Layouts;
use crate::target::Memory;
use crate::typed::ir::{
    BinaryOp, Block, Builtin, Constant, Expr, ExprKind, ForeachIndex, Function, LocalId, Place, PlaceKind, PrintPiece, Statement,
    StatementKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A parallel loop, by its first index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Region(LocalId);

impl Region {
    /// The region of the parallel loop with these indices.
    pub fn of(indices: &[ForeachIndex]) -> Region {
        Region(indices[0].local)
    }
}

/// What is known of the locals of a function.
pub(super) struct Locals {
    /// Does the local live in memory?
    pub in_memory: Vec<bool>,
    /// Is the local ever stored to after its declaration (or the call, for a parameter)?
    pub assigned: Vec<bool>,
    /// Is the local the block index of a `foreach`?
    pub block_index: Vec<bool>,
    /// The region that the local belongs to; the function itself if none.
    pub regions: Vec<Option<Region>>,
    /// What each region uses of the ones around it.
    pub captures: FxHashMap<Region, BTreeSet<LocalId>>,
    /// Is the value of the local used for anything but accesses through it?
    pub escapes: Vec<bool>,
    /// Is it the address of a `scratch` array?
    pub scratch: Vec<bool>,
    /// Is it an image? Its pixels belong to it, and have no name of their own.
    pub images: Vec<bool>,
    /// Locals that begin as a copy of another one.
    pub copies: FxHashMap<LocalId, LocalId>,
    /// Indices of `foreach` over 0 … the length of an `hsoa`, a local.
    pub covered: FxHashMap<LocalId, LocalId>,
    /// Pointers that begin as one to the block of an `hsoa` with the lanes of such an index.
    pub blocks: FxHashMap<LocalId, LocalId>,
}

/// A walk over a function.
struct Walk<'f> {
    layouts: &'f Layouts<'f>,
    function: &'f Function,
    locals: Locals,
    /// The regions around this place, the innermost last.
    regions: Vec<Region>,
    /// Locals that begin as the address of a local array, and the array.
    arrays: Vec<(LocalId, LocalId)>,
    /// How often each local is used.
    uses: Vec<u32>,
}

impl Locals {
    /// Looks at every use of every local.
    pub fn of(layouts: &Layouts, function: &Function) -> Locals {
        let in_memory = function.locals.iter().map(|local| layouts.types.has_array(local.ty)).collect();
        let no = vec![false; function.locals.len()];
        let regions = vec![None; function.locals.len()];
        let locals = Locals {
            in_memory,
            assigned: no.clone(),
            escapes: no.clone(),
            scratch: no.clone(),
            images: no.clone(),
            copies: FxHashMap::default(),
            covered: FxHashMap::default(),
            blocks: FxHashMap::default(),
            block_index: no,
            regions,
            captures: FxHashMap::default(),
        };
        let mut walk =
            Walk { layouts, function, locals, regions: Vec::new(), arrays: Vec::new(), uses: vec![0; function.locals.len()] };
        if let Some(body) = &function.body {
            walk.block(body);
        }
        let mut locals = walk.locals;
        // A small `scratch` array is one on the stack that has no name but that of its address.
        for (address, array) in walk.arrays {
            locals.scratch[address.0 as usize] = walk.uses[array.0 as usize] == 1;
        }
        for (local, is_block) in function.locals.iter().zip(&mut locals.block_index) {
            *is_block &= layouts.types.length(local.ty) > 1;
        }
        locals
    }
}

impl Locals {
    /// The `hsoa`, a local, to whose block with the lanes of a covered index blocks + number leads.
    pub fn visited(&self, layouts: &Layouts, function: &Function, blocks: &Expr, number: &Expr) -> Option<LocalId> {
        let hsoa = member_of_local(blocks, 0)?;
        let lanes_of = |index: LocalId| u64::from(layouts.types.length(function.locals[index.0 as usize].ty));
        let first = match &number.kind {
            ExprKind::Binary(BinaryOp::ShiftRight, first, shift) => {
                let ExprKind::Constant(Constant::Int(shift)) = shift.kind else { return None };
                let ExprKind::Builtin(Builtin::Get, operands) = &first.kind else { return None };
                let is_first = matches!(operands[1].kind, ExprKind::Constant(Constant::Int(0)));
                let ExprKind::Load(Place { kind: PlaceKind::Local(index), .. }) = operands[0].kind else { return None };
                // The rounds have as many lanes as a block.
                (is_first && lanes_of(index) == 1 << shift.min(63)).then_some(index)?
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(index), .. }) if lanes_of(*index) == 1 => *index,
            _ => return None,
        };
        (self.covered.get(&first) == Some(&hsoa)).then_some(hsoa)
    }
}

impl Walk<'_> {
    /// A local comes to life.
    fn declared(&mut self, local: LocalId) {
        self.locals.regions[local.0 as usize] = self.regions.last().copied();
    }

    /// The regions between this place and the declaration of a local capture it.
    fn used(&mut self, local: LocalId) {
        self.uses[local.0 as usize] += 1;
        let home = self.locals.regions[local.0 as usize];
        for &region in self.regions.iter().rev().take_while(|&&region| Some(region) != home) {
            let captures = self.locals.captures.entry(region).or_default();
            captures.insert(local);
            // Checks compare with the number of elements.
            if let Some(bound) = self.function.locals[local.0 as usize].extent() {
                captures.extend(bound.parameters().into_iter().map(|index| LocalId(index as u32)));
            }
        }
    }

    /// A local changes, or somebody may change it.
    fn changed(&mut self, local: LocalId, by_address: bool) {
        self.locals.assigned[local.0 as usize] = true;
        let is_shared = self.locals.regions[local.0 as usize] != self.regions.last().copied();
        self.locals.in_memory[local.0 as usize] |= by_address || is_shared;
    }

    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(block),
            StatementKind::ForeachActive { index, body } => {
                self.declared(*index);
                self.block(body);
            }
            StatementKind::Declare { local, initializer } => {
                self.declared(*local);
                match initializer.as_ref().map(|e| &e.kind) {
                    Some(ExprKind::New(Memory::Scratch, _)) => self.locals.scratch[local.0 as usize] = true,
                    Some(ExprKind::Aggregate(parts)) => self.locals.images[local.0 as usize] = self.has_pixels(parts),
                    Some(ExprKind::Load(Place { kind: PlaceKind::Local(of), .. })) => {
                        self.locals.copies.insert(*local, *of);
                    }
                    Some(ExprKind::PointerOffset(blocks, number)) => {
                        let hsoa = self.locals.visited(self.layouts, self.function, blocks, number);
                        self.locals.blocks.extend(hsoa.map(|hsoa| (*local, hsoa)));
                    }
                    Some(ExprKind::AddressOf(place)) => self.arrays.extend(root(place).map(|array| (*local, array))),
                    _ => {}
                }
                self.expressions(initializer);
            }
            // Nobody has the address of what ends with its scope.
            StatementKind::Delete(Memory::Scratch, expr) => self.followed(expr),
            StatementKind::Expression(expr) | StatementKind::Delete(_, expr) => self.expression(expr),
            StatementKind::Return(value) => self.expressions(value),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Switch { value, arms } => {
                self.expression(value);
                arms.iter().for_each(|arm| self.block(&arm.body));
            }
            StatementKind::Loop { test_first: _, unrolling: _, condition, step, body } => {
                self.expressions(condition);
                self.expressions(step);
                self.block(body);
            }
            StatementKind::Foreach { parallel, unrolling: _, indices, body } => {
                for index in indices {
                    self.expression(&index.low);
                    self.expression(&index.high);
                }
                if *parallel {
                    let region = Region::of(indices);
                    self.regions.push(region);
                    self.locals.captures.entry(region).or_default();
                }
                for index in indices {
                    let is_zero = matches!(index.low.kind, ExprKind::Constant(Constant::Int(0)));
                    let hsoa = member_of_local(&index.high, 1)
                        .filter(|hsoa| is_zero && self.layouts.types.is_hsoa(self.function.locals[hsoa.0 as usize].ty));
                    self.locals.covered.extend(hsoa.map(|hsoa| (index.local, hsoa)));
                    self.locals.block_index[index.local.0 as usize] = true;
                    self.declared(index.local);
                }
                self.block(body);
                if *parallel {
                    self.regions.pop();
                }
            }
            StatementKind::ForeachUnique { local, value, body } => {
                self.expression(value);
                self.declared(*local);
                self.block(body);
            }
            StatementKind::Break | StatementKind::Continue => {}
        }
    }

    /// Are these the parts of an image? They begin with memory that no array of the source is.
    fn has_pixels(&self, parts: &[Expr]) -> bool {
        let Some(Expr { kind: ExprKind::Load(Place { kind: PlaceKind::Local(pixels), .. }), .. }) = parts.first() else {
            return false;
        };
        let is_named = self.function.locals[pixels.0 as usize].elements.is_some();
        self.locals.scratch[pixels.0 as usize] && !is_named
    }

    fn expressions<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expression(expr));
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::CurrentMask | ExprKind::LaneIndex => {}
            ExprKind::Lanes(list) | ExprKind::Aggregate(list) | ExprKind::Builtin(_, list) | ExprKind::New(_, list) => {
                self.expressions(list)
            }
            ExprKind::Call { function: _, arguments } => self.expressions(arguments),
            ExprKind::Load(place) => {
                if let PlaceKind::Local(local) = place.kind {
                    self.locals.escapes[local.0 as usize] = true;
                }
                self.place(place);
            }
            ExprKind::AddressOf(place) => {
                if let Some(local) = root(place) {
                    self.changed(local, true);
                }
                if let Some(pointer) = pointer(place) {
                    self.expression(pointer);
                }
                self.place(place);
            }
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Broadcast(a)
            | ExprKind::Member(a, _)
            | ExprKind::Assert(a, _) => self.expression(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Blend(a, b)
            | ExprKind::PointerOffset(a, b)
            | ExprKind::PointerDifference(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            ExprKind::Within(index, window) => {
                self.expression(index);
                self.expression(&window.min);
                self.expression(&window.extent);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expression(a);
                self.expression(b);
                self.expression(c);
            }
            ExprKind::Assign { place, value } | ExprKind::Compound { place, value, .. } => {
                self.stored(place);
                self.expression(value);
            }
            ExprKind::SetLane { place, value, index } => {
                self.stored(place);
                self.expression(value);
                self.expression(index);
            }
            ExprKind::Print(_, pieces) => {
                for piece in pieces {
                    match piece {
                        PrintPiece::Text(_) => {}
                        PrintPiece::Value(value, _) => self.expression(value),
                    }
                }
            }
        }
    }

    fn stored(&mut self, place: &Place) {
        if let Some(local) = root(place) {
            self.changed(local, false);
        }
        self.place(place);
    }

    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(local) => self.used(*local),
            PlaceKind::Global(_) => {}
            PlaceKind::Dereference(pointer) => self.followed(pointer),
            PlaceKind::Temporary(expr) => self.expression(expr),
            PlaceKind::Member(base, _) => self.place(base),
            PlaceKind::Element(base, index) => {
                self.place(base);
                self.expression(index);
            }
        }
    }

    /// A pointer that is used for an access.
    fn followed(&mut self, pointer: &Expr) {
        if let ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) = &pointer.kind {
            self.used(*local);
        } else if let ExprKind::PointerOffset(base, index) = &pointer.kind {
            self.followed(base);
            self.expression(index);
        } else if let ExprKind::Broadcast(inner) = &pointer.kind {
            self.followed(inner);
        } else {
            self.expression(pointer);
        }
    }
}

/// The pointer behind which a place lies.
fn pointer(place: &Place) -> Option<&Expr> {
    match &place.kind {
        PlaceKind::Dereference(pointer) => Some(pointer),
        PlaceKind::Member(base, _) | PlaceKind::Element(base, _) => pointer(base),
        PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Temporary(_) => None,
    }
}

/// The local that a place is a part of.
pub(super) fn root(place: &Place) -> Option<LocalId> {
    let mut place = place;
    loop {
        match &place.kind {
            PlaceKind::Local(local) => return Some(*local),
            PlaceKind::Member(base, _) | PlaceKind::Element(base, _) => place = base,
            PlaceKind::Global(_) | PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => return None,
        }
    }
}

/// The local of which a value is a member.
pub fn member_of_local(e: &Expr, member: usize) -> Option<LocalId> {
    let ExprKind::Load(Place { kind: PlaceKind::Member(of, index), .. }) = &e.kind else { return None };
    match of.kind {
        PlaceKind::Local(local) if *index == member => Some(local),
        _ => None,
    }
}
