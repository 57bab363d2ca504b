//! A typed function while it is made: its locals, the blocks that are open, and the expressions of which statements consist.
//!
//! What `check` inserts by the rules of the language stands here in one place each: E-BROADCAST where lengths meet ([`Body::level`]),
//! E-DEREF with the type of what is loaded ([`Body::at`]).

use crate::check::schedules::{Target, new_local};
use crate::source::Span;
use crate::target::Memory;
use crate::typed::ir::{
    BinaryOp, Block, Builtin, CompareOp, Constant, Expr, ExprKind, FunctionId, LaneOp, Local, LocalId, Place, PlaceKind,
    SliceBound, Statement, StatementKind, UnaryOp,
};
use crate::types::{Element, Type, TypeKind};

/// Bytes of the largest array on the stack.
const LARGEST_ON_STACK: u64 = 1 << 14;
/// The alignment of arrays in bytes.
const ALIGNMENT: u64 = 64;

/// A function that is being made.
pub(super) struct Body<'t> {
    pub target: &'t mut dyn Target,
    /// What the statements and expressions at hand are made from.
    pub span: Span,
    locals: Vec<Local>,
    /// The blocks that are open, the innermost last.
    open: Vec<Block>,
}

/// A function that is not finished while another one is made.
pub(super) struct Outer {
    locals: Vec<Local>,
    open: Vec<Block>,
}

impl<'t> Body<'t> {
    /// No function yet.
    pub fn new(target: &'t mut dyn Target, span: Span) -> Self {
        Body { target, span, locals: Vec::new(), open: Vec::new() }
    }

    /// Begins a function whose locals are its parameters, in context Λ.
    pub fn begin(&mut self, parameters: Vec<Local>, context: u8) -> Outer {
        let outer = Outer { locals: std::mem::replace(&mut self.locals, parameters), open: std::mem::take(&mut self.open) };
        self.open(context);
        outer
    }

    /// Gives a function its body.
    pub fn finish(&mut self, function: FunctionId, outer: Outer) {
        let body = self.close();
        assert!(self.open.is_empty(), "all blocks of the function are closed");
        let locals = std::mem::replace(&mut self.locals, outer.locals);
        self.open = outer.open;
        self.target.finish(function, locals, body);
    }

    /// Λ
    pub fn context(&self) -> u8 {
        self.innermost().context
    }

    fn innermost(&self) -> &Block {
        self.open.last().expect("a block is open")
    }

    /// How many statements the block at hand has.
    pub fn position(&self) -> usize {
        self.innermost().statements.len()
    }

    /// Takes the statements of the block at hand from a position on.
    pub fn split_off(&mut self, position: usize) -> Vec<Statement> {
        self.open.last_mut().expect("a block is open").statements.split_off(position)
    }

    /// Such statements stand here now.
    pub fn extend(&mut self, statements: Vec<Statement>) {
        self.open.last_mut().expect("a block is open").statements.extend(statements);
    }

    /// Opens a block.
    pub fn open(&mut self, context: u8) {
        self.open.push(Block { context, statements: Vec::new() });
    }

    /// Closes the innermost one.
    pub fn close(&mut self) -> Block {
        self.open.pop().expect("a block is open")
    }

    /// The statement that comes next.
    pub fn push(&mut self, kind: StatementKind) {
        let statement = Statement { kind, span: self.span };
        self.open.last_mut().expect("a block is open").statements.push(statement);
    }

    /// An expression for its effects.
    pub fn run(&mut self, e: Expr) {
        self.push(StatementKind::Expression(e));
    }

    /// `if (condition) { … }` on a scalar; `then` closes what it opens.
    pub fn when(&mut self, condition: Expr, then: impl FnOnce(&mut Self)) {
        self.open(self.context());
        then(self);
        let then = self.close();
        self.if_only(condition, then);
    }

    /// The same with statements that are there.
    pub fn if_only(&mut self, condition: Expr, then: Block) {
        let otherwise = Block { context: then.context, statements: Vec::new() };
        self.push(StatementKind::If { condition, then, otherwise });
    }

    /// A further variable.
    pub fn local(&mut self, name: &str, ty: Type) -> LocalId {
        self.locals.push(new_local(name, ty, self.span));
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The type of a variable.
    pub fn type_of(&self, local: LocalId) -> Type {
        self.locals[local.0 as usize].ty
    }

    /// `T name = value;`
    pub fn declare(&mut self, name: &str, value: Expr) -> LocalId {
        let local = self.local(name, value.ty);
        self.push(StatementKind::Declare { local, initializer: Some(value) });
        local
    }

    /// `T name = value;`, and the variable's value.
    pub fn named(&mut self, name: &str, value: Expr) -> Expr {
        let local = self.declare(name, value);
        self.load(local)
    }

    /// The value of a variable.
    pub fn load(&self, local: LocalId) -> Expr {
        self.load_at(self.place_of(local))
    }

    /// Where a variable is.
    pub fn place_of(&self, local: LocalId) -> Place {
        let ty = self.type_of(local);
        Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span: self.span }
    }

    /// The value at a place.
    pub fn load_at(&self, place: Place) -> Expr {
        let ty = place.ty;
        self.expr(ExprKind::Load(place), ty)
    }

    /// `place = value;`
    pub fn store(&mut self, place: Place, value: Expr) {
        let value = self.broadcast(value, place.ty);
        let ty = place.ty;
        let assign = self.expr(ExprKind::Assign { place, value: Box::new(value) }, ty);
        self.run(assign);
    }

    /// An expression of a type.
    pub fn expr(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: self.span }
    }

    /// ⟨element | length⟩
    pub fn vector(&mut self, element: Element, length: u8) -> Type {
        self.target.types().vector(element, length)
    }

    /// ⟨element | 1⟩
    pub fn scalar(&mut self, element: Element) -> Type {
        self.vector(element, 1)
    }

    /// ‖τ‖ of an expression.
    pub fn length(&mut self, e: &Expr) -> u8 {
        self.target.types().length(e.ty)
    }

    /// The element of an expression that is a number; of one in error any.
    pub fn element(&mut self, e: &Expr) -> Element {
        self.target.types().element(e.ty).unwrap_or(Element::Int32)
    }

    /// A constant.
    pub fn constant(&mut self, constant: Constant, element: Element) -> Expr {
        let ty = self.scalar(element);
        self.expr(ExprKind::Constant(constant), ty)
    }

    /// An integer of a type.
    pub fn integer(&mut self, value: i64, element: Element) -> Expr {
        let bits = if element.bits() < 64 { value as u64 & ((1 << element.bits()) - 1) } else { value as u64 };
        self.constant(Constant::Int(bits), element)
    }

    /// An `int`.
    pub fn int(&mut self, value: i64) -> Expr {
        self.integer(value, Element::Int32)
    }

    /// An `int64`.
    pub fn long(&mut self, value: i64) -> Expr {
        self.integer(value, Element::Int64)
    }

    fn broadcast(&self, e: Expr, to: Type) -> Expr {
        let span = e.span;
        if e.ty == to { e } else { Expr { kind: ExprKind::Broadcast(Box::new(e)), ty: to, span } }
    }

    /// E-BROADCAST of a scalar to a length.
    pub fn at_length(&mut self, e: Expr, length: u8) -> Expr {
        let to = match *self.target.types().kind(e.ty) {
            TypeKind::Vector { element, .. } => self.vector(element, length),
            TypeKind::Pointer { pointee, .. } => self.target.types().pointer(pointee, length),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => e.ty,
        };
        self.broadcast(e, to)
    }

    /// Operands at the greatest length among them.
    pub fn level<const N: usize>(&mut self, operands: [Expr; N]) -> [Expr; N] {
        let length = operands.iter().map(|e| self.length(e)).max().unwrap_or(1);
        operands.map(|e| self.at_length(e, length))
    }

    /// `a op b` on operands of one element.
    pub fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.level([a, b]);
        let ty = a.ty;
        self.expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    /// a + b
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Add, a, b)
    }

    /// a − b
    pub fn subtract(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Subtract, a, b)
    }

    /// a · b
    pub fn multiply(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Multiply, a, b)
    }

    /// −a, `!a`, `~a`
    pub fn unary(&mut self, op: UnaryOp, a: Expr) -> Expr {
        let ty = a.ty;
        self.expr(ExprKind::Unary(op, Box::new(a)), ty)
    }

    /// `!a`
    pub fn not(&mut self, a: Expr) -> Expr {
        self.unary(UnaryOp::Not, a)
    }

    /// A comparison of operands of one element.
    pub fn compare(&mut self, op: CompareOp, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.level([a, b]);
        let length = self.length(&a);
        let ty = self.vector(Element::Bool, length);
        self.expr(ExprKind::Compare(op, Box::new(a), Box::new(b)), ty)
    }

    /// `a && b` or `a || b`.
    pub fn lazy(&mut self, make: fn(Box<Expr>, Box<Expr>) -> ExprKind, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.level([a, b]);
        let ty = a.ty;
        self.expr(make(Box::new(a), Box::new(b)), ty)
    }

    /// Are all of these? They are evaluated at once.
    pub fn all(&mut self, conditions: Vec<Expr>) -> Expr {
        self.joined(BinaryOp::BitAnd, conditions).unwrap_or_else(|| self.constant(Constant::Bool(true), Element::Bool))
    }

    /// a op b op c …, from the left.
    pub fn joined(&mut self, op: BinaryOp, operands: Vec<Expr>) -> Option<Expr> {
        operands.into_iter().reduce(|a, b| self.binary(op, a, b))
    }

    /// `c ? a : b`
    pub fn conditional(&mut self, c: Expr, a: Expr, b: Expr) -> Expr {
        let ([a, b], length) = (self.level([a, b]), self.length(&c));
        let (a, b) = if length > 1 { (self.at_length(a, length), self.at_length(b, length)) } else { (a, b) };
        let ty = a.ty;
        self.expr(ExprKind::Conditional(Box::new(c), Box::new(a), Box::new(b)), ty)
    }

    /// A conversion at equal length.
    pub fn convert(&mut self, e: Expr, element: Element) -> Expr {
        let length = self.length(&e);
        let ty = self.vector(element, length);
        if e.ty == ty { e } else { self.expr(ExprKind::Convert(Box::new(e)), ty) }
    }

    /// In 64 bits.
    pub fn wide(&mut self, e: Expr) -> Expr {
        self.convert(e, Element::Int64)
    }

    /// A built-in that works lane by lane. What a `select` chooses by may be a scalar.
    pub fn builtin(&mut self, op: LaneOp, operands: Vec<Expr>, element: Element) -> Expr {
        let length = operands.iter().map(|e| self.length(e)).max().unwrap_or(1);
        let is_choice = |k: usize| op == LaneOp::Select && k == 0;
        let mut level = Vec::with_capacity(operands.len());
        for (k, e) in operands.into_iter().enumerate() {
            level.push(if is_choice(k) { e } else { self.at_length(e, length) });
        }
        let ty = self.vector(element, length);
        self.expr(ExprKind::Builtin(Builtin::Lane(op), level), ty)
    }

    /// Any other built-in.
    pub fn other(&mut self, builtin: Builtin, operands: Vec<Expr>, ty: Type) -> Expr {
        self.expr(ExprKind::Builtin(builtin, operands), ty)
    }

    /// A call.
    pub fn call(&mut self, function: FunctionId, arguments: Vec<Expr>) -> Expr {
        let ty = self.target.function(function).result;
        self.expr(ExprKind::Call { function, arguments }, ty)
    }

    /// p + i, in elements.
    pub fn offset(&mut self, pointer: Expr, by: Expr) -> Expr {
        let length = self.length(&by);
        let pointer = if length > 1 { self.at_length(pointer, length) } else { pointer };
        let ty = pointer.ty;
        self.expr(ExprKind::PointerOffset(Box::new(pointer), Box::new(by)), ty)
    }

    /// E-DEREF: where a pointer leads.
    pub fn at(&mut self, pointer: Expr) -> Place {
        let TypeKind::Pointer { pointee, length } = *self.target.types().kind(pointer.ty) else { unreachable!("a pointer") };
        let ty = match *self.target.types().kind(pointee) {
            // Lane i reads component i of a vector (figure 10).
            TypeKind::Vector { element, .. } if length > 1 => self.vector(element, length),
            _ => pointee,
        };
        Place { kind: PlaceKind::Dereference(Box::new(pointer)), object: pointee, addresses: length, ty, span: self.span }
    }

    /// A member of a record.
    pub fn member(&mut self, of: Place, index: usize) -> Place {
        let ty = self.target.types().members(of.ty)[index].ty;
        let addresses = of.addresses;
        Place { kind: PlaceKind::Member(Box::new(of), index), object: ty, addresses, ty, span: self.span }
    }

    /// An element of an array in a place.
    pub fn element_at(&mut self, of: Place, index: usize) -> Place {
        let TypeKind::Array { element, .. } = *self.target.types().kind(of.ty) else { unreachable!("an array") };
        let (addresses, index) = (of.addresses, self.int(index as i64));
        let kind = PlaceKind::Element(Box::new(of), Box::new(index));
        Place { kind, object: element, addresses, ty: element, span: self.span }
    }

    /// A number of a view that is a variable, or that a variable leads to: an element of `min`, `extent` or `stride`.
    pub fn of_view(&mut self, view: LocalId, part: usize, d: usize) -> Place {
        let mut place = self.place_of(view);
        if self.target.types().pointee(place.ty).is_some() {
            let pointer = self.load(view);
            place = self.at(pointer);
        }
        let array = self.member(place, part);
        self.element_at(array, d)
    }

    /// Its value.
    pub fn number_of_view(&mut self, view: LocalId, part: usize, d: usize) -> Expr {
        let place = self.of_view(view, part, d);
        self.load_at(place)
    }

    /// `scratch T name[count];`: a pointer to the first element. Small arrays of constant length are on the stack; the owner of others
    /// gives them back ([`Body::release`]).
    pub fn scratch(&mut self, name: &str, object: Type, count: Expr, constant: Option<u64>) -> Scratch {
        let pointer = self.target.types().pointer(object, 1);
        let size = self.target.types().size(object);
        let constant = constant.filter(|n| n.saturating_mul(size) <= LARGEST_ON_STACK);
        let (value, elements) = match constant {
            Some(n) => {
                let array = self.target.types().array(object, n.max(1));
                let local = self.local(name, array);
                self.locals[local.0 as usize].alignment = ALIGNMENT;
                self.push(StatementKind::Declare { local, initializer: None });
                let array = self.place_of(local);
                let first = self.element_at(array, 0);
                (ExprKind::AddressOf(first), SliceBound::Constant(n))
            }
            None => {
                let zero = self.long(0);
                let count = self.builtin(LaneOp::Max, vec![count, zero], Element::Int64);
                let elements = self.declare("elements", count);
                (ExprKind::New(Memory::Scratch, vec![self.load(elements)]), SliceBound::Parameter(elements.0 as usize))
            }
        };
        let value = self.expr(value, pointer);
        let local = self.declare(name, value);
        self.locals[local.0 as usize].elements = Some(elements);
        Scratch { pointer: local, is_owned: constant.is_none() }
    }

    /// Gives an array back.
    pub fn release(&mut self, pointer: LocalId) {
        let pointer = self.load(pointer);
        self.push(StatementKind::Delete(Memory::Scratch, pointer));
    }
}

/// A `scratch` array.
pub(super) struct Scratch {
    /// Points to its first element.
    pub pointer: LocalId,
    /// Is it given back at the end of its scope?
    pub is_owned: bool,
}
