//! What a typed function does, without its names, and without how it computes coordinates and addresses.
//!
//! ```text
//! parallel 1 > 1 > 32: A1 = uint16(floor_div(Add(Add(int(A0), int(A0)), int(A0)), Int(3)))
//! ```
//! A line for each store: the loops around it (`parallel` or not, the lanes), the array, and the value. Arrays have numbers in the order
//! in which they appear; variables stand for their values; whole numbers that are computed of loops and windows are `i`.

use ivlc::typed::ir::{
    Block, Builtin, Constant, Expr, ExprKind, ForeachIndex, Function, FunctionId, LocalId, Place, PlaceKind, Program, Statement,
    StatementKind,
};
use ivlc::typed::walk::{Part, every_expr, parts_of_expr};
use ivlc::types::Element;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The stores of a function. Functions of `source` go by their names.
pub fn shape(program: &Program, name: &str, source: &str) -> Vec<String> {
    let found = program.functions.iter().find(|f| f.name == name && f.body.is_some());
    let function = found.unwrap_or_else(|| panic!("there is no `{name}`"));
    let mut shape = Shape { program, source, arrays: Vec::new(), stores: Vec::new(), loops: Vec::new() };
    let mut scope = Scope::of(function);
    shape.block(function.body.as_ref().expect("it has one"), &mut scope);
    shape.stores
}

/// What the locals of a function are.
struct Scope<'p> {
    function: &'p Function,
    /// Those that change.
    changing: HashSet<LocalId>,
    values: HashMap<LocalId, String>,
    /// The arrays that pointers and views point to.
    arrays: HashMap<LocalId, String>,
}

impl<'p> Scope<'p> {
    fn of(function: &'p Function) -> Scope<'p> {
        let changing = function.body.as_ref().map(assigned).unwrap_or_default();
        let mut arrays = HashMap::new();
        for (k, local) in function.locals[..function.parameters].iter().enumerate() {
            arrays.insert(LocalId(k as u32), format!("parameter {}", local.name));
        }
        Scope { function, changing, values: HashMap::new(), arrays }
    }
}

/// The locals that are assigned to.
fn assigned(block: &Block) -> HashSet<LocalId> {
    let mut found = HashSet::new();
    every_expr(block, &mut |e| {
        if let ExprKind::Assign { place, .. } | ExprKind::Compound { place, .. } | ExprKind::SetLane { place, .. } = &e.kind
            && let PlaceKind::Local(local) = place.kind
        {
            found.insert(local);
        }
    });
    found
}

struct Shape<'p> {
    program: &'p Program,
    source: &'p str,
    /// The arrays that were met.
    arrays: Vec<String>,
    stores: Vec<String>,
    loops: Vec<String>,
}

/// A whole number that is computed of loops and windows.
const COORDINATE: &str = "i";

/// Of a longer value there is a digest: one that stands for itself in each of several others has no end else.
const LONG: usize = 400;

impl<'p> Shape<'p> {
    fn block(&mut self, block: &Block, scope: &mut Scope<'p>) {
        block.statements.iter().for_each(|s| self.statement(s, scope));
    }

    fn inside(&mut self, what: String, block: &Block, scope: &mut Scope<'p>) {
        self.loops.push(what);
        self.block(block, scope);
        self.loops.pop();
    }

    fn statement(&mut self, s: &Statement, scope: &mut Scope<'p>) {
        match &s.kind {
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(block, scope),
            StatementKind::Declare { local, initializer } => {
                if let Some(e) = initializer {
                    self.declare(*local, e, scope);
                }
            }
            StatementKind::Expression(e) => self.effect(e, scope),
            StatementKind::If { condition: _, then, otherwise } => {
                self.inside("if".into(), then, scope);
                self.inside("else".into(), otherwise, scope);
            }
            StatementKind::Foreach { parallel, indices, body, unrolling: _ } => {
                for ForeachIndex { local, .. } in indices {
                    scope.values.insert(*local, COORDINATE.into());
                    let lanes = self.program.types.length(scope.function.locals[local.0 as usize].ty);
                    self.loops.push(format!("{}{lanes}", if *parallel { "parallel " } else { "" }));
                }
                self.block(body, scope);
                self.loops.truncate(self.loops.len() - indices.len());
            }
            StatementKind::ForeachActive { index, body } => {
                scope.values.insert(*index, COORDINATE.into());
                self.inside("lane".into(), body, scope);
            }
            StatementKind::Loop { body, .. } | StatementKind::ForeachUnique { body, .. } => {
                self.inside("loop".into(), body, scope)
            }
            StatementKind::Switch { arms, .. } => arms.iter().for_each(|arm| self.inside("arm".into(), &arm.body, scope)),
            StatementKind::Break | StatementKind::Continue | StatementKind::Return(_) | StatementKind::Delete(..) => {}
        }
    }

    fn declare(&mut self, local: LocalId, e: &Expr, scope: &mut Scope<'p>) {
        let points = self.program.types.pointee(scope.function.locals[local.0 as usize].ty).is_some();
        match &e.kind {
            ExprKind::New(..) => _ = scope.arrays.insert(local, format!("{} of {}", local.0, scope.function.name)),
            ExprKind::Aggregate(parts) if !parts.is_empty() => {
                let array = self.array(&parts[0], scope);
                scope.arrays.insert(local, array);
            }
            _ if points => {
                let array = self.array(e, scope);
                scope.arrays.insert(local, array);
            }
            _ if scope.changing.contains(&local) => {}
            _ => {
                let value = self.value(e, scope);
                scope.values.insert(local, value);
            }
        }
    }

    fn effect(&mut self, e: &Expr, scope: &mut Scope<'p>) {
        let text = match &e.kind {
            ExprKind::Assign { place, value } => {
                let value = self.value(value, scope);
                format!("{} = {value}", self.place(place, scope))
            }
            ExprKind::Compound { place, op, value, .. } => {
                let value = self.value(value, scope);
                format!("{} {op:?}= {value}", self.place(place, scope))
            }
            ExprKind::Builtin(builtin @ (Builtin::Effect(_) | Builtin::Cross(_)), operands) => {
                let operands: Vec<String> = operands.iter().map(|e| self.value(e, scope)).collect();
                format!("{builtin:?}({})", operands.join(", "))
            }
            _ => return,
        };
        self.stores.push(format!("{}: {text}", self.loops.join(" > ")));
    }

    /// The name of an array.
    fn name_of(&mut self, array: String) -> String {
        let at = self.arrays.iter().position(|known| *known == array).unwrap_or_else(|| {
            self.arrays.push(array);
            self.arrays.len() - 1
        });
        format!("A{at}")
    }

    fn place(&mut self, place: &Place, scope: &mut Scope<'p>) -> String {
        match &place.kind {
            PlaceKind::Local(local) => scope.values.get(local).cloned().unwrap_or_else(|| "v".into()),
            PlaceKind::Dereference(e) => {
                let array = self.array(e, scope);
                self.name_of(array)
            }
            PlaceKind::Element(of, _) => self.place(of, scope),
            PlaceKind::Member(..) | PlaceKind::Global(_) | PlaceKind::Temporary(_) => COORDINATE.into(),
        }
    }

    /// The array that a pointer or a view points to.
    fn array(&mut self, e: &Expr, scope: &mut Scope<'p>) -> String {
        match &e.kind {
            ExprKind::PointerOffset(a, _) | ExprKind::Convert(a) | ExprKind::Broadcast(a) => self.array(a, scope),
            ExprKind::Conditional(_, a, _) => self.array(a, scope),
            ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                let mut place = place;
                while let PlaceKind::Member(of, _) | PlaceKind::Element(of, _) = &place.kind {
                    place = of;
                }
                match &place.kind {
                    PlaceKind::Local(local) => {
                        scope.arrays.get(local).cloned().unwrap_or_else(|| format!("{} of {}", local.0, scope.function.name))
                    }
                    PlaceKind::Dereference(e) => self.array(e, scope),
                    _ => "?".into(),
                }
            }
            _ => "?".into(),
        }
    }

    fn value(&mut self, e: &Expr, scope: &mut Scope<'p>) -> String {
        match &e.kind {
            ExprKind::Load(place) => self.place(place, scope),
            ExprKind::Broadcast(a) | ExprKind::Within(a, _) => self.value(a, scope),
            ExprKind::Call { function, arguments } => self.call(*function, arguments, e, scope),
            ExprKind::Constant(constant) => format!("{constant:?}"),
            _ => {
                let mut parts = Vec::new();
                parts_of_expr(e, &mut |part| match part {
                    Part::Expr(e) => parts.push(e),
                    Part::Place(_) | Part::Block(_) => {}
                });
                let parts: Vec<String> = parts.into_iter().map(|e| self.value(e, scope)).collect();
                let head = match &e.kind {
                    ExprKind::Unary(op, _) => format!("{op:?}"),
                    ExprKind::Binary(op, ..) => format!("{op:?}"),
                    ExprKind::Compare(op, ..) => format!("{op:?}"),
                    ExprKind::Builtin(builtin, _) => format!("{builtin:?}"),
                    ExprKind::Convert(_) => self.element(e).map_or("cast".into(), |element| element.name().to_owned()),
                    ExprKind::And(..) => "and".into(),
                    ExprKind::Or(..) => "or".into(),
                    ExprKind::Conditional(..) => "if".into(),
                    other => format!("{:?}", std::mem::discriminant(other)),
                };
                self.combined(head, parts, e)
            }
        }
    }

    fn element(&self, e: &Expr) -> Option<Element> {
        self.program.types.element(e.ty)
    }

    fn combined(&self, head: String, parts: Vec<String>, e: &Expr) -> String {
        let is_whole = self.element(e).is_some_and(|element| !element.is_float());
        let is_coordinate = |part: &String| part == COORDINATE || part.starts_with("Int(") || part.starts_with("Bool(");
        if is_whole && parts.iter().all(is_coordinate) {
            return COORDINATE.into();
        }
        // A whole number is the same number as a float, whichever stage says so.
        if let [part] = &parts[..]
            && matches!(e.kind, ExprKind::Convert(_))
            && let Some(n) = part.strip_prefix("Int(").and_then(|n| n.strip_suffix(")")?.parse::<u64>().ok())
        {
            return format!("{:?}", Constant::Float(n as f64));
        }
        let text = format!("{head}({})", parts.join(", "));
        if text.len() <= LONG {
            return text;
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        format!("{head}(… {:016x})", hasher.finish())
    }

    /// A call: what it returns, if it has nothing else in it.
    fn call(&mut self, callee: FunctionId, arguments: &[Expr], e: &Expr, scope: &mut Scope<'p>) -> String {
        let function = &self.program.functions[callee.0 as usize];
        let given: Vec<String> = arguments.iter().map(|e| self.value(e, scope)).collect();
        if let Some(Block { statements, .. }) = &function.body
            && let [Statement { kind: StatementKind::Return(Some(value)), .. }] = &statements[..]
        {
            let mut inner = Scope::of(function);
            for (k, value) in given.into_iter().enumerate() {
                inner.values.insert(LocalId(k as u32), value);
            }
            return self.value(value, &mut inner);
        }
        let is_named = function.is_library || self.source.contains(&format!(" {}(", function.name));
        self.combined(if is_named { function.name.clone() } else { "helper".into() }, given, e)
    }
}
