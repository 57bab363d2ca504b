//! The IVL compiler: a house whose rooms are the stages.
//!
//! ```text
//! source ─syntax─► ast ─check─► typed ─predicate─► vector ─optimize─► vector ─legalize─► vector ─llvm─► object, asm, JIT
//!                    │         ▲
//!                    └─pipeline┘  algorithm ─► loops ─► loops ─► functions
//! ```
//!
//! Two ideas carry it. *Typed knows no masks, predicate knows no syntax*: the typed program is VecIMP after
//! instantiation, with structured control flow and an implicit mask, as the paper's rules have it; `predicate` alone makes
//! masks explicit, and after it branches are scalar. And *each stage can be read and tested alone*: it uses the
//! IR that it reads and the IR that it makes, and nothing else of the house.
//!
//! In reading order:
//!
//! * [`source`]: files and positions. [`types`]: the types 𝓥 of the paper, interned. [`machine`]: what each
//!   instruction set has. [`target`]: what else code is generated for.
//! * [`diagnostics`]: what the user is told; each kind of message is a file with an explanation and two examples.
//! * [`syntax`]: text → tokens → tree. Knows no names and no types.
//! * [`settings`]: what is set from outside are the defaults of parameters of templates.
//! * [`check`]: tree → typed program. Names, vec_Λ, contexts, instances, the jump rule, the lengths of what is declared without one.
//! * [`typed`]: the typed program: monomorphic, all lengths resolved, masks implicit; its interpreter is the reference
//!   semantics.
//! * [`pipeline`]: stage zero, algorithms, schedules and bounds: a scheduled pipeline becomes functions of the typed program, where
//!   somebody asks for it.
//! * [`tensor`]: comprehensions of tensors as algorithms of pipelines.
//! * [`predicate`]: typed → vector. Masks, regions without lanes, loops that lose lanes.
//! * [`vector`]: the vector IR: SSA, masks explicit, every operation total; with an interpreter, too.
//! * [`optimize`]: vector → vector: what LLVM cannot know.
//! * [`legalize`]: vector → vector: what the machine has no instruction for becomes what it has.
//! * `llvm`: vector → machine code, the only user of LLVM; behind the feature `llvm`.
//! * [`library`]: the files of `stdlib/`, in the language itself, and what a program reaches of them.
//! * [`symbols`]: what exports are called in objects. [`header`]: the exports of a program for C. [`bindings`]: its exports and pipelines for Rust. [`driver`]: the stages, a line each.

pub mod source;

pub mod types;

pub mod machine;
pub mod target;

pub mod diagnostics;

pub mod syntax;

pub mod settings;

pub mod check;

pub mod typed;

pub mod pipeline;

pub mod tensor;

pub mod predicate;

pub mod vector;

pub mod optimize;

pub mod legalize;

#[cfg(feature = "llvm")]
pub mod llvm;

pub mod library;

pub mod symbols;

pub mod header;

pub mod bindings;

pub mod driver;
