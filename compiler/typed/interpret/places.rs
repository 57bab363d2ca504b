//! Lvalues 𝓛(a, τ): where things are, and the loads and stores through them.

use super::{FaultKind, Interpreter, Lane, Result, Value};
use crate::source::Span;
use crate::typed::ir::{Expr, Place, PlaceKind};

/// 𝓛(a, τ), with one address or (section 4.3) one for each lane.
pub(super) struct Lvalue {
    pub addresses: Addresses,
    /// Is it a variable, all of whose lanes are there whatever P? Behind a pointer, only active lanes are touched.
    pub is_own: bool,
}

/// The addresses of an lvalue.
pub(super) enum Addresses {
    One(u64),
    Lanes(Vec<Lane>),
}

impl Interpreter<'_> {
    /// The lvalue of a place.
    pub(super) fn place(&mut self, place: &Place) -> Result<Lvalue> {
        match &place.kind {
            // E-VAR
            PlaceKind::Local(local) => match self.frame.addresses[local.0 as usize] {
                Some(address) => Ok(Lvalue { addresses: Addresses::One(address), is_own: true }),
                None => self.fault(FaultKind::Stuck, "this variable is not alive", place.span, None),
            },
            PlaceKind::Global(global) => Ok(Lvalue { addresses: Addresses::One(self.globals[global.0 as usize]), is_own: true }),
            PlaceKind::Dereference(pointer) => self.e_deref(pointer, place),
            // E-LPROJ: 𝓛(a, ρ).i → 𝓛(a + offset_ρ(i), τ_i)
            PlaceKind::Member(base, index) => {
                let offset = self.program.types.offset(base.object, *index);
                let lvalue = self.place(base)?;
                Ok(moved(lvalue, |address| address.wrapping_add(offset)))
            }
            PlaceKind::Element(base, index) => self.e_index(place, base, index),
            PlaceKind::Temporary(value) => {
                let value = self.expression(value)?;
                let address = self.memory.allocate(value.bytes.len() as u64);
                self.memory.write(address, &value).or_else(|m| self.misuse(m, place.span, None))?;
                Ok(Lvalue { addresses: Addresses::One(address), is_own: true })
            }
        }
    }

    /// E-DEREF: ∗𝓥(m, τ∗) → 𝓛(V(m), τ)
    fn e_deref(&mut self, pointer: &Expr, place: &Place) -> Result<Lvalue> {
        let value = self.pointer(pointer, place.object, place.span)?;
        let leaf = self.layouts.leaf(value.ty);
        let addresses = if leaf.length == 1 {
            Addresses::One(self.decided(value.lane(&leaf, 0), pointer.span, None)?)
        } else {
            Addresses::Lanes((0..leaf.length).map(|lane| value.lane(&leaf, lane)).collect())
        };
        Ok(Lvalue { addresses, is_own: false })
    }

    /// E-INDEX on an array: a + i·|τ|.
    fn e_index(&mut self, place: &Place, base: &Place, index: &Expr) -> Result<Lvalue> {
        let size = self.program.types.size(place.object);
        let lvalue = self.place(base)?;
        let number = self.expression(index)?;
        self.in_array(base, &number, place.span)?;
        let leaf = self.layouts.leaf(number.ty);
        let element = leaf.element.expect("an index is a number");
        let by = |bits: u64| (super::arithmetic::integer(element, bits) as u64).wrapping_mul(size);
        if leaf.length == 1 {
            let by = by(self.decided(number.lane(&leaf, 0), index.span, None)?);
            let lvalue = moved(lvalue, |address| address.wrapping_add(by));
            return Ok(match lvalue.addresses {
                Addresses::One(address) if place.addresses > 1 => {
                    Lvalue { addresses: Addresses::Lanes(vec![Lane::set(address); usize::from(place.addresses)]), is_own: false }
                }
                Addresses::One(_) | Addresses::Lanes(_) => lvalue,
            });
        }
        let addresses = (0..leaf.length).map(|lane| {
            let base = match &lvalue.addresses {
                Addresses::One(address) => Lane::set(*address),
                Addresses::Lanes(addresses) => addresses[usize::from(lane)],
            };
            base.with(number.lane(&leaf, lane), |address, bits| address.wrapping_add(by(bits)))
        });
        Ok(Lvalue { addresses: Addresses::Lanes(addresses.collect()), is_own: false })
    }

    /// E-ADDR: &𝓛(a, τ) → 𝓥(m, τ∗)
    pub(super) fn e_addr(&mut self, e: &Expr, place: &Place) -> Result<Value> {
        let lvalue = self.place(place)?;
        Ok(self.layouts.vector(e.ty, |lane| match &lvalue.addresses {
            Addresses::One(address) => Lane::set(*address),
            Addresses::Lanes(addresses) => addresses[usize::from(lane)],
        }))
    }

    /// The address of an active lane.
    fn address(&self, addresses: &[Lane], lane: u8, span: Span) -> Result<u64> {
        self.decided(addresses[usize::from(lane)], span, Some(lane))
    }

    /// E-TOVAL: 𝓛(a, τ) → 𝓥(M⟨a, |τ|⟩, τ). With an address per lane, lane i of a vector is its component i (Figure 10).
    pub(super) fn e_toval(&mut self, place: &Place, lvalue: &Lvalue) -> Result<Value> {
        let mask = self.frame.mask;
        let leaves = self.layouts.leaves(place.object);
        match &lvalue.addresses {
            Addresses::One(address) => {
                let is_whole = lvalue.is_own || mask.is_all() || leaves.iter().all(|leaf| leaf.length != mask.length());
                if is_whole {
                    let size = self.program.types.size(place.object) as usize;
                    return self.memory.read(*address, place.ty, size).or_else(|m| self.misuse(m, place.span, None));
                }
                let mut value = self.layouts.unset(place.ty);
                for leaf in leaves.iter() {
                    for lane in (0..leaf.length).filter(|&lane| mask.governs(leaf.length, lane)) {
                        let at = address.wrapping_add(leaf.at(lane) as u64);
                        let read = self.memory.read_lane(at, leaf.size);
                        value.set_lane(leaf, lane, read.or_else(|m| self.misuse(m, place.span, Some(lane)))?);
                    }
                }
                Ok(value)
            }
            Addresses::Lanes(addresses) => {
                let mut value = self.layouts.unset(place.ty);
                let results = self.layouts.leaves(place.ty);
                let length = addresses.len() as u8;
                for lane in (0..length).filter(|&lane| mask.governs(length, lane)) {
                    let address = self.address(addresses, lane, place.span)?;
                    for (leaf, result) in leaves.iter().zip(results.iter()) {
                        let at = address.wrapping_add(leaf.at(leaf.clamp(lane)) as u64);
                        let read = self.memory.read_lane(at, leaf.size);
                        value.set_lane(result, lane, read.or_else(|m| self.misuse(m, place.span, Some(lane)))?);
                    }
                }
                Ok(value)
            }
        }
    }

    /// E-ASSIGN: M[⟨P, a, τ⟩ := m], lanes in ascending order.
    pub(super) fn e_assign(&mut self, place: &Place, lvalue: &Lvalue, value: &Value) -> Result<()> {
        let mask = self.frame.mask;
        let leaves = self.layouts.leaves(place.object);
        match &lvalue.addresses {
            Addresses::One(address) => {
                for leaf in leaves.iter() {
                    for lane in (0..leaf.length).filter(|&lane| mask.governs(leaf.length, lane)) {
                        let at = address.wrapping_add(leaf.at(lane) as u64);
                        let written = self.memory.write_lane(at, leaf.size, value.lane(leaf, lane));
                        let number = Some(lane).filter(|_| leaf.length > 1);
                        written.or_else(|m| self.misuse(m, place.span, number))?;
                    }
                }
            }
            Addresses::Lanes(addresses) => {
                let values = self.layouts.leaves(place.ty);
                let length = addresses.len() as u8;
                for (leaf, result) in leaves.iter().zip(values.iter()) {
                    for lane in (0..length).filter(|&lane| mask.governs(length, lane)) {
                        let address = self.address(addresses, lane, place.span)?;
                        let at = address.wrapping_add(leaf.at(leaf.clamp(lane)) as u64);
                        let written = self.memory.write_lane(at, leaf.size, value.lane(result, lane));
                        written.or_else(|m| self.misuse(m, place.span, Some(lane)))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `set(place, value, index)`: one lane of each vector at the place, whatever P; the index is taken modulo the length.
    pub(super) fn e_set(&mut self, place: &Place, value: &Expr, index: &Expr) -> Result<()> {
        let lvalue = self.place(place)?;
        let value = self.expression(value)?;
        let number = self.scalar_integer(index)?;
        let lane_of = |length: u8| number.rem_euclid(i128::from(length)) as u8;
        let sources = self.layouts.leaves(value.ty);
        for (leaf, source) in self.layouts.leaves(place.object).iter().zip(sources.iter()) {
            let (address, leaf_lane) = match &lvalue.addresses {
                Addresses::One(address) => (*address, lane_of(leaf.length)),
                Addresses::Lanes(addresses) => {
                    let lane = lane_of(addresses.len() as u8);
                    (self.address(addresses, lane, place.span)?, leaf.clamp(lane))
                }
            };
            // A member that has the length of its source is set as a whole.
            let lanes = if leaf.length == source.length { 0..leaf.length } else { leaf_lane..leaf_lane + 1 };
            for lane in lanes {
                let at = address.wrapping_add(leaf.at(lane) as u64);
                let written = self.memory.write_lane(at, leaf.size, value.lane(source, source.clamp(lane)));
                written.or_else(|m| self.misuse(m, place.span, Some(lane).filter(|_| leaf.length > 1)))?;
            }
        }
        Ok(())
    }
}

/// The lvalue with each address changed.
fn moved(lvalue: Lvalue, change: impl Fn(u64) -> u64) -> Lvalue {
    let addresses = match lvalue.addresses {
        Addresses::One(address) => Addresses::One(change(address)),
        Addresses::Lanes(lanes) => Addresses::Lanes(lanes.into_iter().map(|lane| lane.map(&change)).collect()),
    };
    Lvalue { addresses, ..lvalue }
}
