//! Into which objects the pointers of a function lead, as far as its text says so: what `--check` and the interpreter compare with.
//!
//! ```text
//! p = &a[2]      into `a`          q = p + 1, q = q + k, q += f(x)     where p leads
//! p = &v         into `v`          p = new T[n]                        into what is called `p`
//! a              a parameter of n elements, or a `scratch` array: into `a`, however far it is moved
//! ```
//! A scalar pointer variable is *followed* if all that it is ever given has such an origin, of elements of one size, or is null, and
//! nobody has its address. How many elements there are, and which one it leads to, is known when the program runs. Where a pointer may
//! lead into arrays of different names, it leads into "the array".

use super::ir::{
    Builtin, Constant, Expr, ExprKind, FunctionId, LaneOp, LocalId, Place, PlaceKind, Program, Statement, StatementKind,
};
use super::walk::{Part, parts_of_expr, parts_of_place, parts_of_statement};
use crate::types::{Type, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a pointer leads into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What the source calls it.
    pub name: Option<String>,
    /// The size of its elements in bytes.
    pub element: u64,
}

/// Of one function: the pointer variables that are followed.
#[derive(Debug)]
pub struct Origins {
    function: FunctionId,
    followed: FxHashMap<LocalId, Origin>,
    /// The parameters and `scratch` arrays that nothing is assigned to, nor to what their numbers of elements are computed from.
    fixed: Vec<bool>,
}

/// What is given to a local.
enum Source<'p> {
    Value(&'p Expr),
    /// The parameter or array that it is.
    Itself,
}

/// Of what an expression is made that can be evaluated again: it has no effect, and gives the same value until something is stored.
/// A choice is one between parts that can be. Others are made of nothing.
pub fn plain_parts(e: &Expr) -> Option<Vec<&Expr>> {
    match &e.kind {
        ExprKind::Constant(_) | ExprKind::Load(Place { kind: PlaceKind::Local(_), .. }) => Some(Vec::new()),
        ExprKind::Convert(a) | ExprKind::Broadcast(a) | ExprKind::Unary(_, a) => Some(vec![a]),
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => Some(vec![a, b]),
        ExprKind::Conditional(c, a, b) => Some(vec![c, a, b]),
        ExprKind::Builtin(
            Builtin::Lane(LaneOp::Min) | Builtin::Lane(LaneOp::Max) | Builtin::Lane(LaneOp::Abs) | Builtin::Lane(LaneOp::Select),
            operands,
        ) => Some(operands.iter().collect()),
        _ => None,
    }
}

/// Is it made of what can be evaluated again?
pub fn is_plain(e: &Expr) -> bool {
    plain_parts(e).is_some_and(|parts| parts.into_iter().all(is_plain))
}

/// Is it the null pointer?
pub fn is_null(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Constant(Constant::Null) => true,
        ExprKind::Convert(inner) | ExprKind::Broadcast(inner) => is_null(inner),
        _ => false,
    }
}

impl Origins {
    /// Looks at a function.
    pub fn of(program: &Program, function: FunctionId) -> Origins {
        let body = &program.functions[function.0 as usize];
        let mut walk = Walk {
            sources: FxHashMap::default(),
            lost: vec![false; body.locals.len()],
            assigned: vec![false; body.locals.len()],
            moved: vec![false; body.locals.len()],
            homes: vec![0; body.locals.len()],
            regions: vec![0],
            made: 0,
        };
        for statement in body.body.iter().flat_map(|block| &block.statements) {
            walk.statement(statement);
        }
        let assigned = &walk.assigned;
        let fixed = body.locals.iter().zip(assigned).map(|(local, assigned)| {
            let bound = local.extent().map(|bound| bound.parameters().into_iter().any(|index| walk.assigned[index]));
            !assigned && bound == Some(false)
        });
        let mut origins = Origins { function, followed: FxHashMap::default(), fixed: fixed.collect() };
        origins.follow(program, &walk);
        origins
    }

    /// The greatest set of locals each of whose sources leads into something.
    fn follow(&mut self, program: &Program, walk: &Walk<'_>) {
        let locals = &program.functions[self.function.0 as usize].locals;
        let mut sources: FxHashMap<LocalId, Vec<Source>> = FxHashMap::default();
        for (&local, values) in &walk.sources {
            sources.insert(local, values.iter().map(|value| Source::Value(value)).collect());
        }
        let parameters = program.functions[self.function.0 as usize].parameters;
        for (index, local) in locals.iter().enumerate().take(parameters) {
            if local.extent().is_some() {
                sources.entry(LocalId(index as u32)).or_default().push(Source::Itself);
            }
        }
        sources.retain(|local, values| {
            let index = local.0 as usize;
            let ty = locals[index].ty;
            let is_pointer = program.types.pointee(ty).is_some() && program.types.length(ty) == 1;
            let is_given = index < parameters && locals[index].extent().is_none();
            is_pointer && !is_given && !walk.lost[index] && !self.fixed[index] && !values.is_empty()
        });
        let pointee = |local: LocalId| {
            let pointee = program.types.pointee(locals[local.0 as usize].ty).expect("a pointer");
            program.types.size(pointee)
        };
        // All might be followed; what they lead into comes with what is known, until nothing changes.
        let mut open: FxHashSet<LocalId> = sources.keys().copied().collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (&local, values) in &sources {
                if !open.contains(&local) && !self.followed.contains_key(&local) {
                    continue;
                }
                let mut all: Option<Origin> = None;
                let mut is_good = true;
                for value in values {
                    let found = match value {
                        Source::Itself => {
                            Some(Origin { name: Some(locals[local.0 as usize].name.clone()), element: pointee(local) })
                        }
                        Source::Value(value) if is_null(value) || root(value).is_some_and(|root| open.contains(&root)) => {
                            continue;
                        }
                        Source::Value(value) => self.given(program, value, local),
                    };
                    let before = all.take();
                    all = match (before, found) {
                        (None, Some(found)) => Some(found),
                        (Some(before), Some(found)) if before.element == found.element => {
                            let name = before.name.filter(|name| found.name.as_ref() == Some(name));
                            Some(Origin { name, element: found.element })
                        }
                        _ => None,
                    };
                    if all.is_none() {
                        is_good = false;
                        break;
                    }
                }
                // A pointer to something else than elements moves by something else.
                is_good &= !walk.moved[local.0 as usize] || all.as_ref().is_none_or(|all| all.element == pointee(local));
                if !is_good {
                    open.remove(&local);
                    self.followed.remove(&local);
                    changed = true;
                } else if all.is_some() && self.followed.get(&local) != all.as_ref() {
                    open.remove(&local);
                    self.followed.extend(all.map(|all| (local, all)));
                    changed = true;
                }
            }
        }
        // What is only ever null, or given in a circle, leads nowhere.
        self.followed.extend(open.into_iter().map(|local| (local, Origin { name: None, element: pointee(local) })));
    }

    /// The locals that are followed.
    pub fn followed(&self) -> impl Iterator<Item = (LocalId, &Origin)> {
        self.followed.iter().map(|(local, origin)| (*local, origin))
    }

    /// What a followed local leads into.
    pub fn local(&self, local: LocalId) -> Option<&Origin> {
        self.followed.get(&local)
    }

    /// Is it a parameter of so many elements, or a `scratch` array, that stays what it is?
    pub fn is_fixed(&self, local: LocalId) -> bool {
        self.fixed[local.0 as usize]
    }

    /// The origin of what a local is given.
    fn given(&self, program: &Program, value: &Expr, local: LocalId) -> Option<Origin> {
        match &value.kind {
            ExprKind::New(_, counts) => {
                let [count] = &counts[..] else { return None };
                let element = program.types.pointee(value.ty).map(|pointee| program.types.size(pointee))?;
                let is_one = is_plain(count) && program.types.length(count.ty) == 1;
                let name = program.functions[self.function.0 as usize].locals[local.0 as usize].name.clone();
                is_one.then_some(Origin { name: Some(name), element })
            }
            _ => self.pointer(program, value),
        }
    }

    /// What a pointer leads into. It does as long as nothing is stored, which is when it has just been evaluated.
    pub fn pointer(&self, program: &Program, pointer: &Expr) -> Option<Origin> {
        let size = |pointer: Type| program.types.pointee(pointer).map(|pointee| program.types.size(pointee));
        match &pointer.kind {
            ExprKind::Broadcast(inner) => self.pointer(program, inner),
            ExprKind::Convert(inner) => program.types.pointee(inner.ty).and_then(|_| self.pointer(program, inner)),
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) if self.is_fixed(*local) => {
                let local = &program.functions[self.function.0 as usize].locals[local.0 as usize];
                Some(Origin { name: Some(local.name.clone()), element: size(local.ty)? })
            }
            ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => self.followed.get(local).cloned(),
            ExprKind::PointerOffset(base, index) => {
                let origin = self.pointer(program, base)?;
                let is_known = program.types.length(index.ty) == 1 && is_plain(index) && size(base.ty) == Some(origin.element);
                is_known.then_some(origin)
            }
            ExprKind::AddressOf(place) if place.addresses == 1 => self.place(program, place),
            _ => None,
        }
    }

    /// What the address of a place leads into.
    fn place(&self, program: &Program, place: &Place) -> Option<Origin> {
        let element = program.types.size(place.object);
        let name = |place: &Place| program.place_name(self.function, place).map(str::to_owned);
        match &place.kind {
            // Behind a pointer to an element of a row come those of the next row.
            PlaceKind::Element(array, index)
                if is_plain(index)
                    && matches!(array.kind, PlaceKind::Local(_) | PlaceKind::Global(_))
                    && matches!(program.types.kind(array.object), TypeKind::Array { .. }) =>
            {
                Some(Origin { name: name(array), element })
            }
            PlaceKind::Local(_) | PlaceKind::Global(_) => Some(Origin { name: name(place), element }),
            PlaceKind::Dereference(pointer) => self.pointer(program, pointer),
            PlaceKind::Element(..) | PlaceKind::Member(..) | PlaceKind::Temporary(_) => None,
        }
    }
}

/// A walk over a function.
struct Walk<'p> {
    sources: FxHashMap<LocalId, Vec<&'p Expr>>,
    /// Has somebody the address of the local, or is it changed by the rounds of a parallel loop around which it lives?
    lost: Vec<bool>,
    assigned: Vec<bool>,
    /// Is a number added to it, or subtracted from it?
    moved: Vec<bool>,
    /// The parallel loop in which a local lives, by number; 0 is the function.
    homes: Vec<u32>,
    regions: Vec<u32>,
    made: u32,
}

impl<'p> Walk<'p> {
    fn statement(&mut self, statement: &'p Statement) {
        let is_parallel = matches!(&statement.kind, StatementKind::Foreach { parallel: true, .. });
        if let StatementKind::Declare { local, initializer } = &statement.kind {
            self.homes[local.0 as usize] = *self.regions.last().expect("the function");
            self.sources.entry(*local).or_default().extend(initializer);
        }
        let mut parts = Vec::new();
        parts_of_statement(statement, &mut |part| parts.push(part));
        for part in parts {
            let is_body = matches!(part, Part::Block(_));
            if is_parallel && is_body {
                self.made += 1;
                self.regions.push(self.made);
            }
            self.part(part);
            if is_parallel && is_body {
                self.regions.pop();
            }
        }
    }

    fn part(&mut self, part: Part<'p>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Place(place) => parts_of(place).into_iter().for_each(|part| self.part(part)),
            Part::Block(block) => block.statements.iter().for_each(|statement| self.statement(statement)),
        }
    }

    fn expr(&mut self, e: &'p Expr) {
        match &e.kind {
            ExprKind::Assign { place, value } => {
                self.changed(place);
                if let PlaceKind::Local(local) = place.kind {
                    self.sources.entry(local).or_default().push(value);
                }
            }
            ExprKind::Compound { place, .. } => {
                self.changed(place);
                if let PlaceKind::Local(local) = place.kind {
                    self.moved[local.0 as usize] = true;
                }
            }
            ExprKind::SetLane { place, .. } => self.lose(place),
            ExprKind::AddressOf(place) => self.lose(place),
            _ => {}
        }
        let mut parts = Vec::new();
        parts_of_expr(e, &mut |part| parts.push(part));
        parts.into_iter().for_each(|part| self.part(part));
    }

    fn changed(&mut self, place: &Place) {
        if let Some(local) = variable(place) {
            self.assigned[local.0 as usize] = true;
            self.lost[local.0 as usize] |= self.homes[local.0 as usize] != *self.regions.last().expect("the function");
        }
    }

    fn lose(&mut self, place: &Place) {
        if let Some(local) = variable(place) {
            self.assigned[local.0 as usize] = true;
            self.lost[local.0 as usize] = true;
        }
    }
}

fn parts_of(place: &Place) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    parts_of_place(place, &mut |part| parts.push(part));
    parts
}

/// The local whose value a pointer was moved from.
fn root(e: &Expr) -> Option<LocalId> {
    match &e.kind {
        ExprKind::Broadcast(inner) | ExprKind::Convert(inner) | ExprKind::PointerOffset(inner, _) => root(inner),
        ExprKind::Load(Place { kind: PlaceKind::Local(local), .. }) => Some(*local),
        ExprKind::AddressOf(Place { kind: PlaceKind::Dereference(inner), .. }) => root(inner),
        _ => None,
    }
}

/// The local that a place is a part of.
fn variable(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(local) => Some(*local),
        PlaceKind::Member(base, _) | PlaceKind::Element(base, _) => variable(base),
        PlaceKind::Global(_) | PlaceKind::Dereference(_) | PlaceKind::Temporary(_) => None,
    }
}
