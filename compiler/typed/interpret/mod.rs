//! The semantics that runs: appendix B of the VecIMP paper as an interpreter.
//!
//! A step of the paper is Φ, a, σ, M → a′, σ′, M′. Here Φ is the [`Program`], whose instances T-INVOKE has made; M is
//! `memory`; σ with its mask P is the `Frame` and the addresses of its locals; values 𝓥(m, τ) are `value`s, lvalues
//! 𝓛(a, τ) are `places`. The rules are functions that bear their names; where the paper rewrites a program step by step
//! inside an evaluation context (E-EVAL), a function calls another.
//!
//! ```text
//! figure                            here
//! 12  E-SEQT, E-SEQF, E-SCOPEF      `e_seq`: a statement behind an empty mask is skipped
//! 8   E-IF                          `e_if`: {s1} under P and m, then if (not m) s2
//! 7   E-WHILE                       `e_while`: if (e) {s while (e) s}
//! 14  E-ASSIGN                      `e_assign`: M[⟨P, a, τ⟩ := m]
//! ```
//!
//! What the language has beyond the paper is stated as a rule where it lives, in the same style. The most important ones:
//!
//! * *Lanes that are off.* E-TOVAL reads a variable with all its lanes. Behind a pointer, a lane that is off is not
//!   touched, and is unset in the value. So is a lane that no evaluation was made for: the right side of `&&` under a
//!   narrowed mask, the result of a call.
//! * *Unset.* What is computed from something unset is unset. It may be moved and stored; when it decides (a condition, an
//!   address, a bound) or leaves the program (`print`, `assert`, the exit code), in a lane that is on, that is a [`Fault`].
//! * *Jumps* take lanes away from P, until the end of the round (`continue`), of the loop (`break`) or of the call
//!   (`return`); see `statements`.
//!
//! It shares no code with the stages behind `check`, so that it can be their oracle; `typed::origins`, which says what pointers lead
//! into by the text alone, is a part of the language. It does not follow `--fp contract` and
//! `fast`: arithmetic is strict.
//!
//! # Invariants (Theorem 2; a violation is [`FaultKind::Stuck`])
//! 1. The type of each value is the static type of its expression.
//! 2. ‖P‖ = Λ in every block.

mod arithmetic;
mod bounds;
mod builtins;
mod cross_lane;
mod expressions;
mod lanes;
mod memory;
mod output;
mod places;
mod rearrange;
pub mod scalar;
mod statements;
mod value;

use super::ir::{Constant, FunctionId, Initializer, LocalId, Program};
use crate::source::Span;
use crate::typed::origins::Origins;
use crate::types::{Element, Type, TypeKind};
use lanes::Lanes;
use memory::{Memory, Misuse};
use rustc_hash::FxHashMap;
use statements::Target;
use std::cell::OnceCell;
use value::{Lane, Layouts, Value};

/// Why a program ended before its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What kind of reason.
    pub kind: FaultKind,
    /// In words.
    pub message: String,
    /// Where.
    pub span: Span,
    /// In which lane, if only in one.
    pub lane: Option<u8>,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An `assert` or `assume` that does not hold.
    Assertion,
    /// A pipeline that does not start.
    Refused,
    /// An access outside of an object, or to one that is no longer there.
    Memory,
    /// Something unset decides, or leaves the program.
    Unset,
    /// Too many steps, too many calls inside one another, too much memory.
    Limit,
    /// A function that is only declared.
    External,
    /// No rule applies: by Theorem 2 a bug of this compiler.
    Stuck,
}

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps: statements, rounds and calls; `None` for as many as it takes.
    pub steps: Option<u64>,
    /// Calls inside one another.
    pub calls: usize,
    /// Bytes of variables that are alive; `None` for as many as it takes.
    pub bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: None, calls: 2000, bytes: None }
    }
}

/// The largest object in bytes.
const MAX_OBJECT: u64 = 1 << 31;

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

/// Runs `main`; its exit code. What it prints goes to `output`.
///
/// # Panics
/// If the program has no `main`.
pub fn interpret(program: &Program, limits: Limits, output: &mut dyn FnMut(&str)) -> Result<i32> {
    let main = program.main.expect("a program with a main");
    let function = &program.functions[main.0 as usize];
    let mut interpreter = Interpreter::new(program, limits, output);
    let result = interpreter.call(main, Vec::new(), Lanes::all(1), function.span)?;
    if matches!(program.types.kind(function.result), TypeKind::Void) {
        return Ok(0);
    }
    let leaf = interpreter.layouts.leaf(result.ty);
    let code = interpreter.decided(result.lane(&leaf, 0), function.span, None)?;
    let element = leaf.element.expect("main returns a number");
    Ok(arithmetic::integer(element, code) as i32)
}

/// What a function without parameters returns, called with all lanes on.
///
/// # Errors
/// What goes wrong in it.
pub fn constant(program: &Program, function: FunctionId, limits: Limits) -> Result<Initializer> {
    let mut nowhere = |_: &str| {};
    let mut interpreter = Interpreter::new(program, limits, &mut nowhere);
    let called = &program.functions[function.0 as usize];
    let value = interpreter.call(function, Vec::new(), Lanes::all(called.context), called.span)?;
    interpreter.initializer(&value, value.ty, 0, called.span)
}

/// σ of a call: its mask and where its variables are.
struct Frame {
    function: FunctionId,
    /// A_σ: the addresses of the locals that are alive.
    addresses: Vec<Option<u64>>,
    /// P
    mask: Lanes,
    /// What `current_mask` shows inside the second part of `[a, b]`.
    shown: Option<Lanes>,
    /// What jumps may leave: the function itself, then the loops around the current place.
    targets: Vec<Target>,
    /// What the lanes have returned.
    result: Value,
    /// Of the parameters with a number of elements: the address and that number at the start of the call.
    slices: FxHashMap<LocalId, (u64, i128)>,
    /// Of the pointers that are followed: where what they lead into begins, and how many elements it has.
    followed: FxHashMap<LocalId, (u64, i128)>,
}

/// A run of a program.
struct Interpreter<'p> {
    program: &'p Program,
    layouts: Layouts<'p>,
    memory: Memory,
    /// A_σ of the globals.
    globals: Vec<u64>,
    frame: Frame,
    /// Where the pointers of each function lead, once it is called.
    origins: Vec<OnceCell<Origins>>,
    limits: Limits,
    calls: usize,
    output: &'p mut dyn FnMut(&str),
    /// Why a pipeline did not start.
    reason: String,
}

impl<'p> Interpreter<'p> {
    fn new(program: &'p Program, limits: Limits, output: &'p mut dyn FnMut(&str)) -> Self {
        let layouts = Layouts::new(&program.types);
        let nothing = Value { ty: program.functions[0].result, bytes: Vec::new(), unset: Vec::new() };
        let frame = Frame {
            function: FunctionId(0),
            addresses: Vec::new(),
            mask: Lanes::all(1),
            shown: None,
            targets: Vec::new(),
            result: nothing,
            slices: FxHashMap::default(),
            followed: FxHashMap::default(),
        };
        let origins = program.functions.iter().map(|_| OnceCell::new()).collect();
        let (memory, globals, reason) = Default::default();
        let mut this = Interpreter { program, layouts, memory, globals, frame, origins, limits, calls: 0, output, reason };
        for global in &program.globals {
            let size = program.types.size(global.ty);
            let address = this.memory.allocate(size);
            let mut value = this.layouts.unset(global.ty);
            value.unset.fill(false);
            this.initialize(&mut value, global.ty, 0, &global.initializer);
            this.globals.push(address);
            let written = this.memory.write(address, &value);
            debug_assert!(written.is_ok(), "a global has room for its first value");
        }
        this
    }

    /// A value as the first value of a global.
    fn initializer(&self, value: &Value, ty: Type, offset: usize, span: Span) -> Result<Initializer> {
        let types = &self.program.types;
        let lanes = |element: Option<Element>| {
            let leaf = value::Leaf { offset, ..self.layouts.leaf(ty) };
            let mut lanes = Vec::with_capacity(leaf.length.into());
            for lane in 0..leaf.length {
                let bits = self.decided(value.lane(&leaf, lane), span, Some(lane).filter(|_| leaf.length > 1))?;
                let constant = match element {
                    Some(Element::Bool) => Constant::Bool(bits != 0),
                    Some(Element::Float16) => Constant::Float(ivl::Float16::from_bits(bits as u16).to_f64()),
                    Some(Element::Float) => Constant::Float(f64::from(f32::from_bits(bits as u32))),
                    Some(Element::Double) => Constant::Float(f64::from_bits(bits)),
                    Some(_) => Constant::Int(bits),
                    None if bits == 0 => Constant::Null,
                    None => return self.fault(FaultKind::Memory, "an address is no constant", span, None),
                };
                lanes.push(Initializer::Constant(constant));
            }
            Ok(if lanes.len() == 1 { lanes.remove(0) } else { Initializer::List(lanes) })
        };
        let parts: Vec<(Type, usize)> = match *types.kind(ty) {
            TypeKind::Vector { element, .. } => return lanes(Some(element)),
            TypeKind::Pointer { .. } => return lanes(None),
            TypeKind::Array { element, count } => {
                let size = types.size(element) as usize;
                (0..count as usize).map(|i| (element, offset + i * size)).collect()
            }
            TypeKind::Record { .. } => {
                let members = types.members(ty).iter().enumerate();
                members.map(|(i, member)| (member.ty, offset + types.offset(ty, i) as usize)).collect()
            }
            TypeKind::Error | TypeKind::Void => return self.fault(FaultKind::Stuck, "a constant has a value", span, None),
        };
        let parts = parts.into_iter().map(|(ty, offset)| self.initializer(value, ty, offset, span));
        Ok(Initializer::List(parts.collect::<Result<_>>()?))
    }

    /// The first value of a global; what is not mentioned is zero.
    fn initialize(&self, value: &mut Value, ty: Type, offset: usize, initializer: &Initializer) {
        let types = &self.program.types;
        match initializer {
            Initializer::Zero => {}
            Initializer::Constant(constant) => {
                for leaf in self.layouts.leaves(ty).iter() {
                    let bits = expressions::constant_bits(leaf.element, *constant);
                    for lane in 0..leaf.length {
                        let leaf = value::Leaf { offset: offset + leaf.offset, ..*leaf };
                        value.set_lane(&leaf, lane, Lane::set(bits));
                    }
                }
            }
            Initializer::List(parts) => match *types.kind(ty) {
                TypeKind::Vector { .. } | TypeKind::Pointer { .. } => {
                    let leaf = value::Leaf { offset, ..self.layouts.leaf(ty) };
                    for (lane, part) in parts.iter().enumerate() {
                        if let Initializer::Constant(constant) = part {
                            value.set_lane(&leaf, lane as u8, Lane::set(expressions::constant_bits(leaf.element, *constant)));
                        }
                    }
                }
                TypeKind::Array { element, .. } => {
                    let size = types.size(element) as usize;
                    for (i, part) in parts.iter().enumerate() {
                        self.initialize(value, element, offset + i * size, part);
                    }
                }
                TypeKind::Record { .. } => {
                    for (i, part) in parts.iter().enumerate() {
                        let member = types.members(ty)[i].ty;
                        self.initialize(value, member, offset + types.offset(ty, i) as usize, part);
                    }
                }
                TypeKind::Error | TypeKind::Void => {}
            },
        }
    }

    /// Where the pointers of the function at hand lead.
    fn origins(&self) -> &Origins {
        let function = self.frame.function;
        self.origins[function.0 as usize].get_or_init(|| Origins::of(self.program, function))
    }

    // ---- Faults ---------------------------------------------------------------------------------------------------

    fn fault<T>(&self, kind: FaultKind, message: impl Into<String>, span: Span, lane: Option<u8>) -> Result<T> {
        Err(Box::new(Fault { kind, message: message.into(), span, lane }))
    }

    /// Soundness (Theorem 2): what must hold of every well-typed program.
    fn sound(&self, holds: bool, span: Span, message: impl FnOnce() -> String) -> Result<()> {
        if holds { Ok(()) } else { self.fault(FaultKind::Stuck, message(), span, None) }
    }

    /// The bits of something that decides or leaves the program.
    fn decided(&self, lane: Lane, span: Span, number: Option<u8>) -> Result<u64> {
        if lane.is_unset {
            return self.fault(FaultKind::Unset, "this depends on a value that was never set", span, number);
        }
        Ok(lane.bits)
    }

    fn misuse<T>(&self, misuse: Misuse, span: Span, lane: Option<u8>) -> Result<T> {
        let message = match misuse {
            Misuse::Null => "null pointer".to_owned(),
            Misuse::Dead => "this object is no longer there".to_owned(),
            Misuse::Outside { size, offset } => format!("access to byte {offset} of an object of {size} bytes"),
        };
        self.fault(FaultKind::Memory, message, span, lane)
    }

    /// A statement, a round, a call.
    fn step(&mut self, span: Span) -> Result<()> {
        match &mut self.limits.steps {
            Some(0) => self.fault(FaultKind::Limit, "too many steps", span, None),
            Some(steps) => {
                *steps -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    // ---- Calls ----------------------------------------------------------------------------------------------------

    /// E-INVOKE: a scope of its own, with the arguments for parameters; its body; E-RETURN with what its lanes returned.
    fn call(&mut self, id: FunctionId, arguments: Vec<Value>, mask: Lanes, span: Span) -> Result<Value> {
        let program = self.program;
        let function = &program.functions[id.0 as usize];
        let Some(body) = &function.body else {
            let message = format!("`{}` is a function of C, which is not interpreted", function.name);
            return self.fault(FaultKind::External, message, span, None);
        };
        if self.calls >= self.limits.calls {
            return self.fault(FaultKind::Limit, "too many calls inside one another", span, None);
        }
        self.step(span)?;
        self.calls += 1;
        // A function that a `return` of lanes has vectorised starts with all lanes on.
        let mask = if body.context == mask.length() { mask } else { Lanes::all(body.context) };
        let frame = Frame {
            function: id,
            addresses: vec![None; function.locals.len()],
            mask,
            shown: None,
            targets: vec![Target::new(body.context)],
            result: self.layouts.unset(function.result),
            followed: self.slices(function, &arguments),
            slices: self.slices(function, &arguments),
        };
        let outer = std::mem::replace(&mut self.frame, frame);
        for (i, value) in arguments.into_iter().enumerate() {
            self.sound(value.ty == function.locals[i].ty, span, || "an argument has not the type of its parameter".into())?;
            self.e_decll(LocalId(i as u32), Some(value), span)?;
        }
        self.e_seq(body)?;
        for local in 0..function.parameters {
            self.e_outscope(LocalId(local as u32));
        }
        let frame = std::mem::replace(&mut self.frame, outer);
        self.calls -= 1;
        Ok(frame.result)
    }
}
