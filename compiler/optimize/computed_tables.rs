//! Look-ups of bytes in constant tables that are computed in fewer steps.
//!
//! ```text
//! letters: 'A' … 'Z', 'a' … 'z', '0' … '9', '+', '/'
//! x = and y, 63;  i = convert.zext x           a = usubsat x, 49            (an entry for all up to 49, then one each)
//! v = gather (ptrindex letters, i)      ──►    m = compare.slt x, 26;  b = or a, (select m, 15, 0)
//!                                              v = add x, (permute D, b)
//! ```
//! The entries are known, and how long the part of the table is that indices may lie in. What is computed for them is one of the forms
//! of [`byte_tables`](super::byte_tables); what indices outside of the table give is nobody's business. Lanes that are off give zero.

use super::addresses::Address;
use super::byte_tables::forms::{Form, HALF};
use super::ranges::range;
use super::surroundings::Surroundings;
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// Rewrites the look-ups of a function.
pub fn computed_tables(function: &mut Function, around: Surroundings<'_>) {
    remake(function, |writer, inst| Table::of(writer.function, inst, around).map(|table| table.write(writer)));
}

/// A look-up that is computed.
struct Table {
    ty: Type,
    form: Form,
    index: Value,
    mask: Option<Value>,
}

impl Table {
    fn of(function: &Function, inst: Inst, around: Surroundings<'_>) -> Option<Table> {
        let InstData { op: Op::Gather { pointers, mask, object: _ }, results, .. } = &function.insts[inst.0 as usize] else {
            return None;
        };
        let ty = function.ty(results[0]);
        let Some(Op::PtrIndex { base, index, scale: 1, offset }) = function.definition(*pointers) else { return None };
        let Some(Op::Convert(ConvertOp::ZExt, byte)) = function.definition(*index) else { return None };
        if ty.element != Element::I8 || function.ty(*byte) != ty || function.ty(*base).length != 1 {
            return None;
        }
        let (root, first) = Address::of(function, *base).constant()?;
        let Some(Op::GlobalAddress(global)) = function.definition(root) else { return None };
        let global = &around.globals[global.0 as usize];
        let bytes = global.bytes.as_ref().filter(|_| global.is_const)?;
        let there = bytes.get(usize::try_from(first.checked_add(*offset)?).ok()?..)?;
        let (_, most) = range(function, *index);
        let last = u8::try_from(most.min(there.len() as i64 - 1)).ok()?;
        let results = std::array::from_fn(|x| there.get(x).copied().unwrap_or(0));
        let form = Form::of(ty, &results, last, around.machine.looks_up(8, HALF as u32, ty.length))?;
        let length = (u32::from(last) + 1).next_power_of_two();
        (form.steps() < around.machine.look_up_steps(8, length, ty.length)).then_some(Table {
            ty,
            form,
            index: *byte,
            mask: *mask,
        })
    }

    fn write(self, writer: &mut Writer<'_>) -> Op {
        let op = self.form.write(writer, self.index);
        let Some(mask) = self.mask else { return op };
        let found = writer.emit(op, self.ty);
        Op::Select(mask, found, writer.emit(Op::Const(vec![0]), self.ty))
    }
}
