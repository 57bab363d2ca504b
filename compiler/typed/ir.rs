//! The typed program: monomorphic, every length resolved, control flow still structured, masks implicit.
//!
//! `check` makes it, `predicate` reads it. It is VecIMP of appendix B after T-INVOKE has instantiated every
//! function at its (name, Λ, parameter types): a [`Block`] knows its context Λ, and the mask P lives only in the
//! rules that give the tree its meaning.
//!
//! # Invariants (checked by `verify`, item by item)
//! 1. Operands of an arithmetic operator or comparison have one and the same type; `check` has inserted
//!    [`ExprKind::Convert`] (elements) and [`ExprKind::Broadcast`] (lengths, E-BROADCAST).
//! 2. In a block of context Λ every loaded or stored value has length 1 or Λ, unless Λ = 1 (the access rule τ⃗).
//!    `Builtin::Get`, `Builtin::Cross` and `PackedStore` may take and give other lengths only in context 1.
//! 3. A block nested in a block of context Λ has context Λ, or any context if Λ = 1, or 1 under `Scalar`,
//!    `ForeachActive` and in the body of a function that was called there.
//! 4. `Break` and `Continue` stand inside a loop, and their context is 1 or that of the loop's body; so do `Return`s
//!    and the body of the function (the jump rule, language.md §3).
//! 5. No [`crate::types::TypeKind::Error`] occurs.
//! 6. A parallel `Foreach` stands in context 1, and no `Break` or `Return` leaves it.

pub use super::operators::{BinaryOp, CompareOp, UnaryOp};
pub use super::rearrange::RearrangeOp;
pub use super::slice_bound::SliceBound;
use crate::source::Span;
use crate::target::{Channel, FpMode, Inlining, Memory, Unrolling};
use crate::types::{Element, Type, Types};

/// A checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The types that it mentions.
    pub types: Types,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Function instances; [`FunctionId`] indexes them. Callees may come after their callers.
    pub functions: Vec<Function>,
    /// Instances at sample lengths of functions that nothing calls: for editors, and no part of what is compiled. They have no body.
    pub samples: Vec<Function>,
    /// Instances of functions for the lanes of loops.
    pub lanes: Vec<LaneInstance>,
    /// So many functions, the last ones, are there for lanes alone.
    pub of_lanes: usize,
    /// The instance of `main`, if there is one.
    pub main: Option<FunctionId>,
    /// Records that exported signatures mention, in declaration order (for headers).
    pub exported_records: Vec<Type>,
    /// Does something that is declared `const` come to where it could be written? Then nobody relies on `const`.
    pub loses_const: bool,
}

/// Index of a function instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// An instance for numbers, and one that does for W lanes what it does for each of them: who becomes lanes may call it.
#[derive(Clone, Copy, Debug)]
pub struct LaneInstance {
    /// The one for numbers.
    pub one: FunctionId,
    /// The one for lanes.
    pub lanes: FunctionId,
    /// Does it end whatever numbers it is given, so that those of lanes that are off may be any?
    pub is_total: bool,
}

/// Index of a global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// Index of a local variable or parameter of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Is it `const`, so that its first value is its only one?
    pub is_const: bool,
    /// Its first value.
    pub initializer: Initializer,
    /// Its declaration.
    pub span: Span,
}

/// A constant that fills an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// All bytes zero.
    Zero,
    /// One element; a vector with this constant in all lanes.
    Constant(Constant),
    /// Lanes of a vector, members of a record or elements of an array; missing ones are zero.
    List(Vec<Initializer>),
}

/// A scalar constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// `true`, `false`
    Bool(bool),
    /// The two's complement bits of an integer, truncated to its width.
    Int(u64),
    /// A `float` (exactly representable as one) or a `double`.
    Float(f64),
    /// The null pointer.
    Null,
}

/// How a function is seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// An instance of a polymorphic function.
    Internal,
    /// `export`: C ABI, its source name.
    Export,
    /// `extern "C"`: declared only, C ABI.
    Extern,
}

/// A function instance: (name, Λ, parameter types).
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in source.
    pub name: String,
    /// The instance in source notation, as section 2 of the paper writes it:
    /// `float block[4] dot(bool block[4] current_mask, vec3 block[4] a, vec3 scalar b)`.
    pub signature: String,
    /// Unique in the program; the symbol of exported and external functions is their name.
    pub symbol: String,
    /// Λ of the call. Where above 1, the mask is a hidden first parameter.
    pub context: u8,
    /// How it is seen.
    pub linkage: Linkage,
    /// The rules of its arithmetic.
    pub fp: FpMode,
    /// Does it become a part of its callers?
    pub inlining: Inlining,
    /// Is it one of the standard library?
    pub is_library: bool,
    /// Is it a schedule of a pipeline? Its entry compares what is read of images with their windows before it begins.
    pub is_scheduled: bool,
    /// All locals, parameters first.
    pub locals: Vec<Local>,
    /// How many of `locals` are parameters.
    pub parameters: usize,
    /// The result type.
    pub result: Type,
    /// Why the result is longer than 1, where that was inferred.
    pub reasons: Vec<Reason>,
    /// The body, `None` for external functions. `body.context` is `context`, or the length of a `return` that
    /// vectorised the function.
    pub body: Option<Block>,
    /// Its `///` comment.
    pub docs: Vec<String>,
    /// The name in its definition.
    pub span: Span,
}

impl Program {
    /// The name by which the source calls a place of a function.
    pub fn place_name(&self, function: FunctionId, place: &Place) -> Option<&str> {
        match &place.kind {
            PlaceKind::Local(local) => Some(&self.functions[function.0 as usize].locals[local.0 as usize].name),
            PlaceKind::Global(global) => Some(&self.globals[global.0 as usize].name),
            PlaceKind::Member(base, index) => Some(&self.types.members(base.object)[*index].name),
            PlaceKind::Dereference(_) | PlaceKind::Element(..) | PlaceKind::Temporary(_) => None,
        }
    }
}

impl Function {
    /// The parameters with their names; one that has none in the source is called after its place.
    pub fn named_parameters(&self) -> impl Iterator<Item = (&Local, String)> {
        let name = |(k, l): (usize, &Local)| if l.name.is_empty() { format!("argument{k}") } else { l.name.clone() };
        self.locals[..self.parameters].iter().enumerate().map(move |(k, l)| (l, name((k, l))))
    }
}

/// A local variable or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name in source.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its declaration.
    pub span: Span,
    /// For parameters; the pointer to the pixels of a view that no other view has is `Restrict`.
    pub parameter: ParameterKind,
    /// A parameter that is declared `const T *`: nothing is written through it, and C is told so.
    pub pointee_is_const: bool,
    /// In bytes; where it is less than that of its type, that one counts.
    pub alignment: u64,
    /// Of a `scratch` array: its number of elements, which nobody assigns to.
    pub elements: Option<SliceBound>,
    /// Why it is longer than 1, where that was inferred: what came first is what it says of the variable itself.
    pub reasons: Vec<Reason>,
}

impl Local {
    /// How many elements there are behind the pointer, where the source says so.
    pub fn extent(&self) -> Option<&SliceBound> {
        match &self.parameter {
            ParameterKind::Slice { bound, read_only: _ } => bound.as_ref(),
            ParameterKind::Plain | ParameterKind::Restrict | ParameterKind::Buffer { .. } => self.elements.as_ref(),
        }
    }
}

/// A link in the chain of what made a variable one per lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The text that is spoken of.
    pub span: Span,
    /// A sentence without a full stop.
    pub text: String,
}

/// What a pointer parameter of an exported function promises.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum ParameterKind {
    /// An ordinary variable or parameter.
    #[default]
    Plain,
    /// `float a[n]`: a scalar pointer to `bound` elements that no other written array overlaps.
    Slice {
        /// The number of elements, if written.
        bound: Option<SliceBound>,
        /// `const`: it is only read.
        read_only: bool,
    },
    /// `restrict`
    Restrict,
    /// An image as programs of other languages pass it, where the function that is written takes a view.
    Buffer {
        /// The type of a pixel.
        element: Element,
        /// How many dimensions it has.
        rank: usize,
    },
}

/// Statements in one context.
#[derive(Clone, Debug)]
pub struct Block {
    /// Λ
    pub context: u8,
    /// The statements in order.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its text.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `{ … }`; E-INSCOPE, E-OUTSCOPE. Its context is that of the statement.
    Block(Block),
    /// E-DECLL, then (E-INIT) a store of `initializer` to *all* lanes: an object that has just come to life has no
    /// other lanes to keep.
    Declare {
        /// The variable, unset without initializer at each execution.
        local: LocalId,
        /// Of the variable's type.
        initializer: Option<Expr>,
    },
    /// An expression for its effects.
    Expression(Expr),
    /// E-IF. A scalar condition never changes Λ; the branches of a vector condition have its length as context.
    If {
        /// `bool`, of length 1 or that of the branches' context.
        condition: Expr,
        /// Under P and m.
        then: Block,
        /// Under P and not m.
        otherwise: Block,
    },
    /// E-WHILE and its sugar. A loop whose body's context is above the statement's starts with an all-true mask.
    Loop {
        /// Is the condition tested before the first round?
        test_first: bool,
        /// How it is unrolled.
        unrolling: Unrolling,
        /// In the body's context; absent: true. `bool` of length 1 or that of the body's context.
        condition: Option<Expr>,
        /// Evaluated after the body, by the lanes that are left, `continue`d ones among them.
        step: Option<Expr>,
        /// The body.
        body: Block,
    },
    /// `foreach`.
    Foreach {
        /// May the rounds of the outermost index run at the same time (of a block index, whole blocks)?
        parallel: bool,
        /// How the innermost of its loops is unrolled.
        unrolling: Unrolling,
        /// The index that is a block, if any: its lanes are `low + k·N + lane`. It is the innermost of the loops
        /// unless `indices` say otherwise by its position.
        indices: Vec<ForeachIndex>,
        /// In the context of the block index, else in that of the statement.
        body: Block,
    },
    /// `foreach_active (int k) body`: context 1 for each active lane, ascending.
    ForeachActive {
        /// The lane number, a scalar.
        index: LocalId,
        /// In context 1.
        body: Block,
    },
    /// `foreach_unique (T u : v) body`: once for each distinct active value, by first lane.
    ForeachUnique {
        /// The scalar value.
        local: LocalId,
        /// The vector, of length Λ.
        value: Expr,
        /// In context Λ, under the mask of the lanes with this value.
        body: Block,
    },
    /// E-SWITCH. Each lane enters at the arm with its label, else at the default, else nowhere; behind an arm its lanes go on
    /// with the next one. All arms have one context: that of a vector value is its length; a scalar value never changes Λ, but
    /// jumps of lanes may, as for a loop.
    Switch {
        /// An integer or `bool`, of length 1 or that of the arms' context.
        value: Expr,
        /// In the order of the text; at least one.
        arms: Vec<SwitchArm>,
    },
    /// `scalar body`: saves P, runs in context 1, restores P.
    Scalar(Block),
    /// Leaves the innermost loop or `switch`, by lanes if Λ is that of its body, else all at once.
    Break,
    /// Ends the round of the innermost loop.
    Continue,
    /// Leaves the function. The value has the result type.
    Return(Option<Expr>),
    /// `delete p;` (scalar pointer, or each active lane's), and the end of the scope of an image or of a `scratch` array.
    Delete(Memory, Expr),
}

/// What stands behind labels of a `switch`.
#[derive(Clone, Debug)]
pub struct SwitchArm {
    /// Constants of the value's element type; no other arm has one of them.
    pub labels: Vec<Constant>,
    /// Is `default` among the labels? Of one arm at most.
    pub is_default: bool,
    /// The statements up to the next label, in a scope of their own.
    pub body: Block,
}

/// One index of a `foreach`.
#[derive(Clone, Debug)]
pub struct ForeachIndex {
    /// The variable, of length 1 or (at most one index) N > 1.
    pub local: LocalId,
    /// The first value: a scalar of the variable's element type; evaluated once, before the loop.
    pub low: Expr,
    /// Behind the last value.
    pub high: Expr,
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Its text.
    pub span: Span,
}

/// The kinds of expressions. Operands are evaluated from left to right.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant; its type is scalar.
    Constant(Constant),
    /// A vector from scalars, one per lane.
    Lanes(Vec<Expr>),
    /// A record or array from its components.
    Aggregate(Vec<Expr>),
    /// E-TOVAL: the value at a place. Its type is [`Place::ty`].
    Load(Place),
    /// E-ADDR. Length: that of the place's addresses.
    AddressOf(Place),
    /// An element-wise prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An element-wise operator; both sides and the result have one type.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A comparison of two values of one type; the result is `bool` of their length.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `a && b` on `bool` of one length; b is evaluated where a holds.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`; b is evaluated where a does not hold.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; a where c holds, b elsewhere. c is scalar or has the length of a and b (the same type).
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[a, b]`: a in the active lanes, evaluated under P; b in all others, evaluated under not P. The result is
    /// defined in every lane. In context 1: a. `current_mask` in either is P.
    Blend(Box<Expr>, Box<Expr>),
    /// `current_mask`: `bool` of length Λ (constant true in context 1).
    CurrentMask,
    /// `lane_index`: `int` of length Λ (0 in context 1).
    LaneIndex,
    /// An element conversion at equal length, or a pointer cast.
    Convert(Box<Expr>),
    /// E-BROADCAST: a scalar (or record of length 1) to all lanes of this expression's type.
    Broadcast(Box<Expr>),
    /// Stores to the active lanes; the result is the value stored. Same type on both sides.
    Assign {
        /// Where to.
        place: Place,
        /// What.
        value: Box<Expr>,
    },
    /// `place op= value`, the place evaluated once; reads, computes and writes lane by lane where lanes collide (the
    /// highest last). `compute_as` is the type of the operation: the place is converted to it, the result back.
    /// `value` has that type. For pointers (`p += n`) `value` is an integer and `compute_as` the pointer's type.
    Compound {
        /// What changes.
        place: Place,
        /// The operator.
        op: BinaryOp,
        /// The right-hand side.
        value: Box<Expr>,
        /// The type in which the operator works.
        compute_as: Type,
        /// Is the result the old value (`e++`) rather than the new one?
        old_value: bool,
    },
    /// A call of an instance; arguments have its parameter types, the context is its Λ.
    Call {
        /// Which instance.
        function: FunctionId,
        /// One per parameter.
        arguments: Vec<Expr>,
    },
    /// A built-in; see [`Builtin`] for the operands.
    Builtin(Builtin, Vec<Expr>),
    /// `set(place, value, index)`: one lane of a vector, whatever the mask. The index is taken modulo the length.
    SetLane {
        /// A vector, pointer vector or record.
        place: Place,
        /// The scalar.
        value: Box<Expr>,
        /// A scalar `int`.
        index: Box<Expr>,
    },
    /// E-RPROJ: a member of a record value.
    Member(Box<Expr>, usize),
    /// The index, of which `--check` and the interpreter see that it is inside of the window of a view in each active lane.
    Within(Box<Expr>, Box<Window>),
    /// p + i in elements; both scalar or vectors of one length (the pointer or the index may be broadcast).
    PointerOffset(Box<Expr>, Box<Expr>),
    /// p − q in elements: `int64`.
    PointerDifference(Box<Expr>, Box<Expr>),
    /// `new T[n]`: a pointer to n elements of uninitialised memory. n is an `int64` of length 1 or Λ: with a vector
    /// each active lane gets memory of its own. Of `scratch`: n is a scalar. For an image there are several numbers, scalars
    /// of at least 0, whose product counts. A number of bytes that is negative or more than there is ends the program.
    New(Memory, Vec<Expr>),
    /// `print(format, …)`, or text of a generated function for another channel.
    Print(Channel, Vec<PrintPiece>),
    /// `assert(e)`, with the text of e. Scalar or of length Λ.
    Assert(Box<Expr>, String),
}

/// What is said of an index that an array does not have.
pub fn out_of_bounds(name: Option<&str>, index: &str, extent: &str) -> String {
    let name = name.map_or("the array".to_owned(), |name| format!("`{name}`"));
    format!("index out of bounds: index {index} of {name}, which has {extent} elements")
}

/// What is said of an assumption.
pub const WRONG_ASSUMPTION: &str = "this was assumed, and does not hold";

/// A dimension of a view.
#[derive(Clone, Debug)]
pub struct Window {
    /// What the source calls the view.
    pub name: String,
    /// Which dimension; `None` where there is only one.
    pub dimension: Option<usize>,
    /// The first coordinate, a scalar `int`.
    pub min: Expr,
    /// How many there are, a scalar `int`.
    pub extent: Expr,
}

impl Window {
    /// What is said of an index outside.
    pub fn message(&self, index: &str, extent: &str, min: &str) -> String {
        let dimension = self.dimension.map_or(String::new(), |d| format!(" in dimension {d}"));
        format!("index out of bounds: index {index} of `{}`{dimension}, which has {extent} elements from {min} on", self.name)
    }
}

/// A part of what `print` writes.
#[derive(Clone, Debug)]
pub enum PrintPiece {
    /// Text between the arguments.
    Text(String),
    /// An argument: a vector of any element type or length, or pointers.
    Value(Expr, ivl::Format),
}

/// 𝓛(a, τ): where something is.
#[derive(Clone, Debug)]
pub struct Place {
    /// How it is reached.
    pub kind: PlaceKind,
    /// τ: the type of the object at the address(es).
    pub object: Type,
    /// How many addresses: 1, or that of a vector of pointers.
    pub addresses: u8,
    /// The type of a load or store: with 1 address it is `object`; with n > 1 addresses, ⟨α|1⟩ and ⟨α|n⟩ give ⟨α|n⟩
    /// (lane i reads component i of a vector, Figure 10), and a record the instance of that length.
    pub ty: Type,
    /// Its text.
    pub span: Span,
}

/// The ways to reach a place.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// E-VAR
    Local(LocalId),
    /// A global variable.
    Global(GlobalId),
    /// E-DEREF; E-INDEX `p[i]` is `*(p + i)` with a [`ExprKind::PointerOffset`].
    Dereference(Box<Expr>),
    /// E-LPROJ
    Member(Box<Place>, usize),
    /// An element of an array place. The index is an integer of length 1 or (with many addresses) n.
    Element(Box<Place>, Box<Expr>),
    /// A value that has no place of its own, given one for a projection (`f().x[i]`).
    Temporary(Box<Expr>),
}

/// Reduction and scan operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Add,
    Multiply,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Built-ins that are left after checking (language.md §7), each with its operands in parentheses. `v`: a vector, pointer vector or
/// (where noted) record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// (v or record, i): lane i (modulo the length) as a scalar, whatever the mask.
    Get,
    /// Lane i of the result is made of lanes i of the operands, and of nothing else.
    Lane(LaneOp),
    /// The result is made of other lanes, or of all of them.
    Cross(CrossOp),
    /// The result is lanes at other places, or their bits.
    Rearrange(RearrangeOp),
    /// It is called for what it does to memory, or for what it says.
    Effect(EffectOp),
}

/// A built-in that works lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneOp {
    /// (m, a, b): strict. m is scalar or has the length of a and b.
    Select,
    /// (a, b): on floats a < b ? a : b.
    Min,
    /// (a, b): on floats a > b ? a : b.
    Max,
    /// (a): wraps for MIN.
    Abs,
    /// (a, b, c): one rounding.
    Fma,
    /// (a)
    Sqrt,
    /// (a): 1 / sqrt(a); approximate only under `fast`.
    Rsqrt,
    /// (a): 1 / a; approximate only under `fast`.
    Rcp,
    /// (a)
    Floor,
    /// (a)
    Ceil,
    /// (a): halves away from zero.
    Round,
    /// (a)
    Trunc,
    /// (a): halves to the even neighbour.
    Rint,
    /// (a): floor of the logarithm of an integer, −1 for 0 (and, for signed ones, below).
    Log2,
    /// (a): leading zeros, the width for 0.
    Clz,
    /// (a): trailing zeros, the width for 0.
    Ctz,
    /// (a): ones in an integer.
    Popcnt,
    /// (a)
    BitReverse,
    /// (a, n) of one integer type: the bits of a moved up n places modulo the width, those that leave at the top coming in below.
    RotateLeft,
    /// (a, n): down.
    RotateRight,
    /// (a): the bits of a number as another type of the same width.
    Bits,
    /// (a, b), as all of two operands below, integers of one type: a + b, or the nearest number of the type.
    SaturatingAdd,
    /// a − b, or the nearest number of the type.
    SaturatingSub,
    /// The upper half of a · b, which has twice as many bits.
    MulHigh,
    /// Signed: (a · b + 2^(n − 2)) >> (n − 1) for n bits; of MIN · MIN, which alone does not fit, MIN.
    MulRoundHigh,
    /// The lower half of the product of polynomials over bits, which are added without carries.
    Clmul,
    /// Its upper half; the top bit is 0.
    ClmulHigh,
    /// (a, n), of `float`: a · 2ⁿ as `FScale` of the vector IR, of the library alone.
    Scale,
    /// (a): the nearest integer of the result's type; of NaN 0.
    SaturatingCast,
    /// (i): where number i lies in blocks of `lanes` that take `stride`: ⌊i / lanes⌋ · stride + i mod lanes, as `hsoa` has them.
    InBlocks {
        /// A power of two.
        lanes: u8,
        /// At least `lanes`.
        stride: u64,
    },
}

/// A built-in whose lanes look at other lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CrossOp {
    /// (m): over the active lanes, a scalar `bool`.
    Any,
    /// (m)
    All,
    /// (m): none of the active lanes.
    None,
    /// (m): how many active lanes are true, a scalar `int`.
    PopcountMask,
    /// (v): has every active lane the value of the first one, as `==` compares: a scalar `bool`. Where none is active, it is true.
    ReduceEqual,
    /// (m, i): the first true lane ≥ i, else −1, whatever the mask; a scalar `int`. For i < 0 it starts at 0.
    BitScan,
    /// (v): over the active lanes. Floats add in the fixed tree order: lane i with lane i + N/2, inactive lanes neutral.
    Reduce(ReduceOp),
    /// (v): exclusive prefix over the active lanes; in the first one the neutral element.
    Scan(ReduceOp),
    /// (v, n): lane i takes lane i + n, zeros come in. n outside 0 … N−1 gives zeros.
    WholeRegShr,
    /// (v, n): lane i takes lane i − n.
    WholeRegShl,
    /// (v, n): lane i takes lane (i + n) mod N; n may be negative.
    Rotate,
    /// (v, indices): lane i takes lane indices_i mod N of v. The result has the length of the indices.
    Shuffle,
    /// (a, b, indices): from the 2N lanes of a and b, modulo 2N.
    Shuffle2,
    /// (v)
    Reverse,
    /// (v, i): lane i (modulo N) in all lanes.
    BroadcastLane,
    /// (a, b), (a, b, c): of `int16`, an `int` for each pair of lanes: the sum of their products and of c, wrapping.
    Dot2,
    /// (a, b), (a, b, c): of bytes, each operand signed or not, an `int` for each four lanes likewise.
    Dot4,
}

/// A built-in with an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EffectOp {
    /// (p, v): stores the active lanes of v one after another at p; the count, a scalar `int`.
    PackedStore,
    /// (p): into all cache levels; p is scalar or each active lane's.
    Prefetch,
    /// (p, v): a store that bypasses the caches where aligned and the mask is all on.
    StreamingStore,
    /// (p): what the scalar p points to, elements, by a load that bypasses the caches where aligned and the mask is all on.
    StreamingLoad,
    /// (e): promises that e holds in the active lanes.
    Assume,
    /// (p, v): *p becomes *p ∘ v, in one step, for each active lane, ascending; the old values. p points to scalars and has
    /// the length of v.
    Atomic(ReduceOp),
    /// (p, v): *p becomes v, otherwise as [`EffectOp::Atomic`].
    AtomicSwap,
    /// (p, e, v): *p becomes v if it has the bits of e, otherwise as [`EffectOp::Atomic`].
    AtomicCompareExchange,
}

impl Builtin {
    /// Is the result made of all lanes of an operand, and one for all of them?
    pub fn is_one_for_all_lanes(self) -> bool {
        match self {
            Builtin::Get | Builtin::Effect(EffectOp::PackedStore) => true,
            Builtin::Cross(op) => match op {
                CrossOp::Any
                | CrossOp::All
                | CrossOp::None
                | CrossOp::PopcountMask
                | CrossOp::ReduceEqual
                | CrossOp::BitScan
                | CrossOp::Reduce(_) => true,
                CrossOp::Scan(_)
                | CrossOp::WholeRegShr
                | CrossOp::WholeRegShl
                | CrossOp::Rotate
                | CrossOp::Shuffle
                | CrossOp::Shuffle2
                | CrossOp::Reverse
                | CrossOp::BroadcastLane
                | CrossOp::Dot2
                | CrossOp::Dot4 => false,
            },
            Builtin::Rearrange(op) => match op {
                RearrangeOp::MaskBits => true,
                RearrangeOp::Bits
                | RearrangeOp::Interleave
                | RearrangeOp::Deinterleave { .. }
                | RearrangeOp::Transpose { .. }
                | RearrangeOp::Align
                | RearrangeOp::LookUp
                | RearrangeOp::MaskOf
                | RearrangeOp::Compress
                | RearrangeOp::Expand => false,
            },
            Builtin::Lane(_) | Builtin::Effect(_) => false,
        }
    }
}

impl EffectOp {
    /// Does it store anything?
    pub fn is_store(self) -> bool {
        match self {
            EffectOp::PackedStore | EffectOp::StreamingStore => true,
            EffectOp::Atomic(_) | EffectOp::AtomicSwap | EffectOp::AtomicCompareExchange => true,
            EffectOp::Prefetch | EffectOp::StreamingLoad | EffectOp::Assume => false,
        }
    }

    /// Does it do no more with its first operand, a pointer, than to access what is there?
    pub fn only_accesses(self) -> bool {
        match self {
            EffectOp::Prefetch | EffectOp::StreamingLoad => true,
            EffectOp::Atomic(_) | EffectOp::AtomicSwap | EffectOp::AtomicCompareExchange => true,
            EffectOp::PackedStore | EffectOp::StreamingStore | EffectOp::Assume => false,
        }
    }
}
