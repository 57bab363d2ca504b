//! Parallel loops: the runtime is given a function and a pointer to what it needs.
//!
//! ```text
//! parallel @f(v1, v2), count v3     ──►     context = { v1, v2 };  failed = ivl_parallel(task.f, &context, v3)
//! i32 task.f(ptr context, i64 low, i64 high)   { failed = f(context.v1, context.v2, low, high) }     (C convention)
//! ```

use super::abi;
use super::builder::{Builder, LlvmType, LlvmValue};
use super::function::FunctionTranslator;
use super::target;
use super::unit::Unit;
use crate::vector::ir::{self, Element, Op};

/// Where each value lies in a context, and how large that is. Values are aligned as their elements are.
fn layout(types: &[ir::Type]) -> (Vec<i64>, u64) {
    let mut size = 0u64;
    let mut place = |ty: &ir::Type| {
        let offset = size.next_multiple_of(ty.element.size());
        size = offset + ty.bytes();
        offset as i64
    };
    (types.iter().map(&mut place).collect(), size)
}

/// What runs a part of a loop, with its type; declared if it is not yet.
fn task(b: &Builder, function: &ir::Function) -> (LlvmType, LlvmValue) {
    let ty = b.function(b.int(32), &[b.ptr(), b.int(64), b.int(64)]);
    (ty, b.declare(&abi::internal_name(&format!("task.{}", function.name)), ty))
}

impl FunctionTranslator<'_> {
    /// [`Op::Parallel`]
    pub(super) fn parallel(&self, function: ir::FunctionId, arguments: &[ir::Value], count: ir::Value) {
        let b = self.b;
        let types: Vec<ir::Type> = arguments.iter().map(|&argument| self.type_of(argument)).collect();
        let (offsets, size) = layout(&types);
        let context = self.stack_memory(b.array(b.int(8), size), 64);
        for ((&argument, &ty), offset) in arguments.iter().zip(&types).zip(offsets) {
            b.store(self.to_memory(self.value(argument), ty), b.offset(context, offset), ty.element.size());
        }
        let (_, task) = task(b, &self.unit.module.functions[function.0 as usize]);
        let (ty, run) = self.unit.runtime("ivl_parallel", b.int(32), &[b.ptr(), b.ptr(), b.int(64)]);
        let failed = b.call(ty, run, &[task, context, self.value(count)]);
        if self.unit.callees[function.0 as usize].may_fail {
            self.fail_if(b.is_set(failed));
        }
    }
}

/// Defines the tasks of all parallel loops of the module.
pub(super) fn define_tasks(unit: &Unit<'_>) {
    let functions = &unit.module.functions;
    let mut is_task = vec![false; functions.len()];
    for function in functions {
        for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Parallel { function, .. } = function.insts[inst.0 as usize].op {
                is_task[function.0 as usize] = true;
            }
        }
    }
    for (index, function) in functions.iter().enumerate().filter(|&(index, _)| is_task[index]) {
        define_task(unit, index, function);
    }
}

fn define_task(unit: &Unit<'_>, index: usize, function: &ir::Function) {
    let b = &unit.builder;
    let (_, task) = task(b, function);
    b.make_internal(task);
    target::add_attributes(b, task, unit.options);
    b.position(b.append_block(task));
    let (context, low, high) = (b.parameter(task, 0), b.parameter(task, 1), b.parameter(task, 2));
    let types = &function.parameters[..function.parameters.len() - 2];
    let (offsets, _) = layout(types);
    let load = |(&ty, offset): (&ir::Type, i64)| {
        let value = b.load(unit.memory_type(ty), b.offset(context, offset), ty.element.size());
        (if ty.element == Element::Bool { b.is_set(value) } else { value }, ty)
    };
    let number = ir::Type::scalar(Element::I64);
    let mut arguments: Vec<_> = types.iter().zip(offsets).map(load).collect();
    arguments.extend([(low, number), (high, number)]);
    let returned = unit.callees[index].call(unit, &arguments);
    b.ret(Some(returned.has_failed.map_or(b.i32(0), |has_failed| b.zext(has_failed, b.int(32)))));
}
