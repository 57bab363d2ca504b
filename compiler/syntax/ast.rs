//! The syntax tree: what the text says, before anything is known about names, types and lengths.
//!
//! Nodes are plain data with spans. Sugar stays visible (`++v`, `a += b`, `for`), so that `print` gives back what
//! was read and diagnostics speak of what was written. Whole grammar of the language reference, sections 2–8.

mod pipelines;
mod templates;
mod tensors;

use crate::source::{FileId, Span};
pub use pipelines::{
    BodyPart, Definition, DefinitionParameter, Directive, DirectiveChain, Fun, Let, LocalFun, Member, Pipeline,
    PipelineParameter, PipelinePart, PipelinePartKind, Range, Schedule, SchedulePart, StaticFor, StaticIf, Update, UpdateOp,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;
pub use templates::{Assertion, Export, TemplateArgument, TemplateParameter, TemplateParameterKind};
pub use tensors::{
    Clause, Def, Reduction, Size, TensorOp, TensorParameter, TensorResult, TensorStatement, TensorTarget, TensorType,
};

/// Identifies an expression, a statement or a declarator among all files of a compilation: side tables have it for a key.
///
/// The parser gives each node that it makes another one. A copy of a node has the id of the node, since it is the same text: the
/// type in front of `int block[n] a, b;` is that of two variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// The file that the node was read from.
    pub file: FileId,
    /// Counts the nodes of the file; not every number has a node.
    pub number: u32,
}

/// An identifier with its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The identifier.
    pub text: Rc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A parsed file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct File {
    /// Its items in source order.
    pub items: Vec<Item>,
    /// The elements and ranks of the views and images that it declares.
    pub views: BTreeSet<(crate::types::Element, usize)>,
    /// All names that stand in it, whatever they mean; words of comments and strings are none.
    pub names: FxHashSet<Rc<str>>,
    /// The names in what could not be read: one that is missing elsewhere may have been declared there.
    pub unread: BTreeSet<Rc<str>>,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The whole text of the item.
    pub span: Span,
    /// The lines of its `///` comments, without the slashes.
    pub docs: Vec<String>,
    /// `[[name(argument)]]` in front of it.
    pub attributes: Vec<Attribute>,
    /// The parameters of `template <typename T, int N = 4>`; empty for ordinary items.
    pub template: Vec<TemplateParameter>,
}

/// `[[name(arguments)]]`
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// Its arguments, if any.
    pub arguments: Vec<Argument>,
}

/// An argument of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// What it is.
    pub kind: ArgumentKind,
    /// Its text.
    pub span: Span,
}

/// The kinds of arguments of attributes.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentKind {
    /// `fast`
    Name(Rc<str>),
    /// `-3`, `0.5`: the digits with their sign.
    Number(String),
    /// `"scalar-under-mask"`
    String(String),
}

/// The kinds of items.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `import "file.ivl";`
    Import {
        /// The path between the quotes.
        path: String,
        /// The string literal.
        path_span: Span,
    },
    /// `struct name { members };`
    Struct {
        /// Its name.
        name: Name,
        /// Its members, one per declarator.
        members: Vec<Variable>,
    },
    /// `enum name : base { variants };`
    Enum {
        /// Its name.
        name: Name,
        /// The element type that represents it; `int` where omitted.
        base: Option<Type>,
        /// Its constants with their optional values.
        variants: Vec<(Name, Option<Expr>)>,
    },
    /// `typedef type name;`
    Typedef {
        /// The new name with its type (and array dimensions).
        variable: Variable,
    },
    /// `int x = 1, y[4];` at file level.
    Global(Declaration),
    /// A function, defined or (extern "C") declared.
    Function(Function),
    /// `pipeline name(parameters) -> outputs { … }`
    Pipeline(Pipeline),
    /// `schedule pipeline.name { … }`
    Schedule(Schedule),
    /// `fun name(f)(x, ...) = …;`
    Definition(Definition),
    /// `def name(parameters) -> (results) { … }`
    Def(Def),
    /// `export blur<uint8> as blur_u8;`
    Export(Export),
    /// `static assert(condition, "text");`
    StaticAssert(Assertion),
    /// What could not be parsed; an error has been reported.
    Error,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its result type.
    pub result: Type,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its body; `None` for a declaration.
    pub body: Option<Block>,
    /// `export`
    pub export: Option<Span>,
    /// `extern "C"`
    pub extern_c: Option<Span>,
}

/// A function parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type, without the brackets of `array`.
    pub ty: Type,
    /// Its name; declarations may omit it.
    pub name: Option<Name>,
    /// `a[n]`: a scalar pointer to n elements; `a[]`: without a bound.
    pub array: Option<Option<Box<Expr>>>,
    /// The whole parameter.
    pub span: Span,
}

/// A type as written. A qualifier belongs to the constructor that it follows (language.md §2).
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The constructor.
    pub kind: TypeKind,
    /// What follows it.
    pub qualifier: Qualifier,
    /// `const`
    pub is_const: bool,
    /// `restrict` (pointers only).
    pub is_restrict: bool,
    /// The whole type.
    pub span: Span,
}

impl Type {
    /// An element type, without a qualifier.
    pub fn of(element: crate::types::Element, span: Span) -> Type {
        let (kind, qualifier) = (TypeKind::Element(element), Qualifier::Unbound);
        Type { kind, qualifier, is_const: false, is_restrict: false, span }
    }
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `bool`, `int`, `float` …
    Element(crate::types::Element),
    /// A struct, enum, typedef or type parameter, with the arguments of a generic struct.
    Named(Name, Vec<TemplateArgument>),
    /// `T*`
    Pointer(Box<Type>),
    /// `T&`
    Reference(Box<Type>),
    /// `T v[,]`: a view of so many dimensions, or an image.
    View(Box<Type>, usize),
    /// What could not be parsed.
    Error,
}

/// A length qualifier.
#[derive(Clone, Debug, PartialEq)]
pub enum Qualifier {
    /// Nothing is written.
    Unbound,
    /// `block`
    Block(Span),
    /// `block[e]`
    BlockOf(Box<Expr>, Span),
    /// `scalar`, `uniform`
    Scalar(Span),
    /// `varying`: `block[W]`
    Varying(Span),
}

/// `int x = 1, *p, a[4];`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `static` or `const` data may be shared; kept for diagnostics.
    pub variables: Vec<Variable>,
    /// `scratch T a[e];`
    pub scratch: bool,
    /// The whole declaration.
    pub span: Span,
}

/// One declarator with its complete type.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Identifies the declarator.
    pub id: NodeId,
    /// The type without array dimensions.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// `[e]…`, outermost first; `None` for `[]`.
    pub dimensions: Vec<Option<Expr>>,
    /// `[w, h]`, `[x0 : w, y0 : h]`: an owned image, with minimum and extent of each dimension.
    pub image: Option<Vec<(Option<Expr>, Expr)>>,
    /// `(n)`: how many elements an `hsoa` has, which owns them.
    pub elements: Option<Box<Expr>>,
    /// `= e` or `= { … }`.
    pub initializer: Option<Expr>,
    /// From its name to the end of its initializer.
    pub span: Span,
}

/// `{ statements }`
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// With the braces.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Identifies the statement.
    pub id: NodeId,
    /// What it is.
    pub kind: StatementKind,
    /// `[[name(argument)]]` in front of it.
    pub attributes: Vec<Attribute>,
    /// Its whole text, without the attributes.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `;`
    Empty,
    /// `{ … }`
    Block(Block),
    /// A declaration.
    Declaration(Declaration),
    /// `e;`
    Expression(Expr),
    /// `if (condition) then else otherwise`
    If {
        /// The condition.
        condition: Expr,
        /// Where it holds.
        then: Box<Statement>,
        /// Where it does not.
        otherwise: Option<Box<Statement>>,
    },
    /// `while (condition) body`
    While {
        /// Tested before each round.
        condition: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body.
        body: Box<Statement>,
        /// Tested after each round.
        condition: Expr,
    },
    /// `for (init; condition; step) body`
    For {
        /// A declaration, an expression or `Empty`.
        init: Box<Statement>,
        /// Absent: true.
        condition: Option<Expr>,
        /// Evaluated after each round.
        step: Option<Expr>,
        /// The body.
        body: Box<Statement>,
    },
    /// `foreach (int block[N] i = a .. b, int j = c .. d) body`, `parallel foreach …`
    Foreach {
        /// `parallel`
        parallel: Option<Span>,
        /// The indices as written, the first innermost.
        indices: Vec<ForeachIndex>,
        /// The body.
        body: Box<Statement>,
    },
    /// `foreach (T &v : h) body`, `parallel foreach …`
    ForeachElement {
        /// `parallel`
        parallel: Option<Span>,
        /// The type of an element, or of a reference to it.
        ty: Type,
        /// The element.
        name: Name,
        /// The `hsoa` whose elements are visited.
        value: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `foreach_active (int k) body`
    ForeachActive {
        /// The type of the index.
        ty: Type,
        /// The lane.
        name: Name,
        /// The body, in context 1.
        body: Box<Statement>,
    },
    /// `foreach_unique (T u : v) body`
    ForeachUnique {
        /// The type of the value.
        ty: Type,
        /// The value.
        name: Name,
        /// The vector whose distinct active values are visited.
        value: Expr,
        /// The body, under the mask of the lanes with this value.
        body: Box<Statement>,
    },
    /// `switch (value) { case … }`
    Switch {
        /// What is compared.
        value: Expr,
        /// The cases in order.
        cases: Vec<SwitchCase>,
    },
    /// `scalar body`
    Scalar(Box<Statement>),
    /// `static if (condition) then else otherwise`: only one of them is checked.
    StaticIf {
        /// A constant expression.
        condition: Expr,
        /// Where it holds.
        then: Box<Statement>,
        /// Where it does not.
        otherwise: Option<Box<Statement>>,
    },
    /// `static for (int i = low .. high) body`: the body once for each number.
    StaticFor {
        /// The range, whose bounds are constant expressions.
        index: Box<ForeachIndex>,
        /// The body.
        body: Box<Statement>,
    },
    /// `static assert(condition, "text");`
    StaticAssert(Assertion),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `delete p;`
    Delete(Expr),
    /// What could not be parsed; an error has been reported.
    Error,
}

/// `case 1: case 2: statements` or `default: statements`
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// The labels.
    pub labels: Vec<SwitchLabel>,
    /// Up to the next label; falls through as C does.
    pub statements: Vec<Statement>,
    /// From the first label on.
    pub span: Span,
}

/// `case 1:` or `default:`
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchLabel {
    /// The constant; `None` for `default`.
    pub value: Option<Expr>,
    /// The label without its colon.
    pub span: Span,
}

/// `int block[N] i = a .. b`
#[derive(Clone, Debug, PartialEq)]
pub struct ForeachIndex {
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// The first value.
    pub low: Expr,
    /// Behind the last value.
    pub high: Expr,
    /// The whole index.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Identifies the expression.
    pub id: NodeId,
    /// What it is.
    pub kind: ExprKind,
    /// Its text.
    pub span: Span,
}

/// What memory is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewForm {
    /// `new T[n]`: n objects.
    Array,
    /// `new hsoa<T>(n)`: one that has n elements.
    Elements,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `42`, `0xff`; `suffix` is the element type that a suffix forces (`42u`, `42l`).
    Integer {
        /// The value.
        value: u64,
        /// The type that its suffix names.
        suffix: Option<crate::types::Element>,
    },
    /// `1.5`, `1.5f`, `1.5d`: the text without its suffix, so that it is rounded once, to the type that its context asks for.
    Float {
        /// The digits.
        text: Rc<str>,
        /// The type that its suffix names.
        suffix: Option<crate::types::Element>,
    },
    /// `true`, `false`
    Bool(bool),
    /// `null`
    Null,
    /// `'a'`: its code as an integer constant.
    Character(u32),
    /// A string, with escapes resolved: the format of `print`, the message of `assert`.
    String(String),
    /// A variable, enum constant or (in calls) function.
    Name(Name),
    /// `<0, 3, 4, 1>`
    VectorLiteral(Vec<Expr>),
    /// `[active, inactive]`
    Blend(Box<Expr>, Box<Expr>),
    /// `{ a, b, c }` as an initializer.
    Aggregate(Vec<Expr>),
    /// `current_mask`
    CurrentMask,
    /// `lane_index`
    LaneIndex,
    /// `-e`, `!e` …
    Unary(UnaryOp, Box<Expr>),
    /// `++e`, `e--` …
    Increment {
        /// +1 or -1.
        delta: i8,
        /// `++e` rather than `e++`.
        prefix: bool,
        /// What changes.
        place: Box<Expr>,
    },
    /// `a + b` …, with the place of the operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Span),
    /// `a = b`; with an operator, `a op= b`.
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The left-hand side.
        place: Box<Expr>,
        /// The right-hand side.
        value: Box<Expr>,
    },
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(type) e`
    Cast(Type, Box<Expr>),
    /// `f(a, b)`, built-ins included; `template_arguments` for `f<float>(a)`.
    Call {
        /// The function's name.
        name: Name,
        /// What is written between angle brackets.
        template_arguments: Vec<TemplateArgument>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `chain<16>` in front of anything but arguments, as in `chain<16>.tiled(out, in)`.
    Instance(Name, Vec<TemplateArgument>),
    /// `sizeof(T)`, `preferred_lengthof(T)`: the built-ins that take a type (`sizeof(e)` is a `Call`).
    TypeQuery(Name, Type),
    /// `new T[n]`, `new hsoa<T>(n)`
    New(NewForm, Type, Box<Expr>),
    /// `p[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `g[j, k]`: a member of a family of funcs with several indices.
    Indices(Box<Expr>, Vec<Expr>),
    /// `e.member`
    Member(Box<Expr>, Name),
    /// `p->member`
    Arrow(Box<Expr>, Name),
    /// `g[k](x, y)`, `down(f)(x, y)`: a read of what is called by more than a name.
    Apply(Box<Expr>, Vec<Expr>),
    /// `...` as an argument: the indices of a definition behind those that have names.
    Rest,
    /// `e.name(arguments)`: `in.extent(0)`, `blur.tiled(out, in)`.
    Method(Box<Expr>, Name, Vec<Expr>),
    /// `f(x).0`: a component of a func of tuples.
    Component(Box<Expr>, usize),
    /// `sum(e for r = a .. b if c)`: an inline reduction.
    Reduction {
        /// `sum`, `product`, `minimum` …
        name: Name,
        /// What is reduced.
        value: Box<Expr>,
        /// The reduction domain.
        rdom: Vec<Range>,
        /// The predicate.
        condition: Option<Box<Expr>>,
    },
    /// `a .. b` as an argument (boundary conditions).
    Range(Box<Expr>, Box<Expr>),
    /// `(e)`; kept for printing and for exact spans.
    Parenthesized(Box<Expr>),
    /// What could not be parsed; an error has been reported.
    Error,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `*`
    Dereference,
    /// `&`
    AddressOf,
}

/// Binary operators, with C's precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Is its right side evaluated only where the left one says so?
    pub fn is_lazy(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or)
    }

    /// Does it compare?
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }
}
