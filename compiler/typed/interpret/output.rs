//! `print`: language.md §7. A vector as `<1,4,_,2>`, an inactive lane as `_`, a float as short as it reads back.

use super::arithmetic::integer;
use super::value::Leaf;
use super::{FaultKind, Interpreter, Result};
use crate::source::Span;
use crate::target::Channel;
use crate::typed::ir::PrintPiece;
use crate::types::Element;
use std::fmt::Write;

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
                PrintPiece::Value(e) => (self.expression(e)?, e.span),
            };
            let (value, span) = value;
            for leaf in self.layouts.leaves(value.ty).iter() {
                text.push_str(if leaf.length > 1 { "<" } else { "" });
                for lane in 0..leaf.length {
                    text.push_str(if lane > 0 { "," } else { "" });
                    if self.frame.mask.governs(leaf.length, lane) {
                        let number = Some(lane).filter(|_| leaf.length > 1);
                        let bits = self.decided(value.lane(leaf, lane), span, number)?;
                        write_lane(&mut text, leaf, bits);
                    } else {
                        text.push('_');
                    }
                }
                text.push_str(if leaf.length > 1 { ">" } else { "" });
            }
        }
        match channel {
            Channel::Output => (self.output)(&text),
            Channel::Reason => self.reason = text,
            Channel::End => {
                let reason = std::mem::take(&mut self.reason);
                return self.fault(FaultKind::Refused, reason + &text, span, None);
            }
        }
        Ok(())
    }
}

fn write_lane(text: &mut String, leaf: &Leaf, bits: u64) {
    let written = match leaf.element {
        Some(Element::Bool) => write!(text, "{}", if bits == 0 { 'F' } else { 'T' }),
        Some(Element::Float16) => write!(text, "{}", ivl::float_text(ivl::Float16::from_bits(bits as u16).to_f32())),
        Some(Element::Float) => write!(text, "{}", ivl::float_text(f32::from_bits(bits as u32))),
        Some(Element::Double) => write!(text, "{}", ivl::float_text(f64::from_bits(bits))),
        Some(element) => write!(text, "{}", integer(element, bits)),
        None => write!(text, "{bits:#x}"),
    };
    written.expect("a string takes all that is written to it");
}
