//! The vector IR: SSA over vectors, masks explicit, branches scalar.
//!
//! `predicate` makes it, `optimize` rewrites it, `llvm` translates it one to one. A function is a graph of basic
//! blocks with parameters (no phis); a value is ⟨element | length⟩; records are gone, memory is bytes behind pointers.
//!
//! # Meaning
//! * Every operation is total: there is no poison and no trap. Arithmetic works on all lanes; what a lane computes that
//!   no mask lets out is nobody's business.
//! * A memory operation with a mask touches no byte for a lane that is off; off lanes of its result are zero. Lanes
//!   are stored in ascending order, so that of colliding lanes the highest wins.
//! * [`Op::Unset`] is some value, the same each time it is read.
//!
//! # Invariants (checked by `verify`, item by item)
//! 1. Every use is dominated by its definition; block arguments match the parameters of the block in number and type.
//! 2. Operand types are those that the op's doc names; a mask is `bool` with the length of what it governs.
//! 3. Branch conditions are scalar `bool`.
//! 4. The entry block is block 0 and nobody jumps to it; every block is reachable and ends in a terminator.
//! 5. Results and arguments of calls match the callee.

pub use super::types::{Element, Type};
use crate::source::Span;
use crate::target::{Channel, Memory};
pub use crate::target::{FpMode, Inlining, Unrolling};

/// A translation unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Functions; [`FunctionId`] indexes them.
    pub functions: Vec<Function>,
    /// Global data.
    pub globals: Vec<Global>,
    /// Functions that who becomes lanes may call.
    pub lanes: Vec<LaneFunction>,
}

/// A function of numbers, and one that does for some lanes what it does for each of them. Its first parameter is the mask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneFunction {
    /// The one for numbers.
    pub one: FunctionId,
    /// The one for lanes.
    pub lanes: FunctionId,
    /// Does it end whatever numbers it is given, so that those of lanes that are off may be any?
    pub is_total: bool,
}

/// Index of a function of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// Index of a global of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// Index of a value of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// Index of a basic block of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(pub u32);

/// Index of an instruction of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(pub u32);

/// Index of a stack slot of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// A global.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its symbol.
    pub name: String,
    /// Its first contents; zeros where `None`.
    pub bytes: Option<Vec<u8>>,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub alignment: u64,
    /// Does it keep its first contents?
    pub is_const: bool,
}

/// How a function is seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Linkage {
    /// Only called in this module.
    Internal,
    /// Called from C. The parameters of the function are the leaves of the C ones.
    Export(Abi),
    /// Defined elsewhere; it has no blocks.
    Extern(Abi),
}

/// A C signature. Leaves stand in the order of members, which is that of the function's parameters and results.
#[derive(Clone, Debug, PartialEq)]
pub struct Abi {
    /// The parameters.
    pub parameters: Vec<AbiType>,
    /// The result, `None` for `void`.
    pub result: Option<AbiType>,
}

/// A C type as the calling convention sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum AbiType {
    /// A scalar or pointer; small integers are extended according to `signed`.
    Scalar {
        /// Its element.
        element: Element,
        /// For integers.
        signed: bool,
    },
    /// A struct by value.
    Struct {
        /// (offset, element) of each leaf.
        leaves: Vec<(u64, Element)>,
        /// The size in bytes.
        size: u64,
        /// The alignment in bytes.
        alignment: u64,
    },
}

/// What a pointer parameter promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ParameterFlags {
    /// Memory written through it is reached through no other pointer while the function runs.
    pub noalias: bool,
    /// Nothing is written through it.
    pub read_only: bool,
    /// What is there behind it, whether it is accessed or not.
    pub elements: Option<Elements>,
}

/// So many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// How many.
    pub count: Count,
    /// Bytes of an element.
    pub size: u64,
}

/// A number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// As many as another parameter says, by its index: a number with a sign.
    Parameter(u32),
    /// So many.
    Constant(u64),
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// The instance in source notation; printed as a comment.
    pub signature: String,
    /// How it is seen.
    pub linkage: Linkage,
    /// The rules of its floating-point arithmetic.
    pub fp: FpMode,
    /// Does it become a part of its callers? LLVM does not optimise what is cold.
    pub inlining: Inlining,
    /// Does the program ask in it what several lanes have in common, as by `any`? Where it does not, only the compiler asks.
    pub asks_lanes: bool,
    /// Parameter types; the entry block has the same ones.
    pub parameters: Vec<Type>,
    /// As many as `parameters`.
    pub parameter_flags: Vec<ParameterFlags>,
    /// Result types; a record is returned as its leaves.
    pub results: Vec<Type>,
    /// Stack slots: memory that lives as long as the call.
    pub slots: Vec<SlotData>,
    /// Basic blocks in layout order; [`Block`] indexes them. Empty for external functions.
    pub blocks: Vec<BlockData>,
    /// Instructions; [`Inst`] indexes them. Those that stand in no block are dead.
    pub insts: Vec<InstData>,
    /// Types and definitions of values; [`Value`] indexes them.
    pub values: Vec<ValueData>,
    /// Where it accesses memory that nothing bounds, although checks were asked for.
    pub loose: Vec<Span>,
    /// The name in the source.
    pub span: Span,
}

/// A stack slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub alignment: u64,
}

/// A value's type and definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Parameter `index` of a block.
    Parameter(Block, u32),
    /// Result `index` of an instruction.
    Result(Inst, u32),
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockData {
    /// Its parameters.
    pub parameters: Vec<Value>,
    /// Its instructions in order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub terminator: Terminator,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// What it defines.
    pub results: Vec<Value>,
    /// The source it comes from.
    pub span: Span,
}

/// A jump with the arguments for the target's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The block.
    pub block: Block,
    /// One argument per parameter.
    pub arguments: Vec<Value>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// `jump block(arguments)`
    Jump(Target),
    /// `branch condition, then, otherwise`
    Branch {
        /// A scalar `bool`.
        condition: Value,
        /// Taken where it is true.
        then: Target,
        /// Taken where it is false.
        otherwise: Target,
    },
    /// `return values`
    Return(Vec<Value>),
    /// Behind a call that does not come back (a failed check).
    Unreachable,
}

/// What an instruction does. `v: T` gives operand types, `→ T` the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// → T: one bit pattern per lane, or one for all lanes. Floats by their bits, `bool` 0 or 1, pointers only 0.
    Const(Vec<u64>),
    /// → T: some value.
    Unset,
    /// s: T×1 → T×N
    Splat(Value),
    /// base: int×1 → int×N: lane k is base + k·step, wrapping. With `exact` the author knows that no lane wraps (as a
    /// signed and as an unsigned number of its type, according to `signed`) for which an access is ever made.
    Ramp {
        /// Lane 0.
        base: Value,
        /// The difference of neighbours.
        step: i64,
        /// No lane that matters wraps.
        exact: bool,
    },
    /// a: T → T
    Unary(UnaryOp, Value),
    /// a, b: T → T
    Binary(BinaryOp, Value, Value),
    /// a, b, c: float×N → the same; a·b + c rounded once.
    Fma(Value, Value, Value),
    /// a, b: T → bool of the same length
    Compare(CompareOp, Value, Value),
    /// m: bool (×1 or ×N), a, b: T×N → T×N
    Select(Value, Value, Value),
    /// a: S×N → T×N
    Convert(ConvertOp, Value),
    /// v: T×N, index: i32×1 (taken modulo N) → T×1
    Extract(Value, Value),
    /// v: T×N, x: T×1, index: i32×1 (taken modulo N) → T×N
    Insert(Value, Value, Value),
    /// a, b: T×N → T×M: lane i takes lane `lanes[i]` of the 2N lanes of a then b; −1 gives zero. M = lanes.len().
    Shuffle(Value, Value, Vec<i16>),
    /// v: T×N, indices: int×M (taken modulo N) → T×M
    Permute(Value, Value),
    /// a, b: T×N, indices: int×M (taken modulo 2N) → T×M
    Permute2(Value, Value, Value),
    /// a, b: i16×2N → i32×N: lane i is a₂ᵢ·b₂ᵢ + a₂ᵢ₊₁·b₂ᵢ₊₁ of signed numbers; wraps.
    Dot2(Value, Value),
    /// a, b: i8×8N → i64×N: lane i is the sum of |a − b| over eight neighbours, of numbers without sign.
    Sad(Value, Value),
    /// a, b: i8×4N, sum: i32×N → i32×N: lane i is that of the sum and the products of lanes 4i … 4i + 3, wrapping.
    Dot4 {
        /// The first factors.
        a: Value,
        /// The second ones.
        b: Value,
        /// What is added.
        sum: Value,
        /// Are the first factors signed, and are the second ones?
        signed: [bool; 2],
    },
    /// a: T×N → U×M of as many bits: the bits, the lowest ones of lane 0 first; a `bool` has one. No pointers.
    Reinterpret(Value),
    /// v: T×N, m: bool×N → T×N: the lanes of v where m is on, one after another, then zeros.
    Compress(Value, Value),
    /// v: T×N, m: bool×N → T×N: where m is on, the lanes of v one after another; elsewhere zeros.
    Expand(Value, Value),
    /// v: T×N → T×1 over all lanes, in tree order: lane i with lane i + N/2, then N/4, …
    Reduce(ReduceOp, Value),
    /// count: i32×1, without a sign → bool×N: the lanes k < count.
    FirstLanes(Value),
    /// m: bool×N → bool×1
    Any(Value),
    /// m: bool×N → bool×1
    All(Value),
    /// m: bool×N → i64×1: bit k is lane k.
    MaskBits(Value),
    /// base: ptr, index: i32 or i64 (sign-extended), each ×1 or ×N → ptr of the greater length: base + index·scale + offset bytes.
    PtrIndex {
        /// The base.
        base: Value,
        /// The index.
        index: Value,
        /// Bytes per step of the index.
        scale: u64,
        /// Bytes.
        offset: i64,
    },
    /// base: ptr, offset in bytes → ptr of the same length
    PtrOffset(Value, i64),
    /// → ptr×1
    SlotAddress(Slot),
    /// → ptr×1
    GlobalAddress(GlobalId),
    /// → ptr×1: eight bytes for lanes that are off. Made by `legalize`, and where loops over numbers become lanes.
    Nowhere(Access),
    /// p: ptr×1, mask: none or bool×N → T×N: N consecutive elements.
    Load {
        /// The first element.
        pointer: Value,
        /// All on where absent.
        mask: Option<Value>,
    },
    /// As `Load`, around the caches.
    StreamingLoad {
        /// The first element.
        pointer: Value,
        /// All on where absent.
        mask: Option<Value>,
    },
    /// p: ptr×1, v: T×N, mask: none or bool×N: N consecutive elements.
    Store {
        /// The first element.
        pointer: Value,
        /// What.
        value: Value,
        /// All on where absent.
        mask: Option<Value>,
        /// Around the caches.
        streaming: bool,
    },
    /// p: ptr×N, mask → T×N. `object` says what is known to be readable around each active lane's address.
    Gather {
        /// One address per lane.
        pointers: Value,
        /// All on where absent.
        mask: Option<Value>,
        /// The object that each address lies in.
        object: Option<Object>,
    },
    /// p: ptr×N, v: T×N, mask. Ascending lanes: the highest wins.
    Scatter {
        /// One address per lane.
        pointers: Value,
        /// What.
        value: Value,
        /// All on where absent.
        mask: Option<Value>,
    },
    /// p: ptr×1, mask → T×N: lane k is at p + k·stride bytes. Made by `optimize` from a gather whose addresses it
    /// could tell, taken apart by `legalize`; `object` as there.
    StridedLoad {
        /// Lane 0's address.
        pointer: Value,
        /// Bytes; a multiple of the element's size, not that size itself.
        stride: i64,
        /// All on where absent.
        mask: Option<Value>,
        /// The object that each address lies in.
        object: Option<Object>,
    },
    /// to, from: ptr×1; `size` bytes that do not overlap or are the same.
    Copy {
        /// Where to.
        to: Value,
        /// Where from.
        from: Value,
        /// Bytes.
        size: u64,
    },
    /// p: ptr×1, v: T×N, mask: the active lanes one after another at p → i32×1, their number.
    PackedStore {
        /// The first element.
        pointer: Value,
        /// What.
        value: Value,
        /// All on where absent.
        mask: Option<Value>,
    },
    /// p: ptr×1, v: T×1 → T×1: what was at p, which becomes that ∘ v in one step. ∘ is an addition, multiplication,
    /// minimum, maximum, or a logical operation.
    Atomic {
        /// ∘
        op: BinaryOp,
        /// Where.
        pointer: Value,
        /// The second operand.
        value: Value,
    },
    /// p: ptr×1, e: none or T×1, v: T×1 → T×1: what was at p, which becomes v in one step, where there is an e only if it had its bits.
    Exchange {
        /// Where.
        pointer: Value,
        /// What it has to be.
        expected: Option<Value>,
        /// What it becomes.
        value: Value,
    },
    /// p: ptr×1, in a slot, m: bool×N: a local variable made of vectors of N lanes comes to life there, in the lanes of m, of which one is on. What other
    /// lanes of its vectors hold is nobody's until it does so again. Made by `predicate` for `local_lanes`, behind which there is none.
    Lifetime(Value, Value),
    /// p: ptr×1
    Prefetch(Value),
    /// bytes: i64×1 → ptr×1: fresh memory, 64-byte aligned; null where there is not so much, or for a negative number.
    Allocate(Memory, Value),
    /// p: ptr×1, from `Allocate` of the same kind; of the heap also null. Of `scratch`: the one that came last.
    Free(Memory, Value),
    /// Arguments and results as the callee has them.
    Call(FunctionId, Vec<Value>),
    /// Calls `function`, which has no results, with `arguments` and two numbers low ≤ high more (i64×1), for parts low .. high that make up
    /// 0 .. count (i64×1); at the same time or one after another, in any order. Goes on when all calls are back.
    Parallel {
        /// Runs a part.
        function: FunctionId,
        /// What all calls get.
        arguments: Vec<Value>,
        /// How many iterations there are; none if it is negative.
        count: Value,
    },
    /// Writes pieces; a vector's lanes that are off print as `_`.
    Print {
        /// Where to.
        channel: Channel,
        /// Text and arguments in order.
        pieces: Vec<PrintPiece>,
    },
    /// The function fails with `message` and the instruction's position if `condition` (bool×1) is false, and so does what called it
    /// ([`failing`](super::failing)). `lane` (i32×1) is named in the message if given.
    Check {
        /// What must hold.
        condition: Value,
        /// The lane to name.
        lane: Option<Value>,
        /// What failed; [`filled`](super::failing::filled) puts the numbers in.
        message: String,
        /// What the message tells of the run (i64×1 each), such as an index and what it had to be below.
        numbers: Vec<Value>,
    },
    /// condition: bool×1 holds.
    Assume(Value),
    /// Does nothing: the innermost loop around it is unrolled so.
    Unroll(Unrolling),
}

/// What an access to memory does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It reads: nowhere there are zeros.
    Read,
    /// It writes: nowhere it is never read.
    Write,
}

impl Access {
    /// The name in printed IR.
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }
}

/// What surrounds an address: the address is `offset` bytes into an object of `size` bytes that is there as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// Bytes from the start of the object to the address.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// A part of what `print` writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PrintPiece {
    /// Text.
    Text(String),
    /// An argument.
    Value {
        /// Any type.
        value: Value,
        /// Is an integer signed?
        signed: bool,
        /// Which lanes are on; all where absent.
        mask: Option<Value>,
        /// How they are written.
        format: ivl::Format,
    },
}

/// Element-wise operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// int: wraps.
    Neg,
    /// int, bool: all bits.
    Not,
    /// bool: the same, and mostly true.
    Likely,
    /// int: of a signed number, wraps for MIN.
    Abs,
    /// float: flips the sign.
    FNeg,
    /// float: clears the sign.
    FAbs,
    /// float
    Sqrt,
    /// float: 1 / sqrt(a); exact quotient and root unless the function is `Fast`.
    Rsqrt,
    /// float: 1 / a; exact unless the function is `Fast`.
    Rcp,
    /// float
    Floor,
    /// float
    Ceil,
    /// float: halves away from zero.
    Round,
    /// float
    Trunc,
    /// float: halves to the even neighbour.
    Rint,
    /// int: leading zeros, the width for 0.
    Clz,
    /// int: trailing zeros, the width for 0.
    Ctz,
    /// int: ones.
    Popcnt,
    /// int
    BitReverse,
}

/// Element-wise operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// int: wraps.
    Add,
    /// int: wraps.
    Sub,
    /// int: wraps.
    Mul,
    /// int: by zero 0, MIN / −1 = MIN.
    SDiv,
    /// int: by zero 0.
    UDiv,
    /// int: by zero 0, MIN % −1 = 0.
    SRem,
    /// int: by zero 0.
    URem,
    /// int, bool
    And,
    /// int, bool
    Or,
    /// int, bool
    Xor,
    /// int: count modulo width.
    Shl,
    /// int: count modulo width.
    LShr,
    /// int: count modulo width.
    AShr,
    /// int
    SMin,
    /// int
    SMax,
    /// int
    UMin,
    /// int
    UMax,
    /// int: the sum of signed numbers, or the nearest one.
    SAddSat,
    /// int: of unsigned ones.
    UAddSat,
    /// int: the difference of signed numbers, or the nearest one.
    SSubSat,
    /// int: of unsigned ones.
    USubSat,
    /// int: the upper half of the product of signed numbers.
    SMulHigh,
    /// int: of unsigned ones.
    UMulHigh,
    /// int of n bits: of the product of signed numbers, rounded by adding 2^(n − 2), the bits from n − 1 on; MIN · MIN gives MIN.
    SMulRound,
    /// int: the lower half of the product without carries.
    ClMul,
    /// int: the upper half.
    ClMulHigh,
    /// f32: a · 2^b, rounded once, for whole b from −252 to 254 at which a · 2^(b / 2) is neither subnormal nor infinite; of any other b some number, of
    /// NaN one.
    FScale,
    /// float
    FAdd,
    /// float
    FSub,
    /// float
    FMul,
    /// float
    FDiv,
    /// float: C's fmod.
    FRem,
    /// float: a < b ? a : b
    FMin,
    /// float: a > b ? a : b
    FMax,
}

/// Comparisons. `F…` are ordered (false for NaN), `FNe` is unordered (true for NaN). `Eq` and `Ne` also compare
/// `bool` and `ptr`; pointers are unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    FEq,
    FNe,
    FLt,
    FLe,
    FGt,
    FGe,
}

/// Conversions; the result type of the instruction says to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvertOp {
    /// int to a narrower int.
    Trunc,
    /// int to a wider int.
    SExt,
    /// int or bool to a wider int.
    ZExt,
    /// float to signed int: towards zero, saturating, NaN to 0.
    FToS,
    /// float to unsigned int: likewise.
    FToU,
    /// signed int to float.
    SToF,
    /// unsigned int or bool to float.
    UToF,
    /// f64 to f32, f32 to f64.
    FToF,
    /// The bits of a binary16 (i16) to the f32 that it is; what is not a number becomes quiet.
    HToF,
    /// f32 to the bits of the nearest binary16 (i16), ties to even; what is not a number becomes quiet and keeps the upper bits of its
    /// payload.
    FToH,
    /// ptr to i64.
    PtrToInt,
    /// i64 to ptr.
    IntToPtr,
    /// Same size, other element: the bits.
    Bits,
}

/// Reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Add,
    Mul,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
    FAdd,
    FMul,
    FMin,
    FMax,
}
