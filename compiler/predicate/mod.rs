//! Typed program to vector IR: masks become explicit.
//!
//! In the typed program the mask P lives only in the rules that give the tree its meaning (section 4 of the paper);
//! control flow is structured and its conditions may be vectors. Here every access that P governs gets its mask, every
//! vector condition becomes mask arithmetic, and what is left of control flow are branches on scalars.
//!
//! ```text
//! // context 8, x: int block[8]            block0(P: boolx8, x: i32x8):
//! if (x > 3) {                               c = sgt x, 3
//!     x = x - 1;                             m = and P, c
//!     if (x == 5) return x;           ──►    x1 = select m, x - 1, x         cheap: no branch
//! }                                          m2 = and m, x1 == 5
//! f(x);                                      live = or (m & !m2), (P & !c)
//! return 0;                                  branch any(live), block1, block2
//!                                          block1: call f(live, x1) …
//! ```
//!
//! # How
//! * A value is the list of its leaves (`layout`); a local whose address nobody takes is a variable of the SSA builder,
//!   any other one a stack slot (`storage`).
//! * A value with large arrays is the address of memory that holds it, from where it is made to where it is used (`objects`).
//! * The current mask is a `Mask`: known to be all on (no `select`, no masked access), known to be all off
//!   (nothing is emitted), or a value. A statement may take lanes away (`break`, `continue`, `return`); the mask
//!   then shrinks, and what follows is guarded anew (E-SEQF).
//! * The rounds of a parallel loop become a function of their own (`parallel`).
//! * A region under a mask stands behind a branch on `any(mask)`, unless it is cheap and can be masked (`cost`).
//! * Loops that lose lanes one by one carry the mask of those that are left; all others are plain (`uniformity`).
//!
//! # Invariants
//! 1. Where instructions stand that are not cheap (`cost`), at least one lane of the mask is on.
//! 2. A function of context Λ > 1 has the mask as its first parameter; its callers pass no empty mask unless its
//!    body is cheap.
//! 3. A jump under the very mask with which the round of its loop began takes all lanes of the round, and is a
//!    jump; only masks that are certainly the same count (`same_mask`).

mod arithmetic;
mod atomics;
mod bounds;
mod branches;
mod builtins;
mod calls;
mod checks;
mod cost;
mod cross_lane;
mod expressions;
mod foreach;
mod function;
mod globals;
mod jumps;
mod layout;
mod loops;
mod loose;
mod masks;
mod memory;
mod objects;
mod parallel;
mod places;
mod pointers;
mod rearrange;
mod state;
mod statements;
mod storage;
mod switch;
#[cfg(test)]
mod tests;
mod uniformity;

use crate::typed::ir::{self, ParameterKind, SliceBound};
use crate::typed::origins::Origins;
use crate::types::TypeKind;
use crate::vector::ir::{
    Abi, AbiType, Count, Element, Elements, Function, FunctionId, Global, LaneFunction, Linkage, Module, ParameterFlags, Type,
};
use layout::Layouts;
use std::cell::RefCell;
use storage::Locals;

/// What `--check` adds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Test pointers, slice bounds and array indices at run time.
    pub check: bool,
}

/// Makes masks explicit.
pub fn predicate(program: &ir::Program, options: &Options) -> Module {
    let layouts = Layouts::new(&program.types);
    let signatures = (0..program.functions.len()).map(|i| Signature::of(&layouts, program, i)).collect();
    let locals = program.functions.iter().map(|function| Locals::of(&layouts, function)).collect();
    let globals = program.globals.iter().map(|global| globals::global(&layouts, global)).collect();
    let count = if options.check { program.functions.len() as u32 } else { 0 };
    let origins = (0..count).map(|function| Origins::of(program, ir::FunctionId(function))).collect();
    let (outlined, constants) = (RefCell::default(), RefCell::default());
    let shared = Shared { program, options: *options, layouts, signatures, locals, globals, origins, outlined, constants };
    let mut functions: Vec<Function> = (0..program.functions.len() as u32).map(|i| shared.function(ir::FunctionId(i))).collect();
    functions.extend(shared.outlined.into_inner());
    let mut globals = shared.globals;
    globals.extend(shared.constants.into_inner());
    let id = |id: ir::FunctionId| FunctionId(id.0);
    let of_lanes = |of: &ir::LaneInstance| LaneFunction { one: id(of.one), lanes: id(of.lanes), is_total: of.is_total };
    Module { functions, globals, lanes: program.lanes.iter().map(of_lanes).collect() }
}

/// What all functions of a program share.
struct Shared<'p> {
    program: &'p ir::Program,
    options: Options,
    layouts: Layouts<'p>,
    /// How each function looks in the vector IR.
    signatures: Vec<Signature>,
    /// Where the locals of each function live.
    locals: Vec<Locals>,
    /// The globals of the program.
    globals: Vec<Global>,
    /// Where the pointers of each function lead, with checks.
    origins: Vec<Origins>,
    /// The parallel loops so far; they come behind the functions of the program.
    outlined: RefCell<Vec<Function>>,
    /// The constants of initializers so far; they come behind the globals of the program.
    constants: RefCell<Vec<Global>>,
}

/// How a function looks in the vector IR.
struct Signature {
    parameters: Vec<Type>,
    flags: Vec<ParameterFlags>,
    results: Vec<Type>,
    linkage: Linkage,
    symbol: String,
    /// `void main()` returns 0 to C all the same.
    returns_zero: bool,
}

impl Signature {
    fn of(layouts: &Layouts, program: &ir::Program, index: usize) -> Signature {
        let function = &program.functions[index];
        let mut parameters = Vec::new();
        let mut flags = Vec::new();
        if function.context > 1 {
            parameters.push(Type::new(Element::Bool, function.context));
            flags.push(ParameterFlags::default());
        }
        let returns_object = layouts.is_by_address(function.result, function.linkage);
        if returns_object {
            parameters.push(Type::scalar(Element::Ptr));
            flags.push(ParameterFlags::default());
        }
        let mut places = Vec::new();
        for parameter in &function.locals[..function.parameters] {
            places.push(parameters.len());
            if layouts.is_by_address(parameter.ty, function.linkage) {
                parameters.push(Type::scalar(Element::Ptr));
                flags.push(ParameterFlags::default());
                continue;
            }
            let leaves = layouts.leaf_types(parameter.ty);
            // Of a view, the pointer to its pixels.
            let promised = parameter_flags(program, function.linkage, &parameter.parameter);
            flags.extend(leaves.iter().map(|ty| if ty.element == Element::Ptr { promised } else { ParameterFlags::default() }));
            parameters.extend(leaves);
        }
        if function.linkage == ir::Linkage::Export {
            for (parameter, &place) in function.locals.iter().zip(&places) {
                let ParameterKind::Slice { bound: Some(bound), .. } = &parameter.parameter else { continue };
                let Some(pointee) = program.types.pointee(parameter.ty) else { continue };
                let size = program.types.size(pointee);
                flags[place].elements = match (bound, bound.multiple()) {
                    (&SliceBound::Constant(count), _) => Some(Elements { count: Count::Constant(count), size }),
                    (_, Some((count, times))) => {
                        let (count, ty) = (places[count], parameters[places[count]]);
                        let count = (ty.length == 1 && ty.element.is_int()).then_some(Count::Parameter(count as u32));
                        count.map(|count| Elements { count, size: size.saturating_mul(times) })
                    }
                    _ => None,
                };
            }
        }
        let results = if returns_object { Vec::new() } else { layouts.leaf_types(function.result) };
        let mut signature = Signature {
            parameters,
            flags,
            results,
            linkage: match function.linkage {
                ir::Linkage::Internal => Linkage::Internal,
                ir::Linkage::Export => Linkage::Export(layouts.abi(function)),
                ir::Linkage::Extern => Linkage::Extern(layouts.abi(function)),
            },
            symbol: function.symbol.clone(),
            returns_zero: false,
        };
        if program.main == Some(ir::FunctionId(index as u32)) {
            signature.make_main(layouts, function);
        }
        signature
    }

    /// C calls `int main()`.
    fn make_main(&mut self, layouts: &Layouts, function: &ir::Function) {
        let mut abi = layouts.abi(function);
        if matches!(layouts.types.kind(function.result), TypeKind::Void) {
            self.returns_zero = true;
            self.results = vec![Type::scalar(Element::I32)];
            abi = Abi { result: Some(AbiType::Scalar { element: Element::I32, signed: true }), ..abi };
        }
        self.linkage = Linkage::Export(abi);
        self.symbol = "main".into();
    }
}

/// What a parameter promises: a slice that an export writes overlaps no other, neither does a `restrict` pointer. Nobody writes a `const`
/// one, unless `const` is lost somewhere. Slices of other functions are pointers like others: their callers are in the program, and
/// promise nothing.
fn parameter_flags(program: &ir::Program, linkage: ir::Linkage, kind: &ParameterKind) -> ParameterFlags {
    match *kind {
        ParameterKind::Plain | ParameterKind::Buffer { .. } => ParameterFlags::default(),
        ParameterKind::Slice { bound: _, read_only } => {
            let noalias = !read_only && linkage == ir::Linkage::Export;
            ParameterFlags { noalias, read_only: read_only && !program.loses_const, elements: None }
        }
        ParameterKind::Restrict => ParameterFlags { noalias: true, ..ParameterFlags::default() },
    }
}

impl Shared<'_> {
    fn function(&self, id: ir::FunctionId) -> Function {
        let function = &self.program.functions[id.0 as usize];
        let signature = &self.signatures[id.0 as usize];
        let mut made = match &function.body {
            Some(body) => function::body(self, id, body),
            None => Function {
                name: String::new(),
                signature: String::new(),
                linkage: Linkage::Internal,
                fp: function.fp,
                inlining: function.inlining,
                asks_lanes: false,
                parameters: signature.parameters.clone(),
                parameter_flags: Vec::new(),
                results: signature.results.clone(),
                slots: Vec::new(),
                blocks: Vec::new(),
                insts: Vec::new(),
                values: Vec::new(),
                loose: Vec::new(),
                span: function.span,
            },
        };
        made.name = signature.symbol.clone();
        made.signature = function.signature.clone();
        made.linkage = signature.linkage.clone();
        (made.fp, made.inlining) = (function.fp, function.inlining);
        made.parameter_flags = signature.flags.clone();
        made
    }
}
