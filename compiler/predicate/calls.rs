//! Calls of instances.
//!
//! ```text
//! f(a, b)   f an instance of context 8     ──►    call f(P, leaves of a, leaves of b)
//!           f an instance of context 1     ──►    call f(leaves of a, leaves of b)
//! ```
//! A call stands where some lane is active, so that no callee starts with an empty mask.

use super::function::Predicator;
use super::masks::Mask;
use crate::source::Span;
use crate::typed::ir::{Expr, FunctionId};
use crate::vector::ir::{self, Value};

impl Predicator<'_> {
    /// E-INVOKE
    pub fn call(&mut self, function: FunctionId, arguments: &[Expr], span: Span) -> Vec<Value> {
        let callee = &self.shared.program.functions[function.0 as usize];
        let signature = &self.shared.signatures[function.0 as usize];
        let given: Vec<Vec<Value>> = arguments.iter().map(|argument| self.expression(argument)).collect();
        self.check_arguments(callee, arguments, &given, span);
        let mut values = given.concat();
        // The library's function reads as many elements as lanes are on.
        if let ("packed_load", [pointer, into]) = (&*callee.name, arguments)
            && callee.is_library
        {
            let object = self.types().pointee(into.ty).expect("what is loaded is given by its address");
            let length = self.types().length(object);
            let count = self.active_count(length);
            self.check_run(pointer, count);
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
