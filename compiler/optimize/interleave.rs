//! Streams put together lane by lane: a₀ b₀ c₀ a₁ b₁ c₁ …
//!
//! The streams are taken a register at a time. In each 128 bits of it *pieces* are made of what stands there in all of them: of k
//! streams k pieces, which follow one another. Then the pieces are put in order. So no lane goes from one 128 bits to others but
//! in the company of its piece, which is what instructions are good at:
//!
//! ```text
//! a, b, c: i8×32            p₀ = a₀b₀c₀ … a₅ | a₁₆b₁₆c₁₆ … a₂₁     p₁ = b₅c₅ … | …     p₂ = …       (in each half)
//! interleaved               p₀[low] p₁[low],   p₂[low] p₀[high],   p₁[high] p₂[high]
//! ```
//! Where the machine looks lanes up in two registers at once, the register of 2, 4 or 8 streams is one such block, and its pieces are in order.
//! A piece is made by *unpacking* pairs of streams for 2, 4 and 8 streams; else by picking from two vectors at a time, or, of bytes
//! and words, as what all streams have for it, with zeros elsewhere, joined by `or`: a look-up of bytes is all that a processor has for them.

use crate::machine::Machine;
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// Bytes within which lanes change places freely.
pub(super) const BLOCK: u64 = 16;

/// The streams lane by lane, in vectors of at most a register; together as long as the streams.
pub(super) fn interleaved(writer: &mut Writer<'_>, machine: &Machine, streams: &[Value]) -> Vec<Value> {
    let ty = writer.function.ty(streams[0]);
    let lanes = ty.length.min(machine.lanes(ty.element.size()));
    let mut all = Vec::new();
    for first in (0..ty.length).step_by(lanes.into()) {
        let part = |writer: &mut Writer<'_>, stream: Value| match lanes == ty.length {
            true => stream,
            false => writer.shuffle([stream, stream], (first..first + lanes).map(i16::from).collect()),
        };
        let parts: Vec<Value> = streams.iter().map(|&stream| part(writer, stream)).collect();
        let within = Within::of(ty.with_length(lanes), machine);
        all.extend(match within.across().filter(|_| parts.len().is_power_of_two()) {
            Some(across) => across.unpacked(writer, parts),
            None => {
                let pieces = within.pieces(writer, parts);
                within.in_order(writer, &pieces)
            }
        });
    }
    all
}

/// Registers, and the blocks in them within which lanes change places.
pub(super) struct Within<'m> {
    /// Lanes of a block.
    pub(super) block: u8,
    /// Lanes of a register.
    pub(super) lanes: u8,
    /// Bytes of an element.
    pub(super) size: u64,
    pub(super) machine: &'m Machine,
}

impl<'m> Within<'m> {
    pub(super) fn of(ty: Type, machine: &'m Machine) -> Self {
        let size = ty.element.size();
        Within { block: ty.length.min((BLOCK / size) as u8), lanes: ty.length, size, machine }
    }

    /// The register as one block, where that is more and an instruction looks lanes up in two of them.
    pub(super) fn across(&self) -> Option<Within<'m>> {
        let unit = self.machine.permute(self.size as u32 * 8, self.lanes.into(), self.lanes.into());
        let takes_two = unit.is_some_and(|unit| unit.two.is_some() && unit.lanes == u32::from(self.lanes));
        (self.lanes > self.block && takes_two).then_some(Within { block: self.lanes, ..*self })
    }

    /// The pieces of all blocks: of piece p, those of all blocks are one vector.
    fn pieces(&self, writer: &mut Writer<'_>, streams: Vec<Value>) -> Vec<Value> {
        let count = streams.len();
        if count.is_power_of_two() {
            return self.unpacked(writer, streams);
        }
        let by_zeros = self.size <= 2 && !self.machine.crosses(8);
        (0..count).map(|piece| self.piece(writer, &streams, piece, by_zeros)).collect()
    }

    /// Of 2ⁿ streams. The even ones put together and the odd ones put together are two streams of pairs.
    pub(super) fn unpacked(&self, writer: &mut Writer<'_>, streams: Vec<Value>) -> Vec<Value> {
        if let [only] = streams[..] {
            return vec![only];
        }
        let every_other = |first: usize| streams.iter().copied().skip(first).step_by(2).collect::<Vec<_>>();
        let (even, odd) = (self.unpacked(writer, every_other(0)), self.unpacked(writer, every_other(1)));
        let pair = |half: i16| {
            let lane = move |k: i16| (k % 2) * i16::from(self.lanes) + half * i16::from(self.block / 2) + k / 2;
            self.in_each_block(lane)
        };
        let halves = |(a, b)| [0, 1].map(|half| writer.shuffle([a, b], pair(half)));
        even.into_iter().zip(odd).flat_map(halves).collect()
    }

    /// Piece p: place t of it is lane t / k of stream t % k, counted from the piece's first place.
    fn piece(&self, writer: &mut Writer<'_>, streams: &[Value], piece: usize, by_zeros: bool) -> Value {
        let count = streams.len();
        let source = |k: i16| {
            let place = piece * usize::from(self.block) + k as usize;
            (place % count, (place / count) as i16)
        };
        let mut made: Option<Value> = None;
        for (stream, &value) in streams.iter().enumerate() {
            if !(0..i16::from(self.block)).any(|k| source(k).0 == stream) {
                continue;
            }
            made = Some(match made {
                _ if by_zeros => {
                    let alone = |k: i16| if source(k).0 == stream { source(k).1 } else { -1 };
                    let alone = writer.shuffle([value, value], self.in_each_block(alone));
                    let ty = writer.function.ty(alone);
                    made.map_or(alone, |others| writer.emit(Op::Binary(BinaryOp::Or, others, alone), ty))
                }
                None => writer.shuffle([value, value], self.in_each_block(|k| source(k).1)),
                Some(others) => {
                    let from = |k: i16| if source(k).0 == stream { i16::from(self.lanes) + source(k).1 } else { k };
                    writer.shuffle([others, value], self.in_each_block(from))
                }
            });
        }
        made.expect("a piece has places")
    }

    /// Lanes that are taken alike in each block; negative ones are zero.
    pub(super) fn in_each_block(&self, lane: impl Fn(i16) -> i16) -> Vec<i16> {
        let place = |k: u8| {
            let (first, lane) = (i16::from(k - k % self.block), lane(i16::from(k % self.block)));
            if lane < 0 { lane } else { first + lane }
        };
        (0..self.lanes).map(place).collect()
    }

    /// The pieces of block 0, then those of block 1 … Blocks change places as numbers of 64 bits: who sees bytes may think of moves of
    /// bytes that are many instructions.
    fn in_order(&self, writer: &mut Writer<'_>, pieces: &[Value]) -> Vec<Value> {
        let ty = writer.function.ty(pieces[0]);
        let longs = Type::new(Element::I64, (self.size * u64::from(self.lanes) / 8) as u8);
        if self.lanes > self.block && self.size <= 2 {
            let within = Within::of(longs, self.machine);
            let pieces: Vec<Value> = pieces.iter().map(|&piece| writer.emit(Op::Reinterpret(piece), longs)).collect();
            let in_order = within.in_order(writer, &pieces);
            return in_order.into_iter().map(|value| writer.emit(Op::Reinterpret(value), ty)).collect();
        }
        let blocks = usize::from(self.lanes / self.block);
        let vector = |k: usize| {
            let sources: Vec<(usize, usize)> =
                (k * blocks..(k + 1) * blocks).map(|t| (t % pieces.len(), t / pieces.len())).collect();
            self.assembled(writer, pieces, &sources)
        };
        (0..pieces.len()).map(vector).collect()
    }

    /// A vector made of blocks: for each, which of the values it comes from, and which of its blocks it is.
    pub(super) fn assembled(&self, writer: &mut Writer<'_>, values: &[Value], sources: &[(usize, usize)]) -> Value {
        let mut needed: Vec<usize> = sources.iter().map(|source| source.0).collect();
        needed.sort_unstable();
        needed.dedup();
        // Two values are put in place together, each further one among those that are there.
        let mut placed = |made: Value, of_first: Option<usize>, value: Option<usize>| {
            let place = |lane: u8| {
                let (from, block) = sources[usize::from(lane / self.block)];
                let taken = block as u8 * self.block + lane % self.block;
                match () {
                    () if value == Some(from) => i16::from(self.lanes) + i16::from(taken),
                    () if of_first == Some(from) => i16::from(taken),
                    () => i16::from(lane),
                }
            };
            writer.shuffle([made, value.map_or(made, |value| values[value])], (0..self.lanes).map(place).collect())
        };
        match needed[..] {
            [only] => placed(values[only], Some(only), None),
            [first, next, ref others @ ..] => {
                let start = placed(values[first], Some(first), Some(next));
                others.iter().fold(start, |made, &value| placed(made, None, Some(value)))
            }
            [] => unreachable!("a vector has a block"),
        }
    }
}
