//! Calls of instances.
//!
//! ```text
//! f(a, b)   f an instance of context 8     ──►    call f(P, leaves of a, leaves of b)
//!           f an instance of context 1     ──►    call f(leaves of a, leaves of b)
//! ```
//! An object with arrays that is large is copied to memory of the caller's, whose address stands for its leaves.
//!
//! A call stands where some lane is active, so that no callee starts with an empty mask.

use super::function::Predicator;
use super::masks::Mask;
use super::places::Location;
use crate::source::Span;
use crate::typed::ir::{Expr, ExprKind, Function, FunctionId};
use crate::vector::ir::{self, Value};

/// Is it `packed_load` of the library? Its callers see to what it accesses.
pub(super) fn is_packed_load(function: &Function) -> bool {
    function.is_library && function.name == "packed_load"
}

impl Predicator<'_> {
    /// E-INVOKE
    pub fn call(&mut self, function: FunctionId, arguments: &[Expr], span: Span) -> Vec<Value> {
        let callee = &self.shared.program.functions[function.0 as usize];
        let signature = &self.shared.signatures[function.0 as usize];
        let mut given: Vec<Vec<Value>> = Vec::with_capacity(arguments.len());
        let mut known = Vec::with_capacity(arguments.len());
        for (argument, parameter) in arguments.iter().zip(&callee.locals) {
            let by_address = self.shared.layouts.is_by_address(parameter.ty, callee.linkage);
            given.push(if by_address { vec![self.copied(argument)] } else { self.expression(argument) });
            // In front of the others, which may change what it was computed from.
            known.push(self.known(argument));
        }
        // The library's function reads as many elements as lanes are on.
        if let ([pointer, into], true) = (arguments, is_packed_load(callee)) {
            let object = self.types().pointee(into.ty).expect("what is loaded is given by its address");
            let length = self.types().length(object);
            let count = self.active_count(length);
            if !self.check_run(pointer, known[0].take(), count) {
                self.note(pointer.span);
            }
        }
        self.check_arguments(callee, arguments, &given, known, span);
        let mut values = given.concat();
        if callee.context > 1 {
            let mask = if self.context() == callee.context { self.mask } else { Mask::AllOn(callee.context) };
            let mask = self.mask_value(mask);
            values.insert(0, mask);
        }
        let mut results = self.b.call(ir::FunctionId(function.0), &values, &signature.results);
        // What `void main()` returns is for C alone.
        if signature.returns_zero {
            results.clear();
        }
        results
    }

    /// The address of memory that holds the value of a large object, for one call.
    fn copied(&mut self, argument: &Expr) -> Value {
        let types = self.types();
        let slot = self.b.slot(types.size(argument.ty), types.own_alignment(argument.ty));
        let address = self.b.slot_address(slot);
        let to = Location::Memory { pointer: address, offset: 0, is_own: true };
        if let ExprKind::Load(from) = &argument.kind
            && self.copy_object(&to, from, argument.ty)
        {
            return address;
        }
        let values = self.expression(argument);
        for (leaf, value) in self.leaves(argument.ty).iter().zip(values) {
            let pointer = self.b.ptr_offset(address, leaf.offset as i64);
            self.b.store(pointer, value, None);
        }
        address
    }
}
