//! The body of a function: parameters, locals, results.

use super::layout::Leaf;
use super::state::{Mask, Predicator, Storage};
use super::{Shared, Signature};
use crate::typed::ir::{self, LocalId};
use crate::types;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::{BinaryOp, Element, Function, Type, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Makes the masks of a function body explicit.
pub(super) fn body(shared: &Shared, id: ir::FunctionId, body: &ir::Block) -> Function {
    let function = &shared.program.functions[id.0 as usize];
    let signature = &shared.signatures[id.0 as usize];
    let mut b = FunctionBuilder::new("", &signature.parameters, &signature.results, function.span);
    let returned = b.declare_variable(Type::new(Element::Bool, body.context));
    let nobody = b.bool(body.context, false);
    b.define(returned, nobody);
    let returns_object = shared.layouts.is_by_address(function.result, function.linkage);
    let leaves = if returns_object { Vec::new() } else { shared.layouts.leaf_types(function.result) };
    let results = leaves.into_iter().map(|ty| b.declare_variable(ty)).collect();
    let result_address = returns_object.then(|| b.function_parameters()[usize::from(function.context > 1)]);
    // A function that a lane's `return` has vectorised starts with all lanes on (the jump rule).
    let base = if function.context > 1 { Mask::Value(b.function_parameters()[0]) } else { Mask::AllOn(body.context) };
    let mut predicator = Predicator {
        shared,
        id,
        region: None,
        b,
        storage: Vec::new(),
        mask: base,
        shown_mask: None,
        may_be_off: false,
        base,
        loops: Vec::new(),
        scalar_regions: Vec::new(),
        copies: 0,
        returned,
        results,
        result_address,
        wide_indices: FxHashMap::default(),
        followed: FxHashMap::default(),
    };
    predicator.locals();
    predicator.parameters(function);
    predicator.check_bounds();
    predicator.follow_pointers();
    predicator.block(body);
    predicator.fall_off_the_end();
    predicator.b.finish()
}

impl<'p> Predicator<'p> {
    pub fn signature(&self) -> &'p Signature {
        &self.shared.signatures[self.id.0 as usize]
    }

    pub fn function(&self) -> &'p ir::Function {
        &self.shared.program.functions[self.id.0 as usize]
    }

    pub fn types(&self) -> &'p types::Types {
        self.shared.layouts.types
    }

    pub fn leaves(&self, ty: types::Type) -> Rc<[Leaf]> {
        self.shared.layouts.leaves(ty)
    }

    /// Gives every local of the function, or of the parallel loop, its place.
    pub fn locals(&mut self) {
        let locals = &self.shared.locals[self.id.0 as usize];
        for (i, local) in self.function().locals.iter().enumerate() {
            let storage = if locals.regions[i] != self.region {
                Storage::Registers(Vec::new())
            } else if locals.in_memory[i] {
                let layouts = &self.shared.layouts;
                Storage::Slot(
                    self.b.slot(layouts.types.size(local.ty), layouts.types.own_alignment(local.ty).max(local.alignment)),
                )
            } else {
                let types = self.shared.layouts.leaf_types(local.ty);
                Storage::Registers(types.into_iter().map(|ty| self.b.declare_variable(ty)).collect())
            };
            self.storage.push(storage);
        }
    }

    /// Gives the parameters their values.
    fn parameters(&mut self, function: &ir::Function) {
        let hidden = usize::from(function.context > 1) + usize::from(self.result_address.is_some());
        let values = self.b.function_parameters()[hidden..].to_vec();
        let mut values = &values[..];
        for parameter in 0..function.parameters {
            let (local, ty) = (LocalId(parameter as u32), function.locals[parameter].ty);
            if self.shared.layouts.is_by_address(ty, function.linkage) {
                let to = self.local_address(local);
                self.b.copy(to, values[0], self.types().size(ty));
                values = &values[1..];
                continue;
            }
            let (leaves, rest) = values.split_at(self.leaves(ty).len());
            self.initialize(local, leaves);
            values = rest;
        }
    }

    /// Stores to all lanes of a local that has just come to life (E-INIT).
    pub fn initialize(&mut self, local: LocalId, values: &[Value]) {
        match &self.storage[local.0 as usize] {
            Storage::Registers(variables) => {
                let is_fixed = !self.shared.locals[self.id.0 as usize].assigned[local.0 as usize];
                for (&variable, &value) in variables.iter().zip(values) {
                    if is_fixed {
                        self.b.fix(variable, value);
                    } else {
                        self.b.define(variable, value);
                    }
                }
            }
            &(Storage::Slot(_) | Storage::Shared(_)) => {
                let address = self.local_address(local);
                let leaves = self.leaves(self.function().locals[local.0 as usize].ty);
                for (leaf, &value) in leaves.iter().zip(values) {
                    let pointer = self.b.ptr_offset(address, leaf.offset as i64);
                    self.b.store(pointer, value, None);
                }
            }
        }
    }

    /// The address of a local that lives in memory.
    pub fn local_address(&mut self, local: LocalId) -> Value {
        match &self.storage[local.0 as usize] {
            &Storage::Slot(slot) => self.b.slot_address(slot),
            &Storage::Shared(pointer) => pointer,
            Storage::Registers(_) => unreachable!("the local lives in memory"),
        }
    }

    /// Leaves the function with all lanes.
    pub fn leave(&mut self, values: &[Value]) {
        if self.signature().returns_zero {
            let zero = self.b.int(Type::scalar(Element::I32), 0);
            self.b.ret(&[zero]);
        } else {
            self.b.ret(values);
        }
    }

    fn fall_off_the_end(&mut self) {
        let values: Vec<Value> = self.results.clone().into_iter().map(|result| self.b.use_variable(result)).collect();
        self.leave(&values);
    }

    /// An `i32` constant.
    pub fn i32(&mut self, value: i64) -> Value {
        self.b.int(Type::scalar(Element::I32), value)
    }

    /// An `i64` constant.
    pub fn i64(&mut self, value: i64) -> Value {
        self.b.int(Type::scalar(Element::I64), value)
    }

    /// A sum of scalars or vectors.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.b.binary(BinaryOp::Add, a, b)
    }
}
