//! The functions that the law is about, as a tree: no explicit lengths, no operation across lanes, no pointers, no globals.

use std::rc::Rc;

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `int t[4]`
    Array,
    /// `struct pt { int x; int y; }`
    Point,
    /// `struct mix { int t[4]; pt p; }`
    Mixed,
    /// `pt q[4]`
    Points,
}

/// The number of elements of every array.
pub const ELEMENTS: usize = 4;

/// A way from a variable to a leaf: elements of arrays and members of records by number.
pub type Path = Vec<u8>;

impl Ty {
    /// What an element of it, or its member `k`, is.
    pub fn part(self, k: usize) -> Ty {
        match self {
            Ty::Array | Ty::Point => Ty::Int,
            Ty::Points => Ty::Point,
            Ty::Mixed => [Ty::Array, Ty::Point][k],
            Ty::Int | Ty::Bool => panic!("numbers have no parts"),
        }
    }

    /// How many parts it has; 0 of a number.
    pub fn parts(self) -> usize {
        match self {
            Ty::Int | Ty::Bool => 0,
            Ty::Array | Ty::Points => ELEMENTS,
            Ty::Point | Ty::Mixed => 2,
        }
    }

    /// Are its parts elements, not members?
    pub fn is_array(self) -> bool {
        matches!(self, Ty::Array | Ty::Points)
    }

    /// Is it one number?
    pub fn is_number(self) -> bool {
        matches!(self, Ty::Int | Ty::Bool)
    }

    /// Can it be copied as a whole?
    pub fn is_record(self) -> bool {
        matches!(self, Ty::Point | Ty::Mixed)
    }

    /// The ways to its numbers.
    pub fn leaves(self) -> Vec<Path> {
        if self.is_number() {
            return vec![Vec::new()];
        }
        let below = |k: usize| self.part(k).leaves().into_iter().map(move |rest| [vec![k as u8], rest].concat());
        (0..self.parts()).flat_map(below).collect()
    }
}

/// A name of a variable or function.
pub type Name = Rc<str>;

/// A variable, or a part of one.
#[derive(Clone, Debug)]
pub struct Place {
    pub root: Name,
    pub steps: Vec<Step>,
    /// What it is.
    pub ty: Ty,
}

/// From a variable to a part.
#[derive(Clone, Debug)]
pub enum Step {
    Member(u8),
    /// `[e & 3]`, of a constant `[e]`.
    Element(Expr),
}

/// Operators that give numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// Which value `++x` and `x++` have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    New,
    Old,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Tells expressions of one program apart.
    pub id: u32,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Read(Place),
    Binary(Op, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(Place, Option<Op>, Box<Expr>),
    Increment(Place, i32, Gives),
    Call(Name, Vec<Argument>),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Of a number.
    Value(Expr),
    /// Of a reference, or a record by value.
    Place(Place),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Tells statements of one program apart, and from expressions.
    pub id: u32,
    pub kind: StatementKind,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Declare(Name, Ty, Initial),
    /// `int &r = place;`
    Reference(Name, Place),
    /// A record for a record.
    Copy(Place, Place),
    Expression(Expr),
    Block(Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    Do(Vec<Statement>, Expr),
    For(Vec<Statement>, Expr, Option<Expr>, Vec<Statement>),
    Break,
    Continue,
    Return(Expr),
    /// `None`: `default`. Cases fall through.
    Switch(Expr, Vec<(Option<i32>, Vec<Statement>)>),
}

/// What a variable begins with.
#[derive(Clone, Debug)]
pub enum Initial {
    Unset,
    Value(Expr),
    /// One number for each leaf.
    List(Vec<Expr>),
    Copy(Place),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Name,
    pub ty: Ty,
    pub passing: Passing,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    Value,
    Reference,
}

/// A function that gives an `int`.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
}

/// Functions; the last one is `f`, whose parameters are numbers by value.
#[derive(Clone, Debug)]
pub struct Group {
    pub functions: Vec<Function>,
}

impl Group {
    /// `f`
    pub fn entry(&self) -> &Function {
        self.functions.last().expect("a group has a function")
    }

    pub fn function(&self, name: &str) -> &Function {
        self.functions.iter().find(|f| &*f.name == name).expect("functions are called by their names")
    }
}

thread_local! {
    static NEXT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

fn fresh() -> u32 {
    NEXT.with(|next| next.replace(next.get().wrapping_add(1)))
}

/// An expression with a number of its own.
pub fn expr(kind: ExprKind) -> Expr {
    Expr { id: fresh(), kind }
}

/// A statement with a number of its own.
pub fn statement(kind: StatementKind) -> Statement {
    Statement { id: fresh(), kind }
}

// ---- Short ways to write trees ------------------------------------------------------------------------------------

/// A whole variable.
pub fn whole(name: &str, ty: Ty) -> Place {
    Place { root: name.into(), steps: Vec::new(), ty }
}

pub fn number(n: i32) -> Expr {
    expr(ExprKind::Number(n))
}

pub fn read(place: Place) -> Expr {
    expr(ExprKind::Read(place))
}

/// An `int` variable's value.
pub fn var(name: &str) -> Expr {
    read(whole(name, Ty::Int))
}

pub fn binary(op: Op, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, a.into(), b.into()))
}

pub fn compare(op: Compare, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Compare(op, a.into(), b.into()))
}

pub fn assign(place: Place, op: Option<Op>, value: Expr) -> Statement {
    run(expr(ExprKind::Assign(place, op, value.into())))
}

pub fn increment(place: Place, by: i32, gives: Gives) -> Expr {
    expr(ExprKind::Increment(place, by, gives))
}

pub fn run(e: Expr) -> Statement {
    statement(StatementKind::Expression(e))
}

pub fn declare(name: &str, value: i32) -> Statement {
    statement(StatementKind::Declare(name.into(), Ty::Int, Initial::Value(number(value))))
}

pub fn jump_if(condition: Expr, jump: StatementKind) -> Statement {
    statement(StatementKind::If(condition, vec![statement(jump)], Vec::new()))
}
