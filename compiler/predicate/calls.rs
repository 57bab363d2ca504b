//! Calls of instances.
//!
//! ```text
//! f(a, b)   f an instance of context 8     ──►    call f(P, leaves of a, leaves of b)
//!           f an instance of context 1     ──►    call f(leaves of a, leaves of b)
//! ```
//! An object with arrays that is large is copied to memory of the caller's, whose address stands for its leaves; so is such a result,
//! whose address comes in front of the arguments.
//!
//! A call stands where some lane is active, so that no callee starts with an empty mask.

use super::state::{Mask, Predicator};
use crate::source::Span;
use crate::typed::ir::{Expr, Function, FunctionId};
use crate::vector::ir::{self, Value};

/// Is it `packed_load` of the library? Its callers see to what it accesses.
pub(super) fn is_packed_load(function: &Function) -> bool {
    function.is_library && function.name == "packed_load"
}

impl Predicator<'_> {
    /// E-INVOKE of a function that returns leaves.
    pub fn call(&mut self, function: FunctionId, arguments: &[Expr], span: Span) -> Vec<Value> {
        self.call_into(function, arguments, None, span)
    }

    /// E-INVOKE; a large result is written to memory of the caller's.
    pub fn call_into(&mut self, function: FunctionId, arguments: &[Expr], result: Option<Value>, span: Span) -> Vec<Value> {
        let callee = &self.shared.program.functions[function.0 as usize];
        let signature = &self.shared.signatures[function.0 as usize];
        let mut given: Vec<Vec<Value>> = Vec::with_capacity(arguments.len());
        let mut known = Vec::with_capacity(arguments.len());
        for (argument, parameter) in arguments.iter().zip(&callee.locals) {
            let by_address = self.shared.layouts.is_by_address(parameter.ty, callee.linkage);
            given.push(if by_address { vec![self.object_slot(argument)] } else { self.expression(argument) });
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
        if let Some(address) = result {
            values.insert(0, address);
        }
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
}
