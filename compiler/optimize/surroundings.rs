//! What stands around a function that a pass rewrites for a machine.

use crate::machine::Machine;
use crate::vector::ir::*;

/// What a pass that is for a machine looks at beside the function.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The globals of the module.
    pub globals: &'a [Global],
    /// What code is generated for.
    pub machine: &'a Machine,
    /// What lanes may call, with its parameters and its results.
    pub lanes: &'a [(LaneFunction, Vec<Type>, Vec<Type>)],
}

impl Surroundings<'_> {
    /// What lanes call where numbers call a function with these, and how many lanes that has.
    pub fn lanes_of(&self, function: &Function, callee: FunctionId, arguments: &[Value]) -> Option<(LaneFunction, u8)> {
        let (of, parameters, results) = self.lanes.iter().find(|(of, ..)| of.one == callee)?;
        let ([mask, parameters @ ..], [result]) = (&parameters[..], &results[..]) else { return None };
        let is_same = |(&argument, &ty): (&Value, &Type)| function.ty(argument).with_length(mask.length) == ty;
        let fits = mask.element == Element::Bool && mask.length > 1 && result.length == mask.length;
        let are_same = arguments.len() == parameters.len() && arguments.iter().zip(parameters).all(is_same);
        (fits && are_same).then_some((*of, mask.length))
    }
}
