//! A typed function while it is made: its locals, the blocks that are open, and the expressions of which statements consist.
//!
//! What `check` inserts by the rules of the language stands here in one place each: E-BROADCAST where lengths meet ([`Body::level`]),
//! E-DEREF with the type of what is loaded ([`Body::at`]).

use crate::check::schedules::{Refusal, Target, new_local};
use crate::source::Span;
use crate::target::{Channel, Memory, Unrolling};
use crate::typed::ir::{
    BinaryOp, Block, Builtin, CompareOp, Constant, Expr, ExprKind, ForeachIndex, FunctionId, LaneOp, Local, LocalId,
    ParameterKind, Place, PlaceKind, PrintPiece, SliceBound, Statement, StatementKind, UnaryOp,
};
use crate::types::{Element, Type, TypeKind};
use std::cell::{Cell, RefCell, RefMut};

/// Bytes of the largest array on the stack.
const LARGEST_ON_STACK: u64 = 1 << 14;
/// The alignment of arrays in bytes.
const ALIGNMENT: u64 = 64;

/// The members of a view.
pub(super) mod member {
    pub const DATA: usize = 0;
    pub const MIN: usize = 1;
    pub const EXTENT: usize = 2;
    pub const STRIDE: usize = 3;
}

/// A parameter of a function.
pub(super) fn parameter(index: usize) -> LocalId {
    LocalId(index as u32)
}

/// A function that is being made. Its parts are made by shared reference, so that they stand in one another as they do in a formula.
pub(super) struct Body<'t> {
    target: RefCell<&'t mut dyn Target>,
    /// What the statements and expressions at hand are made from.
    pub span: Cell<Span>,
    locals: RefCell<Vec<Local>>,
    /// The blocks that are open, the innermost last.
    open: RefCell<Vec<Block>>,
}

impl<'t> Body<'t> {
    /// No function yet.
    pub fn new(target: &'t mut dyn Target, span: Span) -> Self {
        let (locals, open) = (RefCell::default(), RefCell::default());
        Body { target: RefCell::new(target), span: Cell::new(span), locals, open }
    }

    /// What it is lowered to, for one question: nothing is made meanwhile.
    pub fn target(&self) -> RefMut<'_, &'t mut dyn Target> {
        self.target.borrow_mut()
    }

    /// Gives a function its body, of which the statements are made by `work`. Another function that is being made waits.
    pub fn body(&self, function: FunctionId, work: impl FnOnce()) {
        let (parameters, context) = {
            let target = self.target();
            let function = target.function(function);
            (function.locals.clone(), function.context)
        };
        let (locals, open) = (self.locals.replace(parameters), self.open.take());
        let body = self.block(context, work);
        self.open.replace(open);
        let locals = self.locals.replace(locals);
        self.target().finish(function, locals, body);
    }

    /// Λ
    pub fn context(&self) -> u8 {
        self.open.borrow().last().expect("a block is open").context
    }

    /// The block of the statements that `work` makes.
    pub fn block(&self, context: u8, work: impl FnOnce()) -> Block {
        self.open.borrow_mut().push(Block { context, statements: Vec::new() });
        work();
        self.open.borrow_mut().pop().expect("a block is open")
    }

    /// Such statements stand here now.
    pub fn extend(&self, statements: Vec<Statement>) {
        self.open.borrow_mut().last_mut().expect("a block is open").statements.extend(statements);
    }

    /// The statement that comes next.
    pub fn push(&self, kind: StatementKind) {
        self.extend(vec![Statement { kind, span: self.span.get() }]);
    }

    /// An expression for its effects.
    pub fn run(&self, e: Expr) {
        self.push(StatementKind::Expression(e));
    }

    /// `return value;`
    pub fn give(&self, value: Expr) {
        self.push(StatementKind::Return(Some(value)));
    }

    /// `if (condition) { … }` on a scalar.
    pub fn when(&self, condition: Expr, then: impl FnOnce()) {
        let context = self.context();
        let (then, otherwise) = (self.block(context, then), self.block(context, || ()));
        self.push(StatementKind::If { condition, then, otherwise });
    }

    /// `foreach (local = low .. high) { … }`
    pub fn foreach(&self, parallel: bool, local: LocalId, [low, high]: [Expr; 2], body: Block) {
        self.push(StatementKind::Foreach {
            parallel,
            unrolling: Unrolling::Usual,
            indices: vec![ForeachIndex { local, low, high }],
            body,
        });
    }

    /// A further variable.
    pub fn local(&self, name: &str, ty: Type) -> LocalId {
        let mut locals = self.locals.borrow_mut();
        locals.push(new_local(name, ty, self.span.get()));
        LocalId(locals.len() as u32 - 1)
    }

    /// The type of a variable.
    pub fn type_of(&self, local: LocalId) -> Type {
        self.locals.borrow()[local.0 as usize].ty
    }

    /// What is written behind a pointer, or behind the one of a view, nobody accesses in another way.
    pub fn keep_apart(&self, local: LocalId) {
        self.locals.borrow_mut()[local.0 as usize].parameter = ParameterKind::Restrict;
    }

    /// `T name = value;`
    pub fn declare(&self, name: &str, value: Expr) -> LocalId {
        let local = self.local(name, value.ty);
        self.push(StatementKind::Declare { local, initializer: Some(value) });
        local
    }

    /// `T name = value;`, and the variable's value.
    pub fn named(&self, name: &str, value: Expr) -> Expr {
        self.load(self.declare(name, value))
    }

    /// The value of a variable.
    pub fn load(&self, local: LocalId) -> Expr {
        self.load_at(self.place_of(local))
    }

    /// Where a variable is.
    pub fn place_of(&self, local: LocalId) -> Place {
        let ty = self.type_of(local);
        Place { kind: PlaceKind::Local(local), object: ty, addresses: 1, ty, span: self.span.get() }
    }

    /// The value at a place.
    pub fn load_at(&self, place: Place) -> Expr {
        let ty = place.ty;
        self.expr(ExprKind::Load(place), ty)
    }

    /// `place = value;`
    pub fn store(&self, place: Place, value: Expr) {
        let (ty, value) = (place.ty, Box::new(self.broadcast(value, place.ty)));
        self.run(self.expr(ExprKind::Assign { place, value }, ty));
    }

    /// An expression of a type.
    pub fn expr(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: self.span.get() }
    }

    /// ⟨element | length⟩
    pub fn vector(&self, element: Element, length: u8) -> Type {
        self.target().types().vector(element, length)
    }

    /// ⟨element | 1⟩
    pub fn scalar(&self, element: Element) -> Type {
        self.vector(element, 1)
    }

    /// A pointer to one.
    pub fn pointer(&self, pointee: Type) -> Type {
        self.target().types().pointer(pointee, 1)
    }

    /// No value.
    pub fn void(&self) -> Type {
        self.target().types().void()
    }

    /// ‖τ‖ of an expression.
    pub fn length(&self, e: &Expr) -> u8 {
        self.target().types().length(e.ty)
    }

    /// The element of an expression that is a number; of one in error any.
    pub fn element(&self, e: &Expr) -> Element {
        self.target().types().element(e.ty).unwrap_or(Element::Int32)
    }

    /// A constant.
    pub fn constant(&self, constant: Constant, element: Element) -> Expr {
        self.expr(ExprKind::Constant(constant), self.scalar(element))
    }

    /// An integer of a type.
    pub fn integer(&self, value: i64, element: Element) -> Expr {
        let bits = if element.bits() < 64 { value as u64 & ((1 << element.bits()) - 1) } else { value as u64 };
        self.constant(Constant::Int(bits), element)
    }

    /// An `int`.
    pub fn int(&self, value: i64) -> Expr {
        self.integer(value, Element::Int32)
    }

    /// An `int64`.
    pub fn long(&self, value: i64) -> Expr {
        self.integer(value, Element::Int64)
    }

    /// The null pointer of a type.
    pub fn null(&self, ty: Type) -> Expr {
        self.expr(ExprKind::Constant(Constant::Null), ty)
    }

    fn broadcast(&self, e: Expr, to: Type) -> Expr {
        let span = e.span;
        if e.ty == to { e } else { Expr { kind: ExprKind::Broadcast(Box::new(e)), ty: to, span } }
    }

    /// E-BROADCAST of a scalar to a length.
    pub fn at_length(&self, e: Expr, length: u8) -> Expr {
        let mut target = self.target();
        let types = target.types();
        let to = match *types.kind(e.ty) {
            TypeKind::Vector { element, .. } => types.vector(element, length),
            TypeKind::Pointer { pointee, .. } => types.pointer(pointee, length),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => e.ty,
        };
        self.broadcast(e, to)
    }

    /// Operands at the greatest length among them.
    pub fn level<const N: usize>(&self, operands: [Expr; N]) -> [Expr; N] {
        let length = operands.iter().map(|e| self.length(e)).max().unwrap_or(1);
        operands.map(|e| self.at_length(e, length))
    }

    /// `a op b` on operands of one element.
    pub fn binary(&self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.level([a, b]);
        let ty = a.ty;
        self.expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    /// a + b
    pub fn add(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Add, a, b)
    }

    /// a − b
    pub fn subtract(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Subtract, a, b)
    }

    /// a · b
    pub fn multiply(&self, a: Expr, b: Expr) -> Expr {
        self.binary(BinaryOp::Multiply, a, b)
    }

    /// −a, `!a`, `~a`
    pub fn unary(&self, op: UnaryOp, a: Expr) -> Expr {
        let ty = a.ty;
        self.expr(ExprKind::Unary(op, Box::new(a)), ty)
    }

    /// `!a`
    pub fn not(&self, a: Expr) -> Expr {
        self.unary(UnaryOp::Not, a)
    }

    /// A comparison of operands of one element.
    pub fn compare(&self, op: CompareOp, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.level([a, b]);
        let ty = self.vector(Element::Bool, self.length(&a));
        self.expr(ExprKind::Compare(op, Box::new(a), Box::new(b)), ty)
    }

    /// `a && b` or `a || b`.
    pub fn lazy(&self, make: fn(Box<Expr>, Box<Expr>) -> ExprKind, a: Expr, b: Expr) -> Expr {
        let [a, b] = self.level([a, b]);
        let ty = a.ty;
        self.expr(make(Box::new(a), Box::new(b)), ty)
    }

    /// Are all of these? They are evaluated at once.
    pub fn all(&self, conditions: Vec<Expr>) -> Expr {
        self.joined(BinaryOp::BitAnd, conditions).unwrap_or_else(|| self.constant(Constant::Bool(true), Element::Bool))
    }

    /// a op b op c …, from the left.
    pub fn joined(&self, op: BinaryOp, operands: impl IntoIterator<Item = Expr>) -> Option<Expr> {
        operands.into_iter().reduce(|a, b| self.binary(op, a, b))
    }

    /// `c ? a : b`
    pub fn conditional(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        let ([a, b], length) = (self.level([a, b]), self.length(&c));
        let (a, b) = if length > 1 { (self.at_length(a, length), self.at_length(b, length)) } else { (a, b) };
        let ty = a.ty;
        self.expr(ExprKind::Conditional(Box::new(c), Box::new(a), Box::new(b)), ty)
    }

    /// A conversion at equal length.
    pub fn convert(&self, e: Expr, element: Element) -> Expr {
        let ty = self.vector(element, self.length(&e));
        self.converted(e, ty)
    }

    /// A conversion to a type.
    pub fn converted(&self, e: Expr, ty: Type) -> Expr {
        if e.ty == ty { e } else { self.expr(ExprKind::Convert(Box::new(e)), ty) }
    }

    /// In 64 bits.
    pub fn wide(&self, e: Expr) -> Expr {
        self.convert(e, Element::Int64)
    }

    /// A built-in that works lane by lane. What a `select` chooses by may be a scalar.
    pub fn builtin(&self, op: LaneOp, operands: Vec<Expr>, element: Element) -> Expr {
        let length = operands.iter().map(|e| self.length(e)).max().unwrap_or(1);
        let is_choice = |k: usize| op == LaneOp::Select && k == 0;
        let level = |(k, e)| if is_choice(k) { e } else { self.at_length(e, length) };
        let level = operands.into_iter().enumerate().map(level).collect();
        self.expr(ExprKind::Builtin(Builtin::Lane(op), level), self.vector(element, length))
    }

    /// The smaller one of two `int64`s, or the greater one.
    pub fn extremum(&self, op: LaneOp, a: Expr, b: Expr) -> Expr {
        self.builtin(op, vec![a, b], Element::Int64)
    }

    /// Any other built-in.
    pub fn other(&self, builtin: Builtin, operands: Vec<Expr>, ty: Type) -> Expr {
        self.expr(ExprKind::Builtin(builtin, operands), ty)
    }

    /// `get(vector, k)`
    pub fn lane(&self, vector: LocalId, k: LocalId, element: Element) -> Expr {
        self.other(Builtin::Get, vec![self.load(vector), self.load(k)], self.scalar(element))
    }

    /// A call.
    pub fn call(&self, function: FunctionId, arguments: Vec<Expr>) -> Expr {
        let ty = self.target().function(function).result;
        self.expr(ExprKind::Call { function, arguments }, ty)
    }

    /// p + i, in elements.
    pub fn offset(&self, pointer: Expr, by: Expr) -> Expr {
        let length = self.length(&by);
        let pointer = if length > 1 { self.at_length(pointer, length) } else { pointer };
        let ty = pointer.ty;
        self.expr(ExprKind::PointerOffset(Box::new(pointer), Box::new(by)), ty)
    }

    /// b − a of pointers to bytes.
    pub fn bytes_between(&self, a: Expr, b: Expr) -> Expr {
        self.expr(ExprKind::PointerDifference(Box::new(b), Box::new(a)), self.scalar(Element::Int64))
    }

    /// E-DEREF: where a pointer leads.
    pub fn at(&self, pointer: Expr) -> Place {
        let mut target = self.target();
        let types = target.types();
        let TypeKind::Pointer { pointee, length } = *types.kind(pointer.ty) else { unreachable!("a pointer") };
        let ty = match *types.kind(pointee) {
            // Lane i reads component i of a vector (figure 10).
            TypeKind::Vector { element, .. } if length > 1 => types.vector(element, length),
            _ => pointee,
        };
        Place { kind: PlaceKind::Dereference(Box::new(pointer)), object: pointee, addresses: length, ty, span: self.span.get() }
    }

    /// The value to which a pointer leads.
    pub fn pointed(&self, pointer: Expr) -> Expr {
        self.load_at(self.at(pointer))
    }

    /// A pointer to a variable.
    pub fn address_of(&self, local: LocalId) -> Expr {
        self.expr(ExprKind::AddressOf(self.place_of(local)), self.pointer(self.type_of(local)))
    }

    /// A member of a record.
    pub fn member(&self, of: Place, index: usize) -> Place {
        let ty = self.target().types().members(of.ty)[index].ty;
        let addresses = of.addresses;
        Place { kind: PlaceKind::Member(Box::new(of), index), object: ty, addresses, ty, span: self.span.get() }
    }

    /// An element of an array in a place.
    pub fn element_at(&self, of: Place, index: usize) -> Place {
        let TypeKind::Array { element, .. } = *self.target().types().kind(of.ty) else { unreachable!("an array") };
        let (addresses, index) = (of.addresses, self.int(index as i64));
        let kind = PlaceKind::Element(Box::new(of), Box::new(index));
        Place { kind, object: element, addresses, ty: element, span: self.span.get() }
    }

    /// A view that is a variable, or that a variable leads to.
    fn view(&self, view: LocalId) -> Place {
        let is_pointer = self.target().types().pointee(self.type_of(view)).is_some();
        if is_pointer { self.at(self.load(view)) } else { self.place_of(view) }
    }

    /// A number of a view: an element of `min`, `extent` or `stride`.
    pub fn of_view(&self, view: LocalId, part: usize, d: usize) -> Place {
        self.element_at(self.member(self.view(view), part), d)
    }

    /// Its value.
    pub fn number_of_view(&self, view: LocalId, part: usize, d: usize) -> Expr {
        self.load_at(self.of_view(view, part, d))
    }

    /// Where a view has the pointer to its pixels.
    pub fn data_of_view(&self, view: LocalId) -> Place {
        self.member(self.view(view), member::DATA)
    }

    /// Says something: each `%` stands for a number, and `%%` for itself.
    pub fn say(&self, channel: Channel, format: &str, numbers: Vec<Expr>) {
        let (mut pieces, mut text) = (Vec::new(), String::new());
        let (mut numbers, mut characters) = (numbers.into_iter(), format.chars().peekable());
        while let Some(c) = characters.next() {
            if c != '%' || characters.next_if_eq(&'%').is_some() {
                text.push(c);
                continue;
            }
            pieces.extend(Some(std::mem::take(&mut text)).filter(|text| !text.is_empty()).map(PrintPiece::Text));
            pieces.push(PrintPiece::Value(numbers.next().expect("a number for each %"), ivl::Format::default()));
        }
        pieces.extend(Some(text).filter(|text| !text.is_empty()).map(PrintPiece::Text));
        self.run(self.expr(ExprKind::Print(channel, pieces), self.void()));
    }
    /// Under this condition what is made does not start, for a reason.
    pub fn refuse(&self, refusal: Refusal, condition: Expr, text: &str, numbers: Vec<Expr>) {
        self.when(condition, || match refusal {
            Refusal::EndProgram => self.say(Channel::End, text, numbers),
            Refusal::Status => {
                self.say(Channel::Reason, text, numbers);
                self.give(self.int(-1));
            }
        });
    }

    /// `scratch T name[count];`: a pointer to the first element. Small arrays of constant length are on the stack; the owner of others
    /// gives them back ([`Body::release`]).
    pub fn scratch(&self, name: &str, object: Type, count: Expr, constant: Option<u64>) -> Scratch {
        let size = self.target().types().size(object);
        let constant = constant.filter(|n| n.saturating_mul(size) <= LARGEST_ON_STACK);
        let (value, elements) = match constant {
            Some(n) => {
                let array = self.target().types().array(object, n.max(1));
                let local = self.local(name, array);
                self.locals.borrow_mut()[local.0 as usize].alignment = ALIGNMENT;
                self.push(StatementKind::Declare { local, initializer: None });
                (ExprKind::AddressOf(self.element_at(self.place_of(local), 0)), SliceBound::Constant(n))
            }
            None => {
                let elements = self.declare("elements", self.extremum(LaneOp::Max, count, self.long(0)));
                (ExprKind::New(Memory::Scratch, vec![self.load(elements)]), SliceBound::Parameter(elements.0 as usize))
            }
        };
        let pointer = self.declare(name, self.expr(value, self.pointer(object)));
        self.locals.borrow_mut()[pointer.0 as usize].elements = Some(elements);
        Scratch { pointer, is_owned: constant.is_none() }
    }

    /// Gives an array back.
    pub fn release(&self, memory: Memory, pointer: LocalId) {
        self.push(StatementKind::Delete(memory, self.load(pointer)));
    }
}

/// A `scratch` array.
pub(super) struct Scratch {
    /// Points to its first element.
    pub pointer: LocalId,
    /// Is it given back at the end of its scope?
    pub is_owned: bool,
}
