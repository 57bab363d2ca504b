//! `print`: language.md §7. A vector as `<1,4,_,2>`, an inactive lane as `_`, a float as short as it reads back.

use super::arithmetic::integer;
use super::value::Leaf;
use super::{FaultKind, Interpreter, Result};
use crate::source::Span;
use crate::target::Channel;
use crate::typed::ir::PrintPiece;
use crate::types::Element;
use ivl::Format;

impl Interpreter<'_> {
    /// All pieces are evaluated, then written at once.
    pub(super) fn e_print(&mut self, channel: Channel, pieces: &[PrintPiece], span: Span) -> Result<()> {
        let mut text = String::new();
        for piece in pieces {
            let value = match piece {
                PrintPiece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                PrintPiece::Value(e, format) => (self.expression(e)?, e.span, *format),
            };
            let (value, span, format) = value;
            for leaf in self.layouts.leaves(value.ty).iter() {
                text.push_str(if leaf.length > 1 { "<" } else { "" });
                for lane in 0..leaf.length {
                    text.push_str(if lane > 0 { "," } else { "" });
                    if self.frame.mask.governs(leaf.length, lane) {
                        let number = Some(lane).filter(|_| leaf.length > 1);
                        let bits = self.decided(value.lane(leaf, lane), span, number)?;
                        text.push_str(&format.padded(lane_text(leaf, format, bits)));
                    } else {
                        text.push_str(&format.padded("_".into()));
                    }
                }
                text.push_str(if leaf.length > 1 { ">" } else { "" });
            }
        }
        match channel {
            Channel::Output => (self.output)(&text),
            Channel::Error => ivl::write_error(&text),
            Channel::Reason => self.reason = text,
            Channel::End => {
                let reason = std::mem::take(&mut self.reason);
                return self.fault(FaultKind::Refused, reason + &text, span, None);
            }
        }
        Ok(())
    }
}

fn lane_text(leaf: &Leaf, format: Format, bits: u64) -> String {
    match leaf.element {
        Some(Element::Bool) => if bits == 0 { "F" } else { "T" }.into(),
        Some(Element::Float16) => format.float(ivl::Float16::from_bits(bits as u16).to_f32()),
        Some(Element::Float) => format.float(f32::from_bits(bits as u32)),
        Some(Element::Double) => format.float(f64::from_bits(bits)),
        Some(_) if format.is_hexadecimal => format!("{bits:x}"),
        Some(element) => integer(element, bits).to_string(),
        None => format!("{bits:#x}"),
    }
}
